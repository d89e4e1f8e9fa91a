"""Measures of detectors and corrections, on cases small enough to be counted by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import measures
from tests.measures import Flags

RISKS = [0.1, 0.4, 0.4, 0.9]
WRONG = [False, False, True, True]


def test_auroc_counts_pairs_and_halves_ties() -> None:
    """Given four answers, then 3.5 of the four pairs are in order."""
    assert measures.auroc(RISKS, WRONG) == pytest.approx(3.5 / 4)


@given(st.lists(st.tuples(st.floats(0, 9), st.booleans()), min_size=2, max_size=30))
def test_auroc_turns_with_its_risks(answers: list[tuple[float, bool]]) -> None:
    """Given any answers of both kinds, then risks turned over give the rest to one; of one kind there is no figure."""
    risks, wrong = [risk for risk, _ in answers], [bad for _, bad in answers]
    found = measures.auroc(risks, wrong)
    if len(set(wrong)) == 1:
        assert math.isnan(found)
    else:
        assert found + measures.auroc([-risk for risk in risks], wrong) == pytest.approx(1)


def test_draws_are_seeded_and_hold_whole_documents() -> None:
    """Given documents of one right and one wrong answer, then each draw has both, and the same seed the same draws."""
    risks, wrong, documents = [0.0, 1.0] * 9, [False, True] * 9, [n // 2 for n in range(18)]
    drawn = measures.draws(risks, wrong, documents, count=50)
    assert drawn.tolist() == [1.0] * 50
    first, again, other = (
        measures.draws([1, 0, *risks], [False, True, *wrong], [99, 99, *documents], seed=seed, count=50).tolist()
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_an_interval_holds_most_draws() -> None:
    """Given draws of 0 to 100, then the 90 % interval cuts five on each side."""
    found = measures.interval(50, np.arange(101.0), level=0.9)
    assert [found.value, found.low, found.high] == pytest.approx([50, 5, 95])


@given(st.lists(st.integers(0, 5), min_size=2, max_size=40), st.integers(0, 99))
def test_a_shuffle_leaves_no_row_its_own(keys: list[int], seed: int) -> None:
    """Given keys of which none has more than half, then each place gets one of another key, and each is used once."""
    if 2 * max(map(keys.count, keys)) > len(keys):
        with pytest.raises(ValueError, match="meet itself"):
            measures.deranged(keys, seed)
        return
    found = measures.deranged(keys, seed)
    assert sorted(found) == list(range(len(keys)))
    assert all(keys[place] != keys[other] for place, other in enumerate(found))
    assert found == measures.deranged(keys, seed)


def test_the_threshold_is_the_conformal_one() -> None:
    """Given n answers of n documents, then it is the ceil((n + 1)(1 - a))-th smallest risk; below 19 there is none."""
    assert measures.clusters_needed(0.05) == 19
    assert measures.clusters_needed(0.02) == 49
    assert measures.threshold(range(19), range(19), 0.05) == 18
    assert measures.threshold(range(100), range(100), 0.05) == 95
    assert measures.threshold(range(18), range(18), 0.05) == math.inf
    assert measures.threshold([], [], 0.05) == math.inf


def test_a_document_counts_once() -> None:
    """Given a document with many high risks, then they weigh as one answer's."""
    risks, documents = [*range(40), *[100] * 40], [*range(40), *[99] * 40]
    assert measures.threshold(risks, documents, 0.05) == 39


def test_flags_lie_above_the_threshold() -> None:
    """Given a threshold that an answer just reaches, then it isn't flagged."""
    assert measures.flags(RISKS, WRONG, 0.4) == Flags(0.0, 0.5)
    assert measures.flags(RISKS, WRONG, 0.3) == Flags(0.5, 1.0)


def test_f1_of_wrong_answers_alone_hides_the_false_flags() -> None:
    """Given the published recall, then F1 is the published one, and flagging everything beats it where it is paired."""
    assert measures.f1_of_wrong_alone(0.9142) == pytest.approx(0.9552, abs=5e-5)
    assert measures.balanced_f1(Flags(1, 1)) == pytest.approx(2 / 3)
    assert measures.balanced_f1(Flags(0.9062, 0.9142)) < 2 / 3
    assert measures.balanced_f1(Flags(0, 0)) == 0


def test_shares_means_and_percentiles() -> None:
    """Given few samples, then a share or mean of none is no number, and a percentile is one of the samples."""
    assert measures.share([True, False, True, True]) == 0.75
    assert math.isnan(measures.share([]))
    assert measures.mean([1, 2, 6]) == 3
    assert math.isnan(measures.mean([]))
    assert [measures.percentile([3, 1, 2, 4], part) for part in (0.01, 0.5, 0.99)] == [1, 2, 4]


def test_words_are_what_two_spellings_share() -> None:
    """Given case, accents and punctuation, then they don't count; a figure stays whole."""
    assert measures.words("L'été, à 1.250,50 € !") == ["l", "ete", "a", "1.250,50"]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("American", True),
        ("She is an american folksinger.", True),
        ("She is Americana.", False),
        ("Nothing of the kind", False),
        ("", False),
    ],
)
def test_a_short_gold_is_found_inside_a_sentence(text: str, *, right: bool) -> None:
    """Given a one-word gold, then a text that has it as a word is right."""
    assert measures.right_by_gold(text, ["American", "..."]) is right


def test_a_long_gold_may_be_said_in_other_words() -> None:
    """Given four of five words, then it is right; restored only where all are."""
    gold = "Breakfast costs 14 euros daily."
    assert measures.token_f1("breakfast costs 14 euros today", gold) == pytest.approx(0.8)
    assert measures.right_by_gold("breakfast costs 14 euros today", [gold])
    assert not measures.right_by_gold("breakfast costs 15 euros today", [gold])
    assert not measures.restored("breakfast costs 14 euros today", [gold])
    assert measures.restored("breakfast costs 14 euros, daily", ["no", gold])
