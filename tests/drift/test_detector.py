"""The detector keeps its promise on false alarms by theorem, and finds what it is there for."""

import random
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from guardrail.drift.detector import (
    LARGEST_RATE,
    LEAST_RATE,
    ODDS,
    RISK,
    SHIFTS,
    Detector,
    evidence,
    shift,
    upper_bound,
    weights,
)

MONTH = 129_600_000
RATES = st.floats(LEAST_RATE, LARGEST_RATE)


@given(RATES, st.integers(1, 50))
def test_a_trial_adds_one_on_average(rate: float, before: int) -> None:
    """Given the rate that is promised, then E grows by the number of trials on average: no faster, whatever it was."""
    event, other = Detector(rate, [float(before)] * 5), Detector(rate, [float(before)] * 5)
    mean = rate * event.add(1, 1, 1e12) + (1 - rate) * other.add(1, 0, 1e12)
    assert mean == pytest.approx(before + 1)


@given(RATES, st.floats(0, 1))
def test_a_lower_rate_adds_less(rate: float, share: float) -> None:
    """Given a rate below the one that is promised, then E grows by less than the trials on average."""
    lower = rate * share
    event, other = Detector(rate, [7.0] * 5), Detector(rate, [7.0] * 5)
    assert lower * event.add(1, 1, 1e12) + (1 - lower) * other.add(1, 0, 1e12) <= 8 * (1 + 1e-9)


@given(RATES, st.integers(0, 10**9), st.data())
def test_any_minute_can_be_taken(rate: float, trials: int, data: st.DataObject) -> None:
    """Given any number of trials and events at once, then E is a number between nothing and ten thresholds."""
    events = data.draw(st.integers(0, trials))
    detector = Detector(rate)
    for _ in range(3):
        assert 0 <= detector.add(trials, events, MONTH) <= 10 * MONTH
    assert 0 <= evidence(detector.mean, MONTH) < 1.2


@given(RATES)
def test_shifted_rates_are_probabilities(rate: float) -> None:
    """Every shift is one that makes the event more frequent, and no more than certain."""
    assert all(1 < shift(each, rate) <= each and shift(each, rate) * rate <= 0.9 + 1e-12 for each in SHIFTS)
    assert all(gain > 0 > loss for gain, loss in weights(rate))


@pytest.mark.parametrize(("times", "most"), [(2, 60_000), (5, 8_000), (10, 3_000)])
def test_finds_a_shift(times: int, most: int) -> None:
    """Given a rate that is several times the promised one, then there is an alarm within so many trials."""
    dice, detector, trials = random.Random(times), Detector(1e-3), 0
    while detector.add(1, int(dice.random() < times * 1e-3), MONTH) < MONTH:
        trials += 1
    assert trials < most


def test_keeps_silent() -> None:
    """Given the promised rate itself, then a threshold of 10,000 is crossed less often than once in 10,000 trials."""
    dice, detector, alarms = random.Random(5), Detector(1e-2), 0
    for _ in range(400_000):
        if detector.add(1, int(dice.random() < 1e-2), 1e4) >= 1e4:
            alarms += 1
            detector.reset()
    assert 0 < alarms < 40


def test_shows_that_a_rate_is_back() -> None:
    """Given trials without events, then the odds for being back reach a thousand; at twice the rate they never do."""
    detector, trials = Detector(1e-3), 0
    while not detector.returned(1_000, 0):
        trials += 1_000
    assert trials == pytest.approx(log(ODDS) * 1_000, rel=0.2)
    detector.reset()
    assert not any(detector.returned(1_000, 2) for _ in range(1_000))


@given(st.integers(1, 10**7), st.integers(0, 1_000), st.integers(1, 50))
def test_bounds_as_chi_square_says(trials: int, events: int, look: int) -> None:
    """The bound is Poisson's, by the quantile of chi-square that the books give, at its look's part of the risk."""
    quantile = chi2.ppf(1 - RISK / (look * (look + 1)), 2 * events + 2)
    assert upper_bound(trials, events, look) == pytest.approx(max(LEAST_RATE, quantile / 2 / trials))


def test_looks_spend_one_risk() -> None:
    """All looks together spend the risk, and no more."""
    assert sum(RISK / (look * (look + 1)) for look in range(1, 100_000)) == pytest.approx(RISK, rel=1e-4)
