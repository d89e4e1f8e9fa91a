"""Scorers that a team adds to grounding, and the one scale on which they and our own verifier meet.

It must never load a scorer, nor do without one that a policy names. Scores become probabilities of being wrong by
Platt scaling; a claim's risk is the highest of them, since one scorer that sees what is wrong is enough.

Source: Platt, Probabilistic Outputs for Support Vector Machines (1999).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import msgspec

from guardrail.errors import PolicyError, ScorerError

LEXICAL = "lexical"
"""Our own verifier's name among the scorers."""
CLAIMS_MAX = 64
"""Claims of one call: at 40 ms each as long as a stream bears, and far more than an honest answer makes."""


class Asked(msgspec.Struct, frozen=True):
    """A claim to be scored. No text in it holds a lone surrogate, which no tokeniser takes."""

    question: str
    """What the user said in this turn; may be empty."""
    claim: str
    """One sentence of the answer that asserts something; of a flood of them the last may be many."""
    passages: tuple[str, ...]
    """The evidence, the policy's and the record's; never none."""
    context: tuple[str, ...]
    """What the model was told besides: prompt, formats, catalogue. It may know this without evidence."""


class Scorer(Protocol):
    """Says how far claims are unsupported. It must be deterministic: the same call, the same scores, on any machine.

    One call holds the different claims of one answer, in order, and never those of two answers: so no score depends on
    what is judged beside it, whatever the arithmetic of a model does with a batch.
    """

    @property
    def version(self) -> str:
        """What a policy pins: printable ASCII. Another version may give other scores."""

    def __call__(self, asked: Sequence[Asked], /) -> Sequence[float]:
        """One finite number for each claim, higher = less supported, on any scale."""


Scorers = Mapping[str, Scorer]
"""Scorers by the names that policies give them; never our own."""
NO_SCORERS: Scorers = MappingProxyType({})


class Scale(msgspec.Struct, frozen=True):
    """How a scorer's scores become probabilities: fitted by `guardrail calibrate --scorer`."""

    slope: float
    """Above 0: a higher score is never a lower probability."""
    intercept: float
    version: str | None = None
    """Null for our own verifier, whose version is the engine's."""

    def probability(self, score: float) -> float:
        """The probability that what has this score is wrong, in [0, 1]."""
        exponent = self.slope * score + self.intercept
        if exponent >= 0:
            return 1 / (1 + math.exp(-exponent))
        return math.exp(exponent) / (1 + math.exp(exponent))  # the same, where exp(-exponent) may overflow


Scales = Mapping[str, Scale]
"""A policy's scales by scorer; none where our own verifier speaks alone and on its own scale."""


class Scored(msgspec.Struct, frozen=True):
    """What each scorer says of an answer's claims."""

    scores: dict[str, tuple[float, ...]]
    """Scorer -> one score a claim."""
    weights: tuple[int, ...]
    manner: float
    """With the weights, what makes an answer's risk of its claims'."""
    whole: bool
    """Whether every scorer was asked. Without passages none is but our own: there is nothing to score by."""

    def ratings(self, scales: Scales) -> list[tuple[float, str]]:
        """Each claim's risk, the highest of its probabilities, and whose it is; of equal ones ours, else by name."""
        names = sorted(self.scores, key=lambda name: (name != LEXICAL, name))
        columns = [[scales[name].probability(score) for score in self.scores[name]] for name in names]
        return [max(zip(row, names, strict=True), key=lambda rating: rating[0]) for row in zip(*columns, strict=True)]

    def risk(self, scales: Scales) -> float:
        """The answer's risk on the common scale, in [0, 1]."""
        return answer_risk([risk for risk, _ in self.ratings(scales)], self.weights, self.manner)

    def score(self, name: str) -> float:
        """The answer's score by one scorer alone, made of its claims' as risks are."""
        return answer_risk(self.scores[name], self.weights, self.manner)


def answer_risk(risks: Sequence[float], weights: Sequence[int], manner: float) -> float:
    """The claims' risks, weighted by their length (GROUNDING §2); where evidence reads as terms, the worst counts half.

    One wrong price among five right sentences is a wrong answer; in prose, what no passage has is a matter of degree.
    """
    mean = sum(risk * weight for risk, weight in zip(risks, weights, strict=True)) / sum(weights)
    return mean + manner / 2 * (max(risks) - mean)


def scores_by(name: str, scorer: Scorer, asked: Sequence[Asked]) -> dict[str, float]:
    """Claim -> its score, all of one answer asked in one call.

    Raises: ScorerError for another count or what is no finite number; and whatever the scorer itself raises.
    """
    scores = [float(score) for score in scorer(asked)]
    if len(scores) != len(asked) or not all(math.isfinite(score) for score in scores):
        finite = sum(math.isfinite(score) for score in scores)
        raise ScorerError(f"{name}: {len(asked)} claims asked about, {len(scores)} scores, {finite} of them finite")
    return {one.claim: score for one, score in zip(asked, scores, strict=True)}


def asked_as(claims: Sequence[str]) -> dict[str, str]:
    """Claim -> what is asked about it: itself, but all beyond a bound are asked about as one, so that none is left out.

    Bounds: CLAIMS_MAX different texts.
    """
    different = list(dict.fromkeys(claims))
    rest = different[CLAIMS_MAX - 1 :]
    return {claim: claim for claim in different} | dict.fromkeys(rest, " ".join(rest))


def require(scales: Mapping[str, Scales], scorers: Scorers) -> None:
    """See to it that every scorer that agents' scales name is there, in the version that they pin.

    Raises: PolicyError with a line for each that isn't.
    """
    faults = []
    for agent, named in scales.items():
        for name, scale in named.items():
            if name == LEXICAL:
                continue
            key = f"agent {agent}: grounding.scorers.{name}"
            if name not in scorers:
                faults.append(f"{key}: this scorer isn't there; nothing is judged without it")
            elif scorers[name].version != scale.version:
                faults.append(f"{key}.version: the policy pins {scale.version}, there is {scorers[name].version}")
    if faults:
        raise PolicyError("\n".join(faults))
