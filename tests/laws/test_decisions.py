"""Laws of the judge: whatever comes in, one decision comes out, always the same, and it says nothing false about its
record.
"""

from __future__ import annotations

import json

import msgspec
from hypothesis import HealthCheck, given, settings

from guardrail.judge.codes import CODES
from guardrail.judge.decide import decide, judge
from guardrail.judge.model import Action, Decision, Outcome, RawRecord, Reply, encode
from guardrail.judge.policy import compile_policy
from guardrail.judge.record import replace_response
from tests.laws.strategies import raw, records
from tests.scoring import judge_cases, policies, read_cases

POLICIES = policies()
SHADOW = {
    agent: compile_policy(json.dumps({**json.loads(p.resolved), "mode": "shadow"})) for agent, p in POLICIES.items()
}
law = settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
REASONING = {"evidence_from_prompt", "intents_i_am_familiar_with", "out_of_scope_request", "user_messages_analysis"}


def one(record: RawRecord) -> Decision:
    return decide([record], POLICIES)[0]


@law
@given(records)
def test_any_bytes_give_a_decision_that_can_be_written(record: RawRecord) -> None:
    """Whatever the bytes, the judge gives one decision, and it is valid JSON."""
    written = json.loads(encode(one(record)))
    assert written["outcome"] in {outcome.value for outcome in Outcome}
    assert all(v["code"] in CODES and v["action"] in {a.value for a in Action} for v in written["violations"])


@law
@given(records)
def test_twice_the_same(record: RawRecord) -> None:
    """The same bytes under the same policy give the same decision."""
    assert encode(one(record)) == encode(one(record))


@law
@given(records, records)
def test_alone_or_in_any_batch_the_same(first: RawRecord, second: RawRecord) -> None:
    """A record's decision doesn't depend on its neighbours, grounding scores included."""
    known = raw(json.dumps(read_cases("clinic.jsonl")[1]["record"]["value"]).encode(), 9)
    together = decide([first, known, second, first], POLICIES)
    assert [encode(d) for d in together] == [encode(one(r)) for r in (first, known, second, first)]


@law
@given(records)
def test_outcome_follows_from_the_actions(record: RawRecord) -> None:
    """A rejecting action rejects, a correcting one corrects or rejects, and nothing else does."""
    decision = one(record)
    actions = {violation.action for violation in decision.violations}
    if decision.outcome is Outcome.APPROVED:
        assert not actions & {Action.REJECT, Action.CORRECT, Action.DEAD_LETTER}
    if decision.outcome is Outcome.CORRECTED:
        assert Action.REJECT not in actions
        assert decision.edits
    if decision.outcome is Outcome.REJECTED:
        assert actions & {Action.REJECT, Action.CORRECT}
    if decision.outcome is Outcome.DEAD_LETTER:
        assert decision.reply is None


@law
@given(records)
def test_what_leaves_is_whole_and_holds_no_reasoning(record: RawRecord) -> None:
    """Every outcome but dead letter and skipped has a reply with all its keys and an answer, and no reasoning field."""
    [judged] = judge([record], POLICIES)
    reply = judged.decision.reply
    if judged.decision.outcome in {Outcome.DEAD_LETTER, Outcome.SKIPPED}:
        return
    assert isinstance(reply, Reply)
    assert reply.generated_answer.answer
    assert (reply.detected_intent.id is None) == (reply.detected_intent.name is None)
    assert judged.record is not None
    output = json.loads(replace_response(judged.record, encode(reply)))
    assert not REASONING & {*output["response"], *output["response"]["generated_answer"]}


@law
@given(records)
def test_unknown_fields_travel_on(record: RawRecord) -> None:
    """What the record holds besides the response stands in the output with the same meaning."""
    [judged] = judge([record], POLICIES)
    if judged.record is None or judged.decision.reply is None:
        return
    before = json.loads(record.value or b"{}")
    after = json.loads(replace_response(judged.record, encode(judged.decision.reply)))  # type: ignore[arg-type]
    assert {k: v for k, v in after.items() if k != "response"} == {k: v for k, v in before.items() if k != "response"}


@law
@given(records)
def test_scores_and_risks_stay_in_their_bounds(record: RawRecord) -> None:
    """Scores lie in [0, 1], risks are finite and not negative."""
    grounding = one(record).grounding
    if grounding is None:
        return
    assert grounding.score is None or 0 <= grounding.score <= 1
    risks = [grounding.risk, *(claim.risk for claim in grounding.claims)]
    assert all(risk is None or 0 <= risk < float("inf") for risk in risks)


def test_a_corrected_answer_is_approved_when_judged_again() -> None:
    """A corrected answer, put in the place of the wrong one, is approved as it stands."""
    cases = read_cases("cases.jsonl") + read_cases("clinic.jsonl")
    checked = 0
    for case, decision in zip(cases, judge_cases(cases, POLICIES), strict=True):
        value = case["record"].get("value")
        if (
            decision.outcome is not Outcome.CORRECTED
            or not isinstance(decision.reply, Reply)
            or not isinstance(value, dict)
        ):
            continue
        tree = json.loads(value["response"])
        tree["generated_answer"]["answer"] = decision.reply.generated_answer.answer
        again = one(raw(json.dumps({**value, "response": json.dumps(tree)}).encode()))
        assert again.outcome is Outcome.APPROVED, (case["id"], again.violations)
        checked += 1
    assert checked >= 15


@law
@given(records)
def test_shadow_lets_everything_readable_through_and_says_what_would_have_been(record: RawRecord) -> None:
    """Under shadow every judged record is approved, and enforced_outcome is what enforce gives."""
    shadow, enforced = decide([record], SHADOW)[0], one(record)
    assert shadow.enforced_outcome is enforced.outcome
    if enforced.outcome not in {Outcome.DEAD_LETTER, Outcome.SKIPPED}:
        assert shadow.outcome is Outcome.APPROVED
        assert shadow.mode == "shadow"


def test_pointers_resolve() -> None:
    """Every pointer of a readable response's violations resolves in the response, or names its parent."""
    cases = read_cases("cases.jsonl") + read_cases("clinic.jsonl")
    checked = 0
    for case, decision in zip(cases, judge_cases(cases, POLICIES), strict=True):
        try:
            tree = json.loads(case["record"]["value"]["response"])
        except (KeyError, TypeError, ValueError, RecursionError):
            continue
        if (
            not isinstance(tree, dict)
            or not {"generated_answer", "detected_intent", "user_messages_analysis"} & tree.keys()
        ):
            continue
        for violation in decision.violations:
            if violation.code.partition(".")[0] not in {"transport", "syntax", "types"}:
                resolve(tree, violation.pointer)
                checked += 1
    assert checked > 300


def resolve(tree: object, pointer: str) -> object:
    """What an RFC 6901 pointer names. Raises: LookupError when nothing."""
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]  # type: ignore[index]
    return tree


def test_a_decision_survives_a_round_trip() -> None:
    """A decision line decodes back to the very decision."""
    for decision in judge_cases(read_cases("cases.jsonl"), POLICIES):
        assert msgspec.json.decode(encode(decision), type=Decision) == decision


def test_decision_ids_name_source_and_revision() -> None:
    """The same record delivered twice has the same id; another offset or policy has another."""
    value = json.dumps(read_cases("clinic.jsonl")[1]["record"]["value"]).encode()
    first, again, other = decide([raw(value, 1), raw(value, 1), raw(value, 2)], POLICIES)
    assert first.decision_id == again.decision_id != other.decision_id
    assert decide([raw(value, 1)], SHADOW)[0].decision_id != first.decision_id
