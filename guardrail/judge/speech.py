"""What a sentence does: asks, refuses, promises, claims a deed... in en, fr and es.

It must never decide what follows from it.

Sentences are flattened (plain, contractions written out, single blanks) and held against phrases of all lexicons at
once: an answer in the wrong language is judged all the same.
"""

from __future__ import annotations

import re

import msgspec

from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.lexicon.words import word_set
from guardrail.judge.pattern.phrases import PhraseIndex, PhraseSet, Worded
from guardrail.judge.text import cached_if_short, fold, plain, sentences, spaced

_CONTRACTIONS = tuple(
    (sign, re.compile(pattern), full)
    for sign, pattern, full in (
        ("can", r"\bcan'?t\b", "can not"),
        ("cannot", r"\bcannot\b", "can not"),
        ("won", r"\bwon'?t\b(?!\s+[0-9])", "will not"),
        ("n't", r"n't\b", " not"),
        ("'ve", r"\b(i|we|you|they)'ve\b", r"\1 have"),
        ("'ll", r"'ll\b", " will"),
        ("'re", r"'re\b", " are"),
        ("i'm", r"\bi'm\b", "i am"),
        ("'s", r"\b(it|that|this|here|there|he|she|what)'s\b", r"\1 is"),
        ("let's", r"\blet's\b", "let us"),
    )
)
"""Patterns, each behind what stands in all that it finds."""


_YES = re.compile(r"\bsí\b|\bsi(?=,)", re.IGNORECASE)
"""Spanish yes, which without its accent would read as if."""
_SURE = "sii"
_BARE = re.compile(r"(?:cant|wont)\b")
"""Contractions that only another one's apostrophe shows to be some."""
_CLAUSE_END = re.compile(r"[,;:()–—]")


@cached_if_short
def written_out(text: str) -> str:
    """The sentence in plain text, English contractions written out; its marks stay."""
    if "," in text or not text.isascii():
        text = _YES.sub(_SURE, text)
    lowered = plain(text)
    if "'" in lowered or "cannot" in lowered:
        for sign, pattern, full in _CONTRACTIONS:
            if sign in lowered:
                lowered = pattern.sub(full, lowered)
    return lowered


@cached_if_short
def flat(text: str) -> str:
    """The sentence as single-spaced plain words, English contractions written out."""
    return flattened(written_out(text))


def flattened(written: str) -> str:
    """What `flat` gives of a sentence, or of a clause of it, that is written out."""
    return spaced(written) if written.isascii() else fold(written)


def flat_clauses(text: str) -> list[str]:
    """The clauses of a text, parted at its marks, each flat.

    Written out at once where that gives the same. Compatibility forms may hold marks; the comma behind a yes, signs
    beyond ASCII beside a grave accent, and an apostrophe in the text of a wont aren't every clause's own.
    """
    written = written_out(text)
    clauses, parts = _CLAUSE_END.split(text), _CLAUSE_END.split(written)
    if len(clauses) != len(parts) or f"{_SURE}," in written or "`" in text or _BARE.search(plain(text)):
        return [flat(clause) for clause in clauses]
    return [flattened(part) for part in parts]


def phrase(notation: str, done_words: str = "") -> str:
    """The regular expression of a lexicon phrase, to be searched in flat text with a blank before and behind."""
    start = "^ " if notation.startswith("^") else " "
    end = "$" if notation.endswith("$") else ""
    return start + "".join(_piece(word, done_words) for word in notation.strip("^$").split()) + end


def _piece(word: str, done_words: str) -> str:
    if word == "**":
        return "(?:[^ ]+ ){0,6}?"
    body = "|".join(
        "[^ ]+" if a == "*" else re.escape(a).replace(r"\~", "~").replace("~", "[^ ]*")
        for a in _alternatives(word, done_words)
    )
    return f"(?:(?:{body}) )?" if word.startswith("?") else f"(?:{body}) "


def _alternatives(word: str, done_words: str) -> list[str]:
    return done_words.split() if word.endswith("@done") else word.lstrip("?").split("|")


def worded(notation: str, done_words: str = "") -> Worded:
    """The regular expression of a lexicon phrase, with the pieces by which it is looked up, fewest sentences first."""
    pieces = [_alternatives(word, done_words) for word in notation.strip("^$").split() if not word.startswith("?")]
    filed = [frozenset(piece) for piece in pieces if all(map(_is_filed, piece))]
    return phrase(notation, done_words), tuple(sorted(filed, key=_commonness))


def _is_filed(word: str) -> bool:
    """Whether a word can be looked up, as it stands or by its beginning."""
    return "*" not in word and "~" not in word[:-1]


def _commonness(piece: frozenset[str]) -> tuple[bool, bool, int]:
    return any("~" in word for word in piece), not STOP_WORDS.isdisjoint(piece), len(piece)


def _phrases(field: str) -> list[str]:
    return [phrase(text, lex.done_words) for lex in LEXICONS.values() for text in getattr(lex, field)]


def _worded(field: str) -> list[Worded]:
    return [worded(text, lex.done_words) for lex in LEXICONS.values() for text in getattr(lex, field)]


def _words(field: str) -> frozenset[str]:
    return frozenset(word for lex in LEXICONS.values() for word in getattr(lex, field).split())


STOP_WORDS = _words("stop_words")
FILLERS = _words("fillers")
NEGATIONS = _words("negations")
NUMBER_WORDS: dict[str, int] = {word: value for lex in LEXICONS.values() for word, value in lex.numbers}
GENERIC_THINGS = _words("generic_things")

_STOP_SETS = {name: frozenset(lex.stop_words.split()) for name, lex in LEXICONS.items()}
_SPEAKER = _words("speaker")
_CONDITIONS = _words("conditions")
_ACTS = (
    "limits",
    "offers",
    "courtesy",
    "affirmations",
    "done",
    "promises",
    "records",
    "requests",
    "retries",
    "states",
    "invitations",
    "inner",
)
_PHRASES = PhraseIndex([_worded(field) for field in _ACTS])
_ABILITY = PhraseSet([_phrases("ability")])
_TAKEN_BACK = PhraseSet([_phrases("retractions")])
_DONE = re.compile("|".join(_phrases("done")))
_PROMISES = re.compile("|".join(_phrases("promises")))
_REQUESTS = re.compile("|".join(_phrases("requests")))
_RETRACTIONS = re.compile("|".join(_phrases("retractions")))
_BULLETS = "-*•–"
"""What a line of a list of offers begins with."""
_OPENING_WORDS = 1
_TAG_WORDS = 5
_OPENERS = word_set(
    "do does did is are was were will would shall should can could may might have has had what which who whom whose"
    " when where why how if est quel quelle quels quelles qui que quand ou comment pourquoi pouvez peut puis voulez"
    " souhaitez avez es cual cuales quien cuando donde como por puede quiere desea tiene"
)
"""Words that open a question."""
_NEAR_CHARS = 25
"""How far before a deed or promise a condition or a negation still rules it."""
_THING_CHARS = 200
"""How far the name of a thing asked for may reach."""
_THING_END = _words("thing_end")


_PROSE_CHARS = 2_000
_SUPPOSED = frozenset(
    {
        "if",
        "whether",
        "unless",
        "should",
        "anything",
        "something",
        "si",
        "quelque",
        "algo",
        "cas",
        "caso",
        "sauf",
        "salvo",
    }
)
"""Words that only suppose: "tell me if anything is wrong" takes nothing back."""
_RULING = _SUPPOSED | {"when", "quand", "cuando", "once", "lorsque"}
_ONLY = frozenset({"only", "just", "solo", "solamente", "unicamente", "seulement", "uniquement"})
_PLEASE = (" please", " s il vous plait", " svp", " por favor")
_EASY = re.compile(
    r" (?:no problem|not a problem|no worries|do not worry|pas de (?:souci|probleme|soucis)|ne vous inquietez pas"
    r"|sin problema|no hay problema|no se preocupe|de rien|de nada) "
)
"""Negations that deny nothing; every one holds a word of NEGATIONS."""


class Sentence(msgspec.Struct, frozen=True):
    """A sentence of an answer and what it does. `start` and `end` are character offsets into the answer."""

    start: int
    end: int
    text: str
    flat: str
    question: bool
    refusal: bool
    limit: bool
    offer: bool
    courtesy: bool
    affirmation: bool
    done: bool
    promise: bool
    record: bool
    request: bool
    retry: bool
    state: bool
    """Whether it tells how things stand with what is the user's own."""
    invitation: bool
    inner: bool
    """Whether the model speaks to itself of the user or of its rules."""
    denies: bool
    """Whether it negates anything at all, set phrases of courtesy aside."""

    @property
    def acts(self) -> bool:
        """Whether it binds someone: promises, reports a deed, cites the user's records."""
        return self.done or self.promise or self.record

    @property
    def mute(self) -> bool:
        """Whether its very form asserts nothing: a question, a refusal, a request."""
        return not self.acts and (self.question or self.refusal or self.request)

    @property
    def civil(self) -> bool:
        """Whether it offers, hands over or leaves the word to the user: it asserts little."""
        return not self.acts and (self.limit or self.offer or self.invitation)


def read_answer(answer: str) -> tuple[Sentence, ...]:
    """The sentences of an answer, in order."""
    read: list[Sentence] = []
    for start, end in sentences(answer):
        listed = answer[start] in _BULLETS and bool(read) and (read[-1].offer or read[-1].invitation)
        sentence = _sentence(start, end, answer[start:end])
        read.append(msgspec.structs.replace(sentence, invitation=True) if listed else sentence)
    return tuple(read)


def _sentence(start: int, end: int, text: str) -> Sentence:
    line = flat(text)
    padded = f" {line} "
    found = {_ACTS[group] for group in _PHRASES.found_in(padded)}
    tokens = set(line.split())
    negated = not NEGATIONS.isdisjoint(tokens)
    easy = _EASY.sub(" ", padded) if negated else padded
    question = "?" in text[-3:] or text.startswith("¿")
    asserted = not question or _tagged(text)
    return Sentence(
        start=start,
        end=end,
        text=text,
        flat=line,
        question=question,
        refusal=negated and not _SPEAKER.isdisjoint(tokens) and bool(_ABILITY.found_in(padded)),
        limit="limits" in found,
        offer="offers" in found,
        courtesy="courtesy" in found,
        affirmation="affirmations" in found,
        done="done" in found and asserted and _stands(_DONE, easy, _CONDITIONS | NEGATIONS),
        promise="promises" in found and asserted and _stands(_PROMISES, easy, NEGATIONS | _ONLY, behind=1),
        record="records" in found and asserted and not (tokens & _RULING),
        request="requests" in found or line.endswith(_PLEASE),
        retry="retries" in found,
        state="states" in found and not question and not (tokens & _CONDITIONS),
        invitation="invitations" in found,
        inner="inner" in found,
        denies=negated and not NEGATIONS.isdisjoint(easy.split()),
    )


def _tagged(text: str) -> bool:
    """Whether a question only hangs behind a statement: "I have cancelled it, is that okay?"."""
    statement, comma, tag = text.rpartition(",")
    opening = flat(statement).partition(" ")[0]
    return bool(comma) and len(flat(tag).split()) <= _TAG_WORDS and opening not in _OPENERS and "¿" not in statement


def _stands(pattern: re.Pattern[str], padded: str, rulers: frozenset[str], behind: int = 0) -> bool:
    """Whether the phrase occurs at least once without one of `rulers` in it, shortly before it, `behind` words after it
    or, opening, anywhere behind it.
    """
    return any(not rulers.intersection(_reign(match, padded, behind)) for match in pattern.finditer(padded))


def _reign(match: re.Match[str], padded: str, behind: int) -> list[str]:
    """The words that may rule a phrase: "sending X-rays is not something I do" is ruled by what follows."""
    start = max(0, match.start() - _NEAR_CHARS)
    opening = match.start() == 0 and match.group().count(" ") <= _OPENING_WORDS + 1
    if opening:
        return padded[start:].split()
    return [*padded[start : match.end()].split(), *padded[match.end() :].split()[:behind]]


def declines(answer: tuple[Sentence, ...], *, flagged: bool = False) -> bool:
    """Whether an answer, as a whole, turns the request down or hands it over.

    `flagged`: the model itself called the request out of scope; any denial then counts, as long as nothing is done.
    """
    if any(s.refusal or s.limit for s in answer):
        return True
    return flagged and any(s.denies for s in answer) and not any(s.acts or s.affirmation for s in answer)


def disowns(prose: str) -> bool:
    """Whether a text beside an answer takes it back, or calls it a draft. Looks at `_PROSE_CHARS` from either end."""
    near = prose if len(prose) <= 2 * _PROSE_CHARS else prose[:_PROSE_CHARS] + " " + prose[-_PROSE_CHARS:]
    lines = (f" {flat(near[start:end])} " for start, end in sentences(near))
    return any(_TAKEN_BACK.found_in(line) and _stands(_RETRACTIONS, line, _SUPPOSED) for line in lines)


def asks_again(answer: tuple[Sentence, ...]) -> bool:
    """Whether an answer tells the user that a value won't do, or asks for it."""
    return any(s.request or s.retry for s in answer)


def things_asked(answer: tuple[Sentence, ...]) -> tuple[tuple[str, ...], ...]:
    """What the user is asked to give, as the words after "your": one tuple for each thing."""
    return tuple(
        thing
        for s in answer
        if s.request
        for match in _REQUESTS.finditer(f" {s.flat} ")
        if (thing := _thing(f" {s.flat} ", match))
    )


def _thing(line: str, match: re.Match[str]) -> tuple[str, ...]:
    taken = match.group().split()
    possessive = next(
        (i for i, word in enumerate(taken) if word in {"your", "votre", "vos", "su", "sus", "tu", "tus"}), len(taken)
    )
    following = taken[possessive + 1 :] + line[match.end() : match.end() + _THING_CHARS].split()
    thing: list[str] = []
    for word in following[:6]:
        if word in _THING_END and (thing or word not in {"de", "du", "of"}):
            if word in {"de", "du", "d", "of", "del", "des"} and thing:
                continue
            break
        thing.append(word)
    return tuple(thing[:4])


def detect_language(text: str) -> str | None:
    """`en`, `fr` or `es` where the words say so clearly, else null. Short or mixed texts say nothing."""
    tokens = flat(text).split()
    scores = sorted(((sum(t in stops for t in tokens), name) for name, stops in _STOP_SETS.items()), reverse=True)
    (best, name), (second, _), *_ = scores
    lowered = text.lower()
    if any(c in lowered for c in "¿¡ñ"):
        return "es"
    if best >= 2 and best >= 2 * second:
        return name
    return name if best >= 1 and second == 0 and len(tokens) <= 4 else None
