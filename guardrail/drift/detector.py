"""Evidence that a rare event has become more frequent: an e-detector over Bernoulli trials. It must never be tuned.

A mixture of Shiryaev-Roberts statistics, one for each shift that is looked for. While the rate is at most `rate`, the
mean of the statistics is at most the number of trials, so crossing A happens once in A trials at most, whatever the
order, the pauses or the volume of the trials: by theorem, with nothing to tune.

Source: Shin, Ramdas, Rinaldo, "E-detectors: a nonparametric framework for sequential change detection" (2023).
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, log

import msgspec
from scipy.special import gammaincinv

SHIFTS = (2.0, 3.0, 5.0, 10.0, 20.0)
"""How many times more frequent the event may have become. A mixture costs little beside the one that is right."""
LARGEST_RATE = 0.5
"""Above that nothing can become twice as frequent, nearly: the least shift stays at 1.8."""
LEAST_RATE = 1e-5
"""A baseline says no less: three days at one a second wouldn't show it."""
RISK = 0.05
"""That a baseline is ever too low, over all the looks that are taken. A plug-in rate is too low half of the time, and
false alarms come several times too often."""
ODDS = 1000.0
"""For being back to normal, and against still being twice as frequent."""
_CAP = 10.0
"""Statistics stop at so many thresholds: what is certain needs no more digits, and can be forgotten again."""
_EXPONENT = 700.0


class Detector(msgspec.Struct):
    """The statistics of one stream against one rate. Its own state is all that it remembers."""

    rate: float
    """The probability of an event while all is well, in (0, .5]."""
    levels: list[float] = msgspec.field(default_factory=lambda: [0.0] * len(SHIFTS))
    back: float = 0.0
    """Log odds for being back to normal: counted while an alarm lasts."""

    def add(self, trials: float, events: float, threshold: float) -> float:
        """Takes trials that came together, `events` of them the event; gives the mean statistic, E.

        Bounds: 0 <= events <= trials; E in [0, 10 threshold]. An alarm is E >= threshold.
        """
        cap = _CAP * threshold
        for index, (gain, loss) in enumerate(weights(self.rate)):
            grown = min(events * gain + (trials - events) * loss, _EXPONENT)
            self.levels[index] = min((self.levels[index] + trials) * exp(grown), cap)
        return self.mean

    @property
    def mean(self) -> float:
        """E as it stands."""
        return sum(self.levels) / len(SHIFTS)

    def returned(self, trials: float, events: float) -> bool:
        """Takes trials after an alarm; whether they show that the rate is back, by a CUSUM against twice the rate."""
        gain, loss = weights(self.rate)[0]
        self.back = max(0.0, self.back - events * gain - (trials - events) * loss)
        return self.back >= log(ODDS)

    def reset(self) -> None:
        """Begins anew."""
        self.levels = [0.0] * len(SHIFTS)
        self.back = 0.0


@lru_cache(maxsize=10_000)
def weights(rate: float) -> tuple[tuple[float, float], ...]:
    """What one event and one other trial add to the log likelihood ratio, for each shift."""
    shifts = [shift(each, rate) for each in SHIFTS]
    return tuple((log(each), log((1 - each * rate) / (1 - rate))) for each in shifts)


def shift(wanted: float, rate: float) -> float:
    """A shift, cut so that the shifted rate stays a probability."""
    return min(wanted, 0.9 / rate)


def evidence(mean: float, threshold: float) -> float:
    """How far E has come, on a log scale: 0 is nothing, 1 is an alarm. Bounds: [0, about 1.2]."""
    return log(max(mean, 1.0)) / log(threshold)


def upper_bound(trials: float, events: float, look: int = 1) -> float:
    """The rate that so few events rule out to be exceeded: Poisson's bound.

    `look` counts the looks at one stream from 1: the risk is spent over them, RISK / (look (look + 1)) for each.
    Source: Garwood (1936).
    """
    return max(LEAST_RATE, float(gammaincinv(events + 1, 1 - RISK / (look * (look + 1)))) / trials)
