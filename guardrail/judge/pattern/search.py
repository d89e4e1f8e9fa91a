"""Runs a program over one value: every way, but no place twice, and no more steps than its budget.

It must never wait, guess or depend on the clock: the budget counts steps, so a run repeats anywhere. Source of the
memory of places: Davis, Servant, Lee, "Using Selective Memoization to Defeat Regular Expression Denial of Service",
IEEE S&P 2021; here a place is an instruction, a position and what the referred groups hold.
"""

from __future__ import annotations

from bisect import bisect_right

import msgspec

from guardrail.judge.pattern.alphabet import Member, beyond, partition, within_ascii
from guardrail.judge.pattern.charset import ASCII_END, WORD
from guardrail.judge.pattern.folding import same_but_for_case
from guardrail.judge.pattern.program import EDGES, Op, Program
from guardrail.judge.pattern.tree import Edge, Set

SEARCH_STEPS_MAX = 10_000  # 3 ms; half of the published examples that are searched take under 30, 99 % under 700
HINT_STEPS_MAX = 1_000  # for each way in which the value could differ

Captures = tuple[int, ...]
"""Positions by slot; -1 where a group took no part."""
Place = tuple[int, int, Captures]

CHAR, BACK, SPLIT, JUMP, EDGE, SAVE, RESET, REFERENCE, LOOK, ATOMIC, MATCH = map(int, Op)
WORD_CODES = frozenset(code for low, high in WORD for code in range(low, high + 1))


class Kinds(msgspec.Struct, frozen=True):
    """Which sets of a program hold a character, as bits: a table for ASCII, ranges beyond it.

    `asked` are the sets, by their bits, that ask Unicode's tables.
    """

    ascii: tuple[int, ...]
    starts: tuple[int, ...]
    beyond: tuple[int, ...]
    asked: tuple[tuple[int, Set], ...]

    def of(self, value: str, member: Member) -> list[int]:
        """The bits of each character of a value."""
        return [self.ascii[code] if code <= ASCII_END else self._beyond(code, member) for code in map(ord, value)]

    def _beyond(self, code: int, member: Member) -> int:
        bits = self.beyond[bisect_right(self.starts, code) - 1]
        return bits | sum(bit for bit, found in self.asked if member(found, code))


def kinds(sets: tuple[Set, ...]) -> Kinds:
    """The tables of some sets."""
    table = [0] * (ASCII_END + 1)
    for bit, found in enumerate(sets):
        for low, high in within_ascii(found):
            for code in range(low, high + 1):
                table[code] |= 1 << bit
    starts, beyond_ascii = partition(tuple(beyond(found) if found.plain else () for found in sets))
    asked = tuple((1 << bit, found) for bit, found in enumerate(sets) if not found.plain)
    return Kinds(tuple(table), starts, beyond_ascii, asked)


class Exhausted(Exception):  # noqa: N818  # control flow inside a search, not an error of ours
    """The budget is used up."""


class Search:
    """One program on one value. `left` is the budget in steps."""

    def __init__(self, program: Program, value: str, bits: list[int], steps: int) -> None:
        """Make ready; nothing runs yet."""
        self.program = program
        self.value = value
        self.bits = bits
        self.left = steps
        self.ecma = False
        """Whether references are read as ECMAScript does: a group that took no part is empty, not a failure."""
        self.stops: list[tuple[int, int]] = []
        """Where a way of the whole came to its end: position and instruction; of a body, the instruction it is for."""
        self._bodies: dict[Place, tuple[int, Captures] | None] = {}

    def whole(self, *, ecma: bool = False) -> bool:
        """Whether the whole value matches.

        Raises: Exhausted.
        """
        self.ecma = ecma
        self._bodies.clear()
        return self._run(0, 0, (-1,) * self.program.slots) is not None

    def _run(self, at: int, position: int, captures: Captures) -> tuple[int, Captures] | None:
        """Where the program from an instruction on ends, the first way it matches; null when there is none."""
        ops, first, second, bits = self.program.ops, self.program.first, self.program.second, self.bits
        end, left = len(bits), self.left
        waiting: list[Place] = []
        seen: set[Place] = set()
        while True:
            left -= 1
            if left < 0:
                raise Exhausted
            op = ops[at]
            if op == CHAR:
                if position < end and bits[position] >> first[at] & 1:
                    position += 1
                    at += 1
                    continue
            elif op == SPLIT:
                place = (at, position, captures)
                if place not in seen:
                    seen.add(place)
                    waiting.append((second[at], position, captures))
                    at = first[at]
                    continue
            elif op == JUMP:
                at = first[at]
                continue
            elif op == MATCH:
                self.left = left
                return position, captures
            else:
                self.left = left
                found = self._rare(op, at, position, captures)
                left = self.left
                if found is not None:
                    at, position, captures = found
                    continue
            self.stops.append((position, at))
            if not waiting:
                self.left = left
                return None
            at, position, captures = waiting.pop()

    def _rare(self, op: int, at: int, position: int, captures: Captures) -> Place | None:
        """Where the rarer instructions lead; null when they fail here."""
        first, second, then = self.program.first[at], self.program.second[at], self.program.then[at]
        if op == EDGE:
            return (at + 1, position, captures) if edge_at(EDGES[first], self.value, position) else None
        if op == BACK:
            fits = position > 0 and self.bits[position - 1] >> first & 1
            return (at + 1, position - 1, captures) if fits else None
        if op == SAVE:
            return at + 1, position, _with(captures, first, first + 1, position)
        if op == RESET:
            return at + 1, position, _with(captures, first, second, -1) if self.ecma else captures
        if op == REFERENCE:
            width = self._referred(captures, first, position, fold=bool(second))
            return None if width is None else (at + 1, position + width, captures)
        found = self._body(first, position, captures)
        if op == ATOMIC:
            return None if found is None else (then, *found)
        if second:
            return (then, position, captures) if found is None else None
        return None if found is None else (then, position, found[1])

    def _body(self, at: int, position: int, captures: Captures) -> tuple[int, Captures] | None:
        place = (at, position, captures)
        if place not in self._bodies:
            stops = len(self.stops)
            self._bodies[place] = self._run(at, position, captures)
            del self.stops[stops:]
        return self._bodies[place]

    def _referred(self, captures: Captures, slot: int, position: int, *, fold: bool) -> int | None:
        """How many characters a reference takes here; null when it doesn't fit."""
        start, end = captures[slot : slot + 2]
        if start < 0 or end < 0:
            return 0 if self.ecma else None
        width = end - start
        wanted, here = self.value[start:end], self.value[position : position + width]
        if here == wanted or not fold:
            return width if here == wanted else None
        self.left -= width
        return width if len(here) == width and same_but_for_case(here, wanted) else None


def _with(captures: Captures, start: int, end: int, position: int) -> Captures:
    return captures[:start] + (position,) * (end - start) + captures[end:]


def edge_at(edge: Edge, value: str, position: int) -> bool:
    """Whether an edge is at a position of a value."""
    if edge is Edge.TEXT_START:
        return position == 0
    if edge is Edge.TEXT_END:
        return position == len(value)
    if edge is Edge.LINE_START:
        return position == 0 or value[position - 1] == "\n"
    if edge is Edge.LINE_END:
        return position == len(value) or value[position] == "\n"
    before = position > 0 and ord(value[position - 1]) in WORD_CODES
    after = position < len(value) and ord(value[position]) in WORD_CODES
    return (before != after) is (edge is Edge.WORD)
