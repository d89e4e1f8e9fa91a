"""How a topic differs from how it should be, and what mends it. It must never ask a broker, nor call a taste a fault.

A finding is what loses records, doubles them, refuses them, or puts them where nobody looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

MISSING = "missing"
UNREADABLE = "its configuration can't be read"
DAY_MS = 86_400_000
COMPACT = "compact"
APPEND = "LogAppendTime"
_TIME_LIMITS = ("message.timestamp.before.max.ms", "message.timestamp.after.max.ms")


class Spec(NamedTuple):
    """How a topic should be. `lines_up`: with the raw topic's partitions: a key's records stand side by side."""

    name: str
    partitions_count: int
    replicas_count: int
    config: dict[str, str]
    lines_up: bool = True

    @property
    def compacted(self) -> bool:
        """Whether the last record of a key stays for good."""
        return self.config.get("cleanup.policy") == COMPACT


class Found(NamedTuple):
    """How a topic is. `config` is null where nobody may read it."""

    partitions_count: int
    replicas_count: int
    config: Mapping[str, str] | None = None


class Finding(NamedTuple):
    """One difference. What mends it is a setting of the topic, a command (`BOOTSTRAP` in it), or up to a person."""

    text: str
    setting: str = ""
    run: str = ""


class Row(NamedTuple):
    """One line of `guardrail topics`. `findings` is empty when all is well."""

    topic: str
    partitions_count: int
    created: bool
    findings: tuple[Finding, ...]

    def commands(self, bootstrap: str) -> list[str]:
        """What to run to mend it, with the tools that come with Kafka."""
        settings = ",".join(finding.setting for finding in self.findings if finding.setting)
        altered = (
            f"kafka-configs.sh --bootstrap-server {bootstrap} --alter --entity-type topics"
            f" --entity-name {self.topic} --add-config {settings}"
        )
        runs = [finding.run.replace("BOOTSTRAP", bootstrap) for finding in self.findings if finding.run]
        return [*runs, altered] if settings else runs


def findings(spec: Spec, found: Found | None, raw: Found | None) -> Iterator[Finding]:
    """What differs. `raw` is the raw topic as it is."""
    if found is None:
        yield Finding(MISSING, run="guardrail topics --create")
        return
    if spec.lines_up and found.partitions_count != spec.partitions_count:
        yield _partitions(spec, found, raw)
    if found.replicas_count < spec.replicas_count:
        yield Finding(
            f"{found.replicas_count} replicas, {spec.replicas_count} are wanted (kafka-reassign-partitions.sh)"
        )
    if found.config is None:
        yield Finding(UNREADABLE)
        return
    yield from _keeping(spec, found.config)
    yield from _taking(spec, found.config)
    yield from _safety(spec, found, found.config)
    if found is not raw:
        yield from _times(found.config, (raw and raw.config) or {})


def _partitions(spec: Spec, found: Found, raw: Found | None) -> Finding:
    """A raw topic that has more is right, and the settings are wrong; nothing can take partitions from a topic."""
    count, wanted = found.partitions_count, spec.partitions_count
    grown = f"kafka-topics.sh --bootstrap-server BOOTSTRAP --alter --topic {spec.name} --partitions {wanted}"
    if found is raw:
        run = grown if count < wanted else f"export GUARDRAIL_TOPICS__PARTITIONS_COUNT={count}"
        return Finding(f"{count} partitions, the settings say {wanted}", run=run)
    text = f"{count} partitions, the raw topic has {wanted}: a key's outcomes don't line up with it"
    return Finding(text, run=grown if count < wanted else "")


def _keeping(spec: Spec, config: Mapping[str, str]) -> Iterator[Finding]:
    """Whether its records stay as long as they should."""
    policy = config.get("cleanup.policy", "delete")
    if spec.compacted and policy != COMPACT:
        yield Finding(f"cleanup.policy is {policy}: what is in force would be deleted", "cleanup.policy=compact")
    if not spec.compacted and COMPACT in policy:
        yield Finding(f"cleanup.policy is {policy}: records would be lost", "cleanup.policy=delete")
    if not spec.compacted and int(config.get("retention.bytes", -1)) >= 0:
        text = f"retention.bytes is {config['retention.bytes']}: what is beyond that goes, however young, or unread"
        yield Finding(text, "retention.bytes=-1")
    wanted, kept = int(spec.config.get("retention.ms", 0)), int(config.get("retention.ms", -1))
    if 0 <= kept < wanted:
        text = f"keeps records {_days(kept)}, {_days(wanted)} are wanted"
        yield Finding(text, f"retention.ms={wanted}")


def _taking(spec: Spec, config: Mapping[str, str]) -> Iterator[Finding]:
    """Whether it takes the largest record."""
    wanted = spec.config["max.message.bytes"]
    if int(config.get("max.message.bytes", wanted)) < int(wanted):
        text = f"max.message.bytes is {config['max.message.bytes']}, {wanted} is expected"
        yield Finding(text, f"max.message.bytes={wanted}")


def _safety(spec: Spec, found: Found, config: Mapping[str, str]) -> Iterator[Finding]:
    """Whether what is committed survives a broker."""
    wanted = spec.config["min.insync.replicas"]
    insync = int(config.get("min.insync.replicas", wanted))
    if insync > found.replicas_count:
        text = f"min.insync.replicas is {insync} of {found.replicas_count} replicas: nobody can write"
        yield Finding(text, f"min.insync.replicas={max(1, found.replicas_count - 1)}")
    elif insync < int(wanted) <= found.replicas_count:
        yield Finding(f"min.insync.replicas is {insync}, {wanted} is safer", f"min.insync.replicas={wanted}")
    if config.get("unclean.leader.election.enable") == "true":
        text = "unclean.leader.election.enable is true: committed records may be lost"
        yield Finding(text, "unclean.leader.election.enable=false")


def _times(config: Mapping[str, str], raw: Mapping[str, str]) -> Iterator[Finding]:
    """Whether a record's own time gets through: readers tell by it what comes too late to be said."""
    if config.get("message.timestamp.type") == APPEND:
        text = f"message.timestamp.type is {APPEND}: the time of the original is lost"
        yield Finding(text, "message.timestamp.type=CreateTime")
        return
    if raw.get("message.timestamp.type") == APPEND:
        return
    for name in _TIME_LIMITS:
        if name in config and name in raw and int(config[name]) < int(raw[name]):
            text = f"{name} is {config[name]}: records that the raw topic takes are refused"
            yield Finding(text, f"{name}={raw[name]}")


def oldest_ms(config: Mapping[str, str]) -> int | None:
    """How old a record may be that is written to a topic now, and still be read; null where any may.

    Retention goes by the record's own time, and takes the tenth that is left for reading it.
    """
    if config.get("message.timestamp.type") == APPEND:
        return None
    kept_ms = int(config.get("retention.ms", -1))
    limits = [int(config[_TIME_LIMITS[0]])] if _TIME_LIMITS[0] in config else []
    return min([*limits, *([kept_ms * 9 // 10] if kept_ms >= 0 else [])], default=None)


def _days(time_ms: int) -> str:
    return f"{round(time_ms / DAY_MS, 2):g} days"
