"""The raw topic as the gate reads it, by group or by assignment. It must never hand out a lost partition's record, nor
the same record twice.

Rebalance callbacks run inside `take` alone, so no transaction is open in one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from collections.abc import Set as AbstractSet

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from guardrail.errors import FencedError
from guardrail.stream.faults import (
    CONSUMER_LOST,
    UNREAD_GONE,
    RestartError,
    UnreadDataError,
    as_ours,
    kafka_error,
)

LOG = logging.getLogger("guardrail.stream")

BROKER_S = 10.0
"""How long to wait for committed offsets."""

Noted = Callable[[str], None]


class Source:
    """The group's share of a topic. Offsets live in the broker; what is kept here is only what was read since."""

    def __init__(self, consumer: Consumer, topic: str, noted: Noted = lambda _: None) -> None:
        """`noted` is told of `rebalance`, and of deliveries passed over: `duplicate`, `out_of_order`."""
        self.consumer = consumer
        self.topic = topic
        self._noted = noted
        self._next: dict[int, int] = {}
        self._gone_since: set[int] = set()
        self._fault: Exception | None = None

    @property
    def partitions(self) -> frozenset[int]:
        """The partitions that are ours now."""
        return frozenset(self._next)

    def open(self) -> None:
        """Joins the group."""
        self.consumer.subscribe([self.topic], on_assign=self._assigned, on_revoke=self._gone, on_lost=self._gone)

    def take(self, count: int, wait_s: float) -> list[Message]:
        """Up to `count` messages, after at most `wait_s`, each one for the first time since it was committed."""
        before = set(self._gone_since)
        messages = self.consumer.consume(count, wait_s)
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault
        if lost := self._gone_since - before:  # what was read of them may be older than a new assignment: read it again
            messages = [message for message in messages if message.partition() not in lost]
            self._seek(self._next.keys() & lost)
        return [message for message in messages if self._is_new(message)]

    def gone(self) -> set[int]:
        """The partitions that were taken away, if only for a moment, since this was asked last."""
        gone, self._gone_since = self._gone_since, set()
        return gone

    def rewind(self) -> None:
        """Goes back to the broker's committed offsets: after an abort nothing in memory can be trusted."""
        self._seek(self._next.keys())

    def store(self, offsets: list[TopicPartition]) -> None:
        """Tells librdkafka what was committed: its lag figure rests on it, and nothing else."""
        try:
            self.consumer.store_offsets(offsets=offsets)
        except KafkaException as failure:  # taken away meanwhile: the batch is committed all the same
            LOG.info("lag unknown", extra={"error": kafka_error(failure).name()})

    def close(self) -> None:
        """Leaves the group (a static member keeps its place)."""
        self.consumer.close()

    def _seek(self, partitions: AbstractSet[int]) -> None:
        if not partitions:
            return
        try:
            for position in self._committed([TopicPartition(self.topic, partition) for partition in partitions]):
                self.consumer.seek(position)
                self._next[position.partition] = max(position.offset, 0)
        except KafkaException as failure:
            raise as_ours(kafka_error(failure), "rewind") from failure

    def _committed(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Where to read on: the committed offset, or the beginning for what nobody has committed yet."""
        found = self.consumer.committed(partitions, timeout=BROKER_S)
        return [TopicPartition(p.topic, p.partition, p.offset if p.offset >= 0 else OFFSET_BEGINNING) for p in found]

    def _assigned(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        try:
            positions = self._committed(partitions)
            consumer.incremental_assign(positions)
        except KafkaException as failure:
            self._fault = RestartError(f"assignment: {kafka_error(failure)}")
            return
        self._next |= {position.partition: max(position.offset, 0) for position in positions}
        self._noted("rebalance")
        LOG.info("assigned", extra={"topic": self.topic, "partitions": [p.partition for p in positions]})

    def _gone(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        for gone in partitions:
            self._next.pop(gone.partition, None)
            self._gone_since.add(gone.partition)
        self._noted("rebalance")
        LOG.info("revoked", extra={"topic": self.topic, "partitions": [p.partition for p in partitions]})

    def _is_new(self, message: Message) -> bool:
        if (error := message.error()) is not None:
            self._refuse(error)
            return False
        partition, offset = message.partition(), message.offset()
        following = self._next.get(partition) if partition is not None else None
        if following is None or partition is None or offset is None:
            return False
        if offset < following:
            self._noted("duplicate" if offset == following - 1 else "out_of_order")
            return False
        self._next[partition] = offset + 1
        return True

    def _refuse(self, error: KafkaError) -> None:
        """Raises what an error among the messages asks for; what may pass is logged."""
        if error.code() in UNREAD_GONE:
            raise UnreadDataError(f"{self.topic}: {error.str()}")
        if error.code() in CONSUMER_LOST:
            raise FencedError(f"consume: {error.str()}")
        LOG.warning("consume failed", extra={"error": error.name()})


class AssignedSource(Source):
    """The whole topic for one reader, without a group: for the embedded broker, whose transactions drop offsets.

    Positions are committed by the consumer itself, after the transaction: at least once, which a demo can live with.
    """

    def open(self) -> None:
        """Takes every partition, from what was committed before or the beginning."""
        known = self.consumer.list_topics(self.topic, timeout=BROKER_S).topics[self.topic].partitions
        positions = self._committed([TopicPartition(self.topic, partition) for partition in sorted(known)])
        self.consumer.assign(positions)
        self._next = {position.partition: max(position.offset, 0) for position in positions}

    def store(self, offsets: list[TopicPartition]) -> None:
        """Commits them."""
        self.consumer.commit(offsets=offsets, asynchronous=False)
