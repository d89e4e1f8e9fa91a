"""A stream alarms once, says when it is over, and never takes what is bad for its baseline."""

import pytest

from guardrail.drift.detector import upper_bound
from guardrail.drift.monitor import Counted, Stream, Turn

MONTH = 129_600_000
CEILING = 1e-3


def fed(stream: Stream, minutes: int, trials: int, events: int, begin: int = 0) -> list[tuple[int, Turn]]:
    """The turns of so many equal minutes, each with its minute."""
    return [
        (minute, turn)
        for minute in range(begin, begin + minutes)
        for turn in stream.add(Counted(minute, trials, events), MONTH)
    ]


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
    """Given enough trials, then the bound of what they show is the baseline, and drift below the ceiling is found."""
    stream = Stream.begin(CEILING)
    fed(stream, 29, 1_000, 0)
    assert stream.warming
    assert stream.baseline == CEILING
    fed(stream, 1, 1_000, 0, begin=29)
    assert not stream.warming
    assert stream.baseline == pytest.approx(upper_bound(30_000, 0))
    turns = [turn for minute in range(100) for turn in stream.add(Counted(30 + minute, 1_000, minute % 2), MONTH)]
    assert [(turn.which, turn.change) for turn in turns] == [("trend", "drifting")]


def test_many_events_are_a_baseline_too() -> None:
    """Given thirty events before that, then the stream is at its ceiling: the trend would say the same, and isn't."""
    stream = Stream.begin(CEILING)
    fed(stream, 30, 500, 1)
    assert not stream.warming
    assert stream.trend is None
    assert stream.baseline == CEILING


def test_nothing_raises_a_baseline() -> None:
    """Given a stream that has learnt and gets worse slowly, then it is held against what it was."""
    stream = Stream.begin(CEILING)
    fed(stream, 30, 1_000, 0)
    learnt = stream.baseline
    turns = [
        turn for minute in range(3_000) for turn in stream.add(Counted(30 + minute, 1_000, minute // 1_500), MONTH)
    ]
    assert stream.baseline == learnt
    assert [turn.change for turn in turns][:1] == ["drifting"]


def test_who_comes_after_is_held_against_what_was() -> None:
    """Given a baseline that is inherited, then it holds at once, and one of its own only where it is clearly lower."""
    stream = Stream.begin(CEILING, 1.5e-4)
    assert stream.baseline == 1.5e-4
    fed(stream, 30, 1_000, 0)
    assert stream.baseline == 1.5e-4
    lower = Stream.begin(CEILING, 9e-4)
    fed(lower, 30, 1_000, 0)
    assert lower.baseline == pytest.approx(upper_bound(30_000, 0))
    assert Stream.begin(CEILING, 5e-3).trend is None


def test_relearning_lowers_alone() -> None:
    """Given a policy that is new, then what is learnt again can't launder drift."""
    stream = Stream.begin(CEILING)
    fed(stream, 30, 1_000, 0)
    learnt = stream.baseline
    stream.relearn()
    assert stream.warming
    fed(stream, 60, 500, 1, begin=30)
    assert not stream.warming
    assert stream.baseline == learnt


def test_a_trial_may_weigh_less() -> None:
    """Given trials of which three say one thing, then drift takes three times as many."""
    heavy, light = Stream.begin(CEILING), Stream.begin(CEILING)
    alarms = [
        next(m for m in range(1_000) if stream.add(Counted(m, 100, m % 2, weight), MONTH))
        for stream, weight in ((heavy, 1.0), (light, 1 / 3))
    ]
    assert 2 < alarms[1] / alarms[0] < 4
