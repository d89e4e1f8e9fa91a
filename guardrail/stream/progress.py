"""What of each partition is done, when it isn't done in order. It must never live in this process alone.

A record that waits (its agent is over its share, or held) keeps the committed offset before it; what is done beyond
travels as the metadata of that offset, in the very transaction that publishes it, so that whoever reads on from there
passes over it. The form: `guardrail:1:` and a bitmap in base64, the lowest bit of its first byte for the offset itself.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from confluent_kafka import Message, TopicPartition

FORM = "guardrail:1:"
WINDOW = 16_384
"""How far beyond a waiting record others may be done: 2 KiB of bits, of the 4 KiB that a broker takes as metadata."""


class Position(NamedTuple):
    """Everything before `base` is done, and so are the offsets `beyond` it."""

    partition: int
    base: int
    beyond: frozenset[int] = frozenset()

    def committed(self, topic: str) -> TopicPartition:
        """As the group's offset."""
        if not self.beyond:
            return TopicPartition(topic, self.partition, self.base)
        return TopicPartition(topic, self.partition, self.base, encode(self.base, self.beyond))


class Progress:
    """Which offsets are done, by partition; nearly always those before the committed one, and no more."""

    def __init__(self) -> None:
        self._held: dict[int, Position] = {}

    def restore(self, committed: TopicPartition) -> None:
        """Takes what the group has committed for a partition."""
        beyond = decode(committed.offset, committed.metadata)
        self._held[committed.partition] = Position(committed.partition, committed.offset, beyond)

    def forget(self, partition: int) -> None:
        """It is no longer ours."""
        self._held.pop(partition, None)

    def is_done(self, partition: int, offset: int) -> bool:
        """Whether a record was published before, in front of one that waited."""
        held = self._held.get(partition)
        return held is not None and (offset < held.base or offset in held.beyond)

    def after(self, batch: Sequence[Message], waiting: Sequence[Message], unread: Mapping[int, int]) -> list[Position]:
        """Where its partitions stand once the batch is done, while others still wait. `unread` is where each is read
        on from: what is done there was done by whoever read further.
        """
        left = _offsets(waiting)
        return [
            self._after(partition, offsets, min([unread[partition], *left.get(partition, [])]))
            for partition, offsets in _offsets(batch).items()
        ]

    def caught_up(self, unread: Mapping[int, int]) -> list[Position]:
        """Of partitions where nothing waits: those whose offset still stands before what was done beyond it."""
        return [
            Position(partition, unread[partition])
            for partition, held in self._held.items()
            if held.beyond and unread.get(partition, -1) > max(held.beyond)
        ]

    def committed(self, positions: Iterable[Position]) -> None:
        """They are the group's now."""
        self._held |= {position.partition: position for position in positions}

    def _after(self, partition: int, offsets: list[int], base: int) -> Position:
        held = self._held.get(partition)
        done = (held.beyond if held else frozenset()).union(offsets)
        while base in done:
            base += 1
        return Position(partition, base, frozenset(offset for offset in done if offset > base))


def encode(base: int, beyond: Iterable[int]) -> str:
    """The metadata of a committed offset. What lies further than WINDOW from it can't be written."""
    bits = 0
    for offset in beyond:
        bits |= 1 << (offset - base)
    return FORM + b64encode(bits.to_bytes((bits.bit_length() + 7) // 8, "little")).decode()


def decode(base: int, metadata: str | None) -> frozenset[int]:
    """The offsets that are done beyond it; none where the metadata isn't ours: another tool has set the offset."""
    if base < 0 or not metadata or not metadata.startswith(FORM):
        return frozenset()
    try:
        bits = int.from_bytes(b64decode(metadata.removeprefix(FORM), validate=True), "little")
    except ValueError:
        return frozenset()
    return frozenset(base + place for place in range(min(bits.bit_length(), WINDOW)) if bits >> place & 1)


def _offsets(messages: Sequence[Message]) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for message in messages:
        found[message.partition() or 0].append(message.offset() or 0)
    return found
