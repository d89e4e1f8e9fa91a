"""The model's word on its regex, and where the value comes from: each code emitted, and a near miss that isn't."""

from __future__ import annotations

from typing import Any

import pytest

from guardrail.judge.codes import CODES
from guardrail.judge.model import Decision, Outcome, ParameterValue, Quadrant, Reply
from tests.judge.turns import BOOKING_FORMAT, HOTEL, codes, hotel, item, judged, parameter_turn, pointers, told

PLAIN = "cancel XKT904 please"
PART = "/user_messages_analysis/parameters/0"
NO_EXAMPLES: dict[str, Any] = {"examples": {}, "format": ""}
FREE = {"parameter_value_format": ""}

Row = tuple[dict[str, Any], str, dict[str, Any]]
"""Changes of the item, the user's message, changes of the configured parameter."""


def decided(row: Row) -> Decision:
    """The decision on a turn whose one parameter is as the row says."""
    changes, message, booking = row
    return told(changes, message, hotel(booking=booking))


def with_value(value: str, message: str, **booking: Any) -> Row:
    """A row about the value alone, under a pattern that takes anything."""
    changes = {"parameter_extracted_part": value, "parameter_value_format_regex": "(?s).+", **FREE}
    return changes, message, {**NO_EXAMPLES, **booking}


def with_pattern(text: str, value: str = "XKT904", **booking: Any) -> Row:
    """A row about the pattern alone."""
    changes = {"parameter_extracted_part": value, "parameter_value_format_regex": text}
    return changes, f"cancel {value} please", booking


LONG = "A" * 300
OPERATOR = {"pattern": "^[A-Z]{3}[0-9]{3}$"}

EMITTED: dict[str, tuple[Row, Row]] = {
    "simulate_true_mismatch": (
        ({"parameter_extracted_part": "ab1234"}, "its ab1234", {}),
        ({"parameter_extracted_part": "ab1234", "simulate_regex_execution": False}, "its ab1234", {}),
    ),
    "simulate_false_match": (({"simulate_regex_execution": False}, PLAIN, {}), ({}, PLAIN, {})),
    "simulation_missing": (
        ({"simulate_regex_execution": ...}, PLAIN, {}),
        ({"simulate_regex_execution": "True"}, PLAIN, {}),
    ),
    "value_not_in_message": (({}, "cancel my stay", {}), ({}, PLAIN, {})),
    "value_normalised": (with_value("AB1234", "its ab1234"), with_value("ab1234", "its ab1234")),
    "value_cut_from_token": (
        with_value("0612345678", "call 06123456789"),
        with_value("0612345678", "call 0612345678."),
    ),
    "normalised_allowed": (
        with_value("AB1234", "its ab1234", normalise=["upper"]),
        with_value("AB1234", "its AB1234", normalise=["upper"]),
    ),
    "trimmed": (
        ({"parameter_extracted_part": " XKT904 "}, PLAIN, {"normalise": ["trim"]}),
        ({}, PLAIN, {"normalise": ["trim"]}),
    ),
    "nonascii_digits": (with_value("٠٦١٢", "call ٠٦١٢"), with_value("0612", "call 0612")),
    "unicode_confusable": (with_value("АВС123", "its АВС123"), with_value("ÉVA123", "its ÉVA123")),
    "invisible_chars": (with_value("XK\u200bT904", "its XK\u200bT904"), with_value("XKT904", "its XKT904")),
    "regex_unsafe": (with_pattern("A" * 1_001), with_pattern("^[A-Z]{3}[0-9]{3}$" + "A?" * 10)),
    "regex_invalid": (with_pattern("^([A-Z]{3}[0-9]{3}$"), with_pattern("^([A-Z]{3})[0-9]{3}$")),
    "regex_unsupported": (with_pattern(r"^([A-Z])(?(1)X)"), with_pattern(r"^(?:[A-Z]{3})\d{3}$")),
    "regex_value_too_long": (with_value(LONG, f"its {LONG}"), with_value(LONG[:256], f"its {LONG[:256]}")),
    "regex_control_char": (with_pattern("\b[A-Z]{3}[0-9]{3}\b"), with_pattern(r"\b[A-Z]{3}[0-9]{3}\b")),
    "regex_overescaped": (with_pattern(r"^[A-Z]{3}\\d{3}$"), with_pattern(r"^[A-Z]{3}\d{3}$")),
    "regex_delimiters": (with_pattern("/^[A-Z]{3}[0-9]{3}$/"), with_pattern("^[A-Z]{3}[0-9]{3}$")),
    "regex_too_permissive": (with_pattern("^[A-Za-z0-9]+$"), with_pattern(r"^[A-Z]{3}\d+$")),
    "format_text_regex_disagree": (with_pattern("^X[A-Z]{2}[0-9]{3}$"), with_pattern(r"^\w{3}[0-9]{3}$", examples={})),
    "format_text_altered": (
        ({"parameter_value_format": "2 letters followed by 4 numbers (e.g., ABC123)"}, PLAIN, {}),
        ({"parameter_value_format": "3 letters, followed by 3 numbers"}, PLAIN, {}),
    ),
    "regex_looser": (
        with_pattern("^[A-Za-z]{3}[0-9]{3}$", **OPERATOR),
        with_pattern("^[A-Z]{3}[0-9]{3}$", **OPERATOR),
    ),
    "regex_stricter": (with_pattern("^X[A-Z]{2}[0-9]{3}$", **OPERATOR), with_pattern("^[A-Z]{3}[0-9]{3}$", **OPERATOR)),
    "regex_differs": (
        with_pattern("^(XKT904|abc123)$", **OPERATOR),
        with_pattern("^(ABC123|XKT904|XKT905)$", **OPERATOR),
    ),
}

BY_OTHER_TESTS = {"duplicate_parameter", "value_from_history", "regex_timed_out"}
"""The last is of the last tier alone: tests/judge/test_last_tier.py."""


def test_every_code_of_the_family_is_emitted_here() -> None:
    """Given the closed list, then each code of the family has a row, or a test of its own."""
    family = {code.partition(".")[2] for code in CODES if code.startswith("param.")}
    assert family == EMITTED.keys() | BY_OTHER_TESTS


@pytest.mark.parametrize("name", EMITTED)
def test_a_code_is_told_where_it_is_and_nowhere_near(name: str) -> None:
    """Given a turn with one fault, then its code is told inside that parameter; given a near miss, it isn't."""
    found, near = (decided(row) for row in EMITTED[name])
    assert f"param.{name}" in codes(found)
    assert f"param.{name}" not in codes(near)
    assert all(pointer.startswith(PART) for pointer in pointers(found, f"param.{name}"))


QUADRANTS = [
    (True, "XKT904", Quadrant.AGREED, Outcome.APPROVED),
    (True, "ab1234", Quadrant.MISMATCH, Outcome.REJECTED),
    (False, "XKT904", Quadrant.UNDERCLAIM, Outcome.REJECTED),
]


@pytest.mark.parametrize(("simulated", "value", "quadrant", "outcome"), QUADRANTS)
def test_word_and_run_stand_side_by_side(simulated: bool, value: str, quadrant: Quadrant, outcome: Outcome) -> None:
    """Given the model's word and our run, then the quadrant is observed and the outcome follows."""
    changes = {"simulate_regex_execution": simulated, "parameter_extracted_part": value}
    decision = told(changes, f"cancel {value} please", answer="Which reservation is it?")
    assert [o.quadrant for o in decision.observations] == [quadrant]
    assert decision.outcome is outcome
    assert (decision.answer_source == "reprompt") is (outcome is Outcome.REJECTED)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("The booking ID should contain 3 letters followed by 3 numbers. Please give it again.", Outcome.APPROVED),
        ("Thanks, I noted ab1234.", Outcome.REJECTED),
    ],
)
def test_a_refusal_is_right_when_the_answer_asks_again(answer: str, outcome: Outcome) -> None:
    """Given a value that the model itself refuses, then asking again is approved and taking it all the same isn't."""
    changes = {"simulate_regex_execution": False, "parameter_extracted_part": "ab1234"}
    decision = told(changes, "its ab1234", answer=answer)
    assert [o.quadrant for o in decision.observations] == [Quadrant.REFUSAL]
    assert decision.outcome is outcome
    assert passed(decision) == ()


@pytest.mark.parametrize("name", ["regex_unsafe", "regex_invalid", "regex_unsupported", "regex_value_too_long"])
def test_what_could_not_be_run_is_undecided_and_never_a_mismatch(name: str) -> None:
    """Given a pattern that can't be run, then the observation is undecided and the turn is refused with a reprompt."""
    decision = decided(EMITTED[name][0])
    assert [o.quadrant for o in decision.observations] == [Quadrant.UNDECIDED]
    assert (decision.outcome, decision.answer_source) == (Outcome.REJECTED, "reprompt")


def passed(decision: Decision) -> tuple[ParameterValue, ...]:
    """The values that the channel tier gets."""
    assert isinstance(decision.reply, Reply)
    return decision.reply.parameters


def test_a_value_that_passed_is_handed_on() -> None:
    """Given a right turn, then the value goes out under the configured id."""
    decision = told({}, PLAIN)
    assert decision.outcome is Outcome.APPROVED
    assert passed(decision) == (ParameterValue("Booking_id", "XKT904"),)


KEPT_BACK: dict[str, Row] = {
    "mismatch": ({"parameter_extracted_part": "ab1234"}, "its ab1234", {}),
    "not_the_users": ({}, "cancel my stay", {}),
    "altered": with_value("AB1234", "its ab1234"),
    "discredited_by_an_example": with_pattern("^[A-Za-z0-9]+$"),
    "discredited_by_its_format_text": with_pattern("^X[A-Z]{2}[0-9]{3}$", examples={}),
    "refused_by_the_operator": with_pattern("^[A-Za-z0-9]+$", "ab1234", **OPERATOR),
    "unknown": ({"parameter_id": "Passport"}, PLAIN, {}),
    "of_another_intent": ({"parameter_id": "Nights", "parameter_extracted_part": "4"}, "cancel 4", {}),
    "empty": ({"parameter_extracted_part": "", "parameter_value_format_regex": ".*"}, PLAIN, NO_EXAMPLES),
}


@pytest.mark.parametrize("name", KEPT_BACK)
def test_a_value_that_did_not_pass_is_kept_back_whatever_the_policy_reports(name: str) -> None:
    """Given a value that failed, when the policy only reports, then the turn passes and the value still doesn't
    go out.
    """
    changes, message, booking = KEPT_BACK[name]
    lenient = {"param": "report", "catalog": "report", "consistency": "report", "schema": "report"}
    decision = told(changes, message, hotel(booking=booking, on_fail=lenient), answer="Which reservation is it?")
    assert decision.outcome is Outcome.APPROVED
    assert passed(decision) == ()


def test_the_operators_pattern_decides_the_value() -> None:
    """Given an operator's pattern, then it passes a value that the model's bad examples alone would discredit."""
    decision = decided(with_pattern("^X[A-Z]{2}[0-9]{3}$", **OPERATOR))
    assert passed(decision) == (ParameterValue("Booking_id", "XKT904"),)
    assert "param.regex_stricter" in codes(decision)


def test_the_quadrant_stays_the_models_word_beside_its_own_regex() -> None:
    """Given an operator's pattern that refuses, then the model's agreed run is still observed as agreed."""
    decision = decided(with_pattern("^[A-Za-z0-9]+$", "ab1234", **OPERATOR))
    assert [o.quadrant for o in decision.observations] == [Quadrant.AGREED]
    assert {"param.regex_too_permissive", "param.regex_looser"} <= codes(decision)
    assert decision.answer_source == "reprompt"


def test_a_value_from_an_earlier_turn_needs_leave() -> None:
    """Given a value of an earlier user turn, then it passes where the policy allows history, and not of the
    assistant's.
    """
    turns = [{"role": "user", "text": "it is XKT904"}]
    allowed = hotel(booking={"normalise": ["history"]})
    decision = told({}, "yes that one", allowed, record={"history": turns})
    assert "param.value_from_history" in codes(decision)
    assert passed(decision) == (ParameterValue("Booking_id", "XKT904"),)
    assert "param.value_not_in_message" in codes(told({}, "yes that one", record={"history": turns}))
    spoken = [{"role": "assistant", "text": "it is XKT904"}]
    assert "param.value_not_in_message" in codes(told({}, "yes that one", allowed, record={"history": spoken}))


def test_the_value_is_run_as_the_model_gave_it() -> None:
    """Given outer blanks, then they count unless the policy allows trim; the value that goes out is then the
    trimmed one.
    """
    changes = {"parameter_extracted_part": " XKT904 "}
    assert [o.quadrant for o in told(changes, PLAIN).observations] == [Quadrant.MISMATCH]
    trimmed = told(changes, PLAIN, hotel(booking={"normalise": ["trim"]}))
    assert trimmed.outcome is Outcome.APPROVED
    assert passed(trimmed) == (ParameterValue("Booking_id", "XKT904"),)


def test_an_empty_value_is_run_too() -> None:
    """Given an empty value, then there is an observation all the same, and nothing goes out."""
    decision = told({"parameter_extracted_part": ""}, PLAIN)
    assert [o.quadrant for o in decision.observations] == [Quadrant.MISMATCH]


def test_a_parameter_named_twice_gives_no_value() -> None:
    """Given one parameter twice, then both are told and neither value goes out; two different ones are fine."""
    decision = judged(parameter_turn(item(), item()), PLAIN)
    assert pointers(decision, "param.duplicate_parameter") == [PART, "/user_messages_analysis/parameters/1"]
    assert passed(decision) == ()
    nights = {"parameter_id": "Nights", "parameter_value_format": HOTEL["parameters"][1]["format"]}
    two = judged(parameter_turn(item(), item(**nights)), PLAIN)
    assert "param.duplicate_parameter" not in codes(two)


def test_a_parameter_in_two_spellings_is_named_twice() -> None:
    """Given one parameter under two spellings of its id, then it counts as named twice."""
    decision = judged(parameter_turn(item(), item(parameter_id="booking_ID")), PLAIN)
    assert "param.duplicate_parameter" in codes(decision)


def test_an_observation_for_every_execution() -> None:
    """Given known, unknown and unrunnable parameters, then each run is observed, and a made-up name is `other`."""
    items = [item(), item(parameter_id="Passport"), item(parameter_value_format_regex=5)]
    decision = judged(parameter_turn(*items), PLAIN)
    assert [o.parameter_id for o in decision.observations] == ["Booking_id", "other"]


def test_a_mismatch_carries_hints() -> None:
    """Given a value that would match but for its case, then the observation says so."""
    decision = told({"parameter_extracted_part": "xkt904"}, "cancel xkt904 please")
    assert [o.hints for o in decision.observations] == [("case_only",)]


def test_an_underclaim_may_be_reported_only() -> None:
    """Given a policy that reports an underclaim, then the turn passes; its value doesn't."""
    lenient = hotel(on_fail={"param.simulate_false_match": "report"})
    decision = told({"simulate_regex_execution": False}, PLAIN, lenient)
    assert decision.outcome is Outcome.APPROVED
    assert passed(decision) == ()


@pytest.mark.parametrize(
    "given", [BOOKING_FORMAT, BOOKING_FORMAT.upper(), "3 letters followed by 3 numbers", "ABC123), "]
)
def test_a_format_text_may_be_spelled_otherwise(given: str) -> None:
    """Given the format in another case, cut at its end or empty of words, then only a real change is told."""
    decision = told({"parameter_value_format": given}, PLAIN)
    assert ("param.format_text_altered" in codes(decision)) is (given == "ABC123), ")
