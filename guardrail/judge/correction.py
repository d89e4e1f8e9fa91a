"""A wrong answer made right by evidence, or not at all. It must never touch a sentence that stands, nor invent a word.

Marks and controls are cut; of a sentence that can't stand, what differs from the evidence it copies is put right; where
that doesn't hold, the whole sentence is replaced by the evidence it misquotes, else dropped; when nothing is left to
say, the evidence nearest to the question is said. The caller verifies each try and refuses what doesn't hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from guardrail.judge.content import read_words
from guardrail.judge.evidence import NEAR_COPY, Window
from guardrail.judge.formats import counted_units
from guardrail.judge.grounding import Doubt
from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.marks import clean
from guardrail.judge.model import Edit
from guardrail.judge.speech import Sentence, read_answer
from guardrail.judge.subject import ANSWER, Subject
from guardrail.judge.text import composed, printable


class Correction(msgspec.Struct, frozen=True):
    """A corrected answer and the edits that made it."""

    answer: str
    edits: tuple[Edit, ...]


class _Change(msgspec.Struct, frozen=True):
    start: int
    end: int
    text: str
    evidence_id: str | None = None


def corrections(subject: Subject, doubts: Sequence[Doubt]) -> Iterator[Correction]:
    """The answer with what is wrong in it put right, the smallest change first; none where one would have to guess.

    Bounds: two tries at most.
    """
    answer = subject.answer
    cleaned = None if answer is None else clean(answer)
    if answer is None or cleaned is None:
        return
    edits = [] if cleaned == answer else [Edit(ANSWER, printable(answer), printable(cleaned))]
    if cleaned != answer:
        subject = subject.with_answer(cleaned)
        doubts = subject.weighing.doubts
    repaired = _repaired(subject, doubts)
    for repairs in ([repaired] if repaired else []) + [{}]:
        found = _correct(subject, doubts, edits, repairs)
        if found is not None:
            yield found


def _repaired(subject: Subject, doubts: Sequence[Doubt]) -> dict[int, str]:
    """The doubted sentences that copy the evidence, by where they start, with what differs put right."""
    held = {sentence.start: one for sentence, one in subject.held if one is not None}
    found: dict[int, str] = {}
    for doubt in doubts:
        one, text = held.get(doubt.sentence.start), composed(doubt.sentence.text)
        if one is None or doubt.sentence.acts:
            continue
        for repair in reversed(one.support.repairs):
            text = text[: repair.start] + repair.text + text[repair.end :]
        if text != doubt.sentence.text:
            found[doubt.sentence.start] = text
    return found


def _correct(
    subject: Subject, doubts: Sequence[Doubt], edits: Sequence[Edit], repairs: Mapping[int, str]
) -> Correction | None:
    """One try: `edits` were made before, `repairs` are what some of the sentences become."""
    cleaned, edits = str(subject.answer), list(edits)
    changes = [_Change(s.start, s.end, "") for s in subject.sentences if s.inner] + _format_changes(subject)
    taken = {change.start for change in changes}
    changes += _doubt_changes(subject, [d for d in doubts if d.sentence.start not in taken], repairs)
    text = _apply(cleaned, changes)
    edits += [Edit(ANSWER, printable(cleaned[c.start : c.end]), c.text, c.evidence_id) for c in changes]
    if _says_something(text):
        return Correction(text, tuple(edits)) if edits else None
    fill = subject.evidence.answering(subject.message)
    if fill is None:
        return None
    filled = f"{text} {fill.text}".strip()
    return Correction(filled, (*edits, Edit(ANSWER, "", fill.text, fill.passage_id)))


def _format_changes(subject: Subject) -> list[_Change]:
    """Sentences that misstate the format of the parameter asked for -> the configured format."""
    parameter = subject.refer[0]
    if parameter is None:
        return []
    configured = counted_units(parameter.format)
    replies = LEXICONS[subject.locale].replies
    stated, asked = (
        text.format(format=parameter.format.rstrip("."), parameter=parameter.id.replace("_", " "))
        for text in (replies.format_is, replies.reprompt)
    )
    return [
        _Change(s.start, s.end, asked if s.question or s.request else stated)
        for s in subject.sentences
        if any(configured.get(unit, count) != count for unit, count in counted_units(s.text).items())
    ]


def _doubt_changes(subject: Subject, doubts: Sequence[Doubt], repairs: Mapping[int, str]) -> list[_Change]:
    changes: list[_Change] = []
    said = str(subject.answer)
    for doubt in doubts:
        window, sentence = doubt.window, doubt.sentence
        if sentence.start in repairs:
            nearest = subject.measure(sentence).window
            source = None if nearest is None else nearest.passage_id
            changes.append(_Change(sentence.start, sentence.end, repairs[sentence.start], source))
            continue
        misquoted = (
            window is not None
            and window.passage_id is not None
            and subject.measure(sentence).cover >= NEAR_COPY
            and not _of_another(sentence, window, subject)
        )
        new = window.text if misquoted and window is not None and window.text not in said else ""
        changes.append(
            _Change(sentence.start, sentence.end, new, window.passage_id if new and window is not None else None)
        )
        said += new
    return changes


def _of_another(sentence: Sentence, window: Window, subject: Subject) -> bool:
    """Whether a sentence is about something that its window doesn't speak of: what the user named, or nobody knows."""
    strange = read_words(sentence.text).stems - window.words.stems
    return bool(strange & subject.said.stems or strange - subject.evidence.stems)


def _apply(answer: str, changes: Sequence[_Change]) -> str:
    for change in sorted(changes, key=lambda c: c.start, reverse=True):
        before, after = answer[: change.start].rstrip(), answer[change.end :].lstrip()
        answer = " ".join(part for part in (before, change.text, after) if part)
    return answer


def _says_something(answer: str) -> bool:
    """Whether more than courtesy is left."""
    return any(
        s.question or s.refusal or s.request or s.offer or s.limit or not s.courtesy for s in read_answer(answer)
    )
