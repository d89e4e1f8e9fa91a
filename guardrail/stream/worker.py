"""The gate: consume, judge, publish, commit. It must never show an output without its decision, nor either one twice.

One transaction a batch holds outputs, dead letters, decisions, observations and the input's offsets. What can't be
committed is aborted and read again from the offsets that the broker has (STREAM §2).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer

from guardrail.errors import SettingsError, TransientError
from guardrail.judge.decide import judge
from guardrail.judge.owner import owner
from guardrail.judge.policy import Policies
from guardrail.settings import Settings, variable
from guardrail.stream import client, topics
from guardrail.stream.acknowledged import publisher_for
from guardrail.stream.complaints import Complaints
from guardrail.stream.faults import AbortError, DeniedError, kafka_error
from guardrail.stream.force import InForce
from guardrail.stream.health import Health
from guardrail.stream.intake import Intake
from guardrail.stream.judging import Judge, Judging
from guardrail.stream.lag import Lag
from guardrail.stream.lifecycle import Lifecycle
from guardrail.stream.progress import Position
from guardrail.stream.record import raw_record
from guardrail.stream.recovery import Recovery
from guardrail.stream.rights import Rights, Wanting
from guardrail.stream.routing import Outgoing, Routes, derived_key
from guardrail.stream.settling import Settlement, Settling, Taken
from guardrail.stream.source import Source
from guardrail.stream.verdicts import Verdicts, counted, differences
from guardrail.stream.wanted import Wanted
from guardrail.telemetry import names
from guardrail.telemetry.report import Report

LOG = logging.getLogger("guardrail.stream")

STOPPING = "stopping"
TOPICS_PAUSE_S = 2.0
"""Between two looks for topics that aren't there yet."""
POLICY_PAUSE_S = 0.5
NO_POLICY = "names no policy file or folder, and the register has none in force (guardrail policies publish)"


class Broker(NamedTuple):
    """How a kind of broker is read from, and asked what its topics take."""

    source: Callable[[Consumer, str, Callable[[str], None]], Source]
    routes: Callable[[Settings, Routes | None], Routes]


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
        lifecycle: Lifecycle | None = None,
    ) -> None:
        """`broker` is a Kafka, or embedded.EMBEDDED; with a `lifecycle`, policies change as it says. Raises
        SettingsError.
        """
        gate = settings.gate
        self.report = report or Report(policies)
        self._complaints = Complaints()
        self.health = Health(settings.admin.stalled_ms / 1000, lambda: self._complaints.latest)
        self._settings = settings
        self._identity = settings.identity()
        self._rights = Rights(settings, self._identity)
        self._unread = Wanting()
        self._login = client.Login(settings, self._complaints)
        self._stopping = threading.Event()
        self._lag = Lag(self.report, settings.topics.raw)
        self._judging = Judging(judge, gate.cpu_ms / 1000, self._own_error)
        self._settling = Settling(self._judging, gate.own_errors_count, spans=self.report.spans)
        deadline_s = gate.transaction_ms / 1000
        self._publisher = publisher_for(gate.delivery)(self._producer, deadline_s, self._beaten)
        config = client.consumer_config(settings, self._identity)
        consumer = client.make_consumer(config, self._lag.statistics, self._login)
        self._source = broker.source(consumer, settings.topics.raw, self._noted)
        self._lifecycle = lifecycle
        self.force = _in_force(settings, policies, lifecycle)
        self._intake = Intake(self._source, gate, self._owner)
        self._verdicts = Verdicts(self._judging, self.force, self._intake)
        self._find_routes = broker.routes
        self._found = self._routes = Routes()
        self._connected, self._look_again = False, True
        self._recovery = Recovery()
        self._failed = ""

    def step(self) -> int:
        """One batch, from the raw topic to its commit. Gives back how many records it was.

        Raises TransientError when it couldn't be committed: nothing of it is visible, and it will be read again.
        """
        self._take_up_policies()
        several = len(self.force.policies) > 1
        queued = self._intake.take(self.force.held, several=several)
        if several and self.force.held and self._intake.cramped(self.force.held) and self.force.give_way():
            self._other_policies()
        self._lag.owed(self._intake.oldest(), self._intake.owed)
        self._show()
        if not queued:
            return self._idle()
        started_ns = time.time_ns()
        batch = self._verdicts.judge([one.message for one in queued], started_ns // 1_000_000)
        if len(batch) < len(queued):
            self._alarm()
        if not batch:
            return 0
        settlement = self._settling.settle(batch, self.force.policies, self._routes, started_ns // 1_000_000)
        positions = self._intake.positions()

        self._publish(settlement.outgoing(), positions)
        self._committed(batch, settlement, started_ns)
        return len(batch)

    def _publish(self, records: Iterable[Outgoing], positions: list[Position]) -> None:
        """One transaction, and what it settles."""
        self._publisher.begin()
        for outgoing in records:
            self._publisher.send(outgoing)
        offsets = [position.committed(self._settings.topics.raw) for position in positions]
        self._publisher.commit(offsets, self._source)
        self._source.store(positions)

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
        self._connect()
        if self._await_topics():  # before, nobody could tell what they take
            self._connect()
        self._connected, self._look_again = True, False
        self._await_policies()
        self._source.open()
        self._show()

    def _await_policies(self) -> None:
        """Waits until there is a policy at all: without one every record would be of an unknown agent."""
        if self._lifecycle is not None:
            self._lifecycle.open(self._settings.gate.start_ms / 1000, self._beaten)
        while not self._stopping.is_set():
            self._take_up_policies()
            if self.force.policies:
                return
            if self._settings.policy.path is None and not self.force.refused:  # nothing that may come yet
                raise SettingsError(f"{variable('policy', 'path')}: {NO_POLICY}")
            self.health.beat()
            self.health.failing = f"no policy is in force; refused: {', '.join(self.force.refused) or 'none'}"
            self._stopping.wait(POLICY_PAUSE_S)

    def _beaten(self) -> bool:
        """Whether to end. Who waits for long asks, and turns by that."""
        self.health.beat()
        return self._stopping.is_set()

    def _take_up_policies(self) -> None:
        """Between two batches: what is wanted now is in force for the next."""
        before = self.force.revisions
        if self.force.turn(time.time_ns() // 1_000_000):
            self._other_policies(judging=self.force.revisions != before)

    def _other_policies(self, *, judging: bool = True) -> None:
        """What is in force has changed: which policies are `judging`, or only what is said of them."""
        if judging:
            self._judging.forget(foreign=self.force.foreign)
        self.report.policies(self.force.policies)
        self._alarm()

    def _alarm(self) -> None:
        """Says what somebody has to look at."""
        self.report.set(names.POLICY_REFUSED, {(entry,): 1.0 for entry in self.force.refused})
        agents, tripped, bypassing = self.force.policies, self.force.tripped, self.force.bypassing
        self.report.set(names.BREAKER, {(agent,): float(agent in tripped) for agent in agents})
        self.report.set(names.BYPASS, {(agent,): float(agent in bypassing) for agent in agents})

    def _connect(self) -> None:
        """A producer with our transactional id; waits for as long as that is denied to us."""
        told = False
        while not self._stopping.is_set():
            try:
                self._publisher.open(self._settings.gate.start_ms / 1000)
                break
            except DeniedError as fault:
                self._wait(self._rights.wanting((), fault), told=told)
                told = True

    def _await_topics(self) -> bool:
        """Waits until every topic is there, and says which aren't. Gives back whether there was one to wait for."""
        told = False
        while (wanting := self._rights.wanting(self._missing())) and not self._stopping.is_set():
            self._wait(wanting, told=told)
            told = True
        return told and not self._stopping.is_set()

    def _wait(self, wanting: Wanting, *, told: bool) -> None:
        if not told:
            wanting.log()
        self.health.beat()
        self.health.failing = str(wanting)
        self._stopping.wait(TOPICS_PAUSE_S)

    def _missing(self) -> list[str]:
        return self._asked(self._source.missing)

    def _out_of_sync(self) -> str:
        """A topic with too few copies fails whatever touches it, under other names."""
        behind = [] if self._stopping.is_set() else self._asked(self._source.out_of_sync)
        return f" (copies out of sync: {', '.join(behind)})" if behind else ""

    def _asked(self, question: Callable[[Iterable[str]], list[str]]) -> list[str]:
        """Which of our topics are so; none where the broker doesn't tell."""
        try:
            return question((self._settings.topics.raw, *self._routes.topics()))
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
        self._login.renew(self._source.consumer)
        self._unread = self._rights.still_denied(self._source.denied)
        if not self._unread:
            self._source.denied = None
        try:
            self.step()
        except TransientError as fault:
            failed: TransientError | None = fault
            while failed is not None and not self._stopping.is_set():
                failed = self._recover(failed)

    def _recover(self, fault: TransientError) -> TransientError | None:
        """Aborts, or takes a new producer, and goes back to the committed offsets. Gives back what fails in that."""
        LOG.warning("batch given back", extra={"error": str(fault), "records": len(self._intake.at_hand)})
        self.report.count(names.ABORTS, type(fault).__name__)
        self._failed = f"{fault}{self._out_of_sync()}"
        self._tell(self._rights.wanting((), fault))
        self.health.failing = self._failed
        self._intake.give_back(fault)
        self._lag.show()
        try:
            pause_s = self._recovery.note(fault)
            if pause_s is None:
                self._publisher.abort()
            else:
                self._stopping.wait(pause_s)
                self.health.beat()
                self._look_again = isinstance(fault, AbortError)  # so many in a row: a topic may have been made anew
                self._publisher.open(self._settings.gate.transaction_ms / 1000)
            self._source.rewind()
            self._intake.rewound()
        except TransientError as worse:
            return worse
        self._tell(self._rights.wanting(self._missing()))
        self._show()
        return None

    def _tell(self, wanting: Wanting) -> None:
        """What is wanting is why the batch has failed: the error that follows from it doesn't say so."""
        if wanting:
            wanting.log()
            self._failed = str(wanting)

    def _show(self) -> None:
        """What a probe is told: a failed batch counts for as long as its partitions are ours and it isn't committed."""
        self.health.joined = self._source.joined
        self.health.failing = (
            str(self._unread)
            or self._source.waiting
            or (self._failed if self._intake.owed else None)
            or self.force.alarm
        )
        if self._stopping.is_set():  # after the line above: a signal may come between any two
            self.health.failing = STOPPING

    def _committed(self, batch: Sequence[Taken], settlement: Settlement, started_ns: int) -> None:
        """All of it is visible now: say so once."""
        ended_ns = time.time_ns()
        raws = [one.raw for one in batch]
        self._intake.committed()
        try:
            self.report.batch(settlement.judged(), raws, started_ns, ended_ns)
            self._lag.owed(self._intake.oldest(), ())
            self._lag.batch(raws, ended_ns // 1_000_000)
            for said, canary in differences(batch):
                self.report.count(names.CANARY, str(said.agent), said.enforced_outcome, canary.enforced_outcome)
        except Exception as failure:  # noqa: BLE001  # telemetry never stops the stream
            LOG.error("report failed", extra={"error": type(failure).__name__, "records": len(raws)})
        self._settling.committed(settlement)
        self.force.committed(counted(batch, (one.routed.decision for one in settlement.settled)))
        self._recovery.committed()
        self.health.committed()
        self._show()

    def _idle(self) -> int:
        self._lag.idle()
        if positions := self._intake.caught_up():
            self._publish((), positions)
        return 0

    def _producer(self) -> Producer:
        """A new one, by what the topics take; that is asked at the start, and where they may have changed."""
        try:
            if self._look_again:
                self._found = self._find_routes(self._settings, self._found if self._connected else None)
                self._look_again = not self._connected
                self.health.beat()
            limits = self._found.limits()
            config = client.producer_config(self._settings, self._identity, max(limits), min(limits))
            self._routes = self._found.within(client.largest_bytes(config))
            return client.make_producer(config, self._producer_complained)
        except SettingsError as failure:  # of a running gate: a file of credentials that changes just now
            if not self._connected:
                raise
            raise DeniedError(f"producer: {failure}") from failure

    def _noted(self, what: str) -> None:
        if what == "rebalance":
            self.report.count(names.REBALANCES)
        else:
            self.report.count(names.REDELIVERED, what)

    def _producer_complained(self, error: KafkaError) -> None:
        self._complaints(error)
        if error.code() == client.LOGIN_FAILED:
            self._publisher.distrust()

    def _owner(self, message: Message) -> tuple[str, Hashable]:
        """Whose a message is, and what it stays in order with: its key, which a record without one takes from within.

        Raises nothing: what can't be read is somebody's too.
        """
        try:
            found = owner(raw_record(message), self.force.policies)
        except Exception as failure:  # noqa: BLE001  # any bug of ours: the judge will meet it, and say so
            LOG.error("owner unknown", extra={"error": type(failure).__name__})
            return names.OTHER, message.key()
        agent = found.agent or names.OTHER
        if agent not in self.force.policies:
            agent = names.OTHER  # no share for each name that comes
        return agent, message.key() if message.key() is not None else derived_key(found.conversation)

    def _own_error(self, name: str) -> None:
        self.report.count(names.OWN_ERRORS, name)


def _in_force(settings: Settings, policies: Policies, lifecycle: Lifecycle | None) -> InForce:
    """What `lifecycle` says; without one these policies, for good."""
    if lifecycle is not None:
        return InForce(lifecycle.look, settings.breaker, proven=lifecycle.prove)
    fixed = Wanted(policies)
    return InForce(lambda: fixed, settings.breaker)
