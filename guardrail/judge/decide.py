"""The main path: bytes and policies in, decisions out.

It must never touch the world; same bytes, same policy, same decision.

read the record -> read the response -> every check on the same original -> actions by policy -> one outcome
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from guardrail.judge.age import kept_back
from guardrail.judge.catalogue import NO_INTENT
from guardrail.judge.checks import catalog, consistency, grounding, order, param, schema
from guardrail.judge.codes import STALE
from guardrail.judge.contract import PARAMETERS_MAX, coerce, parameters_count
from guardrail.judge.correction import Correction, corrections
from guardrail.judge.document import Reading as Response
from guardrail.judge.document import read_response
from guardrail.judge.marks import clean
from guardrail.judge.model import (
    Action,
    AnswerSource,
    Decision,
    Edit,
    Finding,
    Grounding,
    Intent,
    Observation,
    Outcome,
    RawRecord,
    Record,
    Reply,
    Value,
    Verdict,
    Violation,
)
from guardrail.judge.pattern.last import LastTier
from guardrail.judge.policy import ENGINE, Policies, Policy
from guardrail.judge.record import Reading, place_id, read_record
from guardrail.judge.replies import Acted, model_reply, own_reply
from guardrail.judge.scoring import NO_SCORERS, Scored, Scorers, require
from guardrail.judge.subject import ANSWER, PARAMETERS, Subject, spoken_locale
from guardrail.judge.text import printable
from guardrail.judge.trial import Bench

Check = Callable[[Subject], Iterable[Finding]]
STRUCTURE: tuple[Check, ...] = (schema.check, order.check, catalog.check, param.check)
"""The checks that need no reading of the answer."""

CHECKS: tuple[Check, ...] = (*STRUCTURE, consistency.check, grounding.check)
"""Every check asks one question of the same subject; none knows another, all run."""

_VIOLATIONS_MAX = 200
"""More than any honest response can earn; what lies beyond adds nothing that an auditor could use."""


_SLICE = 64
"""Records judged side by side: enough to share the vectors' work, few enough to stay in the processor's cache."""


class Judged(Value, frozen=True):
    """A decision beside the record it is on; null where the bytes were no record."""

    record: Record | None
    decision: Decision
    scored: Scored | None = None
    """What the policy's scorers said of its answer, for who calibrates them; null where it names none."""


class _Lent(NamedTuple):
    """What the judge is lent by those who wire it."""

    last_tier: LastTier | None
    scorers: Scorers


def decide(
    records: Sequence[RawRecord],
    policies: Policies,
    *,
    last_tier: LastTier | None = None,
    scorers: Scorers = NO_SCORERS,
) -> list[Decision]:
    """One decision for each record, in order. What only a last tier can tell is unsupported without one.

    Raises: PolicyError for a policy that names a scorer which isn't lent, or another version of it; ScorerError, and
    whatever a scorer itself raises.
    """
    return [judged.decision for judged in judge(records, policies, last_tier=last_tier, scorers=scorers)]


def prepare(policies: Policies) -> None:
    """Does what an agent's first record would wait for: its passages as vectors, and a second for their library."""
    for policy in policies.values():
        policy.evidence.vectors  # noqa: B018  # made once, and kept


def judge(
    records: Sequence[RawRecord],
    policies: Policies,
    *,
    checks: Sequence[Check] = CHECKS,
    last_tier: LastTier | None = None,
    scorers: Scorers = NO_SCORERS,
) -> list[Judged]:
    """One decision for each record, in order. Never raises on what a record holds; a batch changes no decision.

    Raises: as `decide`.
    """
    require({agent: policy.scales for agent, policy in policies.items() if policy.scales}, scorers)
    lent = _Lent(last_tier, scorers)
    slices = [records[start : start + _SLICE] for start in range(0, len(records), _SLICE)]
    return [judged for one in slices for judged in _judge_slice(one, policies, checks, lent)]


def _judge_slice(
    records: Sequence[RawRecord], policies: Policies, checks: Sequence[Check], lent: _Lent
) -> list[Judged]:
    """Each step for all records before the next: its code stays in the processor's cache, which saves a quarter."""
    readings = [read_record(raw, policies) for raw in records]
    cases = [_Case(raw, reading, checks, lent) for raw, reading in zip(records, readings, strict=True)]
    for case, response in [(case, case.response()) for case in cases]:
        case.open(response)
    readable = [(case, case.subject) for case in cases if case.subject is not None]
    if grounding.check in checks:
        _score([subject for _, subject in readable])
    for check in (*checks, _bounds):
        for case, subject in readable:
            case.findings += check(subject)
    return [Judged(case.reading.record, case.conclude(), case.scored) for case in cases]


def _score(subjects: Sequence[Subject]) -> None:
    """The published score of every answer that claims something: vectors are transformed once a batch and policy."""
    groups: dict[int, list[Subject]] = {}
    for subject in subjects:
        if subject.answer and subject.evidence.passages and subject.asserts:
            groups.setdefault(id(subject.evidence), []).append(subject)
    for group in groups.values():
        layout = group[0].policy.layout.grounding
        pairs = [(subject.message, str(subject.answer)) for subject in group]
        scores = group[0].evidence.vectors.scores(pairs, alpha=layout.alpha, k=layout.k)
        for subject, score in zip(group, scores, strict=True):
            subject.score = score


class _Case:
    """One record on its way to a decision."""

    def __init__(self, raw: RawRecord, reading: Reading, checks: Sequence[Check], lent: _Lent) -> None:
        self.raw = raw
        self.checks = checks
        self.lent = lent
        self.reading = reading
        self.findings: list[Finding] = list(reading.findings)
        self.subject: Subject | None = None
        """The response on the bench; null when there is none that can be read."""

    def response(self) -> Response | None:
        """What could be read of the response; null where there is no record, or one too large or too old for it."""
        record, policy = self.reading.record, self.reading.policy
        if record is None or policy is None:
            return None
        if policy.actions[STALE] is Action.DEAD_LETTER and kept_back(self.findings, policy):
            return None
        size = len(self.raw.value or b"")
        if size > policy.layout.limits.record_bytes:
            self.findings.append(Finding("limits.too_large", "", f"{size} bytes", fatal=True))
            return None
        return read_response(record.response, policy.contract.shape)

    def open(self, response: Response | None) -> None:
        """Put a response on the bench."""
        record, policy = self.reading.record, self.reading.policy
        if response is None or record is None or policy is None:
            return
        self.findings += response.findings
        if response.tree is None:
            return
        self.findings += coerce(response.tree)
        if (named := parameters_count(response.tree)) > PARAMETERS_MAX:
            self.findings.append(Finding("limits.too_large", PARAMETERS, f"{named} parameters", fatal=True))
            return
        bench = Bench(policy.layout.limits, self.raw.source, *self.lent)
        self.subject = Subject(record, policy, response.tree, response.ambiguous, bench=bench)

    @property
    def scored(self) -> Scored | None:
        """What scorers said of the answer, where grounding was asked at all."""
        return self.subject.scored if self.subject is not None and grounding.check in self.checks else None

    def conclude(self) -> Decision:
        """The decision: outcome by the actions that the policy gives to what was found."""
        policy, record, subject = self.reading.policy, self.reading.record, self.subject
        if policy is None or record is None:
            return self._decision(Outcome.DEAD_LETTER if self.raw.value is not None else Outcome.SKIPPED)
        intent = NO_INTENT if subject is None else subject.intent.intent
        acted = [(finding, act(finding, policy, intent)) for finding in self.findings]
        actions = {action for _, action in acted}
        if Action.DEAD_LETTER in actions:
            return self._publish(Outcome.DEAD_LETTER, None, None, acted)
        correction = None
        if subject is not None and Action.REJECT not in actions:
            if Action.CORRECT not in actions:
                return self._publish(Outcome.APPROVED, "llm", model_reply(subject, subject.answer), acted)
            correction = _verified(subject, acted)
        if subject is None or correction is None:
            source, reply = own_reply(subject, policy, spoken_locale(record, policy), acted)
            return self._publish(Outcome.REJECTED, source, reply, acted)
        reply = model_reply(subject, correction.answer)
        return self._publish(Outcome.CORRECTED, "corrected", reply, acted, correction.edits)

    def _publish(
        self,
        enforced: Outcome,
        source: AnswerSource | None,
        reply: Reply | None,
        acted: Acted,
        edits: tuple[Edit, ...] = (),
    ) -> Decision:
        """Under `shadow` the model's own content goes out, and the decision says what would have been."""
        subject, record, policy = self.subject, self.reading.record, self.reading.policy
        if policy is None or policy.mode == "enforce" or kept_back(self.findings, policy):
            return self._decision(enforced, source, reply, acted, edits)
        original = model_reply(subject, subject.spoken) if subject else printable(record.response if record else "")
        return self._decision(Outcome.APPROVED, "llm", original, acted, edits, enforced=enforced)

    def _decision(
        self,
        outcome: Outcome,
        answer_source: AnswerSource | None = None,
        reply: Reply | str | None = None,
        acted: Acted | None = None,
        edits: tuple[Edit, ...] = (),
        *,
        enforced: Outcome | None = None,
    ) -> Decision:
        policy, record = self.reading.policy, self.reading.record
        revision = None if policy is None else policy.revision
        weighed = self.subject is not None and bool(self.subject.answer) and grounding.check in self.checks
        return Decision(
            decision_id=decision_id(self.raw, revision),
            message_id=_message_id(self.raw, record),
            agent=printable(self.reading.agent_id) if self.reading.agent_id is not None else None,
            policy=revision,
            engine=ENGINE,
            mode=None if policy is None else policy.mode,
            outcome=outcome,
            enforced_outcome=enforced or outcome,
            answer_source=answer_source,
            reply=reply,
            violations=_violations(acted or [(finding, Action.DEAD_LETTER) for finding in self.findings], outcome),
            edits=edits,
            observations=_observations(self.subject),
            rulings=self.subject.bench.rulings if self.subject else (),
            grounding=self.subject.weighing.grounding if weighed and self.subject is not None else None,
            source=self.raw.source,
            bypass=None if policy is None else policy.bypass,
        )


def _message_id(raw: RawRecord, record: Record | None) -> str | None:
    if record is None:
        return place_id(raw.source)
    return None if record.message_id is None else printable(record.message_id)


def act(finding: Finding, policy: Policy, intent: Intent) -> Action:
    """What the policy does about a finding under an intent.

    What was read only by guessing is refused whatever the policy says.
    """
    if finding.fatal:
        return Action.REJECT
    action = policy.actions[finding.code]
    in_answer = finding.pointer == ANSWER and finding.code.startswith("encoding.")
    if in_answer and action is Action.REPORT and finding.code != "encoding.invisible_chars":
        return Action.CORRECT
    if action is Action.CORRECT and finding.code.startswith("ground.") and not policy.corrects(intent):
        return Action.REJECT
    return action


def _bounds(subject: Subject) -> Iterable[Finding]:
    """What no policy can let through: an answer beyond its limit, or none at all."""
    if subject.too_long:
        yield Finding("limits.answer_too_long", ANSWER, f"{len(str(subject.spoken))} characters", fatal=True)
    elif subject.answer is None and not subject.policy.contract.custom:
        pointer = "/generated_answer" if "generated_answer" in subject.tree else ""
        yield Finding("schema.empty_answer", pointer, "there is no answer to publish", fatal=True)


def _verified(subject: Subject, acted: Acted) -> Correction | None:
    """A correction that holds: judged by every check again, nothing acts on it, and it is supported no less."""
    policy = subject.policy
    if not any(action is Action.CORRECT for _, action in acted):
        return None
    corrects = policy.corrects(subject.intent.intent)
    wanted = {code for code, action in policy.actions.items() if action is Action.CORRECT and corrects}
    cleaned = clean(str(subject.answer)) or ""
    before = subject if cleaned == subject.answer else subject.with_answer(cleaned)
    worst = _worst(before.weighing.grounding)
    return next((found for found in corrections(subject, wanted) if _holds(found, subject, worst)), None)


def _holds(correction: Correction, subject: Subject, worst: float) -> bool:
    """Whether every check lets a correction through, and no claim of it has a higher risk than the worst before."""
    again = subject.with_answer(correction.answer, ours=True)
    findings = [finding for check in CHECKS for finding in check(again)] + list(_bounds(again))
    if {act(finding, subject.policy, subject.intent.intent) for finding in findings} & {Action.REJECT, Action.CORRECT}:
        return False
    found = again.weighing.grounding
    return _worst(found) <= worst and found.verdict is not Verdict.NO_EVIDENCE


def _worst(found: Grounding) -> float:
    return max((claim.risk for claim in found.claims if claim.risk is not None), default=0.0)


def _violations(acted: Acted, outcome: Outcome) -> tuple[Violation, ...]:
    if outcome is Outcome.SKIPPED:
        acted = [(finding, Action.REPORT) for finding, _ in acted]
    kept = [(finding, action) for finding, action in acted if action is not Action.IGNORE][:_VIOLATIONS_MAX]
    return tuple(Violation(f.code, printable(f.pointer), printable(f.detail), action) for f, action in kept)


def _observations(subject: Subject | None) -> tuple[Observation, ...]:
    if subject is None:
        return ()
    return tuple(
        [
            Observation(t.id or "other", t.quadrant, t.simulated, t.run.execution, t.run.tier, t.run.hints)
            for t in subject.trials
            if t.run is not None and t.quadrant is not None
        ]
    )


def decision_id(raw: RawRecord, revision: str | None) -> str:
    """The id of a decision: source and revision alone, so that a record delivered twice gives the same one."""
    source = raw.source
    text = f"{source.topic}|{source.partition}|{source.offset}|{revision}"
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:32]
