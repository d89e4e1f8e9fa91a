"""The publisher on a real Kafka: what it makes of a transaction that somebody else has ended, or a held one."""

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from guardrail.errors import FencedError
from guardrail.stream import client
from guardrail.stream.embedded import read
from guardrail.stream.faults import AbortError, RestartError
from guardrail.stream.publisher import Transactional
from guardrail.stream.routing import Outgoing
from guardrail.stream.source import AssignedSource, Source
from tests.stream.deployment import PATIENCE_S, FreshTopics, settings_on, wait_until

TRANSACTION_MS = 2_000
Made = TypeVar("Made", bound=Producer)


def making(kafka: str, identity: str, timeout_ms: int) -> Callable[[], Producer]:
    """Producers with one transactional id."""
    config = {"bootstrap.servers": kafka, "transactional.id": identity, "transaction.timeout.ms": timeout_ms}
    return lambda: Producer({**config, "log_level": 0, "message.timeout.ms": 1_000, "socket.timeout.ms": 1_000})


def ends(kafka: str, topic: str) -> tuple[int, int]:
    """The topic's last stable offset, and its end."""
    admin = AdminClient({"bootstrap.servers": kafka, "log_level": 0})
    place = TopicPartition(topic, 0)
    stable, end = (
        admin.list_offsets({place: OffsetSpec.latest()}, isolation_level=level)[place].result(PATIENCE_S).offset
        for level in (IsolationLevel.READ_COMMITTED, IsolationLevel.READ_UNCOMMITTED)
    )
    return stable, end


def test_a_transaction_that_outlived_its_time_isnt_another_instance(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a transaction that the broker has timed out, then a new producer goes on; nobody else has our name."""
    [topic] = fresh_topics("late")
    publisher = Transactional(making(kafka, topic, TRANSACTION_MS), TRANSACTION_MS / 1_000, lambda: False)
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": topic, "log_level": 0})
    publisher.open(PATIENCE_S)
    publisher.begin()
    publisher.send(Outgoing(topic, b"k", b"lost"))
    wait_until(lambda: ends(kafka, topic)[1] > 0, "it is in the log")
    wait_until(lambda: len(set(ends(kafka, topic))) == 1, "the broker has ended it")
    with pytest.raises(RestartError):
        publisher.abort()

    publisher.open(PATIENCE_S)
    publisher.begin()
    publisher.send(Outgoing(topic, b"k", b"kept"))
    publisher.commit([], AssignedSource(consumer, topic))
    publisher.close()
    consumer.close()
    assert [record.value for record in read(kafka, [topic])] == [b"kept"]


def test_another_instance_fences_us_at_once(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a transaction within its time, when another producer takes our name over, then we are fenced."""
    [topic] = fresh_topics("fenced")
    publisher, heir = (Transactional(making(kafka, topic, 60_000), 60.0, lambda: False) for _ in range(2))
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": topic, "log_level": 0})
    publisher.open(PATIENCE_S)
    publisher.begin()
    publisher.send(Outgoing(topic, b"k", b"lost"))
    heir.open(PATIENCE_S)
    with pytest.raises(FencedError):
        publisher.commit([], AssignedSource(consumer, topic))
    heir.close()
    consumer.close()


def test_offsets_of_who_was_put_out_are_not_committed(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a consumer that is no member of its group, before it has joined or once it is put out, then no offsets may
    be committed by it.
    """
    [topic] = fresh_topics("outsider")
    settings = settings_on(kafka, {"raw": topic})
    patience = {"session.timeout.ms": 6_000, "max.poll.interval.ms": 6_000}
    consumer = client.make_consumer({**client.consumer_config(settings, settings.identity()), **patience})
    source = Source(consumer, topic)
    with pytest.raises(AbortError, match="not in the group"):
        source.membership()
    source.open()
    wait_until(lambda: source.take(1, 0.1) == [] and source.joined, "it has joined")
    source.membership()
    wait_until(lambda: not consumer.memberid(), "it hasn't been heard of for too long")
    with pytest.raises(AbortError, match="not in the group"):
        source.membership()
    source.close()


class PutOut(Consumer):
    """A consumer that the group puts out at the moment when its membership is asked for."""

    out = False

    def consumer_group_metadata(self) -> Any:
        """What it was until then."""
        self.out = True
        return super().consumer_group_metadata()

    def memberid(self) -> str:
        """None from then on."""
        return "" if self.out else "m"


def test_whoever_is_put_out_while_it_asks_is_seen() -> None:
    """Given a member that is put out between two looks at it, then no offsets may be committed by it."""
    consumer = PutOut({"bootstrap.servers": "127.0.0.1:1", "group.id": "g", "log_level": 0})
    with pytest.raises(AbortError, match="not in the group"):
        Source(consumer, "raw").membership()
    consumer.close()


def remembered(kind: type[Made], kafka: str, topic: str) -> tuple[list[Made], Callable[[], Producer]]:
    """How producers of one name are made, and all that were."""
    config = {"bootstrap.servers": kafka, "transactional.id": topic, "transaction.timeout.ms": 60_000, "log_level": 0}
    made: list[Made] = []

    def make() -> Producer:
        made.append(kind(config))
        return made[-1]

    return made, make


class Unsure(Producer):
    """A producer whose first commit has no answer in time; the next call tells how it went."""

    asked = False

    def commit_transaction(self, *given: Any) -> None:
        """Commits at the second call."""
        if not self.asked:
            self.asked = True
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "late", False, True))  # noqa: SLF001  # a public name
        super().commit_transaction(*given)


def test_a_producer_whose_commit_was_unsure_is_replaced(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a commit that had to be asked for twice, then its batch is visible, and the next one has a new producer;
    after a commit that went at once it hasn't.
    """
    [topic] = fresh_topics("unsure")
    made, make = remembered(Unsure, kafka, topic)
    publisher = Transactional(make, 60.0, lambda: False)
    publisher.open(PATIENCE_S)
    made[0].asked = True
    for expected in (1, 1, 2):
        publisher.begin()
        assert len(made) == expected
        publisher.send(Outgoing(topic, b"k", b"%d" % expected))
        publisher.commit()
        made[0].asked = False
    publisher.close()
    assert [record.value for record in read(kafka, [topic])] == [b"1", b"1", b"2"]


class Holding(Producer):
    """Holds the call for offsets, as librdkafka does when a group's coordinator is gone (its issue 5456)."""

    until: threading.Event | None = None

    def send_offsets_to_transaction(self, *given: Any) -> None:
        """Comes back when the test ends, if it is to be held."""
        if self.until is not None:
            self.until.wait()
        super().send_offsets_to_transaction(*given)


@pytest.mark.parametrize("deadline_s", [1.0, 60.0])
def test_a_held_call_is_left_behind(kafka: str, fresh_topics: FreshTopics, deadline_s: float) -> None:
    """Given a call that never comes back, then its transaction is given up long before a batch's deadline, where that
    is far, and a new producer goes on.
    """
    [topic] = fresh_topics("held")
    made, make = remembered(Holding, kafka, topic)
    publisher = Transactional(make, deadline_s, lambda: False)
    consumer = Consumer({"bootstrap.servers": kafka, "group.id": topic, "log_level": 0})
    publisher.open(PATIENCE_S)
    made[0].until = threading.Event()
    publisher.begin()
    publisher.send(Outgoing(topic, b"k", b"lost"))
    started = time.monotonic()
    with pytest.raises(RestartError, match="held"):
        publisher.commit([TopicPartition(topic, 0, 1)], AssignedSource(consumer, topic))
    assert time.monotonic() - started < 10
    with pytest.raises(RestartError, match="held"):
        publisher.abort()

    publisher.open(PATIENCE_S)
    publisher.begin()
    publisher.send(Outgoing(topic, b"k", b"kept"))
    publisher.commit([TopicPartition(topic, 0, 2)], AssignedSource(consumer, topic))
    publisher.close()
    consumer.close()
    made[0].until.set()
    assert [record.value for record in read(kafka, [topic])] == [b"kept"]
