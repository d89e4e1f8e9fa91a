"""Where a stretch of a text may begin and end, and which of its asides may be left out.

It must never cut off what turns the rest: a condition, an exception, a denial, whose belief it is, a case it is bound
to. Source: GROUNDING §4, step 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from guardrail.judge.joins import ASIDE, anaphoric, unconnected
from guardrail.judge.lexicon.joins import BINDING, BOUND, COORDINATORS, EXCEPTING, SOURCES, TURNING, VERBS
from guardrail.judge.speech import NEGATIONS, flat
from guardrail.judge.text import cached_if_short, fold, sentences

_MARK = re.compile(r"(?<![,;:.!?…–—])[,;:.!?…–—]++[\"'”»)\]]*+(?=\s|$)")
_JOIN = re.compile(r"\s*([^\W\d_]+)\s+")
_NOTATION = re.compile(
    r"[=<>≤≥±]|\b(?:1[5-9]|20)[0-9]{2}\b|^\W*[0-9][0-9.,]*+\s?%|^\W*[0-9]{0,2}\W*$|^[A-Z][A-Za-z]*-?[0-9]+$"
    r"|^[0-9]+ (?:fe)?males?\b"
)
"""Figures that count, date or name, and rule nothing: (n = 12), (born 1991), (63.7%), (2), (SF-36), (43 males)."""
_TURNING = TURNING | NEGATIONS
_NEAR = 8
"""So many words behind a statement may deny it or say whose belief it is."""

_MARKS_MAX = 160
"""A text with more marks is no sentence to be cut, and is only said whole: what stands beside each is read."""
_BESIDE = 3
"""So many words reach to what a source says."""


class Cuts:
    """The places of a text where a stretch may begin and end, in characters. Immutable."""

    def __init__(self, text: str) -> None:
        """Find them. Bounds: linear in length for each mark, of which at most 160 are looked at."""
        self.text = text
        self._sentences = _whole(text)
        marks = tuple((mark.start(), mark.end()) for mark in _MARK.finditer(text))
        self.marks = marks if len(marks) <= _MARKS_MAX else ()
        """Start and end of every mark, whether one may cut there or not."""
        inner = set(self._inner())
        whole = {start for start, _ in self._sentences}
        self.beginnings = tuple(sorted(whole | inner))
        self.standing = tuple(sorted(whole | {place for place in inner if _stands(self._rest(place))}))
        """Where what begins may be a sentence by itself."""
        self.endings = tuple(sorted({*self._closing(), len(text)}))
        self.asides = tuple(found.span() for found in ASIDE.finditer(text) if _idle(found.group()))
        """The brackets that may be left out."""

    def _inner(self) -> Iterator[int]:
        """Inside a sentence: at a clause of the same rank, before or behind the word that joins it."""
        for start, end in self._sentences:
            for mark, behind in self.marks:
                if not start < mark < behind < end:
                    continue
                left, right = self.text[start:mark], self.text[behind:end]
                if not unconnected(f"{left},"):
                    yield behind
                    continue
                joined = _JOIN.match(right)
                coordinated = joined is not None and fold(joined[1]) in COORDINATORS
                if (coordinated or ";" in self.text[mark:behind]) and not _turns(left):
                    yield behind
                    if joined is not None and coordinated:
                        yield behind + joined.end()

    def _rest(self, place: int) -> str:
        """The clause that begins at a place, as far as its sentence goes."""
        end = next(end for _, end in self._sentences if place < end)
        return self.text[place:end].partition(";")[0]

    def _closing(self) -> Iterator[int]:
        """At the end of a sentence, and inside it where what follows goes on without turning what was said."""
        for start, end in self._sentences:
            for mark, behind in self.marks:
                if start < mark <= end:
                    rest = self.text[behind:end]
                    own = ";" in self.text[mark:behind]
                    if not rest.strip() or not (_excepts(rest) if own else _takes_back(rest.partition(";")[0])):
                        yield mark


@cached_if_short
def cuts(text: str) -> Cuts:
    """The cuts of a text."""
    return Cuts(text)


def _whole(text: str) -> list[tuple[int, int]]:
    """The sentences, those that a mark within parted (8 p.m. on Thursdays) put together again."""
    found: list[tuple[int, int]] = []
    for start, end in sentences(text, clauses=False):
        if found and text[start].islower() and "\n" not in text[found[-1][1] : start]:
            start = found.pop()[0]
        found.append((start, end))
    return found or [(0, len(text))]


def _turns(text: str) -> bool:
    """Whether what stands before a statement, or in brackets in it, may turn it."""
    words = flat(text).split()
    return bool(words) and (words[0] in BINDING or not _TURNING.isdisjoint(words))


def _takes_back(text: str) -> bool:
    """Whether what goes on behind a statement may turn it, or bind it to a case: exceptions do from afar."""
    words = flat(text).split()
    line = " ".join(words) + " "
    turned = (_TURNING.intersection(words[:_NEAR]) - SOURCES) | SOURCES.intersection(words[:_BESIDE])
    return line.startswith(BOUND) or bool(turned) or not EXCEPTING.isdisjoint(words)


def _excepts(clause: str) -> bool:
    """Whether a clause of its own takes back something of the one before."""
    words = flat(clause).split()
    return not _TURNING.isdisjoint(words[:2]) or (anaphoric(clause) and not _TURNING.isdisjoint(words))


def _stands(text: str) -> bool:
    """Whether a clause may be a sentence: it has a verb that is known for one."""
    return not VERBS.isdisjoint(flat(text).split())


def _idle(aside: str) -> bool:
    """Whether what stands in brackets may be left out: it turns nothing, and its figures only count or date."""
    inner = aside.strip().strip("()[]")
    return not _turns(inner) and (bool(_NOTATION.search(inner)) or not any(c.isdigit() for c in inner))
