"""The page of a calibration: one HTML file that needs nothing else.

It must never claim more than the answers bear out.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from guardrail.calibration.answers import Calibration, Fitted
from guardrail.calibration.conformal import flag_interval
from guardrail.calibration.curves import Prices, area_alone, costs, reliability, roc
from guardrail.calibration.fragment import fragment
from guardrail.report import charts

FEW_ANSWERS = 30
"""Fewer good or bad answers than this give an area too vague to choose by."""
HALVED_MIN = 18
"""Documents whose halves can serve a level of .1; fewer show nothing of a promise."""
_COIN = 0.5

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1a1c20; --faint: #565b64; --rule: #c9ccd2; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14161a; --ink: #e8eaed; --faint: #a5abb5; --rule: #3d424b; }
}
body { background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; max-width: 46rem;
  margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.25; }
h2 { border-top: 1px solid var(--rule); margin-top: 3rem; padding-top: 1.5rem; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid var(--rule); padding: .3rem 1.2rem .3rem 0; text-align: left; vertical-align: top; }
th { font-weight: 600; }
figure { margin: 1rem 0 2rem; }
figure svg { height: auto; max-width: 100%; }
figcaption, footer { color: var(--faint); }
pre { border: 1px solid var(--rule); overflow-x: auto; padding: .8rem; }
"""


def page(found: Sequence[Calibration], prices: Prices) -> str:
    """One HTML page on the calibrations, the same for the same answers."""
    body = "\n".join(part for index, one in enumerate(found) for part in _section(one, prices, f"agent{index}"))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Grounding calibration</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        "<h1>Grounding calibration</h1>\n"
        "<p>From which risk on an answer is held to be unsupported, agent by agent, and what that threshold is worth."
        f"</p>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _section(found: Calibration, prices: Prices, name: str) -> Iterator[str]:
    yield f'<section aria-labelledby="{name}">\n<h2 id="{name}">{html.escape(found.agent)}</h2>'
    yield f"<p>{_verdict(found)}</p>"
    yield _counts(found)
    if found.fitted is not None:
        yield _scorers(found, found.fitted)
    yield f"<h3>For the policy</h3>\n<pre>{html.escape(fragment(found))}</pre>"
    yield from _figures(found, prices, name)
    yield "<h3>What can't be concluded</h3>\n<ul>"
    yield from (f"<li>{html.escape(limit)}</li>" for limit in limits(found))
    yield "</ul>\n</section>"


def _verdict(found: Calibration) -> str:
    chosen = found.threshold
    if chosen.risk is None:
        return (
            f"<strong>No threshold.</strong> Level {chosen.level} needs at least {chosen.needed} documents with "
            f"known-good answers; there are {chosen.documents}. Annotate only."
        )
    low, high = flag_interval(chosen)
    return (
        f"<strong>Threshold {chosen.risk:.4g}.</strong> Of good documents like these, {chosen.flag_share:.1%} are "
        f"expected above it, at most {chosen.level:.1%} on average over calibrations; with these {chosen.documents}, "
        f"between {low:.1%} and {high:.1%} (90 % interval)."
    )


def _counts(found: Calibration) -> str:
    reasons = sorted({reason for reason, _ in found.uncounted})
    conflicts = [a.good for a in found.answers if a.conflict]
    rows = [
        ("counted", len(found.good), len(found.bad)),
        *((f"not counted: {_plain(r)}", found.uncounted[r, True], found.uncounted[r, False]) for r in reasons),
        ("acted on whatever the threshold", conflicts.count(True), conflicts.count(False)),
    ]
    lines = "".join(
        f'<tr><th scope="row">{label}</th><td>{good}</td><td>{bad}</td></tr>\n' for label, good, bad in rows
    )
    return (
        '<table>\n<tr><th scope="col">answers</th><th scope="col">good</th><th scope="col">bad</th></tr>\n'
        f"{lines}</table>"
    )


def _scorers(found: Calibration, fitted: Fitted) -> str:
    """The scorers' scales, and how well each alone tells bad from good beside all together."""
    told = found.good and found.bad
    rows = [
        (
            name,
            scale.version or "",
            f"{scale.slope:g}",
            f"{scale.intercept:g}",
            area_alone(found, name) if told else None,
        )
        for name, scale in fitted.scales.items()
    ]
    rows.append(("together", "", "", "", roc(found).area if told else None))
    lines = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th><td>{html.escape(version)}</td><td>{slope}</td>'
        f"<td>{intercept}</td><td>{'' if area is None else f'{area:.3f}'}</td></tr>\n"
        for name, version, slope, intercept, area in rows
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("scorer", "version", "slope", "intercept", "area"))
    return (
        f"<h3>Scorers</h3>\n<p>Fitted on {fitted.good} good and {fitted.bad} bad answers of {fitted.documents} "
        "documents, which count for nothing else on this page: threshold, areas and curves are of the others. "
        "A claim's risk is the highest probability of any scorer that it is wrong; slope &#215; score + intercept are "
        "the log odds.</p>\n"
        f"<table>\n<tr>{heads}</tr>\n{lines}</table>"
    )


def _plain(reason: str) -> str:
    return reason.replace("_", " ")


def _figures(found: Calibration, prices: Prices, name: str) -> Iterator[str]:
    if found.good or found.bad:
        yield _risks_figure(found, f"{name}-risks")
    if found.good and found.bad:
        yield _roc_figure(found, f"{name}-roc")
        if len(found.scores) >= HALVED_MIN:
            yield _reliability_figure(found, f"{name}-reliability")
        yield _costs_figure(found, prices, f"{name}-costs")


def _risks_figure(found: Calibration, name: str) -> str:
    values = sorted(a.risk for a in found.good if a.risk is not None)
    middle = f"Half of the good answers have a risk of at most {values[(len(values) - 1) // 2]:.3g}" if values else ""
    caption = f"{middle}, the highest is {values[-1]:.3g}." if values else "There are only bad answers."
    return _figure("Risks", charts.risks(found, name, f"Cumulative distribution of risks. {caption}"), caption)


def _roc_figure(found: Calibration, name: str) -> str:
    curve = roc(found)
    caption = (
        f"Area under the curve {curve.area:.3f} (95 % interval {curve.low:.3f} to {curve.high:.3f}, documents drawn "
        "again): how often a bad answer has a higher risk than a good one."
    )
    return _figure("Telling bad from good", charts.roc(curve, name, caption), caption)


def _reliability_figure(found: Calibration, name: str) -> str:
    curve = reliability(found.scores)
    outside = [
        f"{level:g}"
        for level, seen, low, high in zip(curve.levels, curve.observed, curve.low, curve.high, strict=True)
        if not low <= seen <= high
    ]
    caption = (
        "Each half of the file, in its order, sets the threshold for the other. "
        + (f"Outside the band at level {', '.join(outside)}: " if outside else "Inside the band everywhere: ")
        + (
            "early documents differ from late ones."
            if outside
            else "no sign that early documents differ from late ones."
        )
    )
    return _figure("Is the promise kept?", charts.reliability(curve, name, caption), caption)


def _costs_figure(found: Calibration, prices: Prices, name: str) -> str:
    curve, chosen = costs(found, prices), found.threshold.risk
    here = "" if chosen is None else f" The threshold costs {curve.at(chosen):,.0f}."
    caption = (
        f"A flagged good answer costs {prices.flag:g}, a missed bad one {prices.miss:g}; 1,000 answers, "
        f"{len(found.bad) / (len(found.good) + len(found.bad)):.0%} of them bad as in this file. Least cost "
        f"{curve.least:,.0f} at {curve.cheapest:.3g}.{here}"
    )
    return _figure("What a threshold costs", charts.costs(curve, chosen, name, caption), caption)


def _figure(title: str, svg: str, caption: str) -> str:
    return f"<h3>{title}</h3>\n<figure>\n{svg}\n<figcaption>{html.escape(caption)}</figcaption>\n</figure>"


def limits(found: Calibration) -> Iterator[str]:
    """What the answers don't bear out, in plain words."""
    if found.threshold.risk is None:
        yield f"Whether any threshold keeps the level: {found.threshold.documents} documents are too few."
    yield "Anything about answers unlike these: the level holds for good answers drawn as these were, by this engine."
    if found.fitted is not None:
        yield "That a probability here is one elsewhere: scales are fitted on whole answers, and of these."
    yield from _limits_of_bad(found)
    conflicts = sum(a.conflict for a in found.answers if a.good)
    if conflicts:
        yield (
            f"How often good answers are acted on for a conflict or a promise: {conflicts} of them are, whatever the "
            "threshold; the level doesn't speak of these."
        )


def _limits_of_bad(found: Calibration) -> Iterator[str]:
    good, bad = len(found.good), len(found.bad)
    if not bad:
        yield "How many bad answers are caught: none is labelled. What flags few good ones may catch nothing."
        return
    if min(good, bad) < FEW_ANSWERS:
        yield f"A fine choice between thresholds: {good} good and {bad} bad answers leave the area and costs vague."
    if good and roc(found).low <= _COIN:
        yield "That risk tells bad answers from good ones at all: the area's interval holds 0.5, a coin."
    yield "The least cost on other answers: it was sought on these, so it looks cheaper than it is."
    missed = sum(count for (_, is_good), count in found.uncounted.items() if not is_good)
    if missed:
        yield f"Anything of bad answers without a risk ({missed}): they pass at any threshold, and no curve has them."
