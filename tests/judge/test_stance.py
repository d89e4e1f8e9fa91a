"""What a sentence does to a rule: lifting its limits, disclaiming it, saying that a thing can't be had."""

from __future__ import annotations

import pytest
from hypothesis import given

from guardrail.judge.stance import Stance, stance_of
from guardrail.judge.text import SHORT_CHARS
from tests.judge.test_tokens import NEAR_TEXT

WAIVING = [
    "You can cancel at any time, no questions asked.",
    "It is refunded even if you don't show up.",
    "Whether you booked or not, it's free.",
    "Vous pouvez annuler à tout moment.",
    "C'est remboursé même si vous ne venez pas.",
    "L'accès est gratuit sans exception.",
    "Se puede cancelar en cualquier momento.",
    "Se devuelve aunque no venga.",
    "El acceso es gratis pase lo que pase.",
]
DISCLAIMING = [
    "There is no information about pets.",
    "The rules do not mention pets.",
    "I couldn't find anything on pets.",
    "Rien n'est indiqué sur les animaux.",
    "Le règlement ne mentionne pas les animaux.",
    "No consta nada de mascotas.",
    "No tengo información sobre mascotas.",
]
UNAVAILABLE = [
    "Unfortunately we have no cots.",
    "Late arrival isn't possible.",
    "We don't offer transfers.",
    "Malheureusement, il n'y a pas de lit.",
    "Nous ne pouvons pas le prolonger.",
    "Lamentablemente, no hay cunas.",
    "No se puede prolongar.",
]
PLAIN = [
    "Breakfast costs 14 euros per person.",
    "A reservation can be cancelled until 48 hours before arrival.",
    "Le petit déjeuner coûte 14 euros par personne.",
    "El desayuno cuesta 14 euros por persona.",
    "",
]


@pytest.mark.parametrize("text", WAIVING)
def test_a_lifted_limit_is_found(text: str) -> None:
    """Given a sentence that lifts a limit, then it waives, and it neither disclaims nor turns down."""
    stance = stance_of(text)
    assert stance.waivers
    assert not stance.disclaims
    assert not stance.unavailable


@pytest.mark.parametrize("text", DISCLAIMING)
def test_a_disclaimer_is_found(text: str) -> None:
    """Given a sentence that says that nothing is known, then it disclaims."""
    assert stance_of(text).disclaims


@pytest.mark.parametrize("text", UNAVAILABLE)
def test_what_cannot_be_had_is_found(text: str) -> None:
    """Given a sentence that says that a thing can't be had, then it is unavailable, and no limit is lifted."""
    stance = stance_of(text)
    assert stance.unavailable
    assert not stance.waivers


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_rule_has_no_stance(text: str) -> None:
    """Given a rule as it is, then it has no stance."""
    assert stance_of(text) == Stance(frozenset(), disclaims=False, unavailable=False)


def test_one_phrase_is_one_waiver() -> None:
    """Given two sentences that lift a limit by one phrase, then they share it; by another, they don't."""
    at_any_time = stance_of("Cancel at any time.").waivers
    assert stance_of("Leave AT ANY TIME!").waivers == at_any_time
    assert not stance_of("Sin excepción.").waivers & at_any_time


@given(NEAR_TEXT)
def test_any_text_has_one_stance(text: str) -> None:
    """Given any text, then it has a stance, twice the same, whatever its case."""
    assert stance_of(text) == stance_of(text)
    assert stance_of(text + " at any time").waivers


def test_a_long_text_has_the_stance_of_its_parts() -> None:
    """Given a text too long to be remembered, then its stance is its line's."""
    line = "No tengo información sobre mascotas. "
    assert stance_of(line * (SHORT_CHARS // len(line) + 2)) == stance_of(line)
