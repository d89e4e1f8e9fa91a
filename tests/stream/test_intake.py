"""Intake, source and progress together, in any order of what may happen to them: each record out once, keys in order.

A topic and its group are plain lists and dictionaries here; what reads them is the gate's own.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from hypothesis import settings as tried
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from guardrail.errors import TransientError
from guardrail.settings import GateSettings
from guardrail.stream.faults import AbortError, RefusedError
from guardrail.stream.intake import Intake
from guardrail.stream.lanes import Queued, in_order
from guardrail.stream.progress import WINDOW, Position
from guardrail.stream.source import Source

TOPIC, PARTITIONS, GATES = "raw", (0, 1), (0, 1)
AGENTS, KEYS = "abc", "xyz"
GATE = GateSettings(batch_messages=4, batch_bytes=20, waiting_messages=12, waiting_bytes=60, wait_ms=1)
REST_STEPS = 1_000
QUIET_COUNT = 5
"""Turns without anything new, until all is taken to be done."""


class Letter(NamedTuple):
    """A message as the gate's intake sees one."""

    in_partition: int
    at_offset: int
    agent: str
    named: str
    size: int
    refused: bool

    def partition(self) -> int:
        """Its partition."""
        return self.in_partition

    def offset(self) -> int:
        """Its offset."""
        return self.at_offset

    def error(self) -> None:
        """It is a record."""

    def key(self) -> None:
        """None: all that it holds is its value."""

    def headers(self) -> None:
        """None either."""

    def __len__(self) -> int:
        return self.size


class Group:
    """A topic, what is committed of it, and who has which partition."""

    def __init__(self) -> None:
        self.log: dict[int, list[Letter]] = {partition: [] for partition in PARTITIONS}
        self.ends = dict.fromkeys(PARTITIONS, 0)
        self.stored: dict[int, TopicPartition] = {}
        self.readers: dict[int, Reader] = {}
        self.owner: dict[int, Reader | None] = dict.fromkeys(PARTITIONS)
        self.moving: set[int] = set()
        """Partitions that somebody has yet to hear of."""
        self.published: list[Letter] = []

    def commit(self, reader: "Reader", positions: list[Position], letters: list[Letter]) -> None:
        """One transaction. Raises AbortError for a member that the group has put out."""
        if any(self.owner[one.partition] is not reader for one in positions):
            raise AbortError("commit: another generation")
        for position in positions:
            self.stored[position.partition] = position.committed(TOPIC)
        self.published += letters


class Reader:
    """A member of the group, with the calls of the client's consumer that a source makes. Pauses outlive assignments,
    as the client's do.
    """

    def __init__(self, group: Group) -> None:
        self._group = group
        self._places: dict[int, int] = {}
        self._paused: set[int] = set()
        self._calls: dict[str, Callable[..., None]] = {}
        self.told: list[Callable[[], None]] = []
        self.early_count = 0
        """How many messages come before the next rebalance, in one call with it."""
        self.deaf_count = 0
        """How often the group doesn't answer."""

    def subscribe(self, topics: list[str], **calls: Callable[..., None]) -> None:
        """Joins."""
        assert topics == [TOPIC]
        self._calls = calls

    def list_topics(self, timeout: float) -> SimpleNamespace:
        """The topic is always there."""
        assert timeout > 0
        return SimpleNamespace(topics={TOPIC: SimpleNamespace(error=None)})

    def consume(self, count: int, wait_s: float) -> list[Letter]:
        """Messages, and what the group has to say in between."""
        assert wait_s >= 0
        found = self._read(min(count, self.early_count)) if self.told else []
        while self.told:
            self.told.pop(0)()
        return found + self._read(count - len(found))

    def give(self, partition: int) -> None:
        """The group's word that a partition is this member's."""
        self._group.owner[partition] = self
        self._group.moving.add(partition)

        def begin() -> None:
            self._calls["on_assign"](self, [TopicPartition(TOPIC, partition)])
            self._group.moving.discard(partition)

        self.told.append(begin)

    def take_back(self, partition: int, following: "Reader | None", *, lost: bool) -> None:
        """That it isn't any more. When it's `lost`, whoever follows doesn't wait until this member has noticed."""

        self._group.moving.add(partition)

        def end() -> None:
            self._calls["on_lost" if lost else "on_revoke"](self, [TopicPartition(TOPIC, partition)])
            self._places.pop(partition, None)
            if not lost:
                self._pass_on(partition, following)

        self.told.append(end)
        if lost:
            self._pass_on(partition, following)

    def _pass_on(self, partition: int, following: "Reader | None") -> None:
        self._group.owner[partition] = None
        self._group.moving.discard(partition)
        if following is not None and following in self._group.readers.values():
            following.give(partition)

    def _read(self, count: int) -> list[Letter]:
        found: list[Letter] = []
        for partition, place in self._places.items():
            if partition in self._paused:
                continue
            fresh = [one for one in self._group.log[partition] if one.at_offset >= place][: count - len(found)]
            if fresh:
                self._places[partition] = fresh[-1].at_offset + 1
            found += fresh
        return found

    def committed(self, asked: list[TopicPartition], timeout: float) -> list[TopicPartition]:
        """What the group has, unless it doesn't answer just now."""
        assert timeout > 0
        if self.deaf_count:
            self.deaf_count -= 1
            raise KafkaException(KafkaError(KafkaError.COORDINATOR_LOAD_IN_PROGRESS, "later"))
        return [self._group.stored.get(one.partition, TopicPartition(TOPIC, one.partition, -1001)) for one in asked]

    def seek(self, position: TopicPartition) -> None:
        """It is read from there."""
        assert position.partition in self._places
        self._places[position.partition] = max(position.offset, 0)

    def incremental_assign(self, positions: list[TopicPartition]) -> None:
        """These too, from there."""
        self._places |= {one.partition: max(one.offset, 0) for one in positions}

    def incremental_unassign(self, partitions: list[TopicPartition]) -> None:
        """Not these."""
        for one in partitions:
            del self._places[one.partition]

    def assignment(self) -> list[TopicPartition]:
        """What is read."""
        return [TopicPartition(TOPIC, partition) for partition in self._places]

    def pause(self, partitions: list[TopicPartition]) -> None:
        """These rest."""
        self._paused |= {one.partition for one in partitions}

    def resume(self, partitions: list[TopicPartition]) -> None:
        """No longer."""
        self._paused -= {one.partition for one in partitions}

    def store_offsets(self, offsets: list[TopicPartition]) -> None:
        """For the lag alone."""
        assert {one.partition for one in offsets} <= self._places.keys()


class Running:
    """A gate without a judge: what it reads, it publishes."""

    def __init__(self, group: Group, settings: GateSettings = GATE) -> None:
        self._group = group
        self.reader = Reader(group)
        self.source = Source(self.reader, TOPIC)  # type: ignore[arg-type]  # the calls that a source makes
        self.source.open()
        self.intake = Intake(self.source, settings, _owner)

    @property
    def published(self) -> list[Letter]:
        """All that came out of the group's gates."""
        return self._group.published

    def step(self, held: Collection[str], *, several: bool, unjudged: Collection[int], fails: bool) -> bool:
        """One batch of the loop, or the way back from a failed one. Gives back whether anything came of it."""
        try:
            queued = self.intake.take(held, several=several)
            places = in_order(queued, [place not in unjudged for place in range(len(queued))])
            kept = [place in places and _letter(one).agent not in held for place, one in enumerate(queued)]
            self.intake.narrow(in_order(queued, kept))
            return self._publish(fails=fails)
        except TransientError as fault:
            failed: TransientError | None = fault
            while failed is not None:
                failed = self._recover(failed)
            return True

    def _recover(self, fault: TransientError) -> TransientError | None:
        self.intake.give_back(fault)
        try:
            self.source.rewind()
        except TransientError as worse:
            return worse
        return None

    def _publish(self, *, fails: bool) -> bool:
        letters = [_letter(one) for one in self.intake.at_hand]
        positions = self.intake.positions() if letters else self.intake.caught_up()
        if fails:
            raise AbortError("commit: a fault of the broker's")
        if any(one.refused and self.intake.refusal(one) is None for one in letters):  # type: ignore[arg-type]
            raise RefusedError("deliver: it is too large")
        self._group.commit(self.reader, positions, letters)
        self.source.store(positions)
        if letters:
            self.intake.committed()
        return bool(positions)


def _letter(one: Queued) -> Letter:
    found: Any = one.message
    assert isinstance(found, Letter)
    return found


def _owner(message: Any) -> tuple[str, Hashable]:
    return message.agent, message.named


class Machine(RuleBasedStateMachine):
    """Two gates of one group, and all that may happen to them."""

    def __init__(self) -> None:
        super().__init__()
        self.group = Group()
        self.gates = {index: self._start(index) for index in GATES}

    def _start(self, index: int) -> Running:
        made = Running(self.group)
        self.group.readers[index] = made.reader
        return made

    @initialize()
    def share(self) -> None:
        """Each has a partition."""
        for partition, gate in zip(PARTITIONS, self.gates.values(), strict=True):
            gate.reader.give(partition)

    @rule(
        partition=st.sampled_from(PARTITIONS),
        records=st.lists(
            st.tuples(
                st.sampled_from(AGENTS), st.sampled_from(KEYS), st.integers(1, 12), st.booleans(), st.integers(1, 3)
            ),
            min_size=1,
            max_size=12,
        ),
    )
    def produce(self, partition: int, records: list[tuple[str, str, int, bool, int]]) -> None:
        """More comes in; offsets have gaps where markers stand."""
        for agent, named, size, refused, ahead in records:
            offset = self.group.ends[partition] + ahead - 1
            refused = refused and size == 12
            self.group.log[partition].append(Letter(partition, offset, agent, named, size, refused))
            self.group.ends[partition] = offset + 1

    @rule(
        index=st.sampled_from(GATES),
        held=st.sets(st.sampled_from(AGENTS)),
        several=st.booleans(),
        unjudged=st.sets(st.integers(0, 3)),
        fails=st.integers(0, 5).map(lambda chance: chance == 0),
    )
    def step(self, index: int, held: set[str], several: bool, unjudged: set[int], fails: bool) -> None:
        """A gate turns: some agents are held, some records aren't judged, and the commit may fail."""
        self.gates[index].step(held, several=several, unjudged=unjudged, fails=fails)

    @rule(
        partition=st.sampled_from(PARTITIONS),
        to=st.sampled_from((*GATES, None)),
        lost=st.booleans(),
        early=st.integers(0, 4),
        deaf=st.integers(0, 2),
    )
    def move(self, partition: int, to: int | None, lost: bool, early: int, deaf: int) -> None:
        """The group gives a partition to another, to the same again, or to nobody for a while."""
        owner, following = self.group.owner[partition], None if to is None else self.gates[to].reader
        if partition in self.group.moving:
            return
        if owner is not None:
            owner.early_count = early
            owner.take_back(partition, following, lost=lost)
        elif following is not None:
            following.give(partition)
        if following is not None:
            following.deaf_count = deaf

    @rule(partition=st.sampled_from(PARTITIONS), lost=st.booleans(), early=st.integers(1, 4))
    def come_back(self, partition: int, lost: bool, early: int) -> None:
        """A partition goes and comes back within one call, with messages read before it went."""
        owner = self.group.owner[partition]
        if owner is not None and partition not in self.group.moving:
            owner.early_count = early
            owner.take_back(partition, owner, lost=lost)

    @rule(index=st.sampled_from(GATES), fresh_count=st.integers(12, 20), partition=st.sampled_from(PARTITIONS))
    def hold_all(self, index: int, fresh_count: int, partition: int) -> None:
        """Everybody is held until nothing more fits into the waiting room."""
        self.produce(partition, [("a", "x", 1, False, 1)] * fresh_count)
        for _ in range(4):
            self.gates[index].step(AGENTS, several=True, unjudged=(), fails=False)

    @rule(index=st.sampled_from(GATES))
    def kill(self, index: int) -> None:
        """A gate dies and starts anew; what it had is nobody's until the group says so."""
        dead = self.gates[index].reader
        self.gates[index] = self._start(index)
        for partition, owner in self.group.owner.items():
            if owner is dead:
                self.group.owner[partition] = None
                self.group.moving.discard(partition)

    @invariant()
    def nothing_comes_out_twice_or_before_an_earlier_one(self) -> None:
        """Of each key of a partition, what was published is a beginning of what came in."""
        came, went = defaultdict(list), defaultdict(list)
        for letters in self.group.log.values():
            for one in letters:
                came[one.in_partition, one.named].append(one)
        for one in self.group.published:
            went[one.in_partition, one.named].append(one)
        for lane, letters in went.items():
            assert letters == came[lane][: len(letters)]

    def teardown(self) -> None:
        """With everybody let go and nothing failing, all comes out, and the group's offsets say so."""
        quiet_count = 0
        for _ in range(REST_STEPS):
            if quiet_count == QUIET_COUNT:
                break
            for partition, owner in self.group.owner.items():
                if owner is None and partition not in self.group.moving:
                    self.gates[0].reader.give(partition)
            moving = bool(self.group.moving)
            worked = [gate.step((), several=True, unjudged=(), fails=False) for gate in self.gates.values()]
            quiet_count = 0 if moving or any(worked) else quiet_count + 1
        self.nothing_comes_out_twice_or_before_an_earlier_one()
        assert len(self.group.published) == sum(len(letters) for letters in self.group.log.values())
        for partition, letters in self.group.log.items():
            if letters:
                stored = self.group.stored[partition]
                assert (stored.offset, stored.metadata) == (letters[-1].at_offset + 1, None)


TestIntake = Machine.TestCase
TestIntake.settings = tried(max_examples=100, stateful_step_count=12, deadline=None)


def gate_with(*letters: Letter, settings: GateSettings = GATE) -> Running:
    """A gate whose one partition holds these."""
    group = Group()
    group.log[0] += letters
    made = Running(group, settings)
    group.readers[0] = made.reader
    made.reader.give(0)
    return made


def test_what_waits_is_bounded_in_bytes() -> None:
    """Given records of any size and an agent that is held, then no more is read than its bytes' bound and a batch."""
    gate = gate_with(*[Letter(0, offset, "a", str(offset), 40, refused=False) for offset in range(12)])
    for _ in range(12):
        assert gate.intake.take({"a"}) == []
    assert gate.source.unread[0] * 40 <= GATE.waiting_bytes + GATE.batch_messages * 40


@pytest.mark.parametrize(
    ("offsets", "cramped"),
    [
        ({0: "a", 1: "a", 2: "a", 3: "a", 4: "a"}, True),  # no room
        ({0: "a", 1: "b", WINDOW: "b"}, True),  # the last can't go: it is too far ahead of the first
        ({0: "b", 1: "a", WINDOW: "b"}, False),
        ({0: "a", 1: "b", 2: "b"}, False),
    ],
)
def test_who_is_held_comes_to_hold_others(offsets: dict[int, str], *, cramped: bool) -> None:
    """Given a held agent's records, then they hold others once there is no room, or once others would be too far ahead
    of them.
    """
    letters = [Letter(0, offset, agent, str(offset), 1, refused=False) for offset, agent in offsets.items()]
    gate = gate_with(*letters, settings=GateSettings(waiting_messages=5, batch_messages=5))
    for _ in range(3):
        taken = gate.intake.take({"a"}, several=True)
        found = gate.intake.cramped({"a"})
        if taken:
            gate.intake.committed()
    assert found is cramped


def test_a_record_that_turns_out_a_held_agents_waits_with_the_others() -> None:
    """Given a record that was taken for another agent's, then it is tried once, and doesn't keep the next ones back."""
    gate = gate_with(*[Letter(0, offset, "a", str(offset), 1, refused=False) for offset in range(8)])
    assert len(gate.intake.take({"b"})) == 4
    gate.intake.correct(dict.fromkeys(range(4), "b"))
    gate.intake.narrow([])
    assert [one.message.offset() for one in gate.intake.take({"b"})] == [4, 5, 6, 7]


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("refused", [{0}, {250}, {499}, {60, 61, 400}])
def test_a_refused_record_is_found_in_few_batches(refused: set[int], several: bool) -> None:
    """Given a full batch of which some are refused, then a few tries find each: not one for each record."""
    letters = [Letter(0, offset, "a", str(offset), 1, refused=offset in refused) for offset in range(500)]
    gate = gate_with(*letters, settings=GateSettings())
    assert tries_of(gate, letters, several=several) <= 36 * len(refused)


@pytest.mark.parametrize("before", [100, 4_000])
def test_a_refused_record_behind_another_agents_backlog_is_found(before: int) -> None:
    """Given an agent's backlog and one record of another's behind it, which is refused, then few tries are lost."""
    letters = [Letter(0, offset, "a", str(offset), 1, refused=False) for offset in range(before)]
    letters.append(Letter(0, before, "b", "b", 1, refused=True))
    gate = gate_with(*letters, settings=GateSettings())
    assert tries_of(gate, letters, several=True) <= 100


def tries_of(gate: Running, letters: list[Letter], *, several: bool) -> int:
    """How many batches it takes until all came out, each once."""
    tries = 0
    while len(gate.published) < len(letters):
        gate.step((), several=several, unjudged=(), fails=False)
        tries += 1
    assert sorted(gate.published) == letters
    return tries


def test_who_is_put_out_of_the_group_has_not_joined() -> None:
    """Given a share of a group, were it nothing, then it counts us in; once it has put us out it doesn't."""
    gate = gate_with(Letter(0, 0, "a", "x", 1, refused=False))
    assert not gate.source.joined
    gate.step((), several=False, unjudged=(), fails=False)
    assert gate.source.joined
    gate.reader.take_back(0, None, lost=False)
    gate.step((), several=False, unjudged=(), fails=False)
    assert gate.source.joined
    gate.reader.give(0)
    gate.step((), several=False, unjudged=(), fails=False)
    gate.reader.take_back(0, None, lost=True)
    gate.step((), several=False, unjudged=(), fails=False)
    assert not gate.source.joined
