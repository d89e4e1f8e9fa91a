"""The results page of the stream's benchmark. It must never measure."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import NamedTuple

import confluent_kafka

from guardrail.judge.policy import ENGINE
from guardrail.version import VERSION
from tests.benchmarks.grounding.markdown import table
from tests.broker.cluster import LIBS

JVM = ("-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:InitiatingHeapOccupancyPercent=35")
"""The broker's, from Kafka's own start script."""

P99_MS, CPU_US, QUIX_TIMES = 50.0, 8.0, 3.0
"""The goals: p99 at 500 a second, CPU of all but the checks, CPU of Quix over ours."""
COPY, FLOOR = "bare transactional copy", "the same with a constant decision beside each record"
GATE, QUIX = "gate without judging, one agent", "Quix Streams"


SECONDS, WARM_S = 18.0, 3.0
"""At each rate; the first seconds aren't counted: the load finds its pace."""


class Latency(NamedTuple):
    """Milliseconds from sending to the output's sight, at one rate."""

    rate: int
    p50: float
    p99: float
    seen: float
    """The share of the outputs that came in time."""


class Figures(NamedTuple):
    """All that one run measures."""

    latencies: Mapping[str, list[Latency]]
    cpu_us: Mapping[str, float]
    a_second: Mapping[str, float]
    case_bytes: float
    turn_bytes: float


def page(found: Figures, quix: str | None) -> str:
    """The page, goals and misses included."""
    return "\n".join([*_head(quix), *_latency(found), *_cpu(found, quix), *_throughput(found), *_goals(found)]) + "\n"


def _head(quix: str | None) -> list[str]:
    memory_gb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    [kafka] = [jar.stem.removeprefix("kafka_2.13-") for jar in LIBS.glob("kafka_2.13-*.jar")]
    return [
        "# The stream: results",
        "",
        "Made by `make bench-stream`; not to be edited. One run on one machine: the broker, the load, the gates and",
        "the reader share its cores.",
        "",
        f"* {os.cpu_count()} cores, {memory_gb:.0f} GB, load average {os.getloadavg()[0]:.1f} at the end of the run",
        f"* Apache Kafka {kafka}, one broker, replication factor 1, `{' '.join(JVM)}`",
        f"* Python {platform.python_version()}, confluent-kafka {version('confluent-kafka')}, "
        f"librdkafka {confluent_kafka.libversion()[0]}" + (f", Quix Streams {quix}" if quix else ""),
        f"* guardrail {VERSION}, engine `{ENGINE}`, default settings: batches of 500, 10 ms wait, lz4",
        "",
        '"Without judging" is the gate as it is but for its judge: a constant decision a record, nothing parsed. It',
        "publishes two records for each that it reads, the output and the decision; a copy publishes one.",
        "",
    ]


def _latency(found: Figures) -> list[str]:
    rates = [one.rate for one in next(iter(found.latencies.values()))]
    rows = [[name, *(_ms(one) for one in listed)] for name, listed in found.latencies.items()]
    return [
        "## Latency",
        "",
        "Milliseconds from just before `produce` to the sight of the output by a read_committed reader, p50 / p99, one",
        f"clock. Open case records ({found.case_bytes:,.0f} bytes in the mean), in turns, 4 partitions, sent evenly,",
        f"{SECONDS:.0f} s at each rate without the first {WARM_S:.0f}, after a warm-up that shows every record twice.",
        "",
        *table(["", *(f"{rate:,} a second" for rate in rates)], rows),
        "",
    ]


def _ms(one: Latency) -> str:
    late = f" ({one.seen:.0%} in time)" if one.seen < 1 else ""
    return f"{one.p50:,.0f} / {one.p99:,.0f}{late}"


def _cpu(found: Figures, quix: str | None) -> list[str]:
    ours = found.cpu_us[GATE]
    rows = [[name, f"{us:.1f}", f"{us / ours:.1f}"] for name, us in found.cpu_us.items()]
    missing = [] if quix else ["", "Quix Streams wasn't installed."]
    return [
        "## CPU",
        "",
        f"Microseconds a record ({found.turn_bytes:,.0f} bytes, no two alike) of a process that does only that, all",
        "its threads included: a run over 100,000 records less one over 500. A backlog, so batches are full. The",
        "median of three rounds through all of them.",
        "",
        *table(["", "us a record", "beside ours"], rows),
        *missing,
        "",
    ]


def _throughput(found: Figures) -> list[str]:
    rows = [[name, f"{rate:,.0f}"] for name, rate in found.a_second.items()]
    return [
        "## Throughput",
        "",
        "Records a second of a backlog, from when all processes have partitions until it is done. The broker works on",
        "the same cores.",
        "",
        *table(["", "a second"], rows),
        "",
    ]


def _goals(found: Figures) -> list[str]:
    ours, copy = found.cpu_us[GATE], found.cpu_us[COPY]
    rows = [
        [f"p99 at 500 a second, {name}", f"≤ {P99_MS:.0f} ms", f"{one.p99:.0f}", _met(one.p99 <= P99_MS)]
        for name, listed in found.latencies.items()
        for one in listed
        if one.rate == 500 and "all checks" in name
    ]
    rows.append(["us a record of all but the checks", f"≤ {CPU_US:.0f}", f"{ours:.1f}", _met(ours <= CPU_US)])
    rows.append(["the same beyond a bare loop that writes as much", "-", f"{ours - found.cpu_us[FLOOR]:.1f}", "-"])
    for name, us in found.cpu_us.items():
        if name.startswith(QUIX):
            rows.append(
                [
                    "CPU of Quix's copy over ours",
                    f"≥ {QUIX_TIMES:.0f}",
                    f"{us / ours:.1f}",
                    _met(us >= QUIX_TIMES * ours),
                ]
            )
            rows.append(["CPU of Quix's copy over the bare copy", "-", f"{us / copy:.1f}", "-"])
    return ["## Goals", "", *table(["", "goal", "found", ""], rows)]


def _met(reached: bool) -> str:
    return "met" if reached else "missed"
