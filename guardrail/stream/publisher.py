"""One batch after another: begin, send, commit with the input's offsets; by transactions, or by acknowledgements.

It must never commit offsets whose outputs aren't safe, nor be used after it failed to end a transaction in time:
librdkafka can't tell what became of such a one, a new producer can.
"""

from __future__ import annotations

import logging
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from msgspec.structs import replace

from guardrail.errors import FencedError, GuardrailError, TransientError
from guardrail.stream.aside import Aside, HeldError, calls
from guardrail.stream.faults import (
    RECORDS_FAULT,
    AbortError,
    BrokerError,
    Reaction,
    RefusedError,
    RestartError,
    UnansweredError,
    as_ours,
    kafka_error,
    reaction,
)
from guardrail.stream.routing import BY_KEY, Outgoing

LOG = logging.getLogger("guardrail.stream")

CALL_S = 1.0
"""One call's wait. SIGTERM is seen between calls, so it stays short; an unfinished call is repeated."""
HELD_S = (2.0, 5.0)
"""A call that hasn't come back by then isn't going to, or not because of its own timeout: the first is for one that is
made when there is no time left, the second is what others are given.
"""
HELD_COUNT = 20
"""Each keeps a thread and a producer. Most end by themselves; where so many don't, another process does better."""
PURGED = frozenset({KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT})  # noqa: SLF001  # public names
"""Given up because another delivery, or the transaction, has failed."""
NO_PARTITION = KafkaError._UNKNOWN_PARTITION  # noqa: SLF001  # a public name
HEAR_S = 0.05
"""For what the client knows already, and at most so long before a fault."""
PAUSES_S = (0.05, 1.0)
STOPPING_S = 1.5
"""What a batch still gets once we are stopping, all its calls together."""


class Member(Protocol):
    """Who reads what the batch comes from."""

    consumer: Consumer

    def membership(self) -> object:
        """What its offsets are checked by. Raises AbortError when the group has put it out."""


class Publisher(ABC):
    """A producer that repeats what may be repeated, and raises what the loop has to decide."""

    def __init__(self, make: Callable[[], Producer], deadline_s: float, stopping: Callable[[], bool]) -> None:
        self._make = make
        self._deadline_s = deadline_s
        self._stopping = stopping
        self._producer: Producer | None = None
        self._aside: Aside | None = None
        self._failed: list[tuple[KafkaError, str | None]] = []
        self._stale = False
        self._until_s = 0.0
        self._stop_until_s: float | None = None

    def open(self, deadline_s: float) -> None:
        """A new producer, ready when the brokers have answered it."""
        self._drop()
        self._producer, self._aside = self._make(), Aside()
        self._failed.clear()
        self._stale = True
        self._repeat("open", self._greet, time.monotonic() + deadline_s)
        self._stale = False

    def begin(self) -> None:
        """Opens a batch. Its deadline holds for all the calls until it is committed."""
        if self._stale:
            self.open(self._deadline_s)
        self._failed.clear()
        self._until_s = time.monotonic() + self._deadline_s

    def distrust(self) -> None:
        """This producer can't log in any more: the next transaction has a new one, with what the files hold by then."""
        self._stale = True

    def send(self, out: Outgoing) -> None:
        """Puts a record into the batch. Raises RefusedError when it is too large for any topic."""
        while True:
            try:
                self._live.produce(
                    out.topic,
                    value=out.value,
                    key=out.key,
                    headers=list(out.headers),
                    timestamp=out.timestamp_ms,
                    partition=out.partition,
                    on_delivery=self._delivered,
                )
                return
            except BufferError:
                if time.monotonic() > self._limit_s(self._until_s) or self._failed:
                    raise self._undelivered("send: the queue stays full") from None
                self._room()
            except KafkaException as failure:
                error = kafka_error(failure)
                if error.code() != NO_PARTITION or out.partition == BY_KEY:
                    raise self._unsent(error, out.topic) from failure
                out = replace(out, partition=BY_KEY)  # the topic was made anew, with fewer

    @abstractmethod
    def commit(self, offsets: Sequence[TopicPartition], member: Member) -> None:
        """Commits the records and the member's offsets, or raises: then the offsets aren't committed."""

    @abstractmethod
    def abort(self) -> None:
        """Ends a batch that can't be committed, so that its records can be read again."""

    @abstractmethod
    def close(self) -> None:
        """Lets the producer go. There is no `begin` after it."""

    @abstractmethod
    def _greet(self) -> None:
        """What a new producer says to the brokers first."""

    def _again(self, error: KafkaError) -> bool:
        """Whether the same call may work."""
        return reaction(error) is Reaction.RETRY

    def _drop(self) -> None:
        if self._producer is not None:
            self._producer.purge()
            self._producer = None
        if self._aside is not None:
            self._aside.close()
            self._aside = None

    @property
    def _live(self) -> Producer:
        if self._producer is None:
            raise RestartError("no producer")
        return self._producer

    def _room(self) -> None:
        """Lets deliveries end. Raises what a fatal error asks for: a poll tells that too."""
        try:
            self._live.poll(0.05)
        except KafkaException as failure:
            raise self._ours(kafka_error(failure), "send") from failure

    def _unsent(self, error: KafkaError, topic: str) -> Exception:
        """What a refused `produce` means: it carries no flags, and most often follows a failed delivery."""
        if error.code() not in RECORDS_FAULT:
            self._heed(HEAR_S)
        if error.code() in RECORDS_FAULT or any(e.code() in RECORDS_FAULT for e, _ in self._failed):
            return RefusedError(f"send: {topic}: {error.name()}", topic)
        if error.fatal() or reaction(error) is Reaction.FENCED:
            return self._ours(error, "send")
        return AbortError(f"send: {topic}: {error.name()}: {error.str()}{self._why()}")

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self._failed.append((error, message.topic()))

    def _why(self) -> str:
        """The first delivery of the batch that failed: what the calls after it say is only its consequence."""
        if not (failed := self._not_delivered()):
            return ""
        error, topic = failed[0]
        return f" (not delivered to {topic}: {error.name()})"

    def _not_delivered(self) -> list[tuple[KafkaError, str | None]]:
        return [one for one in self._failed if one[0].code() not in PURGED]

    def _undelivered(self, what: str) -> AbortError:
        """What a failed delivery asks for: where a topic refuses a record, that record is to blame.

        A call that fails because of a delivery may come before anybody has heard of it.
        """
        self._heed(HEAR_S)
        refused = [(error, topic) for error, topic in self._failed if error.code() in RECORDS_FAULT]
        if refused:
            return RefusedError(f"deliver: {refused[0][1]}: {refused[0][0].name()}", refused[0][1])
        return AbortError(f"{what}{self._why()}")

    def _limit_s(self, until_s: float) -> float:
        """The deadline, or an earlier one from when we were seen to be stopping."""
        if not self._stopping():
            return until_s
        if self._stop_until_s is None:
            self._stop_until_s = time.monotonic() + STOPPING_S
        return min(until_s, self._stop_until_s)

    def _heed(self, wait_s: float = 0.0) -> None:
        """Lets the producer say what is wrong with connections and deliveries: it says so only when it is polled."""
        with suppress(KafkaException):  # a fatal error is told by the call itself
            self._live.poll(wait_s)

    def _repeat(self, doing: str, call: Callable[[], object], until_s: float, *, ends: bool = False) -> None:
        """Calls until it works, or until what it raises isn't retriable or the time is up."""
        pause = PAUSES_S[0]
        while True:
            try:
                self._call(doing, call, until_s)
                return
            except KafkaException as failure:
                error = kafka_error(failure)
                late = time.monotonic() > self._limit_s(until_s)
                if late or not self._again(error):
                    if late and ends and reaction(error) is not Reaction.FENCED:
                        raise UnansweredError(f"{doing}: not done in time: {error.name()}") from failure
                    raise self._ours(error, doing) from failure
                self._stale = self._stale or ends
                LOG.info("again", extra={"call": doing, "error": error.name()})
                self._heed()
                time.sleep(pause)
                pause = min(pause * 2, PAUSES_S[1])

    def _call(self, doing: str, call: Callable[[], object], until_s: float) -> None:
        """Makes a call, and leaves it and its producer alone when it is held beyond its time and ours."""
        if self._aside is None:
            raise RestartError(f"{doing}: the producer is held by an earlier call")
        least_s, most_s = (time.monotonic() + held_s for held_s in HELD_S)
        try:
            self._aside.call(call, lambda: time.monotonic() < max(least_s, min(most_s, self._limit_s(until_s))))
        except HeldError:
            self._aside, self._stale = None, True
            if calls() > HELD_COUNT:
                raise BrokerError(f"{doing}: more than {HELD_COUNT} calls are held for good") from None
            raise UnansweredError(f"{doing}: held beyond its time") from None

    def _ours(self, error: KafkaError, doing: str) -> GuardrailError:
        """The error as one of ours."""
        return as_ours(error, doing)


class Transactional(Publisher):
    """Exactly once: outputs and offsets become visible together, or not at all."""

    def __init__(self, make: Callable[[], Producer], deadline_s: float, stopping: Callable[[], bool]) -> None:
        super().__init__(make, deadline_s, stopping)
        self._open = False
        self._left_open = False
        self._fenced = False

    def open(self, deadline_s: float) -> None:
        """A new producer with our transactional id: whatever an earlier one left open is ended by it."""
        self._left_open = self._left_open or self._open
        self._open = False
        super().open(deadline_s)
        self._left_open = False

    def begin(self) -> None:
        """Opens a transaction."""
        super().begin()
        self._repeat("begin", self._live.begin_transaction, self._until_s)
        self._open = True

    def commit(self, offsets: Sequence[TopicPartition] = (), member: Member | None = None) -> None:
        """Commits the records and a member's offsets, or raises: then nothing of this transaction is visible."""
        try:
            if member is not None:
                self._send_offsets(list(offsets), member.membership())
            self._repeat("commit", lambda: self._live.commit_transaction(CALL_S), self._until_s, ends=True)
        except RefusedError:
            raise
        except AbortError as fault:
            raise self._undelivered(str(fault)) from fault
        except RestartError as fault:
            raise type(fault)(f"{fault}{self._why()}") from fault
        self._open = False

    def abort(self) -> None:
        """Ends an open transaction; nothing of it is visible. Raises RestartError when it can't."""
        if not self._open:
            return
        until = time.monotonic() + self._deadline_s
        try:
            self._repeat("abort", lambda: self._live.abort_transaction(CALL_S), until, ends=True)
        except AbortError as fault:
            raise RestartError(str(fault)) from fault
        self._open = False
        self._stale = self._stale or bool(self._not_delivered())  # the gap in its sequence would cost another batch

    def close(self) -> None:
        """Lets the producer go. What it hasn't committed is aborted: left open it would hide what comes after it.

        Like stopping, this takes STOPPING_S at most, and some more when a call hangs. There is no `begin` after it.
        """
        self._stopping, self._stop_until_s = lambda: True, None
        try:
            self._end()
        except (GuardrailError, KafkaException) as failure:
            LOG.error("transaction left open", extra={"error": str(failure)})
        self._drop()

    def _end(self) -> None:
        """Ends an open transaction: by itself, or, where a call on it hangs, by a new producer with its name.

        Whoever fenced us has ended it, and would be fenced by that.
        """
        if self._fenced:
            return
        try:
            self.abort()
        except TransientError:
            LOG.info("abort by a new producer")
        if self._open or self._left_open:
            self.open(STOPPING_S)

    def _ours(self, error: KafkaError, doing: str) -> GuardrailError:
        """The error as one of ours. A transaction that has outlived its time is ended by the broker in the same way as
        by another instance with our name; then it was the broker, and a new producer may go on.
        """
        if reaction(error) is Reaction.FENCED and self._open and time.monotonic() > self._until_s:
            return RestartError(f"{doing}: the transaction outlived its time: {error.name()}")
        ours = super()._ours(error, doing)
        self._fenced = self._fenced or isinstance(ours, FencedError)
        return ours

    def _send_offsets(self, offsets: list[TopicPartition], group: object) -> None:
        self._repeat("offsets", lambda: self._live.send_offsets_to_transaction(offsets, group, CALL_S), self._until_s)

    def _greet(self) -> None:
        self._live.init_transactions(CALL_S)
