"""Readings for the tests of the document room: one good response, and the codes found in a reading."""

from __future__ import annotations

import json
from typing import Any

from guardrail.judge.document import Reading

GOOD: dict[str, Any] = {
    "detected_intent": {"id": "book", "name": "Book"},
    "generated_answer": {"out_of_scope_request": False, "answer": "Which day?"},
}
TEXT = json.dumps(GOOD)


def codes(reading: Reading) -> set[str]:
    """The codes found."""
    return {finding.code for finding in reading.findings}


def fatal(reading: Reading) -> set[str]:
    """The codes of the fatal findings."""
    return {finding.code for finding in reading.findings if finding.fatal}
