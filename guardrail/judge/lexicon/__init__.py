"""Words that carry a judgement, by language. Their digest is part of the engine's name on every decision."""

from __future__ import annotations

import hashlib

import msgspec

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
from guardrail.judge.lexicon.words import Lexicon, Replies

LEXICONS: dict[str, Lexicon] = {"en": ENGLISH, "fr": FRENCH, "es": SPANISH}

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
        )
    )
).hexdigest()[:12]

__all__ = ["DIGEST", "LEXICONS", "Lexicon", "Replies"]
