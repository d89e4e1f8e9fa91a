"""The sidecar's own texts: which one, in which language, asking for what; and what the channel tier gets."""

from __future__ import annotations

from typing import Any

import pytest

from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.model import Decision, Intent, Outcome, ParameterValue, Reply
from guardrail.judge.policy import Policy
from tests.judge.turns import BOOKING_FORMAT, HOTEL, answer, hotel, item, judged, parameter_turn, scope_turn

NIGHTS = {
    "parameter_id": "Nights",
    "parameter_value_format": HOTEL["parameters"][1]["format"],
    "parameter_value_format_regex": "^([1-9]|[12][0-9]|30)$",
    "parameter_extracted_part": "4",
}
BAD = {"parameter_extracted_part": "ab1234"}
FREE = {"booking": {"intents": []}}


def reply(decision: Decision) -> Reply:
    """The reply of a decision that has a whole one."""
    assert isinstance(decision.reply, Reply)
    return decision.reply


def refused(kind: str, locale: str | None = None, policy: Policy | None = None, message: str = "hm") -> Decision:
    """A decision that is refused with this kind of reply."""
    responses: dict[str, Any] = {
        "reprompt": parameter_turn(item(**BAD), message=message),
        "out_of_scope": scope_turn("Yes, I found them.", intent=None, policy=policy),
        "fallback": "no JSON",
    }
    fields = {} if locale is None else {"locale": locale}
    decision = judged(responses[kind], message, policy, **fields)
    assert (decision.outcome, decision.answer_source) == (Outcome.REJECTED, kind)
    return decision


TEXTS = {
    (
        "reprompt",
        "en",
    ): "I need the Booking id in this format: 3 letters followed by 3 numbers (e.g., ABC123). Could you give it again?",
    ("reprompt", "fr"): "Il me faut « Booking id » dans ce format : 3 letters followed by 3 numbers (e.g., ABC123). "
    "Pouvez-vous me redonner cette valeur ?",
    (
        "out_of_scope",
        "en",
    ): "Sorry, I can't help with that here. I can help with: Book Room, Cancel Reservation, Ask Check In Time.",
    ("out_of_scope", "fr"): "Désolé, je ne peux pas vous aider pour cela ici. Je peux vous aider pour : "
    "Book Room, Cancel Reservation, Ask Check In Time.",
    ("fallback", "en"): "Sorry, I couldn't answer that properly. Could you say it again in other words?",
    ("fallback", "fr"): "Désolé, je n'ai pas pu répondre correctement. Pouvez-vous reformuler votre demande ?",
}


@pytest.mark.parametrize(("kind", "locale"), TEXTS)
def test_each_kind_speaks_the_records_language(kind: str, locale: str) -> None:
    """Given a refused response and a record locale, then the built-in text of that kind and language is the reply."""
    assert answer(refused(kind, locale)) == TEXTS[kind, locale]


@pytest.mark.parametrize("kind", ["reprompt", "out_of_scope", "fallback"])
def test_each_kind_speaks_spanish_too(kind: str) -> None:
    """Given a Spanish record, then the Spanish text is filled in."""
    labels = {
        "parameter": "Booking id",
        "format": BOOKING_FORMAT,
        "intents": "Book Room, Cancel Reservation, Ask Check In Time",
    }
    assert answer(refused(kind, "es")) == getattr(LEXICONS["es"].replies, kind).format(**labels)


LOCALES = [
    ("fr", "en", "I would like to book a room", "fr"),
    ("fr-CA", "en", "I would like to book a room", "fr"),
    ("ES-mx", "en", "I would like to book a room", "es"),
    ("de", "en", "je voudrais une chambre pour ce soir", "fr"),
    (None, "en", "je voudrais une chambre pour ce soir", "fr"),
    (None, "en", "quiero una habitación para esta noche", "es"),
    (None, "fr", "XKT904", "fr"),
    (None, "es", "", "es"),
    ("", "fr", "hm", "fr"),
]


@pytest.mark.parametrize(("given", "own", "message", "spoken"), LOCALES)
def test_the_language_is_the_records_else_the_messages_else_the_policys(
    given: str | None, own: str, message: str, spoken: str
) -> None:
    """Given a record locale, a message and a policy, then the first that says a supported language is spoken."""
    for response in ("no JSON", scope_turn("", intent="Book_Room")):
        fields = {} if given is None else {"locale": given}
        decision = judged(response, message, hotel(locale=own), **fields)
        assert answer(decision) == LEXICONS[spoken].replies.fallback


OWN = {
    "reprompt": {"en": "Again {parameter} as {format}!", "fr": "Encore {parameter} !"},
    "out_of_scope": {"en": "Only {intents}."},
    "fallback": {"en": "Sorry?"},
}


@pytest.mark.parametrize(
    ("kind", "locale", "text"),
    [
        ("reprompt", "en", "Again Booking id as 3 letters followed by 3 numbers (e.g., ABC123)!"),
        ("reprompt", "fr", "Encore Booking id !"),
        ("out_of_scope", "en", "Only Book Room, Cancel Reservation, Ask Check In Time."),
        ("fallback", "en", "Sorry?"),
    ],
)
def test_a_policys_own_texts_come_first(kind: str, locale: str, text: str) -> None:
    """Given texts of the policy's own by locale, then they replace the built-in ones."""
    assert answer(refused(kind, locale, hotel(replies=OWN))) == text


def test_a_locale_without_an_own_text_takes_the_built_in_one() -> None:
    """Given an own text in the policy's locale alone, then other languages are answered in theirs, by the built-in."""
    assert answer(refused("fallback", "fr", hotel(replies=OWN))) == LEXICONS["fr"].replies.fallback


def test_an_own_reprompt_holds_for_a_parameter_without_a_format_too() -> None:
    """Given a parameter without a format text, then the policy's own reprompt still replaces the built-in one."""
    policy = hotel(booking={"format": "", "examples": {}}, replies={"reprompt": {"en": "Once more: {parameter}"}})
    assert answer(refused("reprompt", "en", policy)) == "Once more: Booking id"


def test_a_parameter_without_a_format_is_asked_for_plainly() -> None:
    """Given a parameter without a format text, then the reprompt names it and no format."""
    decision = refused("reprompt", "en", hotel(booking={"format": "", "examples": {}}))
    assert answer(decision) == "I need the Booking id. Could you give it again?"


MESSAGE = "cancel XKT904 for 4 nights please, its ab1234"
ASKED = [
    ("first_of_two_failing", [item(**BAD), item(**{**NIGHTS, "parameter_extracted_part": "99"})], "Booking_id"),
    ("the_failing_one", [item(), item(**{**NIGHTS, "parameter_extracted_part": "99"})], "Nights"),
    ("only_unknown_ones", [item(parameter_id="Passport")], "Booking_id"),
]


@pytest.mark.parametrize(("items", "asked"), [row[1:] for row in ASKED], ids=[row[0] for row in ASKED])
def test_the_first_failing_parameter_is_asked_for(items: list[dict[str, Any]], asked: str) -> None:
    """Given several parameters, then the first that fails is asked for; of unknown ones alone, the first wanted."""
    policy = hotel(booking={"intents": []}, parameters=[{**p, "intents": []} for p in HOTEL["parameters"]])
    decision = judged(parameter_turn(*items, message=MESSAGE, answer_refer_to_parameter_id=None), MESSAGE, policy)
    assert decision.answer_source == "reprompt"
    assert reply(decision).generated_answer.answer_refer_to_parameter_id == asked


def test_values_that_passed_go_out_beside_a_reprompt() -> None:
    """Given one value that passed beside one that failed, then the passed one goes out with the rejection."""
    policy = hotel(parameters=[{**p, "intents": []} for p in HOTEL["parameters"]], booking={"intents": []})
    turn = parameter_turn(item(**BAD), item(**NIGHTS), message=MESSAGE)
    decision = judged(turn, MESSAGE, policy)
    assert decision.outcome is Outcome.REJECTED
    assert reply(decision).parameters == (ParameterValue("Nights", "4"),)
    assert reply(decision).detected_intent == Intent("Cancel_Reservation", "Cancel Reservation")


def test_what_the_answer_referred_to_is_asked_for() -> None:
    """Given no parameters but a reference to one, then a refused turn asks for that one."""
    turn = parameter_turn(message="hm", answer="", answer_refer_to_parameter_id="Booking_id")
    turn["user_messages_analysis"]["parameters"] = []
    decision = judged(turn, "hm")
    assert decision.answer_source == "reprompt"
    assert reply(decision).generated_answer.answer_refer_to_parameter_id == "Booking_id"


BEYOND: list[tuple[str, dict[str, Any]]] = [
    ("flag", scope_turn("", intent=None)),
    ("unknown_intent", scope_turn(intent="Unblock_Card")),
    ("null_intent_affirming", scope_turn("Yes, I found them.", intent=None, out_of_scope_request=False)),
]


@pytest.mark.parametrize("turn", [turn for _, turn in BEYOND], ids=[name for name, _ in BEYOND])
def test_beyond_the_agent_the_user_is_told_what_is_supported(turn: dict[str, Any]) -> None:
    """Given the flag, an unknown intent, or a null one that is served, then the reply says what is supported."""
    decision = judged(turn, "my test results")
    assert decision.answer_source == "out_of_scope"
    assert reply(decision).detected_intent == Intent()


def test_a_false_refusal_is_not_out_of_scope() -> None:
    """Given a flag that was found wrong, then the reply is a fallback: the agent does support it."""
    decision = judged(scope_turn("Sorry, I can't cancel reservations.", intent=None), "cancel reservation")
    assert decision.answer_source == "fallback"


def test_no_reasoning_goes_out() -> None:
    """Given an approved turn, then the reply has the operational fields and nothing else."""
    decision = judged(parameter_turn(), "cancel XKT904 please")
    found = reply(decision)
    assert found.detected_intent == Intent("Cancel_Reservation", "Cancel Reservation")
    assert found.generated_answer.answer_refer_to_parameter_id == "Booking_id"
    assert found.parameters == (ParameterValue("Booking_id", "XKT904"),)
    assert answer(decision) == "Is XKT904 the reservation to cancel?"


def test_a_placeholder_in_a_format_stays_text() -> None:
    """Given a format text with braces in it, then the reprompt shows them."""
    policy = hotel(booking={"format": "like {format} or {x}", "examples": {}})
    assert "like {format} or {x}" in answer(refused("reprompt", "en", policy))


def test_a_parameter_that_did_not_fail_is_not_asked_for_beyond_the_agent() -> None:
    """Given a request beyond the agent and an answer that refers to a parameter, then what is supported is told."""
    turn = scope_turn("Yes, I found them.", intent=None, answer_refer_to_parameter_id="Booking_id")
    assert judged(turn, "find my keys").answer_source == "out_of_scope"
