"""What a threshold does that was set on one half of a set's known-good answers and is measured on the other half."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tests import measures
from tests.benchmarks.grounding.judging import Judged, judged, neutral
from tests.corpora import grounding as sets

LEVEL = 0.05
HALVES = (0, 1)
CORRECTED = ("truthfulqa_oracle", "truthfulqa_loo", "halueval_qa", "counterfact_en", "counterfact_fr", "begin_wow")
UNCHECKED_GOLD = ("begin_wow",)
"""Sets whose faithful answers are only some of the right ones: no gold."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold and what it rests on; infinite where that is too little."""

    risk: float
    clusters: int
    answers: int


@dataclass(frozen=True, slots=True)
class Gate:
    """A set under the conformal gate, both directions averaged; null where a half has too few clusters."""

    name: str
    clusters: tuple[int, ...]
    answers: tuple[int, ...]
    false: float | None
    recall: float | None

    @property
    def unclustered(self) -> bool:
        """Whether every calibration answer is a cluster of its own."""
        return self.clusters == self.answers


def threshold(listed: Sequence[Judged], half: int) -> Threshold:
    """The threshold that one half of a set gives."""
    good = [one for one in listed if one.row.half == half and not one.row.hallucinated]
    clusters = [one.row.cluster for one in good]
    risk = measures.threshold([one.risk for one in good], clusters, LEVEL)
    return Threshold(risk, len(set(clusters)), len(good))


def gate(name: str, listed: Sequence[Judged]) -> Gate:
    """A set's false flags and recall at the level."""
    limits = [threshold(listed, half) for half in HALVES]
    clusters, answers = tuple(one.clusters for one in limits), tuple(one.answers for one in limits)
    if min(clusters) < measures.clusters_needed(LEVEL):
        return Gate(name, clusters, answers, None, None)
    found = []
    for half, limit in zip(HALVES, limits, strict=True):
        others = [one for one in listed if one.row.half != half]
        found.append(measures.flags([one.risk for one in others], [one.row.hallucinated for one in others], limit.risk))
    false, recall = (measures.mean(side) for side in zip(*found, strict=True))
    return Gate(name, clusters, answers, false, recall)


@dataclass(frozen=True, slots=True)
class Corrected:
    """What becomes of a set's answers under a calibrated policy: shares of the wrong ones, then of the right ones."""

    name: str
    wrong: int
    right: int
    left: float
    """Wrong answers published as they were: the hallucination rate after."""
    still_wrong: float | None
    """Those, and the corrected ones that aren't right by gold."""
    by_gold: float | None
    exact: float | None
    refused: float
    regression: float
    """Right answers not published as they were."""
    altered: float
    lost: float


def calibrated(listed: Sequence[Judged]) -> list[Judged] | None:
    """Every row of a set judged under the threshold of the half that it isn't in; null where there is none."""
    found: list[Judged] = []
    for half in HALVES:
        limit = threshold(listed, half)
        if math.isinf(limit.risk):
            return None
        calibration = {"risk": limit.risk, "level": LEVEL, "answers": limit.answers}
        found += judged([one.row for one in listed if one.row.half != half], neutral({"calibration": calibration}))
    return found


def corrected(name: str, before: Sequence[Judged]) -> Corrected | None:
    """A set's correction figures; null where it can't be calibrated."""
    after = calibrated(before)
    if after is None:
        return None
    golds = {} if name in UNCHECKED_GOLD else sets.golds(name, [one.row for one in before])
    bad = [one for one in after if one.row.hallucinated]
    good = [one for one in after if not one.row.hallucinated]
    left = measures.share(one.approved for one in bad)
    by_gold = measures.share(_right(one, golds) for one in bad) if golds else None
    refused = measures.share(not one.approved and one.corrected is None for one in bad)
    altered = measures.share(_altered(one) for one in good)
    lost = measures.share(not one.approved and one.corrected is None for one in good)
    return Corrected(
        name=name,
        wrong=len(bad),
        right=len(good),
        left=left,
        still_wrong=None if by_gold is None else 1.0 - by_gold - refused,
        by_gold=by_gold,
        exact=measures.share(_exact(one, golds) for one in bad) if golds else None,
        refused=refused,
        regression=altered + lost,
        altered=altered,
        lost=lost,
    )


def _right(one: Judged, golds: dict[str, tuple[str, ...]]) -> bool:
    return one.corrected is not None and measures.right_by_gold(one.corrected, golds[one.row.cluster])


def _exact(one: Judged, golds: dict[str, tuple[str, ...]]) -> bool:
    return one.corrected is not None and measures.restored(one.corrected, golds[one.row.cluster])


def _altered(one: Judged) -> bool:
    return one.corrected is not None and one.corrected != one.row.answer
