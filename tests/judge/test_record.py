"""The envelope: strictly read, mapped where a policy says so, and handed on with every foreign field as it was
written.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardrail.judge.decide import Judged, judge
from guardrail.judge.model import Outcome, Passage, RawRecord, Source, Turn, encode
from guardrail.judge.policy import Policy
from guardrail.judge.record import RECORD_BYTES, read_record, replace_response
from tests.judge.turns import answer, codes, hotel, scope_turn

TURN = json.dumps(scope_turn())
TOPIC = Source("raw", 2, 41, 1_790_000_000_000)
FIELDS = {"agent_id": "hotel", "message_id": "m", "user_message": "a room for two nights", "response": TURN}


def value(**changes: Any) -> bytes:
    """A record's bytes; a change to ... leaves the field out."""
    return json.dumps({key: field for key, field in {**FIELDS, **changes}.items() if field is not ...}).encode()


def opened(body: bytes | None, policy: Policy | None = None, **carried: Any) -> Judged:
    """A record judged, with what carried it."""
    policy = policy or hotel()
    raw = RawRecord(body, **{"key": b"c-1", "source": TOPIC, **carried})
    [found] = judge([raw], {policy.agent: policy})
    return found


def output(found: Judged) -> bytes:
    """What goes out: the record with the reply in the response's place."""
    assert found.record is not None
    assert found.decision.reply is not None
    return replace_response(found.record, encode(found.decision.reply))  # type: ignore[arg-type]


def test_a_whole_record_is_read() -> None:
    """Given every field, when read, then each stands where it belongs."""
    body = value(
        conversation_id="c-9",
        model="m-1",
        locale="fr-CA",
        history=[{"role": "user", "text": "hello"}, {"role": "assistant", "text": "hi"}],
        evidence=[{"id": "e1", "text": "One."}, "Two."],
    )
    record = read_record(RawRecord(body), {"hotel": hotel()}).record
    assert record is not None
    assert (record.agent_id, record.message_id, record.conversation_id, record.model) == ("hotel", "m", "c-9", "m-1")
    assert record.locale == "fr-CA"
    assert record.history == (Turn("user", "hello"), Turn("assistant", "hi"))
    assert record.evidence == (Passage("e1", "One."), Passage("record-1", "Two."))
    assert record.response == TURN


DEAD = {
    "no_agent": (value(agent_id=...), "transport.missing_metadata"),
    "unknown_agent": (value(agent_id="nobody"), "transport.unknown_agent"),
    "no_message": (value(user_message=...), "transport.missing_metadata"),
    "message_no_text": (value(user_message=["x"]), "transport.missing_metadata"),
    "no_response": (value(response=...), "transport.missing_metadata"),
    "not_utf8": (b'{"agent_id": "caf\xe9"}', "encoding.invalid_utf8"),
    "gzip": (b"\x1f\x8b\x08\x00\x00", "encoding.not_text"),
    "avro": (b"\x00\x00\x00\x00\x07\x02\xffabc", "encoding.not_text"),
    "nul_bytes": (b"a\0b", "encoding.not_text"),
    "empty": (b"", "syntax.empty"),
    "blank": (b" \n", "syntax.empty"),
    "not_json": (b"{hello}", "syntax.no_json"),
    "cut": (value()[:-5], "syntax.no_json"),
    "a_list": (b"[1]", "schema.not_object"),
    "a_number": (b"5", "schema.not_object"),
    "null_text": (b"null", "schema.not_object"),
    "too_large_to_parse": (b"{" + b" " * RECORD_BYTES + b"}", "limits.too_large"),
    "repeated_message": (b'{"user_message":"a",' + value()[1:], "types.duplicate_key"),
    "repeated_agent_same": (b'{"agent_id":"hotel",' + value()[1:], "types.duplicate_key"),
    "repeated_response_spelled_otherwise": (b'{"r\\u0065sponse":"a",' + value()[1:], "types.duplicate_key"),
    "repeated_beside_an_escaped_colon": (b'{"user_message":"a","\\u003a":1,' + value()[1:], "types.duplicate_key"),
}


@pytest.mark.parametrize("name", DEAD)
def test_what_is_no_record_is_a_dead_letter(name: str) -> None:
    """Given bytes that are no record of ours, when judged, then it is a dead letter that says why, and has no reply."""
    body, code = DEAD[name]
    found = opened(body)
    assert found.decision.outcome is Outcome.DEAD_LETTER
    assert code in codes(found.decision)
    assert found.decision.reply is None
    assert all(v.action.value == "dead_letter" for v in found.decision.violations)


def test_a_null_value_is_skipped() -> None:
    """Given a tombstone, when judged, then it is skipped and counted, never a dead letter."""
    decision = opened(None).decision
    assert decision.outcome is Outcome.SKIPPED
    assert [(v.code, v.action.value) for v in decision.violations] == [("transport.tombstone", "report")]


LONG_NUMBER = b'{"n":' + b"9" * 5_000 + b","


@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        (LONG_NUMBER + value()[1:], Outcome.APPROVED),
        (LONG_NUMBER + b'"\\u003a":1,' + value()[1:], Outcome.APPROVED),
        (LONG_NUMBER + b'"user_message":"a",' + value()[1:], Outcome.DEAD_LETTER),
        (value().replace(b'"user_message"', b'"message"'), Outcome.DEAD_LETTER),
    ],
    ids=["foreign", "beside_an_escape", "beside_a_repeated_key", "missing"],
)
def test_a_number_longer_than_python_reads_never_raises(body: bytes, outcome: Outcome) -> None:
    """Given a number of 5,000 digits anywhere, then there is a decision as without it."""
    assert opened(body).decision.outcome is outcome


def test_a_response_that_is_a_number_too_long_to_read_never_raises() -> None:
    """Given a response of 5,000 digits, then there is a decision, and it isn't an approval."""
    found = opened(value(response=...)[:-1] + b',"response":' + b"9" * 5_000 + b"}")
    assert found.decision.outcome in {Outcome.REJECTED, Outcome.DEAD_LETTER}


@pytest.mark.parametrize("response", [b"1e400", b"5", b"[1e400]", b"{}"])
def test_a_response_that_is_no_answer_is_refused_with_a_reply(response: bytes) -> None:
    """Given a number as the response, even one beyond every double, then the record is judged and refused."""
    body = value(response=...)[:-1] + b',"response":' + response + b"}"
    decision = opened(body).decision
    assert (decision.outcome, decision.answer_source) == (Outcome.REJECTED, "fallback")
    assert json.loads(output(opened(body)))["response"]["generated_answer"]["answer"]


@pytest.mark.parametrize("depth", [100, 900, 1_500, 100_000])
def test_nesting_beyond_the_limit_is_told_as_that(depth: int) -> None:
    """Given a response nested beyond the limit, as text or as a value, then it is never approved, and too deep."""
    nested = "[" * depth + "]" * depth
    as_text = opened(value(response=nested)).decision
    as_value = opened(value(response=...)[:-1] + b',"response":' + nested.encode() + b"}").decision
    assert as_text.outcome is Outcome.REJECTED
    assert as_value.outcome in {Outcome.REJECTED, Outcome.DEAD_LETTER}
    assert "limits.too_deep" in codes(as_text) & codes(as_value)


def test_no_depth_raises() -> None:
    """However deep a foreign field is, which readers refuse at different depths, it is read or told."""
    policies = {"hotel": hotel()}
    for depth in range(300, 1_000):
        value = b'{"agent_id":"hotel","user_message":"a:b","response":"x","z":' + b"[" * depth + b"]" * depth + b"}"
        read_record(RawRecord(value), policies)


def test_an_empty_message_is_a_message() -> None:
    """Given an empty user message, when judged, then the record is read all the same."""
    assert opened(value(user_message="")).record is not None


def test_a_repeated_foreign_key_is_not_ours_to_refuse() -> None:
    """Given a key that isn't ours twice, when judged, then the record is judged."""
    assert opened(b'{"x":1,"x":2,' + value()[1:]).decision.outcome is Outcome.APPROVED


def test_colons_in_foreign_keys_and_texts_are_no_repetition() -> None:
    """Given colons everywhere, when judged, then no key counts as repeated."""
    body = value(**{"a:b": "c:d", "::": {"e:": [":"]}, "user_message": "a room: for two nights"})
    assert opened(body).decision.outcome is Outcome.APPROVED


def test_a_repeated_mapped_field_is_refused() -> None:
    """Given a record layout of the operator's own, when the field that holds the user's message comes twice, then
    it is refused.
    """
    policy = hotel(input={"user_message": "/said"})
    found = opened(b'{"said":"a","said":"b",' + value(user_message=...)[1:], policy)
    assert found.decision.outcome is Outcome.DEAD_LETTER


ODD = (
    b'"big":123456789012345678901234567890,"exp":1E+400,"trail":1.10,"neg":-0,"esc":"\\u0041\\/",'
    b'"deep":{ "x" : [1 , 2.0] }'
)


def test_foreign_fields_survive_byte_for_byte() -> None:
    """Given big integers, odd numbers, escapes and blanks in fields that aren't ours, then the output has them as
    written.
    """
    body = b"{" + ODD + b"," + value()[1:]
    out = output(opened(body))
    for part in ODD.split(b',"'):
        assert part.strip(b'"') in out
    reply = json.loads(out)["response"]
    assert reply["generated_answer"]["answer"] == "Which night would you like?"


def test_the_output_is_the_input_with_the_reply_in_its_place() -> None:
    """Given a record, when the reply is put in, then keys keep their order and their text."""
    body = b'{"z":1,"agent_id":"hotel","response":"{}","user_message":"x","a":"\\u00e9"}'
    found = opened(body)
    assert found.record is not None
    assert (
        replace_response(found.record, b'{"r":1}')
        == b'{"z":1,"agent_id":"hotel","response":{"r":1},"user_message":"x","a":"\\u00e9"}'
    )


def test_a_byte_order_mark_before_the_record_is_passed_over() -> None:
    """Given a byte order mark, when judged, then the record is read, and the output can be written."""
    found = opened(b"\xef\xbb\xbf" + value())
    assert found.decision.outcome is Outcome.APPROVED
    assert json.loads(output(found))["user_message"] == FIELDS["user_message"]


def test_the_registry_prefix_is_passed_over() -> None:
    """Given the Schema Registry's five bytes, when judged, then they are told and the record is judged."""
    for blanks in (b"", b" ", b"\t\r\n"):
        found = opened(b"\0\0\0\0\7" + blanks + value())
        assert found.decision.outcome is Outcome.APPROVED
        assert "transport.schema_registry_prefix" in codes(found.decision)
        assert output(found).startswith(b"{")


@pytest.mark.parametrize("body", [b"\0\0\0\0\7", b"\0\0\0{}", b"\1\0\0\0\7{}"])
def test_what_only_looks_like_a_registry_prefix_is_none(body: bytes) -> None:
    """Given a prefix that is too short or another, when judged, then the record is a dead letter."""
    decision = opened(body).decision
    assert decision.outcome is Outcome.DEAD_LETTER
    assert "transport.schema_registry_prefix" not in codes(decision)


def test_an_object_response_is_judged_as_one() -> None:
    """Given the response as an object, when judged, then it is told and judged like its text."""
    found = opened(value(response=scope_turn()))
    assert found.decision.outcome is Outcome.APPROVED
    assert "transport.object_response" in codes(found.decision)
    assert found.decision.reply == opened(value()).decision.reply


LONE = value().replace(b"would you like?", b"would you like? \\\\ud83d")


def test_half_a_surrogate_pair_in_the_response_text_is_a_violation_not_a_dead_letter() -> None:
    """Given a text response with half an emoji (escaped inside), then it is dropped from the answer's edge."""
    decision = opened(LONE).decision
    assert decision.outcome is Outcome.CORRECTED
    assert answer(decision) == "Which night would you like?"


@pytest.mark.parametrize(
    "body",
    [
        value(response=scope_turn("Which night would you like? \ud83d")),
        value(response=json.dumps(scope_turn("Which night would you like? \ud83d"), ensure_ascii=False)),
        value(user_message="a room for two nights \ud83d"),
        value(note="\ud83d"),
    ],
    ids=["object_response", "text_response", "message", "foreign_field"],
)
def test_half_a_surrogate_pair_in_the_record_is_no_reason_for_a_dead_letter(body: bytes) -> None:
    """Given half an emoji as json.dumps writes it in the record itself, then the user still gets an answer."""
    found = opened(body)
    assert found.decision.outcome in {Outcome.APPROVED, Outcome.CORRECTED, Outcome.REJECTED}
    assert found.decision.violations == () or "syntax.no_json" not in codes(found.decision)


def test_a_flat_layout_is_mapped() -> None:
    """Given a policy that maps a flat record of its own, then the reply stands where the response stood."""
    policy = hotel(
        input={
            "user_message": "/said",
            "response": "/llm",
            "message_id": "/id",
            "conversation_id": "/talk",
            "model": "/by",
        }
    )
    body = json.dumps(
        {"agent_id": "hotel", "said": "a room for two nights", "llm": TURN, "id": 12, "talk": "t", "by": "m-2"}
    ).encode()
    found = opened(body, policy)
    assert found.decision.outcome is Outcome.APPROVED
    assert found.record is not None
    assert (found.record.message_id, found.record.conversation_id, found.record.model) == ("12", "t", "m-2")
    out = json.loads(output(found))
    assert out["llm"]["generated_answer"]["answer"] == "Which night would you like?"
    assert "response" not in out


def test_a_nested_layout_is_mapped() -> None:
    """Given pointers into objects and lists with escaped keys, when judged, then the reply is put in place there."""
    policy = hotel(
        input={
            "agent_id": "/meta/agent",
            "user_message": "/turns/0/text",
            "response": "/turns/1/a~1b",
            "history": "/past",
            "evidence": "/found",
            "locale": "/meta/lang",
        }
    )
    body = (
        b'{"meta":{"agent":"hotel","n":1.10,"lang":"en"},"past":[{"role":"user","text":"hi"}],"found":["A fact."],'
        b'"turns":[{"text":"a room for two nights"},{"a/b":' + json.dumps(TURN).encode() + b',"k":1E2}]}'
    )
    found = opened(body, policy)
    assert found.decision.agent == "hotel"
    assert found.decision.outcome is Outcome.APPROVED
    assert found.record is not None
    assert found.record.history == (Turn("user", "hi"),)
    assert found.record.evidence == (Passage("record-0", "A fact."),)
    out = output(found)
    assert b'"n":1.10' in out
    assert b'"k":1E2' in out
    assert json.loads(out)["turns"][1]["a/b"]["generated_answer"]["answer"] == "Which night would you like?"


@pytest.mark.parametrize("pointer", ["/gone", "/turns/9", "/turns/x", "/turns/0/text/deeper", "/said/0"])
def test_a_mapping_that_leads_nowhere_is_missing_metadata(pointer: str) -> None:
    """Given a pointer to nothing, when judged, then the field counts as missing."""
    policy = hotel(input={"user_message": pointer})
    found = opened(value(turns=[{"text": "x"}], said="y", user_message="ours"), policy)
    assert found.decision.outcome is Outcome.DEAD_LETTER
    assert "transport.missing_metadata" in codes(found.decision)


def test_the_agent_may_come_in_a_header() -> None:
    """Given no agent in the record, when a header names it, then that policy judges; the model may come so too."""
    headers = (("guardrail.agent", b"hotel"), ("guardrail.model", b"m-7"))
    found = opened(value(agent_id=...), headers=headers)
    assert found.decision.agent == "hotel"
    assert found.record is not None
    assert found.record.model == "m-7"


def test_the_record_wins_over_its_headers() -> None:
    """Given agent and model in both places, then the record's own hold."""
    found = opened(value(model="own"), headers=(("guardrail.agent", b"nobody"), ("guardrail.model", b"other")))
    assert found.record is not None
    assert found.record.model == "own"


@pytest.mark.parametrize("header", [None, b"\xff"])
def test_a_header_that_says_nothing_is_none(header: bytes | None) -> None:
    """Given a null header, or one that isn't UTF-8, then there is no agent."""
    assert opened(value(agent_id=...), headers=(("guardrail.agent", header),)).decision.outcome is Outcome.DEAD_LETTER


def test_the_last_header_of_a_name_holds() -> None:
    """Given a header twice, then the last one counts, as in Kafka."""
    raw = RawRecord(b"", headers=(("a", b"1"), ("a", b"2"), ("b", b"3")))
    assert (raw.header("a"), raw.header("b"), raw.header("c")) == ("2", "3", None)


def test_a_missing_message_id_is_derived() -> None:
    """Given no message id, then it is topic, partition and offset; from a file it is null."""
    found = opened(value(message_id=...))
    assert found.decision.message_id == "raw-2-41"
    assert "transport.missing_metadata" in codes(found.decision)
    assert found.decision.outcome is Outcome.APPROVED
    assert opened(value(message_id=...), source=Source(offset=3)).decision.message_id is None


def test_the_conversation_is_the_key_where_none_is_named() -> None:
    """Given no conversation id, then the record's key is it; with neither there is none."""
    for key, wanted in ((b"k-1", "k-1"), (b"\xff", "\ufffd"), (None, None)):
        found = opened(value(), key=key)
        assert found.record is not None
        assert found.record.conversation_id == wanted
    assert "transport.missing_key" in codes(found.decision)
    assert found.decision.outcome is Outcome.APPROVED


@pytest.mark.parametrize(
    ("timestamp", "odd"), [(None, True), (0, True), (-1, True), (1_700_000_000, True), (946_684_800_000, False)]
)
def test_a_timestamp_that_cannot_be_is_told(timestamp: int | None, odd: bool) -> None:
    """Given no timestamp on a topic, or one older than any, then it is told; a file has none to miss."""
    found = opened(value(), source=Source("raw", 0, 1, timestamp))
    assert ("transport.bad_timestamp" in codes(found.decision)) is odd
    assert codes(opened(value(), source=Source(offset=1), key=None).decision) == set()


def test_odd_history_and_evidence_are_passed_over() -> None:
    """Given history and evidence that aren't what they should be, then what can be read is, and nothing raises."""
    body = value(
        history=[5, {"role": "user"}, {"text": "hi"}], evidence=[5, "", {"id": 7, "text": "One."}, {"text": " "}]
    )
    record = opened(body).record
    assert record is not None
    assert record.history == (Turn("", "hi"),)
    assert record.evidence == (Passage("record-2", "One."),)
    plain = opened(value(history="x", evidence={"a": 1})).record
    assert plain is not None
    assert (plain.history, plain.evidence) == ((), ())


def test_a_number_as_an_id_reads_as_text() -> None:
    """Given numbers where ids belong, then they read as text; booleans don't."""
    record = opened(value(message_id=17, conversation_id=True)).record
    assert record is not None
    assert (record.message_id, record.conversation_id) == ("17", "c-1")


def test_the_policys_own_bound_refuses_a_large_record() -> None:
    """Given a record above the policy's bound, when judged, then it is refused with a reply, not a dead letter."""
    found = opened(value(), hotel(limits={"record_bytes": 200}))
    assert found.decision.outcome is Outcome.REJECTED
    assert "limits.too_large" in codes(found.decision)
    assert found.decision.answer_source == "fallback"


def test_a_mapped_response_keeps_its_repeated_keys_in_sight() -> None:
    """Given a mapped response that is an object with a key twice, then it is refused like an unmapped one."""
    policy = hotel(input={"response": "/llm/0"})
    good = TURN[:-1] + ', "answer": 1, "answer": 2}'
    body = value(response=...)[:-1] + b', "llm": [' + good.encode() + b"]}"
    assert "types.duplicate_key" in codes(opened(body, policy).decision)


def test_an_agent_named_by_a_header_has_no_place_in_the_record() -> None:
    """Given an unknown agent in a header, then the finding points to the whole record."""
    found = opened(value(agent_id=...), headers=(("guardrail.agent", b"nobody"),))
    assert [(v.code, v.pointer) for v in found.decision.violations] == [("transport.unknown_agent", "")]


def test_a_dead_letter_is_named_by_its_place() -> None:
    """Given a record that can't be read, then its decision names it by topic, partition and offset."""
    assert opened(b"{").decision.message_id == "raw-2-41"
    assert opened(None).decision.message_id == "raw-2-41"


def test_a_mapped_agent_wins_over_a_field_that_only_has_its_name() -> None:
    """Given an operator's layout with an `agent_id` of its own, then the mapped one names the agent."""
    policy = hotel(input={"agent_id": "/meta/bot"})
    found = opened(value(agent_id="crm-17", meta={"bot": "hotel"}), policy)
    assert found.decision.agent == "hotel"
