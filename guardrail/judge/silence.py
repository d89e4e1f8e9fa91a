"""Whether a sentence asserts anything that evidence could bear out: questions, thanks, hand-overs assert nothing.

It must never call a sentence silent that promises, reports a deed, gives a figure of its own, or says that nothing is
known.
"""

from __future__ import annotations

from guardrail.judge.figures import Figure
from guardrail.judge.ground import Ground
from guardrail.judge.lexicon.conversation import CONVERSATION, HAND_OVERS
from guardrail.judge.lexicon.words import word_set
from guardrail.judge.reading import Reading, read_text
from guardrail.judge.speech import Sentence
from guardrail.judge.stance import stance_of
from guardrail.judge.text import composed

_TOUCH = 1
"""So many words of the evidence may stand in a refusal, a request or an offer that asserts nothing of it."""
_STRANGE = 2
"""So many words that are neither of the talk nor of the user may stand there."""
_STRANGE_OF_MINE = 5
"""... where the speaker refuses for itself: "I can't give medical advice" says nothing of what the service does."""
_OWN = word_set("i je j puedo podria sabria")
_TALK_FOR_A_TOUCH = 3
"""So many words of the talk outweigh one that the evidence happens to have too."""
_TERMS = 0.5
"""Where evidence reads as terms, one word of the talk for each strange one will do; in prose anything may be a fact."""
_SMALL = 2.0
"""Counts up to this one are said of anything: "the two of you"."""
_MOMENT_MINUTES = 10.0
"""A talk may ask for so long a moment; a longer time is a fact."""


def silent(sentence: Sentence, ground: Ground, known: frozenset[str]) -> bool:
    """Whether a sentence asserts nothing. `known`: the keys of what was said so far."""
    reading = read_text(composed(sentence.text))
    if sentence.acts:
        return _hands_over(reading)
    civil = sentence.courtesy and not sentence.affirmation
    if not reading.content or _talks(reading, ground, known, civil=civil):
        return True
    if _gives_figures(reading, known) or stance_of(sentence.text).disclaims:
        return False
    if sentence.question:
        return True
    passive = sentence.request or sentence.refusal or sentence.limit or sentence.offer or sentence.invitation
    strange = sum(unit.key not in CONVERSATION and unit.key not in known for unit in reading.content)
    touches = len(_touches(reading, ground, known))
    room = _STRANGE_OF_MINE if sentence.refusal and not _OWN.isdisjoint(sentence.flat.split()) else _STRANGE
    return passive and not sentence.affirmation and strange <= room and touches <= _TOUCH


def _hands_over(reading: Reading) -> bool:
    """Whether a deed or promise is to hand the talk over, and nothing beside it."""
    return not HAND_OVERS.isdisjoint(reading.keys) and all(unit.key in CONVERSATION for unit in reading.content)


def _talks(reading: Reading, ground: Ground, known: frozenset[str], *, civil: bool) -> bool:
    """Whether a sentence is about the talk itself: no word of it is the evidence's alone, most are of the talk."""
    if any(_is_fact(unit.figure, unit.keys, ground, known) for unit in reading.content if unit.figure is not None):
        return False
    words = [unit for unit in reading.content if unit.figure is None]
    talk = sum(unit.key in CONVERSATION for unit in words) + civil
    strange = sum(unit.key not in CONVERSATION for unit in words)
    touches = len(_touches(reading, ground, known))
    about_the_talk = 0 < talk >= strange if ground.terms > _TERMS else talk > strange
    return about_the_talk and touches <= talk // _TALK_FOR_A_TOUCH


def _is_fact(figure: Figure, keys: tuple[str, ...], ground: Ground, known: frozenset[str]) -> bool:
    """Whether a figure is more than a talk would have."""
    if not known.isdisjoint(keys):
        return False
    if figure.kind == "duration":
        return figure.value > _MOMENT_MINUTES or not ground.keys.isdisjoint(keys)
    return figure.kind != "count" or figure.value > _SMALL


def _gives_figures(reading: Reading, known: frozenset[str]) -> bool:
    return any(
        unit.figure is not None
        and known.isdisjoint(unit.keys)
        and not (unit.figure.kind == "count" and unit.figure.value <= _SMALL)
        for unit in reading.content
    )


def _touches(reading: Reading, ground: Ground, known: frozenset[str]) -> frozenset[str]:
    """The words that the sentence has from the evidence alone."""
    return frozenset(
        unit.key
        for unit in reading.content
        if unit.figure is None and unit.key in ground.keys and unit.key not in known and unit.key not in CONVERSATION
    )
