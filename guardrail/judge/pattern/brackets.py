"""Reads a bracketed class. It must never accept one that another dialect reads as nested, intersected or empty."""

from __future__ import annotations

import re

from guardrail.judge.pattern.charset import POSIX, charset, complement
from guardrail.judge.pattern.escapes import Atom, inside
from guardrail.judge.pattern.fault import invalid, unsupported
from guardrail.judge.pattern.tree import Property, Set

_POSIX = re.compile(r"\[:(\^?)([a-z]{1,10}):\]")
_COLLATION = re.compile(r"\[([.=])[^\]]{0,40}\1\]")


def bracket(text: str, at: int, *, fold: bool) -> tuple[Set, int]:
    """The set that a class stands for, and where it ends; `at` is after the opening bracket.

    Raises: Refused.
    """
    if _POSIX.match(text, at - 1):
        raise unsupported("a POSIX class outside of brackets", at)
    negated = text.startswith("^", at)
    start = at + negated
    ranges: list[tuple[int, int]] = []
    properties: list[Property] = []
    opened = False  # an unescaped bracket inside: a literal, unless what follows shows that nesting was meant
    at = start
    while not text.startswith("]", at) or at == start:
        opened = opened or text.startswith("[", at)
        found, at = _element(text, at, start)
        for item in found:
            if isinstance(item, Property):
                properties.append(item)
            else:
                ranges.append(item)
    if opened and text.startswith("]", at + 1):
        raise unsupported("a class inside a class", at)
    return charset(ranges, tuple(properties), negated=negated, fold=fold), at + 1


def _element(text: str, at: int, start: int) -> tuple[tuple[Property, ...] | tuple[tuple[int, int], ...], int]:
    """One escape, POSIX class, range or character."""
    posix = _POSIX.match(text, at)
    if posix:
        if posix[2] not in POSIX:
            raise invalid("an unknown POSIX class", at)
        members = POSIX[posix[2]]
        return complement(members) if posix[1] else members, posix.end()
    low, at = _single(text, at, start)
    if not isinstance(low, int):
        return low, at
    if not text.startswith("-", at) or text.startswith("-]", at):
        return ((low, low),), at
    high, end = _single(text, at + 1, start)
    if not isinstance(high, int):
        return ((low, low),), at  # the hyphen is a literal before a class escape
    if high < low:
        raise invalid("a range is out of order", at)
    return ((low, high),), end


def _single(text: str, at: int, start: int) -> tuple[Atom, int]:
    char = text[at : at + 1]
    if not char:
        if text.startswith("]", start):
            raise unsupported("an empty class, which only ECMAScript reads", start)
        raise invalid("a class isn't closed", start)
    if char == "\\":
        return inside(text, at + 1)
    if text.startswith(("&&", "--["), at):
        raise unsupported("arithmetic on classes", at)
    if _COLLATION.match(text, at):
        raise unsupported("a collating element", at)
    return ord(char), at + 1
