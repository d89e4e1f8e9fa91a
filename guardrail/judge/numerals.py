"""Number words joined into numbers: twenty five, soixante et onze. It must never read digits as words."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.judge.speech import NUMBER_WORDS

_LINKS = frozenset({"et", "y", "and"})
_SCORES = frozenset({60, 80})
"""French counts on from these by tens and by the teens: 70 is sixty-ten, 91 is four-twenty-eleven."""


def joined(words: Sequence[str]) -> list[tuple[str, int | None]]:
    """The words in order, each run that spells one number as one entry with its value; others with null."""
    if NUMBER_WORDS.keys().isdisjoint(words):
        return [(word, None) for word in words]
    entries: list[tuple[str, int | None]] = []
    position = 0
    while position < len(words):
        value = NUMBER_WORDS.get(words[position])
        end = position + 1
        while value is not None and (step := _next(words, end, value)) is not None:
            end, value = step
        entries.append((" ".join(words[position:end]), value))
        position = end
    return entries


def _next(words: Sequence[str], end: int, value: int) -> tuple[int, int] | None:
    """Where the number goes on, and its value then; null when it ends here."""
    start = end + 1 if end < len(words) and words[end] in _LINKS else end
    following = NUMBER_WORDS.get(words[start]) if start < len(words) else None
    if following is None:
        return None
    if value == 4 and following == 20 and start == end:
        return start + 1, 80
    if value % 10 == 0 and 20 <= value <= 90 and (1 <= following <= 9 or (value in _SCORES and 10 <= following <= 19)):
        return start + 1, value + following
    return None
