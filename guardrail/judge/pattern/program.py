"""A vetted tree as a list of instructions, for what the linear engine can't run. It must never run them.

Counted repeats are written out (the vet bounds their size); a group is saved only where something refers to it. The
body of a look-behind is laid out from right to left and reads so.
"""

from __future__ import annotations

from enum import IntEnum

import msgspec

from guardrail.judge.pattern.disputes import check, doubtful, referred
from guardrail.judge.pattern.fault import Fault, Refused, unsafe, unsupported
from guardrail.judge.pattern.tree import (
    Assertion,
    Atomic,
    BackReference,
    Choice,
    Edge,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
    Set,
    walk,
)

EDGES = tuple(Edge)


class Op(IntEnum):
    """What an instruction does; `first`, `second` and `then` are its arguments."""

    CHAR = 0
    """One character of the set `first`, then the next instruction."""
    BACK = 1
    """The same, of the character before."""
    SPLIT = 2
    """`first`, or else `second`."""
    JUMP = 3
    """`first`."""
    EDGE = 4
    """The edge `first` is here."""
    SAVE = 5
    """This place into slot `first`."""
    RESET = 6
    """In ECMAScript: slots `first` up to `second` are empty again."""
    REFERENCE = 7
    """What slots `first` and `first + 1` hold; `second`: in any case."""
    LOOK = 8
    """The body at `first` matches from here; `second`: or doesn't. Then `then`."""
    ATOMIC = 9
    """The body at `first`, the first way it matches. Then `then`."""
    MATCH = 10
    """The end of the program, or of a body."""


class Program(msgspec.Struct, frozen=True):
    """Instructions by number: five columns of one length. `sets` are what CHAR and BACK name."""

    ops: tuple[int, ...]
    first: tuple[int, ...]
    second: tuple[int, ...]
    then: tuple[int, ...]
    sets: tuple[Set, ...]
    slots: int
    """Two for each group that is referred to."""
    doubtful: bool
    """Whether a reference may meet a group that took no part: the dialects read that differently."""
    looks: dict[int, Look]
    """The look-arounds, by their instructions."""


def program(tree: Node) -> Program | Fault:
    """The program that matches a whole value, or why there is none. Only for trees that `vet` lets through."""
    writer = _Writer(tree)
    try:
        check(tree, writer.targets)
        writer.write(tree, back=False)
    except Refused as refused:
        return refused.fault
    writer.add(Op.EDGE, EDGES.index(Edge.TEXT_END))
    writer.add(Op.MATCH)
    return Program(
        ops=tuple(writer.ops),
        first=tuple(writer.first),
        second=tuple(writer.second),
        then=tuple(writer.then),
        sets=tuple(writer.sets),
        slots=2 * len(writer.slots),
        doubtful=bool(writer.slots) and doubtful(tree, writer.targets),
        looks=writer.looks,
    )


PROGRAM_MAX = 4_000  # instructions, and twice as many visits of nodes; 3 ms to write


class _Writer:
    """Lays a tree out, node by node. Depth is bounded by the parser's limit on groups."""

    def __init__(self, tree: Node) -> None:
        self.ops: list[int] = []
        self.first: list[int] = []
        self.second: list[int] = []
        self.then: list[int] = []
        self.sets: dict[Set, int] = {}
        self.looks: dict[int, Look] = {}
        self.visits = 0
        self.inner: dict[int, list[int]] = {}
        self.targets = referred(tree)
        self.slots = {index: 2 * number for number, index in enumerate(sorted(set(self.targets.values())))}

    @property
    def here(self) -> int:
        return len(self.ops)

    def add(self, op: Op, first: int = 0, second: int = 0) -> int:
        if self.here >= PROGRAM_MAX:
            raise unsafe(f"the pattern is more than {PROGRAM_MAX} instructions", 0)
        self.ops.append(int(op))
        self.first.append(first)
        self.second.append(second)
        self.then.append(0)
        return len(self.ops) - 1

    def write(self, node: Node, *, back: bool) -> None:
        self.visits += 1
        if self.visits > 2 * PROGRAM_MAX:
            raise unsafe(f"the pattern is more than {2 * PROGRAM_MAX} parts", 0)
        if isinstance(node, Set):
            self.add(Op.BACK if back else Op.CHAR, self.sets.setdefault(node, len(self.sets)))
        elif isinstance(node, Sequence):
            for part in reversed(node.parts) if back else node.parts:
                self.write(part, back=back)
        elif isinstance(node, Assertion):
            self.add(Op.EDGE, EDGES.index(node.edge))
        elif isinstance(node, Choice):
            self.choice(node, back=back)
        elif isinstance(node, Repeat):
            self.repeat(node, back=back)
        elif isinstance(node, Look):
            self.looks[self.here] = node
            self.body(Op.LOOK, node.body, back=not node.ahead, negated=node.negated)
        elif isinstance(node, Group):
            self.group(node, back=back)
        elif isinstance(node, Atomic):
            self.body(Op.ATOMIC, node.body, back=False)
        elif isinstance(node, BackReference):
            self.add(Op.REFERENCE, self.slots[self.targets[node.group]], int(node.fold))
        else:
            raise unsupported("a construct of one dialect", 0)

    def group(self, node: Group, *, back: bool) -> None:
        slot = self.slots.get(node.index)
        if slot is None:
            self.write(node.body, back=back)
            return
        self.add(Op.SAVE, slot)
        self.write(node.body, back=False)
        self.add(Op.SAVE, slot + 1)

    def choice(self, node: Choice, *, back: bool) -> None:
        ends = []
        for branch in node.branches[:-1]:
            split = self.add(Op.SPLIT, self.here + 1)
            self.write(branch, back=back)
            ends.append(self.add(Op.JUMP))
            self.second[split] = self.here
        self.write(node.branches[-1], back=back)
        for end in ends:
            self.first[end] = self.here

    def repeat(self, node: Repeat, *, back: bool) -> None:
        if node.mode == "possessive":
            self.body(Op.ATOMIC, Repeat(node.body, node.low, node.high), back=False)
            return
        inner = self.slots_in(node.body)
        for _ in range(node.low):
            self.iteration(node.body, inner, back=back)
        optional = 1 if node.high is None else node.high - node.low
        forks = []
        for _ in range(optional):
            forks.append(self.add(Op.SPLIT))
            self.iteration(node.body, inner, back=back)
        if node.high is None:
            self.add(Op.JUMP, forks[0])
        for fork in forks:
            ways = (fork + 1, self.here)
            self.first[fork], self.second[fork] = ways[::-1] if node.mode == "lazy" else ways

    def slots_in(self, body: Node) -> list[int]:
        """The slots of referred groups in a body; looked for once, however often it is written."""
        if id(body) not in self.inner:
            groups = (node.index for node in walk(body) if isinstance(node, Group)) if self.slots else ()
            self.inner[id(body)] = [self.slots[index] for index in groups if index in self.slots]
        return self.inner[id(body)]

    def iteration(self, body: Node, inner: list[int], *, back: bool) -> None:
        if inner:
            self.add(Op.RESET, inner[0], inner[-1] + 2)
        self.write(body, back=back)

    def body(self, op: Op, node: Node, *, back: bool, negated: bool = False) -> None:
        start = self.add(op, self.here + 1, int(negated))
        self.write(node, back=back)
        self.add(Op.MATCH)
        self.then[start] = self.here
