"""What is watched for drift: which counts of the tallies are trials, and which are events. It must never look at a cell
alone where the model is to blame: every check is summed over all of a model's cells as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from guardrail.drift.counting import Acknowledged, Closed
from guardrail.drift.observed import Name
from guardrail.drift.tally import QUADRANTS, RESPONSE


class Check(NamedTuple):
    """What a check counts, and the rate that is promised by default."""

    trials: tuple[str, ...]
    event: str
    ceiling: float
    weight: float = 1.0
    """What a trial is worth. Events that have records of their own are counted once a conversation; of the others up to
    three say one thing, as users try again."""


CHECKS = {
    "simulation": Check(("agreed", "mismatch"), "mismatch", 1e-3),
    "underclaim": Check(("refusal", "underclaim"), "underclaim", 1e-2),
    "undecided": Check(QUADRANTS, "undecided", 1e-2, 1 / 3),
    "rejected": Check(("judged",), "rejected", 0.2, 1 / 3),
    "disordered": Check(("judged",), "disordered", 1e-2, 1 / 3),
}
_WATCHED = {
    "simulation": ("simulation", "undecided"),
    "underclaim": ("underclaim", "undecided"),
    RESPONSE: ("rejected", "disordered"),
}
"""The checks that a tally's counts go into."""
_ONE_BY_ONE = ("simulation", "underclaim")
"""The checks whose events have records of their own."""


class Sum(msgspec.Struct):
    """One minute of one stream."""

    cells: int = 0
    """How many cells' minutes are in it."""
    trials: int = 0
    events: int = 0
    """Those whose conversation isn't known."""
    hashes: list[int] = msgspec.field(default_factory=list)
    """The conversations of the others."""
    policies: set[str] = msgspec.field(default_factory=set)
    acknowledged: Acknowledged | None = None


def sums(told: Iterable[Closed | Acknowledged]) -> dict[Name, Sum]:
    """One minute by stream. What no check watches is left out: another version's tallies break nothing."""
    found: dict[Name, Sum] = {}
    for one in told:
        if isinstance(one, Acknowledged):
            found.setdefault(one.name, Sum()).acknowledged = one
            continue
        for check in _WATCHED.get(one.cell.check, ()):
            cell = Name("cell", check, one.cell.model, one.cell.agent, one.cell.parameter)
            for name in (cell, cell.whole):
                _add(found.setdefault(name, Sum()), check, one)
    return found


def _add(to: Sum, check: str, one: Closed) -> None:
    counted = CHECKS[check]
    to.cells += 1
    to.trials += sum(one.counts.get(name, 0) for name in counted.trials)
    to.policies.update(one.policies)
    if check in _ONE_BY_ONE:
        to.events += one.events - len(one.hashes)
        to.hashes += one.hashes
    else:
        to.events += one.counts.get(counted.event, 0)
