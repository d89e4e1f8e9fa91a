"""Records for the gate's tests: one that is approved, one that drifts, and everything a pipeline may throw at it."""

import json

from guardrail.judge.model import RawRecord

CANARY = "canary-7f3a9c"


def record(text: str = "hello", pad: str = "", **fields: object) -> RawRecord:
    """A scope turn of the clinic that is approved as it is."""
    response = {
        "detected_intent": {"id": "book_appointment", "name": "Book Appointment"},
        "generated_answer": {
            "evidence_from_prompt": "Supported intents: Book Appointment, Reschedule Appointment, "
            "Cancel Appointment, Manage Appointments.",
            "intents_i_am_familiar_with": ["Book Appointment", "Reschedule Appointment", "Cancel Appointment"],
            "out_of_scope_request": False,
            "answer": "Which day would you like?",
        },
    }
    value = {
        "agent_id": "clinic-en",
        "message_id": "m-1",
        "conversation_id": "c-1",
        "user_message": f"I'd like to book an appointment, {text}",
        "response": json.dumps(response),
        "pad": pad,
        **fields,
    }
    return RawRecord(json.dumps(value).encode(), b"c-1")


HARD_PATTERN = "(a+)(a+)(a+)\\3\\2\\1c"
HARD_VALUE = "a" * 80 + "c"
"""Only the last tier can tell that they match."""


def drifting(
    text: str, key: str, traceparent: bytes | None = None, *, pattern: str = "^P\\d{6}$", value: str = "P76041"
) -> RawRecord:
    """A parameter turn whose model says that its pattern matches: by default wrongly, which is one mismatch."""
    response = {
        "user_messages_analysis": {
            "message_content": text,
            "current_intent": {"id": "cancel_appointment", "name": "Cancel Appointment"},
            "parameters": [
                {
                    "parameter_id": "Patient_ref",
                    "parameter_value_format": "the letter P followed by 6 digits (e.g., P123456)",
                    "parameter_value_format_regex": pattern,
                    "parameter_extracted_part": value,
                    "simulate_regex_execution": True,
                }
            ],
        },
        "generated_answer": {
            "evidence_from_prompt": "Patient_ref format: the letter P followed by 6 digits (e.g., P123456).",
            "answer": f"Thanks, I noted P76041. {text}",
            "answer_refer_to_parameter_id": "Patient_ref",
        },
    }
    record = {
        "agent_id": "clinic-en",
        "message_id": f"m-{key}",
        "conversation_id": key,
        "model": "model-a",
        "user_message": text,
        "response": json.dumps(response),
    }
    headers = (("traceparent", traceparent),) if traceparent else ()
    return RawRecord(json.dumps(record).encode(), key.encode(), headers)


POISON = {
    "null value": RawRecord(None, b"k"),
    "empty value": RawRecord(b"", b"k"),
    "empty key": RawRecord(record().value, b""),
    "no key": RawRecord(record().value, None),
    "NUL": RawRecord(b"\x00\x00\x00", b"\x00"),
    "latin-1": RawRecord(
        '{"agent_id": "clinic-en", "user_message": "déjà"}'.encode("latin-1"), "clé".encode("latin-1")
    ),
    "1 MB of depth": RawRecord(b'{"agent_id":"clinic-en","response":' + b"[" * 1_000_000, b"k"),
    "many headers": RawRecord(
        record().value, b"k", tuple((f"h{i % 100}", b"v" if i % 2 else None) for i in range(10_000))
    ),
    "headers alone too large": RawRecord(record().value, b"k", tuple(("h" * 100, b"v" * 1000) for _ in range(100))),
    "output too large": record(pad="x" * 150_000),
    "huge key": RawRecord(record().value, b"k" * 200_000),
    "huge names": record(message_id="m" * 400_000, agent_id="a" * 400_000),
}
