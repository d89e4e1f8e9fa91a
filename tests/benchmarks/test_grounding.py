"""The grounding benchmark on rows made here: that it measures what its page says, whatever the verifier."""

from __future__ import annotations

import math

import pytest

from tests.benchmarks.grounding import goals, markdown
from tests.benchmarks.grounding.calibrated import corrected, gate, threshold
from tests.benchmarks.grounding.detection import by_kind, desk, detect
from tests.benchmarks.grounding.judging import Judged, judged, neutral
from tests.corpora import grounding as sets
from tests.corpora.grounding import Row

POLICIES = neutral()
THINGS = ("sauna", "garage", "breakfast", "laundry", "bicycle", "minibar", "towel", "terrace", "cinema", "library")


def rows(count: int = 80) -> list[Row]:
    """Pairs of a copy of the evidence and the same with another price, each pair a document."""
    found = []
    for number in range(count):
        fact = f"The {THINGS[number % 10]} in house {number + 200} costs {number % 70 + 10} euros."
        for wrong, answer in ((False, fact), (True, fact.replace("costs ", "costs 9"))):
            row = Row(
                f"{number}-{wrong}", "What does it cost?", (fact,), answer, wrong, f"made:{number}", "en", "number"
            )
            found.append(row)
    return found


@pytest.fixture(scope="module")
def listed() -> list[Judged]:
    """The rows, judged."""
    return judged(rows(), POLICIES)


def test_only_grounding_acts(listed: list[Judged]) -> None:
    """Given copies of the evidence, then they are approved, and nothing but grounding is told of the others."""
    assert all(one.approved for one in listed if not one.row.hallucinated)
    told = {violation.code.partition(".")[0] for one in listed for violation in one.decision.violations}
    assert told <= {"ground"}


def test_wrong_prices_are_told_by_the_evidence_alone(listed: list[Judged]) -> None:
    """Given another price, then it is found; not over the evidence of another row."""
    found = detect("made", listed, POLICIES)
    assert found.auroc.value > 0.95
    assert found.shuffled is not None
    assert found.shuffled < 0.75
    assert by_kind(listed)["number"] == (pytest.approx(found.auroc.value), 80)


def test_the_halves_hold_whole_documents(listed: list[Judged]) -> None:
    """Given pairs, then both rows of one are in the same half, and both halves can calibrate."""
    by_document = {one.row.cluster: one.row.half for one in listed}
    assert all(by_document[one.row.cluster] == one.row.half for one in listed)
    limits = [threshold(listed, half) for half in (0, 1)]
    assert sum(limit.answers for limit in limits) == 80
    assert not any(math.isinf(limit.risk) for limit in limits)


def test_a_gate_needs_nineteen_documents(listed: list[Judged]) -> None:
    """Given enough, then wrong answers are flagged and right ones aren't; given fewer, there is no figure."""
    found = gate("made", listed)
    assert found.unclustered
    assert found.false == 0
    assert found.recall is not None
    assert found.recall > 0.95
    assert gate("few", listed[:40]).recall is None
    assert corrected("few", listed[:40]) is None


def test_what_becomes_of_the_answers_adds_up(listed: list[Judged]) -> None:
    """Given a calibrated policy, then each wrong answer is left, right by gold, still wrong or refused."""
    found = corrected("made", listed)
    assert found is not None
    assert found.by_gold is not None
    assert found.still_wrong is not None
    assert found.by_gold + found.still_wrong + found.refused == pytest.approx(1)
    assert found.left <= found.still_wrong
    assert found.regression == 0


def test_empty_answers_are_seen() -> None:
    """Given a greeting and a claim, then one is empty, and the other isn't taken for it."""
    hello, claim = rows(1)[0], rows(1)[1]
    empty = Row("hello", hello.query, hello.evidence, "Hello!", False, hello.cluster, "en", "nothing_to_check")
    found = desk("made", judged([empty, claim], POLICIES))
    assert (found.empty, found.empty_seen, found.claims, found.claims_taken) == (1, 1, 1, 0)


def test_golds_are_the_right_answers_of_a_pair() -> None:
    """Given a pair, then its faithful answer is gold; for TruthfulQA the list of right answers is too."""
    pair = rows(1)
    other = [row.over(("Another right answer.",)) for row in pair]
    assert sets.golds("made", pair) == {"made:0": (pair[0].answer,)}
    assert sets.golds("truthfulqa_loo", other) == {"made:0": (pair[0].answer, "Another right answer.")}


@pytest.mark.parametrize(
    ("goal", "value", "said"),
    [
        (goals.at_least(0.95), 0.95, "met"),
        (goals.at_least(0.95), 0.9499, "missed by .0001"),
        (goals.at_most(0.05), 0.081, "missed by .031"),
        (goals.same_as(0.9142), 0.91417, "met"),
        (goals.same_as(0.9142), 0.9, "missed by .014"),
        (None, 0.9, "-"),
        (goals.at_least(0.95), None, "-"),
    ],
)
def test_a_miss_is_told(goal: goals.Goal | None, value: float | None, said: str) -> None:
    """Given a figure beside its goal, then a miss says by how much."""
    assert markdown.met(goal, value) == said


def test_figures_are_written_short() -> None:
    """Given shares and counts, then they show the digits that count."""
    assert [markdown.figure(value) for value in (0.9142, 1.0, None)] == [".914", "1.000", "-"]
    assert [markdown.whole(value) for value in (4.25, 86.4, 1_646)] == ["4.2", "86", "1,600"]
    assert markdown.bound(goals.P99_US, "count") == "≤ 1,000"
    assert markdown.table(["a", "b"], [["x", "1"]]) == ["| a | b |", "| --- | ---: |", "| x | 1 |"]


@pytest.mark.skipif(not sets.there(), reason=sets.MISSING)
def test_the_sets_are_all_read() -> None:
    """Given the sets, then each has both kinds of answers, and both halves documents."""
    for name in sets.ALL:
        assert {row.hallucinated for row in sets.rows(name)} == {True, False}
        assert {row.half for row in sets.rows(name)} == {0, 1}
