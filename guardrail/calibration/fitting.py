"""Scorers' scales by Platt scaling, and a threshold on other documents than those that were fitted on.

It must never take the threshold from an answer that was fitted on: such answers look better told apart than new ones
will be, and no longer resemble the next one, which is what the guarantee rests on.

Documents are halved by a digest of their names, so that the order of the file tells nothing. Those with a good answer
and those without are halved each, so that neither half lacks either. Scales are fitted on whole answers' scores, each
made of its claims' as risks are.

Source: Platt, Probabilistic Outputs for Support Vector Machines (1999), the smoothed targets included.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from guardrail.calibration.answers import Answer, Calibration, Fitted
from guardrail.calibration.conformal import documents_needed
from guardrail.errors import InputError
from guardrail.judge.scoring import LEXICAL, Scale

FIT_DOCUMENTS_MIN = 19
"""Documents with good answers, and with bad ones, below which a scale of two figures says little."""
_DIGITS = 6
"""Of a scale's figures: more than the answers bear out, and fewer than two machines' arithmetic differ in."""


def refitted(found: Sequence[Calibration], versions: Mapping[str, str]) -> list[Calibration]:
    """Each calibration with its scorers' scales, and their common risks on the answers that weren't fitted on.

    `versions`: scorer -> its version; our own comes before them.
    Raises: InputError with a line for each agent whose answers don't suffice or whose scorer tells nothing.
    """
    made: list[Calibration] = []
    faults: list[str] = []
    for one in found:
        try:
            made.append(_refitted(one, versions))
        except InputError as error:
            faults.append(f"{one.agent}: {error}")
    if faults:
        raise InputError("\n".join(faults))
    return made


def _refitted(found: Calibration, versions: Mapping[str, str]) -> Calibration:
    to_fit, others = _halved([answer for answer in found.answers if answer.risk is not None])
    faults = list(_too_few(to_fit, others, documents_needed(found.level)))
    if faults:
        raise InputError("; ".join(faults))
    scales = {name: _scale(name, version, to_fit) for name, version in [(LEXICAL, None), *versions.items()]}
    rest = {answer.digest for answer in others}
    answers = [
        answer if answer.scored is None or answer.risk is None else replace(answer, risk=answer.scored.risk(scales))
        for answer in found.answers
        if answer.risk is None or answer.digest in rest
    ]
    good = sum(answer.good for answer in to_fit)
    fitted = Fitted(scales, good, len(to_fit) - good, len({answer.digest for answer in to_fit}))
    return Calibration(found.agent, found.level, tuple(answers), fitted)


def _halved(answers: Sequence[Answer]) -> tuple[list[Answer], list[Answer]]:
    """The answers to fit on, and the others: a document is in one half with all of its answers."""
    with_good = {answer.digest for answer in answers if answer.good}
    without = {answer.digest for answer in answers} - with_good
    to_fit = {digest for kind in (with_good, without) for digest in sorted(kind)[: len(kind) // 2]}
    return [a for a in answers if a.digest in to_fit], [a for a in answers if a.digest not in to_fit]


def _too_few(to_fit: Sequence[Answer], others: Sequence[Answer], needed: int) -> Iterator[str]:
    for what, good in (("good", True), ("bad", False)):
        documents = len({answer.digest for answer in to_fit if answer.good is good})
        if documents < FIT_DOCUMENTS_MIN:
            yield (
                f"{documents} documents with {what} answers in the half to fit scorers on, "
                f"{FIT_DOCUMENTS_MIN} are needed"
            )
    documents = len({answer.digest for answer in others if answer.good})
    if documents < needed:
        yield f"{documents} documents with good answers in the half for the threshold, {needed} are needed"


def _scale(name: str, version: str | None, answers: Sequence[Answer]) -> Scale:
    scores = np.array([answer.scored.score(name) for answer in answers if answer.scored is not None])
    good = np.array([answer.good for answer in answers if answer.scored is not None])
    slope, intercept = platt(scores, good)
    if not (0 < slope < math.inf and math.isfinite(intercept)):
        raise InputError(f"{name}: a higher score doesn't go with bad answers here, so it can't say which are wrong")
    return Scale(slope, intercept, version)


def platt(scores: NDArray[np.float64], good: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and intercept of the log odds of being bad; (0, 0) where all scores are one.

    Platt's targets, (n + 1) / (n + 2) for n bad answers and 1 / (n + 2) for n good ones, keep the slope finite where
    the two are told apart without a fault.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        middle, spread = float(np.mean(scores)), float(np.std(scores))
    if not 0 < spread < math.inf:
        return 0.0, 0.0
    counts = {True: int(good.sum()), False: int((~good).sum())}
    bad = np.where(good, 1 / (counts[True] + 2), (counts[False] + 1) / (counts[False] + 2))
    column = ((scores - middle) / spread).reshape(-1, 1)
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10)
    targets = np.repeat([1, 0], len(scores))
    model.fit(np.vstack([column, column]), targets, sample_weight=np.concatenate([bad, 1 - bad]))
    weight, bias = float(model.coef_[0, 0]), float(model.intercept_[0])
    return _rounded(weight / spread), _rounded(bias - weight * middle / spread)


def _rounded(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")
