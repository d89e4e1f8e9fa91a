"""Progress: what is done beyond the committed offset is written beside it, and read back by whoever reads on."""

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from confluent_kafka import TopicPartition
from hypothesis import given
from hypothesis import strategies as st

from guardrail.stream.progress import FORM, WINDOW, Position, Progress, decode, encode


class At(NamedTuple):
    """Where a message stands: all that progress looks at."""

    in_partition: int
    at_offset: int

    def partition(self) -> int:
        """Its partition."""
        return self.in_partition

    def offset(self) -> int:
        """Its offset."""
        return self.at_offset


def after(progress: Progress, batch: Sequence[At], waiting: Sequence[At], unread: int) -> list[Position]:
    """The positions, with values in the place of the client's messages, which can't be made by hand."""
    return progress.after(batch, waiting, {0: unread})  # type: ignore[arg-type]


OFFSETS = st.integers(0, 2**62)


@given(OFFSETS, st.sets(st.integers(1, WINDOW - 1)))
def test_what_is_written_is_read(base: int, ahead: set[int]) -> None:
    """Any offsets within the window come back as they were, in less than a broker takes."""
    text = encode(base, {base + one for one in ahead})
    assert decode(base, text) == {base + one for one in ahead}
    assert len(text) <= 4_096


@pytest.mark.parametrize("metadata", [None, "", "deploy 7", FORM + "%%", "other:1:AA=="])
def test_what_isnt_ours_says_nothing(metadata: str | None) -> None:
    """Given an offset that another tool has set, then nothing beyond it is taken as done."""
    assert decode(5, metadata) == frozenset()


def test_in_order_nothing_is_written() -> None:
    """A batch of first ones moves the offset alone, whatever waits behind it."""
    progress = Progress()
    [position] = after(progress, [At(0, 3), At(0, 4)], [At(0, 7), At(0, 8)], 9)
    assert position == Position(0, 7)
    assert after(progress, [At(0, 3), At(0, 4)], [], 5) == [Position(0, 5)]


@given(st.data())
def test_every_offset_is_done_once(data: st.DataObject) -> None:
    """Given records that are done in any order, with restarts between, then none is done twice and none is left."""
    offsets = sorted(data.draw(st.sets(st.integers(0, 300), min_size=1)))
    stored, seen, topic = TopicPartition("raw", 0, 0), [], "raw"
    while stored.offset <= offsets[-1]:
        progress = Progress()
        progress.restore(stored)
        unread, waiting = stored.offset, []
        for _ in range(data.draw(st.integers(1, 3))):
            fresh = [one for one in offsets if one >= unread][: data.draw(st.integers(1, 40))]
            unread = fresh[-1] + 1 if fresh else unread
            waiting += [one for one in fresh if not progress.is_done(0, one)]
            if not waiting:
                for position in progress.caught_up({0: unread}):
                    stored = position.committed(topic)
                continue
            batch = sorted(data.draw(st.sets(st.sampled_from(waiting), min_size=1)))
            waiting = [one for one in waiting if one not in batch]
            positions = after(progress, [At(0, one) for one in batch], [At(0, one) for one in waiting], unread)
            [stored] = [position.committed(topic) for position in positions]
            progress.committed(positions)
            seen += batch
    assert sorted(seen) == offsets
    assert (stored.offset, stored.metadata) == (offsets[-1] + 1, None)
