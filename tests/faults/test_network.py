"""Networks that are cut, lose one direction, or are slow: every record comes out once, in order."""

import pytest

from tests.broker.proxy import Direction
from tests.faults import rows
from tests.faults.rows import Size
from tests.faults.scenario import Bed, assert_exact

SMALL = Size(rate=50, least=400)


def test_a_cut(bed: Bed) -> None:
    """All gates are cut off from all brokers, for longer than a session."""
    assert_exact(rows.cut(bed, SMALL, seconds=[8]))


@pytest.mark.slow
@pytest.mark.parametrize("ways", [[*Direction], [Direction.ANSWERS]], ids="-".join)
def test_a_gate_that_is_lost(bed: Bed, ways: list[Direction]) -> None:
    """A gate is lost on a network that delivers late, after others have taken over: nothing of it counts twice."""
    assert_exact(rows.held(bed, SMALL, seconds=9, ways=ways, alone=True))


@pytest.mark.slow
def test_a_network_that_forgets(bed: Bed) -> None:
    """Connections that are dead, of which nobody is told, are found to be so and replaced."""
    assert_exact(rows.forgotten(bed, SMALL))


@pytest.mark.slow
def test_a_slow_network(bed: Bed) -> None:
    """Where each round trip takes 300 ms, more or less, all goes on."""
    assert_exact(rows.slow(bed, SMALL, seconds=5))


def test_late_answers_to_commits(bed: Bed) -> None:
    """Commits whose answers come later than a transaction may last are whole or not at all."""
    assert_exact(rows.late_ends(bed, SMALL, late_s=7, seconds=8))
