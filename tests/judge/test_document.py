"""Reading a response: what may pass, what must never pass, and that hostile text costs no more than its length."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from guardrail.judge.document import Reading, Shape, read_response
from tests.judge.readings import codes, fatal

SHAPE = Shape()
TOOL = Shape(tool="respond")
HERE = Path(__file__).parent
SHARED = HERE.parents[2] / "shared"

GOOD: dict[str, Any] = {
    "detected_intent": {"id": "book", "name": "Book"},
    "generated_answer": {
        "evidence_from_prompt": "Supported intents: Book.",
        "intents_i_am_familiar_with": ["Book", "Cancel"],
        "out_of_scope_request": False,
        "answer": "Which day?",
    },
}
OTHER: dict[str, Any] = {**GOOD, "generated_answer": {**GOOD["generated_answer"], "answer": "It is done."}}
TEXT = json.dumps(GOOD)
OTHER_TEXT = json.dumps(OTHER)
SCHEMA = '{"type":"object","properties":{"generated_answer":{"type":"object"}},"required":["generated_answer"]}'


def with_answer(raw: str) -> str:
    """The good response with this JSON text as its answer."""
    return TEXT.replace('"Which day?"', raw)


PASSES = [
    (TEXT, set()),
    (f"  {TEXT}\n\n", set()),
    (f"\ufeff{TEXT}", {"syntax.bom"}),
    (f"```json\n{TEXT}\n```", {"syntax.code_fence"}),
    (f"~~~\n{TEXT}\n~~~", {"syntax.code_fence"}),
    (f"```json\n{TEXT}", {"syntax.code_fence"}),
    (f"`{TEXT}`", {"syntax.code_fence"}),
    (f"```json\n{TEXT[:-1]}\n```", {"syntax.code_fence", "syntax.missing_closer"}),
    (f"Here it is: {TEXT}", {"syntax.prose_prefix"}),
    (f"Use {{name}} and [note]: {TEXT}", {"syntax.prose_prefix"}),
    (f"{TEXT}\nAnything else?", {"syntax.prose_suffix"}),
    (f"{TEXT};", {"syntax.prose_suffix"}),
    (f"{TEXT}}}", {"syntax.prose_suffix"}),
    (f"{TEXT} (see {{name}})", {"syntax.prose_suffix"}),
    (f"\u200b{TEXT}", {"encoding.invisible_chars"}),
    (f"{TEXT}\x00", {"encoding.nul_char"}),
    (f"<think>maybe {OTHER_TEXT}</think>{TEXT}", {"syntax.think_block"}),
    (f"<thinking lang='en'>\nHm.</thinking>\n{TEXT}", {"syntax.think_block"}),
    (f"{OTHER_TEXT} hm {{no}}\n</think>\n{TEXT}", {"syntax.think_block"}),
    (f'{{"a": broken }} </think>{TEXT}', {"syntax.think_block"}),
    (f"<think>a</think>{OTHER_TEXT}</think>{TEXT}", {"syntax.think_block"}),
    (f"{TEXT}<think>done</think>", {"syntax.think_block"}),
    (f"[THINK]x[/THINK]{TEXT}", {"syntax.think_block"}),
    (f"<|channel|>analysis<|message|>{OTHER_TEXT}<|end|><|start|>assistant<|channel|>final<|message|>{TEXT}",
     {"syntax.think_block"}),
    (f"{TEXT}\n{TEXT}", {"syntax.repeated_object"}),
    (f"{SCHEMA}\n{TEXT}", {"syntax.multiple_objects", "schema.schema_echo"}),
    (f'He sent {{"generated_answer": {{"answer": "free"}}}} so: {TEXT}',
     {"syntax.prose_prefix", "syntax.multiple_objects"}),
    (f"[{TEXT}]", {"schema.array_wrapped"}),
    (f"[{TEXT},{TEXT}]", {"schema.array_wrapped", "syntax.repeated_object"}),
    (json.dumps({"response": GOOD}), {"schema.wrapper_key"}),
    (json.dumps({"data": {"result": GOOD}}), {"schema.wrapper_key"}),
    (json.dumps([{"generated_text": TEXT}]), {"schema.array_wrapped", "schema.wrapper_key", "syntax.double_encoded"}),
    (json.dumps({"output": TEXT}), {"schema.wrapper_key", "syntax.double_encoded"}),
    (json.dumps(TEXT), {"syntax.double_encoded"}),
    (json.dumps(json.dumps(TEXT)), {"syntax.double_encoded"}),
    (TEXT.replace('"', '\\"'), {"syntax.double_encoded"}),
    (f"'{TEXT}'", {"syntax.double_encoded", "syntax.prose_prefix", "syntax.prose_suffix"}),
    (f"<tool_call>{TEXT}</tool_call>", {"syntax.tool_call_text"}),
    (f"<function=respond>{TEXT}</function>", {"syntax.tool_call_text"}),
    (f"<tool_call>{json.dumps({'name': 'respond', 'arguments': TEXT})}</tool_call>",
     {"syntax.tool_call_text", "schema.wrapper_key"}),
    (f"```tool_code\nprint(default_api.respond({TEXT}))\n```",
     {"syntax.tool_call_text", "syntax.prose_prefix", "syntax.prose_suffix", }),
    (f"[TOOL_CALLS] {json.dumps([{'name': 'respond', 'arguments': GOOD}])}",
     {"syntax.tool_call_text", "schema.array_wrapped", "schema.wrapper_key"}),
    *((json.dumps({"name": "respond", key: GOOD}), {"schema.wrapper_key"}) for key in ("arguments", "args", "input")),
    (json.dumps({"type": "function", "function": {"name": "functions.respond", "arguments": TEXT}}),
     {"schema.wrapper_key"}),
    (json.dumps({"tool_uses": [{"recipient_name": "functions.respond", "parameters": GOOD}]}),
     {"schema.wrapper_key", "envelope.multi_tool_use"}),
    (TEXT[:-1] + ', "n": 123456789012345678901}', {"types.big_int"}),
    (with_answer('"Which\u202e day?"').replace("Which day?", "x"), {"encoding.bidi_control"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), PASSES)
def test_what_needs_no_guess_is_read(text: str, expected: set[str]) -> None:
    """Wrapping of any known kind is taken off, told, and never fatal."""
    reading = read_response(text, TOOL)
    assert codes(reading) == expected
    assert not fatal(reading)
    assert reading.tree is not None
    assert reading.tree["detected_intent"] == GOOD["detected_intent"]
    assert reading.tree["generated_answer"]["answer"] in ("Which day?", "Which\u202e day?")


NEVER = [
    ("", "syntax.empty"),
    (" \n\t", "syntax.empty"),
    ("\ufeff", "syntax.empty"),
    ("```json\n```", "syntax.empty"),
    ("Which day?", "syntax.no_json"),
    ("I'm sorry, but I can't help with that.", "envelope.refusal"),
    ("Je suis désolé, je ne peux pas vous aider.", "envelope.refusal"),
    ("Lo siento, no puedo ayudarle.", "envelope.refusal"),
    ("null", "schema.not_object"),
    (" 12 ", "schema.not_object"),
    ('"hello"', "schema.not_object"),
    ('""', "schema.not_object"),
    ("[]", "schema.not_object"),
    ("[1, 2]", "schema.not_object"),
    (f'["x", {TEXT}]', "schema.not_object"),
    (f'["x", {TEXT},]', "schema.not_object"),
    (f"[1, {TEXT},]", "syntax.truncated"),
    (f"[[{TEXT}]]", "schema.not_object"),
    ("{", "syntax.truncated"),
    ("Here: {\n", "syntax.truncated"),
    (TEXT[1:], "syntax.truncated"),
    (TEXT[2:], "syntax.truncated"),
    (TEXT[60:], "syntax.truncated"),
    (TEXT[len('{"detected_intent": ') :], "syntax.truncated"),
    ('answer": "Which day?"}}', "syntax.truncated"),
    (TEXT[:-20], "syntax.truncated"),
    (f"{{{TEXT}}}", "syntax.truncated"),
    (f"Fill in {{ 1 or: {TEXT}", "syntax.truncated"),
    (TEXT.replace("{", "{{").replace("}", "}}"), "syntax.unescaped_quote"),
    (f'Like {{"this"}}: {TEXT}', "syntax.unescaped_quote"),
    (with_answer('"Press "}}" to go"'), "syntax.unescaped_quote"),
    (with_answer("'Use {guests'}} to enter'"), "syntax.unescaped_quote"),
    (f"'{with_answer(chr(34) + 'a' + chr(92) + 'n' + chr(34))}'", "syntax.double_encoded"),
    (json.dumps(json.dumps(json.dumps(TEXT))), "syntax.double_encoded"),
    (f"<think>hm {TEXT}", "syntax.truncated"),
    (f"<think>{TEXT}</think>", "syntax.no_json"),
    (f"{TEXT}</think>", "syntax.no_json"),
    (f"{TEXT}{OTHER_TEXT}", "syntax.multiple_objects"),
    (f"[{TEXT},{OTHER_TEXT}]", "syntax.multiple_objects"),
    (f'{TEXT}\nCorrection: use {{"answer": "Please confirm"}}.', "syntax.multiple_objects"),
    (f"{TEXT}{SCHEMA}", "syntax.multiple_objects"),
    (f'{{"error": "overloaded"}}{TEXT}', "syntax.multiple_objects"),
    ("{}" * 40, "syntax.multiple_objects"),
    ("[" + "{}," * 40 + "{}]", "syntax.multiple_objects"),
    ('data: {"choices":[{"delta":{"content":"x"}}]}\n\ndata: {"choices":[{"delta":{"content":"y"}}]}',
     "envelope.stream_chunk"),
    ("<tool_call>" + json.dumps({"name": "respond", "arguments": GOOD}) + "</tool_call><tool_call>"
     + json.dumps({"name": "respond", "arguments": OTHER}) + "</tool_call>", "envelope.multiple_calls"),
    (json.dumps({"name": "open_account", "arguments": GOOD}), "envelope.unknown_tool"),
    (json.dumps({"name": "respond", "arguments": {}}), "envelope.no_content"),
    (json.dumps({"name": "respond", "arguments": ""}), "envelope.no_content"),
    (f"<function=open_account>{TEXT}</function>", "envelope.unknown_tool"),
    (f"open_account({TEXT})", "envelope.unknown_tool"),
    ('<invoke name="respond"><parameter name="answer">Which day?</parameter></invoke>', "syntax.no_json"),
    ('<invoke name="respond"><parameter name="generated_answer">{"answer": "x"}</parameter></invoke>',
     "syntax.no_json"),
    ("<function_call>respond</function_call>", "syntax.no_json"),
    (TEXT[:-1] + ', "n": Infinity}', "syntax.nonfinite_number"),
    (TEXT[:-1] + ', "n": 1e999}', "syntax.nonfinite_number"),
    (TEXT[:-1] + ', "n": 007}', "syntax.leading_zero_number"),
    ('{"generated_answer":' + "[" * 100_000 + "]" * 100_000 + "}", "limits.too_deep"),
    ("[" * 100_000, "limits.too_deep"),
    (with_answer('"' + "la " * 100_000 + '"'), "limits.too_large"),
    ('{"a": "' + "la " * 100_000, "syntax.truncated"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), NEVER)
def test_what_needs_a_guess_is_never_read(text: str, code: str) -> None:
    """An unreadable text gives no tree, and a fatal finding says why."""
    reading = read_response(text, TOOL)
    assert reading.tree is None
    assert code in fatal(reading)


def test_a_schema_echo_is_never_approved() -> None:
    """A schema in place of an answer stays a tree, so that its missing fields can be named, but is fatal."""
    echoes = [
        SCHEMA,
        '{"$schema": "x", "title": "Response"}',
        '{"name": "respond", "parameters": ' + SCHEMA + "}",
        '{"type": "json_schema", "json_schema": {"name": "r", "schema": {}}}',
        '{"detected_intent": {"type": "object", "properties": {}}, "generated_answer": {"type": "object", "enum": []}}',
        '{"properties": {}, "additionalProperties": false}',
        '{"type": ["object", "null"], "properties": {}}',
        '{"schema": {"type": "string"}}',
    ]
    for text in echoes:
        reading = read_response(text, SHAPE)
        assert "schema.schema_echo" in fatal(reading), text


def test_an_ambiguous_field_is_removed_and_the_rest_stays_readable() -> None:
    """Two answers under one key: neither is in the tree, the intent still is."""
    reading = read_response(with_answer('"Which day?", "answer": "It is done."'), SHAPE)
    assert reading.tree is not None
    assert "answer" not in reading.tree["generated_answer"]
    assert reading.tree["detected_intent"] == GOOD["detected_intent"]
    assert reading.ambiguous == {"/generated_answer/answer"}
    assert [(one.code, one.pointer) for one in reading.findings] == [
        ("types.duplicate_key", "/generated_answer/answer")
    ]
    assert fatal(reading) == {"types.duplicate_key"}


@pytest.mark.parametrize(
    "again",
    [
        '"answer": "\\u003a"',  # an escaped colon makes up for the colon that went with the lost key
        '"\\u0061nswer": "x"',
        '"answer": null',
        '"answer": {"b": ":"}',
    ],
)
def test_no_spelling_hides_a_doubled_key(again: str) -> None:
    """The quick count of colons can't be deceived."""
    reading = read_response(with_answer(f'"Which day?", {again}'), SHAPE)
    assert fatal(reading) == {"types.duplicate_key"}


def test_a_doubled_key_with_one_value_is_only_told() -> None:
    """No ambiguity, no refusal."""
    reading = read_response(with_answer('"Which day?", "answer": "Which day?"'), SHAPE)
    assert reading.tree == GOOD
    assert codes(reading) == {"types.duplicate_key"}
    assert not fatal(reading)


def test_ambiguity_is_followed_through_wrappers() -> None:
    """Inside a wrapper, a call or an encoded container the pointer is rooted in the unwrapped response."""
    doubled = with_answer('"Which day?", "answer": "It is done."')
    for text in (f'{{"response": {doubled}}}', f'{{"name": "respond", "arguments": {doubled}}}', f"[{doubled}]"):
        reading = read_response(text, TOOL)
        assert "types.duplicate_key" in fatal(reading)
        assert reading.tree is None or "answer" not in reading.tree.get("generated_answer", {})
    inner = json.dumps('{"answer": "a", "answer": "b"}')
    reading = read_response('{"detected_intent": null, "generated_answer": ' + inner + "}", SHAPE)
    assert reading.ambiguous == {"/generated_answer/answer"}
    reading = read_response('{"name": "respond", "name": "other", "arguments": ' + TEXT + "}", TOOL)
    assert fatal(reading) == {"types.duplicate_key"}


def test_json_text_is_decoded_only_where_a_container_belongs() -> None:
    """A list written as a string is decoded where the schema wants a list, and nowhere else."""
    parameters = [{"parameter_id": "P", "parameter_extracted_part": "[1]"}]
    tree = {"user_messages_analysis": {"parameters": parameters}, "generated_answer": {"answer": "[1234]"}}
    encoded = {**tree, "user_messages_analysis": {"parameters": json.dumps(parameters)}}
    for response in (json.dumps(encoded), encoded):
        reading = read_response(response, SHAPE)
        assert reading.tree == tree
        assert [(one.code, one.pointer) for one in reading.findings] == [
            ("syntax.double_encoded", "/user_messages_analysis/parameters")
        ]
    for other in ("none", "[1", "[1] and", ""):
        encoded["user_messages_analysis"] = {"parameters": other}
        assert read_response(json.dumps(encoded), SHAPE) == Reading(encoded)


def test_a_repair_inside_an_encoded_container_is_told_at_its_place() -> None:
    """Pointers of an inner text are put under the field that held it."""
    text = '{"detected_intent": {"id": 1}, "user_messages_analysis": "{\\"parameters\\": [true,]}"}'
    reading = read_response(text, SHAPE)
    assert reading.tree == {"detected_intent": {"id": 1}, "user_messages_analysis": {"parameters": [True]}}
    assert {(one.code, one.pointer) for one in reading.findings} == {
        ("syntax.double_encoded", "/user_messages_analysis"),
        ("syntax.trailing_comma", "/user_messages_analysis/parameters"),
    }


def table() -> list[dict[str, Any]]:
    """The open cases of the families that reading decides."""
    path = HERE.parent / "cases" / "cases.jsonl"
    source = path if path.exists() else SHARED / "data" / "cases.jsonl"
    families = {"syntax", "encoding", "limits", "types", "truncation", "reasoning_leak", "envelope", "empty"}
    cases = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    return [case for case in cases if case["family"] in families and isinstance(case["record"].get("value"), dict)]


def structural(names: list[str]) -> set[str]:
    """Of a case's codes those that reading gives."""
    own = {"schema.wrapper_key", "schema.array_wrapped", "schema.not_object", "schema.schema_echo"}
    families = {"syntax", "encoding", "types", "limits", "envelope"}
    return {name for name in names if name.partition(".")[0] in families or name in own}


@pytest.mark.parametrize("case", table(), ids=lambda case: case["id"])
def test_the_open_cases(case: dict[str, Any]) -> None:
    """Every labelled case shows its codes, is unreadable where it should be, and readable where it must be."""
    value, want = case["record"]["value"], case["want"]
    made = value.get("response_generated")
    response = made["prefix"] + made["unit"] * made["count"] + made["suffix"] if made else value["response"]
    reading = read_response(response, SHAPE)
    assert structural(want["codes"]) <= codes(reading)
    if "(Unreadable" in case["why"]:
        assert fatal(reading)
        assert reading.tree is None
    if want["outcome"] in ("approved", "corrected"):
        assert not fatal(reading)
    if want["outcome"] == "approved" and want["reply"]["answer"] is not None:
        assert reading.tree is not None
        assert reading.tree["generated_answer"]["answer"] == want["reply"]["answer"]


BLOCKS = [
    """{
  "detected_intent": {
    "id": null,
    "name": null

  },
  "generated_answer":
  {
    "answer": "Yes."

  }
}""",
    """{
  "generated_answer": {
    "evidence_from_prompt": "Supported intents."
    "out_of_scope_request": true,
    "answer": "I’m not able to."
  }
}""",
    """{
  "generated_answer": {
    "answer": "Is it AB1234?",

  },
  "parameters": [
    {
      "parameter_id": "Booking_id",

    }
    ]
}""",
    """{
  "user_messages_analysis": {
    "parameters": [
      {
        "parameter_id": "Booking_id",
        “simulate_regex_execution”:false

      }
      ]

  },
  "generated_answer": {
    "answer": "No.",

  }
}""",
]
"""The kinds of the article's blocks, for a checkout without the article."""


def article() -> list[str]:
    """The JSON blocks of the published article as they stand, else our equivalents."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((SHARED / "seeds").glob("000*.txt"))]
    return [block for text in texts for block in re.findall(r"^\{$.*?^\}$", text, re.DOTALL | re.MULTILINE)] or BLOCKS


def test_the_published_blocks_are_read_without_a_guess() -> None:
    """The article's own examples, which aren't valid JSON, give their trees: nothing lost, nothing fatal."""
    for blocks in (article(), BLOCKS):
        assert len(blocks) == 4
        readings = [read_response(block, SHAPE) for block in blocks]
        assert [codes(reading) for reading in readings] == [
            set(),
            {"syntax.missing_comma"},
            {"syntax.trailing_comma"},
            {"syntax.smart_quotes", "syntax.trailing_comma"},
        ]
        for reading, block in zip(readings, blocks, strict=True):
            assert not fatal(reading)
            assert reading.tree is not None
            assert block.count(":") >= len(re.findall('":', json.dumps(reading.tree)))
            assert all(word in json.dumps(reading.tree, ensure_ascii=False) for word in re.findall(r"[\w’]{2,}", block))
