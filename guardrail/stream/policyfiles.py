"""Policy files, looked at again and again. It must never let go of good ones for bad ones.

Content decides: a ConfigMap's change swaps a link, and shows in no time stamp that could be relied upon.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from guardrail.errors import PolicyError
from guardrail.judge.policy import Policies
from guardrail.policies import evidence_files, load_policies, policy_files
from guardrail.settings import PolicySettings
from guardrail.stream.wanted import FILE, Canaried, Files


class PolicyFiles:
    """`found` is what was loaded last, and why the newest can't be, where it can't."""

    def __init__(self, settings: PolicySettings, policies: Policies) -> None:
        """`policies` are those that the files held at start."""
        self._settings = settings
        self._evidence: list[Path] = []
        self._digest = self._seen = ""
        self.found = Files(policies)

    def look(self) -> bool:
        """Loads them again where they have changed, once they stand still. Gives back whether they were loaded."""
        seen, self._seen = self._seen, self._look()
        if self._seen == self._digest:
            return False
        if self._digest and self._seen != seen:  # half of a file, or of a folder, may be a policy too
            return False
        self._evidence = [file for policy in self._policy_files() for file in evidence_files(policy)]
        digest = self._seen = self._look()  # before they are loaded: what changes meanwhile shows the next time
        self.found = self._load()
        self._digest = digest
        return True

    def _load(self) -> Files:
        chosen, faults = self._settings, {}
        policies, canaries = self.found.policies, self.found.canaries
        try:
            policies = load_policies(chosen.path) if chosen.path else policies
        except (PolicyError, OSError) as error:
            faults[str(chosen.path)] = str(error)
        try:
            second = load_policies(chosen.canary_path) if chosen.canary_path else {}
            canaries = {agent: Canaried(policy, chosen.canary_share, FILE) for agent, policy in second.items()}
        except (PolicyError, OSError) as error:
            faults[str(chosen.canary_path)] = str(error)
        return Files(policies, canaries, faults)

    def _look(self) -> str:
        digest = sha256()
        for file in (*self._policy_files(), *self._evidence):
            try:
                content = sha256(file.read_bytes()).hexdigest()
            except OSError as failure:
                content = str(failure.strerror)
            digest.update(f"{file}\0{content}\0".encode())
        return digest.hexdigest()

    def _policy_files(self) -> list[Path]:
        chosen = self._settings
        try:
            return [file for path in (chosen.path, chosen.canary_path) if path for file in policy_files(path)]
        except OSError:  # between two states of a folder: it will differ again
            return []
