"""Hostile sizes: no record may hold the judge up, whatever it repeats, and none may fill its memory."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from guardrail.judge.content import read_words
from guardrail.judge.decide import decide
from guardrail.judge.model import Execution, Outcome
from guardrail.judge.pattern.examples import against
from guardrail.judge.text import cached_if_short
from guardrail.judge.trial import COMPARISONS_MAX, COSTLY_MAX, COSTLY_RUNS_MAX, _short_example
from tests.judge.turns import hotel, item, judged, parameter_turn, pointers, record, scope_turn

SECONDS = 2.0
"""Each of these took from 2 s to for ever while a bound or a pattern was missing."""

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
    "figures in answer and evidence": (
        scope_turn(" ".join(f"{n} euros" for n in range(700))),
        "how much?",
        {"evidence": [" ".join(f"{n} euros" for n in range(110))] * 64},
    ),
    "ranges of days": (scope_turn("Monday to Sunday " * 450), "when?", {"evidence": ["Monday to Sunday " * 60] * 64}),
    "copies": (
        scope_turn("Dogs cost 6 euros per night here. " * 230),
        "how much?",
        {"evidence": ["Dogs cost 5 euros per night here. " * 30] * 64},
    ),
    "familiar intents": (scope_turn(intents_i_am_familiar_with=[1] * 60_000), "cancel", {}),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_record_is_judged_in_a_moment(name: str) -> None:
    """Given a record that repeats something without end, then it has its decision within two seconds."""
    response, message, fields = HOSTILE[name]
    policy = hotel()
    raw = record(message, response, **fields)
    started = time.thread_time()
    [decision] = decide([raw], {policy.agent: policy})
    assert time.thread_time() - started < SECONDS
    assert decision.outcome is not Outcome.DEAD_LETTER


PATTERNS: dict[str, Callable[[int], str]] = {
    "large": lambda n: f"(?:.?){{190}}(?:a?){{19{n % 10}}}[a-{chr(98 + n % 24)}]{{0,9{n:02}}}!",
    "searched": lambda n: f"(?=[^é]*)((?:.?|[ab]?){{0,1{n:02}}})\\1\\D*+(\\D?)\\1!",
    "left over": lambda n: f"(a+)(a+)(a+)\\3\\2\\1{{1,{n + 1}}}c",
    "compared": lambda n: f"(?:(?=.*a)){{8}}(?:.*[a-{chr(98 + n % 24)}])?(?:.*c){{0,{n}}}[^a-z]{{0,900}}",
    "doubled": lambda n: f"(?:\\\\d?){{190}}(?:a?){{1{n:02}}}!",
    "folded": lambda n: "(?i)" + "".join(f"[{chr(0x100 + n + i)}-\U0010ffff]" for i in range(60)),
    "halved": lambda n: f"(y{{3,}})(y{{3,}})(y{{3,}})\\\\1{{9}}\\\\2{{9}}\\\\3{{{n + 1}}}\\\\D?c?",
    "many skips": lambda n: f"(?i)[^a]{{0,5}}(?:[^é]{{0,5}}){{0,{n + 20}}}X?!",
    "look-arounds": lambda n: "".join(f"(?=.*[^{chr(97 + i)}])" for i in range(8)) + f"[a-z]{{0,{900 + n}}}",
}


@pytest.mark.parametrize("kind", PATTERNS)
def test_a_record_of_costly_patterns_is_judged_in_a_moment(kind: str) -> None:
    """Given 64 parameters, each with a costly pattern of its own, many long examples and an operator's pattern."""
    examples = {"valid": ["a" * 250 + str(n) for n in range(6)], "invalid": ["b" * 250 + str(n) for n in range(6)]}
    policy = hotel(booking={"pattern": "[ab]*[0-9]?", "examples": {**examples, "invalid": ["-" * 250]}})
    value = "a" * 250
    items = [item(parameter_value_format_regex=PATTERNS[kind](n), parameter_extracted_part=value) for n in range(64)]
    raw = record(value, parameter_turn(*items, message=value))
    started = time.thread_time()
    [decision] = decide([raw], {policy.agent: policy})
    assert time.thread_time() - started < SECONDS
    assert len(decision.observations) == 64
    assert decide([raw], {policy.agent: policy}) == [decision]


def test_so_many_costly_patterns_and_no_more() -> None:
    """Given more costly patterns than a record may bring, then the rest is refused unrun, whatever is remembered."""
    hard = [f"(\\d)\\1{'x' * n}" for n in range(COSTLY_MAX + 2)]
    items = [item(parameter_value_format_regex=pattern, parameter_extracted_part="77") for pattern in hard]
    for _ in range(2):
        seen = judged(parameter_turn(*items, message="77"), "77").observations
        assert [one.execution for one in seen[-3:]] == [Execution.NOT_MATCHED, Execution.UNSAFE, Execution.UNSAFE]


def test_costly_patterns_are_run_so_often_and_no_more() -> None:
    """Given one costly pattern and more values than a record may have it run over, then the rest is refused."""
    values = [f"77{number:02}" for number in range(COSTLY_RUNS_MAX + 2)]
    items = [item(parameter_value_format_regex="(\\d)\\1\\d+", parameter_extracted_part=one) for one in values]
    for _ in range(2):
        seen = judged(parameter_turn(*items, message=" ".join(values)), " ".join(values)).observations
        assert [one.execution for one in seen] == [Execution.MATCHED] * COSTLY_RUNS_MAX + [Execution.UNSAFE] * 2


def test_an_answer_full_of_codes_is_judged_in_a_moment() -> None:
    """Given an answer of hundreds of codes that are formed like the value, and must be corrected, so judged twice."""
    pattern = "Q1W2E3R4|" + "([A-Z0-9]*)" * 6 + "\\1!?\\2!?\\3!?\\4!?\\5!?\\6!?(?:\\1|\\2|\\3|\\4)*[A-Z0-9]?(?!.*)"
    codes = " ".join(f"A{n % 10}B{n // 10 % 10}C{n // 100 % 10}D4" for n in range(870))
    changed = item(parameter_value_format_regex=pattern, parameter_extracted_part="Q1W2E3R4", parameter_value_format="")
    raw = record("its Q1W2E3R4", parameter_turn(changed, message="its Q1W2E3R4", answer=f"Q1W2E3R4? \u202e{codes}"))
    policy = hotel(booking={"examples": {}})
    started = time.thread_time()
    [decision] = decide([raw], {policy.agent: policy})
    assert time.thread_time() - started < SECONDS
    assert decision.observations[0].execution is Execution.MATCHED


def test_so_many_comparisons_and_no_more() -> None:
    """Given more patterns beside the operator's than a record may have compared, then the rest is told by values."""
    policy = hotel(booking={"pattern": "^[A-Z]{3}[0-9]{3}$"})
    patterns = [f"[A-Z]{{3}}[0-9]{{3,{n + 4}}}" for n in range(COMPARISONS_MAX + 2)]
    items = [item(parameter_value_format_regex=pattern) for pattern in patterns]
    looser = pointers(judged(parameter_turn(*items), "cancel XKT904 please", policy), "param.regex_looser")
    assert len(looser) == COMPARISONS_MAX


def test_a_schemas_pattern_is_bounded_too() -> None:
    """Given an operator's schema whose pattern goes back and forth, then a long text is refused in a moment."""
    answer = {"type": "object", "properties": {"answer": {"type": "string", "pattern": "(?=a)(a+)+b$"}}}
    policy = hotel(response={"schema": {"type": "object", "properties": {"generated_answer": answer}}})
    raw = record("cancel", {"generated_answer": {"answer": "a" * 7_900}})
    started = time.thread_time()
    [decision] = decide([raw], {policy.agent: policy})
    assert time.thread_time() - started < SECONDS
    assert decision.outcome is Outcome.REJECTED


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
