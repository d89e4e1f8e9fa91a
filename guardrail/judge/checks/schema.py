"""Does the response have the shape that was agreed? All violations, each with its pointer. It must never mend one."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from guardrail.judge.contract import errors
from guardrail.judge.model import Finding, Json
from guardrail.judge.subject import ANSWER, PARAMETERS, Subject
from guardrail.judge.text import name_key

_SAYS_NOTHING = frozenset({"", "none", "null", "undefined", "nil", "nan", "na", "tbd", "todo", "string", "answer"})
_NOTHING_CHARS = 64
"""A longer text than this is no such word, with all the blanks and signs that may stand around it."""
_ALIKE = 0.55
"""From this ratio of likeness a stray key counts as a required one renamed."""


def check(subject: Subject) -> Iterator[Finding]:
    """The schema's complaints in our codes."""
    contract = subject.policy.contract
    name = contract.shape_of(subject.tree)
    missing: list[tuple[str, str]] = []
    unknown: list[tuple[str, str]] = []
    for kind, pointer, particulars in errors(contract, name, subject.tree):
        if kind == "required":
            missing.append((pointer, particulars["property"]))
        elif kind == "additionalProperties":
            unknown += [(pointer, key) for key in particulars["unexpected"]]
        else:
            yield Finding(
                "schema.wrong_type", pointer, _expectation(kind, particulars), parameter_id=_owner(subject, pointer)
            )
    for pointer, key in missing:
        if f"{pointer}/{key}" not in subject.ambiguous:
            yield Finding(
                _missing_code(subject, pointer, key),
                pointer,
                f"{key} is missing",
                parameter_id=_owner(subject, pointer),
            )
    for pointer, key in unknown:
        renamed = _renamed(key, [k for at, k in missing if at == pointer], _value(subject.tree, pointer, key))
        if renamed:
            yield Finding("schema.renamed_key", pointer, f"a stray key stands where {renamed} belongs")
        else:
            yield Finding("schema.unknown_field", pointer, "a field that nobody asked for")
    answer = subject.answer
    if answer is not None and len(answer) <= _NOTHING_CHARS and name_key(answer) in _SAYS_NOTHING:
        yield Finding("schema.empty_answer", ANSWER, "the answer says nothing")


def _expectation(kind: str, particulars: dict[str, Json]) -> str:
    types = particulars.get("types")
    return f"expected {' or '.join(types)}" if isinstance(types, list) else f"breaks the schema's {kind}"


def _missing_code(subject: Subject, pointer: str, key: str) -> str:
    """Reasoning or operational: by the policy's list, and everything inside a reasoning field is reasoning."""
    here = f"{pointer}/{key}"
    reasoning = any(here == field or here.startswith(f"{field}/") for field in subject.policy.contract.reasoning)
    return "schema.missing_reasoning" if reasoning else "schema.missing_field"


def _owner(subject: Subject, pointer: str) -> str | None:
    """The configured parameter inside whose object the pointer lies."""
    if not pointer.startswith(PARAMETERS):
        return None
    return next((t.id for t in subject.trials if pointer == t.pointer or pointer.startswith(f"{t.pointer}/")), None)


def _renamed(key: str, missing: list[str], value: Json) -> str | None:
    for wanted in missing:
        alike = difflib.SequenceMatcher(None, name_key(key), name_key(wanted)).ratio() >= _ALIKE
        if alike or (
            isinstance(value, dict) and wanted in {"detected_intent", "generated_answer", "user_messages_analysis"}
        ):
            return wanted
    return None


def _value(tree: dict[str, Json], pointer: str, key: str) -> Json:
    return tree.get(key) if pointer == "" else None
