"""Passages compiled to be claimed against: sentences, what may be copied, and what figures and names stand with.

It must never hold a claim.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from guardrail.judge.contest import Contender, Placed, comparable, contenders, is_same, sort_of
from guardrail.judge.copying import Original, Originals, original
from guardrail.judge.figures import Figure
from guardrail.judge.index import Index
from guardrail.judge.joins import ASIDE
from guardrail.judge.lexicon.stance import SEQUENCE, TOLD
from guardrail.judge.lexicon.words import word_set
from guardrail.judge.reading import Clause, Reading, Unit, read_text
from guardrail.judge.speech import NEGATIONS, STOP_WORDS
from guardrail.judge.stance import stance_of
from guardrail.judge.text import composed, plain, sentences, words
from guardrail.judge.tokens import tokenise

STOP_WEIGHT = 0.3
"""What a word without content weighs when coverage is measured (GROUNDING §2)."""
_LEAST_WEIGHT = 0.3
_SENTENCE_GAP = 7.0
"""How many words a full stop sets two sentences apart."""
_TYPED = frozenset({"money", "duration", "clock", "percent", "date", "day"})
_TERMS_FIGURES = 2.0
_TERMS_FROM, _TERMS_OVER = 0.02, 0.015
"""Figures a word from which evidence begins to read as terms, and over which it comes to be nothing else: service-desk
rules have .04-.16, encyclopaedic prose mostly none."""
_TOLD_FROM, _TOLD_OVER = 0.2, 0.3
"""Verbs of the past a sentence from which it begins to be a tale, whatever its figures, and over which it comes to be
nothing else: service-desk rules have less than .17, encyclopaedic prose and abstracts mostly .5 and more."""


_SPOKEN = re.compile(r"[^\W_]+(?:[.,:/%][0-9]+)*%?|[€$£]|[,;:()–—]")
"""Words, figures, and the marks between them."""
_TURNING = NEGATIONS | STOP_WORDS | word_set("excluding except unless only hors sauf uniquement salvo excepto solo")
"""Words by which an aside may turn the sentence that it stands in: all that make it more than a name or a figure."""
_ENDS = 3
_QUOTES = frozenset("\"'“”«»‘’")
SENTENCES_MAX = 512
"""Sentences of all the evidence that a claim is held against one by one; words of later ones are known all the same."""
_CONTENDERS_MAX = 256
"""Figures and names of all the evidence that a claim's are compared with."""


class Stated(msgspec.Struct, frozen=True):
    """One sentence of the evidence."""

    reading: Reading
    denied: dict[str, bool]
    """Each content key, and whether it is denied."""
    places: dict[str, int]
    """Where each content key stands that stands once."""


class Compiled(msgspec.Struct, frozen=True):
    """One passage."""

    sentences: tuple[Stated, ...]
    pairs: tuple[frozenset[str], ...]
    """The keys of each two neighbours."""
    originals: tuple[Original, ...]
    contenders: tuple[Contender, ...]
    keys: frozenset[str]
    quotable: frozenset[str]
    """Its sentences as bare words, also without their asides."""
    waivers: frozenset[int]
    words: int
    told: int
    """How many of its words are verbs of the past."""
    steps: dict[str, int]
    """Where each content key stands that stands once in the passage; empty unless it puts steps in an order."""


def compile_passage(text: str) -> Compiled:
    """Read one passage. Bounds: its ties grow with its length times the figures and names in it."""
    text = composed(text)
    stated = [(text[start:end], read_text(text[start:end])) for start, end in sentences(text, clauses=False)]
    readings = [reading for _, reading in stated]
    keys = _union(reading.keys for reading in readings)
    return Compiled(
        sentences=tuple(_stated(reading) for reading in readings),
        pairs=tuple(a.keys | b.keys for a, b in pairwise(readings)),
        originals=(*(original([one], keys) for one in readings), *(original(two, keys) for two in pairwise(readings))),
        contenders=tuple(contenders(_placed(readings))),
        keys=keys,
        quotable=frozenset(one for sentence, _ in stated for one in _quotable(sentence)),
        waivers=stance_of(text).waivers,
        words=sum(reading.words for reading in readings),
        told=sum(token.text in TOLD for token in tokenise(text)),
        steps=_places([unit for reading in readings for unit in reading.content])
        if any(token.text in SEQUENCE for token in tokenise(text))
        else {},
    )


def _quotable(sentence: str) -> Iterator[str]:
    """A sentence as it may be quoted: whole, and without an aside that turns nothing.

    A question and what stands in quotation marks itself are nothing to quote.
    """
    if "?" in sentence[-_ENDS:] or sentence[0] in _QUOTES:
        return
    yield _spoken(sentence)
    yield _spoken(ASIDE.sub(lambda found: found.group() if _TURNING & set(words(found.group())) else "", sentence))


def _spoken(sentence: str) -> str:
    """The words of a sentence and the marks between them: "No, dogs are welcome" isn't "No dogs are welcome"."""
    return " ".join(_SPOKEN.findall(plain(sentence))).strip(" ,;:–—")


def compile_passages(texts: Sequence[str]) -> list[Compiled]:
    """Read passages; one that is given twice is read once."""
    compiled = {text: compile_passage(text) for text in dict.fromkeys(texts)}
    return [compiled[text] for text in texts]


def _stated(reading: Reading) -> Stated:
    return Stated(reading, {unit.key: unit.denied for unit in reading.content}, _places(reading.content))


def _places(units: Sequence[Unit]) -> dict[str, int]:
    order = [unit.key for unit in units]
    counts = Counter(order)
    return {key: place for place, key in enumerate(order) if counts[key] == 1}


def _placed(readings: Sequence[Reading]) -> list[Placed]:
    placed: list[Placed] = []
    begin = 0.0
    for index, reading in enumerate(readings):
        placed += [(unit, begin + unit.at, index) for unit in reading.content]
        begin += (reading.units[-1].at if reading.units else 0.0) + _SENTENCE_GAP
    return placed


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


class Ground:
    """All passages together. Immutable."""

    def __init__(self, passages: Sequence[Compiled], context: Sequence[Compiled] = ()) -> None:
        """Compose. `context` is what the model knows from its prompt: it covers, and doesn't say how evidence reads."""
        self._passages = tuple(passages)
        self._context = tuple(context)
        self.compiled = (*self._passages, *self._context)
        self.sentences = [stated for one in self.compiled for stated in one.sentences][:SENTENCES_MAX]
        pairs = [keys for one in self.compiled for keys in one.pairs][:SENTENCES_MAX]
        self.windows = Index([*(stated.reading.keys for stated in self.sentences), *pairs])
        """The sentences by their numbers, and behind them each two neighbours."""
        sources = {source.signs: source for one in self.compiled for source in one.originals}
        self.originals = Originals(list(sources.values())[: 2 * SENTENCES_MAX])
        self.clauses: list[Clause] = [clause for stated in self.sentences for clause in stated.reading.clauses]
        self.clause_index = Index([clause.keys for clause in self.clauses])
        self.keys = _union(one.keys for one in self.compiled)
        self._passage_keys = Index([one.keys for one in self.compiled])
        self._quotable = _union(one.quotable for one in self._passages)
        self.waivers: frozenset[int] = frozenset().union(*(one.waivers for one in self.compiled))
        contenders_of = [(number, c) for number, one in enumerate(self.compiled) for c in one.contenders]
        self.contenders = contenders_of[:_CONTENDERS_MAX]
        self.names: dict[str, list[tuple[int, Contender]]] = {}
        self._counted: dict[str, list[tuple[int, Contender]]] = {}
        for found in self.contenders:
            figure = found[1].unit.figure
            if figure is None:
                self.names.setdefault(found[1].unit.key, []).append(found)
            else:
                self._counted.setdefault(figure.kind, []).append(found)
        self.figures: list[Figure] = [c.unit.figure for _, c in self.contenders if c.unit.figure is not None]
        self.sorts: dict[str, list[tuple[int, Contender]]] = {}
        self.groups: dict[str, dict[tuple[int, int], Contender]] = {}
        """Of each sort one of each list or range, by its passage and group: those of one share their ties."""
        for number, contender in self.contenders:
            sort = sort_of(contender.unit)
            self.sorts.setdefault(sort, []).append((number, contender))
            self.groups.setdefault(sort, {}).setdefault((number, contender.group), contender)
        total = len(self.sentences)
        counts = Counter(key for stated in self.sentences for key in stated.reading.keys)
        self._weights = {key: max(_LEAST_WEIGHT, math.log((total + 1) / (n + 0.5))) for key, n in counts.items()}
        self.unseen = max(_LEAST_WEIGHT, math.log(total + 1))
        self.terms = _manner(self._passages)

    def extended(self, passages: Sequence[Compiled]) -> Ground:
        """This ground with more passages; what is compiled isn't compiled again."""
        return Ground((*self._passages, *passages), self._context)

    def same_as(self, unit: Unit) -> list[tuple[int, Contender]]:
        """The figures or names of the evidence that a claim's is, each with the number of its passage."""
        if unit.figure is None:
            return self.names.get(unit.key, [])
        kinds = comparable(unit.figure.kind, self._counted)
        return [found for kind in kinds for found in self._counted.get(kind, ()) if is_same(unit, found[1])]

    def relevance(self, weights: Mapping[str, float]) -> list[float]:
        """How much of a claim each passage has, by the weights of its keys."""
        return self._passage_keys.totals(weights)

    def quoted(self, claim: str) -> bool:
        """Whether a sentence stands in a passage word for word, with or without its asides."""
        said = _spoken(composed(claim))
        return bool(said) and said in self._quotable

    def weight(self, unit: Unit) -> float:
        """How much a unit tells: its inverse document frequency among the evidence's own sentences."""
        return self._weights.get(unit.key, self.unseen) if unit.content else STOP_WEIGHT

    def weights(self, units: Iterable[Unit]) -> dict[str, float]:
        """The same for some units, by their keys in order."""
        weights, unseen = self._weights, self.unseen
        return {u.key: STOP_WEIGHT if u.kind == "stop" else weights.get(u.key, unseen) for u in units}


def _manner(passages: Sequence[Compiled]) -> float:
    """How far evidence reads as terms, in [0, 1], rather than as prose: by its figures, unless it tells of the past."""
    figures = sum(
        c.unit.figure is not None and c.unit.figure.kind in _TYPED for one in passages for c in one.contenders
    )
    density = figures / max(1, sum(one.words for one in passages))
    told = sum(one.told for one in passages) / max(1, sum(len(one.sentences) for one in passages))
    return (
        min(1.0, figures / _TERMS_FIGURES)
        * _ramp((density - _TERMS_FROM) / _TERMS_OVER)
        * (1 - _ramp((told - _TOLD_FROM) / _TOLD_OVER))
    )


def _ramp(share: float) -> float:
    return min(1.0, max(0.0, share))
