"""Which broker does what at the moment. It must never guess: a role that can't be told is an error."""

from __future__ import annotations

import socket
import struct

from confluent_kafka.admin import AdminClient

from guardrail.settings import Settings
from tests.broker.cluster import Cluster
from tests.stream.deployment import PATIENCE_S, wait_until

DESCRIBE_QUORUM = 55
METADATA = b"__cluster_metadata"
TRANSACTIONS = "__transaction_state"


def leader(admin: AdminClient, topic: str, partition: int = 0) -> int:
    """The broker that leads a partition."""
    found: int = admin.list_topics(timeout=PATIENCE_S).topics[topic].partitions[partition].leader
    return found


def group_coordinator(admin: AdminClient, group: str) -> int:
    """The broker that coordinates a consumer group."""
    described = admin.describe_consumer_groups([group])[group].result(PATIENCE_S)
    return int(described.coordinator.id)


def transaction_coordinator(admin: AdminClient, settings: Settings, ordinal: int) -> int:
    """The broker that coordinates the transactions of the gate with this ordinal.

    Source: Kafka's TransactionStateManager.partitionFor: the id's Java hash over the log's partitions.
    """
    identity = f"guardrail.{settings.gate.group}.{ordinal}.0"
    partitions = admin.list_topics(timeout=PATIENCE_S).topics[TRANSACTIONS].partitions
    return int(partitions[(java_hash(identity) & 0x7FFF_FFFF) % len(partitions)].leader)


def java_hash(text: str) -> int:
    """`String.hashCode`, as 32 bits without a sign."""
    made = 0
    for letter in text:
        made = (31 * made + ord(letter)) & 0xFFFF_FFFF
    return made


def active_controller(cluster: Cluster) -> int:
    """The node that leads the metadata quorum. A broker names any node as its controller, so each node is asked.

    Source: https://kafka.apache.org/protocol, DescribeQuorum version 0, with headers of version 2 and 1.
    """
    [found] = [node for node in cluster.alive if _leads_quorum(cluster.controllers[node])]
    return found


def _leads_quorum(address: tuple[str, int]) -> bool:
    """Whether the node there answers for the quorum: only its leader does."""
    name = bytes([len(METADATA) + 1]) + METADATA
    header = struct.pack(">hhihb", DESCRIBE_QUORUM, 0, 1, -1, 0)  # no client id, no tags
    request = header + b"\x02" + name + b"\x02" + bytes(4) + bytes(3)  # one topic, its partition 0, no tags
    with socket.create_connection(address, PATIENCE_S) as connection, connection.makefile("rb") as answers:
        connection.sendall(struct.pack(">i", len(request)) + request)
        answer = answers.read(struct.unpack(">i", answers.read(4))[0])
    failed, refused = struct.unpack_from(f">5xhx{len(name)}s5xh", answer)[::2]
    assert failed == 0, answer
    return bool(refused == 0)


def wait_in_sync(admin: AdminClient, copies: int = 3) -> None:
    """Until every partition has all its copies in sync: before that, a second fault would be another fault."""

    def synced() -> bool:
        topics = admin.list_topics(timeout=PATIENCE_S).topics.values()
        return all(len(one.isrs) == copies for topic in topics for one in topic.partitions.values())

    wait_until(synced, "all partitions are in sync", patience_s=2 * PATIENCE_S)
