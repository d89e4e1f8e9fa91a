"""Gates as processes on a real Kafka: they come and go, are stopped and killed, and every record comes out once."""

import json
import os
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec
import pytest

from guardrail.errors import FencedError
from guardrail.judge.again import circumstances
from guardrail.judge.decide import decide
from guardrail.judge.model import Execution
from guardrail.judge.pattern.last import recorded
from guardrail.judge.policy import Policies
from guardrail.settings import InstanceSettings, TopicSettings
from guardrail.stream import topics
from guardrail.stream.run import EXIT_FENCED
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.broker.cluster import Cluster
from tests.scoring import policies
from tests.stream.deployment import (
    FreshTopics,
    case_records,
    committed,
    count_decisions,
    deploy,
    gate_process,
    produce,
    result,
    settings_on,
    wait_until,
)
from tests.stream.gates import assert_exactly_once, assert_spans, ends, running
from tests.stream.records import CANARY, HARD_PATTERN, HARD_VALUE, drifting, record
from tests.stream.sink import Sink, attributes


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


def test_gates_come_and_go(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """One gate, then three, then two: every offset exactly once, every key in order, one span for each mismatch."""
    settings = deploy(kafka, fresh_topics, partitions=4, batch_messages=100)
    cases = case_records(largest_bytes=10_000)
    records = [
        drifting(f"my reference is P76041 {CANARY}", f"d-{index % 50}")
        if index % 25 == 0
        else msgspec.structs.replace(cases[index % len(cases)], key=f"c-{index % 200}".encode())
        for index in range(5_000)
    ]
    decided = count_decisions(settings)
    with Sink() as sink, ExitStack() as gates:
        extra = {"OTEL_EXPORTER_OTLP_ENDPOINT": sink.endpoint}
        first = gates.enter_context(gate_process(settings, tmp_path, **extra))
        produce(settings, records[:1_500])
        wait_until(lambda: decided() > 200, "the first gate decides")
        second = gates.enter_context(gate_process(settings, tmp_path, **extra))
        third = gates.enter_context(gate_process(settings, tmp_path, **extra))
        produce(settings, records[1_500:3_000], rate=1_000)
        second.wait_for("assigned")
        third.wait_for("assigned")
        produce(settings, records[3_000:4_000], rate=1_000)
        stopped = first.stop()
        produce(settings, records[4_000:])
        wanted = ends(settings)
        wait_until(lambda: committed(settings) == wanted, "every offset is committed")
        for gate in (second, third):
            code, seconds = gate.stop()
            assert code == 0
            assert seconds <= 10
    assert stopped[0] == 0
    assert stopped[1] <= 10

    found = result(settings)
    assert len(found.raws) == 5_000
    assert_exactly_once(settings, found)
    assert_spans(sink, found.decisions)
    for text in (
        *(g.log.read_text() for g in (first, second, third)),
        *(body.decode("latin-1") for body in sink.bodies),
    ):
        assert CANARY not in text


def test_a_killed_gate_loses_nothing(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Gates killed in the middle of their batches leave no half of one: every offset comes out exactly once."""
    settings = deploy(kafka, fresh_topics, partitions=4, transaction_ms=3_000, batch_messages=100)
    cases = case_records(largest_bytes=10_000)
    records = [
        msgspec.structs.replace(cases[index % len(cases)], key=f"c-{index % 200}".encode()) for index in range(3_000)
    ]
    decided = count_decisions(settings)
    with ExitStack() as gates:
        survivor = gates.enter_context(gate_process(settings, tmp_path))
        victims = [gates.enter_context(gate_process(settings, tmp_path)) for _ in range(2)]
        for gate in (survivor, *victims):
            gate.wait_for("assigned")
        for victim in victims:
            before = decided()
            produce(settings, records[:1_000])
            wait_until(lambda before=before: decided() > before + 300, "half of it is decided")
            victim.process.kill()
        produce(settings, records[2_000:])
        wanted = ends(settings)
        wait_until(lambda: committed(settings) == wanted, "every offset is committed")
        assert survivor.stop()[0] == 0
    assert_exactly_once(settings, result(settings))


def test_sigterm_while_it_starts(tmp_path: Path) -> None:
    """Given a sidecar that still loads its policies, then SIGTERM ends it at once, and that is no failure."""
    file = tmp_path / "slow.yaml"
    os.mkfifo(file)
    writer: list[int] = []

    def opened() -> bool:
        with suppress(OSError):  # nobody reads it yet
            writer.append(os.open(file, os.O_WRONLY | os.O_NONBLOCK))
        return bool(writer)

    with gate_process(settings_on("127.0.0.1:1", {}), tmp_path, GUARDRAIL_POLICY__PATH=str(file)) as gate:
        wait_until(opened, "the file is being read")
        code, seconds = gate.stop()
    os.close(writer[0])
    assert code == 0
    assert seconds < 3


def test_spans_join_the_senders_trace(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """A record with a traceparent gets its drift span in that trace, below and linked to the sender."""
    settings = deploy(kafka, fresh_topics)
    sender = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
    produce(settings, [drifting(f"it is P76041 {CANARY}", "c-1", sender), drifting(f"it is P76041 {CANARY}", "c-2")])
    with Sink() as sink, gate_process(settings, tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=sink.endpoint) as gate:
        wait_until(lambda: committed(settings)[0] >= 2, "both are committed")
        assert gate.stop()[0] == 0
    found = result(settings)
    first, second = sorted(sink.spans, key=lambda span: attributes(span)[names.OFFSET])
    assert first.trace_id.hex() == found.decisions[0].trace_id == "0af7651916cd43dd8448eb211c80319c"
    assert first.parent_span_id.hex() == first.links[0].span_id.hex() == "b7ad6b7169203331"
    assert second.trace_id.hex() == found.decisions[1].trace_id
    assert not second.links
    assert attributes(first)[names.PARAMETER] == "Patient_ref"
    assert found.outputs["rejected"][0].headers[0] == ("traceparent", sender)
    counts = {o["check"]: o["counts"] for o in found.observations if "counts" in o}
    assert counts["simulation"]["mismatch"] == 2
    assert counts["response"] == {"judged": 2, "rejected": 2, "disordered": 0}
    assert [o["source"]["offset"] for o in found.observations if "conversation_hash" in o] == [0, 1]
    assert CANARY not in gate.log.read_text()


def test_a_gate_asks_the_last_tier_and_a_replay_repeats_it(
    kafka: str, fresh_topics: FreshTopics, tmp_path: Path, agents: Policies
) -> None:
    """What only the last tier could tell stands in the decision; judged again from there, nothing differs."""
    settings = deploy(kafka, fresh_topics)
    produce(settings, [drifting(HARD_VALUE, "c-1", pattern=HARD_PATTERN, value=HARD_VALUE), drifting("P76041", "c-2")])
    with gate_process(settings, tmp_path) as gate:
        wait_until(lambda: committed(settings)[0] >= 2, "both are committed")
        assert gate.stop()[0] == 0
    found = result(settings)
    hard, ordinary = found.decisions
    assert [(o.execution, o.tier) for o in hard.observations] == [(Execution.MATCHED, "backtracker")]
    assert (len(hard.rulings), ordinary.rulings) == (1, ())
    assert (hard.trace_id, ordinary.trace_id) == (None, None)  # one is a mismatch, and nobody collects its span
    taken_in = [circumstances(d).received(raw) for d, raw in zip(found.decisions, found.raws, strict=True)]
    again = decide(taken_in, agents, last_tier=recorded(found.decisions))
    same = [msgspec.structs.replace(d, took_us=None) for d in found.decisions]
    assert again == same


def test_sigterm_ends_an_idle_gate(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """An idle gate serves its probes and metrics, and is gone within a few seconds of SIGTERM, with exit code 0."""
    settings = deploy(kafka, fresh_topics)
    produce(settings, [record(CANARY)])
    with gate_process(settings, tmp_path) as gate:
        gate.wait_for("assigned")
        wait_until(lambda: committed(settings)[0] == 1, "the record is committed")
        pages = {path: gate.page(path)[1] for path in ("/livez", "/readyz", "/metrics", "/policy")}
        code, seconds = gate.stop()
    assert (code, seconds <= 10) == (0, True)
    assert pages["/readyz"] == "ok\n"
    assert "guardrail_decided_total 1.0" in pages["/metrics"]
    assert json.loads(pages["/policy"])["agents"]["clinic-en"]["mode"] == "enforce"
    assert all(CANARY not in page for page in pages.values())


def test_a_second_gate_of_the_same_name_fences_the_first(
    kafka: str, fresh_topics: FreshTopics, agents: Policies, tmp_path: Path
) -> None:
    """Of two gates with one ordinal the older commits nothing more and ends with the exit code for it."""
    settings = deploy(kafka, fresh_topics).model_copy(update={"instance": InstanceSettings(ordinal=0)})
    with gate_process(settings, tmp_path) as older:
        older.wait_for("assigned")
        with running(Gate(settings, agents)) as ended:
            produce(settings, [record()])
            wait_until(lambda: committed(settings)[0] == 1, "the younger commits")
            assert older.process.wait(30) == EXIT_FENCED
            assert not any(isinstance(e, FencedError) for e in ended)


def test_who_stands_by_is_ready(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given more gates than partitions, then each of them is ready: one that has nothing to read takes over as soon as
    it must.
    """
    settings = deploy(kafka, fresh_topics, partitions=1)
    first, second = Gate(settings, agents), Gate(settings, agents)
    with running(second) as others:
        with running(first) as ended:
            wait_until(lambda: bool(ended or others) or (first.health.ready and second.health.ready), "both are ready")
            produce(settings, [record()] * 10)
            wait_until(lambda: committed(settings) == {0: 10}, "all are committed")
        assert not ended, ended
        produce(settings, [record()] * 10)
        wait_until(lambda: bool(others) or committed(settings) == {0: 20}, "all are committed")
        assert second.health.ready
    assert not others, others


def test_waiting_for_a_broker_is_no_stall(agents: Policies, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given brokers that aren't there, then the gate is alive for as long as it looks for them, and isn't ready."""
    monkeypatch.setattr(topics, "START_WAIT_S", 0.5)
    settings = settings_on("127.0.0.1:1", {})
    settings = settings.model_copy(update={"admin": settings.admin.model_copy(update={"stalled_ms": 5_000})})
    gate = Gate(settings, agents)
    until = time.monotonic() + 9
    with running(gate) as ended:
        while time.monotonic() < until:
            assert gate.health.alive
            assert not gate.health.ready
            time.sleep(0.1)
        assert not ended, ended


def test_sigterm_without_a_broker(tmp_path: Path) -> None:
    """A gate whose broker has died ends within 10 s of SIGTERM all the same; so does one that never found any."""
    with Cluster() as cluster:
        settings = settings_on(cluster.bootstrap, {}).model_copy(
            update={"topics": TopicSettings(partitions_count=1, replicas_count=1)}
        )
        topics.create(settings)
        with gate_process(settings, tmp_path) as gate:
            gate.wait_for("assigned")
            produce(settings, [record()] * 2_000)
            cluster.kill(1)
            time.sleep(1)
            code, seconds = gate.stop()
            assert (code, seconds <= 10) == (0, True), (code, seconds, gate.log.read_text())
        with gate_process(settings, tmp_path) as gate:
            gate.wait_for("started")
            code, seconds = gate.stop()
            assert (code, seconds <= 10) == (0, True), (code, seconds, gate.log.read_text())
