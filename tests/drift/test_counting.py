"""A partition's records become closed minutes: each once, none lost, by the log alone."""

import json
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.drift.counting import (
    GRACE_MINUTES,
    HASHES_COUNT,
    IDLE_MINUTES,
    MODELS_COUNT,
    OTHER,
    REPEATED_MINUTES,
    Acknowledged,
    Closed,
    Counting,
    Place,
    Tick,
    Told,
)
from guardrail.drift.observed import Acknowledgement, Clock, Name, UnreadableError, read
from guardrail.drift.tally import MINUTE_MS
from tests.drift.observations import BEGIN, mismatch, tally

CLOSES = GRACE_MINUTES + 1


class Log:
    """A partition whose offsets and times are counted for us."""

    def __init__(self) -> None:
        self.counting = Counting(0)
        self.offset = -1
        self.told: list[Told] = []
        self.kept: dict[bytes, bytes] = {}

    def put(self, minute: float, *values: bytes) -> "Log":
        """Records published in a minute."""
        for value in values:
            self.offset += 1
            step = self.counting.take(Place(self.offset, int((BEGIN + minute) * MINUTE_MS)), value)
            self.told += step.messages
            for key, kept in step.writes:
                self.kept.pop(key, None)
                if kept is not None:
                    self.kept[key] = kept
        return self

    @property
    def closed(self) -> list[Closed]:
        """The closed minutes so far."""
        return [one for one in self.told if isinstance(one, Closed)]

    def trials(self) -> Counter[int]:
        """Trials by minute, from the first."""
        found: Counter[int] = Counter()
        for one in self.closed:
            found[one.minute - BEGIN] += sum(one.counts.values())
        return found


def clock(minute: float) -> bytes:
    """The time, told."""
    return Clock(int((BEGIN + minute) * MINUTE_MS)).encode()


def test_closes_a_minute_two_minutes_after_its_end() -> None:
    """Given a record published two minutes after a minute's end, then that minute is told, with its tick behind it."""
    log = Log().put(0, tally(0, agreed=5, mismatch=1).encode(), mismatch(0, 7).encode())
    log.put(CLOSES - 0.01, clock(CLOSES))
    assert log.closed == []
    log.put(CLOSES, clock(CLOSES))
    [row, tick] = log.told[-2:]
    assert isinstance(row, Closed)
    assert (row.minute, row.events, row.hashes, row.policies) == (BEGIN, 1, [7], ["p1"])
    assert row.counts == {"agreed": 5, "mismatch": 1}
    assert tick == Tick(0, BEGIN)


def test_what_comes_late_counts_in_the_earliest_open_minute() -> None:
    """Given trials of an hour ago, then they count in the earliest minute that is open: nothing is dropped."""
    log = Log().put(60, clock(60), tally(0, agreed=5).encode(), tally(60, (1, 1), agreed=7).encode())
    log.put(70, clock(70))
    assert log.trials() == {60 - GRACE_MINUTES: 5, 60: 7}


def test_what_hasnt_happened_yet_counts_now() -> None:
    """Given trials of next year, then they count in the minute they were published in, and no clock moves."""
    log = Log().put(0, tally(500_000, agreed=5).encode()).put(CLOSES, clock(0))
    assert log.trials() == {0: 5}


def test_all_tallies_of_a_batch_count() -> None:
    """Given a batch under two policies, or over two minutes, whose source ranges overlap, then each trial counts."""
    made = [tally(0, (0, 99), agreed=50), tally(0, (1, 98), policy="p2", agreed=50), tally(1, (0, 99), agreed=2)]
    log = Log().put(1, *(one.encode() for one in made)).put(1 + CLOSES, clock(0))
    assert log.trials() == {0: 100, 1: 2}
    assert log.closed[0].policies == ["p1", "p2"]


def test_a_topic_made_anew_counts() -> None:
    """Given offsets that begin again in a later minute, then the topic was made anew, and its records count."""
    log = Log().put(0, *(tally(0, agreed=1).encode() for _ in range(9)))
    log.offset = -1
    log.put(0.5, tally(0, agreed=100).encode()).put(1, tally(1, agreed=5).encode()).put(1 + CLOSES, clock(0))
    assert log.trials() == {0: 9, 1: 5}


def test_counts_a_conversation_once_a_day() -> None:
    """Given mismatches of one conversation without end, then they are one event a day."""
    log = Log().put(0, *(mismatch(0, 7).encode() for _ in range(3)), mismatch(0, 8).encode())
    again, after = REPEATED_MINUTES - 1, REPEATED_MINUTES
    log.put(again, mismatch(again, 7).encode()).put(after, mismatch(after, 7).encode()).put(after + CLOSES, clock(0))
    assert [(row.minute - BEGIN, row.events, row.hashes) for row in log.closed] == [(0, 2, [7, 8]), (after, 1, [7])]


def test_what_is_remembered_and_told_stays_small() -> None:
    """Given thousands of events in a minute, then each counts; what is remembered and what is told stay small."""
    log = Log().put(0, *(mismatch(0, each).encode() for each in range(3_000)))
    assert max(len(kept) for kept in log.kept.values()) < 1_024
    log.put(CLOSES, clock(0))
    assert (log.closed[0].events, len(log.closed[0].hashes)) == (3_000, HASHES_COUNT)
    assert len(log.closed[0].encode()) < 2_048


def test_a_record_that_is_read_again_counts_once() -> None:
    """Given a reader that starts again from its memory, then what is in it already changes nothing."""
    values = [tally(0, (n, n), agreed=1).encode() for n in range(5)]
    log = Log().put(0, *values)
    log.counting, log.offset = Counting(0, log.kept.items()), 2
    log.put(0, *values[3:], tally(0, (9, 9), agreed=1).encode()).put(CLOSES, clock(0))
    assert log.trials() == {0: 6}


def test_models_without_end_share_a_cell() -> None:
    """Given a producer that puts an id where the model's name belongs, then its cells don't grow with it."""
    log = Log().put(0, *(tally(0, (n, n), model=f"id-{n}", agreed=1).encode() for n in range(MODELS_COUNT + 9)))
    log.put(CLOSES, clock(0))
    assert len(log.closed) == MODELS_COUNT + 1
    assert sum(row.counts["agreed"] for row in log.closed if row.cell.model == OTHER) == 9
    log.counting, log.told = Counting(0, log.kept.items()), []
    log.put(5, tally(5, (99, 99), model="one more", agreed=1).encode()).put(5 + CLOSES, clock(0))
    assert [row.cell.model for row in log.closed] == [OTHER]


def test_a_model_that_is_gone_makes_room() -> None:
    """Given models that are silent for a month, then others have cells of their own, restarted or not."""
    log = Log().put(0, *(tally(0, model=f"id-{n}", agreed=1).encode() for n in range(MODELS_COUNT + 1)))
    later = IDLE_MINUTES + 1
    log.put(later, clock(0))
    again = Counting(0, log.kept.items())
    for counting in (log.counting, again):
        counting.take(Place(999, (BEGIN + later) * MINUTE_MS), tally(later, model="new", agreed=1).encode())
        [row, _] = counting.take(Place(1_000, (BEGIN + later + CLOSES) * MINUTE_MS), b"").messages
        assert isinstance(row, Closed)
        assert row.cell.model == "new"


def test_other_is_no_model() -> None:
    """Given a cell of `other` among as many models as may be, then a restart has room for each of them still."""
    names = [*(f"m{n:02}" for n in range(MODELS_COUNT)), "too many"]
    log = Log().put(0, *(tally(0, model=name, agreed=1).encode() for name in names))
    log.counting = Counting(0, sorted(log.kept.items(), reverse=True))
    log.put(5, tally(5, model="m49", agreed=1).encode()).put(5 + CLOSES, clock(0))
    assert log.closed[-1].cell.model == "m49"


def test_forgets_what_is_silent() -> None:
    """Given a cell that is silent for a month, then nothing is remembered of it."""
    log = Log().put(0, tally(0, agreed=1).encode())
    log.put(IDLE_MINUTES, clock(0))
    assert len(log.kept) == 2
    log.put(IDLE_MINUTES + 1, clock(0))
    assert len(log.kept) == 1


def test_unreadable_records_break_nothing() -> None:
    """Given values that are no observations, then they are counted, and time goes on by them."""
    log = Log().put(0, tally(0, agreed=1).encode())
    huge = tally(0, (0, 2**64), agreed=1), tally(0, agreed=-1), tally(0, agreed=2**40)
    many = msgspec.structs.replace(tally(0), counts={f"c{n}": 1 for n in range(99)})
    later = msgspec.structs.replace(tally(0), schema_version=2)
    values = [b"", b"{}", b"\xff", b'{"bucket":-1}', *(one.encode() for one in (*huge, many, later))]
    log.put(CLOSES, *values)
    assert log.counting.unreadable == len(values)
    assert log.trials() == {0: 1}


SHAPES = st.sampled_from([one.encode() for one in (tally(0, agreed=7), mismatch(0, 5), Clock(5))])


@given(SHAPES, st.data())
def test_whatever_is_read_is_counted(value: bytes, data: st.DataObject) -> None:
    """Given an observation with any value anywhere, then it is refused, or counted and remembered."""
    fields = json.loads(value)
    anything = st.one_of(
        st.integers(), st.text(), st.none(), st.floats(allow_nan=False), st.dictionaries(st.text(), st.integers())
    )
    fields[data.draw(st.sampled_from(sorted(fields)))] = data.draw(anything)
    counting = Counting(0)
    for offset, published in ((0, 0), (1, None), (2, 10**16)):
        counting.take(Place(offset, published), json.dumps(fields).encode())
    counting.take(Place(3, 0), clock(9))


def test_a_file_that_tells_no_times_is_read_by_its_own() -> None:
    """Given records of which nobody tells when they were published, then what they say of themselves moves time on."""
    values = (tally(0, agreed=1), mismatch(1, 5), Acknowledgement(Name("model", "simulation", "m"), "ann", "?"))
    counting = Counting(0)
    for offset, value in enumerate(values):
        counting.take(Place(offset, None), value.encode())
    assert counting.minute == BEGIN + 1
    counting.take(Place(9, None), clock(9))
    assert counting.minute == BEGIN + 9


def test_tells_an_acknowledgement() -> None:
    """Given an acknowledgement, then it is told in the minute it was published in."""
    name = Name("cell", "simulation", "m", "clinic", "Phone")
    log = Log().put(4, Acknowledgement(name, "ann", "new prompt").encode())
    assert log.told == [Tick(0, BEGIN + 4 - CLOSES), Acknowledged(0, BEGIN + 4, 0, name, "ann", "new prompt")]
    log.counting, log.offset = Counting(0, log.kept.items()), -1
    log.put(9, Acknowledgement(name, "ann", "new prompt").encode())
    assert [one for one in log.told if isinstance(one, Acknowledged)] == log.told[1:2]


@pytest.mark.parametrize(
    "shape",
    [
        tally(0, agreed=1),
        mismatch(0, 5),
        Clock(5),
        Acknowledgement(Name("model", "simulation", "m"), "ann", "seen"),
    ],
)
def test_reads_what_was_written(shape: Clock) -> None:
    """Every shape is read as what it was written from."""
    assert read(shape.encode()).encode() == shape.encode()


def test_refuses_the_rest_without_quoting_it() -> None:
    """What is no observation is refused, and nothing of it is quoted."""
    with pytest.raises(UnreadableError) as refused:
        read(b'{"bucket": "secret"}')
    assert "secret" not in str(refused.value)
