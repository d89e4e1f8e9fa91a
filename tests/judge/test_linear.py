"""Our own patterns over strangers' text take time in proportion to it: none may be an attack's way in."""

from __future__ import annotations

import ast
import re
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest

import guardrail.judge.decide
import guardrail.judge.failing
import guardrail.judge.lint
from guardrail.judge.extract import _END

_ = (guardrail.judge.decide, guardrail.judge.failing, guardrail.judge.lint)  # they import all the others

SIZES = (4_000, 64_000)
SECONDS = 0.25
"""Of one search in 64,000 characters; a linear one takes 2 ms, a quadratic one 20 s."""
COMMON = "a0 \n.,-"
METHODS = ("match", "search", "fullmatch", "sub", "split", "findall", "finditer")
CALLS = {f"re.{method}" for method in METHODS}
ANYWHERE = {"search", "sub", "split", "findall", "finditer"}

Use = tuple[re.Pattern[str], bool]
"""A pattern, and whether it is looked for anywhere in a text; else it is tried at one place."""


def modules() -> list[ModuleType]:
    """Every module of the judge."""
    return [module for name, module in list(sys.modules.items()) if name.startswith("guardrail.judge.")]


def held(value: object, depth: int = 3) -> Iterator[re.Pattern[str]]:
    """The patterns in a module's value."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, tuple | list | set | frozenset | dict) and depth:
        for part in value.values() if isinstance(value, dict) else value:
            yield from held(part, depth - 1)


def uses() -> Iterator[Use]:
    """Every pattern of a module, and those that a function names where it uses them."""
    trees = {module: ast.parse(Path(str(module.__file__)).read_text()) for module in modules()}
    called: dict[str, set[str]] = {}
    for node in (node for tree in trees.values() for node in ast.walk(tree)):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            called.setdefault(ast.unparse(node.value), set()).add(node.attr)
    for module in trees:
        for name, value in vars(module).items():
            ways = called.get(name, ANYWHERE)
            yield from ((pattern, bool(ways & ANYWHERE)) for pattern in held(value))
    for node in (node for tree in trees.values() for node in ast.walk(tree)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if (
            ast.unparse(node.func.value) == "re"
            and node.func.attr in METHODS
            and isinstance(node.args[0], ast.Constant)
        ):
            yield re.compile(str(node.args[0].value)), node.func.attr in ANYWHERE


def pumps(pattern: re.Pattern[str]) -> Iterator[str]:
    """One and two of the characters that the pattern names, and some that any names."""
    signs = [char for char in dict.fromkeys(pattern.pattern) if not char.isalnum()][:6]
    letters = [char for char in dict.fromkeys(re.sub(r"\\[A-Za-z]", "", pattern.pattern)) if char.isalnum()][:2]
    alphabet = list(dict.fromkeys([*COMMON, *signs, *letters]))
    yield from alphabet
    yield from ("".join(pair) for pair in product(alphabet, repeat=2) if pair[0] != pair[1])


def slowest(use: Use, size: int) -> tuple[float, str]:
    """The longest time over all pumps of a size, and the pump."""
    pattern, anywhere = use
    worst = (0.0, "")
    for pump in pumps(pattern):
        text = pump * (size // len(pump)) + "\x00"
        started = time.process_time()
        if anywhere:
            pattern.sub("", text)
        pattern.match(text)
        pattern.fullmatch(text)
        worst = max(worst, (time.process_time() - started, pump))
        if worst[0] > SECONDS:
            break
    return worst


USES = sorted({(use[0].pattern, use[1]): use for use in uses()}.values(), key=lambda use: (use[0].pattern, use[1]))


def test_there_are_patterns() -> None:
    """The search for patterns finds those of the module level and those inside of functions."""
    assert len(USES) > 60
    assert {r"[^0-9]", r"(?<=[a-z0-9])(?=[A-Z])"} <= {pattern.pattern for pattern, _ in USES}


@pytest.mark.parametrize("use", USES, ids=lambda use: f"{'anywhere' if use[1] else 'here'}-{use[0].pattern[:40]}")
def test_each_of_our_own_patterns_is_linear(use: Use) -> None:
    """Given 64,000 characters made to hold a pattern up, then it is through in a moment."""
    for size in (1_000,) if use[0] is _END else SIZES:  # of a response, its last 1,200 characters are searched for it
        seconds, pump = slowest(use, size)
        assert seconds < SECONDS, f"{size} characters of {pump!r} took {seconds:.2f} s"
