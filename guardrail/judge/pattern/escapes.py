"""Reads what follows a backslash. It must never guess: an escape that two dialects read differently is refused.

`shared` reads what means the same inside and outside of brackets; `outside` and `inside` read the rest.
"""

from __future__ import annotations

import re

from guardrail.judge.pattern.charset import BLANK, DIGIT, LAST, SPACE, UNICODE_BLANKS, WORD, complement, normal
from guardrail.judge.pattern.fault import invalid, unsupported
from guardrail.judge.pattern.names import named
from guardrail.judge.pattern.tree import Assertion, BackReference, Call, Edge, Foreign, Node, Property, Ranges

Atom = int | Ranges | tuple[Property, ...]
"""One character, ranges, or properties. Only the first may end a range."""

_CONTROLS = {"n": 10, "r": 13, "t": 9, "f": 12, "v": 11, "a": 7, "e": 27}
_CLASSES: dict[str, Ranges] = {
    "d": DIGIT,
    "D": complement(DIGIT),
    "w": WORD,
    "W": complement(WORD),
    "s": SPACE,
    "S": complement(SPACE),
    "h": BLANK,
    "H": complement(normal([*BLANK, *UNICODE_BLANKS])),  # what any dialect calls blank isn't in it
}
_EDGES = {"b": Edge.WORD, "B": Edge.NOT_WORD, "A": Edge.TEXT_START, "Z": Edge.TEXT_END, "z": Edge.TEXT_END}
_FOREIGN = {
    "G": "the anchor \\G",
    "K": "the reset \\K",
    "R": "the line break \\R",
    "X": "the grapheme \\X",
    "N": "the escape \\N",
    "C": "the byte \\C",
    "V": "the escape \\V",
}
_HEX = re.compile(
    r"x([0-9A-Fa-f]{2})|x\{([0-9A-Fa-f]{1,8})\}|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,8})\}|U([0-9A-Fa-f]{8})"
)
_LOW_HALF = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")
_PROPERTY = re.compile(r"([pP])(?:\{(\^?)([A-Za-z_&=]{1,64})\}|([A-Z]))")
_ZERO = re.compile(r"0[0-7]{0,2}")
_OCTAL = re.compile(r"[0-7]{1,3}")
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_NAME = r"([A-Za-z_][A-Za-z0-9_]{0,63})"
_KEPT = re.compile(rf"k(?:<{_NAME}>|'{_NAME}'|\{{{_NAME}\}})")
_RELATIVE = re.compile(rf"g(?:([0-9]{{1,3}})|\{{([+-]?[0-9]{{1,3}})\}}|\{{{_NAME}\}})")
_CALLED = re.compile(rf"g(?:<([+-]?[0-9]{{1,3}}|{_NAME})>|'([+-]?[0-9]{{1,3}}|{_NAME})')")


def shared(text: str, at: int) -> tuple[Atom, int]:
    """What an escape stands for inside and outside of brackets alike, and where it ends; `at` is after the backslash.

    Raises: Refused.
    """
    char = text[at : at + 1]
    if not char:
        raise invalid("the pattern ends with a backslash", at)
    if char in _CONTROLS:
        return _CONTROLS[char], at + 1
    if char in _CLASSES:
        return _CLASSES[char], at + 1
    if char in "xuU":
        return _hex(text, at)
    if char in "pP":
        return _property(text, at)
    if char == "c":
        return _control(text, at)
    if char == "0":
        return _zero(text, at)
    if char.isascii() and char.isalnum():
        raise invalid("an unknown escape", at)
    return ord(char), at + 1


def _hex(text: str, at: int) -> tuple[int, int]:
    found = _HEX.match(text, at)
    if not found:
        raise invalid("a hexadecimal escape is incomplete", at)
    code = int(found[found.lastindex or 0], 16)
    if code > LAST:
        raise invalid("an escape is beyond Unicode", at)
    low = _LOW_HALF.match(text, found.end()) if found[3] and 0xD800 <= code <= 0xDBFF else None
    if low:
        return 0x10000 + ((code - 0xD800) << 10) + (int(low[1], 16) - 0xDC00), low.end()
    return code, found.end()


def _property(text: str, at: int) -> tuple[Atom, int]:
    found = _PROPERTY.match(text, at)
    if not found:
        raise invalid("a property escape is incomplete", at)
    meaning = named(found[3] or found[4])
    if meaning is None:
        raise unsupported("a Unicode property that the dialects don't share", at)
    if (found[1] == "P") == (found[2] == "^"):
        return meaning, found.end()
    return _negated(meaning, at), found.end()


def _negated(meaning: tuple[Property, ...] | Ranges, at: int) -> Atom:
    properties = tuple(Property(item.name, not item.negated) for item in meaning if isinstance(item, Property))
    if len(properties) > 1:
        raise unsupported("a negated family of properties", at)
    return properties or complement(tuple(item for item in meaning if not isinstance(item, Property)))


def _control(text: str, at: int) -> tuple[int, int]:
    letter = text[at + 1 : at + 2]
    if not ("A" <= letter <= "Z"):
        raise unsupported("a control escape that the dialects read differently", at)
    return ord(letter) ^ 64, at + 2


def _zero(text: str, at: int) -> tuple[int, int]:
    found = _ZERO.match(text, at)
    end = found.end() if found else at + 1
    if end - at == 3 and text[end : end + 1] in tuple("01234567"):
        raise unsupported("an octal escape that the dialects read differently", at)
    return int(text[at:end], 8), end


def outside(text: str, at: int, *, fold: bool) -> tuple[Atom | Node, int]:
    """What an escape stands for outside of brackets, and where it ends. A reference isn't looked up here.

    Raises: Refused.
    """
    char = text[at : at + 1]
    if char and char in _EDGES:
        return Assertion(_EDGES[char]), at + 1
    if char and char in _FOREIGN:
        return Foreign(_FOREIGN[char]), at + 1
    number = _NUMBER.match(text, at)
    if number:
        return BackReference(int(number[0]), fold), number.end()
    if char and char in "kg":
        return _by_name(text, at, fold=fold)
    return shared(text, at)


def _by_name(text: str, at: int, *, fold: bool) -> tuple[Node, int]:
    called = _CALLED.match(text, at)
    if called:
        return Call(called[1] or called[3] or ""), called.end()
    found = _KEPT.match(text, at) or _RELATIVE.match(text, at)
    if not found:
        raise invalid("a reference is incomplete", at)
    name = next(group for group in found.groups() if group)
    if name.isdigit():
        return BackReference(int(name), fold), found.end()
    return (Foreign("a relative reference") if name[0] in "+-" else BackReference(name, fold)), found.end()


def inside(text: str, at: int) -> tuple[Atom, int]:
    """What an escape stands for inside of brackets, and where it ends.

    Raises: Refused.
    """
    if text[at : at + 1] == "b":
        return 8, at + 1
    found = _OCTAL.match(text, at)
    if not found:
        return shared(text, at)
    return int(found[0], 8), found.end()
