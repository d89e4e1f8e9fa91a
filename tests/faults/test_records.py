"""What breaks pipelines goes through this one: each record once, in its place, and none harms another."""

import pytest

from guardrail.judge.policy import Policies
from tests.faults.poison import poisoned
from tests.faults.scenario import Bed, assert_exact
from tests.scoring import policies


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


def test_poison(bed: Bed, agents: Policies) -> None:
    """Given every record that we know to break pipelines, then each comes out once, judged as ever, and soon."""
    found = poisoned(bed, agents, rounds=1)
    assert_exact(found)
    assert found.extra["refused by the broker"] == 1  # by the broker alone, for its time
    assert [found.extra[name] for name in ("judged otherwise", "harmed", "gates ended")] == [0] * 3, found
    assert found.stall_s < 30
