"""Judged answers, agent by agent, and what is known of each agent by them. It must never judge: it is handed decisions.

What has no risk doesn't count: a threshold can't flag it. Nor does what had no evidence to be held against.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

import msgspec

from guardrail.calibration.conformal import Threshold, document_risks, threshold
from guardrail.calibration.samples import Sample
from guardrail.errors import InputError
from guardrail.judge.model import Action, Decision, Outcome, Value, Verdict
from guardrail.judge.policy import Policies, Policy

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


class Calibration(msgspec.Struct, frozen=True, dict=True):
    """One agent's answers, and the threshold that they give."""

    agent: str
    level: float
    answers: tuple[Answer, ...]

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
    """Collects samples with their decisions. A line that can't be used is a fault, told at the end with its number."""

    def __init__(self) -> None:
        self._answers: dict[str, list[Answer]] = {}
        self._faults: list[str] = []

    def enter(self, samples: Sequence[Sample], decisions: Sequence[Decision]) -> None:
        """Samples beside the decisions on their records."""
        for sample, decision in zip(samples, decisions, strict=True):
            fault = sample.fault or _fault(decision)
            if fault:
                self._faults.append(f"line {sample.line}: {fault}")
            else:
                self._answers.setdefault(decision.agent or "", []).append(answer_of(sample, decision))

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


def uncalibrated(policies: Policies) -> Policies:
    """The policies without a threshold, so that an earlier calibration leaves no trace in the next."""
    return {agent: _uncalibrated(policy) for agent, policy in policies.items()}


def _uncalibrated(policy: Policy) -> Policy:
    grounding = policy.layout.grounding.model_copy(update={"calibration": None})
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


def answer_of(sample: Sample, decision: Decision) -> Answer:
    """A labelled answer by the decision on its record."""
    grounding = decision.grounding
    if grounding is None:
        return Answer(sample.good, sample.document, None, UNREADABLE)
    conflict = any(v.code.startswith("ground.") and v.action in _ACTING for v in decision.violations)
    risk = grounding.risk if grounding.verdict in _COUNTED else None
    return Answer(sample.good, sample.document, risk, grounding.verdict.value, conflict)
