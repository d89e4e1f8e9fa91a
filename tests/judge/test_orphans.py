"""What a dropped sentence takes along."""

from __future__ import annotations

import pytest

from guardrail.judge.orphans import orphans
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


def test_a_list_that_starts_late_keeps_its_numbers() -> None:
    """Given numbers that were never one, two, three, then none is changed; a mark without an item stays."""
    assert left("4. Pay.\n7. Go.\n9.", set()) == ["4.", "Pay.", "7.", "Go.", "9."]
