"""A text as units with places: figures, names and words, each with the clause it stands in and whether it is denied.

It must never weigh them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from guardrail.judge.content import alike
from guardrail.judge.figures import Figure, read_figures
from guardrail.judge.lexicon.stance import CLAUSE_WORDS, LIGHT_WORDS
from guardrail.judge.lexicon.things import WEEKDAYS, WEEKEND
from guardrail.judge.speech import FILLERS, NEGATIONS, STOP_WORDS
from guardrail.judge.text import cached_if_short
from guardrail.judge.tokens import Token, tokenise

_GAPS = {",": 2.0, ";": 5.0, ".": 7.0, "!": 7.0, "?": 7.0, "\n": 7.0, ":": 1.0, "(": 1.0, ")": 1.0, "–": 2.0, "—": 2.0}
"""How far a mark sets apart what stands before and behind it, in words."""
_CLAUSE_MARKS = frozenset(",;:()–—.!?\n")
_DENYING = (NEGATIONS | {"hardly", "guere", "hors"}) - {"ni"}
_STOPS = STOP_WORDS | FILLERS | LIGHT_WORDS
_REACH = 3.0
"""How many words behind a negation are denied by it."""


class Unit(msgspec.Struct, frozen=True):
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


class Clause(msgspec.Struct, frozen=True):
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


@cached_if_short
def read_text(text: str) -> Reading:
    """Read a sentence or a passage. Linear in its length."""
    tokens = tokenise(text)
    places, clauses = _places(tokens)
    denials = [places[i] for i, token in enumerate(tokens) if token.text in _DENYING]
    units = tuple(_units(tokens, places, clauses, denials))
    content = tuple(unit for unit in units if unit.content)
    return Reading(
        units=units,
        content=content,
        keys=frozenset(key for unit in units for key in unit.keys),
        clauses=_clauses(content, tokens, clauses),
        negations=len(denials),
        words=sum(token.kind != "p" for token in tokens),
    )


def _places(tokens: Sequence[Token]) -> tuple[list[float], list[int]]:
    """Where each token stands, and in which clause."""
    at, clause = 0.0, 0
    places, clauses = [], []
    for token in tokens:
        if token.kind == "p":
            at += _GAPS.get(token.text, 0.0)
            clause += token.text in _CLAUSE_MARKS
        else:
            at += 1.0
            clause += token.text in CLAUSE_WORDS
        places.append(at)
        clauses.append(clause)
    return places, clauses


def _units(
    tokens: Sequence[Token], places: Sequence[float], clauses: Sequence[int], denials: Sequence[float]
) -> Iterator[Unit]:
    figures: dict[int, list[Figure]] = {}
    for figure in read_figures(tokens):
        figures.setdefault(figure.first, []).append(figure)
    position = 0
    while position < len(tokens):
        token, at, clause = tokens[position], places[position], clauses[position]
        denied = any(0 < at - denial <= _REACH for denial in denials)
        if position in figures:
            for figure in figures[position]:
                span = token.start, tokens[figure.last].end
                yield _figure_unit(figure, (at, clause), span, denied=denied)
            position = max(position, figures[position][0].last) + 1
            continue
        position += 1
        if token.kind != "w":
            continue
        if token.text in WEEKDAYS or token.text in WEEKEND:
            for day in (5, 6) if token.text in WEEKEND else range(5):
                figure = Figure("day", float(day), position - 1, position - 1)
                yield _figure_unit(figure, (at, clause), (token.start, token.end), denied=denied)
        elif token.text in _STOPS or token.text in _DENYING or len(token.text) == 1:
            keys = (token.stem,)
            yield Unit(token.stem, "stop", at, clause, False, False, None, keys, token.start, token.end)
        else:
            key, opposite = alike(token.stem)
            kind = "name" if token.capital else "word"
            denies = denied != opposite
            yield Unit(key, kind, at, clause, denies, opposite, None, (key,), token.start, token.end)


def _figure_unit(figure: Figure, place: tuple[float, int], span: tuple[int, int], *, denied: bool) -> Unit:
    key = f"#{figure.bare}" if figure.kind == "count" else f"{figure.kind}:{figure.value:.15g}"
    keys = (key, f"#{figure.bare}") if figure.bare and figure.kind != "count" else (key,)
    return Unit(key, "figure", *place, denied, False, figure, keys, *span)


def _clauses(content: Sequence[Unit], tokens: Sequence[Token], clauses: Sequence[int]) -> tuple[Clause, ...]:
    odd: dict[int, bool] = {}
    for token, clause in zip(tokens, clauses, strict=True):
        if token.text in _DENYING:
            odd[clause] = not odd.get(clause, False)
    keys: dict[int, set[str]] = {}
    for unit in content:
        keys.setdefault(unit.clause, set()).add(unit.key)
        if unit.opposite:
            odd[unit.clause] = not odd.get(unit.clause, False)
    return tuple(Clause(frozenset(found), odd.get(clause, False)) for clause, found in keys.items())


def is_negation(unit: Unit) -> bool:
    """Whether a stop unit negates."""
    return unit.kind == "stop" and unit.key in DENYING_STEMS


DENYING_STEMS = frozenset(token.stem for word in _DENYING for token in tokenise(word) if token.text in _DENYING)
