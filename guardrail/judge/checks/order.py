"""Was the reasoning generated first?

What a model writes first conditions what follows (BACKGROUND §1). It must never look at values.

The published good example puts `detected_intent` first, so only order inside an object counts, and the analysis
before the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache

from guardrail.judge.contract import PARAMETER_ORDER
from guardrail.judge.model import Finding
from guardrail.judge.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """A finding for each object whose reasoning came too late.

    `strict` makes it fatal whatever `on_fail` says; `off` sees nothing.
    """
    contract = subject.policy.contract
    if contract.order == "off":
        return
    fatal = contract.order == "strict"
    if _late(subject.tree, {"user_messages_analysis"}, {"generated_answer"}):
        yield Finding("schema.field_order", "", "user_messages_analysis came after generated_answer", fatal=fatal)
    yield from _custom_objects(subject, fatal=fatal)
    for trial in subject.trials:
        if not _in_order(tuple(trial.item)):
            yield Finding(
                "schema.field_order",
                trial.pointer,
                "format, pattern, value, simulation: not in this order",
                fatal=fatal,
            )


def _custom_objects(subject: Subject, *, fatal: bool) -> Iterator[Finding]:
    """Objects in which a listed reasoning field has an operational sibling before it."""
    for path, reasoning in subject.policy.contract.siblings:
        for pointer, found in _objects(subject.tree, path, ""):
            if _late_among(tuple(found), reasoning):
                yield Finding("schema.field_order", pointer, "reasoning came after an operational field", fatal=fatal)


def _objects(node: object, path: tuple[str, ...], pointer: str) -> Iterator[tuple[str, dict[str, object]]]:
    if not path:
        if isinstance(node, dict):
            yield pointer, node
    elif path[0] == "*" and isinstance(node, list):
        for index, item in enumerate(node):
            yield from _objects(item, path[1:], f"{pointer}/{index}")
    elif isinstance(node, dict) and path[0] in node:
        yield from _objects(node[path[0]], path[1:], f"{pointer}/{path[0]}")


@lru_cache(maxsize=1024)
def _in_order(keys: tuple[str, ...]) -> bool:
    """Whether a parameter's fields stand in the order in which each conditions the next."""
    given = [PARAMETER_ORDER.index(key) for key in keys if key in PARAMETER_ORDER]
    return given == sorted(given)


@lru_cache(maxsize=1024)
def _late_among(keys: tuple[str, ...], reasoning: frozenset[str]) -> bool:
    """Whether one of `reasoning` stands behind any other key."""
    return _late(keys, reasoning, frozenset(keys) - reasoning)


def _late(keys: Iterable[str], first: AbstractSet[str], then: AbstractSet[str]) -> bool:
    """Whether a key of `first` stands behind one of `then`."""
    seen_then = False
    for key in keys:
        if key in then:
            seen_then = True
        elif key in first and seen_then:
            return True
    return False
