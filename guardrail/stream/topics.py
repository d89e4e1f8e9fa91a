"""The topics: what they are called, how they should be, how they are. It must never change one that exists.

`guardrail topics` prints `check`'s rows; with `--create` the missing ones are made first.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from confluent_kafka import KafkaException
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # they are re-exported without saying so
    AdminClient,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from guardrail.errors import SettingsError, TransientError
from guardrail.settings import Settings, TopicSettings, variable
from guardrail.stream import client
from guardrail.stream.faults import kafka_error
from guardrail.stream.routing import Routes

LOG = logging.getLogger("guardrail.stream")

WAIT_S = 15.0
START_WAIT_S = 4.0
"""The gate's own look at its topics: SIGTERM waits for it."""
SETTLE_S = 5.0
UNREADABLE = "its configuration can't be read"
FLOOR_BYTES = 4_096
"""A dead letter's headers and the shortest decision need so much."""
DAY_MS = 86_400_000

# name in the settings -> days kept; None is compacted. Decisions outlive what they are about: they are the audit.
_KEPT_DAYS: dict[str, int | None] = {
    "raw": 7,
    "approved": 7,
    "corrected": 7,
    "rejected": 7,
    "dead_letter": 30,
    "decisions": 365,
    "observations": 40,  # a drift baseline of 30 days can be counted again
    "alarms": 365,
    "policies": None,
}


class Spec(NamedTuple):
    """How a topic should be."""

    name: str
    partitions_count: int
    replicas_count: int
    config: dict[str, str]


class Row(NamedTuple):
    """One line of `guardrail topics`. `findings` is empty when all is well."""

    topic: str
    partitions_count: int
    created: bool
    findings: tuple[str, ...]


def specs(topics: TopicSettings) -> list[Spec]:
    """All topics of CONTRACT §7, in its order. The policies' has one partition: its records have one order."""
    return [_spec(topics, role, days) for role, days in _KEPT_DAYS.items()]


def _spec(topics: TopicSettings, role: str, days: int | None) -> Spec:
    config = {
        "max.message.bytes": str(topics.max_message_bytes),
        "min.insync.replicas": str(max(1, topics.replicas_count - 1)),
    }
    if days is None:
        config["cleanup.policy"] = "compact"
    else:
        config["retention.ms"] = str(days * DAY_MS)
    partitions = 1 if days is None else topics.partitions_count
    return Spec(getattr(topics, role), partitions, topics.replicas_count, config)


def create(settings: Settings, admin: AdminClient | None = None) -> list[Row]:
    """Makes the missing topics and gives a row for each. Raises TransientError when the broker doesn't answer."""
    admin = admin or client.make_admin(client.admin_config(settings))
    wanted = specs(settings.topics)
    missing = [spec for spec in wanted if spec.name not in _partitions(admin)]
    failed = dict(_create(admin, missing))
    made = {spec.name for spec in missing} - set(failed)
    rows = _settled(settings, admin, made)
    return [
        row._replace(created=row.topic in made, findings=(*row.findings, *failed.get(row.topic, ()))) for row in rows
    ]


def _settled(settings: Settings, admin: AdminClient, made: set[str]) -> list[Row]:
    """The rows once every broker knows the new topics: their controller says "created" a moment earlier."""
    until = time.monotonic() + SETTLE_S
    while True:
        rows = check(settings, admin)
        unknown = {row.topic for row in rows if {"missing", UNREADABLE} & set(row.findings)} & made
        if not unknown or time.monotonic() > until:
            return rows
        time.sleep(0.1)


def check(settings: Settings, admin: AdminClient | None = None) -> list[Row]:
    """A row for each topic, with what differs from its spec. Raises TransientError when the broker doesn't answer."""
    admin = admin or client.make_admin(client.admin_config(settings))
    found = _partitions(admin)
    wanted = specs(settings.topics)
    configs = _configs(admin, [spec.name for spec in wanted if spec.name in found])
    raw_count = found.get(settings.topics.raw, 0)
    return [
        Row(
            spec.name,
            found.get(spec.name, 0),
            created=False,
            findings=tuple(_findings(spec, found, configs.get(spec.name), raw_count)),
        )
        for spec in wanted
    ]


def routes(settings: Settings, admin: AdminClient | None = None) -> Routes:
    """The topics that the gate writes, with the largest record each takes.

    Where the broker doesn't tell (no rights, or the embedded one), Kafka's default is taken: a refused record is found
    out by the gate anyway. Raises SettingsError for a topic too narrow to carry any decision.
    """
    admin = admin or client.make_admin(client.admin_config(settings))
    names = {getattr(settings.topics, role): role for role in Routes.__struct_fields__}
    limits = {
        topic: int(config["max.message.bytes"])
        for topic, config in _configs(admin, list(names), START_WAIT_S).items()
        if "max.message.bytes" in config
    }
    for topic, limit in limits.items():
        if limit < FLOOR_BYTES:
            name = variable("topics", names[topic])
            raise SettingsError(f"{name}: {topic} takes {limit} bytes a record, less than {FLOOR_BYTES}")
    return Routes.named(settings.topics, limits)


def _findings(spec: Spec, found: dict[str, int], config: dict[str, str] | None, raw_count: int) -> Iterable[str]:
    if spec.name not in found:
        yield "missing"
        return
    if spec.config.get("cleanup.policy") != "compact" and found[spec.name] != raw_count and raw_count:
        yield f"{found[spec.name]} partitions, the raw topic has {raw_count}: a key's outcomes don't line up with it"
    if config is None:
        yield UNREADABLE
        return
    compacted = "compact" in config.get("cleanup.policy", "")
    if compacted != (spec.config.get("cleanup.policy") == "compact"):
        yield (
            f"cleanup.policy is {config.get('cleanup.policy')}: records would be lost" if compacted else "not compacted"
        )
    if int(config.get("max.message.bytes", 0)) < int(spec.config["max.message.bytes"]):
        yield f"max.message.bytes is {config['max.message.bytes']}, {spec.config['max.message.bytes']} is expected"
    if int(config.get("min.insync.replicas", 1)) < int(spec.config["min.insync.replicas"]):
        yield f"min.insync.replicas is {config['min.insync.replicas']}, {spec.config['min.insync.replicas']} is safer"


def _partitions(admin: AdminClient) -> dict[str, int]:
    try:
        listed = admin.list_topics(timeout=WAIT_S).topics
    except KafkaException as failure:
        admin.poll(0)  # what is wrong with its connections is told only then
        raise TransientError(f"the broker doesn't answer: {kafka_error(failure).str()}") from None
    return {name: len(topic.partitions) for name, topic in listed.items() if topic.error is None}


def _configs(admin: AdminClient, names: Sequence[str], wait_s: float = WAIT_S) -> dict[str, dict[str, str]]:
    """The configuration of each topic that tells it."""
    if not names:
        return {}
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
    asked = admin.describe_configs(resources, request_timeout=wait_s)
    made = {}
    for resource, answer in asked.items():
        try:
            made[resource.name] = {name: entry.value or "" for name, entry in answer.result(wait_s + 1).items()}
        except (KafkaException, TimeoutError) as failure:
            name = kafka_error(failure).name() if isinstance(failure, KafkaException) else "no answer in time"
            LOG.warning("configuration unknown", extra={"topic": resource.name, "error": name})
    admin.poll(0)  # what is wrong with its connections is told only then
    return made


def _create(admin: AdminClient, missing: Sequence[Spec]) -> Iterable[tuple[str, tuple[str, ...]]]:
    """Gives the name and the reason of each that couldn't be made."""
    if not missing:
        return
    wanted = [NewTopic(s.name, s.partitions_count, s.replicas_count, config=s.config) for s in missing]
    for name, answer in admin.create_topics(wanted, operation_timeout=WAIT_S).items():
        try:
            answer.result(WAIT_S)
        except (KafkaException, TimeoutError) as failure:
            reason = kafka_error(failure).str() if isinstance(failure, KafkaException) else "no answer in time"
            yield name, (f"not created: {reason}",)
