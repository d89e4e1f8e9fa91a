"""Figures that follow from known ones, and those that don't."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.arithmetic import surprise, unknown
from guardrail.judge.figures import Figure
from guardrail.judge.reading import read_text

KINDS = ("money", "duration", "percent", "count", "clock", "date")
FIGURES = st.builds(
    lambda kind, value: Figure(kind, value, 0, 0),
    st.sampled_from(KINDS),
    st.floats(min_value=0, max_value=1e9, allow_nan=False),
)


def figures(text: str) -> list[Figure]:
    """The figures of a text."""
    return [unit.figure for unit in read_text(text).content if unit.figure is not None]


def unknown_in(claim: str, evidence: str) -> float:
    """How unknown the only figure of a claim is to the evidence."""
    (figure,) = figures(claim)
    return unknown(figure, figures(evidence))


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("136 euros", "A pass costs 68 euros."),
        ("204 euros", "A pass costs 68 euros."),
        ("136 euros", "Deux personnes paient 68 euros et 204 euros."),
        ("82 euros", "Breakfast costs 14 euros, a pass 68 euros."),
        ("54 euros", "Breakfast costs 14 euros, a pass 68 euros."),
        ("48 euros", "El pase cuesta 12 euros para 4 personas."),
        ("20 euros", "The fee is 10 % of 200 euros."),
        ("60 euros", "It costs 10 euros, and lasts 6 months."),
        ("30 euros", "Cela coûte 10 euros et dure 3 heures."),
    ],
)
def test_a_sum_of_known_amounts_is_known(claim: str, evidence: str) -> None:
    """Given a sum, a difference, a multiple or a share of known amounts, then it isn't unknown at all."""
    assert unknown_in(claim, evidence) == 0


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("72 euros", "A pass costs 68 euros."),
        ("14 euros", ""),
        ("14 euros", "It takes 14 minutes."),
        ("6800 euros", "A pass costs 68 euros for 100 people."),
    ],
)
def test_an_amount_that_no_sum_leads_to_is_unknown(claim: str, evidence: str) -> None:
    """Given an amount that no simple sum gives, or only one too large to be meant, then it is all unknown."""
    assert unknown_in(claim, evidence) == 1


@pytest.mark.parametrize("claim", ["150 euros", "122 euros"])
def test_an_amount_two_steps_away_is_half_unknown(claim: str) -> None:
    """Given a price twice and another one added or taken off, then it is less unknown than a foreign figure."""
    assert 0 < unknown_in(claim, "Breakfast costs 14 euros, a pass 68 euros.") < 1


@pytest.mark.parametrize(
    ("claim", "evidence", "wanted"),
    [
        ("80 %", "The discount is 20 %.", 0),
        ("70 %", "The discount is 20 %.", 1),
        ("48 hours", "It takes 1 day.", 0),
        ("tres horas", "Dura 60 minutos.", 0),
        ("5 heures", "Cela dure 2 heures.", 1),
        ("2 rooms", "", 0),
        ("7 rooms", "There are 14 rooms.", 1),
        ("a las 10:30", "Abre a las 9:30.", 1),
    ],
)
def test_other_figures_follow_in_their_own_way(claim: str, evidence: str, wanted: float) -> None:
    """Given a rest of a hundred percent, a multiple of a time or a small count, then it follows; others don't."""
    assert unknown_in(claim, evidence) == wanted


def test_of_many_figures_only_the_first_are_combined() -> None:
    """Given more amounts than are combined, then the last of them no longer makes a sum known."""
    amounts = [Figure("money", float(amount), 0, 0) for amount in range(1_000, 1_030)]
    assert unknown(Figure("money", 2_000.0, 0, 0), amounts) == 0
    assert unknown(Figure("money", 3 * 1_029.0, 0, 0), amounts) > 0
    assert unknown(Figure("money", 3 * 1_029.0, 0, 0), amounts[-1:]) == 0


@given(FIGURES, st.lists(FIGURES, max_size=30))
def test_what_is_unknown_has_a_share(figure: Figure, known: list[Figure]) -> None:
    """Given any figures, then what is unknown of one lies in [0, 1], and twice the same."""
    assert 0 <= unknown(figure, known) <= 1
    assert unknown(figure, known) == unknown(figure, known)


@given(
    st.sampled_from(["money", "duration"]), st.integers(min_value=1, max_value=10**6), st.lists(FIGURES, max_size=10)
)
def test_twice_a_known_figure_is_known(kind: str, value: int, others: list[Figure]) -> None:
    """Given an amount or a time, whatever else is known, then twice as much follows from it."""
    assert unknown(Figure(kind, 2.0 * value, 0, 0), [Figure(kind, float(value), 0, 0), *others]) == 0


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The queue opens at 7:15 am.", "The ferry leaves at 8:15 am. Cars queue 60 minutes before."),
        ("Swimmers leave at 5:10 pm.", "The pool closes at 17:30, swimmers leave 20 minutes before."),
        ("It arrives at 10:45 am.", "It leaves at 8:15 am and takes 150 minutes."),
    ],
)
def test_a_time_so_long_before_or_after_another_is_known(claim: str, evidence: str) -> None:
    """Given a time of day and a span, then the time reached by it is known, on either half of the day."""
    assert unknown_in(claim, evidence) == 0


@pytest.mark.parametrize(
    ("claim", "surprising"),
    [
        ("It takes 7 hours.", 1.0),
        ("It costs 31 euros.", 1.0),
        ("It costs 50 %.", 0.5),
        ("It opens at 6:45 am.", 0.5),
        ("There are 7 bikes.", 0.7),
        ("There are 96 bikes.", 0.0),
        ("It is open on Sunday.", 0.0),
        ("It takes a day.", 0.0),
        ("It costs 136 euros.", 0.0),
    ],
)
def test_some_figures_that_nobody_gave_surprise_more_than_others(claim: str, surprising: float) -> None:
    """Given a figure that the evidence lacks, then a span or price surprises; a day, a big count or a sum doesn't."""
    (figure,) = figures(claim)
    assert surprise(figure, figures("A pass costs 68 euros and takes 25 minutes.")) == surprising
