"""What a figure says: its kind, its value, where it stands. It must never read one: figures.py does.

Also the line of words that figures are read from, and when two figures say the same.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from math import isclose

import msgspec

from guardrail.judge.lexicon.figures import UNITS
from guardrail.judge.tokens import Token

_ROUNDING = 0.03
"""Durations closer than this say the same: four weeks are a month to most, 365 days a year."""
_PERCENT_ROUNDING = 0.05
"""A third is 33.3 %."""
_KNOWN_UNITS = frozenset(UNITS.values())
_REACH = 16
"""No form looks farther than this behind where it stands."""


class Figure(msgspec.Struct, frozen=True, gc=False):
    """One figure of a text. `first` and `last` are token indexes, both its own."""

    kind: str
    """money, duration, clock, percent, date, day, count, length, mass, volume or size."""
    value: float
    """Units: durations in minutes, clocks as hours * 100 + minutes, dates as month * 100 + day, days from 0 for Monday,
    money in the currency's own unit, lengths in mm, masses in g, volumes in ml, sizes in MB."""
    first: int
    last: int
    unit: str = ""
    """What it counts: a known unit, else the stem of the noun; of a duration the unit it is told in; of a clock `am` or
    `pm` where one of the two is said."""
    rate: str = ""
    """What it is per: a unit, or so many minutes."""
    bare: str = ""
    """The figure alone, as it would be written without its unit."""


@dataclass(frozen=True, slots=True)
class Line:
    """A text's tokens with their words at hand, and the figures read so far."""

    tokens: Sequence[Token]
    words: list[str]
    """The tokens' texts, with blank ones behind, so that no form need ask where the text ends."""
    found: list[Figure] = field(default_factory=list)


class Number(msgspec.Struct, frozen=True, gc=False):
    """A number as written, before it is known what it counts. `end` is the index behind it."""

    value: float
    first: int
    end: int

    @property
    def whole(self) -> bool:
        """Whether it has no part behind the point."""
        return self.value == int(self.value)


def line_of(tokens: Sequence[Token], words: list[str]) -> Line:
    """The line of a text's tokens and their texts."""
    return Line(tokens, words + [""] * _REACH)


def bare(value: float) -> str:
    """A number alone, every digit of it: 1234567, 19.9."""
    return f"{value:.15g}"


def skip(words: Sequence[str], start: int, fillers: Collection[str], most: int = 4) -> int:
    """The index of the first word from `start` on that is no filler. At most `most` are skipped."""
    end = start + most
    while start < end and words[start] in fillers:
        start += 1
    return start


def same_figure(a: Figure, b: Figure) -> bool:
    """Whether two figures can say the same. Symmetrical; it asks neither for the rate nor for what is counted.

    Durations may be rounded, an hour of the twelve-hour clock is either of the day's, hours may be a time of day, and a
    bare count is any figure written with its number, unless a known unit says what it counts.
    """
    if a.kind == b.kind:
        return _same_kind(a, b)
    if b.kind == "count" or (a.kind, b.kind) == ("clock", "duration"):
        a, b = b, a
    if a.kind == "count":
        return a.unit not in _KNOWN_UNITS and (a.bare == b.bare or (b.kind == "clock" and _on_the_hour(a.value, b)))
    return a.kind == "duration" and b.kind == "clock" and _on_the_hour(a.value / 60, b)


def _same_kind(a: Figure, b: Figure) -> bool:
    """Whether two figures of a kind have the same value, as exactly as the kind is told."""
    if a.kind == "count":
        return a.bare == b.bare
    if a.kind == "duration":
        return abs(a.value - b.value) <= _ROUNDING * max(a.value, b.value)
    if a.kind == "clock":
        return a.value % 1200 == b.value % 1200 and (a.unit == b.unit or "" in (a.unit, b.unit))
    if a.kind == "percent":
        return abs(a.value - b.value) <= _PERCENT_ROUNDING
    return isclose(a.value, b.value, rel_tol=1e-9)


def _on_the_hour(hours: float, clock: Figure) -> bool:
    """Whether a clock shows so many full hours; told without am or pm, on either half of the day."""
    if hours > 24 or clock.value % 100:
        return False
    shown = clock.value / 100
    return shown in (hours, hours + 12) or (clock.unit == "" and 12 < hours < 24 and shown == hours - 12)
