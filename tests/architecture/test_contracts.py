"""Who may import whom: the contracts of pyproject.toml, held up; and the closed list beside its publication."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from guardrail.judge.codes import CODES

ROOT = Path(__file__).parents[2]
CONTRACT = ROOT.parent / "shared" / "CONTRACT.md"


ADDED = {"transport.stale"}
"""Codes that users needed beyond the published ones: the contract may be extended, nothing in it renamed."""


def test_the_import_contracts_are_kept() -> None:
    """Given the contracts of pyproject.toml, when import-linter looks, then every one is kept."""
    linter = Path(sys.executable).with_name("lint-imports")
    ended = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def published() -> set[str]:
    """The codes that the contract prints, family by family."""
    text = CONTRACT.read_text(encoding="utf-8").partition("## 6. Codes")[2].partition("\n## ")[0].partition("\n")[2]
    codes = set()
    for family in re.sub(r"\([^)]*\)", "", text).split("·"):
        match = re.match(r"\s*`([a-z]+)`\s+(.*)", family, re.DOTALL)
        assert match, family
        codes |= {f"{match[1]}.{name}" for name in match[2].split()}
    return codes


def test_the_closed_list_is_the_published_one() -> None:
    """Given the contract beside the clone, then the list of codes is the one that it prints, and what was added."""
    if not CONTRACT.exists():
        pytest.skip(
            f"{CONTRACT} doesn't lie beside this clone: the list of codes can't be compared with its publication"
        )
    assert published() | ADDED == CODES.keys()
