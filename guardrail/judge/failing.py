"""What becomes of a record that broke the judge. It must never let out reasoning that could be told from the answer.

fail_closed: a dead letter. fail_open: as under shadow, the model's operational content, marked; where the response
can't be read, its original text; where even that is in doubt, or it came in too old, a dead letter all the same
(CONTRACT §3).
"""

from __future__ import annotations

from contextlib import suppress

import msgspec

from guardrail.judge.age import kept_back
from guardrail.judge.contract import coerce
from guardrail.judge.decide import Judged, decision_id
from guardrail.judge.document import read_response
from guardrail.judge.model import Decision, Outcome, RawRecord, Record, Reply
from guardrail.judge.policy import ENGINE, Policies, Policy
from guardrail.judge.record import read_record
from guardrail.judge.replies import model_reply
from guardrail.judge.subject import Subject
from guardrail.judge.text import printable
from guardrail.judge.trial import Bench


class _Envelope(msgspec.Struct):
    agent_id: str = ""


def unjudged(raw: RawRecord, policies: Policies) -> Judged:
    """The decision on such a record. `enforced_outcome` is `dead_letter` either way."""
    policy = _policy(raw, policies)
    passed = _open(raw, policies) if policy is not None and policy.on_error == "fail_open" else None
    record, reply = passed or (None, None)
    revision = policy.revision if policy else None
    decision = Decision(
        decision_id=decision_id(raw, revision),
        message_id=record.message_id if record else None,
        agent=policy.agent if policy else None,
        policy=revision,
        engine=ENGINE,
        mode=policy.mode if policy else None,
        outcome=Outcome.APPROVED if passed else Outcome.DEAD_LETTER,
        enforced_outcome=Outcome.DEAD_LETTER,
        answer_source="llm" if passed else None,
        reply=reply,
        violations=(),
        edits=(),
        observations=(),
        grounding=None,
        source=raw.source,
        on_error=policy.on_error if policy else "fail_closed",
        bypass=policy.bypass if policy else None,
    )
    return Judged(record=record, decision=decision)


def _open(raw: RawRecord, policies: Policies) -> tuple[Record, Reply | str] | None:
    """The record with what may pass of it; null when that can't be told."""
    try:
        reading = read_record(raw, policies)
        if reading.record is None or reading.policy is None or kept_back(reading.findings, reading.policy):
            return None
        response = read_response(reading.record.response, reading.policy.contract.shape)
        if response.tree is None:
            return reading.record, printable(reading.record.response)
        coerce(response.tree)
        bench = Bench(reading.policy.layout.limits, raw.source, None)
        subject = Subject(reading.record, reading.policy, response.tree, response.ambiguous, bench=bench)
        return reading.record, model_reply(subject, subject.answer)
    except Exception:  # noqa: BLE001  # whatever broke the judge may break this too
        return None


def _policy(raw: RawRecord, policies: Policies) -> Policy | None:
    """The agent's policy, by the field or the header alone: the judge itself is what has failed."""
    with suppress(Exception):  # the reader may be what has failed
        if (policy := read_record(raw, policies).policy) is not None:
            return policy
    try:
        named = msgspec.json.decode(raw.value or b"", type=_Envelope).agent_id
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        named = ""
    return policies.get(named or raw.header("guardrail.agent") or "")
