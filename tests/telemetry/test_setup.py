"""Setting up: only as the environment says, never holding the gate up, never losing a span without counting it."""

import threading
import time
from collections.abc import Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from guardrail.errors import SettingsError
from guardrail.telemetry import names, queue
from guardrail.telemetry.queue import SpanQueue
from guardrail.telemetry.report import Report
from guardrail.telemetry.setup import Tracing, resource
from tests.scoring import policies


class Exporter(SpanExporter):
    """Takes what it is given, as fast and as well as told."""

    def __init__(self, results: Sequence[SpanExportResult] = (), hang_s: float = 0.0) -> None:
        self.taken = 0
        self._results = list(results)
        self._hang = threading.Event()
        self._hang_s = hang_s

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Counts, hangs, fails."""
        self._hang.wait(self._hang_s)
        result = self._results.pop(0) if self._results else SpanExportResult.SUCCESS
        self.taken += len(spans) if result is SpanExportResult.SUCCESS else 0
        return result


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the machine's own."""
    for name in ("ENDPOINT", "TRACES_ENDPOINT", "PROTOCOL", "TRACES_PROTOCOL"):
        monkeypatch.delenv(f"OTEL_EXPORTER_OTLP_{name}", raising=False)
    for name in ("OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES"):
        monkeypatch.delenv(name, raising=False)


def test_no_endpoint_no_tracing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans are exported only where an endpoint is named and OpenTelemetry isn't switched off."""
    assert Tracing.from_environment() is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:9/v1/traces")
    tracing = Tracing.from_environment()
    assert tracing is not None
    tracing.close()
    monkeypatch.setenv("OTEL_SDK_DISABLED", "TRUE")
    assert Tracing.from_environment() is None


@pytest.mark.parametrize(
    ("name", "value"),
    [("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")],
)
def test_what_nothing_could_be_sent_to_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """An endpoint without a scheme, or a protocol that we don't speak, is an error at start, not silence."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=f"^{name}: "):
        Tracing.from_environment()


def test_the_service_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ours is the name unless the environment has one."""
    assert resource().attributes["service.name"] == "guardrail"
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=desk,team=a")
    assert resource().attributes["service.name"] == "desk"
    monkeypatch.setenv("OTEL_SERVICE_NAME", "mine")
    assert resource().attributes["service.name"] == "mine"


def test_ten_thousand_spans_are_delivered() -> None:
    """A burst is taken without waiting and delivered in full."""
    exporter = Exporter()
    tracing = Tracing(exporter)
    for _ in range(10_000):
        tracing.tracer.start_span("s").end()
    tracing.close()
    assert (exporter.taken, tracing.dropped) == (10_000, 0)


def test_a_full_queue_counts_what_it_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without room the newest spans are refused and counted, at /metrics too."""
    monkeypatch.setattr(queue, "QUEUE_SPANS", 10)
    tracing = Tracing(Exporter(hang_s=30))
    for _ in range(25):
        tracing.tracer.start_span("s").end()
    assert tracing.dropped == 15
    assert "guardrail_telemetry_dropped_total 15.0" in Report(policies(), tracing).text().decode()


def test_an_export_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A collector that fails once loses nothing; one that keeps failing costs the batch, counted."""
    monkeypatch.setattr(queue, "RETRIES_COUNT", 2)
    exporter = Exporter([SpanExportResult.FAILURE])
    tracing = Tracing(exporter)
    tracing.tracer.start_span("s").end()
    assert tracing.queue.force_flush(5_000)
    assert (exporter.taken, tracing.dropped) == (1, 0)
    tracing.close()
    failing = Tracing(Exporter([SpanExportResult.FAILURE] * 9))
    failing.tracer.start_span("s").end()
    assert failing.queue.force_flush(8_000)
    assert failing.dropped == 1


class Breaking(SpanExporter):
    """Raises."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Never comes back well."""
        raise ConnectionError(len(spans))


def test_an_exporter_that_breaks_costs_its_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception of the exporter is a failed export: counted, and the next batch is tried all the same."""
    monkeypatch.setattr(queue, "RETRIES_COUNT", 1)
    tracing = Tracing(Breaking())
    for lost in (1, 2):
        tracing.tracer.start_span("s").end()
        assert tracing.queue.force_flush(5_000)
        assert tracing.dropped == lost


def test_a_dead_collector_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shutting down takes at most 5 s with a collector that hangs or refuses, and counts what is lost, once."""
    monkeypatch.setattr(queue, "SHUTDOWN_S", 0.5)
    for exporter in (Exporter(hang_s=30), Exporter([SpanExportResult.FAILURE] * 99)):
        tracing = Tracing(exporter)
        tracing.tracer.start_span("s").end()
        started = time.monotonic()
        tracing.close()
        tracing.queue.shutdown()
        assert time.monotonic() - started < 1
        assert tracing.dropped == 1
        tracing.tracer.start_span("late").end()
        assert tracing.dropped == 2
    assert queue.SHUTDOWN_S < 5


def test_flushing_gives_up_in_time() -> None:
    """A flush that can't be done says so at its deadline."""
    hanging = SpanQueue(Exporter(hang_s=30))
    tracing = Tracing(Exporter(hang_s=30))
    tracing.tracer.start_span("s").end()
    assert tracing.queue.force_flush(50) is False
    assert hanging.force_flush(50) is True


def test_the_names_at_metrics() -> None:
    """Golden: the names and kinds that dashboards and alerts rest on."""
    report = Report(policies())
    for metric in names.METRICS:
        if metric.kind == "counter" and metric is not names.DROPPED:
            report.count(metric, *["x"] * len(metric.labels))
        elif metric.kind == "gauge":
            report.set(metric, {("x",) * len(metric.labels): 1.0})
    types = [line.split()[2:] for line in report.text().decode().splitlines() if line.startswith("# TYPE guardrail")]
    assert sorted(map(tuple, types)) == sorted(
        [
            ("guardrail_consumed_total", "counter"),
            ("guardrail_decided_total", "counter"),
            ("guardrail_decisions_total", "counter"),
            ("guardrail_violations_total", "counter"),
            ("guardrail_policy_refused", "gauge"),
            ("guardrail_breaker_tripped", "gauge"),
            ("guardrail_bypass_active", "gauge"),
            ("guardrail_canary_decisions_total", "counter"),
            ("guardrail_drift_trials_total", "counter"),
            ("guardrail_drift_mismatches_total", "counter"),
            ("guardrail_regex_executions_total", "counter"),
            ("guardrail_corrections_total", "counter"),
            ("guardrail_dead_letters_total", "counter"),
            ("guardrail_own_errors_total", "counter"),
            ("guardrail_redelivered_total", "counter"),
            ("guardrail_transaction_aborts_total", "counter"),
            ("guardrail_consumer_rebalances_total", "counter"),
            ("guardrail_telemetry_dropped_total", "counter"),
            ("guardrail_consumer_lag", "gauge"),
            ("guardrail_consumer_time_lag_seconds", "gauge"),
            ("guardrail_policy_info", "gauge"),
            ("guardrail_process_duration_seconds", "histogram"),
            ("guardrail_e2e_duration_seconds", "histogram"),
            ("guardrail_grounding_risk", "histogram"),
            ("guardrail_grounding_risk_max", "gauge"),
        ]
    )
