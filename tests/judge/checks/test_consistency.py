"""Do the parts of a response agree? Each code emitted in each language it can be said in, and a near miss that
isn't.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from guardrail.judge.codes import CODES
from guardrail.judge.model import Decision, Outcome
from guardrail.judge.policy import Policy
from tests.judge.turns import BOOKING_QUOTE, answer, codes, hotel, item, judged, parameter_turn, scope_turn
from tests.scoring import policies

CLINICS = {locale: policies()[f"clinic-{locale}"] for locale in ("en", "fr", "es")}
PLAIN = "cancel XKT904 please"


def scope(
    text: str, message: str, intent: str | None = "book_appointment", locale: str = "en", **changes: Any
) -> Decision:
    """The decision on a clinic's scope turn with this answer."""
    policy = CLINICS[locale]
    return judged(scope_turn(text, policy, intent=intent, **changes), message, policy)


def turn(
    message: str = PLAIN, policy: Policy | None = None, item_changes: dict[str, Any] | None = None, **changes: Any
) -> Decision:
    """The decision on the hotel's parameter turn."""
    said = changes.pop("message_content", message)
    return judged(parameter_turn(item(**(item_changes or {})), message=said, **changes), message, policy)


def quoted(quote: str, **changes: Any) -> Decision:
    """The decision on a scope turn with this quote."""
    return judged(scope_turn(evidence_from_prompt=quote, **changes))


REFUSED = {"parameter_extracted_part": "ab1234", "simulate_regex_execution": False}
NOTHING = {"parameter_extracted_part": "", "simulate_regex_execution": False}
NOTHING_FITS = {"parameter_extracted_part": "", "parameter_value_format_regex": "^([A-Z]{3}[0-9]{3})?$"}
AGAIN = "Please give a valid booking ID with 3 letters and 3 numbers."
DAY = "Which day would you like?"

Pair = tuple[Callable[[], Decision], Callable[[], Decision]]

EMITTED: dict[str, list[Pair]] = {
    "null_intent_affirming": [
        (
            lambda: scope("About six foot two.", "how tall is the manager", None, out_of_scope_request=False),
            lambda: scope("That is not for me.", "how tall is the manager", None, out_of_scope_request=False),
        ),
        (
            lambda: scope("Yes, I can locate your test results.", "my blood tests", None, out_of_scope_request=False),
            lambda: scope("Sorry, I can't help with test results.", "my blood tests", None, out_of_scope_request=False),
        ),
        (
            lambda: scope(
                "Oui, j'ai trouvé vos résultats.", "mes résultats svp", None, "fr", out_of_scope_request=False
            ),
            lambda: scope(
                "Désolé, je ne peux pas vous donner vos résultats.",
                "mes résultats",
                None,
                "fr",
                out_of_scope_request=False,
            ),
        ),
        (
            lambda: scope(
                "Sí, he encontrado sus resultados.", "mis resultados", None, "es", out_of_scope_request=False
            ),
            lambda: scope(
                "Lo siento, no puedo darle sus resultados.", "mis resultados", None, "es", out_of_scope_request=False
            ),
        ),
    ],
    "answer_contradicts_reasoning": [
        (
            lambda: scope("Yes, I found your test results.", "my blood tests", None),
            lambda: scope("Sorry, that is not supported here.", "my blood tests", None),
        ),
        (
            lambda: scope("Oui, j'ai bien trouvé vos résultats.", "mes résultats", None, "fr"),
            lambda: scope("Désolé, ce n'est pas pris en charge ici.", "mes résultats", None, "fr"),
        ),
        (
            lambda: scope("Sí, ya he encontrado sus resultados.", "mis resultados", None, "es"),
            lambda: scope("Lo siento, no puedo ayudarle con eso aquí.", "mis resultados", None, "es"),
        ),
    ],
    "answer_contradicts_evidence": [
        (
            lambda: turn(
                item_changes=REFUSED,
                message="its ab1234",
                answer="It must have 2 letters followed by 4 numbers. Please give it again.",
            ),
            lambda: turn(
                item_changes=REFUSED,
                message="its ab1234",
                answer="It must have 3 letters followed by 3 numbers. Please give it again.",
            ),
        ),
        (
            lambda: turn(answer="Is XKT905 the reservation to cancel?"),
            lambda: turn(answer="Is XKT904 the reservation to cancel?"),
        ),
    ],
    "oos_but_intent": [
        (
            lambda: scope(DAY, "an appointment please", out_of_scope_request=True),
            lambda: scope("Sorry, I can't help with that.", "a loan please", None),
        )
    ],
    "false_refusal": [
        (
            lambda: scope("Sorry, I can't cancel appointments.", "cancel my appointment", None),
            lambda: scope(
                "Sorry, I can't cancel your phone contract.", "cancel my phone contract with the mobile operator", None
            ),
        ),
        (
            lambda: scope("Désolé, je ne peux pas annuler de rendez-vous.", "annuler mon rendez-vous", None, "fr"),
            lambda: scope(
                "Désolé, je ne peux pas vous aider pour cela.",
                "annuler mon forfait mobile chez mon opérateur",
                None,
                "fr",
            ),
        ),
        (
            lambda: scope("Lo siento, no puedo cancelar citas.", "cancelar mi cita", None, "es"),
            lambda: scope(
                "Lo siento, no puedo ayudarle con eso.", "cancelar mi contrato de teléfono móvil", None, "es"
            ),
        ),
    ],
    "claims_done_action": [
        (
            lambda: scope("Your appointment is cancelled.", "cancel it", "cancel_appointment"),
            lambda: scope("Once your appointment is cancelled, I will tell you?", "cancel it", "cancel_appointment"),
        ),
        (
            lambda: scope("C'est fait, votre rendez-vous est annulé.", "annulez", "cancel_appointment", "fr"),
            lambda: scope(
                "Un rendez-vous peut être annulé sans frais jusqu'à 24 heures avant la visite.",
                "annulez",
                "cancel_appointment",
                "fr",
            ),
        ),
        (
            lambda: scope("Su cita ha sido cancelada.", "cancele", "cancel_appointment", "es"),
            lambda: scope(
                "Una cita se puede cancelar sin coste hasta 24 horas antes de la visita.",
                "cancele",
                "cancel_appointment",
                "es",
            ),
        ),
    ],
    "confirm_after_fail": [
        (
            lambda: turn("hello", item_changes=NOTHING, answer="Thanks, your booking ID is noted."),
            lambda: turn("hello", item_changes=NOTHING, answer=AGAIN),
        ),
        (
            lambda: turn("hello", item_changes=NOTHING_FITS, answer="Thanks, your booking ID is noted."),
            lambda: turn("hello", item_changes=NOTHING_FITS, answer="Take your time."),
        ),
        (
            lambda: turn("its ab1234", item_changes=REFUSED, answer="Thanks, I noted ab1234."),
            lambda: turn("its ab1234", item_changes=REFUSED, answer=AGAIN),
        ),
        (
            lambda: turn("its ab1234", item_changes=REFUSED, answer="Cancel ab1234, is that right?"),
            lambda: turn(
                "its ab1234", item_changes=REFUSED, answer="ab1234 is not a valid booking ID. Please give it again."
            ),
        ),
    ],
    "asks_undefined_parameter": [
        (
            lambda: scope("Please give me your insurance number.", "an appointment please"),
            lambda: scope("Please give me your phone number.", "an appointment please"),
        ),
        (
            lambda: scope("Donnez-moi votre numéro de sécurité sociale.", "un rendez-vous svp", locale="fr"),
            lambda: scope("Donnez-moi votre numéro de téléphone.", "un rendez-vous svp", locale="fr"),
        ),
        (
            lambda: scope("Deme su número de seguro.", "una cita por favor", locale="es"),
            lambda: scope("Deme su número de teléfono.", "una cita por favor", locale="es"),
        ),
    ],
    "intent_not_in_familiar": [
        (
            lambda: scope(DAY, "an appointment please", intents_i_am_familiar_with=["Cancel Appointment"]),
            lambda: scope(DAY, "an appointment please", intents_i_am_familiar_with=["BOOK appointment"]),
        )
    ],
    "intent_not_supported_by_message": [
        (
            lambda: scope(DAY, "cancel my appointment"),
            lambda: scope("Which appointment is it?", "cancel my appointment", "cancel_appointment"),
        ),
        (
            lambda: scope("Quel jour vous convient ?", "annuler un rendez-vous", locale="fr"),
            lambda: scope("Quel rendez-vous est-ce ?", "annuler un rendez-vous", "cancel_appointment", "fr"),
        ),
        (
            lambda: scope("¿Qué día prefiere?", "cancelar mi cita", locale="es"),
            lambda: scope("¿Qué cita es?", "cancelar mi cita", "cancel_appointment", "es"),
        ),
    ],
    "evidence_not_in_prompt": [
        (
            lambda: quoted("The user wants to book a room for two."),
            lambda: quoted("Supported intents: Book Room, Cancel Reservation"),
        )
    ],
    "evidence_too_short": [(lambda: quoted("Book Room"), lambda: quoted("Supported intents: Book Room"))],
    "evidence_irrelevant": [
        (
            lambda: turn(evidence_from_prompt="Nights format: a whole number from 1 to 30 (e.g., 4)."),
            lambda: turn(evidence_from_prompt=BOOKING_QUOTE),
        )
    ],
    "evidence_loose_match": [
        (
            lambda: quoted("supported intents book room, cancel reservation"),
            lambda: quoted("Supported intents: Book Room, Cancel Reservation"),
        )
    ],
    "fields_mixed_up": [
        (
            lambda: turn(message_content="Which reservation is it?", answer="Which reservation is it?"),
            lambda: turn("Which reservation is it?", answer="Which reservation is it?"),
        ),
        (
            lambda: quoted("Supported intents: Book Room", answer="Supported intents: Book Room"),
            lambda: quoted("Supported intents: Book Room", answer="I can help with: Book Room"),
        ),
    ],
    "message_content_altered": [
        (lambda: turn(message_content="cancel XKT904"), lambda: turn(message_content="cancel  XKT904 please ")),
    ],
    "message_content_loose": [
        (lambda: turn(message_content="Cancel XKT904, please!"), lambda: turn(message_content=PLAIN)),
    ],
    "reasoning_leak": [
        (
            lambda: judged(scope_turn("<think>two nights</think>Which night would you like?")),
            lambda: judged(scope_turn("I think two nights. Which night would you like?")),
        ),
        (
            lambda: judged(scope_turn("Which night? simulate_regex_execution: true")),
            lambda: judged(scope_turn("Which night? Simulate nothing.")),
        ),
    ],
    "markup_leak": [
        (
            lambda: judged(scope_turn("Which night?</content>")),
            lambda: judged(scope_turn("Which night, 2 < 3 or > 4?")),
        ),
        (lambda: judged(scope_turn("Which night?<|im_end|>")), lambda: judged(scope_turn("Which night? <3"))),
    ],
    "language_mismatch": [
        (
            lambda: scope("Which day would you like to come to the clinic?", "je voudrais un rendez-vous", locale="fr"),
            lambda: scope("Quel jour voulez-vous venir à la clinique ?", "je voudrais un rendez-vous", locale="fr"),
        ),
        (
            lambda: scope("¿Qué día prefiere usted para la cita?", "I would like to see a doctor"),
            lambda: scope("OK.", "I would like to see a doctor"),
        ),
        (
            lambda: scope("Quel jour voulez-vous venir à la clinique ?", "quiero una cita para mañana", locale="es"),
            lambda: scope("¿Qué día prefiere usted para la cita?", "quiero una cita para mañana", locale="es"),
        ),
    ],
}


def test_every_code_of_the_family_is_emitted_here() -> None:
    """Given the closed list, then each code of the family has a row."""
    assert {code.partition(".")[2] for code in CODES if code.startswith("consistency.")} == EMITTED.keys()


ROWS = [(name, index) for name, pairs in EMITTED.items() for index in range(len(pairs))]


@pytest.mark.parametrize(("name", "index"), ROWS)
def test_a_code_is_told_where_it_is_and_nowhere_near(name: str, index: int) -> None:
    """Given a turn whose parts contradict each other, then the code is told; given a near miss, it isn't."""
    found, near = (build() for build in EMITTED[name][index])
    assert f"consistency.{name}" in codes(found)
    assert f"consistency.{name}" not in codes(near)


@pytest.mark.parametrize("name", EMITTED)
def test_by_default_the_action_is_the_codes_own(name: str) -> None:
    """Given a code found, then the decision gives it the default action of the list."""
    decision = EMITTED[name][0][0]()
    [action] = {v.action for v in decision.violations if v.code == f"consistency.{name}"}
    assert action is CODES[f"consistency.{name}"].default


def test_a_message_in_shouts_is_loose_not_altered() -> None:
    """Given the user's words in another case, then they are told as loose, not as altered."""
    decision = turn(message_content="CANCEL xkt904 PLEASE")
    assert "consistency.message_content_loose" in codes(decision)
    assert "consistency.message_content_altered" not in codes(decision)


def test_without_a_prompt_no_quote_can_be_wrong() -> None:
    """Given a policy without a prompt, then quotes aren't judged."""
    policy = hotel(prompt="")
    decision = judged(scope_turn(policy=policy, evidence_from_prompt="anything at all here"), policy=policy)
    assert not {code for code in codes(decision) if "evidence" in code}


def test_a_reported_language_is_the_only_finding() -> None:
    """Given an answer in another language, then it is reported and the response approved all the same."""
    policy = hotel()
    decision = judged(
        scope_turn("Quelle nuit vous conviendrait pour la chambre ?"), "a room for the night please", policy
    )
    assert codes(decision) == {"consistency.language_mismatch"}
    assert decision.outcome is Outcome.APPROVED


def test_a_deed_that_the_evidence_bears_out_is_no_claim() -> None:
    """Given evidence that says the deed, then stating it claims nothing that nobody did."""
    facts = [{"id": "r", "text": "Your reservation XKT904 is cancelled."}]
    said = "Your reservation XKT904 is cancelled."
    with_it = judged(parameter_turn(answer=said), PLAIN, evidence=facts)
    without = judged(parameter_turn(answer=said), PLAIN)
    assert "consistency.claims_done_action" not in codes(with_it)
    assert "consistency.claims_done_action" in codes(without)


DEEDS = [
    ("en", "I have cancelled your appointment."),
    ("en", "Your appointment has been cancelled."),
    ("en", "Your appointment is cancelled."),
    ("fr", "J'ai annulé votre rendez-vous."),
    ("fr", "Votre rendez-vous est annulé."),
    ("es", "He cancelado su cita."),
    ("es", "Su cita está cancelada."),
]


@pytest.mark.parametrize(("locale", "text"), DEEDS)
def test_a_rule_that_something_can_be_done_bears_out_no_deed(locale: str, text: str) -> None:
    """Given evidence that appointments can be cancelled, then saying that one was is still a deed that nobody did."""
    message = {"en": "cancel my appointment", "fr": "annuler mon rendez-vous", "es": "cancelar mi cita"}[locale]
    decision = scope(text, message, "cancel_appointment", locale)
    assert "consistency.claims_done_action" in codes(decision)
    assert decision.outcome is not Outcome.APPROVED


TAGGED = [
    ("en", "I have cancelled your appointment, is that okay?"),
    ("en", "Your appointment is booked for Monday, right?"),
    ("en", "All done, anything else?"),
    ("fr", "Votre rendez-vous est confirmé pour mardi, d'accord ?"),
    ("es", "Su cita está confirmada para el martes, ¿de acuerdo?"),
]


@pytest.mark.parametrize(("locale", "text"), TAGGED)
def test_a_question_at_its_end_unsays_no_deed(locale: str, text: str) -> None:
    """Given a deed with a tag question behind it, then the deed is still one that nobody did."""
    decision = scope(text, {"en": "an appointment", "fr": "un rendez-vous", "es": "una cita"}[locale], locale=locale)
    assert "consistency.claims_done_action" in codes(decision)
    assert decision.outcome is not Outcome.APPROVED


def test_handling_a_request_is_no_refusal() -> None:
    """Given a French answer that takes the request on without an intent, then it goes along, whatever verb it uses."""
    decision = scope("Je gère cela tout de suite, vos résultats arrivent.", "mes résultats svp", None, "fr")
    assert decision.outcome is Outcome.REJECTED


def test_leaks_and_marks_are_cut_from_the_answer() -> None:
    """Given marks around a good answer, then they are cut and the rest goes out."""
    decision = judged(scope_turn("<think>two nights</think>Which night would you like?</content>"))
    assert decision.outcome is Outcome.CORRECTED
    assert answer(decision) == "Which night would you like?"
