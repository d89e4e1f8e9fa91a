"""The judge, called so that our own errors cost one record and not the stream.

It must never let a record that broke it out unmarked, nor log a word of one.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from guardrail.judge.decide import Judged
from guardrail.judge.failing import unjudged
from guardrail.judge.model import RawRecord
from guardrail.judge.policy import Policies
from guardrail.stream.faults import OwnError

LOG = logging.getLogger("guardrail.stream")

Judge = Callable[[Sequence[RawRecord], Policies], list[Judged]]

SLICE_MESSAGES = 64
"""The CPU budget is looked at between slices; as many records as the judge takes side by side."""
FIRST_MESSAGES = 8
"""In the first slice of all: nobody knows yet what a record costs. At 5 s each it still ends within `stalled_ms`."""
SLOW_S = 1.0
"""A slice that took longer is followed by a smaller one, so that the loop turns between slow records too."""
WAITED_S = 10.0
"""Of one batch. A check may wait without burning: that costs no CPU, but the group, in the end, its patience."""
SHARED_SLICE_MESSAGES = 16
"""The same where agents share it: no agent can spend more of another's than so many records cost."""


class Judging:
    """Calls the judge in slices, within a CPU budget; a record that breaks it is judged by its failure policy."""

    def __init__(self, judge: Judge, cpu_s: float, noted: Callable[[str], None]) -> None:
        """`noted` is told of each of our own errors, by its class."""
        self._judge = judge
        self._cpu_s = cpu_s
        self._noted = noted
        self._size = FIRST_MESSAGES

    def judge(self, raws: Sequence[RawRecord], policies: Policies) -> list[Judged | None]:
        """The judged records, in order; null from where the budget ran out. A slice is judged whatever it costs."""
        return self._within(raws, policies, self._cpu_s, SLICE_MESSAGES)

    def judge_shared(
        self, raws: Sequence[RawRecord], policies: Policies, groups: Sequence[Sequence[int]]
    ) -> list[Judged | None]:
        """The same for records of several agents, each `group` the places of one's, those who have few first.

        Each gets an equal share of the budget that is left, so that none can spend another's.
        """
        judged: list[Judged | None] = [None] * len(raws)
        until = time.thread_time() + self._cpu_s
        for index, places in enumerate(groups):
            share_s = max(until - time.thread_time(), 0.0) / (len(groups) - index)
            found = self._within([raws[place] for place in places], policies, share_s, SHARED_SLICE_MESSAGES)
            for place, one in zip(places, found, strict=True):
                judged[place] = one
        return judged

    def judge_all(self, raws: Sequence[RawRecord], policies: Policies) -> list[Judged]:
        """All of them, whatever they cost."""
        return self._slice(raws, policies) if raws else []

    def _within(
        self, raws: Sequence[RawRecord], policies: Policies, cpu_s: float, slice_messages: int
    ) -> list[Judged | None]:
        judged: list[Judged | None] = []
        until, until_s = time.thread_time() + cpu_s, time.monotonic() + WAITED_S
        while len(judged) < len(raws):
            judged += self._sized(raws[len(judged) :], policies, slice_messages)
            if time.thread_time() > until or time.monotonic() > until_s:
                break
        return judged + [None] * (len(raws) - len(judged))

    def _sized(self, raws: Sequence[RawRecord], policies: Policies, most: int) -> list[Judged]:
        """A slice of the first ones: smaller than the last one where that was slow, else larger."""
        size, started = min(self._size, most), time.monotonic()
        judged = self._slice(raws[:size], policies)
        slow = time.monotonic() - started > SLOW_S
        self._size = max(size // 4, 1) if slow else min(self._size * 2, SLICE_MESSAGES)
        return judged

    def _slice(self, raws: Sequence[RawRecord], policies: Policies) -> list[Judged]:
        started = time.perf_counter()
        try:
            judged = self._checked(raws, policies)
        except Exception as failure:  # noqa: BLE001  # any bug of ours: find the record that shows it
            LOG.error("own error in a batch", extra={"error": type(failure).__name__, "records": len(raws)})
            return [self._alone(raw, policies) for raw in raws]
        took_us = (time.perf_counter() - started) * 1e6 / len(raws)
        return [timed(one, took_us) for one in judged]

    def _alone(self, raw: RawRecord, policies: Policies) -> Judged:
        try:
            [judged] = self._checked([raw], policies)
        except Exception as failure:  # noqa: BLE001  # the culprit
            self.note(raw, failure)
            return unjudged(raw, policies)
        return judged

    def _checked(self, raws: Sequence[RawRecord], policies: Policies) -> list[Judged]:
        judged = self._judge(raws, policies)
        if len(judged) != len(raws):
            raise OwnError(f"{len(raws)} records, {len(judged)} decisions")
        return judged

    def note(self, raw: RawRecord, failure: Exception) -> None:
        """Counts and logs an error of our own: its class and place, never its message, which may quote the record."""
        name, place = type(failure).__name__, msgspec.to_builtins(raw.source)
        self._noted(name)
        LOG.error("own error", extra={"error": name, "source": place, "frames": frames(failure)})


def timed(one: Judged, took_us: float) -> Judged:
    """With its share of the judging time, unless it has a time of its own."""
    if one.decision.took_us is not None:
        return one
    return replace(one, decision=replace(one.decision, took_us=round(took_us, 1)))


def frames(failure: Exception) -> list[str]:
    """Where it happened, without its message: that may hold a piece of the record."""
    return [f"{f.filename}:{f.lineno} {f.name}" for f in traceback.extract_tb(failure.__traceback__)[-8:]]
