"""Claims held against evidence, word by word: a training-free lexical verifier (GROUNDING §2).

It must never read a style as a fault.

Evidence is compiled once: sentences become windows of stems, figures and negated stems. A claim is measured against
its best window; the policy's prompt, formats and catalogue are windows too, without an id, since the model may know
them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise

import msgspec

from guardrail.judge.model import Passage
from guardrail.judge.similarity import PassageVectors
from guardrail.judge.speech import FILLERS, NEGATIONS, NUMBER_WORDS, STOP_WORDS, flat
from guardrail.judge.text import numbers, sentences, stem

NEAR_COPY = 0.6
"""Share of a claim's weight found in one window from which it counts as a near copy of it."""
SUPPORTED = 0.8
"""Share from which even a binding sentence counts as backed by the evidence."""
_FIGURE_WEIGHT = 0.25
"""What a shared figure adds when the best window is chosen: it settles ties between windows with the same words."""
_NEGATION_REACH = 3
"""How many words behind a negation are negated."""

_FREE = re.compile(
    r"\b(?:(?:no|without|free of|libre de|sans|sin) (?:any |extra |additional |aucun )?"
    r"(?:charges?|fees?|costs?|frais|costes?|gastos?|cargos?)"
    r"|gratuite?s?|gratuitement|gratis|gratuita?s?|gratuitos?)\b"
)
_CLAUSE = re.compile(r"[,;:()–—]")


class Words(msgspec.Struct, frozen=True):
    """A sentence as it is compared: content stems, figures, and the stems that stand under a negation."""

    stems: frozenset[str]
    figures: frozenset[str]
    negated: frozenset[str]


class Window(msgspec.Struct, frozen=True):
    """One sentence of evidence; `passage_id` is null for what the model knows from its prompt."""

    text: str
    passage_id: str | None
    words: Words


class Measure(msgspec.Struct, frozen=True):
    """A claim measured. `cover` and `fresh_cover` in [0, 1]; `risk` >= 0, higher = less supported."""

    risk: float
    cover: float
    fresh_cover: float
    context_share: float
    """Share of the claim's content words that prompt, formats and catalogue have, wherever they stand."""
    content: int
    """Number of different content words."""
    unknown_figures: frozenset[str]
    swapped_figures: frozenset[str]
    flipped: frozenset[str]
    window: Window | None

    @property
    def backed(self) -> bool:
        """Whether the evidence bears a sentence out nearly word for word."""
        return self.cover >= SUPPORTED and not (self.unknown_figures or self.swapped_figures or self.flipped)


def read_words(text: str) -> Words:
    """A sentence's content."""
    stems: set[str] = set()
    negated: set[str] = set()
    figures = set(numbers(text))
    for clause in _CLAUSE.split(text):
        reach = 0
        for word in _FREE.sub("free", flat(clause)).split():
            if word in NEGATIONS:
                reach = _NEGATION_REACH
                continue
            if NUMBER_WORDS.get(word, 0) > 1:
                figures.add(str(NUMBER_WORDS[word]))
            elif not word[0].isdigit() and word not in STOP_WORDS and word not in FILLERS:
                stems.add(cut := stem(word))
                if reach:
                    negated.add(cut)
            reach = max(0, reach - 1)
    return Words(frozenset(stems), frozenset(figures), frozenset(negated))


def _parts(text: str) -> list[str]:
    """Each sentence, and each pair of neighbours: a claim may join what the evidence says in two."""
    spans = sentences(text)
    pairs = [text[first[0] : second[1]] for first, second in pairwise(spans)]
    return [text[start:end] for start, end in spans] + pairs


class Evidence:
    """Passages and known context, compiled. Immutable."""

    def __init__(self, passages: Sequence[Passage], context: Sequence[str] = ()) -> None:
        """Compile. Bounds: linear in the text given."""
        self.passages = tuple(passages)
        self.context = tuple(context)
        named = [*((p.id, p.text) for p in passages), *((None, text) for text in context)]
        self.windows = tuple(
            Window(part, passage_id, read_words(part)) for passage_id, text in named for part in _parts(text)
        )
        counts = Counter(s for window in self.windows for s in window.words.stems)
        self._total = len(self.windows)
        self._weights = {s: max(0.05, math.log((self._total + 1) / (count + 0.5))) for s, count in counts.items()}
        self.figures = frozenset(f for window in self.windows for f in window.words.figures)
        self.stems = frozenset(counts)
        self._holding: dict[str, list[int]] = {}
        for number, window in enumerate(self.windows):
            for s in window.words.stems:
                self._holding.setdefault(s, []).append(number)
        self._context_stems = frozenset(s for w in self.windows if w.passage_id is None for s in w.words.stems)

    @cached_property
    def vectors(self) -> PassageVectors:
        """The passages' TF-IDF vectors, for the published score."""
        return PassageVectors([passage.text for passage in self.passages])

    def extended(self, passages: Sequence[Passage]) -> Evidence:
        """This evidence with the passages of one record added."""
        return Evidence((*self.passages, *passages), self.context) if passages else self

    def weight(self, stems: Iterable[str]) -> float:
        """The summed inverse document frequency of stems; unseen ones weigh most."""
        unseen = math.log(self._total + 2)
        return sum(self._weights.get(s, unseen) for s in stems)

    def measure(self, claim: Words, known: Words) -> Measure:
        """A claim against its best window. `known` is what the user said: it needs no evidence."""
        total = self.weight(sorted(claim.stems))
        best, cover = self._best(claim, total)
        fresh = claim.stems - known.stems
        fresh_total = self.weight(sorted(fresh))
        fresh_cover = self.weight(sorted(fresh & self.stems)) / fresh_total if fresh_total else 1.0
        unknown = claim.figures - self.figures - known.figures
        near = best.words if best is not None and cover >= NEAR_COPY else Words(claim.stems, frozenset(), claim.negated)
        swapped = claim.figures - near.figures - known.figures if near.figures else frozenset[str]()
        flipped = (claim.negated ^ near.negated) & claim.stems & near.stems
        risk = (
            4 * (1 - fresh_cover)
            + 0.5 * (1 - cover)
            + 2 * len(unknown)
            + 1.5 * bool(swapped - unknown)
            + 1.5 * bool(flipped)
        )
        share = len(claim.stems & (self._context_stems | known.stems)) / len(claim.stems) if claim.stems else 1.0
        return Measure(risk, cover, fresh_cover, share, len(claim.stems), unknown, swapped, flipped, best)

    def _best(self, claim: Words, total: float) -> tuple[Window | None, float]:
        shared: dict[int, float] = {}
        for s in sorted(claim.stems):
            for number in self._holding.get(s, ()):
                shared[number] = shared.get(number, 0.0) + self._weights[s]
        if not shared or not total:
            return None, 0.0
        windows = self.windows
        best = max(
            sorted(shared), key=lambda n: shared[n] + _FIGURE_WEIGHT * len(claim.figures & windows[n].words.figures)
        )
        return windows[best], min(1.0, shared[best] / total)

    def nearest_passage(self, text: str) -> Window | None:
        """The evidence sentence that shares most with a text; null when nothing is shared."""
        wanted = read_words(text)
        best, best_weight = None, 0.0
        for window in self.windows:
            if window.passage_id is None:
                continue
            weight = self.weight(sorted(wanted.stems & window.words.stems))
            if weight > best_weight:
                best, best_weight = window, weight
        return best
