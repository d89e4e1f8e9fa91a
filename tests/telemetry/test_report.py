"""The report: counters by batch, a span for every mismatch, and never a user's word."""

from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from guardrail.judge.decide import Judged
from guardrail.judge.model import (
    Action,
    Decision,
    Execution,
    Grounding,
    Observation,
    Outcome,
    Quadrant,
    RawRecord,
    Record,
    Source,
    Verdict,
    Violation,
)
from guardrail.judge.policy import Policies
from guardrail.telemetry import names
from guardrail.telemetry.report import MODELS_COUNT, Report, error_type, parent, trace_id
from guardrail.telemetry.setup import Tracing
from tests.scoring import policies

CANARY = "canary-51bd"
SENDER = b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
NS = 1_790_000_000_000_000_000
AGENT = "clinic-en"


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


@pytest.fixture
def spans() -> Iterator[tuple[Tracing, InMemorySpanExporter]]:
    """Tracing into memory."""
    exporter = InMemorySpanExporter()
    tracing = Tracing(exporter)
    yield tracing, exporter
    tracing.close()


def seen(quadrant: Quadrant = Quadrant.MISMATCH, parameter: str = "Phone") -> Observation:
    """One execution."""
    execution = Execution.NOT_MATCHED if quadrant is Quadrant.MISMATCH else Execution.MATCHED
    return Observation(parameter, quadrant, True, execution, "re2")


def judged(*observations: Observation, agent: str = AGENT, model: str = "m", **given: Any) -> Judged:
    """A rejected record that is full of the canary wherever users, models and producers write."""
    fields: dict[str, Any] = {
        "decision_id": "d1",
        "message_id": CANARY,
        "agent": agent,
        "policy": "rev",
        "engine": "guardrail-0",
        "mode": "enforce",
        "outcome": Outcome.REJECTED,
        "enforced_outcome": Outcome.REJECTED,
        "answer_source": "fallback",
        "reply": CANARY,
        "violations": (Violation("param.simulate_true_mismatch", f"/{CANARY}", CANARY, Action.REJECT),),
        "edits": (),
        "observations": observations,
        "grounding": None,
        "source": Source("raw", 2, 7, NS // 1_000_000 - 20),
    }
    record = Record(agent, CANARY, CANARY, CANARY, CANARY, model, None)
    return Judged(record, Decision(**{**fields, **given}))


def raw(*headers: tuple[str, bytes | None]) -> RawRecord:
    """The record as carried."""
    return RawRecord(CANARY.encode(), CANARY.encode(), headers, Source("raw", 2, 7, NS // 1_000_000 - 20))


def test_counters_go_by_batch(agents: Policies) -> None:
    """A batch is counted once: decisions, violations, trials, mismatches, executions, durations."""
    report = Report(agents)
    report.batch([judged(seen(), seen(Quadrant.AGREED))] * 3, [raw()] * 3, NS - 3_000_000, NS)
    assert report.value(names.CONSUMED) == report.value(names.DECIDED) == 3
    assert report.value(names.DECISIONS, AGENT, "rejected") == 3
    assert report.value(names.VIOLATIONS, AGENT, "param.simulate_true_mismatch") == 3
    assert report.value(names.TRIALS, AGENT, "m", "Phone") == 6
    assert report.value(names.MISMATCHES, AGENT, "m", "Phone") == 3
    assert report.value(names.EXECUTIONS, "not_matched") == 3
    text = report.text().decode()
    assert 'guardrail_process_duration_seconds_bucket{le="0.001"} 3.0' in text
    assert 'guardrail_e2e_duration_seconds_bucket{le="0.01"} 0.0' in text
    assert 'guardrail_e2e_duration_seconds_bucket{le="0.025"} 3.0' in text
    report.close()


def test_risks_go_by_agent(agents: Policies) -> None:
    """Given answers that claim something, then their risk is in their agent's histogram; others have none."""
    report = Report(agents)
    risky = judged(grounding=Grounding(0.25, 0.5, 0.55, Verdict.UNSUPPORTED))
    silent = judged(grounding=Grounding(None, None, 0.55, Verdict.NOTHING_TO_CHECK))
    report.batch([risky, silent, judged()], [raw()] * 3, NS - 3_000_000, NS)
    text = report.text().decode()
    assert f'guardrail_grounding_risk_bucket{{agent="{AGENT}",le="0.2"}} 0.0' in text
    assert f'guardrail_grounding_risk_bucket{{agent="{AGENT}",le="0.3"}} 1.0' in text
    assert f'guardrail_grounding_risk_count{{agent="{AGENT}"}} 1.0' in text
    report.close()


def test_cells_are_born_at_zero(agents: Policies) -> None:
    """The first sight of a model opens all its agent's cells, so that no rate misses the first mismatch."""
    report = Report(agents)
    report.batch([judged(seen(Quadrant.AGREED))], [raw()], NS, NS)
    text = report.text().decode()
    cell = f'guardrail_drift_mismatches_total{{agent="{AGENT}",model="m",parameter='
    assert f'{cell}"Appointment_date"}} 0.0' in text
    assert f'{cell}"Phone"}} 0.0' in text
    assert f'guardrail_decisions_total{{agent="{AGENT}",outcome="dead_letter"}} 0.0' in text
    assert f'guardrail_policy_info{{agent="{AGENT}",mode="enforce",revision="' in text


def test_strangers_names_are_other(agents: Policies) -> None:
    """An unknown agent, a made-up parameter and one model too many share a label: nobody else can make series."""
    report = Report(agents)
    report.batch([judged(seen(parameter=CANARY))], [raw()], NS, NS)
    report.batch([judged(seen(), agent=CANARY)], [raw()], NS, NS)
    for index in range(MODELS_COUNT + 5):
        report.policies(agents)  # a change gives nobody's names more room
        report.batch([judged(seen(), model=f"m-{index}")], [raw()], NS, NS)
    assert report.value(names.TRIALS, AGENT, "m", names.OTHER) == 1
    assert report.value(names.DECISIONS, names.OTHER, "rejected") == 1
    assert report.value(names.TRIALS, AGENT, names.OTHER, "Phone") == 6
    assert CANARY not in report.text().decode()


def test_outcomes_have_their_counters(agents: Policies) -> None:
    """Corrections are used or refused; dead letters go by what made them one."""
    report = Report(agents)
    correct = (Violation("ground.number_mismatch", "", "", Action.CORRECT),)
    unknown = (Violation("transport.unknown_agent", "", "", Action.DEAD_LETTER),)
    dead = {"outcome": Outcome.DEAD_LETTER, "enforced_outcome": Outcome.DEAD_LETTER}
    batch = [
        judged(outcome=Outcome.CORRECTED, violations=correct),
        judged(violations=correct),
        judged(**dead, violations=unknown),
        judged(**dead, on_error="fail_closed", violations=()),
        judged(outcome=Outcome.DEAD_LETTER, violations=()),
        judged(violations=(Violation("syntax.bom", "", "", Action.IGNORE),)),
    ]
    report.batch(batch, [raw()] * len(batch), NS, NS)
    assert report.value(names.CORRECTIONS, "used") == report.value(names.CORRECTIONS, "refused") == 1
    assert report.value(names.DEAD_LETTERS, "transport.unknown_agent") == 1
    assert report.value(names.DEAD_LETTERS, "own_error") == 1
    assert report.value(names.DEAD_LETTERS, "output_refused") == 1
    assert report.value(names.VIOLATIONS, AGENT, "syntax.bom") == 0
    assert error_type(judged(**dead, violations=()).decision) == "unknown"


def test_every_mismatch_is_a_span(agents: Policies, spans: tuple[Tracing, InMemorySpanExporter]) -> None:
    """Two mismatches of one record are two spans of one trace; what agrees has none; no span holds a user's word."""
    tracing, exporter = spans
    one = judged(seen(), seen(parameter=CANARY), seen(Quadrant.AGREED))
    Report(agents, tracing).batch([one], [raw()], NS, NS + 5)
    assert tracing.queue.force_flush(5_000)
    found = exporter.get_finished_spans()
    assert [s.name for s in found] == [names.DRIFT_SPAN] * 2
    named = trace_id(raw(), one.decision, spans=True)
    assert {format(s.context.trace_id, "032x") for s in found if s.context} == {named}
    assert dict(found[0].attributes or {}) == {
        "guardrail.agent": AGENT,
        "guardrail.model": "m",
        "guardrail.parameter": "Phone",
        "guardrail.quadrant": "mismatch",
        "guardrail.simulated": True,
        "guardrail.execution": "not_matched",
        "guardrail.tier": "re2",
        "guardrail.outcome": "rejected",
        "guardrail.codes": ("param.simulate_true_mismatch",),
        "guardrail.policy": "rev",
        "guardrail.engine": "guardrail-0",
        "guardrail.decision": "d1",
        "messaging.system": "kafka",
        "messaging.destination.name": "raw",
        "messaging.destination.partition.id": "2",
        "messaging.kafka.offset": 7,
    }
    assert (found[0].start_time, found[0].end_time) == (NS, NS + 5)
    assert (found[1].attributes or {})[names.PARAMETER] == names.OTHER
    assert all(CANARY not in s.to_json() for s in found)


def test_spans_are_below_the_sender(agents: Policies, spans: tuple[Tracing, InMemorySpanExporter]) -> None:
    """Even an unsampled sender doesn't unsample the span: it joins the trace, below the sender and linked to it."""
    tracing, exporter = spans
    one = judged(seen())
    Report(agents, tracing).batch([one], [raw(("traceparent", SENDER))], NS, NS)
    assert tracing.queue.force_flush(5_000)
    [span] = exporter.get_finished_spans()
    assert span.context is not None
    assert format(span.context.trace_id, "032x") == trace_id(raw(("traceparent", SENDER)), one.decision, spans=True)
    assert span.parent is not None
    assert format(span.parent.span_id, "016x") == "b7ad6b7169203331"
    assert span.links[0].context.span_id == span.parent.span_id


@pytest.mark.parametrize(
    "value",
    [None, b"", b"00-" + b"0" * 32 + b"-b7ad6b7169203331-00", SENDER[:-10], SENDER.upper(), b"\xff", SENDER + b"x"],
)
def test_no_parent_in_a_broken_header(value: bytes | None) -> None:
    """A traceparent that isn't one is passed over; a later version's longer one is read."""
    assert parent(raw(("traceparent", value))) is None
    assert trace_id(raw(("traceparent", value)), judged().decision, spans=True) is None
    assert parent(raw(("traceparent", SENDER + b"-more"))) is not None


def test_trace_ids_repeat() -> None:
    """A mismatch without a sender has a trace of its own, the same whenever delivered; other records have none."""
    drift = judged(seen()).decision
    assert trace_id(raw(), drift, spans=True) == trace_id(raw(), judged(seen()).decision, spans=True) is not None
    assert trace_id(raw(), judged(seen(Quadrant.AGREED)).decision, spans=True) is None


def test_no_trace_is_named_that_nobody_is_sent(agents: Policies, spans: tuple[Tracing, InMemorySpanExporter]) -> None:
    """Given no exporter, then a mismatch has no trace of its own; the sender's stands all the same."""
    assert Report(agents, spans[0]).spans
    assert not Report(agents).spans
    drift = judged(seen()).decision
    assert trace_id(raw(), drift, spans=False) is None
    assert trace_id(raw(("traceparent", SENDER)), drift, spans=False) == SENDER[3:35].decode()


def test_new_policies_take_over(agents: Policies) -> None:
    """After a reload the info metric shows the new revisions alone."""
    report = Report(agents)
    report.policies({AGENT: agents[AGENT]})
    info = [line for line in report.text().decode().splitlines() if line.startswith("guardrail_policy_info{")]
    assert len(info) == 1
