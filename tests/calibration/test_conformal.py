"""Thresholds: the guarantee as a law on any risks, its edges, and what answers on one document do to it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from guardrail.calibration.conformal import (
    document_risks,
    documents_needed,
    flag_interval,
    rank_of,
    threshold,
)

LEVELS = st.sampled_from([0.02, 0.05, 0.07, 0.1, 0.25, 0.5])
RISKS = st.floats(0, 100, allow_nan=False)


@pytest.mark.parametrize(("level", "needed"), [(0.05, 19), (0.02, 49), (0.1, 9), (0.01, 99), (0.5, 1), (0.9, 1)])
def test_a_level_needs_so_many_documents(level: float, needed: int) -> None:
    """Given a level, then its fewest documents give a threshold, their highest risk, and one fewer gives none."""
    assert documents_needed(level) == needed
    assert threshold(range(needed), level).risk is not None
    assert threshold(range(needed - 1), level).risk is None


def test_a_rank_is_reckoned_exactly() -> None:
    """Given levels whose floats lie beside the decimal, then the rank is the decimal's."""
    assert math.ceil(100 * (1 - 0.34)) == 66
    assert [rank_of(99, level) for level in (0.07, 0.34, 0.42, 0.9)] == [93, 66, 58, 10]
    assert all(rank_of(99, percent / 100) == 100 - percent for percent in range(1, 100))


@given(LEVELS, st.data())
def test_the_level_is_kept_whatever_the_risks(level: float, data: st.DataObject) -> None:
    """Given n + 1 risks of which each is as likely the new one, then at most a share `level` is above the others'
    threshold: exact, ties or none.
    """
    needed = documents_needed(level)
    risks = data.draw(st.lists(RISKS, min_size=needed + 1, max_size=needed + 60))
    flagged = _flagged_in_turn(risks, level)
    assert flagged <= level * len(risks) + 1e-9


@given(LEVELS, st.data())
def test_no_more_is_given_away_than_must_be(level: float, data: st.DataObject) -> None:
    """Given risks that all differ, then the share above the others' threshold is more than level - 1/(n + 1)."""
    needed = documents_needed(level)
    count = data.draw(st.integers(needed + 1, needed + 60))
    risks = data.draw(st.permutations(range(count)))
    flagged = _flagged_in_turn(risks, level)
    assert flagged > level * count - 1 - 1e-9
    assert flagged / count == pytest.approx(threshold(risks[1:], level).flag_share)


def _flagged_in_turn(risks: list[float] | list[int], level: float) -> int:
    """How many risks are above the threshold of all the others."""
    flagged = 0
    for index, risk in enumerate(risks):
        tau = threshold([*risks[:index], *risks[index + 1 :]], level).risk
        flagged += tau is not None and risk > tau
    return flagged


@given(st.integers(0, 2**32), st.integers(19, 120), LEVELS)
@example(seed=1, count=49, level=0.02)
def test_new_documents_are_covered_as_promised(seed: int, count: int, level: float) -> None:
    """Given many calibrations and new documents from one distribution, then coverage lies between 1 - level and
    1 - level + 1/(n + 1), up to noise.
    """
    if count < documents_needed(level):
        return
    dice = np.random.default_rng(seed)
    trials = 4_000
    sets, new = np.sort(dice.gamma(2, size=(trials, count)), axis=1), dice.gamma(2, size=trials)
    covered = float((new <= sets[:, rank_of(count, level) - 1]).mean())
    noise = 5 * math.sqrt(0.25 / trials)
    assert 1 - level - noise <= covered <= 1 - level + 1 / (count + 1) + noise


def test_equal_risks_flag_nobody() -> None:
    """Given documents that all have one risk, then the threshold is that risk, and none is above it."""
    assert threshold([1.5] * 40, 0.05).risk == 1.5
    tied = threshold([0.0] * 30 + [2.0] * 10, 0.05)
    assert (tied.rank, tied.risk) == (39, 2.0)


@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", None]), RISKS)))
def test_a_document_counts_once_with_its_highest_risk(answers: list[tuple[str | None, float]]) -> None:
    """Given answers, then there is one score a named document and one a nameless answer: no answer is above its own."""
    scores = document_risks(answers)
    names = {document for document, _ in answers if document is not None}
    assert len(scores) == len(names) + sum(document is None for document, _ in answers)
    expected = [max(risk for d, risk in answers if d == name) for name in names]
    assert sorted(scores) == sorted([*expected, *(risk for d, risk in answers if d is None)])


def test_documents_come_in_the_order_of_the_file() -> None:
    """Given documents whose answers are mixed, then the scores stand in the order in which documents first come."""
    assert document_risks([("b", 1), (None, 2), ("a", 5), ("b", 3), (None, 0)]) == [3, 2, 5, 0]


def test_answers_on_one_document_feign_no_certainty() -> None:
    """Given 10 documents of 8 answers that resemble each other, then 80 answers counted one by one flag more of the new
    documents' than the level, and 10 documents counted once give no threshold; 19 do, and keep the level.
    """
    level, each = 0.05, 8
    seen, new = _documents(10, each)
    pooled = np.sort(seen.reshape(len(seen), -1), axis=1)[:, rank_of(10 * each, level) - 1]
    assert float((new > pooled).mean()) > level + 0.02
    assert threshold(seen[0].max(axis=1).tolist(), level).risk is None
    seen, new = _documents(19, each)
    once = np.sort(seen.max(axis=2), axis=1)[:, rank_of(19, level) - 1]
    assert float((new > once).mean()) <= level + 0.01


def _documents(count: int, each: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Many times some documents with answers that lie close together, and an answer of another document."""
    dice = np.random.default_rng(7)
    risks = dice.normal(size=(4_000, count + 1, 1)) + 0.05 * dice.normal(size=(4_000, count + 1, each))
    return risks[:, :-1], risks[:, -1, 0]


def test_the_spread_of_one_calibration_is_told() -> None:
    """Given a threshold, then its interval is where nine in ten of simulated calibrations flag."""
    found = threshold(range(99), 0.05)
    low, high = flag_interval(found)
    flagged = 1 - np.sort(np.random.default_rng(3).random((20_000, 99)), axis=1)[:, found.rank - 1]
    assert (low, high) == pytest.approx(tuple(np.quantile(flagged, [0.05, 0.95])), abs=2e-3)
    assert found.flag_share == pytest.approx(0.05)
    assert low < found.flag_share < high


@given(LEVELS, st.integers(0, 2_000))
def test_an_interval_lies_between_none_and_all(level: float, more: int) -> None:
    """Given any threshold, then its interval is ordered within 0 and 1 and narrows around the share to expect."""
    low, high = flag_interval(threshold(range(documents_needed(level) + more), level))
    assert 0 <= low < high <= 1
