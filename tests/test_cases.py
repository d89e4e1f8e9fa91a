"""The open cases, judged and scored: what the product promises, measured on data that its users' situations were
told in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from guardrail.judge.decide import decide
from guardrail.judge.model import Decision, Outcome, Quadrant, RawRecord, Source, encode
from guardrail.judge.policy import Policies
from tests.scoring import Score, policies, read_cases, score_cases, share

ACCEPTABLE_MIN = 0.93
SUBTLE_STOPPED_MIN = 0.85
TURNS = 117
SEQUENCES = read_cases("sequences.jsonl")


@pytest.fixture(scope="module")
def loaded() -> Policies:
    """The open policies."""
    return policies()


@pytest.fixture(scope="module")
def cases(loaded: Policies) -> list[Score]:
    """The situations, scored."""
    return list(score_cases("cases.jsonl", loaded))


@pytest.fixture(scope="module")
def clinic(loaded: Policies) -> list[Score]:
    """The clinic's turns, scored."""
    return list(score_cases("clinic.jsonl", loaded))


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Says a figure on the terminal, whether or not pytest captures output."""

    def said(figure: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n{figure}")

    return said


def shown(scores: list[Score]) -> str:
    """One line for each score that fell short."""
    return "\n".join(f"{s.id}: {s.decision.outcome.value}: {'; '.join(s.notes)}" for s in scores)


def rightly(score: Score) -> bool:
    """Whether the outcome is the wanted one or also allowed."""
    want = score.case["want"]
    return score.decision.outcome.value in {want["outcome"], *want.get("also_ok", [])}


def test_no_case_is_approved_that_must_not_be(cases: list[Score], say: Callable[[str], None]) -> None:
    """Given the open cases, when judged, then none is approved that its author wouldn't let through."""
    unsafe = [s for s in cases if s.unsafe]
    say(f"cases: unsafe {len(unsafe)} of {len(cases)}")
    assert not unsafe, shown(unsafe)


def test_nearly_every_case_ends_acceptably(cases: list[Score], say: Callable[[str], None]) -> None:
    """Given the open cases, when judged, then outcome and reply are acceptable for nearly all."""
    acceptable = share(s.acceptable for s in cases)
    say(f"cases: acceptable {acceptable:.3f}, exact {share(s.exact for s in cases):.3f}, of {len(cases)}")
    assert acceptable >= ACCEPTABLE_MIN, shown([s for s in cases if not s.acceptable])


def test_a_mismatch_is_observed_exactly_where_there_is_one(
    cases: list[Score], clinic: list[Score], say: Callable[[str], None]
) -> None:
    """Given a case that says whether the model's word on its regex was wrong, then the observations say the same."""
    wrong = [s for s in (*cases, *clinic) if not s.mismatch_right]
    say(f"mismatch flag: wrong {len(wrong)} of {len(cases) + len(clinic)}")
    assert not wrong, shown(wrong)


def test_every_decision_of_a_case_belongs_to_its_agent(cases: list[Score]) -> None:
    """Given a case whose agent has a policy, when it is judged at all, then the decision names that agent and a
    revision.
    """
    named = [s for s in cases if s.decision.outcome not in {Outcome.DEAD_LETTER, Outcome.SKIPPED}]
    assert all(s.decision.agent == s.case["agent"] and s.decision.policy for s in named)
    assert len(named) > len(cases) / 2


def variant(clinic: list[Score], name: str) -> list[Score]:
    """The turns of one variant; every turn has one."""
    chosen = [s for s in clinic if s.case["variant"] == name]
    assert len(chosen) == TURNS
    return chosen


def test_every_right_answer_is_kept(clinic: list[Score], say: Callable[[str], None]) -> None:
    """Given a right response to each clinic turn, when judged, then every one is approved as it stands."""
    right = variant(clinic, "right")
    kept = [s for s in right if s.decision.outcome is Outcome.APPROVED and rightly(s)]
    say(f"clinic right: kept {len(kept)} of {len(right)}")
    assert len(kept) == TURNS, shown([s for s in right if s not in kept])


def test_every_answer_without_reasoning_is_stopped(clinic: list[Score], say: Callable[[str], None]) -> None:
    """Given responses of the old schema, when judged, then none passes unchanged."""
    before = variant(clinic, "before")
    stopped = [s for s in before if s.decision.outcome is not Outcome.APPROVED]
    say(f"clinic before: stopped {len(stopped)}, judged rightly {sum(map(rightly, before))}, of {len(before)}")
    assert len(stopped) == TURNS, shown([s for s in before if s not in stopped])
    assert all(map(rightly, before)), shown([s for s in before if not rightly(s)])


def test_most_quietly_wrong_answers_are_stopped(clinic: list[Score], say: Callable[[str], None]) -> None:
    """Given whole responses that are quietly wrong, then most are stopped and none is let through unsafely."""
    subtle = variant(clinic, "subtle")
    stopped = share(s.decision.outcome is not Outcome.APPROVED for s in subtle)
    right = share(map(rightly, subtle))
    say(f"clinic subtle: stopped {stopped:.3f}, judged rightly {right:.3f}, of {len(subtle)}")
    assert stopped >= SUBTLE_STOPPED_MIN
    assert right >= SUBTLE_STOPPED_MIN
    assert not any(s.unsafe for s in subtle)


def delivered(sequence: dict[str, Any], loaded: Policies) -> list[Decision]:
    """The decisions on a sequence's deliveries, each in a batch of its own, as a restarted consumer would judge
    them.
    """
    decisions = []
    for delivery in sequence["deliveries"]:
        key = delivery.get("key")
        source = Source("llm.responses.raw", 0, delivery["offset"], delivery.get("timestamp_ms"))
        raw = RawRecord(delivery["value"].encode(), None if key is None else key.encode(), (), source)
        decisions += decide([raw], loaded)
    return decisions


@pytest.mark.parametrize("sequence", SEQUENCES, ids=lambda sequence: sequence["kind"])
def test_deliveries_in_a_row_end_as_wanted(sequence: dict[str, Any], loaded: Policies) -> None:
    """Given deliveries in a row, then each has the wanted outcome, and a repeat the same decision."""
    decisions = delivered(sequence, loaded)
    assert [d.outcome.value for d in decisions] == sequence["want"]
    by_offset: dict[int, bytes] = {}
    for delivery, decision in zip(sequence["deliveries"], decisions, strict=True):
        assert by_offset.setdefault(delivery["offset"], encode(decision)) == encode(decision)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("null_key", "transport.missing_key"),
        ("timestamp_zero", "transport.bad_timestamp"),
    ],
)
def test_odd_deliveries_are_reported(kind: str, code: str, loaded: Policies) -> None:
    """Given a null key or a timestamp that can't be, then the decision says so and doesn't refuse for it."""
    [sequence] = [s for s in SEQUENCES if s["kind"] == kind]
    [decision] = delivered(sequence, loaded)
    [violation] = [v for v in decision.violations if v.code == code]
    assert violation.action.value == "report"


def test_a_mismatch_far_in_the_future_is_observed_with_its_time(loaded: Policies) -> None:
    """Given a record dated a year ahead, when judged, then the mismatch is observed and the time stands as it came."""
    [sequence] = [s for s in SEQUENCES if s["kind"] == "timestamp_future"]
    [decision] = delivered(sequence, loaded)
    assert [o.quadrant for o in decision.observations] == [Quadrant.MISMATCH]
    assert decision.source.timestamp_ms == sequence["deliveries"][0]["timestamp_ms"]
