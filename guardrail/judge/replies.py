"""The sidecar's own texts, and what the channel tier gets (CONTRACT §3). It must never let reasoning out."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.judge.catalogue import NO_INTENT
from guardrail.judge.codes import STALE
from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.model import Action, Answer, AnswerSource, Finding, Intent, Reply
from guardrail.judge.policy import Parameter, Policy
from guardrail.judge.subject import Subject
from guardrail.judge.text import printable

_BEYOND = frozenset(
    {"catalog.unknown_intent", "consistency.null_intent_affirming", "consistency.answer_contradicts_reasoning"}
)
"""Findings after which the user is told what is supported."""
Acted = Sequence[tuple[Finding, Action]]
"""Findings with what the policy does about each."""


def own_reply(subject: Subject | None, policy: Policy, locale: str, acted: Acted) -> tuple[AnswerSource, Reply]:
    """The reply that stands in for a refused response: a reprompt, what is supported, or a request to say it again.

    One that came in too old is answered as that, whatever else is wrong with it. Its reply has no intent and no values,
    passed or not: whoever acts on them takes them for what the user wants now, and they are what was wanted then.
    """
    if any(finding.code == STALE and action is Action.REJECT for finding, action in acted):
        return "stale", _reply(NO_INTENT, _text(policy, locale, "stale"), None, ())
    if subject is None:
        return "fallback", _reply(NO_INTENT, _text(policy, locale, "fallback"), None, ())
    beyond = out_of_scope(subject, acted)
    parameter = failing_parameter(subject, acted, beyond=beyond)
    if parameter is not None:
        text = _reprompt(policy, locale, parameter)
        return "reprompt", _reply(subject.intent.intent, text, parameter.id, subject.values)
    if beyond:
        return "out_of_scope", _reply(NO_INTENT, _text(policy, locale, "out_of_scope"), None, subject.values)
    refer = subject.refer[0]
    refer_id = refer.id if refer is not None and refer.allowed_for(subject.intent.intent) else None
    return "fallback", _reply(subject.intent.intent, _text(policy, locale, "fallback"), refer_id, subject.values)


def model_reply(subject: Subject, answer: str | None) -> Reply:
    """The operational payload with this answer: names resolved, reasoning left behind."""
    refer = subject.refer[0]
    return _reply(subject.intent.intent, answer, refer.id if refer is not None else None, subject.values)


def _reply(intent: Intent, answer: str | None, refer_id: str | None, values: Sequence[object]) -> Reply:
    text = None if answer is None else printable(answer)
    return Reply(intent, Answer(text, refer_id), tuple(values))  # type: ignore[arg-type]


def failing_parameter(subject: Subject, acted: Acted, *, beyond: bool) -> Parameter | None:
    """The parameter to ask for again: the first that fails; where only unknown ones were named, the first still
    wanting.
    """
    refused = {f.parameter_id for f, action in acted if action is Action.REJECT and f.parameter_id}
    known = [t.parameter for t in subject.trials if t.parameter is not None and t.allowed and not t.passed]
    failing = [p for p in known if p.id in refused] or known
    if failing:
        return failing[0]
    refer = subject.refer[0]
    passed = {value.parameter_id for value in subject.values}
    if refer is not None and not beyond and refer.id not in passed and refer.allowed_for(subject.intent.intent):
        return refer
    named = any(f.code == "catalog.unknown_parameter" for f, _ in acted) and bool(subject.trials)
    if named and not any(t.parameter for t in subject.trials):
        return next((p for p in subject.policy.parameters_of(subject.intent.intent) if p.id not in passed), None)
    return None


def out_of_scope(subject: Subject, acted: Acted) -> bool:
    """Whether the request lies beyond the agent: by the flag (unless it was found wrong), an unknown intent, or an
    answer without one.
    """
    codes = {f.code for f, action in acted if action is not Action.IGNORE}
    flagged = subject.out_of_scope and "consistency.false_refusal" not in codes
    return flagged or bool(codes & _BEYOND)


def _reprompt(policy: Policy, locale: str, parameter: Parameter) -> str:
    label = parameter.id.replace("_", " ")
    own = policy.layout.replies.get("reprompt", {})
    if not parameter.format and not own.get(locale):
        return LEXICONS[locale].replies.reprompt_plain.format(parameter=label)
    return _text(policy, locale, "reprompt", parameter=label, format=parameter.format.rstrip("."))


def _text(policy: Policy, locale: str, kind: str, **fields: str) -> str:
    own: dict[str, str] = policy.layout.replies.get(kind, {})  # type: ignore[call-overload]
    template = own.get(locale) or getattr(LEXICONS[locale].replies, kind)
    names = ", ".join(str(intent.name) for intent in policy.intents.values())
    return str(template).format(**fields) if kind != "out_of_scope" else str(template).format(intents=names)
