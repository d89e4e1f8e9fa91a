"""What a decision rests on besides bytes and policy, taken from it so that it can be made again. It must never judge.

The last tier's rulings are taken by `pattern.last.recorded`.
"""

from __future__ import annotations

from msgspec.structs import replace

from guardrail.judge.model import Bypass, Decision, RawRecord, Value
from guardrail.judge.policy import Policies, bypassed


class Circumstances(Value, frozen=True):
    """When the gate took a record in, and which bypass was in force; null where that isn't known, or none was."""

    received_ms: int | None = None
    bypass: Bypass | None = None

    def received(self, raw: RawRecord) -> RawRecord:
        """The record as it was taken in then."""
        return replace(raw, source=replace(raw.source, received_ms=self.received_ms))

    def in_force(self, policies: Policies) -> Policies:
        """The policies under the bypass that was in force then. Records with the same bypass may share a batch."""
        return {agent: bypassed(policy, self.bypass) for agent, policy in policies.items()}


def circumstances(decision: Decision) -> Circumstances:
    """What a replay sets before it judges the decision's record again."""
    return Circumstances(decision.source.received_ms, decision.bypass)
