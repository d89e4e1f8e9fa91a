"""What the dialects read differently in trees that they all parse. It must never take a side.

Python, PCRE, Perl, Java, .NET and ECMAScript agree on look-arounds, and where every way is tried; they part over what
is kept for good, what a group holds after an empty turn or when it took no part, and what is read backwards.
"""

from __future__ import annotations

from typing import NamedTuple

from guardrail.judge.pattern.fault import unsafe, unsupported
from guardrail.judge.pattern.tree import Assertion, Atomic, BackReference, Choice, Group, Look, Node, Repeat, Set, walk

REFERRED_GROUPS_MAX = 16  # each step of a search carries what they hold

Targets = dict[int | str, int]
"""For each reference, as it is written, the number of its group."""


def referred(tree: Node) -> Targets:
    """The references of a tree."""
    nodes = list(walk(tree))
    names = {node.name: node.index for node in nodes if isinstance(node, Group) and node.name}
    return {
        node.group: names[node.group] if isinstance(node.group, str) else node.group
        for node in nodes
        if isinstance(node, BackReference)
    }


class _Facts(NamedTuple):
    """What is below a node: referred groups, groups that references name, and whether ..."""

    held: frozenset[int] = frozenset()
    named: frozenset[int] = frozenset()
    nullable: bool = False
    """... it may take no character,"""
    empty_turns: bool = False
    """... a repeat may have a turn that takes none,"""
    one_way: bool = False
    """... something means another thing when it is read from right to left."""


_ONE_CHARACTER = _Facts()


def check(tree: Node, targets: Targets) -> None:
    """Refuses what the dialects read differently, and what costs too much at each step.

    Raises: Refused.
    """
    groups = frozenset(targets.values())
    if len(groups) > REFERRED_GROUPS_MAX:
        raise unsafe(f"more than {REFERRED_GROUPS_MAX} groups are referred to", 0)
    _checked(tree, groups, targets)


def _checked(node: Node, groups: frozenset[int], targets: Targets) -> _Facts:
    """The facts of a node, once it and all below are found fine."""
    if isinstance(node, Set):
        return _ONE_CHARACTER
    below = [_checked(part, groups, targets) for part in node.below()]
    facts = _Facts(
        held=frozenset().union(*(part.held for part in below)),
        named=frozenset().union(*(part.named for part in below)),
        nullable=_nullable(node, [part.nullable for part in below]),
        empty_turns=any(part.empty_turns for part in below),
        one_way=any(part.one_way for part in below) or isinstance(node, Atomic | BackReference),
    )
    if isinstance(node, BackReference):
        return facts._replace(named=frozenset([targets[node.group]]))
    if isinstance(node, Group) and node.index in groups:
        if node.index in facts.named:
            raise unsupported("a reference inside its own group: the dialects differ", 0)
        return facts._replace(held=facts.held | {node.index}, one_way=True)
    if isinstance(node, Repeat):
        return _checked_repeat(node, facts, empty_turn=node.high != node.low and below[0].nullable)
    if isinstance(node, Look) and not node.ahead and facts.one_way:
        raise unsupported("a reference, or what is kept for good, in a look-behind: the dialects differ", 0)
    if facts.empty_turns and (isinstance(node, Atomic) or (isinstance(node, Look) and facts.held)):
        raise unsupported(_EMPTY_TURNS, 0)
    return facts


def _checked_repeat(node: Repeat, facts: _Facts, *, empty_turn: bool) -> _Facts:
    """After a turn that took nothing, Python and PCRE leave a repeat, ECMAScript goes back.

    Where every way is tried that is the same; it isn't for what is kept for good, and for what a group holds.
    """
    possessive = node.mode == "possessive"
    if possessive and node.low > 1 and not isinstance(node.body, Set):
        raise unsupported("a possessive repeat of several turns: the dialects differ", 0)
    facts = facts._replace(empty_turns=facts.empty_turns or empty_turn, one_way=facts.one_way or possessive)
    if (possessive and facts.empty_turns) or (empty_turn and facts.held):
        raise unsupported(_EMPTY_TURNS, 0)
    return facts


_EMPTY_TURNS = "a repeat of what may be empty, kept or referred to: the dialects differ"


def _nullable(node: Node, below: list[bool]) -> bool:
    """Whether a node may take no character, by whether the nodes below may."""
    if isinstance(node, Assertion | Look | BackReference):
        return True
    if isinstance(node, Repeat):
        return node.low == 0 or below[0]
    return any(below) if isinstance(node, Choice) else all(below)


def doubtful(tree: Node, targets: Targets) -> bool:
    """Whether a reference may meet a group that took no part: ECMAScript takes that for empty, the others fail."""
    return _settled(tree, frozenset(), targets) is None


def _settled(node: Node, known: frozenset[int], targets: Targets) -> frozenset[int] | None:
    """The groups that surely took part once a node has matched; null when a reference may meet one that didn't."""
    if isinstance(node, BackReference):
        return known if targets[node.group] in known else None
    if isinstance(node, Repeat):
        inner = {group.index for group in walk(node.body) if isinstance(group, Group)}
        once = _settled(node.body, known - inner, targets)
        return once if once is None or node.low else known
    if isinstance(node, Choice):
        ends = [_settled(branch, known, targets) for branch in node.branches]
        return None if None in ends else frozenset.intersection(*(end for end in ends if end is not None))
    after: frozenset[int] | None = known
    for part in node.below():
        after = None if after is None else _settled(part, after, targets)
    if after is None:
        return None
    if isinstance(node, Look) and node.negated:
        return known
    return after | {node.index} if isinstance(node, Group) else after
