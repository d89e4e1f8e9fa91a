"""Drift's counts beside what the decisions say: no batch counted twice, none forgotten, whatever was aborted between.

It must never judge anything itself: that each record has its one decision is shown elsewhere (`ledger`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from guardrail.settings import Settings
from tests.faults.readers import each

MISCOUNTED = "miscounted"
"""The figure's name."""
REJECTED = "rejected"
UNTOLD = frozenset({"judged", "disordered"})
"""What is counted of responses, and no decision tells by itself."""


class _Seen(msgspec.Struct):
    parameter_id: str
    quadrant: str


class _Source(msgspec.Struct):
    partition: int
    offset: int = -1


class _Decided(msgspec.Struct):
    source: _Source
    observations: list[_Seen]
    enforced_outcome: str


class _Observed(msgspec.Struct):
    """A tally, or a mismatch: only tallies have counts."""

    parameter: str
    source: _Source
    counts: dict[str, int] | None = None


class Count(NamedTuple):
    """Trials of one partition, and what came of them; with an offset, the events told one by one."""

    partition: int
    parameter: str
    quadrant: str
    offset: int = -1


def miscounted(settings: Settings) -> int:
    """How many of the trials and events that the decisions hold aren't counted, or are counted without being held."""
    wanted, found = Counter(_wanted(settings)), _found(settings)
    return (wanted - found).total() + (found - wanted).total()


def _wanted(settings: Settings) -> Iterator[Count]:
    decoder = msgspec.json.Decoder(_Decided)
    for message in each(settings, topics=[settings.topics.decisions]):
        decision = decoder.decode(message.value() or b"")
        if decision.enforced_outcome == REJECTED:
            yield Count(decision.source.partition, "", REJECTED)
        for one in decision.observations:
            yield Count(decision.source.partition, one.parameter_id, one.quadrant)
            if one.quadrant in {"mismatch", "underclaim"}:
                yield Count(decision.source.partition, one.parameter_id, "event", decision.source.offset)


def _found(settings: Settings) -> Counter[Count]:
    decoder, found = msgspec.json.Decoder(_Observed), Counter[Count]()
    for message in each(settings, topics=[settings.topics.observations]):
        one = decoder.decode(message.value() or b"")
        if one.counts is None:
            found[Count(one.source.partition, one.parameter, "event", one.source.offset)] += 1
        for quadrant, count in (one.counts or {}).items():
            if quadrant in UNTOLD:
                continue
            found[Count(one.source.partition, one.parameter, quadrant)] += count
    return found
