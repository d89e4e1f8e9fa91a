"""A sentence as it is compared with another: stems, figures with their units, codes, polarity.

It must never weigh them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from guardrail.judge.lexicon.things import ALIKE, DAYS, EVERY_DAY, UNITS, UNIVERSALS, WEEKEND
from guardrail.judge.lexicon.words import word_set
from guardrail.judge.numerals import joined
from guardrail.judge.speech import FILLERS, NEGATIONS, NUMBER_WORDS, STOP_WORDS, flat, flat_clauses
from guardrail.judge.text import cached_if_short, canonical_number, numbers, plain, stem

_NEGATION_REACH = 1
"""How many content words behind a negation are negated."""
_SMALL = 3
"""Number words up to this one say a quantity only before a unit: "two of them" is no figure."""
_WORD_CHARS = 64
"""No word is longer; stems are remembered, so what stands for one must not be."""
_CODES_MAX = 3
"""A sentence with more words in capitals is shouting, not naming."""

_FREE = re.compile(
    r"\b(?:(?:no|without|free of|libre de|sans|sin) (?:any |extra |additional |aucun )?"
    r"(?:charges?|fees?|costs?|frais|costes?|gastos?|cargos?)"
    r"|costs? nothing|ne coute(?:nt)? rien|no cuestan? nada|gratuite?s?|gratuitement|gratis|gratuita?s?|gratuitos?)\b"
)
_FREE_WORDS = word_set(
    "charge charges fee fees cost costs frais coste costes gasto gastos cargo cargos coute coutent cuesta cuestan"
    " gratuit gratuits gratuite gratuites gratuitement gratis gratuita gratuitas gratuito gratuitos"
)
"""One of these is in all that costs nothing."""
_DIGIT = re.compile(r"[0-9]")
_NOON = re.compile(r"\b(?:(noon|midday|midi|mediod[ií]a)|(midnight|minuit|medianoche))\b", re.IGNORECASE)
_NEAR_NOON = re.compile(r"noon|mid|medi|minuit|ı")
"""What is in all plain text that says noon, or has an i that only case folding takes for one."""
_DAYTIME = re.compile(
    r"\b(1[0-2]|0?[1-9])(?: ?h(?:eures?)?)? (?:de la |du |de l['’]|in the )"
    r"(?:(mañana|manana|matin|morning)|tarde|noche|après-midi|apres-midi|soir|afternoon|evening)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b(1[0-2]|0?[1-9])(?:[:.h]([0-5][0-9]))?\s?([ap])\.?m\b\.?", re.IGNORECASE)
_COUNTED = re.compile(
    r"(?<![0-9])(?<![0-9][.,:])([0-9]++(?:[.,:][0-9]++)*+)\s?(%|€|£|\$|[^\W\d_]++)|([€£$])\s?([0-9]++(?:[.,][0-9]++)*+)"
)
_CODE = re.compile(r"[A-Z](?<![\w-].)[A-Z]{0,5}(?:-[A-Z0-9]{1,8})*(?![\w-])")
_PLAIN_CAPITALS = frozenset(
    ["I", "A", "O", "Y", "OK", "SMS", "SIM", "ID", "PDF", "TV", "FAQ", "GP", "PIN", "USB", "AM", "PM"]
)
_AMBIGUOUS = frozenset({"once", "sept", "neuf"})
"""Number words of one language that are everyday words of another."""

_SIGNS = {"%": "percent", "€": "euro", "£": "pound", "$": "dollar"}
_UNIT = {word: group.split()[0] for group in UNITS for word in group.split()} | _SIGNS
_ALIKE = {
    stem(word): (f"={number}", opposite)
    for number, group in enumerate(ALIKE)
    for opposite, words in ((False, group[0]), (True, group[1]))
    for word in words.split()
}


def alike(cut: str) -> tuple[str, bool]:
    """What a stem is compared by, and whether it says the opposite: closed -> (the label of open, true)."""
    return _ALIKE.get(cut, (cut, False))


FREE = _ALIKE[stem("free")][0]
"""The stem of what costs nothing."""
_MONEY = frozenset({"euro", "pound", "dollar"})
OF_TEXT = "digit"
"""What counts characters speaks of a format, not of a fact."""
DAY_NUMBERS = {word: number for number, group in enumerate(DAYS) for word in group.split()}
"""Names of days of the week, 0 for Monday."""
_DAY_WORDS = DAY_NUMBERS.keys() | WEEKEND
_NO_CONTENT = STOP_WORDS | FILLERS | DAY_NUMBERS.keys()
_NEGATION = ("", True)
_RANGE = frozenset({"to", "through", "till", "until", "a", "au", "al", "jusqu", "hasta"})


class Words(msgspec.Struct, frozen=True):
    """A sentence's content.

    A stem that stands under a negation, or says the opposite of its kin, is in `negated` too.
    """

    stems: frozenset[str]
    figures: frozenset[str]
    negated: frozenset[str]
    mixed: frozenset[str]
    """Stems that stand both ways in the sentence: nothing follows from them."""
    counted: frozenset[tuple[str, str]]
    """Figures with the unit that they count."""
    codes: frozenset[str]
    """Words in capitals: plan M, PLAN-XL."""
    universal: bool
    """Whether it lifts every limit: any time, always."""
    days: frozenset[int]
    """Days of the week that it speaks of, 0 for Monday, ranges written out."""


class _Phrases:
    """Phrases looked for in a line only where one of their longest words stands."""

    def __init__(self, phrases: tuple[str, ...]) -> None:
        self._padded = [f" {phrase} " for phrase in phrases]
        self._words = frozenset(max(phrase.split(), key=len) for phrase in phrases)

    def stand_in(self, line: str, words: list[str]) -> bool:
        return not self._words.isdisjoint(words) and any(phrase in line for phrase in self._padded)


_EVERY_DAY = _Phrases(EVERY_DAY)
_UNIVERSALS = _Phrases(UNIVERSALS)


@cached_if_short
def read_words(text: str) -> Words:
    """A sentence's content. Linear in its length."""
    spoken = plain(text)
    told = _DIGIT.search(spoken) is not None
    if told:
        text = _CLOCK.sub(_clock, _DAYTIME.sub(_daytime, text))
    if _NEAR_NOON.search(spoken):
        text = _NOON.sub(lambda match: "12:00" if match[1] else "0:00", text)
        told = True
    negated: set[str] = set()
    affirmed: set[str] = set()
    figures, counted = (set(numbers(text)), _counted(text)) if told else (set(), set())
    for clause in flat_clauses(text):
        _read_clause(_clause_words(clause), (affirmed, negated), figures, counted)
    if any(unit in _MONEY for _, unit in counted) and FREE not in affirmed:
        negated.add(FREE)  # what has a price isn't free
    codes = frozenset([code for code in _CODE.findall(text) if code not in _PLAIN_CAPITALS])
    line = f" {flat(text)} "
    words = line.split()
    return Words(
        stems=frozenset(affirmed | negated),
        figures=frozenset(figures),
        negated=frozenset(negated),
        mixed=frozenset(negated & affirmed),
        counted=frozenset(counted),
        codes=codes if len(codes) <= _CODES_MAX else frozenset(),
        days=_days(line, words),
        universal=_UNIVERSALS.stand_in(line, words),
    )


def _clause_words(clause: str) -> list[str]:
    words = clause.split()
    if not _FREE_WORDS.isdisjoint(words):
        words = _FREE.sub("free", clause).split()
    return words if max(map(len, words), default=0) <= _WORD_CHARS else [word[:_WORD_CHARS] for word in words]


def _read_clause(
    words: list[str], sides: tuple[set[str], set[str]], figures: set[str], counted: set[tuple[str, str]]
) -> None:
    affirmed, negated = sides
    if not NUMBER_WORDS.keys().isdisjoint(words):
        words = _counted_words(joined(words), figures, counted)
    reach = 0
    for word in words:
        content = _content(word)
        if content is _NEGATION:
            reach = _NEGATION_REACH
        elif content is not None:
            cut, opposite = content
            (negated if (reach > 0) != opposite else affirmed).add(cut)
            if reach:
                reach -= 1


def _counted_words(
    entries: Sequence[tuple[str, int | None]], figures: set[str], counted: set[tuple[str, str]]
) -> list[str]:
    """The words of a clause that are no numbers; those go to what it counts."""
    words = []
    for position, (word, value) in enumerate(entries):
        if value is None or value <= 1 or word in _AMBIGUOUS:
            words.append(word)
            continue
        unit = _UNIT.get(entries[position + 1][0]) if position + 1 < len(entries) else None
        if unit is not None:
            counted.add((str(value), unit))
        if unit is not None or value > _SMALL:
            figures.add(str(value))
    return words


@lru_cache(maxsize=65536)
def _content(word: str) -> tuple[str, bool] | None:
    """What a word is compared by, and whether it says the opposite; null where it has no content of its own."""
    if word in NEGATIONS:
        return _NEGATION
    return None if word[0].isdigit() or word in _NO_CONTENT else alike(stem(word))


def _days(line: str, words: list[str]) -> frozenset[int]:
    """The days of the week in a flat line of words."""
    if _EVERY_DAY.stand_in(line, words):
        return frozenset(range(7))
    if _DAY_WORDS.isdisjoint(words):
        return frozenset()
    days: set[int] = set()
    for position, word in enumerate(words):
        if word in WEEKEND:
            days |= {5, 6}
        elif (day := DAY_NUMBERS.get(word)) is not None:
            days.add(day)
            if (
                position >= 2
                and words[position - 1] in _RANGE
                and (first := DAY_NUMBERS.get(words[position - 2])) is not None
            ):
                days |= {(first + step) % 7 for step in range((day - first) % 7)}
    return frozenset(days)


def _daytime(match: re.Match[str]) -> str:
    """An hour with its part of the day on the other clock: las 3 de la tarde -> 15 h."""
    return f"{int(match[1]) % 12 + (0 if match[2] else 12)} h"


def _clock(match: re.Match[str]) -> str:
    """A time of the twelve-hour clock on the other one: 3 pm -> 15:00."""
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    return f"{hour}:{match[2] or '00'}"


def _counted(text: str) -> set[tuple[str, str]]:
    counted = set()
    for figure, unit, sign, amount in _COUNTED.findall(plain(text)):
        if (unit or sign) in _UNIT:
            counted.add((canonical_number(figure or amount), _UNIT[unit or sign]))
    return counted
