"""What came out, counted by the place it came from. It must never keep the records themselves: a soak has millions."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from confluent_kafka import Message

Place = tuple[int, int]
"""A partition of the raw topic, and an offset in it."""


class Counted(NamedTuple):
    """How one reader's view differs from the input."""

    lost: int
    duplicated: int


def source_place(message: Message) -> Place:
    """Where an output or a decision comes from. Raises ValueError when it doesn't say."""
    named = dict(message.headers() or ()).get("guardrail.source")
    if isinstance(named, bytes):
        _, partition, offset = named.decode().rsplit("/", 2)
        return int(partition), int(offset)
    raise ValueError(f"{message.topic()}/{message.partition()}/{message.offset()} names no source")


class Ledger:
    """One reader's view: each place counted among the outputs and among the decisions, each key's order watched."""

    def __init__(self, decisions: str) -> None:
        """`decisions` is the name of that topic; what comes from any other is an output."""
        self._decisions = decisions
        self._seen: dict[tuple[bool, int], bytearray] = defaultdict(bytearray)
        self._last: dict[tuple[str | None, bytes | None, int], int] = {}
        self.reordered = 0

    def note(self, message: Message) -> Place | None:
        """Counts one message. Gives back the place that an output comes from, None for a decision."""
        partition, offset = place = source_place(message)
        decision = message.topic() == self._decisions
        seen = self._seen[decision, partition]
        if len(seen) <= offset:
            seen.extend(bytes(offset + 1 - len(seen)))
        seen[offset] = min(seen[offset] + 1, 255)
        line = (message.topic(), message.key(), partition)  # a partition that was added may take over a key
        self.reordered += seen[offset] == 1 and offset < self._last.get(line, -1)
        self._last[line] = max(offset, self._last.get(line, -1))
        return None if decision else place

    @property
    def total(self) -> int:
        """How many messages were counted."""
        return sum(map(sum, self._seen.values()))

    def against(self, ends: Mapping[int, int]) -> Counted:
        """Held against an input that ends there: each place must stand here once as output and once as decision."""
        lost = duplicated = 0
        for decision in (True, False):
            for partition in {*ends, *(p for _, p in self._seen)}:
                seen, end = self._seen[decision, partition], ends.get(partition, 0)
                lost += max(end - len(seen), 0) + seen.count(0, 0, end)
                duplicated += sum(count - 1 for count in seen if count > 1) + max(len(seen) - end, 0)
        return Counted(lost, duplicated)


class Stalls:
    """How long each partition of the input had nothing to show."""

    def __init__(self, partitions: Iterable[int]) -> None:
        self.reached: dict[int, int] = {}
        """The last offset of each partition whose output is visible."""
        self._since_s: dict[int, float] = {}
        self.longest_s = 0.0
        self.watch(partitions)

    def watch(self, partitions: Iterable[int]) -> None:
        """Watches these too, from now on."""
        for partition in partitions:
            self._since_s.setdefault(partition, time.monotonic())
            self.reached.setdefault(partition, -1)

    def note(self, place: Place, now_s: float) -> None:
        """An output of this place has become visible now."""
        partition, offset = place
        self.watch([partition])
        self.longest_s = max(self.longest_s, now_s - self._since_s[partition])
        self._since_s[partition] = now_s
        self.reached[partition] = max(offset, self.reached[partition])

    def reset(self) -> None:
        """Counts from now on."""
        self._since_s = dict.fromkeys(self.reached, time.monotonic())
        self.longest_s = 0.0
