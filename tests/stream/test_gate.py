"""The gate on a real Kafka: every record exactly once in its place, whatever it holds and whoever comes and goes."""

import json
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.request import urlopen

import msgspec
import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from guardrail.errors import FencedError
from guardrail.judge.decide import Judged, judge
from guardrail.judge.model import Decision, Outcome, Quadrant, RawRecord
from guardrail.judge.policy import Policies
from guardrail.settings import InstanceSettings, Settings, TopicSettings
from guardrail.stream import topics, worker
from guardrail.stream.embedded import read
from guardrail.stream.faults import OwnError, UnreadDataError
from guardrail.stream.routing import Routed, Routes, settle
from guardrail.stream.run import EXIT_FENCED
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.broker.cluster import Cluster
from tests.scoring import policies
from tests.stream.deployment import (
    OUTCOMES,
    FreshTopics,
    Result,
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
from tests.stream.sink import Sink, attributes

CANARY = "canary-7f3a9c"


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


@contextmanager
def running(gate: Gate) -> Iterator[list[BaseException]]:
    """Runs a gate in a thread; what ends it is in the list."""
    ended: list[BaseException] = []

    def run() -> None:
        try:
            gate.run()
        except BaseException as failure:  # noqa: BLE001  # the test looks at it
            ended.append(failure)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield ended
    finally:
        gate.stop()
        thread.join()


def pass_through(gate: Gate, count: int) -> None:
    """Runs the gate until it has committed so many records."""
    with running(gate) as ended:
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) >= count, f"{count} records committed")
    assert not ended, ended


def record(text: str = "hello", pad: str = "", **fields: object) -> RawRecord:
    """A scope turn of the clinic that is approved as it is."""
    response = {
        "detected_intent": {"id": "book_appointment", "name": "Book Appointment"},
        "generated_answer": {
            "evidence_from_prompt": "Supported intents: Book Appointment, Reschedule Appointment, "
            "Cancel Appointment, Manage Appointments.",
            "intents_i_am_familiar_with": ["Book Appointment", "Reschedule Appointment", "Cancel Appointment"],
            "out_of_scope_request": False,
            "answer": "Which day would you like?",
        },
    }
    value = {
        "agent_id": "clinic-en",
        "message_id": "m-1",
        "conversation_id": "c-1",
        "user_message": f"I'd like to book an appointment, {text}",
        "response": json.dumps(response),
        "pad": pad,
        **fields,
    }
    return RawRecord(json.dumps(value).encode(), b"c-1")


def drifting(text: str, key: str, traceparent: bytes | None = None) -> RawRecord:
    """A parameter turn whose model wrongly says that its pattern matches: one mismatch."""
    response = {
        "user_messages_analysis": {
            "message_content": text,
            "current_intent": {"id": "cancel_appointment", "name": "Cancel Appointment"},
            "parameters": [
                {
                    "parameter_id": "Patient_ref",
                    "parameter_value_format": "the letter P followed by 6 digits (e.g., P123456)",
                    "parameter_value_format_regex": "^P\\d{6}$",
                    "parameter_extracted_part": "P76041",
                    "simulate_regex_execution": True,
                }
            ],
        },
        "generated_answer": {
            "evidence_from_prompt": "Patient_ref format: the letter P followed by 6 digits (e.g., P123456).",
            "answer": f"Thanks, I noted P76041. {text}",
            "answer_refer_to_parameter_id": "Patient_ref",
        },
    }
    value = {
        "agent_id": "clinic-en",
        "message_id": f"m-{key}",
        "conversation_id": key,
        "model": "model-a",
        "user_message": text,
        "response": json.dumps(response),
    }
    headers = (("traceparent", traceparent),) if traceparent else ()
    return RawRecord(json.dumps(value).encode(), key.encode(), headers)


POISON = {
    "null value": RawRecord(None, b"k"),
    "empty value": RawRecord(b"", b"k"),
    "empty key": RawRecord(record().value, b""),
    "no key": RawRecord(record().value, None),
    "NUL": RawRecord(b"\x00\x00\x00", b"\x00"),
    "latin-1": RawRecord(
        '{"agent_id": "clinic-en", "user_message": "déjà"}'.encode("latin-1"), "clé".encode("latin-1")
    ),
    "1 MB of depth": RawRecord(b'{"agent_id":"clinic-en","response":' + b"[" * 1_000_000, b"k"),
    "many headers": RawRecord(
        record().value, b"k", tuple((f"h{i % 100}", b"v" if i % 2 else None) for i in range(10_000))
    ),
    "headers alone too large": RawRecord(record().value, b"k", tuple(("h" * 100, b"v" * 1000) for _ in range(100))),
    "output too large": record(pad="x" * 150_000),
    "output refused for its time": RawRecord(record().value, b"k", (), record().source),
    "huge key": RawRecord(record().value, b"k" * 200_000),
    "huge names": record(message_id="m" * 400_000, agent_id="a" * 400_000),
}


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
    settings = deploy(kafka, fresh_topics)
    [settings.topics.__dict__["approved"]] = fresh_topics("strict", config={"message.timestamp.before.max.ms": 60_000})
    old = msgspec.structs.replace(
        record(), source=msgspec.structs.replace(record().source, timestamp_ms=1_600_000_000_000)
    )
    produce(settings, [record(), old, record()])
    gate = Gate(settings, agents)
    pass_through(gate, 3)

    found = result(settings)
    assert [d.outcome for d in found.decisions] == [Outcome.APPROVED, Outcome.DEAD_LETTER, Outcome.APPROVED]
    assert found.decisions[1].enforced_outcome is Outcome.APPROVED
    assert len(found.outputs["approved"]) == 2
    assert found.outputs["dead_letter"][0].value == old.value
    assert gate.report.value(names.ABORTS, "RefusedError") == 2


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


def assert_exactly_once(settings: Settings, found: Result) -> None:
    """Every input offset has one decision and one output (none for a tombstone), and every key is in order."""
    everything = Counter((r.source.partition, r.source.offset) for r in found.raws)
    assert Counter((d.source.partition, d.source.offset) for d in found.decisions) == everything
    skipped = {(d.source.partition, d.source.offset) for d in found.decisions if d.outcome is Outcome.SKIPPED}
    outputs = Counter(tuple(map(int, place.split("/")[1:])) for place in found.places())
    assert outputs == Counter(place for place in everything if place not in skipped)
    bootstrap, named = settings.kafka.bootstrap_servers, settings.topics
    for topic in (named.decisions, *(getattr(named, role) for role in OUTCOMES)):
        assert out_of_order(read(bootstrap, [topic])) == []


def ends(settings: Settings) -> dict[int, int]:
    """The end of each raw partition."""
    counted = Counter(r.source.partition for r in read(settings.kafka.bootstrap_servers, [settings.topics.raw]))
    return {partition: counted[partition] for partition in range(4)}


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


def out_of_order(records: Sequence[RawRecord]) -> list[str]:
    """The sources that come after a later one of their key."""
    last: dict[bytes | None, int] = defaultdict(lambda: -1)
    wrong = []
    for one in records:
        offset = int(str(one.header("guardrail.source")).rsplit("/", 1)[1])
        if offset < last[one.key]:
            wrong.append(str(one.header("guardrail.source")))
        last[one.key] = offset
    return wrong


def assert_spans(sink: Sink, decisions: Sequence[Decision]) -> None:
    """One span for every mismatch, none besides, in the trace that the decision names."""
    wanted = Counter(
        (d.trace_id, d.source.partition, d.source.offset)
        for d in decisions
        for seen in d.observations
        if seen.quadrant is Quadrant.MISMATCH
    )
    seen = Counter(
        (span.trace_id.hex(), int(found[names.PARTITION]), found[names.OFFSET])
        for span in sink.spans
        if (found := attributes(span))
    )
    assert wanted
    assert seen == wanted


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
    assert [o["counts"]["mismatch"] for o in found.observations if "counts" in o] == [2]
    assert [o["source"]["offset"] for o in found.observations if "conversation_hash" in o] == [0, 1]
    assert CANARY not in gate.log.read_text()


def test_sigterm_ends_an_idle_gate(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """An idle gate serves its probes and metrics, and is gone within a few seconds of SIGTERM, with exit code 0."""
    settings = deploy(kafka, fresh_topics)
    produce(settings, [record(CANARY)])
    with gate_process(settings, tmp_path) as gate:
        gate.wait_for("assigned")
        wait_until(lambda: committed(settings)[0] == 1, "the record is committed")
        port = next(
            json.loads(line)["admin_port"] for line in gate.log.read_text().splitlines() if "admin_port" in line
        )
        pages = {
            p: urlopen(f"http://127.0.0.1:{port}{p}").read().decode()
            for p in ("/livez", "/readyz", "/metrics", "/policy")
        }
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


def test_latency_of_a_trickle(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """At 200 records a second the gate adds well under a second, and its time lag returns to zero."""
    settings = deploy(kafka, fresh_topics)
    gate = Gate(settings, agents)
    with running(gate) as ended:
        wait_until(lambda: gate.health.assigned, "assigned")
        produce(settings, [record()] * 400, rate=200)
        wait_until(lambda: gate.report.value(names.CONSUMED) == 400, "all are committed")
        time.sleep(0.2)
        assert gate.report.value(names.TIME_LAG, settings.topics.raw, "0") == 0
    assert not ended
    text = gate.report.text().decode()
    within = next(
        line for line in text.splitlines() if line.startswith('guardrail_e2e_duration_seconds_bucket{le="1.0"}')
    )
    assert float(within.split()[-1]) == 400


def test_a_slow_judge_keeps_its_partitions(kafka: str, fresh_topics: FreshTopics, agents: Policies) -> None:
    """What the CPU budget leaves over opens the next batch, in order: nothing is lost, nothing doubled."""

    def slow(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        until = time.thread_time() + 0.03
        while time.thread_time() < until:
            pass
        return judge(raws, given)

    settings = deploy(kafka, fresh_topics, partitions=2, cpu_ms=20, batch_bytes=20_000)
    records = [msgspec.structs.replace(record(), key=f"k{index % 7}".encode()) for index in range(400)]
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

    monkeypatch.setattr(worker, "settle", breaks)
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
