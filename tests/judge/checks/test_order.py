"""Reasoning first: what came too late is told, and how hard is the policy's choice."""

from __future__ import annotations

from typing import Any

import pytest

from guardrail.judge.model import Outcome
from tests.judge.turns import codes, hotel, item, judged, parameter_turn, pointers, scope_turn

MESSAGE = "cancel XKT904 please"


def reordered(fields: dict[str, Any], *first: str) -> dict[str, Any]:
    """The same fields, these ones first."""
    return {**{key: fields[key] for key in first}, **fields}


def scope(*first: str) -> dict[str, Any]:
    """A scope turn whose answer has these fields first."""
    turn = scope_turn()
    return {**turn, "generated_answer": reordered(turn["generated_answer"], *first)}


LATE = [
    (scope("answer"), "/generated_answer"),
    (scope("evidence_from_prompt", "answer"), "/generated_answer"),
    (parameter_turn(reordered(item(), "parameter_value_format_regex")), "/user_messages_analysis/parameters/0"),
    (
        parameter_turn(reordered(item(), "parameter_id", "simulate_regex_execution")),
        "/user_messages_analysis/parameters/0",
    ),
    (reordered(parameter_turn(), "generated_answer"), ""),
]


@pytest.mark.parametrize(("turn", "pointer"), LATE)
def test_reasoning_that_came_too_late_is_told_where(turn: dict[str, Any], pointer: str) -> None:
    """Given reasoning behind what it should condition, then it is told at that object and reported."""
    decision = judged(turn, MESSAGE)
    assert pointers(decision, "schema.field_order") == [pointer]
    assert decision.outcome is Outcome.APPROVED


IN_ORDER = [
    scope_turn(),
    reordered(scope_turn(), "generated_answer"),
    scope("out_of_scope_request", "evidence_from_prompt"),
    parameter_turn(),
    parameter_turn(reordered(item(), "parameter_value_format")),
    {"detected_intent": {"id": "Cancel_Reservation", "name": "Cancel Reservation"}, **parameter_turn()},
]


@pytest.mark.parametrize("turn", IN_ORDER)
def test_what_is_in_order_is_not_told(turn: dict[str, Any]) -> None:
    """Given reasoning before its object's operational fields, then nothing is told; a leading detected intent is
    fine.
    """
    assert "schema.field_order" not in codes(judged(turn, MESSAGE))


def test_strict_refuses_whatever_the_actions_say() -> None:
    """Given order strict, then a late reasoning field refuses the response even where on_fail ignores it."""
    policy = hotel(response={"order": "strict"}, on_fail={"schema.field_order": "ignore"})
    assert judged(scope("answer"), policy=policy).outcome is Outcome.REJECTED
    assert judged(scope_turn(), policy=policy).outcome is Outcome.APPROVED


def test_off_sees_nothing() -> None:
    """Given order off, then no order is wrong."""
    decision = judged(
        scope("answer"), policy=hotel(response={"order": "off"}, on_fail={"schema.field_order": "reject"})
    )
    assert codes(decision) == set()


def test_a_policy_may_refuse_what_it_reports_by_default() -> None:
    """Given order report and a reject for the code, then the response is refused."""
    assert judged(scope("answer"), policy=hotel(on_fail={"schema.field_order": "reject"})).outcome is Outcome.REJECTED


def own(reasoning: list[str], order: str) -> Any:
    """A policy with reasoning fields of its own, any shape allowed."""
    return hotel(response={"schema": {"type": "object"}, "reasoning": reasoning, "order": order})


OWN: list[tuple[list[str], dict[str, Any], str | None]] = [
    (["/steps/*/why"], {"steps": [{"why": "a", "do": "b"}], "generated_answer": {"answer": "Which night?"}}, None),
    (
        ["/steps/*/why"],
        {"steps": [{"do": "b", "why": "a"}], "generated_answer": {"answer": "Which night?"}},
        "/steps/0",
    ),
    (["/generated_answer/why"], {"generated_answer": {"answer": "Which night?", "why": "x"}}, "/generated_answer"),
    (["/generated_answer/why"], {"generated_answer": {"why": "x", "answer": "Which night?"}}, None),
    (["/why"], {"generated_answer": {"answer": "Which night?"}, "why": "x"}, ""),
    (["/why"], {"why": "x", "generated_answer": {"answer": "Which night?"}}, None),
    (["/gone/why"], {"generated_answer": {"answer": "Which night?"}}, None),
    (["/steps/*/why"], {"steps": "none", "generated_answer": {"answer": "Which night?"}}, None),
]


@pytest.mark.parametrize(("reasoning", "turn", "pointer"), OWN)
def test_reasoning_fields_of_ones_own_come_first_too(
    reasoning: list[str], turn: dict[str, Any], pointer: str | None
) -> None:
    """Given a policy's own reasoning pointers, then order is asked of them at the root, in objects and in list
    items.
    """
    told = [] if pointer is None else [pointer]
    reported = judged(turn, policy=own(reasoning, "report"))
    strict = judged(turn, policy=own(reasoning, "strict"))
    assert pointers(reported, "schema.field_order") == pointers(strict, "schema.field_order") == told
    assert reported.outcome is Outcome.APPROVED
    assert strict.outcome is (Outcome.REJECTED if told else Outcome.APPROVED)
    assert "schema.field_order" not in codes(judged(turn, policy=own(reasoning, "off")))
