"""Claims held against evidence, word by word: a training-free lexical verifier (GROUNDING §2).

It must never read a style as a fault.

Evidence is compiled once: sentences become windows of stems, figures and negated stems. A claim is measured against
its best window; the policy's prompt, formats and catalogue are windows too, without an id, since the model may know
them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import msgspec

from guardrail.judge.content import FREE, OF_TEXT, Words, read_words
from guardrail.judge.ground import Ground, compile_passages
from guardrail.judge.index import Index
from guardrail.judge.model import Passage
from guardrail.judge.similarity import PassageVectors
from guardrail.judge.speech import read_answer
from guardrail.judge.text import sentences

NEAR_COPY = 0.6
"""Share of a claim's weight found in one window from which it counts as a near copy of it."""
SUPPORTED = 0.8
"""Share from which even a binding sentence counts as backed by the evidence."""
_FIGURE_WEIGHT = 0.25
"""What a shared figure adds when the best window is chosen: it settles ties between windows with the same words."""
_SHARED_MIN = 2
"""Content words that a claim and its window must share before their polarity or their limits are compared."""
_LOOSE_COPY = 0.45
"""Share from which a claim is about what its window is about."""
_LIKELY_MAX = 8
"""So many originals are laid beside a claim that was found wrong."""


class Window(msgspec.Struct, frozen=True):
    """One sentence of evidence; `passage_id` is null for what the model knows from its prompt."""

    text: str
    passage_id: str | None
    words: Words
    binding: bool
    """Whether it promises or reports a deed itself: only then can it back a claim that does."""


class Measure(msgspec.Struct, frozen=True):
    """A claim measured. `cover` and `fresh_cover` in [0, 1]; `risk` >= 0, higher = less supported."""

    risk: float
    cover: float
    mutual: float
    """Share of the window's weight that the claim has: low where the claim takes a piece out of a rule."""
    fresh_cover: float
    context_share: float
    """Share of the claim's content words that prompt, formats and catalogue have, wherever they stand."""
    content: int
    """Number of different content words."""
    unknown_figures: frozenset[str]
    conflicts: tuple[str, ...]
    """In what claim and window say different things of one matter: figure, unit, polarity, name, limit, day, price."""
    window: Window | None

    @property
    def backed(self) -> bool:
        """Whether the evidence has a sentence nearly word for word."""
        return self.cover >= SUPPORTED and not (self.unknown_figures or self.conflicts)

    @property
    def borne_out(self) -> bool:
        """Whether the evidence itself makes the promise or reports the deed: that it is possible isn't enough."""
        return self.backed and self.mutual >= 0.5 and self.window is not None and self.window.binding


def _units_differ(claim: frozenset[tuple[str, str]], window: frozenset[tuple[str, str]]) -> bool:
    """Whether a figure that both have counts something else in each."""
    return any(
        figure == other and unit != counted and (figure, unit) not in window
        for figure, unit in claim
        for other, counted in window
    )


def _binds(text: str) -> bool:
    return any(sentence.acts for sentence in read_answer(text))


def _parts(text: str) -> list[str]:
    """Each sentence, and each pair of neighbours: a claim may join what the evidence says in two."""
    spans = sentences(text, clauses=False)
    pairs = [text[first[0] : second[1]] for first, second in pairwise(spans)]
    return [text[start:end] for start, end in spans] + pairs


class Evidence:
    """Passages and known context, compiled. Immutable."""

    def __init__(self, passages: Sequence[Passage], context: Sequence[str] = (), ground: Ground | None = None) -> None:
        """Compile. Bounds: linear in the text given. `ground`: the same evidence, compiled for claims."""
        self.ground = ground or Ground(compile_passages([p.text for p in passages]), compile_passages(context))
        self.passages = tuple(passages)
        self.context = tuple(context)
        named = [*((p.id, p.text) for p in passages), *((None, text) for text in context)]
        self.windows = tuple(
            Window(part, passage_id, read_words(part), _binds(part))
            for passage_id, text in named
            for part in _parts(text)
        )
        counts = Counter(s for window in self.windows for s in window.words.stems)
        self._total = len(self.windows)
        self._unseen = math.log(self._total + 2)
        self._weights = {s: max(0.05, math.log((self._total + 1) / (count + 0.5))) for s, count in counts.items()}
        self.figures = frozenset(f for window in self.windows for f in window.words.figures)
        self.stems = frozenset(counts)
        self._index = Index([window.words.stems for window in self.windows])
        self._figured = Index([window.words.figures for window in self.windows])
        self._context_counted = frozenset(c for w in self.windows if w.passage_id is None for c in w.words.counted)
        self._context_stems = frozenset(s for w in self.windows if w.passage_id is None for s in w.words.stems)

    @cached_property
    def vectors(self) -> PassageVectors:
        """The passages' TF-IDF vectors, for the published score."""
        return PassageVectors([passage.text for passage in self.passages])

    def extended(self, passages: Sequence[Passage]) -> Evidence:
        """This evidence with the passages of one record added."""
        if not passages:
            return self
        ground = self.ground.extended(compile_passages([passage.text for passage in passages]))
        return Evidence((*self.passages, *passages), self.context, ground)

    def weight(self, stems: Iterable[str]) -> float:
        """The summed inverse document frequency of stems; unseen ones weigh most."""
        weights, unseen = self._weights, self._unseen
        return sum([weights.get(s, unseen) for s in stems])

    def measure(self, claim: Words, known: Words) -> Measure:
        """A claim against its best window. `known` is what the user said: it needs no evidence."""
        stems = sorted(claim.stems)
        best, cover = self._best(claim, stems)
        fresh = [s for s in stems if s not in known.stems]
        fresh_total = self.weight(fresh)
        fresh_cover = self.weight([s for s in fresh if s in self.stems]) / fresh_total if fresh_total else 1.0
        unknown = claim.figures - self.figures - known.figures if claim.figures else claim.figures
        if unknown:
            unknown -= {figure for figure, unit in claim.counted if unit == OF_TEXT}
        conflicts = () if best is None else tuple(self._conflicts(claim, known, best.words, cover))
        risk = 4 * (1 - fresh_cover) + 0.5 * (1 - cover) + 2 * len(unknown) + 1.5 * len(conflicts)
        share = len(claim.stems & self._context_stems) / len(claim.stems) if claim.stems else 1.0
        mutual = 0.0 if best is None else self._mutual(stems, best.words)
        return Measure(risk, cover, mutual, fresh_cover, share, len(claim.stems), unknown, conflicts, best)

    def _mutual(self, stems: Sequence[str], window: Words) -> float:
        total = self.weight(sorted(window.stems))
        return self.weight([s for s in stems if s in window.stems]) / total if total else 0.0

    def _conflicts(self, claim: Words, known: Words, window: Words, cover: float) -> Iterator[str]:
        shared = claim.stems & window.stems
        if cover >= NEAR_COPY:
            excused = known.figures | {f for f, unit in claim.counted if (f, unit) in self._context_counted}
            if window.figures and claim.figures - window.figures - excused:
                yield "figure"
            if _units_differ(claim.counted - known.counted, window.counted):
                yield "unit"
            named = claim.codes - {code for code in known.codes if not code.replace("-", "").isalpha()}
            if named and window.codes and not claim.codes & window.codes:  # the user's own references name nothing here
                yield "name"
        if len(shared) < _SHARED_MIN:
            return
        if window.days and claim.days - window.days:
            yield "day"
        if FREE in (claim.negated ^ window.negated) & shared - claim.mixed - window.mixed:
            yield "price"
        if cover >= _LOOSE_COPY:
            flips = ((claim.negated ^ window.negated) & shared) - claim.mixed - window.mixed - {FREE}
            if flips and not (flips & claim.negated and flips & window.negated):  # "no X is Y" is "X isn't Y"
                yield "polarity"
            if claim.universal and not window.universal and (window.figures - claim.figures or window.negated):
                yield "limit"

    def _best(self, claim: Words, stems: Sequence[str]) -> tuple[Window | None, float]:
        """The window that has most of a claim, the first of equal ones, and how much it has. `stems`: sorted."""
        shared = self._shared(stems)
        if not any(shared):
            return None, 0.0
        scores = shared
        if claim.figures:
            figures = self._figured.shared(dict.fromkeys(claim.figures, 1.0))
            scores = [*shared]
            for number in [number for number in figures if shared[number]]:
                scores[number] += _FIGURE_WEIGHT * figures[number]
        number = scores.index(max(scores))
        return self.windows[number], min(1.0, shared[number] / self.weight(stems))

    def _shared(self, stems: Iterable[str]) -> list[float]:
        """What each window has of some stems."""
        return self._index.totals({s: self._weights[s] for s in stems if s in self._weights})

    def likely(self, claim: Words) -> list[Window]:
        """The few sentences and pairs of the passages that share most with a claim, best first."""
        shared = self._shared(sorted(claim.stems))
        ranked = sorted((-weight, number) for number, weight in enumerate(shared) if weight)
        found = [self.windows[number] for _, number in ranked if self.windows[number].passage_id is not None]
        return found[:_LIKELY_MAX]

    def answering(self, question: str) -> Window | None:
        """The sentence of evidence that a question is about; null unless it shares at least two content words."""
        wanted = read_words(question).stems
        best, best_weight = None, 0.0
        for window in self.windows:
            shared = wanted & window.words.stems
            weight = (
                self.weight(sorted(shared)) if window.passage_id is not None and len(shared) >= _SHARED_MIN else 0.0
            )
            if weight > best_weight:
                best, best_weight = window, weight
        return best
