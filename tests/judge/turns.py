"""What the judge's tests are built of: a small policy, right turns, and one call that judges them."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from guardrail.judge.decide import decide, judge
from guardrail.judge.model import Decision, RawRecord, Source
from guardrail.judge.policy import Policy, compile_policy
from guardrail.judge.subject import Subject
from guardrail.judge.trial import Bench

INTENTS = "Supported intents: Book Room, Cancel Reservation, Ask Check In Time."
BOOKING_FORMAT = "3 letters followed by 3 numbers (e.g., ABC123)"
BOOKING_QUOTE = f"Booking_id format: {BOOKING_FORMAT}."

HOTEL: dict[str, Any] = {
    "version": 1,
    "agent": "hotel",
    "locale": "en",
    "prompt": (
        f"You are the booking assistant of a hotel. {INTENTS} {BOOKING_QUOTE} "
        "Nights format: a whole number from 1 to 30 (e.g., 4). For anything else, say that it is not supported."
    ),
    "intents": [
        {"id": "Book_Room", "name": "Book Room"},
        {"id": "Cancel_Reservation", "name": "Cancel Reservation", "aliases": ["Drop Booking"]},
        {"id": "Ask_Check_In_Time", "name": "Ask Check In Time"},
    ],
    "parameters": [
        {
            "id": "Booking_id",
            "format": BOOKING_FORMAT,
            "intents": ["Cancel_Reservation"],
            "examples": {"valid": ["ABC123", "XKT904"], "invalid": ["abc123", "AB1234"]},
        },
        {
            "id": "Nights",
            "format": "a whole number from 1 to 30 (e.g., 4)",
            "intents": ["Book_Room"],
            "examples": {"valid": ["4", "30"], "invalid": ["0", "31"]},
        },
    ],
    "evidence": [
        {"id": "doc-1", "text": "Check-in opens at 3 pm and check-out closes at 11 am."},
        {"id": "doc-2", "text": "Breakfast is not included in the standard rate and costs 14 euros per person."},
        {"id": "doc-3", "text": "A reservation can be cancelled free of charge until 48 hours before arrival."},
    ],
}


def hotel(**changes: Any) -> Policy:
    """The small policy with some of its keys changed; `booking` changes keys of its first parameter."""
    return _compiled(json.dumps(changes))


@lru_cache(maxsize=256)
def _compiled(changes: str) -> Policy:
    keys: dict[str, Any] = json.loads(changes)
    booking = keys.pop("booking", {})
    first, *others = HOTEL["parameters"]
    return compile_policy(json.dumps({**HOTEL, "parameters": [{**first, **booking}, *others], **keys}), "hotel.yaml")


def scope_turn(
    answer: str = "Which night would you like?", policy: Policy | None = None, **changes: Any
) -> dict[str, Any]:
    """A right scope turn. `intent` names its intent (null: none); other changes are fields of `generated_answer`."""
    policy = policy or hotel()
    wanted = changes.pop("intent", "Book_Room")
    prompt, names = policy.layout.prompt, [str(intent.name) for intent in policy.intents.values()]
    fields = {
        "evidence_from_prompt": next((s for s in prompt.split(". ") if names and names[0] in s), ""),
        "intents_i_am_familiar_with": names,
        "out_of_scope_request": wanted is None,
        "answer": answer,
    }
    name = policy.intents[wanted].name if wanted in policy.intents else wanted
    return {"detected_intent": {"id": wanted, "name": name}, "generated_answer": {**fields, **changes}}


def item(**changes: Any) -> dict[str, Any]:
    """One right parameter of a turn; a change to ... (Ellipsis) leaves the field out."""
    fields = {
        "parameter_id": "Booking_id",
        "parameter_value_format": BOOKING_FORMAT,
        "parameter_value_format_regex": "^[A-Z]{3}[0-9]{3}$",
        "parameter_extracted_part": "XKT904",
        "simulate_regex_execution": True,
    }
    return {key: value for key, value in {**fields, **changes}.items() if value is not ...}


def parameter_turn(
    *items: dict[str, Any],
    message: str = "cancel XKT904 please",
    intent: str | None = "Cancel_Reservation",
    **changes: Any,
) -> dict[str, Any]:
    """A right parameter turn of these parameters; other changes are fields of `generated_answer`."""
    fields = {
        "evidence_from_prompt": BOOKING_QUOTE,
        "answer": "Is XKT904 the reservation to cancel?",
        "answer_refer_to_parameter_id": "Booking_id",
    }
    analysis = {"message_content": message, "current_intent": intent, "parameters": list(items or [item()])}
    return {"user_messages_analysis": analysis, "generated_answer": {**fields, **changes}}


def record(message: str, response: Any, agent: str = "hotel", **fields: Any) -> RawRecord:
    """A record of a topic, its response sent as text."""
    text = response if isinstance(response, str) else json.dumps(response)
    value = {"agent_id": agent, "message_id": "m-1", "user_message": message, "response": text, **fields}
    return RawRecord(json.dumps(value).encode(), b"c-1", (), Source("raw", 0, 7, 1_790_000_000_000))


def judged(
    response: Any, message: str = "a room for two nights", policy: Policy | None = None, **fields: Any
) -> Decision:
    """The decision on one response. Fields go into the record beside it."""
    policy = policy or hotel()
    [decision] = decide([record(message, response, policy.agent, **fields)], {policy.agent: policy})
    return decision


def told(item_changes: dict[str, Any], message: str, policy: Policy | None = None, **changes: Any) -> Decision:
    """The decision on a parameter turn whose only parameter has these changes."""
    fields = changes.pop("record", {})
    return judged(parameter_turn(item(**item_changes), message=message, **changes), message, policy, **fields)


def subject(
    response: dict[str, Any], message: str = "a room for two nights", policy: Policy | None = None, **fields: Any
) -> Subject:
    """The response on the bench, as every check sees it."""
    policy = policy or hotel()
    [found] = judge([record(message, response, policy.agent, **fields)], {policy.agent: policy})
    assert found.record is not None
    bench = Bench(policy.layout.limits, Source(), None)
    return Subject(found.record, policy, response, frozenset(), bench=bench)


def codes(decision: Decision) -> set[str]:
    """The codes of a decision."""
    return {violation.code for violation in decision.violations}


def pointers(decision: Decision, code: str) -> list[str]:
    """Where a code was found."""
    return [violation.pointer for violation in decision.violations if violation.code == code]


def answer(decision: Decision) -> str:
    """The text that the user gets."""
    assert decision.reply is not None
    assert not isinstance(decision.reply, str)
    return decision.reply.generated_answer.answer or ""
