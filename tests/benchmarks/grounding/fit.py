"""The verifier's weights, fitted anew and shown beside what they reach on sets left out: prints, and changes nothing.

`python -m tests.benchmarks.grounding.fit`. Logistic regression, no weight below zero, an intercept for each set, every
set of the same weight: it ranks the answers of a set, whatever the share of wrong ones. What it prints stands in
`guardrail/judge/lexicon/weights.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import minimize

from guardrail.judge.ground import Ground, compile_passage
from guardrail.judge.lexicon.weights import PROSE, TERMS
from guardrail.judge.reading import read_text
from guardrail.judge.silence import silent
from guardrail.judge.speech import read_answer
from guardrail.judge.support import supports
from tests import measures
from tests.corpora import grounding as sets
from tests.corpora.grounding import Row
from tests.measures import Floats

RIDGE = 2.0
COUNTS = {"truthfulqa_loo": 0.3, "medhallu": 0.3, "begin_wow": 4.0, "begin_cmu": 2.0}
"""Sets that measure something else than grounding count less (GROUNDING §1), those of free paraphrase in prose more:
of the others in prose most right answers are copies."""
_SET_WEIGHT = 100.0


@dataclass(frozen=True, slots=True)
class Signalled:
    """A set as a matrix: one row an answer, first the signals of terms, then those of prose."""

    signals: Floats
    wrong: Sequence[bool]


@lru_cache(maxsize=4096)
def _ground(evidence: tuple[str, ...]) -> Ground:
    return Ground([compile_passage(text) for text in evidence])


def _answer(row: Row) -> Floats:
    """The signals of an answer, combined as its claims' risks are."""
    ground, said = _ground(row.evidence), read_text(row.query)
    claims = [s for s in read_answer(row.answer) if not silent(s, ground, said.keys)]
    if not claims:
        return np.zeros(len(TERMS) + len(PROSE))
    found = [one.signals for one in supports([claim.text for claim in claims], ground, said, said.keys)]
    words = np.array([len(claim.flat.split()) + 1.0 for claim in claims])
    manner = ground.terms
    parts = []
    for names, share in ((TERMS, manner), (PROSE, 1 - manner)):
        matrix = np.array([[signals.get(name, 0.0) for name in names] for signals in found])
        mean = (matrix * words[:, None]).sum(axis=0) / words.sum()
        parts.append(share * (mean + manner / 2 * (matrix.max(axis=0) - mean)))
    return np.concatenate(parts)


def signalled(name: str) -> Signalled:
    """One set; answers that assert nothing by their author's word are left out."""
    rows = [row for row in sets.rows(name) if not row.empty]
    return Signalled(np.array([_answer(row) for row in rows]), [row.hallucinated for row in rows])


def fitted(named: Mapping[str, Signalled]) -> Floats:
    """The weights that rank these sets best."""
    signals = np.vstack([one.signals for one in named.values()])
    sign = np.where(np.concatenate([one.wrong for one in named.values()]), 1.0, -1.0)
    group = np.concatenate([np.full(len(one.wrong), i) for i, one in enumerate(named.values())])
    counts = np.concatenate(
        [np.full(len(one.wrong), COUNTS.get(name, 1.0) * _SET_WEIGHT / len(one.wrong)) for name, one in named.items()]
    )
    scale = signals.std(axis=0) + 1e-9
    scaled, width = signals / scale, signals.shape[1]

    def loss(values: Floats) -> tuple[float, Floats]:
        margin = sign * (scaled @ values[:width] + values[width + group])
        slope = -counts * sign / (1 + np.exp(margin))
        ridge = RIDGE * float((values[:width] ** 2).sum())
        total = float((counts * np.logaddexp(0, -margin)).sum()) + ridge
        by_group = np.bincount(group, weights=slope, minlength=len(named))
        return total, np.concatenate([scaled.T @ slope + 2 * RIDGE * values[:width], by_group])

    bounds = [(0, None)] * width + [(None, None)] * len(named)
    best = minimize(loss, np.zeros(width + len(named)), jac=True, bounds=bounds, method="L-BFGS-B")
    return np.asarray(best.x[:width] / scale)


def _auroc(one: Signalled, weights: Floats) -> float:
    return measures.auroc([float(risk) for risk in one.signals @ weights], one.wrong)


def main() -> None:
    """Print the weights, and what they reach: on the sets themselves, on each set left out, on those never fitted."""
    named = {name: signalled(name) for name in (*sets.DESK, *sets.FITTED, *sets.CORE)}
    weights = fitted(named)
    for title, table, values in (("TERMS", TERMS, weights), ("PROSE", PROSE, weights[len(TERMS) :])):
        print(title, {name: round(float(value), 1) for name, value in zip(table, values, strict=False)})
    print("set: fitted, left out")
    for name, one in named.items():
        others = {other: kept for other, kept in named.items() if other != name}
        print(f"  {name}: {_auroc(one, weights):.3f}, {_auroc(one, fitted(others)):.3f}")
    for name in sets.UNREAD:
        print(f"  {name}: never fitted, {_auroc(signalled(name), weights):.3f}")


if __name__ == "__main__":
    if sets.there():
        main()
    else:
        print(f"fit: {sets.MISSING}")
