"""Outcomes on a terminal: each in a colour of its own, and all of them counted in one line."""

from rich.text import Text

from guardrail.colours import coloured, counted
from guardrail.judge.model import Outcome


def test_every_outcome_has_a_colour_of_its_own() -> None:
    """Given the outcomes, then each is shown by its name, no two in the same colour."""
    shown = [Text.from_markup(coloured(outcome)) for outcome in Outcome]
    assert [text.plain for text in shown] == [outcome.value for outcome in Outcome]
    assert len({span.style for text in shown for span in text.spans}) == len(Outcome)


def test_all_outcomes_are_counted() -> None:
    """Given counts of some, then all are told in their order, those that never came as 0."""
    line = Text.from_markup(counted({Outcome.REJECTED: 2, Outcome.APPROVED: 1}))
    assert line.plain == "1 approved, 0 corrected, 2 rejected, 0 dead_letter, 0 skipped"
    assert len(line.spans) == len(Outcome)
