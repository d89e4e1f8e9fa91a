"""Amounts: money, percents, lengths, masses, volumes and sizes. It must never read what is told in units of time."""

from __future__ import annotations

from guardrail.judge.lexicon.figures import (
    ADJECTIVES,
    CENT_LINKS,
    CENTS,
    CURRENCIES,
    LETTER_UNITS,
    MEASURES,
    PERCENT_PHRASES,
    PERCENTS,
    POWERS,
    UNITS,
)
from guardrail.judge.numbers_spoken import number_at, part_behind
from guardrail.judge.quantity import Figure, Line, Number, bare, skip

LONE_MONEY = CURRENCIES - {"€", "£", "$"}
"""Currencies that an article stands before: a pound."""
_CENTS_ALONE = 5
"""Fewer cents are always named: one says 5 euros 20, not 5 euros 2."""


def money_before(line: Line, i: int) -> Figure | None:
    """£250, CHF 68, $2 million."""
    digits = "0" <= line.words[i + 1][:1] <= "9"
    number = number_at(line, i + 1) if digits else None
    return Figure("money", number.value, i, number.end - 1, bare=bare(number.value)) if number else None


def one_of_money(line: Line, i: int) -> Figure | None:
    """A pound, un euro cinquante."""
    return money(line, Number(1, i, i + 1)) if line.words[i + 1] in LONE_MONEY else None


def money(line: Line, number: Number) -> Figure | None:
    """19 euros, dix-neuf euros cinquante, 5 euros and 20 cents."""
    word, end = line.words[number.end], number.end
    if word in CENTS:
        return Figure("money", number.value / 100, number.first, end, bare=bare(number.value))
    if word not in CURRENCIES:
        return None
    cents, last = _cents(line, end + 1) if number.whole else (0.0, end)
    return Figure("money", number.value + cents / 100, number.first, last, bare=bare(number.value))


def _cents(line: Line, k: int) -> tuple[float, int]:
    """The cents behind an amount, and the index of their last word."""
    words = line.words
    linked = words[k] in CENT_LINKS
    start = k + (linked or words[k] == "con")
    more = number_at(line, start)
    if more is None or not more.whole or not 1 <= more.value < 100:
        return 0.0, k - 1
    behind = words[more.end]
    if behind in CENTS:
        return more.value, more.end
    short = more.value < _CENTS_ALONE or linked or (words[start].isdecimal() and len(words[start]) != 2)
    if short or is_counted(behind) or behind in PERCENT_PHRASES:
        return 0.0, k - 1
    return more.value, more.end - 1


def percent(line: Line, number: Number) -> Figure | None:
    """5 %, ten percent, veinte por ciento."""
    word = line.words[number.end]
    last = number.end
    if word in PERCENT_PHRASES:
        last += 1
        if line.words[last] not in PERCENT_PHRASES[word]:
            return None
    elif word not in PERCENTS:
        return None
    return Figure("percent", number.value, number.first, last, bare=bare(number.value))


def measure(line: Line, number: Number) -> Figure | None:
    """3 km, dos kilos y medio; not 20 m2."""
    k = skip(line.words, number.end, ADJECTIVES, 2)
    found = MEASURES.get(line.words[k])
    if found is None or (line.words[k] in LETTER_UNITS and line.tokens[k].capital) or line.words[k + 1] in POWERS:
        return None
    kind, factor = found
    part, end = part_behind(line.words, k + 1) or (0.0, k + 1)
    value = number.value + part
    return Figure(kind, value * factor, number.first, end - 1, bare=bare(value))


def is_counted(word: str) -> bool:
    """Whether a word says what the number before it counts."""
    return word in UNITS or word in CURRENCIES or word in PERCENTS or word in MEASURES
