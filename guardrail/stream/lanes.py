"""Which waiting records go first when there are more than a batch takes: every agent's share, in each key's order.

It must never put a record before an earlier one of its key, nor so far ahead that the offset couldn't say so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple

from confluent_kafka import Message

from guardrail.stream.progress import WINDOW


class Queued(NamedTuple):
    """A message that waits: whose it is, and what it must stay in order with. Nobody's stay in order with all."""

    message: Message
    size: int
    agent: str = ""
    key: Hashable = None

    @property
    def lane(self) -> tuple[int, Hashable]:
        """Records of one lane keep their order."""
        return self.message.partition() or 0, self.key


def choose(queued: Sequence[Queued], count: int, limit_bytes: int, held: Collection[str] = ()) -> list[int]:
    """The places of those that make the next batch, ascending: at most `count` messages and `limit_bytes`, one at
    least. Agents that want less than an equal share get all of it; what they leave is shared by the others.
    """
    shares = _shares(Counter(one.agent for one in queued if one.agent not in held), count)
    chosen: list[int] = []
    left = Left()
    size = 0
    for place, one in enumerate(queued):
        if len(chosen) == count:
            break  # ten times as many may wait
        if left.blocks(one) or not shares.get(one.agent):
            left.add(one)
            continue
        size += one.size
        if chosen and size > limit_bytes:
            break
        shares[one.agent] -= 1
        chosen.append(place)
    return chosen


def first_fitting(queued: Sequence[Queued], count: int, limit_bytes: int) -> list[int]:
    """The places of the first ones that make a batch: one at least, however large."""
    size = 0
    for place, one in enumerate(queued[:count]):
        size += one.size
        if size > limit_bytes and place:
            return list(range(place))
    return list(range(min(count, len(queued))))


def in_order(queued: Sequence[Queued], done: Sequence[bool]) -> list[int]:
    """The places of those that are done and may be published: nothing of their lane is left before them."""
    left, kept = Left(), []
    for place, (one, is_done) in enumerate(zip(queued, done, strict=True)):
        if is_done and not left.blocks(one):
            kept.append(place)
        else:
            left.add(one)
    return kept


class Left:
    """What is left behind, and so keeps others behind: later ones of its lane, and those too far ahead of it."""

    def __init__(self) -> None:
        self._lanes: set[tuple[int, Hashable]] = set()
        self._first: dict[int, int] = {}

    def add(self, one: Queued) -> None:
        """It stays."""
        self._lanes.add(one.lane)
        self._first.setdefault(one.message.partition() or 0, one.message.offset() or 0)

    def blocks(self, one: Queued) -> bool:
        """Whether this one has to stay too."""
        if one.lane in self._lanes:
            return True
        partition, offset = one.message.partition() or 0, one.message.offset() or 0
        return offset - self._first.get(partition, offset) >= WINDOW


def by_agent(queued: Iterable[Queued]) -> dict[str, list[int]]:
    """The places of each agent's records; who has few comes first."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(queued):
        found[one.agent].append(place)
    return dict(sorted(found.items(), key=lambda item: len(item[1])))


def _shares(wanted: Counter[str], count: int) -> dict[str, int]:
    shares, room = {}, count
    for index, (agent, asked) in enumerate(sorted(wanted.items(), key=lambda item: item[1])):
        shares[agent] = min(asked, max(room // (len(wanted) - index), 1))
        room -= shares[agent]
    return shares
