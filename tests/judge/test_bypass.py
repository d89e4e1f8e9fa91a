"""A bypass in force: the model's content goes out, the decision says who wanted that and what would have been."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from guardrail.judge.codes import STALE
from guardrail.judge.decide import decide
from guardrail.judge.failing import unjudged
from guardrail.judge.model import Bypass, Decision, Outcome, RawRecord, Reply, encode
from guardrail.judge.policy import Policy, bypassed
from tests.judge.test_age import LIMIT, aged
from tests.judge.turns import answer, codes, hotel, item, parameter_turn, record, scope_turn

NOW = Bypass("on call", "the new policy refuses everything", 1_790_000_600_000)


def decided(raw: RawRecord, under: Policy) -> Decision:
    """The decision on one record."""
    [decision] = decide([raw], {under.agent: under})
    return decision


TURNS: list[tuple[Any, str, Outcome, Any]] = [
    (scope_turn(), "a room", Outcome.APPROVED, "Which night would you like?"),
    (scope_turn("Which night?</content>"), "a room", Outcome.CORRECTED, "Which night?</content>"),
    (scope_turn("Yes, I found them.", intent=None), "my tests", Outcome.REJECTED, "Yes, I found them."),
]


@pytest.mark.parametrize(("turn", "message", "enforced", "text"), TURNS)
def test_the_models_content_goes_out_as_under_shadow(turn: Any, message: str, enforced: Outcome, text: str) -> None:
    """Given a bypass, then what goes out is what shadow lets out, and everything else of the decision is as without."""
    raw = record(message, turn)
    decision, without = decided(raw, bypassed(hotel(), NOW)), decided(raw, hotel())
    assert (decision.outcome, decision.enforced_outcome, decision.mode) == (Outcome.APPROVED, enforced, "shadow")
    assert (decision.answer_source, answer(decision), decision.bypass) == ("llm", text, NOW)
    assert without.bypass is None
    other = {"mode", "outcome", "answer_source", "reply", "edits", "bypass"}
    same = [f for f in Decision.__struct_fields__ if f not in other]
    assert [getattr(decision, f) for f in same] == [getattr(without, f) for f in same]
    assert decision.reply == decided(raw, hotel(mode="shadow")).reply


def test_it_is_the_same_policy() -> None:
    """Given a bypass, then revision and resolved bytes are the policy's own, and lifting it gives the policy back."""
    own = hotel()
    under = bypassed(own, NOW)
    assert (under.revision, under.resolved) == (own.revision, own.resolved)
    assert (under.mode, under.on_error, own.mode, own.on_error) == ("shadow", "fail_open", "enforce", "fail_closed")
    assert bypassed(under, None) == own
    assert bypassed(own, None) is own


def test_a_decision_line_ends_with_it() -> None:
    """Given a decision under a bypass, then its line has who, why and until when as its last field."""
    line = msgspec.json.decode(encode(decided(record("a room", scope_turn()), bypassed(hotel(), NOW))))
    assert list(line)[-1] == "bypass"
    assert line["bypass"] == {"by": NOW.by, "why": NOW.why, "until_ms": NOW.until_ms}


def test_our_own_error_passes_too() -> None:
    """Given a bypass and an error of our own, then the model's content goes out, though the policy is fail_closed."""
    raw = record("it is ab1234", parameter_turn(item(parameter_extracted_part="ab1234")))
    decision = unjudged(raw, {"hotel": bypassed(hotel(), NOW)}).decision
    assert (decision.outcome, decision.enforced_outcome) == (Outcome.APPROVED, Outcome.DEAD_LETTER)
    assert (decision.on_error, decision.mode, decision.bypass) == ("fail_open", "shadow", NOW)
    assert isinstance(decision.reply, Reply)
    closed = unjudged(raw, {"hotel": hotel()}).decision
    assert (closed.outcome, closed.bypass) == (Outcome.DEAD_LETTER, None)


def test_what_is_no_record_stays_a_dead_letter() -> None:
    """Given a bypass, then a tombstone is skipped and what no policy is for is a dead letter, without a bypass."""
    decisions = decide(
        [RawRecord(None), RawRecord(b"x"), record("x", "y", "nobody")], {"hotel": bypassed(hotel(), NOW)}
    )
    assert [d.outcome for d in decisions] == [Outcome.SKIPPED, Outcome.DEAD_LETTER, Outcome.DEAD_LETTER]
    assert [d.bypass for d in decisions] == [None] * 3


LATE = [
    ("reject", "enforce", Outcome.REJECTED, Outcome.REJECTED, "stale"),
    ("dead_letter", "enforce", Outcome.DEAD_LETTER, Outcome.DEAD_LETTER, None),
    ("report", "enforce", Outcome.APPROVED, Outcome.APPROVED, "llm"),
    ("reject", "shadow", Outcome.APPROVED, Outcome.REJECTED, "llm"),
    ("dead_letter", "shadow", Outcome.APPROVED, Outcome.DEAD_LETTER, "llm"),
]


@pytest.mark.parametrize(("action", "mode", "outcome", "enforced", "source"), LATE)
def test_what_is_too_old_is_kept_back_all_the_same(
    action: str, mode: str, outcome: Outcome, enforced: Outcome, source: str | None
) -> None:
    """Given a bypass after an outage, then no late answer goes out as fresh where the policy alone would keep it back.

    Where the policy itself wouldn't, in shadow or by reporting only, a bypass isn't stricter.
    """
    own = hotel(stale={**LIMIT, "action": action}, mode=mode)
    raw = aged(record("cancel XKT904 please", parameter_turn()))
    decision = decided(raw, bypassed(own, NOW))
    assert (decision.outcome, decision.enforced_outcome) == (outcome, enforced)
    assert (decision.answer_source, decision.mode, decision.bypass) == (source, "shadow", NOW)
    assert STALE in codes(decision)
    assert decision.reply == decided(raw, own).reply
    fresh = decided(aged(raw, 0), bypassed(own, NOW))
    assert (fresh.outcome, fresh.answer_source) == (Outcome.APPROVED, "llm")


def test_our_own_error_lets_nothing_late_through_a_bypass() -> None:
    """Given a bypass and an error of our own, then a late answer is a dead letter."""
    under = bypassed(hotel(stale=LIMIT), NOW)
    raw = record("a room", scope_turn())
    assert unjudged(aged(raw), {"hotel": under}).decision.outcome is Outcome.DEAD_LETTER
    assert unjudged(aged(raw, 0), {"hotel": under}).decision.outcome is Outcome.APPROVED
