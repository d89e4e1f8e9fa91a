"""What runs beside the stream's benchmark, each in a process of its own that does only that; settings come from the
environment, as a gate's do.

`load TOPIC RATE SECONDS`   sends records at so many a second, each with the time at which it was sent
`copy HOW TARGET [COUNT]`   the bare loop: consume 500, produce them, commit with their offsets; nothing else. HOW is
                            `once`, or `twice`: a constant decision beside each, so that as much comes out as of a gate
`gate JUDGE AGENTS [COUNT]` the gate; JUDGE is `real`, or `approve`: a constant decision instead of any judging

With COUNT it ends after so many records and prints what its whole process took; without, SIGTERM ends it.
"""

from __future__ import annotations

import gc
import json
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence

from confluent_kafka import Consumer, Producer, TopicPartition
from msgspec.structs import replace

from guardrail.judge.decide import Judged, judge
from guardrail.judge.model import Decision, Outcome, RawRecord, Source, encode
from guardrail.judge.policy import Policies
from guardrail.settings import Settings, load
from guardrail.stream import client
from guardrail.stream.run import COLLECT_EVERY
from guardrail.stream.worker import Gate
from tests.benchmarks.traffic import bank_turns
from tests.scoring import policies
from tests.stream.deployment import case_records

SENT = "bench.sent"
"""The header with the time of sending, in Unix nanoseconds."""
BATCH = 500
ONE_AGENT = "bank-en"
LIMIT_BYTES = 1_048_588
ORDINARY_BYTES = 10_000

APPROVED = Decision(
    decision_id="0" * 32,
    message_id="m-0",
    agent=ONE_AGENT,
    policy="0" * 16,
    engine="none",
    mode="enforce",
    outcome=Outcome.APPROVED,
    enforced_outcome=Outcome.APPROVED,
    answer_source="llm",
    reply=None,
    violations=(),
    edits=(),
    observations=(),
    grounding=None,
    source=Source(),
)


def approve(raws: Sequence[RawRecord], _: Policies) -> list[Judged]:
    """No judging: every record passes as it came, with the same decision but for its coordinates."""
    return [Judged(record=None, decision=replace(APPROVED, source=raw.source)) for raw in raws]


def open_cases(count: int) -> list[RawRecord]:
    """The open case records of ordinary size, in turns, under 200 keys; tombstones have no output to be seen."""
    cases = [record for record in case_records(largest_bytes=ORDINARY_BYTES) if record.value is not None]
    return [replace(cases[index % len(cases)], key=f"c-{index % 200}".encode()) for index in range(count)]


def turns(count: int) -> list[RawRecord]:
    """Article-style records of 1.4 KB, each different."""
    return bank_turns(policies()[ONE_AGENT], count)


def spent() -> None:
    """Prints the CPU time of this process, all its threads included."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"cpu_s": used.ru_utime + used.ru_stime}), flush=True)


def load_topic(settings: Settings, topic: str, rate: float, seconds: float) -> None:
    """Sends open case records, evenly."""
    producer = Producer(
        {"bootstrap.servers": settings.kafka.bootstrap_servers, "linger.ms": 5, "partitioner": "murmur2_random"}
    )
    producer.list_topics(topic, timeout=30)
    records = open_cases(1_000)
    started = time.monotonic()
    for index in range(int(rate * seconds)):
        time.sleep(max(0.0, started + index / rate - time.monotonic()))
        record = records[index % len(records)]
        producer.produce(topic, record.value, record.key, headers=[(SENT, str(time.time_ns()).encode())])
        producer.poll(0)
    producer.flush(30)


def copy(settings: Settings, how: str, target: str, count: float, stopping: Callable[[], bool]) -> None:
    """The bare loop, with the gate's own client settings."""
    beside = [encode(APPROVED)] if how == "twice" else []
    identity = settings.identity()
    consumer = Consumer({**client.consumer_config(settings, identity), "auto.offset.reset": "earliest"})
    producer = client.make_producer(client.producer_config(settings, identity, LIMIT_BYTES, LIMIT_BYTES))
    producer.init_transactions(30)
    consumer.subscribe([settings.topics.raw], on_assign=lambda *_: print("ready", flush=True))
    while count > 0 and not stopping():
        messages = consumer.consume(BATCH, settings.gate.wait_ms / 1000)
        if not messages:
            continue
        producer.begin_transaction()
        for message in messages:
            _, time_ms = message.timestamp()
            key, headers = message.key(), message.headers()
            for value in (message.value(), *beside):
                producer.produce(target, value, key, headers=headers, timestamp=time_ms)
        last = {message.partition(): message.offset() + 1 for message in messages}
        offsets = [TopicPartition(settings.topics.raw, partition, offset) for partition, offset in last.items()]
        producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), 30)
        producer.commit_transaction(30)
        count -= len(messages)
    if count <= 0:
        spent()
    consumer.close()


def gate(settings: Settings, judging: str, agents: str, count: float, stopping: Callable[[], bool]) -> None:
    """The gate, its judge replaced where that is asked for, with one agent's policy or all of them."""
    chosen = policies()
    if agents == "one":
        chosen = {ONE_AGENT: chosen[ONE_AGENT]}
    made = Gate(settings, chosen, judge=judge if judging == "real" else approve)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_EVERY)
    if count < float("inf"):
        made.open()
        while count > 0:
            count -= made.step()
        spent()
        made.close()
        return
    running = threading.Thread(target=made.run, daemon=True)
    running.start()
    while not made.health.joined:
        time.sleep(0.02)
    print("ready", flush=True)
    while not stopping():
        time.sleep(0.05)
    made.stop()
    running.join(10)


def main(role: str, *given: str) -> None:
    """Runs a role."""
    told = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: told.set())
    settings = load()
    if role == "load":
        load_topic(settings, given[0], float(given[1]), float(given[2]))
    elif role == "copy":
        copy(settings, given[0], given[1], float(given[2]) if given[2:] else float("inf"), told.is_set)
    else:
        gate(settings, given[0], given[1], float(given[2]) if given[2:] else float("inf"), told.is_set)


if __name__ == "__main__":
    main(*sys.argv[1:])
