"""What a sentence does, in en, fr and es; and what language it is in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.speech import (
    asks_again,
    declines,
    detect_language,
    flat,
    flat_clauses,
    phrase,
    read_answer,
    things_asked,
)
from tests.judge.test_tokens import NEAR_TEXT

DOES: dict[str, list[tuple[str, str]]] = {
    "question": [
        ("Which day would you like?", "Tell me the day."),
        ("Quel jour vous convient ?", "Un jour vous convient."),
        ("¿Qué día prefiere?", "Prefiere el lunes."),
    ],
    "refusal": [
        ("I can't help with that.", "I can help with that."),
        ("I'm not able to see your results.", "I'm able to see your results."),
        ("Je ne peux pas vous aider.", "Je peux vous aider."),
        ("No puedo ayudarle con eso.", "Puedo ayudarle con eso."),
    ],
    "limit": [
        ("That is outside what I handle.", "That is what I handle."),
        ("Je ne gère que les rendez-vous.", "Je gère les rendez-vous."),
    ],
    "offer": [
        ("I can book a room.", "Rooms have a bed."),
        ("Je peux vous aider.", "La chambre a un lit."),
        ("Puedo ayudarle.", "La habitación tiene cama."),
    ],
    "courtesy": [
        ("Thank you.", "The desk opens at 8."),
        ("Merci.", "La banque ouvre à 8 h."),
        ("Gracias.", "El banco abre a las 8."),
    ],
    "affirmation": [("Yes, it is.", "It is."), ("Oui, tout à fait.", "Peut-être."), ("Sí, claro.", "Quizás.")],
    "done": [
        ("I have cancelled your booking.", "I have not cancelled your booking."),
        ("Your booking has been cancelled.", "Once your booking has been cancelled, you pay nothing."),
        ("J'ai annulé votre réservation.", "Je n'ai pas annulé votre réservation."),
        ("He cancelado su reserva.", "No he cancelado su reserva."),
        ("Cancelled.", "Cancelled?"),
        ("Moved to the 22nd.", "Booked guests get a towel."),
        ("Déplacé au 22.", "Les clients inscrits paient moins."),
        ("Enviada.", "¿Enviada?"),
        ("You have been unsubscribed.", "You have not been unsubscribed."),
        ("Vous êtes inscrit.", "Vous n'êtes pas inscrit."),
    ],
    "promise": [
        ("We will call you back.", "We will not call you back."),
        ("Nous vous rappellerons.", "Vous pouvez nous rappeler."),
        ("Le llamaremos mañana.", "Puede llamarnos mañana."),
        ("Me ocupo de la factura.", "Me ocupo solo de las citas."),
    ],
    "record": [
        ("You have two appointments.", "Do you have two appointments?"),
        ("Vous avez deux rendez-vous.", "Avez-vous deux rendez-vous ?"),
        ("Tiene dos citas.", "¿Tiene dos citas?"),
    ],
    "request": [
        ("Please give me your phone number.", "The phone is on the desk."),
        ("Donnez-moi votre numéro.", "Le numéro est affiché."),
        ("Deme su número.", "El número está en la carta."),
    ],
    "retry": [
        ("That is not a valid booking ID.", "That is a booking ID."),
        ("Ce format est incorrect.", "Voilà la chambre."),
        ("El formato no es válido.", "La habitación está lista."),
    ],
}
ROWS = [(act, does, not_quite) for act, pairs in DOES.items() for does, not_quite in pairs]


@pytest.mark.parametrize(("act", "does", "not_quite"), ROWS)
def test_a_sentence_does_what_it_does(act: str, does: str, not_quite: str) -> None:
    """Given a sentence and one that nearly says the same, then only the first does it."""
    [one], [other] = read_answer(does), read_answer(not_quite)
    assert getattr(one, act)
    assert not getattr(other, act)


@pytest.mark.parametrize(
    "text",
    [
        "According to our records you have one visit.",
        "D'après nos dossiers vous avez une visite.",
        "Según nuestros registros tiene una visita.",
    ],
)
def test_citing_the_records_is_a_record(text: str) -> None:
    """Given a sentence that cites the user's records, then it binds, in each language."""
    [sentence] = read_answer(text)
    assert sentence.record
    assert sentence.acts


def test_contractions_are_written_out() -> None:
    """Given English contractions, then the flat words are whole."""
    assert flat("I can't, won't, didn't; we've, you'll, they're, it's") == (
        "i can not will not did not we have you will they are it is"
    )
    assert flat("L’hôtel, s'il vous plaît!") == "l hotel s il vous plait"


def test_a_phrase_is_a_pattern_of_whole_words() -> None:
    """Given the lexicon's notation, then the pattern has its optional words, gaps, endings and starts."""
    assert phrase("^i|we ?just have") == "^ (?:i|we) (?:(?:just) )?(?:have) "
    assert phrase("book~ **", "") == " (?:book[^ ]*) (?:[^ ]+ ){0,6}?"
    assert phrase("is @done", "sent paid") == " (?:is) (?:sent|paid) "
    assert phrase("^ @done $", "sent paid") == "^ (?:sent|paid) $"


def test_sentences_know_where_they_stand() -> None:
    """Given an answer, then each sentence has the offsets of its text."""
    answer = "  Sure.  Which day?"
    assert [answer[s.start : s.end] for s in read_answer(answer)] == ["Sure.", "Which day?"]


@pytest.mark.parametrize(
    ("answer", "declined"),
    [
        ("Sorry, I can't help with that.", True),
        ("Désolé, je ne peux pas vous aider.", True),
        ("Sure, which day?", False),
    ],
)
def test_an_answer_declines_as_a_whole(answer: str, declined: bool) -> None:
    """Given an answer with a refusal in it, then it declines."""
    assert declines(read_answer(answer)) is declined


@pytest.mark.parametrize(
    ("answer", "again"),
    [("Please give it again.", True), ("Redonnez la valeur.", True), ("Thanks, noted.", False)],
)
def test_an_answer_asks_again(answer: str, again: bool) -> None:
    """Given an answer that wants the value again, then it is seen."""
    assert asks_again(read_answer(answer)) is again


THINGS = [
    ("Please give me your insurance number.", [("insurance", "number")]),
    ("What is your date of birth?", [("date", "birth")]),
    ("Donnez-moi votre numéro de sécurité sociale.", [("numero", "securite", "sociale")]),
    ("Deme su número de cuenta, por favor.", [("numero", "cuenta")]),
    ("Which day would you like?", []),
    ("Give me your.", []),
]


@pytest.mark.parametrize(("answer", "things"), THINGS)
def test_what_is_asked_for_is_named(answer: str, things: list[tuple[str, ...]]) -> None:
    """Given a request, then the words of the thing asked for are found, and no more."""
    assert list(things_asked(read_answer(answer))) == things


LANGUAGES = [
    ("I would like to book a room for tonight", "en"),
    ("je voudrais une chambre pour ce soir", "fr"),
    ("quiero una habitación para esta noche", "es"),
    ("¿qué tal?", "es"),
    ("mañana", "es"),
    ("XKT904", None),
    ("", None),
    ("ok", None),
    ("12345 67", None),
]


@pytest.mark.parametrize(("text", "language"), LANGUAGES)
def test_a_language_is_told_where_it_is_plain(text: str, language: str | None) -> None:
    """Given a text, then its language is told when its words say so clearly, else nothing is."""
    assert detect_language(text) == language


@given(st.text(max_size=120))
def test_any_answer_can_be_read(answer: str) -> None:
    """Given any text, then it is read into sentences that stand in it."""
    assert all(answer[s.start : s.end] == s.text for s in read_answer(answer))
    assert detect_language(answer) in {"en", "fr", "es", None}


@pytest.mark.parametrize(
    "text",
    ["It's fine, you wont pay: it`s é", "Si, claro", "Sí, claro; no", "Open：it's (free)", "it`s é, it`s", "", "no,"],
    ids=["bare", "if or yes", "yes", "wide mark", "grave", "empty", "mark last"],
)
def test_clauses_are_flat_as_if_alone(text: str) -> None:
    """Given a text with marks, then each clause is what it would be as a sentence of its own."""
    assert flat_clauses(text) == [flat(clause) for clause in re.split(r"[,;:()–—]", text)]


@given(NEAR_TEXT)
def test_any_clauses_are_flat_as_if_alone(text: str) -> None:
    """Given any text, then each clause is what it would be as a sentence of its own."""
    assert flat_clauses(text) == [flat(clause) for clause in re.split(r"[,;:()–—]", text)]
