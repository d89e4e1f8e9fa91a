"""Topics read to their ends, by assignment. It must never join a group, nor keep what it reads: a soak has millions."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Self
from uuid import uuid4

from confluent_kafka import Consumer, IsolationLevel, Message, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from guardrail.settings import Settings
from tests.faults.ledger import Ledger
from tests.stream.deployment import OUTCOMES, PATIENCE_S


class Reading:
    """Topics from their beginning: by default all that comes out for a record."""

    def __init__(self, settings: Settings, isolation: str = "read_committed", topics: Sequence[str] = ()) -> None:
        named = settings.topics
        self.topics = topics or [named.decisions, *(str(getattr(named, role)) for role in OUTCOMES)]
        self._consumer = Consumer(
            {
                "bootstrap.servers": settings.kafka.bootstrap_servers,
                "group.id": uuid4().hex,
                "isolation.level": isolation,
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "fetch.queue.backoff.ms": 10,
                "log_level": 0,
            }
        )

    def __enter__(self) -> Self:
        known = self._consumer.list_topics(timeout=PATIENCE_S).topics
        self._consumer.assign([TopicPartition(t, p, 0) for t in self.topics for p in known[t].partitions])
        return self

    def __exit__(self, *_: object) -> None:
        self._consumer.close()

    def take(self, wait_s: float) -> list[Message]:
        """What has come, errors and ends of partitions among it. It never waits for a batch to fill."""
        first = self._consumer.poll(wait_s)
        return [] if first is None else [first, *self._consumer.consume(1_000, 0)]


def each(settings: Settings, isolation: str = "read_committed", topics: Sequence[str] = ()) -> Iterator[Message]:
    """Every message that is there now, also what stands behind open transactions: those must end in time."""
    with Reading(settings, isolation, topics) as reading:
        open_ends = uncommitted_ends(settings, reading.topics)
        until = time.monotonic() + PATIENCE_S
        while open_ends:
            for message in reading.take(0.5):
                place = (message.topic(), message.partition())
                if message.error() is None:
                    until = time.monotonic() + PATIENCE_S
                    yield message
                elif (message.offset() or 0) >= open_ends.get(place, 0):  # an end: markers count too
                    open_ends.pop(place, None)
            assert time.monotonic() < until, f"never read to the end: {open_ends}"


def read_all(settings: Settings, isolation: str = "read_committed") -> Ledger:
    """Every output and every decision, counted."""
    ledger = Ledger(settings.topics.decisions)
    for message in each(settings, isolation):
        ledger.note(message)
    return ledger


def uncommitted_ends(settings: Settings, topics: Sequence[str]) -> dict[tuple[str | None, int | None], int]:
    """Where these topics' partitions end, open transactions included; empty ones aren't named."""
    admin = AdminClient({"bootstrap.servers": settings.kafka.bootstrap_servers, "log_level": 0})
    known = admin.list_topics(timeout=PATIENCE_S).topics
    asked = {
        TopicPartition(topic, partition): OffsetSpec.latest()
        for topic in topics
        for partition in known[topic].partitions
    }
    found = admin.list_offsets(asked, isolation_level=IsolationLevel.READ_UNCOMMITTED)
    ends = {(place.topic, place.partition): answer.result(PATIENCE_S).offset for place, answer in found.items()}
    return {place: end for place, end in ends.items() if end}
