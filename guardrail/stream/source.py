"""The raw topic as the gate reads it, by group or by assignment. It must never hand out a lost partition's record, nor
the same record twice.

Rebalance callbacks run inside `take` alone, so no transaction is open in one.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, TopicPartition

from guardrail.stream.faults import (
    UNREAD_GONE,
    AbortError,
    RestartError,
    UnansweredError,
    UnreadDataError,
    as_ours,
    consumer_lost,
    denied,
    kafka_error,
)
from guardrail.stream.progress import Position, Progress

LOG = logging.getLogger("guardrail.stream")

BROKER_S = 10.0
"""How long to wait for the broker's word on what is ours already."""
TRY_S = 2.0
"""How long to ask for a new partition's committed offset, once a turn. A gate that was killed in the middle of a batch
keeps it from us until its transaction has timed out; the loop must turn meanwhile."""
ABSENT_S = 5.0
"""Between two looks for the topic of a member that has nothing of it."""

Noted = Callable[[str], None]


class Source:
    """The group's share of a topic. Offsets live in the broker; what is kept here is only what was read since."""

    def __init__(self, consumer: Consumer, topic: str, noted: Noted = lambda _: None) -> None:
        """`noted` is told of `rebalance`, and of deliveries passed over: `duplicate`, `out_of_order`."""
        self.consumer = consumer
        self.topic = topic
        self._noted = noted
        self.progress = Progress()
        self._next: dict[int, int] = {}
        self._first: dict[int, int] = {}
        self._paused: set[int] = set()
        self._pending: dict[int, str] = {}
        self._gone_since: set[int] = set()
        self._gone_now: set[int] = set()
        self._fault: Exception | None = None
        self._absent = False
        self._look_s = 0.0
        self.joined = False
        """Whether the group counts us in: it has given us our share, were it nothing (of which the client tells only
        under the classic protocol).
        """
        self.denied: KafkaException | None = None
        """The broker's word that we may not read, until whoever knows better takes it away."""

    @property
    def partitions(self) -> frozenset[int]:
        """The partitions that are ours and are read."""
        return frozenset(self._next)

    @property
    def unread(self) -> Mapping[int, int]:
        """Where each of them is read on from."""
        return self._next

    @property
    def waiting(self) -> str | None:
        """Why what is ours can't be read yet; None when it can."""
        if self._absent:
            return f"no such topic: {self.topic}"
        if not self._pending:
            return None
        return f"committed offsets unknown for partitions {sorted(self._pending)}: {next(iter(self._pending.values()))}"

    def membership(self) -> object:
        """What a transaction's offsets are checked by. Raises AbortError when the group has put us out: offsets that
        come from no member at all, brokers take unchecked.

        Asked first, looked at afterwards: whoever is put out in between shows as no member, and joins again only in
        `take`.
        """
        found = self.consumer.consumer_group_metadata()
        if not self.consumer.memberid():
            raise AbortError("offsets: not in the group any more")
        return found

    def missing(self, topics: Iterable[str]) -> list[str]:
        """Those of the topics that the broker doesn't have. Raises KafkaException when it doesn't answer."""
        listed = self.consumer.list_topics(timeout=TRY_S).topics
        return [name for name in topics if name not in listed or listed[name].error is not None]

    def out_of_sync(self, topics: Iterable[str]) -> list[str]:
        """Those with copies that aren't in sync: they may have too few. Raises KafkaException as above."""
        listed = self.consumer.list_topics(timeout=TRY_S).topics
        return [
            name
            for name in topics
            if name in listed and any(len(one.isrs) < len(one.replicas) for one in listed[name].partitions.values())
        ]

    def open(self) -> None:
        """Joins the group."""
        self.consumer.subscribe([self.topic], on_assign=self._assigned, on_revoke=self._gone, on_lost=self._lost)

    def take(self, count: int, wait_s: float) -> list[Message]:
        """Up to `count` messages, after at most `wait_s`, each one for the first time since it was committed.

        With a `count` of 0 nothing is read, while the group's members go on being told that we are there.
        """
        self._retry()
        self._look_for_topic()
        self._gone_now = set()
        self._pause(on=count == 0)
        messages = self.consumer.consume(max(count, 1), wait_s)
        if self._fault is not None:
            fault, self._fault = self._fault, None
            raise fault
        if lost := self._gone_now:  # what was read of them may be older than a new assignment: read it again
            messages = [message for message in messages if message.partition() not in lost]
            self._seek(self._next.keys() & lost)
        return [message for message in messages if self._is_new(message)]

    def _pause(self, *, on: bool) -> None:
        """Stops or resumes the fetching of all that is ours. What is assigned meanwhile is read all the same."""
        wanted = set(self._next) if on else set()
        try:
            if fresh := wanted - self._paused:
                self.consumer.pause([TopicPartition(self.topic, partition) for partition in fresh])
            if stale := (self._paused - wanted) & self._next.keys():
                self.consumer.resume([TopicPartition(self.topic, partition) for partition in stale])
        except KafkaException as failure:
            raise as_ours(kafka_error(failure), "pause") from failure
        self._paused = wanted

    def gone(self) -> set[int]:
        """The partitions that were taken away, if only for a moment, since this was asked last."""
        gone, self._gone_since = self._gone_since, set()
        return gone

    def rewind(self) -> None:
        """Goes back to the broker's committed offsets: after an abort nothing in memory can be trusted."""
        self._seek(self._next.keys())

    def store(self, positions: list[Position]) -> None:
        """Takes note of what was committed: librdkafka's lag figure rests on it, and what is passed over."""
        self.progress.committed(positions)
        try:
            self.consumer.store_offsets(offsets=[position.committed(self.topic) for position in positions])
        except KafkaException as failure:  # taken away meanwhile: the batch is committed all the same
            LOG.info("lag unknown", extra={"error": kafka_error(failure).name()})

    def close(self) -> None:
        """Leaves the group (a static member keeps its place)."""
        self.consumer.close()

    def _seek(self, partitions: AbstractSet[int]) -> None:
        if not partitions:
            return
        try:
            for position in self._committed(partitions, BROKER_S):
                self.consumer.seek(position)
                self._begin(position)
        except KafkaException as failure:
            error = kafka_error(failure)
            if error.code() == KafkaError._TIMED_OUT:  # noqa: SLF001  # a public name
                raise UnansweredError(f"rewind: {error.str()}") from failure
            raise as_ours(error, "rewind") from failure

    def _committed(self, partitions: Iterable[int], wait_s: float) -> list[TopicPartition]:
        """Where to read on: the committed offset. Nobody has committed yet: where we began ourselves, so that what is
        deleted meanwhile is missed, or the beginning.
        """
        asked = [TopicPartition(self.topic, partition) for partition in partitions]
        found = self.consumer.committed(asked, timeout=wait_s)
        for position in found:
            if position.error is not None:  # its offset says nothing then: it must not pass for "nobody has committed"
                raise KafkaException(position.error)
        for position in found:
            self.progress.restore(position)
        began = self._first
        return [
            TopicPartition(
                p.topic, p.partition, p.offset if p.offset >= 0 else began.get(p.partition, OFFSET_BEGINNING)
            )
            for p in found
        ]

    def _begin(self, position: TopicPartition) -> None:
        """It is read from there."""
        self._next[position.partition] = max(position.offset, 0)

    def _assigned(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Always assigns, if nothing: the client would else do it by itself, and read from where it likes."""
        self._noted("rebalance")
        self.joined = True
        self.denied = None
        try:
            self._read_on(consumer, [given.partition for given in partitions])
        except KafkaException as failure:
            self._fault = RestartError(f"assignment: {kafka_error(failure)}")

    def _look_for_topic(self) -> None:
        """Whether it is there, while we have nothing of it: the client tells of one that is deleted only once."""
        if self._next or self._pending:
            self._absent = False
        elif time.monotonic() > self._look_s:
            self._look_s = time.monotonic() + ABSENT_S
            with suppress(KafkaException):
                self._absent = bool(self.missing([self.topic]))

    def _retry(self) -> None:
        """Asks again for what is pending, one by one, until the first that still can't be told; that one goes last."""
        for partition in tuple(self._pending):
            try:
                self._read_on(self.consumer, [partition])
            except KafkaException as failure:
                raise RestartError(f"assignment: {kafka_error(failure)}") from failure
            if partition in self._pending:
                return

    def _read_on(self, consumer: Consumer, partitions: list[int]) -> None:
        """Reads these on from their committed offsets; where those can't be told, they are pending."""
        for partition in partitions:
            self._pending.pop(partition, None)
        try:
            positions = self._committed(partitions, TRY_S)
        except KafkaException as failure:
            name = kafka_error(failure).name()
            self.denied = failure if denied(failure) else None
            LOG.warning("assignment waits", extra={"topic": self.topic, "partitions": partitions, "error": name})
            self._pending |= dict.fromkeys(partitions, name)
            positions = []
        consumer.incremental_assign(positions)
        for position in positions:
            self._begin(position)
        if positions:
            consumer.resume(positions)  # one that was paused when it went comes back paused: the client forgets nothing
            LOG.info("assigned", extra={"topic": self.topic, "partitions": [p.partition for p in positions]})

    def _lost(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Taken away without a word: the group has put us out."""
        self.joined = False
        self._gone(consumer, partitions)

    def _gone(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        held = [gone for gone in partitions if gone.partition in self._next]
        for gone in partitions:
            self._next.pop(gone.partition, None)
            self._first.pop(gone.partition, None)
            self._pending.pop(gone.partition, None)
            self._paused.discard(gone.partition)
            self.progress.forget(gone.partition)
            self._gone_since.add(gone.partition)
            self._gone_now.add(gone.partition)
        self._noted("rebalance")
        LOG.info("revoked", extra={"topic": self.topic, "partitions": [p.partition for p in partitions]})
        if len(held) == len(partitions):
            return  # the client gives them back by itself
        try:
            consumer.incremental_unassign(held)  # pending ones were never assigned: it would refuse them all
        except KafkaException as failure:
            self._fault = RestartError(f"revocation: {kafka_error(failure)}")

    def _is_new(self, message: Message) -> bool:
        if (error := message.error()) is not None:
            self._refuse(error, message.partition())
            return False
        partition, offset = message.partition(), message.offset()
        if partition is None or offset is None:
            return False
        following = self._next.get(partition)
        if following is None:
            self._disown(partition)
            return False
        if offset < following:
            self._noted("duplicate" if offset == following - 1 else "out_of_order")
            return False
        self._next[partition] = offset + 1
        self._first.setdefault(partition, offset)
        return not self.progress.is_done(partition, offset)

    def _disown(self, partition: int) -> None:
        """Raises RestartError when the partition is ours after all: passing its records over would lose them."""
        if any(held.partition == partition for held in self.consumer.assignment()):
            raise RestartError(f"partition {partition} is read from an unknown position")

    def _refuse(self, error: KafkaError, partition: int | None) -> None:
        """Raises what an error among the messages asks for; what may pass is logged."""
        if error.code() in UNREAD_GONE:
            raise UnreadDataError(f"{self.topic}:{partition}: {error.str()}")
        if (lost := consumer_lost(error)) is not None:
            raise lost
        if denied(failure := KafkaException(error)):
            self.denied = failure
        LOG.warning("consume failed", extra={"error": error.name()})


class AssignedSource(Source):
    """The whole topic for one reader, without a group: for the embedded broker, whose transactions drop offsets.

    Positions are committed by the consumer itself, after the transaction: at least once, which a demo can live with.
    """

    def open(self) -> None:
        """Takes every partition, from what was committed before or the beginning."""
        known = self.consumer.list_topics(self.topic, timeout=BROKER_S).topics[self.topic].partitions
        positions = self._committed(sorted(known), BROKER_S)
        self.consumer.assign(positions)
        self.joined = True
        for position in positions:
            self._begin(position)

    def membership(self) -> object:
        """It is in no group."""
        return self.consumer.consumer_group_metadata()

    def store(self, positions: list[Position]) -> None:
        """Commits them."""
        self.progress.committed(positions)
        self.consumer.commit(offsets=[position.committed(self.topic) for position in positions], asynchronous=False)
