"""What a policy says that its author can't mean: each remark, and a policy that earns none."""

from __future__ import annotations

from typing import Any

import pytest

from guardrail.judge.lint import lint
from tests.judge.turns import BOOKING_FORMAT, HOTEL, hotel

CALIBRATED = {"grounding": {"calibration": {"risk": 1.0, "level": 0.05, "answers": 40}}}


def remarks(**changes: Any) -> dict[str, str]:
    """Key -> remark on the small policy with these changes, calibrated."""
    return {hint.key: hint.text for hint in lint(hotel(**{**CALIBRATED, **changes}))}


def test_a_whole_policy_earns_no_remark() -> None:
    """Given a whole policy, then there is nothing to say."""
    assert remarks() == {}


BOOKING = "parameters.Booking_id"
REMARKS: list[tuple[dict[str, Any], str, str]] = [
    ({"prompt": ""}, "prompt", "empty: evidence_from_prompt can't be checked"),
    ({"intents": [], "parameters": []}, "intents", "none: every intent will be unknown"),
    (
        {"intents": [*HOTEL["intents"], {"id": "Fly", "name": "Fly Away"}]},
        "intents.Fly",
        "its name isn't in the prompt: the model doesn't know it",
    ),
    (
        {"booking": {"examples": {"valid": ["ABC123"], "invalid": ["x"]}}},
        f"{BOOKING}.examples.invalid",
        "1 given, 2 wanted: a loose pattern of the model would go unseen",
    ),
    (
        {"booking": {"examples": {"valid": [], "invalid": ["x", "y"]}}},
        f"{BOOKING}.examples.valid",
        "0 given, 1 wanted: a loose pattern of the model would go unseen",
    ),
    ({"booking": {"format": ""}}, f"{BOOKING}.format", "empty: a reprompt can't say which format is wanted"),
    (
        {"booking": {"format": "two letters"}},
        f"{BOOKING}.format",
        "isn't in the prompt: the model can't quote it as evidence",
    ),
    (
        {"booking": {"examples": {"valid": ["XKT904"], "invalid": ["ABC123", "x"]}}},
        f"{BOOKING}.examples.invalid",
        "lists 'ABC123', the example of the format text",
    ),
    (
        {"booking": {"pattern": "^X.*$", "examples": {"valid": ["XKT904"], "invalid": ["a", "b"]}}},
        f"{BOOKING}.pattern",
        "refuses 'ABC123', the example of the format text",
    ),
    (
        {"booking": {"format": "letters", "examples": {}}},
        BOOKING,
        "neither pattern nor example: only the model's own pattern decides",
    ),
    ({"evidence": []}, "evidence", "none: claims can only be reported as no_evidence"),
    ({"grounding": {}}, "grounding", "not calibrated: a low score only reports"),
    (
        {"replies": {"fallback": {"fr": "Pardon ?"}}},
        "replies.fallback",
        "no text in the policy's own locale en: the built-in one is used",
    ),
]


@pytest.mark.parametrize(("changes", "key", "text"), REMARKS)
def test_each_oversight_is_remarked_on(changes: dict[str, Any], key: str, text: str) -> None:
    """Given one oversight, then the remark names the key and says what follows from it."""
    assert remarks(**changes)[key] == text


def test_what_is_fine_is_not_remarked_on() -> None:
    """Given a pattern that takes the format's example, or replies in the own locale, then there is no remark."""
    pattern = {"booking": {"pattern": "^[A-Z]{3}[0-9]{3}$", "format": BOOKING_FORMAT}}
    assert remarks(**pattern) == {}
    assert remarks(replies={"fallback": {"en": "Sorry?"}}) == {}


def test_patterns_of_a_schema_that_may_take_long_are_remarked_on() -> None:
    """Given `pattern` keywords with look-arounds or references, then each is named; linear and unread ones aren't."""
    texts = {"a": {"pattern": "^(?=.*x).*$"}, "b": {"pattern": "^x+$"}, "c": {"anyOf": [{}, {"pattern": "(.)\\1"}]}}
    schema = {"type": "object", "properties": {**texts, "d": {"pattern": "\\p{Alphabetic}x"}}}
    found = [hint.text for hint in lint(hotel(response={"schema": schema})) if hint.key == "response.schema"]
    assert [text.split()[0] for text in found] == ["/properties/a/pattern", "/properties/c/anyOf/1/pattern"]


def test_a_schema_of_ones_own_may_have_no_intents() -> None:
    """Given a response schema of the operator's own, then a policy without intents is no oversight."""
    assert "intents" not in remarks(intents=[], parameters=[], response={"schema": {"type": "object"}})
