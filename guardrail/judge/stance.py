"""What a claim does to a rule: lifts its limits, disclaims it, says that a thing can't be had.

It must never tell whether it may.
"""

from __future__ import annotations

import msgspec

from guardrail.judge.lexicon.stance import DISCLAIMERS, UNAVAILABLE, WAIVERS
from guardrail.judge.pattern.phrases import PhraseIndex
from guardrail.judge.speech import flat, worded
from guardrail.judge.text import cached_if_short

_WAIVERS = PhraseIndex([[worded(text)] for text in WAIVERS])
_STANCES = PhraseIndex([[worded(text) for text in field] for field in (DISCLAIMERS, UNAVAILABLE)])


class Stance(msgspec.Struct, frozen=True):
    """What a text does to a rule."""

    waivers: frozenset[int]
    """Which phrases lift a limit."""
    disclaims: bool
    unavailable: bool


@cached_if_short
def stance_of(text: str) -> Stance:
    """The stance of a text. Linear in its length."""
    line = f" {flat(text)} "
    found = _STANCES.found_in(line)
    return Stance(_WAIVERS.found_in(line), 0 in found, 1 in found)
