"""What every fault is measured with: input that flows while it lasts, and readers that miss nothing.

It must never call a run good by itself: it gives figures, and a test holds them against the row of the matrix.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from confluent_kafka import KafkaError, Message, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from guardrail.settings import Settings
from tests.broker.cluster import Cluster
from tests.broker.proxy import Proxy
from tests.faults.counts import MISCOUNTED, miscounted
from tests.faults.ledger import Ledger, Stalls
from tests.faults.readers import Reading, read_all, uncommitted_ends
from tests.stream.deployment import PATIENCE_S, committed, wait_until
from tests.stream.deployment import deploy as deploy_on
from tests.stream.records import drifting, record

KEYS_COUNT = 200
MARK = "@@@"
QUICK_METADATA = {"topic.metadata.refresh.interval.ms": 500}
"""New partitions are used soon."""
CAST: tuple[bytes, ...] = (
    *[record(MARK, message_id=MARK).value or b""] * 7,  # approved
    *[drifting(f"it is P76041 {MARK}", MARK).value or b""] * 2,  # rejected, with an observation
    b'{"agent_id": "nobody", "message": "' + MARK.encode() + b'"}',  # a dead letter
)
"""One transaction has to hold together what goes to all of these topics."""
THIN: tuple[bytes, ...] = (*[CAST[-1]] * 39, CAST[0], *[CAST[-1]] * 39, CAST[-2])
"""One in forty has an agent: two cores can't judge thousands a second beside three brokers."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run comes to. Lost and duplicated: the worse of the concurrent and the final reader.

    Aborted: outputs and decisions that stand in the logs and nobody may see. Stall: the longest time for which a
    partition of the input had nothing new to show.
    """

    records: int
    lost: int
    duplicated: int
    reordered: int
    aborted: int
    stall_s: float
    extra: Mapping[str, float] = field(default_factory=dict)
    """What else a row shows, the unit last in its name."""


def assert_exact(found: Figures) -> None:
    """Nothing lost, nothing twice, nothing out of order, and drift counted as it was."""
    assert (found.lost, found.duplicated, found.reordered) == (0, 0, 0), found
    assert found.extra.get(MISCOUNTED, 0) == 0, found


@contextmanager
def bed_of_three(folder: Path, gate: Mapping[str, Any], **broker: str | int) -> Iterator[Bed]:
    """Three brokers and a proxy before them, with these settings for gates and brokers."""
    with Cluster(3, proxied=True, **broker) as cluster, Proxy(cluster.routes) as proxy:
        yield Bed(cluster, proxy, folder, gate)


@dataclass(frozen=True, slots=True)
class Bed:
    """Where faults are tried: a cluster, a proxy before it, a folder for logs, and the gates' settings."""

    cluster: Cluster
    proxy: Proxy
    folder: Path
    gate: Mapping[str, Any]

    def deploy(self, partitions: int = 6, limits: dict[str, int] | None = None, **gate: Any) -> Settings:
        """Fresh topics on the cluster, and settings for gates on them in a group of their own."""
        return deploy_on(self.cluster.bootstrap, self._topics, partitions, limits, **{**self.gate, **gate})

    @property
    def admin(self) -> AdminClient:
        """For looking at the cluster."""
        return AdminClient({"bootstrap.servers": self.cluster.bootstrap, "log_level": 0})

    def _topics(self, *names: str, partitions: int = 1, config: dict[str, str | int] | None = None) -> list[str]:
        made = [f"{name}-{uuid4().hex[:12]}" for name in names]
        given = {name: str(value) for name, value in (config or {}).items()}
        topics = [NewTopic(name, partitions, replication_factor=-1, config=given) for name in made]
        admin = self.admin  # held: it answers only while it lives
        for created in admin.create_topics(topics).values():
            created.result(PATIENCE_S)
        return made


class Traffic:
    """Input at a steady rate while it is entered, a read_committed reader beside it, and figures afterwards.

    `with Traffic(settings, rate=500) as traffic: ... traffic.flows()`, then `traffic.measure()`.
    """

    def __init__(self, settings: Settings, *, rate: float, least: int = 0, cast: Sequence[bytes] = CAST) -> None:
        """`rate` is records a second, `cast` what they are in turn; before it is left, at least `least` are sent."""
        self.settings = settings
        self._rate, self._least, self._cast = rate, least, cast
        self._ending, self._stopping = threading.Event(), threading.Event()
        self.sent: dict[int, int] = {}
        """The last offset of each raw partition that the broker has acknowledged."""
        self._unsent: list[KafkaError] = []
        self._ledger = Ledger(settings.topics.decisions)
        self.stalls = Stalls(partitions_of(settings))
        self._failures: list[BaseException] = []
        self._threads = [threading.Thread(target=self._kept, args=(run,)) for run in (self._produce, self._read)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._least = self._least if kind is None else 0
        self._ending.set()
        self._threads[0].join()
        if kind is not None:
            self._stopping.set()

    def flows(self, patience_s: float = 120.0) -> float:
        """Waits until each partition shows something that was sent from now on. Gives back the seconds that took."""
        started = time.monotonic()
        wanted = {partition: self.sent.get(partition, -1) + 1 for partition in self.stalls.reached}
        wait_until(lambda: bool(self._failures) or self._visible(wanted), f"visible from {wanted} on", patience_s)
        self.check()
        return time.monotonic() - started

    def begin(self) -> None:
        """Waits until all flows; what was slow until then is nobody's fault."""
        self.flows()
        self.stalls.reset()

    def check(self) -> None:
        """Raises AssertionError where input or reader have failed: what comes after would show nothing."""
        assert not self._failures, self._failures

    def widen(self) -> None:
        """The input has more partitions from now on."""
        self.stalls.watch(partitions_of(self.settings))

    def measure(self) -> Figures:
        """Waits for what has been sent, ends the readers, and holds both against the input."""
        try:
            self._wait()
        finally:
            self._stopping.set()
            self._threads[1].join()
        self.check()
        assert not self._unsent, self._unsent
        ends = ends_of(self.settings)
        final = read_all(self.settings)
        views = [ledger.against(ends) for ledger in (self._ledger, final)]
        return Figures(
            records=sum(ends.values()),
            lost=max(view.lost for view in views),
            duplicated=max(view.duplicated for view in views),
            reordered=max(self._ledger.reordered, final.reordered),
            aborted=read_all(self.settings, "read_uncommitted").total - final.total,
            stall_s=self.stalls.longest_s,
            extra={MISCOUNTED: miscounted(self.settings)},
        )

    def _wait(self, patience_s: float = 120.0) -> None:
        """Until all is visible and committed; what never comes is counted as lost, offsets must be right."""
        until = time.monotonic() + patience_s
        while not self._visible(self.sent) and time.monotonic() < until and not self._failures:
            time.sleep(0.05)
        ends = {partition: end for partition, end in ends_of(self.settings).items() if end}
        while (found := {p: at for p, at in committed(self.settings).items() if p in ends}) != ends:
            assert time.monotonic() < until + PATIENCE_S, f"committed {found}, not {ends}"
            time.sleep(0.5)

    def _visible(self, wanted: Mapping[int, int]) -> bool:
        reached = self.stalls.reached
        return all(reached.get(partition, -1) >= offset for partition, offset in wanted.items())

    def _kept(self, run: Any) -> None:
        try:
            run()
        except BaseException as failure:  # noqa: BLE001  # the test looks at it
            self._failures.append(failure)

    def _produce(self) -> None:
        config = {"bootstrap.servers": self.settings.kafka.bootstrap_servers, "partitioner": "murmur2_random"}
        producer = Producer(
            {
                **config,
                "enable.idempotence": True,
                "linger.ms": 5,
                "compression.type": "lz4",
                **QUICK_METADATA,
                "log_level": 0,
            }
        )
        started = time.monotonic()
        for index, (key, value) in enumerate(inputs(self._cast)):
            if self._ending.is_set() and index >= self._least:
                break
            while not self._put(producer, key, value):
                producer.poll(0.1)
            due_s = started + index / self._rate
            while (left_s := due_s - time.monotonic()) > 0 or producer.poll(0):
                producer.poll(max(left_s, 0))
        assert producer.flush(PATIENCE_S) == 0

    def _put(self, producer: Producer, key: bytes, value: bytes) -> bool:
        """False while the brokers don't keep up: then less is sent for a while."""
        try:
            producer.produce(self.settings.topics.raw, value, key, on_delivery=self._delivered)
        except BufferError:
            return False
        return True

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        partition, offset = message.partition(), message.offset()
        if error is not None:
            self._unsent.append(error)
        elif partition is not None and offset is not None:
            self.sent[partition] = max(offset, self.sent.get(partition, -1))

    def _read(self) -> None:
        with Reading(self.settings) as reading:
            while not self._stopping.is_set():
                messages, now_s = reading.take(0.1), time.monotonic()
                for message in messages:
                    if message.error() is None and (place := self._ledger.note(message)) is not None:
                        self.stalls.note(place, now_s)


def inputs(cast: Sequence[bytes] = CAST) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values without end, each value with an id of its own."""
    for index in itertools.count():
        value = cast[index % len(cast)].replace(MARK.encode(), b"m-%d" % index)
        yield b"c-%d" % (index % KEYS_COUNT), value


def ends_of(settings: Settings) -> dict[int, int]:
    """The end of each partition of the input, which is written without transactions: its number of records."""
    raw = settings.topics.raw
    ends = uncommitted_ends(settings, [raw])
    return {partition: ends.get((raw, partition), 0) for partition in partitions_of(settings)}


def partitions_of(settings: Settings) -> list[int]:
    """The partitions of the input."""
    admin = AdminClient({"bootstrap.servers": settings.kafka.bootstrap_servers, "log_level": 0})
    return sorted(admin.list_topics(settings.topics.raw, timeout=PATIENCE_S).topics[settings.topics.raw].partitions)
