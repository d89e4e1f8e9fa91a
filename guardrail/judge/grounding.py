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
from guardrail.judge.scoring import LEXICAL, Scales, Scored, answer_risk
from guardrail.judge.speech import Sentence
from guardrail.judge.support import Support
from guardrail.judge.text import printable

PLAIN_RISK = 2.0
"""Without calibration a claim above this risk isn't called supported; nothing acts on it."""
PLAIN_PROBABILITY = 0.5
"""The same where risks are probabilities: above it a claim is rather wrong than right."""
_KNOWN_SHARE = 0.6
"""A sentence with this share of words from prompt and catalogue is about the service itself."""
_LATIN_SHARE = 0.5
"""A text with a smaller share of Latin letters is in a language that the lexicons don't know."""
_HEARD_CHARS = 400
"""So much of an answer tells its script."""

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
    """What an answer is weighed by."""

    score: float | None
    """The published score."""
    tau: float
    """Its threshold."""
    risk_max: float | None
    """The calibrated risk; null before calibration."""
    passages: bool
    """Whether there are any."""
    manner: float
    """How far the evidence reads as terms, in [0, 1], rather than as prose."""
    plain: float = PLAIN_RISK
    """The risk above which, without calibration, a claim isn't called supported."""


class Held(msgspec.Struct, frozen=True):
    """A sentence of an answer held against the evidence."""

    sentence: Sentence
    measure: Measure
    support: Support

    @property
    def weight(self) -> int:
        """What it counts for among the claims of its answer."""
        return len(self.sentence.flat.split()) + 1


Weighed = Sequence[tuple[Sentence, Held | None]]
"""The sentences of an answer in order, each held against the evidence; null for one that asserts nothing."""


def weigh(sentences: Weighed, terms: Terms) -> Weighing:
    """Every sentence of an answer against the evidence. Bounds: risks >= 0, score in [0, 1]."""
    if foreign(sentences):
        return Weighing(Grounding(None, None, terms.tau, Verdict.UNSUPPORTED_LANGUAGE), ())
    risk = _answer_risk([held for _, held in sentences if held is not None], terms.manner)
    above = terms.risk_max is not None and risk is not None and risk > terms.risk_max
    doubts = [None if held is None else _doubt(held, terms, above=above) for _, held in sentences]
    claims = tuple(_claim(s, held, doubt, terms) for (s, held), doubt in zip(sentences, doubts, strict=True))
    grounding = Grounding(risk, terms.score if risk is not None else None, terms.tau, _overall(claims), claims)
    return Weighing(grounding, tuple(doubt for doubt in doubts if doubt is not None))


def _answer_risk(claims: Sequence[Held], manner: float) -> float | None:
    if not claims:
        return None
    return answer_risk([held.support.risk for held in claims], [held.weight for held in claims], manner)


def rated(sentences: Weighed, scored: Scored, scales: Scales) -> Weighed:
    """The sentences with their claims' risks on the scorers' common scale, and who speaks against each."""
    ratings = iter(scored.ratings(scales))
    return tuple((sentence, None if held is None else _rated(held, *next(ratings))) for sentence, held in sentences)


def _rated(held: Held, risk: float, name: str) -> Held:
    reason = (held.support.reason or name) if name == LEXICAL else name
    quoted = held.support.quoted and name == LEXICAL
    return Held(
        held.sentence, held.measure, msgspec.structs.replace(held.support, risk=risk, reason=reason, quoted=quoted)
    )


def _doubt(held: Held, terms: Terms, *, above: bool) -> Doubt | None:
    """Why a sentence can't stand. `above`: the answer's risk is above the calibrated one."""
    sentence, measure = held.sentence, held.measure

    def doubt(code: str, detail: str) -> Doubt:
        return Doubt(sentence, f"ground.{code}", detail, measure.window if measure.cover >= NEAR_COPY else None)

    if held.support.quoted:
        return None
    if sentence.acts and not measure.borne_out:
        return doubt("unsupported_sentence", "a promise, deed or record that nothing supports")
    if sentence.state and measure.cover < NEAR_COPY and measure.context_share < _KNOWN_SHARE:
        return doubt("unsupported_sentence", "a state of the user's own affairs that nothing supports")
    if not terms.passages:
        return None
    if measure.unknown_figures or not _FIGURES.isdisjoint(measure.conflicts):
        return doubt("number_mismatch", "a figure that the evidence doesn't have")
    if measure.conflicts:
        return doubt("contradicts_evidence", f"the evidence says otherwise: {', '.join(measure.conflicts)}")
    if above and terms.risk_max is not None and held.support.risk > terms.risk_max:
        return doubt("unsupported_sentence", f"above the calibrated risk: {held.support.reason}")
    return None


def _claim(sentence: Sentence, held: Held | None, doubt: Doubt | None, terms: Terms) -> Claim:
    text = printable(sentence.text)
    if held is None:
        return Claim(text, None, Verdict.NOTHING_TO_CHECK)
    risk, measure = held.support.risk, held.measure
    if doubt is None and not terms.passages and measure.cover < NEAR_COPY:
        return Claim(text, risk, Verdict.NO_EVIDENCE)
    fine = doubt is None and (terms.risk_max is not None or risk <= terms.plain)
    evidence_id = measure.window.passage_id if measure.window is not None else None
    reason = held.support.reason if doubt is None else doubt.detail
    verdict = Verdict.SUPPORTED if fine else Verdict.UNSUPPORTED
    return Claim(text, risk, verdict, evidence_id, None if fine else reason)


def _overall(claims: Sequence[Claim]) -> Verdict:
    verdicts = {claim.verdict for claim in claims}
    for verdict in (Verdict.UNSUPPORTED, Verdict.NO_EVIDENCE, Verdict.SUPPORTED):
        if verdict in verdicts:
            return verdict
    return Verdict.NOTHING_TO_CHECK


def foreign(sentences: Weighed) -> bool:
    """Whether an answer is in a script that the lexicons don't know."""
    if all(sentence.text.isascii() for sentence, _ in sentences):
        return False
    text = " ".join([sentence.text for sentence, _ in sentences])
    letters = [c for c in text[:_HEARD_CHARS] if c.isalpha()]
    latin = sum(c.isascii() for c in letters)
    if latin < _LATIN_SHARE * len(letters):
        latin += sum(not c.isascii() and unicodedata.name(c, "").startswith("LATIN") for c in letters)
    return bool(letters) and latin < _LATIN_SHARE * len(letters)
