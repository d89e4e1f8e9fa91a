"""A text as units with places: figures, names and words, each with the clause it stands in and whether it is denied.

It must never weigh them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from guardrail.judge.content import alike
from guardrail.judge.figures import Figure, read_figures
from guardrail.judge.lexicon.stance import CLAUSE_WORDS, LIGHT_WORDS
from guardrail.judge.lexicon.things import WEEKDAYS, WEEKEND
from guardrail.judge.speech import FILLERS, NEGATIONS, STOP_WORDS
from guardrail.judge.text import cached_if_short, stem
from guardrail.judge.tokens import Token, tokenise

_GAPS = {",": 2.0, ";": 5.0, ".": 7.0, "!": 7.0, "?": 7.0, "\n": 7.0, ":": 1.0, "(": 1.0, ")": 1.0, "–": 2.0, "—": 2.0}
"""How far a mark sets apart what stands before and behind it, in words."""
_CLAUSE_MARKS = frozenset(",;:()–—.!?\n")
_DENYING = (NEGATIONS | {"hardly", "guere", "hors"}) - {"ni"}
_STOPS = STOP_WORDS | FILLERS | LIGHT_WORDS
_REACH = 3.0
"""How many words behind a negation are denied by it."""


class Unit(msgspec.Struct, frozen=True, gc=False):
    """One figure, name, word or stop word of a text."""

    key: str
    """What it is compared by: a figure's kind and value, a stem, or the label of words that mean the same."""
    kind: str
    """`figure`, `name`, `word` or `stop`."""
    at: float
    """Its place in words; marks count too, since they set apart."""
    clause: int
    denied: bool
    """Whether it is negated, or says the opposite of its key."""
    opposite: bool
    """Whether it says the opposite of its key by itself."""
    figure: Figure | None
    keys: tuple[str, ...]
    """The key, and for a figure also its bare number."""
    start: int
    end: int
    """Character offsets into the text that was read."""

    @property
    def content(self) -> bool:
        """Whether it says what the text is about."""
        return self.kind != "stop"

    @property
    def sign(self) -> str:
        """The key with its own polarity: what a copy must repeat."""
        return "-" + self.key if self.opposite else self.key


class Clause(msgspec.Struct, frozen=True, gc=False):
    """The content keys of a clause, and whether it is denied an odd number of times."""

    keys: frozenset[str]
    denied: bool


class Reading(msgspec.Struct, frozen=True):
    """A text read."""

    units: tuple[Unit, ...]
    content: tuple[Unit, ...]
    """The units that say what it is about, in order."""
    keys: frozenset[str]
    """All keys of all units."""
    clauses: tuple[Clause, ...]
    negations: int
    words: int
    """The number of words and figures."""


class _Word(msgspec.Struct, frozen=True):
    """What a word is, whatever stands around it."""

    kind: str
    """`word`, `stop`, or `day` for days that go together."""
    key: str
    opposite: bool
    keys: tuple[str, ...]
    denies: bool
    parts: bool
    """Whether it begins another clause."""


@lru_cache(maxsize=65536)
def _word(text: str) -> _Word:
    denies, parts = text in _DENYING, text in CLAUSE_WORDS
    if text in WEEKDAYS or text in WEEKEND:
        return _Word("day", text, False, (), denies, parts)
    cut = stem(text)
    if text in _STOPS or denies or len(text) == 1:
        return _Word("stop", cut, False, (cut,), denies, parts)
    key, opposite = alike(cut)
    return _Word("word", key, opposite, (key,), denies, parts)


@cached_if_short
def read_text(text: str) -> Reading:
    """Read a sentence or a passage. Linear in its length."""
    tokens = tokenise(text)
    figures: dict[int, list[Figure]] = {}
    for figure in read_figures(tokens):
        figures.setdefault(figure.first, []).append(figure)
    units: list[Unit] = []
    denials: list[int] = []
    words, behind = 0, 0
    at, denial, clause = 0.0, -_REACH, 0
    for position, token in enumerate(tokens):
        if token.kind == "p":
            at += _GAPS.get(token.text, 0.0)
            clause += token.text in _CLAUSE_MARKS
            continue
        at += 1.0
        words += 1
        word = _word(token.text) if token.kind == "w" else None
        clause += word is not None and word.parts
        denied = at - denial <= _REACH
        if position < behind:
            pass
        elif position in figures:
            behind = figures[position][0].last + 1
            units += _figure_units(figures[position], tokens, (at, clause), denied=denied)
        elif word is None:
            pass
        elif word.kind == "day":
            units += _figure_units(_days(token.text, position), tokens, (at, clause), denied=denied)
        else:
            kind = "name" if token.capital and word.kind == "word" else word.kind
            denies = word.kind == "word" and denied != word.opposite
            units.append(
                Unit(word.key, kind, at, clause, denies, word.opposite, None, word.keys, token.start, token.end)
            )
        if word is not None and word.denies:
            denial = at
            denials.append(clause)
    return _reading(tuple(units), denials, words)


def _reading(units: tuple[Unit, ...], denials: Sequence[int], words: int) -> Reading:
    """The reading of some units. `denials`: the clause of each negation."""
    content = tuple([unit for unit in units if unit.kind != "stop"])
    return Reading(
        units=units,
        content=content,
        keys=frozenset([key for unit in units for key in unit.keys]),
        clauses=_clauses(content, denials),
        negations=len(denials),
        words=words,
    )


def _days(word: str, at: int) -> list[Figure]:
    """The days that go under one name."""
    return [Figure("day", float(day), at, at) for day in ((5, 6) if word in WEEKEND else range(5))]


def _figure_units(
    figures: Sequence[Figure], tokens: Sequence[Token], place: tuple[float, int], *, denied: bool
) -> list[Unit]:
    """The units of figures that begin at one token."""
    return [
        _figure_unit(figure, place, (tokens[figure.first].start, tokens[figure.last].end), denied=denied)
        for figure in figures
    ]


def _figure_unit(figure: Figure, place: tuple[float, int], span: tuple[int, int], *, denied: bool) -> Unit:
    key = f"#{figure.bare}" if figure.kind == "count" else f"{figure.kind}:{figure.value:.15g}"
    keys = (key, f"#{figure.bare}") if figure.bare and figure.kind != "count" else (key,)
    return Unit(key, "figure", *place, denied, False, figure, keys, *span)


def _clauses(content: Sequence[Unit], denials: Sequence[int]) -> tuple[Clause, ...]:
    odd: dict[int, bool] = {}
    for clause in denials:
        odd[clause] = not odd.get(clause, False)
    keys: dict[int, set[str]] = {}
    for unit in content:
        keys.setdefault(unit.clause, set()).add(unit.key)
        if unit.opposite:
            odd[unit.clause] = not odd.get(unit.clause, False)
    return tuple([Clause(frozenset(found), odd.get(clause, False)) for clause, found in keys.items()])


def is_negation(unit: Unit) -> bool:
    """Whether a stop unit negates."""
    return unit.kind == "stop" and unit.key in DENYING_STEMS


DENYING_STEMS = frozenset(token.stem for word in _DENYING for token in tokenise(word) if token.text in _DENYING)
