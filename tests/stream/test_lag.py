"""How far behind the gate is, told while nothing is committed too."""

import time
from typing import Any

import pytest

from guardrail.judge.model import RawRecord, Source
from guardrail.stream.lag import Lag
from guardrail.telemetry import names
from guardrail.telemetry.report import Report
from tests.scoring import policies


@pytest.fixture
def report() -> Report:
    """Nothing is in it."""
    return Report(policies())


def statistics(**lags: int) -> dict[str, Any]:
    """librdkafka's, for these partitions."""
    return {"topics": {"raw": {"partitions": {p[1:]: {"consumer_lag_stored": lag} for p, lag in lags.items()}}}}


def seconds(report: Report, partition: int = 0) -> float:
    """The time lag of a partition."""
    return report.value(names.TIME_LAG, "raw", str(partition))


def committed(age_ms: int) -> tuple[list[RawRecord], int]:
    """A record of this age, and the time."""
    now_ms = time.time_ns() // 1_000_000
    return [RawRecord(b"", source=Source("raw", 0, 1, now_ms - age_ms))], now_ms


def test_records_come_from_the_statistics(report: Report) -> None:
    """Given the client's figures, then those that it knows are shown: it gives -1 for others."""
    lag = Lag(report, "raw")
    lag.statistics(statistics(p0=7, p1=-1))
    assert report.value(names.LAG, "raw", "0") == 7
    assert 'partition="1"' not in report.text().decode()


def test_the_age_of_what_was_committed_goes_when_nothing_waits(report: Report) -> None:
    """Given a batch, then its newest record's age is shown until the gate has caught up."""
    lag = Lag(report, "raw")
    lag.statistics(statistics(p0=5))
    lag.batch(*committed(2_000))
    assert seconds(report) == 2.0
    lag.idle()
    assert seconds(report) == 2.0
    lag.statistics(statistics(p0=1))
    lag.idle()
    assert seconds(report) == 0.0


def test_what_is_owed_ages(report: Report) -> None:
    """Given a record that is read and can't be committed, then its age grows from the first try on, through failed
    batches and those of others, until it is committed or its partition is somebody else's.
    """
    lag, start_ms = Lag(report, "raw"), time.time_ns() // 1_000_000 - 60_000
    lag.owed({0: start_ms, 1: start_ms + 59_000}, ())
    lag.show()
    assert 60 <= seconds(report) < 65
    assert 1 <= seconds(report, 1) < 6
    lag.owed({1: start_ms + 59_000}, {0})  # given back, and not read again yet
    lag.batch(*committed(10))
    assert 60 <= seconds(report) < 65
    lag.owed({}, ())
    lag.idle()
    lag.batch(*committed(10))
    assert seconds(report) == 0.01
    assert seconds(report, 1) == 0
