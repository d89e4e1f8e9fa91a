"""librdkafka's clients as the gate wants them. It must never let a deployment's properties weaken exactly once.

Each figure that isn't librdkafka's own default has its reason beside it (STREAM §2).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from guardrail.errors import SettingsError
from guardrail.settings import Identity, Settings, variable
from guardrail.stream.complaints import Complaints
from guardrail.stream.credentials import Config, properties, without_values
from guardrail.stream.routing import FLOOR_BYTES

LOG = logging.getLogger("guardrail.librdkafka")
LOG.setLevel(logging.WARNING)  # below it every reconnect is told
LOG.addFilter(lambda record: not record.getMessage().startswith("FAIL ["))  # each one is told to `on_error` too

LOGIN_FAILED = KafkaError._AUTHENTICATION  # noqa: SLF001  # a public name

OnError = Callable[[KafkaError], None]
"""What is wrong with a client's connections, told while it is polled: librdkafka tries again by itself."""
Client = TypeVar("Client")

STATIC_SESSION_FACTOR = 2
"""A static member that restarts keeps its partitions: it may take its time."""
SOCKET_MS = 5_000
"""By default a minute goes by until a connection that a router has forgotten is given up. A batch may meet two of them,
one after the other; under `at_least_once` the loop waits as long for a commit.
"""
RECONNECT_MS = 2_000
"""By default it may take ten seconds until a broker that is back is seen to be."""
MAX_POLL_MS = 120_000
"""Far above a batch: a slow check must not cost the assignment."""


def consumer_config(settings: Settings, identity: Identity) -> Config:
    """Reads committed records and never commits by itself: offsets belong into the transaction."""
    gate = settings.gate
    factor = STATIC_SESSION_FACTOR if identity.static else 1
    made: Config = {
        "group.id": gate.group,
        "client.id": f"guardrail.{identity.name}",
        "isolation.level": "read_committed",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "error",  # a new group starts at the beginning by our own hand (source.py)
        "partition.assignment.strategy": "cooperative-sticky",
        "session.timeout.ms": gate.session_ms * factor,
        "heartbeat.interval.ms": 1_000,  # members learn of a rebalance by it, and a partition that moves waits for two
        "socket.timeout.ms": SOCKET_MS,
        "max.poll.interval.ms": MAX_POLL_MS,
        "fetch.queue.backoff.ms": 10,  # the default of 1,000 costs four fifths of the throughput
        "queued.max.messages.kbytes": 16_384,  # bounds what waits in memory, a batch of large records too
        "fetch.max.bytes": 16_777_216,
        "fetch.error.backoff.ms": 100,  # a leader that moves costs this (the default: 500), missing rights ten times it
        "statistics.interval.ms": 5_000,  # lag
        "topic.metadata.refresh.interval.ms": 5_000,  # by default a new partition isn't read for five minutes
        "reconnect.backoff.max.ms": RECONNECT_MS,
    }
    if identity.static:
        made["group.instance.id"] = f"guardrail.{identity.name}"
    made |= _shared(settings, "consumer")
    if made.get("group.protocol") == "consumer":  # KIP-848 has these on the broker, and refuses them here
        for name in ("partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms"):
            made.pop(name, None)
    return made


def reader_config(settings: Settings, name: str) -> Config:
    """Reads committed records by assignment, to their end: joins no group, commits nothing."""
    return {
        "group.id": f"guardrail.{name}",  # the client wants one
        "client.id": f"guardrail.{name}",
        "isolation.level": "read_committed",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "earliest",  # what retention deletes meanwhile is gone
        "fetch.queue.backoff.ms": 10,
        "queued.max.messages.kbytes": 16_384,
        **_shared(settings, "consumer"),
    }


def producer_config(settings: Settings, identity: Identity, largest_bytes: int, batch_bytes: int) -> Config:
    """Transactional, or idempotent alone: every record is acknowledged by all replicas that must have it, once.

    `largest_bytes` is the largest record any topic takes, `batch_bytes` the smallest such limit.
    """
    made: Config = {"enable.idempotence": True}
    if settings.gate.delivery == "exactly_once":
        made = {
            "transactional.id": f"guardrail.{identity.name}",
            "transaction.timeout.ms": settings.gate.transaction_ms,
        }
    return made | {
        "client.id": f"guardrail.{identity.name}",
        "message.timeout.ms": min(10_000, settings.gate.transaction_ms),
        "socket.timeout.ms": min(SOCKET_MS, settings.gate.transaction_ms),
        "compression.type": "lz4",
        "partitioner": "murmur2_random",  # the same partition as Java clients
        "message.max.bytes": max(largest_bytes, 1_000_000),
        "batch.size": min(batch_bytes, 1_000_000),  # a batch must fit the strictest topic too
        "linger.ms": 5,
        "delivery.report.only.error": True,
        "reconnect.backoff.max.ms": RECONNECT_MS,
        **_shared(settings, "producer"),
    }


def largest_bytes(config: Config) -> int:
    """The largest record that a producer so configured takes. Raises SettingsError where that is no room for any."""
    largest = int(config["message.max.bytes"])
    if largest < FLOOR_BYTES:
        name = variable("kafka", "properties")
        raise SettingsError(f"{name}: message.max.bytes is {largest}, less than {FLOOR_BYTES}")
    return largest


def admin_config(settings: Settings) -> Config:
    """For looking at topics."""
    return {"client.id": "guardrail.admin", "socket.timeout.ms": SOCKET_MS, **_shared(settings, "admin")}


def writer_config(settings: Settings, name: str) -> Config:
    """Writes records one by one, each to all replicas."""
    return {
        "client.id": f"guardrail.{name}",
        "enable.idempotence": True,
        "message.timeout.ms": 8_000,
        "message.max.bytes": settings.topics.max_message_bytes,
        "partitioner": "murmur2_random",
        **_shared(settings, "producer"),
    }


class Login:
    """A consumer's `on_error`, and its way to a new password: for all its life it keeps the one that it was made with.

    A producer is made anew after its faults; a consumer isn't. New certificates it can't take.
    """

    def __init__(self, settings: Settings, complaints: OnError | None = None) -> None:
        self._settings = settings
        self._complaints = complaints or Complaints()
        self._failed = False

    def __call__(self, error: KafkaError) -> None:
        """Takes note. A call on the consumer from in here would end the process."""
        self._complaints(error)
        self._failed |= error.code() == LOGIN_FAILED

    def renew(self, consumer: Consumer) -> None:
        """Once a login has failed: gives the consumer what the files hold by now, for its next try."""
        if not self._failed:
            return
        self._failed = False
        try:
            config = properties(self._settings.kafka, "consumer")
        except SettingsError as failure:  # the files may be back by then
            LOG.error("credentials unread", extra={"reason": str(failure)})
            return
        if "sasl.username" in config and "sasl.password" in config:
            consumer.set_sasl_credentials(config["sasl.username"], config["sasl.password"])


def make_consumer(
    config: Config, on_statistics: Callable[[dict[str, Any]], None] | None = None, on_error: OnError | None = None
) -> Consumer:
    """A consumer. Raises SettingsError for a property that librdkafka doesn't take."""
    extra: Config = {"logger": LOG, "error_cb": on_error or Complaints()}
    if on_statistics is not None:
        extra["stats_cb"] = lambda text: on_statistics(json.loads(text))
    return _made(Consumer, {**config, **extra})


def make_producer(config: Config, on_error: OnError | None = None) -> Producer:
    """A producer. Raises SettingsError for a property that librdkafka doesn't take."""
    return _made(Producer, {**config, "logger": LOG, "error_cb": on_error or Complaints()})


def make_admin(config: Config, on_error: OnError | None = None) -> AdminClient:
    """An admin client. Raises SettingsError for a property that librdkafka doesn't take."""
    return _made(AdminClient, {**config, "logger": LOG, "error_cb": on_error or Complaints()})


def _made(make: Callable[[Config], Client], config: Config) -> Client:
    try:
        return make(config)
    except KafkaException as failure:
        reason = without_values(failure.args[0].str(), config)
        raise SettingsError(f"{variable('kafka', 'properties')}: {reason}") from None


def _shared(settings: Settings, client: str) -> Config:
    return {**properties(settings.kafka, client), "bootstrap.servers": settings.kafka.bootstrap_servers}
