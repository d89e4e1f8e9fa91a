"""Closed minutes in, alarms out: every stream's monitors, under one budget of false alarms. It must never depend on who
comes first.

A minute's streams are evaluated in order of their names, by what was known before that minute, so that the same minutes
give the same alarms whatever was restarted, moved, or read in another order.

Source: DRIFT §1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from math import exp
from typing import NamedTuple

import msgspec

from guardrail.drift.checks import CHECKS, Sum
from guardrail.drift.counting import first_today
from guardrail.drift.monitor import Change, Counted, Stream, Turn, Which
from guardrail.drift.observed import Name, Scope
from guardrail.drift.tally import MINUTE_MS, SCHEMA_VERSION, Shape

MONTH_MINUTES = 30 * 24 * 60
PACE_MINUTES = 7 * 24 * 60
"""Over which a stream's volume is averaged: nights and weekends are a part of it."""
EXPECTED_MINUTES = 60
"""What a deployment expects of a volume counts for so long."""
LEAST_THRESHOLD = 1_000.0
SCOPES: tuple[Scope, ...] = ("cell", "model")
"""Each has its half of the budget."""
MONITORS = 2
REPEATED_COUNT = 256
POLICIES_COUNT = 8


class Terms(NamedTuple):
    """What a deployment asks for."""

    ceilings: Mapping[str, float]
    """The rates that are promised, by check. Bounds: (0, .5]."""
    trials_a_minute: float = 60.0
    """Of a stream, until its own volume is known."""
    false_alarms_a_month: float = 1.0
    """In all, over all streams. A month has 30 days."""


DEFAULT_TERMS = Terms({name: check.ceiling for name, check in CHECKS.items()})


class Watched(msgspec.Struct):
    """All that is remembered of a stream."""

    name: Name
    stream: Stream
    born: int
    last: int
    """The last minute evaluated."""
    pace: float
    """Trials a minute, averaged."""
    before: float = 0.0
    """What it was held against in the minute before."""
    threshold: float = LEAST_THRESHOLD
    policies: list[str] = msgspec.field(default_factory=list)
    """The last ones that it was seen under."""
    repeated: dict[int, int] = msgspec.field(default_factory=dict)
    """When a conversation's event was counted, over all of a model's cells."""

    @property
    def evidence(self) -> float:
        """How far it has come to an alarm; 1 and more while one lasts."""
        return self.stream.evidence(self.threshold)

    def held(self, minute: int) -> float:
        """The rate that it was held against before a minute, also where it has had that minute already."""
        return self.before if self.last >= minute else self.stream.baseline

    def pass_time(self, minute: int, trials: int, false_alarms: float) -> None:
        """Averages its volume, and sets its threshold to the trials between two of its `false_alarms` a month."""
        passed, known = minute - self.last, self.last + 1 - self.born
        kept = exp(-passed / min(PACE_MINUTES, EXPECTED_MINUTES + known))
        self.pace = kept * self.pace + (1 - kept) * trials / passed
        self.threshold = max(LEAST_THRESHOLD, self.pace * MONTH_MINUTES / false_alarms)
        self.before, self.last = self.stream.baseline, minute

    def events(self, minute: int, found: Sum) -> int:
        """The events of a minute; a conversation that fails in several of a model's cells is one of the model's."""
        if self.name.scope == "cell":
            return found.events + len(found.hashes)
        new = [hashed for hashed in found.hashes if first_today(hashed, minute, self.repeated, REPEATED_COUNT)]
        return found.events + len(new)

    def meet(self, minute: int, policies: set[str]) -> None:
        """A policy that is new to it, but for its first, makes it learn again."""
        if self.policies and policies - {*self.policies}:
            self.stream.relearn(minute)
        kept = [policy for policy in self.policies if policy not in policies]
        self.policies = [*kept, *sorted(policies)][-POLICIES_COUNT:]


class Alarm(Shape, frozen=True):
    """A stream's change of state. `at` and `since` are Unix ms; rates are events a trial."""

    id: str
    """The same for the same change, whoever finds it and however often."""
    stream: Name
    monitor: Which
    state: Change
    at: int
    evidence: float
    threshold: float
    """Trials between two false alarms of this monitor, at least."""
    baseline: float
    """The rate that it is held against."""
    rate: float
    """What was seen since it began, most likely."""
    trials: int
    events: int
    since: int
    by: str = ""
    why: str = ""
    schema_version: int = SCHEMA_VERSION


class Watch:
    """The streams, made from what is remembered of them."""

    def __init__(self, terms: Terms = DEFAULT_TERMS, remembered: Iterable[Watched] = ()) -> None:
        self._terms = terms
        self.streams = {each.name: each for each in remembered if each.name.check in terms.ceilings}
        for name, each in self.streams.items():
            each.stream.ceiling.detector.rate = terms.ceilings[name.check]

    def begin(self, minute: int, found: Mapping[Name, Sum]) -> list[Watched]:
        """Begins the streams that are new in a minute; gives them.

        To be remembered before anything else of this minute: what they are held against is what was known before it.
        """
        new = [name for name in sorted(found) if name not in self.streams and found[name].cells]
        before = self._baselines() if new else {}
        begun = []
        for name in new:
            stream = Stream.begin(self._terms.ceilings[name.check], before.get(_place(name)), minute)
            begun.append(Watched(name, stream, minute, minute - 1, self._terms.trials_a_minute))
        self.streams |= {each.name: each for each in begun}
        return begun

    def evaluate(self, minute: int, found: Mapping[Name, Sum]) -> tuple[list[Alarm], list[Watched]]:
        """Evaluates a minute; gives its alarms, and the streams that it changed. Minutes never go back.

        A stream that has had this minute is left as it is: somebody died in the middle of it.
        """
        shares, mixed = self._shares(minute, found), self._mixed(minute, found)
        changed = [each for name in sorted(found) if (each := self.streams.get(name)) and each.last < minute]
        alarms: list[Alarm] = []
        for each in changed:
            if each.name in mixed:
                each.stream.hold(mixed[each.name])
            alarms += self._evaluate(each, minute, found[each.name], shares[each.name.scope])
        return alarms, changed

    def forget(self, minute: int) -> tuple[list[Alarm], list[Name]]:
        """Drops the streams that have been silent for a month before a minute: the alarms that this ends, the names."""
        idle = sorted(name for name, each in self.streams.items() if minute - each.last > MONTH_MINUTES)
        dropped = [self.streams.pop(name) for name in idle]
        return [_ended(each, minute, "forgotten") for each in dropped if each.stream.drifting], idle

    def _shares(self, minute: int, found: Iterable[Name]) -> dict[str, float]:
        """False alarms a month that one monitor may have, by scope: all that are alive share a half."""
        alive = {name for name, each in self.streams.items() if minute - each.last <= MONTH_MINUTES}
        alive |= self.streams.keys() & set(found)
        half = self._terms.false_alarms_a_month / len(SCOPES)
        return {scope: half / (MONITORS * max(1, sum(name.scope == scope for name in alive))) for scope in SCOPES}

    def _baselines(self) -> dict[Name, float]:
        """What each place is held against by a baseline: that of the model seen there last, or most."""
        latest: dict[Name, Watched] = {}
        for name, each in sorted(self.streams.items()):
            if name.scope == "cell" and each.stream.trend:
                latest[_place(name)] = max(latest.get(_place(name), each), each, key=lambda one: (one.last, one.pace))
        return {place: each.stream.baseline for place, each in latest.items()}

    def _mixed(self, minute: int, found: Mapping[Name, Sum]) -> dict[Name, float]:
        """What each model is held against in a minute: its cells' baselines, each for as many trials as it has.

        A baseline of its own would be one mix of cells; at night another one isn't drift.
        """
        trials: defaultdict[Name, int] = defaultdict(int)
        expected: defaultdict[Name, float] = defaultdict(float)
        for name in sorted(found):
            if name.scope == "cell" and name in self.streams:
                trials[name.whole] += found[name].trials
                expected[name.whole] += found[name].trials * self.streams[name].held(minute)
        return {name: expected[name] / count for name, count in trials.items() if count}

    def _evaluate(self, watched: Watched, minute: int, found: Sum, false_alarms: float) -> list[Alarm]:
        alarms = []
        if found.acknowledged:
            said = found.acknowledged
            alarms.append(_ended(watched, minute, "acknowledged", by=said.by, why=said.why))
            watched.stream = Stream.begin(self._terms.ceilings[watched.name.check], minute=minute)
        watched.meet(minute, found.policies)
        events = watched.events(minute, found)
        trials = max(found.trials, events)
        watched.pass_time(minute, trials, false_alarms)
        counted = Counted(minute, trials, events, CHECKS[watched.name.check].weight)
        alarms += [_alarm(watched, minute, turn) for turn in watched.stream.add(counted, watched.threshold)]
        if watched.name.scope == "cell":
            watched.stream.learn(counted)
        return alarms


def _place(name: Name) -> Name:
    """A stream's place, whatever model is there."""
    return msgspec.structs.replace(name, model="")


def _alarm(watched: Watched, minute: int, turn: Turn) -> Alarm:
    return Alarm(
        id=_id(watched.name, turn.which, turn.change, minute),
        stream=watched.name,
        monitor=turn.which,
        state=turn.change,
        at=minute * MINUTE_MS,
        evidence=round(turn.evidence, 6),
        threshold=round(watched.threshold),
        baseline=turn.baseline,
        rate=turn.since.rate,
        trials=turn.since.trials,
        events=turn.since.events,
        since=turn.since.minute * MINUTE_MS,
    )


def _ended(watched: Watched, minute: int, change: Change, by: str = "", why: str = "") -> Alarm:
    """All that a stream's alarms were is over, whatever its monitors show."""
    stream = watched.stream
    turn = Turn("all", change, stream.baseline, watched.evidence, stream.strongest(watched.threshold).since)
    return msgspec.structs.replace(_alarm(watched, minute, turn), by=by, why=why)


def _id(name: Name, *parts: object) -> str:
    """16 hex digits."""
    return sha256(b"/".join([name.key(), *(str(each).encode() for each in parts)])).hexdigest()[:16]
