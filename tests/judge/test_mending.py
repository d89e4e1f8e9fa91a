"""Claims put back to the part of a sentence that they nearly copy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.mending import mend, same_words
from guardrail.judge.text import words
from tests.judge.test_tokens import NEAR_TEXT

POOL = "The heated pool (25 metres) opens at 7 am, closes at 10 pm and costs 12 euros; towels are free."
VISIT = "La visite guidée dure 90 minutes, départ à 15 h devant la mairie."
TREASURER = "Since 2019 Anna Berg has chaired the board, and Tom Reed keeps the accounts."
MYTH = "It is a myth that people remember half of what they read."
EVIDENCE = [POOL, VISIT, TREASURER, MYTH]

MENDED = {
    "figure": ("The heated pool opens at 9 am.", "The heated pool opens at 7 am."),
    "figure_behind": ("La visite guidée dure 50 minutes.", "La visite guidée dure 90 minutes."),
    "word": ("La visite nocturne dure 90 minutes.", "La visite guidée dure 90 minutes."),
    "end": ("La visite guidée dure 90 minutes, départ à 15 h devant la gare.", VISIT),
    "negation_added": ("La visite guidée ne dure pas 90 minutes.", "La visite guidée dure 90 minutes."),
    "names_exchanged": ("Since 2019 Tom Reed has chaired the board, and Anna Berg keeps the accounts.", TREASURER),
    "order": ("Since 2019 the board Anna Berg has chaired.", "Since 2019 Anna Berg has chaired the board."),
    "beginning": ("In 2004 Anna Berg has chaired the board!", "Since 2019 Anna Berg has chaired the board!"),
    "middle": ("closes at 11 pm and costs 12 euros.", "closes at 10 pm and costs 12 euros."),
    "aside_kept": ("The heated pool (50 metres) opens at 7 am.", "The heated pool (25 metres) opens at 7 am."),
    "aside_changed": ("The heated pool (indoors) opens at 7 am.", "The heated pool (25 metres) opens at 7 am."),
    "added": ("La visite guidée dure 90 minutes avec dégustation.", "La visite guidée dure 90 minutes."),
    "accent": ("La visite guidee dure 50 minutes", "La visite guidée dure 90 minutes"),
}


@pytest.mark.parametrize("name", MENDED)
def test_a_changed_copy_comes_back_as_its_original(name: str) -> None:
    """Given a near copy with something changed, then what differs is undone, up to the marks that it was cut at, and
    its final mark stays.
    """
    claim, wanted = MENDED[name]
    found = mend(claim, EVIDENCE)
    assert found is not None
    assert found.text == wanted


def test_a_true_copy_stays() -> None:
    """Given a sentence of the evidence, or a part from mark to mark, then nothing of it changes, and its original is
    named.
    """
    for number, text in enumerate(EVIDENCE):
        found = mend(text, EVIDENCE)
        assert found is not None
        assert (found.text, found.number) == (text, number)


NOT_MENDED = {
    "foreign": "Parking is far away.",
    "short": "It opens.",
    "no_words": "?!",
    "paraphrase": "You can swim from seven in the morning, for a dozen euros.",
    "cut_at_its_beginning": "People remember all of what they read.",
    "cut_at_its_end": "Since 2019 Anna Berg.",
    "long": "pool " * 200,
}


@pytest.mark.parametrize("name", NOT_MENDED)
def test_what_is_no_near_copy_is_left(name: str) -> None:
    """Given a free text, or one cut where the original has no mark (so that the rest could rule it), then nothing is
    put in its place.
    """
    assert mend(NOT_MENDED[name], EVIDENCE) is None
    assert mend(NOT_MENDED[name], []) is None


def test_of_two_originals_the_one_that_is_jumped_over_least_is_chosen() -> None:
    """Given one sentence alone and the same beside its neighbour, then the one alone is the original."""
    found = mend(
        "Towels are handed out at seat 9.",
        ["The bar has seats. Towels are handed out at desk 4.", "Towels are handed out at desk 4."],
    )
    assert found is not None
    assert (found.text, found.number) == ("Towels are handed out at desk 4.", 1)


@given(NEAR_TEXT, st.lists(NEAR_TEXT, max_size=4))
def test_nothing_is_invented(claim: str, originals: list[str]) -> None:
    """Given any texts, then every word of what comes back stands in the named original, in order."""
    found = mend(claim, originals)
    if found is not None:
        there = iter(words(originals[found.number]))
        assert all(word in there for word in words(found.text))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (VISIT, VISIT.upper(), True),
        (VISIT, VISIT.replace("devant la mairie", "devant mairie"), True),
        (VISIT, POOL, False),
        (VISIT, "La visite.", False),
        ("a " * 500, "a " * 500, False),
    ],
)
def test_two_sentences_say_the_same_where_few_words_differ(one: str, other: str, *, same: bool) -> None:
    """Given two sentences, then they say the same when nearly all words of the longer stand in both, in order."""
    assert same_words(one, other) is same
