"""OpenTelemetry's parts, put together: the always-on provider of drift spans, and the meters behind /metrics.

It must never sample a drift span away: an unsampled parent doesn't unsample the one event that drift is made of.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Self

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from prometheus_client import CollectorRegistry

from guardrail.errors import SettingsError
from guardrail.telemetry.names import METRICS, SCOPE, SERVICE, Metric
from guardrail.telemetry.queue import SpanQueue
from guardrail.version import VERSION

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
HTTP = "http/protobuf"
EXPORT_TIMEOUT_S = 3
"""One export's wait: with it a dead collector can't hold up a shutdown."""

Rows = Iterable[tuple[tuple[str, ...], float]]


class NamedTraces(IdGenerator):
    """Random span ids; the next trace id is the one set here, so that a decision names its trace before it exists."""

    def __init__(self) -> None:
        self.next_trace_id = 0
        self._random = RandomIdGenerator()

    def generate_span_id(self) -> int:
        """Random."""
        return self._random.generate_span_id()

    def generate_trace_id(self) -> int:
        """The one that was set, else random."""
        return self.next_trace_id or self._random.generate_trace_id()


class Tracing:
    """The drift spans' own provider. Close it: what still waits gets a few seconds."""

    def __init__(self, exporter: SpanExporter) -> None:
        self.ids = NamedTraces()
        self.queue = SpanQueue(exporter)
        self._provider = TracerProvider(
            sampler=ALWAYS_ON, resource=resource(), id_generator=self.ids, shutdown_on_exit=False
        )
        self._provider.add_span_processor(self.queue)
        self.tracer = self._provider.get_tracer(SCOPE, VERSION)

    @classmethod
    def from_environment(cls) -> Self | None:
        """Tracing to the OTLP endpoint that the environment names; None without one, or when the SDK is disabled.

        Raises SettingsError for an endpoint or a protocol that nothing could be sent to.
        """
        given = [name for name in ENDPOINTS if os.environ.get(name)]
        if disabled() or not given:
            return None
        for name in given:
            if not os.environ[name].startswith(("http://", "https://")):
                raise SettingsError(f"{name}: begins with neither http:// nor https://")
        for name in PROTOCOLS:
            if os.environ.get(name, HTTP) != HTTP:
                raise SettingsError(f"{name}: spans are sent as {HTTP} alone")
        return cls(OTLPSpanExporter(timeout=EXPORT_TIMEOUT_S))

    @property
    def dropped(self) -> int:
        """Spans that couldn't be delivered so far."""
        return self.queue.dropped

    def close(self) -> None:
        """Delivers what waits, within queue.SHUTDOWN_S."""
        self._provider.shutdown()


def disabled() -> bool:
    """Whether the environment switches OpenTelemetry off."""
    return os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def resource() -> Resource:
    """Ours, under what `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` say."""
    ours = {"service.version": VERSION}
    if not os.environ.get("OTEL_SERVICE_NAME") and SERVICE_NAME not in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", ""):
        ours[SERVICE_NAME] = SERVICE
    return Resource.create(ours)


def meters(
    registry: CollectorRegistry, rows: Callable[[Metric], Rows], metrics: Iterable[Metric] = METRICS
) -> MeterProvider:
    """Observable instruments for the counters and gauges among `metrics`; `rows` gives label values and a number."""
    reader = PrometheusMetricReader(registry=registry, scope_info_enabled=False)
    provider = MeterProvider(metric_readers=[reader], resource=resource(), shutdown_on_exit=False)
    meter = provider.get_meter(SCOPE, VERSION)
    for metric in metrics:
        if metric.kind == "histogram":
            continue
        create = meter.create_observable_counter if metric.kind == "counter" else meter.create_observable_gauge
        create(metric.name, [_observer(metric, rows)], metric.unit, metric.description)
    return provider


def _observer(metric: Metric, rows: Callable[[Metric], Rows]) -> Callable[[CallbackOptions], Iterable[Observation]]:
    def observe(_: CallbackOptions) -> Iterable[Observation]:
        return [Observation(value, dict(zip(metric.labels, labels, strict=True))) for labels, value in rows(metric)]

    return observe
