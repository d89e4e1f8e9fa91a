"""The decision: its fields in their order, outcomes by action, shadow, limits, ids, and what is never raised."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardrail.judge.codes import CODES
from guardrail.judge.contract import PARAMETERS_MAX
from guardrail.judge.decide import STRUCTURE, decide, judge
from guardrail.judge.model import Action, Decision, Outcome, RawRecord, Reply, Source, encode
from guardrail.judge.policy import ENGINE
from tests.benchmarks.traffic import bank_turns
from tests.judge.turns import answer, codes, hotel, item, judged, parameter_turn, record, scope_turn, told
from tests.scoring import policies

PLAIN = "cancel XKT904 please"


def line(decision: Decision) -> dict[str, Any]:
    """The decision as its JSON line."""
    found = json.loads(encode(decision))
    assert isinstance(found, dict)
    return found


FIELDS = [
    *("schema_version", "decision_id", "message_id", "agent", "policy", "engine", "mode", "outcome"),
    *("enforced_outcome", "answer_source", "reply", "violations", "edits", "observations", "grounding"),
    *("source", "trace_id", "took_us"),
]


def test_a_decision_line_has_its_fields_in_their_order() -> None:
    """Given any decision, then its line has the published fields, in the published order, and a place for the chain."""
    for decision in (
        judged(scope_turn()),
        judged("no JSON"),
        decide([RawRecord(None)], {})[0],
        decide([RawRecord(b"x")], {})[0],
    ):
        keys = list(line(decision))
        assert [key for key in keys if key in FIELDS] == FIELDS
        assert set(keys) - set(FIELDS) == {"rulings", "on_error", "chain", "bypass"}
        assert line(decision)["chain"] == {"prev": None, "hash": None}


def test_the_parts_of_a_decision_have_their_fields_in_their_order() -> None:
    """Given a rejected turn with everything in it, then each part has the published fields, in their order."""
    found = line(told({"parameter_extracted_part": "xkt904"}, "cancel xkt904 please"))
    assert list(found["reply"]) == ["detected_intent", "generated_answer", "parameters"]
    assert list(found["reply"]["detected_intent"]) == ["id", "name"]
    assert list(found["reply"]["generated_answer"]) == ["answer", "answer_refer_to_parameter_id"]
    assert list(found["violations"][0]) == ["code", "pointer", "detail", "action"]
    assert list(found["observations"][0]) == ["parameter_id", "quadrant", "simulated", "execution", "tier", "hints"]
    assert list(found["grounding"]) == ["risk", "score", "tau", "verdict", "claims"]
    assert list(found["grounding"]["claims"][0]) == ["text", "risk", "verdict", "evidence_id", "reason"]
    assert list(found["source"]) == ["topic", "partition", "offset", "timestamp_ms", "received_ms"]
    corrected = line(judged(scope_turn("Which night?</content>")))
    assert list(corrected["edits"][0]) == ["pointer", "before", "after", "evidence_id"]
    assert list(line(told({}, PLAIN))["reply"]["parameters"][0]) == ["parameter_id", "parameter_value"]


def test_an_approved_decision_says_who_judged_what() -> None:
    """Given an approved record, then the decision names agent, revision, engine, mode, source and message."""
    decision = judged(scope_turn())
    assert (decision.agent, decision.policy, decision.engine) == ("hotel", hotel().revision, ENGINE)
    assert (decision.mode, decision.outcome, decision.enforced_outcome) == (
        "enforce",
        Outcome.APPROVED,
        Outcome.APPROVED,
    )
    assert (decision.message_id, decision.answer_source) == ("m-1", "llm")
    assert decision.source == Source("raw", 0, 7, 1_790_000_000_000)
    assert (decision.schema_version, decision.trace_id, decision.took_us, decision.on_error) == (1, None, None, None)
    assert decision.edits == decision.violations == decision.observations == ()


def test_a_dead_letter_knows_what_could_be_known() -> None:
    """Given an unknown agent, then the decision names it, without policy, mode or reply."""
    [decision] = decide([record("hi", "x", "nobody")], {"hotel": hotel()})
    assert (decision.outcome, decision.enforced_outcome) == (Outcome.DEAD_LETTER, Outcome.DEAD_LETTER)
    assert (decision.agent, decision.policy, decision.mode) == ("nobody", None, None)
    assert (decision.reply, decision.answer_source, decision.grounding) == (None, None, None)
    assert [(v.code, v.pointer, v.action) for v in decision.violations] == [
        ("transport.unknown_agent", "/agent_id", Action.DEAD_LETTER)
    ]


def test_ids_follow_source_and_revision_alone() -> None:
    """Given the same place and policy, then the id is one whatever the bytes; another place or revision has another."""
    policies = {"hotel": hotel()}
    first, second = record("a", scope_turn()), record("b", "other")
    same = {d.decision_id for d in decide([first, second], policies)}
    assert len(same) == 1
    places = [Source("raw", 1, 7), Source("raw", 0, 8), Source("more", 0, 7), Source(offset=7)]
    others = decide([RawRecord(first.value, source=place) for place in places], policies)
    [revised] = decide([first], {"hotel": hotel(prompt="other")})
    assert len(same | {revised.decision_id} | {d.decision_id for d in others}) == 6
    assert all(len(d.decision_id) == 32 for d in others)


def test_the_order_of_records_is_kept() -> None:
    """Given a batch, then there is one decision for each record, in order, each the same as alone."""
    records = [record("hi", scope_turn()), RawRecord(None), RawRecord(b"x"), record("a room", "no JSON")]
    together = decide(records, {"hotel": hotel()})
    assert [d.outcome for d in together] == [Outcome.APPROVED, Outcome.SKIPPED, Outcome.DEAD_LETTER, Outcome.REJECTED]
    assert together == [decide([one], {"hotel": hotel()})[0] for one in records]
    assert decide([], {}) == []


ACTIONS = [
    ("reject", Outcome.REJECTED, ["reject"]),
    ("report", Outcome.APPROVED, ["report"]),
    ("ignore", Outcome.APPROVED, []),
]


@pytest.mark.parametrize(("action", "outcome", "listed"), ACTIONS)
def test_the_action_decides_the_outcome(action: str, outcome: Outcome, listed: list[str]) -> None:
    """Given a finding and the policy's action for it, then the outcome follows; what is ignored isn't listed."""
    policy = hotel(on_fail={"consistency.evidence_too_short": action})
    decision = judged(scope_turn(evidence_from_prompt="Book Room"), policy=policy)
    assert decision.outcome is outcome
    assert [v.action.value for v in decision.violations] == listed


def test_one_reject_outweighs_any_correction() -> None:
    """Given something to correct beside something to reject, then the response is rejected."""
    decision = judged(scope_turn("Which night?</content>", evidence_from_prompt="Book Room"))
    assert {Action.CORRECT, Action.REJECT} <= {v.action for v in decision.violations}
    assert decision.outcome is Outcome.REJECTED


@pytest.mark.parametrize("on_fail", [{"syntax": "ignore", "schema": "ignore"}, {"syntax.no_json": "reject"}])
def test_what_cannot_be_read_is_refused_whatever_the_policy_says(on_fail: dict[str, str]) -> None:
    """Given a response without JSON, then it is rejected with a fallback under any policy."""
    decision = judged("Sorry, no JSON today", policy=hotel(on_fail=on_fail))
    assert (decision.outcome, decision.answer_source) == (Outcome.REJECTED, "fallback")
    assert "syntax.no_json" in codes(decision)


SHADOWED: list[tuple[Any, str, Outcome, str | None]] = [
    (scope_turn(), "a room", Outcome.APPROVED, "Which night would you like?"),
    (scope_turn("Which night?</content>"), "a room", Outcome.CORRECTED, "Which night?</content>"),
    (scope_turn("Yes, I found them.", intent=None), "my tests", Outcome.REJECTED, "Yes, I found them."),
]


@pytest.mark.parametrize(("turn", "message", "enforced", "text"), SHADOWED)
def test_under_shadow_the_models_content_goes_out(turn: Any, message: str, enforced: Outcome, text: str) -> None:
    """Given shadow, then the model's operational content is approved, and the decision says what would have been."""
    decision = judged(turn, message, hotel(mode="shadow"))
    assert (decision.mode, decision.outcome, decision.enforced_outcome) == ("shadow", Outcome.APPROVED, enforced)
    assert (decision.answer_source, answer(decision)) == ("llm", text)
    assert decision.violations == judged(turn, message).violations
    assert not {"evidence_from_prompt", "out_of_scope_request"} & set(line(decision)["reply"]["generated_answer"])


ODD: list[tuple[Any, str]] = [
    ("no JSON", "no JSON"),
    (["x"], '["x"]'),
    (5, "5"),
    (None, "null"),
    (10**30, str(10**30)),
    ("half \ud83d", "half \ufffd"),
]


@pytest.mark.parametrize(("response", "text"), ODD)
def test_under_shadow_what_is_unreadable_passes_as_it_came(response: Any, text: str) -> None:
    """Given shadow and a response that can't be read, then its original text is the reply."""
    value = {"agent_id": "hotel", "user_message": "hi", "response": response}
    [decision] = decide([RawRecord(json.dumps(value).encode())], {"hotel": hotel(mode="shadow")})
    assert (decision.outcome, decision.enforced_outcome) == (Outcome.APPROVED, Outcome.REJECTED)
    assert decision.reply == text
    encode(decision)


def test_under_shadow_a_dead_letter_stays_one() -> None:
    """Given shadow, then what is no record is still a dead letter, and a tombstone skipped."""
    policies = {"hotel": hotel(mode="shadow")}
    dead, skipped = decide([RawRecord(b"x"), RawRecord(None)], policies)
    assert (dead.outcome, skipped.outcome) == (Outcome.DEAD_LETTER, Outcome.SKIPPED)


LIMITS: list[tuple[dict[str, int], Any, str, str]] = [
    ({"answer_chars": 10}, scope_turn(), "limits.answer_too_long", "/generated_answer/answer"),
    ({"response_chars": 50}, scope_turn(), "limits.too_large", ""),
    ({"depth": 2}, scope_turn(), "limits.too_deep", ""),
    ({"record_bytes": 50}, scope_turn(), "limits.too_large", ""),
    (
        {"pattern_chars": 5},
        parameter_turn(),
        "param.regex_unsafe",
        "/user_messages_analysis/parameters/0/parameter_value_format_regex",
    ),
    (
        {"value_chars": 3},
        parameter_turn(),
        "param.regex_value_too_long",
        "/user_messages_analysis/parameters/0/parameter_value_format_regex",
    ),
]


@pytest.mark.parametrize(("limits", "turn", "code", "pointer"), LIMITS)
def test_each_limit_refuses_what_is_beyond(limits: dict[str, int], turn: Any, code: str, pointer: str) -> None:
    """Given a limit that the response breaks, then it is refused with the limit's code; without it, it isn't."""
    decision = judged(turn, PLAIN, hotel(limits=limits))
    assert decision.outcome is Outcome.REJECTED
    [violation] = [v for v in decision.violations if v.code == code]
    assert violation.pointer.startswith(pointer)
    assert code not in codes(judged(turn, PLAIN))


def test_an_answer_at_its_limit_passes() -> None:
    """Given an answer of exactly the limit, then it passes; one character more doesn't."""
    text = "Which night would you like?"
    assert judged(scope_turn(text), policy=hotel(limits={"answer_chars": len(text)})).outcome is Outcome.APPROVED
    assert judged(scope_turn(text), policy=hotel(limits={"answer_chars": len(text) - 1})).outcome is Outcome.REJECTED


def test_violations_are_bounded() -> None:
    """Given a response with hundreds of faults, then the decision lists a bounded number of them."""
    items = [dict.fromkeys(item(), 1) for _ in range(PARAMETERS_MAX)]
    decision = judged(parameter_turn(*items), PLAIN)
    assert len(decision.violations) == 200
    assert decision.outcome is Outcome.REJECTED


def test_parameters_are_bounded() -> None:
    """Given more parameters than any turn names, then none is looked at, and the response is refused."""
    decision = judged(parameter_turn(*[item()] * (PARAMETERS_MAX + 1)), PLAIN)
    assert codes(decision) == {"limits.too_large"}
    assert decision.outcome is Outcome.REJECTED
    assert decision.observations == ()


def test_a_key_given_twice_is_used_only_when_both_agree() -> None:
    """Given a key twice, then the same value is reported, and two values are refused and none of them goes out."""
    text = json.dumps(parameter_turn())
    twice = text.replace(
        '"parameter_extracted_part":', '"parameter_extracted_part": "XKT904", "parameter_extracted_part":'
    )
    other = text.replace(
        '"parameter_extracted_part":', '"parameter_extracted_part": "ABC123", "parameter_extracted_part":'
    )
    same, differing = judged(twice, PLAIN), judged(other, PLAIN)
    assert (same.outcome, "types.duplicate_key" in codes(same)) == (Outcome.APPROVED, True)
    assert differing.outcome is Outcome.REJECTED
    assert isinstance(differing.reply, Reply)
    assert differing.reply.parameters == ()
    assert "param.simulation_missing" not in codes(differing)


def test_a_simulation_given_twice_is_ambiguous_not_missing() -> None:
    """Given two different simulations, then that is a duplicate key and undecided, and not called missing."""
    text = json.dumps(parameter_turn()).replace(
        '"simulate_regex_execution":', '"simulate_regex_execution": false, "simulate_regex_execution":'
    )
    decision = judged(text, PLAIN)
    assert "types.duplicate_key" in codes(decision)
    assert not {"param.simulation_missing", "schema.missing_reasoning"} & codes(decision)
    assert [o.quadrant.value for o in decision.observations] == ["undecided"]


def test_the_structural_checks_alone_read_no_answer() -> None:
    """Given the structural checks alone, then nothing is grounded, and what they see is the same."""
    raw = record("hi", scope_turn("A specialist will call you back."))
    [structural] = judge([raw], {"hotel": hotel()}, checks=STRUCTURE)
    assert structural.decision.grounding is None
    assert structural.decision.outcome is Outcome.APPROVED


def test_an_answer_with_a_bidi_control_is_corrected_even_where_it_is_reported() -> None:
    """Given a reordering control in the answer, then it is cut by default; invisible characters are only reported."""
    assert judged(scope_turn("Which\u202e night?")).outcome is Outcome.CORRECTED
    invisible = judged(scope_turn("Which night would\u200b you like?"))
    assert (invisible.outcome, "encoding.invisible_chars" in codes(invisible)) == (Outcome.APPROVED, True)


def test_the_codes_of_a_decision_are_on_the_closed_list() -> None:
    """Given any decision above, then its codes are known and its actions possible for them."""
    decisions = [judged(turn, PLAIN, hotel(limits=limits)) for limits, turn, _, _ in LIMITS]
    for violation in (v for d in decisions for v in d.violations):
        assert CODES[violation.code].allows(violation.action)


def test_texts_that_no_encoding_carries_are_put_readably() -> None:
    """Given half a surrogate pair in ids and names, then the decision can still be written."""
    policy = hotel()
    value = json.dumps(
        {"agent_id": "hotel", "message_id": "m", "user_message": "x", "response": scope_turn("\ud83d no")}
    )
    [decision] = decide([RawRecord(value.encode())], {"hotel": policy})
    encode(decision)


def test_right_turns_are_let_through_whatever_their_values() -> None:
    """Given many right turns with values of their own, then every one is approved as it is."""
    policy = policies()["bank-en"]
    decisions = decide(bank_turns(policy, 300), {policy.agent: policy})
    assert {decision.outcome for decision in decisions} == {Outcome.APPROVED}


def test_slices_change_nothing() -> None:
    """Given more records than are judged side by side, then each decision is the one it would have alone."""
    policy = policies()["bank-en"]
    records = bank_turns(policy, 150)
    together = decide(records, {policy.agent: policy})
    assert together == [decide([record], {policy.agent: policy})[0] for record in records]


def test_a_null_id_leaves_the_word_to_the_current_intent() -> None:
    """Given a detected intent with a name and no id, then the current intent is the response's own (CONTRACT §3)."""
    turn = {**parameter_turn(), "detected_intent": {"id": None, "name": "Book Room"}}
    decision = judged(turn, PLAIN)
    assert isinstance(decision.reply, Reply)
    assert decision.reply.detected_intent.id == "Cancel_Reservation"
