"""Figures and tables in Markdown. It must never measure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tests.benchmarks.grounding.goals import Goal
from tests.measures import Interval

_SIGNS = {"at least": "≥", "at most": "≤", "same as": "="}


def figure(value: float | None) -> str:
    """A share or an AUROC: `.914`, or a dash where there is none."""
    if value is None or math.isnan(value):
        return "-"
    return f"{value:.3f}".removeprefix("0")


def fine(value: float) -> str:
    """The same to four digits: `.9142`."""
    return f"{value:.4f}".removeprefix("0")


def span(found: Interval) -> str:
    """A figure with its interval."""
    return f"{figure(found.value)} [{figure(found.low)}, {figure(found.high)}]"


def whole(value: float) -> str:
    """A number of microseconds or answers, to two digits that count."""
    if value < 10:
        return f"{value:.1f}"
    digits = max(0, len(str(int(value))) - 2)
    return f"{round(value, -digits):,.0f}"


def bound(goal: Goal | None, show: str = "share") -> str:
    """A goal: `≥ .95`."""
    if goal is None:
        return "-"
    value = f"{goal.bound:,.0f}" if show == "count" else f"{goal.bound:.4f}".removeprefix("0").rstrip("0")
    return f"{_SIGNS[goal.sense]} {value}"


def met(goal: Goal | None, value: float | None, show: str = "share") -> str:
    """Whether a goal is reached, and by how much not."""
    if goal is None or value is None:
        return "-"
    missed = goal.short_by(value)
    if not missed:
        return "met"
    by = whole(missed) if show == "count" else fine(missed) if missed < 0.001 else figure(missed)
    return f"missed by {by}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table, text to the left in its first column and figures to the right."""
    rule = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)]
