"""The dashboard is what its code says, and every expression of it parses and rests on metrics that exist."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from guardrail.telemetry.drift import DriftReport
from guardrail.telemetry.report import Report
from tests.deploy.metrics import families, named
from tests.deploy.tools import ROOT, run, tool
from tests.scoring import policies

GRAFANA = ROOT / "deploy" / "grafana"
DASHBOARD = json.loads((GRAFANA / "guardrail.json").read_text(encoding="utf-8"))
PANELS: list[dict[str, Any]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
ASKED = (
    "Decisions by outcome", "Refused", "End to end", "Judging", "Lag", "Consumed and decided", "Evidence of drift",
    "Mismatch rate", "Cells with most evidence", "Regexes run", "Grounding risk", "Corrections", "Dead letters",
    "Telemetry", "Policies in force", "Rebalances and batches given back",
)  # fmt: skip


def expressions() -> Iterator[str]:
    """Every expression, as Prometheus gets it."""
    for panel in PANELS:
        for target in panel["targets"]:
            yield target["expr"].replace("$agent", ".*")


def test_it_is_what_its_code_makes() -> None:
    """The JSON is the code's, and nobody has edited it."""
    made = subprocess.run([sys.executable, str(GRAFANA / "dashboard.py")], capture_output=True, text=True, check=True)
    assert made.stdout == (GRAFANA / "guardrail.json").read_text(encoding="utf-8")


def test_it_has_the_panels_that_are_asked_for() -> None:
    """Each panel is there once, says what it shows, and lies on no other."""
    titles = [panel["title"] for panel in PANELS]
    assert set(ASKED) <= set(titles)
    assert len(set(titles)) == len(titles)
    assert all(panel["description"].endswith(".") for panel in PANELS)
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert max(x for x, _ in cells) < 24


def test_queries_of_a_panel_are_told_apart() -> None:
    """Each query has a letter of its own."""
    for panel in PANELS:
        letters = [target["refId"] for target in panel["targets"]]
        assert len(set(letters)) == len(letters)


def test_its_metrics_exist() -> None:
    """Every metric is one that gates or the drift worker show."""
    assert named(" ".join(expressions())) <= families()


def test_its_expressions_parse(tmp_path: Path) -> None:
    """Prometheus's own parser takes every expression."""
    rules = [{"record": f"panel:{index}", "expr": expr} for index, expr in enumerate(expressions())]
    file = tmp_path / "panels.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}), encoding="utf-8")
    assert f"{len(rules)} rules found" in run(tool("promtool"), "check", "rules", "--lint=none", str(file))


def test_what_is_always_there_is_shown_at_once() -> None:
    """A gate and a drift worker that have done nothing yet show what panels of a healthy house rest on."""
    report, drift = Report(policies()), DriftReport()
    text = (report.text() + drift.text()).decode()
    for name in (
        "guardrail_decisions_total",
        "guardrail_consumed_total",
        "guardrail_policy_info",
        "guardrail_drift_unreadable_total",
    ):
        assert f"\n{name}" in text
    report.close()
    drift.close()
