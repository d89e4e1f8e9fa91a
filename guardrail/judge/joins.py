"""How a sentence hangs on what stands around it: its lead, its connective, its pronoun, its brackets.

It must never weigh what the sentence says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from guardrail.judge.lexicon.joins import (
    AUXILIARIES,
    CONJUNCTIONS,
    CONNECTIVES,
    DEPENDENTS,
    IMPERSONAL,
    IMPERSONAL_ENDS,
    IMPERSONAL_VERBS,
    LEAD_OPENINGS,
    LEAD_WORDS,
    PARTICLES,
    POINTERS,
    PRONOUNS,
    RELATIVES,
)
from guardrail.judge.text import fold

ASIDE = re.compile(r"\s?[(\[][^()\[\]]*+[)\]]")
"""What stands in brackets: a sentence may be quoted without it."""
LIST_MARK = re.compile(r"(?:([0-9]{1,2})([.)])|[-*•–])$")
"""A list's mark where it stands as a sentence of its own."""
_LEAD = re.compile(r"[^,:.!?;\n]{2,80}+[,:]\s+(?=\S)")
_WORD = re.compile(r"[^\W_]+")
_LEAD_CHARS = 81
"""A lead's mark stands among so many characters."""
_BULLETS = re.compile(r"(?:(?:[-*•–>]|#{1,6}|\(?[0-9]{1,2}[.)]|\(?[A-Za-z]\)|[A-Z]:)[ \t]++)++(?=\S)")
_OPENING = re.compile(r"(?:[*_\"“«(\[¡¿][ \u00a0\u202f]?)++(?=\S)")
_CLOSING = '*_"”»)]'
_FINAL = ".!?…,;:"
_TWINS = ("**", "__", '"')
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"))
_YES = re.compile(r"(?:yes|yep|oui|sí)[ \u00a0]?[,!:–—]\s++(?=\S)", re.IGNORECASE)
_WORDS_MAX = 4
"""No connective has more words."""
_OPENING_CHARS = 120
"""How far a sentence is read to see what it opens with."""


def lead(text: str) -> str:
    """The words that only say where a sentence is from ("According to our records, "); empty where it has none."""
    found = _LEAD.match(text) if "," in text[:_LEAD_CHARS] or ":" in text[:_LEAD_CHARS] else None
    words = () if found is None else tuple(fold(found.group()).split())
    if found is None or not words or words[0] not in LEAD_OPENINGS or not LEAD_WORDS.issuperset(words):
        return ""
    return found.group()


def claimed(text: str) -> str:
    """A sentence without its lead: what it claims."""
    return text[len(lead(text)) :]


def unconnected(text: str) -> str:
    """A sentence without the connective that it opens with, capitalised; empty where nothing else is in it."""
    words = [match.end() for match in _WORD.finditer(text[:80])][:_WORDS_MAX]
    for end in reversed(words):
        opening, mark = fold(text[:end]), text[end : end + 1]
        if (opening in CONNECTIVES and mark in ",:") or (opening in CONJUNCTIONS and mark in ", "):
            rest = text[end:].lstrip(" ,:")
            return capitalised(rest) if _WORD.search(rest) else ""
    return text


def dependent(text: str) -> bool:
    """Whether a sentence holds only as the one before it says: "Otherwise, ...", "In that case ..."."""
    line = f"{fold(text[:_OPENING_CHARS])} "
    return any(line.startswith(f"{phrase} ") for phrase in DEPENDENTS)


def anaphoric(text: str) -> bool:
    """Whether a sentence opens with a word for what another named: in doubt it doesn't."""
    opening, *rest = fold(text[:_OPENING_CHARS]).split() or [""]
    if opening not in PRONOUNS | POINTERS or _impersonal(opening, rest):
        return False
    if opening in PRONOUNS:
        return not RELATIVES.intersection(rest[:1])
    verb = next((word for word in rest if word not in PARTICLES), "")
    return verb in AUXILIARIES


def _impersonal(opening: str, rest: Sequence[str]) -> bool:
    """Whether an opening only looks like a word for something: "It is forbidden to", "Il y a"."""
    line = f"{opening} {' '.join(rest)} "
    if any(line.startswith(f"{phrase} ") for phrase in IMPERSONAL):
        return True
    verb = next((n for n, word in enumerate(rest[:2]) if word in IMPERSONAL_VERBS), None)
    return verb is not None and opening in {"it", "il"} and not IMPERSONAL_ENDS.isdisjoint(rest[verb + 2 : verb + 4])


def capitalised(text: str) -> str:
    """A sentence with a capital at its beginning; a name that is written small stays ("iPhone")."""
    word = _WORD.match(text)
    named = word is not None and any(c.isupper() for c in word.group()[1:])
    return text if named else text[:1].upper() + text[1:]


def wrapped(text: str) -> tuple[str, str, str]:
    """A sentence parted into the marks before it (bullet, number, bold, quote), itself, and the marks behind it."""
    found = _BULLETS.match(text)
    bullets = found.group() if found else ""
    opened = _OPENING.match(text, len(bullets))
    opening = opened.group() if opened else ""
    core = text[len(bullets) + len(opening) :]
    ended = core.rstrip(_FINAL)
    inner = ended.rstrip(f"{_CLOSING} \u00a0\u202f")
    closing = ended[len(inner) :]
    if not closing.strip():
        astray = _unpaired(core) or set(opening) & set(core) & set("*_")
        return bullets if astray else bullets + opening, core, ""
    if not _unpaired(inner) and (_unpaired(inner + closing) or set(opening) & set(closing) & set("*_")):
        return bullets + opening, inner, core[len(inner) :]
    return bullets, opening + core, ""


def affirmed(text: str) -> str:
    """The yes that a sentence opens with; empty where it has none."""
    found = _YES.match(text)
    return found.group() if found else ""


def _unpaired(text: str) -> bool:
    """Whether a mark closes in a text that was opened before it."""
    return any(text.count(one) % 2 for one in _TWINS) or any(
        text.count(right) > text.count(left) for left, right in _PAIRS
    )
