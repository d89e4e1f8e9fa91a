"""What may follow `(?`, as far as it is more than a sign or two. It must never decide what a group means."""

from __future__ import annotations

import re

from guardrail.judge.pattern.fault import invalid, unsupported
from guardrail.judge.pattern.tree import BackReference, Call, Node

LOOKS = (("(?=", True, False), ("(?!", True, True), ("(?<=", False, False), ("(?<!", False, True))
"""Sign, ahead, negated."""

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
NAMED = re.compile(r"\(\?P?<(\w{1,64})>|\(\?'(\w{1,64})'")
FLAGS = re.compile(r"\(\?(?=[a-zA-Z^-])(\^?)([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
VERB = re.compile(r"\(\*[a-zA-Z]")
_BACK = re.compile(r"\(\?P=(\w{1,64})\)")
_CALL = re.compile(r"\(\?(?:(R|[+-]?[0-9]{1,3})|(?:&|P>)(\w{1,64}))\)")
_CONDITION = re.compile(r"\(\?\((?:([+-]?[0-9]{1,3}|R[0-9]{0,3}|\w{1,64})|<(\w{1,64})>|'(\w{1,64})'|R&(\w{1,64}))\)")
_FOREIGN = (
    ("(?C", "a callout"),
    ("(?{", "code"),
    ("(??{", "code"),
    ("(?~", "an absent operator"),
    ("(?*", "a look-around"),
)
_BALANCE = re.compile(r"\(\?[<'](\w{0,64})-\w{1,64}[>']")


def read_call(text: str, at: int) -> tuple[Node, int] | None:
    """A reference or call in parentheses and where it ends; null when something else stands there.

    Raises: Refused for what is known by name only.
    """
    back = _BACK.match(text, at)
    if back:
        return BackReference(back[1]), back.end()
    call = _CALL.match(text, at)
    if call:
        return Call(call[1] or call[2]), call.end()
    if _BALANCE.match(text, at):
        raise unsupported("a balancing group", at)
    for sign, what in _FOREIGN:
        if text.startswith(sign, at):
            raise unsupported(what, at)
    return None


def read_condition(text: str, at: int) -> tuple[str, int] | None:
    """The test of a conditional ("" when a look-around comes next) and where the branches start; null if none."""
    found = _CONDITION.match(text, at)
    if found:
        return next(name for name in found.groups() if name), found.end()
    if text.startswith("(?(?", at):
        return "", at + 2
    if text.startswith("(?(", at):
        raise unsupported("a conditional with a test of its own", at)
    return None


def changed_flags(flags: frozenset[str], found: re.Match[str], at: int) -> frozenset[str]:
    """The flags after `(?^on-off)`.

    Raises: Refused.
    """
    on, off = set(found[2]), set(found[3] or "")
    unknown = (on | off) - set("imsxuad")
    if unknown - set("nUJ"):
        raise invalid("an unknown flag", at)
    if unknown or "xx" in found[2]:
        raise unsupported("a flag that the dialects read differently", at)
    if on & off:
        raise invalid("a flag is both set and unset", at)
    return ((frozenset() if found[1] else flags) | (on & set("imsx"))) - off
