"""Laws of what a decision rests on besides bytes and policy: whenever a record comes in, and whatever is bypassed, the
decision is made again from itself.
"""

from __future__ import annotations

import json

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from guardrail.judge.again import circumstances
from guardrail.judge.codes import STALE
from guardrail.judge.decide import decide
from guardrail.judge.model import Bypass, Decision, Outcome, RawRecord, encode
from guardrail.judge.policy import Policies, bypassed, compile_policy
from tests.laws.strategies import records
from tests.scoring import policies

AFTER_S = 60
SENSIBLE_MS = 946_684_800_000
"""2000-01-01: a record that says it is older than Kafka says nothing of its age."""
OWN = policies()
law = settings(
    max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def aging(action: str, mode: str) -> Policies:
    """The open policies with an age and a mode."""
    keys = {"stale": {"after_s": AFTER_S, "action": action}, "mode": mode}
    return {agent: compile_policy(json.dumps({**json.loads(p.resolved), **keys})) for agent, p in OWN.items()}


AGING = [aging(action, mode) for action in ("reject", "dead_letter", "report") for mode in ("enforce", "shadow")]
NOW = Bypass("on call", "an outage", 1_790_000_600_000)
BYPASSES = [None, NOW, replace(NOW, until_ms=0)]
UNDER = [[{a: bypassed(p, b) for a, p in chosen.items()} for b in BYPASSES] for chosen in AGING]
which = st.integers(0, len(AGING) - 1)
under = st.integers(0, len(BYPASSES) - 1)


@st.composite
def received_records(draw: st.DrawFn) -> RawRecord:
    """A record, written and taken in at some time or at none that is known, near the limit or far from it."""
    raw = draw(records)
    edges = st.sampled_from([0, -1, 1, SENSIBLE_MS - 1, SENSIBLE_MS])
    written = draw(st.none() | edges | st.just(raw.source.timestamp_ms))
    near = st.integers(AFTER_S * 1000 - 2, AFTER_S * 1000 + 2)
    age = draw(st.none() | near | st.integers(-(10**9), 10**10))
    received = None if age is None else (written or 0) + age
    return replace(raw, source=replace(raw.source, timestamp_ms=written, received_ms=received))


def plain(raw: RawRecord) -> RawRecord:
    """The record as a topic holds it: without the time of its receipt."""
    return replace(raw, source=replace(raw.source, received_ms=None))


def late(raw: RawRecord) -> bool:
    """Whether the record came in too old, told another way."""
    written, received = raw.source.timestamp_ms, raw.source.received_ms
    if written is None or received is None or written < SENSIBLE_MS:
        return False
    return received - written > AFTER_S * 1000


@law
@given(st.lists(received_records(), max_size=3), which, under)
def test_decisions_are_made_again_from_themselves(batch: list[RawRecord], chosen: int, bypass: int) -> None:
    """Judged again with what the batch's decisions have on record, each record gives its decision, byte for byte."""
    for raw, decision in zip(batch, decide(batch, UNDER[chosen][bypass]), strict=True):
        line = encode(decision)
        then = circumstances(msgspec.json.decode(line, type=Decision))
        [again] = decide([then.received(plain(raw))], then.in_force(AGING[chosen]))
        assert encode(again) == line


@law
@given(received_records(), received_records(), which, under)
def test_alone_or_in_any_batch_the_same(first: RawRecord, second: RawRecord, chosen: int, bypass: int) -> None:
    """A record's age and its decision don't depend on its neighbours' ages, under a bypass or none."""
    batch = [first, second, first]
    together = decide(batch, UNDER[chosen][bypass])
    assert [encode(d) for d in together] == [encode(decide([raw], UNDER[chosen][bypass])[0]) for raw in batch]


@law
@given(received_records(), which)
def test_age_changes_nothing_but_what_is_done(raw: RawRecord, chosen: int) -> None:
    """A record that isn't late is decided as one without a receipt; a late one is judged the same, and told."""
    [decision], [fresh] = decide([raw], AGING[chosen]), decide([plain(raw)], AGING[chosen])
    told = [v for v in decision.violations if v.code == STALE]
    assert len(told) == (late(raw) and fresh.policy is not None)
    if not told:
        assert replace(decision, source=fresh.source) == fresh
    elif decision.outcome is not Outcome.DEAD_LETTER:
        assert [v for v in decision.violations if v.code != STALE] == list(fresh.violations)
        assert (decision.observations, decision.grounding) == (fresh.observations, fresh.grounding)


def passes_as_fresh(decision: Decision) -> bool:
    """Whether the customer gets what the model answered."""
    return decision.outcome in {Outcome.APPROVED, Outcome.CORRECTED}


@law
@given(received_records(), which, under)
def test_what_a_policy_keeps_back_no_bypass_lets_out(raw: RawRecord, chosen: int, bypass: int) -> None:
    """A late record that the policy keeps back reaches nobody as fresh under a bypass; any other record that it judges
    does.
    """
    [without], [decision] = decide([raw], UNDER[chosen][0]), decide([raw], UNDER[chosen][bypass])
    assert decision.enforced_outcome is without.enforced_outcome
    if decision.policy is None or bypass == 0:
        return
    assert (decision.mode, decision.bypass) == ("shadow", BYPASSES[bypass])
    kept = late(raw) and chosen in {0, 2}
    assert passes_as_fresh(decision) == (not kept)
