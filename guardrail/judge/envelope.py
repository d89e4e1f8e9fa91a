"""Recognises a provider's completion object and takes out what the model said: texts and tool calls.

Never takes a reasoning channel (`reasoning`, `reasoning_content`, `thinking`, thought parts) for an answer, never a
contract's object for an envelope, and reads no JSON text. Shapes as the providers' API references publish them (OpenAI
chat completions and responses, Anthropic messages, Gemini generateContent, Bedrock Converse, Ollama chat and generate).
"""

from __future__ import annotations

from typing import Any

import msgspec

from guardrail.judge.jsontext import Shape
from guardrail.judge.model import Finding


class Call(msgspec.Struct, frozen=True):
    """A tool call: its name, and its arguments as an object or as JSON text."""

    name: str | None
    arguments: Any


class Content(msgspec.Struct, frozen=True):
    """What one choice of a completion says. `cut` tells that the provider ended it at a length."""

    texts: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    findings: tuple[Finding, ...] = ()
    cut: bool = False

    @property
    def text(self) -> str:
        """The text parts as one text: providers split it anywhere."""
        return "".join(self.texts)


class Opened(msgspec.Struct, frozen=True):
    """A completion object: its provider's code (None for a bare error body) and its choices."""

    code: str | None
    contents: tuple[Content, ...] = ()
    findings: tuple[Finding, ...] = ()


_CUT = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "pause_turn"}
)
_REFUSED = frozenset(
    {
        "blocklist",
        "content_filter",
        "content_filtered",
        "guardrail_intervened",
        "image_safety",
        "language",
        "prohibited_content",
        "recitation",
        "refusal",
        "safety",
        "spii",
    }
)
_EMPTY = frozenset(
    {"cancelled", "load", "malformed_function_call", "malformed_model_output", "malformed_tool_use", "other", "unload"}
    | {"unexpected_tool_call", "too_many_tool_calls", "missing_thought_signature"}
)
_FAILED = frozenset({"error", "failed"})
_UNFINISHED = frozenset({"in_progress", "queued"})
_ANTHROPIC_EVENTS = frozenset(
    {"content_block_delta", "content_block_start", "content_block_stop", "message_delta", "message_start"}
    | {"message_stop", "ping"}
)
_PARALLEL = frozenset({"multi_tool_use.parallel", "multi_tool_use", "parallel"})


def open_envelope(tree: dict[str, Any]) -> Opened | None:
    """The completion object opened, or None when the object is none."""
    if _is_chunk(tree):
        return Opened(_provider_of_chunk(tree), findings=(_fatal("stream_chunk"),))
    for recognise in (_chat, _responses, _anthropic, _gemini, _bedrock, _ollama, _bare_message):
        opened = recognise(tree)
        if opened is not None:
            return opened
    if tree.get("error") or tree.get("errors") or _word(tree.get("object")) == "error" or "__type" in tree:
        return Opened(None, findings=(_fatal("provider_error", _error_name(tree)),))
    return None


def inner_calls(call: Call, arguments: Any) -> tuple[Call, ...] | None:
    """The calls inside a parallel-call wrapper whose arguments were decoded; None when it is no such wrapper."""
    uses = _dict(arguments).get("tool_uses")
    if not isinstance(uses, list) or (call.name is not None and call.name not in _PARALLEL):
        return None
    return tuple(_named_call(_dict(use)) for use in uses)


def written_call(tree: dict[str, Any]) -> Call | None:
    """The tool call that an object written as text stands for, if it is one: a name beside arguments."""
    for key in ("function", "function_call", "toolUse", "functionCall"):
        inner = tree.get(key)
        if isinstance(inner, dict) and len(tree) <= 4:
            tree = inner
            break
    name = next((tree[key] for key in _NAME_KEYS if isinstance(tree.get(key), str)), None)
    found = [tree[key] for key in _ARGUMENT_KEYS if isinstance(tree.get(key), (dict, str))]
    if name is None or len(found) != 1 or len(tree) > 5:
        return None
    return Call(_bare(name), found[0])


_NAME_KEYS = ("name", "tool_name", "tool", "function", "recipient_name", "function_name", "action")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "input", "tool_input", "action_input", "kwargs", "params")


def _fatal(name: str, detail: str = "") -> Finding:
    return Finding(f"envelope.{name}", "", detail, fatal=True)


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _word(value: Any) -> str:
    """A marker of the provider's (a status, a reason) in lower case."""
    return value.lower() if isinstance(value, str) else ""


def _bare(name: Any) -> str | None:
    """A tool's name without the namespace that some models write before it."""
    return name.removeprefix("functions.").removeprefix("default_api.") if isinstance(name, str) else None


def _named_call(call: dict[str, Any]) -> Call:
    """A call whose members may have any of the usual names."""
    return written_call(call) or Call(_bare(call.get("name")), None)


def _error_name(tree: dict[str, Any]) -> str:
    """The provider's own short name of an error; never its message, which may quote the user."""
    error = _dict(tree.get("error"))
    name = error.get("type") or error.get("status") or error.get("code") or tree.get("__type") or ""
    return str(name)[:64] if isinstance(name, (str, int)) and str(name).isascii() else ""


def _ended(reason: Any) -> tuple[tuple[Finding, ...], bool]:
    """What the reason for the end says: findings, and whether the text was cut."""
    word = _word(reason)
    if word in _REFUSED:
        return (_fatal("refusal", word),), False
    if word in _EMPTY:
        return (_fatal("no_content", word),), False
    if word in _FAILED:
        return (_fatal("provider_error", word),), False
    if word in _UNFINISHED:
        return (_fatal("stream_chunk", word),), False
    return (), word in _CUT


def _is_chunk(tree: dict[str, Any]) -> bool:
    kind = _word(tree.get("type"))
    first = next(iter(_dicts(tree.get("choices"))), {})
    return (
        _word(tree.get("object")).endswith(".chunk")
        or ("delta" in first and "message" not in first)
        or kind in _ANTHROPIC_EVENTS
        or (kind.startswith("response.") and ("sequence_number" in tree or "delta" in tree or "response" in tree))
        or not _BEDROCK_EVENTS.isdisjoint(tree)
    )


_BEDROCK_EVENTS = frozenset(
    {"contentBlockDelta", "contentBlockStart", "contentBlockStop", "messageStart", "messageStop"}
)


def _provider_of_chunk(tree: dict[str, Any]) -> str:
    kind = _word(tree.get("type"))
    if kind in _ANTHROPIC_EVENTS:
        return "envelope.anthropic"
    if not _BEDROCK_EVENTS.isdisjoint(tree):
        return "envelope.bedrock"
    return "envelope.openai_responses" if kind.startswith("response.") else "envelope.openai_chat"


def _chat(tree: dict[str, Any]) -> Opened | None:
    choices = tree.get("choices")
    if not isinstance(choices, list):
        return None
    contents = tuple(_choice(choice) for choice in _dicts(choices))
    return Opened("envelope.openai_chat", contents)


def _choice(choice: dict[str, Any]) -> Content:
    findings, cut = _ended(choice.get("finish_reason"))
    if choice.get("error"):
        findings = (*findings, _fatal("provider_error", _error_name(choice)))
    if "message" not in choice and isinstance(choice.get("text"), str):
        return Content((choice["text"],), (), findings, cut)
    return _message(_dict(choice.get("message")), findings, cut=cut)


def _message(message: dict[str, Any], findings: tuple[Finding, ...], *, cut: bool) -> Content:
    """An OpenAI message: content, parts, tool calls, a refusal."""
    calls = [
        Call(_bare(_dict(call.get("function")).get("name")), _dict(call.get("function")).get("arguments"))
        if "function" in call
        else _named_call(call)
        for call in _dicts(message.get("tool_calls"))
    ]
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        calls.append(Call(_bare(legacy.get("name")), legacy.get("arguments")))
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else _dicts(content)
    return _of_parts([{"type": "refusal", "refusal": message.get("refusal")}, *parts], calls, findings, cut=cut)


def _of_parts(parts: list[dict[str, Any]], calls: list[Call], findings: tuple[Finding, ...], *, cut: bool) -> Content:
    """Typed parts (OpenAI and Anthropic): texts, tool uses, refusals; thinking is passed over."""
    texts = []
    for part in parts:
        kind = _word(part.get("type"))
        if kind == "refusal":
            findings = (*findings, _fatal("refusal")) if part.get("refusal") else findings
        elif kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            calls = [*calls, Call(_bare(part.get("name")), part.get("input"))]
        elif kind in ("text", "output_text", "") and isinstance(part.get("text"), str):
            texts.append(part["text"])
    return Content(tuple(texts), tuple(calls), findings, cut)


_MESSAGE_KEYS = frozenset({"content", "tool_calls", "function_call"})


def _bare_message(tree: dict[str, Any]) -> Opened | None:
    """An assistant message without the completion around it."""
    is_message = tree.get("role") in ("assistant", "model") and not _MESSAGE_KEYS.isdisjoint(tree)
    if not is_message and not isinstance(tree.get("tool_calls"), list):
        return None
    return Opened("envelope.openai_chat", (_message(tree, (), cut=False),))


def _responses(tree: dict[str, Any]) -> Opened | None:
    items = tree.get("output")
    if _word(tree.get("object")) != "response" and not (isinstance(items, list) and _typed(items)):
        return None
    findings, cut = _ended(tree.get("status"))
    more, cut_short = _ended(_dict(tree.get("incomplete_details")).get("reason"))
    cut = cut or cut_short or _word(tree.get("status")) == "incomplete"
    if tree.get("error") and not findings:
        findings = (_fatal("provider_error", _error_name(tree)),)
    content = _of_items(_dicts(items), (*findings, *more), cut=cut)
    if items is None and isinstance(tree.get("output_text"), str):
        content = Content((tree["output_text"],), (), content.findings, cut)
    return Opened("envelope.openai_responses", (content,))


def _typed(items: list[Any]) -> bool:
    kinds = {"message", "function_call", "reasoning", "custom_tool_call", "output_text"}
    return any(_word(item.get("type")) in kinds for item in _dicts(items))


def _of_items(items: list[dict[str, Any]], findings: tuple[Finding, ...], *, cut: bool) -> Content:
    """Output items of a response object: messages, calls; reasoning is passed over, other calls are calls."""
    parts: list[dict[str, Any]] = []
    calls: list[Call] = []
    for item in items:
        kind = _word(item.get("type"))
        cut = cut or _word(item.get("status")) == "incomplete"
        if kind == "message":
            content = item.get("content")
            parts += [{"type": "text", "text": content}] if isinstance(content, str) else _dicts(content)
        elif kind.endswith("_call"):
            calls.append(Call(_bare(item.get("name")) or kind, item.get("arguments", item.get("input"))))
    return _of_parts(parts, calls, findings, cut=cut)


def _anthropic(tree: dict[str, Any]) -> Opened | None:
    if isinstance(tree.get("completion"), str) and "stop_reason" in tree:
        return Opened("envelope.anthropic", (Content((tree["completion"],), (), *_ended(tree["stop_reason"])),))
    is_message = tree.get("type") == "message" or (tree.get("role") == "assistant" and "stop_reason" in tree)
    if not is_message or "content" not in tree:
        return None
    content = tree["content"]
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else _dicts(content)
    findings, cut = _ended(tree.get("stop_reason"))
    return Opened("envelope.anthropic", (_of_parts(parts, [], findings, cut=cut),))


def _gemini(tree: dict[str, Any]) -> Opened | None:
    if not isinstance(tree.get("candidates"), list) and "promptFeedback" not in tree:
        return None
    contents = tuple(_candidate(candidate) for candidate in _dicts(tree.get("candidates")))
    blocked = _dict(tree.get("promptFeedback")).get("blockReason")
    return Opened("envelope.gemini", contents, (_fatal("refusal", "prompt blocked"),) if blocked else ())


def _candidate(candidate: dict[str, Any]) -> Content:
    findings, cut = _ended(candidate.get("finishReason"))
    texts, calls = [], []
    for part in _dicts(_dict(candidate.get("content")).get("parts")):
        call = part.get("functionCall")
        if isinstance(call, dict):
            calls.append(Call(_bare(call.get("name")), call.get("args")))
        elif isinstance(part.get("text"), str) and not part.get("thought"):
            texts.append(part["text"])
    return Content(tuple(texts), tuple(calls), findings, cut)


def _bedrock(tree: dict[str, Any]) -> Opened | None:
    message = _dict(tree.get("output")).get("message")
    if not isinstance(message, dict):
        return None
    findings, cut = _ended(tree.get("stopReason"))
    texts, calls = [], []
    for part in _dicts(message.get("content")):
        use = part.get("toolUse")
        if isinstance(use, dict):
            calls.append(Call(_bare(use.get("name")), use.get("input")))
        elif isinstance(part.get("text"), str):
            texts.append(part["text"])
    return Opened("envelope.bedrock", (Content(tuple(texts), tuple(calls), findings, cut),))


def _ollama(tree: dict[str, Any]) -> Opened | None:
    message = tree.get("message")
    if "done" not in tree or not (isinstance(message, dict) or isinstance(tree.get("response"), str)):
        return None
    findings, cut = _ended(tree.get("done_reason"))
    if tree["done"] is not True:
        findings = (*findings, _fatal("stream_chunk"))
    if isinstance(message, dict):
        return Opened("envelope.ollama", (_message(message, findings, cut=cut),))
    return Opened("envelope.ollama", (Content((tree["response"],), (), findings, cut),))


_SCHEMA_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
_SCHEMA_KEYS = frozenset({"properties", "items", "description", "enum", "anyOf"})


def echoes_schema(tree: dict[str, Any], shape: Shape) -> bool:
    """Whether an object is a JSON Schema (or its properties) rather than something that one describes."""
    if shape.rooted(tree):
        return all(isinstance(tree[key], dict) and _is_schema(tree[key]) for key in shape.roots if key in tree)
    schema = tree.get("json_schema", tree.get("schema"))
    return _is_schema(tree) or (isinstance(schema, dict) and ("schema" in schema or _is_schema(schema)))


def _is_schema(value: dict[str, Any]) -> bool:
    if "$schema" in value or "$defs" in value:
        return True
    kind = value.get("type")
    if isinstance(kind, list) or (isinstance(kind, str) and kind.lower() in _SCHEMA_TYPES):
        return len(value) == 1 or not _SCHEMA_KEYS.isdisjoint(value)
    return isinstance(value.get("properties"), dict) and ("required" in value or "additionalProperties" in value)
