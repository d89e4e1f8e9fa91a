"""A program as an automaton that reads a value from its end to its start. It must never guess: a construct that it
can't follow has no automaton.

A state says, for every place of the program, whether what was read so far would match from there. Look-aheads, also
negative ones, are then places like others, and no state depends on the way it was reached (a reversed alternating
automaton: Chandra, Kozen, Stockmeyer, "Alternation", JACM 1981). Places are bits; a character costs one AND and some
ORs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from guardrail.judge.pattern.program import EDGES, Op, Program
from guardrail.judge.pattern.tree import Edge

WAYS_MAX = 4_000  # visits of instructions to find out which place follows which; 5 ms
BOUND_WAYS_MAX = 256  # that depend on what is around: each is looked at for each new state
NEWLINE, WORD = 1, 2
_FIRST_BEHIND = 4
"""Bits of a letter's traits: kinds that edges ask for; from the last on, one for each look-behind."""

START = END = -1
"""In the place of traits: nothing stands before, nothing after."""

State = tuple[int, ...]
"""For each kind of character that may come before (first: none), the places from where the rest matches."""
Condition = tuple[str, int, bool]
"""`edge` and its number, `behind` and its trait, or `ahead` and its body's instruction; whether negated."""
Conditions = frozenset[Condition]

_BEFORE = {Edge.TEXT_START, Edge.LINE_START, Edge.WORD, Edge.NOT_WORD}


class Letter(NamedTuple):
    """A character as an automaton sees it: the sets that hold it, and its traits."""

    bits: int
    traits: int


class Way(msgspec.Struct, frozen=True):
    """From the places `sources` one comes to the place `target`, where all conditions hold."""

    target: int
    conditions: Conditions
    sources: int


class Places(msgspec.Struct, frozen=True):
    """Places as bits. A character's place is where it is read, and from where what follows it is reached."""

    by_instruction: dict[int, int]
    """Of characters and of ends."""
    entries: dict[int, int]
    """Where the whole (instruction 0) and the bodies of look-aheads begin."""
    end: int
    always: int
    """The ends of look-aheads: whatever follows."""


def behind_traits(source: Program) -> dict[int, int] | None:
    """For each look-behind of one character (by its body's instruction) its trait; null when one is longer."""
    ops = source.ops
    bodies = [source.first[at] for at, op in enumerate(ops) if op == Op.LOOK and _looks_behind(source, at)]
    if any(ops[at] != Op.BACK or ops[at + 1] != Op.MATCH for at in bodies):
        return None
    return {at: _FIRST_BEHIND << number for number, at in enumerate(bodies)}


def _looks_behind(source: Program, at: int) -> bool:
    return Op.BACK in source.ops[source.first[at] : source.then[at]]


def swept(source: Program, traits: tuple[int, ...]) -> Sweep | None:
    """The automaton of a program; `traits` are those that letters have. Null for what it can't follow.

    That is references, what is kept for good, look-behinds of more than one character, and too many ways.
    """
    behinds = behind_traits(source)
    if behinds is None or Op.REFERENCE in source.ops or Op.ATOMIC in source.ops:
        return None
    places = _places(source, behinds)
    starts = [(at + 1, place) for at, place in places.by_instruction.items() if source.ops[at] == Op.CHAR]
    grouped: dict[tuple[int, Conditions], int] = {}
    left = WAYS_MAX
    for start, place in (*starts, *places.entries.items()):
        reached, cost = _reached(source, start, behinds, left)
        left -= cost
        if left < 0:
            return None
        for at, conditions in reached:
            key = (places.by_instruction[at], conditions)
            grouped[key] = grouped.get(key, 0) | place
    ways = [Way(target, conditions, sources) for (target, conditions), sources in grouped.items()]
    if sum(bool(way.conditions) for way in ways) > BOUND_WAYS_MAX:
        return None
    return Sweep(source, ways, places, traits)


def _places(source: Program, behinds: dict[int, int]) -> Places:
    ops = source.ops
    stops = [at for at, op in enumerate(ops) if op in (Op.CHAR, Op.MATCH) and at - 1 not in behinds]
    entries = [0] + [source.first[at] for at, op in enumerate(ops) if op == Op.LOOK and source.first[at] not in behinds]
    bits = iter([1 << number for number in range(len(stops) + len(entries))])
    by_instruction = {at: next(bits) for at in stops}
    last = len(ops) - 1
    always = sum(place for at, place in by_instruction.items() if ops[at] == Op.MATCH and at != last)
    return Places(by_instruction, {at: next(bits) for at in entries}, by_instruction[last], always)


def _reached(
    source: Program, start: int, behinds: dict[int, int], left: int
) -> tuple[list[tuple[int, Conditions]], int]:
    """The characters and ends that follow an instruction, with what must hold on the way; and the visits it took."""
    final = len(source.ops) - 2  # the edge of the whole value's end: its place says so itself
    waiting: list[tuple[int, Conditions]] = [(start, frozenset())]
    seen = set(waiting)
    found = []
    while waiting and len(seen) <= left:
        at, conditions = waiting.pop()
        op = source.ops[at]
        if op in (Op.CHAR, Op.MATCH):
            found.append((at, conditions))
            continue
        if op == Op.SPLIT:
            following = [(source.first[at], conditions), (source.second[at], conditions)]
        elif op == Op.JUMP:
            following = [(source.first[at], conditions)]
        elif op == Op.LOOK:
            following = [(source.then[at], conditions | {_look(source, at, behinds)})]
        elif at == final:
            following = [(at + 1, conditions)]
        else:
            following = [(at + 1, conditions | {("edge", source.first[at], False)})]
        fresh = [one for one in following if one not in seen]
        seen.update(fresh)
        waiting += fresh
    return found, len(seen)


def _look(source: Program, at: int, behinds: dict[int, int]) -> Condition:
    body = source.first[at]
    negated = bool(source.second[at])
    return ("behind", behinds[body], negated) if body in behinds else ("ahead", body, negated)


class Sweep:
    """The automaton of a program, its states made on demand."""

    def __init__(self, source: Program, ways: list[Way], places: Places, traits: Iterable[int]) -> None:
        """Hold the ways between places; `traits` are those of all letters."""
        self._places = places
        self._marks = [
            (place, source.first[at]) for at, place in places.by_instruction.items() if source.ops[at] == Op.CHAR
        ]
        self._free = _by_target(way for way in ways if not way.conditions)
        self._bound = sorted((way for way in ways if way.conditions), key=_innermost_first)
        looks_back = any(_looks_back(condition) for way in self._bound for condition in way.conditions)
        self._before = (START, *sorted(set(traits))) if looks_back else (START,)
        self.work = 0
        """What new states took so far: places and ways that were looked at."""
        self._closed: dict[tuple[int, int], State] = {}
        self._held: dict[int, int] = {}

    def end(self) -> State:
        """The state before anything was read."""
        return self._close(self._places.end | self._places.always, END)

    def accepts(self, state: State) -> bool:
        """Whether what was read is a match, should nothing stand before it."""
        return bool(state[0] & self._places.entries[0])

    def step(self, state: State, letter: Letter) -> State:
        """The state with one more character before."""
        live = state[self._before.index(letter.traits)] if len(state) > 1 else state[0]
        return self._close(live & self._holding(letter.bits) | self._places.always, letter.traits)

    def _holding(self, bits: int) -> int:
        """The places whose set holds a character."""
        if bits not in self._held:
            self._held[bits] = sum(place for place, number in self._marks if bits >> number & 1)
        return self._held[bits]

    def _close(self, here: int, after: int) -> State:
        """From where one comes to the places that hold here, for each kind of character before."""
        key = (here, after if self._bound else END)
        found = self._closed.get(key)
        if found is None:
            found = self._closed[key] = self._closure(here, after)
        return found

    def _closure(self, here: int, after: int) -> State:
        free, rest = 0, here
        while rest:
            place = rest & -rest
            free |= self._free.get(place, 0)
            rest ^= place
            self.work += 1
        if not self._bound:
            return (free,)
        self.work += len(self._bound) * len(self._before)
        return tuple([self._conditional(here, free, before, after) for before in self._before])

    def _conditional(self, here: int, live: int, before: int, after: int) -> int:
        for way in self._bound:
            if here & way.target and all(self._true(condition, live, before, after) for condition in way.conditions):
                live |= way.sources
        return live

    def _true(self, condition: Condition, live: int, before: int, after: int) -> bool:
        kind, number, negated = condition
        if kind == "edge":
            return _edge_between(EDGES[number], before, after)
        if kind == "behind":
            return (before != START and bool(before & number)) is not negated
        return bool(live & self._places.entries[number]) is not negated


def _by_target(ways: Iterable[Way]) -> dict[int, int]:
    found: dict[int, int] = {}
    for way in ways:
        found[way.target] = found.get(way.target, 0) | way.sources
    return found


def _looks_back(condition: Condition) -> bool:
    kind, number, _ = condition
    return kind == "behind" or (kind == "edge" and EDGES[number] in _BEFORE)


def _innermost_first(way: Way) -> int:
    """An outer look-ahead's body begins before an inner one's: what depends on none comes first, then the innermost."""
    return -min((number for kind, number, _ in way.conditions if kind == "ahead"), default=1 << 30)


def _edge_between(edge: Edge, before: int, after: int) -> bool:
    if edge is Edge.TEXT_START:
        return before == START
    if edge is Edge.TEXT_END:
        return after == END
    if edge is Edge.LINE_START:
        return before == START or bool(before & NEWLINE)
    if edge is Edge.LINE_END:
        return after == END or bool(after & NEWLINE)
    words = [traits != START and bool(traits & WORD) for traits in (before, after)]
    return (words[0] != words[1]) is (edge is Edge.WORD)
