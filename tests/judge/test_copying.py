"""Claims laid over the sentence that they copy: what was changed in it, and what undoes that."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.copying import Copy, Originals, copy_of
from guardrail.judge.ground import compile_passage
from guardrail.judge.reading import read_text
from tests.judge.test_tokens import NEAR_TEXT

RULES = {
    "en": "Guests may cancel their room without charge until 48 hours before arrival.",
    "fr": "Les clients peuvent annuler leur chambre sans frais jusqu'à 48 heures avant l'arrivée.",
    "es": "Los clientes pueden cancelar su habitación sin gastos hasta 48 horas antes de la llegada.",
}
LIGHTHOUSE = "The old lighthouse was built by fishermen from the village. It guided their boats through autumn storms."
COPIED = [*RULES.values(), *LIGHTHOUSE.split(". ")]


def copied(claim: str, evidence: str, known: str = "") -> Copy | None:
    """The claim laid over the evidence; `known`: what was said so far."""
    return copy_of(read_text(claim), Originals(compile_passage(evidence).originals), read_text(known).keys)


def changes(claim: str, evidence: str, known: str = "") -> set[str]:
    """The names of the changes in a claim that copies the evidence."""
    found = copied(claim, evidence, known)
    assert found is not None
    return set(found.changes)


@pytest.mark.parametrize("text", [*RULES.values(), LIGHTHOUSE, LIGHTHOUSE[60:], RULES["en"].upper()])
def test_a_copy_word_for_word_has_no_change(text: str) -> None:
    """Given a sentence of the evidence, or two neighbours, then it is an exact copy, and nothing was changed."""
    evidence = LIGHTHOUSE + "\n" + "\n".join(RULES.values())
    assert copied(text, evidence) == Copy(1.0, {})


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Parking is far away from here.", RULES["en"]),
        ("They may cancel it.", RULES["en"]),
        ("Fishermen once raised a lighthouse for boats in storms.", LIGHTHOUSE),
        ("", RULES["en"]),
        (RULES["en"], ""),
        (" ".join([RULES["en"]] * 20), " ".join([RULES["en"]] * 20)),
        (RULES["en"], RULES["en"][:-1] + " and" + " and yet".join(f" x{chr(97 + n)}" for n in range(26)) * 3),
    ],
    ids=["foreign", "short", "paraphrase", "empty", "no evidence", "long claim", "long original"],
)
def test_what_shares_few_words_or_is_too_long_is_no_copy(claim: str, evidence: str) -> None:
    """Given a short or free text, or one beyond the bound, then it copies nothing."""
    assert copied(claim, evidence) is None


@pytest.mark.parametrize(
    ("locale", "old", "new", "change"),
    [
        ("en", "48 hours", "24 hours", "changed_figure"),
        ("fr", "48 heures", "24 heures", "changed_figure"),
        ("es", "48 horas", "24 horas", "changed_figure"),
        ("en", "may cancel", "may not cancel", "changed_negation"),
        ("es", "pueden cancelar", "no pueden cancelar", "changed_negation"),
        ("fr", "peuvent annuler", "ne peuvent pas annuler", "changed_negation"),
        ("en", "room", "yacht", "changed_words"),
        ("fr", "chambre", "péniche", "changed_words"),
        ("es", "habitación", "yate", "changed_words"),
        ("en", "room", "room and yacht", "added_words"),
        ("fr", "chambre", "chambre et leur péniche", "added_words"),
        ("es", "habitación", "habitación y su yate", "added_words"),
    ],
)
def test_a_change_in_a_copy_is_told(locale: str, old: str, new: str, change: str) -> None:
    """Given a copy with another figure, polarity or word, then it is told for what it is."""
    claim = RULES[locale].replace(old, new)
    found = copied(claim, RULES[locale])
    assert found is not None
    assert change in found.changes
    assert 0 < found.changes[change] <= 1
    assert found.exact < 1


def test_a_denial_dropped_at_the_beginning_is_seen() -> None:
    """Given a copy that leaves out the denial before it, then the change is told."""
    found = copied("Dogs are allowed in the rooms of the hotel.", "No dogs are allowed in the rooms of the hotel.")
    assert found is not None
    assert found.changes["changed_negation"] > 0


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The hotel pool is closed from May.", "The hotel pool is open from May."),
        ("La piscine du hameau est fermée dès mai.", "La piscine du hameau est ouverte dès mai."),
        ("La piscina del pueblo está cerrada desde mayo.", "La piscina del pueblo está abierta desde mayo."),
        ("The hotel pool is never open from May.", "The hotel pool is open from May."),
        (RULES["fr"].replace("peuvent annuler", "ne peuvent pas annuler"), RULES["fr"]),
        (RULES["fr"], RULES["fr"].replace("peuvent annuler", "ne peuvent pas annuler")),
        ("La piscina del pueblo no está abierta desde mayo.", "La piscina del pueblo está abierta desde mayo."),
    ],
)
def test_a_denial_or_an_opposite_turns_a_copy_round(claim: str, evidence: str) -> None:
    """Given a copy that denies what its original says, or says closed for open, then its polarity was changed."""
    assert "changed_negation" in changes(claim, evidence)


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The village was built by fishermen from the old lighthouse.", LIGHTHOUSE),
        ("The old lighthouse was built by boats from the village.", LIGHTHOUSE),
        ("Patients of Dr Weber pay at the front desk.", "Patients of Dr Calvo pay at the front desk."),
    ],
    ids=["swapped", "moved", "renamed"],
)
def test_a_word_in_anothers_place_is_told(claim: str, evidence: str) -> None:
    """Given words that changed places, came from elsewhere in the passage, or another name, then it is told."""
    assert "other_words" in changes(claim, evidence)


def test_an_added_ending_is_told() -> None:
    """Given words added behind a copy, then it is told."""
    assert "added_words" in changes(RULES["en"][:-1] + " with dogs, cats, parrots and two snakes", RULES["en"])


def test_what_was_said_before_was_not_invented() -> None:
    """Given a word that the user brought in, then a copy that takes it up changes nothing."""
    claim = RULES["en"].replace("room", "yacht")
    found = copied(claim, RULES["en"], known="my yacht")
    assert found is not None
    assert found.changes == {}


def test_another_way_to_give_the_same_span_is_no_change() -> None:
    """Given a year for 365 days in a copy, then no figure was changed."""
    claim, evidence = (RULES["en"].replace("48 hours", span) for span in ("1 year", "365 days"))
    assert "changed_figure" not in changes(claim, evidence)


def test_many_other_words_are_no_changed_word() -> None:
    """Given one or two foreign words for one, then words were changed; given more, the claim goes its own way."""
    few, many = (RULES["en"].replace("room", words) for words in ("yacht", "yacht zeppelin sailboat"))
    assert "changed_words" in changes(few, RULES["en"])
    assert "changed_words" not in changes(many, RULES["en"])


@pytest.mark.parametrize(
    ("claim", "evidence", "told"),
    [
        ("Smokers may cancel their room without charge until 48 hours before arrival.", RULES["en"], {"changed_words"}),
        ("For guests: cancel their room without charge until 48 hours before arrival.", RULES["en"], set()),
        ("Their room without charge until 48 hours before arrival.", RULES["en"], set()),
        (
            "The pool is heated from May until late autumn.",
            "No pool is heated from May until late autumn.",
            {"changed_negation"},
        ),
    ],
    ids=["another beginning", "another clause before", "a part", "a denial left out"],
)
def test_a_beginning_is_compared_within_its_clause(claim: str, evidence: str, told: set[str]) -> None:
    """Given another beginning, then it is told within its clause; a part of the original, or a lead-in, isn't."""
    assert changes(claim, evidence) == told


def test_the_best_of_several_originals_is_taken() -> None:
    """Given many sentences that share words with a claim, then the one with most of them in order is its original."""
    near = [RULES["en"].replace("48", str(hours)) for hours in (12, 24, 36, 60, 72, 96)]
    assert copied(RULES["en"], "\n".join([*near, RULES["en"]])) == Copy(1.0, {})


WORDS = st.lists(st.sampled_from(" ".join(COPIED).split()), max_size=20).map(" ".join)


@given(WORDS | NEAR_TEXT, WORDS | NEAR_TEXT)
def test_any_claim_is_laid_over_any_evidence(claim: str, evidence: str) -> None:
    """Given any two texts, then what is told has shares in [0, 1], twice the same."""
    originals = Originals(compile_passage(evidence).originals)
    found = copy_of(read_text(claim), originals, frozenset())
    assert copy_of(read_text(claim), originals, frozenset()) == found
    if found is None:
        return
    assert 0 <= found.exact <= 1
    assert all(0 <= surely <= 1 for surely in found.changes.values())


@pytest.mark.parametrize(
    ("claim", "evidence", "change"),
    [
        (RULES["en"].replace("before", "after"), RULES["en"], "changed_negation"),
        (RULES["fr"].replace("avant", "après"), RULES["fr"], "changed_negation"),
        (RULES["es"].replace("antes", "después"), RULES["es"], "changed_negation"),
        (RULES["en"].replace("may", "must"), RULES["en"], "changed_negation"),
        (RULES["en"].replace("may", "might"), RULES["en"], None),
        ("Plasma may be given every 2 months.", "Plasma may be given every 2 weeks.", "changed_figure"),
        (
            "The Owl Hour lasts an hour and costs 55 euros.",
            "The Owl Hour lasts an hour and costs 45 euros; "
            "the Hawk Walk lasts longer and costs more than anything else that we do here.",
            "changed_figure",
        ),
    ],
)
def test_a_pole_or_last_figure_put_for_another_is_a_change(claim: str, evidence: str, change: str | None) -> None:
    """Given before for after, must for may, or another figure at the end of a clause, then the copy was changed."""
    assert changes(claim, evidence) & {"changed_negation", "changed_figure"} == ({change} if change else set())


def test_a_copy_runs_on_rather_than_jumps() -> None:
    """Given a sentence with the same words further on, then a copy of its beginning is laid over the beginning."""
    evidence = (
        "The pin version of bowling is often played on a flat wooden or other synthetic surface, while in target "
        "bowling the surface may be grass, gravel or a synthetic surface."
    )
    assert changes("The pin version is often played on a wooden or other synthetic surface.", evidence) <= {
        "changed_words"
    }
