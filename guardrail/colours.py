"""Outcomes on a terminal: a colour each, and their counts in one line. It must never print: whoever asks does."""

from __future__ import annotations

from collections.abc import Mapping

from guardrail.judge.model import Outcome

_COLOURS = {
    Outcome.APPROVED: "green",
    Outcome.CORRECTED: "yellow",
    Outcome.REJECTED: "red",
    Outcome.DEAD_LETTER: "magenta",
    Outcome.SKIPPED: "dim",
}


def coloured(outcome: Outcome, before: str = "") -> str:
    """Its name in its colour, as rich's markup; what stands `before` it has the same."""
    return f"[{_COLOURS[outcome]}]{before}{outcome.value}[/]"


def counted(counts: Mapping[Outcome, int]) -> str:
    """How many of each, those that aren't there too."""
    return ", ".join(coloured(outcome, f"{counts.get(outcome, 0)} ") for outcome in Outcome)
