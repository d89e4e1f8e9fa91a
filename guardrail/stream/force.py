"""The policies in force, batch by batch. It must never change one in the middle of a batch.

What is wanted is taken up between two batches. A changed policy is on probation: one that refuses too much holds its
agent's records back, or gives way to the policy before it (`breaker.then`). Bypasses end by the clock.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from guardrail.judge.model import Bypass, Decision
from guardrail.judge.policy import ENGINE, Policies, Policy, bypassed
from guardrail.judge.scoring import LEXICAL
from guardrail.settings import BreakerSettings
from guardrail.stream.breaker import Again, Breaker
from guardrail.stream.wanted import Wanted

LOG = logging.getLogger("guardrail.stream")

FULL = 1 << 64
"""A key's place is one of so many."""


class Tripped(NamedTuple):
    """A policy that refused too much, and what `then` is done: `hold`, or the `previous` one judges."""

    revision: str
    why: str
    previous: Policy | None
    then: str


Look = Callable[[], Wanted]
Held = Callable[[Policy], None]


class InForce:
    """`policies` judge; `second` holds the canaries, each with the policies that judge its share."""

    def __init__(self, look: Look, settings: BreakerSettings, *, proven: Held = lambda _: None) -> None:
        """`look` gives what is wanted now; `proven` is told of each policy that has held through its probation."""
        self._look = look
        self._proven = proven
        self._then = settings.then
        self._breaker = Breaker(settings)
        self._taken: Wanted | None = None
        self._tripped: dict[str, Tripped] = {}
        self._bypassing: Mapping[str, Bypass] = {}
        self._chosen: dict[str, Policy] = {}
        self._since_ms: dict[str, int] = {}
        self.policies: Policies = {}
        self.second: Mapping[str, Policies] = {}

    @property
    def held(self) -> frozenset[str]:
        """Agents whose records wait: their policy has tripped, and nothing else is to judge them."""
        if not self._tripped:
            return frozenset()
        return frozenset({a for a, one in self._tripped.items() if one.then == "hold"} - self._bypassing.keys())

    @property
    def bypassing(self) -> Collection[str]:
        """Agents whose policy isn't enforced."""
        return self._bypassing.keys()

    @property
    def tripped(self) -> Collection[str]:
        """Agents whose changed policy has refused too much, and hasn't been changed again."""
        return self._tripped.keys()

    @property
    def refused(self) -> Collection[str]:
        """What is wanted and can't be had."""
        return self._taken.faults.keys() if self._taken else ()

    @property
    def revisions(self) -> frozenset[tuple[str, str]]:
        """By which policies agents are judged, canaries among them."""
        canaries = ((agent, policies[agent]) for agent, policies in self.second.items())
        return frozenset((agent, policy.revision) for agent, policy in (*self.policies.items(), *canaries))

    @property
    def foreign(self) -> bool:
        """Whether code of others takes part in the judging: scorers but for our own."""
        canaries = (policies[agent] for agent, policies in self.second.items())
        before = (found for agent in self._chosen if (found := self._before(agent)) is not None)
        return any(policy.scales.keys() - {LEXICAL} for policy in (*self.policies.values(), *canaries, *before))

    @property
    def elders(self) -> Policies:
        """By agent, the policy before a change that is on probation or has tripped, where that one found its records
        elsewhere (`input`). What is nobody's now may have been that agent's.
        """
        before = {agent: self._before(agent) for agent in self._chosen}
        return {a: p for a, p in before.items() if p is not None and p.input != self._chosen[a].input}

    @property
    def alarm(self) -> str | None:
        """Why an agent is held; None when none is."""
        return next((f"agent {agent} held: {self._tripped[agent].why}" for agent in sorted(self.held)), None)

    def turn(self, now_ms: int) -> bool:
        """Takes up what is wanted. Gives back whether anything has changed."""
        wanted = self._look()
        bypassing = {agent: found for agent in wanted.policies if (found := wanted.bypass(agent, now_ms)) is not None}
        if wanted is self._taken and bypassing == self._bypassing:
            return False
        _tell_bypasses(self._bypassing, bypassing)
        self._taken, self._bypassing = wanted, bypassing
        for agent, policy in wanted.policies.items():
            self._choose(agent, policy, wanted, now_ms)
        self._compose(wanted)
        return True

    def trip(self, decisions: Sequence[Decision], passed: Again) -> frozenset[str]:
        """The agents whose policy has refused too much with this batch: none of it may be published for them."""
        tripped = self._breaker.tripped(decisions, passed)
        for agent, why in tripped.items():
            previous = self._breaker.previous(agent)
            then = "hold" if previous is None else self._then
            LOG.critical("breaker tripped", extra={"agent": agent, "reason": why, "then": then})
            self._tripped[agent] = Tripped(self._chosen[agent].revision, why, previous, then)
            if then == "previous" and previous is not None:
                self._chosen[agent] = previous
            self._breaker.end(agent)
        if tripped and self._taken is not None:
            self._compose(self._taken)
        return frozenset(tripped)

    def give_way(self) -> bool:
        """Lets the policies before judge what is held, where there are such: it has come to hold other agents as well.
        Gives back whether any does. The alarms stay.
        """
        given_up = False
        for agent in self.held:
            tripped = self._tripped[agent]
            if tripped.previous is not None:
                LOG.critical("hold given up", extra={"agent": agent, "reason": "no room is left for others"})
                self._tripped[agent], self._chosen[agent] = tripped._replace(then="previous"), tripped.previous
                given_up = True
        if given_up and self._taken is not None:
            self._compose(self._taken)
        return given_up

    def committed(self, decisions: Sequence[Decision]) -> None:
        """Counts a published batch."""
        for policy in self._breaker.committed(decisions):
            LOG.info("policy proven", extra={"agent": policy.agent, "revision": policy.revision})
            self._proven(policy)

    def canaried(self, agent: str, key: bytes) -> bool:
        """Whether a record is of the share that the agent's second policy decides. A key is always, or never."""
        if agent not in self.second or self._taken is None:
            return False
        place = int.from_bytes(sha256(agent.encode() + b"\0" + key).digest()[:8])
        return place < self._taken.canaries[agent].share * FULL

    def shown(self) -> dict[str, Any]:
        """What /policy tells."""
        wanted = self._taken or Wanted()
        return {
            "engine": ENGINE,
            "agents": {agent: self._shown(agent, policy, wanted) for agent, policy in sorted(self.policies.items())},
            "refused": dict(wanted.faults),
        }

    def _choose(self, agent: str, policy: Policy, wanted: Wanted, now_ms: int) -> None:
        """Puts an agent's wanted policy in force, on probation where it is a change."""
        tripped, current = self._tripped.get(agent), self._chosen.get(agent)
        refused = tripped is not None and tripped.revision == policy.revision and agent not in wanted.forced
        if refused:
            return
        if tripped is None and current is not None and current.revision == policy.revision:
            if agent in wanted.forced:
                self._breaker.trust(agent)
            return
        self._tripped.pop(agent, None)
        self._chosen[agent], self._since_ms[agent] = policy, now_ms
        LOG.info("policy in force", extra={"agent": agent, "revision": policy.revision, "mode": policy.mode})
        proven = wanted.proven.get(agent)
        # a change upon a change is held against what stood before both: the first may be as bad
        before = tripped.previous if tripped else self._breaker.previous(agent) or current or proven
        if policy.revision in {known.revision for known in (before, proven) if known is not None}:
            self._breaker.end(agent)
        else:
            self._breaker.begin(policy, before, watched=before is not None and agent not in wanted.forced)

    def _before(self, agent: str) -> Policy | None:
        """The policy before an agent's change that is watched or has tripped; None where there is no such change."""
        tripped = self._tripped.get(agent)
        return tripped.previous if tripped else self._breaker.previous(agent)

    def _compose(self, wanted: Wanted) -> None:
        """The policies as they judge: each under its bypass, if one is in force."""
        made = {agent: bypassed(policy, self._bypassing.get(agent)) for agent, policy in self._chosen.items()}
        self.policies = made
        self.second = {
            agent: {**made, agent: bypassed(canary.policy, made[agent].bypass)}
            for agent, canary in wanted.canaries.items()
            if agent in made and canary.policy.revision not in (made[agent].revision, self._tripped_revision(agent))
        }

    def _tripped_revision(self, agent: str) -> str | None:
        tripped = self._tripped.get(agent)
        return tripped.revision if tripped else None

    def _shown(self, agent: str, policy: Policy, wanted: Wanted) -> dict[str, Any]:
        canary, tripped = wanted.canaries.get(agent), self._tripped.get(agent)
        return {
            "revision": policy.revision,
            "mode": policy.mode,
            "since": datetime.fromtimestamp(self._since_ms[agent] / 1000, UTC).isoformat(timespec="seconds"),
            "origin": msgspec.to_builtins(wanted.origins.get(agent)),
            "canary": {"revision": canary.policy.revision, "share": canary.share} if canary else None,
            "bypass": msgspec.to_builtins(policy.bypass),
            "probation_records": self._breaker.left_count(agent),
            "tripped": {"revision": tripped.revision, "why": tripped.why, "then": tripped.then} if tripped else None,
        }


def _tell_bypasses(before: Mapping[str, Bypass], now: Mapping[str, Bypass]) -> None:
    for agent in sorted(now.keys() - before.keys()):
        LOG.critical("bypass in force", extra={"agent": agent, "bypass": msgspec.to_builtins(now[agent])})
    for agent in sorted(before.keys() - now.keys()):
        LOG.warning("bypass ended", extra={"agent": agent})
