"""How many trials go by until a shift is found, by our detector and by others. It must never tune one to the shifts.

Trials come one by one: buckets of a minute would hide what a detector is worth where there are thousands in each.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from guardrail.drift.detector import Detector

MONTH_TRIALS = 50 * 60 * 60 * 24 * 30
"""At 50 a second."""
SPLIT = 2 * 2 * 5
"""What a model's own streams have as shipped: two monitors, a half of the budget, five checks."""
LONGEST = 2_000_000
RIVER = Path(__file__).parents[3] / ".tools" / "river" / "bin" / "python"


class Shift(NamedTuple):
    """A rate that becomes so many times as high, and what is asked for: median and 90th percentile, in trials."""

    rate: float
    times: float
    median: float | None
    p90: float | None = None


SHIFTS = (
    Shift(1e-3, 2, 30_000),
    Shift(1e-3, 5, 3_500, 6_000),
    Shift(1e-3, 10, 1_200),
    Shift(1e-4, 5, 28_000),
    Shift(1e-2, 5, 420),
)


class Delay(NamedTuple):
    """Trials until the alarm: median and 90th percentile."""

    median: float
    p90: float

    @classmethod
    def of(cls, trials: list[int]) -> Delay:
        """Of so many runs."""
        return cls(float(np.median(trials)), float(np.percentile(trials, 90)))


def ours(shift: Shift, threshold: float, runs: int) -> Delay:
    """The detector as it is, cold: it has seen nothing before the shift."""
    return Delay.of([_found(shift, threshold, np.random.default_rng([seed, 7])) for seed in range(runs)])


def _found(shift: Shift, threshold: float, dice: np.random.Generator) -> int:
    detector, trials = Detector(shift.rate), 0
    while trials < LONGEST:
        for event in dice.random(1_000) < shift.rate * shift.times:
            trials += 1
            if detector.add(1, int(event), threshold) >= threshold:
                return trials
    return LONGEST


def adwin(shift: Shift, runs: int) -> Delay:
    """river's ADWIN with its defaults, after 300,000 trials at the old rate, in an environment of its own."""
    script = Path(__file__).with_name("adwin.py")
    asked = [str(RIVER), str(script), str(shift.rate), str(shift.times), str(runs)]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    return Delay.of([int(trials) for trials in told.split()])


def ratio(shift: Shift, runs: int, *, hour_trials: int = 1_800) -> tuple[int, Delay]:
    """The alert that many write: so many events within an hour, looked at each minute, in a cell with a trial every two
    seconds. Calibrated to the same false alarms: the least bound that a month without drift crosses once at most.
    """
    bound = _calibrated(shift.rate, hour_trials)
    delays = [
        _crossed(np.random.default_rng([seed, 11]), shift.rate * shift.times, bound, hour_trials)
        for seed in range(runs)
    ]
    return bound, Delay.of(delays)


def naive(rate: float, hour_trials: int = 1_800, months: int = 20) -> float:
    """False alarms a month of "three times the rate over an hour"."""
    bound = int(np.floor(3 * rate * hour_trials)) + 1
    return sum(_crossings(month, bound) for month in _months(rate, hour_trials, months)) / months


def _calibrated(rate: float, hour_trials: int, months: int = 40) -> int:
    seen = list(_months(rate, hour_trials, months))
    bound = int(rate * hour_trials) + 2  # below that it is above all the time, and rises to it never
    while sum(_crossings(month, bound) for month in seen) > months:
        bound += 1
    return bound


def _months(rate: float, hour_trials: int, months: int) -> list[np.ndarray]:
    """Events of the last hour, minute by minute, of months without drift."""
    dice = np.random.default_rng(13)
    made = []
    for _ in range(months):
        minutes = dice.binomial(hour_trials // 60, rate, 30 * 24 * 60)
        made.append(np.convolve(minutes, np.ones(60, int), "valid"))
    return made


def _crossings(hours: np.ndarray, bound: int) -> int:
    """How often the hour's count rises to the bound."""
    above = hours >= bound
    return int(above[0]) + int(np.sum(above[1:] & ~above[:-1]))


def _crossed(dice: np.random.Generator, rate: float, bound: int, hour_trials: int) -> int:
    """Trials until the hour's count reaches the bound; the hour before had the old rate, which counts as nothing."""
    minute_trials, window, minute = hour_trials // 60, [0] * 60, 0
    while minute * minute_trials < LONGEST:
        window[minute % 60] = int(dice.binomial(minute_trials, rate))
        minute += 1
        if sum(window) >= bound:
            break
    return minute * minute_trials


def ramp(runs: int, threshold: float, rate: float = 1e-3, a_minute: int = 3_000) -> Delay:
    """A rate that climbs from once to five times within a day, at 50 trials a second: how high it is at the alarm."""
    reached = []
    for seed in range(runs):
        dice, detector = np.random.default_rng([seed, 17]), Detector(rate)
        for minute in range(24 * 60):
            times = 1 + 4 * minute / (24 * 60)
            if detector.add(a_minute, int(dice.binomial(a_minute, rate * times)), threshold) >= threshold:
                break
        reached.append(times)
    return Delay(float(np.median(reached)), float(np.percentile(reached, 90)))


Detect = Callable[[Shift], Delay]
