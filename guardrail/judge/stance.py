"""What a claim does to a rule: lifts its limits, disclaims it, says that a thing can't be had.

It must never tell whether it may.
"""

from __future__ import annotations

import msgspec

from guardrail.judge.lexicon.stance import DISCLAIMERS, UNAVAILABLE, WAIVERS
from guardrail.judge.pattern.phrases import PhraseIndex
from guardrail.judge.speech import flat, worded
from guardrail.judge.text import cached_if_short

_FIELDS = (DISCLAIMERS, UNAVAILABLE, *((waiver,) for waiver in WAIVERS))
_STANCES = PhraseIndex([[worded(text) for text in field] for field in _FIELDS])
_DISCLAIMER, _UNAVAILABLE, _FIRST_WAIVER = 0, 1, 2


class Stance(msgspec.Struct, frozen=True):
    """What a text does to a rule."""

    waivers: frozenset[int]
    """Which phrases lift a limit."""
    disclaims: bool
    unavailable: bool


_NONE = Stance(frozenset(), disclaims=False, unavailable=False)


@cached_if_short
def stance_of(text: str) -> Stance:
    """The stance of a text. Linear in its length."""
    found = _STANCES.found_in(f" {flat(text)} ")
    if not found:
        return _NONE
    waivers = frozenset(number - _FIRST_WAIVER for number in found if number >= _FIRST_WAIVER)
    return Stance(waivers, _DISCLAIMER in found, _UNAVAILABLE in found)
