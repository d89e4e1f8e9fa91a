"""Names held against the catalogue: each code emitted, and a near miss that isn't."""

from __future__ import annotations

from typing import Any

import pytest

from guardrail.judge.codes import CODES
from guardrail.judge.model import Decision, Intent, Outcome, Reply
from tests.judge.turns import codes, hotel, item, judged, parameter_turn, pointers, scope_turn

MESSAGE = "cancel XKT904 please"
FAMILIAR = "/generated_answer/intents_i_am_familiar_with"
REFER = "/generated_answer/answer_refer_to_parameter_id"
NAMES = ["Book Room", "Cancel Reservation", "Ask Check In Time"]


def named(given: str | None, name: str | None = ...) -> dict[str, Any]:  # type: ignore[assignment]
    """A scope turn with this intent id and name (the same, unless one is given)."""
    return {**scope_turn(), "detected_intent": {"id": given, "name": given if name is ... else name}}


def familiar(*names: Any) -> dict[str, Any]:
    """A scope turn whose model says it knows these intents."""
    return scope_turn(intents_i_am_familiar_with=list(names))


EMITTED: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "unknown_intent": (named("Unblock_Card"), "/detected_intent/id", named("Book_Room")),
    "intent_case": (named("BOOK_ROOM", "Book Room"), "/detected_intent/id", named("Book_Room", "Book Room")),
    "intent_normalised": (named("Book_Room", "Book  room."), "/detected_intent/name", named("Book_Room", "Book Room")),
    "intent_translated": (
        named("Prendre un rendez-vous avec le médecin"),
        "/detected_intent/id",
        named("Reserve a table for the evening with us"),
    ),
    "intent_id_name_mismatch": (
        named("Book_Room", "Cancel Reservation"),
        "/detected_intent/name",
        named("Book_Room", "Book Room"),
    ),
    "familiar_intents_unknown": (familiar(*NAMES, "View Test Results"), f"{FAMILIAR}/3", familiar(*NAMES)),
    "familiar_intents_missing": (familiar(), FAMILIAR, familiar("Book Room")),
    "unknown_parameter": (
        parameter_turn(item(parameter_id="Passport_no")),
        "/user_messages_analysis/parameters/0/parameter_id",
        parameter_turn(item(parameter_id="Booking id")),
    ),
    "parameter_wrong_intent": (
        parameter_turn(item(parameter_id="Nights")),
        "/user_messages_analysis/parameters/0/parameter_id",
        parameter_turn(item(parameter_id="Nights"), intent="Book_Room"),
    ),
    "parameter_case": (
        parameter_turn(item(parameter_id="booking_ID")),
        "/user_messages_analysis/parameters/0/parameter_id",
        parameter_turn(item()),
    ),
}


def test_every_code_of_the_family_is_emitted_here() -> None:
    """Given the closed list, then each code of the family has a row."""
    assert {code.partition(".")[2] for code in CODES if code.startswith("catalog.")} == EMITTED.keys()


@pytest.mark.parametrize("name", EMITTED)
def test_a_code_is_told_where_it_is_and_nowhere_near(name: str) -> None:
    """Given a turn with one fault, then its code is told at the right place; given a near miss, it isn't."""
    turn, pointer, near = EMITTED[name]
    assert pointers(judged(turn, MESSAGE), f"catalog.{name}") == [pointer]
    assert f"catalog.{name}" not in codes(judged(near, MESSAGE))


def intent_of(decision: Decision) -> Intent:
    """The intent that goes out."""
    assert isinstance(decision.reply, Reply)
    return decision.reply.detected_intent


BOOK = Intent("Book_Room", "Book Room")
RESOLVED = [
    (named("Book_Room", None), BOOK),
    (named(None, "Book Room"), BOOK),
    (named("book room", "BOOK_ROOM"), BOOK),
    (named("Bo\u200bok_Room", "Book Room"), BOOK),
    (named("Book Room", "Book_Room"), BOOK),
    (named("Drop Booking"), Intent("Cancel_Reservation", "Cancel Reservation")),
    (named("Unblock_Card"), Intent()),
    (named("Book_Room", "Unblock Card"), Intent()),
]


@pytest.mark.parametrize(("turn", "wanted"), RESOLVED)
def test_names_resolve_to_the_catalogue_or_to_nothing(turn: dict[str, Any], wanted: Intent) -> None:
    """Given ids, names, aliases or foreign words, then both id and name go out as configured, or both are null."""
    assert intent_of(judged(turn, "anything else")) == wanted


def test_a_known_name_beside_an_unknown_one_is_a_mismatch() -> None:
    """Given an id that exists and a name that doesn't, then the unknown one is pointed at and no intent goes out."""
    decision = judged(named("Book_Room", "Unblock Card"))
    assert pointers(decision, "catalog.intent_id_name_mismatch") == ["/detected_intent/name"]
    assert decision.outcome is Outcome.REJECTED


@pytest.mark.parametrize("own", [{"id": None, "name": None}, ...])
def test_the_current_intent_stands_in(own: Any) -> None:
    """Given no detected intent, or a null one, then the current intent of the analysis is it."""
    turn = parameter_turn() if own is ... else {**parameter_turn(), "detected_intent": own}
    assert intent_of(judged(turn, MESSAGE)) == Intent("Cancel_Reservation", "Cancel Reservation")


def test_an_unknown_current_intent_is_told_where_it_stands() -> None:
    """Given an unknown current intent, then the pointer leads there, and the nearest name is told."""
    decision = judged(parameter_turn(intent="Cancel_Reservations_All"), MESSAGE)
    [violation] = [v for v in decision.violations if v.code == "catalog.unknown_intent"]
    assert violation.pointer == "/user_messages_analysis/current_intent"
    assert "Cancel" in violation.detail


@pytest.mark.parametrize("given", [5, True, ["Book_Room"], {"a": 1}])
def test_a_name_that_is_no_text_names_nothing(given: Any) -> None:
    """Given something else than text for an intent, then it names none."""
    assert intent_of(judged({**scope_turn(), "detected_intent": {"id": given, "name": None}})) == Intent()


def test_each_kind_of_spelling_is_told_once_in_the_list() -> None:
    """Given a list with several intents in another case, then it is told once for the list."""
    decision = judged(familiar("book room", "cancel reservation", "Ask  Check In Time"))
    assert pointers(decision, "catalog.intent_case") == [f"{FAMILIAR}/0"]
    assert pointers(decision, "catalog.intent_normalised") == [f"{FAMILIAR}/2"]
    assert decision.outcome is Outcome.APPROVED


REFERS = [
    ("Passport_no", "catalog.unknown_parameter"),
    ("BOOKING_ID", "catalog.parameter_case"),
    ("Booking_id", None),
    (None, None),
]


@pytest.mark.parametrize(("given", "code"), REFERS)
def test_what_the_answer_refers_to_is_held_against_the_catalogue(given: str | None, code: str | None) -> None:
    """Given the parameter that the answer refers to, then an unknown one or another spelling is told there."""
    decision = judged(parameter_turn(answer_refer_to_parameter_id=given), MESSAGE)
    told = [v.code for v in decision.violations if v.pointer == REFER]
    assert told == ([] if code is None else [code])


def test_a_reference_goes_out_as_configured() -> None:
    """Given another spelling of the parameter, then the configured id goes out."""
    decision = judged(parameter_turn(answer_refer_to_parameter_id="BOOKING_ID"), MESSAGE)
    assert isinstance(decision.reply, Reply)
    assert decision.reply.generated_answer.answer_refer_to_parameter_id == "Booking_id"


def test_an_agent_without_intents_misses_none() -> None:
    """Given a policy without intents, then an empty list of familiar ones is right."""
    policy = hotel(intents=[], parameters=[])
    decision = judged(scope_turn(intent=None, intents_i_am_familiar_with=[], policy=policy), policy=policy)
    assert "catalog.familiar_intents_missing" not in codes(decision)
