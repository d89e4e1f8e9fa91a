"""What the README shows is run: its policy loads, its commands work, its library example decides."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from guardrail.judge.policy import compile_policy
from guardrail.lines import read_line
from tests.drift.observations import tally

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DEMO = ROOT / "guardrail" / "demo"
NEEDS_A_BROKER = (
    "guardrail run",
    "guardrail demo --bootstrap",
    "guardrail topics",
    "guardrail policies",
    "guardrail redrive",
)


def blocks(language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


COMMANDS = [
    line.partition("#")[0].strip()
    for block in blocks("console")
    for line in block.splitlines()
    if line.startswith("guardrail ")
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as the README's reader would have it: policies/, records.jsonl, labelled.jsonl, observations.jsonl."""
    (tmp_path / "policies").mkdir()
    for policy in DEMO.glob("*.yaml"):
        shutil.copy(policy, tmp_path / "policies")
    for records in DEMO.glob("*.jsonl"):
        shutil.copy(records, tmp_path)
    (tmp_path / "observations.jsonl").write_bytes(tally(0, agreed=60).encode() + b"\n")
    return tmp_path


@pytest.mark.parametrize("command", [c for c in COMMANDS if not c.startswith(NEEDS_A_BROKER)])
def test_commands_of_the_readme_work(command: str, folder: Path) -> None:
    """Given the demo's policies and records, when a command of the README is run, then it exits with 0."""
    words = shlex.split(command.partition(">")[0])
    done = subprocess.run([sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_commands_were_found() -> None:
    """The README shows at least the six verbs."""
    assert {command.split()[1] for command in COMMANDS} >= {"check", "lint", "explain", "calibrate", "topics", "run"}


def test_the_policy_of_the_readme_loads() -> None:
    """The README's policy is a policy."""
    [text] = blocks("yaml")
    assert compile_policy(text).agent == "hotel"


def test_the_library_example_decides(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a record's bytes, when the README's Python runs, then there is one decision."""
    monkeypatch.chdir(folder)
    record = read_line((folder / "records.jsonl").read_bytes().splitlines()[0], 0)
    assert record is not None
    names = {"value": record.value}
    [code] = blocks("python")
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102 - the README is ours
    assert names["decision"].outcome.value == "approved"  # type: ignore[attr-defined]
