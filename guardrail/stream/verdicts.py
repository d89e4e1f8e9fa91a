"""A batch judged under what is in force, canaries included. It must never let a record of a tripped policy through.

What the CPU budget doesn't allow, what a breaker holds, and what stands behind either under the same key, waits.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
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

LOG = logging.getLogger("guardrail.stream")

SAMPLE_COUNT = 32
"""Enough to tell a policy that refuses all from one that doesn't, of a batch of any size."""


class Verdicts:
    """Judges the batch at hand, and narrows it to what may be published now."""

    def __init__(self, judging: Judging, force: InForce, intake: Intake) -> None:
        self._judging = judging
        self._force = force
        self._intake = intake
        self._left_out: set[str] = set()

    def judge(self, messages: Sequence[Message], received_ms: int) -> list[Taken]:
        """The judged records, in the order of the batch."""
        raws = [raw_record(message, received_ms) for message in messages]
        judged = self._judged(raws)
        claimed = self._claimed(raws, judged)
        places = self._allowed(raws, claimed)
        second = self._second(raws, judged, places) if self._force.second else {}
        places = self._kept(places, [place for place in second if second[place] is None])
        self._intake.narrow(places)
        return [
            Taken(
                messages[place],
                raws[place],
                second.get(place) or one,
                self._intake.refusal(messages[place]),
                _agent(claimed[place]),
                one.decision if place in second else None,
                self._force.second[one.decision.agent or ""] if place in second else None,
            )
            for place in places
            if (one := judged[place]) is not None
        ]

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
        return self._kept(places, [p for p, one in enumerate(judged) if _agent(one) in back])

    def _kept(self, places: list[int], without: Collection[int]) -> list[int]:
        """These places but for those, and for what has to stay behind them."""
        if not without:
            return places
        kept = set(places) - set(without)
        queued = self._intake.at_hand
        return in_order(queued, [place in kept for place in range(len(queued))])

    def _passed(self, seen: Sequence[tuple[RawRecord, Judged]], agent: str, policy: Policy) -> tuple[int, int, int]:
        """A sample of an agent's refused records, judged by this policy: see breaker.Again."""
        now = self._force.policies[agent]
        refused = [raw for raw, one in seen if one.decision.agent == agent and refuses(now, one.decision)]
        sample = refused[:: max(len(refused) // SAMPLE_COUNT, 1)]
        again = self._judging.judge_beside(f"{agent}, before", sample, {**self._force.policies, agent: policy})
        found = [not refuses(policy, one.decision) for one in again if one is not None]
        return sum(found), len(found), len(sample)

    def _second(
        self, raws: Sequence[RawRecord], judged: Sequence[Judged | None], places: Iterable[int]
    ) -> dict[int, Judged | None]:
        """What a canary decides of its share, by place; null where there was no time for it: that waits, and whom the
        time didn't reach is the first in the next batch.
        """
        found: dict[int, Judged | None] = {}
        late = False
        in_turn = sorted(self._force.second.items(), key=lambda item: item[0] not in self._left_out)
        self._left_out = set()
        for agent, policies in in_turn:
            share = [
                place
                for place in places
                if (one := judged[place]) is not None
                and one.decision.agent == agent
                and self._force.canaried(agent, _key(raws[place], one))
            ]
            if late and share:  # one slice beyond the time is enough for a batch
                self._left_out.add(agent)
                found.update(dict.fromkeys(share))
                continue
            late = self._judging.late
            again = self._judging.judge_beside(f"{agent}, canary", [raws[place] for place in share], policies)
            found.update(zip(share, again, strict=True))
        return found


def _key(raw: RawRecord, one: Judged) -> bytes:
    """What a canary's share goes by: the key, else the conversation, else the place."""
    if raw.key is not None:
        return raw.key
    conversation = one.record.conversation_id if one.record else None
    return (conversation or one.decision.decision_id).encode("utf-8", "surrogatepass")


def _claimed(raw: RawRecord, one: Judged, elders: Policies) -> Judged:
    """Under the name of the agent whose policy before a change would have judged it, where nobody's judges it now."""
    if one.decision.policy is not None:
        return one
    try:
        claimant = next((agent for agent, elder in elders.items() if owner(raw, {agent: elder}).agent == agent), None)
    except Exception as failure:  # noqa: BLE001  # any bug of ours: the judge has met it, and said so
        LOG.error("owner unknown", extra={"error": type(failure).__name__})
        return one
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
