"""What a batch comes to: judged records as what is published for them. It must never let one record's bug cost another.

A bug of ours in a trace, a route or a tally makes a dead letter of the record that shows it; many in a row stop the
gate: this build can't judge.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from confluent_kafka import Message
from msgspec.structs import replace

from guardrail.drift.tally import Seen, tally
from guardrail.judge.decide import Judged
from guardrail.judge.model import Decision, Outcome, RawRecord
from guardrail.judge.policy import Policies
from guardrail.stream.deadletter import Reason, Refusal
from guardrail.stream.faults import OwnError
from guardrail.stream.judging import Judging
from guardrail.stream.record import producers_time, seen
from guardrail.stream.routing import FLOOR_BYTES, Outgoing, Routed, Routes, refuse, settle
from guardrail.telemetry.report import trace_id

LOG = logging.getLogger("guardrail.stream")


class Taken(NamedTuple):
    """One record of a batch: as it came, as it was judged, and why its topic won't take its output, if it won't."""

    message: Message
    raw: RawRecord
    judged: Judged
    refused: Refusal | None = None
    agent: str | None = None
    """Whose it is; for one that a change makes nobody's, whose it was."""
    beside: Decision | None = None
    """What the policy in force said of it, where a canary decides."""
    by: Policies | None = None
    """The policies that a canary judged it under."""


class Settled(NamedTuple):
    """A judged record, what is published for it, and what drift counts of it."""

    judged: Judged
    routed: Routed
    seen: tuple[Seen, ...] = ()


class Settlement(NamedTuple):
    """A batch, ready to be published."""

    settled: list[Settled]
    observed: list[Outgoing]
    own_errors_in_a_row: int

    def outgoing(self) -> Iterator[Outgoing]:
        """All that its transaction holds: what each record comes to, then the observations."""
        for one in self.settled:
            yield from one.routed.records
        yield from self.observed

    def judged(self) -> list[Judged]:
        """The records with their decisions as they were published."""
        return [_as_published(one.judged, one.routed.decision) for one in self.settled]


class Settling:
    """Settles batch after batch, and counts our own errors over them."""

    def __init__(self, judging: Judging, own_errors_count: int, *, spans: bool) -> None:
        """With `spans`, a decision names the trace of its own drift span: it isn't sent otherwise."""
        self._judging = judging
        self._own_errors_count = own_errors_count
        self._spans = spans
        self._in_a_row = 0

    def settle(self, batch: Sequence[Taken], policies: Policies, routes: Routes, received_ms: int) -> Settlement:
        """What is published for a batch. Raises OwnError when too many of its errors in a row are our own."""
        settled = [self._settle(one, policies, routes) for one in batch]
        settled, observed = self._observe(batch, settled, routes, received_ms)
        return Settlement(settled, observed, self._own_errors(settled))

    def committed(self, settlement: Settlement) -> None:
        """It is visible: what comes next is counted on from there."""
        self._in_a_row = settlement.own_errors_in_a_row

    def _settle(self, one: Taken, policies: Policies, routes: Routes) -> Settled:
        """What one record comes to. A bug of ours in that costs that record."""
        raw, judged = one.raw, one.judged
        if one.refused is not None:
            reason = Reason("OutputRefused", one.refused.why, "produce")
            return Settled(judged, refuse(raw, judged.decision, reason, routes.within(FLOOR_BYTES, one.refused.by)))
        try:
            traced = self._traced(raw, judged)
            routed = settle(raw, traced, routes, keep_time=producers_time(one.message))
            return Settled(traced, routed, tuple(seen((traced,), one.by or policies)))
        except Exception as failure:  # noqa: BLE001  # any bug of ours
            return self._broken(one, judged, routes, failure)

    def _traced(self, raw: RawRecord, judged: Judged) -> Judged:
        """With the trace that shows it, where there is one."""
        found = trace_id(raw, judged.decision, spans=self._spans)
        return replace(judged, decision=replace(judged.decision, trace_id=found)) if found else judged

    def _broken(self, one: Taken, judged: Judged, routes: Routes, failure: Exception) -> Settled:
        """Its dead letter, with the original's time."""
        self._judging.note(one.raw, failure)
        decision = replace(judged.decision, on_error="fail_closed")
        time_ms = max(one.raw.source.timestamp_ms or 0, 0) if producers_time(one.message) else 0
        reason = Reason("OwnError", type(failure).__name__, "route")
        return Settled(judged, refuse(one.raw, decision, reason, routes, time_ms))

    def _observe(
        self, batch: Sequence[Taken], settled: list[Settled], routes: Routes, received_ms: int
    ) -> tuple[list[Settled], list[Outgoing]]:
        """Tallies and mismatches of the batch. Where they break, each record is tried alone: the culprit is broken."""
        topic = routes.observations.topic
        try:
            return settled, _tallied([each for one in settled for each in one.seen], topic, received_ms)
        except Exception as failure:  # noqa: BLE001  # any bug of ours
            LOG.error("own error in a batch", extra={"error": type(failure).__name__, "records": len(batch)})
        kept, made = [], []
        for taken, one in zip(batch, settled, strict=True):
            try:
                made += _tallied(one.seen, topic, received_ms)
                kept.append(one)
            except Exception as failure:  # noqa: BLE001  # the culprit
                kept.append(self._broken(taken, one.judged, routes, failure))
        return kept, made

    def _own_errors(self, settled: Sequence[Settled]) -> int:
        """How many of our own errors stand in a row at the batch's end. Raises OwnError where they are too many.

        A bypass is there for when our judgement is in doubt: what goes out under it says nothing either way.
        """
        in_a_row = self._in_a_row
        for decision in (one.routed.decision for one in settled):
            if decision.on_error is None:
                in_a_row = 0
            elif decision.bypass is None or decision.outcome is Outcome.DEAD_LETTER:
                in_a_row += 1
            if in_a_row >= self._own_errors_count:
                raise OwnError(f"{in_a_row} of our own errors in a row, judging or routing")
        return in_a_row


def _as_published(judged: Judged, decision: Decision) -> Judged:
    """With the decision that was published: nearly always its own."""
    return judged if judged.decision is decision else replace(judged, decision=decision)


def _tallied(counted: Sequence[Seen], topic: str, received_ms: int) -> list[Outgoing]:
    return [Outgoing(topic, key, value) for key, value in tally(counted, received_ms).records()]
