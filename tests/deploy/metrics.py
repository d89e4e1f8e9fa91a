"""Which metrics there are, and which an expression names."""

from __future__ import annotations

import re

from guardrail.telemetry.names import METRICS, WATCH_METRICS, Metric


def families() -> set[str]:
    """Every name that /metrics may show, of gates and of the drift worker."""
    return {name for metric in (*METRICS, *WATCH_METRICS) for name in shown(metric)}


def shown(metric: Metric) -> list[str]:
    """A metric's names at /metrics."""
    if metric.kind == "histogram":
        return [metric.prometheus + end for end in ("_bucket", "_sum", "_count")]
    return [metric.prometheus + ("_total" if metric.kind == "counter" else "")]


def named(text: str) -> set[str]:
    """The metrics of ours in an expression or a page; recording rules have colons."""
    return set(re.findall(r"\bguardrail_[a-z0-9_]+\b(?!:)", text))
