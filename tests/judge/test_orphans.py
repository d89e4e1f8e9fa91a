"""What a dropped sentence takes along."""

from __future__ import annotations

from time import process_time

import pytest

from guardrail.judge.orphans import orphans, settled
from guardrail.judge.speech import read_answer

CASES = {
    "connective": (("We fly.", "However, parking is free."), {0}, ["We fly.", "Parking is free."]),
    "pronoun": (("We fly.", "It costs 5 euros.", "Parking is free."), {0}, ["We fly.", "", "Parking is free."]),
    "chain": (("We fly.", "It costs 5 euros.", "That is cheap.", "Yes."), {0}, ["We fly.", "", "", "Yes."]),
    "both": (("We fly.", "However, it costs 5 euros."), {0}, ["We fly.", ""]),
    "lone": (("We fly.", "Also,"), {0}, ["We fly.", ""]),
    "neighbour_stands": (
        ("We fly.", "However, it is cheap.", "Yes."),
        {2},
        ["We fly.", "However, it is cheap.", "Yes."],
    ),
    "nothing_dropped": (("We fly.", "It is cheap."), set(), ["We fly.", "It is cheap."]),
    "determiner": (
        ("We fly.", "This week is free.", "Both pools are warm."),
        {0},
        ["We fly.", "This week is free.", "Both pools are warm."],
    ),
    "determiner_es": (
        ("Volamos.", "Su reserva es gratis.", "Este mes es gratis."),
        {0},
        ["Volamos.", "Su reserva es gratis.", "Este mes es gratis."],
    ),
    "determiner_fr": (
        ("On vole.", "Toutes les chambres ont un lit.", "Ce soir c'est fermé."),
        {0},
        ["On vole.", "Toutes les chambres ont un lit.", "Ce soir c'est fermé."],
    ),
    "pointer": (("We fly.", "These are free.", "Both are warm.", "This is cheap."), {0}, ["We fly.", "", "", ""]),
    "bullet": (("We fly.", "- However, parking is free."), {0}, ["We fly.", "- Parking is free."]),
    "apart": (("We fly.", "Parking is free.", "It is big."), {0}, ["We fly.", "Parking is free.", "It is big."]),
}


def left(text: str, dropped: set[int]) -> list[str]:
    """The sentences after what hung on the dropped ones changed; a dropped one stands as it was."""
    answer = read_answer(text)
    changed = {s.start: new for s, new in orphans(answer, {answer[place].start for place in dropped})}
    return [changed.get(s.start, s.text) for s in answer]


@pytest.mark.parametrize("name", CASES)
def test_what_hung_on_a_dropped_sentence_follows_it(name: str) -> None:
    """Given a dropped sentence, then connectives behind it go, sentences that speak of it go too, others stay."""
    sentences, dropped, wanted = CASES[name]
    assert left(" ".join(sentences), dropped) == wanted


@pytest.mark.parametrize(
    ("dropped", "wanted"),
    [
        ({3}, ["1.", "Pay.", "", "Fly.", "2.", "Go."]),
        ({5}, ["1.", "Pay.", "2.", "Fly.", "", "Go."]),
        (set(), ["1.", "Pay.", "2.", "Fly.", "3.", "Go."]),
    ],
)
def test_a_list_is_numbered_anew(dropped: set[int], wanted: list[str]) -> None:
    """Given a dropped item, then its number goes with it and the later ones move up."""
    assert left("1. Pay.\n2. Fly.\n3. Go.", dropped) == wanted


def test_a_list_is_counted_from_its_own_first_number() -> None:
    """Given a list that goes on from another, then what is left of it does so too; a new list begins anew."""
    text = "3. Pay.\n4. Fly.\n5. Go.\n\n1. Sit.\n2. Eat."
    start = next(s.start for s in read_answer(text) if s.text == "Fly.")
    changed = [(s.text, new) for s, new in orphans(read_answer(text), {start})]
    assert changed == [("4.", ""), ("5.", "4.")]


@pytest.mark.parametrize(
    ("dropped", "wanted"),
    [
        ({1}, ["1) Pay.", "2) It is far.", "2) Go."]),
        ({0}, ["1) Pay.", "", "1) Go."]),
        (set(), ["1) Pay.", "2) It is far.", "3) Go."]),
    ],
)
def test_a_number_in_its_sentence_moves_up_too(dropped: set[int], wanted: list[str]) -> None:
    """Given items that hold their numbers, then those behind a dropped one, or behind what hung on it, move up."""
    assert left("1) Pay.\n2) It is far.\n3) Go.", dropped) == wanted


def test_a_list_without_items_takes_no_longer_than_its_length() -> None:
    """Given thousands of numbers in a row, then each is looked at once."""
    answer = read_answer("1. " * 4_000)
    started = process_time()
    assert list(orphans(answer, {0})) == []
    assert process_time() - started < 1.0


SETTLED = {
    "last": ("Pay here; fly there.", {1: ""}, ["Pay here."]),
    "first": ("Pay here; fly there.", {0: ""}, ["Fly there."]),
    "middle": ("Pay here; fly there; go.", {1: ""}, ["Pay here;", "go."]),
    "both": ("Pay here; fly there; go. Sit.", {1: "", 2: ""}, ["Pay here.", "Sit."]),
    "behind_a_sentence": ("Sit. Pay here; fly there.", {1: ""}, ["Sit.", "Fly there."]),
    "changed": ("Pay here; fly there.", {0: "", 1: "go there."}, ["Go there."]),
    "capital": ("Pay here; Fly there.", {0: ""}, ["Fly there."]),
    "nothing": ("Pay here; fly there.", {}, ["Pay here;", "fly there."]),
    "all": ("Pay here; fly there.", {0: "", 1: ""}, []),
    "sentences": ("Pay here. Fly there. Go.", {1: ""}, ["Pay here.", "Go."]),
    "open": ("Pay here; fly there. Go;", {1: ""}, ["Pay here.", "Go;"]),
}


@pytest.mark.parametrize("name", SETTLED)
def test_a_clause_that_lost_its_neighbour_is_a_sentence(name: str) -> None:
    """Given clauses parted by semicolons of which some go, then what is left ends as the sentence did, and begins with
    a capital.
    """
    text, places, wanted = SETTLED[name]
    answer = read_answer(text)
    becomes = {answer[place].start: new for place, new in places.items()}
    becomes |= {sentence.start: new for sentence, new in settled(answer, becomes)}
    assert [new for s in answer if (new := becomes.get(s.start, s.text))] == wanted


def test_a_list_that_starts_late_keeps_its_numbers() -> None:
    """Given numbers that were never one, two, three, then none is changed; a mark without an item stays."""
    assert left("4. Pay.\n7. Go.\n9.", set()) == ["4.", "Pay.", "7.", "Go.", "9."]
