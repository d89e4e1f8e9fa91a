"""Sentences that assert nothing, and those that do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.reading import read_text
from guardrail.judge.silence import silent
from guardrail.judge.speech import read_answer
from guardrail.judge.text import composed
from tests.judge.test_ground import TERMS, ground
from tests.judge.test_tokens import NEAR_TEXT

GROUNDS = {locale: ground(text) for locale, text in TERMS.items()}


def says_nothing(text: str, locale: str = "en", known: str = "") -> bool:
    """Whether the only sentence of an answer asserts nothing; `known`: what was said so far."""
    (sentence,) = read_answer(text)
    return silent(sentence, GROUNDS[locale], read_text(known).keys)


SILENT = [
    ("en", "Thank you very much!"),
    ("en", "Sorry for the wait."),
    ("en", "What is your name?"),
    ("en", "One moment, I'll connect you."),
    ("en", "It is so."),
    ("en", "I can't help with spaceships."),
    ("en", "Anything else about parking?"),
    ("en", "Just a moment, this takes 2 minutes, I'm looking."),
    ("fr", "Merci beaucoup !"),
    ("fr", "Désolé pour l'attente."),
    ("fr", "Quel est votre nom ?"),
    ("fr", "Un instant, s'il vous plaît."),
    ("fr", "Je ne peux pas vous aider avec les fusées."),
    ("es", "¡Muchas gracias!"),
    ("es", "Lamento la espera."),
    ("es", "¿Cuál es su nombre?"),
    ("es", "Un momento, por favor."),
    ("es", "No puedo ayudarle con cohetes."),
    ("en", "So you'd like to park your yacht here."),
    ("en", "If I understand you correctly, breakfast comes late for you."),
    ("en", "I'm so sorry that you missed breakfast!"),
    ("en", "How exciting, a yacht!"),
    ("en", "Thank you for your question about parking."),
    ("en", "Have a lovely day!"),
    ("en", "Please tell me your booking number."),
    ("en", "I only deal with parking questions here."),
    ("en", "I'm afraid I didn't quite get your message."),
    ("fr", "Vous souhaitez donc prendre votre petit déjeuner."),
    ("fr", "Si je vous comprends bien, le parking vous inquiète."),
    ("fr", "Quelle belle idée, un yacht !"),
    ("fr", "Mille excuses pour l'attente."),
    ("fr", "Bonjour et bienvenue au parking !"),
    ("fr", "Je n'ai pas compris votre message."),
    ("fr", "Donnez-moi votre adresse, s'il vous plaît."),
    ("es", "Así que quieres aparcar tu yate."),
    ("es", "Si le he entendido bien, le preocupa el desayuno."),
    ("es", "¡Que tenga un día estupendo!"),
    ("es", "Mil gracias por su paciencia."),
    ("es", "Gracias por su interés en el aparcamiento."),
    ("es", "No estoy seguro de haberte entendido."),
    ("es", "Dame un momentito, estoy mirando lo del aparcamiento."),
]
TELLING = [
    ("en", "Parking costs 8 euros per night."),
    ("en", "The lighthouse was built by fishermen."),
    ("en", "Would you like parking for 8 euros?"),
    ("en", "Is it 30 euros?"),
    ("en", "I can't help with parking and breakfast until arrival."),
    ("en", "Give me 30 minutes, I'm looking."),
    ("en", "The seven of you are welcome to talk."),
    ("en", "We have no information about parking?"),
    ("fr", "Le parking coûte 8 euros par nuit."),
    ("fr", "Le phare fut construit par les pêcheurs."),
    ("fr", "Voulez-vous le parking pour 9 euros ?"),
    ("es", "El aparcamiento cuesta 8 euros por noche."),
    ("es", "El faro fue construido por los pescadores."),
    ("es", "¿Quiere el aparcamiento por 9 euros?"),
    ("en", "Sorry, but you have to come in yourself."),
    ("en", "If you'd like breakfast, parking is closed."),
    ("en", "Thanks for asking, parking is for guests only."),
    ("en", "How nice, breakfast in bed and parking!"),
    ("fr", "Désolé, les yachts ne sont pas admis au parking."),
    ("fr", "Merci de votre question : le petit déjeuner est servi au parking."),
    ("es", "Lo siento, el aparcamiento no admite yates."),
    ("es", "Gracias por preguntar: el desayuno se sirve en el aparcamiento."),
]


@pytest.mark.parametrize(("locale", "text"), SILENT)
def test_the_talk_itself_asserts_nothing(locale: str, text: str) -> None:
    """Given thanks, an apology, a question, a hand-over or a plain refusal, then it asserts nothing."""
    assert says_nothing(text, locale)


@pytest.mark.parametrize(("locale", "text"), TELLING)
def test_a_fact_or_figure_is_never_silent(locale: str, text: str) -> None:
    """Given a fact, a figure of its own or a disclaimer, in whatever form, then it asserts something."""
    assert not says_nothing(text, locale)


@pytest.mark.parametrize(
    ("locale", "handed_over", "done"),
    [
        ("en", "I will transfer you to a colleague.", "I have cancelled your booking."),
        ("en", "I'm connecting you with a human now.", "A colleague will call you back."),
        ("fr", "Je vous transfère à un collègue.", "J'ai annulé votre réservation."),
        ("es", "Ahora mismo le paso con un compañero.", "He cancelado su reserva."),
    ],
)
def test_only_a_hand_over_is_a_silent_deed(locale: str, handed_over: str, done: str) -> None:
    """Given a promise to hand over to someone, then it asserts nothing; any other deed does."""
    assert says_nothing(handed_over, locale)
    assert not says_nothing(done, locale)


def test_a_promise_of_the_talk_without_anyone_is_a_promise() -> None:
    """Given a deed of talk words alone, with no one it is handed to, then it still asserts."""
    assert not says_nothing("I have sent you a message.")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Is it 30 euros?", "I paid 30 euros."),
        ("Was it for 7 people?", "We are 7 people."),
        ("Thanks for the 30 minutes.", "I waited 30 minutes."),
        ("Sorry about the yacht.", "My yacht is gone, the yacht!"),
    ],
)
def test_what_was_said_before_is_no_fact_of_its_own(text: str, known: str) -> None:
    """Given a figure or thing that the user named, then a question or an apology about it asserts nothing."""
    assert says_nothing(text, known=known)


@pytest.mark.parametrize("text", ["The yacht sails away.", "Thanks for the 30 minutes."])
def test_to_repeat_is_to_assert_and_new_figures_are_facts(text: str) -> None:
    """Given a statement without a word of the talk, though known, or thanks with a time no one gave, then it tells."""
    assert not says_nothing(text, known="The yacht sails away.")


def test_a_touch_of_the_evidence_needs_more_talk() -> None:
    """Given one word of the evidence among words of the talk, then it is silent only where these are many."""
    assert not says_nothing("Good parking.")
    assert says_nothing("Good luck and patience, kind regards, happy parking.")


def test_a_hand_over_with_a_time_is_a_promise() -> None:
    """Given a hand-over that says when, then it asserts; so does a callback, which nobody here can promise."""
    assert says_nothing("I'll put you through to a colleague.")
    assert not says_nothing("I'll put you through to a colleague tomorrow.")
    assert not says_nothing("A specialist will call you back within the hour.")
    assert not says_nothing("I'll put you through to a colleague and I have cancelled it.")
    assert not says_nothing("I'm transferring the deposit to your account now.")


def test_what_sounds_like_a_record_may_be_sympathy() -> None:
    """Given words that cite what is on file only in form, then a feeling asserts nothing; a record does."""
    assert says_nothing("I can see why you're upset.")
    assert not says_nothing("I can see that you have two yachts parked.")


def test_in_prose_talk_may_be_an_opinion() -> None:
    """Given evidence in prose, then words of the talk alone, or a refusal in the first person, may be claims."""
    prose = ground("The old lighthouse was built by fishermen from the village.")
    for text in ("I love a good chat.", "I haven't seen the yacht."):
        (sentence,) = read_answer(text)
        assert says_nothing(text)
        assert not silent(sentence, prose, frozenset())
    (thanks,) = read_answer("Thank you for your message!")
    assert silent(thanks, prose, frozenset())


def test_a_span_that_the_evidence_gives_is_a_fact() -> None:
    """Given a short time in words of the talk, then it is a fact where the evidence has the same."""
    text = "One moment please, hold on for 5 minutes, thanks."
    (sentence,) = read_answer(text)
    assert says_nothing(text)
    assert not silent(sentence, ground("The bus leaves every 5 minutes."), frozenset())


@given(st.sampled_from([text for _, text in (*SILENT, *TELLING)]) | NEAR_TEXT, st.sampled_from(["en", "fr", "es"]))
def test_any_sentence_is_one_or_the_other(text: str, locale: str) -> None:
    """Given any answer, then each sentence is silent or not, twice the same; what has no content is."""
    for sentence in read_answer(text):
        found = silent(sentence, GROUNDS[locale], frozenset())
        assert silent(sentence, GROUNDS[locale], frozenset()) is found
        assert found or sentence.acts or read_text(composed(sentence.text)).content
