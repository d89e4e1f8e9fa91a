"""What a user's message asks to be done, and to what: an action and its things, by their kin in en, fr and es.

It must never guess: a message that asks for two things, that supposes, denies or tells of the past asks for nothing
here, and neither does a long one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product

import msgspec

from guardrail.judge.content import DAY_NUMBERS
from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.lexicon import requests as lexicon
from guardrail.judge.model import Intent
from guardrail.judge.speech import FILLERS, NEGATIONS, NUMBER_WORDS, STOP_WORDS, flat
from guardrail.judge.text import cached_if_short, composed, stem

REQUEST_WORDS_MAX = 40
"""A longer message tells a story; which of its verbs is the request can't be told from words."""
_GAP_MAX = 4
"""How many words may stand inside a phrase that takes its object in its middle: call my appointment off."""
_REACH = 3
"""How far before an action a negation still rules it."""
_STEM_CHARS = 4
"""A shorter stem is found only in words that share it: `pay` isn't in `payroll`."""
_NEAR = 2
"""How far before a thing the word stands that says that somebody has it; how many words may describe it."""
_BREAK = ","
_CLAUSE = re.compile(r"[.,](?=\s|$)|[;:!?()¿¡–—\n]+")
_TOLD = re.compile(r"(?<=\w{4})(?:é|ée|és|ées|ó)\b", re.IGNORECASE)
"""Ends of French and Spanish forms that tell a deed; without their accents they would read as requests."""
_MONTHS = {word for lex in LEXICONS.values() for month in lex.months.split() for word in month.split("|")}
_IDLE = STOP_WORDS | FILLERS | lexicon.LIGHT | _MONTHS | DAY_NUMBERS.keys() | NUMBER_WORDS.keys()
"""Words that add nothing to what is asked for."""


class Request(msgspec.Struct, frozen=True):
    """What a message asks for. `actions` is empty where it asks for nothing, or for more than one thing."""

    actions: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    """Kin of the things that it names, and the stems of all other words."""
    objects: frozenset[str] = frozenset()
    """Kin of what the actions stand right before."""
    mentioned: frozenset[str] = frozenset()
    """The actions that it speaks of, asked for or not."""
    left: frozenset[str] = frozenset()
    """Stems of the words that are neither action, thing nor idle."""
    aside: bool = False
    """Whether such a word stands in a clause that asks for nothing."""


class Named(msgspec.Struct, frozen=True):
    """What an intent's name says: the actions it may stand for, none where it says none, and their things."""

    intent: Intent
    actions: frozenset[str]
    things: frozenset[str]


class _Span(msgspec.Struct, frozen=True):
    """A phrase found: the places of its words, and the groups that it belongs to."""

    places: tuple[int, ...]
    groups: frozenset[str]


_Phrase = tuple[tuple[str, ...], int, str]
"""Its words, how many of them are its own, its group."""
_Index = dict[str, list[_Phrase]]
"""First word -> the phrases that begin with it."""


def _written_out(notation: str) -> Iterator[tuple[str, ...]]:
    """The word sequences that a phrase stands for."""
    pieces = [[form for word in piece.lstrip("?").split("|") for form in _forms(word)] for piece in notation.split()]
    optional = ([""] if piece[0] == "?" else [] for piece in notation.split())
    chosen = product(*(none + forms for none, forms in zip(optional, pieces, strict=True)))
    return (tuple(word for word in words if word) for words in chosen)


def _forms(word: str) -> list[str]:
    stem_of, plus, ending = word.partition("+")
    return [stem_of + form for form in lexicon.ENDINGS[plus + ending].split()] if plus else [word]


def _index(groups: Iterable[tuple[str, tuple[str, ...]]]) -> _Index:
    index: _Index = {}
    for group, notations in groups:
        for words in (words for notation in notations for words in _written_out(notation)):
            own = words.index(">") if ">" in words else len(words)
            bare = tuple(word for word in words if word != ">")
            index.setdefault(bare[0].lstrip("^"), []).append((bare, own, group))
    return index


_ACTIONS = _index(lexicon.ACTIONS)
_WANTS = _index([("want", lexicon.WANTS)])
_TIMES = _index([("move", lexicon.OTHER_TIMES)])
_KIN = _index((*lexicon.KIN, ("appointment", lexicon.OTHER_TIMES)))


def _telling() -> dict[str, frozenset[str]]:
    """Stem -> the actions of which a word with it tells, in any form: stems of phrases with one word of content."""
    found: dict[str, set[str]] = {}
    for words, own, name in (phrase for phrases in _ACTIONS.values() for phrase in phrases):
        content = [word.lstrip("^") for word in words[:own] if word not in STOP_WORDS]
        if len(content) == 1:
            found.setdefault(stem(content[0]), set()).add(name)
    for name, told in lexicon.TOLD.items():
        for word in told.split():
            found.setdefault(stem(word), set()).add(name)
    return {cut: frozenset(names) for cut, names in found.items()}


_TELLING = _telling()
_WISHED = frozenset(lexicon.WISHED)
_WISHED_FIRST = frozenset({"book", "order"})
"""What a wish in an intent's name stands for before all."""
_WHOSE = lexicon.OWN | lexicon.HELD
_SPARED = NEGATIONS | lexicon.SPARING
_LEADING = lexicon.ARTICLES | NUMBER_WORDS.keys()
_NEVER_BETWEEN = _IDLE | _ACTIONS.keys() | {_BREAK}
_NOTHING: frozenset[str] = frozenset()


@cached_if_short
def read_request(text: str) -> Request:
    """What a message asks for. Linear in its length."""
    words = _words(text)
    if len(words) > REQUEST_WORDS_MAX:
        return Request()
    read = _read(words)
    wishes = read.wishes or ([] if read.deeds else list(_bare(text, words, read.things)))
    asked = [span for span in read.deeds if _is_asked(words, span) and _is_tied(words, span, read.things)]
    asked += [span for span in wishes if _is_asked(words, span)]
    asking = {place for span in asked for place in _clause(words, span.places[0])}
    objects = [thing for span in asked if (thing := _object(words, span, read.things)) is not None]
    spoken = {group for span in (*read.deeds, *read.nouns, *wishes) for group in span.groups}
    spoken |= {deed for span in read.things for group in span.groups for deed in lexicon.DEEDS.get(group, ())}
    stems = frozenset(stem(word) for word in read.rest.values() if word not in STOP_WORDS)
    left = {place: word for place, word in read.rest.items() if not _is_idle(word)}
    return Request(
        actions=frozenset.intersection(*(span.groups for span in asked)) if asked else frozenset(),
        things=stems.union(*(span.groups for span in read.things)),
        objects=_NOTHING.union(*(span.groups for span in objects)),
        mentioned=frozenset(spoken).union(*(_told(one) for one in stems)),
        left=frozenset(stem(word) for word in left.values()),
        aside=not left.keys() <= asking,
    )


def read_name(intent: Intent) -> Named:
    """What an intent's name says."""
    read = _read(_words(str(intent.name)))
    actions = {group for span in (*read.deeds, *read.wishes) for group in span.groups}
    kin = {group for span in read.things for group in span.groups}
    if "status" in kin and not actions:
        actions = {"view"}
    things = kin - {"status"} if "view" in actions else kin
    stems = {stem(word) for word in read.rest.values() if word not in STOP_WORDS}
    return Named(intent, frozenset(actions), frozenset(things | stems))


class _Reading(msgspec.Struct, frozen=True):
    """The phrases of a text. `nouns` are actions that stand as nouns; `rest` holds the words of no phrase."""

    deeds: list[_Span]
    nouns: list[_Span]
    things: list[_Span]
    wishes: list[_Span]
    rest: dict[int, str]


def _read(words: list[str]) -> _Reading:
    kin = list(_found(words, _KIN))
    acting = [span for span in _found(words, _ACTIONS) if not any(set(span.places) < set(k.places) for k in kin)]
    nouns = [span for span in acting if lexicon.NOUN_MARKS.intersection(_before(words, span.places[0], 1))]
    deeds = [span for span in acting if span not in nouns] + list(_aided(words, kin))
    things = [span for span in kin if not _within(span, deeds)]
    wishes = [span for span in _wishes(words, things, nouns) if not any(_gainsays(deed, span) for deed in deeds)]
    covered = {place for span in (*deeds, *things, *wishes) for place in span.places}
    rest = {place: word for place, word in enumerate(words) if place not in covered and word != _BREAK}
    return _Reading(deeds, nouns, things, wishes, rest)


def _aided(words: list[str], kin: list[_Span]) -> Iterator[_Span]:
    """English forms in -ing that ask: help with cancelling, or "cancelling my order" at the start."""
    named = {place for span in kin for place in span.places}
    opens = any(span.places[0] <= _NEAR for span in kin)
    for place, word in enumerate(words):
        if word.endswith("ing") and place not in named:
            groups = _TELLING.get(stem(word), _NOTHING)
            if groups and (opens if place == 0 else lexicon.AIDING.intersection(_before(words, place, _REACH))):
                yield _Span((place,), groups)


def _gainsays(deed: _Span, wish: _Span) -> bool:
    """Whether words that could wish for a thing do something else: passer à un autre forfait."""
    return bool(set(deed.places) & set(wish.places)) and not deed.groups & wish.groups


def _is_idle(word: str) -> bool:
    return word in _IDLE or word.removesuffix("d") in _IDLE or word[0].isdigit()  # desoled: see _TOLD


def _told(cut: str) -> frozenset[str]:
    """The actions that a stem tells of: its own, and those of the shorter stems that begin it: cancellation."""
    ends = range(_STEM_CHARS, len(cut))
    return _TELLING.get(cut, _NOTHING).union(*(_TELLING.get(cut[:end], _NOTHING) for end in ends))


def the_named(request: Request, catalogue: Sequence[Named]) -> Named | None:
    """The one intent whose action the message asks for, on all its things; null for none or several."""
    found = _offered(request.actions, request, catalogue)
    if not found:
        instead = frozenset(lexicon.STANDS_IN[name] for name in request.actions if name in lexicon.STANDS_IN)
        found = _offered(instead, request, catalogue)
    return found[0] if len(found) == 1 else None


def _offered(actions: frozenset[str], request: Request, catalogue: Sequence[Named]) -> list[Named]:
    """The intents of these actions whose things the message names, its action's object among them."""
    able = (one for one in catalogue if one.actions & actions and one.things and one.things <= request.things)
    return [one for one in able if not request.objects or request.objects & one.things]


def speaks_against(request: Request, named: Named, detected: Named) -> bool:
    """Whether a message that names one intent leaves no room for the detected one.

    It doesn't speak of that one's action, of one that is close to it, nor of its things; or it asks for the same of
    another thing.
    """
    if not detected.actions or detected.actions & named.actions:
        return not detected.things & request.things
    if (detected.things - named.things) & request.things:
        return False
    own = _WISHED_FIRST if detected.actions >= _WISHED else detected.actions
    close = any(pair & own and pair & request.actions for pair in lexicon.CLOSE)
    return not close and not detected.actions & request.mentioned


def only_told(request: Request, named: Named) -> bool:
    """Whether a message has an intent's words without asking for its action: has my order been cancelled?"""
    return bool(named.actions) and not named.actions & request.actions


def _words(text: str) -> list[str]:
    """The words of a message, with a mark between clauses."""
    marked = _TOLD.sub("ed", composed(text))
    return f" {_BREAK} ".join(line for part in _CLAUSE.split(marked) if (line := flat(part))).split()


def _found(words: list[str], index: _Index) -> Iterator[_Span]:
    """The longest phrases, from left to right, none sharing a word with one before it."""
    taken: set[int] = set()
    for start, word in enumerate(words):
        if start in taken:
            continue
        found = [
            (places, group)
            for phrase, own, group in index.get(word, ())
            if (places := _match(words, start, phrase, own))
        ]
        if found:
            most = max(len(places) for places, _ in found)
            longest = next(places for places, _ in found if len(places) == most)
            taken.update(longest)
            yield _Span(longest, frozenset(group for places, group in found if len(places) == most))


def _match(words: list[str], start: int, phrase: tuple[str, ...], own: int) -> tuple[int, ...]:
    """The places of a phrase's own words, when it stands here; else nothing."""
    if phrase[0][0] == "^" and start and words[start - 1] != _BREAK:
        return ()
    places, place = [start], start + 1
    for wanted, after in pairwise((*phrase[1:], "")):
        if wanted == "**":
            place = _skip(words, place, after)
        elif words[place : place + 1] == [wanted]:
            places.append(place)
            place += 1
        else:
            return ()
    return tuple(places[:own])


def _skip(words: list[str], place: int, wanted: str) -> int:
    """Where a word stands behind a gap, as far as one may be; else where the gap begins."""
    near = words[place : place + _GAP_MAX + 1]
    clause = near[: near.index(_BREAK)] if _BREAK in near else near
    return place + clause.index(wanted) if wanted in clause else place


def _within(span: _Span, others: Iterable[_Span]) -> bool:
    """Whether a phrase is nothing but words of another."""
    return any(set(span.places) <= set(other.places) for other in others)


def _before(words: list[str], place: int, count: int = REQUEST_WORDS_MAX) -> list[str]:
    """So many words before a place, as far as the clause goes."""
    near = words[max(0, place - count) : place]
    return near[len(near) - near[::-1].index(_BREAK) :] if _BREAK in near else near


def _behind(words: list[str], place: int) -> list[str]:
    """The words from a place on, as far as the clause goes."""
    rest = words[place:]
    return rest[: rest.index(_BREAK)] if _BREAK in rest else rest


def _clause(words: list[str], place: int) -> range:
    """The places of the clause around a place."""
    return range(place - len(_before(words, place)), place + len(_behind(words, place)))


def _is_asked(words: list[str], span: _Span) -> bool:
    """Whether nothing before an action, or around it in its clause, denies it, supposes it or puts it in the past."""
    start = span.places[0]
    before = _before(words, start)
    if lexicon.SUPPOSING.intersection([*before, *_behind(words, start + 1)]):
        return False
    if _SPARED.intersection(before[-_REACH:]):
        return False
    return not (words[start].endswith("e") and lexicon.PERFECT.intersection(before[-1:]))


def _object(words: list[str], span: _Span, things: list[_Span]) -> _Span | None:
    """The first thing behind an action's first word, as far as its clause goes."""
    end = span.places[0] + 1 + len(_behind(words, span.places[0] + 1))
    return next((thing for thing in things if span.places[0] < thing.places[0] < end), None)


def _is_tied(words: list[str], span: _Span, things: list[_Span]) -> bool:
    """Whether an action is done to the thing behind it, if there is one; a mere look, to one that the user has."""
    thing = _object(words, span, things)
    between = words[span.places[-1] + 1 : thing.places[0]] if thing else []
    if lexicon.UNTIED.intersection(between) or _of_another(between):
        return False
    return span.groups != {"view"} or any(_is_held(words, one) for one in ([thing] if thing else things))


def _of_another(between: list[str]) -> bool:
    """Whether an action is done to a part of a thing: "remove the cot from my booking"."""
    places = [place for place, word in enumerate(between) if word in lexicon.PARTING]
    return bool(places) and any(not _is_idle(word) and word not in lexicon.PARTING for word in between[: places[-1]])


def _is_held(words: list[str], thing: _Span) -> bool:
    """Whether somebody has a thing already: "see my bill", not "see a doctor"."""
    numbered = any(word[0].isdigit() for word in _behind(words, thing.places[-1] + 1)[:1])
    whose = _WHOSE.intersection(_before(words, thing.places[0], _NEAR))
    return numbered or bool(whose or lexicon.HAD & thing.groups)


def _wishes(words: list[str], things: list[_Span], nouns: list[_Span]) -> Iterator[_Span]:
    """Wishes for a thing that nobody has yet, or for another time; beside what one has already, it may be a change."""
    times = {span.places[0] for span in _found(words, _TIMES)}
    for want in _found(words, _WANTS):
        place = want.places[-1] + 1
        while words[place : place + 1] and (words[place] in _LEADING or words[place].isdigit()):
            place += 1
        thing = next((one for one in things if 0 <= one.places[0] - place <= _NEAR), None)
        if place in times or (words[place : place + 1] and words[place] in DAY_NUMBERS):
            yield _Span(want.places, frozenset({"move"}))
        elif thing and _describe(words[place : thing.places[0]]) and _ends(words, thing):
            added = any(_is_held(words, one) for one in (*things, *nouns) if one is not thing)
            anew = added or lexicon.REPLACING.intersection(_behind(words, want.places[0]))
            replaced = lexicon.REPLACED if anew else ()
            yield _Span(want.places, _WISHED.union(replaced))


def _describe(between: list[str]) -> bool:
    """Whether words may stand between an article and its noun: a doctor's appointment."""
    plain = (word for word in between if word != "s" and word not in lexicon.REPLACING)
    return not any(word in _NEVER_BETWEEN or word.endswith("ing") for word in plain)


def _ends(words: list[str], thing: _Span) -> bool:
    """Whether a noun is the last of its kind: "a flight for Monday", not "a flight change"."""
    behind = _behind(words, thing.places[-1] + 1)
    return not behind or _is_idle(behind[0])


def _bare(text: str, words: list[str], things: list[_Span]) -> Iterator[_Span]:
    """A thing alone that is begged for: "a table for two, please"."""
    begged = lexicon.BEGGING.intersection(words) and "?" not in text
    opening = next((one for one in things if _LEADING.issuperset(words[: one.places[0]])), None)
    if begged and opening and lexicon.PURPOSE.intersection(words[opening.places[-1] + 1 :][:1]):
        yield _Span(opening.places, _WISHED)
