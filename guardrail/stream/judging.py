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


class Judging:
    """Calls the judge in slices, within a CPU budget; a record that breaks it is judged by its failure policy."""

    def __init__(self, judge: Judge, cpu_s: float, noted: Callable[[str], None]) -> None:
        """`noted` is told of each of our own errors, by its class."""
        self._judge = judge
        self._cpu_s = cpu_s
        self._noted = noted

    def judge(self, raws: Sequence[RawRecord], policies: Policies) -> list[Judged]:
        """The judged records, in order: all of them, or as many first ones as the budget allowed, at least a slice."""
        judged: list[Judged] = []
        until = time.thread_time() + self._cpu_s
        for start in range(0, len(raws), SLICE_MESSAGES):
            judged += self._slice(raws[start : start + SLICE_MESSAGES], policies)
            if time.thread_time() > until:
                break
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
