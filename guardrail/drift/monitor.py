"""One stream's two monitors: a ceiling that is promised, and the stream's own baseline. It must never lower its guard.

A baseline is learnt once, from the stream's first trials. Nothing that happens later raises it but an acknowledgement:
a model that gets worse slowly, or is swapped for a worse one, is held against what was there before.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from guardrail.drift.detector import Detector, evidence, upper_bound, weights

LEARNT_EVENTS = 30
"""So many events make a baseline, however few trials they took; so many are expected at the ceiling before that."""
CLEARLY_LOWER = 0.5
"""A baseline that is learnt again replaces the one before only if it is half of it: the lowest of many estimates of one
rate would end below it."""

Change = Literal["drifting", "cleared", "acknowledged"]
Which = Literal["ceiling", "trend", "all"]


class Counted(NamedTuple):
    """What one minute brought. Bounds: 0 <= events <= trials."""

    minute: int
    trials: int
    events: int
    weight: float = 1.0
    """What a trial is worth, in (0, 1]: below 1 where several say one thing."""


class Since(msgspec.Struct):
    """What has been seen since the rate last looked normal."""

    minute: int = 0
    trials: int = 0
    events: int = 0

    @property
    def rate(self) -> float:
        """Events a trial."""
        return self.events / self.trials if self.trials else 0.0


class Turn(NamedTuple):
    """A monitor's change of state, and what it rests on."""

    which: Which
    change: Change
    baseline: float
    """The rate that it is held against."""
    evidence: float
    since: Since


class Monitor(msgspec.Struct):
    """A detector that latches: one turn when drift begins, one when it is over."""

    which: Which
    detector: Detector
    drifting: bool = False
    cusum: float = 0.0
    since: Since = msgspec.field(default_factory=Since)

    def add(self, counted: Counted, threshold: float) -> Turn | None:
        """Takes a minute's trials; gives the turn that they bring."""
        trials, events = counted.trials * counted.weight, counted.events * counted.weight
        self._follow(counted, trials, events)
        if self.drifting:
            return self._turn("cleared", threshold) if self.detector.returned(trials, events) else None
        return self._turn("drifting", threshold) if self.detector.add(trials, events, threshold) >= threshold else None

    def evidence(self, threshold: float) -> float:
        """How far it has come to an alarm; 1 and more while one lasts."""
        found = evidence(self.detector.mean, threshold)
        return max(1.0, found) if self.drifting else found

    def _follow(self, counted: Counted, trials: float, events: float) -> None:
        """Counts since the log likelihood of twice the rate was last at its least: where drift began, most likely."""
        if self.cusum == 0.0:
            self.since = Since(counted.minute)
        gain, loss = weights(self.detector.rate)[0]
        self.cusum = max(0.0, self.cusum + events * gain + (trials - events) * loss)
        self.since.trials += counted.trials
        self.since.events += counted.events

    def _turn(self, change: Change, threshold: float) -> Turn:
        turn = Turn(self.which, change, self.detector.rate, self.evidence(threshold), self.since)
        self.drifting = change == "drifting"
        if not self.drifting:
            self.cusum = 0.0
        self.detector.reset()
        return turn


class Stream(msgspec.Struct):
    """The monitors of one stream, and the baseline that it learns."""

    ceiling: Monitor
    trend: Monitor | None = None
    """None while there is no baseline below the ceiling: it would only say what the ceiling says."""
    trials: int = 0
    """Since learning began."""
    events: int = 0
    warming: bool = True

    @classmethod
    def begin(cls, ceiling: float, inherited: float | None = None) -> Stream:
        """A new stream. `inherited` is the baseline of what was there before it, and holds until it has its own."""
        held = inherited is not None and inherited < ceiling
        return cls(Monitor("ceiling", Detector(ceiling)), _trend(inherited or ceiling) if held else None)

    @property
    def monitors(self) -> list[Monitor]:
        """Those that it has."""
        return [self.ceiling, self.trend] if self.trend else [self.ceiling]

    @property
    def baseline(self) -> float:
        """The rate that it is held against."""
        return self.monitors[-1].detector.rate

    @property
    def drifting(self) -> bool:
        """Whether an alarm lasts."""
        return any(each.drifting for each in self.monitors)

    def strongest(self, threshold: float) -> Monitor:
        """The monitor that has come closest to an alarm."""
        return max(self.monitors, key=lambda each: each.evidence(threshold))

    def evidence(self, threshold: float) -> float:
        """That monitor's."""
        return self.strongest(threshold).evidence(threshold)

    def add(self, counted: Counted, threshold: float) -> list[Turn]:
        """Takes a minute's trials; gives the turns that they bring."""
        turns = [turn for each in self.monitors if (turn := each.add(counted, threshold))]
        if self.warming:
            self._learn(counted)
        return turns

    def relearn(self) -> None:
        """A policy that is new to it: it learns again, under the baseline that it has."""
        self.trials = self.events = 0
        self.warming = True

    def _learn(self, counted: Counted) -> None:
        self.trials += counted.trials
        self.events += counted.events
        if self.events < LEARNT_EVENTS and self.trials * self.ceiling.detector.rate < LEARNT_EVENTS:
            return
        self.warming = False
        found = upper_bound(self.trials, self.events)
        below = CLEARLY_LOWER * self.trend.detector.rate if self.trend else self.ceiling.detector.rate
        if found < below and not (self.trend and self.trend.drifting):
            self.trend = _trend(found)


def _trend(rate: float) -> Monitor:
    return Monitor("trend", Detector(rate))
