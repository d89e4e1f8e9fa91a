"""Brokers that are killed and rolled: every record comes out once, in order."""

import pytest

from tests.faults import roles, rows
from tests.faults.rows import Size
from tests.faults.scenario import Bed, assert_exact

SMALL = Size(rate=50, least=400)


def test_a_java_hash() -> None:
    """The hash that finds a transaction's coordinator is Java's: its documented values, overflow included."""
    assert [roles.java_hash(text) for text in ("", "a", "hello", "polygenelubricants")] == [
        0,
        97,
        99162322,
        0x8000_0000,
    ]


def test_a_killed_broker(bed: Bed) -> None:
    """The broker that coordinates the group is killed, and comes back: no gate waits for it."""
    assert_exact(rows.broker_killed(bed, SMALL, which=["group"]))


@pytest.mark.slow
def test_a_rolled_broker(bed: Bed) -> None:
    """A broker that stops cleanly and comes back costs no record."""
    assert_exact(rows.brokers_rolled(bed, SMALL, nodes=[1]))
