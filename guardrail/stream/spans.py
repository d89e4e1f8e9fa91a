"""Stretches of topics, read once from where to where: no group, no commit. It must never read beyond its end."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from guardrail.errors import SettingsError, TransientError
from guardrail.stream.faults import kafka_error

LOG = logging.getLogger("guardrail.stream")

WAIT_S = 15.0
TURN_S = 0.5
LOOK_S = 0.1
STALLED_S = 60.0
"""A broker that gives nothing for so long won't."""
END = KafkaError._PARTITION_EOF  # noqa: SLF001  # a public name


class Span(NamedTuple):
    """The offsets of one partition from `start` to before `end`."""

    topic: str
    partition: int
    start: int
    end: int


def committed_spans(consumer: Consumer, topic: str) -> list[Span]:
    """All that a reader of committed records can read of a topic now.

    Raises TransientError when the broker doesn't answer, SettingsError when it has no such topic.
    """
    try:
        found = consumer.list_topics(topic, timeout=WAIT_S).topics[topic]
        if found.error is not None:
            raise SettingsError(f"{topic}: {found.error.str()} (guardrail topics --create)")
        return [_whole(consumer, topic, partition) for partition in sorted(found.partitions)]
    except KafkaException as failure:
        raise TransientError(f"the broker doesn't answer: {kafka_error(failure).str()}") from None


def stable_spans(reader: Consumer, of_everything: Consumer, topics: Sequence[str], wait_s: float) -> list[Span]:
    """The whole topics: `reader` reads what is committed, `of_everything` all, and an open transaction hides from the
    first what comes after it. A commit is answered a moment before its records can be read, too.

    Raises TransientError when one stays open for longer, and what committed_spans does.
    """
    until = time.monotonic() + wait_s
    while True:
        spans = [span for topic in topics for span in committed_spans(reader, topic)]
        if spans == [span for topic in topics for span in committed_spans(of_everything, topic)]:
            return spans
        if time.monotonic() > until:
            raise TransientError(f"{', '.join(topics)}: a transaction stays open")
        time.sleep(LOOK_S)


def read_spans(consumer: Consumer, spans: Sequence[Span], count: int) -> Iterator[list[Message]]:
    """Their records, so many at a time, each partition's in order. The consumer has `enable.partition.eof` set.

    Raises TransientError when nothing comes for STALLED_S.
    """
    left = {(span.topic, span.partition): span.end for span in spans if span.start < span.end}
    consumer.assign([TopicPartition(span.topic, span.partition, span.start) for span in spans if span.start < span.end])
    since, why = time.monotonic(), "silence"
    while left:
        fresh = []
        for message in consumer.consume(count, TURN_S):
            if (error := message.error()) is not None and error.code() != END:
                why = error.name()
                LOG.warning("consume failed", extra={"error": why})
                continue
            since = time.monotonic()
            if _within(message, left, ended=error is not None):
                fresh.append(message)
        if fresh:
            yield fresh
            since = time.monotonic()
        if time.monotonic() - since > STALLED_S:
            raise TransientError(f"nothing to read for {STALLED_S:g} s: {why}")


def _within(message: Message, left: dict[tuple[str, int], int], *, ended: bool) -> bool:
    """Whether it is a record before its partition's end; takes a partition out of `left` where that is reached."""
    place, offset = (message.topic() or "", message.partition() or 0), message.offset() or 0
    end = left.get(place)
    if end is None:
        return False
    if ended or offset + 1 >= end:
        del left[place]
    return not ended and offset < end


def _whole(consumer: Consumer, topic: str, partition: int) -> Span:
    low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=WAIT_S)
    return Span(topic, partition, low, high)
