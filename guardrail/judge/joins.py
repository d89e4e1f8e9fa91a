"""How a sentence hangs on what stands around it: its lead, its connective, its pronoun, its brackets.

It must never weigh what the sentence says.
"""

from __future__ import annotations

import re

from guardrail.judge.lexicon.joins import ANAPHORS, CONJUNCTIONS, CONNECTIVES, IMPERSONAL, LEAD_OPENINGS, LEAD_WORDS
from guardrail.judge.text import fold

ASIDE = re.compile(r"\s?[(\[][^()\[\]]*+[)\]]")
"""What stands in brackets: a sentence may be quoted without it."""
LIST_MARK = re.compile(r"(?:([0-9]{1,2})([.)])|[-*•–])$")
"""A list's mark where it stands as a sentence of its own."""
_LEAD = re.compile(r"[^,:.!?;\n]{2,80}+[,:]\s+(?=\S)")
_WORD = re.compile(r"[^\W_]+")
_LEAD_CHARS = 81
"""A lead's mark stands among so many characters."""
_WORDS_MAX = 4
"""No connective has more words."""


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


def anaphoric(text: str) -> bool:
    """Whether a sentence opens with a word for what another named."""
    folded = fold(text)
    opening = folded.partition(" ")[0]
    return opening in ANAPHORS and not any(f"{folded} ".startswith(f"{phrase} ") for phrase in IMPERSONAL)


def capitalised(text: str) -> str:
    """A sentence with a capital at its beginning."""
    return text[:1].upper() + text[1:]
