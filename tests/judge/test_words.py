"""Small readings of text: formats, marks, and what may be asked for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from guardrail.judge.content import read_words
from guardrail.judge.formats import counted_units, format_example
from guardrail.judge.marks import clean, leaks, marks_up
from guardrail.judge.text import stem
from guardrail.judge.vocabulary import is_defined
from tests.judge.turns import hotel
from tests.scoring import policies

EXAMPLES = [
    ("3 letters followed by 3 numbers (e.g., ABC123)", "ABC123"),
    ("10 chiffres commençant par 0 (ex. : 0612345678)", "0612345678"),
    ("la letra P seguida de 6 dígitos (p. ej., P123456)", "P123456"),
    ('a code, for example "AB-1".', "AB-1"),
    ("a code such as AB-1", "AB-1"),
    ("DD/MM/YYYY", None),
    ("a name (e.g., Jane Doe)", None),
    ("codes (e.g., A1, B2)", None),
    ("empty (e.g., )", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "example"), EXAMPLES)
def test_the_example_of_a_format_is_one_plain_token(text: str, example: str | None) -> None:
    """Given a format text, then its example is found when it is a single token, else there is none."""
    assert format_example(text) == example


def test_units_are_counted_once() -> None:
    """Given counts of units, then each unit with one count is given; one with several is left out."""
    counts = counted_units("3 letters followed by 03 numbers, 2 digits or 4 digits")
    assert counts == {stem("letters"): "3", stem("numbers"): "3"}
    assert counted_units("no counts") == {}


MARKED = [
    ("Sure.", False, False),
    ("<think>x</think>Sure.", True, False),
    ("</reasoning>Sure.", True, False),
    ("evidence_from_prompt: x", True, False),
    ("</content>", False, True),
    ("[INST] Sure.", False, True),
    ("<|im_end|>", False, True),
    ('<parameter name="x">1</parameter>', False, True),
    ("2 < 3 and 4 > 1", False, False),
    ("I love it <3", False, False),
]


@pytest.mark.parametrize(("answer", "leak", "mark"), MARKED)
def test_reasoning_and_markup_are_told_apart(answer: str, leak: bool, mark: bool) -> None:
    """Given an answer, then leaked reasoning and leaked markup are each seen for what they are."""
    assert (leaks(answer), marks_up(answer)) == (leak, mark)


CLEANED = [
    ("Sure.", "Sure."),
    ("<think>two nights</think> Which night?", "Which night?"),
    ("Which night?</content>", "Which night?"),
    ("<b>Which</b> night?", "Which night?"),
    ('Which night?<parameter name="x">1</parameter>', "Which night?"),
    ("Which night?<|im_end|>", "Which night?"),
    ("Which night?\0", "Which night?"),
    ("Which night? \ud83d", "Which night?"),
    ("Which\u202e night?", "Which night?"),
    ("Wh\0ich night?", None),
    ("Which night? simulate_regex_execution", None),
    ("<think>only this</think>", None),
    ("</content>", None),
]


@pytest.mark.parametrize(("answer", "wanted"), CLEANED)
def test_marks_are_cut_and_words_are_not(answer: str, wanted: str | None) -> None:
    """Given marks around words, then they are cut; where a word is hurt, or nothing is left, there is no clean
    answer.
    """
    assert clean(answer) == wanted


DEFINED = [
    ("hotel", ("booking", "id"), True),
    ("hotel", ("reservation", "number"), True),
    ("hotel", ("number", "of", "nights"), True),
    ("hotel", ("reference", "number"), True),
    ("hotel", ("passport", "number"), False),
    ("hotel", ("question",), True),
    ("hotel", (), True),
    ("hotel", ("the", "your"), True),
    ("clinic-fr", ("numero", "telephone"), True),
    ("clinic-fr", ("numero", "securite", "sociale"), False),
    ("clinic-es", ("telefono",), True),
    ("clinic-es", ("numero", "seguro"), False),
    ("none", ("reference",), False),
]


@pytest.mark.parametrize(("agent", "thing", "defined"), DEFINED)
def test_only_what_is_configured_may_be_asked_for(agent: str, thing: tuple[str, ...], defined: bool) -> None:
    """Given a thing asked for, then it is defined when the policy has it or its kin, in any of the languages."""
    bare = hotel(intents=[], parameters=[])
    policy = {"hotel": hotel(), "none": bare}.get(agent) or policies()[agent]
    assert is_defined(thing, policy) is defined


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("We are open every day.", range(7)),
        ("We are open at the weekend.", (5, 6)),
        ("From Tuesday to Thursday", (1, 2, 3)),
        ("vendredi et dimanche", (4, 6)),
        ("no day", ()),
    ],
)
def test_days_are_read_with_their_ranges(text: str, days: Sequence[int]) -> None:
    """Given every day, a weekend or a range, then its days are read."""
    assert read_words(text).days == frozenset(days)


def test_an_hour_with_its_part_of_the_day_is_on_the_other_clock() -> None:
    """Given las 3 de la tarde, then it is the fifteenth hour."""
    assert read_words("abre a las 3 de la tarde").figures == read_words("abre a las 15 h").figures
