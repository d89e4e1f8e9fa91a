"""The value nearest to one that a pattern refuses: what the user may have meant. It must never be used for a verdict.

A shortest path through the program beside the value (Wagner, Fischer, "The String-to-String Correction Problem",
JACM 1974, over an automaton instead of a string). What look-arounds and references ask isn't followed: the caller runs
the pattern over what comes out.
"""

from __future__ import annotations

import heapq

from guardrail.judge.pattern.engine import member
from guardrail.judge.pattern.hints import with_ascii_digits
from guardrail.judge.pattern.program import Op, Program
from guardrail.judge.pattern.search import kinds
from guardrail.judge.pattern.tree import Set

PLACES_MAX = 50_000  # visits; a fifth of a second
_SLIP = 1  # another case, or the same digit of another script
_EDIT = 4  # a character put in, taken out or changed
_LIKED = "aA01-./ @_"
"""What stands for a set in the value, if it can: the first of these that it holds."""

Place = tuple[int, int]
"""Instruction and position in the value."""
Step = tuple[Place, str, int]
"""Where one comes, what is written on the way, and what that costs."""


def nearest(source: Program, value: str) -> str | None:
    """A value that the program takes, with the fewest changes of `value`; null when none is found in time."""
    return _Path(source, value).found()


class _Path:
    """The way through a program beside a value."""

    def __init__(self, source: Program, value: str) -> None:
        table = kinds(source.sets)
        self.source = source
        self.value = value
        self.bits = table.of(value, member)
        slips = [_slips(char) for char in value]
        self.slips = [list(zip(chars, table.of(chars, member), strict=True)) for chars in slips]
        self.examples = [_example(found) for found in source.sets]

    def found(self) -> str | None:
        start = (0, 0)
        goal = (len(self.source.ops) - 1, len(self.value))
        cheapest = {start: 0}
        came: dict[Place, tuple[Place, str]] = {}
        waiting = [(0, start)]
        for _ in range(PLACES_MAX):
            if not waiting:
                return None
            cost, place = heapq.heappop(waiting)
            if place == goal:
                return _read(came, place)
            if cost > cheapest[place]:
                continue
            for following, text, more in self.steps(*place):
                if cost + more < cheapest.get(following, 1 << 30):
                    cheapest[following] = cost + more
                    came[following] = (place, text)
                    heapq.heappush(waiting, (cost + more, following))
        return None

    def steps(self, at: int, position: int) -> list[Step]:
        """Where one comes from a place."""
        source, op = self.source, self.source.ops[at]
        steps: list[Step] = [((at, position + 1), "", _EDIT)] if position < len(self.value) else []
        if op == Op.CHAR:
            return steps + self.characters(at, position)
        if op == Op.SPLIT:
            return [*steps, ((source.first[at], position), "", 0), ((source.second[at], position), "", 0)]
        if op == Op.MATCH and at + 1 == len(source.ops):
            return steps
        following = {Op.JUMP: source.first[at], Op.LOOK: source.then[at]}.get(Op(op), at + 1)
        return [*steps, ((following, position), "", 0)]

    def characters(self, at: int, position: int) -> list[Step]:
        """A character put in; and what may stand in the place of the value's own: itself, a slip of it, another one."""
        number = self.source.first[at]
        other = self.examples[number]
        if other is None:
            return []
        put_in = ((at + 1, position), other, _EDIT)
        if position == len(self.value):
            return [put_in]
        onward = (at + 1, position + 1)
        if self.bits[position] >> number & 1:
            return [put_in, (onward, self.value[position], 0)]
        slip = next((char for char, bits in self.slips[position] if bits >> number & 1), None)
        return [put_in, (onward, slip, _SLIP) if slip else (onward, other, _EDIT)]


def _slips(char: str) -> str:
    """What a character is easily taken for."""
    return "".join(one for one in (char.swapcase(), with_ascii_digits(char)) if len(one) == 1 and one != char)


def _example(asked: Set) -> str | None:
    """A character of a set; null for an empty one, or one that only Unicode's tables describe."""
    if not asked.plain or not asked.ranges:
        return None
    liked = (char for char in _LIKED if any(low <= ord(char) <= high for low, high in asked.ranges))
    return next(liked, chr(asked.ranges[0][0]))


def _read(came: dict[Place, tuple[Place, str]], place: Place) -> str:
    written: list[str] = []
    while place in came:
        place, text = came[place]
        written.append(text)
    return "".join(reversed(written))
