"""The shape of a language's lexicon. It must never hold a rule: rules live in speech.py and the checks."""

from __future__ import annotations

import msgspec


class Replies(msgspec.Struct, frozen=True):
    """The sidecar's own texts. Placeholders: {parameter} {format} {intents}."""

    reprompt: str
    out_of_scope: str
    fallback: str
    stale: str
    """What a user is told instead of an answer that was held up for too long."""
    format_is: str
    """A sentence that states a format, used to put a wrong one right."""
    reprompt_plain: str
    """The reprompt for a parameter without a format text."""


class Lexicon(msgspec.Struct, frozen=True):
    """One language. Every entry is flat text: lower case, no accents, contractions written out, words single-spaced.

    Fields of type str list words. Fields of type tuple list phrases, in the notation that `speech.phrase` compiles:
    `*` any word, `**` up to six words, `?x` x or nothing, `a|b` either, `x~` any ending, `@done` a word of `done_words`,
    `^` the sentence begins here, `$` it ends here.
    """

    language: str
    stop_words: str
    """Words without content of their own; also what the language is recognised by."""
    negations: str
    numbers: tuple[tuple[str, int], ...]
    months: str
    """The twelve months in order; `|` parts spellings."""
    speaker: str
    """Words by which the agent speaks of itself, of its role, or of the request."""
    ability: tuple[str, ...]
    """What an agent can, does, offers: with a negation and the speaker it makes a refusal."""
    limits: tuple[str, ...]
    """Phrases that end the agent's role, or hand over, without negating anything."""
    offers: tuple[str, ...]
    """Phrases that offer help."""
    courtesy: tuple[str, ...]
    """Greetings, thanks, acknowledgements: they assert nothing."""
    affirmations: tuple[str, ...]
    done: tuple[str, ...]
    """Phrases that say that something was done."""
    done_words: str
    """Participles and past forms of what only a system can do."""
    conditions: str
    """Words that make a deed a rule: once, if, when."""
    promises: tuple[str, ...]
    records: tuple[str, ...]
    """Phrases that cite the user's own records."""
    states: tuple[str, ...]
    """Phrases that tell how things stand with what is the user's own."""
    invitations: tuple[str, ...]
    """Phrases that leave the next word to the user."""
    requests: tuple[str, ...]
    """Phrases that ask the user for a thing; the thing follows."""
    thing_end: str
    """Words that end the name of the thing asked for."""
    generic_things: str
    """Nouns that say nothing of which thing is meant."""
    retries: tuple[str, ...]
    """Phrases that say that a value is wrong, or ask for it again."""
    retractions: tuple[str, ...]
    """Phrases by which a text takes back or disowns what stands beside it."""
    inner: tuple[str, ...]
    """Phrases of a model that speaks to itself of the user or of its rules."""
    fillers: str
    """Discourse words that carry no claim."""
    replies: Replies


def phrases(text: str) -> tuple[str, ...]:
    """The phrases of a block: parted by semicolons, blanks folded."""
    return tuple(" ".join(part.split()) for part in text.split(";") if part.strip())


def numerals(text: str) -> tuple[tuple[str, int], ...]:
    """The number words of a block: `one 1, two 2`."""
    return tuple((word, int(value)) for word, value in (part.split() for part in text.split(",")))


def word_set(text: str) -> frozenset[str]:
    """The words of a block."""
    return frozenset(text.split())
