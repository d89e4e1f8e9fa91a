"""A batch judged under what is in force, canaries included. It must never let a record of a tripped policy through.

What the CPU budget doesn't allow, what a breaker holds, and what stands behind either under the same key, waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from confluent_kafka import Message
from msgspec.structs import replace

from guardrail.judge.decide import Judged
from guardrail.judge.model import Decision, RawRecord
from guardrail.judge.owner import owner
from guardrail.judge.policy import Policies, Policy
from guardrail.stream.breaker import refuses
from guardrail.stream.force import InForce
from guardrail.stream.intake import Intake
from guardrail.stream.judging import Judging
from guardrail.stream.lanes import by_agent, in_order
from guardrail.stream.record import raw_record
from guardrail.stream.settling import Taken


class Verdicts:
    """Judges the batch at hand, and narrows it to what may be published now."""

    def __init__(self, judging: Judging, force: InForce, intake: Intake) -> None:
        self._judging = judging
        self._force = force
        self._intake = intake

    def judge(self, messages: Sequence[Message], received_ms: int) -> list[Taken]:
        """The judged records, in the order of the batch."""
        raws = [raw_record(message, received_ms) for message in messages]
        judged = self._judged(raws)
        claimed = self._claimed(raws, judged)
        places = self._allowed(raws, claimed)
        self._intake.narrow(places)
        taken = [
            Taken(messages[place], raws[place], one, self._intake.refusal(messages[place]), _agent(claimed[place]))
            for place in places
            if (one := judged[place]) is not None
        ]
        return self._second(taken) if self._force.second else taken

    def _judged(self, raws: Sequence[RawRecord]) -> list[Judged | None]:
        if self._intake.crowded:
            return self._judging.judge_shared(raws, self._force.policies, by_agent(self._intake.at_hand))
        return self._judging.judge(raws, self._force.policies)

    def _claimed(self, raws: Sequence[RawRecord], judged: Sequence[Judged | None]) -> Sequence[Judged | None]:
        """With the agent's name on what was its record before a change that makes it nobody's: it counts as refused."""
        elders = self._force.elders
        if not elders:
            return judged
        return [one and _claimed(raw, one, elders) for raw, one in zip(raws, judged, strict=True)]

    def _allowed(self, raws: Sequence[RawRecord], judged: Sequence[Judged | None]) -> list[int]:
        """The places of those that may be published."""
        queued = self._intake.at_hand
        places = in_order(queued, [one is not None for one in judged])
        seen = [(raws[place], one) for place in places if (one := judged[place]) is not None]
        back = self._force.trip([one.decision for _, one in seen], partial(self._passed, seen)) | self._force.held
        if not back:
            return places
        self._intake.correct({p: agent for p, one in enumerate(judged) if (agent := _agent(one)) in back and agent})
        kept = set(places)
        return in_order(queued, [p in kept and _agent(judged[p]) not in back for p in range(len(queued))])

    def _passed(self, seen: Sequence[tuple[RawRecord, Judged]], agent: str, policy: Policy) -> int:
        """How many of an agent's refused records this policy would have let through."""
        now = self._force.policies[agent]
        refused = [raw for raw, one in seen if one.decision.agent == agent and refuses(now, one.decision)]
        again = self._judging.judge_all(refused, {**self._force.policies, agent: policy})
        return sum(not refuses(policy, one.decision) for one in again)

    def _second(self, taken: Sequence[Taken]) -> list[Taken]:
        """A canary's share judged by its policy; what the policy in force says stands beside."""
        made = list(taken)
        for agent, policies in self._force.second.items():
            places = [
                place
                for place, one in enumerate(taken)
                if one.judged.decision.agent == agent and self._force.canaried(agent, _key(one))
            ]
            for place, judged in zip(
                places, self._judging.judge_all([taken[p].raw for p in places], policies), strict=True
            ):
                made[place] = taken[place]._replace(judged=judged, beside=taken[place].judged.decision)
        return made


def _key(one: Taken) -> bytes:
    """What a canary's share goes by: the key, else the conversation, else the place."""
    if one.raw.key is not None:
        return one.raw.key
    conversation = one.judged.record.conversation_id if one.judged.record else None
    return (conversation or one.judged.decision.decision_id).encode("utf-8", "surrogatepass")


def _claimed(raw: RawRecord, one: Judged, elders: Policies) -> Judged:
    """Under the name of the agent whose policy before a change would have judged it, where nobody's judges it now."""
    if one.decision.policy is not None:
        return one
    claimant = next((agent for agent, elder in elders.items() if owner(raw, {agent: elder}).agent == agent), None)
    return replace(one, decision=replace(one.decision, agent=claimant)) if claimant else one


def _agent(one: Judged | None) -> str | None:
    return one.decision.agent if one else None


def differences(taken: Sequence[Taken]) -> list[tuple[Decision, Decision]]:
    """What the policy in force said beside what a canary decided, for each record of its share."""
    return [(one.beside, one.judged.decision) for one in taken if one.beside is not None]


def counted(taken: Sequence[Taken], published: Iterable[Decision]) -> list[Decision]:
    """What speaks for or against a policy on probation: what the one in force said, of whosever record it is."""
    said = [one.beside or decision for one, decision in zip(taken, published, strict=True)]
    return [d if d.agent == one.agent else replace(d, agent=one.agent) for one, d in zip(taken, said, strict=True)]
