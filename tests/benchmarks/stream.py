"""`make bench-stream`: the stream's figures on a real Kafka of one broker, all in one run; `--write` makes their page.

Latency that the gate adds, CPU beside a bare copy and beside Quix Streams, throughput of one and of two workers.
"""

from __future__ import annotations

import json
import signal
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar
from urllib.error import URLError
from urllib.request import urlopen
from uuid import uuid4

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from guardrail.settings import AdminSettings, InstanceSettings, Settings
from tests.benchmarks.stream_page import COPY, FLOOR, GATE, JVM, SECONDS, WARM_S, Figures, Latency, page
from tests.benchmarks.stream_roles import SENT, open_cases, turns
from tests.broker.cluster import Cluster, free_ports
from tests.stream.deployment import ROLES, ROOT, committed, environment, produce, settings_on

Figure = TypeVar("Figure")
Spend = Callable[[Settings, int], float]
"""Works on so many records, and gives the CPU seconds that it took."""
ONCE = "exactly_once"
STARTED_S = time.monotonic()

PAGE = ROOT / "docs" / "results" / "stream.md"
QUIX = ROOT / ".tools" / "quix" / "bin" / "python"
OUTCOMES = ("approved", "corrected", "rejected", "dead_letter")
PARTITIONS = 4

RATES = (50, 500, 2_000)
WARM_UP = (200, 3.0)
"""A rate and seconds before any is counted: a case that the judge has never seen takes it several times as long."""
LATE_S = 10.0
"""How long after the last record was sent its output is waited for."""
CPU_COUNT, CPU_START_COUNT = 100_000, 500
ROUNDS = 3
CHECKED_COUNT = 6_000
PATIENCE_S = 120


class Warmed(Cluster):
    """A broker as Kafka's own script starts it: tests' brokers live too short a time for the optimising compiler."""

    jvm = JVM


class Bench:
    """One broker, and fresh topics and groups on it."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self._admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})

    def settings(self, **gate: object) -> Settings:
        """A gate's settings, with topics of its own."""
        topics = {role: f"{role.replace('_', '-')}-{uuid4().hex[:8]}" for role in ROLES}
        kept = {"retention.ms": "-1"}  # records may have times of their own
        made = self._admin.create_topics([NewTopic(name, PARTITIONS, 1, config=kept) for name in topics.values()])
        for created in made.values():
            created.result(PATIENCE_S)
        settings = settings_on(self.bootstrap, topics, **gate)
        return settings.model_copy(update={"admin": AdminSettings(host="127.0.0.1", port=free_ports(1)[0])})


@contextmanager
def role(settings: Settings, *given: object) -> Iterator[subprocess.Popen[str]]:
    """A process of its own, ended by SIGTERM."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.benchmarks.stream_roles", *map(str, given)],
        env=environment(settings), cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with ended(process):
        yield process


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """Ends it, by force where it must be."""
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def ready_role(settings: Settings, *given: object) -> Iterator[None]:
    """The same, once it has partitions."""
    with role(settings, *given) as process:
        if process.stdout is None or "ready" not in process.stdout.readline():
            raise RuntimeError(f"{given} didn't start")
        yield


@contextmanager
def sidecar(settings: Settings, workers: int = 1) -> Iterator[None]:
    """The real command, once it says that it is ready."""
    instance = InstanceSettings(identity="random", workers=workers)
    given = environment(settings.model_copy(update={"instance": instance}))
    command = [sys.executable, "-m", "guardrail", "run", "--log-level", "error"]
    process = subprocess.Popen(command, env=given, cwd=ROOT, text=True)
    with ended(process):
        wait_for(lambda: answers(f"http://127.0.0.1:{settings.admin.port}/readyz"), "the sidecar is ready")
        yield


def answers(address: str) -> bool:
    """Whether a page is served with 200."""
    try:
        with urlopen(address, timeout=5):  # noqa: S310  # our own loopback page
            return True
    except (URLError, OSError):
        return False


def wait_for(true: Callable[[], bool], what: str) -> None:
    """Returns once it is true. Raises TimeoutError."""
    until = time.monotonic() + PATIENCE_S
    while not true():
        if time.monotonic() > until:
            raise TimeoutError(what)
        time.sleep(0.02)


def quantile(sorted_values: Sequence[float], share: float) -> float:
    """The value that so many aren't above."""
    return (
        sorted_values[min(int(share * len(sorted_values)), len(sorted_values) - 1)] if sorted_values else float("nan")
    )


def latency(settings: Settings, shown: Sequence[str]) -> list[Latency]:
    """What a read_committed reader of the `shown` topics sees of records sent at each rate."""
    reader = Consumer(
        {
            "bootstrap.servers": settings.kafka.bootstrap_servers,
            "group.id": uuid4().hex,
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
            "fetch.queue.backoff.ms": 10,
            "log_level": 0,
        }
    )
    places = [TopicPartition(topic, partition) for topic in shown for partition in range(PARTITIONS)]
    for place in places:
        wait_for(lambda place=place: at_end(reader, place), "a new topic has a leader")
    reader.assign(places)
    at_rate(settings, reader, *WARM_UP)
    found = [at_rate(settings, reader, rate, SECONDS) for rate in RATES]
    reader.close()
    return found


def at_end(reader: Consumer, place: TopicPartition) -> bool:
    """Moves the place to its partition's end, where the broker tells it."""
    try:
        place.offset = reader.get_watermark_offsets(place, timeout=PATIENCE_S)[1]
    except KafkaException:
        return False
    return True


def at_rate(settings: Settings, reader: Consumer, rate: int, seconds: float) -> Latency:
    """One rate's figures."""
    wanted = int(rate * seconds)
    times: list[tuple[int, int]] = []
    with role(settings, "load", settings.topics.raw, rate, seconds) as load:
        quiet_s = time.monotonic() + PATIENCE_S
        while len(times) < wanted and time.monotonic() < quiet_s:
            message = reader.poll(0.1)
            if message is not None and message.error() is None:
                times.append((sent_ns(message.headers() or []), time.time_ns()))
            if load.poll() is not None:
                quiet_s = min(quiet_s, time.monotonic() + LATE_S)
    warm_ns = min((sent for sent, _ in times), default=0) + int(WARM_S * 1e9)
    taken = sorted((seen - sent) / 1e6 for sent, seen in times if sent >= warm_ns)
    return Latency(rate, quantile(taken, 0.5), quantile(taken, 0.99), len(times) / wanted)


def sent_ns(headers: Sequence[tuple[str, object]]) -> int:
    """When a record was sent."""
    return next(int(str(value, "ascii")) for name, value in headers if name == SENT and isinstance(value, bytes))


def latencies(bench: Bench) -> Iterator[tuple[str, list[Latency]]]:
    """Of every subject, in the table's order."""
    settings = bench.settings()
    yield "nothing between: the raw topic itself", latency(settings, [settings.topics.raw])
    settings = bench.settings()
    with ready_role(settings, "copy", "once", settings.topics.approved):
        yield COPY, latency(settings, [settings.topics.approved])
    for delivery in ("exactly_once", "at_least_once"):
        settings = bench.settings(delivery=delivery)
        with ready_role(settings, "gate", "approve", "all"):
            yield f"gate without judging, {delivery}", latency(settings, [settings.topics.approved])
        settings = bench.settings(delivery=delivery)
        with sidecar(settings):
            shown = [getattr(settings.topics, name) for name in OUTCOMES]
            yield f"gate with all checks, {delivery}", latency(settings, shown)


def cpu_us(spend: Spend, settings: Settings) -> float:
    """A record's CPU time: a whole process's over many records, less a whole process's over a few."""
    regrouped = settings.model_copy(update={"gate": settings.gate.model_copy(update={"group": uuid4().hex})})
    started = spend(regrouped, CPU_START_COUNT)
    return (spend(settings, CPU_COUNT) - started) / (CPU_COUNT - CPU_START_COUNT) * 1e6


def of_role(*given: object) -> Spend:
    """The CPU seconds of a role's process."""

    def spend(settings: Settings, count: int) -> float:
        with role(settings, *given, count) as process:
            if process.stdout is None:
                raise RuntimeError("no output")
            lines = process.stdout.read().splitlines()
        return float(json.loads(lines[-1])["cpu_s"])

    return spend


def of_quix(target: str) -> Spend:
    """The CPU seconds of Quix's process."""

    def spend(settings: Settings, count: int) -> float:
        places = [settings.kafka.bootstrap_servers, settings.topics.raw, target, settings.gate.group, str(count)]
        script = Path(__file__).with_name("stream_quix.py")
        done = subprocess.run([QUIX, script, *places], cwd=ROOT, capture_output=True, text=True, check=True)
        return float(json.loads(done.stdout.splitlines()[-1])["cpu_s"])

    return spend


def cpus(bench: Bench) -> Iterator[tuple[str, float]]:
    """CPU microseconds a record of every subject, over the same records: the median of rounds through all of them."""
    first = bench.settings()
    produce(first, turns(CPU_COUNT))
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(ROUNDS):
        for name, delivery, spending in subjects():
            fresh = bench.settings(delivery=delivery)
            settings = fresh.model_copy(update={"topics": fresh.topics.model_copy(update={"raw": first.topics.raw})})
            found[name].append(tell(name, cpu_us(spending(settings), settings)))
    for name, figures in found.items():
        yield name, statistics.median(figures)


def subjects() -> Iterator[tuple[str, str, Callable[[Settings], Spend]]]:
    """Whose CPU is measured: a name, how it delivers, and how it spends."""
    yield COPY, ONCE, lambda settings: of_role("copy", "once", settings.topics.approved)
    yield FLOOR, ONCE, lambda settings: of_role("copy", "twice", settings.topics.approved)
    yield GATE, ONCE, lambda _: of_role("gate", "approve", "one")
    yield "gate without judging, one agent, at_least_once", "at_least_once", lambda _: of_role("gate", "approve", "one")
    yield "gate without judging, 18 agents with a backlog", ONCE, lambda _: of_role("gate", "approve", "all")
    if QUIX.exists():
        name = f"Quix Streams {quix_version()}, copy, exactly once"
        yield name, ONCE, lambda settings: of_quix(settings.topics.approved)


def a_second(settings: Settings, count: int) -> float:
    """How many a second are committed of a backlog of so many, from when all that work on it do so."""
    started, before = time.monotonic(), done(settings)
    if before > count / 2:
        raise RuntimeError(f"{before} of {count} were done before all had begun: too few to tell")
    wait_for(lambda: done(settings) >= count, "all are committed")
    return (count - before) / (time.monotonic() - started)


def done(settings: Settings) -> int:
    """How many records lie below the committed offsets."""
    return sum(max(offset, 0) for offset in committed(settings).values())


def throughputs(bench: Bench) -> Iterator[tuple[str, float]]:
    """Records a second of one and of two processes."""
    passing, checked = turns(CPU_COUNT), open_cases(CHECKED_COUNT)
    for workers in (1, 2):
        settings = bench.settings()
        produce(settings, passing * 2)
        with ExitStack() as roles:
            for _ in range(workers):
                roles.enter_context(ready_role(settings, "gate", "approve", "one"))
            name = f"gate without judging, {workers} process{'es' * (workers > 1)}"
            yield name, a_second(settings, 2 * len(passing))
    for workers in (1, 2):
        settings = bench.settings()
        produce(settings, checked)
        with sidecar(settings, workers):
            yield f"gate with all checks, {workers} worker{'s' * (workers > 1)}", a_second(settings, len(checked))


def quix_version() -> str:
    """The version in its own surroundings."""
    asked = "import importlib.metadata as m; print(m.version('quixstreams'))"
    return subprocess.run([QUIX, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()


def measured() -> Figures:
    """One run; tells each figure as it comes."""
    cases, different = (sum(len(r.value or b"") for r in made) / len(made) for made in (open_cases(200), turns(200)))
    with Warmed() as cluster:
        bench = Bench(cluster.bootstrap)
        cpu = {name: tell(name, figure) for name, figure in cpus(bench)}
        through = {name: tell(name, figure) for name, figure in throughputs(bench)}
        late = {name: tell(name, figure) for name, figure in latencies(bench)}
    return Figures(late, cpu, through, cases, different)


def tell(name: str, figure: Figure) -> Figure:
    """Prints a figure, and gives it back."""
    print(f"[{time.monotonic() - STARTED_S:4.0f} s] {name}: {figure}", flush=True)
    return figure


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))  # what it has started ends with it
    found = page(measured(), quix_version() if QUIX.exists() else None)
    print(found)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(found, encoding="utf-8")
