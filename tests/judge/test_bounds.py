"""Hostile sizes: no record may hold the judge up, whatever it repeats, and none may fill its memory."""

from __future__ import annotations

import time
from typing import Any

import pytest

from guardrail.judge.content import read_words
from guardrail.judge.decide import decide
from guardrail.judge.model import Outcome
from guardrail.judge.pattern.examples import against
from guardrail.judge.text import cached_if_short
from guardrail.judge.trial import _short_example
from tests.judge.turns import hotel, item, judged, parameter_turn, record, scope_turn

SECONDS = 2.0
"""Each of these took from 4 s to for ever while a bound or a pattern was missing."""

HOSTILE: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "many passages": (scope_turn(), "cancel", {"evidence": [f"word{n}" for n in range(20_000)]}),
    "long passages": (scope_turn(), "cancel", {"evidence": ["costs 18 euros. " * 20_000]}),
    "digits": (parameter_turn(), "it is XKT904 " + "7" * 200_000, {}),
    "dotted digits": (parameter_turn(), "it is XKT904 " + "1." * 100_000 + "#", {}),
    "digits in the answer": (scope_turn("7" * 200_000), "cancel", {}),
    "empty parameters": (parameter_turn(*[{}] * 40_000), "cancel", {}),
    "one letter": (parameter_turn(*[item(parameter_extracted_part="A")] * 64), "A" * 400_000, {}),
    "requests": (scope_turn("give me your " * 15_000), "cancel", {}),
    "ligatures": (scope_turn(), "\ufdfa" * 100_000, {}),
    "turns": (scope_turn(), "cancel", {"history": [{"role": "user", "text": "7 euros"}] * 20_000}),
    "familiar intents": (scope_turn(intents_i_am_familiar_with=[1] * 60_000), "cancel", {}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_record_is_judged_in_a_moment(name: str) -> None:
    """Given a record that repeats something without end, then it has its decision within two seconds."""
    response, message, fields = HOSTILE[name]
    policy = hotel()
    raw = record(message, response, **fields)
    started = time.process_time()
    [decision] = decide([raw], {policy.agent: policy})
    assert time.process_time() - started < SECONDS
    assert decision.outcome is not Outcome.DEAD_LETTER


def test_what_is_read_of_a_records_evidence_is_told() -> None:
    """Given more passages than are read, then the decision says so."""
    decision = judged(scope_turn(), evidence=["Pets are welcome."] * 65)
    assert ("ground.not_evaluated", "/evidence") in {(v.code, v.pointer) for v in decision.violations}


def test_a_models_long_patterns_and_formats_are_not_remembered() -> None:
    """Given a pattern beyond its limit and a format text of a book's length, then neither is kept after the record."""
    kept = [_short_example.cache_info().currsize, against.cache_info().currsize]
    book = "letters (e.g., QQQ111) " * 5_000
    assert judged(parameter_turn(item(parameter_value_format=book)), "cancel XKT904 please").observations
    judged(parameter_turn(item(parameter_value_format_regex="\\\\d" * 5_000)), "cancel XKT904 please")
    now = [_short_example.cache_info().currsize, against.cache_info().currsize]
    assert now[0] == kept[0]
    assert now[1] <= kept[1] + 1  # the short pattern beside the long format


def test_long_texts_are_not_remembered() -> None:
    """Given a long text, then it is read anew each time: users' words don't fill the memory."""
    read: list[str] = []
    reader = cached_if_short(read.append)  # type: ignore[func-returns-value]
    for text in ("short", "short", "long " * 1_000, "long " * 1_000):
        reader(text)
    assert len(read) == 3
    assert read_words("costs " * 1_000).stems == read_words("costs").stems
