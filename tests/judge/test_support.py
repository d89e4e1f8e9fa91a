"""Claims held against evidence: a copy has no risk, each sort of falsehood has some, in terms and in prose."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.reading import read_text
from guardrail.judge.support import Support, supports
from guardrail.judge.text import sentences
from tests.judge.test_ground import ground
from tests.judge.test_tokens import NEAR_TEXT

TERMS = {
    "en": "Breakfast costs 14 euros per person and is served until 10 am. Parking costs 8 euros per night. "
    "Children see Dr Calvo on Monday, adults see Dr Weber on Thursday. "
    "A reservation can be cancelled free of charge until 48 hours before arrival.",
    "fr": "Le petit déjeuner coûte 14 euros par personne et il est servi jusqu'à 10 h. "
    "Le parking coûte 8 euros par nuit. "
    "Les enfants voient le docteur Calvo le lundi, les adultes voient le docteur Weber le jeudi. "
    "Une réservation peut être annulée sans frais jusqu'à 48 heures avant l'arrivée.",
    "es": "El desayuno cuesta 14 euros por persona y se sirve hasta las 10 h. "
    "El aparcamiento cuesta 8 euros por noche. "
    "Los niños ven al doctor Calvo el lunes, los adultos ven al doctor Weber el jueves. "
    "Una reserva se puede cancelar sin gastos hasta 48 horas antes de la llegada.",
}
PROSE = {
    "en": "The old lighthouse was built by fishermen from the village. It guided their boats through autumn storms. "
    "A painter later turned the ground floor into a quiet museum.",
    "fr": "Le vieux phare fut construit par les pêcheurs du village. Il guidait leurs bateaux dans les tempêtes. "
    "Une artiste transforma plus tard le rez-de-chaussée en musée tranquille.",
    "es": "El viejo faro fue construido por los pescadores del pueblo. Guiaba sus barcos entre las tormentas. "
    "Una pintora convirtió más tarde la planta baja en un museo tranquilo.",
}
GROUNDS = {text: ground(text) for text in (*TERMS.values(), *PROSE.values())}
SENTENCES = [(text, text[start:end]) for text in GROUNDS for start, end in sentences(text)]
NOTHING = read_text("")


def held(claim: str, evidence: str, said: str = "", known: str = "") -> Support:
    """A claim held against evidence. `said`: what the user asked; `known`: what was said so far."""
    found = GROUNDS.get(evidence) or ground(evidence)
    return supports([claim], found, read_text(said), read_text(known).keys)[0]


@pytest.mark.parametrize(("evidence", "claim"), SENTENCES)
def test_a_copy_has_no_risk(evidence: str, claim: str) -> None:
    """Given a sentence of the evidence word for word, then nothing speaks against it."""
    found = held(claim, evidence)
    assert found.risk == pytest.approx(0, abs=0.01)


WRONG = [
    (TERMS["en"], "Parking costs 8 euros per night.", "Parking costs 9 euros per night.", "changed_figure"),
    (TERMS["fr"], "Le parking coûte 8 euros par nuit.", "Le parking coûte 9 euros par nuit.", "changed_figure"),
    (
        TERMS["es"],
        "El aparcamiento cuesta 8 euros por noche.",
        "El aparcamiento cuesta 9 euros por noche.",
        "changed_figure",
    ),
    (TERMS["en"], "Parking costs 8 euros per night.", "Parking costs 8 euros per week.", "other_rate"),
    (TERMS["fr"], "Le parking coûte 8 euros par nuit.", "Le parking coûte 8 euros par semaine.", "other_rate"),
    (
        TERMS["es"],
        "El aparcamiento cuesta 8 euros por noche.",
        "El aparcamiento cuesta 8 euros por semana.",
        "other_rate",
    ),
    (TERMS["en"], "Parking costs 8 euros.", "Parking costs 14 euros.", "other_figure"),
    (TERMS["fr"], "Le parking coûte 8 euros.", "Le parking coûte 14 euros.", "other_figure"),
    (TERMS["es"], "El aparcamiento cuesta 8 euros.", "El aparcamiento cuesta 14 euros.", "other_figure"),
    (TERMS["en"], "Children see Dr Calvo.", "Children see Dr Weber.", "other_name"),
    (TERMS["fr"], "Les enfants voient le docteur Calvo.", "Les enfants voient le docteur Weber.", "other_name"),
    (TERMS["es"], "Los niños ven al doctor Calvo.", "Los niños ven al doctor Weber.", "other_name"),
    (TERMS["en"], "Children see Dr Calvo.", "Children see Dr Dupont.", "unknown_name"),
    (TERMS["fr"], "Les enfants voient le docteur Calvo.", "Les enfants voient le docteur Dupont.", "unknown_name"),
    (TERMS["es"], "Los niños ven al doctor Calvo.", "Los niños ven al doctor Dupont.", "unknown_name"),
    (TERMS["en"], "Parking costs 8 euros.", "Parking is 77 euros.", "unknown_figure"),
    (TERMS["fr"], "Le parking coûte 8 euros.", "Le parking est à 77 euros.", "unknown_figure"),
    (TERMS["es"], "El aparcamiento cuesta 8 euros.", "El aparcamiento sale a 77 euros.", "unknown_figure"),
    (TERMS["en"], "A reservation can be cancelled.", "A reservation can be cancelled at any time.", "waiver"),
    (TERMS["fr"], "Une réservation peut être annulée.", "Une réservation peut être annulée à tout moment.", "waiver"),
    (TERMS["es"], "Una reserva se puede cancelar.", "Una reserva se puede cancelar en cualquier momento.", "waiver"),
    (TERMS["en"], "A reservation can be cancelled.", "A reservation can not be cancelled.", "denied_clause"),
    (
        TERMS["fr"],
        "Les adultes voient le docteur Weber.",
        "Les adultes ne voient pas le docteur Weber.",
        "denied_clause",
    ),
    (TERMS["es"], "Los adultos ven al doctor Weber.", "Los adultos no ven al doctor Weber.", "denied_clause"),
    (TERMS["en"], "Parking costs 8 euros.", "Unfortunately, parking isn't possible.", "unavailable"),
    (TERMS["fr"], "Le parking coûte 8 euros.", "Malheureusement, il n'y a pas de parking.", "unavailable"),
    (TERMS["es"], "El aparcamiento cuesta 8 euros.", "Lamentablemente, no hay aparcamiento.", "unavailable"),
    (TERMS["en"], "Parking costs 8 euros.", "We have no information about parking.", "disclaimer"),
    (TERMS["fr"], "Le parking coûte 8 euros.", "Rien n'est indiqué sur le parking.", "disclaimer"),
    (TERMS["es"], "El aparcamiento cuesta 8 euros.", "No consta nada sobre el aparcamiento.", "disclaimer"),
    (PROSE["en"], "It guided their boats through autumn storms.", "A volcano destroyed the castle.", "uncovered"),
    (PROSE["fr"], "Il guidait leurs bateaux dans les tempêtes.", "Un volcan détruisit le château.", "uncovered"),
    (PROSE["es"], "Guiaba sus barcos entre las tormentas.", "Un volcán destruyó el castillo.", "uncovered"),
    (PROSE["en"], "Fishermen built the lighthouse.", "Fishermen built the lighthouse in 1804.", "unknown_figure"),
    (PROSE["fr"], "Un phare par les pêcheurs.", "Un phare de 40 mètres par les pêcheurs.", "unknown_figure"),
    (PROSE["es"], "Un faro de los pescadores.", "Un faro de los pescadores de 40 metros.", "unknown_figure"),
]


@pytest.mark.parametrize(("evidence", "right", "wrong", "signal"), WRONG)
def test_a_falsehood_has_its_signal_and_more_risk(evidence: str, right: str, wrong: str, signal: str) -> None:
    """Given a right claim and a wrong one of the same shape, then the wrong one has its signal, and the more risk."""
    assert held(right, evidence).signals.get(signal, 0.0) < held(wrong, evidence).signals[signal]
    assert held(right, evidence).risk < held(wrong, evidence).risk


CHANGED = [
    (PROSE["en"], "fishermen", "sailors"),
    (PROSE["en"], "was built", "was not built"),
    (PROSE["en"], "quiet museum", "quiet museum with a famous restaurant"),
    (PROSE["fr"], "pêcheurs", "moines"),
    (PROSE["fr"], "fut construit", "ne fut pas construit"),
    (PROSE["es"], "pescadores", "monjes"),
    (PROSE["es"], "fue construido", "no fue construido"),
    (TERMS["en"], "10 am", "11 am"),
    (TERMS["fr"], "48 heures", "24 heures"),
    (TERMS["es"], "el lunes", "el martes"),
]


@pytest.mark.parametrize(("evidence", "old", "new"), CHANGED)
def test_a_changed_copy_has_more_risk_than_the_copy(evidence: str, old: str, new: str) -> None:
    """Given a sentence of the evidence with one thing changed in it, then there is risk, and a reason for it."""
    copy = next(claim for text, claim in SENTENCES if text == evidence and old in claim)
    found = held(copy.replace(old, new), evidence)
    assert found.risk > held(copy, evidence).risk + 1
    assert found.reason is not None
    assert found.signals[found.reason] > 0


def test_a_paraphrase_is_not_punished_for_its_words_in_terms() -> None:
    """Given terms, then a free paraphrase with the right figure has less risk than a near copy with a wrong one."""
    free = held("You can leave your car here, it's 8 euros a night.", TERMS["en"])
    assert free.risk < held("Parking costs 9 euros per night.", TERMS["en"]).risk


@pytest.mark.parametrize(
    ("claim", "made_up"),
    [("Breakfast for two comes to 28 euros.", "Breakfast for two comes to 29 euros.")],
)
def test_a_sum_of_known_figures_is_known(claim: str, made_up: str) -> None:
    """Given twice a price, then it isn't unknown; another amount is."""
    assert held(claim, TERMS["en"]).signals["unknown_figure"] == 0
    assert held(made_up, TERMS["en"]).signals["unknown_figure"] > 0


def test_a_figure_that_the_user_gave_counts_for_sums() -> None:
    """Given an amount that the user paid, then twice as much follows from it."""
    claim = "Parking for both is 62 euros."
    assert held(claim, TERMS["en"]).signals["unknown_figure"] > 0
    assert held(claim, TERMS["en"], said="I paid 31 euros").signals["unknown_figure"] == 0


@pytest.mark.parametrize("evidence", [TERMS["en"], PROSE["en"]])
def test_what_was_said_so_far_needs_no_evidence(evidence: str) -> None:
    """Given a claim of figures, names and words that were said before, then it has less risk than out of the blue."""
    claim = "Mrs Dupont paid 77 dollars for the yacht."
    assert held(claim, evidence, known=claim).risk < held(claim, evidence).risk
    assert held(claim, evidence, known=claim).signals["nowhere"] == 0


def test_a_waiver_of_the_evidence_is_no_fault() -> None:
    """Given evidence that lifts a limit itself, then a claim that says so too has no waiver."""
    assert held("You may leave at any time.", "Guests may leave at any time.").signals["waiver"] == 0
    assert held("You may leave at any time.", "Guests may leave before 10 am.").signals["waiver"] == 1


def test_what_the_evidence_denies_itself_may_be_unavailable() -> None:
    """Given evidence that says that a thing can't be had, then to say so isn't held against a claim."""
    claim = "Unfortunately, dogs are not allowed."
    assert held(claim, "Dogs are not allowed.").signals["unavailable"] == 0
    assert held(claim, "Dogs are allowed.").signals["unavailable"] == 1


def test_words_in_another_order_are_another_claim_in_prose() -> None:
    """Given who did what turned round in a copy of prose, then its order tells."""
    found = held("The village was built by fishermen from the old lighthouse.", PROSE["en"])
    assert found.signals["order_of_copy"] > 0
    assert found.risk > 0.5


def test_a_flood_of_figures_is_weighed_up_to_its_bound() -> None:
    """Given more figures in one claim than are compared, then the first of them are, and the risk is finite."""
    few, many = (" and ".join(f"{n} dollars" for n in range(1_001, 1_001 + count)) for count in (60, 600))
    found = held(many, TERMS["en"])
    assert math.isfinite(found.risk)
    assert held(few, TERMS["en"]).signals["unknown_figure"] <= found.signals["unknown_figure"] < 600


@pytest.mark.parametrize("claim", ["", " ", "?!", "Rockets fly.", "It is so.", "14 euros"])
def test_without_evidence_there_is_only_what_is_not_covered(claim: str) -> None:
    """Given no evidence, then a claim is held against nothing: it is covered or not."""
    found = supports([claim], ground(), NOTHING, frozenset())[0]
    assert set(found.signals) == {"uncovered", "nowhere", "nowhere_unheld", "new_words", "quotes", "beside_quotes"}
    assert (found.reason is None) is (found.risk == 0)


def test_a_claim_without_words_has_no_risk() -> None:
    """Given a claim without a word, then there is no risk and no reason, whatever the evidence."""
    assert all(held("...", evidence).risk == 0 for evidence in GROUNDS)
    assert all(held("", evidence).reason is None for evidence in GROUNDS)


WORDS = st.lists(st.sampled_from(" ".join(GROUNDS).split()), max_size=16).map(" ".join)


@given(WORDS | NEAR_TEXT, st.sampled_from(list(GROUNDS)) | WORDS | NEAR_TEXT, WORDS, WORDS)
def test_any_claim_has_a_finite_risk(claim: str, evidence: str, said: str, known: str) -> None:
    """Given any claim, evidence and talk, then its signals and its risk are finite, not below zero, twice the same."""
    found = held(claim, evidence, said, known)
    assert 0 <= found.risk < math.inf
    assert all(0 <= value < math.inf for value in found.signals.values())
    assert found.reason is None or found.signals[found.reason] > 0
    assert held(claim, evidence, said, known) == found


@given(st.sampled_from(SENTENCES), st.lists(st.sampled_from([*TERMS.values(), *PROSE.values()]), max_size=3))
def test_more_evidence_never_takes_a_copy_away(sentence: tuple[str, str], others: list[str]) -> None:
    """Given a copy, whatever else is evidence, then what it copies still covers it, and nothing was changed in it."""
    evidence, claim = sentence
    found = supports([claim], ground(evidence, *others), NOTHING, frozenset())[0]
    assert found.signals["uncovered"] == pytest.approx(0, abs=1e-9)
    assert found.signals.get("nowhere", 0.0) == 0


def test_who_quotes_one_rule_and_not_the_next_has_put_something_in() -> None:
    """Given a quotation beside a claim of other words, then that one is doubted more than alone."""
    quoted, own = (
        "A reservation can be cancelled free of charge until 48 hours before arrival.",
        "A valet takes your car away.",
    )
    alone = held(own, TERMS["en"])
    first, second = supports([quoted, own], GROUNDS[TERMS["en"]], NOTHING, frozenset())
    assert (first.signals["beside_quotes"], alone.signals["beside_quotes"]) == (0, 0)
    assert second.signals["beside_quotes"] > 0.9
    assert second.risk > alone.risk
    assert supports([own, own], GROUNDS[TERMS["en"]], NOTHING, frozenset())[0] == alone


@pytest.mark.parametrize(
    ("rule", "turned"),
    [
        (
            "First unplug the router, then wait, then press the button.",
            "First press the button, then unplug the router.",
        ),
        ("Débranchez d'abord la box, puis attendez le voyant.", "Attendez d'abord le voyant, puis débranchez la box."),
        ("Primero desconecta el router y luego espera la luz.", "Primero espera la luz y luego desconecta el router."),
    ],
)
def test_steps_in_another_order_are_told(rule: str, turned: str) -> None:
    """Given steps that the evidence puts in an order, then another order speaks against a claim; the same doesn't."""
    evidence = f"{rule} It takes 5 minutes and costs 9 euros."
    assert held(turned, evidence).signals["steps_of_copy"] > 0
    assert held(rule, evidence).risk == 0


def test_an_attribution_is_no_part_of_a_claim() -> None:
    """Given an opening that names the source, then the claim is as well supported as without it."""
    claim = "Parking costs 8 euros per night."
    assert held(f"According to our records, {claim}", TERMS["en"]).signals == held(claim, TERMS["en"]).signals


def test_fellows_in_a_list_do_not_speak_for_one_another() -> None:
    """Given two days of one list put with the wrong thing, then they stand with something else all the same."""
    evidence = "Rye is baked on Tuesday and Friday, walnut bread on Thursday and Saturday. Each costs 7 euros."
    assert held("Rye is baked on Thursday and Saturday.", evidence).signals["other_figure"] > 0
    assert held("Rye is baked on Tuesday and Friday.", evidence).signals["other_figure"] == 0
