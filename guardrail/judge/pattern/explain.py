"""Why a value matches a pattern or doesn't, for a person to read. It must never decide anything.

All of it is computed anew on demand: the hot path keeps verdicts alone.
"""

from __future__ import annotations

import msgspec

from guardrail.judge.model import Execution
from guardrail.judge.pattern.disputes import Targets, referred
from guardrail.judge.pattern.engine import member
from guardrail.judge.pattern.examples import Against, Examples, against, meant
from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.hints import ALTERED_VALUES
from guardrail.judge.pattern.nearest import nearest
from guardrail.judge.pattern.program import EDGES, Op, Program, program
from guardrail.judge.pattern.referee import Run, execute
from guardrail.judge.pattern.repair import unwrapped
from guardrail.judge.pattern.search import Exhausted, Search, kinds
from guardrail.judge.pattern.tiers import has_half, understood
from guardrail.judge.pattern.tree import Edge
from guardrail.judge.pattern.vet import MAX_PATTERN_CHARS, MAX_VALUE_CHARS
from guardrail.judge.pattern.write import shown, written

STEPS_MAX = 100_000  # of the search for the place where a value stops fitting; 25 ms
WANTED_MAX = 6


_PLACES = {
    Edge.TEXT_START: "the beginning of the value",
    Edge.TEXT_END: "the end of the value",
    Edge.LINE_START: "the beginning of a line",
    Edge.LINE_END: "the end of a line",
    Edge.WORD: "the edge of a word",
    Edge.NOT_WORD: "no edge of a word",
}
_ASKS = {Op.REFERENCE: "what a group held, once more", Op.ATOMIC: "an atomic group"}


class Stop(msgspec.Struct, frozen=True):
    """Where a value stops fitting: so many characters fit some way; `wanted` is what could stand next."""

    position: int
    wanted: tuple[str, ...]


class Explanation(msgspec.Struct, frozen=True):
    """A run, and what a person may want to know of it."""

    run: Run
    pattern: str
    """The pattern that was run: as given, or with its backslashes halved."""
    read_as: str | None
    """The pattern as it was understood, anchors strict and classes written out; null when it is refused."""
    fault: Fault | None = None
    """Why and where it is refused."""
    stop: Stop | None = None
    """For a value that doesn't match."""
    nearest: str | None = None
    """A value like this one that matches."""
    against: Against = Against()
    """What the examples say against the pattern."""


def explained(pattern: str, value: str, examples: Examples, *, value_chars: int = MAX_VALUE_CHARS) -> Explanation:
    """All about one run. `examples` decide on doubled backslashes, and may discredit the pattern."""
    if len(pattern) > MAX_PATTERN_CHARS:
        return Explanation(run=execute(pattern, value), pattern=pattern, read_as=None)
    text = meant(pattern, examples)
    run = execute(text, value, value_chars=value_chars)
    found = Explanation(run=run, pattern=text, read_as=None, against=against(text, examples))
    tree = understood(unwrapped(text))
    if isinstance(tree, Fault):
        return msgspec.structs.replace(found, fault=tree)
    targets = referred(tree)
    found = msgspec.structs.replace(found, read_as=written(tree, targets, shown))
    source = program(tree)
    if isinstance(source, Fault) or found.run.execution is not Execution.NOT_MATCHED or has_half(value):
        return found
    stop = _stop(source, value, targets)
    return msgspec.structs.replace(found, stop=stop, nearest=_nearest(source, text, value))


def _nearest(source: Program, pattern: str, value: str) -> str | None:
    """The value changed as a hint says, else with the fewest edits: the first that does match."""
    changed = [change(value) for _, change in ALTERED_VALUES]
    edited = nearest(source, value)
    candidates = [one for one in (*changed, edited) if one is not None and one != value]
    return next((one for one in candidates if execute(pattern, one).execution is Execution.MATCHED), None)


def _stop(source: Program, value: str, targets: Targets) -> Stop | None:
    """How far a value fits; null when that takes too long to find out."""
    search = Search(source, value, kinds(source.sets).of(value, member), STEPS_MAX)
    try:
        search.whole()
    except Exhausted:
        return None
    furthest = max(position for position, _ in search.stops)
    wanted = [_asked(source, at, targets) for position, at in search.stops if position == furthest]
    return Stop(furthest, tuple(dict.fromkeys(text for text in wanted if text))[:WANTED_MAX])


def _asked(source: Program, at: int, targets: Targets) -> str:
    """What an instruction asks for; "" for those that ask for nothing."""
    op = source.ops[at]
    if op in (Op.CHAR, Op.BACK):
        return shown(source.sets[source.first[at]])
    if op == Op.EDGE:
        return _PLACES[EDGES[source.first[at]]]
    if op == Op.LOOK:
        return written(source.looks[at], targets, shown)
    return _ASKS.get(Op(op), "")
