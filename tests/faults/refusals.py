"""What a gate can't or mustn't pass: topics that are gone, too few copies, slow checks, input that was deleted unread.

It must never hold a goal: how much is asked is the caller's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import NamedTuple

import yaml
from confluent_kafka import TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # they are re-exported without saying so
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from guardrail.judge.decide import Judged, judge
from guardrail.judge.model import RawRecord
from guardrail.judge.policy import Policies
from guardrail.judge.scoring import Asked
from guardrail.policies import load_policy
from guardrail.settings import Settings
from guardrail.stream.judging import Judge
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.faults import roles
from tests.faults.readers import read_all
from tests.faults.scenario import Bed, Figures, Traffic, ends_of
from tests.stream.deployment import PATIENCE_S, POLICIES, committed, gate_process, produce, wait_until
from tests.stream.gates import running
from tests.stream.records import drifting, record

LOOK_S = 0.05
QUICK_COUNT = 1_000
"""Enough for slices as large as any."""
PARTITIONS_COUNT = 4
BLOCK_BYTES = 60_000
BLOCKS_COUNT = 600
"""Twice what a gate reads ahead."""


class Watch(NamedTuple):
    """What a gate's probes and figures said while something was wrong."""

    reasons: frozenset[str]
    ever_ready: bool
    oldest_s: float
    attempts_a_minute: float


def look(gate: Gate, ended: Sequence[BaseException], until: Callable[[], bool]) -> Watch:
    """Watches a gate until this is true."""
    started, before, ready, oldest_s, reasons = time.monotonic(), aborts(gate), False, 0.0, set()
    while not until():
        assert not ended, ended
        ready = ready or gate.health.ready
        oldest_s = max(oldest_s, gate.health.age_s)
        reasons.add(gate.health.reason)
        time.sleep(LOOK_S)
    minutes = (time.monotonic() - started) / 60
    return Watch(frozenset(reasons), ready, oldest_s, (aborts(gate) - before) / minutes)


def over(seconds: float) -> Callable[[], bool]:
    """True once so many seconds have passed."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() > until


def aborts(gate: Gate) -> float:
    """How many batches it has given back."""
    return sum(gate.report.value(names.ABORTS, kind) for kind in ("AbortError", "RefusedError", "RestartError"))


def topic_gone(bed: Bed, agents: Policies, *, records: int, seconds: float) -> tuple[Figures, list[Watch]]:
    """One output topic is missing at the start, another is deleted in the middle; each is made again after a while."""
    settings = bed.deploy(PARTITIONS_COUNT)
    gate, watches, waits_s = Gate(settings, agents), [], []
    _delete(bed, settings.topics.approved)
    turns = (
        (settings.topics.approved, [record(str(index)) for index in range(records)]),
        (settings.topics.rejected, [drifting(f"it is P76041, {index}", "c") for index in range(records)]),
    )
    with running(gate) as ended:
        for number, (topic, raws) in enumerate(turns, 1):
            if number > 1:
                _delete(bed, topic)
            produce(settings, _keyed(raws))
            wait_until(lambda topic=topic: bool(ended) or topic in gate.health.reason, f"{topic} is named")  # type: ignore[misc]
            watches.append(look(gate, ended, over(seconds)))
            _make(bed, topic)
            waits_s.append(_all_through(gate, ended, number * records))
    return _figures(settings, max(waits_s), watches), watches


def too_few_copies(bed: Bed, agents: Policies, *, rate: float, seconds: float) -> tuple[Figures, list[Watch]]:
    """The outputs want three copies in sync, and one broker of three is down for so long."""
    settings = bed.deploy(PARTITIONS_COUNT)
    for topic in (settings.topics.approved, settings.topics.decisions):
        alter(bed, topic, "min.insync.replicas", "3")
    return _while_down(bed, settings, agents, nodes=[3], rate=rate, seconds=seconds)


def too_few_brokers(bed: Bed, agents: Policies, *, rate: float, seconds: float) -> tuple[Figures, list[Watch]]:
    """Two brokers of three are down for so long: nothing can be written at all."""
    return _while_down(bed, bed.deploy(PARTITIONS_COUNT), agents, nodes=[2, 3], rate=rate, seconds=seconds)


def _while_down(
    bed: Bed, settings: Settings, agents: Policies, *, nodes: Sequence[int], rate: float, seconds: float
) -> tuple[Figures, list[Watch]]:
    gate = Gate(settings, agents)
    with running(gate) as ended:
        with Traffic(settings, rate=rate) as traffic:
            traffic.begin()
            for node in nodes:
                bed.cluster.kill(node)
            try:
                wait_until(lambda: bool(ended) or not gate.health.ready, "it isn't ready")
                watch = look(gate, ended, over(seconds))
            finally:
                for node in nodes:
                    bed.cluster.start(node)
            started = time.monotonic()
            wait_until(lambda: bool(ended) or gate.health.ready, "it is ready", 2 * PATIENCE_S)
            traffic.flows()
            resumed_s = time.monotonic() - started
        found = traffic.measure()
    assert not ended, ended
    roles.wait_in_sync(bed.admin)
    return replace(found, extra={"resumed after, s": resumed_s, **_told([watch])}), [watch]


class Constant:
    """A scorer that has nothing to say."""

    version = "1"

    def __call__(self, asked: Sequence[Asked], /) -> Sequence[float]:
        """One score for each."""
        return [0.0] * len(asked)


def scored(folder: Path) -> Policies:
    """A policy with a scorer that isn't ours, `slow`: whose code nobody knows."""
    layout = yaml.safe_load((POLICIES / "clinic-en.yaml").read_text())
    scales = {"lexical": {"slope": 1, "intercept": 0}, "slow": {"slope": 1, "intercept": 0, "version": "1"}}
    path = folder / "scored.yaml"
    path.write_text(yaml.safe_dump({**layout, "grounding": {**layout.get("grounding", {}), "scorers": scales}}))
    policy = load_policy(path)
    return {policy.agent: policy}


judge_scored: Judge = partial(judge, scorers={"slow": Constant()})


def slow_check(bed: Bed, *, records: int, slow: Judge) -> tuple[Figures, Watch]:
    """Two gates, one of which asks a scorer that takes its time, all of a sudden: it was quick for many records before.
    Rebalances are counted once each has its half.
    """
    agents, begun = scored(bed.folder), Event()
    settings = bed.deploy(PARTITIONS_COUNT, session_ms=30_000)  # a busy machine must not pass for a slow check

    def sudden(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        return (slow if begun.is_set() else judge_scored)(raws, given)

    hasty, lazy = gates = [Gate(settings, agents, judge=one) for one in (judge_scored, sudden)]

    def consumed() -> float:
        return sum(gate.report.value(names.CONSUMED) for gate in gates)

    with running(hasty) as ended, running(lazy) as others:
        wait_until(lambda: [len(_held(gate)) for gate in gates] == [2, 2], "each has its half")
        produce(settings, _keyed([record(str(index)) for index in range(QUICK_COUNT)]))
        wait_until(lambda: consumed() >= QUICK_COUNT, "the quick ones are judged")
        begun.set()
        before = sum(gate.report.value(names.REBALANCES) for gate in gates)
        produce(settings, _keyed([record(str(index)) for index in range(records)]))
        watch = look(lazy, others, lambda: consumed() >= QUICK_COUNT + records)
        rebalances = sum(gate.report.value(names.REBALANCES) for gate in gates) - before
    assert not ended, ended
    found = _figures(settings, watch.oldest_s, [watch])
    return replace(found, extra={"rebalances": rebalances, **found.extra}), watch


def burning(seconds: float) -> Judge:
    """Judges, and burns so much CPU with every call."""

    def slow(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        until = time.thread_time() + seconds
        while time.thread_time() < until:
            pass
        return judge_scored(raws, given)

    return slow


def waiting(seconds: float) -> Judge:
    """Judges, and waits so long with every record."""

    def slow(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        time.sleep(seconds * len(raws))
        return judge_scored(raws, given)

    return slow


def deleted_while_down(bed: Bed, agents: Policies, *, records: int) -> tuple[Figures, int, str]:
    """Half of what nobody has judged is deleted while no gate runs. The next one's exit code, and its log."""
    settings = bed.deploy(1)
    raws = _keyed([record(str(index)) for index in range(records)])
    produce(settings, raws)
    with running(gate := Gate(settings, agents)) as ended:
        wait_s = _all_through(gate, ended, records)
    produce(settings, raws)
    _delete_before(bed, settings.topics.raw, records + records // 2)
    with gate_process(settings, bed.folder) as next_one:
        code = next_one.process.wait(PATIENCE_S)
    return _short(settings, records, wait_s), code, next_one.log.read_text()


def deleted_while_behind(bed: Bed, agents: Policies) -> tuple[Figures, BaseException]:
    """All but the last records are deleted while a gate is far behind, and what ends it for that."""
    settings = bed.deploy(1, batch_messages=20)
    raws = [record(str(index), pad="x" * BLOCK_BYTES) for index in range(BLOCKS_COUNT)]
    begun, released = Event(), Event()

    def held(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        begun.set()
        released.wait(PATIENCE_S)
        return judge(raws, given)

    with running(Gate(settings, agents, judge=held)) as ended:
        produce(settings, _keyed(raws))
        assert begun.wait(PATIENCE_S), ended
        _delete_before(bed, settings.topics.raw, BLOCKS_COUNT - 5)
        released.set()
        started = time.monotonic()
        wait_until(lambda: bool(ended), "it ends", 2 * PATIENCE_S)
        wait_s = time.monotonic() - started
    return _short(settings, max(committed(settings)[0], 0), wait_s), ended[0]


def old_topic(bed: Bed, agents: Policies, *, records: int) -> Figures:
    """A new group meets a topic whose first half is long gone: nobody of this group has missed it."""
    settings = bed.deploy(1)
    produce(settings, _keyed([record(str(index)) for index in range(records)]))
    _delete_before(bed, settings.topics.raw, records // 2)
    with running(gate := Gate(settings, agents)) as ended:
        wait_s = _all_through(gate, ended, records - records // 2)
    seen = read_all(settings)
    lost, duplicated = seen.against({0: records})
    return Figures(records - records // 2, lost - 2 * (records // 2), duplicated, seen.reordered, 0, wait_s)


def _keyed(raws: Sequence[RawRecord]) -> list[RawRecord]:
    return [RawRecord(raw.value, f"k{index}".encode()) for index, raw in enumerate(raws)]


def _all_through(gate: Gate, ended: Sequence[BaseException], count: int) -> float:
    """Waits until so many records are committed and the gate is ready. Gives back the seconds that took."""
    started = time.monotonic()
    done = lambda: gate.report.value(names.CONSUMED) >= count and gate.health.ready  # noqa: E731
    wait_until(lambda: bool(ended) or done(), f"{count} records are committed", 2 * PATIENCE_S)
    assert not ended, ended
    return time.monotonic() - started


def _figures(settings: Settings, stall_s: float, watches: Sequence[Watch]) -> Figures:
    """Of all that was sent."""
    seen, ends = read_all(settings), ends_of(settings)
    lost, duplicated = seen.against(ends)
    aborted = read_all(settings, "read_uncommitted").total - seen.total
    return Figures(sum(ends.values()), lost, duplicated, seen.reordered, aborted, stall_s, _told(watches))


def _short(settings: Settings, end: int, stall_s: float) -> Figures:
    """Of what was sent before this offset: whatever is there of later records was reached by a skip, and too much."""
    seen = read_all(settings)
    lost, duplicated = seen.against({0: end})
    return Figures(end, lost, duplicated, seen.reordered, 0, stall_s)


def _told(watches: Sequence[Watch]) -> dict[str, float]:
    return {
        "attempts a minute": max(watch.attempts_a_minute for watch in watches),
        "loop held for, s": max(watch.oldest_s for watch in watches),
        "not ready": sum(not watch.ever_ready for watch in watches),
    }


def _held(gate: Gate) -> frozenset[int]:
    return gate._source.partitions  # noqa: SLF001  # no page shows them


def _delete(bed: Bed, topic: str) -> None:
    admin = bed.admin  # held: it answers only while it lives
    admin.delete_topics([topic])[topic].result(PATIENCE_S)


def _make(bed: Bed, topic: str) -> None:
    admin = bed.admin
    admin.create_topics([NewTopic(topic, PARTITIONS_COUNT, replication_factor=-1)])[topic].result(PATIENCE_S)


def _delete_before(bed: Bed, topic: str, offset: int) -> None:
    admin = bed.admin
    [done] = admin.delete_records([TopicPartition(topic, 0, offset)]).values()
    done.result(PATIENCE_S)


def alter(bed: Bed, topic: str, name: str, value: str) -> None:
    """Sets one property of a topic."""
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    admin = bed.admin
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    [done] = admin.incremental_alter_configs([resource]).values()
    done.result(PATIENCE_S)
