"""The ledger finds what it is there to find: a place that is missing, one that comes twice, one that comes too late."""

import pytest
from confluent_kafka import Message

from tests.faults.ledger import Counted, Ledger, Stalls, source_place

TOPICS = ("approved", "decisions")


def message(topic: str, offset: int, key: bytes = b"k") -> Message:
    """An output or a decision of the record at this offset of the input's partition 0."""
    return Message(
        topic=topic, partition=0, offset=7, key=key, headers=[("guardrail.source", f"raw/0/{offset}".encode())]
    )


def seen(*offsets: int, topics: tuple[str, ...] = TOPICS) -> Ledger:
    """A ledger of outputs and decisions with these sources, in this order."""
    ledger = Ledger("decisions")
    for topic in topics:
        for offset in offsets:
            ledger.note(message(topic, offset))
    return ledger


@pytest.mark.parametrize(
    ("offsets", "lost", "duplicated"),
    [
        ((0, 1, 2), 0, 0),
        ((0, 2), 2, 0),
        ((0, 1), 2, 0),
        ((), 6, 0),
        ((0, 1, 1, 2), 0, 2),
        ((0, 1, 2, 3), 0, 2),
        ((1, 1, 1), 4, 4),
    ],
)
def test_lost_and_doubled_places(offsets: tuple[int, ...], lost: int, duplicated: int) -> None:
    """Given an input of three records, then each missing or surplus output counts, and each such decision too."""
    assert seen(*offsets).against({0: 3, 1: 0}) == Counted(lost, duplicated)


def test_an_output_without_its_decision_counts() -> None:
    """Outputs and decisions are counted apart: half of a transaction is a loss."""
    assert seen(0, topics=("approved",)).against({0: 1}) == Counted(lost=1, duplicated=0)
    assert seen(0, topics=("decisions",)).against({0: 1}) == Counted(lost=1, duplicated=0)


def test_a_key_whose_records_change_places() -> None:
    """What comes after a later record of its key counts once a topic; other keys may come when they like."""
    assert seen(0, 2, 1).reordered == 2
    ledger = Ledger("decisions")
    ledger.note(message("approved", 2, b"a"))
    ledger.note(message("approved", 1, b"b"))
    assert ledger.reordered == 0


def test_what_names_no_source_is_an_error() -> None:
    """A message without its source can't be counted, and isn't passed over."""
    with pytest.raises(ValueError, match="names no source"):
        source_place(Message(topic="approved", partition=0, offset=1))


def test_the_longest_stall() -> None:
    """The longest time between two outputs of one partition counts, whatever the others show meanwhile."""
    stalls = Stalls([0, 1])
    begun_s = 1e9
    for partition in (0, 1):
        stalls.note((partition, 0), begun_s)
    stalls.longest_s = 0.0
    for step in range(1, 6):
        stalls.note((0, step), begun_s + step)
    stalls.note((1, 1), begun_s + 5)
    assert (stalls.longest_s, stalls.reached) == (5.0, {0: 5, 1: 1})
