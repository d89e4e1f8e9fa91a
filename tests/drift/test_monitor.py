"""A stream alarms once, says when it is over, and never takes what is bad for its baseline."""

import pytest

from guardrail.drift.detector import upper_bound
from guardrail.drift.monitor import LEARNT_MINUTES, Counted, Stream, Turn

MONTH = 129_600_000
CEILING = 1e-3


def fed(stream: Stream, minutes: int, trials: int, events: int, begin: int = 0) -> list[tuple[int, Turn]]:
    """The turns of so many equal minutes, each with its minute."""
    turns = []
    for minute in range(begin, begin + minutes):
        counted = Counted(minute, trials, events)
        turns += [(minute, turn) for turn in stream.add(counted, MONTH)]
        stream.learn(counted)
    return turns


def learnt(trials: int = 100, *, every: int = 0) -> Stream:
    """A stream that has seen a day, with an event in every so manieth minute."""
    stream = Stream.begin(CEILING)
    for minute in range(LEARNT_MINUTES + 1):
        fed(stream, 1, trials, int(every > 0 and minute % every == 0), minute)
    return stream


def test_alarms_once_and_clears_once() -> None:
    """Given drift that begins, lasts and ends, then there is one alarm, and one word that it is over."""
    stream = Stream.begin(CEILING)
    assert fed(stream, 10, 1_000, 0) == []
    [(_, began)] = fed(stream, 100, 1_000, 10, begin=10)
    assert (began.which, began.change) == ("ceiling", "drifting")
    assert stream.drifting
    assert stream.evidence(MONTH) >= 1
    [(ended, over)] = fed(stream, 100, 1_000, 0, begin=110)
    assert (over.which, over.change) == ("ceiling", "cleared")
    assert not stream.drifting
    assert 115 < ended < 125


def test_tells_since_when() -> None:
    """Given an alarm, then it tells the minute that drift began in, and the rate since."""
    stream = Stream.begin(CEILING)
    fed(stream, 20, 1_000, 0)
    [(_, turn)] = fed(stream, 50, 1_000, 5, begin=20)
    assert turn.since.minute == 20
    assert turn.since.rate == pytest.approx(5e-3)
    assert turn.baseline == CEILING


def test_learns_its_baseline() -> None:
    """Given a day's trials, then the bound of what they show is the baseline, and drift below the ceiling is found."""
    stream = Stream.begin(CEILING)
    fed(stream, LEARNT_MINUTES, 100, 0)
    assert stream.warming
    assert stream.baseline == CEILING
    fed(stream, 1, 100, 0, begin=LEARNT_MINUTES)
    assert not stream.warming
    assert stream.baseline == pytest.approx(upper_bound(100 * (LEARNT_MINUTES + 1), 0))
    turns = [turn for _, turn in fed(stream, 100, 1_000, 1, begin=LEARNT_MINUTES + 1)]
    assert [(turn.which, turn.change) for turn in turns] == [("trend", "drifting")]


def test_too_little_is_no_baseline() -> None:
    """Given a day with few trials, then it goes on warming until there are enough."""
    stream = Stream.begin(CEILING)
    fed(stream, 20 * LEARNT_MINUTES, 1, 0)
    assert stream.warming
    fed(stream, 2 * LEARNT_MINUTES, 1, 0, begin=20 * LEARNT_MINUTES)
    assert not stream.warming


def test_a_baseline_near_the_ceiling_is_none() -> None:
    """Given a stream at its ceiling, then the trend would say the same, and isn't there."""
    stream = learnt(every=10)
    assert not stream.warming
    assert stream.trend is None
    assert stream.baseline == CEILING


def test_a_baseline_is_learnt_on() -> None:
    """Given four times the trials, and again, then the baseline comes down to what they show."""
    stream, seen = learnt(25), []
    for day in range(1, 20):
        seen.append(stream.baseline)
        fed(stream, LEARNT_MINUTES, 25, 0, begin=day * LEARNT_MINUTES + 1)
    first = 25 * (LEARNT_MINUTES + 1)
    assert list(dict.fromkeys(seen)) == [upper_bound(4**look * first, 0, look + 1) for look in range(3)]


def test_nothing_raises_a_baseline() -> None:
    """Given a stream that has learnt and gets worse slowly, then it is held against what it was."""
    stream = learnt(every=100)
    before = stream.baseline
    turns = []
    for minute in range(3_000):
        turns += fed(stream, 1, 1_000, minute // 1_500, begin=LEARNT_MINUTES + 1 + minute)
    assert stream.baseline <= before
    assert turns[0][1].change == "drifting"


def test_a_baseline_stays_while_it_drifts() -> None:
    """Given drift, then no look changes what the alarm is held against."""
    stream = learnt(every=50)
    before = stream.baseline
    assert {turn.change for _, turn in fed(stream, 10, 1_000, 20, begin=LEARNT_MINUTES + 1)} == {"drifting"}
    stream.learn(Counted(LEARNT_MINUTES + 20, 10**9, 0))
    assert (stream.looks, stream.drifting, stream.baseline) == (2, True, before)


def test_who_comes_after_is_held_against_what_was() -> None:
    """Given a baseline that is inherited, then it holds at once, and one of its own only where it is lower."""
    stream = Stream.begin(CEILING, 1.5e-5)
    assert not stream.warming
    fed(stream, LEARNT_MINUTES + 1, 100, 0)
    assert stream.baseline == 1.5e-5
    lower = Stream.begin(CEILING, 8e-4)
    fed(lower, LEARNT_MINUTES + 1, 100, 0)
    assert lower.baseline == pytest.approx(upper_bound(100 * (LEARNT_MINUTES + 1), 0))
    assert Stream.begin(CEILING, 5e-3).trend is None


def test_relearning_lowers_alone() -> None:
    """Given a policy that is new, then what is learnt again can't launder drift; without a baseline nothing is lost."""
    stream = learnt(every=100)
    before = stream.baseline
    stream.relearn(LEARNT_MINUTES + 1)
    assert not stream.warming
    fed(stream, LEARNT_MINUTES + 1, 100, 0, begin=LEARNT_MINUTES + 1)
    assert stream.baseline < before
    stream.relearn(0)
    lowest = stream.baseline
    for minute in range(LEARNT_MINUTES + 1):
        fed(stream, 1, 100, minute % 50 == 0, minute)
    assert stream.baseline == lowest
    new = Stream.begin(CEILING)
    fed(new, 10, 100, 0)
    new.relearn(10)
    assert new.trials == 1_000


def test_is_held_against_another_rate() -> None:
    """Given a rate for each minute, then the evidence so far stays, and no rate is above the ceiling."""
    stream = Stream.begin(CEILING)
    stream.hold(CEILING)
    assert stream.trend is None
    stream.hold(1e-4)
    fed(stream, 5, 1_000, 1)
    assert stream.trend is not None
    mean = stream.trend.detector.mean
    stream.hold(5 * CEILING)
    assert (stream.baseline, stream.trend.detector.mean) == (CEILING, mean)


def test_a_trial_may_weigh_less() -> None:
    """Given trials of which three say one thing, then drift takes three times as many."""
    heavy, light = Stream.begin(CEILING), Stream.begin(CEILING)
    alarms = [
        next(m for m in range(1_000) if stream.add(Counted(m, 100, m % 2, weight), MONTH))
        for stream, weight in ((heavy, 1.0), (light, 1 / 3))
    ]
    assert 2 < alarms[1] / alarms[0] < 4
