"""Scorers beside the built-in verifier: what they are asked, how their scores meet, and that none is ever left out."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.errors import PolicyError, ScorerError
from guardrail.judge.decide import decide, judge
from guardrail.judge.failing import unjudged
from guardrail.judge.model import Decision, Grounding, Outcome, RawRecord, Verdict, encode
from guardrail.judge.policy import Policy, compile_policy
from guardrail.judge.scoring import CLAIMS_MAX, LEXICAL, Asked, Scale, Scored, Scorer, Scorers
from guardrail.stream.judging import Judging
from tests.judge.turns import HOTEL, answer, codes, hotel, record, scope_turn

RIGHT = "Check-in opens at 3 pm and check-out closes at 11 am."
LOOSE = "Guests adore the quiet garden behind the house."
WRONG = "Breakfast costs 40 euros per person."
LEXICAL_SCALE = {"slope": 1.5, "intercept": -3.0}
NLI_SCALE = {"version": "1", "slope": 4.0, "intercept": -2.0}


class Fake:
    """A scorer that says what a function says of each claim, and keeps what it was asked."""

    def __init__(self, says: Callable[[Asked], float] = lambda _: 0.0, version: str = "1") -> None:
        self.says = says
        self.version = version
        self.calls: list[Sequence[Asked]] = []

    def __call__(self, asked: Sequence[Asked]) -> list[float]:
        self.calls.append(asked)
        return [self.says(one) for one in asked]

    @property
    def claims(self) -> list[list[str]]:
        """The claims of each call."""
        return [[one.claim for one in call] for call in self.calls]


class Given:
    """A scorer that gives these scores whatever it is asked."""

    version = "1"

    def __init__(self, *scores: Any) -> None:
        self.scores = scores

    def __call__(self, _: Sequence[Asked]) -> Sequence[float]:
        return list(self.scores)


def scored(calibration: float | None = None, **changes: Any) -> Policy:
    """The small policy with the scorer `nli` beside the built-in verifier."""
    grounding: dict[str, Any] = {"scorers": {LEXICAL: LEXICAL_SCALE, "nli": NLI_SCALE}}
    if calibration is not None:
        grounding["calibration"] = {"risk": calibration, "level": 0.05, "answers": 50}
    return hotel(grounding=grounding, **changes)


def turn(text: str, message: str = "What should I know?", policy: Policy | None = None, **fields: Any) -> RawRecord:
    """A record with this answer."""
    return record(message, scope_turn(text, policy), **fields)


def decided(raw: RawRecord, policy: Policy, nli: Scorer) -> Decision:
    """The decision with this scorer."""
    [decision] = decide([raw], {policy.agent: policy}, scorers={"nli": nli})
    return decision


def grounding(decision: Decision) -> Grounding:
    """The grounding of a decision that has one."""
    assert decision.grounding is not None
    return decision.grounding


def sigma(scale: dict[str, Any], score: float) -> float:
    """A probability by the formula as it is written."""
    return 1 / (1 + math.exp(-(scale["slope"] * score + scale["intercept"])))


def test_a_policy_without_scorers_is_judged_as_ever() -> None:
    """Given scorers at hand that no policy names, then none is asked, and nothing of a decision differs."""
    policy, nli = hotel(), Fake()
    for text in (RIGHT, LOOSE, WRONG, "Which night?"):
        raw = turn(text)
        assert encode(decided(raw, policy, nli)) == encode(decide([raw], {policy.agent: policy})[0])
        assert judge([raw], {policy.agent: policy}, scorers={"nli": nli})[0].scored is None
    assert nli.calls == []


def test_scorers_are_policy() -> None:
    """Given another scale or version, then the revision is another; without any it is what it was."""
    same = {LEXICAL: LEXICAL_SCALE, "nli": NLI_SCALE}
    other = {**same, "nli": {**NLI_SCALE, "version": "2"}}
    flatter = {**same, LEXICAL: {**LEXICAL_SCALE, "slope": 1.4}}
    revisions = {hotel(grounding={"scorers": scorers}).revision for scorers in (same, other, flatter)}
    assert len(revisions | {hotel().revision}) == 4
    again = compile_policy(scored().resolved.decode())
    assert (again.revision, again.scales) == (scored().revision, scored().scales)


@pytest.mark.parametrize("said", [-1.0, 0.4, 0.6, 3.0])
def test_a_claims_risk_is_the_highest_probability(said: float) -> None:
    """Given a claim with a score of each scorer, then its risk is the higher of the two probabilities, and the answer's
    is made of the claims' as ever.
    """
    text = f"{RIGHT} {LOOSE}"
    plain = grounding(decided(turn(text), hotel(), Fake()))
    nli = Fake(lambda one: said if one.claim == LOOSE else -9.0)
    [judged] = judge([turn(text)], {"hotel": scored()}, scorers={"nli": nli})
    found = grounding(judged.decision)
    lexical = [sigma(LEXICAL_SCALE, claim.risk or 0.0) for claim in plain.claims]
    expected = [lexical[0], max(lexical[1], sigma(NLI_SCALE, said))]
    assert [claim.risk for claim in found.claims] == pytest.approx(expected)
    assert judged.scored is not None
    assert found.risk == judged.scored.risk(scored().scales)
    weights = judged.scored.weights
    mean = sum(p * w for p, w in zip(expected, weights, strict=True)) / sum(weights)
    assert found.risk == pytest.approx(mean + hotel().evidence.ground.terms / 2 * (max(expected) - mean))
    assert plain.risk == judged.scored.score(LEXICAL)


def test_the_scorer_that_speaks_is_named() -> None:
    """Given an unsupported claim, then its reason is the scorer's name, or the built-in verifier's signal as ever."""
    policy = hotel(grounding={"scorers": {LEXICAL: {"slope": 1.0, "intercept": -1.0}, "nli": NLI_SCALE}})
    by_nli, by_ours = (decided(turn(LOOSE), policy, Given(score)) for score in (9.0, -9.0))
    assert [(c.verdict, c.reason) for c in grounding(by_nli).claims] == [(Verdict.UNSUPPORTED, "nli")]
    assert [(c.verdict, c.reason) for c in grounding(by_ours).claims] == [(Verdict.UNSUPPORTED, "nowhere_unheld")]
    [fine] = grounding(decided(turn(RIGHT), policy, Given(-9.0))).claims
    assert (fine.verdict, fine.reason) == (Verdict.SUPPORTED, None)
    [nothing_against] = [Scored({LEXICAL: (0.0,)}, (1,), 0.0, whole=True).ratings({LEXICAL: Scale(1.0, 2.0)})]
    assert nothing_against == [(Scale(1.0, 2.0).probability(0.0), LEXICAL)]


def test_our_own_verifier_may_be_named_alone() -> None:
    """Given a policy with a scale for the built-in verifier only, then risks are its probabilities, and no scorer is
    needed; where no signal speaks but the probability is high, the reason is its name.
    """
    policy = hotel(grounding={"scorers": {LEXICAL: {"slope": 1.0, "intercept": 3.0}}})
    [decision] = decide([turn(RIGHT)], {policy.agent: policy})
    [claim] = grounding(decision).claims
    plain = grounding(decided(turn(RIGHT), hotel(), Fake())).claims[0].risk
    assert claim.risk == pytest.approx(sigma({"slope": 1.0, "intercept": 3.0}, plain or 0.0))
    assert claim.reason == LEXICAL


def test_equal_probabilities_are_ours_then_by_name() -> None:
    """Given equal probabilities, then the built-in verifier speaks; without it the first by name."""
    scale = Scale(1.0, 0.0)
    found = Scored({"b": (1.0,), "a": (1.0,), LEXICAL: (1.0,)}, (1,), 0.0, whole=True)
    assert found.ratings({"b": scale, "a": scale, LEXICAL: scale})[0][1] == LEXICAL
    assert found.ratings({"b": scale, "a": scale, LEXICAL: Scale(0.5, 0.0)})[0][1] == "a"


@given(st.floats(1e-6, 1e6), st.floats(-1e6, 1e6), st.floats(allow_nan=False, allow_infinity=False), st.floats(0, 1e9))
def test_a_higher_score_is_never_a_lower_risk(slope: float, intercept: float, score: float, more: float) -> None:
    """Given any scale, then probabilities lie in [0, 1] and rise with the score; so does an answer's risk."""
    scale = Scale(slope, intercept)
    low, high = scale.probability(score), scale.probability(max(score, min(score + more, 1.7e308)))
    assert 0 <= low <= high + 1e-15 <= 1 + 1e-15
    scales = {LEXICAL: scale, "nli": Scale(1.0, 0.0)}
    first, second = (
        Scored({LEXICAL: (one, 0.0), "nli": (0.0, 0.0)}, (3, 4), 0.5, whole=True).risk(scales)
        for one in (score, max(score, min(score + more, 1.7e308)))
    )
    assert 0 <= first <= second + 1e-12


def test_one_call_holds_the_claims_of_one_answer() -> None:
    """Given several records, then each answer is a call of its own, with each claim once, and what it is held
    against.
    """
    policy, nli = scored(), Fake()
    texts = [f"Sure! {RIGHT} {LOOSE} {LOOSE} Which night would you like?", RIGHT]
    decide([turn(text) for text in texts], {policy.agent: policy}, scorers={"nli": nli})
    assert nli.claims[:2] == [[RIGHT, LOOSE], [RIGHT]]
    one = nli.calls[0][0]
    assert one.question == "What should I know?"
    assert one.passages == tuple(passage["text"] for passage in HOTEL["evidence"])
    assert HOTEL["prompt"] in one.context


def test_a_flood_of_claims_is_a_bounded_call() -> None:
    """Given more claims than a call may hold, then those beyond are asked about as one, and its score is each one's."""
    texts = [f"Room {n} has {n + 1} beds and a desk." for n in range(3 * CLAIMS_MAX)]
    nli = Fake(lambda one: float(len(one.claim) > 40))
    for count in (CLAIMS_MAX - 1, CLAIMS_MAX, CLAIMS_MAX + 1, 3 * CLAIMS_MAX):
        [found] = judge([turn(" ".join(texts[:count]))], {"hotel": scored()}, scorers={"nli": nli})
        asked, own = nli.claims[0], min(count, CLAIMS_MAX - 1)
        assert len(asked) == min(count, CLAIMS_MAX)
        assert " ".join(asked) == " ".join(texts[:count])
        assert found.scored is not None
        many = float(count > CLAIMS_MAX)
        assert found.scored.scores["nli"] == (0.0,) * own + (many,) * (count - own)
        nli.calls.clear()


def in_its_batch(asked: Sequence[Asked]) -> list[float]:
    """Scores as a model's arithmetic gives them: each depends on all that is in the call."""
    total = sum(len(one.claim) for one in asked)
    return [math.sin(len(one.claim) * total) for one in asked]


class Batched:
    """A scorer whose scores depend on their batch."""

    version = "1"

    def __call__(self, asked: Sequence[Asked]) -> list[float]:
        return in_its_batch(asked)


def test_a_batch_changes_no_decision() -> None:
    """Given a scorer whose arithmetic depends on its batch, then a record's decision doesn't depend on its neighbours,
    to the last bit.
    """
    policy = scored(0.5)
    raws = [turn(text) for text in (RIGHT, f"{LOOSE} {RIGHT}", LOOSE, WRONG, f"{WRONG} {LOOSE}")] * 30
    lent: Scorers = {"nli": Batched()}
    together = decide(raws, {policy.agent: policy}, scorers=lent)
    alone = [decide([raw], {policy.agent: policy}, scorers=lent)[0] for raw in raws[:5]]
    assert [encode(one) for one in together] == [encode(one) for one in alone] * 30


SILENT = ["Which night would you like?", "Thank you!", "早餐不包含在标准价格中。", "We open. " + "x" * 9_000]


@pytest.mark.parametrize("text", SILENT)
def test_what_can_not_be_scored_is_not_asked_about(text: str) -> None:
    """Given an answer that asserts nothing, one in an unknown script, or one that is too long, then no scorer is
    asked.
    """
    nli = Fake(lambda _: 9.0)
    decision = decided(turn(text), scored(), nli)
    assert nli.calls == []
    assert decision.grounding is None or decision.grounding.risk is None


def test_without_evidence_there_is_nothing_to_score_by() -> None:
    """Given a policy without passages, then no scorer is asked and the verdict is the same; given one in the record,
    it is.
    """
    policy, nli = scored(evidence=[]), Fake(lambda _: 9.0)
    [found] = judge([turn(LOOSE)], {policy.agent: policy}, scorers={"nli": nli})
    assert nli.calls == []
    assert grounding(found.decision).verdict is Verdict.NO_EVIDENCE
    assert found.scored is not None
    assert not found.scored.whole
    decided(turn(LOOSE, evidence=["The garden is quiet."]), policy, nli)
    assert nli.calls[0][0].passages == ("The garden is quiet.",)


def test_no_scorer_sees_half_a_character() -> None:
    """Given lone surrogates in question, answer and evidence, then a scorer gets texts that can be encoded."""
    nli = Fake()
    fields = {"evidence": ["The garden \ud83d is quiet."]}
    decided(turn("The garden \ud83d is open at night.", "what \ud83d?", **fields), scored(), nli)
    assert nli.calls
    for one in (one for call in nli.calls for one in call):
        assert all(text.encode() for text in (one.question, one.claim, *one.passages, *one.context))


def test_a_calibrated_risk_acts_on_the_common_scale() -> None:
    """Given a threshold on the common scale, then a claim that only the scorer doubts is acted on, its name told; one
    that nobody doubts passes.
    """
    policy = scored(0.9)
    acted = decided(turn(RIGHT), policy, Fake(lambda _: 9.0))
    assert "ground.unsupported_sentence" in codes(acted)
    assert "above the calibrated risk: nli" in next(
        v.detail for v in acted.violations if v.code == "ground.unsupported_sentence"
    )
    assert acted.outcome is not Outcome.APPROVED
    assert decided(turn(RIGHT), policy, Fake(lambda _: -9.0)).outcome is Outcome.APPROVED


def test_a_correction_is_asked_about_too() -> None:
    """Given a wrong figure that evidence puts right, then the scorer is asked about the corrected answer, and one that
    it doubts doesn't leave.
    """
    policy = scored(0.9)
    fine, doubting = Fake(lambda _: -9.0), Fake(lambda one: -9.0 if "40" in one.claim else 9.0)
    corrected = decided(turn(WRONG), policy, fine)
    assert corrected.outcome is Outcome.CORRECTED
    assert [answer(corrected)] in fine.claims
    refused = decided(turn(WRONG), policy, doubting)
    assert refused.outcome is Outcome.REJECTED
    assert len(doubting.calls) > 1


MISSING: list[tuple[Scorers, str]] = [
    ({}, "agent hotel: grounding.scorers.nli: this scorer isn't there"),
    ({"other": Fake()}, "agent hotel: grounding.scorers.nli: this scorer isn't there"),
    ({"nli": Fake(version="2")}, "agent hotel: grounding.scorers.nli.version: the policy pins 1, there is 2"),
]


@pytest.mark.parametrize(("lent", "fault"), MISSING)
def test_a_scorer_is_never_left_out(lent: Scorers, fault: str) -> None:
    """Given a policy whose scorer isn't lent, or in another version, then nothing is judged, be there records of that
    agent or not.
    """
    policies = {"hotel": scored(), "inn": hotel(agent="inn")}
    for raws in ([turn(RIGHT)], [turn("Hi!", agent="inn")], []):
        with pytest.raises(PolicyError, match=fault):
            decide(raws, policies, scorers=lent)


FAULTS: list[tuple[Scorer, type[Exception]]] = [
    (Fake(lambda _: 1 / 0), ZeroDivisionError),
    (Fake(lambda _: math.nan), ScorerError),
    (Fake(lambda _: math.inf), ScorerError),
    (Given(), ScorerError),
    (Given(0.1, 0.2), ScorerError),
    (Given("much"), ValueError),
    (Given(None), TypeError),
]


@pytest.mark.parametrize(("nli", "error"), FAULTS)
def test_a_scorers_fault_is_our_own_error(nli: Scorer, error: type[Exception]) -> None:
    """Given a scorer that raises, gives another count or no finite number, then its record alone is a dead letter, or
    passes marked under fail_open; what asserts nothing is judged as ever.
    """
    raws = [turn("Which night would you like?"), turn(RIGHT), turn("Which night would you like?")]
    for on_error, outcome in (("fail_closed", Outcome.DEAD_LETTER), ("fail_open", Outcome.APPROVED)):
        policies, noted = {"hotel": scored(on_error=on_error)}, list[str]()
        with pytest.raises(error):
            decide([raws[1]], policies, scorers={"nli": nli})
        found = Judging(lambda some, p: judge(some, p, scorers={"nli": nli}), 1.0, noted.append).judge(raws, policies)
        assert [one.decision.on_error for one in found] == [None, on_error, None]
        assert found[1].decision.outcome is outcome
        assert found[1].decision == msgspec.structs.replace(unjudged(raws[1], policies).decision)
        assert noted == [error.__name__]


LEXICAL_MISSING = "lexical is missing: the built-in verifier needs a scale beside others"
UNFIT: list[tuple[dict[str, Any], str]] = [
    ({"scorers": {"nli": NLI_SCALE}}, f"grounding.scorers: {LEXICAL_MISSING}"),
    ({"scorers": {LEXICAL: NLI_SCALE}}, "grounding.scorers.lexical.version: the engine's own"),
    ({"scorers": {LEXICAL: LEXICAL_SCALE, "nli": LEXICAL_SCALE}}, "grounding.scorers.nli.version: missing"),
    ({"scorers": {LEXICAL: {"slope": 0, "intercept": 0}}}, "slope: Input should be greater than 0"),
    ({"scorers": {LEXICAL: {"slope": 1}}}, "intercept: Field required"),
    ({"scorers": {LEXICAL: LEXICAL_SCALE, "n l i": NLI_SCALE}}, "n l i"),
    ({"scorers": {LEXICAL: LEXICAL_SCALE, "nli": {**NLI_SCALE, "versoin": "1"}}}, "versoin: unknown key"),
    (
        {"scorers": {LEXICAL: LEXICAL_SCALE}, "calibration": {"risk": 1.5, "level": 0.05, "answers": 20}},
        "grounding.calibration.risk: above 1",
    ),
]


@pytest.mark.parametrize(("keys", "fault"), UNFIT)
def test_scales_that_say_nothing_are_faults(keys: dict[str, Any], fault: str) -> None:
    """Given scorers without the built-in one, without a version or with a useless scale, then the policy doesn't load
    and says where.
    """
    with pytest.raises(PolicyError, match=r"^policy:\d+: ") as told:
        compile_policy(json.dumps({**HOTEL, "grounding": keys}))
    assert fault in str(told.value)
