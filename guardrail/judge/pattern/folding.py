"""Which characters beyond ASCII differ in case alone. It must never lead from there into ASCII, nor back.

Source: Unicode's simple case mappings, closed over (`ς σ Σ` are one orbit), of the blocks that have two cases; RE2's
own orbits are the same but for three pairs of compatibility forms.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

from guardrail.judge.pattern.tree import Ranges

_BLOCKS = (
    (0x80, 0x587), (0x10A0, 0x10FF), (0x13A0, 0x13FF), (0x1C80, 0x218F), (0x24B6, 0x24E9), (0x2C00, 0x2D2F),
    (0xA640, 0xABFF), (0xFB00, 0xFB17), (0xFF21, 0xFF5A), (0x10400, 0x105FF), (0x10C80, 0x10D8F), (0x118A0, 0x118DF),
    (0x16E40, 0x16EBF), (0x1E900, 0x1E943),
)  # fmt: skip
_ASCII_END = 0x7F


def orbit(code: int) -> tuple[int, ...]:
    """A character beyond ASCII and all that differ from it in case alone."""
    return _orbits().get(code, (code,))


def same_but_for_case(one: str, other: str) -> bool:
    """Whether two texts of one length are the same, case put aside within ASCII and beyond it."""
    return all(
        a == b or (a.isascii() and b.isascii() and a.lower() == b.lower()) or (a > "\x7f" and ord(b) in orbit(ord(a)))
        for a, b in zip(one, other, strict=True)
    )


@lru_cache(maxsize=64)
def cases_of(ranges: Ranges) -> tuple[int, ...]:
    """The characters that aren't in the (normal) ranges, but differ in case alone from one beyond ASCII that is."""
    lows = [low for low, _ in ranges]

    def inside(code: int) -> bool:
        at = bisect_right(lows, code) - 1
        return at >= 0 and code <= ranges[at][1]

    first, last = ranges[0][0], ranges[-1][1]
    missing = []
    for group in _groups():
        if first <= group[-1] and group[0] <= last:
            held = [inside(code) for code in group]
            if any(held) and not all(held):
                missing += [code for code, here in zip(group, held, strict=True) if not here]
    return tuple(missing)


@lru_cache(maxsize=1)
def _groups() -> tuple[tuple[int, ...], ...]:
    """Every orbit of more than one character; 1,400 of them."""
    return tuple(sorted(set(_orbits().values())))


@lru_cache(maxsize=1)
def _orbits() -> dict[int, tuple[int, ...]]:
    """Every character with another case, and its orbit. 3,000 of them; 10 ms, once."""
    joined: dict[int, set[int]] = {}
    for first, last in _BLOCKS:
        for code in range(first, last + 1):
            char = chr(code)
            for other in (char.lower(), char.upper(), char.title(), char.casefold()):
                if len(other) == 1 and other != char and ord(other) > _ASCII_END:
                    group = joined.get(code, {code}) | joined.get(ord(other), {ord(other)})
                    joined.update(dict.fromkeys(group, group))
    return {code: tuple(sorted(group)) for code, group in joined.items()}
