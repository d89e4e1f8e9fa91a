"""Tallies count every trial once, in the minute it happened, without a word of a user's."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.drift.tally import EARLIEST_MS, FUTURE_MS, MINUTE_MS, Cell, Response, Trial, event_ms, tally

NOW_MS = 1_790_000_000_000
QUADRANTS = {"agreed": True, "mismatch": True, "refusal": False, "underclaim": False, "undecided": None}


def trial(**given: Any) -> Trial:
    """A mismatch of one cell, but for what is given."""
    fields = {
        "agent": "clinic-en",
        "model": "m",
        "parameter": "Phone",
        "quadrant": "mismatch",
        "simulated": True,
        "conversation": "c-1",
        "topic": "raw",
        "partition": 0,
        "offset": 7,
        "timestamp_ms": NOW_MS,
    }
    return Trial(**{**fields, **given})


def test_counts_by_quadrant_and_range() -> None:
    """Trials of one cell and minute are one tally: counts by quadrant, first and last offset."""
    batch = tally([trial(offset=9), trial(offset=3, quadrant="agreed"), trial(offset=5)], NOW_MS)
    [(cell, made)] = batch.tallies
    assert cell.key() == b'["clinic-en","m","simulation","Phone"]'
    assert (made.counts["mismatch"], made.counts["agreed"]) == (2, 1)
    assert (made.source.first_offset, made.source.last_offset) == (3, 9)
    assert made.bucket == NOW_MS - NOW_MS % MINUTE_MS
    assert [m.source.offset for _, m in batch.mismatches] == [9, 5]


def test_the_published_shapes() -> None:
    """Key and value of each record are those of the contract, tallies first."""
    (key, first), (_, second) = tally([trial()], NOW_MS).records()
    assert json.loads(key) == ["clinic-en", "m", "simulation", "Phone"]
    assert json.loads(first) == {
        "bucket": NOW_MS - NOW_MS % MINUTE_MS,
        "agent": "clinic-en",
        "model": "m",
        "check": "simulation",
        "parameter": "Phone",
        "counts": {"agreed": 0, "mismatch": 1, "refusal": 0, "underclaim": 0, "undecided": 0},
        "source": {"topic": "raw", "partition": 0, "first_offset": 7, "last_offset": 7},
        "policy": "",
        "schema_version": 1,
    }
    assert json.loads(second) == {
        "agent": "clinic-en",
        "model": "m",
        "check": "simulation",
        "parameter": "Phone",
        "conversation_hash": "a6f7ef47ee8dc84a",
        "source": {"topic": "raw", "partition": 0, "offset": 7},
        "timestamp_ms": NOW_MS,
        "schema_version": 1,
    }


def test_underclaims_are_a_check_of_their_own() -> None:
    """A model that wrongly says "no match" drifts in another cell than one that wrongly says "match"."""
    batch = tally([trial(quadrant="underclaim", simulated=False), trial(quadrant="refusal", simulated=False)], NOW_MS)
    [(cell, made)] = batch.tallies
    assert cell.check == "underclaim"
    assert (made.counts["underclaim"], made.counts["refusal"]) == (1, 1)
    assert [m.check for _, m in batch.mismatches] == ["underclaim"]


def test_responses_are_counted_beside_their_executions() -> None:
    """Responses are counted by what came of them, in a cell without a parameter, and have no records of their own."""
    made = [Response("clinic-en", "m", rejected, disordered, "raw", 0, 7, NOW_MS) for rejected, disordered in
            ((False, False), (True, False), (True, True))]  # fmt: skip
    batch = tally([*made, trial()], NOW_MS)
    (cell, counted), _ = batch.tallies
    assert cell == counted.cell == Cell("clinic-en", "m", "response", "")
    assert counted.counts == {"judged": 3, "rejected": 2, "disordered": 1}
    assert len(batch.mismatches) == 1


def test_policies_are_counted_apart() -> None:
    """A batch under two policies has a tally for each: drift knows which one brought it."""
    batch = tally([trial(policy="p1"), trial(policy="p2")], NOW_MS)
    assert [made.policy for _, made in batch.tallies] == ["p1", "p2"]


@pytest.mark.parametrize(
    "timestamp_ms", [None, 0, -1, 1_790_000_000, EARLIEST_MS - 1, NOW_MS + FUTURE_MS + 1, NOW_MS + 365 * 86_400_000]
)
def test_impossible_times_fall_back(timestamp_ms: int | None) -> None:
    """A missing, zero, negative or far-future timestamp, or one in seconds, files the trial when it was received."""
    assert event_ms(timestamp_ms, NOW_MS) == NOW_MS
    [(_, made)] = tally([trial(timestamp_ms=timestamp_ms)], NOW_MS).tallies
    assert made.bucket == NOW_MS - NOW_MS % MINUTE_MS


@pytest.mark.parametrize("timestamp_ms", [EARLIEST_MS, NOW_MS - 40 * 86_400_000, NOW_MS, NOW_MS + FUTURE_MS])
def test_possible_times_are_kept(timestamp_ms: int) -> None:
    """A backlog is filed when it was written; a clock a little ahead is believed."""
    assert event_ms(timestamp_ms, NOW_MS) == timestamp_ms


def test_a_conversation_leaves_as_a_hash() -> None:
    """The conversation's id is in no shape; the same id gives the same hash, another one another."""
    batch = tally(
        [trial(conversation="+33612345678"), trial(conversation="+33612345678"), trial(conversation="\ud800")], 0
    )
    assert all(b"33612345678" not in key + value for key, value in batch.records())
    first, second, third = (m.conversation_hash for _, m in batch.mismatches)
    assert first == second != third


def test_names_can_not_join_two_cells() -> None:
    """No separator inside a name gives two cells one key."""
    assert Cell("a", "b|c", "d", "e").key() != Cell("a|b", "c", "d", "e").key()


trials = st.builds(
    lambda quadrant, **fields: trial(quadrant=quadrant, simulated=QUADRANTS[quadrant], **fields),
    quadrant=st.sampled_from(sorted(QUADRANTS)),
    parameter=st.sampled_from(["Phone", "other"]),
    partition=st.integers(0, 2),
    offset=st.integers(0, 1_000),
    timestamp_ms=st.one_of(st.none(), st.integers(-(10**13), 10**14)),
)


@given(st.lists(trials), st.integers(0, 10**13))
def test_every_trial_is_counted_once(given_trials: list[Trial], received_ms: int) -> None:
    """Whatever the batch: counts add up to its trials, each in its own partition's tally, each event in one record."""
    batch = tally(given_trials, received_ms)
    counted: Counter[str] = Counter()
    for _, made in batch.tallies:
        counted.update(made.counts)
        assert made.source.first_offset <= made.source.last_offset
        assert made.bucket % MINUTE_MS == 0
    assert counted == Counter(t.quadrant for t in given_trials)
    events = sum(t.quadrant in ("mismatch", "underclaim") for t in given_trials)
    assert len(batch.mismatches) == events
    assert len({(c, b.bucket, b.source.partition) for c, b in batch.tallies}) == len(batch.tallies)
