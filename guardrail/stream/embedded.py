"""A Kafka cluster inside the process, for the demo and quick tests: librdkafka's mock. It must never be relied upon.

**Isolation isn't shown here**: this broker shows aborted and open transactions to everybody, fences nobody, and drops
the offsets that a transaction carries, which is why the gate reads by assignment (`AssignedSource`). It keeps some 5 MB
a partition, and forgets all at the end. What the gate promises is shown on a real Kafka, in tests/stream/test_gate.py.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition, cimpl
from msgspec.structs import replace

from guardrail.errors import TransientError
from guardrail.judge.model import RawRecord, Source
from guardrail.judge.policy import Policies
from guardrail.settings import GateSettings, InstanceSettings, KafkaSettings, Settings, TopicSettings
from guardrail.stream.play import PLAY_S, Played, joined, outcome_topics, pass_through
from guardrail.stream.record import raw_record
from guardrail.stream.routing import Routes
from guardrail.stream.source import AssignedSource
from guardrail.stream.worker import Broker

RECORDS_BYTES = 3_000_000
"""Of one play: above it the mock would let the oldest go."""

_PRODUCER = 0
_ERROR_BYTES = 512


def _library() -> ctypes.CDLL:
    """librdkafka as the client itself has it loaded, with the few calls we make."""
    found = ctypes.CDLL(cimpl.__file__)
    signatures: Mapping[str, tuple[Any, list[Any]]] = {
        "rd_kafka_conf_new": (ctypes.c_void_p, []),
        "rd_kafka_conf_set": (ctypes.c_int, [ctypes.c_void_p, *[ctypes.c_char_p] * 3, ctypes.c_size_t]),
        "rd_kafka_new": (ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]),
        "rd_kafka_destroy": (None, [ctypes.c_void_p]),
        "rd_kafka_mock_cluster_new": (ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
        "rd_kafka_mock_cluster_destroy": (None, [ctypes.c_void_p]),
        "rd_kafka_mock_cluster_bootstraps": (ctypes.c_char_p, [ctypes.c_void_p]),
        "rd_kafka_mock_topic_create": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int]),
        "rd_kafka_mock_group_initial_rebalance_delay_ms": (None, [ctypes.c_void_p, ctypes.c_int32]),
        "rd_kafka_mock_push_request_errors_array": (
            ctypes.c_int,
            [ctypes.c_void_p, ctypes.c_int16, ctypes.c_size_t, ctypes.POINTER(ctypes.c_int)],
        ),
    }
    for name, (gives, takes) in signatures.items():
        function = getattr(found, name)
        function.restype, function.argtypes = gives, takes
    return found


class Embedded:
    """One broker in this process. Enter it, create topics, use `bootstrap`, leave it."""

    def __init__(self) -> None:
        self._library = _library()
        self._client: int | None = None
        self._cluster: int | None = None

    def __enter__(self) -> Self:
        reason = ctypes.create_string_buffer(_ERROR_BYTES)
        config = self._library.rd_kafka_conf_new()
        self._library.rd_kafka_conf_set(config, b"log_level", b"0", None, 0)
        self._client = self._library.rd_kafka_new(_PRODUCER, config, reason, _ERROR_BYTES)
        if not self._client:
            raise TransientError(f"no embedded broker: {reason.value.decode()}")
        self._cluster = self._library.rd_kafka_mock_cluster_new(self._client, 1)
        self._library.rd_kafka_mock_group_initial_rebalance_delay_ms(self._cluster, 0)
        return self

    def __exit__(self, *_: object) -> None:
        self._library.rd_kafka_mock_cluster_destroy(self._cluster)
        self._library.rd_kafka_destroy(self._client)
        self._client = self._cluster = None

    @property
    def bootstrap(self) -> str:
        """Its address on loopback."""
        address: bytes = self._library.rd_kafka_mock_cluster_bootstraps(self._cluster)
        return address.decode()

    def create(self, topics: Iterable[str], partitions_count: int = 1) -> None:
        """Makes the topics. Raises TransientError when it can't."""
        for topic in topics:
            if self._library.rd_kafka_mock_topic_create(self._cluster, topic.encode(), partitions_count, 1) != 0:
                raise TransientError(f"the embedded broker can't make the topic {topic}")

    def fail_next(self, api_key: int, codes: Sequence[int]) -> None:
        """Answers the next requests of one kind (Kafka's number of it) with these error codes, in order."""
        listed = (ctypes.c_int * len(codes))(*codes)
        self._library.rd_kafka_mock_push_request_errors_array(self._cluster, api_key, len(codes), listed)

    def settings(self, partitions_count: int = 1) -> Settings:
        """Settings for a gate on it, whatever the environment says, and the topics that they name."""
        made = Settings.model_construct(
            kafka=KafkaSettings(bootstrap_servers=self.bootstrap, properties={"log_level": "2"}),
            topics=TopicSettings(),
            gate=GateSettings(group="demo"),
            instance=InstanceSettings(identity="random"),
        )
        names = made.topics.model_dump(include=set(TOPICS))
        self.create(names.values(), partitions_count)
        return made


def _routes(settings: Settings, _: Routes | None) -> Routes:
    return Routes.named(settings.topics)


EMBEDDED = Broker(AssignedSource, _routes)
"""For a gate on this broker."""

TOPICS = ("raw", "approved", "corrected", "rejected", "dead_letter", "decisions", "observations")


def play(records: Sequence[RawRecord], policies: Policies) -> list[Played]:
    """Runs the real gate over these records on an embedded broker. In the order of the records; each once.

    Raises: TransientError when the broker loses its breath: more than RECORDS_BYTES, or not done in PLAY_S.
    """
    if sum(len(record.value or b"") for record in records) > RECORDS_BYTES:
        raise TransientError(f"the embedded broker holds {RECORDS_BYTES} bytes of records")
    with Embedded() as cluster:
        settings = cluster.settings()
        sent = _produce(cluster.bootstrap, settings.topics.raw, records)
        pass_through(settings, policies, len(sent), EMBEDDED)
        decisions = read(cluster.bootstrap, [settings.topics.decisions])
        return joined(sent, decisions, read(cluster.bootstrap, outcome_topics(settings.topics)))


def _produce(bootstrap: str, topic: str, records: Sequence[RawRecord]) -> list[RawRecord]:
    """Puts the records into the raw topic and gives them back with their new coordinates."""
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 2})
    for record in records:
        time_ms = max(record.source.timestamp_ms or 0, 0)
        producer.produce(topic, record.value, record.key, 0, headers=list(record.headers), timestamp=time_ms)
    if producer.flush(PLAY_S):
        raise TransientError("the embedded broker doesn't take the records")
    return [
        replace(record, source=Source(topic, 0, offset, record.source.timestamp_ms))
        for offset, record in enumerate(records)
    ]


AT_END = KafkaError._PARTITION_EOF  # noqa: SLF001  # a public name


def read(bootstrap: str, topics: Sequence[str], isolation: str = "read_committed") -> list[RawRecord]:
    """Everything that the topics hold now, by topic, partition and offset. Raises TransientError after PLAY_S."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "guardrail.reader",
            "isolation.level": isolation,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 20,  # this broker tells of an end no earlier, others do it at once
            "log_level": 2,
        }
    )
    try:
        known = consumer.list_topics(timeout=PLAY_S).topics
        places = [TopicPartition(t, p, 0) for t in topics if t in known for p in known[t].partitions]
        consumer.assign(places)
        records, until = [], time.monotonic() + PLAY_S
        left = {(place.topic, place.partition) for place in places}
        while left:
            message = consumer.poll(0.5)
            error = message.error() if message is not None else None
            if message is not None and error is None:
                records.append(raw_record(message))
            elif message is not None and error is not None and error.code() == AT_END:  # others pass: it reads on
                left.discard((str(message.topic()), message.partition() or 0))
            if time.monotonic() > until:
                raise TransientError("the topics never came to their ends")
    finally:
        consumer.close()
    return sorted(records, key=lambda r: (topics.index(r.source.topic or ""), r.source.partition, r.source.offset))
