"""Agents that share a topic on a real Kafka: one's flood is no delay of the other's, and nothing comes out twice."""

import time
from collections.abc import Sequence

import pytest

from guardrail.judge.decide import Judged, judge
from guardrail.judge.model import Outcome, RawRecord
from guardrail.judge.policy import Policies
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.scoring import policies
from tests.stream.deployment import PATIENCE_S, FreshTopics, committed, deploy, produce, result, wait_until
from tests.stream.gates import assert_exactly_once, running
from tests.stream.records import record

FLOOD, CALM = b"clinic-en", b"hotel-en"


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


def costly(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
    """A judge that spends 4 ms on each record of the flood."""
    until = time.thread_time() + 0.004 * sum(FLOOD in (raw.value or b"") for raw in raws)
    while time.thread_time() < until:
        pass
    return judge(raws, given)


def flood(count: int, calm_every: int) -> list[RawRecord]:
    """Records of one agent, with one of another here and there; keys of either are its own."""
    made = []
    for index in range(count):
        calm = index % calm_every == calm_every - 1
        value = record(str(index)).value or b""
        agent = CALM if calm else FLOOD
        made.append(RawRecord(value.replace(FLOOD, agent), f"{'c' if calm else 'f'}{index % 40}".encode()))
    return made


def decided(gate: Gate, agent: str) -> float:
    """How many of an agent's records a gate has decided."""
    return sum(gate.report.value(names.DECISIONS, agent, outcome.value) for outcome in Outcome)


def test_a_flood_does_not_delay_the_others(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given 1,200 costly records of one agent and 20 of another among them, then those 20 are among the first decided,
    and a gate that takes over in the middle passes over what was done ahead: everything comes out once, in order.
    """
    settings = deploy(kafka, fresh_topics, partitions=1, batch_messages=100, cpu_ms=100)
    records = flood(1_200, 60)
    produce(settings, records)
    first = Gate(settings, agents, judge=costly)
    with running(first) as ended:
        wait_until(lambda: bool(ended) or decided(first, "hotel-en") == 20, "the calm ones are decided")
    assert not ended, ended
    assert decided(first, "clinic-en") < 600
    assert committed(settings)[0] < 600
    second = Gate(settings, agents)
    with running(second) as ended:
        wait_until(lambda: bool(ended) or committed(settings)[0] >= 1_200, "all are committed")
    assert not ended, ended
    found = result(settings)
    assert len(found.decisions) == len(records)
    assert_exactly_once(settings, found)


def test_names_that_nobody_has_are_no_crowd(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given 1,200 records of as many agents that nobody has, and 20 of one behind them, then those are among the first
    decided: who is known shares with all of the others as with one.
    """
    settings = deploy(kafka, fresh_topics, partitions=1, batch_messages=100)
    value = record().value or b""
    strangers = [RawRecord(value.replace(FLOOD, b"nobody-%d" % index), b"n%d" % index) for index in range(1_200)]
    produce(settings, strangers + [RawRecord(value.replace(FLOOD, CALM), b"c%d" % index) for index in range(20)])
    gate = Gate(settings, agents)
    gate.open()
    try:
        until = time.monotonic() + PATIENCE_S
        while decided(gate, "hotel-en") < 20:
            gate._turn()  # noqa: SLF001  # a turn of `run`
            assert time.monotonic() < until
        assert gate.report.value(names.CONSUMED) < 600
    finally:
        gate.close()
