"""Policy files: the only place that opens them. It must never decide what a policy means: judge.policy does."""

from __future__ import annotations

from pathlib import Path

from guardrail.errors import PolicyError
from guardrail.judge.layout import read_layout
from guardrail.judge.places import places_of
from guardrail.judge.policy import Policies, Policy, compile_policy

SUFFIXES = (".yaml", ".yml", ".json")
POLICY_BYTES = 4_194_304
"""A policy or evidence file larger than this is a mistake."""


def load_policy(path: Path | str) -> Policy:
    """The policy in this file, with the evidence files it names (relative to it).

    Raises: PolicyError, one line a fault.
    """
    path = Path(path)
    text = _read(path)
    layout = read_layout(text, str(path))
    files = {}
    for index, passage in enumerate(layout.evidence):
        if passage.file is not None:
            try:
                files[passage.file] = _read(path.parent / passage.file)
            except PolicyError as error:
                raise PolicyError(places_of(text, str(path)).fault(("evidence", index, "file"), str(error))) from None
    return compile_policy(text, str(path), files)


def load_policies(path: Path | str) -> Policies:
    """Agent -> policy, of a file or of all policy files in a folder.

    Raises: PolicyError with the faults of every file.
    """
    path = Path(path)
    if not path.is_dir():
        policy = load_policy(path)
        return {policy.agent: policy}
    files = policy_files(path)
    if not files:
        raise PolicyError(f"{path}: no policy file ({', '.join(SUFFIXES)}) in this folder")
    policies: dict[str, Policy] = {}
    faults: list[str] = []
    for file in files:
        try:
            policy = load_policy(file)
        except PolicyError as error:
            faults.append(str(error))
            continue
        if policy.agent in policies:
            faults.append(f"{file}:1: agent: {policy.agent} has another policy in this folder")
        policies[policy.agent] = policy
    if faults:
        raise PolicyError("\n".join(faults))
    return policies


def policy_files(path: Path) -> list[Path]:
    """The policy file that this path is, or those of the folder that it is; none of what isn't there."""
    if not path.is_dir():
        return [path]
    return sorted(p for p in path.iterdir() if p.suffix in SUFFIXES and not p.name.startswith("."))


def evidence_files(path: Path) -> list[Path]:
    """The files that a policy file names as evidence; none for one that can't be read."""
    try:
        layout = read_layout(_read(path), str(path))
    except PolicyError:
        return []
    return [path.parent / passage.file for passage in layout.evidence if passage.file is not None]


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > POLICY_BYTES:
            raise PolicyError(f"{path}:1: larger than {POLICY_BYTES} bytes")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PolicyError(f"{path}:1: not UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise PolicyError(f"{path}:1: {error.strerror or error}") from None
