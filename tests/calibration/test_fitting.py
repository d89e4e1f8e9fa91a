"""Scorers' scales are fitted on one half of the documents, and the threshold is taken from the other."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from guardrail.calibration.answers import Calibration, Ledger, uncalibrated
from guardrail.calibration.curves import Prices, area_alone, roc
from guardrail.calibration.fitting import FIT_DOCUMENTS_MIN, platt, refitted
from guardrail.calibration.fragment import fragment
from guardrail.calibration.samples import Sample, read_sample
from guardrail.errors import InputError
from guardrail.judge.decide import judge
from guardrail.judge.policy import Policy, compile_policy
from guardrail.judge.scoring import LEXICAL, Asked
from guardrail.report.page import page
from tests.calibration.labelled import UNLIKE, bare, labelled, supported
from tests.judge.turns import HOTEL, hotel

BAD = (
    UNLIKE,
    "Breakfast is served on the roof terrace until 11 pm, pancakes and champagne included.",
    "Dogs sleep in the wine cellar for 300 pounds a week.",
)


class Marked:
    """A scorer that knows the bad answers; of the good ones longer texts are riskier."""

    version = "v 1.0"

    def __call__(self, asked: Sequence[Asked]) -> list[float]:
        return [len(one.claim) / 100 + 3 * any(one.claim in text for text in BAD) for one in asked]


VERSIONS = {"nli": Marked.version}


def answers(good: int, bad: int, per_document: int = 1) -> list[str]:
    """Labelled lines: so many good and bad answers, some on each document."""
    records = [(record, "good", n) for n, record in enumerate(supported(good))]
    records += [(bare(BAD[n % len(BAD)]), "bad", n) for n in range(bad)]
    return [
        labelled({**record, "message_id": f"{label}-{n}"}, label=label, document=f"{label}-{n // per_document}")
        for record, label, n in records
    ]


def samples(lines: Sequence[str]) -> list[Sample]:
    """The samples of labelled lines."""
    return [found for n, line in enumerate(lines) if (found := read_sample(line.encode(), n)) is not None]


def entered(lines: Sequence[str], policy: Policy | None = None, versions: Any = VERSIONS) -> list[Calibration]:
    """The calibrations of these lines, not fitted yet."""
    policy = policy or hotel()
    policies = uncalibrated({policy.agent: policy}, versions)
    read, ledger = samples(lines), Ledger()
    ledger.enter(read, judge([one.record for one in read], policies, scorers={"nli": Marked()}))
    return ledger.close(0.05)


@pytest.fixture(scope="module")
def fitted() -> Calibration:
    """Fitted on 20 good and 20 bad documents of 41 and 40."""
    [found] = refitted(entered(answers(41, 40)), VERSIONS)
    return found


def test_a_document_is_on_one_side(fitted: Calibration) -> None:
    """Given answers on documents, then those that were fitted on are counted and gone, and all others are there."""
    assert fitted.fitted is not None
    assert (fitted.fitted.good, fitted.fitted.bad, fitted.fitted.documents) == (20, 20, 40)
    assert (len(fitted.good), len(fitted.bad), fitted.threshold.documents) == (21, 20, 21)
    [clustered] = refitted(entered(answers(80, 80, per_document=2)), VERSIONS)
    assert clustered.fitted is not None
    assert (clustered.fitted.good, clustered.fitted.documents, len(clustered.good)) == (40, 40, 40)
    assert len({answer.document for answer in clustered.good}) == 20


def test_the_order_of_the_file_tells_nothing(fitted: Calibration) -> None:
    """Given the same lines in another order, then scales and threshold are the same to the last digit."""
    [again] = refitted(entered(answers(41, 40)[::-1]), VERSIONS)
    assert fragment(again) == fragment(fitted)
    nameless = [json.dumps({**json.loads(line), "document": None}) for line in answers(41, 40)]
    [one], [other] = (refitted(entered(lines), VERSIONS) for lines in (nameless, nameless[::-1]))
    assert fragment(one) == fragment(other)


def test_the_judge_gives_the_risks_that_the_threshold_was_taken_from(fitted: Calibration) -> None:
    """Given a fragment merged into the policy, then each answer's risk is the calibrated one, bit for bit, and as many
    good ones as promised lie at most at the threshold.
    """
    policy = compile_policy(json.dumps({**HOTEL, **yaml.safe_load(fragment(fitted))}))
    assert policy.layout.grounding.calibration is not None
    assert policy.scales["nli"].version == Marked.version
    read = samples(answers(41, 40))
    judged = judge([one.record for one in read], {"hotel": policy}, scorers={"nli": Marked()})
    risks = {
        sample.document: one.decision.grounding.risk
        for sample, one in zip(read, judged, strict=True)
        if one.decision.grounding is not None
    }
    assert all(risks[answer.document] == answer.risk for answer in fitted.answers)
    threshold = policy.layout.grounding.calibration.risk
    assert threshold == fitted.threshold.risk
    assert sum((answer.risk or 0) <= threshold for answer in fitted.good) >= fitted.threshold.rank
    assert all((answer.risk or 0) > threshold for answer in fitted.bad)


def test_an_earlier_calibration_leaves_no_trace(fitted: Calibration) -> None:
    """Given a policy with scales and a threshold already, then it is fitted as if it had none."""
    scorers = {LEXICAL: {"slope": 9, "intercept": 9}, "old": {"version": "3", "slope": 1, "intercept": 0}}
    calibration = {"risk": 0.0, "level": 0.05, "answers": 20}
    before = hotel(grounding={"scorers": scorers, "calibration": calibration})
    [again] = refitted(entered(answers(41, 40), before), VERSIONS)
    assert fragment(again) == fragment(fitted)


def test_a_policys_own_scales_stay_where_none_is_fitted() -> None:
    """Given a policy with scales and no scorer to fit, then risks are on its scales, of all answers."""
    scorers = {LEXICAL: {"slope": 1, "intercept": -1}, "nli": {"version": Marked.version, "slope": 1, "intercept": 0}}
    [found] = entered(answers(20, 5), hotel(grounding={"scorers": scorers}), versions=None)
    assert found.fitted is None
    assert len(found.good) == 20
    assert all(0 <= (answer.risk or 0) <= 1 for answer in found.answers)
    assert yaml.safe_load(fragment(found)).keys() == {"grounding"}
    assert "scorers" not in yaml.safe_load(fragment(found))["grounding"]


FEW = [
    (37, 40, f"hotel: 18 documents with good answers in the half to fit scorers on, {FIT_DOCUMENTS_MIN} are needed"),
    (40, 37, f"hotel: 18 documents with bad answers in the half to fit scorers on, {FIT_DOCUMENTS_MIN} are needed"),
    (40, 0, f"hotel: 0 documents with bad answers in the half to fit scorers on, {FIT_DOCUMENTS_MIN} are needed"),
]


@pytest.mark.parametrize(("good", "bad", "fault"), FEW)
def test_too_few_are_refused(good: int, bad: int, fault: str) -> None:
    """Given too few documents with good or with bad answers, then nothing is fitted and it says how many there are."""
    with pytest.raises(InputError, match=fault):
        refitted(entered(answers(good, bad)), VERSIONS)


def test_the_other_half_must_bear_the_level() -> None:
    """Given a stricter level than the other half's documents bear, then it is refused and says how many are needed."""
    [found] = entered(answers(41, 40))
    with pytest.raises(InputError, match="21 documents with good answers in the half for the threshold, 49 are needed"):
        refitted([Calibration(found.agent, 0.02, found.answers)], VERSIONS)


@pytest.mark.parametrize("scores", [lambda _: 1.0, lambda one: -len(one.claim), lambda _: 1e308])
def test_a_scorer_that_tells_nothing_is_refused(scores: Any) -> None:
    """Given scores that are all one, or lower for bad answers, then the scorer is named and nothing is fitted."""

    class Told(Marked):
        def __call__(self, asked: Sequence[Asked]) -> list[float]:
            return [scores(one) for one in asked]

    read, ledger = samples(answers(41, 40)), Ledger()
    policies = uncalibrated({"hotel": hotel()}, VERSIONS)
    ledger.enter(read, judge([one.record for one in read], policies, scorers={"nli": Told()}))
    with pytest.raises(InputError, match=r"^hotel: nli: a higher score doesn't go with bad answers here"):
        refitted(ledger.close(0.05), VERSIONS)


def test_what_scorers_were_not_asked_about_does_not_count() -> None:
    """Given answers without any evidence, then they don't count, whatever the prompt bears out."""
    lines = [*answers(2, 0), labelled(bare("Booking id format: 3 letters followed by 3 numbers (e.g., ABC123)."))]
    [found] = entered(lines, hotel(evidence=[]))
    assert (found.good, found.uncounted) == ((), {("no_evidence", True): 3})


def test_the_scale_is_platts() -> None:
    """Given scores of 100 answers, then slope and intercept are where the likelihood of Platt's targets is highest."""
    dice = np.random.default_rng(1)
    scores, good = np.r_[dice.normal(0, 1, 60), dice.normal(1, 2, 40)], np.arange(100) < 60
    slope, intercept = platt(scores, good)
    targets = np.where(good, 1 / 62, 41 / 42)

    def loss(a: float, b: float) -> float:
        odds = a * scores + b
        return float((np.logaddexp(0, odds) - targets * odds).sum())

    least = loss(slope, intercept)
    steps = ((0.01, 0), (-0.01, 0), (0, 0.01), (0, -0.01), (0.01, -0.01), (-0.01, 0.01))
    assert all(loss(slope + a, intercept + b) > least for a, b in steps)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_the_unit_of_a_scorer_does_not_matter(shift: float, unit: float) -> None:
    """Given scores in another unit, then the same answers have the same probabilities."""
    scores, good = np.array([0.0, 1.0, 2.0, 1.5, 3.0, 4.0]), np.array([True] * 3 + [False] * 3)
    (a, b), (c, d) = platt(scores, good), platt(scores * unit + shift * unit, good)
    assert math.isclose(a, c * unit, rel_tol=1e-3)
    assert np.allclose(a * scores + b, c * (scores * unit + shift * unit) + d, atol=abs(shift) * 1e-4 + 1e-3)


def test_perfect_scores_give_a_finite_scale() -> None:
    """Given answers that are told apart without a fault, then slope and intercept are finite."""
    assert all(math.isfinite(x) for x in platt(np.arange(40.0), np.arange(40) < 20))


def test_the_page_tells_what_each_scorer_adds(fitted: Calibration) -> None:
    """Given a fitted calibration, then its page has each scorer's version, scale and area, and of which answers."""
    text = page([fitted], Prices())
    assert "Fitted on 20 good and 20 bad answers of 40 documents" in text
    assert 'scope="row">nli</th><td>v 1.0</td>' in text
    assert f"<td>{area_alone(fitted, 'nli'):.3f}</td>" in text
    assert f"<td>{roc(fitted).area:.3f}</td>" in text
    assert (area_alone(fitted, "nli"), roc(fitted).area) == (1.0, 1.0)
    assert 0.5 < area_alone(fitted, LEXICAL) <= 1
    unlabelled = Calibration(fitted.agent, fitted.level, fitted.good, fitted.fitted)
    assert 'scope="row">together</th><td></td><td></td><td></td><td></td>' in page([unlabelled], Prices())


def test_a_fragment_says_what_it_rests_on(fitted: Calibration) -> None:
    """Given a fitted calibration, then the fragment names scorers in their order and the answers behind each part."""
    text = fragment(fitted)
    assert "put scorers and calibration under that" in text
    assert "# Scorers fitted on 20 good and 20 bad answers of 40 other documents." in text
    found = yaml.safe_load(text)["grounding"]
    assert list(found["scorers"]) == [LEXICAL, "nli"]
    assert found["calibration"]["answers"] == 21
