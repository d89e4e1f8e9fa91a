"""A claim laid over the sentence that it copies: what was changed, added or turned round in it.

It must never look at a free paraphrase: two texts that share few words are no copy, and tell nothing here.

Source: the longest common subsequence (Hunt and McIlroy 1976), as line-wise `diff` uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

import msgspec

from guardrail.judge.figures import same_figure
from guardrail.judge.index import Index
from guardrail.judge.lexicon.stance import OPPOSED
from guardrail.judge.reading import Reading, Unit, is_negation
from guardrail.judge.text import stem

SHARE_MIN = 0.6
"""Share of a claim's units that must stand in a sentence, in order, for the claim to count as a copy of it."""
_UNITS_MIN = 4
"""Shorter claims copy anything."""
_RUN = 4
"""So many matching units in a row on one side of a change are as good as any more."""
_BEFORE = 3
"""So many units before a copied part may deny it."""
_POLES = {
    stem(word): (axis, pole)
    for axis, poles in enumerate(OPPOSED)
    for pole, words in enumerate(poles)
    for word in words.split()
}
"""Stem -> its axis and pole, 0 or 1."""
_ROOM = 2
"""Two ends of so many units more or less take the same room."""
_EXACT = 0.7
"""Share from which a copy begins to be an exact one."""
_CANDIDATES_MAX = 4
"""So many originals are aligned with a claim."""
_UNITS_MAX = 120
"""No longer claim or sentence is aligned: the table grows with both."""


class Original(msgspec.Struct, frozen=True):
    """A sentence, or two neighbours, that a claim may copy."""

    units: tuple[Unit, ...]
    signs: tuple[str, ...]
    set: frozenset[str]
    around: frozenset[str]
    """All keys of its passage: a word from there was moved, not invented."""


class Copy(msgspec.Struct, frozen=True):
    """How a claim copies its original: `exact` in [0, 1], and what was changed with how surely, in [0, 1]."""

    exact: float
    changes: dict[str, float]


class _Gap(msgspec.Struct, frozen=True):
    """A place where the two differ: what stands there in each, and how firmly both sides hold it."""

    claim: tuple[Unit, ...]
    original: tuple[Unit, ...]
    firm: float
    leading: bool
    trailing: bool


def original(stated: Sequence[Reading], around: frozenset[str]) -> Original:
    """The sentence(s) as something to be copied."""
    units = tuple(unit for reading in stated for unit in reading.units)
    signs = tuple(unit.sign for unit in units)
    return Original(units, signs, frozenset(signs), around)


class Originals:
    """All that a claim may copy. Immutable."""

    def __init__(self, listed: Sequence[Original]) -> None:
        """Index the originals by their signs."""
        self.listed = tuple(listed)
        self._index = Index([source.set for source in listed])

    def likely(self, wanted: Set[str]) -> list[Original]:
        """The few that share most with a claim, of those that share enough."""
        shared = self._index.totals(dict.fromkeys(wanted, 1.0))
        enough = SHARE_MIN * len(wanted)
        ranked = sorted((-count, number) for number, count in enumerate(shared) if count >= enough)[:_CANDIDATES_MAX]
        return [self.listed[number] for _, number in ranked if len(self.listed[number].signs) <= _UNITS_MAX]


def copy_of(claim: Reading, originals: Originals, known: frozenset[str]) -> Copy | None:
    """The claim laid over the original that it copies best; null when it copies none.

    Bounds: quadratic in units, of which at most 120 on either side are aligned.
    """
    signs = [unit.sign for unit in claim.units]
    wanted = set(signs)
    if not _UNITS_MIN <= len(signs) <= _UNITS_MAX:
        return None
    source, length = None, 0
    for candidate in originals.likely(wanted):
        if length < len(signs) and (reached := _length(signs, candidate.signs)) > length:
            source, length = candidate, reached
    if source is None or length < max(_UNITS_MIN, SHARE_MIN * len(signs)):
        return None
    pairs = aligned(signs, source.signs)
    share = len(pairs) / len(signs)
    changes: dict[str, float] = {}
    gaps = list(_gaps(claim.units, source, pairs, share))
    displaced = _displaced(gaps)
    for gap in gaps:
        for name, surely in _changes(gap, source, known, displaced):
            changes[name] = max(changes.get(name, 0.0), surely)
    return Copy(max(0.0, (share - _EXACT) / (1 - _EXACT)) ** 2, changes)


def _displaced(gaps: Sequence[_Gap]) -> frozenset[str]:
    """The words and figures that stand in both, but not in one place."""
    mine = {unit.key for gap in gaps for unit in gap.claim if unit.content}
    return frozenset(unit.key for gap in gaps for unit in gap.original if unit.content and unit.key in mine)


def aligned(claim: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """The index pairs of a longest common subsequence; equal ends are paired without a table."""
    start, (i, j) = 0, (len(claim), len(other))
    while start < min(i, j) and claim[start] == other[start]:
        start += 1
    tail = []
    while i > start and j > start and claim[i - 1] == other[j - 1]:
        i, j = i - 1, j - 1
        tail.append((i, j))
    head = [(k, k) for k in range(start)]
    middle = [(start + a, start + b) for a, b in _subsequence(claim[start:i], other[start:j])]
    return _drawn_together([*head, *middle, *reversed(tail)], claim, other)


def _drawn_together(
    pairs: Sequence[tuple[int, int]], claim: Sequence[str], other: Sequence[str]
) -> list[tuple[int, int]]:
    """The pairs, each drawn to its neighbour where the same sign stands there too: a copy runs on, it doesn't jump."""
    drawn: list[tuple[int, int]] = []
    for i, j in pairs:
        before = drawn[-1] if drawn else (-2, -2)
        follows = i == before[0] + 1 and other[before[1] + 1] == claim[i]
        drawn.append((i, before[1] + 1 if follows else j))
    return drawn


def _subsequence(claim: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    rows = _rows(claim, other)
    pairs = []
    i, j, whole = len(claim), len(other), (1 << len(other)) - 1
    length = (~rows[i] & whole).bit_count()
    while length:
        if claim[i - 1] == other[j - 1]:
            i, j, length = i - 1, j - 1, length - 1
            pairs.append((i, j))
        elif (~rows[i - 1] & ((1 << j) - 1)).bit_count() == length:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _rows(claim: Sequence[str], other: Sequence[str]) -> list[int]:
    """The table of longest common subsequences, a number a row: the zeros among its first j bits count what the row's
    part of the claim shares with the first j of the other.

    Source: Hyyro, Bit-parallel LCS-length computation revisited (2004).
    """
    places: dict[str, int] = {}
    for j, sign in enumerate(other):
        places[sign] = places.get(sign, 0) | 1 << j
    row = whole = (1 << len(other)) - 1
    rows = [row]
    for sign in claim:
        if sign in places:
            matched = row & places[sign]
            row = ((row + matched) | (row - matched)) & whole
        rows.append(row)
    return rows


def _length(claim: Sequence[str], other: Sequence[str]) -> int:
    """The length of a longest common subsequence."""
    return len(other) - _rows(claim, other)[-1].bit_count()


def _gaps(claim: Sequence[Unit], source: Original, pairs: list[tuple[int, int]], share: float) -> Iterator[_Gap]:
    points = [(-1, pairs[0][1] - 1), *pairs, (len(claim), pairs[-1][1] + 1)]
    runs = _runs(points)
    last = len(points) - 2
    near = 0.5 + 0.5 * min(1.0, (share - SHARE_MIN) / 0.3 + 0.1)
    for k, ((i0, j0), (i1, j1)) in enumerate(pairwise(points)):
        leading, trailing = k == 0, k == last
        if i1 - i0 == 1 and j1 - j0 == 1 and not (leading and j1):
            continue
        left, right = 0 if leading else runs[k][0], 0 if trailing else runs[k + 1][1]
        firm = (left + right) / 6 if not (leading or trailing) else (left + right - 1) / 3
        mine, theirs = claim[i0 + 1 : i1], source.units[j0 + 1 : j1]
        if trailing:
            theirs = _rest(source, j1, len(mine) + _ROOM)
        if leading:
            mine = tuple(unit for unit in mine if unit.clause == claim[i1].clause)
            of_clause = [unit for unit in source.units[:j1] if unit.clause == source.units[j1].clause]
            theirs = tuple(of_clause[-len(mine) - _BEFORE :])
        yield _Gap(tuple(mine), tuple(theirs), min(1.0, max(0.0, firm)) * near, leading, trailing)


def _rest(source: Original, start: int, most: int) -> tuple[Unit, ...]:
    """What the original goes on with in the same clause; nothing where it goes on at length."""
    rest = tuple(unit for unit in source.units[start:] if unit.clause == source.units[start].clause)
    return rest if len(rest) <= most else ()


def _runs(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """For each matched pair how many stand in an unbroken row up to it, and from it on; at most four count."""
    behind, ahead = [0] * len(points), [0] * len(points)
    for k in range(1, len(points) - 1):
        follows = k > 1 and points[k] == (points[k - 1][0] + 1, points[k - 1][1] + 1)
        behind[k] = min(_RUN, behind[k - 1] + 1) if follows else 1
    for k in range(len(points) - 2, 0, -1):
        goes_on = k < len(points) - 2 and points[k + 1] == (points[k][0] + 1, points[k][1] + 1)
        ahead[k] = min(_RUN, ahead[k + 1] + 1) if goes_on else 1
    return list(zip(behind, ahead, strict=True))


def _changes(
    gap: _Gap, source: Original, known: frozenset[str], displaced: frozenset[str]
) -> Iterator[tuple[str, float]]:
    mine = [unit for unit in gap.claim if unit.content]
    theirs = [unit for unit in gap.original if unit.content]
    before = gap.original[-_BEFORE:] if gap.leading else gap.original
    if not gap.trailing and not (gap.leading and mine) and _negated(gap.claim) != _negated(before):
        yield "changed_negation", gap.firm
    if gap.leading and not mine:
        return
    turned = {unit.key: unit.opposite for unit in mine}
    if any(turned.get(unit.key, unit.opposite) != unit.opposite for unit in theirs):
        yield "changed_negation", gap.firm
    if _opposed(gap.claim, gap.original):
        yield "changed_negation", gap.firm
    yield from _changed_figures(mine, theirs, gap.firm)
    words = [unit for unit in mine if unit.kind != "figure"]
    fresh = [unit for unit in words if unit.key not in source.around and unit.key not in known]
    their_keys = {unit.key for unit in theirs}
    if fresh and (gap.trailing or not theirs):
        yield "added_words", gap.firm * min(1.0, 0.4 + 0.3 * len(fresh))
    elif fresh and len(fresh) <= 2:
        yield "changed_words", gap.firm
    if any(unit.key in displaced for unit in (*mine, *theirs)):
        yield "other_words", gap.firm
    moved = any(unit.key in source.around and unit.key not in their_keys for unit in words)
    renamed = any(unit.kind == "name" for unit in fresh) and any(unit.kind == "name" for unit in theirs)
    if (moved and theirs and not gap.trailing) or renamed:
        yield "other_words", gap.firm


def _negated(units: Sequence[Unit]) -> bool:
    return any(is_negation(unit) for unit in units)


def _opposed(mine: Sequence[Unit], theirs: Sequence[Unit]) -> bool:
    """Whether one has a word of one pole where the other has one of the other: before for after, can for must."""
    poles = {_POLES[unit.key] for unit in mine if unit.key in _POLES}
    others = {_POLES[unit.key] for unit in theirs if unit.key in _POLES}
    return any((axis, 1 - pole) in others for axis, pole in poles - others)


def _changed_figures(mine: Sequence[Unit], theirs: Sequence[Unit], firm: float) -> Iterator[tuple[str, float]]:
    figures = [unit.figure for unit in mine if unit.figure is not None]
    others = [unit.figure for unit in theirs if unit.figure is not None]
    if figures and others and not any(same_figure(figure, other) for figure in figures for other in others):
        yield "changed_figure", firm
