"""When two figures say the same, in en, fr and es."""

from __future__ import annotations

import pytest

from guardrail.judge.figures import Figure, read_figures, same_figure
from guardrail.judge.tokens import tokenise


def only(text: str) -> Figure:
    """The one figure of a text."""
    (figure,) = read_figures(tokenise(text))
    return figure


SAME = [
    ("30 days", "a month"),
    ("365 days", "a year"),
    ("two weeks", "a fortnight"),
    ("8 pm", "20:00"),
    ("8:00", "20:00"),
    ("half past eight", "8:30 pm"),
    ("à 20 h", "8 o'clock"),
    ("20 heures", "8 o'clock"),
    ("8 hours", "8 pm"),
    ("20", "20 euros"),
    ("8", "20 h"),
    ("a third of it", "33.3 %"),
    ("12 guests", "12 days"),
    ("a dozen", "12"),
    ("1 690 euros", "mille six cent quatre-vingt-dix euros"),
    ("2 km", "2000 metres"),
    ("24 December", "el 24 de diciembre"),
]
OTHER = [
    ("30 days", "two months"),
    ("9 am", "9 pm"),
    ("noon", "midnight"),
    ("8:30", "8:45"),
    ("13 h", "23 h"),
    ("8 hours", "8:30"),
    ("30 hours", "6 pm"),
    ("24 hours", "noon"),
    ("12 adults", "12 days"),
    ("20 euros", "20 %"),
    ("20 euros", "30 euros"),
    ("1234567 euros", "1234568 euros"),
    ("12", "13"),
    ("10 %", "11 %"),
    ("8", "8:30"),
    ("Monday", "20 euros"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_figures_that_can_say_the_same_are_the_same(a: str, b: str) -> None:
    """Given two spellings of one figure, then they are the same, either way round."""
    assert same_figure(only(a), only(b))
    assert same_figure(only(b), only(a))


@pytest.mark.parametrize(("a", "b"), OTHER)
def test_figures_that_differ_are_not_the_same(a: str, b: str) -> None:
    """Given two figures that no reading makes one, then they aren't the same, either way round."""
    assert not same_figure(only(a), only(b))
    assert not same_figure(only(b), only(a))
