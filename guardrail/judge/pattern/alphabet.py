"""Writes characters beyond ASCII as a few bytes of the pattern's own, so that no engine builds tables per position.

A pattern tells apart only as many kinds of characters as its sets do. ASCII stays itself; any other character becomes
one byte for its kind (which of the plain sets hold it) and, after it, three answers a byte of the sets that ask RE2's
tables. `\\p{L}{1,100}` takes 300 instructions instead of 120,000, and 0.3 ms instead of 45. It must never change
which values match.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

import msgspec

from guardrail.judge.pattern.charset import ASCII_END, BEYOND, LAST, ascii_folded, clipped, complement, normal
from guardrail.judge.pattern.names import ascii_part
from guardrail.judge.pattern.tree import Node, Ranges, Set, walk

HIGH = 0x80
MAX_KINDS = 128  # and as many plain sets; one byte with its high bit set
MAX_ASKED = 6  # two bytes more a character, and as many questions; a model's pattern has one or two
MAX_QUESTIONS = 8  # properties of all sets; each is asked for each character beyond ASCII
_ANSWERS = 3  # a byte: more would need more ranges in every class

Member = Callable[[Set, int], bool]
"""Whether a set that isn't plain holds a code point beyond ASCII."""


class Alphabet(msgspec.Struct, frozen=True):
    """`starts` and `kinds` say which kind begins at which code point; `asked` are the sets that need a question."""

    starts: tuple[int, ...] = (HIGH,)
    kinds: tuple[int, ...] = (0,)
    members: dict[Ranges, Ranges] = {}
    """For each plain set (its part beyond ASCII), the bytes of its kinds."""
    asked: tuple[Set, ...] = ()

    @property
    def width(self) -> int:
        """Bytes for a character beyond ASCII."""
        return 1 + -(-len(self.asked) // _ANSWERS)

    @property
    def ranges(self) -> int:
        """How many ranges it keeps: about its memory."""
        return len(self.starts) + sum(len(asked.ranges) for asked in self.asked)

    def encoded(self, value: str, member: Member) -> bytes | None:
        """The value in this alphabet; null when it holds half of a surrogate pair, which is no character."""
        if value.isascii():
            return value.encode()
        strange = {ord(char) for char in value if char > "\x7f"}
        if any(0xD800 <= code <= 0xDFFF for code in strange):
            return None
        return value.translate({code: self._letters(code, member) for code in strange}).encode("latin-1")

    def _letters(self, code: int, member: Member) -> str:
        kind = self.kinds[bisect_right(self.starts, code) - 1]
        answers = [member(asked, code) for asked in self.asked]
        masks = (
            sum(answer << bit for bit, answer in enumerate(answers[at : at + _ANSWERS]))
            for at in range(0, len(answers), _ANSWERS)
        )
        return chr(HIGH | kind) + "".join(chr(HIGH | mask) for mask in masks)

    def place(self, asked: Set) -> tuple[int, Ranges]:
        """In which byte of a character (from 0) the answer for a set stands, and the bytes that say yes."""
        index = self.asked.index(asked)
        bit = 1 << index % _ANSWERS
        yes = normal((HIGH | mask, HIGH | mask) for mask in range(1 << _ANSWERS) if mask & bit)
        return 1 + index // _ANSWERS, yes


def alphabet(tree: Node) -> Alphabet | None:
    """The alphabet of a pattern; null when it tells too many kinds of characters apart."""
    plain: dict[Ranges, None] = {}
    asked: dict[Set, None] = {}
    for found in walk(tree):
        if not isinstance(found, Set):
            continue
        if not found.plain:
            asked[found] = None
        elif found.ranges[-1:] and found.ranges[-1][1] > ASCII_END:
            plain[beyond(found)] = None
    plain.pop(BEYOND, None)
    questions = sum(len(found.properties) for found in asked)
    if len(plain) > MAX_KINDS or len(asked) > MAX_ASKED or questions > MAX_QUESTIONS:
        return None
    if not plain and not asked:
        return _ASCII_ONLY
    starts, masks = partition(tuple(plain))
    numbers = {mask: number for number, mask in enumerate(dict.fromkeys(masks))}
    if len(numbers) > MAX_KINDS:
        return None
    members = {
        ranges: normal((HIGH | number, HIGH | number) for mask, number in numbers.items() if mask >> index & 1)
        for index, ranges in enumerate(plain)
    }
    return Alphabet(starts, tuple(numbers[mask] for mask in masks), members, tuple(asked))


_ASCII_ONLY = Alphabet()


def partition(plain: tuple[Ranges, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where the membership of plain sets changes, and from there on the mask of the sets that hold."""
    turns = {HIGH: 0}
    for index, ranges in enumerate(plain):
        for low, high in ranges:
            turns[low] = turns.get(low, 0) ^ 1 << index
            turns[high + 1] = turns.get(high + 1, 0) ^ 1 << index
    starts = tuple(sorted(turns))
    masks = []
    mask = 0
    for start in starts:
        mask ^= turns[start]
        masks.append(mask)
    return starts, tuple(masks)


def beyond(plain: Set) -> Ranges:
    """The part of a plain set that isn't ASCII."""
    return clipped(plain.ranges, HIGH, LAST)


def within_ascii(found: Set) -> Ranges:
    """The ASCII characters that a set holds."""
    ranges = clipped(found.ranges, 0, ASCII_END)
    if found.plain:
        return ranges
    ranges = normal([*ranges, *(pair for asked in found.properties for pair in ascii_part(asked))])
    ranges = ascii_folded(ranges) if found.fold else ranges
    return clipped(complement(ranges), 0, ASCII_END) if found.negated else ranges
