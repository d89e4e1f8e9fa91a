"""At least once, on a real Kafka: nothing is lost whatever fails, and nothing comes twice where nothing fails."""

import time
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from guardrail.judge.model import Outcome, RawRecord
from guardrail.judge.policy import Policies
from guardrail.settings import GateSettings
from guardrail.stream import client
from guardrail.stream.acknowledged import Acknowledged, publisher_for
from guardrail.stream.embedded import EMBEDDED, Embedded, read
from guardrail.stream.publisher import Transactional
from guardrail.stream.run import EXIT_BROKER
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.scoring import policies
from tests.stream.deployment import (
    PATIENCE_S,
    FreshTopics,
    case_records,
    committed,
    count_decisions,
    deploy,
    gate_process,
    produce,
    result,
    settings_on,
    wait_until,
)
from tests.stream.gates import assert_exactly_once, ends, pass_through, running
from tests.stream.records import POISON, record

AT_LEAST_ONCE = "at_least_once"
BATCH = 50
PRODUCE, OFFSET_COMMIT = 0, 8  # Kafka's request numbers


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


def keyed(count: int) -> list[RawRecord]:
    """Case records under 100 keys."""
    cases = case_records(largest_bytes=10_000)
    return [msgspec.structs.replace(cases[n % len(cases)], key=f"c-{n % 100}".encode()) for n in range(count)]


def test_the_producers_of_both_deliveries() -> None:
    """Given each delivery, then its producer waits for all replicas; one alone has a transactional id."""
    made = {}
    for delivery in ("exactly_once", AT_LEAST_ONCE):
        settings = settings_on("127.0.0.1:1", {}, delivery=delivery)
        made[delivery] = client.producer_config(settings, settings.identity("x-0"), 1_000_000, 1_000_000)
        assert client.consumer_config(settings, settings.identity("x-0"))["isolation.level"] == "read_committed"
        assert isinstance(client.make_producer({**made[delivery], "log_level": 0}), Producer)
    assert "transactional.id" in made["exactly_once"]
    assert made[AT_LEAST_ONCE]["enable.idempotence"] is True
    assert not any("transaction" in name for name in made[AT_LEAST_ONCE])
    assert publisher_for(GateSettings().delivery) is Transactional
    assert publisher_for("at_least_once") is Acknowledged


def test_nothing_comes_twice_without_a_fault(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given gates that come and go, and records of every kind, then each comes out once, and each key in order."""
    settings = deploy(kafka, fresh_topics, partitions=4, delivery=AT_LEAST_ONCE, batch_messages=BATCH)
    first, second = Gate(settings, agents), Gate(settings, agents)
    poison = [msgspec.structs.replace(one, key=b"p") for one in POISON.values() if len(one.value or b"") < 500_000]
    with running(second) as others:
        with running(first) as ended:
            produce(settings, keyed(500))
            wait_until(lambda: all(one._source.partitions for one in (first, second)), "both have partitions")  # noqa: SLF001
            produce(settings, [*keyed(500), *poison], rate=500)
        assert not ended, ended
        produce(settings, keyed(500))
        wanted = ends(settings)
        wait_until(lambda: bool(others) or committed(settings) == wanted, "every offset is committed")
    assert not others, others
    assert first.report.value(names.CONSUMED) > 0
    assert_exactly_once(settings, result(settings))


def test_a_killed_gate_loses_nothing(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Given gates that are killed in the middle of their batches, then nothing is lost, and a batch comes twice."""
    settings = deploy(kafka, fresh_topics, partitions=4, delivery=AT_LEAST_ONCE, batch_messages=BATCH)
    decided = count_decisions(settings)
    produce(settings, keyed(3_000))
    kills = 0
    while kills < 3:
        with gate_process(settings, tmp_path) as gate:
            before = decided()
            wait_until(lambda: decided() > before + 100, "some are decided")  # noqa: B023  # this round's
            gate.process.kill()
            kills += 1
    with gate_process(settings, tmp_path) as gate:
        wanted = ends(settings)
        wait_until(lambda: committed(settings) == wanted, "every offset is committed")
        assert gate.stop()[0] == 0
    found = result(settings)
    everything = {(r.source.partition, r.source.offset) for r in found.raws}
    decisions = Counter((d.source.partition, d.source.offset) for d in found.decisions)
    outputs = Counter(tuple(map(int, place.split("/")[1:])) for place in found.places())
    skipped = {(d.source.partition, d.source.offset) for d in found.decisions if d.outcome is Outcome.SKIPPED}
    assert decisions.keys() == everything
    assert outputs.keys() == everything - skipped
    for counted in (decisions, outputs):
        assert counted.total() - len(counted) <= kills * BATCH


def test_a_refused_output_becomes_a_dead_letter(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given what only the broker refuses (a timestamp), then it is a dead letter, and its neighbours pass."""
    [strict] = fresh_topics("strict", config={"message.timestamp.before.max.ms": 60_000})
    settings = deploy(kafka, fresh_topics, delivery=AT_LEAST_ONCE)
    settings = settings.model_copy(update={"topics": settings.topics.model_copy(update={"approved": strict})})
    fresh = record()
    old = msgspec.structs.replace(
        fresh, source=msgspec.structs.replace(fresh.source, timestamp_ms=1_600_000_000_000), key=b"old"
    )
    produce(settings, [fresh, old, fresh])
    gate = Gate(settings, agents)
    pass_through(gate, 3)
    found = result(settings)
    last = {decision.source.offset: decision.outcome for decision in found.decisions}
    assert last == {0: Outcome.APPROVED, 1: Outcome.DEAD_LETTER, 2: Outcome.APPROVED}
    assert {str(o.header("guardrail.source")).rsplit("/", 1)[1] for o in found.outputs["approved"]} == {"0", "2"}
    assert [o.key for o in found.outputs["dead_letter"]] == [b"old"]
    assert gate.report.value(names.ABORTS, "RefusedError") == 2
    assert committed(settings) == {0: 3}


def test_offsets_wait_for_their_outputs(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given an output topic that is deleted under the gate, then no offset is committed until its outputs are safe."""
    settings = deploy(kafka, fresh_topics, delivery=AT_LEAST_ONCE, transaction_ms=5_000)
    approved = settings.topics.approved
    produce(settings, [record()])
    gate = Gate(settings, agents)
    admin = AdminClient({"bootstrap.servers": kafka, "log_level": 0})
    with running(gate) as ended:
        wait_until(lambda: committed(settings) == {0: 1}, "the first record is committed")
        admin.delete_topics([approved])[approved].result(PATIENCE_S)
        produce(settings, [record()] * 3)
        wait_until(lambda: f"missing topics: {approved}" in gate.health.reason, "the batch is given back")
        assert committed(settings) == {0: 1}
        admin.create_topics([NewTopic(approved, 1, 1)])[approved].result(PATIENCE_S)
        wait_until(lambda: bool(ended) or committed(settings) == {0: 4}, "the others are committed")
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
    assert not ended, ended
    found = result(settings)
    assert {d.source.offset for d in found.decisions} == {0, 1, 2, 3}
    assert {str(place).rsplit("/", 1)[1] for place in found.places()} == {"1", "2", "3"}


@pytest.mark.parametrize(
    ("request_key", "codes", "fault"),
    [
        (OFFSET_COMMIT, [27], None),  # REBALANCE_IN_PROGRESS: the same call again
        (OFFSET_COMMIT, [14], None),  # COORDINATOR_LOAD_IN_PROGRESS
        (OFFSET_COMMIT, [22], None),  # ILLEGAL_GENERATION: the client is about to hear of the next one
        (OFFSET_COMMIT, [25] * 8, "AbortError"),  # UNKNOWN_MEMBER_ID, for long: the group has to say first what is ours
        (OFFSET_COMMIT, [30], "DeniedError"),  # GROUP_AUTHORIZATION_FAILED: no other try mends it
        (PRODUCE, [87], "RefusedError"),  # INVALID_RECORD: one of the batch is at fault
        (PRODUCE, [29], "AbortError"),  # TOPIC_AUTHORIZATION_FAILED
    ],
)
def test_injected_errors_lose_nothing(agents: Policies, request_key: int, codes: list[int], fault: str | None) -> None:
    """Given what a broker answers once, then every record has its decision; a commit that is repeated doubles none."""
    with Embedded() as cluster:
        settings = cluster.settings()
        settings = settings.model_copy(update={"gate": settings.gate.model_copy(update={"delivery": AT_LEAST_ONCE})})
        records = case_records(largest_bytes=2_000)[:40]
        produce(settings, records)
        gate = Gate(settings, agents, broker=EMBEDDED)
        gate.open()
        try:
            cluster.fail_next(request_key, codes)
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
    if fault is None:
        assert set(decided.values()) == {1}
    else:
        assert gate.report.value(names.ABORTS, fault) >= 1


def test_no_broker_ends_the_gate(tmp_path: Path) -> None:
    """Given no broker in the time that a start may take, then the gate ends with the exit code for it."""
    settings = settings_on("127.0.0.1:1", {}, delivery=AT_LEAST_ONCE, start_ms=1_000)
    with gate_process(settings, tmp_path) as gate:
        assert gate.process.wait(PATIENCE_S) == EXIT_BROKER
