"""Gates that are killed, rolled, frozen, doubled and scaled: every record comes out once, in order."""

import pytest

from guardrail.stream.run import EXIT_FENCED
from tests.faults import rows
from tests.faults.rows import Size
from tests.faults.scenario import Bed, assert_exact

SMALL = Size(rate=50, least=400)


@pytest.mark.parametrize("static", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_killed_gates(bed: Bed, static: bool) -> None:
    """Gates killed in the middle of their batches leave no half of one, and others go on."""
    assert_exact(rows.killed(bed, SMALL, kills=2 if static else 1, static=static))


@pytest.mark.slow
def test_killed_gates_under_the_consumer_protocol(bed: Bed) -> None:
    """The same where the broker does the assigning (KIP-848)."""
    assert_exact(rows.killed(bed, SMALL, kills=1, static=False, protocol="consumer"))


@pytest.mark.parametrize("static", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_rolled_gates(bed: Bed, static: bool) -> None:
    """Gates that are told to stop do so in time with exit code 0 and leave nothing to abort."""
    found = rows.rolled(bed, SMALL, rounds=1, static=static)
    assert_exact(found)
    assert found.extra["exit code"] == 0


def test_a_stop_while_nobody_answers(bed: Bed) -> None:
    """A gate that is told to stop where the network loses all is gone within 10 s; nothing of it counts twice."""
    found = rows.stopped_while_lost(bed, SMALL)
    assert_exact(found)
    assert found.extra["exit code"] == 0
    assert found.extra["exit after, s"] <= 10


@pytest.mark.slow
def test_a_frozen_gate(bed: Bed) -> None:
    """A gate that stood still longer than its session and its transaction doubles nothing when it goes on."""
    assert_exact(rows.frozen(bed, SMALL, seconds=[9]))


@pytest.mark.slow
def test_two_gates_of_one_name(bed: Bed) -> None:
    """Of two gates with one name one ends and says why; the other goes on."""
    found = rows.doubled(bed, SMALL)
    assert_exact(found)
    assert {name: found.extra[name] for name in found.extra if "exits" in name} == {f"exits with {EXIT_FENCED}": 1}


@pytest.mark.slow
def test_scaled_gates(bed: Bed) -> None:
    """Gates may come and go, and the input get more partitions: all are read."""
    assert_exact(rows.scaled(bed, SMALL))


@pytest.mark.slow
def test_the_other_group_protocol(bed: Bed) -> None:
    """Gates go over to the consumer group protocol together, and back one by one."""
    assert_exact(rows.other_protocol(bed, SMALL))
