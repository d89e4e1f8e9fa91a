"""Where records land: a key where Java would put it, an outcome beside its source, whatever is repartitioned."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import Message, Producer
from confluent_kafka.admin import AdminClient, NewPartitions

from guardrail.judge.model import RawRecord
from guardrail.stream import client, topics
from guardrail.stream.embedded import Embedded, read
from guardrail.stream.publisher import Transactional
from guardrail.stream.routing import Outgoing
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.broker.cluster import LIBS, missing
from tests.scoring import policies
from tests.stream.deployment import PATIENCE_S, FreshTopics, deploy, result, wait_until
from tests.stream.gates import running
from tests.stream.records import record

PARTITIONS = 7
KEYS = [
    b"",
    b"\x00",
    b"\xff" * 9,
    "clé".encode(),
    "ключ".encode(),
    "鍵🔑".encode(),
    *(f"k-{index}".encode() for index in range(300)),
    *(b"x" * length for length in range(1, 40)),
]


def by_java(keys: Sequence[bytes]) -> list[int]:
    """The partitions of Kafka's own producer, which runs here as it is."""
    if reason := missing():
        pytest.fail(reason, pytrace=False)
    source = Path(__file__).with_name("Placement.java")
    command = ["java", "-cp", f"{LIBS}/*", str(source), str(PARTITIONS)]
    lines = "".join(f"{key.hex()}\n" for key in keys)
    ran = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    return [int(line) for line in ran.stdout.split()]


def test_a_key_lands_where_a_java_client_would_put_it() -> None:
    """Given keys of all kinds, the empty one too, then our producer and Kafka's own Java producer agree on each."""
    landed: dict[bytes, int] = {}

    def delivered(_: object, message: Message) -> None:
        landed[message.key() or b""] = message.partition() or 0

    with Embedded() as cluster:
        settings = cluster.settings()
        cluster.create(["keyed"], PARTITIONS)
        config = client.producer_config(settings, settings.identity(), 1_000_000, 1_000_000)
        chosen = {"partitioner": config["partitioner"], "bootstrap.servers": cluster.bootstrap, "log_level": 0}
        producer = Producer(chosen)
        for key in KEYS:
            producer.produce("keyed", b"v", key, on_delivery=delivered)
        assert producer.flush(PATIENCE_S) == 0
    expected = by_java(KEYS)
    assert [landed[key] for key in KEYS] == expected
    assert set(expected) == set(range(PARTITIONS))


def send(bootstrap: str, topic: str, partition: int, records: Sequence[RawRecord]) -> None:
    """Sends records to a partition, as a producer with a partitioner of its own would."""
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    for one in records:
        producer.produce(topic, one.value, one.key, partition, headers=list(one.headers))
    assert producer.flush(PATIENCE_S) == 0


def keyed(key: bytes | None) -> RawRecord:
    """A record that is approved, with this key."""
    return RawRecord(record().value, key)


def test_outcomes_stand_beside_their_sources(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given counts that match, then outcome, dead letter and decision have their source's partition, whoever chose it;
    a key of our own goes by itself. Partitions added meanwhile break nothing: their records go by key.
    """
    settings = deploy(kafka, fresh_topics, partitions=2)
    quick = {"consumer.topic.metadata.refresh.interval.ms": "200"}
    settings = settings.model_copy(update={"kafka": settings.kafka.model_copy(update={"properties": quick})})
    raw = settings.topics.raw
    assert topics.routes(settings).approved.partitions_count == 2
    gate, admin = Gate(settings, policies()), AdminClient({"bootstrap.servers": kafka})
    with running(gate) as ended:
        for partition in (0, 1):
            send(kafka, raw, partition, [keyed(b"same"), RawRecord(b"junk", b"same"), RawRecord(b"junk", None)])
            send(kafka, raw, partition, [keyed(None)])
        wait_until(lambda: gate.report.value(names.CONSUMED) == 8, "all of two partitions")
        [grown] = admin.create_partitions([NewPartitions(raw, 4)]).values()
        grown.result(PATIENCE_S)
        for partition in (2, 3):
            send(kafka, raw, partition, [keyed(b"same"), RawRecord(b"junk", b"same")])
        wait_until(lambda: gate.report.value(names.CONSUMED) == 12, "all of the new ones too")
    assert ended == []
    found = result(settings)
    assert len(set(found.places())) == len(list(found.places())) == len(found.decisions) == 12
    placed = {
        (role, output.header("guardrail.source"), output.source.partition)
        for role, outputs in found.outputs.items()
        for output in outputs
        if output.key != b"c-1"
    }
    for partition in (0, 1):
        assert ("approved", f"{raw}/{partition}/0", partition) in placed
        assert {("dead_letter", f"{raw}/{partition}/{offset}", partition) for offset in (1, 2)} <= placed
    audit = {(d.header("guardrail.source"), d.source.partition) for d in read(kafka, [settings.topics.decisions])}
    assert {(f"{raw}/{partition}/0", partition) for partition in (0, 1)} <= audit
    assert len({output.source.partition for output in found.outputs["approved"] if output.key == b"c-1"}) == 1
    late = {place for _, source, place in placed if str(source).startswith((f"{raw}/2/", f"{raw}/3/"))}
    assert len(late) == 1


def test_routes_know_where_counts_differ(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a topic with another count than the raw one, then it is written by key; where nobody tells, so is each."""
    settings = deploy(kafka, fresh_topics, partitions=2)
    [other] = fresh_topics("other", partitions=3)
    renamed = settings.model_copy(update={"topics": settings.topics.model_copy(update={"approved": other})})
    wait_until(lambda: topics.routes(renamed).rejected.partitions_count == 2, "the topics are known")
    assert topics.routes(renamed).approved.partitions_count == 0
    before = topics.routes(settings)
    hidden = settings.model_copy(update={"topics": settings.topics.model_copy(update={"approved": "not.there"})})
    assert topics.routes(hidden, before).approved.partitions_count == 2
    assert topics.routes(renamed, before).approved.partitions_count == 0
    nameless = settings.model_copy(update={"topics": settings.topics.model_copy(update={"raw": "not.there"})})
    assert topics.routes(nameless).approved.partitions_count == 0


def test_a_partition_that_is_gone_costs_nothing() -> None:
    """Given a topic made anew with fewer partitions, when a record is for one that is gone, then it goes by its key."""
    with Embedded() as cluster:
        settings = cluster.settings()
        cluster.create(["fewer"], 2)
        config = client.producer_config(settings, settings.identity(), 1_000_000, 1_000_000)
        with closing(Transactional(lambda: client.make_producer(config), 15.0, lambda: False)) as publisher:
            publisher.open(15.0)
            publisher.begin()
            publisher.send(Outgoing("fewer", b"k", b"first"))
            publisher.commit()
            publisher.begin()
            publisher.send(Outgoing("fewer", b"k", b"second", partition=9))
            publisher.commit()
            sent = Outgoing("fewer", b"k", b"third", partition=1)
            publisher.begin()
            publisher.send(sent)
            publisher.commit()
        found = {one.value: one.source.partition for one in read(cluster.bootstrap, ["fewer"])}
    assert found[b"second"] == found[b"first"]
    assert found[b"third"] == 1
