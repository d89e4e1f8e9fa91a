"""One stream's two monitors: a ceiling that is promised, and the stream's own baseline. It must never lower its guard.

A baseline is learnt from the stream's own trials, and may become lower as more of them are seen. Nothing raises it but
an acknowledgement, or a month of silence: a model that gets worse slowly, or is swapped for a worse one, is held
against what was there before. False alarms of the ceiling are bounded by theorem, whatever happens; those of the
baseline as long as the rate is what it was learnt to be, which it is with 95 %.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from guardrail.drift.detector import Detector, evidence, upper_bound, weights

LEARNT_EVENTS = 30
"""So many events make a baseline, however few trials they took; so many are expected at the ceiling before that."""
LEARNT_MINUTES = 24 * 60
"""A baseline is of a whole day at least: nights differ from days."""
LOOK_AGAIN = 4.0
CLEARLY_LOWER = 0.9
"""A rate above that share of another says nothing that the other doesn't."""

Change = Literal["drifting", "cleared", "acknowledged", "forgotten"]
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
    trials: float = 0.0
    """Since learning began."""
    events: float = 0.0
    begun: int = 0
    """The minute in which it did."""
    due: float = 0.0
    """The trials at which to look again; 0 before the first look."""
    looks: int = 0

    @classmethod
    def begin(cls, ceiling: float, inherited: float | None = None, minute: int = 0) -> Stream:
        """A new stream. `inherited` is the baseline of what was there before it, and holds until it has a lower one."""
        made = cls(Monitor("ceiling", Detector(ceiling)), begun=minute)
        if inherited is not None:
            made.hold(inherited)
        return made

    @property
    def warming(self) -> bool:
        """Whether it has no baseline yet."""
        return self.trend is None and not self.looks

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
        return [turn for each in self.monitors if (turn := each.add(counted, threshold))]

    def hold(self, rate: float) -> None:
        """Is held against this rate from now on, where it is below the ceiling; what was seen so far stays evidence."""
        if self.trend:
            self.trend.detector.rate = min(rate, self.ceiling.detector.rate)
        elif rate < CLEARLY_LOWER * self.ceiling.detector.rate:
            self.trend = Monitor("trend", Detector(rate))

    def learn(self, counted: Counted) -> None:
        """Counts towards a baseline, and looks at it after a day, when there is enough, and at four times as much again
        and again. A look lowers the baseline or leaves it, and never while it drifts.
        """
        self.trials += counted.trials * counted.weight
        self.events += counted.events * counted.weight
        if counted.minute - self.begun < LEARNT_MINUTES or not self._enough() or self.trials < self.due:
            return
        self.looks += 1
        self.due = LOOK_AGAIN * self.trials
        found = upper_bound(self.trials, self.events, self.looks)
        if found < CLEARLY_LOWER * self.baseline and not (self.trend and self.trend.drifting):
            self.trend = Monitor("trend", Detector(found))

    def relearn(self, minute: int) -> None:
        """A policy that is new to it: it learns again, under the baseline that it has."""
        if self.trend:
            self.trials = self.events = self.due = 0.0
            self.begun = minute

    def _enough(self) -> bool:
        return self.events >= LEARNT_EVENTS or self.trials * self.ceiling.detector.rate >= LEARNT_EVENTS
