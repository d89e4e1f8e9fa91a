"""A claim that nearly copies a sentence, put back to the part of the sentence that it copies.

It must never make a text of its own: the result is one stretch of the original, from mark to mark, and only what stands
in brackets may be left out of it.

Source: GROUNDING §4, step 1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from guardrail.judge.copying import aligned
from guardrail.judge.cutting import Cuts, cuts
from guardrail.judge.lexicon.stance import OPPOSED
from guardrail.judge.speech import NEGATIONS, NUMBER_WORDS, STOP_WORDS
from guardrail.judge.text import cached_if_short, plain

SHARE_MIN = 0.5
"""Share of a claim's words that must stand in the original, in order (GROUNDING §4)."""
_WORDS_MIN = 3
"""So many words must be shared: fewer are in order by chance."""
_WORDS_MAX = 160
"""No longer claim or original is laid over the other: the table grows with both."""
_LAID_MAX = 4
"""So many originals are laid under a claim."""
_ROOM = 2
"""So many words more or less than the claim's the original may have before the first shared word or behind the last."""
_WIDE = 24
"""So many where the claim is cut in the middle of a sentence that is to be said whole."""
_SKIPPED = 0.2
"""What a word of the original costs that the claim jumps over: two sentences are no better original than one."""
_SAME = 0.85
"""Share of the words of the longer of two sentences from which they say the same."""
_WORD = re.compile(r"[^\W_]+(?:[.,:/'’\-][^\W_]+)*%?")
_FINAL = ".!?…,;:"
_IDLE = (
    STOP_WORDS
    - NEGATIONS
    - frozenset(NUMBER_WORDS)
    - {word for poles in OPPOSED for pole in poles for word in pole.split()}
)
"""Words in which two sentences that say the same may differ."""


class Mended(msgspec.Struct, frozen=True):
    """What a claim becomes, and the number of its original."""

    text: str
    number: int


class _Text(msgspec.Struct, frozen=True):
    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def before(self, place: int) -> int:
        """How many words begin before a place, in characters."""
        return sum(start < place for start, _ in self.spans)


@cached_if_short
def _read(text: str) -> _Text:
    found = [(plain(match.group()), match.span()) for match in _WORD.finditer(text)]
    return _Text(text, tuple(word for word, _ in found), tuple(span for _, span in found))


class _Laid(msgspec.Struct, frozen=True):
    """A claim laid over an original: the pairs of equal words, in order."""

    claim: _Text
    source: _Text
    pairs: tuple[tuple[int, int], ...]

    @property
    def fit(self) -> float:
        """Words shared, less what the claim jumps over."""
        (_, first), (_, last) = self.pairs[0], self.pairs[-1]
        return len(self.pairs) - _SKIPPED * (last - first + 1 - len(self.pairs))

    @property
    def copied(self) -> bool:
        """Whether the claim is a near copy."""
        return len(self.pairs) >= max(_WORDS_MIN, SHARE_MIN * len(self.claim.words))


def mend(text: str, originals: Sequence[str]) -> Mended | None:
    """The part of an original that a claim nearly copies; null where there is none that begins and ends with it.

    Bounds: quadratic in words, of which at most 160 on either side are laid over each other.
    """
    claim = _read(text)
    sources = [_read(one) for one in originals]
    shared = [(len(set(claim.words) & set(one.words)), number) for number, one in enumerate(sources)]
    likely = sorted(shared, key=lambda one: (-one[0], one[1]))[:_LAID_MAX]
    laid = [(found, number) for _, number in likely if (found := _lay(claim, sources[number])) is not None]
    if not laid:
        return None
    best, number = max(laid, key=lambda one: (one[0].fit, -len(one[0].source.words)))
    part = _part(best) if best.copied else None
    return None if part is None else Mended(part, number)


def _lay(claim: _Text, source: _Text) -> _Laid | None:
    if max(len(claim.words), len(source.words)) > _WORDS_MAX:
        return None
    pairs = _paired(claim.words, source.words)
    return _Laid(claim, source, pairs) if pairs else None


def _paired(claim: Sequence[str], source: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """The longest common subsequence in the fewest pieces: of words that stand twice the earlier or the later ones."""
    late = tuple(aligned(claim, source))
    if not _pieces(late):
        return late
    turned = aligned(claim[::-1], source[::-1])
    early = tuple((len(claim) - 1 - i, len(source) - 1 - j) for i, j in reversed(turned))
    return min(late, early, key=_pieces)


def _pieces(pairs: Sequence[tuple[int, int]]) -> int:
    return sum((i1 - i0, j1 - j0) != (1, 1) for (i0, j0), (i1, j1) in pairwise(pairs))


def _part(laid: _Laid) -> str | None:
    """The original from the cut before the claim's beginning to the cut behind its end."""
    source = laid.source
    found = cuts(source.text)
    start, end = _start(laid, found), _end(laid, found)
    if start is None or end is None:
        return None
    text = source.text
    for first, behind in reversed(found.asides):
        if start <= first and behind <= end and not _said(laid, source.before(first), source.before(behind)):
            text, end = text[:first] + text[behind:], end - (behind - first)
    said = laid.claim.text.rstrip()
    return text[start:end].strip() + said[len(said.rstrip(_FINAL)) :]


def _start(laid: _Laid, found: Cuts) -> int | None:
    """Where the part begins: about as many words before the first shared one as in the claim."""
    own, first = laid.pairs[0]
    places = found.beginnings if laid.claim.text[:1].islower() else found.standing
    rooms = [(first - laid.source.before(place), place) for place in places]
    marked = any(0 <= first - laid.source.before(mark) <= own + _ROOM for _, mark in found.marks)
    return _nearest(own, rooms, marked=marked)


def _end(laid: _Laid, found: Cuts) -> int | None:
    """Where it ends: about as many words behind the last shared one, and all that the claim has in another place."""
    i, last = laid.pairs[-1]
    own = max(len(laid.claim.words) - 1 - i, _displaced(laid))
    rooms = [(laid.source.before(place) - 1 - last, place) for place in found.endings]
    marked = any(0 <= laid.source.before(mark) - 1 - last <= own + _ROOM for mark, _ in found.marks)
    return _nearest(own, rooms, marked=marked)


def _nearest(own: int, rooms: Sequence[tuple[int, int]], *, marked: bool) -> int | None:
    """The place with the room that comes nearest to the claim's own; null where it is too much of another's.

    `marked`: the claim was cut at a mark where none may cut, so that more of the original has to be said.
    """
    room, place = min((one for one in rooms if one[0] >= 0), key=lambda one: (abs(one[0] - own), one[0] < own, one[1]))
    return place if room <= own + (_WIDE if marked else _ROOM) else None


def _displaced(laid: _Laid) -> int:
    """How many words behind the last shared one reach as far as the claim's own that it has elsewhere."""
    paired, last = {i for i, _ in laid.pairs}, laid.pairs[-1][1]
    own = {word for i, word in enumerate(laid.claim.words) if i not in paired} - STOP_WORDS
    reach = [n + 1 for n, word in enumerate(laid.source.words[last + 1 :]) if word in own]
    return max((n for n in reach if n <= len(own) + _ROOM), default=0)


def _said(laid: _Laid, first: int, behind: int) -> bool:
    """Whether the claim has an aside's words, or brackets in its place."""
    if any(first <= j < behind for _, j in laid.pairs):
        return True
    before = max((i for i, j in laid.pairs if j < first), default=-1)
    after = min((i for i, j in laid.pairs if j >= behind), default=len(laid.claim.words))
    spans, text = laid.claim.spans, laid.claim.text
    between = text[spans[before][1] if before >= 0 else 0 : spans[after][0] if after < len(spans) else len(text)]
    return "(" in between or "[" in between


def same_words(one: str, other: str) -> bool:
    """Whether two sentences say the same: nearly the same words in the same order, and no content, figure or denial
    apart.
    """
    left, right = _read(one).words, _read(other).words
    enough = _SAME * max(len(left), len(right))
    if max(len(left), len(right)) > _WORDS_MAX or min(len(left), len(right)) < enough:
        return False
    pairs = aligned(left, right)
    apart = _unpaired(left, [i for i, _ in pairs]) | _unpaired(right, [j for _, j in pairs])
    return len(pairs) >= enough and apart <= _IDLE


def _unpaired(words: Sequence[str], paired: Sequence[int]) -> set[str]:
    taken = set(paired)
    return {word for place, word in enumerate(words) if place not in taken}
