"""What was read and isn't committed: the batch at hand, and what waits for the next one. It must never hold without
bound: what doesn't fit stays at the broker.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Message

from guardrail.settings import GateSettings
from guardrail.stream.deadletter import Refusal
from guardrail.stream.faults import RefusedError
from guardrail.stream.lanes import Queued, choose, first_fitting, in_order
from guardrail.stream.progress import WINDOW, Position
from guardrail.stream.record import size_of
from guardrail.stream.source import Source

Place = tuple[int | None, int | None]
Owner = Callable[[Message], tuple[str, Hashable]]
"""Tells whose a message is, and what it must stay in order with."""

NARROWING = 8
"""So much smaller are the batches in which one that was refused is tried again: 500 records come down to the one within
four aborts. More than five in a row would be a sign of a broken client (recovery.py).
"""


class Intake:
    """Batches of the source's messages. More is read only while there is room."""

    def __init__(self, source: Source, gate: GateSettings, owner: Owner) -> None:
        self._owed: dict[int, int] = {}
        self._source = source
        self._gate = gate
        self._owner = owner
        self._waiting: list[Queued] = []
        self._chosen: list[int] = []
        self.crowded = False
        """Whether more waits than one batch takes, or somebody is held: then it matters whose a record is."""
        self._stuck_under: frozenset[str] | None = None
        """Who was held when nothing of what waits could be chosen; None when something could."""
        self._suspects: set[Place] = set()
        """What was in a refused batch, and isn't done yet: it is tried again, alone, so many at a time."""
        self._most = 1
        self._refused: dict[Place, Refusal] = {}

    @property
    def owed(self) -> frozenset[int]:
        """Partitions whose last batch wasn't committed, for as long as they are ours."""
        return frozenset(self._owed.keys() & self._source.partitions)

    @property
    def at_hand(self) -> list[Queued]:
        """The batch."""
        return [self._waiting[place] for place in self._chosen]

    def take(self, held: Collection[str] = (), *, several: bool = False) -> list[Queued]:
        """The next batch, within its limits.

        Where `several` agents share the topic, none of them waits behind another's backlog for longer than the waiting
        room reaches; those that are `held` wait in it, and the others pass.
        """
        size, left = self._gate.batch_messages, bool(self._waiting)
        wait_s = 0.0 if left and self._stuck_under is None else self._gate.wait_ms / 1000
        self._chosen = []
        wanted = size if several or held else max(size - len(self._waiting), 1)
        fresh = self._fill(min(wanted, self._room()), wait_s)
        told = bool(self._waiting and self._waiting[0].agent)  # what isn't told has other lanes, and would overtake
        self.crowded = bool(held) or told or (several and (left or fresh == size))
        if not fresh and self._stuck_under == frozenset(held):
            return []
        if self.crowded:
            if fresh == size and (room := self._room()):
                self._fill(room, 0.0)
            self._tell()
        self._chosen = self._suspected(held) or self._next(held)
        self._stuck_under = None if self._chosen else frozenset(held)  # all that waits is held: there is no hurry
        return self.at_hand

    def _suspected(self, held: Collection[str]) -> list[int]:
        """Of what was in a refused batch, as much as is tried at once."""
        if not self._suspects:
            return []
        wanted = [_place(one.message) in self._suspects and one.agent not in held for one in self._waiting]
        return in_order(self._waiting, wanted)[: self._most]

    def _next(self, held: Collection[str]) -> list[int]:
        size, limit = self._gate.batch_messages, self._gate.batch_bytes
        if self.crowded:
            return choose(self._waiting, size, limit, held)
        return first_fitting(self._waiting, size, limit)

    def _room(self) -> int:
        """How many more may wait."""
        if sum(one.size for one in self._waiting) > self._gate.waiting_bytes:
            return 0
        return max(self._gate.waiting_messages - len(self._waiting), 0)

    def cramped(self, held: Collection[str]) -> bool:
        """Whether those who are held hold others, too: nothing of what waits may go and nothing more may wait, or what
        waits of a partition is too far ahead of theirs.
        """
        if self._stuck_under is not None and not self._room():
            return True
        first: dict[int | None, int] = {}
        for one in self._waiting:
            partition, offset = one.message.partition(), one.message.offset() or 0
            if one.agent in held:
                first.setdefault(partition, offset)
            if offset - first.get(partition, offset) >= WINDOW:
                return True
        return False

    def narrow(self, places: Sequence[int]) -> None:
        """Of the batch at hand, those at these places are; the others wait."""
        self._chosen = [self._chosen[place] for place in places]

    def correct(self, agents: Mapping[int, str]) -> None:
        """Of the batch at hand, those at these places turned out to be these agents'."""
        for place, agent in agents.items():
            one = self._waiting[self._chosen[place]]
            if one.agent:
                self._waiting[self._chosen[place]] = one._replace(agent=agent)

    def positions(self) -> list[Position]:
        """Where the group stands once the batch at hand is done."""
        waiting = [one.message for one in self._left()]
        at_hand = [one.message for one in self.at_hand]
        return self._source.progress.after(at_hand, waiting, self._source.unread)

    def oldest(self) -> dict[int, int]:
        """When the first record of each partition that waits, or is at hand, was written, in Unix ms."""
        found: dict[int, int] = {}
        for message in (one.message for one in self._waiting):
            kind, time_ms = message.timestamp()
            if kind != TIMESTAMP_NOT_AVAILABLE:
                found.setdefault(message.partition() or 0, time_ms)
        return found

    def caught_up(self) -> list[Position]:
        """Where nothing waits and all was done by whoever had it before us: the offsets to commit without a batch."""
        return [] if self._waiting else self._source.progress.caught_up(self._source.unread)

    def refusal(self, message: Message) -> Refusal | None:
        """Why its topic won't take this one's output, where that is known."""
        return self._refused.get(_place(message)) if self._refused else None

    def give_back(self, fault: Exception) -> None:
        """The batch at hand isn't committed, and will be read again: so will all that waits.

        A record of it that its topic refuses is looked for, in ever smaller parts of it, and one refused alone stays
        so: its dead letter goes without the original's time. What is refused of that is cut to what any topic takes.
        """
        batch = self.at_hand
        for one in batch:
            partition, offset = one.message.partition() or 0, one.message.offset() or 0
            self._owed[partition] = max(offset, self._owed.get(partition, -1))
        if isinstance(fault, RefusedError):
            if len(batch) == 1:
                place = _place(batch[0].message)
                before = self._refused.get(place)
                self._refused[place] = Refusal(str(fault), before.by | {fault.topic} if before else frozenset())
            self._most = max(len(batch) // NARROWING, 1)
            self._suspects = {_place(one.message) for one in batch}
        self._waiting, self._chosen = [], []

    def rewound(self) -> None:
        """The source stands where the broker has us. What is done there was committed after all: we weren't told."""
        unread, done = self._source.unread, self._source.progress.is_done
        self._owed = {
            partition: last
            for partition, last in self._owed.items()
            if last >= unread.get(partition, 0) and not done(partition, last)
        }

    def committed(self) -> None:
        """The batch at hand is done."""
        self._owed.clear()
        for one in self.at_hand if self._refused or self._suspects else ():
            self._refused.pop(_place(one.message), None)
            self._suspects.discard(_place(one.message))
        self._waiting, self._chosen = self._left(), []

    def _left(self) -> list[Queued]:
        chosen = set(self._chosen)
        return [one for place, one in enumerate(self._waiting) if place not in chosen]

    def _tell(self) -> None:
        """From now on it is known whose each of them is."""
        self._waiting = [
            one if one.agent else Queued(one.message, one.size, *self._owner(one.message)) for one in self._waiting
        ]

    def _fill(self, count: int, wait_s: float) -> int:
        """Reads up to `count` messages, and lets go of what is ours no more. Gives back how many were read."""
        fresh = self._source.take(count, wait_s)
        if gone := self._source.gone():
            self._owed = {partition: last for partition, last in self._owed.items() if partition not in gone}
            self._waiting = [one for one in self._waiting if one.message.partition() not in gone]
            self._suspects = {place for place in self._suspects if place[0] not in gone}
        self._waiting += [Queued(message, size_of(message)) for message in fresh]
        return len(fresh)


def _place(message: Message) -> Place:
    return message.partition(), message.offset()
