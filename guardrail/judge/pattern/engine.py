"""The one room of google-re2. It must never see a text that emit() didn't write, and never log one.

The wrapper `re2.compile` costs 1 to 2.6 us a match for its bookkeeping of groups; a call of the RE2 object below it, on
bytes and without captures, about 0.4 us. That object is what `re2._re2` exports; nothing else of it is used.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Any

import msgspec
import re2
from re2 import _re2

from guardrail.judge.pattern.charset import LAST
from guardrail.judge.pattern.emit import question
from guardrail.judge.pattern.tree import Property, Set

MAX_MEM_BYTES = 2 * 1024 * 1024  # for a program and its automaton cache, of the rare large patterns
LIGHT_MEM_BYTES = 32 * 1024  # the same for light patterns: 4,096 of them, all attacked, keep 124 MB at most
LIGHT_INSTRUCTIONS = 200  # 95 % of published patterns are below
MAX_INSTRUCTIONS = 25_000  # 5 ms to compile, with the interpreter held; unit: ranges of all positions

_RE2: Any = _re2.RE2
_WHOLE = _RE2.Anchor.ANCHOR_BOTH
_ANYWHERE = _RE2.Anchor.UNANCHORED
_NO_SPAN = (-1, -1)
_ACROSS = frozenset([0x17F, 0x212A])  # long s and Kelvin sign: the only characters that fold into ASCII


def _options(encoding: Any, max_mem: int) -> Any:
    options = re2.Options()
    options.encoding = encoding
    options.max_mem = max_mem
    options.log_errors = False
    options.never_capture = True
    return options


_UTF8 = _options(re2.Options.Encoding.UTF8, MAX_MEM_BYTES)
_HEAVY = _options(re2.Options.Encoding.LATIN1, MAX_MEM_BYTES)
_LIGHT = _options(re2.Options.Encoding.LATIN1, LIGHT_MEM_BYTES)


class Program(msgspec.Struct, frozen=True):
    """A compiled pattern over the bytes of its alphabet."""

    call: Any
    """RE2's own match, bound."""

    def whole(self, letters: bytes) -> bool:
        """Whether the pattern matches all of the bytes."""
        return bool(self.call(_WHOLE, letters, 0, len(letters))[0] != _NO_SPAN)

    def anywhere(self, letters: bytes) -> bool:
        """Whether the pattern matches some part of the bytes."""
        return bool(self.call(_ANYWHERE, letters, 0, len(letters))[0] != _NO_SPAN)


def compiled(text: str, *, light: bool) -> Program | None:
    """The program of an emitted pattern; null when it is larger than its memory."""
    found = _RE2(text.encode("ascii"), _LIGHT if light else _HEAVY)
    return Program(found.Match) if found.ok() else None


def member(asked: Set, code: int) -> bool:
    """Whether a set that isn't plain holds a character beyond ASCII, by RE2's tables. Folding stays beyond ASCII."""
    fold = asked.fold and code not in _ACROSS
    for one in asked.properties:
        if _has(one.name, one.negated, fold, code):
            return not asked.negated
    at = bisect_right(asked.ranges, (code, LAST)) - 1
    return (at >= 0 and code <= asked.ranges[at][1]) is not asked.negated


@lru_cache(maxsize=16_384)
def _has(name: str, negated: bool, fold: bool, code: int) -> bool:  # cached functions are called by position
    return _question(Property(name, negated), fold).whole(chr(code).encode())


@lru_cache(maxsize=256)
def _question(asked: Property, fold: bool) -> Program:
    return Program(_RE2(question(asked, fold=fold).encode("ascii"), _UTF8).Match)
