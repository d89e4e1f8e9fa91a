"""Slow: the referee over every row of the public sets, and over patterns and values that nobody wrote."""

from __future__ import annotations

import os
import random
import time

import pytest

from guardrail.judge.pattern import compare, execute
from guardrail.judge.pattern.examples import Examples
from guardrail.judge.pattern.explain import explained
from tests import corpora
from tests.corpora import measures

SECONDS = float(os.environ.get("GUARDRAIL_TEST_SOAK_S", "120"))
PIECES = [
    *[
        "a",
        "b",
        "1",
        ".",
        "[ab]",
        "[^a]",
        "\\d",
        "\\w",
        "\\s",
        "\\b",
        "^",
        "$",
        "|",
        "é",
        "北",
        "-",
        "\\p{L}",
        "(?s:.)",
    ],
    *["(", ")", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i)", "(?P<n>", "\\1", "\\2", "(?P=n)", "(?(1)", "(?R)"],
    *["*", "+", "?", "{2}", "{0,30}", "{1,}", "{900}", "*+", "*?", "[", "]", "{", "}", "\\", "\\Q", "\\E"],
    *["\\x{1F600}", "\\u00e9", "[[:alpha:]]"],
]
needs_sets = pytest.mark.skipif(not corpora.there(), reason=corpora.MISSING)


@needs_sets
def test_all_rows() -> None:
    """Given every pattern with its own examples, then Python agrees but for POSIX classes; nothing hangs or grows."""
    before = measures.resident_mb()
    tasks = corpora.tasks()
    own = measures.resident_mb() - before
    found = measures.agreement(tasks)
    assert found.unexplained == []
    for pattern in corpora.all_patterns():
        execute(pattern, "AB-1234")
    grown = measures.resident_mb() - before - own
    print(f"{found}; {grown:.0f} MB more")
    assert grown < 64


@needs_sets
def test_all_attacks_and_pairs() -> None:
    """Given every attack and every pair, then the goals hold."""
    attacked, compared = measures.attacked(corpora.attacks()), measures.compared(corpora.pairs())
    print(attacked, compared)
    assert attacked.timed_out <= 0.001 * attacked.times.count
    assert attacked.times.worst < 50
    assert compared.decided >= 0.75 * compared.pairs
    assert compared.times.p99 < 25


@needs_sets
def test_a_thousand_replays() -> None:
    """Given a thousand rounds in four busy threads, caches emptied on the way, then no verdict differs."""
    tasks = corpora.tasks()
    assert measures.replayed(tasks[:: len(tasks) // 300], 1_000) == 0


def test_patterns_that_nobody_wrote() -> None:
    """Given pieces of patterns thrown together for minutes, then all have their answer, in bounded time and memory."""
    dice, count, worst = random.Random(2026), 0, (0.0, "")
    before = measures.resident_mb()
    ended = time.monotonic() + SECONDS
    while time.monotonic() < ended:
        pattern, other = ("".join(dice.choices(PIECES, k=dice.randrange(1, 30))) for _ in range(2))
        value = "".join(dice.choices("ab1 \né北\ud800", k=dice.randrange(12))) * dice.choice([1, 1, 20])
        started = time.process_time()
        run = execute(pattern, value[:256])
        took = time.process_time() - started
        worst = max(worst, (took, pattern))
        assert execute(pattern, value[:256]) == run
        if count % 10 == 0:
            compare(pattern, other)
            explained(pattern, value[:40], Examples((value[:5],)))
        count += 1
    grown = measures.resident_mb() - before
    print(f"{count} patterns; the slowest took {worst[0] * 1000:.1f} ms: {worst[1]!r}; {grown:.0f} MB more")
    assert worst[0] < 0.1
    assert grown < 64
