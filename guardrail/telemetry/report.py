"""What the gate did, told once a batch and after its commit. It must never hold a user's text, nor count a batch twice.

Counters are plain dictionaries that /metrics reads when asked; only a mismatch costs a span (DRIFT §3).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from opentelemetry.context import Context
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context
from opentelemetry.util.types import AttributeValue
from prometheus_client import CollectorRegistry, generate_latest

from guardrail.judge.decide import Judged
from guardrail.judge.model import Action, Decision, Observation, Outcome, Quadrant, RawRecord
from guardrail.judge.policy import Policies, Policy
from guardrail.telemetry import names
from guardrail.telemetry.buckets import BucketCollector, Buckets
from guardrail.telemetry.setup import Rows, Tracing, meters

MODELS_COUNT = 50
"""Models an agent's labels may name: a producer that puts an id there must not make a series of each."""
NAME_CHARS = 128

# W3C Trace Context, version 00: https://www.w3.org/TR/trace-context/#traceparent-header
_TRACEPARENT = re.compile(rb"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")

Labels = tuple[str, ...]


def parent(raw: RawRecord) -> SpanContext | None:
    """The span that sent the record, by its last `traceparent`; None without one, or when it isn't one."""
    match = _sender(raw)
    if match is None:
        return None
    flags = TraceFlags(int(match[3], 16))
    return SpanContext(int(match[1], 16), int(match[2], 16), is_remote=True, trace_flags=flags)


def trace_id(raw: RawRecord, decision: Decision, *, spans: bool) -> str | None:
    """The trace that shows this record: the sender's, else the drift span's own where `spans` are made, else none.

    Our own id is derived from the decision's, so that a record delivered twice names the same trace.
    """
    if raw.headers and (sender := _sender(raw)):
        return sender[1].decode()
    return _own_trace(decision) if spans and _mismatches(decision) else None


class Report:
    """Counters, gauges, histograms and drift spans of one gate."""

    def __init__(self, policies: Policies, tracing: Tracing | None = None) -> None:
        self._tracing = tracing
        self._series: dict[str, dict[Labels, float]] = {metric.name: {} for metric in names.METRICS}
        self._series[names.CONSUMED.name][()] = self._series[names.DECIDED.name][()] = 0
        self._process = Buckets(names.PROCESS_DURATION)
        self._e2e = Buckets(names.E2E_DURATION)
        self._risk = Buckets(names.GROUNDING_RISK, names.RISK_BOUNDS)
        self._models: dict[str, set[str]] = {}
        self._scrape = threading.Lock()
        self._registry = CollectorRegistry()
        self._provider = meters(self._registry, self._rows)
        self._registry.register(BucketCollector([self._process, self._e2e, self._risk]))
        self.policies(policies)

    @property
    def spans(self) -> bool:
        """Whether a mismatch becomes a span."""
        return self._tracing is not None

    def policies(self, policies: Policies) -> None:
        """Takes the policies in force, and opens their series at zero: a series born at 1 hides its first event."""
        self._policies: Mapping[str, Policy] = policies
        self._models = {agent: self._models.get(agent, set()) for agent in policies}
        info: dict[Labels, float] = {(p.agent, p.revision, p.mode): 1.0 for p in policies.values()}
        self._series[names.POLICY_INFO.name] = info
        calibrated = {p.agent: p.layout.grounding.calibration for p in policies.values()}
        self.set(names.GROUNDING_RISK_MAX, {(agent,): point.risk for agent, point in calibrated.items() if point})
        for agent in (*policies, names.OTHER):
            for outcome in Outcome:
                self.count(names.DECISIONS, agent, outcome.value, times=0)

    def batch(self, judged: Sequence[Judged], raws: Sequence[RawRecord], started_ns: int, ended_ns: int) -> None:
        """One committed batch, in Unix nanoseconds: counts every record, and records a span for every mismatch."""
        self.count(names.CONSUMED, times=len(raws))
        self.count(names.DECIDED, times=len(judged))
        if judged:
            self._process.add((ended_ns - started_ns) / 1e9 / len(judged), len(judged))
        ended_ms = ended_ns // 1_000_000
        for raw, one in zip(raws, judged, strict=True):
            self._record(one)
            if (time_ms := raw.source.timestamp_ms) and 0 < time_ms <= ended_ms:
                self._e2e.add((ended_ms - time_ms) / 1000)
            for seen in _mismatches(one.decision):
                self._span(raw, one, seen, (started_ns, ended_ns))

    def count(self, metric: names.Metric, *labels: str, times: int = 1) -> None:
        """Adds to one series of a counter."""
        series = self._series[metric.name]
        series[labels] = series.get(labels, 0) + times

    def set(self, metric: names.Metric, values: Mapping[Labels, float]) -> None:
        """Replaces all series of a gauge."""
        self._series[metric.name] = dict(values)

    def value(self, metric: names.Metric, *labels: str) -> float:
        """Where one series stands."""
        return self._series[metric.name].get(labels, 0)

    def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        with self._scrape:
            return generate_latest(self._registry)

    def close(self) -> None:
        """Delivers the spans that wait."""
        if self._tracing:
            self._tracing.close()
        self._provider.shutdown()

    def _rows(self, metric: names.Metric) -> Rows:
        if metric is names.DROPPED:
            return [((), self._tracing.dropped if self._tracing else 0)]
        return list(self._series[metric.name].items())

    def _record(self, one: Judged) -> None:
        decision = one.decision
        agent = decision.agent if decision.agent in self._policies else None
        self.count(names.DECISIONS, agent or names.OTHER, decision.outcome.value)
        for violation in decision.violations:
            if violation.action is not Action.IGNORE:
                self.count(names.VIOLATIONS, agent or names.OTHER, violation.code)
        if decision.grounding and decision.grounding.risk is not None:
            self._risk.add(decision.grounding.risk, labels=(agent or names.OTHER,))
        if decision.observations:
            self._observations(one, agent or names.OTHER)
        if decision.outcome is Outcome.CORRECTED:
            self.count(names.CORRECTIONS, "used")
        elif any(v.action is Action.CORRECT for v in decision.violations):
            self.count(names.CORRECTIONS, "refused")
        if decision.outcome is Outcome.DEAD_LETTER:
            self.count(names.DEAD_LETTERS, error_type(decision))

    def _observations(self, one: Judged, agent: str) -> None:
        model = self._model(one, agent)
        for seen in one.decision.observations:
            self.count(names.EXECUTIONS, seen.execution.value)
            if seen.quadrant in (Quadrant.AGREED, Quadrant.MISMATCH):
                cell = (agent, model, self._parameter(agent, seen))
                self.count(names.TRIALS, *cell)
                self.count(names.MISMATCHES, *cell, times=seen.quadrant is Quadrant.MISMATCH)

    def _model(self, one: Judged, agent: str) -> str:
        """The record's model as a label. A new one opens its cells at zero; one too many is `other`."""
        model = one.record.model[:NAME_CHARS] if one.record else names.OTHER
        seen = self._models.get(agent)
        if seen is None or model in seen:
            return model if seen is not None else names.OTHER
        if len(seen) >= MODELS_COUNT:
            return names.OTHER
        seen.add(model)
        for parameter in self._policies[agent].parameter_ids:
            self.count(names.TRIALS, agent, model, parameter, times=0)
            self.count(names.MISMATCHES, agent, model, parameter, times=0)
        return model

    def _parameter(self, agent: str, seen: Observation) -> str:
        policy = self._policies.get(agent)
        return seen.parameter_id if policy and seen.parameter_id in policy.parameter_ids else names.OTHER

    def _span(self, raw: RawRecord, one: Judged, seen: Observation, times_ns: tuple[int, int]) -> None:
        """A drift span in the sender's trace, or in one of its own, with a link to the sender."""
        if self._tracing is None:
            return
        sender, decision = parent(raw), one.decision
        self._tracing.ids.next_trace_id = int(_own_trace(decision), 16)
        span = self._tracing.tracer.start_span(
            names.DRIFT_SPAN,
            context=set_span_in_context(NonRecordingSpan(sender), Context()) if sender else Context(),
            links=[Link(sender)] if sender else [],
            attributes=self._attributes(one, seen),
            start_time=times_ns[0],
        )
        span.end(times_ns[1])

    def _attributes(self, one: Judged, seen: Observation) -> dict[str, AttributeValue]:
        decision = one.decision
        agent = decision.agent if decision.agent in self._policies else names.OTHER
        return {
            names.AGENT: agent or names.OTHER,
            names.MODEL: self._model(one, agent or names.OTHER),
            names.PARAMETER: self._parameter(agent or names.OTHER, seen),
            names.QUADRANT: seen.quadrant.value,
            names.SIMULATED: bool(seen.simulated),
            names.EXECUTION: seen.execution.value,
            names.TIER: seen.tier,
            names.OUTCOME: decision.outcome.value,
            names.CODES: tuple(dict.fromkeys(v.code for v in decision.violations)),
            names.POLICY: decision.policy or "",
            names.ENGINE: decision.engine,
            names.DECISION: decision.decision_id,
            names.SYSTEM: "kafka",
            names.DESTINATION: decision.source.topic or "",
            names.PARTITION: str(decision.source.partition),
            names.OFFSET: -1 if decision.source.offset is None else decision.source.offset,
        }


def error_type(decision: Decision) -> str:
    """Why a dead letter is one: a code, our own error, or an output that its topic didn't take."""
    if decision.on_error is not None:
        return "own_error"
    if decision.enforced_outcome is not Outcome.DEAD_LETTER:
        return "output_refused"
    return next((v.code for v in decision.violations if v.action is Action.DEAD_LETTER), "unknown")


def _sender(raw: RawRecord) -> re.Match[bytes] | None:
    for name, value in reversed(raw.headers):
        if name == "traceparent":
            return _TRACEPARENT.fullmatch(value) if value else None
    return None


def _mismatches(decision: Decision) -> Iterable[Observation]:
    return [seen for seen in decision.observations if seen.quadrant is Quadrant.MISMATCH]


def _own_trace(decision: Decision) -> str:
    return sha256(decision.decision_id.encode()).hexdigest()[:32]
