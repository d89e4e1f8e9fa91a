"""The values that the judge reads and returns. Nothing here may be changed once made."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

import msgspec

SCHEMA_VERSION = 1

Json = Any
"""A decoded JSON value: dict (order of the text kept), list, str, int, float, bool or None."""


class Value(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The root of the house's values: frozen, slotted, compared by content; never part of a cycle, so not traced by
    the collector.
    """


class Outcome(StrEnum):
    """What is done with a record: exactly one each (CONTRACT §3)."""

    APPROVED = "approved"
    CORRECTED = "corrected"
    REJECTED = "rejected"
    DEAD_LETTER = "dead_letter"
    SKIPPED = "skipped"


class Action(StrEnum):
    """What a violation leads to, by policy (CONTRACT §2 `on_fail`)."""

    REJECT = "reject"
    CORRECT = "correct"
    REPORT = "report"
    IGNORE = "ignore"
    DEAD_LETTER = "dead_letter"
    """The record itself can't be judged: no policy is known yet, or none could help. A policy sets it for records that
    came in too old, and for nothing else.
    """


class Quadrant(StrEnum):
    """The model's word beside our run (CONTRACT §5)."""

    AGREED = "agreed"
    MISMATCH = "mismatch"
    REFUSAL = "refusal"
    UNDERCLAIM = "underclaim"
    UNDECIDED = "undecided"


class Execution(StrEnum):
    """What came of running a pattern over a value (CONTRACT §4)."""

    MATCHED = "matched"
    NOT_MATCHED = "not_matched"
    INVALID = "invalid"
    UNSUPPORTED = "unsupported"
    UNSAFE = "unsafe"
    TIMED_OUT = "timed_out"
    VALUE_TOO_LONG = "value_too_long"


class Verdict(StrEnum):
    """What grounding found, for a claim or for a whole answer (CONTRACT §4)."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    NOTHING_TO_CHECK = "nothing_to_check"
    NO_EVIDENCE = "no_evidence"
    UNSUPPORTED_LANGUAGE = "unsupported_language"
    NOT_EVALUATED = "not_evaluated"


AnswerSource = Literal["llm", "corrected", "reprompt", "out_of_scope", "fallback", "stale"]


EARLIEST_MS = 946_684_800_000
"""The year 2000."""


class Source(Value, frozen=True):
    """Where a record came from.

    Topic and partition are null for a file; the offset is then the line's index (from 0).
    """

    topic: str | None = None
    partition: int | None = None
    offset: int | None = None
    timestamp_ms: int | None = None
    received_ms: int | None = None
    """When the gate took the record in, Unix ms; null for a file. A verdict on its age rests on it (`stale`)."""

    @property
    def written_ms(self) -> int | None:
        """The timestamp where it is sensible; null for one that is missing, or older than any Kafka record can be, as
        seconds given for milliseconds are.
        """
        return self.timestamp_ms if (self.timestamp_ms or 0) >= EARLIEST_MS else None


class RawRecord(Value, frozen=True):
    """A record as it was carried: bytes, not yet understood."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    source: Source = Source()

    def header(self, name: str) -> str | None:
        """The last value of a header as text; null when absent, null or not UTF-8."""
        for key, value in reversed(self.headers):
            if key == name:
                try:
                    return None if value is None else value.decode()
                except UnicodeDecodeError:
                    return None
        return None


class Passage(Value, frozen=True):
    """A piece of evidence. `id` is the operator's own, or `record-N` for a passage that came unnamed with a record."""

    id: str
    text: str


class Turn(Value, frozen=True):
    """An earlier turn of the conversation."""

    role: str
    text: str


class Record(Value, frozen=True):
    """A record understood: the envelope of CONTRACT §1, strictly read."""

    agent_id: str
    user_message: str
    response: str
    """What the model answered, as text; the JSON of it when the producer sent an object."""
    message_id: str | None
    conversation_id: str | None
    model: str
    locale: str | None
    history: tuple[Turn, ...] = ()
    evidence: tuple[Passage, ...] = ()
    value: bytes = b"{}"
    """The record's JSON text, as it was written."""
    response_path: tuple[str, ...] = ("response",)
    """Keys from the record's root to the response: where the reply is put on output."""


class Finding(Value, frozen=True):
    """What a check or a reader found, before policy gives it an action.

    `code` is one of codes.CODES; `pointer` an RFC 6901 JSON Pointer into the unwrapped response ("" is its root),
    or into the record for the `transport` family; a missing field points at its parent. `fatal` marks what could
    be read only by guessing: the response then can't be approved whatever the policy says.
    """

    code: str
    pointer: str = ""
    detail: str = ""
    fatal: bool = False
    parameter_id: str | None = None
    """The configured parameter that fails by this finding, if any: it is what a reprompt asks for."""


class Violation(Value, frozen=True):
    """A finding with the action that the policy gives it: what a decision lists."""

    code: str
    pointer: str
    detail: str
    action: Action


class Edit(Value, frozen=True):
    """One change made to a text that the user sees."""

    pointer: str
    before: str
    after: str
    evidence_id: str | None = None


class Observation(Value, frozen=True):
    """The model's word on its regex beside our own run. One for every execution: drift needs its denominator."""

    parameter_id: str
    """The configured id, or `other` for a name the model made up."""
    quadrant: Quadrant
    simulated: bool | None
    execution: Execution
    tier: str
    hints: tuple[str, ...] = ()


class Ruling(Value, frozen=True):
    """What the last tier said of a pattern and a value, named by a digest of both: a replay repeats it."""

    digest: str
    execution: Execution


class Claim(Value, frozen=True):
    """One sentence of an answer, as grounding sees it.

    `risk` >= 0, higher = less supported; null when nothing is checked.
    """

    text: str
    risk: float | None
    verdict: Verdict
    evidence_id: str | None = None
    reason: str | None = None
    """What speaks most against it; null where it is supported, or nothing was checked."""


class Grounding(Value, frozen=True):
    """Grounding of a whole answer. `score` in [0, 1] is the published alpha/tau score (BACKGROUND §2)."""

    risk: float | None
    score: float | None
    tau: float | None
    verdict: Verdict
    claims: tuple[Claim, ...] = ()


class Intent(Value, frozen=True):
    """An intent as the channel tier gets it: both filled, or both null."""

    id: str | None = None
    name: str | None = None


class Answer(Value, frozen=True):
    """The text for the user and the parameter it asks for."""

    answer: str | None
    answer_refer_to_parameter_id: str | None = None


class ParameterValue(Value, frozen=True):
    """A value that passed."""

    parameter_id: str
    parameter_value: str


class Reply(Value, frozen=True):
    """The operational payload: all keys always there, no reasoning (CONTRACT §3)."""

    detected_intent: Intent
    generated_answer: Answer
    parameters: tuple[ParameterValue, ...] = ()


class Chain(Value, frozen=True):
    """The place of a decision in its partition's hash chain; filled when the audit chain is switched on."""

    prev: str | None = None
    hash: str | None = None


class Bypass(Value, frozen=True):
    """An emergency's switch: while it is in force the model's content goes out, whatever the policy would have done.

    When it is in force is for who has a clock to say; it changes no revision, so every decision made under it carries
    it.
    """

    by: str
    why: str
    until_ms: int
    """Unix ms at which it ends by itself."""


class Decision(Value, frozen=True, kw_only=True):
    """The audit line of one record (CONTRACT §4). Deterministic but for `trace_id`, `took_us` and `chain`."""

    schema_version: int = SCHEMA_VERSION
    decision_id: str
    message_id: str | None
    agent: str | None
    policy: str | None
    engine: str
    mode: str | None
    outcome: Outcome
    enforced_outcome: Outcome
    answer_source: AnswerSource | None
    reply: Reply | str | None
    """The reply; under shadow an unreadable response passes as the original text."""
    violations: tuple[Violation, ...]
    edits: tuple[Edit, ...]
    observations: tuple[Observation, ...]
    rulings: tuple[Ruling, ...] = ()
    """Of the last tier, in the order it was asked; empty for nearly every record."""
    grounding: Grounding | None
    source: Source
    trace_id: str | None = None
    took_us: float | None = None
    """Microseconds of judging, a batch's mean."""
    on_error: str | None = None
    """`fail_open` when an error of our own let the record through unjudged."""
    chain: Chain = Chain()
    bypass: Bypass | None = None
    """The bypass that was in force, where one was: `mode` is then `shadow`, whatever the policy's own."""


_ENCODER = msgspec.json.Encoder()


def encode(value: Value) -> bytes:
    """A value as JSON, fields in the order of its class."""
    return _ENCODER.encode(value)
