"""The register's topic: read to its end and on, by assignment, and written. It must never commit an offset."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from guardrail.errors import TransientError
from guardrail.settings import Settings
from guardrail.stream import client
from guardrail.stream.faults import DENIED, DeniedError, kafka_error
from guardrail.stream.record import headers_of
from guardrail.stream.register import Register
from guardrail.stream.spans import END

LOG = logging.getLogger("guardrail.stream")

SIGNED, SIGNED_CHARS = ("by", "why"), 300
ANSWER_S = 5.0
WRITE_S = 10.0
ABSENT = frozenset({KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC})  # noqa: SLF001  # public names
NO_GROUP = KafkaError.GROUP_AUTHORIZATION_FAILED
"""The client looks for the group that its configuration has to name. None is joined, so nothing depends on it."""


class Registry:
    """Keeps a Register as the topic has it. Needs no group, and no right but to read the topic."""

    def __init__(self, settings: Settings) -> None:
        self.register = Register()
        self._settings = settings
        self._login = client.Login(settings)
        self._topic = settings.topics.policies
        self._consumer: Consumer | None = None
        self._following = False

    def join(self) -> bool:
        """Begins to read it anew, from its beginning; gives back whether it is there. Raises TransientError when that
        can't be told, DeniedError when it may not be.
        """
        consumer = client.make_consumer(client.reader_config(self._settings, "policies"), on_error=self._login)
        try:
            found = consumer.list_topics(self._topic, timeout=ANSWER_S).topics[self._topic]
            if found.error is not None:
                raise KafkaException(found.error)
            consumer.assign([TopicPartition(self._topic, number, OFFSET_BEGINNING) for number in found.partitions])
        except KafkaException as failure:
            consumer.close()
            if kafka_error(failure).code() in ABSENT:
                return False
            kind = DeniedError if kafka_error(failure).code() in DENIED else TransientError
            raise kind(f"{self._topic}: {kafka_error(failure).name()}") from None
        self._following = False
        self.register = Register()  # what was taken back, and compacted since, would stand in the old one for ever
        self._consumer = consumer
        return True

    def read_to_end(self, until_s: float, stopping: Callable[[], bool] = lambda: False) -> None:
        """Reads what it holds now. Raises TransientError when that takes beyond `until_s` (monotonic)."""
        left = self._partitions()
        while left and not stopping():
            if time.monotonic() > until_s:
                raise TransientError(f"{self._topic}: not read to its end in time")
            for message in self._read(0.2):
                if (error := message.error()) is not None and error.code() == END:
                    left.discard(message.partition())
        self._following = not left

    def poll(self, wait_s: float) -> bool:
        """Takes what is new, after at most `wait_s`. Gives back whether anything was."""
        return any(message.error() is None for message in self._read(wait_s))

    def close(self) -> None:
        """Lets go of it."""
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None

    def _partitions(self) -> set[int | None]:
        return {place.partition for place in self._consumer.assignment()} if self._consumer else set()

    def _read(self, wait_s: float) -> list[Message]:
        """Messages, those of entries taken. Raises TransientError for what the broker says against it."""
        if self._consumer is None:
            return []
        self._login.renew(self._consumer)
        messages = self._consumer.consume(100, wait_s)
        said = []
        for message in messages:
            if (error := message.error()) is None:
                self._take(message)
            elif error.code() not in (END, NO_GROUP):
                said.append(error.name())
        if said:
            raise TransientError(f"{self._topic}: {said[0]}")
        return messages

    def _take(self, message: Message) -> None:
        """One entry. Who takes one back has signed that in its headers, which compaction removes: it is told here, as
        it happens.
        """
        name = (message.key() or b"").decode(errors="replace")
        known = self.register.has(name)
        self.register.take(message.key(), message.value())
        if message.value() is None and self._following and known:
            given = {n: held for n, held in headers_of(message) if isinstance(held, bytes)}
            signed = {n: given.get(f"guardrail.{n}", b"").decode(errors="replace")[:SIGNED_CHARS] for n in SIGNED}
            LOG.warning("register entry taken back", extra={"entry": name, **signed})


class Writer:
    """Writes entries."""

    def __init__(self, settings: Settings) -> None:
        self._topic = settings.topics.policies
        self._producer: Producer = client.make_producer(client.writer_config(settings, "policies"))

    def write(self, key: str, value: bytes | None, headers: Sequence[tuple[str, str]] = ()) -> None:
        """Returns once the broker has it. Raises TransientError when it doesn't take it."""
        self.write_all({key: value}, headers)

    def write_all(self, entries: Mapping[str, bytes | None], headers: Sequence[tuple[str, str]] = ()) -> None:
        """Returns once the broker has them. Raises TransientError, a line for each that it doesn't take, after WRITE_S
        at most, however many they are."""
        failed: list[str] = []

        def delivered(error: object, message: Message) -> None:
            failed.extend([f"{(message.key() or b'').decode()}: {error}"] if error is not None else [])

        for key, value in entries.items():
            try:
                self._producer.produce(self._topic, value, key, headers=list(headers), on_delivery=delivered)
            except KafkaException as failure:
                failed.append(f"{key}: {kafka_error(failure).str()}")
        if left := self._producer.flush(WRITE_S):
            self._producer.purge()
            failed.append(f"{left} of {', '.join(entries)}: the broker takes too long")
        if failed:
            raise TransientError("\n".join(failed))
