"""CloudEvents through the real gate: either mode of their Kafka binding is read and comes out as it came in."""

from __future__ import annotations

import json

from msgspec.structs import replace

from guardrail.judge.model import Outcome
from guardrail.judge.policy import compile_policy
from guardrail.stream.embedded import play
from tests.judge.turns import HOTEL, record, scope_turn

POINTERS = {name: f"/data/{name}" for name in ("agent_id", "user_message", "response", "message_id")}
STRUCTURED = compile_policy(json.dumps({**HOTEL, "agent": "events", "input": POINTERS}))
PLAIN = compile_policy(json.dumps(HOTEL))
TURN = record("a room", scope_turn("Which night would you like?"))


def test_a_structured_event_keeps_its_envelope() -> None:
    """Given an event whose data is our record, and a policy whose `input` points into it, then it is judged; the output
    is the event with the response replaced.
    """
    data = {**json.loads(TURN.value or b""), "agent_id": "events", "message_id": "m-1"}
    event = {"specversion": "1.0", "id": "e-1", "source": "/desk", "type": "com.example.turn", "data": data}
    headers = (("content-type", b"application/cloudevents+json"),)
    given = replace(TURN, value=json.dumps(event).encode(), headers=headers)
    [played] = play([given], {"events": STRUCTURED})
    assert played.decision.outcome is Outcome.APPROVED
    assert played.decision.message_id == "m-1"
    assert played.output is not None
    assert played.output.headers[:1] == headers
    made = json.loads(played.output.value or b"")
    reply = made["data"].pop("response")
    assert reply["generated_answer"]["answer"] == "Which night would you like?"
    del data["response"]
    assert made == event


def test_a_binary_event_is_the_record_itself() -> None:
    """Given an event whose attributes are headers, then its value is judged as it is, and the attributes travel on."""
    attributes = {"ce_specversion": b"1.0", "ce_id": b"e-1", "ce_source": b"/desk", "ce_type": b"t"}
    headers = (*attributes.items(), ("content-type", b"application/json"))
    [played] = play([replace(TURN, headers=headers)], {PLAIN.agent: PLAIN})
    assert played.decision.outcome is Outcome.APPROVED
    assert played.output is not None
    assert played.output.headers[: len(headers)] == headers
