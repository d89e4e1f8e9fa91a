"""Phrases looked for by their words: what one pass over all of them finds, at less cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.pattern.phrases import PhraseIndex, PhraseSet, Worded

GROUPS: list[list[Worded]] = [
    [
        (" (?:not) (?:[^ ]+ ){0,6}?(?:here) ", (frozenset({"here"}), frozenset({"not"}))),
        ("^ (?:no|none) ", (frozenset({"no", "none"}),)),
    ],
    [(" (?:open[^ ]*) ", (frozenset({"open~"}),)), (" (?:is) (?:it) $", (frozenset({"it"}), frozenset({"is"})))],
    [(f" (?:w{number}) ", (frozenset({f"w{number}"}),)) for number in range(40)],
    [(" (?:b[^ ]*) ", (frozenset({"b~"}),)), (" (?:[^ ]+) (?:a[^ ]*) (?:a) ", ())],
    [(" (?:here) (?:open[^ ]*) ", (frozenset({"here"}), frozenset({"open~"})))],
]
INDEX, ALL = PhraseIndex(GROUPS), PhraseSet([[pattern for pattern, _ in group] for group in GROUPS])
WORDS = st.sampled_from(
    ["not", "here", "no", "none", "opens", "op", "bee", "is", "it", "a", *(f"w{number}" for number in range(40))]
)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("", set()),
        ("he is not often here", {0}),
        ("here it is not", set()),
        ("none", {0}),
        ("is there none", set()),
        ("it opens here", {1}),
        ("here opens a bee", {1, 3, 4}),
        ("is a a", {3}),
        ("is it", {1}),
        ("is it w1 w2", {2}),
        (" ".join(f"w{number}" for number in range(40)), {2}),
        ("not here " * 100, {0}),
    ],
    ids=[
        "empty",
        "gap",
        "order",
        "opening",
        "not opening",
        "any ending",
        "beginnings",
        "no words",
        "end",
        "not the end",
        "many",
        "long",
    ],
)
def test_phrases_are_found_where_they_stand(line: str, found: set[int]) -> None:
    """Given a line, then the groups whose phrases stand in it are found, however many or long."""
    assert INDEX.found_in(f" {line.strip()} ") == found


@given(st.lists(WORDS, max_size=60))
def test_an_index_finds_what_a_set_finds(words: list[str]) -> None:
    """Given any line, then an index and a set of the same phrases find the same."""
    line = f" {' '.join(words)} "
    assert INDEX.found_in(line) == ALL.found_in(line)
