"""How far behind the gate is, in records and in seconds. It must never call Kafka: librdkafka's statistics know, and
what was read and isn't committed.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from guardrail.judge.model import RawRecord
from guardrail.telemetry import names
from guardrail.telemetry.report import Report

CAUGHT_UP_RECORDS = 1
"""A transactional topic ends in a commit marker, so its lag stays 1 for ever (DRIFT §3)."""

Labels = tuple[str, ...]


class Lag:
    """The two gauges, by partition."""

    def __init__(self, report: Report, topic: str) -> None:
        self._report = report
        self._topic = topic
        self._records: dict[Labels, float] = {}
        self._seconds: dict[Labels, float] = {}
        self._owed: dict[int, int] = {}

    def statistics(self, found: dict[str, Any]) -> None:
        """Takes librdkafka's figure: `consumer_lag` stays -1 with transactional offsets, the stored one moves."""
        partitions = found.get("topics", {}).get(self._topic, {}).get("partitions", {})
        self._records = {
            (self._topic, partition): lag
            for partition, figures in partitions.items()
            if (lag := figures.get("consumer_lag_stored", -1)) >= 0
        }
        self._seconds = {labels: age for labels, age in self._seconds.items() if labels in self._records}
        self.show()

    def owed(self, oldest: Mapping[int, int], failed: Collection[int]) -> None:
        """Takes the time of the oldest record of each partition that is read and not committed (Unix ms). Those of
        `failed` have been given back, and stay as they were until they are read again.
        """
        kept = {partition: since for partition, since in self._owed.items() if partition in failed}
        self._owed = kept | dict(oldest)

    def batch(self, raws: Iterable[RawRecord], now_ms: int) -> None:
        """Takes the age of the newest record of each partition that is committed."""
        for raw in raws:
            if time_ms := raw.source.timestamp_ms:
                self._seconds[self._labels(raw.source.partition)] = max(now_ms - time_ms, 0) / 1000
        self.show()

    def idle(self) -> None:
        """Nothing to commit: where the lag says so too, nothing is late."""
        late = [labels for labels, age in self._seconds.items() if age]
        for labels in late:
            if self._records.get(labels, 0) <= CAUGHT_UP_RECORDS:
                self._seconds[labels] = 0.0
        if late or self._owed:
            self.show()

    def show(self) -> None:
        """Sets both. Where something is owed, its age counts: nothing is committed then that could tell."""
        now_ms = time.time_ns() // 1_000_000
        seconds = dict(self._seconds)
        for partition, since_ms in self._owed.items():
            labels = self._labels(partition)
            seconds[labels] = max(seconds.get(labels, 0.0), (now_ms - since_ms) / 1000)
        self._report.set(names.LAG, self._records)
        self._report.set(names.TIME_LAG, seconds)

    def _labels(self, partition: int | None) -> Labels:
        return self._topic, str(partition)
