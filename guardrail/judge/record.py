"""Bytes to record: the envelope of CONTRACT §1, read once and strictly. It must never look into the response.

A record that can't be read is a list of findings: it goes to the dead letters, it never raises.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import orjson

from guardrail.judge.age import too_old
from guardrail.judge.jsontext import UNREAD, at, tokens
from guardrail.judge.model import Finding, Json, Passage, RawRecord, Record, Source, Turn, Value
from guardrail.judge.policy import Policies, Policy

RECORD_BYTES = 16_777_216
"""No record larger than this is parsed at all: more than any broker is set to take.

The policy's own bound is far lower.
"""

HISTORY_CHARS = 32_768
"""What is heard of the turns before, the latest first."""
EVIDENCE_PASSAGES = 64
EVIDENCE_CHARS = 65_536
"""What a record may bring along as evidence: it is compiled for this record alone, within milliseconds."""

_OBJECT = msgspec.json.Decoder(dict[str, Any])
_RAW_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_RAW_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_REGISTRY_PREFIX_BYTES = 5
"""Confluent Schema Registry's framing: a zero byte and a four byte schema id before the payload."""
_FIELDS = (
    "agent_id",
    "user_message",
    "response",
    "message_id",
    "conversation_id",
    "model",
    "locale",
    "history",
    "evidence",
)
_MISSING: Any = object()


class Reading(Value, frozen=True):
    """A record read, or null with the findings that say why not.

    `agent_id` is known even for some that can't be read.
    """

    record: Record | None
    policy: Policy | None = None
    agent_id: str | None = None
    findings: tuple[Finding, ...] = ()


def read_record(raw: RawRecord, policies: Policies) -> Reading:
    """The record in these bytes, and the policy of its agent."""
    if raw.value is None:
        return Reading(None, findings=(Finding("transport.tombstone"),))
    value, findings = _unframe(raw.value)
    if (fault := _unreadable(value)) is not None:
        return Reading(None, findings=(*findings, fault))
    fields = _members(value)
    if fields is None and (whole := _whole(value)) != value:
        findings = (*findings, Finding("encoding.lone_surrogate", detail="in the record"))
        value, fields = whole, _members(whole)
    if fields is None:
        return Reading(None, findings=(*findings, _misfit(value)))
    if (twice := _repeated(fields, value, policies)) is not None:
        return Reading(None, findings=(*findings, twice))
    return _View(fields, value, raw, policies).read(findings)


def place_id(source: Source) -> str | None:
    """The message id of a record that has none (CONTRACT §1): where it stands; null outside a topic."""
    return None if source.topic is None else f"{source.topic}-{source.partition}-{source.offset}"


def replace_response(record: Record, reply: bytes) -> bytes:
    """The record's JSON text with `reply` (JSON) in the response's place; other fields stand as they were written."""
    return _splice(record.value, record.response_path, reply)


def framing(value: bytes) -> bytes:
    """The Schema Registry's bytes before a JSON object; empty where there are none."""
    following = value[_REGISTRY_PREFIX_BYTES : _REGISTRY_PREFIX_BYTES + 1]
    framed = value[:1] == b"\0" and following in (b"{", b" ", b"\t", b"\r", b"\n")
    return value[:_REGISTRY_PREFIX_BYTES] if framed else b""


def _unframe(value: bytes) -> tuple[bytes, tuple[Finding, ...]]:
    """The record's text without what stands before it: the registry's framing, a byte order mark."""
    if framing(value):
        return value[_REGISTRY_PREFIX_BYTES:], (Finding("transport.schema_registry_prefix"),)
    return value.removeprefix(b"\xef\xbb\xbf"), ()


def _unreadable(value: bytes) -> Finding | None:
    """Why these bytes can't be JSON at all; null when they may be."""
    if len(value) > RECORD_BYTES:
        return Finding("limits.too_large", detail=f"{len(value)} bytes", fatal=True)
    try:
        text = value.decode()
    except UnicodeDecodeError as error:
        binary = any(byte < 32 and byte not in b"\t\n\r" for byte in value[:4096]) or value[:2] == b"\x1f\x8b"
        return Finding("encoding.not_text" if binary else "encoding.invalid_utf8", detail=f"byte {error.start}")
    if not text or text.isspace():
        return Finding("syntax.empty", detail="zero-length record", fatal=True)
    return None


def _members(value: bytes) -> dict[str, Json] | None:
    """The record's fields, decoded in one go; null when these bytes are no object."""
    try:
        return _OBJECT.decode(value)
    except (msgspec.MsgspecError, RecursionError):
        pass
    try:  # a number beyond any range costs the field that it is in, no more
        return {key: _decode(raw) for key, raw in _RAW_OBJECT.decode(value).items()}
    except (msgspec.MsgspecError, RecursionError):
        return None


def _misfit(value: bytes) -> Finding:
    """Why a text isn't a record."""
    try:
        msgspec.json.decode(value)
    except RecursionError:
        return Finding("limits.too_deep", detail="the record is nested too deep to be read", fatal=True)
    except msgspec.DecodeError:
        code = "encoding.not_text" if b"\0" in value else "syntax.no_json"
        return Finding(code, detail="the record isn't JSON", fatal=True)
    return Finding("schema.not_object", detail="the record is JSON but no object", fatal=True)


_SURROGATES = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)


def _whole(value: bytes) -> bytes:
    """The record's text with each half of a surrogate pair put as U+FFFD: no encoding could carry it on."""
    return _SURROGATES.sub(lambda match: b"\\ufffd" if match["half"] else match[0], value)


def _repeated(fields: dict[str, Json], value: bytes, policies: Policies) -> Finding | None:
    """A field of ours that is given twice: every JSON library keeps the last one silently.

    A repeated key is lost when the record is written again, and its colon with it: counting finds it.
    """
    try:
        once = orjson.dumps(fields).count(b":") == value.count(b":")
    except (TypeError, orjson.JSONEncodeError):  # numbers of any size, or nested deeper than orjson goes
        once = False
    if once and b"\\u003a" not in value and b"\\u003A" not in value:
        return None
    keys: Counter[str] = Counter()

    def collect(pairs: list[tuple[str, Any]]) -> None:
        keys.clear()  # the outermost object is finished last
        keys.update(key for key, _ in pairs)

    try:
        json.loads(value, object_pairs_hook=collect, parse_int=len, parse_float=len)  # only the keys matter
    except RecursionError:
        return Finding("limits.too_deep", detail="the record is nested too deep to be read", fatal=True)
    ours = {*_FIELDS, *(tokens(pointer)[0] for policy in policies.values() for pointer in policy.input.values())}
    twice = sorted(key for key, count in keys.items() if count > 1 and key in ours)
    return (
        Finding("types.duplicate_key", f"/{twice[0]}", "a field of the record is given twice", fatal=True)
        if twice
        else None
    )


def _decode(raw: msgspec.Raw) -> Json:
    try:
        return json.loads(bytes(raw))  # numbers of any size, which msgspec refuses
    except (ValueError, RecursionError):
        return _MISSING


class _View:
    """The fields of one record, by their own names or where the policy's `input` maps them."""

    def __init__(self, fields: dict[str, Json], value: bytes, raw: RawRecord, policies: Policies) -> None:
        self.fields = fields
        self.value = value
        self.raw = raw
        self.policies = policies
        self.pointers: Mapping[str, str] = {}
        self.findings: list[Finding] = []

    def read(self, findings: tuple[Finding, ...]) -> Reading:
        self.findings.extend(findings)
        agent_id = self._agent()
        if agent_id is None:
            return self._dead("transport.missing_metadata", "", "agent_id is missing")
        policy = self.policies.get(agent_id)
        if policy is None:
            return self._dead(
                "transport.unknown_agent",
                "/agent_id" if "agent_id" in self.fields else "",
                "no policy for this agent",
                agent_id,
            )
        self.pointers = policy.input
        message = self._text("user_message")
        response = self._response()
        if message is None or response is None:
            missing = "user_message" if message is None else "response"
            return self._dead("transport.missing_metadata", "", f"{missing} is missing or no text", agent_id)
        record = self._record(policy, message, response)
        return Reading(record, policy, agent_id, tuple(self.findings))

    def _response(self) -> str | None:
        """The response as text: one sent as an object is its JSON, as written, so that repeated keys are still seen."""
        found = self._at("response")
        if found is _MISSING or isinstance(found, str):
            return None if found is _MISSING else found
        pointer = self.pointers.get("response")
        self.findings.append(Finding("transport.object_response", pointer or "/response"))
        return _raw_at(self.value, tokens(pointer or "/response")).decode()

    def _record(self, policy: Policy, message: str, response: str) -> Record:
        pointer = self.pointers.get("response", "/response")
        self._note_transport()
        if (late := too_old(self.raw.source, policy)) is not None:
            self.findings.append(late)
        return Record(
            agent_id=policy.agent,
            user_message=message,
            response=response,
            message_id=self._message_id(self._text("message_id")),
            conversation_id=self._text("conversation_id") or self._key_text(),
            model=self._text("model") or self.raw.header("guardrail.model") or "unknown",
            locale=self._text("locale"),
            history=_turns(self._at("history")),
            evidence=self._evidence(),
            value=self.value,
            response_path=tuple(tokens(pointer)),
        )

    def _evidence(self) -> tuple[Passage, ...]:
        """The record's passages, as many as can be weighed in a moment; the rest is told."""
        found = _passages(self._at("evidence"))
        kept, chars = found[:EVIDENCE_PASSAGES], 0
        for count, passage in enumerate(kept):
            chars += len(passage.text)
            if chars > EVIDENCE_CHARS:
                kept = kept[:count]
                break
        if len(kept) < len(found):
            detail = f"{len(found) - len(kept)} passages beyond the first {len(kept)} weren't read"
            self.findings.append(Finding("ground.not_evaluated", self.pointers.get("evidence", "/evidence"), detail))
        return kept

    def _agent(self) -> str | None:
        named = self._text("agent_id")
        if named is None or named not in self.policies:
            mapped = (p for p in self.policies.values() if "agent_id" in p.input)
            named = next((p.agent for p in mapped if _as_text(self._pointed(p.input["agent_id"])) == p.agent), named)
        return named or self.raw.header("guardrail.agent")

    def _note_transport(self) -> None:
        source = self.raw.source
        if source.topic is None:
            return
        if self.raw.key is None:
            self.findings.append(Finding("transport.missing_key"))
        if source.written_ms is None:
            self.findings.append(Finding("transport.bad_timestamp", detail="no sensible timestamp"))

    def _message_id(self, given: str | None) -> str | None:
        if given is not None:
            return given
        self.findings.append(Finding("transport.missing_metadata", detail="message_id is derived"))
        return place_id(self.raw.source)

    def _key_text(self) -> str | None:
        return None if self.raw.key is None else self.raw.key.decode(errors="replace")

    def _text(self, name: str) -> str | None:
        return _as_text(self._at(name))

    def _at(self, name: str) -> Json:
        """A field of ours, under its own name or where the policy maps it."""
        mapped = self.pointers.get(name) if self.pointers else None
        return self.fields.get(name, _MISSING) if mapped is None else self._pointed(mapped)

    def _pointed(self, pointer: str) -> Json:
        found = at(self.fields, tokens(pointer))
        return _MISSING if found is UNREAD else found

    def _dead(self, code: str, pointer: str, detail: str, agent_id: str | None = None) -> Reading:
        return Reading(None, None, agent_id, (*self.findings, Finding(code, pointer, detail, fatal=True)))


def _as_text(found: Json) -> str | None:
    if isinstance(found, str):
        return found
    return str(found) if isinstance(found, int) and not isinstance(found, bool) else None


def _raw_at(value: bytes, path: Sequence[str]) -> bytes:
    """What stands at a path, as it was written. The path is known to be there."""
    for part in path:
        try:
            value = bytes(_RAW_OBJECT.decode(value)[part])
        except msgspec.ValidationError:
            value = bytes(_RAW_ARRAY.decode(value)[int(part)])
    return value


_USER_ROLES = frozenset({"user", "human", "customer", "client"})


def _turns(found: Json) -> tuple[Turn, ...]:
    if not isinstance(found, list):
        return ()
    turns = [Turn(_role(str(t.get("role", ""))), t["text"]) for t in found if _is_turn(t)]
    left = HISTORY_CHARS
    for count, turn in enumerate(reversed(turns)):
        left -= len(turn.text) + 1
        if left < 0:
            return tuple(turns[len(turns) - count :])
    return tuple(turns)


def _is_turn(found: Json) -> bool:
    return isinstance(found, dict) and isinstance(found.get("text"), str)


def _role(given: str) -> str:
    return "user" if given.lower() in _USER_ROLES else given


def _passages(found: Json) -> tuple[Passage, ...]:
    if not isinstance(found, list):
        return ()
    passages = []
    for index, entry in enumerate(found):
        text = entry.get("text") if isinstance(entry, dict) else entry
        if isinstance(text, str) and text.strip():
            named = entry.get("id") if isinstance(entry, dict) else None
            passages.append(Passage(named if isinstance(named, str) else f"record-{index}", text))
    return tuple(passages)


def _splice(value: bytes, path: tuple[str, ...], new: bytes) -> bytes:
    if not path:
        return new
    head, rest = path[0], path[1:]
    try:
        fields = _RAW_OBJECT.decode(value)
    except msgspec.ValidationError:
        items = [bytes(raw) for raw in _RAW_ARRAY.decode(value)]
        items[int(head)] = _splice(items[int(head)], rest, new)
        return b"[" + b",".join(items) + b"]"
    parts = [
        msgspec.json.encode(key) + b":" + (_splice(bytes(raw), rest, new) if key == head else bytes(raw))
        for key, raw in fields.items()
    ]
    return b"{" + b",".join(parts) + b"}"
