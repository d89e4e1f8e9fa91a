"""Reads the union of the dialects (Python re, PCRE, ECMAScript, Java, .NET, RE2, Go) into one tree.

It must never raise, recurse, or read what two dialects understand differently: that is a fault.
One pass, a stack of open groups of bounded depth, flags applied on the way: linear in the length of the text.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import partial

import msgspec

from guardrail.judge.pattern.brackets import bracket
from guardrail.judge.pattern.charset import ANY, NEWLINE, charset, complement, literal, reaches_beyond
from guardrail.judge.pattern.escapes import outside
from guardrail.judge.pattern.fault import Fault, Refused, invalid, unsafe, unsupported
from guardrail.judge.pattern.openers import FLAGS, LOOKS, NAME, NAMED, VERB, changed_flags, read_call, read_condition
from guardrail.judge.pattern.tree import (
    Assertion,
    Atomic,
    BackReference,
    BranchReset,
    Choice,
    Conditional,
    Edge,
    Foreign,
    Group,
    Look,
    Mode,
    Node,
    Property,
    Repeat,
    Sequence,
    Set,
)
from guardrail.judge.pattern.vet import MAX_BOUND, MAX_DEPTH

Build = Callable[[tuple[Node, ...]], Node]
"""Makes the node of a group from its branches."""

_BOUNDS = re.compile(r"\{([0-9]*)(?:(,)([0-9]*))?\}")
_LOOSE_BOUNDS = re.compile(r"\{[0-9, ]*\}")
_BLANKS = " \t\n\r\f\v"
_DOT = charset(complement(NEWLINE))
_DOT_ALL = charset(ANY)
FOLDED_CLASSES_MAX = 12  # each looks through the characters that have two cases
_PLAIN_RUN = re.compile(r"[A-Za-z0-9]+")
_LITERALS = {char: literal(ord(char)) for char in string.ascii_letters + string.digits}
_FOLDED = {char: literal(ord(char), fold=True) for char in _LITERALS}
_MODES: dict[str, Mode] = {"?": "lazy", "+": "possessive"}
_STARS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class Parsed(msgspec.Struct, frozen=True):
    """A pattern understood: its tree and how many groups capture."""

    tree: Node
    groups: int


def parse(text: str, flags: frozenset[str] = frozenset()) -> Parsed | Fault:
    """The tree of a pattern without delimiters, or why it is refused. `flags` (of `imsx`) hold from the start."""
    parser = _Parser(text, flags)
    try:
        return parser.whole()
    except Refused as refused:
        return refused.fault


def one_of(branches: tuple[Node, ...]) -> Node:
    """A choice, unless there is nothing to choose."""
    return branches[0] if len(branches) == 1 else Choice(branches)


class _Open:
    """A group that isn't closed yet."""

    __slots__ = ("at", "branches", "build", "flags", "parts")

    def __init__(self, at: int, flags: frozenset[str], build: Build) -> None:
        self.at = at
        self.flags = flags
        self.build = build
        self.branches: list[Node] = []
        self.parts: list[Node] = []

    def turn(self) -> None:
        """Ends a branch."""
        parts = self.parts
        self.branches.append(parts[0] if len(parts) == 1 else Sequence(tuple(parts)))
        self.parts = []

    def node(self) -> Node:
        self.turn()
        return self.build(tuple(self.branches))


class _Parser:
    """A reading head. `solid` tells whether a repeat may follow what was just read."""

    def __init__(self, text: str, flags: frozenset[str]) -> None:
        self.text = text
        self.at = 0
        self.flags = flags
        self.solid = False
        self.groups = 0
        self.folded = 0
        self.names: set[str] = set()
        self.references: list[tuple[int, int | str]] = []
        self.stack = [_Open(0, flags, one_of)]

    def whole(self) -> Parsed:
        if not self.text:
            raise invalid("an empty pattern describes no format", 0)
        end = len(self.text)
        while self.at < end:
            char = self.text[self.at]
            step = _STEPS.get(char)
            if step:
                step(self)
            elif run := _PLAIN_RUN.match(self.text, self.at):
                self.plain(run)
            elif "x" in self.flags and (char == "#" or char in _BLANKS):
                self.skip(char)
            else:
                self.add(literal(ord(char), fold="i" in self.flags), self.at + 1)
        if len(self.stack) > 1:
            raise invalid("a group isn't closed", self.stack[-1].at)
        self.check_references()
        return Parsed(self.stack[0].node(), self.groups)

    def check_references(self) -> None:
        for at, target in self.references:
            if isinstance(target, str):
                if target not in self.names:
                    raise invalid("a reference to a name that no group has", at)
            elif target > self.groups:
                if target > 9:
                    raise unsupported("a reference or an octal escape: the dialects read it differently", at)
                raise invalid("a reference to a group that isn't there", at)

    def add(self, node: Node, end: int, *, solid: bool = True) -> None:
        self.stack[-1].parts.append(node)
        self.at = end
        self.solid = solid

    def plain(self, run: re.Match[str]) -> None:
        """Letters and digits, which mean themselves."""
        table = _FOLDED if "i" in self.flags else _LITERALS
        self.stack[-1].parts += [table[char] for char in run[0]]
        self.at = run.end()
        self.solid = True

    def skip(self, char: str) -> None:
        """Passes over a blank or a comment of the extended syntax."""
        end = self.text.find("\n", self.at) if char == "#" else self.at
        self.at = len(self.text) if end < 0 else end + 1

    # one step for each character that means something

    def dot(self) -> None:
        self.add(_DOT_ALL if "s" in self.flags else _DOT, self.at + 1)

    def start(self) -> None:
        self.add(Assertion(Edge.LINE_START if "m" in self.flags else Edge.TEXT_START), self.at + 1, solid=False)

    def end(self) -> None:
        self.add(Assertion(Edge.LINE_END if "m" in self.flags else Edge.TEXT_END), self.at + 1, solid=False)

    def bracket(self) -> None:
        fold = "i" in self.flags
        found, end = bracket(self.text, self.at + 1, fold=fold)
        if fold and reaches_beyond(found.ranges):
            self.folded += 1
            if self.folded > FOLDED_CLASSES_MAX:
                raise unsafe(f"more than {FOLDED_CLASSES_MAX} classes beyond ASCII are read in any case", self.at)
        self.add(found, end)

    def escape(self) -> None:
        if self.text.startswith("\\Q", self.at):
            self.quotation()
            return
        at = self.at
        found, end = outside(self.text, at + 1, fold="i" in self.flags)
        if isinstance(found, BackReference):
            self.references.append((at, found.group))
        if isinstance(found, Node):
            self.add(found, end, solid=not isinstance(found, Assertion))
        elif isinstance(found, int):
            self.add(literal(found, fold="i" in self.flags), end)
        else:
            self.add(_set_of(found, fold="i" in self.flags), end)

    def quotation(self) -> None:
        """Text between \\Q and \\E, or to the end."""
        start = self.at + 2
        end = self.text.find("\\E", start)
        stop = len(self.text) if end < 0 else end
        for char in self.text[start:stop]:
            self.add(literal(ord(char), fold="i" in self.flags), stop)
        self.at = stop if end < 0 else stop + 2

    def branch(self) -> None:
        self.stack[-1].turn()
        self.at += 1
        self.solid = False

    def close(self) -> None:
        if len(self.stack) == 1:
            raise invalid("a closing parenthesis without an opening one", self.at)
        group = self.stack.pop()
        self.flags = group.flags
        self.add(group.node(), self.at + 1)

    # repeats

    def star(self) -> None:
        self.repeat(*_STARS[self.text[self.at]], self.at + 1)

    def brace(self) -> None:
        found = _BOUNDS.match(self.text, self.at)
        low, comma, high = found.groups() if found else ("", None, "")
        if found and (low or high):
            most = self.bound(high) if comma and high else None
            least = self.bound(low) if low else 0
            self.repeat(least, most if comma else least, found.end())
        elif _LOOSE_BOUNDS.match(self.text, self.at) and not self.text.startswith("{}", self.at):
            raise unsupported("bounds that only some dialects read as a repeat", self.at)
        else:
            self.add(literal(ord("{")), self.at + 1)

    def bound(self, digits: str) -> int:
        """A bound of a repeat; a long one is never even turned into a number."""
        short = digits.lstrip("0") or "0"
        if len(short) > len(str(MAX_BOUND)) or int(short) > MAX_BOUND:
            raise unsafe(f"a repeat has a bound over {MAX_BOUND}", self.at)
        return int(short)

    def repeat(self, low: int, high: int | None, end: int) -> None:
        if not self.solid:
            raise invalid("there is nothing to repeat", self.at)
        if high is not None and high < low:
            raise invalid("the bounds of a repeat are reversed", self.at)
        mode = _MODES.get(self.text[end : end + 1], "greedy")
        body = self.stack[-1].parts.pop()
        once = (low, high) == (1, 1) and mode != "possessive"
        self.add(body if once else Repeat(body, low, high, mode), end if mode == "greedy" else end + 1, solid=False)

    # groups

    def group(self) -> None:
        if not self.text.startswith(("(?", "(*"), self.at):
            self.capture(self.at + 1, None)
        elif VERB.match(self.text, self.at):
            raise unsupported("a verb", self.at)
        elif not (self.group_by_sign() or self.group_by_name() or self.reference() or self.set_flags()):
            raise invalid("an unknown kind of group", self.at)

    def push(self, end: int, build: Build, flags: frozenset[str] | None = None) -> None:
        if len(self.stack) > MAX_DEPTH:
            raise unsafe(f"groups are nested deeper than {MAX_DEPTH}", self.at)
        self.stack.append(_Open(self.at, self.flags, build))
        self.flags = self.flags if flags is None else flags
        self.at = end
        self.solid = False

    def capture(self, end: int, name: str | None) -> None:
        self.groups += 1
        self.push(end, partial(_group, index=self.groups, name=name))

    def group_by_sign(self) -> bool:
        """(?: (?> (?| (?# and the look-arounds."""
        text, at = self.text, self.at
        for sign, ahead, negated in LOOKS:
            if text.startswith(sign, at):
                self.push(at + len(sign), partial(_look, ahead=ahead, negated=negated))
                return True
        if text.startswith("(?:", at):
            self.push(at + 3, one_of)
        elif text.startswith("(?>", at):
            self.push(at + 3, _atomic)
        elif text.startswith("(?|", at):
            self.push(at + 3, _reset)
        elif text.startswith("(?#", at):
            end = text.find(")", at)
            if end < 0:
                raise invalid("a comment isn't closed", at)
            self.at = end + 1
        else:
            return False
        return True

    def group_by_name(self) -> bool:
        """(?<name> (?P<name> (?'name'."""
        found = NAMED.match(self.text, self.at)
        if not found:
            return False
        name = found[1] or found[2]
        if name.isdigit():
            raise unsupported("a group that gives itself a number", self.at)
        if not NAME.fullmatch(name):
            raise invalid("a group has a name that no dialect reads", self.at)
        if name in self.names:
            raise invalid("two groups have the same name", self.at)
        self.names.add(name)
        self.capture(found.end(), name)
        return True

    def set_flags(self) -> bool:
        """(?i) for the rest of the group, (?i:...) for a group of its own."""
        found = FLAGS.match(self.text, self.at)
        if not found:
            return False
        flags = changed_flags(self.flags, found, self.at)
        if found[4] == ":":
            self.push(found.end(), one_of, flags)
        else:
            self.flags = flags
            self.at = found.end()
            self.solid = False
        return True

    def reference(self) -> bool:
        """(?P=name), calls, and conditionals, whose test is read here."""
        called = read_call(self.text, self.at)
        if called:
            node, end = called
            if isinstance(node, BackReference):
                node = BackReference(node.group, "i" in self.flags)
                self.references.append((self.at, node.group))
            self.add(node, end)
            return True
        condition = read_condition(self.text, self.at)
        if condition:
            test, end = condition
            self.push(end, partial(_conditional, test=test, at=self.at))
        return bool(condition)


_STEPS: dict[str, Callable[[_Parser], None]] = {
    ".": _Parser.dot,
    "^": _Parser.start,
    "$": _Parser.end,
    "[": _Parser.bracket,
    "\\": _Parser.escape,
    "|": _Parser.branch,
    "(": _Parser.group,
    ")": _Parser.close,
    "*": _Parser.star,
    "+": _Parser.star,
    "?": _Parser.star,
    "{": _Parser.brace,
}


def _set_of(found: tuple[Property, ...] | tuple[tuple[int, int], ...], *, fold: bool) -> Set:
    properties = tuple(item for item in found if isinstance(item, Property))
    return charset([item for item in found if not isinstance(item, Property)], properties, fold=fold)


def _group(branches: tuple[Node, ...], *, index: int, name: str | None) -> Node:
    return Group(one_of(branches), index, name)


def _look(branches: tuple[Node, ...], *, ahead: bool, negated: bool) -> Node:
    return Look(one_of(branches), ahead, negated)


def _atomic(branches: tuple[Node, ...]) -> Node:
    return Atomic(one_of(branches))


def _reset(branches: tuple[Node, ...]) -> Node:
    return BranchReset(one_of(branches))


def _conditional(branches: tuple[Node, ...], *, test: str, at: int) -> Node:
    """`test` is a group, or "" when a look-around stands first in the first branch."""
    if len(branches) > 2:
        raise invalid("a conditional has more than two branches", at)
    yes, no = (*branches, Sequence())[:2]
    if test:
        return Conditional(test, yes, no)
    first, rest = (
        (yes.parts[0], Sequence(yes.parts[1:])) if isinstance(yes, Sequence) and yes.parts else (yes, Sequence())
    )
    if not isinstance(first, Look):
        return Foreign("a conditional")
    return Conditional(first, rest, no)
