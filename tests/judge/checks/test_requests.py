"""Is the detected intent, or the refusal, what the user asked for? Told over desks of many trades, in en, fr and es."""

from __future__ import annotations

import json
from functools import lru_cache

import pytest

from guardrail.judge.policy import Policy, compile_policy
from tests.judge.desks import CATALOGUES
from tests.judge.requests import RIGHT, UNSEEN, WRONG, Turn
from tests.judge.turns import codes, judged, parameter_turn, scope_turn
from tests.scoring import policies

REFUSALS = {
    "en": "Sorry, I can't help with that here.",
    "fr": "Désolé, je ne peux pas vous aider pour cela.",
    "es": "Lo siento, no puedo ayudarle con eso.",
}
ANSWERS = {
    "en": "Which one is it, please?",
    "fr": "Duquel s'agit-il, s'il vous plaît ?",
    "es": "¿De cuál se trata, por favor?",
}
TOLD = {"consistency.false_refusal", "consistency.intent_not_supported_by_message"}
OPEN = policies()


@lru_cache
def desk(agent: str) -> Policy:
    """The policy of an agent: an open one, or one made of its catalogue alone."""
    if agent in OPEN:
        return OPEN[agent]
    locale, names = CATALOGUES[agent]
    keys = {
        "version": 1,
        "agent": agent,
        "locale": locale,
        "prompt": f"Supported intents: {', '.join(names)}.",
        "intents": [{"id": name, "name": name} for name in names],
    }
    return compile_policy(json.dumps(keys))


def found(turn: Turn) -> set[str]:
    """What the decision on a turn says of its intent."""
    agent, message, intent = turn
    policy = desk(agent)
    said = (REFUSALS if intent is None else ANSWERS)[policy.layout.locale]
    return TOLD & codes(judged(scope_turn(said, policy, intent=intent), message, policy))


@pytest.mark.parametrize("turn", WRONG, ids=str)
def test_another_intent_or_a_refusal_is_told_by_kin(turn: Turn) -> None:
    """Given a message that asks for one of the intents in other words, then another one, or a refusal, is told."""
    expected = "false_refusal" if turn[2] is None else "intent_not_supported_by_message"
    assert found(turn) == {f"consistency.{expected}"}


@pytest.mark.parametrize("turn", RIGHT, ids=str)
def test_what_a_message_leaves_open_is_let_through(turn: Turn) -> None:
    """Given a message that mentions, supposes, denies or tells of another action, then the response isn't doubted."""
    assert not found(turn)


@pytest.mark.parametrize("turn", UNSEEN, ids=str)
def test_a_miss_is_better_than_a_false_alarm(turn: Turn) -> None:
    """Given a wrong intent close to the one asked for, or words that nobody placed, then the response isn't doubted."""
    assert not found(turn)


def test_a_refusal_may_be_owed_to_any_word_that_the_desk_doesnt_know() -> None:
    """Given a refused request with a word that neither prompt nor evidence has, then the word may be the reason."""
    assert not found(("clinic-en", "cancel my hairdresser appointment", None))
    assert found(("clinic-en", "cancel my appointment for tomorrow", None))


def test_an_intent_whose_name_says_no_action_may_stand_for_more() -> None:
    """Given an intent named by things alone, then another is told only where nothing else is said."""
    policy = compile_policy(
        json.dumps(
            {
                "version": 1,
                "agent": "shop",
                "intents": [{"id": "Place_Order", "name": "Place Order"}, {"id": "Regions", "name": "Regions Served"}],
            }
        )
    )
    turn = scope_turn("Which region?", policy, intent="Regions")
    assert not TOLD & codes(judged(turn, "is it possible to make a purchase from Detroit", policy))
    assert TOLD & codes(judged(turn, "I'd like to make a purchase", policy))


def test_a_turn_that_hands_on_a_value_isnt_held_against_its_message() -> None:
    """Given a parameter turn, then its message may well name something else: it answers a question asked before."""
    message = "I'd like to reserve a room, and it's XKT904"
    assert TOLD & codes(judged(scope_turn(intent="Cancel_Reservation"), "I'd like to reserve a room"))
    assert not TOLD & codes(judged(parameter_turn(message=message), message))
