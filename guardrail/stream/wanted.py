"""Which policies are wanted in force: files and register, put together. It must never take a bad one for a good one.

The register goes before the files, agent by agent. What can't be loaded leaves what was wanted before, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from guardrail.errors import PolicyError
from guardrail.judge.model import Bypass
from guardrail.judge.policy import Policies, Policy
from guardrail.stream.register import BYPASS_MAX_S, EVERYONE, SKEW_S, Active, Entry, Register


class Origin(msgspec.Struct, frozen=True):
    """Who put a policy in force; all but `source` are null for a file."""

    source: str
    by: str | None = None
    at: str | None = None
    why: str | None = None


FILE = Origin("file")
GONE = "no file or entry has a policy for it any more: the last one stays in force until a restart"
"""A name that is misspelt, or a file that isn't mounted, must not make dead letters of all that comes."""
Fits = Callable[[Policy], str | None]
NONE: Mapping[str, Any] = MappingProxyType({})


class Canaried(NamedTuple):
    """A second policy, and the share of the keys that it decides."""

    policy: Policy
    share: float
    origin: Origin


class Files(NamedTuple):
    """What was loaded last from files, and why the newest can't be, if it can't."""

    policies: Policies = NONE
    canaries: Mapping[str, Canaried] = NONE
    faults: Mapping[str, str] = NONE


class Wanted(NamedTuple):
    """By agent. `forced` are those that need no probation; `proven` the last ones that are known to have held."""

    policies: Policies = NONE
    origins: Mapping[str, Origin] = NONE
    canaries: Mapping[str, Canaried] = NONE
    bypasses: Mapping[str, Bypass] = NONE
    proven: Policies = NONE
    forced: frozenset[str] = frozenset()
    faults: Mapping[str, str] = NONE

    def bypass(self, agent: str, now_ms: int) -> Bypass | None:
        """The agent's own that holds now, else everyone's. One that would last longer than any may doesn't hold."""
        latest_ms = now_ms + (BYPASS_MAX_S + SKEW_S) * 1000
        both = (self.bypasses.get(agent), self.bypasses.get(EVERYONE))
        return next((one for one in both if one is not None and now_ms < one.until_ms <= latest_ms), None)


def wanted(files: Files, register: Register, before: Wanted, fits: Fits = lambda _: None) -> Wanted:
    """Puts them together; `before` is what was wanted so far. `fits` tells why a policy can't be judged here."""
    standing = register.standing()
    finder = _Finder(register, fits, {**files.faults, **standing.faults})
    policies: dict[str, Policy] = {}
    origins: dict[str, Origin] = {}
    for agent, policy in files.policies.items():
        if (chosen := finder.fitting(policy) or before.policies.get(agent)) is not None:
            policies[agent], origins[agent] = chosen, FILE
    for agent, entry in standing.active.items():
        if (found := finder.named(f"active/{agent}", agent, entry.revision)) is not None:
            policies[agent], origins[agent] = found, origin(entry)
    for name in finder.faults:
        kind, _, agent = name.partition("/")
        if kind == "active" and agent in before.policies:
            policies[agent], origins[agent] = before.policies[agent], before.origins.get(agent, FILE)
    for agent in before.policies.keys() - policies.keys():
        policies[agent], origins[agent] = before.policies[agent], before.origins.get(agent, FILE)
        finder.faults[f"gone/{agent}"] = GONE
    canaries = {agent: one for agent, one in files.canaries.items() if finder.fitting(one.policy)}
    for agent, canary in standing.canary.items():
        if (found := finder.named(f"canary/{agent}", agent, canary.revision)) is not None:
            canaries[agent] = Canaried(found, canary.share, origin(canary))
    proven = {
        agent: found
        for agent, entry in standing.proven.items()
        if (found := _Finder(register, fits, {}).named(f"proven/{agent}", agent, entry.revision)) is not None
    }
    return Wanted(
        policies=policies,
        origins=origins,
        canaries={agent: one for agent, one in canaries.items() if agent in policies},
        bypasses={agent: entry.bypass() for agent, entry in standing.bypass.items()},
        proven=proven,
        forced=frozenset(agent for agent, entry in standing.active.items() if _forced(entry, policies.get(agent))),
        faults=finder.faults,
    )


def origin(entry: Entry) -> Origin:
    """Who made an entry."""
    return Origin("register", entry.by, entry.at.isoformat(), entry.why)


class _Finder:
    """Policies that may be put in force; `faults` says why others may not."""

    def __init__(self, register: Register, fits: Fits, faults: dict[str, str]) -> None:
        self._register = register
        self._fits = fits
        self.faults = faults

    def named(self, name: str, agent: str, revision: str) -> Policy | None:
        """The policy that an entry names, if it can be had and is that agent's."""
        try:
            found = self._register.policy(revision)
        except PolicyError as error:
            self.faults[name] = str(error)
            return None
        if found.agent != agent:
            self.faults[name] = f"revision {revision} is a policy of {found.agent}"
            return None
        return self.fitting(found, name)

    def fitting(self, policy: Policy, name: str | None = None) -> Policy | None:
        """The policy, if it can be judged here."""
        if (why := self._fits(policy)) is None:
            return policy
        self.faults[name or f"file/{policy.agent}"] = why
        return None


def _forced(entry: Active, policy: Policy | None) -> bool:
    return entry.force and policy is not None and policy.revision == entry.revision
