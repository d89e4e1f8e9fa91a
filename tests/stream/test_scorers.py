"""A gate with a scorer: its faults cost records, and as many in a row as the settings allow stop the gate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from functools import partial

import msgspec
import pytest

from guardrail.judge.decide import judge
from guardrail.judge.model import Decision
from guardrail.judge.policy import compile_policy
from guardrail.judge.scoring import LEXICAL, Asked
from guardrail.settings import GateSettings
from guardrail.stream.embedded import EMBEDDED, Embedded, read
from guardrail.stream.faults import OwnError
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.judge.turns import HOTEL, record, scope_turn
from tests.stream.deployment import produce, wait_until

SCALES = {LEXICAL: {"slope": 1.5, "intercept": -3.0}, "nli": {"version": "1", "slope": 4.0, "intercept": -2.0}}
POLICY = compile_policy(json.dumps({**HOTEL, "grounding": {"scorers": SCALES}}))
CLAIM = record("Anything else?", scope_turn("You can check in from 3 pm."))
QUESTION = record("a room", scope_turn("Which night would you like?"))


class Broken:
    """A scorer that always fails."""

    version = "1"

    def __call__(self, asked: Sequence[Asked]) -> list[float]:
        raise ZeroDivisionError(asked[0].claim)


def test_its_faults_cost_records_and_too_many_in_a_row_the_gate() -> None:
    """Given a scorer that fails, then each record with a claim is a dead letter beside its sound neighbours; three of
    them in a row stop the gate, with nothing of that batch committed.
    """
    with Embedded() as cluster:
        settings = cluster.settings().model_copy(update={"gate": GateSettings(group="demo", own_errors_count=3)})
        lent = partial(judge, scorers={"nli": Broken()})
        with closing(Gate(settings, {POLICY.agent: POLICY}, judge=lent, broker=EMBEDDED)) as gate:
            gate.open()
            produce(settings, [CLAIM, QUESTION, CLAIM, CLAIM, QUESTION])
            wait_until(lambda: gate.step() >= 0 and gate.report.value(names.CONSUMED) == 5, "all are committed")
            produce(settings, [CLAIM, CLAIM, CLAIM])
            with pytest.raises(OwnError, match="3 of our own errors in a row"):
                wait_until(lambda: gate.step() > 0, "a batch")
        found = [
            msgspec.json.decode(one.value or b"", type=Decision)
            for one in read(settings.kafka.bootstrap_servers, [settings.topics.decisions])
        ]
    dead = ("dead_letter", "fail_closed")
    assert [(d.outcome.value, d.on_error) for d in found] == [dead, ("approved", None), dead, dead, ("approved", None)]
