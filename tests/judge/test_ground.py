"""Passages compiled into a ground, alone and together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.ground import SENTENCES_MAX, STOP_WEIGHT, Ground, compile_passage, compile_passages
from guardrail.judge.reading import Unit, read_text
from guardrail.judge.support import supports
from tests.judge.test_tokens import NEAR_TEXT

TERMS = {
    "en": "Breakfast costs 14 euros per person. Parking costs 8 euros per night until 10 am.",
    "fr": "Le petit déjeuner coûte 14 euros par personne. Le parking coûte 8 euros par nuit jusqu'à 10 h.",
    "es": "El desayuno cuesta 14 euros por persona. El aparcamiento cuesta 8 euros por noche hasta las 10 h.",
}
PROSE = {
    "en": "The old lighthouse was built by fishermen from the village. It guided their boats through the storms.",
    "fr": "Le vieux phare fut construit par les pêcheurs du village. Il guidait leurs bateaux dans les tempêtes.",
    "es": "El viejo faro fue construido por los pescadores del pueblo. Guiaba sus barcos entre las tormentas.",
}
LOCALES = ("en", "fr", "es")
PASSAGES = st.lists(
    st.sampled_from([*TERMS.values(), *PROSE.values(), "", "Ask Dr. Paul Weber."]) | NEAR_TEXT, max_size=4
)


def ground(*texts: str, context: tuple[str, ...] = ()) -> Ground:
    """The passages, compiled together."""
    return Ground([compile_passage(text) for text in texts], [compile_passage(text) for text in context])


def unit(text: str, word: str) -> Unit:
    """The unit of a text that is written so."""
    return next(u for u in read_text(text).units if text[u.start : u.end] == word)


def test_a_passage_has_its_sentences_and_pairs_of_neighbours() -> None:
    """Given two sentences, then each and both together are windows and may be copied; the keys are all of theirs."""
    one = compile_passage("The pool is open. The bar is closed; the spa too.")
    assert len(one.sentences) == 2
    (both,) = one.pairs
    assert both == one.keys
    assert [len(source.units) for source in one.originals] == [4, 7, 11]
    assert one.words == 11


@pytest.mark.parametrize("text", ["", " \n ", "¿?"])
def test_a_passage_without_words_holds_nothing(text: str) -> None:
    """Given a passage without a word, then nothing can rest on it, and it reads as nothing."""
    one = compile_passage(text)
    assert (one.keys, one.words, one.contenders, one.waivers) == (frozenset(), 0, (), frozenset())
    assert ground(text).terms == 0


def test_a_sentence_knows_what_it_denies_and_where_it_says_it() -> None:
    """Given a sentence, then it has its denied words, and the places of those that stand once."""
    (stated,) = compile_passage("The pool is open but the small pool is not heated.").sentences
    heated, pool, small = (unit("The small pool is heated.", word).key for word in ("heated", "pool", "small"))
    assert stated.denied[heated]
    assert not stated.denied[small]
    assert pool not in stated.places
    assert stated.places[small] < stated.places[heated]


@pytest.mark.parametrize("locale", LOCALES)
def test_terms_are_told_from_prose(locale: str) -> None:
    """Given prices and hours, then evidence reads as terms; given a tale, it doesn't; both together lie between."""
    assert ground(TERMS[locale]).terms == 1
    assert ground(PROSE[locale]).terms == 0
    assert 0 < ground(TERMS[locale], *[PROSE[locale]] * 7).terms < 1


def test_context_covers_and_does_not_say_how_evidence_reads() -> None:
    """Given context beside passages, then its words are known, and the manner is the passages' alone."""
    found = ground(PROSE["en"], context=(TERMS["en"],))
    assert compile_passage(TERMS["en"]).keys <= found.keys
    assert found.terms == 0
    assert supports(["Breakfast costs 14 euros per person."], found, read_text(""), frozenset())[
        0
    ].risk == pytest.approx(0)


def test_rare_words_weigh_more() -> None:
    """Given words of many sentences, of one, and of none, then the rarer weighs more; a stop word weighs least."""
    found = ground("The pool is open. The pool is heated. The pool is new. The bar is small.")
    often, once, never = (found.weight(unit("the pool, a bar, a yacht", word)) for word in ("pool", "bar", "yacht"))
    assert STOP_WEIGHT <= often < once < never == found.unseen
    assert found.weight(unit("the pool", "the")) == STOP_WEIGHT


def test_nothing_weighs_nothing() -> None:
    """Given no evidence, then a word still weighs something."""
    assert ground().weight(unit("the pool", "pool")) > 0
    assert ground().sentences == []


@pytest.mark.parametrize(
    ("claim", "word", "passages"),
    [
        ("It costs 14 euros.", "14 euros", [0]),
        ("Cela coûte quatorze euros.", "quatorze euros", [0]),
        ("It costs 15 euros.", "15 euros", []),
        ("Ask Weber.", "Weber", [1]),
        ("Ask Dupont.", "Dupont", []),
    ],
)
def test_a_figure_or_name_is_found_again(claim: str, word: str, passages: list[int]) -> None:
    """Given a claim's figure or name, then the passages that have the same are told by their numbers."""
    found = ground(TERMS["en"], "On Monday ask Weber.")
    assert sorted({number for number, _ in found.same_as(unit(claim, word))}) == passages


def test_lifted_limits_of_the_evidence_are_its_own() -> None:
    """Given evidence that lifts a limit itself, then the ground has that waiver."""
    assert (
        ground("Leave at any time.", PROSE["en"]).waivers
        == compile_passage("Leave at any time.").waivers
        != frozenset()
    )


def test_sentences_behind_the_bound_are_known_all_the_same() -> None:
    """Given more sentences than are held one by one, then the words of the later ones are known."""
    many = Ground([compile_passage(PROSE["en"])] * SENTENCES_MAX + [compile_passage("A yacht sails.")])
    assert len(many.sentences) == SENTENCES_MAX
    assert unit("a yacht", "yacht").key in many.keys


def test_more_passages_leave_the_ground_as_it_was() -> None:
    """Given a ground that is extended, then it is another one; the first still knows nothing of it."""
    first = ground(PROSE["en"])
    more = first.extended([compile_passage(TERMS["en"])])
    assert first.keys < more.keys
    assert more.terms > first.terms == 0


@given(PASSAGES, PASSAGES, PASSAGES, st.sampled_from([*TERMS.values(), *PROSE.values()]) | NEAR_TEXT)
def test_extended_or_made_at_once_is_the_same(
    first: list[str], more: list[str], context: list[str], claim: str
) -> None:
    """Given passages now and later, then their ground is that of all of them at once, and so is any claim's support."""
    step = ground(*first, context=tuple(context)).extended([compile_passage(text) for text in more])
    once = ground(*first, *more, context=tuple(context))
    assert (step.keys, step.terms, step.unseen) == (once.keys, once.terms, once.unseen)
    weights = dict.fromkeys(sorted(step.keys), 1.0)
    assert step.windows.shared(weights) == once.windows.shared(weights)
    assert [step.weight(u) for u in read_text(claim).units] == [once.weight(u) for u in read_text(claim).units]
    assert supports([claim], step, read_text(""), frozenset()) == supports([claim], once, read_text(""), frozenset())


@given(PASSAGES)
def test_any_passages_make_a_ground(texts: list[str]) -> None:
    """Given any passages, then its windows hold its keys, weights are above zero, its manner lies in [0, 1]."""
    found = ground(*texts)
    shared = found.windows.shared(dict.fromkeys(sorted(found.keys), 1.0))
    assert [shared.get(n, 0) for n, s in enumerate(found.sentences)] == [len(s.reading.keys) for s in found.sentences]
    assert 0 <= found.terms <= 1
    assert all(found.weight(u) > 0 for text in texts for u in read_text(text).units)
    assert {id(c) for _, c in found.contenders} == {id(c) for sort in found.sorts.values() for _, c in sort}


QUOTED = "The pool (25 metres) opens at 7 am. It's 12.50 euros, towels included."


@pytest.mark.parametrize(
    ("claim", "quoted"),
    [
        ("The pool (25 metres) opens at 7 am.", True),
        ("the pool opens at 7 am", True),
        ("It’s 12.50 euros, towels included!", True),
        ("It's 12.50 euros.", False),
        ("The pool (50 metres) opens at 7 am.", False),
        ("It's 1250 euros, towels included.", False),
        ("...", False),
    ],
)
def test_a_sentence_is_quoted_word_for_word_or_not(claim: str, *, quoted: bool) -> None:
    """Given a sentence of a passage, asides left out or not, then it is a quotation; a part, or another figure, isn't;
    nor is what only the prompt says.
    """
    compiled = compile_passages([QUOTED])
    assert Ground(compiled).quoted(claim) is quoted
    assert not Ground([], compiled).quoted(claim)


@pytest.mark.parametrize(
    ("claim", "evidence", "quoted"),
    [
        ("Dogs (small ones) are welcome.", "Dogs (small ones) are welcome.", True),
        ("dogs are welcome", "Dogs (small ones) are welcome.", True),
        ("Dogs are welcome.", "Dogs (never big ones) are welcome.", False),
        ("Dogs are welcome.", "Dogs (only small ones) are welcome.", False),
        ("No, dogs are welcome.", "No dogs are welcome.", False),
        ("No, se admiten perros.", "No se admiten perros.", False),
        ("Are dogs welcome?", "Are dogs welcome?", False),
        ("Are dogs welcome.", "Are dogs welcome?", False),
        ("", "", False),
        (",;:", ",;:", False),
    ],
)
def test_a_quotation_has_the_marks_and_the_turns_of_its_sentence(claim: str, evidence: str, quoted: bool) -> None:
    """Given a sentence of the evidence, then it is quoted with its inner marks, without asides that turn nothing."""
    assert ground(evidence).quoted(claim) is quoted
