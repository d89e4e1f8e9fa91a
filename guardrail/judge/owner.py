"""Whose a record is and which conversation's, read in passing. It must never stand for the record's own reading.

The stream asks before anything is judged, for all that waits: nothing is checked here, and what can't be told is left
open.
"""

from __future__ import annotations

import msgspec

from guardrail.judge.model import RawRecord
from guardrail.judge.policy import Policies
from guardrail.judge.record import read_record


class Owner(msgspec.Struct, frozen=True):
    """Null where it can't be told in passing."""

    agent: str | None
    conversation: str | None


class _Named(msgspec.Struct):
    agent_id: str | int | None = None
    conversation_id: str | int | None = None


_NAMED = msgspec.json.Decoder(_Named)


def owner(raw: RawRecord, policies: Policies) -> Owner:
    """The agent whose policy would judge the record, and the conversation that it is a turn of."""
    named = _named(raw)
    agent = _text(named.agent_id)
    if agent is not None and agent in policies and not policies[agent].input:
        return Owner(agent, _text(named.conversation_id))
    reading = read_record(raw, policies)  # the agent in a header, a layout of the policy's own, a frame around it
    return Owner(reading.agent_id, reading.record.conversation_id if reading.record else None)


def _named(raw: RawRecord) -> _Named:
    try:
        return _NAMED.decode(raw.value or b"")
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Named()


def _text(given: str | int | None) -> str | None:
    return None if given is None else str(given)
