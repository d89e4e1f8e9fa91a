"""Records that no well-kept client sends, written byte by byte. It must never be used where a client will do.

Source: https://kafka.apache.org/protocol, Produce version 3; the record batch's format of magic 2.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from typing import NamedTuple

from confluent_kafka.admin import AdminClient

PATIENCE_S = 30
PRODUCE, VERSION, ACKS_ALL = 0, 3, -1
REVERSED_CASTAGNOLI = 0x82F63B78


class Raw(NamedTuple):
    """A record: headers by names that are any bytes, and any time."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[bytes, bytes | None], ...] = ()
    timestamp_ms: int = 0


def send(bootstrap: str, topic: str, partition: int, records: Sequence[Raw]) -> None:
    """Each in a batch of its own, to the partition's leader. Raises AssertionError when it is refused."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    known = admin.list_topics(topic, timeout=PATIENCE_S)
    broker = known.brokers[known.topics[topic].partitions[partition].leader]
    address = (broker.host, broker.port)
    with socket.create_connection(address, PATIENCE_S) as connection, connection.makefile("rb") as answers:
        for one in records:
            connection.sendall(request(topic, partition, batch(one)))
            answer = answers.read(struct.unpack(">i", answers.read(4))[0])
            found = struct.unpack_from(f">ii{2 + len(topic)}xiih", answer)
            assert found[1:] == (1, 1, partition, 0), (one, answer)


def request(topic: str, partition: int, records: bytes) -> bytes:
    """A Produce request outside any transaction."""
    name = topic.encode()
    head = struct.pack(">hhih", PRODUCE, VERSION, 1, -1)  # no client id
    body = struct.pack(">hhii", -1, ACKS_ALL, PATIENCE_S * 1000, 1)
    place = struct.pack(f">h{len(name)}sii", len(name), name, 1, partition)
    made = head + body + place + struct.pack(">i", len(records)) + records
    return struct.pack(">i", len(made)) + made


def batch(one: Raw) -> bytes:
    """A record batch of one."""
    content = b"\x00" + varint(0) + varint(0) + sized(one.key) + sized(one.value) + varint(len(one.headers))
    for name, value in one.headers:
        content += sized(name) + sized(value)
    time_ms = one.timestamp_ms
    tail = struct.pack(">hiqqqhii", 0, 0, time_ms, time_ms, -1, -1, -1, 1) + varint(len(content)) + content
    body = struct.pack(">ibI", -1, 2, checksum(tail)) + tail
    return struct.pack(">qi", 0, len(body)) + body


def sized(text: bytes | None) -> bytes:
    """With its length before it; null has the length -1."""
    return varint(-1) if text is None else varint(len(text)) + text


def varint(number: int) -> bytes:
    """Zigzag, seven bits a byte, the lowest first."""
    rest, made = (number << 1) ^ (number >> 63), bytearray()
    while rest > 0x7F:
        made.append(rest & 0x7F | 0x80)
        rest >>= 7
    made.append(rest)
    return bytes(made)


def checksum(text: bytes) -> int:
    """CRC-32C."""
    rest = 0xFFFF_FFFF
    for byte in text:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (REVERSED_CASTAGNOLI if rest & 1 else 0)
    return rest ^ 0xFFFF_FFFF
