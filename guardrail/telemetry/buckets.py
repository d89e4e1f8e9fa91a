"""Histograms as plain lists: an observation costs a bisection, where an OpenTelemetry histogram costs 6 us.

It must never be read as exact: a quantile is as fine as its buckets.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from prometheus_client.core import HistogramMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from guardrail.telemetry.names import DURATION_BOUNDS_S, Metric


class Buckets:
    """One histogram."""

    def __init__(self, metric: Metric, bounds: tuple[float, ...] = DURATION_BOUNDS_S) -> None:
        self.metric = metric
        self._bounds = bounds
        self._series: dict[tuple[str, ...], _Series] = {}
        if not metric.labels:
            self._opened(())

    def add(self, value: float, times: int = 1, labels: tuple[str, ...] = ()) -> None:
        """Counts `value`, `times` over."""
        series = self._series.get(labels) or self._opened(labels)
        series.counts[bisect_left(self._bounds, value)] += times
        series.sum += value * times

    def family(self) -> HistogramMetricFamily:
        """What Prometheus reads: cumulated counts."""
        family = HistogramMetricFamily(self.metric.prometheus, self.metric.description, labels=self.metric.labels)
        for labels, series in list(self._series.items()):
            bounds = (*map(str, self._bounds), "+Inf")
            family.add_metric(labels, list(zip(bounds, accumulate(series.counts), strict=True)), series.sum)
        return family

    def _opened(self, labels: tuple[str, ...]) -> _Series:
        return self._series.setdefault(labels, _Series([0] * (len(self._bounds) + 1)))


@dataclass(slots=True)
class _Series:
    counts: list[int]
    """By bucket, the last one for what is above all bounds."""
    sum: float = 0.0


class BucketCollector(Collector):
    """Hands histograms to a Prometheus registry."""

    def __init__(self, histograms: Iterable[Buckets]) -> None:
        self._histograms = tuple(histograms)

    def collect(self) -> Iterator[Family]:
        """All of them, as they stand."""
        return iter([made.family() for made in self._histograms])
