"""The gate on a real Kafka: every record exactly once in its place, whatever it holds."""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
import yaml
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from msgspec.structs import replace

from guardrail.judge.again import circumstances
from guardrail.judge.codes import STALE
from guardrail.judge.decide import Judged, decide, judge
from guardrail.judge.model import Outcome, RawRecord, Source
from guardrail.judge.policy import Policies
from guardrail.policies import load_policy
from guardrail.stream import settling, worker
from guardrail.stream.faults import OwnError, UnreadDataError
from guardrail.stream.routing import Routed, Routes, settle
from guardrail.stream.source import Source as Group
from guardrail.stream.worker import Broker, Gate
from guardrail.telemetry import names
from tests.scoring import policies
from tests.stream.deployment import (
    OUTCOMES,
    POLICIES,
    FreshTopics,
    case_records,
    committed,
    deploy,
    produce,
    result,
    settings_on,
    wait_until,
)
from tests.stream.gates import assert_exactly_once, out_of_order, pass_through, running
from tests.stream.records import CANARY, POISON, record


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


def test_every_record_comes_out_exactly_once(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """All outcomes and all poison: one decision and one output each, as the judge said; key and headers travel on."""
    settings = deploy(kafka, fresh_topics, limits={"raw": 3_000_000, "approved": 100_000, "decisions": 200_000})
    records = [*case_records(), *POISON.values(), record()]
    produce(settings, records)
    pass_through(Gate(settings, agents), len(records))

    found = result(settings)
    assert [d.source.offset for d in found.decisions] == list(range(len(records)))
    expected = judge(found.raws, agents)
    assert [d.enforced_outcome for d in found.decisions] == [j.decision.enforced_outcome for j in expected]
    counted = Counter(found.places())
    for decision in found.decisions:
        place = f"{settings.topics.raw}/0/{decision.source.offset}"
        assert counted[place] == (decision.outcome is not Outcome.SKIPPED), place
    assert {d.outcome for d in found.decisions} == set(Outcome)
    assert committed(settings)[0] >= len(records)
    for role in OUTCOMES:
        for output in found.outputs[role]:
            source = found.raws[int(str(output.header("guardrail.source")).rsplit("/", 1)[1])]
            assert output.header("guardrail.outcome") == role
            assert output.source.timestamp_ms == source.source.timestamp_ms
            if not output.header("guardrail.truncated"):
                assert output.headers[: len(source.headers)] == source.headers
                assert output.key == (source.key if source.key is not None else output.key)


def test_dead_letters_keep_the_original_bytes(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """A dead letter holds what came in, byte for byte, with the error headers that Streams and Connect tools read."""
    settings = deploy(kafka, fresh_topics, limits={"approved": 5_000})
    records = [RawRecord(b"\x00junk\xff", b"k", (("a", None),)), record(pad="x" * 6_000), RawRecord(b"", None)]
    produce(settings, records)
    pass_through(Gate(settings, agents), len(records))

    letters = result(settings).outputs["dead_letter"]
    assert [(o.value, o.key) for o in letters] == [(r.value, r.key) for r in records]
    assert [o.header("__streams.errors.offset") for o in letters] == ["0", "1", "2"]
    assert letters[1].header("__connect.errors.exception.class.name") == "guardrail.OutputTooLarge"


def test_a_refused_output_becomes_a_dead_letter(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """What only the broker refuses (a timestamp) costs two aborts and is a dead letter; its neighbours pass."""
    [strict] = fresh_topics("strict", config={"message.timestamp.before.max.ms": 60_000})
    settings = deploy(kafka, fresh_topics)
    settings = settings.model_copy(update={"topics": settings.topics.model_copy(update={"approved": strict})})
    old = replace(record(), source=Source(timestamp_ms=1_600_000_000_000))
    produce(settings, [record(), old, record()])
    gate = Gate(settings, agents)
    pass_through(gate, 3)

    found = result(settings)
    assert [d.outcome for d in found.decisions] == [Outcome.APPROVED, Outcome.DEAD_LETTER, Outcome.APPROVED]
    assert found.decisions[1].enforced_outcome is Outcome.APPROVED
    assert len(found.outputs["approved"]) == 2
    assert found.outputs["dead_letter"][0].value == old.value
    assert gate.report.value(names.ABORTS, "RefusedError") == 2


@pytest.mark.parametrize("told", [True, False])
def test_a_record_that_is_too_large_for_a_dead_letter_comes_out_cut(
    kafka: str, fresh_topics: FreshTopics, agents: Policies, *, told: bool
) -> None:
    """Given a record too large for any topic, or for this producer, and nobody who tells what they take, then it comes
    out all the same, cut to what each of them takes, and its neighbours whole.
    """
    narrow = {} if told else {"dead_letter": 100_000, "decisions": 20_000, "approved": 100_000}
    settings = deploy(kafka, fresh_topics, limits={"raw": 3_000_000, **narrow})
    if told:
        mended = settings.kafka.model_copy(update={"properties": {"message.max.bytes": "100000"}})
        settings = settings.model_copy(update={"kafka": mended})
    noise = Random(7).randbytes(800_000)  # noqa: S311  # what compresses would fit
    large = [RawRecord(noise, b"k"), record(pad=noise[:200_000].hex())]
    produce(settings.model_copy(update={"kafka": settings_on(kafka, {}).kafka}), [record(), *large, record()])
    untold = Broker(Group, lambda given, _: Routes.named(given.topics))
    gate = Gate(settings, agents, broker=worker.KAFKA if told else untold)
    pass_through(gate, 4)

    found = result(settings)
    assert [d.outcome.value for d in found.decisions] == ["approved", "dead_letter", "dead_letter", "approved"]
    letters = found.outputs["dead_letter"]
    assert [one.header("guardrail.truncated") for one in letters] == ["value", "value"]
    assert [(one.key, (one.value or b"")[:100]) for one in letters] == [(r.key, (r.value or b"")[:100]) for r in large]
    assert gate.report.value(names.ABORTS, "RefusedError") == (0 if told else 6)


def test_a_record_that_waited_too_long_is_told_by_the_gates_clock(
    kafka: str, fresh_topics: FreshTopics, tmp_path: Path
) -> None:
    """Given a policy with an age and a record of two hours ago, then it is stale, by when the gate took it in; a fresh
    one isn't, and judged again from its decision it is the same.
    """
    layout = yaml.safe_load((POLICIES / "clinic-en.yaml").read_text())
    (tmp_path / "aged.yaml").write_text(yaml.safe_dump({**layout, "stale": {"after_s": 60}}))
    policy = load_policy(tmp_path / "aged.yaml")
    settings = deploy(kafka, fresh_topics)
    now_ms = time.time_ns() // 1_000_000
    written = [replace(record(), source=Source(timestamp_ms=now_ms - age_ms)) for age_ms in (7_200_000, 0)]
    produce(settings, written)
    pass_through(Gate(settings, {policy.agent: policy}), 2)

    found = result(settings)
    late, fresh = found.decisions
    assert [any(v.code == STALE for v in d.violations) for d in (late, fresh)] == [True, False]
    assert late.source.received_ms is not None
    assert 0 <= late.source.received_ms - now_ms < 60_000
    [again] = decide([circumstances(late).received(found.raws[0])], {policy.agent: policy})
    assert (again.outcome, again.violations) == (late.outcome, late.violations)


def test_our_own_error_costs_one_record(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """A record that breaks the judge becomes a dead letter marked so; the others of its batch are judged as ever."""

    def breaks(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        if any(b"BREAK" in (raw.value or b"") for raw in raws):
            raise ZeroDivisionError(CANARY)
        return judge(raws, given)

    settings = deploy(kafka, fresh_topics, own_errors_count=3)
    produce(settings, [record(), record("BREAK"), record()])
    gate = Gate(settings, agents, judge=breaks)
    pass_through(gate, 3)

    found = result(settings)
    assert [d.outcome.value for d in found.decisions] == ["approved", "dead_letter", "approved"]
    assert found.decisions[1].on_error == "fail_closed"
    assert found.decisions[1].decision_id == judge(found.raws, agents)[1].decision.decision_id
    assert gate.report.value(names.DEAD_LETTERS, "own_error") == 1

    produce(settings, [record("BREAK")] * 3)
    with running(Gate(settings, agents, judge=breaks)) as ended:
        wait_until(lambda: bool(ended), "three in a row stop the gate")
    assert isinstance(ended[0], OwnError)
    assert committed(settings)[0] == 3


def test_unread_records_that_are_gone_stop_the_gate(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Where retention has deleted what nobody judged, the gate stops; it doesn't skip."""
    settings = deploy(kafka, fresh_topics)
    produce(settings, [record()])
    pass_through(Gate(settings, agents), 1)
    produce(settings, [record()] * 5)
    admin = AdminClient({"bootstrap.servers": kafka})
    [done] = admin.delete_records([TopicPartition(settings.topics.raw, 0, 4)]).values()
    done.result(30)
    with running(Gate(settings, agents)) as ended:
        wait_until(lambda: bool(ended), "the gate stops")
    assert isinstance(ended[0], UnreadDataError)


def test_a_full_queue_is_waited_for(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """Given a producer whose queue holds less than a batch, then deliveries make room, and all comes out once."""
    settings = deploy(kafka, fresh_topics)
    narrow = {"producer.queue.buffering.max.messages": "5"}
    settings = settings.model_copy(update={"kafka": settings.kafka.model_copy(update={"properties": narrow})})
    produce(settings, [record(str(index)) for index in range(60)])
    gate = Gate(settings, agents)
    pass_through(gate, 60)
    assert gate.report.value(names.ABORTS, "AbortError") == 0
    assert_exactly_once(settings, result(settings))


def test_latency_of_a_trickle(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """At 200 records a second nearly all are through within a second, and the time lag returns to zero."""
    settings = deploy(kafka, fresh_topics)
    gate = Gate(settings, agents)
    with running(gate) as ended:
        wait_until(lambda: gate.health.joined, "assigned")
        produce(settings, [record()] * 400, rate=200)
        wait_until(lambda: gate.report.value(names.CONSUMED) == 400, "all are committed")
        time.sleep(0.2)
        assert gate.report.value(names.TIME_LAG, settings.topics.raw, "0") == 0
    assert not ended
    text = gate.report.text().decode()
    within = next(
        line for line in text.splitlines() if line.startswith('guardrail_e2e_duration_seconds_bucket{le="1.0"}')
    )
    assert float(within.split()[-1]) >= 380


def test_a_slow_judge_keeps_its_partitions(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """What the CPU budget leaves over opens the next batch, in order: nothing is lost, nothing doubled."""

    def slow(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        until = time.thread_time() + 0.03
        while time.thread_time() < until:
            pass
        return judge(raws, given)

    settings = deploy(kafka, fresh_topics, partitions=2, cpu_ms=20, batch_bytes=20_000)
    records = [replace(record(), key=f"k{index % 7}".encode()) for index in range(400)]
    produce(settings, records)
    gate = Gate(settings, agents, judge=slow)
    pass_through(gate, 400)
    found = result(settings)
    places = Counter((d.source.partition, d.source.offset) for d in found.decisions)
    assert len(places) == 400
    assert set(places.values()) == {1}
    assert out_of_order(found.outputs["approved"]) == []
    assert gate.report.value(names.REDELIVERED, "duplicate") == 0


def test_a_router_that_breaks_costs_one_record(
    kafka: str, fresh_topics: FreshTopics, agents: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug of ours in routing makes a dead letter of its record; one in the report costs only figures."""

    def breaks(raw: RawRecord, judged: Judged, routes: Routes, *, keep_time: bool) -> Routed:
        if raw.source.offset == 1:
            raise ZeroDivisionError(CANARY)
        return settle(raw, judged, routes, keep_time=keep_time)

    monkeypatch.setattr(settling, "settle", breaks)
    settings = deploy(kafka, fresh_topics)
    produce(settings, [record()] * 3)
    gate = Gate(settings, agents)
    pass_through(gate, 3)
    found = result(settings)
    assert [d.outcome.value for d in found.decisions] == ["approved", "dead_letter", "approved"]
    assert gate.report.value(names.DEAD_LETTERS, "own_error") == 1

    monkeypatch.setattr(gate.report, "batch", lambda *_: 1 / 0)
    again = Gate(settings, agents, report=gate.report)
    produce(settings, [record()])
    with running(again) as ended:
        wait_until(lambda: committed(settings)[0] == 4, "the fourth is committed")
    assert not ended
