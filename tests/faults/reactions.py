"""Which error codes a gate may meet, in the answer to which request, and what each asks of it. It must never try one.

By librdkafka's flags: after a retriable error it or the gate asks again; any other costs one fault.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from confluent_kafka import KafkaError
from confluent_kafka import KafkaError as E  # a table of its codes reads best unbroken


class Request(IntEnum):
    """The kinds of requests that a gate sends, under Kafka's numbers."""

    PRODUCE = 0
    FETCH = 1
    METADATA = 3
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    SYNC_GROUP = 14
    INIT_PRODUCER_ID = 22
    ADD_PARTITIONS_TO_TXN = 24
    ADD_OFFSETS_TO_TXN = 25
    END_TXN = 26
    TXN_OFFSET_COMMIT = 28


AT_START = frozenset(
    {
        Request.METADATA,
        Request.OFFSET_FETCH,
        Request.FIND_COORDINATOR,
        Request.JOIN_GROUP,
        Request.SYNC_GROUP,
        Request.INIT_PRODUCER_ID,
    }
)
"""Sent by a gate that opens; the others by one at work."""
WHILE_IDLE = frozenset({Request.FETCH, Request.HEARTBEAT})
"""Sent by a gate that has nothing to do, too."""


class Reaction(NamedTuple):
    """Each fault that was counted, by its class, and what ended the gate, if anything did."""

    faults: tuple[str, ...] = ()
    ended: str | None = None


class Case(NamedTuple):
    """One error."""

    request: Request
    code: int

    def __str__(self) -> str:
        return f"{self.request.name} {KafkaError(self.code).name()}"


RETRY = Reaction()
ABORT = Reaction(("AbortError",))
REFUSE = Reaction(("RefusedError",))
RESTART = Reaction(("RestartError",))
DENIED = Reaction(("DeniedError",))
FENCED = Reaction(ended="FencedError")
UNREAD = Reaction(ended="UnreadDataError")

MOVING = (E.COORDINATOR_LOAD_IN_PROGRESS, E.COORDINATOR_NOT_AVAILABLE, E.NOT_COORDINATOR)
BUSY = (*MOVING, E.CONCURRENT_TRANSACTIONS)
OLD = (E.INVALID_PRODUCER_EPOCH, E.PRODUCER_FENCED)

TABLE = {
    Request.PRODUCE: {
        RETRY: (
            E.NOT_LEADER_FOR_PARTITION,
            E.LEADER_NOT_AVAILABLE,
            E.UNKNOWN_TOPIC_OR_PART,
            E.REQUEST_TIMED_OUT,
            E.NOT_ENOUGH_REPLICAS,
            E.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
            E.KAFKA_STORAGE_ERROR,
            E.INVALID_MSG,
        ),
        ABORT: (
            E.TOPIC_AUTHORIZATION_FAILED,
            E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
            E.UNKNOWN_PRODUCER_ID,
            E.NETWORK_EXCEPTION,
            E.THROTTLING_QUOTA_EXCEEDED,
            E.UNSUPPORTED_FOR_MESSAGE_FORMAT,
        ),
        REFUSE: (E.MSG_SIZE_TOO_LARGE, E.RECORD_LIST_TOO_LARGE, E.INVALID_RECORD),
        RESTART: (E.OUT_OF_ORDER_SEQUENCE_NUMBER,),
        FENCED: (E.INVALID_PRODUCER_EPOCH,),
    },
    Request.FETCH: {
        RETRY: (
            E.NOT_LEADER_FOR_PARTITION,
            E.REPLICA_NOT_AVAILABLE,
            E.UNKNOWN_TOPIC_OR_PART,
            E.FENCED_LEADER_EPOCH,
            E.UNKNOWN_LEADER_EPOCH,
            E.KAFKA_STORAGE_ERROR,
            E.INVALID_MSG,
            E.TOPIC_AUTHORIZATION_FAILED,
        ),
        UNREAD: (E.OFFSET_OUT_OF_RANGE,),
    },
    Request.METADATA: {
        RETRY: (E.UNKNOWN_TOPIC_OR_PART, E.LEADER_NOT_AVAILABLE, E.TOPIC_AUTHORIZATION_FAILED),
    },
    Request.FIND_COORDINATOR: {
        RETRY: (*MOVING[:2], E.GROUP_AUTHORIZATION_FAILED),
    },
    Request.OFFSET_FETCH: {
        RETRY: (*MOVING, E.UNSTABLE_OFFSET_COMMIT, E.GROUP_AUTHORIZATION_FAILED, E.ILLEGAL_GENERATION),
    },
    Request.JOIN_GROUP: {
        RETRY: (
            *MOVING,
            E.MEMBER_ID_REQUIRED,
            E.UNKNOWN_MEMBER_ID,
            E.REBALANCE_IN_PROGRESS,
            E.INCONSISTENT_GROUP_PROTOCOL,
            E.GROUP_MAX_SIZE_REACHED,
        ),
        FENCED: (E.FENCED_INSTANCE_ID,),
    },
    Request.SYNC_GROUP: {
        RETRY: (*MOVING[1:], E.ILLEGAL_GENERATION, E.REBALANCE_IN_PROGRESS, E.UNKNOWN_MEMBER_ID),
        FENCED: (E.FENCED_INSTANCE_ID,),
    },
    Request.HEARTBEAT: {
        RETRY: (*MOVING[1:], E.ILLEGAL_GENERATION, E.REBALANCE_IN_PROGRESS, E.UNKNOWN_MEMBER_ID),
        FENCED: (E.FENCED_INSTANCE_ID,),
    },
    Request.INIT_PRODUCER_ID: {
        RETRY: (*BUSY, E.INVALID_PRODUCER_ID_MAPPING, E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
        FENCED: OLD,
    },
    Request.ADD_PARTITIONS_TO_TXN: {
        RETRY: (*BUSY, E.UNKNOWN_TOPIC_OR_PART),
        ABORT: (E.TOPIC_AUTHORIZATION_FAILED, E.OPERATION_NOT_ATTEMPTED, E.INVALID_PRODUCER_ID_MAPPING),
        RESTART: (E.INVALID_TXN_STATE,),
        DENIED: (E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,),
        FENCED: OLD,
    },
    Request.ADD_OFFSETS_TO_TXN: {
        RETRY: BUSY,
        ABORT: (E.GROUP_AUTHORIZATION_FAILED, E.INVALID_PRODUCER_ID_MAPPING),
        RESTART: (E.INVALID_TXN_STATE,),
        DENIED: (E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,),
        FENCED: OLD,
    },
    Request.TXN_OFFSET_COMMIT: {
        RETRY: (*BUSY, E.REQUEST_TIMED_OUT),
        ABORT: (
            E.ILLEGAL_GENERATION,
            E.UNKNOWN_MEMBER_ID,
            E.REBALANCE_IN_PROGRESS,
            E.GROUP_AUTHORIZATION_FAILED,
            E.TOPIC_AUTHORIZATION_FAILED,
            E.OFFSET_METADATA_TOO_LARGE,
            E.UNKNOWN,
        ),
        RESTART: (E.INVALID_TXN_STATE, E.INVALID_PRODUCER_ID_MAPPING),
        DENIED: (E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,),
        FENCED: (E.INVALID_PRODUCER_EPOCH, E.FENCED_INSTANCE_ID),
    },
    Request.END_TXN: {
        RETRY: BUSY,
        ABORT: (E.INVALID_PRODUCER_ID_MAPPING, E.REQUEST_TIMED_OUT, E.UNKNOWN),
        RESTART: (E.INVALID_TXN_STATE,),
        DENIED: (E.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,),
        FENCED: OLD,
    },
}
"""What each error asks for, by librdkafka's flags and its own word for retriable."""

CASES = {
    Case(request, code): reaction
    for request, reactions in TABLE.items()
    for reaction, codes in reactions.items()
    for code in codes
}
