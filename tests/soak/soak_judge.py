"""Slow: a million hurt bytes through the judge. `make soak`; `GUARDRAIL_TEST_SOAK_S` sets how long (default 120 s)."""

from __future__ import annotations

import json
import os
import random
import resource
import time

from guardrail.judge.decide import decide
from guardrail.judge.model import RawRecord, Source, encode
from guardrail.lines import read_line
from tests.scoring import policies, read_cases

SECONDS = float(os.environ.get("GUARDRAIL_TEST_SOAK_S", "120"))
OPEN = ("cases.jsonl", "clinic.jsonl")
GROWTH_KB = 200_000
"""Caches fill up within this; what grows further is a leak."""


def hurt(value: bytes, dice: random.Random) -> bytes:
    """Bytes with a few pieces cut, doubled or overwritten."""
    for _ in range(dice.randrange(1, 6)):
        start = dice.randrange(len(value) + 1)
        end = min(len(value), start + dice.randrange(16))
        piece = dice.choice([b"", value[start:end] * 2, dice.randbytes(4), b'"', b"\\", b"{", b"]", b","])
        value = value[:start] + piece + value[end:]
    return value


def test_hurt_records_always_have_their_decision() -> None:
    """Given open cases hurt at random for minutes, then each has one decision, the same again, and memory is flat."""
    dice, loaded = random.Random(2026), policies()
    lines = [json.dumps(case["record"]).encode() for name in OPEN for case in read_cases(name)]
    values = [record.value or b"" for n, line in enumerate(lines) if (record := read_line(line, n)) is not None]
    values = [value for value in values if len(value) < 50_000]
    ended, judged, before = time.monotonic() + SECONDS, 0, 0
    while time.monotonic() < ended:
        batch = [RawRecord(hurt(dice.choice(values), dice), source=Source("raw", 0, n)) for n in range(100)]
        decisions = decide(batch, loaded)
        assert len(decisions) == len(batch)
        assert encode(decide(batch[:1], loaded)[0]) == encode(decisions[0])
        judged += len(batch)
        if judged == 20_000:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert not before or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GROWTH_KB
    print(f"{judged} records judged")
