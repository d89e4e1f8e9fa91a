"""Laws of the judge with a scorer beside it: whatever comes in, the scorer changes nothing but grounding, the same way
alone and in any batch.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings

from guardrail.judge.decide import decide
from guardrail.judge.model import Decision, RawRecord, encode
from guardrail.judge.policy import Policies, compile_policy
from guardrail.judge.scoring import LEXICAL, Asked
from tests.laws.strategies import raw, records
from tests.scoring import policies, read_cases

ALONE = policies()
SCALES = {LEXICAL: {"slope": 1.5, "intercept": -3.0}, "digest": {"version": "1", "slope": 4.0, "intercept": -2.0}}
GROUNDING = {"scorers": SCALES, "calibration": {"risk": 0.6, "level": 0.05, "answers": 40}}
SCORED: Policies = {
    agent: compile_policy(json.dumps({**json.loads(policy.resolved), "grounding": GROUNDING}))
    for agent, policy in ALONE.items()
}
law = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


class Digest:
    """A scorer that gives any score to any claim, depending on all that it is asked in one call."""

    version = "1"

    def __call__(self, asked: Sequence[Asked]) -> list[float]:
        call = hashlib.sha256("|".join(one.claim for one in asked).encode())
        return [math.log(1 + (call.digest()[0] ^ len(one.claim) % 256) / 64) for one in asked]


LENT = {"digest": Digest()}


def scored(*given_records: RawRecord) -> list[Decision]:
    """The decisions with the scorer."""
    return decide(given_records, SCORED, scorers=LENT)


@law
@given(records, records)
def test_alone_or_in_any_batch_the_same(first: RawRecord, second: RawRecord) -> None:
    """A record's decision doesn't depend on its neighbours, though the scorer's answers depend on all it is asked."""
    known = raw(json.dumps(read_cases("clinic.jsonl")[1]["record"]["value"]).encode(), 9)
    batch = (first, known, second, first)
    assert [encode(one) for one in scored(*batch)] == [encode(scored(one)[0]) for one in batch]


@law
@given(records)
def test_risks_are_probabilities(record: RawRecord) -> None:
    """The answer's risk and each claim's lie in [0, 1]; claims are the same ones as without a scorer."""
    [found], [alone] = scored(record), decide([record], ALONE)
    assert (found.grounding is None) == (alone.grounding is None)
    if found.grounding is None or alone.grounding is None:
        return
    risks = [found.grounding.risk, *(claim.risk for claim in found.grounding.claims)]
    assert all(risk is None or 0 <= risk <= 1 for risk in risks)
    assert [(c.text, c.risk is None) for c in found.grounding.claims] == [
        (c.text, c.risk is None) for c in alone.grounding.claims
    ]


@law
@given(records)
def test_nothing_but_grounding_differs(record: RawRecord) -> None:
    """What other checks find is what they find without a scorer."""
    [found], [alone] = scored(record), decide([record], ALONE)
    others = [[v for v in one.violations if not v.code.startswith("ground.")] for one in (found, alone)]
    assert others[0] == others[1]
    assert found.observations == alone.observations


@law
@given(records)
def test_a_scorer_that_no_policy_names_changes_nothing(record: RawRecord) -> None:
    """Without scorers in the policy a decision is the same to the last bit, whatever is lent."""
    assert encode(decide([record], ALONE, scorers=LENT)[0]) == encode(decide([record], ALONE)[0])
