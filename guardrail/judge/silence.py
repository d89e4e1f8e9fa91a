"""Whether a sentence asserts anything that evidence could bear out: questions, thanks, hand-overs assert nothing.

It must never call a sentence silent that reports a deed, promises more than a hand-over, gives a figure of its own, or
says that nothing is known. A sentence is silent when each of its clauses is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from guardrail.judge.ground import Ground
from guardrail.judge.lexicon import talk
from guardrail.judge.lexicon.conversation import CONVERSATION
from guardrail.judge.lexicon.words import word_set
from guardrail.judge.pattern.phrases import PhraseIndex
from guardrail.judge.reading import Reading, Unit, read_text
from guardrail.judge.speech import NEGATIONS, Sentence, flat, read_answer, worded
from guardrail.judge.stance import stance_of
from guardrail.judge.text import composed, stem

_TOUCH = 1
"""So many words of the evidence may stand in a request or an offer that asserts nothing of it."""
_STRANGE = 2
"""So many words that are neither of the talk nor of the user may stand there."""
_STRANGE_OF_MINE = 5
"""... where the speaker refuses for itself: "I can't give medical advice" says nothing of what the service does."""
_OWN = word_set("i je j puedo podria sabria")
_NAMED = 4
"""So many may stand in a clause with a phrase of the talk: "sorry that your dress is ruined"."""
_HALF = 0.5
_ECHO = 3
"""So many words of content may stand in a clause that only says again what it is about."""
_TERMS = 0.5
"""Where evidence reads as terms, words of the talk say nothing of it; in prose an opinion may be a claim too."""
_TALK_FOR_A_TOUCH = 3
"""So many words of the talk outweigh one that the evidence happens to have too."""
_SMALL = 2.0
"""Counts up to this one are said of anything: "the two of you"."""
_MOMENT_MINUTES = 10.0
"""A talk may ask for so long a moment; a longer time is a fact."""
_DAY_MINUTES = 1440.0
_PART_END = re.compile(
    r"[;()–—…!?]|[:,](?![0-9])|\b(?:and|but|so|who|which|that|et|mais|qui|que|y|pero)\b", re.IGNORECASE
)
"""Where one deed may end and another begin."""
_RECIPIENT = re.compile(r"\b(?:to|with|à|au|aux|avec|con|al?)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[;()–—…!?]|[:,](?![0-9])|\b(?:but|mais|pero)\b", re.IGNORECASE)

_GROUPS = (
    talk.WISHES,
    talk.RESTATING,
    talk.REQUESTS,
    talk.HAND_OVERS,
    talk.CONTACTS,
    talk.FEELINGS,
    talk.THANKS,
    talk.LOOKING,
    talk.PUZZLED,
    talk.SCOPE,
    talk.GREETINGS,
    talk.ACKNOWLEDGEMENTS,
)
_TALK = PhraseIndex([[worded(text) for text in group] for group in _GROUPS])
_HAND_OVER = _GROUPS.index(talk.HAND_OVERS)
_SCOPE = _GROUPS.index(talk.SCOPE)
_PARTICLES = frozenset(stem(word) for word in talk.PARTICLES)
_PUZZLE = _GROUPS.index(talk.PUZZLED)
_WISH = _GROUPS.index(talk.WISHES)
_RESTATES = _GROUPS.index(talk.RESTATING)
_OF_THE_USER = frozenset({_RESTATES, _WISH, _GROUPS.index(talk.FEELINGS)})
_NAMING = frozenset({_WISH, _SCOPE})
_CIVIL = frozenset({_GROUPS.index(talk.FEELINGS), _GROUPS.index(talk.THANKS), _GROUPS.index(talk.GREETINGS)})


def silent(sentence: Sentence, ground: Ground, known: frozenset[str]) -> bool:
    """Whether a sentence asserts nothing. `known`: the keys of what was said so far."""
    text = composed(sentence.text)
    reading = read_text(text)
    facts = [unit for unit in reading.content if _is_fact(unit, ground, known)]
    if not all(map(_is_phrase, facts)):
        return False
    if not reading.content:
        return not sentence.acts
    if sentence.question and not (facts or sentence.acts or stance_of(sentence.text).disclaims):
        return True
    clauses = list(_clauses(text, reading, _CLAUSE_END))
    if facts and any(clause.gives_facts(ground, known) for clause in clauses):
        return False
    if sentence.done or sentence.promise:
        return _hands_over(text, reading, ground, known)
    if sentence.record and not any(_OF_THE_USER & clause.groups for clause in clauses):
        return False
    if stance_of(sentence.text).disclaims and not any(_PUZZLE in clause.groups for clause in clauses):
        return False
    return (
        sentence.question
        or _asks(sentence, clauses, ground, known)
        or _all_idle(clauses, ground, known, room=text.endswith("!"))
    )


class _Clause:
    """A clause of a sentence: its words, its units of content, and the groups of phrases that it holds."""

    def __init__(self, text: str, start: int, units: Sequence[Unit]) -> None:
        line = flat(text)
        self.text = text
        self.start = start
        self.units = units
        self.words = frozenset(line.split())
        found = _TALK.found_in(f" {line} ")
        supposed = line.partition(" ")[0] in talk.CONDITIONS
        barred = ({_WISH} if supposed else set()) | (set() if self._to_someone() else {_HAND_OVER})
        self.groups = found - barred

    def gives_facts(self, ground: Ground, known: frozenset[str]) -> bool:
        """Whether it gives a figure that is more than a talk would have: "a thousand thanks" and "a nice day" don't."""
        civil = not _CIVIL.isdisjoint(self.groups)
        return any(_is_fact(unit, ground, known) and not (civil and _is_phrase(unit)) for unit in self.units)

    def _to_someone(self) -> bool:
        """Whether what isn't of the talk stands behind a "to" or "with": who it is handed to, not what is."""
        strange = [unit.start for unit in self.units if unit.key not in CONVERSATION and unit.key not in _PARTICLES]
        recipient = _RECIPIENT.search(self.text)
        behind = len(self.text) if recipient is None else recipient.start()
        return len(strange) <= _STRANGE and all(place > self.start + behind for place in strange)

    @property
    def hands_over(self) -> bool:
        """Whether it hands the talk over, without a word on when."""
        return _HAND_OVER in self.groups and self.words.isdisjoint(talk.WHEN)

    @property
    def acts(self) -> bool:
        """Whether it promises or reports a deed by itself."""
        return any(one.acts for one in read_answer(self.text))

    @property
    def declines(self) -> bool:
        """Whether the speaker says what it doesn't do itself."""
        return not (self.words.isdisjoint(_OWN) or self.words.isdisjoint(NEGATIONS))

    @property
    def asserts(self) -> bool:
        """Whether it has a verb or a limit by which it could assert something of its own."""
        return not (self.words.isdisjoint(talk.ASSERTING) and self.words.isdisjoint(NEGATIONS))


def _hands_over(text: str, reading: Reading, ground: Ground, known: frozenset[str]) -> bool:
    """Whether a sentence that promises or reports a deed does nothing but hand the talk over, here and now."""
    parts = list(_clauses(text, reading, _PART_END))
    handing = [part for part in parts if part.hands_over]
    others = [part for part in parts if not part.hands_over]
    return bool(handing) and all(_idle(part, ground, known) and not part.acts for part in others)


def _clauses(text: str, reading: Reading, ends: re.Pattern[str]) -> Iterator[_Clause]:
    """The clauses of a sentence."""
    places = [unit.start for unit in reading.content]
    start = 0
    for end in [*(match.start() for match in ends.finditer(text)), len(text)]:
        part = text[start:end]
        if part.strip():
            units = reading.content[bisect_left(places, start) : bisect_left(places, end)]
            yield _Clause(part, start, units)
        start = end


def _all_idle(clauses: Sequence[_Clause], ground: Ground, known: frozenset[str], *, room: int) -> bool:
    """Whether each clause is about the talk, or names what one about the talk is said of.

    `room`: how many words of the evidence alone such a name may have; an exclamation may have one.
    """
    phrased = any(clause.groups for clause in clauses)
    if phrased and any(_RESTATES in clause.groups for clause in clauses):
        return not any(_states(clause, ground, known) for clause in clauses)
    if _about_talk([unit for clause in clauses for unit in clause.units], ground, known, least=1):
        return True
    return all(
        _idle(clause, ground, known) or (phrased and _names(clause) and _touches(clause.units, ground, known) <= room)
        for clause in clauses
    )


def _idle(clause: _Clause, ground: Ground, known: frozenset[str]) -> bool:
    """Whether a clause is about the talk. A phrase of the talk absolves no rule that the clause goes on to state."""
    if clause.units and (not clause.groups or _states(clause, ground, known)):
        return _about_talk(clause.units, ground, known, least=1 if clause.asserts else 0)
    return not (clause.groups == {_SCOPE} and clause.declines and _touches(clause.units, ground, known) > _TOUCH)


def _states(clause: _Clause, ground: Ground, known: frozenset[str]) -> bool:
    """Whether a clause goes on to state something: with a verb of its own and a word of the evidence, or at length.

    What the user wishes, and what the speaker deals with, may be named at length.
    """
    if not clause.groups.isdisjoint(_NAMING):
        return False
    strange = sum(unit.key not in CONVERSATION and unit.key not in known for unit in clause.units)
    return _weight(clause.units, ground) > (_HALF if clause.asserts else _TOUCH) or strange > _NAMED


def _weight(units: Sequence[Unit], ground: Ground) -> float:
    """How much of the evidence is in a clause, in words; those of the talk count half."""
    words = {unit.key for unit in units if unit.key in ground.keys}
    return sum(_HALF if key in CONVERSATION else 1.0 for key in words)


def _about_talk(units: Sequence[Unit], ground: Ground, known: frozenset[str], *, least: int) -> bool:
    """Whether more words, by `least`, are of the talk than not, and hardly one is the evidence's alone."""
    if ground.terms <= _TERMS:
        return False
    about = sum(unit.key in CONVERSATION for unit in units)
    return 0 < about >= len(units) - about + least and _touches(units, ground, known) <= about // _TALK_FOR_A_TOUCH


def _names(clause: _Clause) -> bool:
    """Whether a clause only names something: "How exciting, a holiday!"."""
    return not clause.asserts and len(clause.units) <= _ECHO


def _asks(sentence: Sentence, clauses: Sequence[_Clause], ground: Ground, known: frozenset[str]) -> bool:
    """Whether a sentence asks the user for something, offers to go on, or says what the speaker itself can't do."""
    asks = sentence.request or sentence.offer or sentence.invitation
    declines = ground.terms > _TERMS and sentence.refusal and any(clause.declines for clause in clauses)
    if sentence.affirmation or not (asks or declines):
        return False
    units = [unit for clause in clauses for unit in clause.units]
    strange = sum(unit.key not in CONVERSATION and unit.key not in known for unit in units)
    room = _STRANGE_OF_MINE if declines else _STRANGE
    return strange <= room and _touches(units, ground, known) <= _TOUCH


def _is_fact(unit: Unit, ground: Ground, known: frozenset[str]) -> bool:
    """Whether a unit is a figure, and more than a talk would have."""
    figure = unit.figure
    if figure is None or not known.isdisjoint(unit.keys):
        return False
    if figure.kind == "duration":
        return figure.value > _MOMENT_MINUTES or not ground.keys.isdisjoint(unit.keys)
    return figure.kind != "count" or figure.value > _SMALL


def _is_phrase(unit: Unit) -> bool:
    """Whether a figure may be one of speech: a thousand thanks, a day."""
    figure = unit.figure
    return figure is not None and (figure.kind, figure.value) in {("count", 1000.0), ("duration", _DAY_MINUTES)}


def _touches(units: Sequence[Unit], ground: Ground, known: frozenset[str]) -> int:
    """How many different words stand there that are the evidence's alone."""
    return len(
        {
            unit.key
            for unit in units
            if unit.figure is None
            and unit.key in ground.keys
            and unit.key not in known
            and unit.key not in CONVERSATION
        }
    )
