"""What is read of a message: its one action, the things it is done to, and what keeps it from asking at all."""

from __future__ import annotations

import pytest

from guardrail.judge.lexicon.requests import ACTIONS, CLOSE, DEEDS, REPLACED, STANDS_IN, TOLD, WISHED
from guardrail.judge.model import Intent
from guardrail.judge.request import REQUEST_WORDS_MAX, only_told, read_name, read_request, speaks_against, the_named

CANCEL, BOOK, MOVE, VIEW = (
    read_name(Intent(name, name))
    for name in ("Cancel Visit", "Book Appointment", "Move Appointment", "Appointment Status")
)
DESK = (CANCEL, BOOK, MOVE, VIEW)

ASKED = [
    ("call off my visit", "cancel"),
    ("call my visit off", "cancel"),
    ("please cancel my visit and cancel the slot", "cancel"),
    ("help with cancelling my visit", "cancel"),
    ("cancelling my visit", "cancel"),
    ("I need a doctor's appointment", "book"),
    ("two appointments for Monday, please", "book"),
    ("prendre rendez-vous", "book"),
    ("annulez mon rendez-vous", "cancel"),
    ("il me faut un autre créneau", "move"),
    ("quiero aplazar la cita", "move"),
    ("una cita para mañana por favor", "book"),
    ("check appointment 1234", "view"),
    ("show me the status", "view"),
    ("annule mon rdv", "cancel"),
]


@pytest.mark.parametrize(("message", "action"), ASKED)
def test_a_request_is_read_in_any_of_its_words(message: str, action: str) -> None:
    """Given a message that asks for one thing to be done, then the action is read."""
    assert action in read_request(message).actions


OPEN = [
    "I don't want to cancel my visit",
    "should I cancel my visit",
    "what happens if I cancel my visit",
    "I'd rather not cancel my visit",
    "j'ai annulé mon rendez-vous",
    "j'ai annule mon rendez-vous",
    "reservé una cita",
    "cancel my visit and book another",
    "I want the cancel button",
    "remove a name from my visit",
    "remove the dog and its basket of my visit",
    "please cancel my visit on Monday and give me Tuesday",
    "annulez mon rendez-vous de lundi et donnez-moi mardi",
    "can I see a doctor",
    "I like appointments letters",
    "is an appointment for Monday possible, please?",
    "call my very own long awaited visit off",
    "call my visit, off",
    "you are cancelling my visit",
    "I need an outstanding cancelling visit",
    "library book",
    "",
]


@pytest.mark.parametrize("message", OPEN)
def test_what_denies_supposes_tells_or_asks_twice_asks_for_nothing(message: str) -> None:
    """Given a message in which no single action is asked for, then none is read."""
    assert read_request(message).actions == frozenset()


def test_a_long_message_isnt_read() -> None:
    """Given more words than a plain request has, then nothing is read of it; given as many as it may have, it is."""
    filler = " so" * (REQUEST_WORDS_MAX - 3)
    assert "cancel" in read_request("cancel my visit" + filler).actions
    assert read_request("cancel my visit so" + filler) == read_request("")


def test_an_action_is_mentioned_in_any_form() -> None:
    """Given forms that tell of an action, or a thing that does, then it is mentioned, not asked for."""
    request = read_request("the cancellation was paid, where my refund?")
    assert {"cancel", "pay", "refund", "return"} <= request.mentioned
    assert request.actions == frozenset()


def test_only_words_that_say_something_else_are_left() -> None:
    """Given times, wishes and relatives, then they are idle; given another noun, it is left."""
    assert read_request("please cancel my son's visit on 3 May").left == frozenset()
    assert read_request("cancel my visit at the zoo").left == {"zoo"}


def test_words_of_another_clause_stand_aside() -> None:
    """Given unknown words in the clause that asks, then none stands aside; in another clause, one does."""
    assert not read_request("sorry, cancel my visit at the zoo").aside
    assert read_request("my leg is broken, cancel my visit").aside


def test_a_wish_for_another_may_be_for_a_change() -> None:
    """Given a wish for a thing, then it isn't one to change it; given one that compares, it may be."""
    assert "change" not in read_request("I need a flight").actions
    assert {"book", "change"} <= read_request("I need another flight").actions
    assert {"book", "change"} <= read_request("quiero una habitación más grande").actions


NAMES = [
    ("Cancel Visit", {"cancel"}, {"appointment"}),
    ("Place Order", set(WISHED), {"order"}),
    ("Card Status", {"view"}, {"card"}),
    ("Check Card Status", {"view"}, {"card"}),
    ("Reserve Book", {"book"}, {"book"}),
    ("Opening Hours", set(), {"open", "hour"}),
    ("Réserver une chambre", {"book"}, {"room"}),
]


@pytest.mark.parametrize(("name", "actions", "things"), NAMES)
def test_a_name_says_its_action_and_its_things(name: str, actions: set[str], things: set[str]) -> None:
    """Given an intent's name, then its action, where it says one, and the things are read."""
    named = read_name(Intent(name, name))
    assert (set(named.actions), set(named.things)) == (actions, things)


def test_one_intent_is_named_or_none() -> None:
    """Given a request for one intent of the catalogue, then it is named; for none, or two of a kind, nothing is."""
    assert the_named(read_request("scrap my appointment"), DESK) == CANCEL
    assert the_named(read_request("modify my appointment"), DESK) == MOVE
    assert the_named(read_request("pay my appointment"), DESK) is None
    assert the_named(read_request("scrap my appointment"), (CANCEL, read_name(Intent("x", "Cancel Slot")))) is None


def test_the_thing_right_behind_an_action_is_what_it_is_done_to() -> None:
    """Given a message with two things, then an intent on the one further off isn't named."""
    tickets = read_name(Intent("t", "Cancel Tickets"))
    assert the_named(read_request("cancel the room, I keep the tickets"), (tickets,)) is None
    assert the_named(read_request("cancel the tickets, I keep the room"), (tickets,)) == tickets


def test_a_message_speaks_against_an_intent_that_it_leaves_no_room_for() -> None:
    """Given another action, or the same on another thing, then it does; given a close or mentioned one, it doesn't."""
    drop = read_request("scrap my visit")
    assert speaks_against(drop, CANCEL, BOOK)
    assert not speaks_against(read_request("scrap the visit that you booked"), CANCEL, BOOK)
    assert not speaks_against(read_request("postpone my visit"), MOVE, read_name(Intent("c", "Change Visit")))
    assert speaks_against(drop, CANCEL, read_name(Intent("o", "Cancel Order")))
    assert speaks_against(drop, CANCEL, read_name(Intent("h", "Opening Hours")))
    assert not speaks_against(drop, CANCEL, read_name(Intent("v", "Visits")))
    assert not speaks_against(
        read_request("scrap my visit, not my order"), CANCEL, read_name(Intent("p", "Place Order"))
    )
    contest, order = read_name(Intent("d", "Dispute Charge")), read_name(Intent("p", "Place Order"))
    assert speaks_against(read_request("contest a charge"), contest, order)
    assert not speaks_against(read_request("contest a charge"), contest, read_name(Intent("r", "Report Theft")))


def test_what_is_only_told_isnt_asked_for() -> None:
    """Given an intent's words in a question after the fact, then it is only told; a name without action never is."""
    assert only_told(read_request("has my visit been cancelled?"), CANCEL)
    assert not only_told(read_request("cancel my visit"), CANCEL)
    assert not only_told(read_request("opening hours"), read_name(Intent("h", "Opening Hours")))


def test_every_action_named_in_a_table_is_one() -> None:
    """Given the tables that name actions, then each of those is listed."""
    listed = {name for name, _ in ACTIONS}
    deeds = {deed for named in DEEDS.values() for deed in named}
    assert {*WISHED, *REPLACED, *STANDS_IN, *STANDS_IN.values(), *TOLD, *deeds}.union(*CLOSE) <= listed
