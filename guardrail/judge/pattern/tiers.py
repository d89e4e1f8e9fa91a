"""Which engine runs a pattern, and the pattern made ready for it. It must never run one that wasn't vetted.

re2: linear. re2_split: several linear programs, one for each look-around. search: every way within a budget of steps.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from guardrail.judge.pattern.alphabet import Alphabet, alphabet
from guardrail.judge.pattern.emit import emit
from guardrail.judge.pattern.engine import LIGHT_INSTRUCTIONS, MAX_INSTRUCTIONS, compiled, member
from guardrail.judge.pattern.engine import Program as Automaton
from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.parse import parse
from guardrail.judge.pattern.program import Program, program
from guardrail.judge.pattern.relax import relaxed
from guardrail.judge.pattern.repair import Unwrapped
from guardrail.judge.pattern.search import SEARCH_STEPS_MAX, Exhausted, Kinds, Search, kinds
from guardrail.judge.pattern.split import split
from guardrail.judge.pattern.tree import Node
from guardrail.judge.pattern.vet import linear, positions, vet

RE2, RE2_SPLIT, SEARCH = "re2", "re2_split", "search"

LIGHT_OPS = 250  # of a program for the search; 10 kB
LIGHT_KINDS = 64  # of characters beyond ASCII; each costs a hundred bytes

EXHAUSTED = Fault("unsupported", f"the value takes more than {SEARCH_STEPS_MAX} steps: only the last tier can tell")
DIALECTS = Fault("unsupported", "a reference meets a group that took no part: the dialects read it differently")
_TOO_LARGE = Fault("unsafe", "the pattern compiles to more than its memory")
_TOO_MANY_KINDS = Fault("unsupported", "the pattern tells too many kinds of characters beyond ASCII apart")


class Weight(StrEnum):
    """How much a ready pattern keeps in memory: which cache it belongs to. Each is a budget for the lighter, too."""

    LIGHT = "light"
    SEVERAL = "several"
    HEAVY = "heavy"


class Linear(msgspec.Struct, frozen=True):
    """A pattern for RE2, over the bytes of its alphabet."""

    automaton: Automaton
    letters: Alphabet
    cost: int
    """About as many instructions."""
    tier: str = RE2

    def fullmatch(self, value: str) -> bool:
        """Whether the value, whole and as it is, matches. Half of a surrogate pair never does."""
        encoded = value.encode() if value.isascii() else self.letters.encoded(value, member)
        return encoded is not None and self.automaton.whole(encoded)

    def found_in(self, value: str) -> bool:
        """Whether some part of the value matches."""
        encoded = self.letters.encoded(value, member)
        return encoded is not None and self.letters.width == 1 and self.automaton.anywhere(encoded)


class Divided(msgspec.Struct, frozen=True):
    """A pattern as conditions, all of them linear: the value matches those of the first kind, none of the second."""

    wanted: tuple[Linear, ...]
    unwanted: tuple[Linear, ...]
    tier: str = RE2_SPLIT

    @property
    def cost(self) -> int:
        """About as many instructions."""
        return sum(one.cost for one in (*self.wanted, *self.unwanted))

    def fullmatch(self, value: str) -> bool:
        """Whether the value, whole and as it is, meets every condition."""
        return all(one.fullmatch(value) for one in self.wanted) and not any(
            one.fullmatch(value) for one in self.unwanted
        )

    def found_in(self, value: str) -> bool:  # noqa: ARG002  # the conditions are on the whole value
        """Not known of some part of the value."""
        return False


class Searched(msgspec.Struct, frozen=True):
    """A pattern as a program for the search. What its linear `relaxation` refuses is never searched."""

    program: Program
    kinds: Kinds
    relaxation: Linear | None
    tier: str = SEARCH

    @property
    def cost(self) -> int:
        """About as many instructions."""
        return len(self.program.ops) + (self.relaxation.cost if self.relaxation else 0)

    def fullmatch(self, value: str, steps: int = SEARCH_STEPS_MAX) -> bool | Fault:
        """Whether the value, whole and as it is, matches; a fault where that can't be told."""
        if has_half(value) or (self.relaxation is not None and not self.relaxation.fullmatch(value)):
            return False
        search = Search(self.program, value, self.kinds.of(value, member), steps)
        try:
            found = search.whole()
            if self.program.doubtful and found != search.whole(ecma=True):
                return DIALECTS
        except Exhausted:
            return EXHAUSTED
        return found

    def found_in(self, value: str) -> bool:  # noqa: ARG002  # would cost a search from every position
        """Not known of some part of the value."""
        return False


Engine = Linear | Divided | Searched


def has_half(value: str) -> bool:
    """Whether a value holds half of a surrogate pair, which is no character."""
    return not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value)


def understood(found: Unwrapped) -> Node | Fault:
    """The tree of a pattern that may be run, or why it may not."""
    parsed = parse(found.body, found.flags)
    return parsed if isinstance(parsed, Fault) else vet(parsed.tree) or parsed.tree


def made_ready(tree: Node, budget: Weight) -> Engine | Weight | Fault:
    """The engine of a vetted tree, ready to run; the weight that it needs when that is over the budget; or a fault."""
    if linear(tree):
        return _linear(tree, budget)
    return _divided(tree, budget) or _searched(tree, budget)


def _linear(tree: Node, budget: Weight) -> Linear | Weight | Fault:
    letters = alphabet(tree)
    if letters is None:
        return _TOO_MANY_KINDS
    written = emit(tree, letters)
    if written.cost > MAX_INSTRUCTIONS:
        return _TOO_LARGE
    heavy = budget is Weight.HEAVY
    light = written.cost <= LIGHT_INSTRUCTIONS and letters.ranges <= LIGHT_KINDS
    automaton = compiled(written.text, light=not heavy) if heavy or light else None
    if automaton is None:
        return _TOO_LARGE if heavy else Weight.HEAVY
    return Linear(automaton, letters, written.cost)


def _divided(tree: Node, budget: Weight) -> Divided | Weight | None:
    """The conditions of a tree; null when it has look-arounds that can't be split off, or a condition is too large."""
    conditions = split(tree)
    if conditions is None:
        return None
    if budget is Weight.LIGHT:
        return Weight.SEVERAL
    parts = [_linear(condition.tree, budget) for condition in conditions]
    ready = [part for part in parts if isinstance(part, Linear)]
    if len(ready) < len(parts) or sum(part.cost for part in ready) > MAX_INSTRUCTIONS:
        return Weight.HEAVY if Weight.HEAVY in parts else None
    wanted = tuple(part for part, condition in zip(ready, conditions, strict=True) if not condition.negated)
    unwanted = tuple(part for part, condition in zip(ready, conditions, strict=True) if condition.negated)
    return Divided(wanted, unwanted)


def _searched(tree: Node, budget: Weight) -> Searched | Weight | Fault:
    if budget is not Weight.HEAVY and positions(tree) > LIGHT_OPS:
        return Weight.HEAVY
    letters = alphabet(tree)
    if letters is None:
        return _TOO_MANY_KINDS
    written = program(tree)
    if isinstance(written, Fault):
        return written
    light = len(written.ops) <= LIGHT_OPS and letters.ranges <= LIGHT_KINDS
    if not light and budget is not Weight.HEAVY:
        return Weight.HEAVY
    wider = relaxed(tree)
    ready = None if vet(wider) else _linear(wider, budget)
    return Searched(written, kinds(written.sets), ready if isinstance(ready, Linear) else None)
