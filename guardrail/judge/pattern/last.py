"""What the last tier is asked: a pattern in the syntax of the `regex` package, and a value. It must never ask itself.

Asked is only what the search gives up on within its budget. The answer depends on a clock, so it is kept with the
decision, and a replay takes it from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache

import msgspec

from guardrail.judge.model import Decision, Execution, Source
from guardrail.judge.pattern.disputes import referred
from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.program import program
from guardrail.judge.pattern.repair import unwrapped
from guardrail.judge.pattern.tiers import understood
from guardrail.judge.pattern.tree import BackReference, walk
from guardrail.judge.pattern.write import written

BACKTRACKER = "backtracker"
_CACHED = 256


class Question(msgspec.Struct, frozen=True):
    """Does the whole `value` match `text`, read by the `regex` package with its flags ASCII and VERSION0?"""

    text: str
    value: str

    @property
    def digest(self) -> str:
        """A name for the question that tells nothing of it."""
        return hashlib.sha256(f"{self.text}\0{self.value}".encode(errors="surrogatepass")).hexdigest()[:16]


LastTier = Callable[[Source, Question], Execution]
"""Answers `matched`, `not_matched`, `timed_out`, or `unsupported` where it can't be asked; for a record's source."""


def question(pattern: str, value: str) -> Question | None:
    """What to ask for a pattern that the search gave up on; null where the two could read the pattern differently."""
    text = _rewritten(pattern)
    return None if text is None else Question(text, value)


def recorded(decisions: Iterable[Decision]) -> LastTier:
    """A last tier that repeats what decisions have on record, and can't be asked anything else."""
    said = {(_place(one.source), ruling.digest): ruling.execution for one in decisions for ruling in one.rulings}
    return lambda source, asked: said.get((_place(source), asked.digest), Execution.UNSUPPORTED)


def _place(source: Source) -> tuple[str | None, int | None, int | None]:
    """Where a record stands: what a replay knows of it without being told."""
    return source.topic, source.partition, source.offset


@lru_cache(maxsize=_CACHED)
def _rewritten(pattern: str) -> str | None:
    tree = understood(unwrapped(pattern))
    source = tree if isinstance(tree, Fault) else program(tree)
    if isinstance(tree, Fault) or isinstance(source, Fault) or source.doubtful:
        return None
    folded = any(isinstance(node, BackReference) and node.fold for node in walk(tree))
    if folded or not all(found.plain for found in source.sets):
        return None  # the two packages have Unicode tables of different years
    return written(tree, referred(tree))
