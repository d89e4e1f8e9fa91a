"""What an answer asserts, held against its evidence: every verdict and code, in the three languages."""

from __future__ import annotations

from typing import Any

import pytest

from guardrail.judge.codes import CODES
from guardrail.judge.model import Decision, Grounding, Outcome, Verdict
from guardrail.judge.policy import Policy
from tests.judge.turns import answer, codes, hotel, judged, scope_turn
from tests.scoring import policies

CLINICS = {locale: policies()[f"clinic-{locale}"] for locale in ("en", "fr", "es")}
HOURS = {"en": "When are you open?", "fr": "Quand est-ce que vous ouvrez ?", "es": "¿Cuándo abren ustedes?"}


def said(
    text: str, locale: str = "en", message: str | None = None, policy: Policy | None = None, **fields: Any
) -> Decision:
    """The decision on a clinic's answer to a question."""
    policy = policy or CLINICS[locale]
    turn = scope_turn(text, policy, intent="book_appointment")
    return judged(turn, HOURS[locale] if message is None else message, policy, **fields)


def grounding(decision: Decision) -> Grounding:
    """The grounding of a decision that has one."""
    assert decision.grounding is not None
    return decision.grounding


def calibrated(risk: float) -> Policy:
    """The clinic's policy with an operating point."""
    layout = CLINICS["en"].layout.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return hotel(**{**layout, "grounding": {"calibration": {"risk": risk, "level": 0.05, "answers": 50}}})


SUPPORTED = {
    "en": "The clinic is open Monday to Friday from 8 am to 6 pm.",
    "fr": "La clinique est ouverte du lundi au vendredi de 8 h à 18 h.",
    "es": "La clínica abre de lunes a viernes de 8 a 18 horas.",
}
FIGURES = {
    "en": ("A missed appointment is charged 75 euros.", "A missed appointment is charged 25 euros."),
    "fr": ("Un rendez-vous manqué est facturé 75 euros.", "Un rendez-vous manqué est facturé 25 euros."),
    "es": ("Una cita perdida cuesta 75 euros.", "Una cita perdida cuesta 25 euros."),
}
FLIPPED = {
    "en": ("The clinic is not open Monday to Friday.", SUPPORTED["en"]),
    "fr": ("La clinique n'est pas ouverte du lundi au vendredi.", SUPPORTED["fr"]),
    "es": ("La clínica no abre de lunes a viernes.", SUPPORTED["es"]),
}
PROMISED = {
    "en": ("A specialist will call you back within the hour.", "Would you like to book an appointment?"),
    "fr": ("Un spécialiste vous rappellera dans l'heure.", "Voulez-vous prendre rendez-vous ?"),
    "es": ("Un especialista le llamará dentro de una hora.", "¿Quiere reservar una cita?"),
}
RECORDED = {
    "en": ("According to our records you have two appointments.", "Do you have an appointment?"),
    "fr": ("D'après nos dossiers vous avez deux rendez-vous.", "Avez-vous un rendez-vous ?"),
    "es": ("Según nuestros registros tiene dos citas.", "¿Tiene usted una cita?"),
}
LOCALES = ("en", "fr", "es")


def test_every_code_of_the_family_is_emitted_here() -> None:
    """Given the closed list, then each code of the family has a test here."""
    here = {
        "unsupported_sentence",
        "contradicts_evidence",
        "number_mismatch",
        "no_evidence",
        "below_tau",
        "not_evaluated",
    }
    assert {code.partition(".")[2] for code in CODES if code.startswith("ground.")} == here


@pytest.mark.parametrize("locale", LOCALES)
def test_what_the_evidence_says_is_supported(locale: str) -> None:
    """Given an evidence sentence as the answer, then it is supported by that passage and approved."""
    decision = said(SUPPORTED[locale], locale)
    assert decision.outcome is Outcome.APPROVED
    found = grounding(decision)
    assert found.verdict is Verdict.SUPPORTED
    assert [(claim.verdict, claim.evidence_id) for claim in found.claims] == [(Verdict.SUPPORTED, "doc-1")]
    assert found.risk == pytest.approx(0)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (FIGURES, "ground.number_mismatch"),
        (FLIPPED, "ground.contradicts_evidence"),
        (PROMISED, "ground.unsupported_sentence"),
        (RECORDED, "ground.unsupported_sentence"),
    ],
    ids=["figures", "flipped", "promised", "recorded"],
)
def test_what_is_plainly_wrong_is_told_and_acted_on(texts: dict[str, tuple[str, str]], code: str, locale: str) -> None:
    """Given a changed figure, a flipped polarity, a promise or an invented record, then it is told and never
    approved.
    """
    wrong, right = texts[locale]
    decision = said(wrong, locale)
    assert code in codes(decision)
    assert decision.outcome in {Outcome.CORRECTED, Outcome.REJECTED}
    assert grounding(decision).verdict is Verdict.UNSUPPORTED
    near = said(right, locale)
    assert not {c for c in codes(near) if c.startswith("ground.") and c != "ground.below_tau"}
    assert near.outcome is Outcome.APPROVED


CONFLICTS = [
    ("clinic-en", "A missed appointment is charged 25 dollars.", "ground.number_mismatch"),
    (
        "clinic-en",
        "Appointments can be cancelled free of charge at any time before the visit.",
        "ground.contradicts_evidence",
    ),
    ("telecom-en", "Plan L includes 40 gigabytes of data and costs 15 euros per month.", "ground.contradicts_evidence"),
    ("clinic-fr", "Un rendez-vous manqué est facturé 25 dollars.", "ground.number_mismatch"),
    (
        "telecom-fr",
        "Le forfait L comprend 40 gigaoctets de données et coûte 15 euros par mois.",
        "ground.contradicts_evidence",
    ),
    ("clinic-es", "Una cita perdida cuesta 25 dólares.", "ground.number_mismatch"),
]


@pytest.mark.parametrize(("agent", "text", "code"), CONFLICTS)
def test_another_unit_name_or_limit_is_another_thing(agent: str, text: str, code: str) -> None:
    """Given a near copy with another unit, another name, or its limit lifted, then it is told and never approved."""
    policy = policies()[agent]
    turn = scope_turn(text, policy, intent=next(iter(policy.intents)))
    decision = judged(turn, "hm", policy)
    assert code in codes(decision)
    assert decision.outcome is not Outcome.APPROVED


@pytest.mark.parametrize("locale", LOCALES)
def test_a_misquoted_figure_is_put_right_from_the_evidence(locale: str) -> None:
    """Given a near copy with another figure, then the evidence sentence takes its place and its passage is named."""
    wrong, right = FIGURES[locale]
    decision = said(wrong, locale)
    assert decision.outcome is Outcome.CORRECTED
    assert answer(decision) == right
    assert [(edit.before, edit.after) for edit in decision.edits] == [(wrong, right)]
    assert decision.edits[0].evidence_id in {"doc-2", "doc-3"}


FREE = [
    ("en", "You can cancel an appointment at no charge up to 24 hours before the visit.", False),
    ("en", "Appointments can be cancelled without any fee up to 24 hours before the visit.", False),
    ("en", "Appointments can not be cancelled free of charge up to 24 hours before the visit.", True),
    ("fr", "Un rendez-vous peut être annulé gratuitement jusqu'à 24 heures avant la visite.", False),
    ("fr", "Un rendez-vous ne peut pas être annulé sans frais jusqu'à 24 heures avant la visite.", True),
    ("es", "Una cita se puede cancelar gratis hasta 24 horas antes de la visita.", False),
    ("es", "Una cita no se puede cancelar sin coste hasta 24 horas antes de la visita.", True),
]


@pytest.mark.parametrize(("locale", "text", "contradicts"), FREE)
def test_free_of_charge_is_one_thing_however_it_is_said(locale: str, text: str, contradicts: bool) -> None:
    """Given "no charge", "sans frais", "gratis", then the no belongs to the price and isn't a negation of the
    sentence.
    """
    assert ("ground.contradicts_evidence" in codes(said(text, locale))) is contradicts


SPELLED = [
    ("en", "A missed appointment is charged 25.00 euros."),
    ("en", "A missed appointment is charged twenty-five euros."),
    ("fr", "Un rendez-vous manqué est facturé 25,00 euros."),
    ("fr", "Un rendez-vous manqué est facturé vingt-cinq euros."),
    ("es", "Una cita perdida cuesta veinticinco euros."),
]


@pytest.mark.parametrize(("locale", "text"), SPELLED)
def test_a_figure_in_another_spelling_is_the_same(locale: str, text: str) -> None:
    """Given a figure with idle zeros or in words, then it is the evidence's figure."""
    assert "ground.number_mismatch" not in codes(said(text, locale))


def test_a_figure_of_another_sentence_is_swapped() -> None:
    """Given a figure that the evidence has elsewhere, then it is still wrong here."""
    assert "ground.number_mismatch" in codes(said("A missed appointment is charged 24 euros."))


def test_what_the_user_said_needs_no_evidence() -> None:
    """Given a figure that the user named, in this turn or an earlier one, then repeating it is no mismatch."""
    text = "You asked about 40 euros."
    assert "ground.number_mismatch" in codes(said(text))
    assert "ground.number_mismatch" not in codes(said(text, message="I paid 40 euros, why?"))
    history = [{"role": "user", "text": "I paid 40 euros"}]
    assert "ground.number_mismatch" not in codes(said(text, history=history))


SILENT = {
    "en": [
        "Which day would you like?",
        "Sorry, I can't help with that.",
        "Sure, happy to help.",
        "Please give me your phone number.",
    ],
    "fr": ["Quel jour vous convient ?", "Désolé, je ne peux pas vous aider pour cela.", "Bien sûr, avec plaisir."],
    "es": ["¿Qué día prefiere?", "Lo siento, no puedo ayudarle con eso.", "Claro, con mucho gusto."],
}


@pytest.mark.parametrize(("locale", "text"), [(locale, text) for locale, texts in SILENT.items() for text in texts])
def test_what_asserts_nothing_is_never_unsupported(locale: str, text: str) -> None:
    """Given a question, a refusal, a courtesy or a request, then there is nothing to check, no risk and no score."""
    found = grounding(said(text, locale))
    assert (found.verdict, found.risk, found.score) == (Verdict.NOTHING_TO_CHECK, None, None)
    assert all(claim.risk is None for claim in found.claims)


def bare(**changes: Any) -> Policy:
    """The small policy without evidence."""
    return hotel(evidence=[], **changes)


def test_claims_without_evidence_are_reported() -> None:
    """Given claims and no passages, then the verdict is no_evidence and the response passes; a question needs none."""
    decision = judged(scope_turn("Breakfast is served on the terrace."), policy=bare())
    assert "ground.no_evidence" in codes(decision)
    assert grounding(decision).verdict is Verdict.NO_EVIDENCE
    assert decision.outcome is Outcome.APPROVED
    assert "ground.no_evidence" not in codes(judged(scope_turn(), policy=bare()))


def test_a_promise_without_evidence_is_still_acted_on() -> None:
    """Given a promise and no passages, then it is unsupported all the same, and nothing can correct it."""
    decision = judged(scope_turn("A specialist will call you back within the hour."), policy=bare())
    assert "ground.unsupported_sentence" in codes(decision)
    assert decision.outcome is Outcome.REJECTED


def test_a_language_without_a_lexicon_is_not_evaluated() -> None:
    """Given an answer in another script, then it is reported as not evaluated, never as unsupported."""
    decision = said("クリニックは月曜日から金曜日まで開いています。")
    assert "ground.not_evaluated" in codes(decision)
    assert grounding(decision) == Grounding(
        None, None, CLINICS["en"].layout.grounding.tau, Verdict.UNSUPPORTED_LANGUAGE
    )
    assert decision.outcome is Outcome.APPROVED
    assert "ground.not_evaluated" not in codes(said("¿Qué día, señor Łukasiewicz?"))


def test_a_low_score_alone_only_reports() -> None:
    """Given a published score below tau, then it is told, and the response passes; above tau nothing is told."""
    low, high = said("We open on Mondays at 8 am."), said(SUPPORTED["en"], message=SUPPORTED["en"])
    assert "ground.below_tau" in codes(low)
    assert low.outcome is Outcome.APPROVED
    assert "ground.below_tau" not in codes(high)
    assert (grounding(high).score or 0) > CLINICS["en"].layout.grounding.tau > (grounding(low).score or 0)


def test_an_operating_point_acts_on_risk() -> None:
    """Given a calibrated point, then a claim above its risk is unsupported, and the same claim below it passes."""
    text = "The clinic is open from Monday to Friday and has parking."
    plain, strict, lenient = said(text), said(text, policy=calibrated(0.2)), said(text, policy=calibrated(9))
    assert "ground.unsupported_sentence" not in codes(plain)
    assert "ground.unsupported_sentence" in codes(strict)
    assert strict.outcome in {Outcome.CORRECTED, Outcome.REJECTED}
    assert "ground.unsupported_sentence" not in codes(lenient)
    assert grounding(lenient).verdict is Verdict.SUPPORTED
    assert grounding(plain).risk == grounding(strict).risk == grounding(lenient).risk


def test_an_answer_below_its_operating_point_passes_whole() -> None:
    """Given an answer whose risk is a calibrated point, then none of its sentences is acted on, though one lies above;
    just below that point, the sentence is.
    """
    text = f"{SUPPORTED['en']} There is a heated pool for every guest."
    risk = grounding(said(text)).risk
    assert risk is not None
    worst = max(claim.risk for claim in grounding(said(text)).claims if claim.risk is not None)
    assert worst > risk
    assert "ground.unsupported_sentence" not in codes(said(text, policy=calibrated(risk)))
    assert "ground.unsupported_sentence" in codes(said(text, policy=calibrated(risk - 1e-9)))


def test_the_records_own_evidence_counts() -> None:
    """Given a passage in the record, then a claim rests on it under its id; without it the claim is wrong."""
    text = "Parking costs 3 euros per hour."
    facts = [{"id": "p-1", "text": "Parking costs 3 euros per hour."}]
    decision = said(text, evidence=facts)
    assert grounding(decision).verdict is Verdict.SUPPORTED
    assert [claim.evidence_id for claim in grounding(decision).claims] == ["p-1"]
    assert "ground.number_mismatch" in codes(said(text))


def test_unnamed_evidence_of_the_record_has_a_name() -> None:
    """Given a passage without an id, then it is named by its place."""
    decision = said("Parking costs 3 euros per hour.", evidence=["Other.", "Parking costs 3 euros per hour."])
    assert [claim.evidence_id for claim in grounding(decision).claims] == ["record-1"]


def test_each_sentence_is_a_claim_of_its_own() -> None:
    """Given several sentences, then each has its verdict, and the answer the worst of them."""
    found = grounding(said("Sure. A missed appointment is charged 25 euros. A specialist will call you back."))
    assert [claim.verdict for claim in found.claims] == [
        Verdict.NOTHING_TO_CHECK,
        Verdict.SUPPORTED,
        Verdict.UNSUPPORTED,
    ]
    assert found.verdict is Verdict.UNSUPPORTED


def test_where_correction_is_off_what_is_wrong_is_refused() -> None:
    """Given a policy that doesn't correct, then a wrong figure is rejected."""
    layout = CLINICS["en"].layout.model_dump(mode="json", by_alias=True, exclude_unset=True)
    decision = said(FIGURES["en"][0], policy=hotel(**{**layout, "grounding": {"correct": False}}))
    assert decision.outcome is Outcome.REJECTED
    assert {v.action.value for v in decision.violations if v.code == "ground.number_mismatch"} == {"reject"}


def test_the_prompt_is_known_context() -> None:
    """Given an answer that repeats the prompt's format, then no claim of it is wrong."""
    decision = said("The patient reference is the letter P followed by 6 digits.")
    assert not {c for c in codes(decision) if c in {"ground.number_mismatch", "ground.contradicts_evidence"}}
