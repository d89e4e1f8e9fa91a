"""How a sentence hangs on what stands around it."""

from __future__ import annotations

import pytest

from guardrail.judge.joins import anaphoric, claimed, lead, unconnected

LEADS = [
    "According to the documentation, ",
    "Based on our records: ",
    "To answer your question: ",
    "D’après les informations disponibles, ",
    "Pour répondre à votre question : ",
    "Según la documentación, ",
    "De acuerdo con nuestra política, ",
]


@pytest.mark.parametrize("opening", LEADS)
def test_a_lead_only_says_where_a_sentence_is_from(opening: str) -> None:
    """Given words that name a source and nothing else, then they are the lead, and the rest is the claim."""
    assert lead(opening + "the pool is closed.") == opening
    assert claimed(opening + "the pool is closed.") == "the pool is closed."


@pytest.mark.parametrize(
    "text",
    [
        "According to Dr Reed, it heals.",
        "From Monday, we open.",
        "For 2 euros, you swim.",
        "The pool, too.",
        ",",
        "",
        "According to",
    ],
)
def test_what_names_someone_or_a_figure_is_no_lead(text: str) -> None:
    """Given an opening that asserts something, then it is a part of the claim."""
    assert lead(text) == ""
    assert claimed(text) == text


UNCONNECTED = {
    "However, the pool is closed.": "The pool is closed.",
    "However the pool is closed.": "The pool is closed.",
    "But parking is free.": "Parking is free.",
    "In addition, parking is free.": "Parking is free.",
    "En revanche, le parking est payant.": "Le parking est payant.",
    "Cependant, l'accès est libre.": "L'accès est libre.",
    "Además, el acceso es libre.": "El acceso es libre.",
    "También hay duchas.": "Hay duchas.",
    "Also,": "",
    "So far, all is well.": "So far, all is well.",
    "Puis-je vous aider ?": "Puis-je vous aider ?",
    "Où allez-vous ?": "Où allez-vous ?",
    "Plus de 10 euros.": "Plus de 10 euros.",
    "Parking, however, is free.": "Parking, however, is free.",
    "": "",
}


@pytest.mark.parametrize("text", UNCONNECTED)
def test_a_connective_is_cut_and_the_rest_capitalised(text: str) -> None:
    """Given a sentence that opens with a connective, then what remains begins with a capital; other words stay."""
    assert unconnected(text) == UNCONNECTED[text]


@pytest.mark.parametrize(
    ("text", "speaks"),
    [
        ("It also opens late.", True),
        ("That costs 5 euros.", True),
        ("Ils sont fermés.", True),
        ("C'est gratuit.", True),
        ("Eso cuesta 5 euros.", True),
        ("It is possible to pay by card.", False),
        ("Il faut réserver.", False),
        ("Parking is free.", False),
        ("", False),
    ],
)
def test_a_pronoun_speaks_of_what_another_sentence_named(text: str, *, speaks: bool) -> None:
    """Given an opening pronoun, then the sentence hangs on another, unless it is an impersonal phrase."""
    assert anaphoric(text) is speaks
