"""Which dead letters went back already, as a topic of its own remembers it. It must never forget one within its time.

A mark is written in the transaction that puts the letters into the raw topic: there are both, or neither. A group's
offsets couldn't do that: they know no holes, which every filter leaves, and expire after a week without a member.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable

import msgspec
from confluent_kafka import Consumer

from guardrail.errors import InputError
from guardrail.stream.spans import read_spans, stable_spans

COUNT = 1_000
"""Marks read at a time: one is some hundred bytes."""
OPEN_S = 60.0
"""A run that was killed leaves its transaction open until the broker ends it: 15 s and 10 more by default."""

Letters = tuple[str, str]
"""A dead-letter topic: its name, and Kafka's own id."""


class Mark(msgspec.Struct, frozen=True):
    """Letters of one partition that went in one transaction: stretches of offsets, first and last."""

    topic: str
    topic_id: str
    """Kafka's own: one that was deleted and made anew has other letters under the same offsets."""
    partition: int
    ranges: tuple[tuple[int, int], ...]
    at_ms: int
    schema_version: int = 1

    def key(self) -> bytes:
        """Its own, so that not even compaction takes it away."""
        return f"{self.topic}/{self.partition}/{self.ranges[0][0]}".encode()


class Marks:
    """What went of one dead-letter topic."""

    def __init__(self, marks: Iterable[Mark] = ()) -> None:
        self._went: dict[int, list[tuple[int, int]]] = {}
        for mark in marks:
            self.add(mark)

    def add(self, mark: Mark) -> None:
        """These went too. No letter goes twice, so no two stretches overlap."""
        ranges = self._went.setdefault(mark.partition, [])
        for stretch in mark.ranges:
            insort(ranges, stretch)

    def went(self, partition: int, offset: int) -> bool:
        """Whether this letter did."""
        ranges = self._went.get(partition, [])
        before = bisect_right(ranges, offset, key=lambda stretch: stretch[0])
        return before > 0 and ranges[before - 1][1] >= offset


def read_marks(consumer: Consumer, of_everything: Consumer, topic: str, letters: Letters) -> Marks:
    """All marks of a dead-letter topic, read by two consumers (stable_spans). Raises InputError for what is none:
    without it a letter could go twice; TransientError while somebody's open transaction hides some.
    """
    found = Marks()
    for messages in read_spans(consumer, stable_spans(consumer, of_everything, [topic], OPEN_S), COUNT):
        for message in messages:
            try:
                mark = msgspec.json.decode(message.value() or b"", type=Mark)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                raise InputError(
                    f"{topic}/{message.partition()}/{message.offset()} is no mark of guardrail's"
                ) from None
            if (mark.topic, mark.topic_id) == letters:
                found.add(mark)
    return found
