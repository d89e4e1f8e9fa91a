"""The rules of the house, measured on the source: sizes, words, docstrings, and what no file may hold."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FUNCTION_LINES_MAX = 60
FILE_LINES_MAX = 400
POSITIONAL_MAX = 5
NOT_IN_THIS_HOUSE = {
    "util",
    "utils",
    "helper",
    "helpers",
    "common",
    "base",
    "manager",
    "handler",
    "processor",
    "process",
    "handle",
}
TEXTS = {
    ".py",
    ".md",
    ".toml",
    ".yaml",
    ".yml",
    ".json",
    ".jsonl",
    ".txt",
    ".xml",
    ".cfg",
    ".ini",
    ".sh",
    ".html",
    ".properties",
    "",
}

PACKAGE = sorted((ROOT / "guardrail").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def parsed(path: Path) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method of a tree, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def where(path: Path, node: ast.stmt | None = None) -> str:
    """A place, as an editor opens it."""
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def by_path(path: Path) -> str:
    """A file's name in the report."""
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", PACKAGE, ids=by_path)
def test_a_file_is_small_enough_to_see_whole(path: Path) -> None:
    """Given a module, then it is short, its functions are, and none takes many positional arguments."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= FILE_LINES_MAX
    for function in functions(parsed(path)):
        first = min((d.lineno for d in function.decorator_list), default=function.lineno)
        assert (function.end_lineno or 0) - first < FUNCTION_LINES_MAX, where(path, function)
        names = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        assert len(names) - (names[:1] in (["self"], ["cls"])) <= POSITIONAL_MAX, where(path, function)


@pytest.mark.parametrize("path", PACKAGE, ids=by_path)
def test_everything_public_says_what_it_is(path: Path) -> None:
    """Given a module, then it and its public classes, functions and methods have docstrings."""
    tree = parsed(path)
    if tree.body:
        assert ast.get_docstring(tree), where(path)
    for node in [tree, *(n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and not n.name.startswith("_"))]:
        for member in node.body:
            if isinstance(member, (ast.ClassDef, Function)) and not member.name.startswith("_"):
                assert ast.get_docstring(member), where(path, member)


def lays_down_a_limit(path: Path) -> bool:
    """Whether a module has to say what it must never do: those that only mark a package or hold words don't."""
    tree = parsed(path)
    code = any(isinstance(node, (ast.ClassDef, Function)) for node in ast.walk(tree))
    return code and path.name not in {"__init__.py", "__main__.py"} and path.parent.name != "lexicon"


@pytest.mark.parametrize("path", [path for path in PACKAGE if lays_down_a_limit(path)], ids=by_path)
def test_a_module_says_what_it_must_never_do(path: Path) -> None:
    """Given a module with code in it, then its docstring says what it must never do."""
    text = " ".join((ast.get_docstring(parsed(path)) or "").split())
    assert re.search(r"\bnever\b|\bNothing here may\b", text, re.IGNORECASE), text


def names(path: Path) -> Iterator[tuple[str, ast.stmt | None]]:
    """The names of a module, its classes and its functions."""
    yield path.stem, None
    for node in ast.walk(parsed(path)):
        if isinstance(node, (ast.ClassDef, Function)):
            yield node.name, node


@pytest.mark.parametrize("path", PACKAGE, ids=by_path)
def test_words_that_say_nothing_are_not_in_this_house(path: Path) -> None:
    """Given the names of modules, classes and functions, then none is a word that would fit anything."""
    for name, node in names(path):
        words = {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
        assert not words & NOT_IN_THIS_HOUSE, f"{where(path, node)}: {name}"


@pytest.mark.parametrize("path", TESTS, ids=by_path)
def test_tests_say_what_they_show_and_mock_nothing(path: Path) -> None:
    """Given a test file, then every test and the file have a docstring, and no mock is imported or made."""
    tree = parsed(path)
    if tree.body:
        assert ast.get_docstring(tree), where(path)
    for function in functions(tree):
        if function.name.startswith("test_"):
            assert ast.get_docstring(function), where(path, function)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[-1] == "mock" for alias in node.names), where(path, node)
        if isinstance(node, ast.ImportFrom):
            found = {node.module or "", *(alias.name for alias in node.names)}
            assert not any("mock" in name.lower() for name in found), where(path, node)


def tracked() -> list[Path]:
    """The text files that are part of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    paths = [ROOT / name for name in listed.stdout.split("\0") if name] or [*PACKAGE, *TESTS]
    return [path for path in paths if path.suffix in TEXTS and path.is_file()]


HOSTS = (
    "pypi" + ".org",
    "pythonhosted" + ".org",
    "repo.maven" + ".apache.org",
    "repo1.maven" + ".org",
    "registry.npmjs" + ".org",
)
MACHINE = re.compile(
    r"(?<![\w.])/(?:home|Users|root|work)/[A-Za-z0-9._-]+|[A-Z]:\\\\Users\\\\|--(?:extra-)?index-url[ =]\S"
)


def test_no_tracked_file_names_a_registry_or_a_machine() -> None:
    """Given the tracked text files, then none holds a registry's host or a path of somebody's machine."""
    found = []
    for path in tracked():
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if any(host in line for host in HOSTS) or MACHINE.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}")
    assert not found
