"""Runs a stranger's pattern over a value and says what came of it. It must never raise, print, wait or guess.

limits -> wrapping off -> tree -> vet -> engine. The same pattern and value give the same run, anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import ClassVar, cast

import msgspec

from guardrail.judge.model import Execution
from guardrail.judge.pattern.comparison import UNDECIDED, Comparison, Relation, compared
from guardrail.judge.pattern.engine import LIGHT_INSTRUCTIONS
from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.hints import ALTERED_VALUES
from guardrail.judge.pattern.repair import Unwrapped, suspicions, undoubled, unwrapped
from guardrail.judge.pattern.search import HINT_STEPS_MAX
from guardrail.judge.pattern.tiers import EXHAUSTED, Engine, Searched, Weight, made_ready, understood
from guardrail.judge.pattern.vet import MAX_PATTERN_CHARS, MAX_VALUE_CHARS

CACHED_PATTERNS = 4_096  # refusals too; a light one keeps at most engine.LIGHT_MEM_BYTES, typically 10 kB
CACHED_SEVERAL = 256  # of those that are several programs, at most nine light ones
CACHED_HEAVY = 32  # of the rare large ones; each keeps at most engine.MAX_MEM_BYTES a program
CACHED_COMPARISONS = 2_048
CACHED_VARIANTS = 128  # patterns changed for a hint
HINT_INSTRUCTIONS_MAX = 2_000  # of all runs for hints together; the median pattern has 17, and eight ways to differ

NONE = "none"


class Run(msgspec.Struct, frozen=True):
    """What came of a run. `tier` decided it (`none`: nobody did); `reason` never holds the pattern or the value."""

    execution: Execution
    tier: str = NONE
    reason: str = ""
    repairs: tuple[str, ...] = ()
    suspicions: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    left_over: bool = False
    """Whether the last tier may be asked."""

    costly: ClassVar[bool] = False
    """A run made in advance costs nothing."""

    @property
    def decided(self) -> bool:
        """Whether it is known if the value matches."""
        return self.tier != NONE


class Compiled(msgspec.Struct, frozen=True):
    """A pattern ready to run, and its two runs made in advance."""

    engine: Engine
    matched: Run
    not_matched: Run
    costly: bool


_TOO_LONG = Run(Execution.VALUE_TOO_LONG, reason="the value is longer than its limit")
_TOO_COSTLY = Run(Execution.UNSAFE, reason="the record brings more costly patterns than one may")
_PATTERN_TOO_LONG = Fault("unsafe", "the pattern is longer than its limit")


def execute(
    pattern: str,
    value: str,
    *,
    pattern_chars: int = MAX_PATTERN_CHARS,
    value_chars: int = MAX_VALUE_CHARS,
    hints: bool = True,
    admits: Callable[[str], bool] | None = None,
) -> Run:
    """The run of a pattern over a whole value. Hints are there only when it didn't match, and when asked for.

    `admits` is asked before a costly pattern is made ready and run: a large one, or one for the search.
    """
    if len(value) > value_chars:
        return _TOO_LONG
    if len(pattern) > pattern_chars:
        return _refusal(_PATTERN_TOO_LONG)
    ready = _light(pattern)
    if isinstance(ready, Weight) or ready.costly:
        if admits is not None and not admits(pattern):
            return _TOO_COSTLY
        ready = _ready(pattern)
    if isinstance(ready, Run):
        return ready
    found = ready.engine.fullmatch(value)
    if found is True:
        return ready.matched
    if found is not False:
        run = _refusal(found, ready.matched.repairs, ready.matched.suspicions)
        return msgspec.structs.replace(run, left_over=found is EXHAUSTED)
    told = _hints(ready, pattern, value) if hints else ()
    return msgspec.structs.replace(ready.not_matched, hints=told) if told else ready.not_matched


def costly(pattern: str) -> bool:
    """Whether a pattern (within its limit) is large, or is searched: the few of which a record may bring some only."""
    found = _light(pattern)
    return isinstance(found, Weight) or found.costly


def _hints(ready: Compiled, pattern: str, value: str) -> tuple[str, ...]:
    """The hints that hold. A large pattern has fewer looked for: what they cost is bounded."""
    engine = ready.engine
    left = HINT_INSTRUCTIONS_MAX // max(1, engine.cost)
    altered = [(name, other) for name, change in ALTERED_VALUES if (other := change(value)) != value][:left]
    hints = [name for name, other in altered if _matches(engine, other)]
    if engine.cost <= LIGHT_INSTRUCTIONS:
        cased = value.lower() != value.upper()
        variants = [(name, _variant(pattern, name)) for name in _CHANGES if cased or name != _CASE]
        hints += [name for name, variant in variants if variant and _matches(variant.engine, value)]
        hints += ["partial_match"] if engine.found_in(value) else []
    return tuple(hints)


def _matches(engine: Engine, value: str) -> bool:
    found = engine.fullmatch(value, HINT_STEPS_MAX) if isinstance(engine, Searched) else engine.fullmatch(value)
    return found is True


@lru_cache(maxsize=CACHED_COMPARISONS)
def compare(pattern: str, other: str) -> Comparison:
    """How a pattern stands to another one, wrapping off; what can't be read is undecided.

    A counter-example is told only after both were run over it.
    """
    if max(len(pattern), len(other)) > MAX_PATTERN_CHARS:
        return UNDECIDED
    first, second = understood(unwrapped(pattern)), understood(unwrapped(other))
    if isinstance(first, Fault) or isinstance(second, Fault):
        return UNDECIDED
    found = compared(first, second)
    if found.relation is Relation.UNDECIDED:
        return UNDECIDED
    held = _tells_apart(found.extra, pattern, other) and _tells_apart(found.missing, other, pattern)
    return found if held else UNDECIDED


def _tells_apart(value: str | None, taker: str, refuser: str) -> bool:
    if value is None:
        return True
    takes, refuses = execute(taker, value, hints=False), execute(refuser, value, hints=False)
    return takes.execution is Execution.MATCHED and refuses.execution is Execution.NOT_MATCHED


_CASE = "case_only"
_CHANGES: dict[str, Callable[[Unwrapped], Unwrapped | None]] = {
    _CASE: lambda found: msgspec.structs.replace(found, flags=found.flags | {"i"}),
    "double_escape_suspected": lambda found: (
        msgspec.structs.replace(found, body=body) if (body := undoubled(found.body)) else None
    ),
}
"""The hint, and the pattern as it supposes it."""


@lru_cache(maxsize=CACHED_VARIANTS)
def _variant(pattern: str, hint: str) -> Compiled | None:
    """The pattern changed as a hint supposes; null when it can't be run so, or only by much memory."""
    changed = _CHANGES[hint](unwrapped(pattern))
    ready = _compiled(changed, Weight.SEVERAL) if changed else None
    return ready if isinstance(ready, Compiled) else None


def _compiled(found: Unwrapped, budget: Weight, doubts: tuple[str, ...] = ()) -> Compiled | Weight | Fault:
    """A pattern ready to run; the weight that it needs when that is over the budget; or why it is refused."""
    tree = understood(found)
    engine = tree if isinstance(tree, Fault) else made_ready(tree, budget)
    if isinstance(engine, Weight | Fault):
        return engine
    matched = Run(Execution.MATCHED, engine.tier, "", found.repairs, doubts)
    not_matched = msgspec.structs.replace(matched, execution=Execution.NOT_MATCHED)
    return Compiled(engine, matched, not_matched, costly=isinstance(engine, Searched))


def _refusal(fault: Fault, repairs: tuple[str, ...] = (), doubts: tuple[str, ...] = ()) -> Run:
    return Run(Execution(fault.kind), NONE, fault.reason, repairs, doubts)


def _made(pattern: str, budget: Weight) -> Compiled | Run | Weight:
    found, doubts = unwrapped(pattern), suspicions(pattern)
    ready = _compiled(found, budget, doubts)
    return _refusal(ready, found.repairs, doubts) if isinstance(ready, Fault) else ready


@lru_cache(maxsize=CACHED_PATTERNS)
def _light(pattern: str) -> Compiled | Run | Weight:
    return _made(pattern, Weight.LIGHT)


@lru_cache(maxsize=CACHED_SEVERAL)
def _several(pattern: str) -> Compiled | Run | Weight:
    return _made(pattern, Weight.SEVERAL)


@lru_cache(maxsize=CACHED_HEAVY)
def _heavy(pattern: str) -> Compiled | Run | Weight:
    return _made(pattern, Weight.HEAVY)


def _ready(pattern: str) -> Compiled | Run:
    """A pattern ready to run, or the run of its refusal; each weight is kept in a cache of its own."""
    found = _light(pattern)
    if found is Weight.SEVERAL:
        found = _several(pattern)
    if found is Weight.HEAVY:
        found = _heavy(pattern)
    return cast("Compiled | Run", found)  # nothing is over the heaviest budget
