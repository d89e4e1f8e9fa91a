"""The last tier: answers in time or is killed, and nothing that a pattern does reaches anybody else."""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from guardrail.backtracker import Backtracker
from guardrail.judge.model import Execution, Source
from guardrail.judge.pattern.last import Question

HERE = Source("raw", 0, 1)
MATCHED, NOT_MATCHED = Execution.MATCHED, Execution.NOT_MATCHED
TIMED_OUT, UNSUPPORTED = Execution.TIMED_OUT, Execution.UNSUPPORTED

SLOW = Question("(?:(?P<g1>a|aa))+(?P=g1)c", "a" * 200 + "b")
"""Takes the package for ever: it ends by its own 50 ms of processor time."""
BOMB = Question("(" * 20 + "x" + "+)" * 20 + "\\1", "x")
"""Compiles for 3 s and 2.1 GB: only the deadline, or the memory's bound, ends it."""


@pytest.fixture
def last_tier() -> Iterator[Backtracker]:
    """A last tier of our own."""
    with Backtracker() as one:
        yield one


def children() -> set[int]:
    """The processes that this one has started and not buried yet."""
    found = Path(f"/proc/{os.getpid()}/task/{threading.get_native_id()}/children").read_text()
    return {int(number) for number in found.split()}


def test_questions_are_answered(last_tier: Backtracker) -> None:
    """Given questions, then each has its answer; a second time from memory."""
    for _ in range(2):
        assert last_tier(HERE, Question("(?P<g1>a+)b(?P=g1)", "aabaa")) is MATCHED
        assert last_tier(HERE, Question("(?P<g1>a+)b(?P=g1)", "aaba")) is NOT_MATCHED
        assert last_tier(HERE, Question("[\\U00004e00-\\U00009fa5]+", "北京")) is MATCHED
        assert last_tier(HERE, Question("(", "a")) is UNSUPPORTED
    assert last_tier.kills == 0


def test_nothing_starts_unasked_and_nothing_stays() -> None:
    """Given a last tier that nobody asks, then there is no process; one that was asked ends with it."""
    before = children()
    with Backtracker() as last_tier:
        assert children() == before
        assert last_tier(HERE, Question("a", "a")) is MATCHED
        assert len(children() - before) == 1
    assert children() == before


def test_a_slow_match_ends_by_its_budget(last_tier: Backtracker) -> None:
    """Given a match without end, then it is timed out within the deadline, and the child lives on."""
    assert last_tier(HERE, Question("a", "a")) is MATCHED
    started = time.monotonic()
    assert last_tier(HERE, SLOW) is TIMED_OUT
    assert time.monotonic() - started < 0.3
    assert last_tier.kills == 0
    started = time.monotonic()
    assert last_tier(HERE, SLOW) is TIMED_OUT  # kept
    assert time.monotonic() - started < 0.01


def test_a_bomb_is_killed_and_forgotten(last_tier: Backtracker) -> None:
    """Given a pattern that takes seconds and gigabytes to compile, then its child is killed, and the next answers."""
    assert last_tier(HERE, Question("a", "a")) is MATCHED
    started = time.monotonic()
    assert last_tier(HERE, BOMB) is TIMED_OUT
    assert time.monotonic() - started < 0.35
    assert last_tier(HERE, Question("b", "b")) is MATCHED


def test_a_child_that_died_is_replaced(last_tier: Backtracker) -> None:
    """Given a child that somebody killed, then the question that finds out is answered all the same."""
    before = children()
    assert last_tier(HERE, Question("a", "a")) is MATCHED
    for child in children() - before:
        os.kill(child, signal.SIGKILL)
    assert last_tier(HERE, Question("b", "b")) is MATCHED
    assert last_tier.kills == 1
    assert children() - before


@pytest.mark.parametrize(
    "command",
    [
        ("/nonexistent/python", "x"),
        (sys.executable, "-c", "pass"),
        (sys.executable, "-c", "print('x', flush=True); input()"),
    ],
    ids=["no such program", "ends at once", "says something else"],
)
def test_without_a_child_nothing_is_decided(command: tuple[str, ...]) -> None:
    """Given a machine where the child can't be started, then nothing is decided, and nobody waits for it twice."""
    with Backtracker(command=command) as last_tier:
        assert last_tier(HERE, Question("a", "a")) is UNSUPPORTED
        started = time.monotonic()
        assert last_tier(HERE, Question("b", "b")) is UNSUPPORTED
        assert time.monotonic() - started < 0.1


def test_a_child_that_dies_of_every_question_decides_nothing() -> None:
    """Given children that end when they are asked, then the question is unsupported after two of them."""
    dying = "import sys; sys.stdout.write('r'); sys.stdout.flush(); sys.stdin.readline()"
    with Backtracker(command=(sys.executable, "-c", dying)) as last_tier:
        assert last_tier(HERE, Question("a", "a")) is UNSUPPORTED
        assert last_tier.kills == 2


def test_an_interrupted_question_leaves_no_answer_behind(last_tier: Backtracker) -> None:
    """Given a caller that is interrupted while it waits, then the next question gets its own answer."""

    def interrupt(*_: object) -> None:
        raise InterruptedError

    assert last_tier(HERE, Question("a", "a")) is MATCHED
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(InterruptedError):
            last_tier(HERE, SLOW)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert last_tier(HERE, Question("b", "c")) is NOT_MATCHED
    assert last_tier(HERE, Question("c", "c")) is MATCHED


def test_where_two_engines_disagree_nothing_is_decided(last_tier: Backtracker) -> None:
    """Given a question that the regex package answers wrongly, then Python's own engine contradicts it."""
    assert last_tier(HERE, Question("(?P<g1>(?:a|b)*)aa*(?:(?P=g1))?a", "bbaaabba")) is UNSUPPORTED


def test_many_descriptors_dont_matter(last_tier: Backtracker) -> None:
    """Given a process with more than a thousand open files, then the child is heard all the same."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4_096, limits[1]), limits[1]))
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(1_100)]
    try:
        assert last_tier(HERE, Question("a", "a")) is MATCHED
    finally:
        for one in held:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_memory_is_bounded_and_not_kept(last_tier: Backtracker) -> None:
    """Given many large patterns, then the child keeps none of them: the last is answered as the first."""
    before = children()
    for number in range(60):
        large = Question(f"(?:(?P<g1>x)(?P=g1)|{number}|(?:{'(?:' * 10}y*{')*' * 10}){{0,150}})", "y" * 50)
        assert last_tier(HERE, large) in {MATCHED, TIMED_OUT, UNSUPPORTED}
    [child] = children() - before
    resident = int(Path(f"/proc/{child}/statm").read_text().split()[1]) * resource.getpagesize()
    assert resident < 200_000_000
    assert last_tier(HERE, Question("d", "d")) is MATCHED


def test_nothing_is_printed(last_tier: Backtracker, capfd: pytest.CaptureFixture[str]) -> None:
    """Given questions that fail in every way, then nothing reaches stdout or stderr."""
    for question in (Question("(secret", "a"), SLOW, BOMB, Question("a" * 900, "\ud800")):
        last_tier(HERE, question)
    assert capfd.readouterr() == ("", "")


def test_threads_share_one_child(last_tier: Backtracker) -> None:
    """Given four threads that ask at once, then each gets its own answers."""
    wrong: list[str] = []

    def ask(thread: int) -> None:
        for number in range(40):
            value = f"{thread}x{number}"
            if last_tier(HERE, Question(f"{thread}x{number}", value)) is not MATCHED:
                wrong.append(value)

    threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []


def test_answers_are_kept_in_bounds() -> None:
    """Given more questions than are kept, then the oldest are forgotten."""
    last_tier = Backtracker(keep=3)
    for number in range(10):
        last_tier(HERE, Question("a", str(number)))
    assert last_tier.kept == 3
    last_tier.close()
