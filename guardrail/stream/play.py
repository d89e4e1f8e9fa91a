"""A play: a few records through the real gate, each beside what became of it. It must never wait without an end."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import NamedTuple

import msgspec

from guardrail.errors import TransientError
from guardrail.judge.model import Decision, RawRecord
from guardrail.judge.policy import Policies
from guardrail.settings import Settings, TopicSettings
from guardrail.stream.worker import KAFKA, Broker, Gate
from guardrail.telemetry import names

PLAY_S = 60.0
"""Longest wait for anything in a play; a batch takes milliseconds."""
LOOK_S = 0.02


class Played(NamedTuple):
    """One record of a play: what went in, what was decided, and what came out, if anything did, on which topic."""

    record: RawRecord
    decision: Decision
    topic: str | None
    output: RawRecord | None


def pass_through(settings: Settings, policies: Policies, count: int, broker: Broker = KAFKA) -> None:
    """Runs the gate until so many records are committed.

    Raises: what ends the gate before, TransientError after PLAY_S, with what it waits for.
    """
    gate, until = Gate(settings, policies, broker=broker), time.monotonic() + PLAY_S
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(gate.run)
        try:
            while gate.report.value(names.CONSUMED) < count and not wait([running], LOOK_S).done:
                if time.monotonic() > until:
                    raise TransientError(f"the gate isn't done in {PLAY_S:g} s: {gate.health.reason}")
        finally:
            gate.stop()
    running.result()


def outcome_topics(topics: TopicSettings) -> list[str]:
    """Where a record's output may be."""
    return [topics.approved, topics.corrected, topics.rejected, topics.dead_letter]


def joined(sent: Sequence[RawRecord], decisions: Iterable[RawRecord], outputs: Iterable[RawRecord]) -> list[Played]:
    """Each record with its decision and its output, by the coordinates that all of them carry. The last one counts."""
    decided = {
        (decision.source.partition, decision.source.offset): decision
        for record in decisions
        if (decision := msgspec.json.decode(record.value or b"", type=Decision))
    }
    came_out = {record.header("guardrail.source"): record for record in outputs}
    played = []
    for record in sent:
        source = record.source
        output = came_out.get(f"{source.topic}/{source.partition}/{source.offset}")
        decision = decided[(source.partition, source.offset)]
        played.append(Played(record, decision, output.source.topic if output else None, output))
    return played
