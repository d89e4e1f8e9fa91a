"""What a gate finds at its start and leaves at its end: zombies, missing topics, open transactions, bugs of ours."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, IsolationLevel, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from guardrail.drift.tally import Batch, Trial, tally
from guardrail.judge.model import Decision, RawRecord
from guardrail.judge.policy import Policies
from guardrail.settings import Settings
from guardrail.stream import run as running_process
from guardrail.stream import settling, verdicts
from guardrail.stream.faults import OwnError, UnansweredError
from guardrail.stream.run import EXIT_OWN_ERRORS
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.scoring import policies
from tests.stream.deployment import PATIENCE_S, FreshTopics, committed, deploy, produce, result, wait_until
from tests.stream.gates import assert_exactly_once, pass_through, running
from tests.stream.records import CANARY, drifting, record

ZOMBIE_MS = 6_000
"""Longer than one try for a committed offset takes."""


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


@contextmanager
def zombie(settings: Settings, offsets: dict[int, int], timeout_ms: int = ZOMBIE_MS) -> Iterator[None]:
    """A gate that was killed between its offsets and its commit: its transaction stays open until it times out."""
    bootstrap = settings.kafka.bootstrap_servers
    config = {"bootstrap.servers": bootstrap, "transactional.id": uuid4().hex, "transaction.timeout.ms": timeout_ms}
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": settings.gate.group, "log_level": 0})
    producer = Producer({**config, "log_level": 0})
    producer.init_transactions(PATIENCE_S)
    producer.begin_transaction()
    places = [TopicPartition(settings.topics.raw, partition, offset) for partition, offset in offsets.items()]
    producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), PATIENCE_S)
    try:
        yield
    finally:
        consumer.close()


def spread(count: int) -> list[RawRecord]:
    """Records under many keys."""
    return [RawRecord(record(str(index)).value, f"k{index}".encode()) for index in range(count)]


def all_through(settings: Settings, count: int) -> Callable[[], bool]:
    """Whether so many raw records lie below the committed offsets."""
    return lambda: sum(max(offset, 0) for offset in committed(settings).values()) >= count


@pytest.mark.parametrize("before", [0, 40])
def test_a_zombies_offsets_are_waited_for(kafka: str, fresh_topics: FreshTopics, agents: Policies, before: int) -> None:
    """Given a group whose offsets a killed gate holds, then a gate isn't ready until they are free, and skips none."""
    settings = deploy(kafka, fresh_topics, partitions=3)
    if before:
        produce(settings, spread(before))
        pass_through(Gate(settings, agents), before)
    produce(settings, spread(60))
    gate = Gate(settings, agents)
    with zombie(settings, {0: 1, 1: 1}), running(gate) as ended:
        wait_until(lambda: "committed offsets unknown" in gate.health.reason, "the gate waits")
        assert not gate.health.ready
        assert gate.health.age_s < 5
        wait_until(lambda: bool(ended) or all_through(settings, before + 60)(), "every record is committed")
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
    assert not ended, ended
    assert_exactly_once(settings, result(settings))


def test_waiting_partitions_move_on(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given partitions that a gate waits for, when others join and leave, then each is taken over and read once."""
    settings = deploy(kafka, fresh_topics, partitions=4)
    produce(settings, spread(80))
    first, second = Gate(settings, agents), Gate(settings, agents)
    with zombie(settings, dict.fromkeys(range(4), 1), 20_000), running(second) as others:
        wait_until(lambda: "committed offsets unknown" in second.health.reason, "the second waits")
        with running(first) as ended:
            wait_until(lambda: "committed offsets unknown" in first.health.reason, "the first waits")
        assert not ended, ended
        wait_until(lambda: bool(others) or all_through(settings, 80)(), "every record is committed")
        wait_until(lambda: bool(others) or second.health.ready, "the second is ready")
    assert not others, others
    assert_exactly_once(settings, result(settings))


def test_missing_topics_are_told_and_waited_for(
    kafka: str, fresh_topics: FreshTopics, agents: Policies, caplog: pytest.LogCaptureFixture
) -> None:
    """Given a topic that doesn't exist, then /readyz and one log line name it, and its making is enough to go on."""
    settings = deploy(kafka, fresh_topics)
    missing = f"missing-{uuid4().hex}"
    settings = settings.model_copy(update={"topics": settings.topics.model_copy(update={"approved": missing})})
    produce(settings, [record()])
    gate = Gate(settings, agents)
    admin = AdminClient({"bootstrap.servers": kafka, "log_level": 0})
    with caplog.at_level(logging.ERROR, "guardrail.stream"), running(gate) as ended:
        wait_until(lambda: missing in gate.health.reason, "the topic is named")
        assert "guardrail topics --create" in gate.health.reason
        assert not gate.health.ready
        admin.create_topics([NewTopic(missing, 1, 1)])[missing].result(PATIENCE_S)
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == 1, "the record is committed")
    assert not ended, ended
    assert [line.message for line in caplog.records] == ["topics missing"]
    admin.delete_topics([missing])


def last_stable(settings: Settings) -> tuple[int, int]:
    """The decisions topic's last stable offset, and its end."""
    admin = AdminClient({"bootstrap.servers": settings.kafka.bootstrap_servers, "log_level": 0})
    place = TopicPartition(settings.topics.decisions, 0)
    found = [
        admin.list_offsets({place: OffsetSpec.latest()}, isolation_level=level)[place].result(PATIENCE_S).offset
        for level in (IsolationLevel.READ_COMMITTED, IsolationLevel.READ_UNCOMMITTED)
    ]
    return found[0], found[1]


def test_a_stopped_gate_leaves_no_open_transaction(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given a commit that fails because a topic is gone, when the gate stops, then its transaction has an end."""
    settings = deploy(kafka, fresh_topics, transaction_ms=60_000)
    produce(settings, [record()])
    gate = Gate(settings, agents)
    admin = AdminClient({"bootstrap.servers": kafka, "log_level": 0})
    with running(gate) as ended:
        wait_until(lambda: gate.report.value(names.CONSUMED) == 1, "the first record is committed")
        admin.delete_topics([settings.topics.approved])[settings.topics.approved].result(PATIENCE_S)
        before = last_stable(settings)[1]
        produce(settings, [record()] * 3)
        wait_until(lambda: last_stable(settings)[1] > before, "a transaction is open")
        stable, end = last_stable(settings)
        assert stable < end
        gate.stop()
        started = time.monotonic()
        assert gate.health.reason == "stopping"
    assert time.monotonic() - started < 8
    wait_until(lambda: len(set(last_stable(settings))) == 1, "nothing is open", patience_s=5)
    assert not ended, ended
    assert len(result(settings).decisions) == 1


def test_a_topic_deleted_under_the_gate_is_told(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given an output topic that is deleted under the gate, then /readyz names it, and nothing is lost by it."""
    settings = deploy(kafka, fresh_topics)
    approved = settings.topics.approved
    produce(settings, [record()])
    gate = Gate(settings, agents)
    admin = AdminClient({"bootstrap.servers": kafka, "log_level": 0})
    with running(gate) as ended:
        wait_until(lambda: gate.report.value(names.CONSUMED) == 1, "the first record is committed")
        admin.delete_topics([approved])[approved].result(PATIENCE_S)
        produce(settings, [record()])
        wait_until(lambda: f"missing topics: {approved}" in gate.health.reason, "the topic is named")
        admin.create_topics([NewTopic(approved, 1, 1)])[approved].result(PATIENCE_S)
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == 2, "the second record is committed")
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
    assert not ended, ended
    assert len(result(settings).decisions) == 2


def test_a_bug_beside_the_judge_costs_one_record(
    kafka: str, fresh_topics: FreshTopics, agents: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a bug in a trace or in an observation, then its record is a dead letter with its time; others pass."""

    def traced(raw: RawRecord, _: Decision, *, spans: bool) -> str | None:
        assert not spans
        if raw.source.offset == 0:
            raise ZeroDivisionError(CANARY)
        return None

    def tallied(seen: Sequence[Trial], received_ms: int) -> Batch:
        if any(trial.offset == 2 for trial in seen):
            raise ZeroDivisionError(CANARY)
        return tally(seen, received_ms)

    monkeypatch.setattr(settling, "trace_id", traced)
    monkeypatch.setattr(settling, "tally", tallied)
    settings = deploy(kafka, fresh_topics)
    produce(settings, [record(), *(drifting("it is P76041", f"k{index}") for index in range(3))])
    gate = Gate(settings, agents)
    pass_through(gate, 4)
    found = result(settings)
    broken = [d.source.offset for d in found.decisions if d.on_error is not None]
    assert broken == [0, 2]
    assert [o["source"]["offset"] for o in found.observations if "conversation_hash" in o] == [1, 3]
    times = [raw.source.timestamp_ms for raw in found.raws if raw.source.offset in broken]
    assert [letter.source.timestamp_ms for letter in found.outputs["dead_letter"]] == times
    assert gate.report.value(names.DEAD_LETTERS, "own_error") == 2


def test_too_many_routing_errors_stop(
    kafka: str, fresh_topics: FreshTopics, agents: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a router that always breaks, then the gate stops after so many in a row, batch by batch too."""

    def breaks(*_: object, keep_time: bool) -> None:
        raise ZeroDivisionError(keep_time)

    monkeypatch.setattr(settling, "settle", breaks)
    settings = deploy(kafka, fresh_topics, own_errors_count=3, batch_messages=1)
    produce(settings, [record()] * 3)
    with running(Gate(settings, agents)) as ended:
        wait_until(lambda: bool(ended), "the gate ends")
    assert [type(failure) for failure in ended] == [OwnError]
    assert len(result(settings).decisions) == 2


def test_a_bug_ends_the_process_without_a_word_of_a_record(
    kafka: str,
    fresh_topics: FreshTopics,
    agents: Policies,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Given a bug that no guard catches, then the exit code says so, and the log holds its class and place alone."""

    def breaks(*_: object) -> RawRecord:
        raise ZeroDivisionError(CANARY)

    monkeypatch.setattr(verdicts, "raw_record", breaks)
    settings = deploy(kafka, fresh_topics)
    produce(settings, [record(CANARY)])
    with caplog.at_level(logging.INFO, "guardrail.stream"):
        assert running_process.run(settings, agents) == EXIT_OWN_ERRORS
    last = caplog.records[-1]
    assert (last.message, last.__dict__["error"]) == ("stopped", "ZeroDivisionError")
    assert any("breaks" in frame for frame in last.__dict__["frames"])
    assert all(CANARY not in str(line.__dict__) for line in caplog.records)


def send(settings: Settings, partitions: Iterable[int]) -> None:
    """An approved record to each of these partitions."""
    producer = Producer({"bootstrap.servers": settings.kafka.bootstrap_servers, "log_level": 0})
    for partition in partitions:
        producer.produce(settings.topics.raw, record().value, b"k", partition)
    assert producer.flush(PATIENCE_S) == 0


def test_a_topic_made_anew_with_fewer_partitions_is_written(
    kafka: str, fresh_topics: FreshTopics, agents: Policies
) -> None:
    """Given an output topic that is deleted and made anew with fewer partitions, then what has no place of its own
    there goes by its key: nothing waits for a restart.
    """
    settings = deploy(kafka, fresh_topics, partitions=3, transaction_ms=5_000)
    approved = settings.topics.approved
    admin = AdminClient({"bootstrap.servers": kafka, "log_level": 0})
    gate = Gate(settings, agents)
    with running(gate) as ended:
        send(settings, [2])
        wait_until(lambda: gate.report.value(names.CONSUMED) == 1, "the first is committed")
        admin.delete_topics([approved])[approved].result(PATIENCE_S)
        send(settings, range(3))
        wait_until(lambda: f"missing topics: {approved}" in gate.health.reason, "the batch is given back")
        behind_s = lambda: gate.report.value(names.TIME_LAG, settings.topics.raw, "2")  # noqa: E731
        wait_until(lambda: behind_s() > 1, "what isn't committed counts as late")
        admin.create_topics([NewTopic(approved, 1, 1)])[approved].result(PATIENCE_S)
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == 4, "all are committed")
    assert not ended, ended
    assert len(result(settings).outputs["approved"]) == 3


def test_a_raw_topic_that_goes_is_told(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given a raw topic that is deleted under the gate, then it isn't ready until it is there again, and reads it."""
    settings = deploy(kafka, fresh_topics)
    raw = settings.topics.raw
    admin = AdminClient({"bootstrap.servers": kafka, "log_level": 0})
    gate = Gate(settings, agents)
    with running(gate) as ended:
        wait_until(lambda: gate.health.ready, "the gate is ready")
        admin.delete_topics([raw])[raw].result(PATIENCE_S)
        wait_until(lambda: f"no such topic: {raw}" in gate.health.reason, "it is told", patience_s=60)
        admin.create_topics([NewTopic(raw, 1, 1)])[raw].result(PATIENCE_S)
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready again", patience_s=60)
        produce(settings, [record()])
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == 1, "the record is committed")
    assert not ended, ended


def test_a_commit_that_landed_unanswered_is_no_failure(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given a commit that the broker has made and nobody was told of, when nothing comes after it, then the gate is
    ready and owes nothing.
    """
    settings = deploy(kafka, fresh_topics)
    gate = Gate(settings, agents)
    commit, lost = gate._publisher.commit, []  # noqa: SLF001

    def unanswered(*given: Any) -> None:
        commit(*given)
        if not lost:
            lost.append(given)
            raise UnansweredError("commit: not done in time")

    gate._publisher.commit = unanswered  # type: ignore[method-assign]  # noqa: SLF001
    with running(gate) as ended:
        produce(settings, [record()])
        wait_until(lambda: bool(ended) or bool(lost), "the answer is lost")
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
        assert committed(settings) == {0: 1}
        assert gate.report.value(names.TIME_LAG, settings.topics.raw, "0") < 1
    assert not ended, ended
    assert_exactly_once(settings, result(settings))


def test_a_file_that_goes_for_a_moment_ends_no_gate(
    kafka: str, fresh_topics: FreshTopics, agents: Policies, tmp_path: Path
) -> None:
    """Given a file of properties that isn't there while a new producer is made, then that waits for it, and says so."""
    file = tmp_path / "client.properties"
    file.write_text("client.rack=here\n")
    settings = deploy(kafka, fresh_topics)
    settings = settings.model_copy(update={"kafka": settings.kafka.model_copy(update={"properties_file": file})})
    gate = Gate(settings, agents)
    with running(gate) as ended:
        produce(settings, [record()])
        wait_until(lambda: gate.report.value(names.CONSUMED) == 1, "the first is committed")
        file.rename(tmp_path / "elsewhere")
        gate._publisher.distrust()  # noqa: SLF001  # as after a failed login
        produce(settings, [record()])
        wait_until(lambda: bool(ended) or "client.properties" in gate.health.reason, "it is told")
        (tmp_path / "elsewhere").rename(file)
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == 2, "the second is committed")
    assert not ended, ended
