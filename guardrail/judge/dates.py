"""Dates in a sentence, as ISO 8601. It must never guess: a date that two people would read differently is none.

Source: ISO 8601-1 calendar dates; day-first figures as written in fr and es; English figures only where the order is
plain.
"""

from __future__ import annotations

import re

from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.text import plain

_MONTHS = {
    spelling: number
    for lexicon in LEXICONS.values()
    for number, spellings in enumerate(lexicon.months.split(), 1)
    for spelling in spellings.split("|")
}
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_ISO = re.compile(r"\b([0-9]{4})-([0-9]{2})-([0-9]{2})\b")
_FIGURES = re.compile(r"\b([0-9]{1,2})[/.]([0-9]{1,2})[/.]([0-9]{4})\b")
_DAY_MONTH = re.compile(
    rf"\b([0-9]{{1,2}})(?:st|nd|rd|th|er)? (?:of |de |du )?({_NAME})[.,]?(?: de| del)? ([0-9]{{4}})\b"
)
_MONTH_DAY = re.compile(rf"\b({_NAME})[.]? ([0-9]{{1,2}})(?:st|nd|rd|th)?,? ([0-9]{{4}})\b")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def dates_in(text: str, *, both_orders: bool = False) -> list[str]:
    """The full dates of a text, in order of form then place.

    `both_orders` also gives each figure date's other reading.
    """
    lowered = plain(text)
    found = [_iso(int(y), int(m), int(d)) for y, m, d in _ISO.findall(lowered)]
    found += [_iso(int(y), _MONTHS[m], int(d)) for d, m, y in _DAY_MONTH.findall(lowered)]
    found += [_iso(int(y), _MONTHS[m], int(d)) for m, d, y in _MONTH_DAY.findall(lowered)]
    for first, second, year in _FIGURES.findall(lowered):
        found += _figure_date(int(first), int(second), int(year), both_orders=both_orders)
    return [date for date in found if date]


def _figure_date(first: int, second: int, year: int, *, both_orders: bool) -> list[str]:
    day_first, month_first = _iso(year, second, first), _iso(year, first, second)
    if both_orders:
        return [day_first, month_first]
    if first == second or not month_first:
        return [day_first]
    return [] if day_first else [month_first]


def _iso(year: int, month: int, day: int) -> str:
    plausible = 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1]
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return f"{year:04}-{month:02}-{day:02}" if plausible and (month != 2 or day < 29 or leap) else ""
