"""Text seen as words: folding, numbers, sentences."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge import text

FOLDED = [
    ("  Déjà   VU! ", "deja vu"),
    ("l’été", "l ete"),
    ("ﬁn\u200b-de", "fin de"),
    ("Book_Room", "book room"),
    ("", ""),
    ("¿¡!?", ""),
    ("Ñandú", "nandu"),
]


@pytest.mark.parametrize(("given_text", "wanted"), FOLDED)
def test_folding_leaves_the_words_alone(given_text: str, wanted: str) -> None:
    """Given case, accents, blanks, punctuation and invisible characters, then the words are left."""
    assert text.fold(given_text) == wanted


@pytest.mark.parametrize("name", ["Book_Room", "book room", "BookRoom", "BOOK-ROOM", "Bóok\u200b Room"])
def test_spellings_of_a_name_share_a_key(name: str) -> None:
    """Given spellings of one name, then their key is one."""
    assert text.name_key(name) == "bookroom"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bookingId", ("booking", "id")),
        ("Booking_id", ("booking", "id")),
        ("ID", ("id",)),
        ("SIM2Card", ("sim2", "card")),
    ],
)
def test_the_words_of_a_name(name: str, words: tuple[str, ...]) -> None:
    """Given an identifier, then its words are found at underscores and humps."""
    assert text.name_words(name) == words


NUMBERS = [
    ("1,234", ["1234"]),
    ("1.234,50", ["1234.5"]),
    ("1,234.50", ["1234.5"]),
    ("4 200", ["4200"]),
    ("4 20", ["4", "20"]),
    ("4\u202f200", ["4200"]),
    ("19,90", ["19.9"]),
    ("19.90", ["19.9"]),
    ("25.00", ["25"]),
    ("05", ["05"]),
    ("10:30", ["10:30"]),
    ("24/12/2026", ["24/12/2026"]),
    ("dial *123# or #2", []),
    ("3pm", ["3"]),
    ("no figures", []),
]


@pytest.mark.parametrize(("given_text", "wanted"), NUMBERS)
def test_figures_have_one_form(given_text: str, wanted: list[str]) -> None:
    """Given figures with separators or idle zeros, then they compare; labels of a keypad are none."""
    assert text.numbers(given_text) == wanted


SENTENCES = [
    ("One. Two! Three? Four… Five", ["One.", "Two!", "Three?", "Four…", "Five"]),
    ("Costs 3.50 euros.", ["Costs 3.50 euros."]),
    ("See Dr. Keller, e.g. on Monday.", ["See Dr. Keller, e.g. on Monday."]),
    ("Hola.¿Qué tal?¡Bien!", ["Hola.¿Qué tal?", "¡Bien!"]),
    ("One\nTwo\r\nThree", ["One", "Two", "Three"]),
    ("One; two", ["One;", "two"]),
    ('He said "no." Then left.', ['He said "no."', "Then left."]),
    ("", []),
    (" \n ", []),
]


@pytest.mark.parametrize(("given_text", "wanted"), SENTENCES)
def test_sentences_end_where_they_end(given_text: str, wanted: list[str]) -> None:
    """Given a text, then its sentences are found; figures and abbreviations don't end one."""
    assert [given_text[start:end] for start, end in text.sentences(given_text)] == wanted


@given(st.text(max_size=80))
def test_sentences_hold_every_character_but_blanks(given_text: str) -> None:
    """Given any text, then its sentences, in order, hold every character that isn't a blank."""
    spans = text.sentences(given_text)
    assert all(a < b for a, b in spans)
    assert all(first[1] <= second[0] for first, second in pairwise(spans))
    assert "".join("".join(given_text[a:b].split()) for a, b in spans) == "".join(given_text.split())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("booked", "book"),
        ("réservations", "réservation"),
        ("citas", "cita"),
        ("booking", "bookings"),
        ("annuler", "annule"),
    ],
)
def test_inflections_share_a_stem(one: str, other: str) -> None:
    """Given two forms of a word, then their stem is one."""
    assert text.stem(text.fold(one)) == text.stem(text.fold(other))


def test_what_cannot_be_encoded_is_replaced() -> None:
    """Given half a surrogate pair, then it is put as U+FFFD; a whole pair and plain text stay."""
    assert text.printable("a\ud83d") == "a\ufffd"
    assert text.printable("\ud83d\ude00é") == "😀é"
    assert text.printable("été") == "été"


@given(st.text(alphabet=st.characters(codec=None), max_size=20))
def test_printable_text_can_be_encoded(given_text: str) -> None:
    """Given any text, then its printable form encodes as UTF-8."""
    text.printable(given_text).encode()


def test_visible_text_has_no_invisible_characters() -> None:
    """Given invisible and reordering characters, then they are gone."""
    assert text.visible("a\u200bb\u202ec\u00ad") == "abc"


def test_words_keep_the_inner_signs_of_numbers() -> None:
    """Given prices, times and dates, then each is one token."""
    assert text.words("It costs 19.90€ at 10:30, 50%") == ["it", "costs", "19.90", "€", "at", "10:30", "50%"]
