"""A tree as text, in the syntax of the `regex` package: for the last tier, and to be read by people.

It must never copy text from a pattern: every character is a letter, a digit or an escape, every anchor a strict one.
"""

from __future__ import annotations

from guardrail.judge.pattern.charset import ASCII_END, complement
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
_BLANKS = {9: r"\t", 10: r"\n", 11: r"\v", 12: r"\f", 13: r"\r"}


def written(node: Node, targets: dict[int | str, int]) -> str:
    """The tree as text. `targets` (of `program.referred`) are the groups that capture; no other does."""
    if isinstance(node, Set):
        return set_text(node)
    if isinstance(node, Assertion):
        return _EDGES[node.edge]
    if isinstance(node, BackReference):
        reference = f"(?P=g{targets[node.group]})"
        return f"(?i:{reference})" if node.fold else reference
    inner = [written(part, targets) for part in node.below()]
    if isinstance(node, Choice):
        return f"(?:{'|'.join(inner)})"
    if isinstance(node, Repeat):
        unit = inner[0] if isinstance(node.body, Set | Choice) else f"(?:{inner[0]})"
        return unit + _bounds(node) + _MODES[node.mode]
    if isinstance(node, Group) and node.index in targets.values():
        return f"(?P<g{node.index}>{inner[0]})"
    if isinstance(node, Look):
        return f"{_LOOKS[node.ahead, node.negated]}{inner[0]})"
    return f"(?>{inner[0]})" if isinstance(node, Atomic) else "".join(inner)


def _bounds(node: Repeat) -> str:
    if (node.low, node.high) in _SIGNS:
        return _SIGNS[node.low, node.high]
    return f"{{{node.low}}}" if node.low == node.high else f"{{{node.low},{'' if node.high is None else node.high}}}"


def set_text(found: Set) -> str:
    """A set as a class, or as its only character."""
    if found.plain and not found.ranges:
        return "(?!)"
    if found.plain and len(found.ranges) == 1 and found.ranges[0][0] == found.ranges[0][1]:
        return _one(found.ranges[0][0])
    properties = "".join(f"\\{'P' if item.negated else 'p'}{{{item.name}}}" for item in found.properties)
    rest = complement(found.ranges)
    shorter = found.plain and found.ranges[-1][1] > ASCII_END and 0 < len(rest) < len(found.ranges)
    negated, ranges = (True, rest) if shorter else (found.negated, found.ranges)
    text = f"[{'^' if negated else ''}{_inside(ranges)}{properties}]"
    return f"(?i:{text})" if found.fold else text


def _inside(ranges: Ranges) -> str:
    return "".join(_one(low) if low == high else f"{_one(low)}-{_one(high)}" for low, high in ranges)


def _one(code: int) -> str:
    char = chr(code)
    if char.isascii():
        return (
            char if char.isalnum() else _BLANKS.get(code) or (f"\\{char}" if char.isprintable() else f"\\x{code:02x}")
        )
    return char if char.isalnum() else f"\\U{code:08x}"
