"""Are the intents and parameters the agent's own? It must never mind what the answer says of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from guardrail.judge.catalogue import match_intent_name
from guardrail.judge.model import Finding, Json
from guardrail.judge.speech import detect_language
from guardrail.judge.subject import Subject

_SPELLINGS = {"case": "catalog.intent_case", "normalised": "catalog.intent_normalised"}
FAMILIAR = "/generated_answer/intents_i_am_familiar_with"
REFER = "/generated_answer/answer_refer_to_parameter_id"


def check(subject: Subject) -> Iterator[Finding]:
    """Findings on intents, on the list of familiar intents, on parameters."""
    if not subject.policy.contract.custom or subject.intent.named:
        yield from _intent(subject)
    yield from _familiar(subject)
    yield from _parameters(subject)


def _intent(subject: Subject) -> Iterator[Finding]:
    match = subject.intent
    known = [m for _, m in match.names if m.intent.id is not None]
    if match.conflicting and known:
        pointer = next(p for p, m in match.names if m.how == "unknown" or m.intent != known[0].intent)
        yield Finding("catalog.intent_id_name_mismatch", pointer, "id and name are of different intents")
        return
    for pointer, name in match.names:
        if name.how == "unknown":
            yield Finding("catalog.unknown_intent", pointer, f"no such intent{_nearest(subject, pointer)}")
            if _translated(subject, pointer):
                yield Finding(
                    "catalog.intent_translated", pointer, "the name is in another language than the catalogue"
                )
            return
        if name.how in _SPELLINGS:
            yield Finding(_SPELLINGS[name.how], pointer, f"spelled otherwise than {name.intent.id}")


def _given(subject: Subject, pointer: str) -> Json:
    found: Json = subject.tree
    for part in pointer.split("/")[1:]:
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _nearest(subject: Subject, pointer: str) -> str:
    given = _given(subject, pointer)
    names = [name for intent in subject.policy.intents.values() for name in (str(intent.id), str(intent.name))]
    near = difflib.get_close_matches(given[:200], names, n=1) if isinstance(given, str) else []
    return f"; the nearest is {near[0]}" if near else ""


def _translated(subject: Subject, pointer: str) -> bool:
    detected = subject.tree.get("detected_intent")
    name = detected.get("name") if isinstance(detected, dict) else _given(subject, pointer)
    language = detect_language(name) if isinstance(name, str) else None
    return language is not None and language != subject.policy.layout.locale


def _familiar(subject: Subject) -> Iterator[Finding]:
    listed = subject.fields.get("intents_i_am_familiar_with")
    if not isinstance(listed, list):
        return
    if not listed and subject.policy.intents:
        yield Finding("catalog.familiar_intents_missing", FAMILIAR, "the list is empty")
    spelled: set[str] = set()
    for index, name in enumerate(listed):
        match = match_intent_name(name, subject.policy)
        if match.how == "unknown":
            yield Finding("catalog.familiar_intents_unknown", f"{FAMILIAR}/{index}", "not an intent of this agent")
        elif match.how in _SPELLINGS and match.how not in spelled:
            spelled.add(match.how)
            yield Finding(_SPELLINGS[match.how], f"{FAMILIAR}/{index}", f"spelled otherwise than {match.intent.name}")


def _parameters(subject: Subject) -> Iterator[Finding]:
    for trial in subject.trials:
        pointer = f"{trial.pointer}/parameter_id"
        if trial.spelling == "unknown":
            yield Finding("catalog.unknown_parameter", pointer, "no such parameter")
        elif trial.spelling == "case":
            yield Finding("catalog.parameter_case", pointer, f"spelled otherwise than {trial.id}")
        if trial.parameter is not None and not trial.allowed:
            yield Finding(
                "catalog.parameter_wrong_intent", pointer, f"{trial.id} isn't asked for {subject.intent.intent.id}"
            )
    parameter, spelling = subject.refer
    if spelling == "unknown":
        yield Finding("catalog.unknown_parameter", REFER, "no such parameter")
    elif spelling == "case" and parameter is not None:
        yield Finding("catalog.parameter_case", REFER, f"spelled otherwise than {parameter.id}")
