"""The closed list: complete entries, and which actions each allows."""

from __future__ import annotations

import pytest

from guardrail.judge.codes import CODES, FAMILIES, Code
from guardrail.judge.model import Action


@pytest.mark.parametrize("code", CODES.values(), ids=str)
def test_every_code_is_explained(code: Code) -> None:
    """Given a code, then it has a family, a meaning and an example, and its default is possible."""
    assert code.family in FAMILIES
    assert code.meaning
    assert code.example
    assert code.allows(code.default) or code.default is Action.DEAD_LETTER or code.set_by


def test_the_families_are_those_of_the_list() -> None:
    """Given the list, then every family has a code and there is no other."""
    assert {code.family for code in CODES.values()} == FAMILIES


ALLOWED = [
    ("syntax.code_fence", {"reject", "report", "ignore"}),
    ("syntax.truncated", {"reject"}),
    ("ground.number_mismatch", {"reject", "correct", "report", "ignore"}),
    ("encoding.nul_char", {"reject", "correct", "report", "ignore"}),
    ("encoding.invalid_utf8", set()),
    ("transport.unknown_agent", set()),
    ("transport.stale", set()),
    ("param.trimmed", {"reject", "report", "ignore"}),
]


@pytest.mark.parametrize(("name", "allowed"), ALLOWED)
def test_an_action_is_possible_or_not(name: str, allowed: set[str]) -> None:
    """Given a code, then `on_fail` may set those actions for it; it makes a dead letter of nothing."""
    assert {action.value for action in Action if CODES[name].allows(action)} == allowed


DEFAULTS = {
    "syntax.code_fence": "report",
    "types.duplicate_key": "report",
    "schema.missing_field": "reject",
    "schema.field_order": "report",
    "schema.unknown_field": "report",
    "schema.coerced": "report",
    "catalog.unknown_intent": "reject",
    "catalog.intent_case": "report",
    "catalog.parameter_case": "report",
    "catalog.intent_normalised": "report",
    "param.simulate_true_mismatch": "reject",
    "param.simulate_false_match": "reject",
    "param.normalised_allowed": "report",
    "param.trimmed": "report",
    "param.value_from_history": "report",
    "consistency.reasoning_leak": "correct",
    "consistency.markup_leak": "correct",
    "consistency.answer_contradicts_evidence": "correct",
    "consistency.language_mismatch": "report",
    "consistency.evidence_loose_match": "report",
    "consistency.claims_done_action": "reject",
    "ground.number_mismatch": "correct",
    "ground.no_evidence": "report",
    "ground.not_evaluated": "report",
    "ground.below_tau": "report",
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_the_defaults_are_the_published_ones(name: str) -> None:
    """Given a code, then its default action is the one that was published for it or its family."""
    assert CODES[name].default.value == DEFAULTS[name]
