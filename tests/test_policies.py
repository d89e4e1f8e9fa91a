"""Policy files and folders: what is opened, and what each fault says."""

from __future__ import annotations

from pathlib import Path

import pytest

from guardrail.errors import PolicyError
from guardrail.policies import POLICY_BYTES, load_policies, load_policy

GOOD = "version: 1\nagent: {}\n"


def written(folder: Path, name: str, text: str | bytes) -> Path:
    """A file with this content."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_file_is_a_policy_under_its_agent(tmp_path: Path) -> None:
    """Given one file, when loaded, then it stands under its agent's name."""
    path = written(tmp_path, "p.yaml", GOOD.format("desk"))
    assert load_policies(path).keys() == {"desk"}
    assert load_policy(str(path)).agent == "desk"


def test_a_folder_is_all_its_policy_files(tmp_path: Path) -> None:
    """Given a folder, when loaded, then YAML and JSON files count; hidden files, other files and folders don't."""
    written(tmp_path, "a.yaml", GOOD.format("a"))
    written(tmp_path, "b.yml", GOOD.format("b"))
    written(tmp_path, "c.json", '{"version": 1, "agent": "c"}')
    written(tmp_path, "README.md", "not a policy")
    written(tmp_path, ".d.yaml", "not: loaded")
    written(tmp_path, "inner/e.yaml", "not: loaded")
    assert load_policies(tmp_path).keys() == {"a", "b", "c"}


def test_evidence_files_lie_beside_the_policy(tmp_path: Path) -> None:
    """Given a policy that names a file, then the file is read from the policy's folder, and changes the revision."""
    path = written(tmp_path, "p.yaml", GOOD.format("a") + "evidence: [{file: docs/facts.md}]\n")
    written(tmp_path, "docs/facts.md", "The desk opens at 8.\n\nIt closes at 6.\n")
    policy = load_policy(path)
    assert [p.text for p in policy.evidence.passages] == ["The desk opens at 8.", "It closes at 6."]
    written(tmp_path, "docs/facts.md", "The desk opens at 9.\n\nIt closes at 6.\n")
    assert load_policy(path).revision != policy.revision


def test_a_missing_evidence_file_names_the_policy_that_wants_it(tmp_path: Path) -> None:
    """Given a policy that names a file which isn't there, then the fault gives the policy's file, line and key."""
    path = written(tmp_path, "p.yaml", GOOD.format("a") + "evidence:\n  - {file: facts.md}\n")
    with pytest.raises(PolicyError) as caught:
        load_policy(path)
    assert str(caught.value).startswith(f"{path}:4: evidence.0")
    assert "facts.md" in str(caught.value)


def test_two_policies_for_one_agent_are_a_fault(tmp_path: Path) -> None:
    """Given two files for one agent, when the folder is loaded, then it isn't."""
    written(tmp_path, "a.yaml", GOOD.format("desk"))
    second = written(tmp_path, "b.yaml", GOOD.format("desk"))
    with pytest.raises(PolicyError, match="desk has another policy") as caught:
        load_policies(tmp_path)
    assert str(caught.value).startswith(f"{second}:")


def test_a_folder_tells_the_faults_of_every_file(tmp_path: Path) -> None:
    """Given two bad files beside a good one, when the folder is loaded, then both are told."""
    first, second = (written(tmp_path, f"{name}.yaml", "version: 1\n") for name in "ab")
    written(tmp_path, "c.yaml", GOOD.format("c"))
    with pytest.raises(PolicyError) as caught:
        load_policies(tmp_path)
    assert str(caught.value).splitlines() == [f"{first}:1: agent: Field required", f"{second}:1: agent: Field required"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"version: 1\nagent: caf\xe9\n", ":1: not UTF-8 (byte 21)"),
        (b"", ":1: the file is empty"),
        (b"version: 1\nagent: [\n", ": not YAML: "),
        (b" " * (POLICY_BYTES + 1), f":1: larger than {POLICY_BYTES} bytes"),
    ],
    ids=["not_utf8", "empty", "not_yaml", "too_large"],
)
def test_an_unreadable_file_is_a_fault(tmp_path: Path, content: bytes, fault: str) -> None:
    """Given bytes that are no policy, when loaded, then the fault names the file and what is wrong."""
    path = written(tmp_path, "p.yaml", content)
    with pytest.raises(PolicyError) as caught:
        load_policies(path)
    assert str(caught.value).startswith(str(path))
    assert fault in str(caught.value)


def test_nothing_there_is_a_fault(tmp_path: Path) -> None:
    """Given a name of nothing, or a folder without policies, when loaded, then the fault says so."""
    with pytest.raises(PolicyError, match=r"gone\.yaml:1: No such file"):
        load_policies(tmp_path / "gone.yaml")
    with pytest.raises(PolicyError, match="no policy file"):
        load_policies(tmp_path)
