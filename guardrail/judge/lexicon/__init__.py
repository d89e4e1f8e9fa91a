"""Words that carry a judgement, by language. Their digest is part of the engine's name on every decision."""

from __future__ import annotations

import hashlib
from types import ModuleType

import msgspec

from guardrail.judge.lexicon import figures, joins, requests, stance, talk
from guardrail.judge.lexicon.conversation import CONVERSATION
from guardrail.judge.lexicon.en import ENGLISH
from guardrail.judge.lexicon.es import SPANISH
from guardrail.judge.lexicon.fr import FRENCH
from guardrail.judge.lexicon.things import (
    ALIKE,
    DAYS,
    EVERY_DAY,
    HARMLESS,
    LOOSE,
    PRIVATE,
    THINGS,
    UNITS,
    UNIVERSALS,
    WEEKEND,
)
from guardrail.judge.lexicon.weights import PROSE, TERMS
from guardrail.judge.lexicon.words import Lexicon, Replies

LEXICONS: dict[str, Lexicon] = {"en": ENGLISH, "fr": FRENCH, "es": SPANISH}


def _tables(room: ModuleType) -> list[tuple[str, object]]:
    """The tables of a module by name, in an order of their own."""
    listed = {name: table for name, table in vars(room).items() if name.isupper()}
    return [(name, _sorted(listed[name])) for name in sorted(listed)]


def _sorted(table: object) -> object:
    if isinstance(table, dict):
        return sorted((str(key), _sorted(value)) for key, value in table.items())
    if isinstance(table, tuple):
        return [_sorted(entry) for entry in table]
    return sorted(str(entry) for entry in table) if isinstance(table, frozenset) else table


DIGEST = hashlib.sha256(
    msgspec.json.encode(
        (
            LEXICONS,
            THINGS,
            sorted(HARMLESS),
            sorted(LOOSE),
            PRIVATE,
            UNITS,
            UNIVERSALS,
            ALIKE,
            DAYS,
            sorted(WEEKEND),
            EVERY_DAY,
            sorted(CONVERSATION),
            (TERMS, PROSE),
            [_tables(room) for room in (figures, joins, requests, stance, talk)],
        )
    )
).hexdigest()[:12]

__all__ = ["DIGEST", "LEXICONS", "Lexicon", "Replies"]
