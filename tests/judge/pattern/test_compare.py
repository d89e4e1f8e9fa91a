"""Two patterns side by side: what only one of them takes, told by shortest values; nothing is guessed."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings

from guardrail.judge.model import Execution
from guardrail.judge.pattern import compare, execute
from guardrail.judge.pattern.comparison import COMPARE_STEPS_MAX, UNDECIDED, Comparison, Relation
from guardrail.judge.pattern.referee import _tells_apart
from tests.judge.pattern.grow import Sample, swept_samples

EQUAL, LOOSER, STRICTER = Relation.EQUAL, Relation.LOOSER, Relation.STRICTER
DIFFERS, UNKNOWN = Relation.DIFFERS, Relation.UNDECIDED

PAIRS = [
    ("^[A-Z]{3}\\d{3}$", "[A-Z]{3}[0-9]{3}", EQUAL, None, None),
    ("[A-Z]+\\d+", "[A-Z]{3}\\d{3}", LOOSER, "A0", None),
    ("[A-Z]{3}\\d{3}", "[A-Za-z]{3}\\d{3}", STRICTER, None, "aaa000"),
    ("\\d{3}", "\\d{4}", DIFFERS, "000", "0000"),
    ("a*", "a+", LOOSER, "", None),
    ("(?i)ab", "[aA][bB]", EQUAL, None, None),
    ("a|b|c", "[a-c]", EQUAL, None, None),
    ("(?:ab)+", "ab(?:ab)*", EQUAL, None, None),
    ("\\w+", "[\\w-]+", STRICTER, None, "-"),
    (".+", "(?s:.+)", STRICTER, None, "\n"),
    ("[^\\x00-\\x7f]", "[à-ü]", LOOSER, "ß", None),
    ("[一-龥]", "北", LOOSER, "一", None),
    ("^(?=.*\\d)[a-z0-9]{2,}$", "[a-z0-9]{2,}", STRICTER, None, "aa"),
    ("^(?=.*\\d)(?=.*[a-z])[a-z0-9]+$", "[a-z0-9]*(?:\\d[a-z]|[a-z]\\d)[a-z0-9]*", EQUAL, None, None),
    ("(?:(?!ab)[ab])*", "b*a*", EQUAL, None, None),
    ("^(?!000)\\d{3}$", "\\d{3}", STRICTER, None, "000"),
    ("\\ba\\b", "a", EQUAL, None, None),
    ("a\\b.", "a\\W", STRICTER, None, "a\n"),
    ("a\\B.", "a\\w", EQUAL, None, None),
    ("(?m)a$\\n^b", "a\\nb", EQUAL, None, None),
    ("(?m)^a", "a", EQUAL, None, None),
    ("a^b|c", "c", EQUAL, None, None),
    ("a$b|c", "c", EQUAL, None, None),
    ("[ab]+(?<!b)", "[ab]*a", EQUAL, None, None),
    ("a(?<=a)b", "ab", EQUAL, None, None),
    ("(?<=a)b", "(?!)a", EQUAL, None, None),
    ("(?=(?!b).)[ab]", "a", EQUAL, None, None),
    ("(?=a(?!c))a[bc]", "ab", EQUAL, None, None),
    ("x*+", "x*", UNKNOWN, None, None),
    ("(a)\\1", "aa", UNKNOWN, None, None),
    ("a+(?<!ab)", "a+", UNKNOWN, None, None),
    ("\\p{L}", "[a-z]", UNKNOWN, None, None),
    ("(", "a", UNKNOWN, None, None),
    ("a", "a" * 1001, UNKNOWN, None, None),
    ("(?<=\\1)(a)", "a", UNKNOWN, None, None),
    ("".join(chr(0x4E00 + number) for number in range(300)), "a", UNKNOWN, None, None),
    ("(?:\\ba|\\Bb){200}", "a", UNKNOWN, None, None),
]


@pytest.mark.parametrize(("pattern", "other", "relation", "extra", "missing"), PAIRS)
def test_how_two_patterns_stand(
    pattern: str, other: str, relation: Relation, extra: str | None, missing: str | None
) -> None:
    """Given two patterns, then their relation is told, with the shortest values that tell them apart; and mirrored."""
    assert compare(pattern, other) == Comparison(relation, extra, missing)
    mirrored = {LOOSER: STRICTER, STRICTER: LOOSER}.get(relation, relation)
    assert compare(other, pattern) == Comparison(mirrored, missing, extra)


def test_what_takes_too_long_is_undecided() -> None:
    """Given patterns whose automata are too large, then the comparison gives up, the same each time."""
    hard, same = "[ab]{15}a[ab]*", "(?:a|b){15}a(?:a|b)*"
    found = compare(hard, same)
    compare.cache_clear()
    assert compare(hard, same) == found == UNDECIDED
    assert compare("[ab]{7}a[ab]*", "(?:a|b){7}a(?:a|b)*").relation is EQUAL
    assert compare("(?:[a-z]?){400}(?:[a-z]?){400}x", "a").relation in {UNKNOWN, LOOSER, DIFFERS}
    assert COMPARE_STEPS_MAX <= 20_000


def test_a_counter_example_beyond_the_values_limit_tells_nothing() -> None:
    """Given patterns that differ only by values longer than any is read, then nothing is told."""
    assert compare("a{300}", "a{300,}") == UNDECIDED
    assert compare("a{256}", "a{256,}") == UNDECIDED
    assert compare("a{150}", "a{150,}") == Comparison(STRICTER, None, "a" * 151)


def test_no_counter_example_is_told_unseen() -> None:
    """Given a value that the two patterns don't tell apart when they are run, then it isn't told."""
    assert _tells_apart("a", "a", "b")
    assert not _tells_apart("a", "a", "[ab]")
    assert not _tells_apart("a", "b", "c")
    assert _tells_apart(None, "a", "a")


WORDS = ["".join(letters) for size in range(5) for letters in product("ab1 \n", repeat=size)]


@given(first=swept_samples, second=swept_samples)
@settings(max_examples=250, deadline=None)
def test_comparison_is_what_trying_everything_finds(first: Sample, second: Sample) -> None:
    """Given two patterns over five letters, then all words of up to four agree with what the comparison says."""
    pattern, other = first[0], second[0]
    found = compare(pattern, other)
    if found.relation is UNKNOWN:
        return
    taken = [(word, matches(pattern, word), matches(other, word)) for word in WORDS]
    assert_shortest(found.extra, [word for word, mine, theirs in taken if mine and not theirs])
    assert_shortest(found.missing, [word for word, mine, theirs in taken if theirs and not mine])


def matches(pattern: str, word: str) -> bool:
    """Whether a word matches; each pattern here is decided."""
    run = execute(pattern, word)
    assert run.decided
    return run.execution is Execution.MATCHED


def assert_shortest(told: str | None, found: list[str]) -> None:
    """A told value is no longer than any that was found; where one was found, one is told."""
    if found:
        assert told is not None
        assert len(told) <= len(found[0])
