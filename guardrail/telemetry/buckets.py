"""Histograms as plain lists: an observation costs a bisection, where an OpenTelemetry histogram costs 6 us.

It must never be read as exact: a quantile is as fine as its buckets.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from guardrail.telemetry.names import DURATION_BOUNDS_S, Metric


class Buckets:
    """One histogram without labels."""

    def __init__(self, metric: Metric, bounds: tuple[float, ...] = DURATION_BOUNDS_S) -> None:
        self.metric = metric
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float, times: int = 1) -> None:
        """Counts `value`, `times` over."""
        self._counts[bisect_left(self._bounds, value)] += times
        self._sum += value * times

    def family(self) -> HistogramMetricFamily:
        """What Prometheus reads: cumulated counts."""
        total, rows = 0, []
        for bound, count in zip((*map(str, self._bounds), "+Inf"), self._counts, strict=True):
            total += count
            rows.append((bound, total))
        family = HistogramMetricFamily(self.metric.prometheus, self.metric.description)
        family.add_metric([], rows, self._sum)
        return family


class BucketCollector(Collector):
    """Hands histograms to a Prometheus registry."""

    def __init__(self, histograms: Iterable[Buckets]) -> None:
        self._histograms = tuple(histograms)

    def collect(self) -> Iterator[Family]:
        """All of them, as they stand."""
        return iter([made.family() for made in self._histograms])
