"""The gate: consume, judge, publish, commit. It must never show an output without its decision, nor either one twice.

One transaction a batch holds outputs, dead letters, decisions, observations and the input's offsets. What can't be
committed is aborted and read again from the offsets that the broker has (STREAM §2).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition
from msgspec.structs import replace

from guardrail.drift.tally import Trial, tally
from guardrail.errors import TransientError
from guardrail.judge.decide import Judged, judge
from guardrail.judge.model import RawRecord
from guardrail.judge.policy import Policies
from guardrail.settings import Settings
from guardrail.stream import client, topics
from guardrail.stream.deadletter import Reason
from guardrail.stream.faults import OwnError, RefusedError, kafka_error
from guardrail.stream.health import Health
from guardrail.stream.judging import Judge, Judging
from guardrail.stream.lag import Lag
from guardrail.stream.publisher import Publisher
from guardrail.stream.record import producers_time, raw_record, trials
from guardrail.stream.recovery import Recovery
from guardrail.stream.routing import Outgoing, Routed, Routes, refuse, settle
from guardrail.stream.source import Source
from guardrail.telemetry import names
from guardrail.telemetry.report import Report, trace_id

LOG = logging.getLogger("guardrail.stream")

STOPPING = "stopping"
TOPICS_PAUSE_S = 2.0
"""Between two looks for topics that aren't there yet."""


class Broker(NamedTuple):
    """How a kind of broker is read from, and asked what its topics take."""

    source: Callable[[Consumer, str, Callable[[str], None]], Source]
    routes: Callable[[Settings], Routes]


class Settled(NamedTuple):
    """A judged record, what is published for it, and drift's trials of it."""

    judged: Judged
    routed: Routed
    trials: tuple[Trial, ...] = ()


KAFKA = Broker(Source, topics.routes)


class Gate:
    """The sidecar's loop, single-threaded: `run()` it until `stop()`, or `open`, `step` and `close` it by hand."""

    def __init__(
        self,
        settings: Settings,
        policies: Policies,
        *,
        judge: Judge = judge,
        report: Report | None = None,
        broker: Broker = KAFKA,
    ) -> None:
        """`broker` is a Kafka, or embedded.EMBEDDED. Raises SettingsError."""
        gate = settings.gate
        self.policies = policies
        self.report = report or Report(policies)
        self.health = Health(settings.admin.stalled_ms / 1000)
        self._settings = settings
        self._identity = settings.identity()
        self._stopping = threading.Event()
        self._lag = Lag(self.report, settings.topics.raw)
        self._judging = Judging(judge, gate.cpu_ms / 1000, self._own_error)
        self._publisher = Publisher(self._producer, gate.transaction_ms / 1000, self._stopping.is_set)
        consumer = client.make_consumer(client.consumer_config(settings, self._identity), self._lag.statistics)
        self._source = broker.source(consumer, settings.topics.raw, self._noted)
        self._find_routes = broker.routes
        self._routes = Routes()
        self._recovery = Recovery()
        self._carried: list[Message] = []
        self._at_hand: list[Message] = []
        self._alone_count = 0
        self._in_a_row = 0
        self._failed = ""
        self._owed: set[int | None] = set()
        self._refused: dict[tuple[int | None, int | None], str] = {}

    def step(self) -> int:
        """One batch, from the raw topic to its commit. Gives back how many records it was.

        Raises TransientError when it couldn't be committed: nothing of it is visible, and it will be read again.
        """
        messages = self._take()
        if not messages:
            return self._idle()
        started_ns = time.time_ns()
        raws = [raw_record(message) for message in messages]
        judged = self._judging.judge(raws, self.policies)
        messages, raws = self._carry(messages, len(judged)), raws[: len(judged)]
        settled = [self._settle(*triple) for triple in zip(messages, raws, judged, strict=True)]
        settled, observed = self._observe(messages, raws, settled, started_ns // 1_000_000)
        in_a_row = self._own_errors(settled)
        offsets = _next_offsets(messages)

        self._publisher.begin()
        for outgoing in (*_outcomes(settled), *observed):
            self._publisher.send(outgoing)
        self._publisher.commit(offsets, self._source.consumer.consumer_group_metadata())
        self._source.store(offsets)

        self._in_a_row = in_a_row
        self._committed(raws, settled, started_ns)
        return len(raws)

    def run(self) -> None:
        """Turns until `stop()`. Raises what ends the gate for good: FencedError, and the last ones of stream.faults."""
        try:
            self.open()
            while not self._stopping.is_set():
                self._turn()
        except TransientError:
            if not self._stopping.is_set():
                raise
        finally:
            self.close()

    def stop(self) -> None:
        """Lets the batch at hand end, and no other begin; not ready from now on. A signal handler may call it."""
        self._stopping.set()
        self.health.failing = STOPPING

    def open(self) -> None:
        """Connects: fences whoever had our transactional id before, then joins the group."""
        self._routes = self._find_routes(self._settings)
        self._publisher.open(self._settings.gate.start_ms / 1000)
        if self._await_topics():  # before, nobody could tell what they take
            self._routes = self._find_routes(self._settings)
            self._publisher.open(self._settings.gate.start_ms / 1000)
        self._source.open()
        self._show()

    def _await_topics(self) -> bool:
        """Waits until every topic is there, and says which aren't. Gives back whether there was one to wait for."""
        told = False
        while (missing := self._missing()) and not self._stopping.is_set():
            if not told:
                LOG.error("topics missing", extra={"topics": missing, "hint": "guardrail topics --create"})
            told = True
            self.health.beat()
            self.health.failing = _told(missing)
            self._stopping.wait(TOPICS_PAUSE_S)
        return told and not self._stopping.is_set()

    def _missing(self) -> list[str]:
        names = (self._settings.topics.raw, *self._routes.topics())
        try:
            return self._source.missing(names)
        except KafkaException as failure:  # whoever can't list may still read and write
            LOG.warning("topics unknown", extra={"error": kafka_error(failure).name()})
            return []

    def close(self) -> None:
        """Lets go of everything within the time that closing may take, whatever the brokers do."""
        ending = threading.Thread(target=self._let_go, name="gate-close", daemon=True)
        ending.start()
        ending.join(self._settings.gate.close_ms / 1_000)

    def _let_go(self) -> None:
        self._publisher.close()
        self._source.close()

    def _turn(self) -> None:
        """One batch, or the way back from a failed one."""
        self.health.beat()
        try:
            self.step()
        except TransientError as fault:
            failed: TransientError | None = fault
            while failed is not None and not self._stopping.is_set():
                failed = self._recover(failed)

    def _recover(self, fault: TransientError) -> TransientError | None:
        """Aborts, or takes a new producer, and goes back to the committed offsets. Gives back what fails in that."""
        LOG.warning("batch given back", extra={"error": str(fault), "records": len(self._at_hand)})
        self.report.count(names.ABORTS, type(fault).__name__)
        self.health.failing = self._failed = str(fault)
        self._owed |= {message.partition() for message in self._at_hand}
        if isinstance(fault, RefusedError):
            self._suspect(str(fault))
        self._carried, self._at_hand = [], []
        try:
            pause_s = self._recovery.note(fault)
            if pause_s is None:
                self._publisher.abort()
            else:
                self._stopping.wait(pause_s)
                self.health.beat()
                self._publisher.open(self._settings.gate.transaction_ms / 1000)
            self._source.rewind()
        except TransientError as worse:
            return worse
        if missing := self._missing():  # the error that follows from it doesn't say so
            LOG.error("topics missing", extra={"topics": missing, "hint": "guardrail topics --create"})
            self._failed = _told(missing)
        self._show()
        return None

    def _show(self) -> None:
        """What a probe is told: a failed batch counts for as long as its partitions are ours and it isn't committed."""
        self._owed &= self._source.partitions
        self.health.assigned = bool(self._source.partitions)
        self.health.failing = self._source.waiting or (self._failed if self._owed else None)
        if self._stopping.is_set():  # after the line above: a signal may come between any two
            self.health.failing = STOPPING

    def _suspect(self, why: str) -> None:
        """A record of the batch is refused by its topic: each is tried alone, and one refused alone stays so.

        Its dead letter is a stub of our own making, without the original's time: nothing is left to refuse.
        """
        if len(self._at_hand) == 1:
            self._refused[_place(self._at_hand[0])] = why
        self._alone_count = len(self._at_hand)

    def _take(self) -> list[Message]:
        """What was left over and what is new, within the batch's limits; more than that is left over again."""
        gate = self._settings.gate
        count = 1 if self._alone_count else gate.batch_messages
        wait_s = 0.0 if self._carried else gate.wait_ms / 1000
        self._at_hand = []
        fresh = self._source.take(max(count - len(self._carried), 1), wait_s)
        gone = self._source.gone()
        waiting = [message for message in self._carried if message.partition() not in gone] + fresh
        self._owed -= gone
        self._show()
        return self._carry(waiting, _fitting(waiting, count, gate.batch_bytes), [])

    def _carry(self, messages: list[Message], count: int, behind: list[Message] | None = None) -> list[Message]:
        """The first `count` messages are the batch at hand; the others come before those that were left `behind`."""
        self._carried = messages[count:] + (self._carried if behind is None else behind)
        self._at_hand = messages[:count]
        return self._at_hand

    def _settle(self, message: Message, raw: RawRecord, judged: Judged) -> Settled:
        """What one record comes to. A bug of ours in that costs that record."""
        why = self._refused.get(_place(message)) if self._refused else None
        if why is not None:
            return Settled(judged, refuse(raw, judged.decision, Reason("OutputRefused", why, "produce"), self._routes))
        try:
            traced = _traced(raw, judged)
            seen = tuple(trials((traced,), self.policies)) if judged.decision.observations else ()
            return Settled(traced, settle(raw, traced, self._routes, keep_time=producers_time(message)), seen)
        except Exception as failure:  # noqa: BLE001  # any bug of ours
            return self._broken(message, raw, judged, failure)

    def _broken(self, message: Message, raw: RawRecord, judged: Judged, failure: Exception) -> Settled:
        """Its dead letter, with the original's time."""
        self._judging.note(raw, failure)
        decision = replace(judged.decision, on_error="fail_closed")
        time_ms = max(raw.source.timestamp_ms or 0, 0) if producers_time(message) else 0
        reason = Reason("OwnError", type(failure).__name__, "route")
        return Settled(judged, refuse(raw, decision, reason, self._routes, time_ms))

    def _observe(
        self, messages: Sequence[Message], raws: Sequence[RawRecord], settled: list[Settled], received_ms: int
    ) -> tuple[list[Settled], list[Outgoing]]:
        """Tallies and mismatches of the batch. Where they break, each record is tried alone: the culprit is broken."""
        try:
            return settled, self._tallied([trial for one in settled for trial in one.trials], received_ms)
        except Exception as failure:  # noqa: BLE001  # any bug of ours
            LOG.error("own error in a batch", extra={"error": type(failure).__name__, "records": len(raws)})
        kept, made = [], []
        for message, raw, one in zip(messages, raws, settled, strict=True):
            try:
                made += self._tallied(one.trials, received_ms)
                kept.append(one)
            except Exception as failure:  # noqa: BLE001  # the culprit
                kept.append(self._broken(message, raw, one.judged, failure))
        return kept, made

    def _tallied(self, seen: Sequence[Trial], received_ms: int) -> list[Outgoing]:
        topic = self._routes.observations.topic
        return [Outgoing(topic, key, value) for key, value in tally(seen, received_ms).records()]

    def _own_errors(self, settled: Sequence[Settled]) -> int:
        """How many of our own errors stand in a row at the batch's end. Raises OwnError where they are too many."""
        in_a_row = self._in_a_row
        for one in settled:
            in_a_row = in_a_row + 1 if one.routed.decision.on_error is not None else 0
            if in_a_row >= self._settings.gate.own_errors_count:
                raise OwnError(f"{in_a_row} of our own errors in a row, judging or routing")
        return in_a_row

    def _committed(self, raws: Sequence[RawRecord], settled: Sequence[Settled], started_ns: int) -> None:
        """All of it is visible now: say so once."""
        ended_ns = time.time_ns()
        done = [replace(one.judged, decision=one.routed.decision) for one in settled]
        try:
            self.report.batch(done, raws, started_ns, ended_ns)
            self._lag.batch(raws, ended_ns // 1_000_000)
        except Exception as failure:  # noqa: BLE001  # telemetry never stops the stream
            LOG.error("report failed", extra={"error": type(failure).__name__, "records": len(raws)})
        self._recovery.committed()
        self._owed.clear()
        self.health.committed()
        self._show()
        self._alone_count = max(self._alone_count - len(raws), 0)
        for message in self._at_hand if self._refused else ():
            self._refused.pop(_place(message), None)

    def _idle(self) -> int:
        self._lag.idle()
        return 0

    def _producer(self) -> Producer:
        limits = self._routes.limits()
        return client.make_producer(client.producer_config(self._settings, self._identity, max(limits), min(limits)))

    def _noted(self, what: str) -> None:
        if what == "rebalance":
            self.report.count(names.REBALANCES)
        else:
            self.report.count(names.REDELIVERED, what)

    def _own_error(self, name: str) -> None:
        self.report.count(names.OWN_ERRORS, name)


def _traced(raw: RawRecord, judged: Judged) -> Judged:
    """With the trace that shows it, where there is one."""
    found = trace_id(raw, judged.decision)
    return replace(judged, decision=replace(judged.decision, trace_id=found)) if found else judged


def _told(missing: Sequence[str]) -> str:
    return f"missing topics: {', '.join(missing)} (guardrail topics --create)"


def _outcomes(settled: Sequence[Settled]) -> Iterator[Outgoing]:
    return (outgoing for one in settled for outgoing in one.routed.records)


def _next_offsets(messages: Sequence[Message]) -> list[TopicPartition]:
    """The offset to read next, of every partition in the batch."""
    last = {(m.topic(), m.partition()): m.offset() for m in messages}
    return [
        TopicPartition(topic or "", partition or 0, (offset or 0) + 1) for (topic, partition), offset in last.items()
    ]


def _fitting(messages: Sequence[Message], count: int, limit_bytes: int) -> int:
    """How many first messages make a batch: one at least, however large."""
    size = 0
    for index, message in enumerate(messages[:count]):
        size += len(message)
        if size > limit_bytes and index:
            return index
    return min(count, len(messages))


def _place(message: Message) -> tuple[int | None, int | None]:
    return message.partition(), message.offset()
