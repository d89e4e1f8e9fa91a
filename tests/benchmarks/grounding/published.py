"""The published score under its published settings: its own protocol, and beside it what the protocol doesn't ask."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests import measures
from tests.benchmarks.grounding.judging import Judged, judged, policy
from tests.corpora import grounding as sets
from tests.measures import Flags

SETTINGS = {"alpha": 0.25, "tau": 0.55, "k": 3}


@dataclass(frozen=True, slots=True)
class Published:
    """The published protocol (recall, F1 of hallucinated answers alone) and the honest one."""

    rows: int
    unscored: int
    """Answers without a score, since they claim nothing: flagged, as the protocol would."""
    unscored_right: int
    flags: Flags
    f1: float
    balanced_f1: float
    everything_f1: float
    """Balanced F1 of flagging everything."""
    auroc: float
    scored_auroc: float
    """Of the answers with a score alone."""


def published() -> Published:
    """MedHallu over all passages of its open half, as the paper retrieves them. A score below tau is a flag."""
    rows = sets.rows("medhallu")
    agent = policy("en", passages=sets.passages(rows), grounding=SETTINGS)
    listed = judged(rows, {agent.agent: agent}, bring=False)
    wrong = [row.hallucinated for row in rows]
    unsure = [-(one.score or 0.0) for one in listed]
    found = measures.flags(unsure, wrong, -SETTINGS["tau"])
    return Published(
        rows=len(rows),
        unscored=sum(one.score is None for one in listed),
        unscored_right=sum(one.score is None and not one.row.hallucinated for one in listed),
        flags=found,
        f1=measures.f1_of_wrong_alone(found.recall),
        balanced_f1=measures.balanced_f1(found),
        everything_f1=measures.balanced_f1(Flags(1.0, 1.0)),
        auroc=measures.auroc(unsure, wrong),
        scored_auroc=_scored_auroc(listed),
    )


def _scored_auroc(listed: Sequence[Judged]) -> float:
    scored = [(-one.score, one.row.hallucinated) for one in listed if one.score is not None]
    return measures.auroc([risk for risk, _ in scored], [wrong for _, wrong in scored])
