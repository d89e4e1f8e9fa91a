"""Our own patterns over strangers' text: many phrases, one linear pass.

It must never run a pattern that came with a record.
"""

from __future__ import annotations

from collections.abc import Sequence

import re2

_MAX_MEMORY_BYTES = 64 << 20
"""RE2's bound for its automata; all lexicons together need about a tenth."""


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
