"""The public sets, some rows of each: goals that hold wherever the sets lie beside the clone. `make soak`: all rows."""

from __future__ import annotations

import sys

import pytest

from guardrail.judge.pattern.vet import MAX_PATTERN_CHARS
from tests import corpora
from tests.corpora import measures

pytestmark = pytest.mark.skipif(not corpora.there(), reason=corpora.MISSING)

EVERY = 23
"""One row of so many."""
SLOWNESS = 1 if sys.gettrace() is None else 6
"""Coverage slows Python down."""


def test_nearly_all_that_models_write_is_decided() -> None:
    """Of GPT-3.5's and davinci's valid patterns 97 % are decided by tiers that repeat; 1 % of all are refused."""
    found = measures.coverage("gpt35", "davinci")
    assert found.share >= 0.97
    assert found.tiers.get("unsafe", 0) + found.tiers.get("unsupported", 0) <= 0.01 * found.patterns


def test_python_agrees() -> None:
    """On the sets' own examples, each difference from `re.fullmatch` is one of POSIX classes."""
    found = measures.agreement(corpora.tasks()[::EVERY])
    assert found.compared > 10_000
    assert found.unexplained == []


def test_attacks_are_decided_in_time() -> None:
    """Attacks on a backtracker cost milliseconds at most, and at most one of a thousand runs out of time."""
    found = measures.attacked(corpora.attacks())
    assert found.times.p99 < 10 * SLOWNESS
    assert found.timed_out <= 0.001 * found.times.count
    assert found.longest_wall_s < 0.3


def test_patterns_are_compared() -> None:
    """Three of four pairs are decided, and every counter-example tells the two apart."""
    found = measures.compared(corpora.pairs()[::EVERY])
    assert found.decided >= 0.75 * found.pairs
    assert found.examples > found.decided / 2
    assert found.times.p99 < 50 * SLOWNESS


def test_every_pattern_of_the_sets_has_a_verdict_in_bounded_memory() -> None:
    """Whatever people posted has a run, and the caches stay within 64 MB."""
    chosen = corpora.all_patterns()[::EVERY]
    first = measures.uncached([pattern for pattern in chosen if len(pattern) <= MAX_PATTERN_CHARS])
    assert first.p99 < 10 * SLOWNESS
    assert measures.growth_mb([(pattern, "AB-1234") for pattern in chosen]) < 64


def test_verdicts_repeat_under_load() -> None:
    """Four busy threads and emptied caches change no verdict."""
    assert measures.replayed(corpora.tasks()[:: EVERY * 400], 40) == 0
