"""Takes look-arounds at a known distance from an end of the value out of a tree: each becomes a question of its own.

A value that matches `(?=A)B` whole matches `A.*` and `B`, both linear. It must never change which values match.
Most look-arounds that models write stand so (password rules, forbidden beginnings); the others are left to the search.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from guardrail.judge.pattern.charset import ANY, charset
from guardrail.judge.pattern.tree import Assertion, Choice, Edge, Group, Look, Node, Repeat, Sequence, Set, walk
from guardrail.judge.pattern.vet import linear

_ANY_ONE = charset(ANY)
_ANYTHING = Repeat(_ANY_ONE, 0, None)
LOOKS_MAX = 8  # each is a program of its own


class Condition(msgspec.Struct, frozen=True):
    """A language that the whole value must belong to, or must not."""

    tree: Node
    negated: bool


def split(tree: Node) -> tuple[Condition, ...] | None:
    """The conditions that say the same as a tree, each one linear; null when it can't be split so."""
    parts = _flat(tree)
    looks = [(index, part) for index, part in enumerate(parts) if isinstance(part, Look)]
    if not looks or len(looks) > LOOKS_MAX:
        return None
    rest = Sequence(tuple(part for part in parts if not isinstance(part, Look)))
    taken = [_taken(look, parts[:index], parts[index + 1 :]) for index, look in looks]
    conditions = [condition for condition in taken if condition is not None]
    conditions.append(Condition(rest, negated=False))
    whole = len(conditions) > len(taken) and all(linear(condition.tree) for condition in conditions)
    return tuple(conditions) if whole else None


def _flat(node: Node) -> tuple[Node, ...]:
    """The parts of a tree at its top, with the sequences and groups in it opened."""
    if isinstance(node, Sequence):
        return tuple(inner for part in node.parts for inner in _flat(part))
    if isinstance(node, Group) and any(isinstance(inner, Look) for inner in walk(node)):
        return _flat(node.body)
    return (node,)


def _taken(look: Look, earlier: tuple[Node, ...], later: tuple[Node, ...]) -> Condition | None:
    """A look-around as a condition on the whole value; null when its distance from the ends isn't known."""
    before, after = _length(earlier), _length(later)
    if look.ahead and before is not None:
        return Condition(Sequence((*_gap(before), look.body, _ANYTHING)), look.negated)
    if not look.ahead and after is not None:
        return Condition(Sequence((_ANYTHING, look.body, *_gap(after))), look.negated)
    if look.ahead and after == 0:
        return Condition(Sequence((_ANYTHING, Assertion(Edge.TEXT_END), look.body)), look.negated)
    if not look.ahead and before == 0:
        return Condition(Sequence((look.body, Assertion(Edge.TEXT_START), _ANYTHING)), look.negated)
    return None


def _gap(width: int) -> tuple[Node, ...]:
    return (Repeat(_ANY_ONE, width, width),) if width else ()


def _length(parts: Iterable[Node]) -> int | None:
    """How many characters some parts take together; null when that varies."""
    total = 0
    for part in parts:
        width = _width(part)
        if width is None:
            return None
        total += width
    return total


def _width(node: Node) -> int | None:
    if isinstance(node, Set):
        return 1
    if isinstance(node, Look):
        return 0
    if isinstance(node, Choice):
        widths = {_width(branch) for branch in node.branches}
        return widths.pop() if len(widths) == 1 else None
    inner = _length(node.below())
    if isinstance(node, Repeat) and inner:
        return inner * node.low if node.low == node.high else None
    return inner
