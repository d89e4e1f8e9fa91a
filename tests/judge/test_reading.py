"""Texts read as units: what each is compared by, its clause, and what is denied."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.reading import Reading, Unit, is_negation, read_text
from guardrail.judge.text import SHORT_CHARS
from tests.judge.test_tokens import NEAR_TEXT

COPY = {
    "en": "The pool of the Hotel Miramar costs 14 euros per person and is not heated, except on Monday.",
    "fr": "La piscine de l'Hôtel Miramar coûte 14 euros par personne et n'est pas chauffée, sauf le lundi.",
    "es": "La piscina del Hotel Miramar cuesta 14 euros por persona y no está climatizada, salvo el lunes.",
}


def unit_at(text: str, word: str) -> Unit:
    """The unit that is written so."""
    return next(unit for unit in read_text(text).units if text[unit.start : unit.end] == word)


def written(text: str, kind: str) -> list[str]:
    """What is written where the units of a kind stand."""
    return [text[unit.start : unit.end] for unit in read_text(text).units if unit.kind == kind]


@pytest.mark.parametrize(
    ("locale", "figures", "names"),
    [
        ("en", ["14 euros", "Monday"], ["Hotel", "Miramar"]),
        ("fr", ["14 euros", "lundi"], ["Hôtel", "Miramar"]),
        ("es", ["14 euros", "lunes"], ["Hotel", "Miramar"]),
    ],
)
def test_a_text_is_figures_names_words_and_stop_words(locale: str, figures: list[str], names: list[str]) -> None:
    """Given a sentence, then figures with their units, names, words and stop words are told apart."""
    text = COPY[locale]
    assert written(text, "figure") == figures
    assert written(text, "name") == names
    reading = read_text(text)
    assert [unit for unit in reading.units if unit.content] == list(reading.content)
    assert {unit.kind for unit in reading.units} - {unit.kind for unit in reading.content} == {"stop"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The bar is open.", "El bar está abierto."),
        ("The bar is closed.", "Le bar est fermé."),
        ("It costs 5 euros.", "It costs five euros."),
        ("It costs 5 euros.", "Cela coûte cinq euros."),
        ("It takes 60 minutes.", "Dura 1 hora."),
    ],
)
def test_what_means_the_same_shares_a_key(one: str, other: str) -> None:
    """Given two words or figures that mean the same, then they share a key."""
    assert {u.key for u in read_text(one).content} & {u.key for u in read_text(other).content}


def test_opposites_share_a_key_and_differ_in_sign() -> None:
    """Given open and closed, then they are compared by one key, and only the second says its opposite."""
    opened, closed = unit_at("The bar is open.", "open"), unit_at("The bar is closed.", "closed")
    assert opened.key == closed.key
    assert (opened.denied, closed.denied) == (False, True)
    assert opened.sign != closed.sign


@pytest.mark.parametrize(
    ("text", "word", "denied"),
    [
        ("Breakfast is not included.", "included", True),
        ("Breakfast is included.", "included", False),
        ("Breakfast is not excluded.", "excluded", False),
        ("Le petit déjeuner n'est pas compris.", "compris", True),
        ("Hors taxes, le petit déjeuner est compris.", "compris", False),
        ("El desayuno no está incluido.", "incluido", True),
        ("No, the lovely old breakfast room is open.", "open", False),
        ("It is not in the lovely old breakfast room.", "room", False),
        ("It does not cost 14 euros.", "14 euros", True),
        ("It is hardly open.", "open", True),
    ],
)
def test_a_negation_denies_what_stands_close_behind(text: str, word: str, denied: bool) -> None:
    """Given a negation, then the words close behind it are denied, and no others; two of them affirm."""
    assert unit_at(text, word).denied is denied


@pytest.mark.parametrize(
    ("text", "negations"),
    [("It is not free.", 1), ("It isn't free and can't be.", 2), ("It is free.", 0), ("Ni thé ni café.", 0)],
)
def test_negations_are_counted(text: str, negations: int) -> None:
    """Given a text, then its negations are counted; the French neither-nor only repeats one."""
    assert read_text(text).negations == negations


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("The pool is open, the bar is closed.", [False, True]),
        ("The pool is open and the bar is not.", [False, True]),
        ("La piscine est ouverte mais le bar ne sera pas ouvert.", [False, True]),
        ("La piscina está abierta, pero el bar no está cerrado.", [False, False]),
        ("La piscina no está abierta, pero el bar sí.", [True, False]),
        ("It is not that.", []),
        ("La piscine est ouverte mais le bar n'est pas ouvert.", [False, True]),
    ],
)
def test_a_clause_is_denied_by_an_odd_number_of_denials(text: str, clauses: list[bool]) -> None:
    """Given clauses, then each that says something is denied by an odd number of negations and opposites."""
    assert [clause.denied for clause in read_text(text).clauses] == clauses


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Open on weekdays.", [0, 1, 2, 3, 4]),
        ("Open on weekends.", [5, 6]),
        ("Abierto el finde.", [5, 6]),
        ("Open from Monday to Wednesday.", [0, 1, 2]),
        ("Ouvert du lundi au mercredi.", [0, 1, 2]),
        ("Abierto de lunes a miércoles.", [0, 1, 2]),
        ("Open on Monday.", [0]),
    ],
)
def test_days_are_written_out(text: str, days: list[int]) -> None:
    """Given days by their names, as a range or as a part of the week, then each of them is a figure."""
    found = [u.figure.value for u in read_text(text).content if u.figure is not None and u.figure.kind == "day"]
    assert sorted(found) == days


def test_a_figure_with_a_unit_is_known_by_its_bare_number_too() -> None:
    """Given a price and a count of one number, then they share the bare number, not the key."""
    price, count = unit_at("It costs 14 euros.", "14 euros"), unit_at("There are 14.", "14")
    assert price.key != count.key
    assert count.key in price.keys
    assert count.keys == (count.key,)


def test_marks_set_words_apart() -> None:
    """Given a comma, a full stop or no mark between two words, then they stand the farther apart."""
    distances = [
        unit_at(text, "bar").at - unit_at(text, "pool").at
        for text in ("pool bar", "pool: bar", "pool, bar", "pool; bar", "pool. bar", "pool » bar")
    ]
    assert distances[:5] == sorted(set(distances[:5]))
    assert distances[5] == distances[0]


@pytest.mark.parametrize(
    ("text", "denying"),
    [
        ("It is not so", ["not"]),
        ("Ce n'est pas vrai", ["pas"]),
        ("Nunca es así", ["Nunca"]),
        ("It is so", []),
        ("hors taxes", ["hors"]),
    ],
)
def test_units_that_negate_are_known(text: str, denying: list[str]) -> None:
    """Given a text, then the units that negate are told from all others."""
    assert [text[unit.start : unit.end] for unit in read_text(text).units if is_negation(unit)] == denying


def test_words_are_counted_without_marks() -> None:
    """Given a text, then its words, figures and signs count, marks don't; an empty one has nothing at all."""
    assert read_text("It costs 14 €, no more.").words == 6
    assert read_text("") == Reading((), (), frozenset(), (), 0, 0)


@given(NEAR_TEXT | st.lists(st.sampled_from(" ".join(COPY.values()).split()), max_size=14).map(" ".join))
def test_any_text_is_read(text: str) -> None:
    """Given any text, then it is read, twice the same: units in order, inside it, and no key without its unit."""
    reading = read_text(text)
    assert read_text(text) == reading
    assert all(0 <= unit.start <= unit.end <= len(text) for unit in reading.units)
    assert [unit.at for unit in reading.units] == sorted(unit.at for unit in reading.units)
    assert reading.keys == {key for unit in reading.units for key in unit.keys}
    assert all(unit.key == unit.keys[0] for unit in reading.units)
    assert {key for clause in reading.clauses for key in clause.keys} == {unit.key for unit in reading.content}


def test_a_long_text_is_read_like_a_short_one() -> None:
    """Given a text too long to be remembered, then it has the keys of its parts."""
    line = COPY["en"] + "\n"
    times = SHORT_CHARS // len(line) + 2
    assert read_text(line * times).keys == read_text(line).keys
    assert read_text(line * times).words == times * read_text(line).words
