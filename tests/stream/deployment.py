"""A gate's surroundings for the tests: topics of its own, settings, records, and gates as processes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import urlopen
from uuid import uuid4

import msgspec
from confluent_kafka import Consumer, IsolationLevel, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from guardrail.judge.model import Decision, RawRecord
from guardrail.lines import read_line
from guardrail.settings import AdminSettings, GateSettings, InstanceSettings, KafkaSettings, Settings, TopicSettings
from guardrail.stream.embedded import read
from tests.scoring import read_cases

ROOT = Path(__file__).parents[2]
POLICIES = ROOT / "tests" / "cases" / "policies"
ROLES = ("raw", "approved", "corrected", "rejected", "dead_letter", "decisions", "observations")
OUTCOMES = ("approved", "corrected", "rejected", "dead_letter")
MOVING = {KafkaError.NOT_COORDINATOR, KafkaError.COORDINATOR_LOAD_IN_PROGRESS, KafkaError.COORDINATOR_NOT_AVAILABLE}
"""A young broker has no place for offsets yet: nothing is committed."""
PATIENCE_S = 60  # a machine busy with other work

FreshTopics = Callable[..., list[str]]


def settings_on(bootstrap: str, topics: dict[str, str], **gate: Any) -> Settings:
    """Settings for a gate on these topics, in a group of its own."""
    return Settings(
        kafka=KafkaSettings(bootstrap_servers=bootstrap),
        topics=TopicSettings(**topics),
        gate=GateSettings(**{"group": f"gate-{uuid4().hex[:8]}", "session_ms": 6_000, **gate}),
        instance=InstanceSettings(identity="random"),
        admin=AdminSettings(host="127.0.0.1", port=0),
    )


def deploy(
    kafka: str, fresh_topics: FreshTopics, partitions: int = 1, limits: dict[str, int] | None = None, **gate: Any
) -> Settings:
    """The same with fresh topics, each with its own limit in bytes where one is given."""
    topics = {}
    for role in ROLES:
        config = {"max.message.bytes": (limits or {}).get(role, 1_048_588)}
        [topics[role]] = fresh_topics(role.replace("_", "-"), partitions=partitions, config=config)
    return settings_on(kafka, topics, **gate)


def produce(settings: Settings, records: list[RawRecord], rate: float = 1e9) -> None:
    """Sends records to the raw topic, at so many a second."""
    config = {"bootstrap.servers": settings.kafka.bootstrap_servers, "message.max.bytes": 5_000_000}
    producer = Producer(
        {**config, "partitioner": "murmur2_random", "queue.buffering.max.kbytes": 100_000, "log_level": 0}
    )
    started = time.monotonic()
    for index, record in enumerate(records):
        time.sleep(max(0.0, started + index / rate - time.monotonic()))
        time_ms = record.source.timestamp_ms or 0
        producer.produce(settings.topics.raw, record.value, record.key, headers=list(record.headers), timestamp=time_ms)
        producer.poll(0)
    assert producer.flush(PATIENCE_S) == 0


class Result(NamedTuple):
    """All that came out, as a read_committed consumer sees it."""

    decisions: list[Decision]
    outputs: dict[str, list[RawRecord]]
    raws: list[RawRecord]
    observations: list[dict[str, Any]]

    def places(self) -> Iterator[str]:
        """The source of each output."""
        return (str(o.header("guardrail.source")) for records in self.outputs.values() for o in records)


def result(settings: Settings) -> Result:
    """Reads every topic to its end, once no transaction is open on any."""
    topics = settings.topics
    named = {getattr(topics, role): role for role in ROLES}
    wait_until(nothing_open(settings.kafka.bootstrap_servers, list(named)), "no transaction is open")
    found: dict[str, list[RawRecord]] = {role: [] for role in ROLES}
    for record in read(settings.kafka.bootstrap_servers, list(named)):
        found[named[str(record.source.topic)]].append(record)
    decisions = [msgspec.json.decode(record.value or b"", type=Decision) for record in found["decisions"]]
    observations = [json.loads(record.value or b"") for record in found["observations"]]
    return Result(decisions, {role: found[role] for role in OUTCOMES}, found["raw"], observations)


def nothing_open(bootstrap: str, topics: list[str]) -> Callable[[], bool]:
    """Whether the topics end where a read_committed reader sees their end.

    A commit is answered before its markers are written: a reader may stand before what is committed already.
    """
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    known = admin.list_topics(timeout=PATIENCE_S).topics
    latest = {
        TopicPartition(topic, p): OffsetSpec.latest()
        for topic in topics
        if topic in known
        for p in known[topic].partitions
    }

    def ends(isolation: IsolationLevel) -> list[int]:
        found = admin.list_offsets(latest, isolation_level=isolation)
        return [found[place].result(PATIENCE_S).offset for place in latest]

    return lambda: ends(IsolationLevel.READ_UNCOMMITTED) == ends(IsolationLevel.READ_COMMITTED)


def count_decisions(settings: Settings) -> Callable[[], int]:
    """How many records the decisions topic holds, commit markers included: a cheap look at the progress."""
    config = {"bootstrap.servers": settings.kafka.bootstrap_servers, "group.id": uuid4().hex, "log_level": 0}
    consumer = Consumer(config)
    topic = settings.topics.decisions

    def count() -> int:
        """Of the partitions that the broker knows by now: a new topic may have none for a moment."""
        partitions = consumer.list_topics(topic, timeout=PATIENCE_S).topics[topic].partitions
        places = [TopicPartition(topic, partition) for partition in partitions]
        return sum(consumer.get_watermark_offsets(place, timeout=PATIENCE_S)[1] for place in places)

    return count


def committed(settings: Settings) -> dict[int, int]:
    """The group's committed offset of each raw partition."""
    consumer = Consumer(
        {"bootstrap.servers": settings.kafka.bootstrap_servers, "group.id": settings.gate.group, "log_level": 0}
    )
    topic = settings.topics.raw
    partitions = consumer.list_topics(topic, timeout=PATIENCE_S).topics[topic].partitions
    try:
        found = consumer.committed([TopicPartition(topic, p) for p in partitions], timeout=PATIENCE_S)
    except KafkaException as error:
        if error.args[0].code() not in MOVING:
            raise
        found = [TopicPartition(topic, p) for p in partitions]
    finally:
        consumer.close()
    return {position.partition: position.offset for position in found}


def wait_until(true: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Returns once it is true, and fails with `what` when it doesn't come true."""
    until = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < until, f"it never came to this: {what}"
        time.sleep(0.02)


def case_records(largest_bytes: int = 100_000) -> list[RawRecord]:
    """The open cases as records."""
    lines = [json.dumps(case["record"]).encode() for case in read_cases("cases.jsonl")]
    records = [read_line(line, index) for index, line in enumerate(lines)]
    return [r for r in records if r is not None and len(r.value or b"") <= largest_bytes]


def environment(settings: Settings, **extra: str) -> dict[str, str]:
    """The process environment that gives these settings."""
    named = {
        f"GUARDRAIL_{section}__{name}".upper(): json.dumps(value) if isinstance(value, dict) else str(value)
        for section, fields in settings.model_dump(exclude_unset=True).items()
        for name, value in fields.items()
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GUARDRAIL_", "OTEL_"))}
    return {**kept, **named, "GUARDRAIL_POLICY__PATH": str(POLICIES), **extra}


class GateProcess(NamedTuple):
    """A gate in a process of its own, and what it writes."""

    process: subprocess.Popen[bytes]
    log: Path

    def stop(self) -> tuple[int, float]:
        """SIGTERM: its exit code, and the seconds until then."""
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S), time.monotonic() - started

    def told(self, event: str) -> list[dict[str, Any]]:
        """What it has logged under this message so far. The line that is being written isn't one yet."""
        lines = [line for line in self.log.read_text().splitlines(keepends=True) if line.endswith("\n")]
        found = [json.loads(line) for line in lines if line.startswith("{") and event in line]
        return [line for line in found if line["message"] == event]

    def wait_for(self, event: str) -> None:
        """Until it has logged this event."""
        wait_until(lambda: bool(self.told(event)) or self.process.poll() is not None, event)
        assert self.told(event), self.log.read_text()

    def page(self, path: str) -> tuple[int, str]:
        """What its admin port answers: the status and the text."""
        line = (self.told("supervising") or self.told("started"))[0]
        try:
            with urlopen(f"http://127.0.0.1:{line['admin_port']}{path}", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as refused:
            return refused.code, refused.read().decode()


@contextmanager
def gate_process(settings: Settings, folder: Path, **extra: str) -> Iterator[GateProcess]:
    """Runs one; whatever is left of it is killed at the end."""
    log = folder / f"gate-{uuid4().hex[:6]}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "guardrail", "run"],
            env=environment(settings, **extra), cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        yield GateProcess(process, log)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
