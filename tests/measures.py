"""Measures of a detector and of a correction, each a pure function of its arguments: no set, no judge, no clock."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

DRAWS = 1_000
LEVEL = 0.95
SEED = 20_261
SAME_F1 = 0.8
"""Token F1 from which two answers say the same (GROUNDING §4)."""
_WORD = re.compile(r"[^\W_]+(?:[.,:][0-9]+)*")

Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """A figure with its bootstrap interval."""

    value: float
    low: float
    high: float


class Flags(NamedTuple):
    """What a threshold flags: shares of the faithful and of the hallucinated."""

    false: float
    recall: float


def auroc(risks: Sequence[float], wrong: Sequence[bool]) -> float:
    """The chance that a wrong answer has a higher risk than a right one, ties half; NaN with one kind alone."""
    return float(_Ranked(risks, wrong).auroc(np.ones(len(risks))))


class _Ranked:
    """Risks sorted once; an AUROC under any weights is then two sums (Mann-Whitney)."""

    def __init__(self, risks: Sequence[float], wrong: Sequence[bool]) -> None:
        levels, self.level = np.unique(np.asarray(risks, dtype=np.float64), return_inverse=True)
        self.levels = len(levels)
        self.wrong = np.asarray(wrong, dtype=bool)

    def auroc(self, weights: Floats) -> float:
        bad, good = (
            np.bincount(self.level[chosen], weights[chosen], self.levels) for chosen in (self.wrong, ~self.wrong)
        )
        pairs = bad.sum() * good.sum()
        return float((bad * (np.cumsum(good) - good / 2)).sum() / pairs) if pairs else math.nan


def draws(
    risks: Sequence[float], wrong: Sequence[bool], clusters: Sequence[Hashable], *, seed: int = SEED, count: int = DRAWS
) -> Floats:
    """AUROCs of bootstrap samples that draw whole clusters; a sample with one kind alone gives NaN."""
    names = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    member = np.array([names[name] for name in clusters])
    ranked, dice = _Ranked(risks, wrong), np.random.default_rng(seed)
    drawn = (np.bincount(dice.integers(len(names), size=len(names)), minlength=len(names)) for _ in range(count))
    return np.array([ranked.auroc(times[member].astype(np.float64)) for times in drawn])


def interval(value: float, drawn: Floats, level: float = LEVEL) -> Interval:
    """A figure with the percentiles of its draws."""
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(value, float(low), float(high))


def deranged(keys: Sequence[Hashable], seed: int) -> list[int]:
    """For each place another one with a different key, every place used once.

    Groups of one key lie side by side in random order, and each takes what lies one largest group further on.
    Raises: ValueError where one key has more than half of the places.
    """
    dice = np.random.default_rng(seed)
    groups: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault(key, []).append(place)
    shift = max(map(len, groups.values()), default=0)
    if 2 * shift > len(keys):
        raise ValueError("one key has more than half of the places: it would meet itself")
    listed = list(groups.values())
    line = [place for number in dice.permutation(len(listed)) for place in dice.permutation(listed[number]).tolist()]
    found = [0] * len(keys)
    for position, place in enumerate(line):
        found[place] = line[(position + shift) % len(line)]
    return found


def threshold(risks: Sequence[float], clusters: Sequence[Hashable], level: float) -> float:
    """The split-conformal threshold on known-good answers; infinite where there are too few of them.

    The smallest risk up to which at least `(n + 1)(1 - level)` of n clusters lie, the answers of a cluster sharing its
    weight; with one answer a cluster the ceil((n + 1)(1 - level))-th smallest (GROUNDING §3).
    Source: Lee, Barber, Willett, "Distribution-free inference with hierarchical data" (2023).
    """
    sizes = Counter(clusters)
    wanted, reached = (len(sizes) + 1) * (1 - level), 0.0
    for risk, cluster in sorted(zip(risks, clusters, strict=True), key=lambda pair: pair[0]):
        reached += 1 / sizes[cluster]
        if reached >= wanted - 1e-9:
            return risk
    return math.inf


def clusters_needed(level: float) -> int:
    """How many clusters a finite threshold takes: 19 for 5 %."""
    return math.ceil(1 / level - 1e-9) - 1


def flags(risks: Sequence[float], wrong: Sequence[bool], limit: float) -> Flags:
    """What lies above a threshold."""
    return Flags(
        share(risk > limit for risk, bad in zip(risks, wrong, strict=True) if not bad),
        share(risk > limit for risk, bad in zip(risks, wrong, strict=True) if bad),
    )


def share(marks: Iterable[object]) -> float:
    """The share of true marks; NaN of none."""
    listed = [bool(mark) for mark in marks]
    return sum(listed) / len(listed) if listed else math.nan


def f1(precision: float, recall: float) -> float:
    """The harmonic mean."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def f1_of_wrong_alone(recall: float) -> float:
    """F1 where only wrong answers are scored, so that nothing can be flagged falsely: the published protocol."""
    return f1(1.0, recall)


def balanced_f1(found: Flags) -> float:
    """F1 with as many right answers as wrong ones."""
    flagged = found.recall + found.false
    return f1(found.recall / flagged if flagged else 0.0, found.recall)


def mean(figures: Sequence[float]) -> float:
    """The arithmetic mean; NaN of none."""
    return sum(figures) / len(figures) if figures else math.nan


def percentile(samples: Sequence[float], part: float) -> float:
    """The nearest-rank percentile, `part` in (0, 1]."""
    return sorted(samples)[max(0, math.ceil(part * len(samples)) - 1)]


def words(text: str) -> list[str]:
    """Words and figures in lower case, without accents or punctuation."""
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).lower())
    bare = "".join(c for c in folded if not unicodedata.combining(c))
    return _WORD.findall(bare)


def token_f1(one: str, other: str) -> float:
    """Overlap of two texts' words, as SQuAD counts it (Rajpurkar et al. 2016)."""
    left, right = Counter(words(one)), Counter(words(other))
    shared = (left & right).total()
    return f1(shared / left.total(), shared / right.total()) if shared else 0.0


def right_by_gold(text: str, golds: Sequence[str]) -> bool:
    """Whether a text says a right answer: token F1 >= .8 with one, or one stands in it word for word."""
    said = f" {' '.join(words(text))} "
    return any(token_f1(text, gold) >= SAME_F1 or f" {' '.join(words(gold))} " in said for gold in golds if words(gold))


def restored(text: str, golds: Sequence[str]) -> bool:
    """Whether a text is a right answer, case, accents and punctuation aside."""
    return any(words(text) == words(gold) for gold in golds)
