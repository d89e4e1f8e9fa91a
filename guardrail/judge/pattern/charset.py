"""Arithmetic on ranges of code points, and the classes that every dialect names. It must never read a pattern.

Source of the classes: ECMA-262 without the u flag, narrowed to ASCII (REGEX.md): an identifier is ASCII unless its
author asked for a Unicode property.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from guardrail.judge.pattern.folding import cases_of, orbit
from guardrail.judge.pattern.tree import Property, Ranges, Set

ASCII_END = 0x7F
LAST = 0x10FFFF
BEYOND: Ranges = ((0x80, LAST),)
NEWLINE: Ranges = ((10, 10),)
ANY: Ranges = ((0, LAST),)
"""Surrogates are inside for simplicity: no value that is matched holds one."""

_CASE_GAP = 32  # between an ASCII capital and its small letter


def normal(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same set, sorted, with neighbours merged."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Every code point that isn't in the (normal) ranges."""
    gaps = []
    start = 0
    for low, high in ranges:
        if low > start:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        gaps.append((start, LAST))
    return tuple(gaps)


def clipped(ranges: Ranges, low: int, high: int) -> Ranges:
    """The part of the ranges between two code points, both included."""
    return tuple((max(a, low), min(b, high)) for a, b in ranges if a <= high and b >= low)


def ascii_folded(ranges: Ranges) -> Ranges:
    """The ranges with the other case of every ASCII letter in them."""
    capitals = [(a + _CASE_GAP, b + _CASE_GAP) for a, b in clipped(ranges, ord("A"), ord("Z"))]
    small = [(a - _CASE_GAP, b - _CASE_GAP) for a, b in clipped(ranges, ord("a"), ord("z"))]
    return normal([*ranges, *capitals, *small])


DIGIT: Ranges = ((0x30, 0x39),)
UPPER: Ranges = ((0x41, 0x5A),)
LOWER: Ranges = ((0x61, 0x7A),)
WORD: Ranges = normal([*DIGIT, *UPPER, *LOWER, (0x5F, 0x5F)])
SPACE: Ranges = ((9, 13), (32, 32))
BLANK: Ranges = ((9, 9), (32, 32))
UNICODE_BLANKS: Ranges = (
    (0xA0, 0xA0), (0x1680, 0x1680), (0x180E, 0x180E), (0x2000, 0x200A), (0x202F, 0x202F), (0x205F, 0x205F),
    (0x3000, 0x3000),
)  # fmt: skip
_GRAPH: Ranges = ((0x21, 0x7E),)
_ALNUM: Ranges = normal([*DIGIT, *UPPER, *LOWER])

POSIX: dict[str, Ranges] = {
    "alpha": normal([*UPPER, *LOWER]),
    "digit": DIGIT,
    "alnum": _ALNUM,
    "upper": UPPER,
    "lower": LOWER,
    "space": SPACE,
    "blank": BLANK,
    "punct": clipped(complement(_ALNUM), 0x21, 0x7E),
    "xdigit": normal([*DIGIT, (0x41, 0x46), (0x61, 0x66)]),
    "word": WORD,
    "cntrl": ((0, 31), (127, 127)),
    "graph": _GRAPH,
    "print": ((0x20, 0x7E),),
    "ascii": ((0, ASCII_END),),
}


def charset(
    ranges: Iterable[tuple[int, int]],
    properties: tuple[Property, ...] = (),
    *,
    negated: bool = False,
    fold: bool = False,
) -> Set:
    """A set in its simplest form: whatever ranges alone can say is said by ranges."""
    simple = normal(ranges)
    if fold:
        simple = ascii_folded(simple)
        if reaches_beyond(simple):
            simple = normal([*simple, *((code, code) for code in cases_of(simple))])
    if properties:
        return Set(simple, tuple(dict.fromkeys(properties)), negated, fold)
    return Set(complement(simple) if negated else simple)


def reaches_beyond(ranges: Ranges) -> bool:
    """Whether ranges hold some characters beyond ASCII, and not all."""
    return bool(ranges) and ranges[-1][1] > ASCII_END and clipped(ranges, *BEYOND[0]) != BEYOND


@lru_cache(maxsize=512)
def literal(code: int, *, fold: bool = False) -> Set:
    """The set of one character, or of its cases."""
    if not fold:
        return Set(((code, code),))
    cases = ascii_folded(((code, code),)) if code <= ASCII_END else normal((one, one) for one in orbit(code))
    return Set(cases)
