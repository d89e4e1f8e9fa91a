"""Takes off what is around a pattern: a fence, quotes, slashes. It must never change the pattern itself, nor guess.

Slashes come off only where they can't be meant (the body is anchored, or flags follow): a path pattern keeps its own.
"""

from __future__ import annotations

import re

import msgspec

_FENCE = re.compile(r"\A\s*```[a-zA-Z]*\n(.*?)\n?```\s*\Z|\A```(.+)```\Z|\A`([^`]+)`\Z", re.DOTALL)
_RAW = re.compile(r"""\A[rR](?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\Z""", re.DOTALL)
_QUOTED = re.compile(r"""\A(["'])(\^.*\$)\1\Z""", re.DOTALL)
_LITERAL = re.compile(r"\A/(.+)/([dgimsuvxy]{0,8})\Z", re.DOTALL)
_KNOWN_FLAGS = frozenset("imsx")

_RUNS = re.compile(r"\\+")
_DOUBLED = re.compile(r"\\\\(?:[dDwWsSbB](?![A-Za-z])|[pP]\{|\.)")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_WIDE = re.compile(r"A-z")


class Unwrapped(msgspec.Struct, frozen=True):
    """A pattern without its wrapping. `repairs`: of `fence`, `quotes`, `delimiters`, in the order they came off."""

    body: str
    flags: frozenset[str] = frozenset()
    repairs: tuple[str, ...] = ()


def unwrapped(text: str) -> Unwrapped:
    """The pattern that a text wraps, or the text as it is."""
    flags: frozenset[str] = frozenset()
    repairs = []
    inner = _unfenced(text)
    if inner is not None:
        text = inner
        repairs.append("fence")
    inner = _unquoted(text)
    if inner is not None:
        text = inner
        repairs.append("quotes")
    literal = _undelimited(text)
    if literal is not None:
        text, flags = literal
        repairs.append("delimiters")
    return Unwrapped(text, flags, tuple(repairs))


def _unfenced(text: str) -> str | None:
    found = _FENCE.match(text) if "`" in text else None
    return next(group for group in found.groups() if group is not None) if found else None


def _unquoted(text: str) -> str | None:
    raw = _RAW.match(text)
    if raw:
        return raw[1] if raw[1] is not None else raw[2]
    quoted = _QUOTED.match(text)
    return quoted[2] if quoted else None


def _undelimited(text: str) -> tuple[str, frozenset[str]] | None:
    found = _LITERAL.match(text) if text[:1] == "/" else None
    if not found:
        return None
    body, flags = found[1], found[2]
    anchored = body.startswith("^") or _ends_with_anchor(body)
    if anchored or (flags and not _has_bare_slash(body)):
        return body, _KNOWN_FLAGS.intersection(flags)
    return None


def _ends_with_anchor(body: str) -> bool:
    """Whether the body ends with a dollar that no backslash takes away."""
    stem = body[:-1]
    return body.endswith("$") and (len(stem) - len(stem.rstrip("\\"))) % 2 == 0


def _has_bare_slash(body: str) -> bool:
    """Whether a slash stands where an ECMAScript literal would end: outside of brackets, without a backslash."""
    escaped = inside = False
    for char in body:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif char in "[]":
            inside = char == "["
        elif char == "/" and not inside:
            return True
    return False


def suspicions(text: str) -> tuple[str, ...]:
    """What makes a pattern look damaged, though it is run as it stands.

    `control_char`: a raw control that isn't a blank, such as the backspace that JSON makes of `\\b`.
    `overescaped_suspected`: every backslash is doubled. `wide_range`: `A-z` holds six signs too.
    """
    found = {
        "control_char": bool(_CONTROL.search(text)),
        "overescaped_suspected": undoubled(text) is not None,
        "wide_range": bool(_WIDE.search(text)),
    }
    return tuple(name for name, seen in found.items() if seen)


def undoubled(text: str) -> str | None:
    """The text with half of its backslashes; null unless all are doubled, one of them before a class letter or a dot.

    Whether that was meant can't be told from the text: only an example can decide.
    """
    if not _DOUBLED.search(text) or any(len(run) % 2 for run in _RUNS.findall(text)):
        return None
    return text.replace("\\\\", "\\")
