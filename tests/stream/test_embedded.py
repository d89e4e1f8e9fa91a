"""The real gate on the embedded broker: the whole path without a network, and with the errors that can be injected."""

import time
from collections import Counter
from contextlib import closing

import pytest
from confluent_kafka import Consumer, KafkaException, TopicPartition

from guardrail.errors import TransientError
from guardrail.judge.decide import judge
from guardrail.judge.model import RawRecord
from guardrail.judge.policy import Policies
from guardrail.stream import client, embedded
from guardrail.stream.acknowledged import _commit
from guardrail.stream.embedded import EMBEDDED, Embedded, play, read
from guardrail.stream.faults import RestartError
from guardrail.stream.source import AssignedSource, Source
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.scoring import policies
from tests.stream.deployment import PATIENCE_S, case_records, produce, wait_until
from tests.stream.records import record

END_TXN, PRODUCE, OFFSET_FETCH, TXN_OFFSET_COMMIT, INIT_PRODUCER_ID = 26, 0, 9, 28, 22  # Kafka's request numbers


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


def test_a_play_shows_every_outcome(agents: Policies) -> None:
    """Each record comes back with the decision that the judge gives it, and its output where it has one."""
    records = case_records(largest_bytes=20_000)
    played = play(records, agents)
    assert [p.record.value for p in played] == [r.value for r in records]
    expected = judge([p.record for p in played], agents)
    for one, wanted in zip(played, expected, strict=True):
        assert one.decision.outcome is wanted.decision.outcome
        assert one.decision.reply == wanted.decision.reply
        assert (one.output is None) is (one.topic is None) is (one.decision.outcome.value == "skipped")
    assert len({p.topic for p in played}) == 5


def test_a_play_without_records_is_empty(agents: Policies) -> None:
    """Nothing in, nothing out."""
    assert play([], agents) == []


def test_a_play_that_is_too_large_is_refused(agents: Policies) -> None:
    """More than the embedded broker keeps is refused before it could lose any."""
    with pytest.raises(TransientError, match="holds"):
        play([RawRecord(b"x" * (embedded.RECORDS_BYTES + 1))], agents)


@pytest.mark.parametrize(
    ("request_key", "code", "fault"),
    [
        (END_TXN, 51, None),  # CONCURRENT_TRANSACTIONS: retriable
        (END_TXN, 15, None),  # COORDINATOR_NOT_AVAILABLE
        (TXN_OFFSET_COMMIT, 22, "AbortError"),  # ILLEGAL_GENERATION: abort
        (TXN_OFFSET_COMMIT, 25, "AbortError"),  # UNKNOWN_MEMBER_ID
        (PRODUCE, 87, "RefusedError"),  # INVALID_RECORD: one of the batch is at fault
        (PRODUCE, 29, "AbortError"),  # TOPIC_AUTHORIZATION_FAILED
        (END_TXN, 48, "RestartError"),  # INVALID_TXN_STATE: the producer is of no use any more
    ],
)
def test_injected_errors_lose_nothing(agents: Policies, request_key: int, code: int, fault: str | None) -> None:
    """Whatever the broker answers once: in the end every record has its decision, and the fault was counted."""
    with Embedded() as cluster:
        settings = cluster.settings()
        records = case_records(largest_bytes=2_000)[:40]
        produce(settings, records)
        gate = Gate(settings, agents, broker=EMBEDDED)
        gate.open()
        try:
            cluster.fail_next(request_key, [code])
            until = time.monotonic() + PATIENCE_S
            while gate.report.value(names.CONSUMED) < len(records):
                gate._turn()  # noqa: SLF001  # a turn of `run`
                assert time.monotonic() < until, gate.health.reason
        finally:
            gate.close()
        decided = Counter(
            r.header("guardrail.source") for r in read(settings.kafka.bootstrap_servers, ["guardrail.decisions"])
        )
    assert len(decided) == len(records)
    if fault is not None:
        assert gate.report.value(names.ABORTS, fault) >= 1
    else:
        assert set(decided.values()) == {1}


def test_a_failed_delivery_names_its_topic(agents: Policies) -> None:
    """Given a topic that refuses us, when the commit fails for it, then the fault says which topic and why."""
    with Embedded() as cluster:
        settings = cluster.settings()
        produce(settings, [record()])
        with closing(Gate(settings, agents, broker=EMBEDDED)) as gate:
            gate.open()
            cluster.fail_next(PRODUCE, [29] * 3)
            with pytest.raises(TransientError, match=r"AUTHORIZATION_FAILED.* (llm|guardrail)\.[a-z.]+"):
                wait_until(lambda: gate.step() > 0, "a batch")


def test_an_offset_in_error_is_no_beginning() -> None:
    """Given a broker that can't tell a committed offset, then that is raised: the whole topic isn't read again."""
    with Embedded() as cluster:
        topic = cluster.settings().topics.raw
        consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "g", "log_level": 0})
        source = AssignedSource(consumer, topic)
        cluster.fail_next(OFFSET_FETCH, [30])  # GROUP_AUTHORIZATION_FAILED
        with pytest.raises(KafkaException, match="GROUP_AUTHORIZATION_FAILED"):
            source.open()
        assert not source.partitions
        source.open()
        assert source.partitions == {0}
        consumer.close()


def test_a_record_from_an_unknown_position_is_a_fault(agents: Policies) -> None:
    """Given a partition that is assigned and yet unknown to us, then its record is a fault, and never passed over."""
    with Embedded() as cluster:
        settings = cluster.settings()
        produce(settings, [record()])
        with closing(Gate(settings, agents, broker=EMBEDDED)) as gate:
            gate.open()
            gate._source._next.clear()  # noqa: SLF001  # as if an assignment had been missed
            with pytest.raises(RestartError, match="unknown position"):
                wait_until(lambda: gate.step() > 0, "a batch")


def test_the_cluster_ends_with_the_block() -> None:
    """Outside of the block nothing answers at its address."""
    with Embedded() as cluster:
        cluster.create(["t"], partitions_count=3)
        reader = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "g", "log_level": 0})
        assert len(reader.list_topics("t", timeout=5).topics["t"].partitions) == 3
        with pytest.raises(TransientError, match="can't make"):
            cluster.create(["t"])
        reader.close()


def test_a_partition_that_goes_while_nothing_is_taken_is_read_when_it_comes_back() -> None:
    """Given a source without room, whose partition another member has for a while, then with room again all is read."""
    with Embedded() as broker:
        settings = broker.settings(partitions_count=2)
        raw = settings.topics.raw
        produce(settings, [RawRecord(b"x", str(index).encode()) for index in range(40)])
        source = Source(client.make_consumer(client.consumer_config(settings, settings.identity())), raw)
        other = Source(client.make_consumer(client.consumer_config(settings, settings.identity())), raw)
        read = set[tuple[int | None, int | None]]()

        def turn(count: int) -> bool:
            read.update((one.partition(), one.offset()) for one in source.take(count, 0.1))
            return True

        with closing(source):
            source.open()
            wait_until(lambda: turn(0) and len(source.partitions) == 2, "both are the source's")
            with closing(other):
                other.open()
                wait_until(lambda: turn(0) and not other.take(0, 0.1) and bool(other.partitions), "the other has one")
            wait_until(lambda: turn(0) and len(source.partitions) == 2, "it is back")
            wait_until(lambda: turn(50) and len(read) == 40, "all is read", patience_s=15)


def test_an_offset_that_is_not_committed_is_told() -> None:
    """Given one of two offsets that the broker doesn't take, then the commit fails, though the other was taken."""
    with Embedded() as broker:
        settings = broker.settings()
        raw = settings.topics.raw
        with closing(client.make_consumer(client.consumer_config(settings, settings.identity()))) as consumer:
            consumer.assign([TopicPartition(raw, 0, 0)])
            with pytest.raises(KafkaException):
                _commit(consumer, [TopicPartition(raw, 0, 0), TopicPartition(raw, 99, 0)])
