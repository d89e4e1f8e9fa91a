"""Judging again what was decided, from the topics, beside gates at work. It must never join their group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import msgspec

from guardrail.judge.again import circumstances
from guardrail.judge.decide import decide
from guardrail.judge.model import Decision, RawRecord, encode
from guardrail.judge.pattern.last import recorded
from guardrail.judge.policy import Policies
from guardrail.settings import Settings
from guardrail.stream.embedded import read
from tests.faults.fleet import Fleet
from tests.faults.scenario import Bed, Figures, Traffic
from tests.stream.deployment import committed

GATES = (0, 1, 2)


class Again(NamedTuple):
    """What a replay came to: how many decisions were held against their records, and which differ."""

    count: int
    different: tuple[str, ...]


def replayed(bed: Bed, agents: Policies, *, rate: float, least: int, times: int) -> tuple[Figures, list[Again]]:
    """Reads and judges again while gates work, and once more when all is done and the group should stand still."""
    settings = bed.deploy()
    with Fleet(settings, bed.folder, static=False) as fleet:
        fleet.start(*GATES)
        with Traffic(settings, rate=rate, least=least) as traffic:
            traffic.begin()
            moves = len(fleet.told("revoked"))
            found = []
            for _ in range(times):
                found.append(again(settings, agents))
                traffic.flows()
            moved = len(fleet.told("revoked")) - moves
        figures = traffic.measure()
        before = committed(settings)
        found.append(again(settings, agents))
        after = committed(settings)
    extra = {
        "judged again": sum(one.count for one in found),
        "different": sum(len(one.different) for one in found),
        "partitions moved": moved,
        "offsets moved": sum(before[partition] != after[partition] for partition in after),
    }
    return replace(figures, extra={**figures.extra, **extra}), found


def again(settings: Settings, agents: Policies) -> Again:
    """Judges every record that is decided by now, and compares all but the trace and the time it took."""
    bootstrap, topics = settings.kafka.bootstrap_servers, settings.topics
    published = read(bootstrap, [topics.decisions])
    at = {_place(one): one for one in read(bootstrap, [topics.raw])}  # after it: every decision has its record
    decisions = [msgspec.json.decode(one.value or b"", type=Decision) for one in published]
    raws = [at[one.source.partition, one.source.offset] for one in decisions]
    given = [circumstances(one).received(raw) for one, raw in zip(decisions, raws, strict=True)]
    judged = decide(given, agents, last_tier=recorded(decisions))
    return Again(len(published), tuple(_different(published, decisions, judged)))


def _place(raw: RawRecord) -> tuple[int | None, int | None]:
    return raw.source.partition, raw.source.offset


def _different(published: Sequence[RawRecord], decisions: Sequence[Decision], judged: Sequence[Decision]) -> list[str]:
    """The sources of decisions whose bytes aren't those that would be published now."""
    return [
        str(was.header("guardrail.source"))
        for was, then, now in zip(published, decisions, judged, strict=True)
        if was.value != encode(msgspec.structs.replace(now, trace_id=then.trace_id, took_us=then.took_us))
    ]
