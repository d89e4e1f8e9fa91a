"""An answer held against its evidence, claim by claim.

It must never act: it says what is borne out, and which sentence isn't.

Not calibrated, only what is plainly wrong is a fault: a changed figure, a flipped polarity, a promise, a deed, an
invented record. A low score alone only reports (CONTRACT §2 `grounding`, GROUNDING §1).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import msgspec

from guardrail.judge.evidence import NEAR_COPY, Measure, Window
from guardrail.judge.model import Claim, Grounding, Verdict
from guardrail.judge.speech import Sentence
from guardrail.judge.text import printable

_PLAIN_RISK = 2.0
"""Without calibration a claim above this risk isn't called supported; nothing acts on it."""
_KNOWN_SHARE = 0.6
"""A sentence with this share of words from prompt and catalogue is about the service itself."""
_LATIN_SHARE = 0.5
"""A text with a smaller share of Latin letters is in a language that the lexicons don't know."""


_FIGURES = frozenset({"figure", "unit"})


class Doubt(msgspec.Struct, frozen=True):
    """A sentence that can't stand: why (a `ground` code), and the evidence that is nearest to it."""

    sentence: Sentence
    code: str
    detail: str
    window: Window | None


class Weighing(msgspec.Struct, frozen=True):
    """What grounding found: the value for the decision, and the sentences that can't stand."""

    grounding: Grounding
    doubts: tuple[Doubt, ...]


class Terms(msgspec.Struct, frozen=True):
    """What an answer is weighed by: the published score and its threshold, the calibrated risk, whether there are
    passages.
    """

    score: float | None
    tau: float
    risk_max: float | None
    passages: bool


Weighed = Sequence[tuple[Sentence, Measure | None]]
"""The sentences of an answer in order, each with its measure; null for one that asserts nothing by its form alone."""


def weigh(sentences: Weighed, terms: Terms) -> Weighing:
    """Every sentence of an answer against the evidence. Bounds: risks >= 0, score in [0, 1]."""
    if _foreign(" ".join(sentence.text for sentence, _ in sentences)):
        return Weighing(Grounding(None, None, terms.tau, Verdict.UNSUPPORTED_LANGUAGE), ())
    weighed = [(s, None if m is None or silent(s, m) else m) for s, m in sentences]
    doubts = [None if m is None else _doubt(s, m, terms) for s, m in weighed]
    claims = tuple(_claim(s, m, doubt, terms) for (s, m), doubt in zip(weighed, doubts, strict=True))
    risk = _mean_risk(claims, sentences)
    grounding = Grounding(risk, terms.score if risk is not None else None, terms.tau, _overall(claims), claims)
    return Weighing(grounding, tuple(doubt for doubt in doubts if doubt is not None))


def silent(sentence: Sentence, measure: Measure) -> bool:
    """Whether a sentence asserts nothing that evidence could bear out."""
    if sentence.acts:
        return False
    if sentence.mute or measure.content + len(measure.unknown_figures) == 0:
        return True
    if sentence.civil and not (measure.conflicts or measure.unknown_figures):
        return True
    short = len(sentence.flat.split()) <= 3 and measure.content <= 1
    plain = not (sentence.affirmation or measure.unknown_figures or measure.conflicts or sentence.denies)
    polite = sentence.courtesy and plain and measure.content <= 3
    return short or polite


def _doubt(sentence: Sentence, measure: Measure, terms: Terms) -> Doubt | None:
    def doubt(code: str, detail: str) -> Doubt:
        return Doubt(sentence, f"ground.{code}", detail, measure.window if measure.cover >= NEAR_COPY else None)

    if sentence.acts:
        return (
            None
            if measure.borne_out
            else doubt("unsupported_sentence", "a promise, deed or record that nothing supports")
        )
    if sentence.state and measure.cover < NEAR_COPY and measure.context_share < _KNOWN_SHARE:
        return doubt("unsupported_sentence", "a state of the user's own affairs that nothing supports")
    if not terms.passages:
        return None
    if measure.unknown_figures or not _FIGURES.isdisjoint(measure.conflicts):
        return doubt("number_mismatch", "a figure that the evidence doesn't have")
    if measure.conflicts:
        return doubt("contradicts_evidence", f"the evidence says otherwise: {', '.join(measure.conflicts)}")
    if terms.risk_max is not None and measure.risk > terms.risk_max:
        return doubt("unsupported_sentence", "above the calibrated risk")
    return None


def _claim(sentence: Sentence, measure: Measure | None, doubt: Doubt | None, terms: Terms) -> Claim:
    text = printable(sentence.text)
    if measure is None:
        return Claim(text, None, Verdict.NOTHING_TO_CHECK)
    if doubt is None and not terms.passages and measure.cover < NEAR_COPY:
        return Claim(text, measure.risk, Verdict.NO_EVIDENCE)
    fine = doubt is None and measure.risk <= (terms.risk_max or _PLAIN_RISK)
    evidence_id = measure.window.passage_id if measure.window is not None else None
    return Claim(text, measure.risk, Verdict.SUPPORTED if fine else Verdict.UNSUPPORTED, evidence_id)


def _mean_risk(claims: Sequence[Claim], sentences: Weighed) -> float | None:
    """The claims' risks, weighted by their length (GROUNDING §2)."""
    weighted = [
        (claim.risk, len(sentence.flat.split()) + 1)
        for claim, (sentence, _) in zip(claims, sentences, strict=True)
        if claim.risk is not None
    ]
    total = sum(weight for _, weight in weighted)
    return sum(risk * weight for risk, weight in weighted) / total if total else None


def _overall(claims: Sequence[Claim]) -> Verdict:
    verdicts = {claim.verdict for claim in claims}
    for verdict in (Verdict.UNSUPPORTED, Verdict.NO_EVIDENCE, Verdict.SUPPORTED):
        if verdict in verdicts:
            return verdict
    return Verdict.NOTHING_TO_CHECK


def _foreign(text: str) -> bool:
    letters = [c for c in text[:400] if c.isalpha()]
    latin = sum(c.isascii() or unicodedata.name(c, "").startswith("LATIN") for c in letters)
    return bool(letters) and latin < _LATIN_SHARE * len(letters)
