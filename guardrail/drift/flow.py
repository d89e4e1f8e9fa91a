"""Both stages in one process, for files and simulations. It must never say anything that the worker wouldn't say.

Minutes that have begun when the observations end are closed: nothing more is to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from guardrail.drift.counting import GRACE_MINUTES, Counting, Place, Told
from guardrail.drift.observed import Clock
from guardrail.drift.step import Step
from guardrail.drift.tally import MINUTE_MS
from guardrail.drift.watch import DEFAULT_TERMS, Alarm, Terms, Watched
from guardrail.drift.watching import Watching, told


class Entry(NamedTuple):
    """One record of the observations topic."""

    partition: int
    place: Place
    value: bytes


class Flow:
    """Observations in, alarms out, all in memory."""

    def __init__(self, partitions: int = 1, terms: Terms = DEFAULT_TERMS) -> None:
        self._counting = [Counting(partition) for partition in range(partitions)]
        self._watching = Watching(partitions, terms)

    @property
    def streams(self) -> list[Watched]:
        """The streams as they stand, in order of their names."""
        return [each for _, each in sorted(self._watching.watch.streams.items())]

    @property
    def unreadable(self) -> int:
        """How many records were no observation."""
        return sum(each.unreadable for each in self._counting)

    def take(self, entry: Entry) -> Iterator[Alarm]:
        """One record; each partition's in order, the partitions in any."""
        return self._tell(self._counting[entry.partition].take(entry.place, entry.value))

    def run(self, entries: Iterable[Entry]) -> Iterator[Alarm]:
        """All of them, until the end of their last minute."""
        for entry in entries:
            yield from self.take(entry)
        yield from self.end()

    def end(self) -> Iterator[Alarm]:
        """Closes all that is open."""
        ended = max(each.minute for each in self._counting) + GRACE_MINUTES + 1
        clock = Clock(ended * MINUTE_MS).encode()
        for each in self._counting:
            yield from self._tell(each.take(Place(-1, ended * MINUTE_MS), clock))

    def _tell(self, step: Step[Told]) -> Iterator[Alarm]:
        for message in step.messages:
            yield from self._watching.take(told(message.encode())).messages
