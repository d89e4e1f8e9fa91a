"""Dead letters read back: what they say, which may go, and the record they become; pure, without any broker."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.decide import judge
from guardrail.judge.model import RawRecord, Source
from guardrail.judge.policy import compile_policy
from guardrail.stream.deadletter import CONNECT, Reason
from guardrail.stream.letters import Asked, Letter, Place, Stay, Target, read_label, revive, runs, stays
from guardrail.stream.marks import Mark, Marks
from guardrail.stream.record import LOST_HEADERS
from guardrail.stream.routing import Route, Routes, refuse, route
from tests.judge.turns import HOTEL

NOW_MS = 1_790_000_000_000
RAW = "llm.responses.raw"
TARGET = Target(Route(RAW, partitions_count=6), age_ms=86_400_000)
THEIRS = (("b", b"1"), ("traceparent", b"00-x"), ("b", None))


def sent(**fields: Any) -> RawRecord:
    """A record that no policy is there for."""
    value = {"agent_id": "desk", "user_message": "hi", "response": "{}"}
    given_ = {"value": json.dumps(value).encode(), "key": b"k", "headers": THEIRS}
    return RawRecord(**{**given_, "source": Source(RAW, 3, 41, NOW_MS - 1_000), **fields})


def dead(raw: RawRecord, offset: int = 7, routes: Routes | None = None, reason: Reason | None = None) -> Letter:
    """Its dead letter as the gate writes it, read back from the dead-letter topic."""
    [judged] = judge([raw], {})
    routes = routes or Routes()
    made = (refuse(raw, judged.decision, reason, routes).records if reason else route(raw, judged, routes))[0]
    time_ms = raw.source.timestamp_ms or 0
    record = RawRecord(made.value, made.key, made.headers, Source(made.topic, 3, offset, time_ms))
    return Letter(record, read_label(record), time_ms)


def test_a_letter_becomes_its_record_again() -> None:
    """Key, value, time and headers as they came in first, in its own partition; nothing of ours but the two marks."""
    first = sent()
    made = revive(dead(first), TARGET)
    assert (made.topic, made.key, made.value, made.timestamp_ms, made.partition) == (
        RAW,
        b"k",
        first.value,
        NOW_MS - 1_000,
        3,
    )
    assert made.headers == (
        *THEIRS,
        ("guardrail.attempt", b"1"),
        ("guardrail.redriven-from", f"{RAW}/3/41".encode()),
    )
    fewer = Target(Route(RAW, partitions_count=2))
    assert revive(dead(first), fewer).partition == -1


def test_each_attempt_is_counted_and_the_first_place_is_kept() -> None:
    """Given a letter that was redriven and failed again, then the count goes up and tells the first place still."""
    letter = dead(sent())
    for attempt in (1, 2, 3):
        assert stays(letter, Asked(), TARGET, NOW_MS) is None
        made = revive(letter, TARGET)
        assert made.headers == (
            *THEIRS,
            ("guardrail.attempt", str(attempt).encode()),
            ("guardrail.redriven-from", f"{RAW}/3/41".encode()),
        )
        letter = dead(sent(headers=made.headers, source=Source(RAW, 3, 100 + attempt, NOW_MS - 1_000)))
        assert letter.label.source == Place(RAW, 3, 100 + attempt)
    assert stays(letter, Asked(), TARGET, NOW_MS) is Stay.SPENT
    assert stays(letter, Asked(max_attempts=4), TARGET, NOW_MS) is None


@pytest.mark.parametrize("count", [b"", b"-1", b"many", "٣".encode(), b"9" * 10, b"\xff"])
def test_a_count_that_is_none_begins_anew(count: bytes) -> None:
    """Given a header that isn't a plain number, then it says nothing, and what is sent has a right one."""
    letter = dead(sent(headers=(("guardrail.attempt", count),)))
    assert [v for n, v in revive(letter, TARGET).headers if n == "guardrail.attempt"] == [b"1"]


def test_what_cannot_go_stays() -> None:
    """A cut letter, one of another topic, one that nobody would read any more, one that the raw topic doesn't take."""
    narrow = Routes(dead_letter=Route("dlq", 8_192))
    assert stays(dead(sent(value=b"v" * 9_000), routes=narrow), Asked(), TARGET, NOW_MS) is Stay.CUT
    assert stays(dead(sent(key=b"k" * 9_000), routes=narrow), Asked(), TARGET, NOW_MS) is Stay.CUT
    assert stays(dead(sent(source=Source("other", 3, 1))), Asked(), TARGET, NOW_MS) is Stay.FOREIGN
    stranger = RawRecord(b"{}", b"k", (("__connect.errors.topic", RAW.encode()),), Source("dlq", 0, 0, NOW_MS))
    assert stays(Letter(stranger, read_label(stranger), NOW_MS), Asked(), TARGET, NOW_MS) is Stay.FOREIGN
    assert stays(dead(sent()), Asked(), TARGET, NOW_MS + 86_400_000) is Stay.STALE
    assert stays(dead(sent()), Asked(), Target(TARGET.route), NOW_MS + 86_400_000) is None
    assert stays(dead(sent())._replace(time_ms=0), Asked(), TARGET, NOW_MS + 86_400_000) is None
    assert stays(dead(sent()), Asked(), Target(Route(RAW, 300)), NOW_MS) is Stay.TOO_LARGE


def test_lost_headers_alone_do_no_harm() -> None:
    """Given a letter that lost headers, then it goes, and still says so; so does what becomes of it."""
    made = revive(dead(sent(headers=(LOST_HEADERS,))), TARGET)
    assert made.headers[0] == LOST_HEADERS
    again = dead(sent(headers=made.headers))
    assert again.label.cut == {"headers"}
    assert again.label.attempts == 1


@pytest.mark.parametrize(
    ("asked", "goes"),
    [
        (Asked(codes=frozenset({"transport.unknown_agent"})), True),
        (Asked(codes=frozenset({"transport"})), True),
        (Asked(codes=frozenset({"transport.unknown_agent", "syntax"})), True),
        (Asked(codes=frozenset({"syntax", "transport.missing_key"})), False),
        (Asked(exceptions=frozenset({"NotJudged"})), True),
        (Asked(exceptions=frozenset({"OwnError"})), False),
        (Asked(agents=frozenset({"desk", "x"})), True),
        (Asked(agents=frozenset({"x"})), False),
        (Asked(keys=frozenset({b"k"})), True),
        (Asked(keys=frozenset({b"K"})), False),
        (Asked(from_ms=NOW_MS - 1_000, to_ms=NOW_MS), True),
        (Asked(from_ms=NOW_MS), False),
        (Asked(to_ms=NOW_MS - 1_000), False),
        (Asked(codes=frozenset({"transport"}), keys=frozenset({b"K"})), False),
    ],
)
def test_every_filter_must_let_it_through(asked: Asked, goes: bool) -> None:
    """Codes and families, errors, agents, keys and times: a letter goes when all that are given fit it."""
    assert stays(dead(sent()), asked, TARGET, NOW_MS) is (None if goes else Stay.NOT_ASKED)


def test_an_agent_is_found_where_a_policy_maps_it() -> None:
    """Given a policy with `input.agent_id`, then --agent finds the letters of its agent there."""
    policy = compile_policy(json.dumps({**HOTEL, "input": {"agent_id": "/data/who"}}))
    letter = dead(sent(value=b'{"data": {"who": "hotel"}}'))
    asked = Asked(agents=frozenset({"hotel"}))
    assert stays(letter, asked, TARGET, NOW_MS) is Stay.NOT_ASKED
    assert stays(letter, asked._replace(policies={"hotel": policy}), TARGET, NOW_MS) is None


def test_labels_hold_nothing_foreign() -> None:
    """Given a letter whose headers say what no gate writes, then none of it is taken over: tables would show it."""
    headers = (
        ("guardrail.codes", b"transport.unknown_agent,call me Ishmael"),
        ("__streams.errors.exception", b"java.lang.Secret"),
        ("guardrail.source", b"a b/1/2"),
    )
    record = RawRecord(b"", None, headers)
    assert read_label(record) == (None, ("transport.unknown_agent",), "", 0, frozenset({""}))


@pytest.mark.parametrize("families", ["streams", "connect"])
def test_either_family_tells_the_error(families: str) -> None:
    """Given the headers of one family alone, then --exception still finds its letters."""
    routes = Routes(families=("__streams.errors.",) if families == "streams" else (CONNECT,))
    assert dead(sent(), routes=routes, reason=Reason("OwnError", "x")).label.exception == "OwnError"


@given(st.lists(st.tuples(st.integers(1, 3), st.booleans())))
def test_marks_remember_what_went_and_nothing_else(steps: list[tuple[int, bool]]) -> None:
    """Whatever stays between, and whatever gaps: every letter that went is remembered, and none that stayed."""
    passed, offset = [], 0
    for step, goes in steps:
        offset += step
        passed.append((offset, goes))
    ranges = tuple(runs(passed))
    marks = Marks([Mark("t", "id", 0, ranges, 0)] if ranges else [])
    assert [(offset, marks.went(0, offset)) for offset, _ in passed] == passed
    assert not marks.went(1, 1)
    assert not marks.went(0, 0)
