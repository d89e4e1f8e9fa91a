"""What a dropped sentence leaves behind: connectives, pronouns, list marks and semicolons that hung on it.

It must never touch a sentence whose neighbour stands. Source: GROUNDING §4, step 3, and its fluent joins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from guardrail.judge.joins import LIST_MARK, anaphoric, capitalised, dependent, unconnected, wrapped
from guardrail.judge.speech import Sentence

_NUMBERED = re.compile(r"([0-9]{1,2})(\)\s+)(?=\S)")
"""An item with its number in its own sentence."""


class _Numbers:
    """The numbers of the lists of an answer as items go: counted on from the list's own first one."""

    def __init__(self) -> None:
        self._last = self._gone = 0

    def after(self, number: int, *, goes: bool) -> int:
        """What the next number becomes; `goes`: its item is dropped."""
        self._gone = (self._gone if number == self._last + 1 else 0) + goes
        self._last = number
        return number - self._gone


def orphans(sentences: Sequence[Sentence], dropped: Set[int]) -> Iterator[tuple[Sentence, str]]:
    """The sentences that can't stay as they are where those that start at `dropped` go, with what they become.

    A connective goes, a sentence that speaks of the dropped one goes with it, and a list is numbered anew.

    Bounds: linear in sentences.
    """
    items = _items(sentences)
    numbers, gone = _Numbers(), False
    for place, sentence in enumerate(sentences):
        mark = LIST_MARK.match(sentence.text)
        if mark is not None:
            goes = items[place] in dropped
            number = numbers.after(int(mark[1]), goes=goes) if mark[1] else None
            new = "" if goes else sentence.text if number is None else f"{number}{mark[2]}"
        elif sentence.start in dropped:
            new, gone = sentence.text, True
            if found := _NUMBERED.match(sentence.text):
                numbers.after(int(found[1]), goes=True)
        else:
            new = _alone(sentence.text) if gone else sentence.text
            gone = gone and not new
            if found := _NUMBERED.match(sentence.text):
                number = numbers.after(int(found[1]), goes=not new)
                new = new and f"{number}{new[len(found[1]) :]}"
        if new != sentence.text:
            yield sentence, new


def settled(sentences: Sequence[Sentence], becomes: Mapping[int, str]) -> Iterator[tuple[Sentence, str]]:
    """The clauses whose neighbours across a semicolon went, with what they become: ended, or begun with a capital.

    `becomes`: what some of the sentences become, by where they start.
    """
    kept: Sentence | None = None
    said, hole = "", ""
    for sentence in sentences:
        text = becomes.get(sentence.start, sentence.text)
        if not text:
            hole = sentence.text
            continue
        if kept is not None and hole and not _goes_on(hole) and _goes_on(said):
            yield kept, _ended(said)
        if _goes_on(hole) and not _goes_on(said):
            before, core, behind = wrapped(text)
            text = before + capitalised(core) + behind
            if text != becomes.get(sentence.start, sentence.text):
                yield sentence, text
        kept, said, hole = sentence, text, ""
    if kept is not None and hole and _goes_on(said):
        yield kept, _ended(said)


def _items(sentences: Sequence[Sentence]) -> list[int | None]:
    """For each sentence where the next one starts that is no mark."""
    found: list[int | None] = []
    behind: int | None = None
    for sentence in reversed(sentences):
        found.append(behind)
        behind = behind if LIST_MARK.match(sentence.text) else sentence.start
    return found[::-1]


def _alone(text: str) -> str:
    """A sentence without the one before it: its connective cut; empty where it speaks of what is gone."""
    before, core, behind = wrapped(text)
    rest = unconnected(core)
    return "" if not rest or anaphoric(rest) or dependent(rest) else before + rest + behind


def _goes_on(text: str) -> bool:
    return text.endswith(";")


def _ended(text: str) -> str:
    """A clause that was to be followed by another, ended."""
    return text.rstrip("; \u00a0\u202f") + "."
