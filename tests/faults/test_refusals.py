"""What a gate can't pass is told and waited for; what it mustn't pass ends it. Nothing is lost by either."""

import json

import pytest

from guardrail.judge.policy import Policies
from guardrail.stream.faults import UnreadDataError
from guardrail.stream.run import EXIT_UNREAD_GONE
from tests.faults import refusals
from tests.faults.refusals import Watch
from tests.faults.scenario import Bed, assert_exact
from tests.scoring import policies

STORM_A_MINUTE = 60
"""More attempts than that would be no backing off."""


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


def assert_told(watches: list[Watch], *words: str) -> None:
    """It was never ready, said why, went on turning and didn't storm."""
    for watch, word in zip(watches, words, strict=True):
        assert not watch.ever_ready, watch
        assert any(word in reason for reason in watch.reasons), watch
        assert watch.attempts_a_minute < STORM_A_MINUTE, watch
        assert watch.oldest_s < 60, watch


@pytest.mark.slow
def test_topic_gone(bed: Bed, agents: Policies) -> None:
    """Given an output topic that is missing at the start, or deleted, then it is named and waited for."""
    found, watches = refusals.topic_gone(bed, agents, records=100, seconds=8)
    assert_exact(found)
    assert_told(watches, "missing topics: approved", "missing topics: rejected")


@pytest.mark.slow
def test_too_few_copies(bed: Bed, agents: Policies) -> None:
    """Given a topic that has too few copies in sync, then it is named, and all goes on once there are enough."""
    found, watches = refusals.too_few_copies(bed, agents, rate=50, seconds=12)
    assert_exact(found)
    assert_told(watches, "copies out of sync: ")


@pytest.mark.slow
def test_too_few_brokers(bed: Bed, agents: Policies) -> None:
    """Given two brokers of three that are down, then the gate isn't ready, and goes on once they are back."""
    found, watches = refusals.too_few_brokers(bed, agents, rate=50, seconds=12)
    assert_exact(found)
    assert_told(watches, "")


@pytest.mark.slow
@pytest.mark.parametrize("slow", [refusals.burning(5.0), refusals.waiting(5.0)], ids=["burning", "waiting"])
def test_slow_check(bed: Bed, slow: refusals.Judge) -> None:
    """Given a scorer that takes 5 s all of a sudden, each call or each record, then nobody loses a partition, and the
    gate is alive.
    """
    found, watch = refusals.slow_check(bed, records=24, slow=slow)
    assert_exact(found)
    assert found.extra["rebalances"] == 0
    assert watch.reasons == {"ok"}
    assert watch.oldest_s < 60


def test_deleted_while_down(bed: Bed, agents: Policies) -> None:
    """Given records that were deleted before a gate came to judge them, then it ends with an alarm and skips none."""
    found, code, log = refusals.deleted_while_down(bed, agents, records=20)
    assert_exact(found)
    assert code == EXIT_UNREAD_GONE
    last = next(line for line in map(json.loads, log.splitlines()[::-1]) if line["message"] == "stopped")
    assert (last["level"].lower(), last["error"]) == ("critical", "UnreadDataError")


def test_deleted_while_behind(bed: Bed, agents: Policies) -> None:
    """Given records that are deleted under a gate that lags, then it ends at the first it can't have."""
    found, ended = refusals.deleted_while_behind(bed, agents)
    assert isinstance(ended, UnreadDataError)
    assert_exact(found)


def test_old_topic(bed: Bed, agents: Policies) -> None:
    """Given a topic whose beginning is long gone, then a new group starts at what is left."""
    found = refusals.old_topic(bed, agents, records=40)
    assert_exact(found)
