"""What the drift worker tells at /metrics: golden names, every stream's state, and none that drifts hidden."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from guardrail.drift.flow import Flow
from guardrail.drift.monitor import Stream
from guardrail.drift.observed import Name
from guardrail.drift.watch import Watched
from guardrail.telemetry.drift import SHOWN_COUNT, DriftReport
from tests.drift.observations import BEGIN, traffic


def samples(report: DriftReport) -> dict[tuple[str, tuple[str, ...]], float]:
    """Each sample's value by its name and its labels' values."""
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(report.text().decode())
        for sample in family.samples
        if sample.name.startswith("guardrail")
    }


def test_the_names_at_metrics() -> None:
    """Golden: the names and kinds that dashboards and alerts rest on."""
    flow = Flow(2)
    alarms = list(flow.run(traffic(3, 2, 120, rate=2e-2)))
    report = DriftReport()
    report.unreadable(2)
    report.evaluated(BEGIN, flow.streams, alarms)
    types = [line.split()[2:] for line in report.text().decode().splitlines() if line.startswith("# TYPE guardrail")]
    assert sorted(map(tuple, types)) == [
        ("guardrail_drift_baseline_rate", "gauge"),
        ("guardrail_drift_changes_total", "counter"),
        ("guardrail_drift_evidence", "gauge"),
        ("guardrail_drift_last_evaluation_timestamp_seconds", "gauge"),
        ("guardrail_drift_rate", "gauge"),
        ("guardrail_drift_state", "gauge"),
        ("guardrail_drift_streams", "gauge"),
        ("guardrail_drift_unreadable_total", "counter"),
    ]
    report.close()


def test_shows_each_stream() -> None:
    """Given streams of which some drift, then each has its evidence, its rate and its state; changes are counted."""
    flow = Flow(2)
    alarms = list(flow.run(traffic(3, 2, 120, rate=2e-2)))
    report = DriftReport()
    report.evaluated(BEGIN, flow.streams, alarms)
    found = samples(report)
    model = ("", "simulation", "m", "", "model")
    labels = next(labels for name, labels in found if sorted(labels) == sorted(model))
    assert found["guardrail_drift_state", labels] == 2
    assert found["guardrail_drift_evidence", labels] >= 1
    assert 1e-2 < found["guardrail_drift_rate", labels] < 3e-2
    assert found["guardrail_drift_baseline_rate", labels] == 1e-3
    assert found["guardrail_drift_last_evaluation_timestamp_seconds", ()] == (BEGIN + 1) * 60
    assert found["guardrail_drift_unreadable_total", ()] == 0
    told = sum(value for (name, _), value in found.items() if name == "guardrail_drift_changes_total")
    assert told == len(alarms) >= 5
    report.close()


def test_hides_the_quiet_ones() -> None:
    """Given more streams than are shown, then those with most evidence are, all models' before any cell's."""
    quiet = [watched(Name("cell", "simulation", "m", "clinic", f"P{each}")) for each in range(2 * SHOWN_COUNT)]
    loud, model = watched(Name("cell", "simulation", "m", "clinic", "Z")), watched(Name("model", "simulation", "m"))
    loud.stream.ceiling.drifting = True
    report = DriftReport()
    report.evaluated(BEGIN, [*quiet, loud, model])
    found = samples(report)
    states = {labels: value for (name, labels), value in found.items() if name == "guardrail_drift_state"}
    assert len(states) == SHOWN_COUNT
    assert list(states.values()).count(2) == 1
    assert sum("model" in labels for labels in states) == 1
    assert {value for (name, _), value in found.items() if name == "guardrail_drift_streams"} == {
        2 * SHOWN_COUNT + 1,
        1,
    }
    report.close()


def watched(name: Name) -> Watched:
    """A stream that has seen nothing yet."""
    return Watched(name, Stream.begin(1e-3), BEGIN, BEGIN, 60.0)
