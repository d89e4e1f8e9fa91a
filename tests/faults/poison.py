"""Records that break pipelines, among ordinary ones, and what becomes of both.

It must never count by offsets alone: the input holds aborted records and the markers of transactions too.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from uuid import uuid4

from confluent_kafka import Producer
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # they are re-exported without saying so
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)
from msgspec.structs import replace

from guardrail.judge.again import circumstances
from guardrail.judge.decide import judge
from guardrail.judge.model import Outcome, RawRecord
from guardrail.judge.pattern.last import recorded
from guardrail.judge.policy import Policies
from guardrail.judge.text import printable
from guardrail.settings import Settings
from guardrail.stream.embedded import read
from tests.faults.fleet import Fleet
from tests.faults.ledger import Stalls, source_place
from tests.faults.readers import Reading
from tests.faults.scenario import Bed, Figures
from tests.faults.wire import Raw, send
from tests.stream.deployment import OUTCOMES, PATIENCE_S, Result, result
from tests.stream.gates import out_of_order
from tests.stream.records import HARD_PATTERN, HARD_VALUE, POISON, drifting, record

HUGE_BYTES = 10_000_000
LIMITS = {"raw": 12_000_000, "approved": 100_000, "decisions": 200_000}
FOREVER_MS = str(2**63 - 1)
FAR_MS = 4_102_444_800_000  # the year 2100: the outputs' topics take no time so far ahead
ORDINARY = RawRecord(record().value, b"ordinary")
REFUSED, REFUSAL = "__connect.errors.exception.class.name", "guardrail.OutputRefused"
CODECS = ("gzip", "snappy", "lz4", "zstd")


def poisoned(bed: Bed, policies: Policies, *, rounds: int) -> Figures:
    """All of the set so many times, an ordinary record before each, through one partition and one gate."""
    settings = bed.deploy(1, LIMITS)
    _take_any_time(bed, settings.topics.raw)
    with Fleet(settings, bed.folder, static=True) as fleet, ThreadPoolExecutor(1) as pool:
        fleet.start(0)
        sent = pool.submit(write, settings, rounds)
        seen, stall_s = _watch(settings, lambda: sent.result() if sent.done() else None)
    found = result(settings)
    lost, duplicated = _differences(found)
    return Figures(
        records=len(found.raws),
        lost=max(lost, len(found.raws) - sum(decision for decision, _ in seen)),
        duplicated=max(duplicated, sum(seen.values()) - len(seen)),
        reordered=_reordered(settings, found),
        aborted=_hidden(settings, found),
        stall_s=stall_s,
        extra={
            **{outcome.value: count for outcome, count in Counter(one.outcome for one in found.decisions).items()},
            "refused by the broker": sum(one.header(REFUSED) == REFUSAL for one in found.outputs["dead_letter"]),
            "judged otherwise": _judged_otherwise(found, policies),
            "harmed": _harmed(found),
            "gates ended": sum(fleet.exits.values()),
        },
    )


def texts() -> dict[str, RawRecord]:
    """What a well-kept client sends."""
    good = json.loads(record().value or b"")
    turn = json.dumps(good)[1:]
    values = {
        "10 MB": record(pad="x" * HUGE_BYTES).value,
        "10 MB of nothing": b"\x00" * HUGE_BYTES,
        "objects of depth": b'{"a":' * 100_000,
        "lone surrogate": turn_with(user_message="\ud800").value,
        "surrogate as bytes": b'{"agent_id": "clinic-en", "user_message": "\xed\xa0\x80"}',
        "repeated key": b'{"agent_id": "clinic-en", ' + turn.encode(),
        "repeated stranger's key": b'{"pad": 1, ' + turn.encode(),
        "big numbers": record(count=2**53 + 1, more=2**64 + 1).value,
        "digits": turn.encode().join([b'{"n": ' + b"9" * 10_000 + b", ", b""]),
        "infinite": b'{"n": 1e999, ' + turn.encode(),
        "not a number": b'{"n": NaN, ' + turn.encode(),
        "byte order mark": b"\xef\xbb\xbf" + (record().value or b""),
        "schema registry": b"\x00\x00\x00\x00\x07" + (record().value or b""),
        "UTF-16": json.dumps(good).encode("utf-16"),
        "two values": (record().value or b"") * 2,
        "cut": (record().value or b"")[:-7],
        "array": b"[" + (record().value or b"") + b"]",
        "null agent": record(agent_id=None).value,
        "agent of depth": record(agent_id={"a": []}).value,
        "right to left": record("\u202e\u0000\u2028").value,
        "history of strangers": record(history=[{"role": 7}, None, []]).value,
        "hard pattern": drifting(HARD_VALUE, "k", pattern=HARD_PATTERN, value=HARD_VALUE).value,
        "endless pattern": drifting("a" * 40, "k", pattern="^(a|a)*(a|aa)+$", value="a" * 40 + "!").value,
    }
    return {
        **POISON,
        **{name: RawRecord(value, b"k") for name, value in values.items()},
        "100,000 headers": RawRecord(record().value, b"k", tuple(("h", b"v") for _ in range(100_000))),
        "more headers than are read": RawRecord(record().value, b"k", tuple(("h", b"") for _ in range(100_001))),
        "our own headers": RawRecord(
            record().value, b"k", (("guardrail.source", b"x/9/9"), ("guardrail.outcome", None))
        ),
        "bad trace": RawRecord(record().value, b"k", (("traceparent", b"\xff" * 55), ("traceparent", None))),
        "key without text": turn_with(key=None, conversation_id="\udfff"),
        "the first second": replace(record(), source=replace(record().source, timestamp_ms=1)),
        "the year 2100": replace(record(), source=replace(record().source, timestamp_ms=FAR_MS)),
    }


def turn_with(*, key: bytes | None = b"k", **fields: object) -> RawRecord:
    """A turn with these fields."""
    return RawRecord(record(**fields).value, key)


def bytes_alone() -> list[Raw]:
    """What only a strange client sends."""
    value, now_ms = record().value, int(time.time() * 1000)
    return [
        Raw(b"k", value, ((b"n\xff", b"v"), (b"", None)), now_ms),
        Raw(b"k", value, ((b"\x00", b""),), now_ms),
        Raw(b"k", value, (), 0),
        Raw(b"k", value, (), -1),
        Raw(None, None, ((b"\xc3", None),), now_ms),
    ]


def write(settings: Settings, rounds: int) -> int:
    """Writes them, compressed in every way, with aborted records between. Gives back how many are to be seen."""
    bootstrap, raw = settings.kafka.bootstrap_servers, settings.topics.raw
    config = {"bootstrap.servers": bootstrap, "message.max.bytes": LIMITS["raw"], "log_level": 0}
    producers = cycle([Producer({**config, "compression.type": codec}) for codec in CODECS])
    torn = Producer({**config, "transactional.id": uuid4().hex})
    torn.init_transactions(PATIENCE_S)
    count = 0
    for _ in range(rounds):
        for one in texts().values():
            for each in (ORDINARY, one):
                _put(next(producers), raw, each)
                count += 1
            _abort(torn, raw, one)
        strange = bytes_alone()
        send(bootstrap, raw, 0, strange)
        count += len(strange)
    return count


def _put(producer: Producer, topic: str, one: RawRecord) -> None:
    producer.produce(
        topic, one.value, one.key, 0, headers=list(one.headers), timestamp=max(one.source.timestamp_ms or 0, 0)
    )
    assert producer.flush(PATIENCE_S) == 0


def _abort(producer: Producer, topic: str, one: RawRecord) -> None:
    """Its value stands in the log, and is never to be seen."""
    producer.begin_transaction()
    _put(producer, topic, RawRecord((one.value or b"")[:1_000], b"aborted"))
    producer.abort_transaction(PATIENCE_S)


def _take_any_time(bed: Bed, topic: str) -> None:
    """Of the raw topic alone; Kafka's default takes nothing that is more than an hour ahead."""
    entry = ConfigEntry("message.timestamp.after.max.ms", FOREVER_MS, incremental_operation=AlterConfigOpType.SET)
    admin = bed.admin  # held: it answers only while it lives
    [done] = admin.incremental_alter_configs(
        [ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])]
    ).values()
    done.result(PATIENCE_S)


def _watch(settings: Settings, wanted: Callable[[], int | None]) -> tuple[Counter[tuple[bool, int]], float]:
    """Reads until so many decisions are seen, once it is known how many. How often each place was, and the stall."""
    seen: Counter[tuple[bool, int]] = Counter()
    stalls = Stalls([0])
    until = time.monotonic() + 2 * PATIENCE_S
    with Reading(settings) as reading:
        while (count := wanted()) is None or sum(decision for decision, _ in seen) < count:
            for message in reading.take(0.1):
                if message.error() is None:
                    place, decision = source_place(message), message.topic() == settings.topics.decisions
                    seen[decision, place[1]] += 1
                    stalls.note(place, time.monotonic())
            assert time.monotonic() < until or count is None, f"{count} decisions wanted, {len(seen)} places seen"
    return seen, stalls.longest_s


def _differences(found: Result) -> tuple[int, int]:
    """How many decisions and outputs are missing, and how many are too many."""
    everything = Counter(raw.source.offset for raw in found.raws)
    skipped = {one.source.offset for one in found.decisions if one.outcome is Outcome.SKIPPED}
    wanted = Counter({place: count for place, count in everything.items() if place not in skipped})
    decided = Counter(one.source.offset for one in found.decisions)
    put = Counter(int(place.rsplit("/", 1)[1]) for place in found.places())
    lost = (everything - decided).total() + (wanted - put).total()
    return lost, (decided - everything).total() + (put - wanted).total()


def _judged_otherwise(found: Result, policies: Policies) -> int:
    """How many decisions aren't those that the judge, asked here, makes."""
    at = {raw.source.offset: raw for raw in found.raws}
    raws = [circumstances(one).received(at[one.source.offset]) for one in found.decisions]
    judged = judge(raws, policies, last_tier=recorded(found.decisions))
    pairs = zip(found.decisions, judged, strict=True)
    return sum(one.enforced_outcome is not wanted.decision.enforced_outcome for one, wanted in pairs)


def _harmed(found: Result) -> int:
    """How many ordinary records weren't approved, and how many replies came out with other fields than came in."""
    at = {raw.source.offset: raw for raw in found.raws}
    refused = [
        one
        for one in found.decisions
        if at[one.source.offset].key == ORDINARY.key and one.outcome is not Outcome.APPROVED
    ]
    replies = [one for role in ("approved", "corrected", "rejected") for one in found.outputs[role]]
    altered = [
        one
        for one in replies
        if _fields(one) != _fields(at[int(str(one.header("guardrail.source")).rsplit("/", 1)[1])])
    ]
    return len(refused) + len(altered)


def _fields(raw: RawRecord) -> dict[str, str]:
    """All but the response, numbers as they are written, and half a surrogate pair as what takes its place.

    What stands before the object isn't looked at.
    """
    text = (raw.value or b"").partition(b"{")[2].decode()
    fields: dict[str, object] = json.loads("{" + text, parse_int=str, parse_float=str, parse_constant=str)
    return {name: printable(str(value)) for name, value in fields.items() if name != "response"}


def _reordered(settings: Settings, found: Result) -> int:
    decided = read(settings.kafka.bootstrap_servers, [settings.topics.decisions])
    return sum(len(out_of_order(records)) for records in (decided, *(found.outputs[role] for role in OUTCOMES)))


def _hidden(settings: Settings, found: Result) -> int:
    """Outputs and decisions that stand in the logs and nobody may see."""
    topics = [settings.topics.decisions, *(str(getattr(settings.topics, role)) for role in OUTCOMES)]
    everything = read(settings.kafka.bootstrap_servers, topics, "read_uncommitted")
    return len(everything) - len(found.decisions) - sum(map(len, found.outputs.values()))
