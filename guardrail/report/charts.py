"""Plots as inline SVG: no script, no network address, ink in the page's own colour. It must never reckon a figure."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from guardrail.calibration.answers import Calibration
from guardrail.calibration.curves import Costs, Reliability, Roc

_INK = "#010203"
"""Stands for the page's text colour until the SVG is written: dark mode then needs nothing more."""
GOOD, BAD = "#2a7ab8", "#d0600d"
"""Blue and orange: told apart by colour-blind readers, 3:1 and more on white and on near-black."""
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "text.color": _INK,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
}
_STEPS_MAX = 500
"""More points of a curve than a screen has pixels for only make the page heavy."""


def risks(found: Calibration, name: str, alt: str) -> str:
    """How the risks of good answers lie, of bad ones too where there are any, and the threshold."""
    with _style(name):
        figure, axes = _canvas("risk of an answer (higher: less supported)", "share of answers with at most this risk")
        for answers, label, colour, line in (
            (found.good, "known good", GOOD, "-"),
            (found.bad, "known bad", BAD, "--"),
        ):
            values = [a.risk for a in answers if a.risk is not None]
            if values:
                axes.ecdf(values, label=f"{label} ({len(values)})", color=colour, linestyle=line, linewidth=2)
        if found.threshold.risk is not None:
            axes.axvline(found.threshold.risk, color=_INK, linestyle=":", label=f"threshold {found.threshold.risk:.3g}")
        axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
        return _svg(figure, axes, name, alt)


def roc(found: Roc, name: str, alt: str) -> str:
    """Bad answers caught against good answers flagged."""
    with _style(name):
        figure, axes = _canvas("good answers flagged", "bad answers caught")
        x, y = _thinned(found.flagged), _thinned(found.caught)
        axes.plot([0, *x], [0, *y], color=BAD, linewidth=2, label=f"risk: area {found.area:.3f}")
        axes.plot([0, 1], [0, 1], color=_INK, linestyle=":", label="a coin: area 0.5")
        _as_shares(axes)
        return _svg(figure, axes, name, alt)


def reliability(found: Reliability, name: str, alt: str) -> str:
    """Good documents flagged, promised against observed."""
    with _style(name):
        figure, axes = _canvas("level: share that may be flagged", "share flagged in the half not seen")
        axes.fill_between(
            found.levels, found.low, found.high, color=GOOD, alpha=0.25, linewidth=0, label="90 % of shuffled orders"
        )
        axes.plot(found.levels, found.observed, color=GOOD, marker="o", linewidth=2, label="observed")
        axes.plot(found.levels, found.levels, color=_INK, linestyle=":", label="as promised")
        _as_shares(axes)
        return _svg(figure, axes, name, alt)


def costs(found: Costs, threshold: float | None, name: str, alt: str) -> str:
    """The cost of 1,000 answers as the threshold moves."""
    with _style(name):
        figure, axes = _canvas("threshold (risk above it is flagged)", "cost of 1,000 answers")
        x, y = _thinned(found.thresholds), _thinned(found.costs)
        axes.step(x, y, where="post", color=BAD, linewidth=2, label="cost")
        cheapest = f"cheapest {found.cheapest:.3g}"
        axes.plot([found.cheapest], [found.least], color=BAD, marker="D", linestyle="none", label=cheapest)
        if threshold is not None:
            axes.axvline(threshold, color=_INK, linestyle=":", label=f"threshold {threshold:.3g}")
        axes.set_ylim(bottom=0)
        return _svg(figure, axes, name, alt)


def _style(name: str) -> AbstractContextManager[None]:
    """The house's look; ids made from the name alone, so that a page repeats."""
    return mpl.rc_context({**_STYLE, "svg.hashsalt": name})


def _canvas(x: str, y: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    figure.patch.set_alpha(0)
    axes = figure.add_subplot()
    axes.patch.set_alpha(0)
    axes.set(xlabel=x, ylabel=y)
    axes.grid(color=_INK, alpha=0.15, linewidth=0.6)
    return figure, axes


def _as_shares(axes: Axes) -> None:
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(PercentFormatter(1, decimals=0))


def _thinned(values: Sequence[float]) -> list[float]:
    """Evenly chosen points, the ends among them."""
    last, steps = len(values) - 1, min(len(values), _STEPS_MAX)
    return [values[index * last // max(1, steps - 1)] for index in range(steps)]


def _svg(figure: Figure, axes: Axes, name: str, alt: str) -> str:
    """The figure for a page: named for readers that can't see it, its ids its own among the page's figures."""
    axes.legend()
    sink = io.StringIO()
    figure.savefig(sink, format="svg", metadata={"Date": None})
    text = sink.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r' (?:xmlns(?::\w+)?|version)="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", text).replace(_INK, "currentColor")
    return text.replace("<svg", f'<svg role="img" aria-label="{html.escape(alt)}"', 1).strip()
