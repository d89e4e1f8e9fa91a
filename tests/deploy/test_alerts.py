"""Alerts fire and keep silent as their tests say; each rests on metrics that exist, and has a page for who is woken."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.deploy.metrics import families, named
from tests.deploy.tools import ROOT, run, tool

PROMETHEUS = ROOT / "deploy" / "prometheus"
ALERTMANAGER = ROOT / "deploy" / "alertmanager" / "alertmanager.yaml"
RUNBOOKS = ROOT / "docs" / "runbooks"
RULES = [
    rule
    for group in yaml.safe_load((PROMETHEUS / "rules.yaml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
ALERTS: dict[str, dict[str, Any]] = {rule["alert"]: rule for rule in RULES if "alert" in rule}
TESTS = yaml.safe_load((PROMETHEUS / "rules.test.yaml").read_text(encoding="utf-8"))["tests"]
HEADINGS = ["Symptom", "Query", "Action", "Verify"]


def test_promtool_takes_them() -> None:
    """Rules and configurations are valid, and the linter has nothing to say."""
    run(tool("promtool"), "check", "rules", "--lint=all", "--lint-fatal", str(PROMETHEUS / "rules.yaml"))
    run(tool("promtool"), "check", "config", "--lint=all", str(PROMETHEUS / "prometheus.yaml"))
    run(tool("amtool"), "check-config", str(ALERTMANAGER))


def test_they_fire_and_keep_silent() -> None:
    """Given series, then each alert fires where it should, and nowhere else."""
    assert "SUCCESS" in run(tool("promtool"), "test", "rules", str(PROMETHEUS / "rules.test.yaml"))


@pytest.mark.parametrize("alert", ALERTS)
def test_each_has_both_tests(alert: str) -> None:
    """Each alert has a test in which it fires, and one in which it doesn't."""
    asked = [test for one in TESTS for test in one["alert_rule_test"] if test["alertname"] == alert]
    assert any(test["exp_alerts"] for test in asked)
    assert any(not test["exp_alerts"] for test in asked)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.get("alert") or rule["record"])
def test_their_metrics_exist(rule: dict[str, Any]) -> None:
    """Every metric of an expression is one that gates or the drift worker show."""
    assert named(rule["expr"]) <= families()


@pytest.mark.parametrize("alert", ALERTS)
def test_each_has_a_page(alert: str) -> None:
    """Each alert names its page, which has what a person needs at night, and asks for metrics that exist."""
    rule = ALERTS[alert]
    assert rule["labels"]["severity"] in ("critical", "warning", "info")
    assert {"summary", "description", "runbook"} == rule["annotations"].keys()
    page = (ROOT / rule["annotations"]["runbook"]).read_text(encoding="utf-8")
    assert page.startswith(f"# {alert}\n\n{rule['annotations']['summary']}. Severity: {rule['labels']['severity']}.")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == HEADINGS
    assert named(page) <= families()


def test_no_page_without_an_alert() -> None:
    """Pages and alerts are the same."""
    assert {page.stem for page in RUNBOOKS.glob("*.md")} == ALERTS.keys()


def test_what_silences_exists() -> None:
    """Every alert that the example configuration names is one of ours."""
    told = set(re.findall(r"Guardrail[A-Za-z]+", ALERTMANAGER.read_text(encoding="utf-8")))
    assert told <= ALERTS.keys()
