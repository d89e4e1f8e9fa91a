"""The dashboard as code; `make dashboard` writes its JSON. It must never be edited there.

Rows from left to right answer: is it well, is it quick, does a model drift, what is refused, is its own house in order.
"""

from __future__ import annotations

import sys
from string import ascii_uppercase
from typing import NamedTuple

from grafana_foundation_sdk.builders import dashboard, heatmap, prometheus, table, timeseries
from grafana_foundation_sdk.builders.common import StackingConfig, VizLegendOptions
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.common import LegendDisplayMode, LegendPlacement, StackingMode
from grafana_foundation_sdk.models.dashboard import DataSourceRef, Threshold, ThresholdsMode, VariableRefresh
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
HEIGHT, THIRD = 8, 8
SLO_S = 0.25
AGENT = 'agent=~"$agent"'


class Query(NamedTuple):
    """An expression and what its lines are called."""

    expr: str
    legend: str


def lines(title: str, said: str, unit: str, *queries: Query, stacked: bool = False) -> timeseries.Panel:
    """Lines over time."""
    legend = VizLegendOptions().display_mode(LegendDisplayMode.LIST).placement(LegendPlacement.BOTTOM).show_legend(True)
    panel = timeseries.Panel().title(title).description(said).unit(unit).datasource(SOURCE).min(0).legend(legend)
    if stacked:
        panel.stacking(StackingConfig().mode(StackingMode.NORMAL)).fill_opacity(40)
    for letter, query in zip(ascii_uppercase, queries, strict=False):
        panel.with_target(prometheus.Dataquery().ref_id(letter).expr(query.expr).legend_format(query.legend))
    return panel.height(HEIGHT).span(THIRD)


def limited(panel: timeseries.Panel, limit: float) -> timeseries.Panel:
    """With a red line where it becomes too much."""
    steps = [Threshold(value=None, color="green"), Threshold(value=limit, color="red")]
    thresholds = dashboard.ThresholdsConfig().mode(ThresholdsMode.ABSOLUTE).steps(steps)
    return panel.thresholds(thresholds)


def heat(title: str, said: str, expr: str, legend: str) -> heatmap.Panel:
    """A distribution over time."""
    query = prometheus.Dataquery().ref_id("A").expr(expr).legend_format(legend)
    return (
        heatmap.Panel().title(title).description(said).datasource(SOURCE).with_target(query).height(HEIGHT).span(THIRD)
    )


def ranking(title: str, said: str, *exprs: str) -> table.Panel:
    """What is highest just now."""
    panel = table.Panel().title(title).description(said).datasource(SOURCE).height(HEIGHT).span(THIRD)
    for letter, expr in zip(ascii_uppercase, exprs, strict=False):
        panel.with_target(prometheus.Dataquery().ref_id(letter).expr(expr).instant().format(PromQueryFormat.TABLE))
    return panel


def quantiles(metric: str) -> list[Query]:
    """The three quantiles of a histogram."""
    inner = f"sum by (le) (rate({metric}_bucket[5m]))"
    return [Query(f"histogram_quantile({q}, {inner})", f"p{round(q * 100)}") for q in (0.5, 0.95, 0.99)]


def share(part: str, whole: str, by: str) -> str:
    """A share, in a window of five minutes; nothing where there is no traffic."""
    return f"sum by ({by}) (rate({part}[5m])) / (sum by ({by}) (rate({whole}[5m])) > 0)"


def decisions() -> list[timeseries.Panel]:
    """Is it well?"""
    every = f"guardrail_decisions_total{{{AGENT}}}"
    refused = f'guardrail_decisions_total{{{AGENT}, outcome="rejected"}}'
    return [
        lines(
            "Decisions by outcome", "Records a second.", "reqps",
            Query(f"sum by (outcome) (rate({every}[5m]))", "{{outcome}}"), stacked=True,
        ),
        lines(
            "Refused", "Share of an agent's records.", "percentunit",
            Query(share(refused, every, "agent"), "{{agent}}"),
        ),
        lines(
            "Consumed and decided", "Each record has one decision: the lines lie on one another.", "reqps",
            Query("sum(rate(guardrail_consumed_total[5m]))", "consumed"),
            Query("sum(rate(guardrail_decided_total[5m]))", "decided"),
        ),
    ]  # fmt: skip


def speed() -> list[timeseries.Panel]:
    """Is it quick?"""
    e2e = lines(
        "End to end", "From a record's timestamp to its commit; red is the SLO of 99 %.", "s",
        *quantiles("guardrail_e2e_duration_seconds"),
    )  # fmt: skip
    return [
        limited(e2e, SLO_S),
        lines("Judging", "Of one record, all checks.", "s", *quantiles("guardrail_process_duration_seconds")),
        lines(
            "Lag", "How old what is committed was, and how many records wait.", "s",
            Query("max by (topic) (guardrail_consumer_time_lag_seconds)", "{{topic}}, seconds"),
            Query("sum by (topic) (guardrail_consumer_lag)", "{{topic}}, records"),
        ),
    ]  # fmt: skip


def drift() -> list[timeseries.Panel | heatmap.Panel | table.Panel]:
    """Does a model drift?"""
    trials, failed = f"guardrail_drift_trials_total{{{AGENT}}}", f"guardrail_drift_mismatches_total{{{AGENT}}}"
    rate = f"sum by (model) (increase({failed}[1h])) / (sum by (model) (increase({trials}[1h])) > 0)"
    watched = '{scope="model", check="simulation"}'
    return [
        heat(
            "Evidence of drift", "Every stream; 1 is an alarm.",
            "topk(40, max by (check, model, agent, parameter) (guardrail_drift_evidence))",
            "{{check}} {{model}} {{agent}} {{parameter}}",
        ),
        lines(
            "Mismatch rate", "Of an hour, beside the baseline and the alarms of the drift worker.", "percentunit",
            Query(rate, "{{model}}"),
            Query(f"guardrail_drift_baseline_rate{watched}", "{{model}}, baseline"),
            Query(f"guardrail_drift_rate{watched} and guardrail_drift_state{watched} == 2", "{{model}}, drifting"),
        ),
        ranking(
            "Cells with most evidence", "State 2 is drifting.",
            'topk(10, guardrail_drift_evidence{scope="cell"})',
            'guardrail_drift_state{scope="cell"} == 2',
        ),
    ]  # fmt: skip


def checks() -> list[timeseries.Panel | heatmap.Panel]:
    """What is refused, and why?"""
    return [
        lines(
            "Regexes run", "By what came of them.", "reqps",
            Query("sum by (result) (rate(guardrail_regex_executions_total[5m]))", "{{result}}"), stacked=True,
        ),
        lines(
            "Grounding risk", "Of an agent's answers, and the calibrated risk that they are held against.", "short",
            Query(
                f"histogram_quantile(0.95, sum by (agent, le) (rate(guardrail_grounding_risk_bucket{{{AGENT}}}[15m])))",
                "{{agent}}, p95",
            ),
            Query(f"max by (agent) (guardrail_grounding_risk_max{{{AGENT}}})", "{{agent}}, calibrated"),
        ),
        lines(
            "Corrections", "Answers that had something to correct.", "reqps",
            Query("sum by (result) (rate(guardrail_corrections_total[5m]))", "{{result}}"), stacked=True,
        ),
        lines(
            "Violations", "The ten codes that come most often.", "reqps",
            Query(f"topk(10, sum by (code) (rate(guardrail_violations_total{{{AGENT}}}[5m])))", "{{code}}"),
        ),
        lines(
            "Dead letters", "By what is wrong with them.", "short",
            Query("sum by (error_type) (increase(guardrail_dead_letters_total[15m]))", "{{error_type}}"), stacked=True,
        ),
        lines(
            "Canary", "Records on which a canary differs from the policy in force.", "reqps",
            Query(
                f"sum by (agent, outcome, canary_outcome) (rate(guardrail_canary_decisions_total{{{AGENT}}}[5m]))",
                "{{agent}}: {{outcome}}, canary {{canary_outcome}}",
            ),
        ),
    ]  # fmt: skip


def house() -> list[timeseries.Panel | table.Panel]:
    """Is its own house in order?"""
    return [
        lines(
            "Telemetry", "Drift spans lost, observations unread, and when drift was evaluated last.", "short",
            Query("sum(increase(guardrail_telemetry_dropped_total[15m]))", "spans dropped"),
            Query("sum(increase(guardrail_drift_unreadable_total[15m]))", "observations unreadable"),
            Query("time() - max(guardrail_drift_last_evaluation_timestamp_seconds)", "s since the last evaluation"),
        ),
        ranking(
            "Policies in force", "One revision for each agent; breaker, bypass and refusals below.",
            "count by (agent, revision, mode) (guardrail_policy_info)",
            "max by (agent) (guardrail_breaker_tripped) > 0",
            "max by (agent) (guardrail_bypass_active) > 0",
            "max by (entry) (guardrail_policy_refused) > 0",
        ),
        lines(
            "Rebalances and batches given back", "In 15 minutes.", "short",
            Query("sum(increase(guardrail_consumer_rebalances_total[15m]))", "rebalances"),
            Query("sum by (reason) (increase(guardrail_transaction_aborts_total[15m]))", "given back: {{reason}}"),
            Query("sum by (error_type) (increase(guardrail_own_errors_total[15m]))", "own errors: {{error_type}}"),
            Query("sum by (kind) (increase(guardrail_redelivered_total[15m]))", "redelivered: {{kind}}"),
        ),
    ]  # fmt: skip


ROWS = {"Decisions": decisions, "Speed": speed, "Drift": drift, "Checks": checks, "House": house}


def build() -> dashboard.Dashboard:
    """The whole of it."""
    agents = (
        dashboard.QueryVariable("agent")
        .label("agent")
        .datasource(SOURCE)
        .query("label_values(guardrail_decisions_total, agent)")
        .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
        .multi(True)
        .include_all(True)
        .all_value(".*")
    )
    made = (
        dashboard.Dashboard("guardrail")
        .uid("guardrail")
        .tags(["guardrail", "llm", "drift"])
        .refresh("30s")
        .time("now-6h", "now")
        .timezone("browser")
        .with_variable(dashboard.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
        .with_variable(agents)
    )
    for title, panels in ROWS.items():
        made.with_row(dashboard.Row(title))
        for panel in panels():
            made.with_panel(panel)
    return made


if __name__ == "__main__":
    sys.stdout.write(JSONEncoder(sort_keys=True, indent=2).encode(build().build()) + "\n")
