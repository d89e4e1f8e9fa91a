"""The curves: held against plain reckoning, and that figures repeat."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from guardrail.calibration.answers import Answer, Calibration
from guardrail.calibration.curves import Prices, costs, reliability, roc
from tests.calibration.labelled import calibration

RISKS = st.lists(st.integers(0, 12).map(lambda n: n / 4), min_size=1, max_size=25)


@given(RISKS, RISKS)
def test_the_area_is_the_known_one(good: list[float], bad: list[float]) -> None:
    """Given any risks, ties too, then the area is scikit-learn's and the one under the curve, which rises to 1."""
    found = roc(calibration(good, bad))
    assert found.area == pytest.approx(roc_auc_score([0] * len(good) + [1] * len(bad), [*good, *bad]))
    assert 0 <= found.low <= found.high <= 1
    for shares in (found.flagged, found.caught):
        assert shares[-1] == 1
        assert all(left <= right for left, right in pairwise(shares))
    steps = zip(pairwise((0, *found.flagged)), pairwise((0, *found.caught)), strict=True)
    assert sum((x1 - x0) * (y0 + y1) / 2 for (x0, x1), (y0, y1) in steps) == pytest.approx(found.area)


def test_the_interval_covers_the_true_area() -> None:
    """Given many samples of 40 and 40, then most intervals hold the true area; each repeats."""
    held = 0
    for seed in range(40):
        dice = np.random.default_rng(seed)
        found = calibration(dice.normal(0, 1, 40).tolist(), dice.normal(1, 1, 40).tolist())
        curve = roc(found)
        assert curve == roc(found)
        held += curve.low <= 0.7602 <= curve.high  # the normal distribution's value at 1 / sqrt(2)
    assert held >= 33


def test_answers_on_one_document_widen_the_interval() -> None:
    """Given the same risks, once as documents of their own and once as eight each, then the second are less certain."""
    dice = np.random.default_rng(2)
    risks = np.repeat(dice.normal(size=10), 8)
    shifted = np.repeat(dice.normal(0.7, size=10), 8)

    def found(name: str) -> Calibration:
        rows = [*((True, n, r) for n, r in enumerate(risks)), *((False, n, r) for n, r in enumerate(shifted, 80))]
        named = [Answer(good, f"{n // 8}" if name else None, float(r), "supported") for good, n, r in rows]
        return Calibration("hotel", 0.05, tuple(named))

    alone, shared = roc(found("")), roc(found("shared"))
    assert alone.area == shared.area
    assert shared.high - shared.low > 1.5 * (alone.high - alone.low)


def test_the_promise_is_kept_where_the_order_doesnt_matter() -> None:
    """Given documents in no order, then nearly every level's observed share lies in the band; the figure repeats."""
    inside, count = 0, 0
    for seed in range(12):
        scores = np.random.default_rng(seed).gamma(2, size=120).tolist()
        curve = reliability(scores)
        assert curve == reliability(scores)
        inside += sum(a <= b <= c for a, b, c in zip(curve.low, curve.observed, curve.high, strict=True))
        count += len(curve.levels)
    assert inside >= 0.75 * count


def test_a_drift_within_the_file_is_seen() -> None:
    """Given late documents of higher risks than early ones, then more are flagged than the band holds."""
    scores = np.random.default_rng(5).gamma(2, size=200)
    scores[100:] += 3
    curve = reliability(scores.tolist())
    at = curve.levels.index(0.05)
    assert curve.observed[at] > curve.high[at]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 19, 40])
def test_levels_too_low_for_half_the_documents_are_left_out(count: int) -> None:
    """Given few documents, then there are only levels that a half of them can serve, none for hardly any."""
    curve = reliability([float(n) for n in range(count)])
    assert all(1 / level - 1 <= count // 2 + 1e-9 for level in curve.levels)
    assert bool(curve.levels) == (count >= 2)
    assert len(curve.levels) == len(curve.observed) == len(curve.low) == len(curve.high)


@given(RISKS, RISKS, st.floats(0, 10), st.floats(0, 10))
def test_a_cost_is_what_is_flagged_and_missed(good: list[float], bad: list[float], flag: float, miss: float) -> None:
    """Given any risks and prices, then each cost is the plain count's, and the cheapest threshold has the least."""
    curve = costs(calibration(good, bad), Prices(flag, miss))
    for threshold, cost in zip(curve.thresholds, curve.costs, strict=True):
        plain = flag * sum(r > threshold for r in good) + miss * sum(r <= threshold for r in bad)
        assert cost == pytest.approx(plain * 1_000 / (len(good) + len(bad)))
        assert curve.at(threshold) == curve.at(threshold + 1e-9) == cost
    assert curve.at(curve.cheapest) == curve.least == min(curve.costs)


def test_of_equal_costs_the_highest_threshold_is_named() -> None:
    """Given answers that nothing tells apart for free misses, then the cheapest threshold flags nobody."""
    assert costs(calibration([1.0, 2.0], [3.0]), Prices(1, 0)).cheapest == 3.0
