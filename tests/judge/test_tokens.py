"""Texts cut into tokens: figures, elisions, names, and where each stands."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.text import SHORT_CHARS
from guardrail.judge.tokens import tokenise

NEAR_TEXT = st.text(
    alphabet=st.sampled_from("aeénsTÉ09 .,:;/'’%€$\n«»-–\u00a0\u202f\u0301½²\u200b") | st.characters(codec=None),
    max_size=60,
)
"""Any text, and near texts: letters, figures and the signs that part them."""


def texts(text: str) -> list[str]:
    """The plain forms."""
    return [token.text for token in tokenise(text)]


def kinds(text: str) -> str:
    """The kinds, one letter a token."""
    return "".join(token.kind for token in tokenise(text))


def names(text: str) -> list[str]:
    """The tokens that are taken for names."""
    return [token.text for token in tokenise(text) if token.capital]


def written(text: str) -> list[str]:
    """What stands in the text where each token is said to stand."""
    return [text[token.start : token.end] for token in tokenise(text)]


@pytest.mark.parametrize(
    ("text", "wanted", "of_kinds"),
    [
        ("It costs 14 € (20 % off).", ["it", "costs", "14", "€", "(", "20", "%", "off", ")", "."], "wwnspnswpp"),
        ("« Ouvert » : 8–18 h", ["«", "ouvert", "»", ":", "8", "–", "18", "h"], "pwppnpnw"),
        ("¿Cuánto? ¡Nada!", ["cuanto", "?", "nada", "!"], "wpwp"),
        ("10:30, 24/12/2026", ["10:30", ",", "24/12/2026"], "npn"),
        ("booking_id @home", ["booking", "id", "home"], "www"),
        ("", [], ""),
    ],
)
def test_a_text_is_words_figures_signs_and_marks(text: str, wanted: list[str], of_kinds: str) -> None:
    """Given a text, then its words are plain, and each token has its kind; other signs are left out."""
    assert texts(text) == wanted
    assert kinds(text) == of_kinds


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("1 600 euros", ["1600"]),
        ("1\u202f600 euros", ["1600"]),
        ("1\u00a0234\u202f567", ["1234", "567"]),
        ("1,600 euros", ["1600"]),
        ("1.600,50 euros", ["1600.5"]),
        ("19,90 euros", ["19.9"]),
        ("12 34", ["12", "34"]),
        ("2024 600", ["2024", "600"]),
        ("1  600", ["1", "600"]),
        ("1-600", ["1", "600"]),
        ("19.90 600", ["19.9", "600"]),
        ("one 600", ["600"]),
    ],
)
def test_figures_have_one_form(text: str, figures: list[str]) -> None:
    """Given thousands behind a blank, a comma or a full stop, then they are one figure; neighbours stay apart."""
    assert [token.text for token in tokenise(text) if token.kind == "n"] == figures


def test_a_figure_of_thousands_stands_where_both_parts_stand() -> None:
    """Given thousands parted by a blank, then the one token reaches over both."""
    assert written("for 1 600 euros") == ["for", "1 600", "euros"]


@pytest.mark.parametrize(
    ("text", "parts", "places"),
    [
        ("l'eau", ["l", "eau"], ["l'", "eau"]),
        ("l’été", ["l", "ete"], ["l’", "été"]),
        ("jusqu'à", ["jusqu", "a"], ["jusqu'", "à"]),
        ("qu'il n'y", ["qu", "il", "n", "y"], ["qu'", "il", "n'", "y"]),
        ("qu'aujourd'hui", ["qu", "aujourdhui"], ["qu'", "aujourd'hui"]),
        ("O'Neill", ["oneill"], ["O'Neill"]),
        ("the guest's", ["the", "guest"], ["the", "guest's"]),
        ("we're", ["we"], ["we're"]),
    ],
)
def test_elisions_are_cut_where_they_are_written(text: str, parts: list[str], places: list[str]) -> None:
    """Given an elision, then both words are read, each where it stands; an English ending is left off."""
    assert texts(text) == parts
    assert written(text) == places


@pytest.mark.parametrize(
    ("text", "parts", "places"),
    [
        ("can't", ["can", "not"], ["ca", "n't"]),
        ("cannot", ["can", "not"], ["can", "not"]),
        ("Won’t", ["will", "not"], ["Wo", "n’t"]),
        ("shan't", ["shall", "not"], ["sha", "n't"]),
        ("doesn't", ["does", "not"], ["does", "n't"]),
        ("n't", ["not"], ["n't"]),
    ],
)
def test_an_english_negation_is_a_word_of_its_own(text: str, parts: list[str], places: list[str]) -> None:
    """Given a contracted negation, then the verb and the negation are two tokens."""
    assert texts(text) == parts
    assert written(text) == places


def test_an_accent_that_makes_another_word_is_heeded() -> None:
    """Given the French très, then it isn't the Spanish tres."""
    assert texts("très tres") == ["bien", "tres"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Now the Loire is long. It flows west.", ["loire"]),
        ("Breakfast is served: Tea only.", []),
        ("Ask Dr. Weber, he knows.", ["dr", "weber"]),
        ("Voir Mme. Roux demain.", ["mme", "roux"]),
        ("Inés Calvo lo sabe.", ["ines", "calvo"]),
        ("La Loire coule.", ["loire"]),
        ("Demain -- Calvo vient.", ["calvo"]),
        ("La journée. Loire et Cher.", ["cher"]),
        ("chez l'Oréal et d’Artagnan.", ["l", "oreal", "d", "artagnan"]),
        ("L'Oréal vend.", ["l", "oreal"]),
        ("3 Suites remain", ["suites"]),
        ("€ Zone", ["zone"]),
        ("Room\nKey", []),
    ],
)
def test_names_are_told_from_words_that_open_a_sentence(text: str, wanted: list[str]) -> None:
    """Given a capital, then it is a name's unless a sentence begins there; a name behind it makes the opening one."""
    assert names(text) == wanted


def test_inflections_share_a_stem() -> None:
    """Given two forms of a word, then their tokens have one stem."""
    one, other = tokenise("réservations reservation")
    assert one.stem == other.stem


@given(NEAR_TEXT)
def test_tokens_stand_where_they_say(text: str) -> None:
    """Given any text, then its tokens follow one another in it; figures, signs and marks stand there as they are."""
    tokens = tokenise(text)
    assert all(0 <= token.start <= token.end <= len(text) for token in tokens)
    assert all(first.end <= second.start for first, second in pairwise(tokens))
    for token in tokens:
        place = text[token.start : token.end]
        assert place == place.strip() or token.text == "\n"
        assert token.kind in {"w", "n", "s", "p"}
        assert token.kind not in {"s", "p"} or place == token.text
        assert token.kind != "n" or place[0].isdigit()


@given(NEAR_TEXT, NEAR_TEXT)
def test_a_line_behind_moves_nothing(text: str, more: str) -> None:
    """Given a text with another line behind it, then the tokens of the text are the same, in the same places."""
    alone = tokenise(text)
    assert [(t.text, t.start, t.end) for t in tokenise(text + "\n" + more)][: len(alone)] == [
        (t.text, t.start, t.end) for t in alone
    ]


def test_a_long_text_is_cut_as_its_parts_are() -> None:
    """Given a text too long to be remembered, then its tokens are those of its lines, over and over."""
    line = "Le tarif est de 1 600 euros.\n"
    times = SHORT_CHARS // len(line) + 2
    assert texts(line * times) == texts(line) * times
    assert tokenise(line * times) == tokenise(line * times)
