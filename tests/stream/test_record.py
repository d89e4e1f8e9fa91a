"""Messages as raw records: what the client can't read costs as little as it may, and is told."""

import ctypes
import json
from uuid import uuid4

from confluent_kafka import Consumer, Message, cimpl

from guardrail.drift.tally import Response, Trial
from guardrail.judge.decide import judge
from guardrail.judge.model import RawRecord
from guardrail.stream.record import LOST_HEADERS, NAME_CHARS, raw_record, seen
from guardrail.telemetry.report import MODELS_COUNT
from tests.scoring import policies
from tests.stream.deployment import PATIENCE_S, FreshTopics, wait_until
from tests.stream.records import drifting

PRODUCER, TOPIC, VALUE, HEADER = 0, 1, 4, 9  # librdkafka's numbers (rdkafka.h)


class Argument(ctypes.Structure):
    """An argument of `rd_kafka_produceva` (rd_kafka_vu_t)."""

    _fields_ = (("kind", ctypes.c_int), ("words", ctypes.c_void_p * 8))


def produce_raw(bootstrap: str, topic: str, header: bytes) -> None:
    """Sends a record with a header of this name: the Python client sends only names that are UTF-8."""
    library = ctypes.CDLL(cimpl.__file__)
    for name in ("rd_kafka_conf_new", "rd_kafka_new", "rd_kafka_produceva"):
        getattr(library, name).restype = ctypes.c_void_p
    config = ctypes.c_void_p(library.rd_kafka_conf_new())
    reason = ctypes.create_string_buffer(512)
    library.rd_kafka_conf_set(config, b"bootstrap.servers", bootstrap.encode(), reason, 512)
    client = ctypes.c_void_p(library.rd_kafka_new(PRODUCER, config, reason, 512))
    given = ctypes.c_char_p(topic.encode()), ctypes.c_char_p(b"value"), ctypes.c_char_p(header)
    named, value, name = (ctypes.cast(text, ctypes.c_void_p).value for text in given)
    words = ctypes.c_void_p * 8
    arguments = (Argument * 3)(
        Argument(TOPIC, words(named)),
        Argument(VALUE, words(value, 5)),
        Argument(HEADER, words(name, value, 5)),
    )
    library.rd_kafka_produceva(client, arguments, 3)
    assert library.rd_kafka_flush(client, PATIENCE_S * 1_000) == 0
    library.rd_kafka_destroy(client)


def consume(bootstrap: str, topic: str) -> Message:
    """The topic's first record."""
    config = {"bootstrap.servers": bootstrap, "group.id": uuid4().hex, "auto.offset.reset": "earliest", "log_level": 0}
    consumer = Consumer(config)
    consumer.subscribe([topic])
    found: list[Message] = []
    wait_until(lambda: bool(found.extend(consumer.consume(1, 0.5)) or found), "a record")
    consumer.close()
    return found[0]


def test_a_header_name_that_is_no_text_costs_the_headers(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a header whose name isn't UTF-8, then the record is read all the same, and says that it lost headers."""
    [topic, plain] = fresh_topics("raw", "plain")
    produce_raw(kafka, topic, b"n\xff")
    produce_raw(kafka, plain, b"name")
    broken, good = consume(kafka, topic), consume(kafka, plain)
    for _ in range(1_000):  # Python calls otherwise what it has called often
        assert raw_record(good).headers == (("name", b"value"),)
    for _ in range(3):
        record = raw_record(broken)
        assert (record.value, record.headers) == (b"value", (LOST_HEADERS,))


def test_a_trials_cell_goes_by_its_record_alone() -> None:
    """Given more models than labels may name, then each trial has its own model's cell, whatever was seen before it."""
    turn = json.loads(drifting("it is P76041", "c-1").value or b"")
    names = [f"{index}-{'m' * NAME_CHARS}" for index in range(MODELS_COUNT + 5)]
    records = [RawRecord(json.dumps({**turn, "model": name}).encode(), b"c-1") for name in names]
    agents = policies()
    judged = judge(records, agents)
    together = [one.cell for one in seen(judged, agents)]
    assert [cell.model for cell in together] == [name[:NAME_CHARS] for name in names for _ in ("response", "trial")]
    assert [one.cell for each in judged for one in seen([each], agents)] == together


def test_a_response_counts_as_it_was_judged() -> None:
    """Given a response whose mismatch is refused, then it counts as refused under its policy, in its agent's cell."""
    agents = policies()
    [judged, unread] = judge([drifting("it is P76041", "c-1"), RawRecord(b"\xff")], agents)
    response, trial = seen([judged], agents)
    assert isinstance(response, Response)
    assert (response.rejected, response.disordered, response.cell.parameter) == (True, False, "")
    assert isinstance(trial, Trial)
    assert trial.quadrant == "mismatch"
    assert response.policy == trial.policy == judged.decision.policy == agents[response.agent].revision
    assert list(seen([unread], agents)) == []
