"""How a sentence hangs on what stands around it."""

from __future__ import annotations

import pytest

from guardrail.judge.joins import affirmed, anaphoric, capitalised, claimed, dependent, lead, unconnected, wrapped

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
        ("They who come late pay.", False),
        ("Celui-ci coûte 5 euros.", True),
        ("Celles de la cour sont libres.", False),
        ("Il est interdit de fumer.", False),
        ("It is not allowed to smoke.", False),
        ("Il est ouvert.", True),
        ("It is open.", True),
        ("This week is free.", False),
        ("These also cost 5 euros.", False),
        ("Both are warm.", True),
        ("Ce n'est pas cher.", True),
        ("Ce soir, c'est fermé.", False),
        ("Esta semana es gratis.", False),
        ("Este no es gratis.", True),
        ("Su reserva es gratis.", False),
        ("Her room is free.", False),
    ],
)
def test_a_pronoun_speaks_of_what_another_sentence_named(text: str, *, speaks: bool) -> None:
    """Given an opening pronoun, then the sentence hangs on another, unless it is an impersonal phrase."""
    assert anaphoric(text) is speaks


WRAPPED = {
    "- Pay.": ("- ", "Pay.", ""),
    "• Pay": ("• ", "Pay", ""),
    "a) Pay.": ("a) ", "Pay.", ""),
    "12) Pay.": ("12) ", "Pay.", ""),
    "> - Pay.": ("> - ", "Pay.", ""),
    "A: Pay.": ("A: ", "Pay.", ""),
    "¡Pague!": ("¡", "Pague!", ""),
    "**Pay.**": ("**", "Pay.", "**"),
    "**Pay**.": ("**", "Pay", "**."),
    "*Pay.*": ("*", "Pay.", "*"),
    "*Pay.* Go.": ("", "Pay.* Go.", ""),
    "« Payez. »": ("« ", "Payez.", " »"),
    "- **Fee:** 5 euros.": ("- ", "Fee:** 5 euros.", ""),
    "**Note: pay.": ("**", "Note: pay.", ""),
    "go.**": ("", "go.", "**"),
    "Pay (now).": ("", "Pay (now).", ""),
    "(Pay 9 (now) euros).": ("(", "Pay 9 (now) euros", ")."),
    "-5 degrees.": ("", "-5 degrees.", ""),
    "-": ("", "-", ""),
    "": ("", "", ""),
}


@pytest.mark.parametrize("text", WRAPPED)
def test_marks_around_a_sentence_are_no_part_of_it(text: str) -> None:
    """Given bullets, numbers, bold marks and quotes around a sentence, then they are parted from it; what opens and
    closes within it stays, and a mark that would be left alone goes.
    """
    assert wrapped(text) == WRAPPED[text]


@pytest.mark.parametrize(
    ("text", "yes"),
    [("Yes, it is.", "Yes, "), ("Sí, claro.", "Sí, "), ("Oui : 5.", "Oui : "), ("Yesterday.", ""), ("", "")],
)
def test_a_yes_is_parted_from_what_follows(text: str, yes: str) -> None:
    """Given a sentence that opens with a yes, then the yes is found, and no other word is taken for one."""
    assert affirmed(text) == yes


@pytest.mark.parametrize(
    ("text", "wanted"), [("the", "The"), ("iPhone 4 costs.", "iPhone 4 costs."), ("4 a", "4 a"), ("", "")]
)
def test_a_name_that_is_written_small_stays(text: str, wanted: str) -> None:
    """Given a beginning of a sentence, then it gets its capital, names with a capital within excepted."""
    assert capitalised(text) == wanted


@pytest.mark.parametrize(
    ("text", "hangs"),
    [
        ("Otherwise, the deposit is lost.", True),
        ("In that case entry is free.", True),
        ("Dans ce cas, l'entrée est gratuite.", True),
        ("Sinon l'acompte est perdu.", True),
        ("De lo contrario, se pierde la señal.", True),
        ("However, payment by card is possible.", False),
        ("Entry is free.", False),
        ("", False),
    ],
)
def test_a_sentence_may_hold_only_as_the_one_before_says(text: str, hangs: bool) -> None:
    """Given otherwise, in that case and their like, then a sentence hangs on the one before; by however it doesn't."""
    assert dependent(text) is hangs
