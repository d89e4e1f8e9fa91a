"""Times of day as they are written and spoken: 8:30 pm, half past eight, las siete y media. It must never read dates.

An hour with `heures` is a time of day or a duration; the words before it decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.judge.lexicon.figures import (
    AFTER,
    CLOCK_CUES,
    CLOCK_TAILS,
    DURATION_CUES,
    HOUR_CUES,
    HOUR_WORDS,
    HOURS_SPELT,
    LATER_PARTS,
    LESS,
    MIDNIGHT,
    MINUTES_AFTER,
    MINUTES_BEFORE,
    MINUTES_PAST,
    MINUTES_SPOKEN,
    MORNING_PARTS,
    NIGHT_PARTS,
    NOON,
    OPENING_CUES,
    PART_FILLERS,
    UNITS,
)
from guardrail.judge.numbers_spoken import number_at
from guardrail.judge.quantity import Figure, Line, Number, bare, skip
from guardrail.judge.speech import NUMBER_WORDS

_DIGITAL = re.compile(r"([0-9]{1,2}):([0-5][0-9])(?::[0-5][0-9])?")
_HOURS_MAX = 24
_SHORT_HOURS = 4
"""Up to so many hours, `de deux heures et demie` tells how long; more are told as a time of day."""
_CUE_REACH = 3
"""How many words back a word can say what hours are."""
_OPENING_REACH = 7
_ONES = frozenset({"una", "une"})
_LAS = frozenset({"las", "la"})
_PART_HEADS = frozenset({"in", "de", "du", "at", "del"})
_AT = frozenset({"at", "by", "until", "till", "from", "around", "about"})


def clock(value: float, first: int, last: int, half: str = "", alone: str = "") -> Figure | None:
    """A time of day, null when no clock shows it. `half`: am or pm where it is said; else the hour may say it."""
    if not 0 <= value <= 2400 or value % 100 >= 60:
        return None
    if not half and (value < 100 or value >= 1300):
        half = "pm" if 1300 <= value < 2400 else "am"
    return Figure("clock", value, first, last, unit=half, bare=alone)


def noon(line: Line, i: int) -> Figure | None:
    """Noon or midnight, with what goes on: midi et demi."""
    word = line.words[i]
    if word in NOON and line.words[i - 1] in AFTER:
        return None
    half, value = ("am", 0) if word in MIDNIGHT else ("pm", 1200)
    minutes = MINUTES_AFTER.get(line.words[i + 2], 30 if line.words[i + 2] == "demi" else 0)
    if line.words[i + 1] == "et" and minutes:
        return clock(value + minutes, i, i + 2, half)
    return clock(value, i, i, half)


def digital(line: Line, i: int) -> Figure | None:
    """8:30, with am, pm or the part of the day behind it."""
    match = _DIGITAL.fullmatch(line.words[i])
    if match is None:
        return None
    value = int(match[1]) * 100 + int(match[2])
    tail = line.words[i + 1] in CLOCK_TAILS
    return with_part(line, Number(value, i, i + 1 + tail))


def half_hour(line: Line, i: int) -> Figure | None:
    """Half eight: half past it."""
    words = line.words
    hour = NUMBER_WORDS.get(words[i + 1], 0)
    if words[i] != "half" or not 1 <= hour <= 12 or words[i + 2] in UNITS:
        return None
    return with_part(line, Number(hour * 100 + 30, i, i + 2)) if hour > 3 or words[i - 1] in _AT else None


def past(line: Line, i: int) -> Figure | None:
    """Half past eight, a quarter to nine, twenty past ten."""
    words = line.words
    start = i + (words[i] == "a")
    word, way = words[start], words[start + 1]
    if way not in ("past", "to"):
        return None
    minutes = {"half": 30, "quarter": 15}.get(word) or (NUMBER_WORDS.get(word, 0) if way == "past" else 0)
    hour = number_at(line, start + 2)
    if not (minutes in MINUTES_PAST or word in ("half", "quarter")) or hour is None:
        return None
    if not 1 <= hour.value <= 12 or not hour.whole:
        return None
    value = hour.value * 100 + minutes if way == "past" else hour.value * 100 - 40 - minutes
    return with_part(line, Number(value, i, hour.end))


def told_hour(line: Line, i: int) -> Figure | None:
    """An hour with what makes it a time: 8 h 30, las siete y media, huit heures moins le quart, 8 o'clock.

    The same words tell a duration behind `pendant` and its like.
    """
    words = line.words
    hour = number_at(line, i) or (Number(1, i, i + 1) if words[i] in _ONES else None)
    if hour is None or not 0 <= hour.value <= _HOURS_MAX or not hour.whole:
        return None
    named = words[hour.end] in HOUR_WORDS
    k = hour.end + named
    told = _minutes(line, k, named=named, las=words[i - 1] in _LAS)
    if told is None:
        return None
    minutes, end = told
    if named and tells_span(words, i, hour.value):
        return Figure("duration", hour.value * 60 + minutes, i, end - 1, unit="hour")
    if minutes < 0:
        return with_part(line, Number(hour.value * 100 - 40 + minutes, i, end))
    return with_part(line, Number(hour.value * 100 + minutes, i, end))


def _minutes(line: Line, k: int, *, named: bool, las: bool) -> tuple[int, int] | None:
    """The minutes that follow an hour, negative ones before it, and the index behind them."""
    words = line.words
    if words[k] in ("et", "y") and words[k + 1] in MINUTES_AFTER:
        return MINUTES_AFTER[words[k + 1]], k + 2
    if words[k] in LESS:
        return _minutes_less(line, k + 1 + (words[k + 1] == "le"), sure=named or las)
    if words[k] == "oclock":
        return 0, k + 1
    if named and words[k - 1] == "h" and len(words[k]) == 2 and words[k].isdecimal() and int(words[k]) < 60:
        return int(words[k]), k + 1
    return None


def _minutes_less(line: Line, k: int, *, sure: bool) -> tuple[int, int] | None:
    if line.words[k] in MINUTES_BEFORE:
        return -15, k + 1
    number = number_at(line, k) if sure else None
    return (-int(number.value), number.end) if number and number.value in MINUTES_SPOKEN else None


def tells_span(words: Sequence[str], i: int, hours: float) -> bool:
    """Whether the words before an hour with its minutes say how long; without any, a short one does."""
    for back in range(i - 1, max(i - 1 - _CUE_REACH, -1), -1):
        if words[back] in DURATION_CUES:
            return True
        if words[back] in CLOCK_CUES:
            return False
        if words[back] in ("de", "d"):
            return hours <= _SHORT_HOURS and words[back - 1] not in CLOCK_CUES and not opens(words, i)
    return hours <= _SHORT_HOURS and not opens(words, i)


def opens(words: Sequence[str], i: int) -> bool:
    """Whether the words around an hour tell of opening times: entre 8 heures et 20 heures, de 8 heures à 10 heures."""
    back = words[max(0, i - _OPENING_REACH) : i]
    if not OPENING_CUES.isdisjoint(back):
        return True
    return "de" in back and ("heures" in back or "a" in words[i : i + 6])


def half_day(words: Sequence[str], k: int) -> tuple[str, int] | None:
    """Am or pm at k in any spelling, and the index behind it."""
    word = words[k]
    if word in ("am", "pm"):
        return word, k + 1
    if word in ("a", "p"):
        dotted = words[k + 1] == "."
        if words[k + 1 + dotted] == "m":
            return f"{word}m", k + 2 + dotted
    return None


def with_half_day(line: Line, number: Number) -> Figure | None:
    """A number with am or pm: 8 pm, 8.30 a.m."""
    told = half_day(line.words, number.end)
    if told is None:
        return None
    half, end = told
    value = round(number.value * 100) if number.value <= _HOURS_MAX else number.value
    if value >= 1300:
        return clock(value, number.first, end - 1)
    return clock(value % 1200 + (1200 if half == "pm" else 0), number.first, end - 1, half, bare(number.value))


def with_part(line: Line, time: Number, alone: str = "") -> Figure | None:
    """A time, read as on a clock, with the part of the day behind it: de la tarde, in the evening, pm."""
    half, end = _part(line.words, time.end) if time.value < 1300 else ("", time.end)
    value = time.value
    if half == "pm" and value >= 1200 and line.words[end - 1] in NIGHT_PARTS:
        half = "am"
    if half:
        value = value % 1200 + (1200 if half == "pm" else 0)
    return clock(value, time.first, end - 1, half, alone)


def _part(words: Sequence[str], k: int) -> tuple[str, int]:
    told = half_day(words, k)
    if told is not None:
        return told
    at = skip(words, k, PART_FILLERS)
    if words[at] in AFTER and words[at + 1] in NOON:
        return "pm", at + 2
    if words[at] in LATER_PARTS:
        return "pm", at + 1
    return ("am", at + 1) if words[at] in MORNING_PARTS else ("", k)


def in_part_of_day(line: Line, number: Number) -> Figure | None:
    """A plain hour with its part of the day: 3 de la tarde, seven in the evening."""
    words = line.words
    if not 1 <= number.value <= 12 or not number.whole:
        return None
    if words[number.end] not in _PART_HEADS and (words[number.end], words[number.end + 1]) != ("por", "la"):
        return None
    time = with_part(line, Number(number.value * 100, number.first, number.end), bare(number.value))
    return time if time and time.last >= number.end else None


def in_hours(line: Line, number: Number) -> Figure | None:
    """An hour with h or heures, where it is a time of day; with minutes: huit heures trente."""
    words, k = line.words, number.end
    if words[k] == "h":
        return _marked(line, number)
    if words[k] not in HOURS_SPELT or not number.whole or number.value > _HOURS_MAX:
        return None
    more = number_at(line, k + 1)
    minutes = int(more.value) if more and more.value in MINUTES_SPOKEN and words[more.end] not in UNITS else 0
    end = more.end if more and minutes else k + 1
    time = with_part(line, Number(number.value * 100 + minutes, number.first, end), bare(number.value))
    if time is None:
        return None
    before = words[number.first - 1]
    cued = before in HOUR_CUES or (before in ("et", "de") and opens(words, number.first))
    if minutes and not cued and tells_span(words, number.first, number.value):
        return Figure("duration", number.value * 60 + minutes, number.first, end - 1, unit="hour")
    return time if minutes or time.last >= end or cued else None


def _marked(line: Line, number: Number) -> Figure | None:
    """8 h: a time of day, but for whole days and behind a word that says how long."""
    before = line.words[number.first - 1]
    if number.value >= _HOURS_MAX and before not in HOUR_CUES:
        return None
    if before in DURATION_CUES and "0" <= line.words[number.first][:1] <= "9":
        return None
    value = round(number.value * 100)
    return with_part(line, Number(value, number.first, number.end + 1), bare(number.value))
