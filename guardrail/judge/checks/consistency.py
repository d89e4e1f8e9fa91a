"""Do the parts of a response agree: flag, intent, quote, answer, outcome of the runs?

It must never weigh the answer's facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.judge.formats import counted_units
from guardrail.judge.marks import leaks, marks_up
from guardrail.judge.model import Finding, Intent, Quadrant
from guardrail.judge.request import only_told, read_request, speaks_against, the_named
from guardrail.judge.speech import Sentence, asks_again, declines, detect_language, things_asked
from guardrail.judge.subject import ANSWER, Subject
from guardrail.judge.text import fold
from guardrail.judge.trial import Trial
from guardrail.judge.vocabulary import is_defined, is_private

QUOTE = "/generated_answer/evidence_from_prompt"
MESSAGE = "/user_messages_analysis/message_content"
_QUOTE_WORDS_MIN = 3
_KNOWN_SHARE = 0.5
"""An offer of which less than this share is known from prompt and catalogue goes beyond the agent."""
_COURTESY_WORDS = 3
"""A courtesy of no more content words goes along with nothing."""
_CODE = re.compile(r"[^\W_](?:[\w/.:+-]*[^\W_])?")
_CODE_CHARS = 4
"""A shorter figure may count or cost anything."""
_SERVING_WORDS = 3
"""A sentence of fewer words serves no request."""
_BARE_QUESTION_WORDS = 3
"""A question of so few words ("is that correct?") asks for no value."""
_LEFTOVER_MAX = 1
"""A message names an intent when at most so many further content words stand beside the intent's own."""
_LEFT_MAX = 2
"""... or beside words of their kin, where another intent was detected; a refusal may be owed to any word unknown."""


def check(subject: Subject) -> Iterator[Finding]:
    """Findings on scope, evidence, parameters and text, each found on its own."""
    yield from _scope(subject)
    yield from _quote(subject)
    yield from _message(subject)
    if subject.answer:
        yield from _deeds(subject)
        yield from _requests(subject)
        yield from _refused_values(subject)
        yield from _format_claims(subject)
        yield from _other_values(subject)
        yield from _leaks(subject)
        yield from _language(subject)


def _scope(subject: Subject) -> Iterator[Finding]:
    intent = subject.intent
    if subject.out_of_scope and intent.named:
        yield Finding("consistency.oos_but_intent", intent.pointer, "called out of scope, yet an intent was detected")
    familiar = subject.fields.get("intents_i_am_familiar_with")
    if isinstance(familiar, list) and intent.intent.id is not None and not _listed(intent.intent, familiar, subject):
        yield Finding(
            "consistency.intent_not_in_familiar", intent.pointer, "not among the intents the model says it knows"
        )
    if not intent.named and subject.answer and not subject.trials and _goes_along(subject):
        code = "answer_contradicts_reasoning" if subject.out_of_scope else "null_intent_affirming"
        yield Finding(f"consistency.{code}", ANSWER, "no intent, yet the answer goes along")
    if intent.intent.id is not None and not subject.out_of_scope and _refuses_it(subject):
        yield Finding("consistency.false_refusal", ANSWER, f"{intent.intent.id} was detected, and refused")
    yield from _named_by_message(subject)


def _refuses_it(subject: Subject) -> bool:
    """Whether a supported intent is turned down with nothing to go on with, and no evidence that asks for it."""
    going_on = any(s.question or s.request or (s.offer and not s.refusal) for s in subject.sentences)
    refused = [s for s in subject.sentences if s.refusal or s.limit]
    return bool(refused) and not going_on and not any(_quotes_passage(s, subject) for s in refused)


def _quotes_passage(sentence: Sentence, subject: Subject) -> bool:
    measure = subject.measure(sentence)
    return measure.cover >= _KNOWN_SHARE and measure.window is not None and measure.window.passage_id is not None


def _listed(intent: Intent, familiar: list[object], subject: Subject) -> bool:
    keys = subject.policy.intent_keys
    return any(isinstance(name, str) and keys.get("".join(fold(name).split())) == intent for name in familiar)


def _goes_along(subject: Subject) -> bool:
    """Whether an answer serves a request that has no intent.

    One that declines as a whole doesn't, whatever else it says.
    """
    if declines(subject.sentences, flagged=subject.out_of_scope):
        return False
    return any(_serves(sentence, subject) for sentence in subject.sentences)


def _serves(sentence: Sentence, subject: Subject) -> bool:
    if sentence.question:
        return False
    if sentence.acts or sentence.affirmation:
        return True
    measure = subject.measure(sentence)
    if measure.unknown_figures:
        return True
    if sentence.courtesy and measure.content <= _COURTESY_WORDS:
        return False
    if sentence.offer:
        return measure.content > 1 and measure.context_share < _KNOWN_SHARE
    if sentence.request or sentence.invitation or len(sentence.flat.split()) < _SERVING_WORDS:
        return False
    if sentence.mute or sentence.civil or measure.content == 0:
        return False
    return measure.cover < _KNOWN_SHARE and measure.context_share < _KNOWN_SHARE


def _named_by_message(subject: Subject) -> Iterator[Finding]:
    """The user's own words name an intent that the response refuses, or another than the one it detected."""
    detected = subject.intent.intent
    if detected.id is None and subject.out_of_scope and declines(subject.sentences):
        if (named := _named(subject, None)) is not None:
            yield Finding("consistency.false_refusal", ANSWER, f"the message names {named.id}")
    elif detected.id is not None and not subject.trials:
        named = _named(subject, detected.id)
        if named not in {None, detected}:
            yield Finding(
                "consistency.intent_not_supported_by_message", subject.intent.pointer, f"the message names {named.id}"
            )


def _named(subject: Subject, detected: str | None) -> Intent | None:
    """The one intent that the message names: in the words of its name, else in words of their kin."""
    said, catalogue = subject.said.stems, subject.policy.named_intents
    literal = [
        intent for intent, own in subject.policy.intent_stems if own <= said and len(said - own) <= _LEFTOVER_MAX
    ]
    request = read_request(subject.message)
    named = catalogue[str(literal[0].id)] if len(literal) == 1 else None
    if named is None or only_told(request, named):
        named, literal = the_named(request, tuple(catalogue.values())), []
    if named is None:
        return None
    left = request.left - named.things
    if detected is None:
        return named.intent if left <= subject.policy.evidence.stems else None
    other = catalogue[detected]
    few = not request.aside and len(left) <= (_LEFT_MAX if other.actions else 0)  # a name of things may mean anything
    return named.intent if (literal or few) and speaks_against(request, named, other) else None


def _quote(subject: Subject) -> Iterator[Finding]:
    quote = subject.fields.get("evidence_from_prompt")
    prompt = subject.policy.layout.prompt
    if not isinstance(quote, str) or not prompt:
        return
    if quote in prompt and quote.count(" ") >= _QUOTE_WORDS_MIN and not subject.trials:
        return
    folded = fold(quote)
    if folded.count(" ") + 1 < _QUOTE_WORDS_MIN:
        yield Finding("consistency.evidence_too_short", QUOTE, "the quote says too little")
    elif f" {folded} " not in subject.policy.folded_prompt:
        yield Finding("consistency.evidence_not_in_prompt", QUOTE, "the quote isn't in the prompt")
    elif quote.strip() not in prompt:
        yield Finding("consistency.evidence_loose_match", QUOTE, "differs by case, blanks or punctuation")
    elif subject.trials and _quotes_another(folded, subject):
        yield Finding("consistency.evidence_irrelevant", QUOTE, "the quote is about another parameter")


def _quotes_another(folded: str, subject: Subject) -> bool:
    """Whether the quote states formats, and of no parameter that this turn is about."""
    quoted = {p.id for p in subject.policy.parameters.values() if p.folded_format and p.folded_format in folded}
    about = {trial.id for trial in subject.trials} | {subject.refer[0].id if subject.refer[0] else None}
    return bool(quoted) and not quoted & about and about != {None}


def _message(subject: Subject) -> Iterator[Finding]:
    given, said = subject.analysis.get("message_content"), subject.record.user_message
    if isinstance(given, str) and " ".join(given.split()) != " ".join(said.split()):
        if subject.answer is not None and given == subject.answer:
            yield Finding("consistency.fields_mixed_up", MESSAGE, "the answer stands as the user's message")
        elif fold(given) == fold(said):
            yield Finding("consistency.message_content_loose", MESSAGE, "differs by case or punctuation")
        else:
            yield Finding("consistency.message_content_altered", MESSAGE, "not what the user said")
    if subject.answer and subject.answer == subject.fields.get("evidence_from_prompt"):
        yield Finding("consistency.fields_mixed_up", ANSWER, "the quoted evidence stands as the answer")


def _deeds(subject: Subject) -> Iterator[Finding]:
    if any(s.done and not subject.backed(s) for s in subject.sentences):
        yield Finding("consistency.claims_done_action", ANSWER, "says that something was done which nobody ran")


def _requests(subject: Subject) -> Iterator[Finding]:
    undefined = any(not is_defined(thing, subject.policy) for thing in things_asked(subject.sentences))
    if undefined or any(_asks_private(s, subject) for s in subject.sentences):
        yield Finding("consistency.asks_undefined_parameter", ANSWER, "asks for something that isn't configured")


def _asks_private(sentence: Sentence, subject: Subject) -> bool:
    """Whether a question or request is after personal data that neither the policy nor the user brought up."""
    if not (sentence.question or sentence.request or sentence.retry) or (sentence.refusal and not sentence.request):
        return False
    return is_private(sentence.flat, subject.policy, subject.message)


def _refused_values(subject: Subject) -> Iterator[Finding]:
    """A value that failed by the model's own word, or that isn't there, must not be taken all the same."""
    for trial in subject.trials:
        nothing = trial.value == "" and trial.quadrant is Quadrant.AGREED
        if not (trial.quadrant is Quadrant.REFUSAL or nothing) or trial.value is None:
            continue
        taken = trial.value != "" and any(
            trial.value in s.text and not (s.denies or (s.retry and not s.courtesy)) for s in subject.sentences
        )
        asked = any(s.question and len(s.flat.split()) > _BARE_QUESTION_WORDS for s in subject.sentences)
        answered = asked or (
            asks_again(subject.sentences)
            or declines(subject.sentences)
            or any(s.denies or s.invitation for s in subject.sentences)
        )
        if taken or not answered:
            yield Finding("consistency.confirm_after_fail", ANSWER, "takes a value that failed", parameter_id=trial.id)


def _format_claims(subject: Subject) -> Iterator[Finding]:
    """What the answer says of a format against the configured one: the same unit with another count."""
    parameter = subject.refer[0]
    if parameter is None:
        return
    configured = counted_units(parameter.format)
    if not any(unit in str(subject.answer) for unit in configured):
        return
    for unit, count in counted_units(str(subject.answer)).items():
        if unit in configured and configured[unit] != count:
            yield Finding(
                "consistency.answer_contradicts_evidence",
                ANSWER,
                "states another format than the configured one",
                parameter_id=parameter.id,
            )
            return


def _other_values(subject: Subject) -> Iterator[Finding]:
    """A code in the answer that has a handed-on value's format and is another one, which nobody gave."""
    found = dict.fromkeys(_CODE.findall(str(subject.answer)))
    codes = [code for code in found if len(code) >= _CODE_CHARS and not code.isalpha()]
    for trial in subject.trials if codes else ():
        if trial.passed and any(_stands_for(code, trial, subject) for code in codes):
            yield Finding(
                "consistency.answer_contradicts_evidence",
                ANSWER,
                "shows another value than the one that is handed on",
                parameter_id=trial.id,
            )


def _stands_for(code: str, trial: Trial, subject: Subject) -> bool:
    """Whether a code takes a value's place: same form, unknown to the user, the evidence and the policy."""
    if code == trial.value or _form(code) != _form(str(trial.value)):
        return False
    turns = [subject.message, *(turn.text for turn in subject.record.history)]
    given = [*turns, subject.policy.layout.prompt, *(passage.text for passage in subject.evidence.passages)]
    values = [other.value for other in subject.trials if other.passed]
    known = code in values or any(code in text for text in given)
    return not known and subject.bench.fits(str(trial.pattern), code)


def _form(code: str) -> str:
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", code))


def _leaks(subject: Subject) -> Iterator[Finding]:
    answer = str(subject.answer)
    if leaks(answer) or any(s.inner for s in subject.sentences):
        yield Finding("consistency.reasoning_leak", ANSWER, "reasoning stands in the answer")
    if marks_up(answer):
        yield Finding("consistency.markup_leak", ANSWER, "markup stands in the answer")


def _language(subject: Subject) -> Iterator[Finding]:
    spoken = detect_language(str(subject.answer))
    if spoken is not None and spoken != subject.locale:
        yield Finding("consistency.language_mismatch", ANSWER, f"answered in {spoken}")
