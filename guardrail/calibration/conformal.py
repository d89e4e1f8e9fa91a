"""Split-conformal thresholds: the risk that few good answers exceed, whatever their distribution.

It must never look at a bad answer, nor at the judge: the guarantee rests on known-good answers and on nothing else.

The guarantee. n known-good documents and the next one are exchangeable; tau is the ceil((n + 1)(1 - level))-th smallest
of their risks. Then the next one's risk exceeds tau with a probability of at most `level`, and, where no two risks are
equal, of at least level - 1/(n + 1). It holds on average over calibration sets: `flag_interval` says how far one set
may be off.

Sources: Vovk, Gammerman, Shafer, Algorithmic Learning in a Random World (2005); Angelopoulos, Bates, A Gentle
Introduction to Conformal Prediction and Distribution-Free Uncertainty Quantification (2021), §1 and §3.2; Vovk,
Conditional validity of inductive conformal predictors (2012), for the spread of one set.

Documents. Answers on one document (one source text, one conversation, one scenario) resemble each other: they are not
exchangeable one by one, documents are. Counting each answer would feign a larger n. Dunn, Wasserman, Ramdas,
Distribution-Free Prediction Sets for Two-Layer Hierarchical Models (2022) draw one answer from each group ("subsampling
once"), which is valid but throws dice. Here a document's score is its highest risk: just as exchangeable, repeatable,
and stricter, since "no answer of the next document is flagged" implies that any one of them isn't.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from guardrail.judge.model import Value

Scored = tuple[str | None, float]
"""The document of an answer (null: one of its own) and its risk."""
_HALVINGS = 60
"""Beyond what a float can tell apart between 0 and 1."""


class Threshold(Value, frozen=True):
    """What a set of known-good answers gives for a level.

    `risk` null: too few documents, nothing may be acted on by risk.
    """

    level: float
    documents: int
    rank: int
    """Which of the documents' risks, counted from the smallest; beyond `documents` when they are too few."""
    needed: int
    """The fewest documents for this level."""
    risk: float | None

    @property
    def flag_share(self) -> float:
        """The share of good documents beyond the threshold to expect, on average over calibration sets."""
        return (self.documents + 1 - self.rank) / (self.documents + 1)


def threshold(scores: Sequence[float], level: float) -> Threshold:
    """The threshold for one score a document.

    Equal risks: only what is above tau is flagged, so ties at tau pass.
    Bounds: 0 < level < 1.
    """
    count, rank = len(scores), rank_of(len(scores), level)
    risk = sorted(scores)[rank - 1] if rank <= count else None
    return Threshold(level, count, rank, documents_needed(level), risk)


def rank_of(documents: int, level: float) -> int:
    """ceil((n + 1)(1 - level)), reckoned with the level as it is written: in floats 100 x .93 is above 93."""
    return math.ceil((documents + 1) * (1 - _exact(level)))


def documents_needed(level: float) -> int:
    """The smallest n with a rank of at most n: 19 for .05, 49 for .02."""
    exact = _exact(level)
    return max(1, math.ceil((1 - exact) / exact))


def document_risks(answers: Iterable[Scored]) -> list[float]:
    """One score a document, the highest risk of its answers; documents in the order in which they first come."""
    named: dict[str | int, float] = {}
    for index, (document, risk) in enumerate(answers):
        key = index if document is None else document
        named[key] = max(risk, named.get(key, risk))
    return list(named.values())


def flag_interval(found: Threshold, share: float = 0.9) -> tuple[float, float]:
    """Where the share flagged by this very threshold lies, with probability `share`.

    The share is Beta(n + 1 - rank, rank) distributed over calibration sets where no two risks are equal (Vovk 2012);
    where some are, it is smaller.
    """
    tail = (1 - share) / 2
    return _flag_quantile(found, tail), _flag_quantile(found, 1 - tail)


def _flag_quantile(found: Threshold, probability: float) -> float:
    """The quantile by halving: P(Beta(n + 1 - k, k) <= x) = P(Binomial(n, x) > n - k)."""
    count, below = found.documents, np.arange(found.documents - found.rank + 1)
    ways = np.array([math.lgamma(count + 1) - math.lgamma(j + 1) - math.lgamma(count - j + 1) for j in below.tolist()])
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        tail = 1 - np.exp(ways + below * math.log(middle) + (count - below) * math.log1p(-middle)).sum()
        low, high = (middle, high) if tail < probability else (low, middle)
    return (low + high) / 2


def _exact(level: float) -> Fraction:
    return Fraction(repr(float(level)))
