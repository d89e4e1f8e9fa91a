"""The circuit breaker of a policy's first batches: too many records refused means that the policy is wrong, not they.

It must never stop an agent whose policy hasn't changed. Each change is on probation; what would be refused by the
policy before it as well doesn't speak against the new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from guardrail.judge.model import Decision, Outcome
from guardrail.judge.policy import Policy
from guardrail.settings import BreakerSettings

SAMPLE_LEAST = 8
"""Records that the policy before has judged too, until its word counts where a batch had no time for more of them."""

Again = Callable[[str, Policy], tuple[int, int, int]]
"""Of a batch's refused records of an agent: how many another policy lets through, of how many it has judged; and of how
many that was to be.
"""
REFUSED = frozenset({Outcome.REJECTED, Outcome.DEAD_LETTER})


class Probation:
    """One agent's policy, from its change until enough of its records have passed."""

    def __init__(self, policy: Policy, previous: Policy | None, *, watched: bool) -> None:
        """`previous` is None where nobody knows it. One that isn't `watched` is no change: it proves itself only."""
        self.policy = policy
        self.previous = previous
        self.watched = watched
        self.judged_count = 0
        self.refused_count = 0
        self.passed_count = self.again_count = 0


class Breaker:
    """Counts by agent."""

    def __init__(self, settings: BreakerSettings) -> None:
        self._settings = settings
        self._probations: dict[str, Probation] = {}

    def begin(self, policy: Policy, previous: Policy | None = None, *, watched: bool) -> None:
        """The agent's policy is on probation from now on."""
        self._probations[policy.agent] = Probation(policy, previous, watched=watched)

    def end(self, agent: str) -> None:
        """No longer."""
        self._probations.pop(agent, None)

    def trust(self, agent: str) -> None:
        """Somebody has looked, and answers for it: it proves itself only."""
        if (found := self._probations.get(agent)) is not None:
            found.watched = False

    def previous(self, agent: str) -> Policy | None:
        """The policy before an agent's change that is watched."""
        found = self._probations.get(agent)
        return found.previous if found and found.watched else None

    def left_count(self, agent: str) -> int:
        """How many records more an agent's policy has to pass; 0 when it has."""
        found = self._probations.get(agent)
        return self._settings.records - found.judged_count if found else 0

    def tripped(self, decisions: Iterable[Decision], passed: Again) -> dict[str, str]:
        """Agents whose policy refuses too much with this batch, and what it refuses."""
        seen, refused = self._counted(decisions)
        return {
            agent: f"{refused[agent]} of {seen[agent]} records refused under revision {probation.policy.revision}"
            for agent, probation in self._probations.items()
            if probation.watched and refused[agent] and self._trips(probation, seen[agent], refused[agent], passed)
        }

    def committed(self, decisions: Sequence[Decision]) -> list[Policy]:
        """Counts a batch. Gives back the policies that have held."""
        if not self._probations:
            return []
        seen, refused = self._counted(decisions)
        for agent, probation in self._probations.items():
            probation.judged_count += seen[agent]
            probation.refused_count += refused[agent]
        held = [p.policy for p in self._probations.values() if p.judged_count >= self._settings.records]
        for policy in held:
            self.end(policy.agent)
        return held

    def _trips(self, probation: Probation, seen: int, refused: int, passed: Again) -> bool:
        judged = probation.judged_count + seen
        if judged < self._settings.least_records or not self._over(probation.refused_count + refused, judged):
            return False
        if probation.previous is None:
            return True
        found, again, asked = passed(probation.policy.agent, probation.previous)
        probation.passed_count += found
        probation.again_count += again
        if again < asked:  # there was no time for the rest: what earlier batches have shown counts too
            found, again = probation.passed_count, probation.again_count
            if again < SAMPLE_LEAST:
                return False
        return again > 0 and self._over(round(found / again * refused), seen)

    def _over(self, count: int, among: int) -> bool:
        return count > self._settings.share * among

    def _counted(self, decisions: Iterable[Decision]) -> tuple[Counter[str], Counter[str]]:
        """Of each agent on probation: its decisions, and those that refuse."""
        seen: Counter[str] = Counter()
        refused: Counter[str] = Counter()
        for decision in decisions:
            if (probation := self._probations.get(decision.agent or "")) is not None:
                seen[probation.policy.agent] += 1
                refused[probation.policy.agent] += refuses(probation.policy, decision)
        return seen, refused


def refuses(policy: Policy, decision: Decision) -> bool:
    """Whether a customer doesn't get what this policy decides on. A shadow refuses nobody; a bypass ends, and says
    nothing for its policy.
    """
    return (decision.outcome if policy.layout.mode == "shadow" else decision.enforced_outcome) in REFUSED
