"""A tree as text, in the syntax of the `regex` package: for the last tier, and to be read by people.

It must never copy text from a pattern: every character is a letter, a digit or an escape, every anchor a strict one.
Sets are written out, never as what they leave out: `regex` 2026.11.19 reads `[^a]|[^b]` as if it were `[^ab]`.
"""

from __future__ import annotations

from collections.abc import Callable

from guardrail.judge.pattern.charset import ASCII_END, complement
from guardrail.judge.pattern.disputes import Targets
from guardrail.judge.pattern.tree import (
    Assertion,
    Atomic,
    BackReference,
    Choice,
    Edge,
    Group,
    Look,
    Node,
    Ranges,
    Repeat,
    Set,
)

_MODES = {"greedy": "", "lazy": "?", "possessive": "+"}
_LOOKS = {(True, False): "(?=", (True, True): "(?!", (False, False): "(?<=", (False, True): "(?<!"}
_EDGES = {
    Edge.TEXT_START: r"\A",
    Edge.TEXT_END: r"\Z",
    Edge.LINE_START: "(?m:^)",
    Edge.LINE_END: "(?m:$)",
    Edge.WORD: r"\b",
    Edge.NOT_WORD: r"\B",
}
_SIGNS = {(0, None): "*", (1, None): "+", (0, 1): "?"}
_UNITS = (Set, Choice, Look, Atomic, Group)
"""What a sign of repetition may follow as it is."""
_BLANKS = {9: r"\t", 10: r"\n", 11: r"\v", 12: r"\f", 13: r"\r"}


def written(node: Node, targets: Targets, sets: Callable[[Set], str] | None = None) -> str:
    """The tree as text. `targets` (of `disputes.referred`) are the groups that capture; no other does.

    `sets` writes a set otherwise than the package reads it, for people (`shown`).
    """
    if isinstance(node, Set):
        return (sets or _set)(node)
    if isinstance(node, Assertion):
        return _EDGES[node.edge]
    if isinstance(node, BackReference):
        reference = f"(?P=g{targets[node.group]})"
        return f"(?i:{reference})" if node.fold else reference
    inner = [written(part, targets, sets) for part in node.below()]
    if isinstance(node, Choice):
        return f"(?:{'|'.join(inner)})"
    if isinstance(node, Repeat):
        unit = inner[0] if isinstance(_core(node.body, targets), _UNITS) else f"(?:{inner[0]})"
        return unit + _bounds(node) + _MODES[node.mode]
    if isinstance(node, Group) and node.index in targets.values():
        return f"(?P<g{node.index}>{inner[0]})"
    if isinstance(node, Look):
        return f"{_LOOKS[node.ahead, node.negated]}{inner[0]})"
    return f"(?>{inner[0]})" if isinstance(node, Atomic) else "".join(inner)


def _core(node: Node, targets: Targets) -> Node:
    """The node inside of groups that leave no trace in the text."""
    while isinstance(node, Group) and node.index not in targets.values():
        node = node.body
    return node


def _bounds(node: Repeat) -> str:
    if (node.low, node.high) in _SIGNS:
        return _SIGNS[node.low, node.high]
    return f"{{{node.low}}}" if node.low == node.high else f"{{{node.low},{'' if node.high is None else node.high}}}"


def _set(found: Set) -> str:
    if found.plain and not found.ranges:
        return "(?!)"
    if found.plain and len(found.ranges) == 1 and found.ranges[0][0] == found.ranges[0][1]:
        return _one(found.ranges[0][0])
    properties = "".join(f"\\{'P' if item.negated else 'p'}{{{item.name}}}" for item in found.properties)
    text = f"[{'^' if found.negated else ''}{_inside(found.ranges)}{properties}]"
    return f"(?i:{text})" if found.fold else text


def shown(found: Set) -> str:
    """A set for people: by what it leaves out where that is shorter."""
    rest = complement(found.ranges)
    if found.plain and found.ranges and found.ranges[-1][1] > ASCII_END and 0 < len(rest) < len(found.ranges):
        return f"[^{_inside(rest)}]"
    return _set(found)


def _inside(ranges: Ranges) -> str:
    return "".join(_one(low) if low == high else f"{_one(low)}-{_one(high)}" for low, high in ranges)


def _one(code: int) -> str:
    char = chr(code)
    if char.isascii():
        return (
            char if char.isalnum() else _BLANKS.get(code) or (f"\\{char}" if char.isprintable() else f"\\x{code:02x}")
        )
    return char if char.isalnum() else f"\\U{code:08x}"
