"""Our own patterns over strangers' text: many phrases, one linear pass.

It must never run a pattern that came with a record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec
import re2

_MAX_MEMORY_BYTES = 64 << 20
"""RE2's bound for its automata; all lexicons together need about a tenth."""
_LINE_CHARS = 512
"""Longer lines are RE2's: its time is the line's length, whatever stands in it."""
_SUSPECTS_MAX = 32
"""More phrases than any sentence calls up are looked for by RE2 too: an ordinary sentence calls up three."""
_NONE: frozenset[int] = frozenset()

_BEGINNING = 2
"""Beginnings of words are filed by so many letters; none is shorter."""
_OPEN = "~"

Pieces = tuple[frozenset[str], ...]
Worded = tuple[str, Pieces]
"""A pattern, and words by which it is known, the rarest first: of each piece one stands in whatever the pattern finds;
no piece where that can't be told. `bien~`: any word that begins so.
"""


class _Suspect(msgspec.Struct, frozen=True):
    """A phrase that may stand where one of the words of each of its pieces does."""

    search: Callable[[str], object]
    group: int
    beside: frozenset[str] | None


class PhraseSet:
    """Groups of patterns, searched together. Linear in the text whatever the patterns (RE2's Set)."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        """Compile the patterns; each belongs to the group (0, 1, ...) it stands in."""
        options = re2.Options()
        options.never_capture = True
        options.log_errors = False
        options.max_mem = _MAX_MEMORY_BYTES
        self._set = re2.Set.SearchSet(options)
        self._groups: list[int] = []
        for number, patterns in enumerate(groups):
            for pattern in patterns:
                self._set.Add(pattern)
                self._groups.append(number)
        self._set.Compile()

    def found_in(self, text: str) -> frozenset[int]:
        """The groups that have a phrase in the text."""
        groups = self._groups
        return frozenset(groups[index] for index in self._set.Match(text) or ())


class PhraseIndex:
    """Groups of patterns, each filed under its words and looked for only where one of them stands.

    Finds what a PhraseSet does. Phrases with gaps make RE2's automaton for all of them so large that every new text
    costs it new states: ten times what the few phrases cost whose words are there.
    """

    def __init__(self, groups: Sequence[Sequence[Worded]]) -> None:
        """Compile the patterns; each belongs to the group (0, 1, ...) it stands in."""
        self._all = PhraseSet([[pattern for pattern, _ in phrases] for phrases in groups])
        self._anywhere: list[_Suspect] = []
        self._filed: dict[str, list[_Suspect]] = {}
        self._begun: dict[str, list[tuple[str, _Suspect]]] = {}
        for number, phrases in enumerate(groups):
            for pattern, pieces in phrases:
                self._file(pattern, number, pieces)
        self._words = frozenset(self._filed)

    def _file(self, pattern: str, group: int, pieces: Pieces) -> None:
        words = pieces[0] if pieces else frozenset({_OPEN})
        whole = [piece for piece in pieces[1:] if not any(word.endswith(_OPEN) for word in piece)]
        suspect = _Suspect(re.compile(pattern).search, group, whole[0] if whole else None)
        if any(word.endswith(_OPEN) and len(word) <= _BEGINNING for word in words):
            self._anywhere.append(suspect)
            return
        for word in words:
            if word.endswith(_OPEN):
                self._begun.setdefault(word[:_BEGINNING], []).append((word[:-1], suspect))
            else:
                self._filed.setdefault(word, []).append(suspect)

    def found_in(self, line: str) -> frozenset[int]:
        """The groups that have a phrase in a line of words, single blanks between, before and behind them."""
        if len(line) > _LINE_CHARS:
            return self._all.found_in(line)
        words = frozenset(line.split())
        suspects = self._suspects(words)
        if len(suspects) > _SUSPECTS_MAX:
            return self._all.found_in(line)
        found: set[int] = set()
        for suspect in suspects:
            if suspect.group not in found and suspect.search(line):
                found.add(suspect.group)
        return frozenset(found) if found else _NONE

    def _suspects(self, words: frozenset[str]) -> list[_Suspect]:
        """The phrases that a line's words call up."""
        called = [*self._anywhere]
        for word in self._words & words:
            called += self._filed[word]
        for beginning in self._begun.keys() & {word[:_BEGINNING] for word in words}:
            called += [s for start, s in self._begun[beginning] if any(word.startswith(start) for word in words)]
        return [suspect for suspect in called if suspect.beside is None or not suspect.beside.isdisjoint(words)]
