"""What is aimed at: figures to reach, and whether one is reached. Nothing here is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Sense = Literal["at least", "at most", "same as"]
_SAME = 0.0005
"""Figures are the same when they are to the digits given, as far as rounding can tell."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound on a figure."""

    bound: float
    sense: Sense = "at least"

    def short_by(self, figure: float) -> float:
        """By how much a figure misses; 0 when it doesn't."""
        if self.sense == "same as":
            distance = abs(figure - self.bound)
            return distance if distance > _SAME else 0.0
        return max(0.0, self.bound - figure if self.sense == "at least" else figure - self.bound)


def at_least(bound: float) -> Goal:
    """Reached from `bound` upwards."""
    return Goal(bound)


def at_most(bound: float) -> Goal:
    """Reached from `bound` downwards."""
    return Goal(bound, "at most")


def same_as(bound: float) -> Goal:
    """Reached by this figure alone: a published one that is to be found again."""
    return Goal(bound, "same as")


_LEFT = 0.01
"""A set may lie this far below the floor's figure."""
_FLOOR = {
    "halueval_qa": 0.969,
    "truthfulqa_oracle": 0.980,
    "truthfulqa_loo": 0.685,
    "begin_wow": 0.930,
    "begin_cmu": 0.961,
    "counterfact_en": 0.985,
    "counterfact_fr": 0.993,
}
MACRO = at_least(0.91)
AUROC: Mapping[str, Goal] = {
    **{name: at_least(figure - _LEFT) for name, figure in _FLOOR.items()},
    **{f"agentdesk_{lang}": at_least(0.95) for lang in ("en", "fr", "es")},
    **{f"desk_{lang}": at_least(0.80) for lang in ("en", "fr", "es")},
}
SHUFFLED = at_most(0.60)
EMPTY_SEEN = at_least(0.95)
CLAIMS_TAKEN = at_most(0.02)

PUBLISHED = {"recall": same_as(0.9142), "f1": same_as(0.9552), "false": same_as(0.9062), "auroc": same_as(0.510)}

FALSE_FLAGS = at_most(0.07)
FALSE_FLAGS_ANSWERS = 200
"""Calibration answers, each of a document of its own, from which false flags have a goal."""
RECALL: Mapping[str, Goal] = {
    "halueval_qa": at_least(0.93),
    "truthfulqa_oracle": at_least(0.95),
    "begin_wow": at_least(0.70),
    "counterfact_en": at_least(0.97),
}

CORRECTION: Mapping[tuple[str, str], Goal] = {
    ("truthfulqa_oracle", "left"): at_most(0.05),
    ("truthfulqa_oracle", "regression"): at_most(0.005),
    ("truthfulqa_oracle", "by_gold"): at_least(0.90),
    ("halueval_qa", "by_gold"): at_least(0.65),
    ("counterfact_en", "exact"): at_least(0.92),
    ("counterfact_fr", "exact"): at_least(0.88),
    ("counterfact_en", "regression"): at_most(0.03),
    ("counterfact_fr", "regression"): at_most(0.03),
}

P50_US = at_most(100)
P99_US = at_most(1_000)
A_SECOND = at_least(5_000)
TURN_US = at_most(50)
