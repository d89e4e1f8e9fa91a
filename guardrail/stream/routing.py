"""Where a judged record goes: one outcome record and one decision, as values. It must never leave a record without.

Key, timestamp and headers travel on as they came; our own headers replace those of an earlier pass. What doesn't fit
its topic becomes a dead letter, in the same transaction: a record too large to publish would otherwise vanish, or stop
its partition for ever.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec
from msgspec.structs import replace

from guardrail.judge.decide import Judged
from guardrail.judge.model import Action, Decision, Outcome, RawRecord, Violation, encode
from guardrail.judge.record import framing, replace_response
from guardrail.settings import TopicSettings
from guardrail.stream.deadletter import (
    FAMILIES,
    TRUNCATED,
    Reason,
    error_headers,
    letter,
    redriven,
    wire_bytes,
    without_errors,
)
from guardrail.stream.record import LOST_HEADERS, Headers

OURS = frozenset(f"guardrail.{name}" for name in ("outcome", "codes", "policy", "engine", "decision", "source"))
WRITTEN = ("approved", "corrected", "rejected", "dead_letter", "decisions", "observations")
"""What the settings call the topics that the gate writes."""
TRACEPARENT = "traceparent"
CUTS = (b"value", b"headers", b"key")
"""What `guardrail.truncated` names, in this order."""
TEXT_CHARS = 200
LIST_COUNT = 50
NAME_CHARS = 300
FLOOR_BYTES = 4_096
"""A dead letter's headers and the shortest decision need so much."""
HEADERS_COUNT = 100_000
"""librdkafka's readers see a record with more as one without any."""


BY_KEY = -1
"""librdkafka's word for a partition that the key decides."""


class Route(msgspec.Struct, frozen=True):
    """A topic and the largest record it takes."""

    topic: str
    max_bytes: int = 1_048_588  # Kafka's own default for max.message.bytes
    partitions_count: int = 0
    """As many as the raw topic has, when the gate looked last; 0 where they differ, or nobody could tell."""

    def partition(self, raw: RawRecord, key: bytes | None) -> int:
        """The source's own partition, so that whoever joins the two finds them side by side, however the producer chose
        it. By key where there is none like it (counts that grow meanwhile come to that too) or where the key is ours.
        """
        own = raw.source.partition
        derived = raw.key is None and key is not None
        return BY_KEY if own is None or derived or own >= self.partitions_count else own


class Routes(msgspec.Struct, frozen=True):
    """The topics that the gate writes, and the error headers that its dead letters carry."""

    approved: Route = Route("llm.responses.approved")
    corrected: Route = Route("llm.responses.corrected")
    rejected: Route = Route("llm.responses.rejected")
    dead_letter: Route = Route("llm.responses.dead-letter")
    decisions: Route = Route("guardrail.decisions")
    observations: Route = Route("guardrail.observations")
    families: tuple[str, ...] = FAMILIES["both"]

    @classmethod
    def named(cls, topics: TopicSettings, known: Mapping[str, Route] | None = None) -> Routes:
        """The topics of a deployment; `known` holds what a broker told of them."""
        names = {role: getattr(topics, role) for role in WRITTEN}
        routes = {role: (known or {}).get(name, Route(name)) for role, name in names.items()}
        return cls(**routes, families=FAMILIES[topics.dead_letter_headers])

    def of(self, outcome: Outcome) -> Route:
        """The outcome's topic. Raises AttributeError for `skipped`, which has none."""
        route: Route = getattr(self, outcome.value)
        return route

    def topics(self) -> list[str]:
        """The name of each."""
        return [getattr(self, role).topic for role in WRITTEN]

    def limits(self) -> list[int]:
        """The largest record of each."""
        return [getattr(self, role).max_bytes for role in WRITTEN]

    def within(self, largest_bytes: int, topics: Collection[str | None] = (None,)) -> Routes:
        """The same, none of these topics taking more than that; null among them: none at all."""
        found = {role: getattr(self, role) for role in WRITTEN}
        narrow = {role: one for role, one in found.items() if None in topics or one.topic in topics}
        return replace(
            self, **{role: replace(one, max_bytes=min(one.max_bytes, largest_bytes)) for role, one in narrow.items()}
        )


class Outgoing(msgspec.Struct, frozen=True):
    """A record to publish. `timestamp_ms` 0 lets the producer set the time."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    timestamp_ms: int = 0
    partition: int = BY_KEY

    def wire_bytes(self) -> int:
        """Its largest possible size on the wire."""
        return wire_bytes(self.key, self.value, self.headers)


class Routed(msgspec.Struct, frozen=True):
    """What is published for one record: the decision as it finally stands, and the records, the outcome's first."""

    decision: Decision
    records: tuple[Outgoing, ...]


def route(raw: RawRecord, judged: Judged, routes: Routes, *, keep_time: bool = True) -> tuple[Outgoing, ...]:
    """The outcome record (none for `skipped`) and the decision, in this order."""
    return settle(raw, judged, routes, keep_time=keep_time).records


def settle(raw: RawRecord, judged: Judged, routes: Routes, *, keep_time: bool = True) -> Routed:
    """The same, with the decision. `keep_time` is false where a broker set the timestamp (LOG_APPEND_TIME)."""
    decision, time_ms = judged.decision, max(raw.source.timestamp_ms or 0, 0) if keep_time else 0
    if decision.outcome is Outcome.SKIPPED:
        return Routed(decision, (decision_record(raw.key, raw, decision, routes.decisions, time_ms),))
    if decision.outcome is Outcome.DEAD_LETTER:
        return refuse(raw, decision, _judged_reason(decision), routes, time_ms)
    key, target = _key(raw, judged), routes.of(decision.outcome)
    headers = _fewer(_kept(raw), _ours(raw, decision))
    made = Outgoing(target.topic, key, _value(raw, judged), headers, time_ms, target.partition(raw, key))
    if (size := made.wire_bytes()) > target.max_bytes:
        message = f"{decision.outcome.value} record of {size} bytes, {target.topic} takes {target.max_bytes}"
        return refuse(raw, decision, Reason("OutputTooLarge", message, "produce"), routes, time_ms)
    return Routed(decision, (made, decision_record(key, raw, decision, routes.decisions, time_ms)))


def refuse(raw: RawRecord, decision: Decision, reason: Reason, routes: Routes, time_ms: int = 0) -> Routed:
    """The dead letter and its decision, for whatever reason. `enforced_outcome` still tells what was judged."""
    decision = replace(decision, outcome=Outcome.DEAD_LETTER)
    ours = (*_ours(raw, decision), *redriven(raw.headers), *error_headers(raw, reason, routes.families))
    kept = without_errors(_kept(raw))
    fitting = kept[: max(HEADERS_COUNT - len(ours) - 1, 0)]
    key, value, headers = letter(raw, fitting, ours, routes.dead_letter.max_bytes)
    if LOST_HEADERS in raw.headers or len(fitting) < len(kept):
        headers = _marked(headers)  # `letter` keeps room for it
    target = routes.dead_letter
    dead = Outgoing(target.topic, key, value, headers, time_ms, target.partition(raw, key))
    return Routed(decision, (dead, decision_record(key, raw, decision, routes.decisions, time_ms)))


def decision_record(key: bytes | None, raw: RawRecord, decision: Decision, target: Route, time_ms: int = 0) -> Outgoing:
    """The audit line under the record's key, with the trace's parent. One that is too large is cut, and says so."""
    parents = [h for h in raw.headers if h[0] == TRACEPARENT and len(h[1] or b"") <= NAME_CHARS]
    headers = (
        *parents[-1:],
        ("guardrail.outcome", decision.outcome.value.encode()),
        ("guardrail.source", _coordinates(raw)),
    )
    partition = target.partition(raw, key)
    made = Outgoing(target.topic, key, encode(decision), headers, time_ms, partition)
    for count in (LIST_COUNT, LIST_COUNT // 10, 0):
        if made.wire_bytes() <= target.max_bytes:
            return made
        fitting = key if key is None or len(key) <= target.max_bytes // 4 else None
        marks = (*headers, (TRUNCATED, b"decision"))
        made = Outgoing(target.topic, fitting, encode(shorten(decision, count)), marks, time_ms, partition)
    return made


def shorten(decision: Decision, count: int) -> Decision:
    """The decision with its texts cut, and its lists to `count`; codes, coordinates and scores are kept longest."""
    grounding = decision.grounding
    return replace(
        decision,
        message_id=_short(decision.message_id),
        agent=_short(decision.agent),
        reply=decision.reply if count == LIST_COUNT else None,
        violations=tuple(
            Violation(v.code, v.pointer[:TEXT_CHARS], v.detail[:TEXT_CHARS], v.action)
            for v in decision.violations[:count]
        ),
        edits=tuple(
            replace(e, pointer=e.pointer[:TEXT_CHARS], before=e.before[:TEXT_CHARS], after=e.after[:TEXT_CHARS])
            for e in decision.edits[:count]
        ),
        observations=decision.observations[:count],
        grounding=replace(grounding, claims=()) if grounding else None,
    )


def _short(name: str | None) -> str | None:
    return name[:NAME_CHARS] if name else name


def _value(raw: RawRecord, judged: Judged) -> bytes:
    """The input object with the response replaced, framed as it came: a reader that expects the Schema Registry's
    framing can't do without. Without a record (our own error, fail_open) the bytes pass as they came.
    """
    reply = judged.decision.reply
    if judged.record is None or reply is None:
        return raw.value or b""
    return framing(raw.value or b"") + replace_response(judged.record, msgspec.json.encode(reply))


def _key(raw: RawRecord, judged: Judged) -> bytes | None:
    """A null key becomes the conversation's, so that its turns stay in order; an empty key is a key."""
    return raw.key if raw.key is not None else derived_key(judged.record.conversation_id if judged.record else None)


def derived_key(conversation: str | None) -> bytes | None:
    """The key that a conversation's records without one get: the same as a producer would give them."""
    return None if conversation is None else conversation.encode("utf-8", "surrogatepass")


def _kept(raw: RawRecord) -> Headers:
    """Theirs: all but those of an earlier pass of ours."""
    return tuple(header for header in raw.headers if header[0] not in OURS)


def _fewer(kept: Headers, ours: Headers) -> Headers:
    """Theirs, then ours; the last of theirs are left out, and a header says so, where a reader would take none."""
    if len(kept) + len(ours) <= HEADERS_COUNT:
        return (*kept, *ours)
    return _marked((*kept[: HEADERS_COUNT - len(ours) - 1], *ours))


def _marked(headers: Headers) -> Headers:
    """With one header that names what was cut: the headers, beside what it names already."""
    cut = {word for name, value in headers if name == TRUNCATED for word in (value or b"").split(b",")}
    words = [word for word in CUTS if word in cut | {LOST_HEADERS[1]}]
    return (*(header for header in headers if header[0] != TRUNCATED), (TRUNCATED, b",".join(words)))


def _ours(raw: RawRecord, decision: Decision) -> Headers:
    codes = dict.fromkeys(v.code for v in decision.violations if v.action is not Action.IGNORE)
    policy = decision.policy
    return (
        ("guardrail.outcome", decision.outcome.value.encode()),
        ("guardrail.codes", ",".join(codes).encode()),
        *((("guardrail.policy", policy.encode()),) if policy else ()),
        ("guardrail.engine", decision.engine.encode()),
        ("guardrail.decision", decision.decision_id.encode()),
        ("guardrail.source", _coordinates(raw)),
    )


def _coordinates(raw: RawRecord) -> bytes:
    return f"{raw.source.topic}/{raw.source.partition}/{raw.source.offset}".encode()


def _judged_reason(decision: Decision) -> Reason:
    codes = [v.code for v in decision.violations if v.action is Action.DEAD_LETTER]
    return Reason("NotJudged", ", ".join(codes)) if codes else Reason("OwnError", "own error")
