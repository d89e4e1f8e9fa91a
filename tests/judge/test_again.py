"""What a replay sets before it judges a record again, from the decision on record."""

from __future__ import annotations

from guardrail.judge.again import Circumstances, circumstances
from guardrail.judge.decide import decide
from guardrail.judge.model import Outcome
from guardrail.judge.policy import bypassed
from tests.judge.test_age import LIMIT, aged
from tests.judge.test_bypass import NOW, decided
from tests.judge.turns import hotel, record, scope_turn


def test_a_decision_tells_what_to_set_before_it_is_made_again() -> None:
    """Given a decision on record, then a plain record and the plain policy, put so, give the very decision again."""
    own = hotel(stale=LIMIT)
    late, plain = aged(record("a room", scope_turn())), record("a room", scope_turn())
    for under in (own, bypassed(own, NOW)):
        decision = decided(late, under)
        then = circumstances(decision)
        assert then == Circumstances(late.source.received_ms, under.bypass)
        assert then.received(plain) == late
        assert decide([then.received(plain)], then.in_force({"hotel": bypassed(own, NOW)})) == [decision]
        assert decided(plain, own) != decision


def test_another_policys_age_tells_what_it_would_have_done() -> None:
    """Given a late record that passed under a policy without an age, then a replay under one with an age refuses it."""
    late, plain = aged(record("a room", scope_turn())), record("a room", scope_turn())
    passed = decided(late, hotel())
    assert passed.outcome is Outcome.APPROVED
    again = decided(circumstances(passed).received(plain), hotel(stale=LIMIT))
    assert (again.outcome, again.answer_source) == (Outcome.REJECTED, "stale")
