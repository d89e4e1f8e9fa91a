"""The limits on a pattern, and whether a tree stays inside them. It must never run anything.

Source of the figures: REGEX.md (percentiles over patterns of 2026 models; compile times measured inside the limits).
"""

from __future__ import annotations

from typing import NamedTuple

from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.tree import (
    Assertion,
    BranchReset,
    Call,
    Choice,
    Conditional,
    Foreign,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
    walk,
)

MAX_PATTERN_CHARS = 1_000  # p99 of what models write is 539
MAX_VALUE_CHARS = 256  # a parameter is a short token; longer values only serve attacks
MAX_DEPTH = 40  # open groups; people stop at ten
MAX_BOUND = 1_000  # of a single repeat; RE2's own limit
MAX_POSITIONS = 2_000  # characters after expanding counted repeats; p99.9 is 484
MAX_SKIPPED = 400  # positions of which all may be empty: `(?:a?){900}` costs RE2 20 ms; p99.9 is 170
MAX_BACKTRACK_COST = 2_000  # what a backtracker builds at compile time, where each + doubles
PROPERTY_WEIGHT = 2  # positions for a set that asks a Unicode table: its bytes and its question


_UNREAD: dict[type[Node], str] = {
    Conditional: "a conditional",
    BranchReset: "a branch reset",
    Call: "a recursion",
}
_LINEAR = {Set, Assertion, Sequence, Choice, Repeat, Group}


def vet(tree: Node) -> Fault | None:
    """Why a tree is too costly for an engine, or is of one dialect alone; null when it can be run."""
    size = positions(tree)
    if size > MAX_POSITIONS:
        return Fault("unsafe", f"the pattern expands to more than {MAX_POSITIONS} positions")
    if size > MAX_SKIPPED and skipped(tree) > MAX_SKIPPED:
        return Fault("unsafe", f"the pattern may skip over more than {MAX_SKIPPED} positions at once")
    if linear(tree):
        return None
    name = _unread(tree)
    if name:
        return Fault("unsupported", f"{name} is read by some dialects alone")
    if backtrack_cost(tree) > MAX_BACKTRACK_COST:
        return Fault("unsafe", f"the pattern costs a backtracker more than {MAX_BACKTRACK_COST} steps to build")
    return None


def linear(tree: Node) -> bool:
    """Whether the linear engine can run a tree."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind not in _LINEAR or (isinstance(node, Repeat) and node.mode == "possessive"):
            return False
        if kind is not Set:
            waiting += node.below()
    return True


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


class _First(NamedTuple):
    """How many positions of a node may come first, how many it has, and whether it may be empty."""

    entry: int
    size: int
    nullable: bool

    @property
    def spread(self) -> int:
        """How many may be live when it is entered at many places of the value: no more than these are."""
        return min(self.size, MAX_VALUE_CHARS)


_OF_A_SET = _First(1, 1, nullable=False)


def skipped(tree: Node) -> int:
    """The most positions that an automaton is in at one place of the value, because those between may be empty."""
    firsts: dict[int, _First] = {}
    _find_firsts(tree, firsts)
    return _most(tree, 0, firsts)


def _find_firsts(node: Node, firsts: dict[int, _First]) -> _First:
    """The facts of a node; kept for all but sets, which have one and the same."""
    if isinstance(node, Set):
        return _OF_A_SET
    below = [_find_firsts(part, firsts) for part in node.below()]
    if isinstance(node, Repeat):
        once, nullable = below[0], node.low == 0 or below[0].nullable
        copies = _copies(node, node.low + 1)
        entry = once.size * copies if once.nullable and copies > 1 else once.entry
        found = _First(entry, once.size * copies, nullable)
    elif isinstance(node, Choice):
        found = _First(sum(p.entry for p in below), sum(p.size for p in below), any(p.nullable for p in below))
    else:
        solid = next((number for number, part in enumerate(below) if not part.nullable), len(below))
        reached = enumerate(below[: solid + 1])
        entry = sum(part.entry if number in (0, solid) else part.spread for number, part in reached)
        around = isinstance(node, Look)
        size = sum(part.size for part in below)
        found = _First(0 if around else entry, size, nullable=around or solid == len(below))
    firsts[id(node)] = found
    return found


def _most(node: Node, after: int, firsts: dict[int, _First]) -> int:
    """`after`: positions that may come next once the node has matched."""
    if isinstance(node, Set):
        return max(after, 1)
    first = firsts[id(node)]
    most = max(after, first.entry + (after if first.nullable else 0))
    if isinstance(node, Sequence):
        for part in reversed(node.parts):
            most = max(most, _most(part, after, firsts))
            found = firsts.get(id(part), _OF_A_SET)
            after = found.entry + (after if found.nullable else 0)
        return max(most, after)
    again = first.entry if isinstance(node, Repeat) else 0
    return max([most, *(_most(part, after + again, firsts) for part in node.below())])


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
