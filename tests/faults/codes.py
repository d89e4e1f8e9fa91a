"""Kafka's error codes, each injected into one answer of the embedded broker, and what a gate makes of it.

It must never take that broker's word for what is committed: it shows aborted records to everybody and drops the offsets
of a transaction, so `Offsets` keeps them here as a real broker would, and lost and duplicated are reckoned from there.
"""

from __future__ import annotations

import ctypes
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Self

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

from guardrail.errors import GuardrailError
from guardrail.judge.model import RawRecord
from guardrail.judge.policy import Policies
from guardrail.settings import InstanceSettings, Settings
from guardrail.stream.embedded import EMBEDDED, Embedded, read
from guardrail.stream.progress import Position
from guardrail.stream.source import Source
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.faults.reactions import AT_START, WHILE_IDLE, Case, Reaction, Request
from tests.faults.scenario import Figures
from tests.stream.deployment import PATIENCE_S, produce
from tests.stream.gates import out_of_order
from tests.stream.records import record

PARTITIONS_COUNT = 2
FAULTS = ("AbortError", "RefusedError", "DeniedError", "RestartError")
SIDE_BY_SIDE = 4
"""Each with a broker of its own; most of the time is waited."""
WARM_COUNT = 4
"""Records that are through before the error comes, so that it meets a gate in the middle of its work."""
QUICK = {
    "log_level": "0",
    "consumer.fetch.wait.max.ms": "10",  # the embedded broker answers no fetch before this time is over
    "consumer.heartbeat.interval.ms": "50",
    "consumer.session.timeout.ms": "1300",  # it lets a group that joins anew wait for this less a second
}


class Tried(NamedTuple):
    """What came of it. `heirs` is how often a transactional id was taken since the error was set."""

    case: Case
    reaction: Reaction
    lost: int
    duplicated: int
    reordered: int
    aborted: int
    seconds: float
    heirs: int


def coded(cases: Sequence[Case], policies: Policies, *, records: int) -> tuple[Figures, list[Tried]]:
    """Each error once, with so many records under way; the stall is the longest recovery."""
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        tried = list(pool.map(lambda case: attempt(case, policies, records=records), cases))
    longest = max(tried, key=lambda one: one.seconds)
    figures = Figures(
        records=records * len(tried),
        lost=sum(one.lost for one in tried),
        duplicated=sum(one.duplicated for one in tried),
        reordered=sum(one.reordered for one in tried),
        aborted=sum(one.aborted for one in tried),
        stall_s=longest.seconds,
        extra={
            "codes": len({case.code for case in cases}),
            "places": len(cases),
            "longest recovery, s": longest.seconds,
            "median recovery, s": statistics.median(one.seconds for one in tried),
            "recoveries in all, s": sum(one.seconds for one in tried),
        },
    )
    return figures, tried


def attempt(case: Case, policies: Policies, *, records: int) -> Tried:
    """One error, met by a gate that opens or is at work. Where it ends by itself, another takes its place."""
    with Watched() as cluster:
        gates = _Supervised(_settings(cluster, case), policies)
        try:
            _meet(case, cluster, gates, list(_records(records)))
            started = time.monotonic()
            gates.turn(lambda: gates.offsets.count >= records)
            seconds = time.monotonic() - started
        finally:
            gates.close()
        assert cluster.asked(case.request), f"{case}: never asked"
        heirs = cluster.asked(Request.INIT_PRODUCER_ID)
        decided = read(cluster.bootstrap, [gates.settings.topics.decisions])
    last = {one.header("guardrail.source"): one for one in decided}  # an earlier one of the same place was aborted
    reordered = out_of_order([one for one in decided if last[one.header("guardrail.source")] is one])
    lost, twice, aborted = records - len(last), gates.offsets.duplicated, len(decided) - len(last)
    return Tried(case, gates.reaction(), lost, twice, len(reordered), aborted, seconds, heirs)


def _meet(case: Case, cluster: Watched, gates: _Supervised, raws: list[RawRecord]) -> None:
    """Sets the error where the gate will come upon it, and leaves it with records to judge."""
    if case.request not in AT_START:
        produce(gates.settings, raws[:WARM_COUNT])
        gates.turn(lambda: gates.offsets.count >= WARM_COUNT)
        raws = raws[WARM_COUNT:]
    idle = case.request in WHILE_IDLE
    if not idle:
        produce(gates.settings, raws)
    cluster.fail_next(case.request, [case.code])
    if idle:
        gates.turn(lambda: cluster.asked(case.request) > 0)
        produce(gates.settings, raws)


def _records(count: int) -> Iterator[RawRecord]:
    for index in range(count):
        yield RawRecord(record(f"on day {index}").value, b"k%d" % (index % 7))


def _settings(cluster: Embedded, case: Case) -> Settings:
    """Only a static member can be fenced as one."""
    made = cluster.settings(PARTITIONS_COUNT)
    static = case.code == KafkaError.FENCED_INSTANCE_ID
    instance = InstanceSettings(identity="ordinal", ordinal=0) if static else made.instance
    kafka = made.kafka.model_copy(update={"properties": QUICK})
    return made.model_copy(update={"kafka": kafka, "instance": instance})


class Watched(Embedded):
    """The embedded broker, counting what it is asked."""

    def __enter__(self) -> Self:
        super().__enter__()
        for name, gives, takes in (
            ("start_request_tracking", None, [ctypes.c_void_p]),
            ("clear_requests", None, [ctypes.c_void_p]),
            ("get_requests", ctypes.POINTER(ctypes.c_void_p), [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)]),
            ("request_api_key", ctypes.c_int16, [ctypes.c_void_p]),
            ("request_destroy_array", None, [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]),
        ):
            function = self._mock(name)
            function.restype, function.argtypes = gives, takes
        self._mock("start_request_tracking")(self._cluster)
        return self

    def fail_next(self, api_key: int, codes: Sequence[int]) -> None:
        """The same; requests are counted from here."""
        self._mock("clear_requests")(self._cluster)
        super().fail_next(api_key, codes)

    def asked(self, request: Request) -> int:
        """How many requests of this kind have come since the last error was set."""
        count = ctypes.c_size_t()
        found = self._mock("get_requests")(self._cluster, ctypes.byref(count))
        kinds = [self._mock("request_api_key")(found[index]) for index in range(count.value)]
        self._mock("request_destroy_array")(found, count)
        return kinds.count(request)

    def _mock(self, name: str) -> Any:
        return getattr(self._library, f"rd_kafka_mock_{name}")


class Offsets:
    """What the group has committed, and how many commits took a place that was committed already."""

    def __init__(self) -> None:
        self.next: dict[int, int] = {}
        self.duplicated = 0

    @property
    def count(self) -> int:
        """How many records lie below."""
        return sum(self.next.values())

    def commit(self, positions: Iterable[Position]) -> None:
        """Those of one transaction. Nothing is done ahead of its turn here: there are too few records."""
        for position in positions:
            self.duplicated += position.base <= self.next.get(position.partition, 0)
            self.next[position.partition] = position.base

    def source(self, consumer: Consumer, topic: str, noted: Callable[[str], None]) -> Source:
        """The gate's own source, for which these offsets are the broker's."""
        return _Kept(self, consumer, topic, noted)


class _Kept(Source):
    def __init__(self, offsets: Offsets, consumer: Consumer, topic: str, noted: Callable[[str], None]) -> None:
        super().__init__(consumer, topic, noted)
        self._offsets = offsets

    def store(self, positions: list[Position]) -> None:
        self._offsets.commit(positions)

    def _committed(self, partitions: Iterable[int], wait_s: float) -> list[TopicPartition]:
        asked = super()._committed(partitions, wait_s)  # raises what the broker answers
        kept = self._offsets.next
        return [TopicPartition(p.topic, p.partition, kept.get(p.partition, OFFSET_BEGINNING)) for p in asked]


class _Supervised:
    """A gate, and the next one where it ends by itself."""

    def __init__(self, settings: Settings, policies: Policies) -> None:
        self.settings = settings
        self.offsets = Offsets()
        self._policies = policies
        self._gate: Gate | None = None
        self._faults: Counter[str] = Counter()
        self._ended: str | None = None

    def turn(self, until: Callable[[], bool]) -> None:
        """Turns until this is true."""
        limit_s = time.monotonic() + PATIENCE_S
        while not until():
            try:
                self._turn()
            except GuardrailError as failure:
                self._ended = type(failure).__name__
                self.close()
            assert time.monotonic() < limit_s, f"{self.offsets.next}, {self.reaction()}"

    def _turn(self) -> None:
        if self._gate is None:
            self._gate = Gate(self.settings, self._policies, broker=EMBEDDED._replace(source=self.offsets.source))
            self._gate.open()
        self._gate._turn()  # noqa: SLF001  # a turn of `run`

    def close(self) -> None:
        """Ends the one that runs."""
        if self._gate is not None:
            for fault in FAULTS:
                self._faults[fault] += int(self._gate.report.value(names.ABORTS, fault))
            self._gate.close()
            self._gate = None

    def reaction(self) -> Reaction:
        """Of all of them together."""
        return Reaction(tuple(self._faults.elements()), self._ended)
