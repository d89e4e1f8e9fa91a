"""Every span, metric and attribute name, in one table: conventions that are still moving are followed here alone.

It must never be bypassed: a name written elsewhere is a name that nobody follows.

Sources: OpenTelemetry messaging conventions (Development), DRIFT §3. A golden test pins what is emitted.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

SCOPE = "guardrail"
SERVICE = "guardrail"

DRIFT_SPAN = "guardrail.drift.mismatch"

AGENT = "guardrail.agent"
MODEL = "guardrail.model"
PARAMETER = "guardrail.parameter"
QUADRANT = "guardrail.quadrant"
SIMULATED = "guardrail.simulated"
EXECUTION = "guardrail.execution"
TIER = "guardrail.tier"
OUTCOME = "guardrail.outcome"
CODES = "guardrail.codes"
POLICY = "guardrail.policy"
ENGINE = "guardrail.engine"
DECISION = "guardrail.decision"
SYSTEM = "messaging.system"
DESTINATION = "messaging.destination.name"
PARTITION = "messaging.destination.partition.id"
OFFSET = "messaging.kafka.offset"

OTHER = "other"
"""Stands for every name that isn't in the catalogue: such names are a model's or a stranger's text."""

Kind = Literal["counter", "gauge", "histogram"]


class Metric(NamedTuple):
    """One instrument. Gauges have no unit "1": Prometheus would call them `_ratio`."""

    name: str
    kind: Kind
    unit: str
    labels: tuple[str, ...]
    description: str

    @property
    def prometheus(self) -> str:
        """The family's name at /metrics, for those that don't pass through OpenTelemetry."""
        return self.name.replace(".", "_") + ("_seconds" if self.unit == "s" else "")


CONSUMED = Metric("guardrail.consumed", "counter", "{record}", (), "Records read and committed")
DECIDED = Metric("guardrail.decided", "counter", "{record}", (), "Decisions published and committed")
DECISIONS = Metric("guardrail.decisions", "counter", "{record}", ("agent", "outcome"), "Decisions by outcome")
VIOLATIONS = Metric("guardrail.violations", "counter", "{violation}", ("agent", "code"), "Violations by code")
TRIALS = Metric("guardrail.drift.trials", "counter", "{execution}", ("agent", "model", "parameter"), "Drift trials")
MISMATCHES = Metric(
    "guardrail.drift.mismatches", "counter", "{execution}", ("agent", "model", "parameter"), "Drift mismatches"
)
EXECUTIONS = Metric("guardrail.regex.executions", "counter", "{execution}", ("result",), "Runs of a model's pattern")
CORRECTIONS = Metric("guardrail.corrections", "counter", "{answer}", ("result",), "Answers with something to correct")
DEAD_LETTERS = Metric("guardrail.dead_letters", "counter", "{record}", ("error_type",), "Dead letters by error type")
OWN_ERRORS = Metric("guardrail.own_errors", "counter", "{record}", ("error_type",), "Records that broke the judge")
REDELIVERED = Metric("guardrail.redelivered", "counter", "{record}", ("kind",), "Deliveries passed over: seen before")
ABORTS = Metric("guardrail.transaction.aborts", "counter", "{transaction}", ("reason",), "Batches that were given back")
REBALANCES = Metric("guardrail.consumer.rebalances", "counter", "{rebalance}", (), "Assignments taken or given up")
DROPPED = Metric("guardrail.telemetry.dropped", "counter", "{span}", (), "Drift spans that couldn't be delivered")
LAG = Metric("guardrail.consumer.lag", "gauge", "{record}", ("topic", "partition"), "Records behind the stable end")
TIME_LAG = Metric(
    "guardrail.consumer.time_lag",
    "gauge",
    "s",
    ("topic", "partition"),
    "Age of the newest record committed, or of the oldest that is read and isn't",
)
POLICY_INFO = Metric("guardrail.policy.info", "gauge", "", ("agent", "revision", "mode"), "Policies in force")
POLICY_REFUSED = Metric("guardrail.policy.refused", "gauge", "", ("entry",), "Policies that can't be put in force")
BREAKER = Metric("guardrail.breaker.tripped", "gauge", "", ("agent",), "Agents whose changed policy refuses too much")
BYPASS = Metric("guardrail.bypass.active", "gauge", "", ("agent",), "Agents whose policy isn't enforced: an emergency")
CANARY = Metric(
    "guardrail.canary.decisions",
    "counter",
    "{record}",
    ("agent", "outcome", "canary_outcome"),
    "Records of a canary's share, by what the policy in force and the canary say",
)
PROCESS_DURATION = Metric("guardrail.process.duration", "histogram", "s", (), "Judging time of a record")
E2E_DURATION = Metric("guardrail.e2e.duration", "histogram", "s", (), "From the record's timestamp to its commit")
GROUNDING_RISK = Metric("guardrail.grounding.risk", "histogram", "", ("agent",), "Risk of answers that claim anything")
GROUNDING_RISK_MAX = Metric(
    "guardrail.grounding.risk_max", "gauge", "", ("agent",), "The calibrated risk, where one is"
)

METRICS: tuple[Metric, ...] = tuple(made for made in list(globals().values()) if isinstance(made, Metric))
"""A gate's."""

STREAM = ("scope", "check", "agent", "model", "parameter")
EVIDENCE = Metric("guardrail.drift.evidence", "gauge", "", STREAM, "Evidence of drift: 1 and more is an alarm")
RATE = Metric("guardrail.drift.rate", "gauge", "", STREAM, "Events a trial since the rate last looked normal")
BASELINE = Metric("guardrail.drift.baseline_rate", "gauge", "", STREAM, "The rate that a stream is held against")
STATE = Metric("guardrail.drift.state", "gauge", "", STREAM, "0 warming, 1 steady, 2 drifting")
STREAMS = Metric("guardrail.drift.streams", "gauge", "{stream}", ("scope",), "Streams watched, shown here or not")
EVALUATED = Metric(
    "guardrail.drift.last_evaluation.timestamp", "gauge", "s", (), "The end of the last minute that was evaluated"
)
CHANGES = Metric("guardrail.drift.changes", "counter", "{change}", ("scope", "state"), "Changes of state published")
UNREADABLE = Metric("guardrail.drift.unreadable", "counter", "{record}", (), "Records that are no observation")
WATCH_METRICS: tuple[Metric, ...] = (EVIDENCE, RATE, BASELINE, STATE, STREAMS, EVALUATED, CHANGES, UNREADABLE)
"""The drift worker's."""

DURATION_BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0)
"""Finer than the SLO's 250 ms on both sides."""
RISK_BOUNDS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0)
"""Probabilities where scorers have scales, and a little more where they have none."""
