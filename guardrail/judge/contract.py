"""The shapes that a response may have (CONTRACT §2 `response`), compiled. It must never judge what stands in a field.

JSON Schema is jsonschema-rs's business; a schema never comes from a record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import jsonschema_rs

from guardrail.judge.document import Shape
from guardrail.judge.jsontext import pointer as json_pointer
from guardrail.judge.layout import LimitsLayout, ResponseLayout
from guardrail.judge.model import Finding, Json
from guardrail.judge.text import printable

_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(fields), "properties": dict(fields), "additionalProperties": False}


_INTENT = _object({"id": _TEXT_OR_NULL, "name": _TEXT_OR_NULL})
_PARAMETER = _object(
    {
        "parameter_id": _TEXT,
        "parameter_value_format": _TEXT,
        "parameter_value_format_regex": _TEXT,
        "parameter_extracted_part": _TEXT,
        "simulate_regex_execution": {"type": "boolean"},
    }
)
_ANALYSIS = _object(
    {"message_content": _TEXT, "current_intent": _TEXT_OR_NULL, "parameters": {"type": "array", "items": _PARAMETER}}
)
_EVIDENCE = {"evidence_from_prompt": _TEXT}
_SCOPE = {"intents_i_am_familiar_with": {"type": "array", "items": _TEXT}, "out_of_scope_request": {"type": "boolean"}}
_REFER = {"answer_refer_to_parameter_id": _TEXT_OR_NULL}

SHAPES: dict[str, dict[str, Any]] = {
    "scope": _object(
        {"detected_intent": _INTENT, "generated_answer": _object({**_EVIDENCE, **_SCOPE, "answer": _TEXT})}
    ),
    "parameter": _object(
        {"user_messages_analysis": _ANALYSIS, "generated_answer": _object({**_EVIDENCE, "answer": _TEXT, **_REFER})}
    ),
    "union": _object(
        {
            "user_messages_analysis": _ANALYSIS,
            "detected_intent": _INTENT,
            "generated_answer": _object({**_EVIDENCE, **_SCOPE, "answer": _TEXT, **_REFER}),
        }
    ),
}
"""The two built-in shapes and their union, as published (BACKGROUND §1)."""

REASONING = (
    "/user_messages_analysis",
    "/generated_answer/evidence_from_prompt",
    "/generated_answer/intents_i_am_familiar_with",
    "/generated_answer/out_of_scope_request",
)
"""The built-in reasoning fields; what stands inside one is reasoning too."""

PARAMETER_ORDER = tuple(_PARAMETER["properties"])[1:]
"""Inside a parameter each field conditions the next: format, pattern, value, and only then the model's word on them."""

PARAMETERS_MAX = 64
"""No turn names more: each is a regex to run and a value to trace."""
ERRORS_MAX = 200
"""More complaints of a schema than this say nothing new."""

_PATTERNS = jsonschema_rs.FancyRegexOptions(backtrack_limit=10_000)
"""For an operator's `pattern` keywords, read as ECMA-262 has them. Linear but for look-arounds and references: these
may take a step back so many times, and refuse the text then. Without a limit a text of 260,000 letters took 82 s.
"""

_BOOLEANS = {"true": True, "True": True, "false": False, "False": False}
_NULLS = frozenset({"null", "Null", "NULL", "none", "None", "NONE", ""})


@dataclass(frozen=True, slots=True)
class Contract:
    """What a policy expects of a response: compiled schemas, reasoning fields, order, and the reader's bounds."""

    validators: Mapping[str, jsonschema_rs.Draft202012Validator]
    reasoning: tuple[str, ...]
    siblings: tuple[tuple[tuple[str, ...], frozenset[str]], ...]
    """Path of each object that holds reasoning fields beside others (`*` for any item) -> the names of the reasoning
    ones.
    """
    order: str
    shape: Shape
    custom: bool

    def shape_of(self, tree: Mapping[str, Json]) -> str:
        """Which shape a response is to be held against: `custom`, `union`, `parameter` or `scope`."""
        if self.custom:
            return "custom"
        if "user_messages_analysis" in tree:
            return "union" if "detected_intent" in tree else "parameter"
        answer = tree.get("generated_answer")
        refers = isinstance(answer, dict) and "answer_refer_to_parameter_id" in answer
        return "parameter" if refers and "detected_intent" not in tree else "scope"


class SchemaError(ValueError):
    """A response schema that isn't a JSON Schema; the policy's reader names the line."""


def compile_contract(layout: ResponseLayout, limits: LimitsLayout) -> Contract:
    """The compiled contract. Raises: SchemaError for a schema that isn't one."""
    schema = layout.json_schema
    try:
        shapes = SHAPES if schema is None else {"custom": schema}
        validators = {
            name: jsonschema_rs.Draft202012Validator(shape, retriever=_nothing, pattern_options=_PATTERNS)
            for name, shape in shapes.items()
        }
    except (ValueError, jsonschema_rs.ValidationError) as error:
        raise SchemaError(str(error).splitlines()[0]) from None
    roots = frozenset((schema or {}).get("properties", {})) or frozenset(SHAPES["union"]["properties"])
    shape = Shape(
        response_chars=limits.response_chars,
        depth=limits.depth,
        roots=roots,
        tool=layout.tool,
    )
    reasoning = layout.reasoning or REASONING
    return Contract(
        validators,
        reasoning,
        _siblings(reasoning, root=schema is not None),
        layout.order,
        shape,
        custom=schema is not None,
    )


def _nothing(uri: str) -> Any:
    """A schema is whole in its policy: what it fetched would change verdicts without changing the revision."""
    raise ValueError(f"{uri} lies outside the policy")


def _siblings(reasoning: tuple[str, ...], *, root: bool) -> tuple[tuple[tuple[str, ...], frozenset[str]], ...]:
    parents: dict[str, set[str]] = {}
    for field in reasoning:
        parent, _, key = field.rpartition("/")
        if parent or root:  # the built-in roots may stand in either order
            parents.setdefault(parent, set()).add(key)
    return tuple((tuple(parent.split("/")[1:]), frozenset(keys)) for parent, keys in parents.items())


def coerce(tree: dict[str, Json]) -> tuple[Finding, ...]:
    """Read exact spellings of another type as the right one, and tell of each.

    The tree is changed where it stands: it was decoded for this response, nobody else holds it.
    """
    findings: list[Finding] = []
    if isinstance(intent := tree.get("detected_intent"), dict):
        _null(intent, "id", "/detected_intent", findings)
        _null(intent, "name", "/detected_intent", findings)
    if isinstance(answer := tree.get("generated_answer"), dict):
        _boolean(answer, "out_of_scope_request", "/generated_answer", findings)
        _null(answer, "answer_refer_to_parameter_id", "/generated_answer", findings)
    if isinstance(analysis := tree.get("user_messages_analysis"), dict):
        _null(analysis, "current_intent", "/user_messages_analysis", findings)
        _coerce_parameters(analysis, "/user_messages_analysis/parameters", findings)
    return tuple(findings)


def parameters_count(tree: Mapping[str, Json]) -> int:
    """How many parameters a response names."""
    analysis = tree.get("user_messages_analysis")
    items = analysis.get("parameters") if isinstance(analysis, dict) else None
    return len(items) if isinstance(items, list) else 0


def _coerce_parameters(analysis: dict[str, Json], pointer: str, findings: list[Finding]) -> None:
    items = analysis.get("parameters")
    if isinstance(items, dict):
        findings.append(Finding("schema.coerced", pointer, "a single object where a list of one belongs"))
        _boolean(items, "simulate_regex_execution", pointer, findings)
        analysis["parameters"] = items = [items]
    if isinstance(items, list):
        for index, item in enumerate(items):
            if isinstance(item, dict):
                _boolean(item, "simulate_regex_execution", f"{pointer}/{index}", findings)


def _boolean(parent: dict[str, Json], key: str, pointer: str, findings: list[Finding]) -> None:
    if isinstance(value := parent.get(key), str) and value in _BOOLEANS:
        parent[key] = _BOOLEANS[value]
        findings.append(Finding("schema.coerced", f"{pointer}/{key}", "text that spells a boolean"))


def _null(parent: dict[str, Json], key: str, pointer: str, findings: list[Finding]) -> None:
    if isinstance(value := parent.get(key), str) and value.strip() in _NULLS:
        parent[key] = None
        findings.append(Finding("schema.string_null", f"{pointer}/{key}", "text that spells null"))


def errors(contract: Contract, name: str, tree: dict[str, Json]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The schema's complaints as (kind, pointer, particulars), in the order of the schema."""
    validator = contract.validators[name]
    try:
        found = [] if validator.is_valid(tree) else list(islice(validator.iter_errors(tree), ERRORS_MAX))
    except UnicodeEncodeError:  # half a surrogate pair, which jsonschema-rs can't hold
        found = list(islice(validator.iter_errors(_printable(tree)), ERRORS_MAX))
    for error in found:
        yield error.kind.name, json_pointer(error.instance_path), error.kind.as_dict()


def _printable(node: Json) -> Json:
    if isinstance(node, dict):
        return {printable(key): _printable(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_printable(item) for item in node]
    return printable(node) if isinstance(node, str) else node
