"""What the tests of calibrations are built of: answers by their risks, and labelled lines for the hotel's policy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from guardrail.calibration.answers import Answer, Calibration
from tests.judge.turns import scope_turn

UNLIKE = "Check-in opens at 6 am per week for Dr Weber, whatever the hour, and nothing of breakfast is included."
"""An answer that the hotel's evidence doesn't bear out at all."""


def calibration(
    good: Sequence[float],
    bad: Sequence[float] = (),
    *others: Answer,
    agent: str = "hotel",
    level: float = 0.05,
    documents: Sequence[str | None] = (),
) -> Calibration:
    """A calibration on answers of these risks; `documents` names the good ones'."""
    named = [*documents, *[None] * (len(good) - len(documents))]
    answers = [Answer(True, name, risk, "supported") for name, risk in zip(named, good, strict=True)]
    answers += [Answer(False, None, risk, "unsupported") for risk in bad]
    return Calibration(agent, level, (*answers, *others))


def bare(answer: str, agent: str = "hotel", **fields: Any) -> dict[str, Any]:
    """A bare record with this answer."""
    message = "What should I know about my stay?"
    return {"agent_id": agent, "user_message": message, "response": scope_turn(answer), **fields}


def supported(count: int) -> list[dict[str, Any]]:
    """Bare records whose answers the hotel's evidence bears out, more and less nearly."""
    texts = (
        "Check-in opens at 3 pm and check-out closes at 11 am.",
        "You can check in from 3 pm.",
        "Breakfast is not included in the standard rate.",
        "Breakfast costs 14 euros per person, whichever rate you choose.",
        "A reservation can be cancelled free of charge until 48 hours before arrival.",
        "Cancelling costs nothing until 48 hours before your arrival.",
    )
    return [bare(texts[index % len(texts)]) for index in range(count)]


def labelled(record: Any, **keys: Any) -> str:
    """A labelled line."""
    return json.dumps({"record": record, **keys})
