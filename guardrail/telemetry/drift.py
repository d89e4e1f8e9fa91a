"""What the drift worker knows of its streams, for /metrics. It must never hide a stream that drifts.

OpenTelemetry folds an instrument's series from the 2,000th on: those that drift are shown, then models' before cells,
then those with most evidence, and their number beside them.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable
from typing import get_args

from prometheus_client import CollectorRegistry, generate_latest

from guardrail.drift.monitor import Change
from guardrail.drift.tally import MINUTE_MS
from guardrail.drift.watch import SCOPES, Alarm, Watched
from guardrail.telemetry import names
from guardrail.telemetry.setup import Rows, meters

SHOWN_COUNT = 1_000
WARMING, STEADY, DRIFTING = 0.0, 1.0, 2.0


class DriftReport:
    """Gauges and counters of one drift worker."""

    def __init__(self) -> None:
        self._series: dict[str, dict[tuple[str, ...], float]] = {metric.name: {} for metric in names.WATCH_METRICS}
        self._series[names.UNREADABLE.name][()] = 0
        self._series[names.CHANGES.name] = {(scope, state): 0 for scope in SCOPES for state in get_args(Change)}
        self._scrape = threading.Lock()
        self._registry = CollectorRegistry()
        self._provider = meters(self._registry, self._rows, names.WATCH_METRICS)

    def evaluated(self, minute: int, streams: Iterable[Watched], alarms: Iterable[Alarm] = ()) -> None:
        """A minute has been evaluated, as minutes since 1970: where all streams stand, and what that changed."""
        ranked = sorted(
            streams, key=lambda each: (not each.stream.drifting, each.name.scope != "model", -each.evidence, each.name)
        )
        shown = {_labels(each): each for each in ranked[:SHOWN_COUNT]}
        series = self._series
        series[names.EVIDENCE.name] = {labels: each.evidence for labels, each in shown.items()}
        series[names.RATE.name] = {
            labels: each.stream.strongest(each.threshold).since.rate for labels, each in shown.items()
        }
        series[names.BASELINE.name] = {labels: each.stream.baseline for labels, each in shown.items()}
        series[names.STATE.name] = {labels: _state(each) for labels, each in shown.items()}
        counts = Counter(each.name.scope for each in ranked)
        series[names.STREAMS.name] = {(scope,): counts[scope] for scope in SCOPES}
        series[names.EVALUATED.name] = {(): (minute + 1) * MINUTE_MS / 1000}
        for alarm in alarms:
            self._count(names.CHANGES, alarm.stream.scope, alarm.state)

    def unreadable(self, times: int) -> None:
        """So many records were no observation."""
        self._count(names.UNREADABLE, times=times)

    def text(self) -> bytes:
        """All metrics in Prometheus's text format."""
        with self._scrape:
            return generate_latest(self._registry)

    def close(self) -> None:
        """Ends the instruments."""
        self._provider.shutdown()

    def _count(self, metric: names.Metric, *labels: str, times: int = 1) -> None:
        series = self._series[metric.name]
        series[labels] = series.get(labels, 0) + times

    def _rows(self, metric: names.Metric) -> Rows:
        return list(self._series[metric.name].items())


def _labels(watched: Watched) -> tuple[str, ...]:
    name = watched.name
    return (name.scope, name.check, name.agent, name.model, name.parameter)


def _state(watched: Watched) -> float:
    if watched.stream.drifting:
        return DRIFTING
    return WARMING if watched.stream.warming else STEADY
