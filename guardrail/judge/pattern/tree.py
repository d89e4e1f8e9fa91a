"""The pattern as a tree of frozen values, flags already applied. It must never hold anything that depends on a dialect.

Code points are ints; ranges are inclusive, sorted, disjoint and not adjacent. Groups without a capture leave no node.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Literal

import msgspec

Ranges = tuple[tuple[int, int], ...]
Mode = Literal["greedy", "lazy", "possessive"]


class Node(msgspec.Struct, frozen=True):
    """The root of the tree's values."""

    def below(self) -> tuple[Node, ...]:
        """The nodes right below, in order."""
        return ()


class Property(msgspec.Struct, frozen=True):
    """A Unicode property by its RE2 name (a general category or a script)."""

    name: str
    negated: bool = False


class Set(Node, frozen=True):
    """One character out of a set; a literal is a set of one.

    `ranges` are already folded. `negated` and `fold` stay only where ranges alone can't say it: beside properties.
    `fold` never crosses between ASCII and the rest.
    """

    ranges: Ranges
    properties: tuple[Property, ...] = ()
    negated: bool = False
    fold: bool = False

    @property
    def plain(self) -> bool:
        """Whether `ranges` say all."""
        return not (self.properties or self.negated or self.fold)


class Edge(StrEnum):
    """A place that an assertion asks for. Text ends are strict: never before a final line feed."""

    TEXT_START = "text_start"
    TEXT_END = "text_end"
    LINE_START = "line_start"
    LINE_END = "line_end"
    WORD = "word"
    NOT_WORD = "not_word"


class Assertion(Node, frozen=True):
    """An edge that takes no character."""

    edge: Edge


class Sequence(Node, frozen=True):
    """Parts one after another; none is the empty string."""

    parts: tuple[Node, ...] = ()

    def below(self) -> tuple[Node, ...]:
        """The nodes right under this one."""
        return self.parts


class Choice(Node, frozen=True):
    """One of several branches, the first that fits in a backtracker."""

    branches: tuple[Node, ...]

    def below(self) -> tuple[Node, ...]:
        """The nodes right under this one."""
        return self.branches


class Repeat(Node, frozen=True):
    """A body `low` to `high` times; a null `high` is no bound."""

    body: Node
    low: int
    high: int | None
    mode: Mode = "greedy"

    def below(self) -> tuple[Node, ...]:
        """The nodes right under this one."""
        return (self.body,)


class Group(Node, frozen=True):
    """A capturing group, counted from 1."""

    body: Node
    index: int
    name: str | None = None

    def below(self) -> tuple[Node, ...]:
        """The nodes right under this one."""
        return (self.body,)


class Look(Node, frozen=True):
    """A look-ahead or look-behind."""

    body: Node
    ahead: bool
    negated: bool

    def below(self) -> tuple[Node, ...]:
        """The nodes right under this one."""
        return (self.body,)


class Atomic(Node, frozen=True):
    """A group that never gives back what it took."""

    body: Node

    def below(self) -> tuple[Node, ...]:
        """The nodes right under this one."""
        return (self.body,)


class BackReference(Node, frozen=True):
    """What a group captured, once more."""

    group: int | str
    fold: bool = False


class Conditional(Node, frozen=True):
    """`yes` when a group took part (or a look-around holds), else `no`."""

    test: Node | str
    yes: Node
    no: Node

    def below(self) -> tuple[Node, ...]:
        """The nodes right under this one."""
        return (self.test, self.yes, self.no) if isinstance(self.test, Node) else (self.yes, self.no)


class BranchReset(Node, frozen=True):
    """A group whose branches count their captures from the same number."""

    body: Node

    def below(self) -> tuple[Node, ...]:
        """The nodes right under this one."""
        return (self.body,)


class Call(Node, frozen=True):
    """A recursion into the whole pattern or one of its groups."""

    target: str


class Foreign(Node, frozen=True):
    """A construct of some dialect that is known by name only."""

    what: str


def walk(tree: Node) -> Iterator[Node]:
    """Every node of a tree, from the root down and from left to right."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if type(node) is not Set:  # most nodes: nothing is below
            waiting.extend(reversed(node.below()))
