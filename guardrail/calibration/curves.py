"""What labelled bad answers add: how well risk tells good from bad, whether the level holds, what a threshold costs.

It must never move the threshold: these are figures to judge it by. Dice are seeded, so figures repeat.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from guardrail.calibration.answers import Answer, Calibration
from guardrail.calibration.conformal import rank_of
from guardrail.judge.model import Value

SEED = 20_251
"""Any number would do; a fixed one makes figures repeat."""
RESAMPLES = 1_000
SHUFFLES = 400
LEVELS = (0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
ANSWERS_PER_COST = 1_000
Floats = NDArray[np.float64]


class Roc(Value, frozen=True):
    """Shares of good answers flagged and of bad answers caught as the threshold falls, and the area under them.

    `low` and `high`: the middle 95 % of the area when documents are drawn again with replacement.
    """

    flagged: tuple[float, ...]
    caught: tuple[float, ...]
    area: float
    low: float
    high: float


class Reliability(Value, frozen=True):
    """The share of good documents flagged by thresholds that didn't see them, level by level.

    Each half of the file, in its order, sets the threshold for the other. `low` and `high`: the middle 90 % of the same
    figure over shuffled orders; outside it, early documents differ from late ones.
    """

    levels: tuple[float, ...]
    observed: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


class Prices(Value, frozen=True):
    """What a flagged good answer and a missed bad one cost, in any one currency."""

    flag: float = 1.0
    miss: float = 5.0


class Costs(Value, frozen=True):
    """The cost of 1,000 answers mixed like the labelled ones, threshold by threshold."""

    thresholds: tuple[float, ...]
    costs: tuple[float, ...]
    cheapest: float
    """The threshold of the least cost; of several, the highest."""

    def at(self, risk: float) -> float:
        """The cost of a threshold."""
        return self.costs[max(0, int(np.searchsorted(self.thresholds, risk, side="right")) - 1)]

    @property
    def least(self) -> float:
        """The least cost."""
        return min(self.costs)


def roc(found: Calibration) -> Roc:
    """How risk tells the bad answers from the good ones. There must be some of each."""
    good, bad = _risks(found.good), _risks(found.bad)
    falling = np.unique(np.concatenate([good, bad]))[::-1]
    flagged, caught = (_shares_above(risks, falling) for risks in (good, bad))
    low, high = _area_interval(found)
    return Roc((*flagged, 1.0), (*caught, 1.0), _area(good, bad), low, high)


def area_alone(found: Calibration, scorer: str) -> float:
    """The area under the curve of one fitted scorer's own scores. There must be some good and some bad answers."""
    good, bad = (
        np.array([a.scored.score(scorer) for a in answers if a.scored is not None], dtype=np.float64)
        for answers in (found.good, found.bad)
    )
    return _area(good, bad)


def reliability(scores: Sequence[float]) -> Reliability:
    """Whether the level holds on documents that the threshold hasn't seen; levels too low for half of them are left
    out.
    """
    smaller = len(scores) // 2
    levels = tuple(level for level in LEVELS if rank_of(smaller, level) <= smaller)
    dice = np.random.default_rng(SEED)
    ordered = np.array(scores, dtype=np.float64)
    shuffled = np.array([_crossed(dice.permutation(ordered), levels) for _ in range(SHUFFLES)])
    low, high = np.quantile(shuffled, [0.05, 0.95], axis=0).tolist() if levels else ([], [])
    return Reliability(levels, tuple(_crossed(ordered, levels)), tuple(low), tuple(high))


def costs(found: Calibration, prices: Prices) -> Costs:
    """What 1,000 answers cost at each threshold that makes a difference."""
    good, bad = _risks(found.good), _risks(found.bad)
    rising = np.unique(np.concatenate([[0.0], good, bad]))
    flagged = _shares_above(good, rising) * len(good)
    missed = (1 - _shares_above(bad, rising)) * len(bad)
    each = (prices.flag * flagged + prices.miss * missed) * ANSWERS_PER_COST / (len(good) + len(bad))
    cheapest = rising[len(each) - 1 - int(np.argmin(each[::-1]))]
    return Costs(tuple(rising.tolist()), tuple(each.tolist()), float(cheapest))


def _risks(answers: Sequence[Answer]) -> Floats:
    return np.array([a.risk for a in answers if a.risk is not None], dtype=np.float64)


def _shares_above(risks: Floats, thresholds: Floats) -> Floats:
    return 1 - np.searchsorted(np.sort(risks), thresholds, side="right") / max(1, len(risks))


def _area(good: Floats, bad: Floats) -> float:
    """P(a bad answer's risk > a good one's) + P(equal) / 2 (Mann and Whitney)."""
    ordered = np.sort(good)
    below, upto = (np.searchsorted(ordered, bad, side=side).sum() for side in ("left", "right"))
    return float((below + upto) / 2 / (len(good) * len(bad)))


def _area_interval(found: Calibration) -> tuple[float, float]:
    """Percentile bootstrap over documents: answers on one document come and go together."""
    answers = (*found.good, *found.bad)
    names = [("", index) if a.document is None else (a.document, -1) for index, a in enumerate(answers)]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    documents = np.array([numbers[name] for name in names])
    risks, places = np.unique(_risks(answers), return_inverse=True)
    is_good = np.array([a.good for a in answers])
    dice = np.random.default_rng(SEED)
    areas = []
    for _ in range(RESAMPLES):
        drawn = np.bincount(dice.integers(0, len(numbers), len(numbers)), minlength=len(numbers))[documents]
        good, bad = (np.bincount(places[part], drawn[part], len(risks)) for part in (is_good, ~is_good))
        pairs = good.sum() * bad.sum()
        if pairs:  # a draw without any good or any bad answer has no area
            areas.append(float(bad @ (np.cumsum(good) - good / 2)) / pairs)
    low, high = np.quantile(areas, [0.025, 0.975]).tolist()
    return low, high


def _crossed(scores: Floats, levels: Sequence[float]) -> list[float]:
    """The share of all that is flagged when each half sets the threshold for the other."""
    middle = len(scores) // 2
    halves = (scores[:middle], scores[middle:])
    flagged = np.zeros(len(levels))
    for seen, unseen in (halves, halves[::-1]):
        ranks = [rank_of(len(seen), level) - 1 for level in levels]
        flagged += len(unseen) * _shares_above(unseen, np.sort(seen)[ranks])
    return (flagged / max(1, len(scores))).tolist()  # type: ignore[no-any-return]
