"""The judge, called so that our own errors cost one record and not the stream.

It must never let a record that broke it out unmarked, nor log a word of one.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Mapping, Sequence

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
FIRST_MESSAGES = 7
"""In the first slice under policies that are new: nobody knows yet what a record costs. At 5 s each it still ends
within `stalled_ms`.
"""
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
        self._sizes: dict[str, int] = {}
        self._most = SLICE_MESSAGES
        self._until_s = 0.0
        self._left_out: set[str] = set()

    def forget(self, *, foreign: bool) -> None:
        """Policies have changed: what records cost is found out anew. With `foreign` code in the judging, a record may
        take any time at any time, whatever those before it took: slices stay as small as the first.
        """
        self._sizes.clear()
        self._most = FIRST_MESSAGES if foreign else SLICE_MESSAGES

    def judge(self, raws: Sequence[RawRecord], policies: Policies) -> list[Judged | None]:
        """A batch: the judged records, in order; null from where the budget ran out. A slice is judged whatever it
        costs.
        """
        self._until_s = time.monotonic() + WAITED_S
        return self._within("", raws, policies, self._cpu_s, SLICE_MESSAGES)

    def judge_shared(
        self, raws: Sequence[RawRecord], policies: Policies, groups: Mapping[str, Sequence[int]]
    ) -> list[Judged | None]:
        """The same for a batch of several agents, each with the places of its records, those who have few first.

        Each gets an equal share of the budget that is left, so that none can spend another's. Whom the time for waiting
        doesn't reach is the first in the next batch.
        """
        judged: list[Judged | None] = [None] * len(raws)
        until, self._until_s = time.thread_time() + self._cpu_s, time.monotonic() + WAITED_S
        in_turn = sorted(groups, key=lambda name: name not in self._left_out)
        self._left_out = set()
        for index, name in enumerate(in_turn):
            if index and time.monotonic() > self._until_s:
                self._left_out = set(in_turn[index:])
                break
            share_s = max(until - time.thread_time(), 0.0) / (len(groups) - index)
            mine = [raws[place] for place in groups[name]]
            found = self._within(name, mine, policies, share_s, SHARED_SLICE_MESSAGES)
            for place, one in zip(groups[name], found, strict=True):
                judged[place] = one
        return judged

    def judge_beside(self, name: str, raws: Sequence[RawRecord], policies: Policies) -> list[Judged | None]:
        """Records of the batch at hand, under other policies: within a CPU budget of their own, and what is left of the
        batch's time for waiting. Null from where that ran out; a slice is judged all the same, of one record then.
        """
        return self._within(name, raws, policies, self._cpu_s, SHARED_SLICE_MESSAGES) if raws else []

    @property
    def late(self) -> bool:
        """Whether the batch's time for waiting is over."""
        return time.monotonic() > self._until_s

    def _within(
        self, name: str, raws: Sequence[RawRecord], policies: Policies, cpu_s: float, slice_messages: int
    ) -> list[Judged | None]:
        judged: list[Judged | None] = []
        until = time.thread_time() + cpu_s
        while len(judged) < len(raws):
            judged += self._sized(name, raws[len(judged) :], policies, slice_messages)
            if time.thread_time() > until or time.monotonic() > self._until_s:
                break
        return judged + [None] * (len(raws) - len(judged))

    def _sized(self, name: str, raws: Sequence[RawRecord], policies: Policies, most: int) -> list[Judged]:
        """A slice of the first ones: smaller than the name's last one where that was slow, else larger."""
        late = self.late
        size = 1 if late else min(self._sizes.get(name, FIRST_MESSAGES), most, self._most)
        started = time.monotonic()
        judged = self._slice(raws[:size], policies)
        slow = time.monotonic() - started > SLOW_S
        if slow:
            self._sizes[name] = max(size // 4, 1)
        elif len(judged) == size and not late:  # fewer say little of what so many would cost
            self._sizes[name] = min(size * 2, SLICE_MESSAGES)
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
