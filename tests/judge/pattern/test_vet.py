"""The limits: what a tree costs, and which engine can run it."""

from __future__ import annotations

import pytest

from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.parse import Parsed, parse
from guardrail.judge.pattern.tree import Node
from guardrail.judge.pattern.vet import MAX_SKIPPED, backtrack_cost, linear, positions, skipped, vet


def tree(pattern: str) -> Node:
    """The tree of a pattern that is read."""
    parsed = parse(pattern)
    assert isinstance(parsed, Parsed)
    return parsed.tree


@pytest.mark.parametrize(
    ("pattern", "size", "cost"),
    [
        ("abc", 3, 3),
        ("a{10}", 10, 10),
        ("(?:ab){2,5}", 10, 10),
        ("a+b*", 2, 3),
        ("((a+)+)+", 1, 8),
        ("(?:()()){10}", 20, 20),
        ("a{0}", 1, 1),
        ("a{5,}", 5, 6),
        ("(?=a{3})", 3, 3),
        ("\\p{L}{3}", 6, 3),
    ],
)
def test_costs(pattern: str, size: int, cost: int) -> None:
    """Counted repeats multiply, empty parts count, and a backtracker pays twice for each plus."""
    assert (positions(tree(pattern)), backtrack_cost(tree(pattern))) == (size, cost)


@pytest.mark.parametrize(
    ("pattern", "least", "most"),
    [
        ("abc", 1, 1),
        ("a?b?c?d", 4, 4),
        ("a{0,900}x", 2, 2),  # all copies start at one place
        (".{0,300}.{0,300}", 257, 257),  # the second starts anywhere
        ("(?:\\w+\\s*)*", 2, 3),
        ("(?:.?){200}!", 201, 202),
        ("(?:a|b?){30}", 61, 62),
        ("x(?:a?){9}(?:b?){9}y", 19, 20),
        ("(?:[^e]{0,5}){0,300}", 1500, 1501),
        ("(?:(?=.)(?:.?){30}){60}!", 1800, 1900),
    ],
)
def test_how_many_positions_are_live_because_others_may_be_empty(pattern: str, least: int, most: int) -> None:
    """Given copies that may be empty, then all that can be reached over them count; never fewer than there are."""
    assert least <= skipped(tree(pattern)) <= most
    assert (vet(tree(pattern)) is not None) is (most > MAX_SKIPPED)


@pytest.mark.parametrize("pattern", ["a(?=b)", "(a)\\1", "(?>a)", "a++"])
def test_constructs_beyond_the_linear_engine(pattern: str) -> None:
    """What isn't regular, or asks about its surroundings, is run by another tier; cheap ones aren't refused."""
    assert not linear(tree(pattern))
    assert linear(tree("ab*?"))
    assert vet(tree(pattern)) is None


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a)(?(1)b)", "a conditional is read by some dialects alone"),
        ("(?|a|b)", "a branch reset is read by some dialects alone"),
        ("(?R)", "a recursion is read by some dialects alone"),
        ("a\\Kb", "the reset \\K is read by some dialects alone"),
    ],
)
def test_constructs_that_no_tier_reads(pattern: str, reason: str) -> None:
    """The first construct that only some dialects know is named."""
    assert vet(tree(pattern)) == Fault("unsupported", reason)


def test_cost_comes_before_support() -> None:
    """A bomb is unsafe also when no tier could run it; what is cheap is run."""
    assert vet(tree("(?:a{50}){50}\\Kb")) == Fault("unsafe", "the pattern expands to more than 2000 positions")
    bomb = vet(tree("(" * 12 + "a" + "+)" * 12 + "\\1"))
    assert bomb is not None
    assert bomb.kind == "unsafe"
    assert vet(tree("(a)\\1")) is None
