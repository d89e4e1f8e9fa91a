"""Claims measured against evidence: what is covered, what rests on what, and what adds risk."""

from __future__ import annotations

import pytest

from guardrail.judge.content import read_words
from guardrail.judge.evidence import Evidence, Measure
from guardrail.judge.model import Passage

FACTS = Evidence(
    [
        Passage("a", "Breakfast costs 14 euros per person. It is served in the garden until 10 am."),
        Passage("b", "Pets are not admitted in the restaurant."),
    ],
    context=["Booking id: 3 letters."],
)


def measured(claim: str, said: str = "", facts: Evidence = FACTS) -> Measure:
    """A claim held against the facts; `said` is what the user said."""
    return facts.measure(read_words(claim), read_words(said))


@pytest.mark.parametrize(
    ("claim", "passage"),
    [("Breakfast costs 14 euros per person.", "a"), ("pets are NOT admitted in the restaurant!", "b")],
)
def test_a_copy_is_covered_backed_and_named(claim: str, passage: str) -> None:
    """Given a sentence of the evidence, case and signs aside, then it is backed without risk, by that passage."""
    found = measured(claim)
    assert (found.cover, found.risk) == (pytest.approx(1), pytest.approx(0))
    assert found.backed
    assert found.window is not None
    assert found.window.passage_id == passage


def test_two_neighbours_make_a_window() -> None:
    """Given a claim that joins two sentences of a passage, then it is covered as one."""
    joined = "Breakfast costs 14 euros per person and is served in the garden until 10 am."
    assert measured(joined).cover == pytest.approx(1)


WRONG = [
    "Breakfast costs 77 euros per person.",
    "Breakfast costs 10 euros per person.",
    "Pets are admitted in the restaurant.",
    "Breakfast costs 14 euros per room, champagne and sauna included.",
]


@pytest.mark.parametrize("claim", WRONG)
def test_what_the_evidence_does_not_say_adds_risk_and_is_not_backed(claim: str) -> None:
    """Given a foreign or swapped figure, another polarity or new words, then there is risk and no backing."""
    found = measured(claim)
    assert found.risk >= 0.5
    assert not found.backed


def test_a_figure_found_nowhere_is_unknown() -> None:
    """Given a figure that neither evidence nor user has, then it is unknown; one that stands elsewhere isn't."""
    assert measured("Breakfast costs 77 euros.").unknown_figures == {"77"}
    assert measured("Parking costs 14 euros.").unknown_figures == frozenset()
    assert measured("Breakfast costs 77 euros.", "I paid 77 euros").unknown_figures == frozenset()


def test_what_the_user_said_adds_no_risk() -> None:
    """Given a claim that repeats the user, then its words need no evidence."""
    claim = "You paid 99 dollars yesterday."
    assert measured(claim, claim).risk < measured(claim).risk


def test_known_context_has_no_name() -> None:
    """Given a claim from the prompt, then its window is unnamed, and all of it is known context."""
    found = measured("The booking id has 3 letters.")
    assert found.window is not None
    assert found.window.passage_id is None
    assert found.context_share == 1


@pytest.mark.parametrize("facts", [FACTS, Evidence([])])
@pytest.mark.parametrize("claim", ["Rockets fly.", "It is so.", ""])
def test_nothing_shared_has_no_window(claim: str, facts: Evidence) -> None:
    """Given a claim without a word of the evidence, or without any word, then there is no window."""
    found = measured(claim, facts=facts)
    assert found.window is None
    assert found.cover == 0
    assert 0 <= found.risk < float("inf")


def test_evidence_of_a_record_is_added_not_kept() -> None:
    """Given passages of one record, then they are added to a copy; without any it is the same evidence."""
    more = FACTS.extended([Passage("r", "The pool opens in May.")])
    assert [p.id for p in more.passages] == ["a", "b", "r"]
    assert [p.id for p in FACTS.passages] == ["a", "b"]
    assert FACTS.extended([]) is FACTS
    assert measured("The pool opens in May.", facts=more).backed
    assert not measured("The pool opens in May.").backed


def test_a_question_finds_the_sentence_that_answers_it() -> None:
    """Given a question, then the evidence that it is about is found, never the context; about nothing, nothing is."""
    near = FACTS.answering("are pets allowed in the restaurant?")
    assert near is not None
    assert (near.passage_id, near.text) == ("b", "Pets are not admitted in the restaurant.")
    assert FACTS.answering("booking letters") is None
    assert FACTS.answering("rockets") is None
    assert FACTS.answering("") is None


def test_the_users_own_references_contradict_no_format() -> None:
    """Given an answer with a reference that the user gave, then an example in the evidence isn't another name for it,
    while another plan's name is.
    """
    evidence = Evidence([Passage("ref", "I have TX-ABC with dispute."), Passage("plan", "Plan S costs ten per month.")])
    said = read_words("please dispute TX-43464097")
    assert not evidence.measure(read_words("I have TX-43464097 with dispute."), said).conflicts
    assert evidence.measure(read_words("I have TX-99 with dispute."), said).conflicts == ("name",)
    assert evidence.measure(read_words("Plan M costs ten per month."), read_words("plan M?")).conflicts == ("name",)


def test_a_thing_on_another_day_is_a_conflict() -> None:
    """Given the same words with a day that the evidence doesn't have, then it speaks against the claim."""
    facts = Evidence([Passage("p", "The night market opens on Saturday.")])
    assert "day" in facts.measure(read_words("The night market opens on Monday."), read_words("")).conflicts
