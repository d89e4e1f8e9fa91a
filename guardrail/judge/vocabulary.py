"""What an agent may ask for, in any of the languages. It must never know more than the policy configures."""

from __future__ import annotations

from functools import lru_cache

from guardrail.judge.lexicon.things import HARMLESS, LOOSE, PRIVATE, THINGS
from guardrail.judge.policy import Policy
from guardrail.judge.speech import GENERIC_THINGS, STOP_WORDS
from guardrail.judge.text import fold, stem

_KIN = {word: number for number, group in enumerate(THINGS) for word in group.split()}


@lru_cache(maxsize=256)
def _configured(words: tuple[str, ...]) -> tuple[frozenset[str], frozenset[int]]:
    return frozenset(stem(word) for word in words), frozenset(_KIN[word] for word in words if word in _KIN)


def is_defined(thing: tuple[str, ...], policy: Policy) -> bool:
    """Whether the thing asked for (the words after "your") is one that the policy configures."""
    words = [word for word in thing if word not in STOP_WORDS]
    if not words or HARMLESS.intersection(words):
        return True
    stems, kin = _configured(policy.asked_words)
    specific = [word for word in words if word not in GENERIC_THINGS]
    if specific:
        return any(stem(word) in stems or _KIN.get(word) in kin for word in specific)
    return bool(LOOSE.intersection(words) and policy.parameters) or any(
        stem(w) in stems or _KIN.get(w) in kin for w in words
    )


def is_private(line: str, policy: Policy, message: str) -> bool:
    """Whether a flat sentence names personal data that is neither configured nor the user's own word."""
    padded = f" {line} "
    named = [name for name in PRIVATE if f" {name} " in padded]
    if not named:
        return False
    known = f" {' '.join(policy.asked_words)} {fold(message)} "
    return any(f" {name} " not in known for name in named)
