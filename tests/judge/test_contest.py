"""Figures and names tied to the words around them, and the votes for one of several."""

from __future__ import annotations

import pytest
from hypothesis import given

from guardrail.judge.contest import (
    CONTENDERS_MAX,
    Contender,
    Placed,
    Stand,
    contenders,
    contends,
    is_same,
    sort_of,
    ties,
    votes_against,
)
from guardrail.judge.ground import compile_passage
from guardrail.judge.reading import Unit, read_text
from tests.judge.test_tokens import NEAR_TEXT

PRICES = {
    "en": ("Breakfast costs 14 euros, parking costs 8 euros.", "breakfast", "parking"),
    "fr": ("Le déjeuner coûte 14 euros, le garage coûte 8 euros.", "déjeuner", "garage"),
    "es": ("El desayuno cuesta 14 euros, el garaje cuesta 8 euros.", "desayuno", "garaje"),
}
DOCTORS = "Dr Calvo treats children, Dr Weber treats adults."


def placed(text: str) -> list[Placed]:
    """The content of one sentence, each with its place."""
    return [(unit, unit.at, 0) for unit in read_text(text).content]


def unit(text: str) -> Unit:
    """The only content of a text."""
    (found,) = read_text("of " + text).content
    return found


def tied(text: str) -> dict[str, dict[str, float]]:
    """For each figure and name of a passage its ties."""
    return {contender.unit.key: contender.ties for contender in compile_passage(text).contenders}


def against(claim: str, word: str, evidence: str, question: str = "") -> float:
    """How clearly a claim's words stand with another figure or name than the one that is written so."""
    units = placed(claim)
    n = next(n for n, (u, _, _) in enumerate(units) if claim[u.start : u.end] == word)
    found = [Stand(contender, 1.0, 0) for contender in compile_passage(evidence).contenders]
    mine = [stand for stand in found if is_same(units[n][0], stand.contender)]
    sort = sort_of(units[n][0])
    others = [stand for stand in found if stand not in mine and sort_of(stand.contender.unit) == sort]
    asked = {u.key: 1.0 for u in read_text(question).content}
    return votes_against(ties(n, units), asked, mine, others)


@pytest.mark.parametrize(
    ("text", "sort"),
    [("14 euros", "money"), ("Calvo", "name"), ("10 am", "clock"), ("48 hours", "duration"), ("lunes", "day")],
)
def test_a_figure_or_name_is_one_of_its_sort(text: str, sort: str) -> None:
    """Given a figure or name, then it contends with those of its kind; a plain word doesn't contend."""
    assert contends(unit(text))
    assert sort_of(unit(text)) == sort
    assert not contends(unit("breakfast"))


def test_counts_contend_with_counts_of_the_same_thing() -> None:
    """Given counts, then rooms contend with rooms and not with lifts."""
    rooms, more, lifts = (read_text(text).content[0] for text in ("30 rooms", "40 rooms", "30 lifts"))
    assert sort_of(rooms) == sort_of(more) != sort_of(lifts)


@pytest.mark.parametrize("locale", ["en", "fr", "es"])
def test_a_figure_stands_with_its_own_words(locale: str) -> None:
    """Given two prices, then each is tied more closely to its own thing than to the other's."""
    text, first, second = PRICES[locale]
    keys = {text[u.start : u.end].lower(): u.key for u in read_text(text).content}
    found = tied(text)
    one, other = found[keys["14 euros"]], found[keys["8 euros"]]
    assert one[keys[first]] > one.get(keys[second], 0.0)
    assert other[keys[second]] > other.get(keys[first], 0.0)


def test_the_nearer_of_two_words_is_tied_more_closely() -> None:
    """Given one figure, then the strength of its ties falls with the distance."""
    strengths = [
        tied("Old oak garden chairs cost 14 euros.")["money:14"][u.key] for u in read_text("cost chairs oak").content
    ]
    assert strengths == sorted(strengths, reverse=True)
    assert len(set(strengths)) == 3


def test_only_a_rival_between_weakens_a_tie() -> None:
    """Given another price between a price and a word, then the tie is weak; an hour there is like any other word."""
    (breakfast,) = read_text("breakfast").content
    words, hour, price = (
        tied(f"Breakfast {between} on offer costs 8 euros.")["money:8"][breakfast.key]
        for between in ("rooms upstairs", "10 am", "14 euros")
    )
    assert words == hour > price > 0


def test_words_that_head_a_list_stand_with_all_of_it() -> None:
    """Given a heading before several prices, then the bare ones behind are tied to it too, unlike one with a head of
    its own.
    """
    (parking,) = read_text("parking").content
    bare, own = (
        tied(f"Parking costs 14 euros in summer, {rest} in winter.") for rest in ("20 euros", "vans pay 20 euros")
    )
    assert bare["money:14"][parking.key] > bare["money:20"][parking.key] > own["money:20"].get(parking.key, 0.0)


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("It takes from 6 days to 23 days.", 1),
        ("Abierto martes y jueves.", 1),
        ("Ask Inés Calvo today.", 1),
        ("Ask Calvo in the morning, Weber in the evening.", 2),
        ("Breakfast costs 14 euros. Parking costs 8 euros.", 2),
        ("Breakfast is 14 euros, 10 am.", 2),
        ("The 14 euros of Calvo.", 2),
    ],
)
def test_a_list_a_range_and_a_name_share_their_ties(text: str, groups: int) -> None:
    """Given figures of one list or range, or the parts of a name, then they are one group with the same ties."""
    found = compile_passage(text).contenders
    assert len(found) >= 2 or groups == 1
    assert len({contender.group for contender in found}) == groups
    assert len({tuple(sorted(contender.ties.items())) for contender in found}) == groups


def test_of_a_long_passage_only_the_first_contenders_are_tied() -> None:
    """Given more figures than are tied, then the first of them are."""
    text = ", ".join(f"the item{chr(97 + n % 26)} costs {n} euros" for n in range(2, CONTENDERS_MAX + 20))
    found = compile_passage(text).contenders
    assert len(found) == CONTENDERS_MAX
    assert [c.unit.figure.value for c in found if c.unit.figure is not None] == list(range(2, CONTENDERS_MAX + 2))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("14 euros", "quatorze euros", True),
        ("14 euros", "15 euros", False),
        ("60 minutes", "1 hora", True),
        ("Calvo", "Calvo", True),
        ("Calvo", "Weber", False),
        ("Calvo", "14 euros", False),
        ("14 euros", "Calvo", False),
    ],
)
def test_the_same_figure_or_name_is_known_again(one: str, other: str, same: bool) -> None:
    """Given two figures or names, then they are the same by what they say, not by how they are written."""
    assert is_same(unit(one), Contender(unit(other), {}, 0)) is same


@pytest.mark.parametrize(
    ("right", "wrong", "word", "evidence"),
    [
        ("Breakfast costs 14 euros.", "Parking costs 14 euros.", "14 euros", PRICES["en"][0]),
        ("Le déjeuner coûte 14 euros.", "Le garage coûte 14 euros.", "14 euros", PRICES["fr"][0]),
        ("El desayuno cuesta 14 euros.", "El garaje cuesta 14 euros.", "14 euros", PRICES["es"][0]),
        ("Children see Dr Calvo.", "Adults see Dr Calvo.", "Calvo", DOCTORS),
    ],
)
def test_words_vote_for_the_one_they_stand_with(right: str, wrong: str, word: str, evidence: str) -> None:
    """Given a figure or name with its own words, then nothing speaks against it; with another's words, they do."""
    assert against(right, word, evidence) == 0
    assert against(wrong, word, evidence) > 0.1


def test_the_question_votes_too() -> None:
    """Given an answer of a bare figure, then the words of the question tell which one was asked for."""
    evidence = PRICES["en"][0]
    assert against("It is 14 euros.", "14 euros", evidence) == 0
    assert against("It is 14 euros.", "14 euros", evidence, "parking?") > 0
    assert against("It is 14 euros.", "14 euros", evidence, "breakfast?") == 0


def test_words_that_stand_with_both_alike_decide_nothing() -> None:
    """Given words that stand with each of two figures alike, or with neither, then they vote for none."""
    evidence = "Rooms cost 14 euros. Rooms cost 8 euros."
    assert against("Rooms cost 14 euros.", "14 euros", evidence) == 0
    assert against("Yachts cruise for 14 euros.", "14 euros", PRICES["en"][0]) == 0


def test_a_passage_that_has_little_of_the_claim_has_a_small_voice() -> None:
    """Given another figure from a passage that has little of the claim, then the votes for it count less."""
    (mine,) = compile_passage("It is 14 euros.").contenders
    (other,) = compile_passage("Parking costs 8 euros.").contenders
    own = dict.fromkeys(read_text("parking costs").keys, 1.0)
    near, far = (
        votes_against(own, {}, [Stand(mine, 1.0, 0)], [Stand(other, relevance, 1)]) for relevance in (1.0, 0.1)
    )
    assert 0 < far < near < 1
    assert votes_against(own, {}, [Stand(mine, 1.0, 0)], []) == 0


@given(NEAR_TEXT)
def test_any_text_is_tied(text: str) -> None:
    """Given any text, then each of its figures and names is a contender, with ties in (0, 1] and none to itself."""
    units = placed(text)
    found = contenders(units)
    assert [c.unit for c in found] == [u for u, _, _ in units if contends(u)][:CONTENDERS_MAX]
    assert all(0 < strength <= 1 for c in found for strength in c.ties.values())
    assert all(u.key not in ties(n, units) for n, (u, _, _) in enumerate(units))


@given(NEAR_TEXT, NEAR_TEXT)
def test_votes_have_a_share(claim: str, evidence: str) -> None:
    """Given any claim and evidence, then the votes against lie in [0, 1)."""
    units, found = placed(claim), [Stand(c, 1.0, 0) for c in contenders(placed(evidence))]
    for n in range(len(units)):
        if found:
            assert 0 <= votes_against(ties(n, units), {}, found[:1], found[1:]) < 1
