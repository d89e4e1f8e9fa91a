"""Writes a vetted tree in RE2's syntax, over the bytes of its alphabet. It must never copy text from the pattern.

Every character is written as an escape or a plain letter, every anchor as a strict one; flags are in the sets already.
RE2 refuses counted repeats whose product is over 1,000: they are cut into pieces.
"""

from __future__ import annotations

import re
from functools import lru_cache

from guardrail.judge.pattern.alphabet import HIGH, Alphabet, beyond, within_ascii
from guardrail.judge.pattern.charset import BEYOND, normal
from guardrail.judge.pattern.tree import Assertion, Choice, Edge, Node, Ranges, Repeat, Set

MAX_PRODUCT = 1_000  # of nested bounds; RE2's kMaxRepeat

_EDGES = {
    Edge.TEXT_START: r"\A",
    Edge.TEXT_END: r"\z",
    Edge.LINE_START: "(?m:^)",
    Edge.LINE_END: "(?m:$)",
    Edge.WORD: r"\b",
    Edge.NOT_WORD: r"\B",
}
_ONE_SET = re.compile(r"\[[^\]]*\]|\\x\{[0-9a-f]+\}")
_NEVER = r"[^\x00-\xff]"
_HIGH_BYTES: Ranges = ((HIGH, 0xFF),)


def emit(tree: Node, letters: Alphabet) -> str:
    """The tree in RE2's Latin-1 syntax. Only for trees that `vet` lets through."""
    return _emit(tree, letters)[0]


def _emit(node: Node, letters: Alphabet) -> tuple[str, int]:
    """The text of a node, and the largest product of nested bounds in it, as RE2 counts it."""
    if isinstance(node, Set):
        return _set(node, letters), 1
    if isinstance(node, Assertion):
        return _EDGES[node.edge], 1
    inner = [_emit(part, letters) for part in node.below()]
    product = max((part[1] for part in inner), default=1)
    if isinstance(node, Repeat):
        text = _repeated(_unit(inner[0][0]), node.low, node.high, MAX_PRODUCT // product)
        return text, min(MAX_PRODUCT, product * max(1, node.high or node.low))
    if isinstance(node, Choice):
        return "(?:" + "|".join(part[0] for part in inner) + ")", product
    return "".join(part[0] for part in inner) or "(?:)", product


def question(asked: Set, *, fold: bool) -> str:
    """A pattern of one character, in RE2's UTF-8 syntax, for a set that isn't plain."""
    properties = "".join(f"\\{'P' if item.negated else 'p'}{{{item.name}}}" for item in asked.properties)
    inside = _inside(_scalars(asked.ranges)) + properties
    text = f"[{'^' if asked.negated else ''}{inside}]" if inside else _NEVER
    return f"(?i:{text})" if fold else text


def _unit(text: str) -> str:
    """The text as something that a repeat can follow."""
    return text if len(text) == 1 or _ONE_SET.fullmatch(text) else f"(?:{text})"


def _repeated(unit: str, low: int, high: int | None, piece: int) -> str:
    if high is None:
        return unit + ("*" if low == 0 else "+") if low < 2 else _counted(unit, low - 1, low - 1, piece) + unit + "+"
    if (low, high) == (0, 1):
        return unit + "?"
    return _counted(unit, low, high, piece)


def _counted(unit: str, low: int, high: int, piece: int) -> str:
    """`unit{low,high}` in pieces of at most `piece`: any cut keeps the language."""
    if high <= piece:
        return f"{unit}{{{low},{high}}}" if (low, high) != (1, 1) else unit
    first = min(low, piece)
    return f"{unit}{{{first},{piece}}}" + _counted(unit, low - first, high - piece, piece)


def _set(found: Set, letters: Alphabet) -> str:
    if found.plain and found.ranges and found.ranges[-1][1] < HIGH:
        return _class(found.ranges)
    here = within_ascii(found)
    place, high = _high_bytes(found, letters)
    if not high:
        return _class(here)
    if letters.width == 1:
        return _class(normal([*here, *high]))
    steps = [_HIGH_BYTES] * letters.width
    steps[place] = high
    strange = "".join(_class(step) for step in steps)
    return f"(?:{_class(here)}|{strange})" if here else f"(?:{strange})"


def _high_bytes(found: Set, letters: Alphabet) -> tuple[int, Ranges]:
    """Which byte of a character beyond ASCII decides, and its values that belong to the set."""
    if not found.plain:
        return letters.place(found)
    rest = beyond(found)
    if not rest or rest == BEYOND:
        return 0, (_HIGH_BYTES if rest else ())
    return 0, letters.members[rest]


@lru_cache(maxsize=1024)
def _class(ranges: Ranges) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _one(ranges[0][0])
    return f"[{_inside(ranges)}]" if ranges else _NEVER


def _inside(ranges: Ranges) -> str:
    return "".join(_one(low) if low == high else f"{_one(low)}-{_one(high)}" for low, high in ranges)


@lru_cache(maxsize=256)
def _one(code: int) -> str:
    char = chr(code)
    return char if char.isascii() and char.isalnum() else f"\\x{{{code:x}}}"


def _scalars(ranges: Ranges) -> Ranges:
    """The ranges without surrogates, which RE2 refuses."""
    below = [(low, min(high, 0xD7FF)) for low, high in ranges if low <= 0xD7FF]
    return normal(below + [(max(low, 0xE000), high) for low, high in ranges if high >= 0xE000])
