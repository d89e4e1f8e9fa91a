"""A linear tree that matches all that another one does, and more. It must never refuse what the other one takes.

Most values that don't match are told apart by it at once; only the others are worth a search.
"""

from __future__ import annotations

from guardrail.judge.pattern.charset import ANY, charset
from guardrail.judge.pattern.program import referred
from guardrail.judge.pattern.tree import (
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

_ANYTHING = Repeat(charset(ANY), 0, None)
_EMPTY = Sequence()


def relaxed(tree: Node) -> Node:
    """The tree without look-arounds, with references as what their groups may hold, and nothing kept for good."""
    targets = referred(tree)
    bodies = {node.index: node.body for node in walk(tree) if isinstance(node, Group)}
    held = {name: _held(bodies[index]) for name, index in targets.items()}
    return _relaxed(tree, held)


def _held(body: Node) -> Node:
    """What a reference to a group may stand for; a group that took no part may be empty."""
    if any(isinstance(node, BackReference) for node in walk(body)):
        return _ANYTHING
    return Choice((_relaxed(body, {}), _EMPTY))


def _relaxed(node: Node, held: dict[int | str, Node]) -> Node:
    if isinstance(node, Look):
        return _EMPTY
    if isinstance(node, BackReference):
        return _ANYTHING if node.fold else held[node.group]
    if isinstance(node, Atomic | Group):
        return _relaxed(node.body, held)
    if isinstance(node, Repeat):
        return Repeat(_relaxed(node.body, held), node.low, node.high)
    if isinstance(node, Sequence):
        return Sequence(tuple(_relaxed(part, held) for part in node.parts))
    if isinstance(node, Choice):
        return Choice(tuple(_relaxed(branch, held) for branch in node.branches))
    return node
