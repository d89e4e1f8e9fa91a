"""What only the last tier can tell: asked within bounds, kept with the decision, repeated by a replay."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from guardrail.backtracker import Backtracker
from guardrail.judge.decide import decide
from guardrail.judge.model import Decision, Execution, Outcome, Quadrant, RawRecord, Ruling, Source
from guardrail.judge.pattern import execute
from guardrail.judge.pattern.examples import LEFT_OVER_MAX, Examples, against
from guardrail.judge.pattern.last import LastTier, Question, question, recorded
from guardrail.judge.policy import Policy, compile_policy
from guardrail.judge.trial import ASKS_MAX
from tests.judge.turns import codes, hotel, item, parameter_turn, record

HARD = "(a+)(a+)(a+)\\3\\2\\1c"
"""The search gives up on it."""
VALUE = "a" * 80 + "c"
MATCHED, NOT_MATCHED, UNSUPPORTED = Execution.MATCHED, Execution.NOT_MATCHED, Execution.UNSUPPORTED


class Fake:
    """A last tier that says what it is told to, and keeps what it was asked."""

    def __init__(self, *answers: Execution) -> None:
        self.answers = answers
        self.asked: list[tuple[Source, Question]] = []

    def __call__(self, source: Source, asked: Question) -> Execution:
        self.asked.append((source, asked))
        return self.answers[(len(self.asked) - 1) % len(self.answers)]


def hard_record(count: int = 1, **changes: Any) -> RawRecord:
    """A turn whose pattern and value are left over by the search; `count` such parameters with values of their own."""
    values = [VALUE[number:] for number in range(count)]
    items = [item(parameter_value_format_regex=HARD, parameter_extracted_part=value, **changes) for value in values]
    return record(" ".join(values), parameter_turn(*items, message=" ".join(values), answer="Which one?"))


def decided(raw: RawRecord, last_tier: LastTier | None, policy: Policy | None = None) -> Decision:
    """The decision with this last tier."""
    policy = policy or hotel()
    [decision] = decide([raw], {policy.agent: policy}, last_tier=last_tier)
    return decision


def test_the_search_leaves_it_over() -> None:
    """Given the hard pair, then no other tier decides it; the question is ours, and its digest a name for it."""
    assert execute(HARD, VALUE).left_over
    asked = question(HARD, VALUE)
    assert asked == Question("(?P<g1>a+)(?P<g2>a+)(?P<g3>a+)(?P=g3)(?P=g2)(?P=g1)c", VALUE)
    assert len(asked.digest) == 16
    assert asked.digest != Question(asked.text, VALUE + "c").digest


@pytest.mark.parametrize(
    ("answer", "execution", "tier", "quadrant", "code"),
    [
        (MATCHED, MATCHED, "backtracker", Quadrant.AGREED, None),
        (NOT_MATCHED, NOT_MATCHED, "backtracker", Quadrant.MISMATCH, "param.simulate_true_mismatch"),
        (Execution.TIMED_OUT, Execution.TIMED_OUT, "none", Quadrant.UNDECIDED, "param.regex_timed_out"),
        (UNSUPPORTED, UNSUPPORTED, "none", Quadrant.UNDECIDED, "param.regex_unsupported"),
    ],
)
def test_its_answer_is_the_runs(
    answer: Execution, execution: Execution, tier: str, quadrant: Quadrant, code: str | None
) -> None:
    """Given an answer of the last tier, then the observation has it, its code is told, and the decision keeps it."""
    last_tier = Fake(answer)
    decision = decided(hard_record(), last_tier)
    [seen] = decision.observations
    assert (seen.execution, seen.tier, seen.quadrant) == (execution, tier, quadrant)
    assert code is None or code in codes(decision)
    [(source, asked)] = last_tier.asked
    assert source == decision.source
    assert decision.rulings == (Ruling(asked.digest, answer),)


def test_without_it_the_pattern_is_unsupported() -> None:
    """Given no last tier, or a policy that has none, then the pattern is unsupported, and nothing is on record."""
    alone = decided(hard_record(), None)
    assert "param.regex_unsupported" in codes(alone)
    assert (alone.rulings, alone.outcome) == ((), Outcome.REJECTED)
    last_tier = Fake(MATCHED)
    without = hotel(limits={"last_tier": False})
    assert "param.regex_unsupported" in codes(decided(hard_record(), last_tier, without))
    assert last_tier.asked == []
    assert without.revision != hotel().revision


def test_a_replay_repeats_what_was_said() -> None:
    """Given decisions with their rulings, then judging again from them alone gives the same decisions.

    Also where the same question was answered differently for two records.
    """
    raws = [hard_record(), msgspec.structs.replace(hard_record(), source=Source("raw", 0, 8))]
    first = [decided(raw, Fake(answer)) for raw, answer in zip(raws, (MATCHED, Execution.TIMED_OUT), strict=True)]
    assert first[0].outcome is not first[1].outcome or first[0].observations != first[1].observations
    policy = hotel()
    assert decide(raws, {policy.agent: policy}, last_tier=recorded(first)) == first
    assert decided(raws[0], recorded([])).observations[0].execution is UNSUPPORTED


def test_what_was_said_is_found_by_the_records_place() -> None:
    """Given a replay that doesn't know when the gate took the record in, then it still finds what was said of it."""
    raw = hard_record()
    taken = msgspec.structs.replace(raw, source=msgspec.structs.replace(raw.source, received_ms=1_790_000_000_500))
    assert decided(raw, recorded([decided(taken, Fake(MATCHED))])).observations[0].execution is MATCHED


def test_a_record_asks_so_often_and_no_more() -> None:
    """Given more left over than a record may ask for, then the rest is unsupported; the same question counts once."""
    last_tier = Fake(MATCHED)
    decision = decided(hard_record(ASKS_MAX + 3), last_tier)
    assert len(last_tier.asked) == ASKS_MAX == len(decision.rulings)
    assert [seen.execution for seen in decision.observations] == [MATCHED] * ASKS_MAX + [UNSUPPORTED] * 3
    twice = Fake(MATCHED)
    same = parameter_turn(*[item(parameter_value_format_regex=HARD, parameter_extracted_part=VALUE)] * 2, message=VALUE)
    decided(record(VALUE, same), twice)
    assert len(twice.asked) == 1


def test_examples_are_asked_too() -> None:
    """Given examples that the search gives up on, then the last tier's word on them discredits the pattern."""
    policy = hotel(booking={"examples": {"valid": ["a" * 78 + "c"], "invalid": ["a" * 76 + "c"]}})
    last_tier = Fake(MATCHED, NOT_MATCHED, MATCHED)
    decision = decided(hard_record(), last_tier, policy)
    assert {"param.format_text_regex_disagree", "param.regex_too_permissive"} <= codes(decision)
    assert len(decision.rulings) == 3
    fine = Fake(MATCHED, MATCHED, NOT_MATCHED)
    assert "param.regex_too_permissive" not in codes(decided(hard_record(), fine, policy))


def test_examples_that_the_search_gives_up_on_are_few() -> None:
    """Given many examples that keep the search busy, then after as many as may be asked the rest isn't tried."""
    hard = Examples(tuple("a" * number + "c" for number in range(40, 70)))
    assert len(against(HARD, hard).left_over) == LEFT_OVER_MAX == ASKS_MAX
    policy = hotel(booking={"examples": {"valid": list(hard.valid), "invalid": []}})
    last_tier = Fake(MATCHED)
    decided(hard_record(), last_tier, policy)
    assert len(last_tier.asked) == ASKS_MAX


def test_what_the_two_could_read_differently_isnt_asked() -> None:
    """Given a pattern with Unicode's tables, a doubtful or a folded reference, or none at all, there is no question."""
    for pattern in ("(\\p{L})\\1", "(a)?\\1", "(?i)(a)\\1", "(", "(a*)*\\1"):
        assert question(pattern, "a") is None


def test_an_operators_pattern_must_decide_its_examples() -> None:
    """Given an operator's pattern that its own example keeps busy, then the policy doesn't load."""
    text = (
        "version: 1\nagent: a\nparameters:\n  - id: p\n"
        f"    pattern: '{HARD}'\n    examples: {{valid: ['{VALUE}'], invalid: []}}\n"
    )
    with pytest.raises(Exception, match="takes too many steps to decide the example"):
        compile_policy(text)


def test_the_real_one_decides() -> None:
    """Given the real last tier, then what it says stands, and the replay without it says the same."""
    with Backtracker() as last_tier:
        decision = decided(hard_record(), last_tier)
    [seen] = decision.observations
    assert (seen.execution, seen.tier) == (MATCHED, "backtracker")
    assert decided(hard_record(), recorded([decision])) == decision
