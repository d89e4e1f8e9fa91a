"""How old a record was when it came in, and whether that is too old (a policy's `stale`). It must never read a clock.

Both times stand in the record's source, and so on its decision: judged again from there, its age is the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from guardrail.judge.codes import STALE
from guardrail.judge.model import Action, Finding, Source
from guardrail.judge.policy import Policy


def too_old(source: Source, policy: Policy) -> Finding | None:
    """The finding on a record that came in later than its policy takes for fresh; null for any other.

    Without a receive time (a file) or a sensible time of its own nothing is known of its age, and it is fresh.
    """
    limit, received, written = policy.layout.stale, source.received_ms, source.written_ms
    if limit is None or received is None or written is None:
        return None
    age_ms = received - written
    if age_ms <= round(limit.after_s * 1000):
        return None
    age = f"{age_ms // 1000}.{age_ms % 1000:03}"
    return Finding(STALE, "", f"{age} s old when it came in, limit {limit.after_s:.15g} s")


def kept_back(findings: Iterable[Finding], policy: Policy) -> bool:
    """Whether a record is too old for its customer to get what the model answered, by the policy's own word.

    A bypass doesn't lift this. It is there for when our judgement of what a model wrote is in doubt; age is no
    judgement, it compares two times. And the outage that calls for a bypass leaves behind the very backlog that must
    not go out as if it were fresh. Who wants that all the same sets `stale.action: report`, which is on record.
    """
    enforced = policy.layout.mode == "enforce" and policy.actions[STALE] is not Action.REPORT
    return enforced and any(finding.code == STALE for finding in findings)
