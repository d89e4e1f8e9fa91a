"""Claims put back to the part of a sentence that they nearly copy."""

from __future__ import annotations

from time import process_time

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
    "figure": ("The heated pool opens at 9 am.", "The heated pool (25 metres) opens at 7 am."),
    "figure_behind": ("La visite guidée dure 50 minutes.", "La visite guidée dure 90 minutes."),
    "word": ("La visite nocturne dure 90 minutes.", "La visite guidée dure 90 minutes."),
    "end": ("La visite guidée dure 90 minutes, départ à 15 h devant la gare.", VISIT),
    "negation_added": ("La visite guidée ne dure pas 90 minutes.", "La visite guidée dure 90 minutes."),
    "names_exchanged": ("Since 2019 Tom Reed has chaired the board, and Anna Berg keeps the accounts.", TREASURER),
    "order": ("Since 2019 the board Anna Berg has chaired.", "Since 2019 Anna Berg has chaired the board."),
    "beginning": ("In 2004 Anna Berg has chaired the board!", "Since 2019 Anna Berg has chaired the board!"),
    "middle": (
        "closes at 11 pm and costs 12 euros.",
        "The heated pool (25 metres) opens at 7 am, closes at 10 pm and costs 12 euros.",
    ),
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


WHOLE = {
    "condition": ("Entry is free for 3 days.", "If you are under 16, entry is free for 2 days."),
    "exception": ("Refunds are given within 30 days.", "Refunds are given within 14 days, except for sale items."),
    "exception_later": (
        "Guests pay 15 euros for entry.",
        "Guests pay 10 euros for entry, as members do, unless it is Sunday.",
    ),
    "myth": ("Coffee is sold here at 8.", "It is a myth, spread by many, that coffee is sold here at 7."),
    "falsehood": ("Coffee is sold in the hall at 8.", "It is false: coffee is sold in the hall at 7."),
    "belief": ("Late guests pay 30 euros.", "Late guests pay 20 euros, many people wrongly believe."),
    "source": ("La mer monte de 3 cm par an.", "La mer monte de 2 cm par an, selon un rapport."),
    "denial": ("The pool is open from 8 to 20.", "In no case, not even in summer, the pool is open from 7 to 20."),
    "denied_aside": ("Dogs are allowed in 3 rooms.", "Dogs are (never) allowed in 2 rooms."),
    "figure_aside": ("Late check-out at 3 pm is possible.", "Late check-out at 2 pm is possible (20 euros)."),
    "case": ("Students pay 8 euros for a card.", "With a valid pass, students pay 6 euros for a card."),
    "case_behind": ("Students pay 8 euros for a card.", "Students pay 6 euros for a card, with a valid pass."),
    "clause_that_excepts": ("Parking costs 5 euros a day.", "Parking costs 4 euros a day; this is not so on Sundays."),
    "limit": ("La séance est remboursée 50 euros.", "La séance est remboursée 30 euros, six par an au maximum."),
    "fr": ("La piscine ouvre à 9 heures.", "La piscine ouvre à 8 heures, sauf le lundi."),
    "es": ("La piscina abre a las 9 horas.", "Salvo en invierno, la piscina abre a las 8 horas."),
    "hour": ("The shop opens 9 a.m. to 6 p.m.", "The shop opens 9 a.m. to 5 p.m. on Mondays."),
}


@pytest.mark.parametrize("name", WHOLE)
def test_what_turns_a_statement_is_never_cut_off(name: str) -> None:
    """Given an original that binds, denies or only reports what the claim copies of it, then all of it is said."""
    claim, original = WHOLE[name]
    found = mend(claim, [original])
    assert found is not None
    assert found.text == original


PARTS = {
    "own_clause": ("The pool costs 4 euros; towels are free.", "Towels are not free.", "towels are free."),
    "joined_clause": (
        "The pool costs 4 euros, and the garage is 18 euros.",
        "The garage is 12 euros;",
        "the garage is 18 euros;",
    ),
    "joined_as_claimed": (
        "The pool costs 4 euros, and the garage is 18 euros.",
        "and the garage is 12 euros.",
        "and the garage is 18 euros.",
    ),
    "connective": (
        "However, the garage is free on 3 days.",
        "The garage is free on 4 days.",
        "the garage is free on 3 days.",
    ),
    "second_sentence": ("If it rains, we close. The bar opens at 5.", "The bar opens at 6.", "The bar opens at 5."),
    "fragment_as_claimed": (
        "Attitude of smokers to films; intention of smokers to smoke.",
        "intention of smokers to swim.",
        "intention of smokers to smoke.",
    ),
    "apposition_behind": (
        "Eastoft is a village in Lincolnshire, England.",
        "Eastoft is a town in Lincolnshire.",
        "Eastoft is a village in Lincolnshire.",
    ),
    "statistic": (
        "The mean (n = 12) was taken at noon.",
        "The mean was taken at midnight.",
        "The mean was taken at noon.",
    ),
    "statistic_as_claimed": (
        "The mean (n = 12) was taken at noon.",
        "The mean (n = 12) was taken at midnight.",
        "The mean (n = 12) was taken at noon.",
    ),
    "clause_of_its_own_behind": (
        "Towels cost 2 euros; robes are not sold.",
        "Towels cost 3 euros.",
        "Towels cost 2 euros.",
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_stands_by_itself_is_enough(name: str) -> None:
    """Given an original of which the claim copies a part that the rest doesn't turn, then that part is said."""
    original, claim, wanted = PARTS[name]
    found = mend(claim, [original])
    assert found is not None
    assert found.text == wanted


def test_a_text_of_marks_is_not_cut() -> None:
    """Given an original with thousands of marks, then it is said whole or not at all, and at once."""
    text = "The pool opens at 7, and the bar opens at 9, " + ", " * 20_000 + "we say."
    started = process_time()
    assert mend("The bar opens at 8.", [text]) is None
    assert process_time() - started < 1.0


NO_SENTENCE = {
    "no_verb": ("Las embarazadas pueden usar la piscina, pero no la sauna ni el baño.", "La sauna y el baño no."),
    "enumeration": (
        "The Baths ticket costs 17 euros, the Sauna ticket 26 for four hours.",
        "The Sauna ticket is 26 for four hours.",
    ),
}


@pytest.mark.parametrize("name", NO_SENTENCE)
def test_a_fragment_is_no_repair(name: str) -> None:
    """Given a stretch that is no sentence by itself, then it never comes back alone."""
    original, claim = NO_SENTENCE[name]
    found = mend(claim, [original])
    assert found is None or found.text.rstrip(".") == original.rstrip(".")


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
        *(
            (
                f"{one} the yellow card at the main desk in the hall is sold for 5 euros a year.",
                f"{other} the yellow card at the main desk in the hall is sold for {price} euros a year.",
                False,
            )
            for one, other, price in (
                ("To adults", "To students", "5"),
                ("On Monday", "On Tuesday", "5"),
                ("To all", "To all", "6"),
            )
        ),
        (
            "The desk in the hall of the museum is not open on any day.",
            "The desk in the hall of the museum is open on any day.",
            False,
        ),
    ],
)
def test_two_sentences_say_the_same_where_few_words_differ(one: str, other: str, *, same: bool) -> None:
    """Given two sentences, then they say the same when nearly all words of the longer stand in both, in order."""
    assert same_words(one, other) is same
