"""The value nearest to one that a pattern refuses: what the user may have meant. It must never be used for a verdict.

A shortest path through the program beside the value (Wagner, Fischer, "The String-to-String Correction Problem",
JACM 1974, over an automaton instead of a string). What look-arounds and references ask isn't followed: the caller runs
the pattern over what comes out.
"""

from __future__ import annotations

import heapq

from guardrail.judge.pattern.hints import with_ascii_digits
from guardrail.judge.pattern.program import Op, Program
from guardrail.judge.pattern.tree import Set

PLACES_MAX = 100_000  # visits; a third of a second
_SLIP = 1  # another case, or the same digit of another script
_EDIT = 4  # a character put in, taken out or changed
_LIKED = "aA01-./ @_"
"""What stands for a set in the value, if it can: the first of these that it holds."""

Place = tuple[int, int]


def nearest(source: Program, value: str) -> str | None:
    """A value that the program takes, with the fewest changes of `value`; null when none is found in time."""
    start = (0, 0)
    cheapest = {start: 0}
    came: dict[Place, tuple[Place, str]] = {}
    waiting = [(0, start)]
    for _ in range(PLACES_MAX):
        if not waiting:
            return None
        cost, place = heapq.heappop(waiting)
        if cost > cheapest[place]:
            continue
        at, position = place
        if source.ops[at] == Op.MATCH and position == len(value):
            return _read(came, place)
        for following, text, more in _steps(source, at, position, value):
            if cost + more < cheapest.get(following, 1 << 30):
                cheapest[following] = cost + more
                came[following] = (place, text)
                heapq.heappush(waiting, (cost + more, following))
    return None


def _steps(source: Program, at: int, position: int, value: str) -> list[tuple[Place, str, int]]:
    """Where one comes from a place, with what is written on the way and what it costs."""
    op = source.ops[at]
    char = value[position : position + 1]
    steps = [((at, position + 1), "", _EDIT)] if char else []
    if op == Op.SPLIT:
        return [*steps, ((source.first[at], position), "", 0), ((source.second[at], position), "", 0)]
    if op == Op.JUMP:
        return [*steps, ((source.first[at], position), "", 0)]
    if op in (Op.LOOK, Op.ATOMIC):
        after = source.then[at] if op == Op.LOOK else source.first[at]
        return [*steps, ((after, position), "", 0)]
    if op == Op.MATCH:
        return steps
    if op != Op.CHAR:
        return [*steps, ((at + 1, position), "", 0)]
    asked = source.sets[source.first[at]]
    other = example(asked)
    if other is None:
        return steps
    steps.append(((at + 1, position), other, _EDIT))
    if char:
        steps += [((at + 1, position + 1), one, cost) for one, cost in _instead(asked, char, other)]
    return steps


def _instead(asked: Set, char: str, other: str) -> list[tuple[str, int]]:
    """What may stand in a character's place: itself, a slip of it, or another one."""
    if _in(asked, char):
        return [(char, 0)]
    slips = [one for one in (char.swapcase(), with_ascii_digits(char)) if len(one) == 1 and _in(asked, one)]
    return [(slips[0], _SLIP)] if slips else [(other, _EDIT)]


def _in(asked: Set, char: str) -> bool:
    code = ord(char)
    return any(low <= code <= high for low, high in asked.ranges)


def example(asked: Set) -> str | None:
    """A character of a set; null for an empty one, or one that only Unicode's tables describe."""
    if not asked.plain or not asked.ranges:
        return None
    liked = next((char for char in _LIKED if _in(asked, char)), None)
    return liked or chr(asked.ranges[0][0])


def _read(came: dict[Place, tuple[Place, str]], place: Place) -> str:
    written: list[str] = []
    while place in came:
        place, text = came[place]
        written.append(text)
    return "".join(reversed(written))
