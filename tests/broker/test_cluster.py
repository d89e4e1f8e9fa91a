"""The test broker is a real Kafka: it isolates transactions and fences producers, which the embedded one doesn't."""

from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from tests.broker import cluster

TIMEOUT_S = 20  # every wait here ends in well under a second on an idle machine
FreshTopics = Callable[..., list[str]]


def transactional(bootstrap: str, identity: str) -> Producer:
    """A producer that has taken over this transactional id."""
    producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": identity, "log_level": 0})
    producer.init_transactions(TIMEOUT_S)
    return producer


def committed_values(bootstrap: str, topic: str) -> list[bytes | None]:
    """All values of a one-partition topic that a read_committed consumer sees, up to the last stable offset."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": uuid4().hex,
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    values: list[bytes | None] = []
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        while (message := consumer.poll(TIMEOUT_S)) is not None:
            if message.error() is None:
                values.append(message.value())
            elif message.error().code() == KafkaError._PARTITION_EOF:  # noqa: SLF001  # its public name
                return values
            else:
                raise KafkaException(message.error())
    finally:
        consumer.close()
    raise TimeoutError(f"{topic} never came to its end")


def test_a_committed_transaction_is_visible(kafka: str, fresh_topics: FreshTopics) -> None:
    """What a transaction produced is seen under read_committed once it is committed, and not before."""
    [topic] = fresh_topics("committed")
    producer = transactional(kafka, topic)

    producer.begin_transaction()
    producer.produce(topic, b"one")
    producer.produce(topic, b"two")
    producer.flush(TIMEOUT_S)
    before = committed_values(kafka, topic)
    producer.commit_transaction(TIMEOUT_S)

    assert before == []
    assert committed_values(kafka, topic) == [b"one", b"two"]


def test_an_aborted_transaction_is_invisible(kafka: str, fresh_topics: FreshTopics) -> None:
    """What an aborted transaction had written to the log is never seen under read_committed."""
    [topic] = fresh_topics("aborted")
    producer = transactional(kafka, topic)

    producer.begin_transaction()
    producer.produce(topic, b"lost")
    producer.flush(TIMEOUT_S)
    producer.abort_transaction(TIMEOUT_S)
    producer.begin_transaction()
    producer.produce(topic, b"kept")
    producer.commit_transaction(TIMEOUT_S)

    assert committed_values(kafka, topic) == [b"kept"]


def test_a_second_producer_fences_the_first(kafka: str, fresh_topics: FreshTopics) -> None:
    """Of two producers with one transactional id the older can't commit any more, and the younger goes on."""
    [topic] = fresh_topics("fenced")
    older = transactional(kafka, topic)
    older.begin_transaction()
    older.produce(topic, b"zombie")
    older.flush(TIMEOUT_S)

    younger = transactional(kafka, topic)
    with pytest.raises(KafkaException) as caught:
        older.commit_transaction(TIMEOUT_S)
    younger.begin_transaction()
    younger.produce(topic, b"heir")
    younger.commit_transaction(TIMEOUT_S)

    assert caught.value.args[0].fatal()
    assert committed_values(kafka, topic) == [b"heir"]


def test_topics_are_never_created_by_accident(kafka: str) -> None:
    """Producing to a topic that nobody created is an error, as on a well-kept cluster."""
    failures: list[KafkaError | None] = []
    producer = Producer(
        {"bootstrap.servers": kafka, "message.timeout.ms": 5000, "topic.metadata.propagation.max.ms": 0}
    )
    producer.produce(f"nobody-made-{uuid4().hex}", b"lost", on_delivery=lambda error, _: failures.append(error))
    producer.flush(TIMEOUT_S)

    assert [failure is not None for failure in failures] == [True]


def test_missing_jars_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the jars are missing, the reason says so and names the command that gets them."""
    monkeypatch.setattr(cluster, "LIBS", tmp_path)

    assert "make tools" in (cluster.missing() or "")
    with pytest.raises(RuntimeError, match="make tools"), cluster.Cluster():
        pass


def test_a_failed_start_shows_the_log_and_leaves_nothing() -> None:
    """A node that can't start raises with Kafka's own reason, and neither process nor folder stays behind."""
    broken = cluster.Cluster(num_io_threads=-1)

    with pytest.raises(RuntimeError, match=r"num\.io\.threads"), broken:
        pass

    assert broken.alive == []


def test_three_nodes_outlive_one() -> None:
    """A transaction commits while one of three nodes is dead, and the node comes back to serve it."""
    with cluster.Cluster(nodes=3, broker_session_timeout_ms=3000) as three:
        admin = AdminClient({"bootstrap.servers": three.bootstrap, "log_level": 0})
        for created in admin.create_topics([NewTopic("survivor", 1)]).values():
            created.result(TIMEOUT_S)
        producer = transactional(three.bootstrap, "survivor")
        three.kill(2)
        producer.begin_transaction()
        producer.produce("survivor", b"kept")
        producer.commit_transaction(TIMEOUT_S)
        assert three.alive == [1, 3]
        three.start(2)

        assert three.alive == [1, 2, 3]
        assert committed_values(three.bootstrap, "survivor") == [b"kept"]
