"""How far evidence supports a claim: what speaks against it, and the risk that follows.

It must never punish a paraphrase for its words where figures hold it to the evidence.

Two manners of evidence are weighed in two ways. Terms (prices, deadlines, hours) are looked at for a conflict: another
figure, another rate, a name or figure that belongs to something else, a lifted limit, a turned negation. Prose is
looked at for what it doesn't cover. What lies between is weighed by both. Source: GROUNDING §2; the weights were fitted
on the sets that docs/results/grounding.md names, none below zero.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from guardrail.judge.arithmetic import surprise, unknown
from guardrail.judge.contest import Placed, Stand, Weights, contends, sort_of, ties, votes_against
from guardrail.judge.copying import Copy, copy_of
from guardrail.judge.figures import Figure
from guardrail.judge.ground import Ground, Stated
from guardrail.judge.joins import claimed
from guardrail.judge.lexicon.weights import PROSE, TERMS
from guardrail.judge.reading import Reading, read_text
from guardrail.judge.stance import stance_of
from guardrail.judge.text import composed

_SAME_CLAUSE = 0.3
"""How much two clauses must share before their polarity is compared."""
_UNITS_MAX = 64
"""Units of one claim whose figures and names are compared; longer sentences are no claims but floods."""
_ORDERED = 0.6
"""Share from which the order of words in prose tells something."""

_QUOTED = 5.0
"""A claim of which a fifth isn't covered is no quote any more."""
_QUOTED_MIN = 4
"""So many words of content a quotation has: "it is free" quotes nothing."""
_QUOTED_STEPS = 3.0
"""The same for steps, told again in fewer words."""
_DEPARTED = 2.0
"""A claim of which half isn't covered departs from the evidence altogether."""

_STANDINGS = ("unknown_figure", "surprising_figure", "unknown_name", "other_figure", "other_name", "other_rate")
Signals = dict[str, float]


class Support(msgspec.Struct, frozen=True):
    """What was found on one claim: signals by name, >= 0, and the risk, >= 0."""

    risk: float
    signals: Signals
    reason: str | None
    """The signal that adds most to the risk; null where nothing speaks against the claim."""
    quoted: bool = False
    """Whether it stands in the evidence word for word: then nothing does."""


class _Asked(msgspec.Struct, frozen=True):
    """What every claim of an answer is held against."""

    ground: Ground
    known: frozenset[str]
    question: Weights
    """What the user's words weigh, as far as the evidence has them."""
    figures: tuple[Figure, ...]
    """The user's."""


def _asked(ground: Ground, said: Reading, known: frozenset[str]) -> _Asked:
    return _Asked(
        ground,
        known,
        {key: weight for key, weight in ground.weights(said.content).items() if key in ground.keys},
        tuple([unit.figure for unit in said.content if unit.figure is not None]),
    )


def supports(
    texts: Sequence[str], ground: Ground, said: Reading, known: frozenset[str], *, ours: bool = False
) -> tuple[Support, ...]:
    """The claims of one answer held against the evidence, in order.

    `said`: what the user asked; `known`: the keys of all that was said so far, which needs no evidence; `ours`: whether
    some of them were put there by a correction, so that a quotation casts no doubt on its neighbours.
    Bounds: linear in the evidence, but for a copy's alignment, which is bounded by itself.
    """
    asked = _asked(ground, said, known)
    found = {text: _signals(claimed(composed(text)), asked) for text in dict.fromkeys(texts)}
    beside = [0.0] * len(texts) if ours else _beside([found[text] for text in texts])
    return tuple(
        [
            _weighed({**found[text], "beside_quotes": share}, ground.terms)
            for text, share in zip(texts, beside, strict=True)
        ]
    )


def _signals(claim: str, asked: _Asked) -> Signals:
    """What speaks against a claim by itself."""
    ground = asked.ground
    reading = read_text(claim)
    if ground.quoted(claim):
        return {"uncovered": 0.0, "quotes": _quotes(reading, 0.0), "quoted": 1.0}
    weights = ground.weights(reading.units)
    shared = ground.windows.totals(weights)
    signals = _coverage(reading, asked, weights, max(shared, default=0.0))
    signals["quotes"] = _quotes(reading, signals["uncovered"])
    if not ground.sentences:
        return signals
    alone = shared[: len(ground.sentences)]
    nearest = ground.sentences[alone.index(max(alone))]
    relevance = ground.relevance(weights)
    covered = 1 - signals["uncovered"]
    signals |= _standing(reading, asked, weights, relevance)
    signals["turned"] = covered * _turned(reading, nearest, weights)
    signals["denied_clause"] = _denied_clause(reading, ground, weights)
    signals["order"] = _disorder(reading, nearest.places)
    signals["order_of_copy"] = signals["order"] if covered > _ORDERED else 0.0
    home = ground.compiled[relevance.index(max(relevance))]
    signals["steps"] = _disorder(reading, home.steps)
    signals["steps_of_copy"] = (signals["steps"] > 0) * max(0.0, 1 - _QUOTED_STEPS * signals["uncovered"])
    signals |= _stances(claim, ground, nearest)
    copy = copy_of(reading, ground.originals, asked.known)
    return signals if copy is None else signals | _changes(copy)


def _quotes(claim: Reading, uncovered: float) -> float:
    """How far a claim quotes the evidence, in [0, 1]."""
    return max(0.0, 1 - _QUOTED * uncovered) if len(claim.content) >= _QUOTED_MIN else 0.0


def _beside(claims: Sequence[Signals]) -> Iterator[float]:
    """How far each claim departs from the evidence beside another one that quotes it.

    Who quotes one rule and not the next has most likely put something in.
    """
    first, second, *_ = *sorted([claim["quotes"] for claim in claims], reverse=True), 0.0, 0.0
    for claim in claims:
        yield min(1.0, _DEPARTED * claim["uncovered"]) * (second if claim["quotes"] == first else first)


def _coverage(claim: Reading, asked: _Asked, weights: Weights, best: float) -> Signals:
    """What of the claim no window has, `best` being what one has at most; what that is new no passage has."""
    ground, known = asked.ground, asked.known
    total = fresh = nowhere = 0.0
    for key, weight in weights.items():
        total += weight
        if key not in known:
            fresh += weight
            nowhere += 0.0 if key in ground.keys else weight
    uncovered = 1 - best / total if total else 0.0
    unheard = {u.key for u in claim.content if u.key not in ground.keys and u.key not in known and u.figure is None}
    held = any(ground.same_as(unit) for unit in claim.content if unit.figure is not None)
    share = nowhere / fresh if fresh else 0.0
    return {
        "uncovered": uncovered,
        "nowhere": share,
        "nowhere_unheld": 0.0 if held else share,
        "new_words": min(3, len(unheard)) * (1 - uncovered) ** 4,
    }


def _standing(claim: Reading, asked: _Asked, weights: Weights, relevance: Sequence[float]) -> Signals:
    """What its figures and names stand with: unknown ones, those of something else, those at another rate."""
    ground, known = asked.ground, asked.known
    found = dict.fromkeys(_STANDINGS, 0.0)
    placed: list[Placed] = [(unit, unit.at, 0) for unit in claim.content]
    sorts: dict[str, list[Stand]] = {}
    for n, unit in [(n, unit) for n, unit in enumerate(claim.content[:_UNITS_MAX]) if contends(unit)]:
        what = "name" if unit.figure is None else "figure"
        mine = [Stand(c, relevance[number], number) for number, c in ground.same_as(unit)]
        if mine:
            sort = sort_of(unit)
            if sort not in sorts:
                sorts[sort] = _stands(sort, ground, relevance)
            others = _others(mine, sorts[sort])
            own = _own_ties(n, placed, ground, weights) if others else {}
            against = (
                votes_against(own, asked.question, mine, others) if own else 0.0
            )  # a bare name stands with nothing
            found[f"other_{what}"] = max(found[f"other_{what}"], against)
            found["other_rate"] = max(found["other_rate"], _other_rate(unit.figure, mine))
        elif known.isdisjoint(unit.keys) and unit.key not in ground.keys:
            given = [*ground.figures, *asked.figures]
            found[f"unknown_{what}"] += 1.0 if unit.figure is None else unknown(unit.figure, given)
            found["surprising_figure"] += 0.0 if unit.figure is None else surprise(unit.figure, given)
    return found


def _stands(sort: str, ground: Ground, relevance: Sequence[float]) -> list[Stand]:
    """The figures or names of the evidence of a sort, of each list or range one: those of one share their ties."""
    return [Stand(one, relevance[number], number) for (number, _), one in ground.groups.get(sort, {}).items()]


def _others(mine: Sequence[Stand], stands: Sequence[Stand]) -> list[Stand]:
    """Those that are neither one of `mine` nor of one list with one."""
    own = {(stand.passage, stand.contender.group) for stand in mine}
    return [stand for stand in stands if (stand.passage, stand.contender.group) not in own]


def _own_ties(n: int, placed: Sequence[Placed], ground: Ground, weights: Weights) -> Weights:
    """What the claim's own words weigh for its unit n; others of its sort say nothing of what it stands with."""
    sort, kind = sort_of(placed[n][0]), placed[n][0].kind
    fellows = {other.key for other, _, _ in placed if other.kind == kind and sort_of(other) == sort}
    tied = ties(n, placed)
    return {key: tie * weights[key] for key, tie in tied.items() if key in ground.keys and key not in fellows}


def _other_rate(figure: Figure | None, mine: Sequence[Stand]) -> float:
    """Whether a figure is given at a rate that the evidence has for none like it: per month, where it says per year."""
    figures = [stand.contender.unit.figure for stand in mine]
    rates = {found.rate for found in figures if found is not None and found.rate}
    return float(figure is not None and bool(figure.rate) and bool(rates) and figure.rate not in rates)


def _turned(claim: Reading, nearest: Stated, weights: Weights) -> float:
    """The share of common words that the claim denies and its nearest sentence doesn't, or the other way round."""
    shared = {unit.key: unit.denied for unit in claim.content if unit.key in nearest.denied}
    turned = [key for key, denied in shared.items() if denied != nearest.denied[key]]
    return sum([weights[key] for key in turned]) / sum([weights[key] for key in shared]) if turned else 0.0


def _denied_clause(claim: Reading, ground: Ground, weights: Weights) -> float:
    """How much a clause shares with its like in the evidence that is denied where it isn't, or the other way round."""
    worst = 0.0
    for clause in claim.clauses:
        own = {key: weights[key] for key in sorted(clause.keys)}
        total = sum(own.values())
        best, denied = _SAME_CLAUSE, clause.denied
        for number, weight in ground.clause_index.shared(own).items():
            if weight / total <= best:
                continue
            other = ground.clauses[number]
            share = weight / total * math.sqrt(len(clause.keys & other.keys) / len(other.keys))
            if share > best:
                best, denied = share, other.denied
        if denied != clause.denied:
            worst = max(worst, best)
    return worst


def _disorder(claim: Reading, there: Mapping[str, int]) -> float:
    """The share of common words that stands in another order: what the longest ordered part leaves out."""
    places = [there[unit.key] for unit in claim.content if unit.key in there] if there else []
    tails: list[int] = []
    for place in places:
        if not tails or place > tails[-1]:
            tails.append(place)
        else:
            tails[bisect_left(tails, place)] = place
    return (len(places) - len(tails)) / max(3, len(places))


def _stances(text: str, ground: Ground, nearest: Stated) -> Signals:
    """Whether it lifts a limit, disclaims knowledge, or says that what the evidence offers can't be had."""
    stance = stance_of(text)
    return {
        "waiver": float(bool(stance.waivers - ground.waivers)),
        "disclaimer": float(stance.disclaims),
        "unavailable": float(stance.unavailable and not nearest.reading.negations),
    }


def _changes(copy: Copy) -> Signals:
    """What was changed in a copy, and the same again by how exact the copy is."""
    return copy.changes | {f"exact_{name}": surely * copy.exact for name, surely in copy.changes.items()}


def _weighed(signals: Signals, terms: float) -> Support:
    weights = _weights(terms)
    risk, most, reason = 0.0, 0.0, None
    for name, value in signals.items():
        if value and (part := value * weights.get(name, 0.0)):
            risk += part
            if part > most:
                most, reason = part, name
    return Support(risk, signals, reason, quoted="quoted" in signals)


@lru_cache(maxsize=256)
def _weights(terms: float) -> Weights:
    """What signals weigh where evidence reads so far as terms."""
    return {
        name: terms * TERMS.get(name, 0.0) + (1 - terms) * PROSE.get(name, 0.0) for name in sorted({*TERMS, *PROSE})
    }
