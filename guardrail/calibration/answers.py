"""Judged answers, agent by agent, and what is known of each agent by them. It must never judge: it is handed decisions.

What has no risk doesn't count: a threshold can't flag it. Nor does what had no evidence to be held against, nor, where
a policy names scorers, what they could not be asked about.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from guardrail.calibration.conformal import Threshold, document_risks, threshold
from guardrail.calibration.samples import Sample
from guardrail.errors import InputError
from guardrail.judge.decide import Judged
from guardrail.judge.layout import ScorerLayout
from guardrail.judge.model import Action, Decision, Outcome, Value, Verdict
from guardrail.judge.policy import Policies, Policy
from guardrail.judge.scoring import LEXICAL, Scale, Scored

FAULTS_SHOWN = 20
"""Enough to mend a file by; a file of the wrong kind has one in every line."""
UNREADABLE = "unreadable"
"""Why an answer doesn't count: no answer could be read from the response."""


class Answer(Value, frozen=True):
    """A labelled answer as the judge sees it.

    `risk` null: it doesn't count, for the reason in `verdict`. `conflict`: acted on whatever the threshold (a changed
    figure, a flipped fact, a promise).
    """

    good: bool
    document: str | None
    risk: float | None
    verdict: str
    conflict: bool = False
    scored: Scored | None = None
    """What the policy's scorers say of it; null where it names none."""
    digest: str = ""
    """Of its document's name, or of the record where it has none: what it is split by."""


class Fitted(Value, frozen=True):
    """Scales of scorers, and the answers that they were fitted on, which count for nothing else."""

    scales: dict[str, Scale]
    good: int
    bad: int
    documents: int


class Calibration(msgspec.Struct, frozen=True, dict=True):
    """One agent's answers, and the threshold that they give."""

    agent: str
    level: float
    answers: tuple[Answer, ...]
    fitted: Fitted | None = None
    """The scales that the risks are on, where they were fitted for this calibration, on answers that aren't here."""

    @cached_property
    def good(self) -> tuple[Answer, ...]:
        """The known-good answers that count."""
        return tuple(a for a in self.answers if a.good and a.risk is not None)

    @cached_property
    def bad(self) -> tuple[Answer, ...]:
        """The known-bad answers that count."""
        return tuple(a for a in self.answers if not a.good and a.risk is not None)

    @cached_property
    def uncounted(self) -> Counter[tuple[str, bool]]:
        """Why answers don't count, and whether they are good -> how many."""
        return Counter((a.verdict, a.good) for a in self.answers if a.risk is None)

    @cached_property
    def scores(self) -> list[float]:
        """One risk a document of known-good answers, in the file's order."""
        return document_risks((a.document, risk) for a in self.good if (risk := a.risk) is not None)

    @cached_property
    def threshold(self) -> Threshold:
        """The threshold for the level."""
        return threshold(self.scores, self.level)


class Ledger:
    """Collects judged samples. A line that can't be used is a fault, told at the end with its number."""

    def __init__(self) -> None:
        self._answers: dict[str, list[Answer]] = {}
        self._faults: list[str] = []

    def enter(self, samples: Sequence[Sample], judged: Sequence[Judged]) -> None:
        """Samples beside their judged records."""
        for sample, one in zip(samples, judged, strict=True):
            decision = one.decision
            fault = sample.fault or _fault(decision)
            if fault:
                self._faults.append(f"line {sample.line}: {fault}")
            else:
                self._answers.setdefault(decision.agent or "", []).append(answer_of(sample, one))

    def close(self, level: float) -> list[Calibration]:
        """The calibration of each agent, by name.

        Raises: InputError with a line for each fault, or when there is no line at all.
        """
        if self._faults:
            more = len(self._faults) - FAULTS_SHOWN
            raise InputError("\n".join([*self._faults[:FAULTS_SHOWN], *([f"and {more} more"] if more > 0 else [])]))
        if not self._answers:
            raise InputError("calibrate: no records")
        return [Calibration(agent, level, tuple(answers)) for agent, answers in sorted(self._answers.items())]


def uncalibrated(policies: Policies, versions: Mapping[str, str] | None = None) -> Policies:
    """The policies without a threshold, so that an earlier calibration leaves no trace in the next.

    `versions`: scorers to be fitted, by name. They and our own then take the place of the policies' scorers, all on one
    scale, which is as good as another to learn their scores.
    """
    scorers = {name: ScorerLayout(version=version, slope=1.0, intercept=0.0) for name, version in _all(versions)}
    update = {"calibration": None} | ({} if versions is None else {"scorers": scorers})
    return {agent: _updated(policy, update) for agent, policy in policies.items()}


def _all(versions: Mapping[str, str] | None) -> Iterator[tuple[str, str | None]]:
    yield LEXICAL, None
    yield from (versions or {}).items()


def _updated(policy: Policy, update: Mapping[str, object]) -> Policy:
    grounding = policy.layout.grounding.model_copy(update=update)
    return dataclasses.replace(policy, layout=policy.layout.model_copy(update={"grounding": grounding}))


def _fault(decision: Decision) -> str | None:
    """Why a record can't be used."""
    if decision.outcome is Outcome.SKIPPED:
        return "no value: a tombstone has no answer"
    if decision.on_error is not None:
        return "the record could not be judged"
    if decision.outcome is not Outcome.DEAD_LETTER:
        return None
    if any(v.code == "transport.unknown_agent" for v in decision.violations):
        return f"no policy for agent {decision.agent}"
    return "not a record: " + ", ".join(f"{v.code} {v.detail}".strip() for v in decision.violations)


_COUNTED = frozenset({Verdict.SUPPORTED, Verdict.UNSUPPORTED})
_ACTING = frozenset({Action.CORRECT, Action.REJECT})


def answer_of(sample: Sample, judged: Judged) -> Answer:
    """A labelled answer as its record was judged."""
    decision, scored = judged.decision, judged.scored
    grounding = decision.grounding
    if grounding is None:
        return Answer(sample.good, sample.document, None, UNREADABLE)
    conflict = any(v.code.startswith("ground.") and v.action in _ACTING for v in decision.violations)
    verdict = Verdict.NO_EVIDENCE if scored is not None and not scored.whole else grounding.verdict
    risk = grounding.risk if verdict in _COUNTED else None
    return Answer(sample.good, sample.document, risk, verdict.value, conflict, scored, _digest(sample))


def _digest(sample: Sample) -> str:
    """A name without order: what it stands for can't be told from where it comes in a sorted list."""
    own = sample.record.value or b""
    return hashlib.sha256(own if sample.document is None else sample.document.encode(errors="replace")).hexdigest()
