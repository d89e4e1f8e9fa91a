"""Which of several figures or names of one sort a claim's words stand with: price A or price B, Dr X or Dr Y.

It must never decide on a word that stands with all of them alike.

In the evidence, every figure and name is tied to the words around it. A claim that gives one of them is tied to its
own words too; each word votes for the figure or name that it is tied to most closely in the evidence.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

import msgspec

from guardrail.judge.figures import same_figure
from guardrail.judge.reading import Unit

_REACH = 8.0
"""Words over which a tie falls to a third."""
_CROSSING = 0.1
"""What is left of a tie across another figure of the sort, or to a word in that one's clause."""
_HEAD = 0.2
"""What is left for a later figure of a tie to the words that head the whole list."""
_FAINT = 0.02
"""No weaker tie is kept."""
_QUESTION = 0.1
"""How strongly the words of the user's question stand with every figure of the answer."""
_EVEN = 0.05
"""A word tied about equally to both sides votes for neither."""
_DOUBT = 2.0
"""Weight of the vote that is cast for no one: few or faint votes decide nothing."""
_LIST = 9.0
"""Figures of one sort within so many words, with nothing but figures between them, are one list or range."""

_NEAR_UNITS = 48
"""Units on either side that may be tied at all: beyond, every tie is too faint to keep."""
CONTENDERS_MAX = 64
"""Figures and names of one passage that are tied; what follows them is only looked up."""

_LIST_MAX = 8
"""So many of a sort make a list at most."""

_COMPARABLE = {"clock": ("clock", "count", "duration"), "duration": ("duration", "count", "clock")}
"""Kinds whose figures may say the same as one of this kind; of others their own, and counts."""
_FAR = 32
"""A tie over so many words is too faint to keep."""
_FADES = {float(distance): math.exp(-abs(distance) / _REACH) for distance in range(-_FAR, _FAR + 1)}
"""How strong a tie is by its length in words, which are whole."""

Weights = dict[str, float]
Placed = tuple[Unit, float, int]
"""A unit, its place and the number of its sentence."""


class Contender(msgspec.Struct, frozen=True):
    """A figure or name of the evidence and its ties: key -> strength in (0, 1]."""

    unit: Unit
    ties: dict[str, float]
    group: int
    """Contenders of one list or range share a group: "from 6 to 23", "Tuesday and Thursday"."""


class Stand(msgspec.Struct, frozen=True):
    """A contender where a claim meets it: how much of the claim its passage has, and the passage's number."""

    contender: Contender
    relevance: float
    passage: int


def contends(unit: Unit) -> bool:
    """Whether a unit is one of several of its sort."""
    return unit.kind == "figure" or unit.kind == "name"


def sort_of(unit: Unit) -> str:
    """What a contender is one of: the kind of figure, for counts with what is counted, or a name."""
    figure = unit.figure
    if figure is None:
        return "name"
    return f"count {figure.unit}" if figure.kind == "count" else figure.kind


def contenders(placed: Sequence[Placed]) -> list[Contender]:
    """The figures and names of a passage, tied to the words around them; those of one list share their ties."""
    found: list[tuple[int, int, dict[str, float]]] = []
    for n, (unit, _, _) in enumerate(placed):
        if contends(unit) and len(found) < CONTENDERS_MAX:
            group = next((g for m, g, _ in found[-_LIST_MAX:] if _listed(placed, m, n)), n)
            found.append((n, group, ties(n, placed)))
    shared: dict[int, dict[str, float]] = {}
    for _, group, own in found:
        of_group = shared.setdefault(group, {})
        for key, strength in own.items():
            of_group[key] = max(of_group.get(key, 0.0), strength)
    return [Contender(placed[n][0], shared[group], group) for n, group, _ in found]


def _rivals(a: Unit, b: Unit) -> bool:
    if a.key == b.key or a.kind != b.kind:
        return False
    if a.figure is not None and b.figure is not None:
        return a.figure.kind == b.figure.kind
    return a.kind == "name"


def _listed(placed: Sequence[Placed], j: int, n: int) -> bool:
    """Whether two of a sort stand in one list or range, or are parts of one name."""
    low, high = min(j, n), max(j, n)
    (a, at, sentence), (b, beyond, other) = placed[low], placed[high]
    if sentence != other or a.kind != b.kind or beyond - at >= _LIST:
        return False
    between = placed[low : high + 1]
    if a.figure is None or b.figure is None:
        return all(unit.kind == "name" for unit, _, _ in between) and beyond - at <= high - low + 0.5
    kind = a.figure.kind
    return all(unit.figure is not None and unit.figure.kind == kind for unit, _, _ in between)


def ties(n: int, placed: Sequence[Placed]) -> dict[str, float]:
    """How strongly every other unit stands with unit n, by distance, clause and the rivals between."""
    start = max(0, n - _NEAR_UNITS)
    placed, n = placed[start : n + _NEAR_UNITS + 1], n - start
    unit, kind = placed[n][0], placed[n][0].kind
    rivals = [
        j
        for j, (other, _, _) in enumerate(placed)
        if other.kind == kind and _rivals(unit, other) and not _listed(placed, j, n)
    ]
    strengths = _crossed(n, placed, rivals) if rivals else _faded(n, placed)
    found: dict[str, float] = {}
    for (other, _, _), strength in zip(placed, strengths, strict=True):
        if strength > _FAINT and other.key != unit.key and strength > found.get(other.key, 0.0):
            found[other.key] = strength
    return found


def _faded(n: int, placed: Sequence[Placed]) -> list[float]:
    """How strongly units stand with unit n by distance alone."""
    at = placed[n][1]
    return [_FADES.get(beyond - at, 0.0) for _, beyond, _ in placed]


def _crossed(n: int, placed: Sequence[Placed], rivals: Sequence[int]) -> list[float]:
    """The same with rivals about: a tie across one, or to a word in its clause, is a faint one."""
    unit, _, sentence = placed[n]
    here = (sentence, unit.clause)
    taken = {(placed[j][2], placed[j][0].clause) for j in rivals} - {here}
    headed = not any(
        its_sentence == sentence and other.clause == unit.clause and other.figure is None
        for other, _, its_sentence in placed[:n]
    )
    first = min([j for j in rivals if placed[j][2] == sentence] + [n])
    before = bisect_left(rivals, n)
    strengths = _faded(n, placed)
    for j, (other, beyond, its_sentence) in enumerate(placed):
        crossed = before - bisect_right(rivals, j) if j < n else bisect_left(rivals, j) - before
        if its_sentence == sentence and j < first and headed:
            head = _HEAD * math.exp(-max(0.0, placed[first][1] - beyond) / (2 * _REACH))
            strengths[j] = max(strengths[j] * _CROSSING**crossed, head)
        elif (its_sentence, other.clause) in taken:
            strengths[j] *= _CROSSING
        elif crossed:
            strengths[j] *= _CROSSING ** min(crossed, 2)
    return strengths


def comparable(kind: str, kinds: Iterable[str]) -> Iterable[str]:
    """Those of some kinds of figures that may say the same as one of this kind: with any other, `is_same` is false."""
    return kinds if kind == "count" else _COMPARABLE.get(kind, (kind, "count"))


def is_same(unit: Unit, contender: Contender) -> bool:
    """Whether a claim's figure or name is this one of the evidence."""
    figure, other = unit.figure, contender.unit.figure
    if figure is not None and other is not None:
        return same_figure(figure, other)
    return figure is None and other is None and unit.key == contender.unit.key


def votes_against(own: Weights, question: Weights, mine: Sequence[Stand], others: Sequence[Stand]) -> float:
    """How clearly the claim's words stand with another one of the sort, in [0, 1].

    `own`: the ties of the claim's figure or name, weighted; `question`: the weights of the user's words.
    """
    if not others:
        return 0.0
    voters = own | {key: _QUESTION * weight for key, weight in question.items() if key not in own}
    near = max([stand.relevance for stand in mine])
    scaled = [(s.contender.ties, min(1.0, (s.relevance + 0.01) / (near + 0.01))) for s in others]
    for_others = _strongest(voters, scaled)
    if not for_others:
        return 0.0
    for_mine = _strongest(voters, [(stand.contender.ties, 1.0) for stand in mine])
    against = cast = 0.0
    for key, weight in voters.items():
        one, other = for_mine.get(key, 0.0), for_others.get(key, 0.0)
        strongest = max(one, other)
        lead = (other - one) / math.sqrt(strongest) if strongest else 0.0
        if abs(lead) >= _EVEN:
            against += weight * lead
            cast += weight * abs(lead)
    return against / (cast + _DOUBT) if against > 0 else 0.0


def _strongest(voters: Weights, sides: Sequence[tuple[Weights, float]]) -> Weights:
    """The strongest tie of each voter to one of several, each of which counts by its scale."""
    found: dict[str, float] = {}
    for tied, scale in sides:
        for key in voters.keys() & tied.keys():
            found[key] = max(found.get(key, 0.0), tied[key] * scale)
    return found
