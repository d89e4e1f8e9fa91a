"""Writes a vetted tree in RE2's syntax, over the bytes of its alphabet. It must never copy text from the pattern.

Every character is written as an escape or a plain letter, every anchor as a strict one; flags are in the sets already.
RE2 refuses counted repeats whose product is over 1,000: they are cut into pieces.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from guardrail.judge.pattern.alphabet import HIGH, Alphabet, beyond, within_ascii
from guardrail.judge.pattern.charset import BEYOND, normal
from guardrail.judge.pattern.tree import Assertion, Choice, Edge, Node, Property, Ranges, Repeat, Set

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


class Text(NamedTuple):
    """A piece of RE2's syntax. `product` is its largest product of nested bounds, `cost` about its instructions."""

    text: str
    cost: int
    product: int = 1


def emit(node: Node, letters: Alphabet) -> Text:
    """The tree in RE2's Latin-1 syntax. Only for trees that `vet` lets through."""
    if isinstance(node, Set):
        return _set(node, letters)
    if isinstance(node, Assertion):
        return Text(_EDGES[node.edge], 1)
    texts: list[str] = []
    cost, product = 0, 1
    for part in node.below():
        inner = emit(part, letters)
        texts.append(inner.text)
        cost += inner.cost
        product = max(product, inner.product)
    cost = cost or 1
    if isinstance(node, Repeat):
        text = _repeated(_unit(texts[0]), node.low, node.high, MAX_PRODUCT // product)
        copies = max(1, node.high or node.low)
        return Text(text, cost * copies, min(MAX_PRODUCT, product * copies))
    if isinstance(node, Choice):
        return Text("(?:" + "|".join(texts) + ")", cost, product)
    return Text("".join(texts) or "(?:)", cost, product)


def question(asked: Property, *, fold: bool) -> str:
    """A pattern of one character, in RE2's UTF-8 syntax, for a property."""
    text = f"[\\{'P' if asked.negated else 'p'}{{{asked.name}}}]"
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
    pieces = []
    while high > piece:
        first = min(low, piece)
        pieces.append(f"{unit}{{{first},{piece}}}")
        low, high = low - first, high - piece
    pieces.append(f"{unit}{{{low},{high}}}" if (low, high) != (1, 1) else unit)
    return "".join(pieces)


def _set(found: Set, letters: Alphabet) -> Text:
    ranges = found.ranges
    if ranges and ranges[-1][1] < HIGH and found.plain:
        return _class(ranges)
    here = within_ascii(found)
    place, high = _high_bytes(found, letters)
    if not high:
        return _class(here)
    if letters.width == 1:
        return _class(normal([*here, *high]))
    steps = [_HIGH_BYTES] * letters.width
    steps[place] = high
    classes = [_class(step) for step in steps]
    strange = "".join(step.text for step in classes)
    cost = len(here) + sum(step.cost for step in classes)
    return Text(f"(?:{_class(here).text}|{strange})" if here else f"(?:{strange})", cost)


def _high_bytes(found: Set, letters: Alphabet) -> tuple[int, Ranges]:
    """Which byte of a character beyond ASCII decides, and its values that belong to the set."""
    if not found.plain:
        return letters.place(found)
    rest = beyond(found)
    if not rest or rest == BEYOND:
        return 0, (_HIGH_BYTES if rest else ())
    return 0, letters.members[rest]


@lru_cache(maxsize=1024)
def _class(ranges: Ranges) -> Text:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return Text(_one(ranges[0][0]), 1)
    return Text(f"[{_inside(ranges)}]", len(ranges)) if ranges else Text(_NEVER, 1)


def _inside(ranges: Ranges) -> str:
    return "".join(_one(low) if low == high else f"{_one(low)}-{_one(high)}" for low, high in ranges)


@lru_cache(maxsize=256)
def _one(code: int) -> str:
    char = chr(code)
    return char if char.isascii() and char.isalnum() else f"\\x{{{code:x}}}"
