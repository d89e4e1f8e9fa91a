"""What a dropped sentence leaves behind: connectives, pronouns and list marks that hung on it.

It must never touch a sentence whose neighbour stands. Source: GROUNDING §4, step 3, and its fluent joins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from guardrail.judge.joins import LIST_MARK, anaphoric, unconnected
from guardrail.judge.speech import Sentence


def orphans(sentences: Sequence[Sentence], dropped: Set[int]) -> Iterator[tuple[Sentence, str]]:
    """The sentences that can't stay as they are where those that start at `dropped` go, with what they become.

    A connective goes, a sentence that speaks of the dropped one goes with it, and a list is numbered anew.
    """
    gone, number = False, 0
    for place, sentence in enumerate(sentences):
        mark = LIST_MARK.match(sentence.text)
        if mark is not None:
            behind = next((one for one in sentences[place + 1 :] if not LIST_MARK.match(one.text)), None)
            if behind is not None and behind.start in dropped:
                yield sentence, ""
                continue
            number = number + 1 if mark[1] != "1" else 1
            if mark[1] and number and int(mark[1]) > number and _shortened(sentences[:place], dropped):
                yield sentence, f"{number}{mark[2]}"
            continue
        if sentence.start in dropped:
            gone = True
            continue
        new = _alone(sentence.text) if gone else sentence.text
        gone = gone and not new
        if new != sentence.text:
            yield sentence, new


def _alone(text: str) -> str:
    """A sentence without the one before it: its connective cut; empty where it speaks of what is gone."""
    rest = unconnected(text)
    return "" if not rest or anaphoric(rest) else rest


def _shortened(before: Sequence[Sentence], dropped: Set[int]) -> bool:
    """Whether an item of the list went."""
    return any(LIST_MARK.match(mark.text) and item.start in dropped for mark, item in pairwise(before))
