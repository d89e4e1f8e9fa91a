"""A wrong answer made right by evidence, or not at all. It must never touch a sentence that stands, nor invent a word.

Marks and controls are cut; of a sentence that can't stand, what differs from the evidence it copies is put right; where
that doesn't hold, the whole sentence is replaced by the evidence it misquotes, else dropped; when nothing is left to
say, the evidence nearest to the question is said. The caller verifies each try and refuses what doesn't hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise

import msgspec

from guardrail.judge.content import read_words
from guardrail.judge.evidence import NEAR_COPY, Window
from guardrail.judge.formats import counted_units
from guardrail.judge.grounding import Doubt
from guardrail.judge.joins import affirmed, anaphoric, capitalised, claimed, lead, wrapped
from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.marks import clean
from guardrail.judge.mending import mend, same_words
from guardrail.judge.model import Edit
from guardrail.judge.orphans import orphans, settled
from guardrail.judge.speech import NEGATIONS, STOP_WORDS, Sentence, flat, read_answer
from guardrail.judge.subject import ANSWER, Subject
from guardrail.judge.text import composed, fold, printable

_REPAIRS_MAX = 16
"""So many doubted sentences of an answer are laid over the evidence; what lies beyond is replaced or dropped whole."""
_FINAL = ".!?…,;:"
_AGAIN_MIN = 3
"""A shorter sentence may stand beside a text that has its words."""


class Correction(msgspec.Struct, frozen=True):
    """A corrected answer and the edits that made it."""

    answer: str
    edits: tuple[Edit, ...]


class _Change(msgspec.Struct, frozen=True):
    start: int
    end: int
    text: str
    evidence_id: str | None = None


class _Repair(msgspec.Struct, frozen=True):
    """What a sentence becomes, and the passage that says so."""

    text: str
    evidence_id: str | None
    said: str
    """The text without the marks and the lead around it."""


def corrections(subject: Subject, wanted: Set[str]) -> Iterator[Correction]:
    """The answer with what is wrong in it put right, the smallest change first; none where one would have to guess.

    `wanted`: the codes of the findings that are to be corrected. Bounds: three tries at most.
    """
    answer = subject.answer
    cleaned = None if answer is None else clean(answer)
    if answer is None or cleaned is None:
        return
    edits = [] if cleaned == answer else [Edit(ANSWER, printable(answer), printable(cleaned))]
    if cleaned != answer:
        subject = subject.with_answer(cleaned)
    doubts = [doubt for doubt in subject.weighing.doubts if doubt.code in wanted]
    for repairs in _repaired(subject, doubts):
        found = _correct(subject, doubts, edits, repairs)
        if found is not None:
            yield found


def _repaired(subject: Subject, doubts: Sequence[Doubt]) -> list[Mapping[int, _Repair]]:
    """The doubted sentences that nearly copy the evidence, by where they start, with what differs put right.

    First with their own leads, then without, then none repaired. Bullets, numbers and quotes stay.
    """
    led: dict[int, _Repair] = {}
    bare: dict[int, _Repair] = {}
    for sentence in [doubt.sentence for doubt in doubts[:_REPAIRS_MAX]]:
        before, text, behind = wrapped(composed(sentence.text))
        opening = affirmed(text) or lead(text)
        claim = text[len(opening) :]
        likely = subject.evidence.likely(read_words(claim))
        mended = mend(claim, [window.text for window in likely])
        if mended is None or _named(claim, likely[mended.number], subject):
            continue
        source = likely[mended.number].passage_id
        begun = _begun(mended.text, claim)
        if begun != claim and not (affirmed(text) and _turned(claim, begun, subject)):
            led[sentence.start] = _Repair(before + opening + begun + behind, source, begun)
        if opening or begun != claim:
            alone = capitalised(mended.text) if opening else begun
            bare[sentence.start] = _Repair(_unnumbered(before) + alone + behind, source, alone)
    return [*([led] if led else []), *([bare] if bare and bare != led else []), {}]


def _correct(
    subject: Subject, doubts: Sequence[Doubt], edits: Sequence[Edit], repairs: Mapping[int, _Repair]
) -> Correction | None:
    """One try: `edits` were made before, `repairs` are what some of the sentences become."""
    cleaned, edits = str(subject.answer), list(edits)
    changes = [_Change(s.start, s.end, "") for s in subject.sentences if s.inner] + _format_changes(subject)
    taken = {change.start for change in changes}
    changes += _doubt_changes(subject, [d for d in doubts if d.sentence.start not in taken], repairs)
    changes += _orphaned(subject, changes)
    changes = _settled(subject, changes)
    text = _apply(cleaned, changes)
    edits += [Edit(ANSWER, printable(cleaned[c.start : c.end]), c.text, c.evidence_id) for c in changes]
    if _says_something(text):
        return Correction(text, tuple(edits)) if edits else None
    fill = subject.evidence.answering(subject.message) if subject.policy.corrects(subject.intent.intent) else None
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


def _begun(text: str, claim: str) -> str:
    """A sentence as the claim began: with a capital, or small where its own first word or an article may be."""
    if not claim[:1].islower():
        return capitalised(text)
    first, own = (fold(one.partition(" ")[0]) for one in (text, claim))
    return text[:1].lower() + text[1:] if first == own or first in STOP_WORDS else text


def _unnumbered(marks: str) -> str:
    """The marks before a sentence without a number, which may be taken for a figure of its own."""
    return "" if any(c.isdigit() for c in marks) else marks


def _turned(claim: str, new: str, subject: Subject) -> bool:
    """Whether a yes that stood before a claim may be none to what it becomes: a denial, or what was asked, went."""
    old, now = read_words(claim), read_words(new)
    asked = (old.figures & subject.said.figures) - now.figures
    return bool(asked or NEGATIONS & set(flat(claim).split()) ^ NEGATIONS & set(flat(new).split()))


def _doubt_changes(subject: Subject, doubts: Sequence[Doubt], repairs: Mapping[int, _Repair]) -> list[_Change]:
    """What each doubted sentence becomes, nothing that is said already being said again."""
    doubted = {doubt.sentence.start for doubt in doubts}
    said = [sentence.text for sentence in subject.sentences if sentence.start not in doubted]
    before = {s.start: previous.start for previous, s in pairwise(subject.sentences)}
    dropped: set[int] = set()
    changes: list[_Change] = []
    for doubt in doubts:
        sentence = doubt.sentence
        hangs = before.get(sentence.start) in dropped and anaphoric(sentence.text)
        new = repairs.get(sentence.start) or (None if hangs else _replacement(subject, doubt))
        if new is None or any(same_words(new.said, one) or new.said in one for one in said):
            new = _Repair("", None, "")
        changes.append(_Change(sentence.start, sentence.end, new.text, new.evidence_id))
        said += [new.said] if new.said else []
        dropped |= set() if new.text else {sentence.start}
    return changes


def _replacement(subject: Subject, doubt: Doubt) -> _Repair | None:
    """The evidence that a sentence misquotes; null where it speaks of something else."""
    window, sentence = doubt.window, doubt.sentence
    if window is None or window.passage_id is None or subject.measure(sentence).cover < NEAR_COPY:
        return None
    if _of_another(sentence, window, subject):
        return None
    before, claim, behind = wrapped(composed(sentence.text))
    text = _begun(window.text, claim)
    if claim.endswith(";") or behind.endswith(tuple(_FINAL)):
        text = text.rstrip(_FINAL) + claim[len(claim.rstrip(_FINAL)) :]
    return _Repair(_unnumbered(before) + text + behind, window.passage_id, text)


def _orphaned(subject: Subject, changes: Sequence[_Change]) -> list[_Change]:
    """What has to follow: sentences that hung on a dropped one, and clauses that a replacing text says again."""
    dropped = {change.start for change in changes if not change.text}
    touched = {change.start for change in changes}
    news = [f" {fold(change.text)} " for change in changes if change.text]
    again = {s.start for s in subject.sentences if s.start not in touched and _repeated(s, news)}
    left = orphans(subject.sentences, dropped)
    found = {sentence.start: _Change(sentence.start, sentence.end, text) for sentence, text in left}
    found |= {s.start: _Change(s.start, s.end, "") for s in subject.sentences if s.start in again}
    return [change for start, change in found.items() if start not in touched]


def _settled(subject: Subject, changes: Sequence[_Change]) -> list[_Change]:
    """The changes, and those of the clauses whose neighbours went."""
    by_start = {change.start: change for change in changes}
    for sentence, text in settled(subject.sentences, {start: change.text for start, change in by_start.items()}):
        source = by_start[sentence.start].evidence_id if sentence.start in by_start else None
        by_start[sentence.start] = _Change(sentence.start, sentence.end, text, source)
    return list(by_start.values())


def _repeated(sentence: Sentence, news: Sequence[str]) -> bool:
    folded = fold(claimed(sentence.text))
    return len(folded.split()) >= _AGAIN_MIN and any(f" {folded} " in new for new in news)


def _named(claim: str, window: Window, subject: Subject) -> bool:
    """Whether a claim speaks of something that the user named and its original doesn't have."""
    return bool((read_words(claim).stems - window.words.stems) & subject.said.stems)


def _of_another(sentence: Sentence, window: Window, subject: Subject) -> bool:
    """Whether a sentence is about something that its window doesn't speak of: what the user named, or nobody knows."""
    strange = read_words(sentence.text).stems - window.words.stems
    return bool(strange & subject.said.stems or strange - subject.evidence.stems)


def _apply(answer: str, changes: Sequence[_Change]) -> str:
    """The answer with the changes made; the blanks between what stays stay as they are."""
    for change in sorted(changes, key=lambda c: c.start, reverse=True):
        before, after = answer[: change.start], answer[change.end :]
        if not change.text:
            before, after = (before, after.lstrip()) if after.strip() else (before.rstrip(), "")
        gap = " " if change.text and after[:1].strip() else ""
        answer = before + change.text + gap + after
    return answer.strip()


def _says_something(answer: str) -> bool:
    """Whether more than courtesy is left."""
    return any(
        s.question or s.refusal or s.request or s.offer or s.limit or not s.courtesy for s in read_answer(answer)
    )
