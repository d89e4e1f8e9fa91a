"""What REGEX.md asks to measure, over all rows of the sets or some: for the benchmark, the soak and the tests."""

from __future__ import annotations

import gc
import re
import resource
import signal
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from guardrail.backtracker import Backtracker
from guardrail.judge.model import Execution, Source
from guardrail.judge.pattern import Fault, compare, execute
from guardrail.judge.pattern.charset import literal
from guardrail.judge.pattern.comparison import Relation
from guardrail.judge.pattern.engine import _has
from guardrail.judge.pattern.folding import cases_of
from guardrail.judge.pattern.last import question
from guardrail.judge.pattern.parse import parse
from guardrail.judge.pattern.referee import _heavy, _light, _several, _variant
from guardrail.judge.pattern.repair import unwrapped
from tests import corpora
from tests.judge.pattern.bombs import BOMBS

REFERENCE_S = 1.0
"""Python's own engine is given up on after this."""
_FLAGS = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE, "x": re.VERBOSE}


class Times(NamedTuple):
    """CPU times in milliseconds."""

    count: int
    p50: float
    p99: float
    p999: float
    worst: float


def times(samples_ns: Sequence[int]) -> Times:
    """The distribution of some times."""
    ordered = sorted(samples_ns)
    last = len(ordered) - 1
    return Times(len(ordered), *(ordered[min(last, int(last * share + 0.5))] / 1e6 for share in (0.5, 0.99, 0.999, 1)))


def forget() -> None:
    """Empties the referee's caches."""
    for cache in (_light, _several, _heavy, _variant, compare, cases_of, literal, _has):
        cache.cache_clear()


def spare_the_collector() -> None:
    """What lives now isn't looked through again, as in the gate: a pause for the sets' rows is nobody's time."""
    gc.collect()
    gc.freeze()


def resident_mb() -> float:
    """The memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


class Coverage(NamedTuple):
    """Patterns of some models by what becomes of them; `valid` are those that any dialect reads."""

    patterns: int
    valid: int
    decided: int
    tiers: dict[str, int]

    @property
    def share(self) -> float:
        """Decided of the valid."""
        return self.decided / self.valid


def coverage(*models: str) -> Coverage:
    """Which tiers decide the models' patterns over a short value."""
    runs = [execute(pattern, "AB-1234") for pattern in corpora.models_patterns(*models)]
    tiers = Counter(run.tier if run.decided else run.execution.value for run in runs)
    valid = len(runs) - tiers["invalid"]
    return Coverage(len(runs), valid, sum(run.decided for run in runs), dict(tiers))


class Agreement(NamedTuple):
    """Verdicts beside Python's `re.fullmatch(re.ASCII)`."""

    compared: int
    explained: int
    unexplained: list[corpora.Task]
    hung: int


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def agreement(tasks: Sequence[corpora.Task]) -> Agreement:
    """Each verdict beside Python's, where both can read the pattern. It has no POSIX classes: those explain one."""
    compared, explained, hung = 0, 0, 0
    unexplained = []
    for pattern, value in tasks:
        run = execute(pattern, value)
        reference = _reference(pattern) if run.decided else None
        if reference is None:
            continue
        try:
            with _at_most(REFERENCE_S):
                matched = bool(reference.fullmatch(value))
        except TimeoutError:
            hung += 1
            continue
        compared += 1
        if matched is not (run.execution is Execution.MATCHED):
            if "[:" in pattern:
                explained += 1
            else:
                unexplained.append((pattern, value))
    return Agreement(compared, explained, unexplained, hung)


def _reference(pattern: str) -> re.Pattern[str] | None:
    """Python's reading of a pattern, its wrapping off and its dollar strict; null when it has none."""
    found = unwrapped(pattern)
    flags = re.ASCII
    for flag in found.flags:
        flags |= _FLAGS[flag]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(found.body, flags)
        except (re.error, OverflowError, RecursionError):
            return None


def uncached(patterns: Sequence[str]) -> Times:
    """The first run of each pattern."""
    forget()
    spare_the_collector()
    return times([_timed(execute, pattern, "AB-1234") for pattern in patterns])


def cached(patterns: Sequence[str]) -> Times:
    """The second run of each pattern."""
    samples = []
    for pattern in patterns:
        execute(pattern, "AB-1234")
        samples.append(_timed(execute, pattern, "AB-1234"))
    return times(samples)


def _timed(work: Callable[..., Any], *arguments: str) -> int:
    started = time.thread_time_ns()
    work(*arguments)
    return time.thread_time_ns() - started


def ordinary_us(runs: int = 200_000) -> float:
    """A cached match of an ordinary pattern, in a loop as the judge makes it; microseconds."""
    pattern, value = "^[A-Z]{3}[0-9]{3}$", "XKT904"
    execute(pattern, value)
    best = float("inf")
    for _ in range(5):
        started = time.thread_time_ns()
        for _ in range(runs // 5):
            execute(pattern, value)
        best = min(best, (time.thread_time_ns() - started) / (runs // 5) / 1_000)
    return best


class Attacked(NamedTuple):
    """Attacks at the value's limit."""

    times: Times
    executions: dict[str, int]
    asked: int
    timed_out: int
    longest_wall_s: float
    """Of a question to the last tier."""


def attacked(tasks: Sequence[corpora.Task]) -> Attacked:
    """Each attack, the last tier asked where the others give up."""
    spare_the_collector()
    samples, waits = [], []
    executions: Counter[str] = Counter()
    with Backtracker() as last_tier:
        for pattern, value in tasks:
            started = time.thread_time_ns()
            run = execute(pattern, value)
            samples.append(time.thread_time_ns() - started)
            asked = question(pattern, value) if run.left_over else None
            execution = run.execution
            if asked is not None:
                begun = time.monotonic()
                execution = last_tier(Source(), asked)
                waits.append(time.monotonic() - begun)
            executions[execution.value] += 1
    timed_out = executions["timed_out"]
    return Attacked(times(samples), dict(executions), len(waits), timed_out, max(waits, default=0.0))


class Compared(NamedTuple):
    """Pairs of patterns by what the comparison says."""

    pairs: int
    readable: int
    decided: int
    times: Times
    examples: int
    """Counter-examples told; each was executed by both patterns."""


def compared(pairs: Sequence[tuple[str, str]]) -> Compared:
    """Each pair; what is counted as an example was run over both patterns here once more."""
    spare_the_collector()
    samples, readable, decided, examples = [], 0, 0, 0
    for pattern, other in pairs:
        if any(isinstance(_read(one), Fault) for one in (pattern, other)):
            continue
        readable += 1
        started = time.thread_time_ns()
        found = compare(pattern, other)
        samples.append(time.thread_time_ns() - started)
        decided += found.relation is not Relation.UNDECIDED
        for value, taker, refuser in ((found.extra, pattern, other), (found.missing, other, pattern)):
            if value is not None:
                examples += 1
                assert execute(taker, value).execution is Execution.MATCHED
                assert execute(refuser, value).execution is Execution.NOT_MATCHED
    return Compared(len(pairs), readable, decided, times(samples), examples)


def _read(pattern: str) -> object:
    found = unwrapped(pattern)
    return parse(found.body, found.flags) if len(pattern) <= corpora.PATTERN_CHARS else Fault("unsafe", "too long")


def bombs() -> Times:
    """Every bomb, refused or bounded, none seen before; the least of three."""
    samples = []
    for bomb in BOMBS:
        least = 10**12
        for _ in range(3):
            forget()
            least = min(least, _timed(execute, bomb, "x"))
        samples.append(least)
    return times(samples)


def replayed(tasks: Sequence[corpora.Task], rounds: int) -> int:
    """How many verdicts differ between `rounds` rounds in four busy threads, caches emptied on the way."""
    first = [execute(pattern, value) for pattern, value in tasks]
    wrong: list[corpora.Task] = []

    def again() -> None:
        for number in range(rounds // 4):
            wrong.extend(task for task, run in zip(tasks, first, strict=True) if execute(*task) != run)
            if number % 10 == 0:
                forget()

    threads = [threading.Thread(target=again) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return len(wrong)


def growth_mb(tasks: Sequence[corpora.Task]) -> float:
    """How much memory all of these leave behind, the caches full."""
    before = resident_mb()
    for pattern, value in tasks:
        execute(pattern, value)
    return resident_mb() - before
