"""Figures that follow from known ones by simple sums: two passes at 68 are 136. It must never search for a proof."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.judge.figures import Figure

_SMALL = 2.0
"""Counts up to this one are said of anything."""
_TIMES = frozenset({2.0, 3.0})
_TIMES_MAX = 60.0
_FIGURES_MAX = 24
"""So many figures are combined; more would make nearly any number."""
_TWO_STEPS = 0.4
"""How unknown a figure is that takes two steps: many wrong ones do."""
_PARTS = (60.0, 1440.0, 10080.0, 43200.0)
"""An hour, a day, a week and a month in minutes: six months count six."""
_HALF_DAY = 720.0
_COUNTED = 12.0
"""Counts above this one are worked out as often as not."""
_SURPRISE = {"clock": 0.5, "percent": 0.5, "count": 0.7, "day": 0.0}
_EQUAL = 0.01


def unknown(figure: Figure, known: Sequence[Figure]) -> float:
    """How unknown a figure is that no one gave, in [0, 1]: 0 when one step leads to it from known ones."""
    value = figure.value
    same = [other.value for other in known if other.kind == figure.kind][:_FIGURES_MAX]
    if figure.kind == "count":
        return 0.0 if value <= _SMALL else 1.0
    if figure.kind == "percent":
        return 0.0 if any(abs(100 - other - value) < _EQUAL for other in same) else 1.0
    if figure.kind == "duration":
        return 0.0 if any(abs(other * times - value) < _EQUAL for other in same for times in _TIMES) else 1.0
    if figure.kind == "money":
        return _unknown_sum(value, same, _multipliers(known))
    if figure.kind == "clock":
        return 0.0 if _reached(value, same, [other.value for other in known if other.kind == "duration"]) else 1.0
    return 1.0


def surprise(figure: Figure, known: Sequence[Figure]) -> float:
    """How surprising it is that terms don't have a figure, in [0, 1].

    Spans and prices of their own are; a day, a product of two steps, a day of the week are not: many right answers
    work them out (measured on the sets of docs/results/grounding.md).
    """
    strange = unknown(figure, known)
    if strange < 1 or (figure.kind == "duration" and figure.value in _PARTS):
        return 0.0
    return 0.0 if figure.kind == "count" and figure.value > _COUNTED else _SURPRISE.get(figure.kind, 1.0)


def _reached(clock: float, clocks: Sequence[float], spans: Sequence[float]) -> bool:
    """Whether a time of day is so long before or behind another one; the two halves of the day count as one."""
    wanted = _minutes(clock)
    times = [_minutes(other) for other in clocks]
    return any((time + sign * span - wanted) % _HALF_DAY == 0 for time in times for span in spans for sign in (1, -1))


def _minutes(clock: float) -> float:
    return clock // 100 * 60 + clock % 100


def _unknown_sum(value: float, amounts: Sequence[float], times: frozenset[float]) -> float:
    once = {amount * factor for amount in amounts for factor in times} | set(amounts)
    sums = (a + sign * b for a in amounts for b in amounts if a != b for sign in (1, -1))
    if any(abs(found - value) < _EQUAL for found in (*once, *sums)):
        return 0.0
    rounded = {round(found, 2) for found in once}
    twice = any(round(value - a, 2) in rounded or round(value + a, 2) in rounded for a in once)
    return _TWO_STEPS if twice else 1.0


def _multipliers(known: Sequence[Figure]) -> frozenset[float]:
    counts = {figure.value for figure in known if figure.kind == "count"}
    shares = {figure.value / 100 for figure in known if figure.kind == "percent"}
    spans = {figure.value / part for figure in known if figure.kind == "duration" for part in _PARTS}
    times = sorted(t for t in counts | shares | spans | _TIMES if 0 < t <= _TIMES_MAX)
    return frozenset(times[:_FIGURES_MAX])
