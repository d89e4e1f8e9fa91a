"""Our own patterns over strangers' text: many phrases, one linear pass.

It must never run a pattern that came with a record.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

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

Worded = tuple[str, frozenset[str]]
"""A pattern, and words of which one stands in whatever it finds; no words where that can't be told. `bien~`: any word
that begins so.
"""
_Suspect = tuple[Callable[[str], object], int]


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
            for pattern, words in phrases:
                self._file((re.compile(pattern).search, number), words)

    def _file(self, suspect: _Suspect, words: frozenset[str]) -> None:
        if any(len(word) <= _BEGINNING and word.endswith(_OPEN) for word in words) or not words:
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
        suspects = self._suspects(line)
        if not suspects:
            return _NONE
        if len(suspects) > _SUSPECTS_MAX:
            return self._all.found_in(line)
        found: set[int] = set()
        for search, group in suspects:
            if group not in found and search(line):
                found.add(group)
        return frozenset(found)

    def _suspects(self, line: str) -> list[_Suspect]:
        """The phrases that a line's words call up."""
        filed, begun = self._filed, self._begun
        suspects = [*self._anywhere]
        for word in set(line.split()):
            if word in filed:
                suspects += filed[word]
            if (beginning := word[:_BEGINNING]) in begun:
                suspects += [suspect for start, suspect in begun[beginning] if word.startswith(start)]
        return suspects
