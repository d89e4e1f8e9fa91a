"""What a failed Kafka call asks of us, by librdkafka's own flags. It must never go by a list of codes.

retriable       the same call again
requires abort  abort, and read again from the broker's committed offsets
fatal, no flag  a new producer, then the same
fenced          another instance has our place: stop, commit nothing

The few codes that are named below have a meaning no flag carries: who is fenced, whose fault it is, what is gone,
what isn't allowed.
"""

from __future__ import annotations

from enum import StrEnum

from confluent_kafka import KafkaError, KafkaException

from guardrail.errors import FencedError, GuardrailError, TransientError

# ruff: noqa: SLF001  # librdkafka's own (client-side) errors are public names with an underscore

FENCED = frozenset({KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.FENCED_INSTANCE_ID})
"""Another process has our transactional id or our group instance id."""

RECORDS_FAULT = frozenset(
    {
        KafkaError.MSG_SIZE_TOO_LARGE,
        KafkaError.RECORD_LIST_TOO_LARGE,
        KafkaError.INVALID_TIMESTAMP,
        KafkaError.INVALID_RECORD,
        KafkaError.INVALID_MSG,
        KafkaError.POLICY_VIOLATION,
    }
)
"""The topic refuses this very record, now and whenever it is tried again."""

UNREAD_GONE = frozenset({KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE})
"""The committed offset is no longer in the log: retention has deleted what nobody had judged."""

MOVED = frozenset({KafkaError.UNKNOWN_MEMBER_ID, KafkaError.ILLEGAL_GENERATION, KafkaError.STALE_MEMBER_EPOCH})
"""The group has moved on without us. Outside of a transaction no flag says so."""

DENIED = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    }
)
"""We aren't allowed to. Only a person can change that, on the broker: a restart of ours doesn't help."""


class Reaction(StrEnum):
    """What to do after a failed call."""

    RETRY = "retry"
    ABORT = "abort"
    RESTART = "restart"
    FENCED = "fenced"


class AbortError(TransientError):
    """The transaction must be aborted and its records read again."""


class RefusedError(AbortError):
    """A topic (null: which one isn't told) refuses one of the records in this transaction, whenever it is tried."""

    def __init__(self, message: str, topic: str | None = None) -> None:
        super().__init__(message)
        self.topic = topic


class RestartError(TransientError):
    """The client is of no use any more; a new one may be."""


class UnansweredError(RestartError):
    """Brokers haven't answered in time, and nobody knows what became of the call: no fault of the client's, however
    often.
    """


class DeniedError(RestartError):
    """The same, because something isn't allowed. Someone may allow it at any time: it is tried again until then."""


class BrokerError(GuardrailError):
    """Restarting has not helped often enough: leave it to whoever starts us."""


class UnreadDataError(GuardrailError):
    """Records were deleted before they were judged. Carrying on would skip them silently."""


class OwnError(GuardrailError):
    """Our own errors in a row: this build can't judge."""


def reaction(error: KafkaError) -> Reaction:
    """What this error asks of us."""
    if error.code() in FENCED:
        return Reaction.FENCED
    if error.fatal():
        return Reaction.RESTART
    if error.retriable():
        return Reaction.RETRY
    if error.txn_requires_abort():
        return Reaction.ABORT
    return Reaction.RESTART


def consumer_lost(error: KafkaError) -> GuardrailError | None:
    """What a message that ends a consumer for good comes to; None for one that doesn't.

    A fatal error as a message has neither flags nor the code that it is about. Its text alone tells whether another one
    has our group instance id, or the group won't have us, for now: it speaks the other protocol, or the one before us
    hasn't left.
    """
    if error.code() in FENCED or (error.code() == KafkaError._FATAL and "fenced" in error.str()):
        return FencedError(f"consume: {error.str()}")
    if error.code() == KafkaError._FATAL:
        return BrokerError(f"consume: {error.str()}")
    return None


def kafka_error(failure: KafkaException) -> KafkaError:
    """The error inside the exception."""
    error: KafkaError = failure.args[0]
    return error


def as_ours(error: KafkaError, doing: str) -> GuardrailError:
    """The error as one of ours. A retriable one that ran out of time asks for an abort."""
    message = f"{doing}: {error.name()}: {error.str()}"
    match reaction(error):
        case Reaction.FENCED:
            return FencedError(message)
        case Reaction.ABORT if error.code() in RECORDS_FAULT:
            return RefusedError(message)  # what its delivery met, told by a later call before the delivery's own report
        case Reaction.ABORT | Reaction.RETRY:
            return AbortError(message)
        case Reaction.RESTART:
            return DeniedError(message) if error.code() in DENIED else RestartError(message)


def denied(fault: BaseException | None) -> KafkaError | None:
    """The broker's word that something isn't allowed, where that is what has led to this fault."""
    while fault is not None:
        if isinstance(fault, KafkaException) and kafka_error(fault).code() in DENIED:
            return kafka_error(fault)
        fault = fault.__cause__
    return None
