"""Routing: one outcome record and one decision, headers travelling on, everything within its topic's limit."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from guardrail.judge.decide import Judged
from guardrail.judge.model import (
    Action,
    Answer,
    Claim,
    Decision,
    Edit,
    Grounding,
    Intent,
    Outcome,
    RawRecord,
    Record,
    Reply,
    Source,
    Verdict,
    Violation,
)
from guardrail.settings import TopicSettings
from guardrail.stream.deadletter import CONNECT, STREAMS, Reason
from guardrail.stream.record import LOST_HEADERS
from guardrail.stream.routing import OURS, Outgoing, Route, Routes, refuse, route, settle

ROUTES = Routes()
SOURCE = Source("llm.responses.raw", 3, 41, 1_790_000_000_000)
VALUE = b'{"agent_id":"a","n":12345678901234567890123,"response":"{}","x":[1, 2]}'
REPLY = Reply(Intent(), Answer("hello", None))


def raw(**given: Any) -> RawRecord:
    """A record, but for what is given."""
    return RawRecord(**{"value": VALUE, "key": b"k", "source": SOURCE, **given})


def judged(outcome: Outcome = Outcome.APPROVED, **given: Any) -> Judged:
    """A decision on it, but for what is given."""
    fields = {
        "decision_id": "d" * 32,
        "message_id": "m-1",
        "agent": "a",
        "policy": "rev",
        "engine": "guardrail-0",
        "mode": "enforce",
        "outcome": outcome,
        "enforced_outcome": outcome,
        "answer_source": "llm",
        "reply": REPLY,
        "violations": (),
        "edits": (),
        "observations": (),
        "grounding": None,
        "source": SOURCE,
    }
    record = None if outcome in (Outcome.DEAD_LETTER, Outcome.SKIPPED) else understood()
    return Judged(record, Decision(**{**fields, **given}))


def understood(conversation: str | None = "c-1") -> Record:
    """The record as read."""
    return Record("a", "hi", "{}", "m-1", conversation, "model", None, value=VALUE)


@pytest.mark.parametrize("outcome", [Outcome.APPROVED, Outcome.CORRECTED, Outcome.REJECTED])
def test_the_reply_replaces_the_response_alone(outcome: Outcome) -> None:
    """The output goes to its outcome's topic: every other field as it was written, key and timestamp too."""
    output, decision = route(raw(), judged(outcome), ROUTES)
    assert output.topic == f"llm.responses.{outcome.value}"
    reply = msgspec.json.encode(REPLY)
    assert output.value == b'{"agent_id":"a","n":12345678901234567890123,"response":' + reply + b',"x":[1, 2]}'
    assert (output.key, output.timestamp_ms) == (b"k", SOURCE.timestamp_ms)
    assert decision.topic == "guardrail.decisions"
    assert decision.key == b"k"
    assert msgspec.json.decode(decision.value or b"", type=Decision) == judged(outcome).decision


def test_headers_travel_on_in_order() -> None:
    """Duplicates, nulls and the traceparent stay where they were; ours come after them."""
    theirs = (("b", b"1"), ("traceparent", b"00-x"), ("b", None), ("a", b""), ("b", b"1"))
    violations = (
        Violation("schema.coerced", "", "", Action.REPORT),
        Violation("schema.coerced", "/a", "", Action.REPORT),
        Violation("syntax.bom", "", "", Action.IGNORE),
        Violation("ground.no_evidence", "", "", Action.REPORT),
    )
    output, decision = route(raw(headers=theirs), judged(violations=violations), ROUTES)
    assert output.headers == (
        *theirs,
        ("guardrail.outcome", b"approved"),
        ("guardrail.codes", b"schema.coerced,ground.no_evidence"),
        ("guardrail.policy", b"rev"),
        ("guardrail.engine", b"guardrail-0"),
        ("guardrail.decision", b"d" * 32),
        ("guardrail.source", b"llm.responses.raw/3/41"),
    )
    assert decision.headers[0] == ("traceparent", b"00-x")


def test_our_headers_are_replaced() -> None:
    """A record that passes through twice carries our headers once, those of the last pass; so do its error headers."""
    once, _ = route(raw(), judged(), ROUTES)
    twice, _ = route(raw(headers=once.headers), judged(), ROUTES)
    assert twice.headers == once.headers
    dead, _ = route(raw(headers=(("a", b"1"),)), judged(Outcome.DEAD_LETTER), ROUTES)
    again, _ = route(raw(headers=dead.headers), judged(Outcome.DEAD_LETTER), ROUTES)
    assert again.headers == dead.headers


@pytest.mark.parametrize("count", [100_000, 99_995, 99_994])
@pytest.mark.parametrize("outcome", [Outcome.APPROVED, Outcome.DEAD_LETTER])
def test_too_many_headers_are_cut_and_told(outcome: Outcome, count: int) -> None:
    """Given more headers than readers take with ours, then the last of theirs are left out, and a header says so."""
    theirs = tuple((f"h{index % 100}", None) for index in range(count))
    wide = replace(ROUTES, approved=Route("wide", 10_000_000), dead_letter=Route("letters", 10_000_000))
    [output, _] = route(raw(headers=theirs), judged(outcome), wide)
    ours = [header for header in output.headers if not header[0].startswith("h")]
    kept = len(output.headers) - len(ours)
    assert len(output.headers) <= 100_000
    assert output.headers[:kept] == theirs[:kept]
    assert (output.headers[-1] == LOST_HEADERS) is (kept < count)
    assert {"guardrail.outcome", "guardrail.source"} <= {name for name, _ in ours}


def test_lost_headers_stay_told() -> None:
    """Given a record whose headers couldn't be read, then its output and its dead letter say so once, beside cuts."""
    marked = raw(headers=(LOST_HEADERS,))
    for outcome in (Outcome.APPROVED, Outcome.DEAD_LETTER):
        output, _ = route(marked, judged(outcome), ROUTES)
        assert output.headers.count(LOST_HEADERS) == 1
    narrow = replace(ROUTES, dead_letter=Route("dlq", 8_192))
    [dead, _] = route(raw(value=b"v" * 9_000, headers=(LOST_HEADERS,)), judged(Outcome.DEAD_LETTER), narrow)
    assert [value for name, value in dead.headers if name == LOST_HEADERS[0]] == [b"value,headers"]
    assert dead.wire_bytes() <= 8_192


def test_null_keys_become_the_conversation() -> None:
    """A null key becomes the conversation id; an empty key is a key; without a conversation null stays."""
    assert [r.key for r in route(raw(key=None), judged(), ROUTES)] == [b"c-1", b"c-1"]
    assert route(raw(key=b""), judged(), ROUTES)[0].key == b""
    nameless = Judged(understood(conversation=None), judged().decision)
    assert route(raw(key=None), nameless, ROUTES)[0].key is None


@pytest.mark.parametrize("timestamp_ms", [None, 0, -1])
def test_impossible_times_are_set_anew(timestamp_ms: int | None) -> None:
    """A missing, zero or negative timestamp doesn't travel; nor does one that the broker set."""
    source = replace(SOURCE, timestamp_ms=timestamp_ms)
    assert [r.timestamp_ms for r in route(raw(source=source), judged(), ROUTES)] == [0, 0]
    assert [r.timestamp_ms for r in route(raw(), judged(), ROUTES, keep_time=False)] == [0, 0]


def test_tombstones_are_decided_alone() -> None:
    """A skipped record has a decision and no output."""
    [decision] = route(raw(value=None), judged(Outcome.SKIPPED, reply=None), ROUTES)
    assert decision.topic == "guardrail.decisions"


def test_shadow_may_pass_the_original_text() -> None:
    """A reply that is a text stands as a JSON string in the response's place; without a record the bytes pass."""
    output, _ = route(raw(), judged(reply="so {"), ROUTES)
    assert b'"response":"so {"' in (output.value or b"")
    unread, _ = route(raw(value=b"xx"), Judged(None, judged(reply=None, on_error="fail_open").decision), ROUTES)
    assert (unread.topic, unread.value) == ("llm.responses.approved", b"xx")


def test_dead_letters_say_why() -> None:
    """Original bytes, and the error headers of Kafka Streams and Connect: numbers as decimal strings, no content."""
    violations = (Violation("encoding.not_text", "", "", Action.DEAD_LETTER),)
    value = b"\x00secret"
    dead, _ = route(raw(value=value), judged(Outcome.DEAD_LETTER, violations=violations), ROUTES)
    headers = dict(dead.headers)
    assert (dead.value, dead.key) == (value, b"k")
    assert headers[f"{STREAMS}topic"] == headers[f"{CONNECT}topic"] == b"llm.responses.raw"
    assert headers[f"{STREAMS}partition"] == headers[f"{CONNECT}partition"] == b"3"
    assert headers[f"{STREAMS}offset"] == headers[f"{CONNECT}offset"] == b"41"
    assert headers[f"{STREAMS}exception"] == headers[f"{CONNECT}exception.class.name"] == b"guardrail.NotJudged"
    assert headers[f"{STREAMS}message"] == headers[f"{CONNECT}exception.message"] == b"encoding.not_text"
    assert headers[f"{CONNECT}stage"] == b"JUDGE"
    assert not any(b"secret" in (v or b"") for v in headers.values())


def test_too_large_an_output_is_a_dead_letter() -> None:
    """What its topic doesn't take becomes a dead letter; the decision says so, and still what was judged."""
    narrow = replace(ROUTES, approved=Route("small", 100))
    routed = settle(raw(), judged(), narrow)
    assert [r.topic for r in routed.records] == ["llm.responses.dead-letter", "guardrail.decisions"]
    assert routed.records[0].value == VALUE
    assert routed.decision.outcome is Outcome.DEAD_LETTER
    assert routed.decision.enforced_outcome is Outcome.APPROVED
    assert dict(routed.records[0].headers)[f"{CONNECT}stage"] == b"PRODUCE"


def test_a_dead_letter_is_cut_to_fit() -> None:
    """The value's end goes first, then the last headers, then the key, and a header names what was cut."""
    narrow = replace(ROUTES, dead_letter=Route("dlq", 8_192))
    many = tuple((f"h{i}", b"v" * 100) for i in range(200))
    for given_raw, cut in [
        (raw(value=b"v" * 9_000), b"value"),
        (raw(headers=many), b"value,headers"),
        (raw(key=b"k" * 9_000), b"key"),
    ]:
        dead = refuse(given_raw, judged().decision, Reason("X", "x"), narrow).records[0]
        assert dict(dead.headers)["guardrail.truncated"] == cut
        assert dead.wire_bytes() <= 8_192
        assert (given_raw.value or b"").startswith(dead.value or b"")


def test_too_large_a_decision_is_cut() -> None:
    """Claims, texts and long lists are cut, then the reply; coordinates and scores stay, and a header says so."""
    claims = tuple(Claim("c" * 5_000, 1.0, Verdict.UNSUPPORTED) for _ in range(20))
    heavy = judged(
        message_id="m" * 9_000,
        grounding=Grounding(0.5, 0.5, None, Verdict.UNSUPPORTED, claims),
        edits=tuple(Edit("/a", "b" * 9_000, "c" * 9_000) for _ in range(9)),
        reply=Reply(Intent(), Answer("x" * 50_000, None)),
        violations=tuple(Violation("schema.coerced", "/p" * 500, "d" * 500, Action.REPORT) for _ in range(200)),
    )
    for limit, kept in ((100_000, REPLY.__class__), (30_000, type(None)), (4_096, type(None))):
        _, record = route(raw(), heavy, replace(ROUTES, decisions=Route("decisions", limit)))
        decision = msgspec.json.decode(record.value or b"", type=Decision)
        assert record.wire_bytes() <= limit
        assert isinstance(decision.reply, kept)
        assert decision.source == SOURCE
        assert decision.grounding is not None
        assert decision.grounding.risk == 0.5
        assert ("guardrail.truncated", b"decision") in record.headers


names = st.text(min_size=1, max_size=50)
headers = st.lists(st.tuples(st.one_of(names, st.sampled_from(sorted(OURS))), st.none() | st.binary(max_size=300)))


@given(
    st.binary(max_size=6_000),
    st.none() | st.binary(max_size=6_000),
    headers,
    st.sampled_from([Outcome.DEAD_LETTER, Outcome.SKIPPED, Outcome.APPROVED]),
    st.integers(4_096, 10_000),
)
def test_everything_fits(
    value: bytes, key: bytes | None, given_headers: list[tuple[str, bytes | None]], outcome: Outcome, limit: int
) -> None:
    """Whatever came in: every record fits its topic, one decision each, and our headers stand there once."""
    routes = Routes(*(Route(str(index), limit) for index in range(6)))
    record = raw(value=value, key=key, headers=tuple(given_headers))
    made = Judged(None, judged(outcome, reply=None).decision)
    records = route(record, made, routes)
    assert len(records) == 1 + (outcome is not Outcome.SKIPPED)
    assert all(isinstance(r, Outgoing) and r.wire_bytes() <= limit for r in records)
    for one in records:
        named = [name for name, _ in one.headers if name in OURS]
        assert len(named) == len(set(named))


@pytest.mark.parametrize(
    ("counts", "key", "partition"),
    [(6, b"k", 3), (6, b"", 3), (6, None, -1), (3, b"k", -1), (4, b"k", 3), (0, b"k", -1)],
)
def test_the_source_partition_is_kept_where_there_is_one(counts: int, key: bytes | None, partition: int) -> None:
    """Given as many partitions as the raw topic has, then a record stays in its own; a key of ours doesn't."""
    names = ("approved", "dead_letter", "decisions")
    routes = replace(ROUTES, **{name: Route(name, partitions_count=counts) for name in names})
    assert [made.partition for made in route(raw(key=key), judged(), routes)] == [partition] * 2
    dead = [made.partition for made in route(raw(key=key), judged(Outcome.DEAD_LETTER), routes)]
    assert dead == [3 if counts > 3 else -1] * 2


@pytest.mark.parametrize(
    ("chosen", "families"), [("both", {STREAMS, CONNECT}), ("streams", {STREAMS}), ("connect", {CONNECT})]
)
def test_error_headers_are_a_deployments_choice(chosen: str, families: set[str]) -> None:
    """Given GUARDRAIL_TOPICS__DEAD_LETTER_HEADERS, then dead letters carry the headers of those tools alone."""
    routes = Routes.named(TopicSettings.model_validate({"dead_letter_headers": chosen}))
    dead, _ = route(raw(), judged(Outcome.DEAD_LETTER), routes)
    names = {name for name, _ in dead.headers}
    assert {prefix for prefix in (STREAMS, CONNECT) if any(n.startswith(prefix) for n in names)} == families
    assert "guardrail.codes" in names


CONSTANTS = (
    "__streams.errors.exception",
    "__streams.errors.stacktrace",
    "__streams.errors.message",
    "__streams.errors.topic",
    "__streams.errors.partition",
    "__streams.errors.offset",
    "__connect.errors.topic",
    "__connect.errors.partition",
    "__connect.errors.offset",
    "__connect.errors.connector.name",
    "__connect.errors.task.id",
    "__connect.errors.stage",
    "__connect.errors.class.name",
    "__connect.errors.exception.class.name",
    "__connect.errors.exception.message",
    "__connect.errors.exception.stacktrace",
)


def test_error_headers_are_what_streams_and_connect_name() -> None:
    """The names are the constants of Kafka 4.4's ExceptionHandlerUtils and DeadLetterQueueReporter, all of them."""
    dead, _ = route(raw(), judged(Outcome.DEAD_LETTER), ROUTES)
    assert {name for name, _ in dead.headers if name.startswith("__")} == set(CONSTANTS)


def test_a_redriven_record_that_fails_again_says_how_often() -> None:
    """Given a redriven record, then its output and its dead letter carry the count, which no cut takes; one that is no
    number, or twice there, goes round no more often for it.
    """
    marks = (("guardrail.attempt", b"2"), ("guardrail.redriven-from", b"llm.responses.raw/3/7"))
    theirs = (*marks, *((f"h{index}", b"v" * 100) for index in range(200)))
    output, _ = route(raw(headers=theirs), judged(), ROUTES)
    assert output.headers[: len(theirs)] == theirs
    narrow = replace(ROUTES, dead_letter=Route("dlq", 8_192))
    dead, _ = route(raw(headers=theirs[::-1], key=b"k" * 4_000), judged(Outcome.DEAD_LETTER), narrow)
    assert [header for header in dead.headers if header in marks] == [*marks[::-1]]
    assert dead.wire_bytes() <= 8_192
    twice = (("guardrail.attempt", b"1"), *marks, ("guardrail.attempt", b"x" * 301))
    dead, _ = route(raw(headers=twice), judged(Outcome.DEAD_LETTER), ROUTES)
    assert [value for name, value in dead.headers if name == "guardrail.attempt"] == [b"2"]


FRAME = b"\0\0\0\1\7"
"""The Schema Registry's magic byte and a schema's id."""


@pytest.mark.parametrize("frame", [b"", FRAME])
def test_a_framed_value_comes_out_framed(frame: bytes) -> None:
    """Given the Schema Registry's framing, then the output has the same: its readers fail on anything else."""
    plain, _ = route(raw(), judged(), ROUTES)
    output, _ = route(raw(value=frame + VALUE), judged(), ROUTES)
    assert output.value == frame + (plain.value or b"")
    dead, _ = route(raw(value=frame + VALUE), judged(Outcome.DEAD_LETTER), ROUTES)
    assert dead.value == frame + VALUE


CLOUD_EVENT = (
    ("ce_specversion", b"1.0"),
    ("ce_id", b"e-1"),
    ("ce_source", b"/llm/desk"),
    ("ce_type", b"com.example.llm.response"),
    ("content-type", b"application/json; charset=utf-8"),
)


@pytest.mark.parametrize("theirs", [CLOUD_EVENT, (("__value_schema_id", b"\1" + bytes(range(16))),)])
@pytest.mark.parametrize("outcome", [Outcome.APPROVED, Outcome.REJECTED, Outcome.DEAD_LETTER])
def test_formats_in_headers_travel_on(theirs: tuple[tuple[str, bytes], ...], outcome: Outcome) -> None:
    """Given a CloudEvent in binary mode, or a schema's id in a header, then the headers come out as they came in."""
    output, _ = route(raw(headers=theirs), judged(outcome), ROUTES)
    assert output.headers[: len(theirs)] == theirs
