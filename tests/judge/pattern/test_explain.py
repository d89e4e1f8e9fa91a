"""What a person is told of a pattern and a value: where it stops fitting, what would match, what the examples say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.judge.model import Execution
from guardrail.judge.pattern import execute
from guardrail.judge.pattern.examples import Examples
from guardrail.judge.pattern.explain import Stop, explained
from guardrail.judge.pattern.nearest import nearest
from guardrail.judge.pattern.program import Program, program
from guardrail.judge.pattern.repair import Unwrapped
from guardrail.judge.pattern.tiers import understood
from guardrail.judge.pattern.tree import Node
from tests.judge.pattern.grow import Sample, bold_samples, referring_samples, values

STOPS = [
    ("^[A-Z]{3}\\d{3}$", "AB1234", Stop(2, ("[A-Z]",)), "ABA234"),
    ("^[A-Z]{3}\\d{3}$", "abc123", Stop(0, ("[A-Z]",)), "ABC123"),
    ("^\\d{4}$", "12345", Stop(4, ("the end of the value",)), "1234"),
    ("^\\d{2,4}$", "1", Stop(1, ("[0-9]",)), "10"),
    ("^\\d+$", "12 ", Stop(2, ("[0-9]", "the end of the value")), "12"),
    ("^\\d{3}$", "１２３", Stop(0, ("[0-9]",)), "123"),
    ("cat|dog", "cot", Stop(1, ("a",)), "cat"),
    ("(?=.*\\d)[a-z0-9]+", "abc", Stop(0, ("(?=[^\\n]*[0-9])",)), None),
    ("a(?!b)\\w", "ab", Stop(1, ("(?!b)",)), None),
    ("(\\d)-\\1", "1-2", Stop(2, ("what a group held, once more",)), None),
    ("(?>a|ab)c", "abc", Stop(1, ("c",)), None),
    ("(?>b)c", "ac", Stop(0, ("an atomic group",)), "bc"),
    ("(?m)a^b", "ab", Stop(1, ("the beginning of a line",)), None),
    ("a\\bb", "ab", Stop(1, ("the edge of a word",)), None),
    ("[^,]+", "a,b", Stop(1, ("[^\\,]", "the end of the value")), "ab"),
    ("[à-ü]", "x", Stop(0, ("[à-ü]",)), "à"),
    ("\\p{Lu}", "a", Stop(0, ("[\\p{Lu}]",)), None),
    ("(?<=a)b|c", "b", Stop(0, ("(?<=a)", "c")), None),
    ("(?<=[^a]b)b", "b", Stop(0, ("(?<=[^a]b)",)), None),
    ("", "x", None, None),
]


@pytest.mark.parametrize(("pattern", "value", "stop", "near"), STOPS)
def test_where_a_value_stops_fitting_and_what_would_match(
    pattern: str, value: str, stop: Stop | None, near: str | None
) -> None:
    """Given a value that doesn't match, then how far it fits is told, what is wanted there, and the nearest value."""
    found = explained(pattern, value, Examples())
    assert (found.stop, found.nearest) == (stop, near)


def test_a_match_needs_no_reason() -> None:
    """Given a value that matches, then only the pattern as it is read is told, anchors strict and classes written."""
    found = explained("/^\\w+(?=\\d)\\d$/i", "ab1", Examples())
    assert found.read_as == "\\A[0-9A-Z\\_a-z]+(?=[0-9])[0-9]\\Z"
    assert (found.stop, found.nearest, found.fault, found.run.repairs) == (None, None, None, ("delimiters",))


def test_a_refused_pattern_is_told_with_its_place() -> None:
    """Given a pattern that isn't read, then its fault says where."""
    found = explained("^(ab", "x", Examples())
    assert found.fault is not None
    assert (found.fault.at, found.read_as, found.run.execution) == (1, None, Execution.INVALID)
    assert explained("a" * 1001, "x", Examples()).run.execution is Execution.UNSAFE
    unsupported = explained("(a*)*b\\1", "aab", Examples())
    assert (unsupported.stop, unsupported.fault) == (None, None)
    assert unsupported.read_as == "(?P<g1>a*)*b(?P=g1)"


def test_examples_decide_about_doubled_backslashes_and_speak_against_a_pattern() -> None:
    """Given examples, then doubled backslashes are halved where they ask for it, and what contradicts them is told."""
    found = explained("^\\\\d{3}$", "123", Examples(("987",)))
    assert (found.pattern, found.run.execution) == ("^\\d{3}$", Execution.MATCHED)
    against = explained("\\w+", "abc", Examples(("ab-1",), ("x",))).against
    assert (against.refused, against.accepted) == (("ab-1",), ("x",))


def test_a_search_for_the_place_gives_up() -> None:
    """Given a value that takes too long to follow, then the place isn't told; the verdict is."""
    found = explained("(?:(?:a|b)*){99}c", "ab" * 128, Examples())
    assert found.run.execution is Execution.NOT_MATCHED
    assert found.stop is None


def tree(pattern: str) -> Node:
    """The tree of a pattern that may be run."""
    found = understood(Unwrapped(pattern))
    assert isinstance(found, Node)
    return found


def test_a_nearest_value_isnt_looked_for_without_end() -> None:
    """Given a pattern without any match, or one too large, then there is no nearest value."""
    nothing, large = program(tree("[^\\s\\S]a")), program(tree("(?:[ab]?){180}" * 2 + "c"))
    assert isinstance(nothing, Program)
    assert isinstance(large, Program)
    assert nearest(nothing, "xa") is None
    assert nearest(large, "d" * 256) is None


@given(sample=st.one_of(bold_samples, referring_samples), value=values)
@settings(max_examples=400, deadline=None)
def test_anything_is_explained(sample: Sample, value: str) -> None:
    """Given any pattern and value, then the explanation has the run's verdict, and its nearest value does match."""
    found = explained(sample[0], value, Examples())
    assert found.run == execute(sample[0], value)
    assert found.nearest is None or execute(sample[0], found.nearest).execution is Execution.MATCHED
    assert found.stop is None or 0 <= found.stop.position <= len(value)
