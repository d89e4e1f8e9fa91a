"""What must not stand in an answer: reasoning, markup, broken or reordering characters. It must never touch words."""

from __future__ import annotations

import re

from guardrail.judge.text import BIDI

LEAK = re.compile(
    r"</?(?:think|thinking|thought|reasoning|scratchpad|analysis)>|\b(?:simulate_regex_execution|out_of_scope_request"
    r"|intents_i_am_familiar_with|evidence_from_prompt|parameter_value_format(?:_regex)?|parameter_extracted_part)\b",
    re.IGNORECASE,
)
MARKUP = re.compile(
    r"<\|[a-z_]{1,40}\|>(?:assistant|user|system)?|\[/?INST\]|</?[A-Za-z][\w:-]{0,40}(?:\s[^<>]{0,200})?/?>"
)
_THOUGHT = re.compile(r"<(think|thinking|thought|reasoning|scratchpad|analysis)>[^<]*</\1>", re.IGNORECASE)
_MACHINE = re.compile(r"<(parameter|invoke|function|tool_call|function_call)\b[^<>]*>[^<]*</\1>", re.IGNORECASE)
_REORDERING = re.compile(f"[{BIDI}]")
_BROKEN = re.compile("[\0\ud800-\udfff]+")


def leaks(answer: str) -> bool:
    """Whether reasoning stands in the answer: its tags, or the names of its fields."""
    return LEAK.search(answer) is not None


def marks_up(answer: str) -> bool:
    """Whether markup or special tokens stand in the answer, the tags of reasoning aside."""
    return any(not LEAK.fullmatch(match.group()) for match in MARKUP.finditer(answer))


def clean(answer: str) -> str | None:
    """The answer without all that; null when words themselves are hurt, or nothing is left."""
    text = _MACHINE.sub("", _THOUGHT.sub("", answer))
    text = MARKUP.sub("", _REORDERING.sub("", text))
    for match in _BROKEN.finditer(text):
        if text[max(0, match.start() - 1) : match.start()].isalnum() and text[match.end() : match.end() + 1].isalnum():
            return None
    text = _BROKEN.sub("", text).strip()
    return None if leaks(text) or not text else text
