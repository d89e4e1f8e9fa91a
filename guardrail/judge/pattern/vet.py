"""The limits on a pattern, and whether a tree stays inside them. It must never run anything.

Source of the figures: REGEX.md (percentiles over patterns of 2026 models; compile times measured inside the limits).
"""

from __future__ import annotations

from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.tree import (
    Atomic,
    BackReference,
    BranchReset,
    Call,
    Conditional,
    Foreign,
    Look,
    Node,
    Repeat,
    Set,
    walk,
)

MAX_PATTERN_CHARS = 1_000  # p99 of what models write is 539
MAX_VALUE_CHARS = 256  # a parameter is a short token; longer values only serve attacks
MAX_DEPTH = 40  # open groups; people stop at ten
MAX_BOUND = 1_000  # of a single repeat; RE2's own limit
MAX_POSITIONS = 2_000  # characters after expanding counted repeats; p99.9 is 484
MAX_BACKTRACK_COST = 2_000  # what a backtracker builds at compile time, where each + doubles
PROPERTY_WEIGHT = 2  # positions for a set that asks a Unicode table: its bytes and its question


_UNREAD: dict[type[Node], str] = {
    Conditional: "a conditional",
    BranchReset: "a branch reset",
    Call: "a recursion",
}
_BEYOND_LINEAR = {Look, BackReference, Atomic}


def vet(tree: Node) -> Fault | None:
    """Why a tree is too costly for an engine, or is of one dialect alone; null when it can be run."""
    if positions(tree) > MAX_POSITIONS:
        return Fault("unsafe", f"the pattern expands to more than {MAX_POSITIONS} positions")
    name = _unread(tree)
    if name:
        return Fault("unsupported", f"{name} is read by some dialects alone")
    if not linear(tree) and backtrack_cost(tree) > MAX_BACKTRACK_COST:
        return Fault("unsafe", f"the pattern costs a backtracker more than {MAX_BACKTRACK_COST} steps to build")
    return None


def linear(tree: Node) -> bool:
    """Whether the linear engine can run a vetted tree."""
    return not any(
        type(node) in _BEYOND_LINEAR or (type(node) is Repeat and node.mode == "possessive") for node in walk(tree)
    )


def positions(node: Node) -> int:
    """How many positions the node has once counted repeats are written out. Every empty part counts too."""
    if isinstance(node, Set):
        return PROPERTY_WEIGHT if node.properties else 1
    inner = sum(map(positions, node.below())) or 1
    return inner * _copies(node, node.low) if isinstance(node, Repeat) else inner


def backtrack_cost(node: Node) -> int:
    """The same for an engine that writes `x+` as `xx*`. Unit: positions."""
    inner = sum(map(backtrack_cost, node.below())) or 1
    return inner * _copies(node, node.low + 1) if isinstance(node, Repeat) else inner


def _copies(repeat: Repeat, unbounded: int) -> int:
    return max(1, unbounded if repeat.high is None else repeat.high)


def _unread(tree: Node) -> str | None:
    """The name of the first construct that no tier reads; null when there is none."""
    for node in walk(tree):
        if type(node) in _UNREAD:
            return _UNREAD[type(node)]
        if isinstance(node, Foreign):
            return node.what
    return None
