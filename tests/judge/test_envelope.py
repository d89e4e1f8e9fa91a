"""Providers' completion objects: what the model said is taken out, and nothing else is taken for it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.document import Reading, Shape, read_response
from guardrail.judge.envelope import open_envelope, written_call

SHAPE = Shape()
TOOL = Shape(tool="respond")
GOOD: dict[str, Any] = {
    "detected_intent": {"id": "book", "name": "Book"},
    "generated_answer": {"out_of_scope_request": False, "answer": "Which day?"},
}
OTHER: dict[str, Any] = {**GOOD, "generated_answer": {"out_of_scope_request": True, "answer": "It is done."}}
TEXT = json.dumps(GOOD)
OTHER_TEXT = json.dumps(OTHER)


def names(reading: Reading) -> set[str]:
    """The codes found, without their family."""
    return {finding.code.partition(".")[2] for finding in reading.findings}


def fatal(reading: Reading) -> set[str]:
    """The codes of the fatal findings, without their family."""
    return {finding.code.partition(".")[2] for finding in reading.findings if finding.fatal}


def chat(message: dict[str, Any], reason: str | None = "stop", **more: Any) -> dict[str, Any]:
    """An OpenAI chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": None, **message}, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": {}, **more}


def tool(arguments: Any, name: str = "respond") -> dict[str, Any]:
    """An OpenAI tool call."""
    return {"id": "call_0", "type": "function", "function": {"name": name, "arguments": arguments}}


def responses(*items: dict[str, Any], status: str = "completed", **more: Any) -> dict[str, Any]:
    """An OpenAI response object."""
    return {"id": "r", "object": "response", "status": status, "error": None, "output": list(items), **more}


def said(text: str) -> dict[str, Any]:
    """A message item of a response object."""
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def message(*parts: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    """An Anthropic message."""
    return {"id": "m", "type": "message", "role": "assistant", "content": list(parts), "stop_reason": reason}


def gemini(*parts: dict[str, Any], reason: str = "STOP") -> dict[str, Any]:
    """A Gemini response."""
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}]}


def converse(*parts: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    """A Bedrock Converse response."""
    return {"output": {"message": {"role": "assistant", "content": list(parts)}}, "stopReason": reason, "usage": {}}


def ollama(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An Ollama chat response."""
    return {"model": "m", "message": {"role": "assistant", **message}, "done": True, "done_reason": "stop", **more}


def parallel(*calls: Any) -> dict[str, Any]:
    """The undocumented wrapper around several calls, as an OpenAI tool call."""
    uses = [{"recipient_name": "functions.respond", "parameters": call} for call in calls]
    return tool(json.dumps({"tool_uses": uses}), "multi_tool_use.parallel")


T = {"type": "text", "text": TEXT}
USE = {"type": "tool_use", "id": "t", "name": "respond", "input": GOOD}
PASSES: list[tuple[Any, set[str]]] = [
    (chat({"content": TEXT}), {"openai_chat"}),
    (chat({"content": TEXT, "refusal": None, "tool_calls": []}), {"openai_chat"}),
    (chat({"content": [T]}), {"openai_chat"}),
    (chat({"content": f"```json\n{TEXT}\n```"}), {"openai_chat", "code_fence"}),
    (chat({"content": json.dumps(TEXT)}), {"openai_chat", "double_encoded"}),
    (chat({"content": "", "tool_calls": [tool(TEXT)]}, "tool_calls"), {"openai_chat"}),
    (chat({"tool_calls": [tool(GOOD)]}, "tool_calls"), {"openai_chat"}),
    (chat({"tool_calls": [tool(GOOD, "functions.respond")]}), {"openai_chat"}),
    (chat({"tool_calls": [{"name": "respond", "args": GOOD}]}), {"openai_chat"}),
    (chat({"content": "One moment.", "tool_calls": [tool(TEXT)]}), {"openai_chat", "prose_prefix"}),
    (chat({"content": TEXT, "tool_calls": [tool(TEXT)]}), {"openai_chat", "repeated_object"}),
    (chat({"function_call": {"name": "respond", "arguments": TEXT}}, "function_call"), {"openai_chat"}),
    (chat({"tool_calls": [parallel(GOOD)]}), {"openai_chat", "multi_tool_use"}),
    (chat({"content": TEXT + "  \n "}, "length"), {"openai_chat", "finish_length"}),
    (chat({"content": TEXT, "reasoning_content": OTHER_TEXT}), {"openai_chat"}),
    (chat({"content": TEXT}, None), {"openai_chat"}),
    ({"choices": [{"text": TEXT, "finish_reason": "stop"}]}, {"openai_chat"}),
    ({"choices": [{"message": {"content": TEXT}}, {"message": {"content": TEXT}}]}, {"openai_chat"}),
    ({"role": "assistant", "content": TEXT}, {"openai_chat"}),
    ({"tool_calls": [tool(TEXT)]}, {"openai_chat"}),
    (responses({"type": "reasoning", "summary": [{"text": OTHER_TEXT}]}, said(TEXT)), {"openai_responses"}),
    (responses({"type": "function_call", "name": "respond", "arguments": TEXT}), {"openai_responses"}),
    (responses({"type": "message", "content": TEXT}), {"openai_responses"}),
    ({"object": "response", "status": "completed", "output_text": TEXT}, {"openai_responses"}),
    ({"output": [said(TEXT)]}, {"openai_responses"}),
    (
        responses(said(TEXT), status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        {"openai_responses", "finish_length"},
    ),
    (message(T), {"anthropic"}),
    (message({"type": "text", "text": TEXT[:40]}, {"type": "text", "text": TEXT[40:]}), {"anthropic"}),
    (message({"type": "thinking", "thinking": OTHER_TEXT}, T), {"anthropic"}),
    (message(USE, reason="tool_use"), {"anthropic"}),
    (message({"type": "text", "text": "I use the tool."}, USE), {"anthropic", "prose_prefix"}),
    (message({"type": "text", "text": "<thinking>x</thinking>"}, USE), {"anthropic", "prose_prefix", "think_block"}),
    (message(T, reason="max_tokens"), {"anthropic", "finish_length"}),
    ({"role": "assistant", "content": TEXT, "stop_reason": "end_turn"}, {"anthropic"}),
    ({"completion": TEXT, "stop_reason": "stop_sequence"}, {"anthropic"}),
    (gemini({"text": TEXT[:30]}, {"text": TEXT[30:]}), {"gemini"}),
    (gemini({"text": OTHER_TEXT, "thought": True}, {"text": TEXT}), {"gemini"}),
    (gemini({"functionCall": {"name": "respond", "args": GOOD}}), {"gemini"}),
    (gemini({"text": TEXT}, reason="MAX_TOKENS"), {"gemini", "finish_length"}),
    (converse({"text": TEXT}), {"bedrock"}),
    (converse({"reasoningContent": {"text": OTHER_TEXT}}, {"text": TEXT}), {"bedrock"}),
    (converse({"toolUse": {"name": "respond", "input": GOOD}}, reason="tool_use"), {"bedrock"}),
    (ollama({"content": TEXT, "thinking": OTHER_TEXT}), {"ollama"}),
    (ollama({"content": "", "tool_calls": [{"function": {"name": "respond", "arguments": GOOD}}]}), {"ollama"}),
    ({"model": "m", "response": TEXT, "done": True}, {"ollama"}),
    ([chat({"content": TEXT})], {"array_wrapped", "openai_chat"}),
]


@pytest.mark.parametrize(("response", "expected"), PASSES)
def test_what_the_model_said_is_taken_out(response: Any, expected: set[str]) -> None:
    """From an object and from its text alike the contract's object is read, whatever provider carried it."""
    for form in (response, json.dumps(response)):
        reading = read_response(form, TOOL)
        assert reading.tree == GOOD
        assert names(reading) == expected
        assert not fatal(reading)


CUT = TEXT[:60]
NEVER: list[tuple[Any, set[str]]] = [
    (chat({"content": ""}), {"no_content"}),
    (chat({"content": None, "reasoning": TEXT}), {"no_content"}),
    (chat({"content": None, "reasoning_content": TEXT}, "length"), {"no_content", "finish_length"}),
    (chat({"content": CUT}, "length"), {"finish_length", "truncated"}),
    (chat({"content": TEXT[:-1]}, "length"), {"finish_length"}),
    (chat({"tool_calls": [tool(CUT)]}, "length"), {"finish_length", "truncated"}),
    (chat({"content": TEXT}, "content_filter"), {"refusal"}),
    (chat({"content": TEXT, "refusal": "No."}), {"refusal"}),
    (chat({"content": [{"type": "refusal", "refusal": "No."}]}), {"refusal"}),
    (chat({"content": TEXT}, "error"), {"provider_error"}),
    ({"choices": [{"message": {"content": TEXT}, "error": {"code": 502}}]}, {"provider_error"}),
    ({"choices": []}, {"no_content"}),
    ({"choices": [None]}, {"no_content"}),
    ({"choices": [{"message": {"content": TEXT}}, {"message": {"content": OTHER_TEXT}}]}, {"multiple_objects"}),
    ({"choices": [{"message": {"content": ""}}] * 2}, {"multiple_objects", "no_content"}),
    (chat({"content": OTHER_TEXT, "tool_calls": [tool(TEXT)]}), {"multiple_objects"}),
    (chat({"tool_calls": [tool(GOOD, "open_account")]}), {"unknown_tool"}),
    (chat({"tool_calls": [tool('{"account": "new"}', "open_account")]}), {"unknown_tool"}),
    (chat({"tool_calls": [tool("")]}), {"no_content"}),
    (chat({"tool_calls": [tool({})]}), {"no_content"}),
    (chat({"tool_calls": [tool(None)]}), {"no_content"}),
    (chat({"tool_calls": [{}]}), {"no_content"}),
    (chat({"tool_calls": [tool(GOOD), tool(OTHER)]}), {"multiple_calls"}),
    (chat({"tool_calls": [parallel(GOOD, OTHER)]}), {"multiple_calls"}),
    (chat({"tool_calls": [parallel()]}), {"no_content"}),
    (chat({"tool_calls": [parallel({"account": "new"})]}), set()),
    ({"object": "chat.completion.chunk", "choices": [{"delta": {"content": TEXT}}]}, {"stream_chunk"}),
    ({"choices": [{"delta": {"content": TEXT}, "index": 0}]}, {"stream_chunk"}),
    (responses(said(CUT), status="incomplete"), {"finish_length", "truncated"}),
    (
        responses(said(TEXT), status="incomplete", incomplete_details={"reason": "content_filter"}),
        {"refusal"},
    ),
    (responses({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}), {"refusal"}),
    (responses({"type": "message", "status": "incomplete", "content": CUT}), {"finish_length", "truncated"}),
    (responses({"type": "reasoning", "content": [{"type": "text", "text": TEXT}]}), {"no_content"}),
    (responses({"type": "web_search_call"}, said(TEXT)), {"unknown_tool", "multiple_objects"}),
    (responses(said(TEXT), status="failed", error={"code": "server_error"}), {"provider_error"}),
    (responses(said(TEXT), error={"code": "server_error"}), {"provider_error"}),
    (responses(said(TEXT), status="in_progress"), {"stream_chunk"}),
    (responses(said(TEXT), status="cancelled"), {"no_content"}),
    ({"type": "response.output_text.delta", "delta": TEXT, "sequence_number": 1}, {"stream_chunk"}),
    (message(), {"no_content"}),
    (message(reason="refusal"), {"refusal"}),
    (message({"type": "thinking", "thinking": TEXT}), {"no_content"}),
    (message({"type": "text", "text": CUT}, reason="max_tokens"), {"finish_length", "truncated"}),
    (message(USE, {**USE, "input": OTHER}), {"multiple_calls"}),
    (message({**USE, "name": "open_account"}), {"unknown_tool"}),
    (message(T, {**USE, "input": OTHER}), {"multiple_objects"}),
    ({"type": "content_block_delta", "delta": {"type": "text_delta", "text": TEXT}}, {"stream_chunk"}),
    ({"type": "error", "error": {"type": "overloaded_error", "message": "x"}}, {"provider_error"}),
    (gemini(), {"no_content"}),
    (gemini({"text": TEXT}, reason="SAFETY"), {"refusal"}),
    (gemini({"text": TEXT}, reason="RECITATION"), {"refusal"}),
    (gemini(reason="MALFORMED_FUNCTION_CALL"), {"no_content"}),
    (gemini({"text": TEXT}, reason="OTHER"), {"no_content"}),
    (gemini(reason="MAX_TOKENS"), {"no_content", "finish_length"}),
    (gemini({"text": TEXT, "thought": True}), {"no_content"}),
    ({"promptFeedback": {"blockReason": "SAFETY"}}, {"refusal"}),
    ({"candidates": []}, {"no_content"}),
    (
        {"candidates": [gemini({"text": text})["candidates"][0] for text in (TEXT, OTHER_TEXT)]},
        {"multiple_objects"},
    ),
    (converse(), {"no_content"}),
    (converse({"reasoningContent": {"text": TEXT}}), {"no_content"}),
    (converse({"text": TEXT}, reason="guardrail_intervened"), {"refusal"}),
    (converse({"text": CUT}, reason="max_tokens"), {"finish_length", "truncated"}),
    ({"contentBlockDelta": {"delta": {"text": TEXT}}}, {"stream_chunk"}),
    (ollama({"content": TEXT}, done=False), {"stream_chunk"}),
    (ollama({"content": CUT}, done_reason="length"), {"finish_length", "truncated"}),
    (ollama({"content": "", "thinking": TEXT}), {"no_content"}),
    (ollama({"content": ""}, done_reason="load"), {"no_content"}),
    ({"error": {"code": 400, "message": "x", "status": "INVALID_ARGUMENT"}}, {"provider_error"}),
    ({"error": "model not found"}, {"provider_error"}),
    ({"object": "error", "message": "x", "code": 400}, {"provider_error"}),
    ({"__type": "ThrottlingException", "message": "x"}, {"provider_error"}),
    (chat({"content": "Which day?"}), {"no_json"}),
    (chat({"content": f"<think>{TEXT}</think>"}), {"no_json"}),
]  # fmt: skip


@pytest.mark.parametrize(("response", "expected"), NEVER)
def test_what_the_model_did_not_answer_is_never_taken(response: Any, expected: set[str]) -> None:
    """Refusals, cuts, chunks, errors, thoughts and foreign calls give no tree, but the finding that says so."""
    for form in (response, json.dumps(response)):
        reading = read_response(form, TOOL)
        assert expected <= fatal(reading)
        assert not (reading.tree is not None and Shape().met_by(reading.tree) and not fatal(reading))
        if expected:
            assert reading.tree is None


def test_of_several_calls_the_only_good_one_stays_readable() -> None:
    """The agreed call beside an invented one: fatal, yet the intent can be named."""
    reading = read_response(chat({"tool_calls": [tool(TEXT), tool('{"account": 1}', "open_account")]}), SHAPE)
    assert reading.tree == GOOD
    assert {"multiple_calls", "unknown_tool"} == fatal(reading)


def test_an_ambiguous_call_keeps_its_pointer() -> None:
    """A key given twice inside the arguments' text is rooted in the arguments."""
    text = TEXT.replace('"answer": "Which day?"', '"answer": "a", "answer": "b"')
    reading = read_response(chat({"tool_calls": [tool(text)]}), TOOL)
    assert reading.ambiguous == {"/generated_answer/answer"}
    assert reading.tree == {**GOOD, "generated_answer": {"out_of_scope_request": False}}


@pytest.mark.parametrize(
    "extra", ["choices", "output", "candidates", "error", "message", "done", "content", "type", "tool_calls"]
)
def test_a_contract_object_is_never_an_envelope(extra: str) -> None:
    """A field with an envelope's name doesn't make one of a response."""
    tree = {**GOOD, extra: [{"message": {"content": OTHER_TEXT}}]}
    assert read_response(json.dumps(tree), SHAPE) == Reading(tree)


def test_an_error_is_named_without_its_message() -> None:
    """Only the provider's own short name of an error is told."""
    reading = read_response({"error": {"type": "rate_limit", "message": "user said hello"}}, SHAPE)
    assert [one.detail for one in reading.findings] == ["rate_limit"]
    reading = read_response({"error": {"type": ["x"], "message": "user said hello"}}, SHAPE)
    assert [one.detail for one in reading.findings] == [""]


def test_a_written_call_needs_a_name_and_one_set_of_arguments() -> None:
    """Names and arguments may be called many things, but must both be there, and little else."""
    assert written_call({"name": "respond"}) is None
    assert written_call({"arguments": {}}) is None
    assert written_call({"name": "respond", "arguments": {}, "input": {}}) is None
    assert written_call({"name": "x", "arguments": {}, **{str(n): n for n in range(5)}}) is None
    call = written_call({"function_call": {"name": "default_api.respond", "args": "{}"}})
    assert call is not None
    assert (call.name, call.arguments) == ("respond", "{}")


KEYS = st.sampled_from(
    [
        "choices",
        "message",
        "content",
        "tool_calls",
        "function",
        "name",
        "arguments",
        "output",
        "type",
        "object",
        "status",
        "candidates",
        "parts",
        "functionCall",
        "done",
        "response",
        "role",
        "finish_reason",
        "stop_reason",
        "error",
        "text",
        "promptFeedback",
        "incomplete_details",
        "toolUse",
        "input",
        "tool_uses",
        "delta",
        "refusal",
        "generated_answer",
    ]
)
WORDS = st.sampled_from(
    ["message", "response", "assistant", "text", "tool_use", "length", TEXT, "{", "function_call", "x"]
)
JUNK = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=16,
)


@given(st.dictionaries(KEYS, JUNK, max_size=5))
def test_any_object_with_envelope_names_gives_a_reading(tree: dict[str, Any]) -> None:
    """Fields of the wrong type never raise; what isn't fatal has a tree."""
    open_envelope(tree)
    for form in (tree, json.dumps(tree)):
        reading = read_response(form, TOOL)
        assert reading.tree is not None or fatal(reading)
