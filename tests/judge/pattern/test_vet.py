"""The limits: what a tree costs, and which engine can run it."""

from __future__ import annotations

import pytest

from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.parse import Parsed, parse
from guardrail.judge.pattern.tree import Node
from guardrail.judge.pattern.vet import backtrack_cost, linear, positions, vet


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
