"""Whatever is restarted, moved, read again or read in another order: the same alarms, and the same memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardrail.drift.counting import GRACE_MINUTES, MODELS_COUNT, Counting, Place, Tick
from guardrail.drift.flow import Entry, Flow
from guardrail.drift.observed import Acknowledgement, Clock, Name, UnreadableError
from guardrail.drift.step import Step
from guardrail.drift.tally import MINUTE_MS
from guardrail.drift.watch import MONTH_MINUTES, Alarm
from guardrail.drift.watching import Watching, told
from tests.drift.observations import BEGIN, entry, tally, traffic

PARTITIONS = 3
MINUTES = 14
END = MINUTES + MONTH_MINUTES + 60
SEEN = Name("model", "simulation", "m")

Kept = dict[bytes, bytes]


@cache
def script(seed: int) -> list[list[Entry]]:
    """What stands in each partition: traffic that is bad, a producer that puts ids where models belong, somebody who
    acknowledges, a month of silence, traffic again, and the time at its end.
    """
    made: list[list[Entry]] = [[] for _ in range(PARTITIONS)]
    parts = [
        traffic(seed, PARTITIONS, MINUTES, rate=0.02),
        (entry(0, MINUTES, tally(MINUTES, model=f"id-{n}", agreed=1).encode(), 1) for n in range(MODELS_COUNT + 5)),
        [entry(0, MINUTES, Acknowledgement(SEEN, "ann", "a new form").encode(), 2)],
        traffic(seed + 1, PARTITIONS, 6, rate=0.02, begin=MINUTES + 1),
        traffic(seed + 2, PARTITIONS, 6, rate=0.02, begin=END - 6),
    ]
    for one in (each for part in parts for each in part):
        entries = made[one.partition]
        entries.append(one._replace(place=one.place._replace(offset=len(entries))))
    for partition, entries in enumerate(made):
        clock = Clock((BEGIN + END + GRACE_MINUTES + 1) * MINUTE_MS).encode()
        entries.append(entry(len(entries), END + GRACE_MINUTES + 1, clock, partition))
    return made


class Process:
    """Both stages as a worker runs them, that may die anywhere in a step and comes back from what was remembered."""

    def __init__(self, topic: Sequence[Sequence[Entry]]) -> None:
        self.topic = topic
        self.counted: list[Kept] = [{} for _ in topic]
        self.watched: Kept = {}
        self.between: list[bytes] = []
        self.alarms: list[Alarm] = []
        self.read = [0] * len(topic)
        self.heard = 0
        self.start()

    def start(self) -> None:
        """From what is remembered alone."""
        self.counting = [Counting(number, kept.items()) for number, kept in enumerate(self.counted)]
        self.watching = Watching(len(self.topic), remembered=self.watched.items())

    def count(self, partition: int, dies: float | None = None) -> bool:
        """One record of a partition."""
        if self.read[partition] >= len(self.topic[partition]):
            return False
        one = self.topic[partition][self.read[partition]]
        step = self.counting[partition].take(one.place, one.value)
        self.between += [each.encode() for each in cut(step, dies)[0]]
        keep(self.counted[partition], cut(step, dies)[1])
        self.read[partition] += dies is None
        return True

    def hear(self, dies: float | None = None) -> bool:
        """One message between the stages."""
        if self.heard >= len(self.between):
            return False
        step = self.watching.take(told(self.between[self.heard]))
        messages, writes = cut(step, dies)
        self.alarms += [each for each in messages if isinstance(each, Alarm)]
        keep(self.watched, writes)
        self.heard += dies is None
        return True

    def die(self, back: tuple[int, ...], heard: int) -> None:
        """It forgets what it had in memory, and reads some again: offsets are committed after the fact."""
        self.read = [max(0, now - again) for now, again in zip(self.read, back, strict=True)]
        self.heard = max(0, self.heard - heard)
        self.start()

    def finish(self) -> None:
        """Until nothing is left to read."""
        while any([*(self.count(each) for each in range(len(self.topic))), self.hear()]):
            pass


def cut(step: Step, dies: float | None) -> tuple[Sequence[object], Sequence[tuple[bytes, bytes | None]]]:
    """What of a step is done before the process dies: messages first, then writes."""
    if dies is None:
        return step.messages, step.writes
    done = round(dies * (len(step.messages) + len(step.writes)))
    return step.messages[:done], step.writes[: max(0, done - len(step.messages))]


def keep(kept: Kept, writes: Sequence[tuple[bytes, bytes | None]]) -> None:
    """Remembers."""
    for key, value in writes:
        if value is None:
            kept.pop(key, None)
        else:
            kept[key] = value


def first(alarms: Sequence[Alarm]) -> list[Alarm]:
    """Each alarm where it came first."""
    found = {each.id: each for each in reversed(alarms)}
    return sorted(found.values(), key=lambda each: (each.at, each.stream, each.monitor))


def undisturbed(seed: int) -> Process:
    """By itself, until all is read."""
    process = Process(script(seed))
    process.finish()
    return process


PLAIN = {seed: undisturbed(seed) for seed in (1, 2)}

Turn = st.one_of(
    st.tuples(st.just("count"), st.integers(0, PARTITIONS - 1), st.integers(1, 60)),
    st.tuples(st.just("hear"), st.just(0), st.integers(1, 60)),
    st.tuples(st.just("die"), st.integers(0, PARTITIONS), st.floats(0, 1)),
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(sorted(PLAIN)), st.lists(Turn, max_size=30), st.tuples(*[st.integers(0, 40)] * 4))
def test_interleavings_crashes_and_replays(
    seed: int, turns: list[tuple[str, int, float]], back: tuple[int, ...]
) -> None:
    """Given any order of partitions, deaths anywhere, and records that are read again, then all is the same."""
    process = Process(script(seed))
    for what, where, much in turns:
        if what == "count":
            for _ in range(int(much)):
                process.count(where)
        elif what == "hear":
            for _ in range(int(much)):
                process.hear()
        else:
            _ = process.hear(much) if where == PARTITIONS else process.count(where, much)
            process.die(back[:PARTITIONS], back[PARTITIONS])
    process.finish()
    plain = PLAIN[seed]
    assert first(process.alarms) == first(plain.alarms)
    assert process.watched == plain.watched
    assert process.counted == plain.counted


def test_the_traffic_has_alarms() -> None:
    """What is compared above isn't nothing: each change of state is in it, but for a slow one."""
    for process in PLAIN.values():
        alarms = first(process.alarms)
        assert len(alarms) >= 10
        assert {each.state for each in alarms} == {"drifting", "acknowledged", "forgotten"}


def test_a_topic_with_fewer_partitions_goes_on() -> None:
    """Given what is remembered of a topic that had more partitions, then minutes wait for those that there are."""
    before = PLAIN[1].watched
    watching = Watching(PARTITIONS - 1, remembered=before.items())
    assert watching.minute == Watching(PARTITIONS, remembered=before.items()).minute
    assert watching.watch.streams


@pytest.mark.parametrize("seed", PLAIN)
def test_files_say_the_same(seed: int) -> None:
    """Given the same records in one process without memory, partition after partition, then the same alarms."""
    flow = Flow(PARTITIONS)
    alarms = list(flow.run(each for entries in script(seed) for each in entries))
    assert first(alarms) == first(PLAIN[seed].alarms)
    assert [each.name for each in flow.streams] == sorted(each.name for each in flow.streams)
    assert flow.unreadable == 0


def test_a_file_ends_with_its_last_minute() -> None:
    """Given records that end in a minute, then that minute is evaluated: nothing more is to come."""
    flow = Flow()
    [*_] = flow.run([entry(0, 0, tally(0, agreed=7).encode())])
    assert [each.stream.ceiling.since.trials for each in flow.streams if each.name.check == "simulation"] == [7, 7]


def test_a_minute_waits_for_every_partition() -> None:
    """Given a partition that has told nothing, then nothing is evaluated, and nothing is lost."""
    watching, counting = Watching(2), Counting(0)
    steps = [counting.take(Place(0, BEGIN * MINUTE_MS), tally(0, agreed=7).encode())]
    steps.append(counting.take(Place(1, (BEGIN + END) * MINUTE_MS), b""))
    for message in (each for step in steps for each in step.messages):
        watching.take(message)
    assert (watching.minute, watching.watch.streams) == (0, {})
    watching.take(Tick(1, BEGIN + 1))
    assert watching.minute == BEGIN + 1
    assert len(watching.watch.streams) == 4


def test_what_no_partition_tells_is_refused() -> None:
    """A value that is no message between the stages is refused."""
    with pytest.raises(UnreadableError):
        told(b'{"type":"tock"}')
