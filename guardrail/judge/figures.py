"""The figures of a text: what money, time, dates, measures and counts it states. It must never judge whether they hold.

Each small function recognises one form at one place; FORMS says which may begin with which word, so that an ordinary
word costs one look-up. Every form looks a few tokens ahead at most: reading is linear.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise

import msgspec

from guardrail.judge.amounts import LONE_MONEY, is_counted, measure, money, money_before, one_of_money, percent
from guardrail.judge.clock import digital, half_hour, in_hours, in_part_of_day, noon, past, told_hour, with_half_day
from guardrail.judge.lexicon.figures import (
    ADJECTIVES,
    ADVERBS,
    ARTICLES,
    CURRENCIES_BEFORE,
    DAY_LINKS,
    DOZENS,
    DOZENS_COUNTED,
    FRACTION_FILLERS,
    FRACTION_FOLLOWERS,
    FRACTIONS,
    FRACTIONS_ALONE,
    FRACTIONS_COUNTED,
    HALF_BEFORE,
    HALF_FILLERS,
    HUNDREDS,
    LETTER_UNITS,
    MIDNIGHT,
    MINUTES,
    MONTH_LINKS,
    MONTHS,
    MONTHS_FIRST,
    NO_RATE_BEFORE,
    NOON,
    OCCASIONS,
    OFTEN,
    ONCE_BEFORE,
    ORDINAL_ENDINGS,
    ORDINAL_UNITS,
    QUARTERS,
    RANGE_LINKS,
    RATE_ARTICLES,
    RATE_FILLERS,
    RATE_LINKS,
    RATE_WORDS,
    THOUSAND,
    UNITS,
    WEEKDAYS,
    WHOLE_SPANS,
)
from guardrail.judge.numbers_spoken import number_at, part_behind
from guardrail.judge.quantity import Figure, Line, Number, bare, line_of, same_figure, skip
from guardrail.judge.speech import NUMBER_WORDS, STOP_WORDS
from guardrail.judge.tokens import Token

_DIGITS_MAX = 15
"""A longer figure is a code: its digits are kept in `bare`, its value is that of the first ones."""
_RATE_REACH = 6
"""How many words behind a figure can say what it is per."""
_RATED = frozenset({"money", "count", "duration", "percent", "size"})
_SCALED = frozenset({"money", "duration", "percent", "length", "mass", "volume", "size"})
_COMMON_MONTHS = frozenset({"may", "march", "mar"})
"""Months that are words too: only their capital tells."""
_RATE_UNITS = UNITS.keys() - LETTER_UNITS
_TIMES = {word: unit for word, unit in UNITS.items() if unit in MINUTES and word not in ADVERBS}
_UNIT_OF_MINUTES = {value: unit for unit, value in MINUTES.items() if unit != "night"}

Form = Callable[[Line, int], Figure | None]
Reading = Callable[[Line, Number], Figure | None]


def read_figures(tokens: Sequence[Token]) -> tuple[Figure, ...]:
    """The figures of a text in order; the days inside a range (Monday to Friday) as figures that span it. Linear."""
    words = [token.text for token in tokens]
    starts = [i for i, word in enumerate(words) if word in _FORMS or "0" <= word < ":"]
    if not starts:
        return ()
    line = line_of(tokens, words)
    found, end = line.found, 0
    for i in starts:
        if i < end:
            continue
        for form in _FORMS.get(words[i], _DIGIT_FORMS):
            figure = form(line, i)
            if figure is not None:
                found.append(figure)
                end = figure.last + 1
                break
    return _finished(line) if found else ()


def _finished(line: Line) -> tuple[Figure, ...]:
    """The figures with what their neighbours say of them: ranges, rates, days between."""
    found, words = line.found, line.words
    for place in range(len(found) - 1):
        a, b = found[place], found[place + 1]
        if a.kind == "count" and _in_range(line, a, b):
            found[place] = _like(a, b)
        elif a.kind in ("money", "count") and b.kind == "duration" and _is_due(words, a, b):
            found[place] = msgspec.structs.replace(a, rate=_UNIT_OF_MINUTES.get(b.value, bare(b.value)))
    days = [day for a, b in pairwise(found) for day in _days_between(words, a, b)]
    rated = [_rated(line, figure) if figure.kind in _RATED and not figure.rate else figure for figure in found]
    return tuple(sorted(rated + days, key=lambda figure: figure.first) if days else rated)


# --- ranges and rates ------------------------------------------------------------------------------------------------


def _in_range(line: Line, a: Figure, b: Figure) -> bool:
    """Whether a bare count and a figure are the ends of a range: 24 to 48 hours, 3-5 days."""
    if line.words[a.last] in UNITS:
        return False
    if b.first - a.last == 2:
        return line.words[a.last + 1] in RANGE_LINKS
    digits = line.words[a.last][:1].isdecimal() and line.words[b.first][:1].isdecimal()
    return digits and b.first - a.last == 1 and line.tokens[b.first].start - line.tokens[a.last].end == 1


def _like(a: Figure, b: Figure) -> Figure:
    """A bare count that counts what the figure behind it does."""
    if b.kind == "count":
        return msgspec.structs.replace(a, unit=b.unit)
    value = a.value
    if b.kind == "clock" and value <= 24:
        value *= 100
    elif b.kind == "date" and value <= 31:
        value += b.value // 100 * 100
    elif b.kind in _SCALED:
        value *= _scale(b)
    else:
        return a
    return msgspec.structs.replace(a, kind=b.kind, value=value, unit=b.unit if b.kind == "duration" else "")


def _scale(figure: Figure) -> float:
    """What a number is multiplied by to count as this figure does: 60 for hours, 0.01 for cents."""
    if figure.kind == "duration":
        return MINUTES[figure.unit]
    alone = float(figure.bare or 0)
    if not alone or figure.kind == "percent":
        return 1.0
    if figure.kind == "money":  # 19 euros 50 are no other euros
        return 0.01 if figure.value < alone else 1.0
    return figure.value / alone


def _days_between(words: Sequence[str], a: Figure, b: Figure) -> list[Figure]:
    """The days inside a range: Monday to Friday."""
    if a.kind != "day" or b.kind != "day" or not 2 <= b.first - a.last <= 3 or words[a.last + 1] not in DAY_LINKS:
        return []
    inside = range(int(a.value) + 1, int(a.value) + 1 + int(b.value - a.value - 1) % 7)
    return [Figure("day", day % 7, a.first, b.last) for day in inside]


def _rated(line: Line, figure: Figure) -> Figure:
    """The figure with what it is per: 5 euros per night, twice a week, 8 euros monthly."""
    start, per = figure.last + 1, False
    for step, k in enumerate(range(start, min(start + _RATE_REACH, len(line.tokens)))):
        word = line.words[k]
        if line.tokens[k].kind != "w":
            break
        if word in ADVERBS or (per and word in _RATE_UNITS):
            return msgspec.structs.replace(figure, rate=UNITS[word])
        if word in RATE_WORDS or word in RATE_ARTICLES:
            per = True
        elif word not in RATE_FILLERS and (step > 3 or (not per and step == 3)):
            break
    return figure


def _is_due(words: Sequence[str], a: Figure, b: Figure) -> bool:
    """Whether a figure is due every so often: 5 euros les 15 minutes."""
    return b.first - a.last == 2 and words[a.last + 1] in RATE_LINKS


def _is_rate(line: Line, i: int) -> bool:
    """Whether `a week` at i tells how often the figure before it is due."""
    if not line.found or line.words[i - 1] in NO_RATE_BEFORE:
        return False
    before = line.found[-1]
    between = line.tokens[before.last + 1 : i] if i - before.last <= 4 else None
    if between is None or before.kind not in ("money", "count", "duration"):
        return False
    return all(token.kind != "p" for token in between)


# --- forms that no number begins -------------------------------------------------------------------------------------


def _weekday(line: Line, i: int) -> Figure | None:
    return Figure("day", WEEKDAYS[line.words[i]], i, i)


def _whole_span(line: Line, i: int) -> Figure | None:
    """A fortnight."""
    word = line.words[i]
    return Figure("duration", WHOLE_SPANS[word], i, i, unit=UNITS.get(word, "fortnight"))


def _once(line: Line, i: int) -> Figure | None:
    """Once a week, una vez al mes. Not una vez que: as soon as."""
    word, behind = line.words[i], line.words[i + 1]
    if word == "once":
        return Figure("count", 1, i, i, unit="time", bare="1") if behind in ONCE_BEFORE else None
    if behind not in OCCASIONS or line.words[i + 2] in ("que", "qu"):
        return None
    return Figure("count", 1, i, i + 1, unit="time", bare="1")


def _often(line: Line, i: int) -> Figure | None:
    times = OFTEN[line.words[i]]
    return Figure("count", times, i, i, unit="time", bare=bare(times))


def _one_span(line: Line, i: int) -> Figure | None:
    """A week, un mes y medio; not where it says how often: 5 euros a week."""
    word = line.words[i + 1]
    if word not in _TIMES or _is_rate(line, i) or (word in ORDINAL_UNITS and _noun_at(line, i + 2)):
        return None
    return _span(line, Number(1, i, i + 1), i + 1, alone="")


def _unit_and_half(line: Line, i: int) -> Figure | None:
    """Hour-and-a-half."""
    return _span(line, Number(1, i, i), i, alone="") if part_behind(line.words, i + 1) else None


def _month_day(line: Line, i: int) -> Figure | None:
    """March 3rd."""
    words, token = line.words, line.tokens[i]
    day = number_at(line, i + 1) if "0" <= words[i + 1][:1] <= "9" else None
    if day is None or not day.whole or not 1 <= day.value <= 31 or is_counted(words[day.end]):
        return None
    ordinal = words[day.end] in ORDINAL_ENDINGS
    if token.text in _COMMON_MONTHS and not (token.capital or ordinal):
        return None
    end = day.end + ordinal
    return Figure("date", MONTHS[token.text] * 100 + day.value, i, end - 1, bare=bare(day.value))


def _half_of(line: Line, i: int) -> Figure | None:
    """Half an hour, media hora, demi-journée; half a dozen, half a pound."""
    k = skip(line.words, i + 1, HALF_FILLERS)
    word = line.words[k]
    if word in _TIMES:
        unit = _TIMES[word]
        return Figure("duration", MINUTES[unit] / 2, i, k, unit=unit)
    if word in DOZENS_COUNTED:
        half = DOZENS[word] / 2
        return Figure("count", half, i, k, bare=bare(half))
    return Figure("money", 0.5, i, k, bare="0.5") if word in LONE_MONEY and k > i + 1 else None


def _part(line: Line, i: int) -> Figure | None:
    """A part of an hour, or a part in percent: half, un tiers, three quarters."""
    words, word = line.words, line.words[i]
    times = NUMBER_WORDS.get(word, 0)
    if times > 1:
        share = FRACTIONS_COUNTED.get(words[i + 1], 0.0) * times
        return _part_of_time(line, i, i + 1, share) or (Figure("percent", share, i, i + 1) if share else None)
    last = i + (word in ARTICLES)
    share = FRACTIONS.get(words[last]) or FRACTIONS_COUNTED.get(words[last], 0.0)
    span = _part_of_time(line, i, last, share)
    if span or words[last] in FRACTIONS_ALONE:
        return span or Figure("percent", share, i, last)
    if not share or last == i or _is_rate(line, i) or _noun_at(line, last + 1):
        return None
    return Figure("percent", share, i, last)


def _part_of_time(line: Line, first: int, last: int, share: float) -> Figure | None:
    """A part of a unit of time: three quarters of an hour, un quart d'heure."""
    k = skip(line.words, last + 1, FRACTION_FILLERS, 3)
    unit = _TIMES.get(line.words[k])
    if not share or unit is None or (k == last + 1 and line.words[last] not in QUARTERS):
        return None
    return Figure("duration", MINUTES[unit] * share / 100, first, k, unit=unit)


def _noun_at(line: Line, i: int) -> bool:
    """Whether a content word stands at i."""
    word = line.words[i]
    return word[:1].isalpha() and word not in STOP_WORDS and word not in FRACTION_FOLLOWERS


# --- what a number says, by what follows it --------------------------------------------------------------------------


def _number(line: Line, i: int) -> Figure | None:
    """A number with what it counts."""
    number = number_at(line, i)
    if number is None:
        return None
    part = part_behind(line.words, number.end)
    if part is not None:
        number = Number(number.value + part[0], i, part[1])
    for reading in _READINGS:
        figure = reading(line, number)
        if figure is not None:
            return figure
    return _count(line, number)


def _code(line: Line, i: int) -> Figure | None:
    """Digits too many for a number."""
    text = line.words[i]
    if len(text) <= _DIGITS_MAX or not text.isdecimal():
        return None
    return Figure("count", float(text[:_DIGITS_MAX]), i, i, bare=text)


def _date(line: Line, number: Number) -> Figure | None:
    """3 de enero, 1st of March, 5 mai."""
    if not number.whole or not 1 <= number.value <= 31:
        return None
    k = skip(line.words, number.end, MONTH_LINKS, 3)
    word = line.words[k]
    if word not in MONTHS or (word in ("may", "mar") and not line.tokens[k].capital):
        return None
    return Figure("date", MONTHS[word] * 100 + number.value, number.first, k, bare=bare(number.value))


def _counted(line: Line, number: Number) -> Figure | None:
    """A duration, or a count of a known unit."""
    k = skip(line.words, number.end, ADJECTIVES, 2)
    unit = UNITS.get(line.words[k])
    if unit is None or line.words[k] in ADVERBS:
        return None
    if unit in MINUTES:
        return _span(line, number, k, alone=bare(number.value))
    return Figure("count", number.value, number.first, k, unit=unit, bare=bare(number.value))


def _span(line: Line, number: Number, k: int, alone: str) -> Figure:
    """A duration whose unit stands at k: two hours, dos horas y media."""
    unit = _TIMES[line.words[k]]
    part, end = part_behind(line.words, k + 1) or (0.0, k + 1)
    return Figure("duration", (number.value + part) * MINUTES[unit], number.first, end - 1, unit=unit, bare=alone)


def _count(line: Line, number: Number) -> Figure:
    """A number of things: its unit is the stem of the noun."""
    word, unit = line.words[number.end], ""
    if word in OCCASIONS:
        unit = "time"
    elif word[:1].isalpha() and word not in STOP_WORDS:
        unit = line.tokens[number.end].stem
    return Figure("count", number.value, number.first, number.end - 1, unit=unit, bare=bare(number.value))


_READINGS: tuple[Reading, ...] = (
    percent,
    with_half_day,
    money,
    _date,
    in_hours,
    measure,
    _counted,
    in_part_of_day,
)
"""What a number can say, tried in order; else it is a count."""

_SPOKEN = (NUMBER_WORDS.keys() | HUNDREDS.keys() | THOUSAND | DOZENS.keys()) - {"oh", "zero", "cero"}
_TABLE: tuple[tuple[Form, Collection[str]], ...] = (
    (money_before, CURRENCIES_BEFORE),
    (_weekday, WEEKDAYS),
    (noon, NOON | MIDNIGHT),
    (_once, ("once", "una", "une", "one")),
    (one_of_money, ARTICLES),
    (_often, OFTEN),
    (half_hour, ("half",)),
    (past, {"half", "quarter", "a"} | NUMBER_WORDS.keys()),
    (told_hour, _SPOKEN),
    (_unit_and_half, _TIMES),
    (_half_of, HALF_BEFORE),
    (_part, FRACTIONS.keys() | FRACTIONS_COUNTED.keys() | ARTICLES | NUMBER_WORDS.keys()),
    (_month_day, MONTHS_FIRST),
    (_number, _SPOKEN),
    (_one_span, ARTICLES),
    (_whole_span, WHOLE_SPANS),
)


def _by_opener() -> dict[str, tuple[Form, ...]]:
    """The forms that can begin with each word, in order."""
    openers = {word for _, words in _TABLE for word in words}
    return {word: tuple(form for form, words in _TABLE if word in words) for word in openers}


_FORMS = _by_opener()
_DIGIT_FORMS: tuple[Form, ...] = (digital, told_hour, past, _number, _code)

__all__ = ["Figure", "read_figures", "same_figure"]
