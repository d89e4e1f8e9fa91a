"""The topics: what they are called, how they should be, how they are. It must never change one that exists.

`guardrail topics` prints `check`'s rows; with `--create` the missing ones are made first.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence

from confluent_kafka import KafkaException, TopicCollection
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # they are re-exported without saying so
    AdminClient,
    ClusterMetadata,
    ConfigResource,
    NewTopic,
    ResourceType,
    TopicMetadata,
)

from guardrail.errors import SettingsError, TransientError
from guardrail.settings import Settings, variable
from guardrail.stream import client
from guardrail.stream.faults import kafka_error
from guardrail.stream.findings import (
    COMPACT,
    DAY_MS,
    MISSING,
    UNREADABLE,
    Finding,
    Found,
    Row,
    Spec,
    findings,
    oldest_ms,
)
from guardrail.stream.letters import Target
from guardrail.stream.routing import FLOOR_BYTES, WRITTEN, Route, Routes

LOG = logging.getLogger("guardrail.stream")

WAIT_S = 15.0
START_WAIT_S = 4.0
"""The gate's own look at its topics: SIGTERM waits for it."""
AGAIN_WAIT_S = 1.0
"""The same under way, after aborts in a row: where brokers don't answer, nothing is known to have changed."""
SETTLE_S = 5.0
REFUSED = "not created"

LINED_UP = ("raw", "approved", "corrected", "rejected", "dead_letter", "decisions")
"""What the settings call the topics whose partitions are the raw topic's: their keys are its keys."""
SPREAD = ("observations", "alarms")
"""Made with as many, and good with any number."""
ALONE = ("policies", "redriven")
"""Made with one partition."""


def specs(settings: Settings, raw_count: int = 0) -> list[Spec]:
    """All topics of CONTRACT §7, in its order. Where there is a raw topic, the others line up with what it has."""
    topics = settings.topics
    count = raw_count or topics.partitions_count
    counts = dict.fromkeys((*LINED_UP, *SPREAD), count) | dict.fromkeys(ALONE, 1) | {"raw": topics.partitions_count}
    return [_spec(settings, role, wanted) for role, wanted in counts.items()]


def _spec(settings: Settings, role: str, partitions_count: int) -> Spec:
    topics = settings.topics
    config = {
        "max.message.bytes": str(topics.max_message_bytes),
        "min.insync.replicas": str(max(1, topics.replicas_count - 1)),
    }
    days = getattr(settings.kept_days, role, None)
    if days is None:
        config["cleanup.policy"] = COMPACT
    else:
        config["retention.ms"] = str(days * DAY_MS)
    return Spec(getattr(topics, role), partitions_count, topics.replicas_count, config, role in LINED_UP)


def create(settings: Settings, admin: AdminClient | None = None) -> list[Row]:
    """Makes the missing topics and gives a row for each. Raises TransientError when the broker doesn't answer."""
    admin = admin or client.make_admin(client.admin_config(settings))
    found = _topics(admin)
    missing = [spec for spec in specs(settings, _count(found, settings.topics.raw)) if spec.name not in found]
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
        unknown = {row.topic for row in rows if any(f.text in (MISSING, UNREADABLE) for f in row.findings)} & made
        if not unknown or time.monotonic() > until:
            return rows
        time.sleep(0.1)


def check(settings: Settings, admin: AdminClient | None = None) -> list[Row]:
    """A row for each topic, with what differs from its spec. Raises TransientError when the broker doesn't answer."""
    admin = admin or client.make_admin(client.admin_config(settings))
    found = _topics(admin)
    wanted = specs(settings, _count(found, settings.topics.raw))
    configs = _configs(admin, [spec.name for spec in wanted if spec.name in found])
    found = {name: topic._replace(config=configs.get(name)) for name, topic in found.items()}
    raw = found.get(settings.topics.raw)
    return [
        Row(spec.name, _count(found, spec.name), False, tuple(findings(spec, found.get(spec.name), raw)))
        for spec in wanted
    ]


def routes(settings: Settings, before: Routes | None = None, admin: AdminClient | None = None) -> Routes:
    """The topics that the gate writes: the largest record each takes, its partitions where they are the raw topic's.

    What the broker doesn't tell (no rights, or the embedded one) is as `before`; at first it is Kafka's default, and
    partitions go by key: a refused record is found out by the gate anyway. Raises SettingsError for a topic too narrow
    for any decision.
    """
    admin = admin or client.make_admin(client.admin_config(settings))
    names = {getattr(settings.topics, role): role for role in WRITTEN}
    wait_s = START_WAIT_S if before is None else AGAIN_WAIT_S
    configs = _configs(admin, list(names), wait_s)
    limits = {
        topic: int(config["max.message.bytes"]) for topic, config in configs.items() if "max.message.bytes" in config
    }
    for topic, limit in limits.items():
        if limit < FLOOR_BYTES:
            name = variable("topics", names[topic])
            raise SettingsError(f"{name}: {topic} takes {limit} bytes a record, less than {FLOOR_BYTES}")
    counts = _partitions(admin, wait_s) if configs or before is None else {}
    raw_count = counts.get(settings.topics.raw, 0)
    known = {}
    for topic, role in names.items():
        old = getattr(before, role) if before else Route(topic)
        told = topic in counts and settings.topics.raw in counts
        alike = raw_count if counts.get(topic) == raw_count else 0
        known[topic] = Route(topic, limits.get(topic, old.max_bytes), alike if told else old.partitions_count)
    return Routes.named(settings.topics, known)


def target(settings: Settings, admin: AdminClient) -> Target:
    """The raw topic for what is redriven, and how old that may be. Raises TransientError, SettingsError."""
    names = settings.topics
    found = _topics(admin)
    if missing := [topic for topic in (names.raw, names.dead_letter, names.redriven) if topic not in found]:
        raise SettingsError(f"missing topics: {', '.join(missing)} (guardrail topics --create)")
    config = _configs(admin, [names.raw]).get(names.raw, {})
    count = _count(found, names.raw)
    route = Route(
        names.raw,
        int(config.get("max.message.bytes", Route(names.raw).max_bytes)),
        count if _count(found, names.dead_letter) == count else 0,
    )
    return Target(route, oldest_ms(config))


def topic_id(admin: AdminClient, topic: str) -> str:
    """Kafka's own name for this very topic, which another of the same name won't have. Raises TransientError."""
    try:
        described = admin.describe_topics(TopicCollection([topic]), request_timeout=WAIT_S)[topic].result(WAIT_S + 1)
    except (KafkaException, TimeoutError) as failure:
        raise TransientError(f"{topic} can't be described: {failure}") from None
    return str(described.topic_id)


def _partitions(admin: AdminClient, wait_s: float) -> dict[str, int]:
    """Each topic's partitions, as far as the broker tells them in time."""
    try:
        return {name: topic.partitions_count for name, topic in _topics(admin, wait_s).items()}
    except TransientError as failure:
        LOG.warning("partitions unknown", extra={"error": str(failure)})
        return {}


def _count(found: Mapping[str, Found], topic: str) -> int:
    return found[topic].partitions_count if topic in found else 0


def brokers_count(admin: AdminClient) -> int:
    """How many a cluster has. Raises TransientError when it doesn't answer."""
    return len(_listed(admin, WAIT_S).brokers)


def _topics(admin: AdminClient, wait_s: float | None = None) -> dict[str, Found]:
    listed = _listed(admin, WAIT_S if wait_s is None else wait_s).topics
    return {name: _found(topic) for name, topic in listed.items() if topic.error is None}


def _listed(admin: AdminClient, wait_s: float) -> ClusterMetadata:
    try:
        return admin.list_topics(timeout=wait_s)
    except KafkaException as failure:
        admin.poll(0)  # what is wrong with its connections is told only then
        raise TransientError(f"the broker doesn't answer: {kafka_error(failure).str()}") from None


def _found(topic: TopicMetadata) -> Found:
    partitions = topic.partitions.values()
    return Found(len(partitions), min((len(partition.replicas) for partition in partitions), default=0))


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


def _create(admin: AdminClient, missing: Sequence[Spec]) -> Iterable[tuple[str, tuple[Finding, ...]]]:
    """Gives the name and the reason of each that couldn't be made."""
    if not missing:
        return
    wanted = [NewTopic(s.name, s.partitions_count, s.replicas_count, config=s.config) for s in missing]
    for name, answer in admin.create_topics(wanted, operation_timeout=WAIT_S).items():
        try:
            answer.result(WAIT_S)
        except (KafkaException, TimeoutError) as failure:
            reason = kafka_error(failure).str() if isinstance(failure, KafkaException) else "no answer in time"
            yield name, (Finding(f"{REFUSED}: {reason}"),)
