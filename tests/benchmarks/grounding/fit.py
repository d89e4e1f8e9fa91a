"""The verifier's weights, fitted anew and shown beside what they reach on sets left out: prints, and changes nothing.

`python -m tests.benchmarks.grounding.fit`. Logistic regression, no weight below zero, an intercept for each set, every
set of the same weight: it ranks the answers of a set, whatever the share of wrong ones. What it prints stands in
`guardrail/judge/lexicon/weights.py`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
COUNTS = {"medhallu": 0.3, "begin_wow": 4.0, "begin_cmu": 2.0}
"""Sets that measure something else than grounding count less (GROUNDING §1), those of free paraphrase in prose more:
of the others in prose most right answers are copies."""
_SET_WEIGHT = 100.0
FOLDS = 5


@dataclass(frozen=True, slots=True)
class Signalled:
    """A set as a matrix: one row an answer, first the signals of terms, then those of prose."""

    signals: Floats
    wrong: Floats
    """Booleans."""
    clusters: Sequence[str]
    lang: str

    def where(self, kept: Callable[[str], bool]) -> Signalled:
        """The rows whose scenario is kept."""
        marks = np.array([kept(cluster) for cluster in self.clusters])
        clusters = [cluster for cluster, mark in zip(self.clusters, marks, strict=True) if mark]
        return replace(self, signals=self.signals[marks], wrong=self.wrong[marks], clusters=clusters)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """AUROCs of a service-desk set by weights that were fitted without some of the sets."""

    name: str
    plain: float
    """Fitted on all of it."""
    scenarios: float
    """Each scenario of all service-desk sets by weights fitted on the others: 5 folds, ranked fold by fold."""
    alone: float
    """Without this set."""
    language: float
    """Without any service-desk set of its language."""


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
    wrong = np.array([row.hallucinated for row in rows])
    return Signalled(np.array([_answer(row) for row in rows]), wrong, [row.cluster for row in rows], rows[0].lang)


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
    return measures.auroc([float(risk) for risk in one.signals @ weights], list(one.wrong))


def all_signalled() -> dict[str, Signalled]:
    """The sets that weights are fitted on."""
    return {name: signalled(name) for name in (*sets.DESK, *sets.FITTED, *sets.CORE)}


def held_out() -> list[HeldOut]:
    """How the weights hold on service-desk sets that they weren't fitted on."""
    named = all_signalled()
    desks = {name: one for name, one in named.items() if name in (*sets.DESK, *sets.FITTED)}
    plain = fitted(named)
    tongues = {
        lang: fitted({name: one for name, one in named.items() if name not in desks or one.lang != lang})
        for lang in sorted({one.lang for one in desks.values()})
    }
    by_scenario = _by_scenario(named, desks)
    return [
        HeldOut(
            name,
            plain=_auroc(one, plain),
            scenarios=by_scenario[name],
            alone=_auroc(one, fitted({other: kept for other, kept in named.items() if other != name})),
            language=_auroc(one, tongues[one.lang]),
        )
        for name, one in desks.items()
    ]


def _by_scenario(named: Mapping[str, Signalled], desks: Mapping[str, Signalled]) -> dict[str, float]:
    """Each set's AUROC on the scenarios of a fold by weights fitted on the other folds, weighed by the fold's rows."""
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in desks}
    for number in range(FOLDS):
        others = {
            name: one.where(lambda c, n=number: _fold(c) != n) if name in desks else one for name, one in named.items()
        }
        weights = fitted(others)
        for name, one in desks.items():
            part = one.where(lambda c, n=number: _fold(c) == n)
            if len(set(part.wrong.tolist())) == 2:
                found[name].append((_auroc(part, weights), len(part.clusters)))
    return {
        name: sum(area * rows for area, rows in folds) / sum(rows for _, rows in folds) for name, folds in found.items()
    }


def _fold(cluster: str) -> int:
    return hashlib.sha1(cluster.encode(), usedforsecurity=False).digest()[1] % FOLDS


def main() -> None:
    """Print the weights, and what they reach: on the sets themselves, on those held out, on those never fitted."""
    named = all_signalled()
    weights = fitted(named)
    for title, table, values in (("TERMS", TERMS, weights), ("PROSE", PROSE, weights[len(TERMS) :])):
        print(title, {name: round(float(value), 1) for name, value in zip(table, values, strict=False)})
    print("set: fitted; scenarios, set, language held out")
    for one in held_out():
        print(f"  {one.name}: {one.plain:.3f}; {one.scenarios:.3f}, {one.alone:.3f}, {one.language:.3f}")
    for name in sets.CORE:
        others = {other: kept for other, kept in named.items() if other != name}
        print(f"  {name}: {_auroc(named[name], weights):.3f}; set held out {_auroc(named[name], fitted(others)):.3f}")
    for name in sets.UNREAD:
        print(f"  {name}: never fitted, {_auroc(signalled(name), weights):.3f}")


if __name__ == "__main__":
    if sets.there():
        main()
    else:
        print(f"fit: {sets.MISSING}")
