"""Numbers in digits and in words: 1690, mille six cent quatre-vingt-dix. It must never say what they count."""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.judge.lexicon.figures import (
    AMBIGUOUS,
    ARTICLES,
    CURRENCIES,
    DOZENS,
    DOZENS_COUNTED,
    FIFTEENS,
    FRENCH_TWENTY,
    HALF_AFTER,
    HALF_LINKS,
    HUNDREDS,
    LINKS_OF_NOUN,
    MEASURES,
    MULTIPLES,
    NOUNS_THAT_DECIDE,
    TEEN_HEADS,
    TEENS_OF_SCORES,
    TEN_LINKS,
    THOUSAND,
    TIMES_HUNDRED,
    TIMES_THOUSAND,
    UNITS,
    UNITS_OF_TEN,
)
from guardrail.judge.quantity import Line, Number
from guardrail.judge.speech import NUMBER_WORDS

_DECIMAL = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")
"""What a float holds to the digit; longer ones are codes."""
_SCORES = frozenset({60, 80})
_LINKED_ONE = frozenset({"un", "une", "una", "uno"})
"""One behind a ten has a link before it, but for quatre-vingt-un."""
_ENDING = frozenset({"once", "una", "une", "second", "oh"})
"""Words that never go on with hundreds or thousands: cien una vez."""
_AFTER_CENT = frozenset(NUMBER_WORDS) | CURRENCIES | UNITS.keys() | MEASURES.keys()
_LONE_ONE = frozenset({"one", "un"})

Spoken = tuple[int, int]
"""A value and the index behind its words."""


def number_at(line: Line, i: int) -> Number | None:
    """The number that begins at a token, null when none does."""
    word = line.words[i]
    if "0" <= word[:1] <= "9":
        return _digits(line, i)
    if word in DOZENS:
        return _dozen(line.words, i)
    if word in AMBIGUOUS and line.words[i + 1] not in NOUNS_THAT_DECIDE.get(word, ()):
        return Number(1, i, i + 1) if word in _LONE_ONE and part_behind(line.words, i + 1) else None
    spoken = _thousands(line.words, i)
    if spoken is None:
        return None
    value, end = spoken
    if line.words[end] in DOZENS_COUNTED:
        return Number(value * DOZENS[line.words[end]], i, _noun(line.words, end + 1))
    return Number(value, i, end)


def part_behind(words: Sequence[str], i: int) -> tuple[float, int] | None:
    """The part that goes on with a number or a unit, and the index behind it: and a half, et demie, y cuarto."""
    if words[i] not in HALF_LINKS:
        return None
    article = words[i + 1] == "a"
    word, end = words[i + 1 + article], i + 2 + article
    if word in HALF_AFTER or (article and word == "half"):
        return 0.5, end
    if word in ("quart", "cuarto") or (article and word == "quarter"):
        return (0.25, end) if words[end] not in LINKS_OF_NOUN else None
    return None


def _digits(line: Line, i: int) -> Number | None:
    text = line.words[i]
    if not _DECIMAL.fullmatch(text):
        return None
    value, behind = float(text), line.words[i + 1]
    if behind in MULTIPLES:
        return Number(value * MULTIPLES[behind], i, i + 2)
    if behind in DOZENS_COUNTED:
        return Number(value * DOZENS[behind], i, _noun(line.words, i + 2))
    return Number(value, i, i + 1)


def _dozen(words: Sequence[str], i: int) -> Number | None:
    """A dozen; quinzaine and quincena are spans of time unless they say of what."""
    if words[i] in FIFTEENS and words[i + 1] not in LINKS_OF_NOUN:
        return None
    return Number(DOZENS[words[i]], i, _noun(words, i + 1))


def _noun(words: Sequence[str], i: int) -> int:
    """Where the noun of a dozen stands: behind its de."""
    return i + 1 if words[i] in LINKS_OF_NOUN and words[i + 1] else i


def _thousands(words: Sequence[str], i: int) -> Spoken | None:
    """A number below a million, or so many millions."""
    if words[i] in THOUSAND:
        if words[i] == "thousand" and words[i - 1] not in ARTICLES:
            return None
        total, end = 1000, i + 1
    else:
        few = _hundreds(words, i)
        if few is None:
            return None
        total, end = few
        if words[end] not in TIMES_THOUSAND:
            return (total * int(MULTIPLES[words[end]]), end + 1) if words[end] in MULTIPLES else few
        total, end = total * 1000, end + 1
    start = end + (words[end] == "and" and words[end - 1] == "thousand")
    more = _hundreds(words, start) if words[start] not in _ENDING else None
    return (total + more[0], more[1]) if more else (total, end)


def _hundreds(words: Sequence[str], i: int) -> Spoken | None:
    """A number below a thousand."""
    word = words[i]
    if word in HUNDREDS:
        if word == "cent" and words[i + 1] not in _AFTER_CENT:
            return None
        return _with_tens(words, HUNDREDS[word], i + 1)
    few = _tens(words, i)
    if few is None or not _is_hundred(words, *few):
        return few
    return _with_tens(words, few[0] * 100, few[1] + 1)


def _is_hundred(words: Sequence[str], value: int, i: int) -> bool:
    """Whether the word at i makes hundreds of the value before it: cents does only before more, or what it counts."""
    if words[i] not in TIMES_HUNDRED or not 2 <= value <= 19 or value == 10:
        return False
    return words[i] != "cents" or words[i + 1] in _AFTER_CENT


def _with_tens(words: Sequence[str], value: int, end: int) -> Spoken:
    start = end + (words[end] == "and" and words[end - 1] == "hundred")
    more = _tens(words, start) if words[start] not in _ENDING else None
    if more is None or words[more[1]] in ("hundred", "cent"):
        return value, end
    return value + more[0], more[1]


def _tens(words: Sequence[str], i: int) -> Spoken | None:
    """A number below a hundred."""
    value = NUMBER_WORDS.get(words[i], 0)
    behind = words[i + 1]
    if not value:
        return None
    if words[i] in TEEN_HEADS and behind in UNITS_OF_TEN:
        return value + NUMBER_WORDS[behind], i + 2
    if value == 4 and behind in FRENCH_TWENTY:
        value, i = 80, i + 1
    return (value, i + 1) if value < 20 or value % 10 else _with_ones(words, value, i + 1)


def _with_ones(words: Sequence[str], ten: int, end: int) -> Spoken:
    allowed = TEN_LINKS.get(words[end])
    start = end + (allowed is not None)
    word, more = words[start], NUMBER_WORDS.get(words[start], 0)
    if allowed is not None and more not in allowed:
        return ten, end
    if ten in _SCORES and word in TEENS_OF_SCORES:
        teen = _tens(words, start)
        return (ten + teen[0], teen[1]) if teen else (ten, end)
    if not 1 <= more <= 9 or (allowed is None and word in _LINKED_ONE and ten != 80):
        return ten, end
    return ten + more, start + 1
