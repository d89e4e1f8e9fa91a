"""A linear tree that matches all that another one does, and more. It must never refuse what the other one takes.

Most values that don't match are told apart by it at once; only the others are worth a search.
"""

from __future__ import annotations

from collections import Counter

from guardrail.judge.pattern.charset import ANY, charset
from guardrail.judge.pattern.disputes import referred
from guardrail.judge.pattern.tree import (
    Assertion,
    Atomic,
    BackReference,
    Choice,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
    walk,
)
from guardrail.judge.pattern.vet import positions

_ANYTHING = Repeat(charset(ANY), 0, None)
_EMPTY = Sequence()
_COPIED_MAX = 200  # positions that references to one group add


def relaxed(tree: Node) -> Node:
    """The tree without look-arounds, with references as what their groups may hold, and nothing kept for good."""
    targets = referred(tree)
    bodies = {node.index: node.body for node in walk(tree) if isinstance(node, Group)}
    uses = Counter(node.group for node in walk(tree) if isinstance(node, BackReference))
    held = {name: _held(bodies[index], uses[name]) for name, index in targets.items()}
    return _relaxed(tree, held)


def _held(body: Node, uses: int) -> Node:
    """What a reference to a group may stand for: its characters, at another place; nothing if it took no part."""
    if any(isinstance(node, BackReference) for node in walk(body)) or positions(body) * uses > _COPIED_MAX:
        return _ANYTHING
    return Choice((_relaxed(body, {}, placed=False), _EMPTY))


def _relaxed(node: Node, held: dict[int | str, Node], *, placed: bool = True) -> Node:
    """`placed`: whether the node stands where it stood, so that its edges still hold."""
    if isinstance(node, Look) or (isinstance(node, Assertion) and not placed):
        return _EMPTY
    if isinstance(node, BackReference):
        return _ANYTHING if node.fold else held[node.group]
    if isinstance(node, Atomic | Group):
        return _relaxed(node.body, held, placed=placed)
    if isinstance(node, Repeat):
        return Repeat(_relaxed(node.body, held, placed=placed), node.low, node.high)
    if isinstance(node, Sequence):
        return Sequence(tuple(_relaxed(part, held, placed=placed) for part in node.parts))
    if isinstance(node, Choice):
        return Choice(tuple(_relaxed(branch, held, placed=placed) for branch in node.branches))
    return node
