"""Is what the answer asserts borne out by the evidence? It must never mind how it is said."""

from __future__ import annotations

from collections.abc import Iterator

from guardrail.judge.model import Finding, Verdict
from guardrail.judge.subject import ANSWER, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """A finding for each sentence that can't stand, and for what could not be weighed."""
    weighing = subject.weighing
    grounding = weighing.grounding
    for doubt in weighing.doubts:
        yield Finding(doubt.code, ANSWER, f"characters {doubt.sentence.start}-{doubt.sentence.end}: {doubt.detail}")
    if grounding.verdict is Verdict.NO_EVIDENCE:
        yield Finding("ground.no_evidence", ANSWER, "claims, and nothing to check them against")
    elif grounding.verdict is Verdict.UNSUPPORTED_LANGUAGE:
        yield Finding("ground.not_evaluated", ANSWER, "a language without a lexicon")
    elif grounding.score is not None and grounding.tau is not None and grounding.score < grounding.tau:
        yield Finding("ground.below_tau", ANSWER, f"score {grounding.score:.3f} < {grounding.tau}")
