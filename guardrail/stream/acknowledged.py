"""At least once, and which publisher delivers how. It must never commit an offset before its outputs are safe."""

from __future__ import annotations

import time
from collections.abc import Sequence

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from guardrail.errors import GuardrailError
from guardrail.settings import Delivery
from guardrail.stream.faults import DENIED, MOVED, AbortError, Reaction, as_ours, kafka_error, reaction
from guardrail.stream.publisher import CALL_S, Member, Publisher, Transactional

MOVED_S = 1.0
"""For a client to hear what its group has agreed on."""


class Acknowledged(Publisher):
    """At least once: the offsets are committed when all outputs are acknowledged, without a transaction.

    Of a batch that fails some may be visible already; it is published again as a whole.
    """

    _safe_s = 0.0
    """When the outputs of the batch at hand were acknowledged."""

    def commit(self, offsets: Sequence[TopicPartition], member: Member) -> None:
        """Waits for the outputs' acknowledgements, then commits the offsets: they never go before."""
        self._await_deliveries()
        self._safe_s = time.monotonic()
        self._repeat("offsets", lambda: _commit(member.consumer, offsets), self._until_s)

    def abort(self) -> None:
        """Lets the producer go, with all that it hasn't sent: none of it comes after what is sent again."""
        self._drop()
        self._stale = True

    def close(self) -> None:
        """Lets the producer go."""
        self._drop()

    def _greet(self) -> None:
        self._live.list_topics(timeout=CALL_S)

    def _ours(self, error: KafkaError, doing: str) -> GuardrailError:
        """The error as one of ours. Whoever is no member any more has to take what the group says first."""
        return AbortError(f"{doing}: {error.name()}") if error.code() in MOVED else super()._ours(error, doing)

    def _again(self, error: KafkaError) -> bool:
        """Outside of transactions no error is flagged as retriable: all may be, but for what no other try mends. In a
        moment the client may know of the group's next generation; only who reads on takes part in that.
        """
        if error.code() in MOVED and time.monotonic() > self._safe_s + MOVED_S:
            return False
        return not (error.fatal() or error.code() in DENIED or reaction(error) is Reaction.FENCED)

    def _await_deliveries(self) -> None:
        try:
            while self._live.flush(CALL_S) and not self._failed:
                if time.monotonic() > self._limit_s(self._until_s):
                    raise AbortError("deliver: not acknowledged in time")
        except KafkaException as failure:  # a fatal one
            raise as_ours(kafka_error(failure), "deliver") from failure
        if self._failed:
            raise self._undelivered("deliver") from KafkaException(self._failed[0][0])


def _commit(consumer: Consumer, offsets: Sequence[TopicPartition]) -> None:
    """Raises for any of them: the client's own call does so only where all have failed."""
    for place in consumer.commit(offsets=list(offsets), asynchronous=False):
        if place.error is not None:
            raise KafkaException(place.error)


def publisher_for(delivery: Delivery) -> type[Transactional | Acknowledged]:
    """The one that delivers so."""
    return Transactional if delivery == "exactly_once" else Acknowledged
