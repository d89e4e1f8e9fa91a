"""A replay beside live traffic: the same bytes again, and the gates' group doesn't notice."""

import pytest

from guardrail.judge.policy import Policies
from tests.faults.replays import replayed
from tests.faults.scenario import Bed, assert_exact
from tests.scoring import policies


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


def test_replay_during_live_traffic(bed: Bed, agents: Policies) -> None:
    """Given gates at work, when what they decided is judged again, then byte for byte the same, and nothing moves."""
    found, replays = replayed(bed, agents, rate=30, least=200, times=2)
    assert_exact(found)
    assert [one.different for one in replays] == [()] * 3
    assert replays[-1].count == found.records
    assert (found.extra["partitions moved"], found.extra["offsets moved"]) == (0, 0)
