"""Kafka messages as raw records, and judged records as what drift counts. It must never look into a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import methodcaller
from typing import TypedDict

from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_NOT_AVAILABLE, Message

from guardrail.drift.tally import OTHER, Response, Seen, Trial
from guardrail.judge.decide import Judged
from guardrail.judge.model import Decision, Outcome, RawRecord, Source
from guardrail.judge.policy import Policies

Headers = tuple[tuple[str, bytes | None], ...]

LOST_HEADERS = ("guardrail.truncated", b"headers")
"""Travels with a record whose headers didn't, all of them or the last ones."""

# Not `message.headers()`: where the client gives a result and leaves its error standing, Python's own fast call doesn't
# look, and the error comes up in whatever is called next.
_GIVEN_HEADERS = methodcaller("headers")

DISORDERED = "schema.field_order"
NAME_CHARS = 128
"""Model and agent names are labels and keys; a longer one is no name."""


def raw_record(message: Message, received_ms: int | None = None) -> RawRecord:
    """The message as carried, and when it was taken in."""
    kind, time_ms = message.timestamp()
    return RawRecord(
        value=message.value(),
        key=message.key(),
        headers=headers_of(message),
        source=Source(
            topic=message.topic(),
            partition=message.partition(),
            offset=message.offset(),
            timestamp_ms=None if kind == TIMESTAMP_NOT_AVAILABLE else time_ms,
            received_ms=received_ms,
        ),
    )


def size_of(message: Message) -> int:
    """The bytes that it holds in memory, about: its value, its key, its headers."""
    size = len(message) + len(message.key() or b"")
    return size + sum(len(name) + len(value or b"") for name, value in headers_of(message))


def producers_time(message: Message) -> bool:
    """Whether the producer set the timestamp: one that the broker set (LOG_APPEND_TIME) doesn't travel on."""
    return bool(message.timestamp()[0] == TIMESTAMP_CREATE_TIME)


def headers_of(message: Message) -> Headers:
    """In order, duplicates and nulls included. A header name that isn't UTF-8 costs the headers, never the record: the
    client gives none of them then, and the record says so."""
    try:
        given = _GIVEN_HEADERS(message)
    except (UnicodeDecodeError, SystemError):
        message.set_headers([LOST_HEADERS])  # asked again, it would give pairs with nothing where the name should be
        return (LOST_HEADERS,)
    return tuple(given) if given else ()


def seen(judged: Iterable[Judged], policies: Policies) -> Iterator[Seen]:
    """One response for each record that was read, and one trial for each of its observations. Names outside the
    policy's catalogue are `other`.

    The model is the producer's name for it, not capped in number here: a cap goes by what was seen before, which two
    gates, or one and its successor, have seen differently; the same record would count in one cell or the other. A
    producer that puts an id there makes at most a tally of each observation. Whoever keeps cells (drift's windows) has
    to bound them: there is one such reader a cell, and what it has seen is in its state.
    """
    for one in judged:
        decision, record = one.decision, one.record
        if record is None:
            continue
        policy = policies.get(decision.agent or "")
        known = policy.parameter_ids if policy else frozenset()
        agent, model = policy.agent if policy else OTHER, record.model[:NAME_CHARS]
        place = _place(decision)
        yield Response(
            agent,
            model,
            rejected=decision.enforced_outcome is Outcome.REJECTED,
            disordered=any(violation.code == DISORDERED for violation in decision.violations),
            **place,
        )
        for observed in decision.observations:
            yield Trial(
                agent,
                model,
                parameter=observed.parameter_id if observed.parameter_id in known else OTHER,
                quadrant=observed.quadrant.value,
                simulated=observed.simulated,
                conversation=record.conversation_id or decision.decision_id,
                **place,
            )


class Place(TypedDict):
    """Where something counts: a record, and the policy that it was judged under."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int | None
    policy: str


def _place(decision: Decision) -> Place:
    source = decision.source
    return {
        "topic": source.topic or "",
        "partition": -1 if source.partition is None else source.partition,
        "offset": -1 if source.offset is None else source.offset,
        "timestamp_ms": source.timestamp_ms,
        "policy": decision.policy or "",
    }
