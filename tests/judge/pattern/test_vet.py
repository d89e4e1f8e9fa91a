"""The limits: what a tree costs, and what the linear engine can't run."""

from __future__ import annotations

import pytest

from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.parse import Parsed, parse
from guardrail.judge.pattern.tree import Node
from guardrail.judge.pattern.vet import backtrack_cost, construct, positions, vet


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
    ("pattern", "name"),
    [
        ("ab*?", None),
        ("a(?=b)", "a look-around"),
        ("(a)\\1", "a back reference"),
        ("(?>a)", "an atomic group"),
        ("a++", "a possessive repeat"),
        ("(a)(?(1)b)", "a conditional"),
        ("(?|a|b)", "a branch reset"),
        ("(?R)", "a recursion"),
        ("a\\Kb", "the reset \\K"),
    ],
)
def test_constructs(pattern: str, name: str | None) -> None:
    """The first construct beyond the linear engine is named."""
    assert construct(tree(pattern)) == name


def test_cost_comes_before_support() -> None:
    """A bomb is unsafe also when no tier could run it; what is cheap is unsupported."""
    assert vet(tree("(?:a{50}){50}\\Kb")) == Fault("unsafe", "the pattern expands to more than 2000 positions")
    bomb = vet(tree("(" * 12 + "a" + "+)" * 12 + "\\1"))
    assert bomb is not None
    assert bomb.kind == "unsafe"
    assert vet(tree("(a)\\1")) == Fault("unsupported", "a back reference needs more than the linear engine")
    assert vet(tree("(a)")) is None
