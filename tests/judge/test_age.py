"""Records that came in too old: which ones are, what becomes of them by policy, and that a replay says the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from guardrail.judge.codes import CODES, STALE
from guardrail.judge.decide import decide
from guardrail.judge.failing import unjudged
from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.model import Action, Answer, Decision, Intent, Outcome, RawRecord, Reply, Source
from guardrail.judge.policy import Policy
from tests.judge.turns import answer, codes, hotel, item, parameter_turn, record, scope_turn

WRITTEN_MS = 1_790_000_000_000
LIMIT = {"after_s": 300}
PLAIN = "cancel XKT904 please"
LATE_MS = 7_200_250
"""Two hours and a quarter of a second."""


def aged(raw: RawRecord, age_ms: int | None = LATE_MS) -> RawRecord:
    """The record, taken in so long after it was written; null: not known when."""
    received = None if age_ms is None else WRITTEN_MS + age_ms
    return replace(raw, source=replace(raw.source, timestamp_ms=WRITTEN_MS, received_ms=received))


def policy(**stale: Any) -> Policy:
    """The small policy with an age; `own` changes others of its keys."""
    own = stale.pop("own", {})
    return hotel(stale={**LIMIT, **stale}, **own)


def decided(raw: RawRecord, under: Policy) -> Decision:
    """The decision on one record."""
    [decision] = decide([raw], {under.agent: under})
    return decision


def good() -> RawRecord:
    """A turn that is right, with a value that passes."""
    return record(PLAIN, parameter_turn())


TIMES: list[tuple[float, int | None, int | None, bool]] = [
    (300, WRITTEN_MS, WRITTEN_MS + 300_000, False),
    (300, WRITTEN_MS, WRITTEN_MS + 300_001, True),
    (1.005, WRITTEN_MS, WRITTEN_MS + 1_005, False),
    (1.005, WRITTEN_MS, WRITTEN_MS + 1_006, True),
    (0.0001, WRITTEN_MS, WRITTEN_MS, False),
    (0.0001, WRITTEN_MS, WRITTEN_MS + 1, True),
    (300, WRITTEN_MS, WRITTEN_MS - 900_000, False),
    (300, WRITTEN_MS, None, False),
    (300, None, WRITTEN_MS, False),
    (300, 0, WRITTEN_MS, False),
    (300, -1, WRITTEN_MS, False),
    (300, 1, WRITTEN_MS, False),
    (300, WRITTEN_MS // 1000, WRITTEN_MS, False),
    (300, 946_684_800_000, WRITTEN_MS, True),
    (300, None, None, False),
    (300, WRITTEN_MS, 10**400, True),
]


@pytest.mark.parametrize(("after_s", "written_ms", "received_ms", "late"), TIMES)
def test_older_than_the_limit_is_too_old(
    after_s: float, written_ms: int | None, received_ms: int | None, *, late: bool
) -> None:
    """Given two known times, then what is older than the limit is too old, to the millisecond, and nothing else is."""
    raw = replace(good(), source=Source("raw", 0, 7, written_ms, received_ms))
    decision = decided(raw, policy(after_s=after_s))
    assert (STALE in codes(decision)) == late
    assert decision.outcome is (Outcome.REJECTED if late else Outcome.APPROVED)


def test_without_an_age_nothing_is_too_old() -> None:
    """Given a policy without `stale`, then a record of any age is judged as ever, and its revision is the old one."""
    decision = decided(aged(good()), hotel())
    assert (decision.outcome, codes(decision)) == (Outcome.APPROVED, set())
    assert decision.source.received_ms == WRITTEN_MS + LATE_MS
    assert policy().revision != hotel().revision


def test_a_record_outside_a_topic_has_an_age_too() -> None:
    """Given a file's record with both times, as a replay makes it, then it is too old as it was in the topic."""
    raw = replace(good(), source=Source(None, None, 3, WRITTEN_MS, WRITTEN_MS + LATE_MS))
    assert STALE in codes(decided(raw, policy()))


def test_it_is_judged_and_refused_as_late() -> None:
    """Given a right answer that comes late, then it is judged in full, and the user gets a reply that says it is late.

    No value goes out, though one passed: it is what the user wanted two hours ago.
    """
    decision, fresh = decided(aged(good()), policy()), decided(aged(good(), 0), policy())
    assert (decision.outcome, decision.enforced_outcome, decision.answer_source) == (
        Outcome.REJECTED,
        Outcome.REJECTED,
        "stale",
    )
    assert decision.reply == Reply(Intent(), Answer(LEXICONS["en"].replies.stale))
    [violation] = decision.violations
    assert (violation.code, violation.pointer, violation.action) == (STALE, "", Action.REJECT)
    assert violation.detail == "7200.250 s old when it came in, limit 300 s"
    assert decision.observations == fresh.observations != ()
    assert decision.grounding == fresh.grounding
    assert isinstance(fresh.reply, Reply)
    assert fresh.reply.parameters


WRONG: list[tuple[str, Any, str]] = [
    ("reprompt", parameter_turn(item(parameter_extracted_part="ab1234"), message="hm"), "hm"),
    ("out_of_scope", scope_turn("Yes, I found them.", intent=None), "my tests"),
    ("fallback", "no JSON", "hm"),
    ("corrected", scope_turn("Which night?</content>"), "a room for two nights"),
]


@pytest.mark.parametrize(("kind", "turn", "message"), WRONG, ids=[row[0] for row in WRONG])
def test_late_outweighs_every_other_reply(kind: str, turn: Any, message: str) -> None:
    """Given a late answer that is wrong as well, or nearly right, then it is refused as late; what is wrong is told."""
    raw = record(message, turn)
    fresh, late = decided(aged(raw, 0), policy()), decided(aged(raw), policy())
    assert fresh.answer_source == kind
    assert (late.outcome, late.answer_source, late.edits) == (Outcome.REJECTED, "stale", ())
    assert codes(late) == codes(fresh) | {STALE}
    assert isinstance(late.reply, Reply)
    assert late.reply.parameters == ()


@pytest.mark.parametrize("locale", ["en", "fr", "es"])
def test_late_is_said_in_the_users_language_or_the_policys_words(locale: str) -> None:
    """Given a record's locale, then the built-in text is in it, unless the policy has words of its own."""
    raw = aged(record(PLAIN, parameter_turn(), locale=locale))
    assert answer(decided(raw, policy())) == LEXICONS[locale].replies.stale
    own = policy(own={"replies": {"stale": {locale: "Too late {{sorry}}"}}})
    assert answer(decided(raw, own)) == "Too late {sorry}"


def test_a_dead_letter_isnt_judged() -> None:
    """Given `dead_letter`, then the late record is one, named and counted, and nothing of its response was read."""
    bad = record(PLAIN, parameter_turn(item(parameter_extracted_part="ab1234")))
    under = policy(action="dead_letter")
    decision = decided(replace(aged(bad), key=None), under)
    assert (decision.outcome, decision.enforced_outcome) == (Outcome.DEAD_LETTER, Outcome.DEAD_LETTER)
    assert (decision.reply, decision.answer_source) == (None, None)
    assert (decision.policy, decision.agent, decision.message_id) == (under.revision, "hotel", "m-1")
    assert [(v.code, v.action) for v in decision.violations] == [
        ("transport.missing_key", Action.REPORT),
        (STALE, Action.DEAD_LETTER),
    ]
    assert (decision.observations, decision.grounding) == ((), None)
    assert "param.simulate_true_mismatch" in codes(decided(aged(bad, 0), under))


def test_reported_it_goes_out_as_ever() -> None:
    """Given `report`, then a late answer goes out as a fresh one would, and the decision says that it is late."""
    decision, fresh = decided(aged(good()), policy(action="report")), decided(aged(good(), 0), policy())
    assert [(v.code, v.action) for v in decision.violations] == [(STALE, Action.REPORT)]
    assert (decision.outcome, decision.reply) == (Outcome.APPROVED, fresh.reply)


def test_reported_it_is_refused_for_what_else_is_wrong() -> None:
    """Given `report` and a late answer that is wrong, then it is refused by the reply that a fresh one would get."""
    bad = record(PLAIN, parameter_turn(item(parameter_extracted_part="ab1234")))
    decision, fresh = decided(aged(bad), policy(action="report")), decided(aged(bad, 0), policy())
    assert (decision.answer_source, decision.reply) == ("reprompt", fresh.reply)


@pytest.mark.parametrize(
    ("action", "enforced"),
    [("reject", Outcome.REJECTED), ("dead_letter", Outcome.DEAD_LETTER), ("report", Outcome.APPROVED)],
)
def test_under_shadow_it_goes_out_and_the_decision_tells(action: str, enforced: Outcome) -> None:
    """Given shadow, then a late answer goes out like any other, judged, and the decision says what would have been."""
    decision = decided(aged(good()), policy(action=action, own={"mode": "shadow"}))
    assert (decision.outcome, decision.enforced_outcome) == (Outcome.APPROVED, enforced)
    assert (decision.answer_source, answer(decision)) == ("llm", "Is XKT904 the reservation to cancel?")
    assert [v.action.value for v in decision.violations if v.code == STALE] == [action]
    assert decision.observations


def test_under_shadow_what_cant_be_read_goes_out_as_it_came() -> None:
    """Given shadow and a late response that can't be read, then its original text goes out."""
    decision = decided(aged(record(PLAIN, "no JSON")), policy(action="dead_letter", own={"mode": "shadow"}))
    assert (decision.outcome, decision.reply) == (Outcome.APPROVED, "no JSON")


def test_a_family_of_codes_says_nothing_of_age() -> None:
    """Given `on_fail: {transport: ignore}`, then lateness is rejected as `stale` says."""
    under = policy(own={"on_fail": {"transport": "ignore"}})
    assert decided(aged(good()), under).answer_source == "stale"
    assert CODES[STALE].set_by == "stale.action"


@pytest.mark.parametrize("stale", [{}, {"action": "dead_letter"}])
def test_our_own_error_lets_nothing_late_through(stale: dict[str, str]) -> None:
    """Given `fail_open` and an error of our own, then a late answer is a dead letter; a fresh or a reported one
    passes.
    """
    under = policy(**stale, own={"on_error": "fail_open"})
    assert unjudged(aged(good()), {"hotel": under}).decision.outcome is Outcome.DEAD_LETTER
    assert unjudged(aged(good(), 0), {"hotel": under}).decision.outcome is Outcome.APPROVED
    told = policy(action="report", own={"on_error": "fail_open"})
    assert unjudged(aged(good()), {"hotel": told}).decision.outcome is Outcome.APPROVED


def test_what_is_no_record_has_no_age() -> None:
    """Given a tombstone or another agent's record, then it is skipped or a dead letter as ever, however old."""
    late = Source("raw", 0, 7, WRITTEN_MS, WRITTEN_MS + LATE_MS)
    other = json.dumps({"agent_id": "nobody", "user_message": "x", "response": "y"}).encode()
    decisions = decide([RawRecord(None, source=late), RawRecord(other, source=late)], {"hotel": policy()})
    assert [d.outcome for d in decisions] == [Outcome.SKIPPED, Outcome.DEAD_LETTER]
    assert not any(STALE in codes(d) for d in decisions)
