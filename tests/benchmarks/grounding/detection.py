"""How well risks part wrong answers from right ones, beside what no reading of the evidence can do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from guardrail.judge.policy import Policies
from tests import measures
from tests.benchmarks.grounding.judging import Judged, judged
from tests.corpora import grounding as sets
from tests.corpora.grounding import Row
from tests.measures import Floats, Interval

SHUFFLES = 3
SHUFFLED_ROWS_MIN = 150
SHUFFLED_LISTS_MIN = 50
"""A smaller set, or one with fewer lists of passages, has too few strangers to be held against."""
Shown = dict[str, list[Judged]]


@dataclass(frozen=True, slots=True)
class Detection:
    """One set: the figure and its controls. AUROCs; null where a set is too small for the control."""

    name: str
    rows: int
    auroc: Interval
    shuffled: float | None
    length: float
    """Of the answer's characters alone, in the direction that fits better: what no reading of anything gives."""
    published: float
    """The published score's, each row over its own passages."""
    drawn: Floats


@dataclass(frozen=True, slots=True)
class Desk:
    """What only sets with empty answers can tell."""

    name: str
    empty_seen: float
    empty: int
    claims_taken: float
    claims: int


def claiming(listed: Sequence[Judged]) -> list[Judged]:
    """The rows that claim something."""
    return [one for one in listed if not one.row.empty]


def detect(name: str, everything: Sequence[Judged], policies: Policies) -> Detection:
    """A set's figures, on its claims."""
    listed = claiming(everything)
    wrong = [one.row.hallucinated for one in listed]
    risks = [one.risk for one in listed]
    by_length = measures.auroc([len(one.row.answer) for one in listed], wrong)
    drawn = measures.draws(risks, wrong, [one.row.cluster for one in listed])
    return Detection(
        name=name,
        rows=len(listed),
        auroc=measures.interval(measures.auroc(risks, wrong), drawn),
        shuffled=shuffled([one.row for one in listed], policies),
        length=max(by_length, 1 - by_length),
        published=measures.auroc([-1.0 if one.score is None else -one.score for one in listed], wrong),
        drawn=drawn,
    )


def shuffled(rows: Sequence[Row], policies: Policies) -> float | None:
    """The mean AUROC when every answer meets another row's evidence, never its own."""
    lists = [row.evidence for row in rows]
    if len(rows) < SHUFFLED_ROWS_MIN or len(set(lists)) < SHUFFLED_LISTS_MIN:
        return None
    found = []
    for number in range(SHUFFLES):
        others = measures.deranged(lists, measures.SEED + number)
        strange = judged([row.over(lists[other]) for row, other in zip(rows, others, strict=True)], policies)
        found.append(measures.auroc([one.risk for one in strange], [row.hallucinated for row in rows]))
    return measures.mean(found)


def macro(found: Sequence[Detection]) -> Interval:
    """The mean over the core sets, each drawn alone: TruthfulQA's two and the three languages of a desk share clusters,
    so the interval is a little too narrow.
    """
    core = [one for one in found if one.name in sets.CORE]
    value = measures.mean([one.auroc.value for one in core])
    return measures.interval(value, np.nanmean([one.drawn for one in core], axis=0))


def desk(name: str, listed: Sequence[Judged]) -> Desk:
    """How empty answers and claims are told apart."""
    empty, claims = [one for one in listed if one.row.empty], claiming(listed)
    return Desk(
        name,
        measures.share(one.seen_empty for one in empty),
        len(empty),
        measures.share(one.seen_empty for one in claims),
        len(claims),
    )


def by_kind(everything: Sequence[Judged]) -> dict[str, tuple[float, int]]:
    """Kind of error -> the AUROC of its rows beside all right claims, and their number."""
    listed = claiming(everything)
    right = [one.risk for one in listed if not one.row.hallucinated]
    found = {}
    for kind in sorted({one.row.edit for one in listed if one.row.hallucinated}):
        wrong = [one.risk for one in listed if one.row.hallucinated and one.row.edit == kind]
        marks = [False] * len(right) + [True] * len(wrong)
        found[kind] = measures.auroc([*right, *wrong], marks), len(wrong)
    return found
