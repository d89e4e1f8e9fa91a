"""Dead letters back into the raw topic. It must never send one twice, nor leave one that went without its mark.

One transaction a batch holds the records and the marks (marks.py) of the letters they come from. Whoever has the
transactional id of a dead-letter topic is alone with it: the marks are read after a former run is fenced.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import NamedTuple

import msgspec
from confluent_kafka import Message, Producer

from guardrail.errors import FencedError, TransientError
from guardrail.settings import Identity, Settings
from guardrail.stream import client, topics
from guardrail.stream.faults import DeniedError, RefusedError
from guardrail.stream.letters import Asked, Letter, Stay, Target, read_label, revive, runs, stays
from guardrail.stream.marks import Mark, Marks, read_marks
from guardrail.stream.publisher import Transactional
from guardrail.stream.record import producers_time, raw_record
from guardrail.stream.routing import Outgoing, Route
from guardrail.stream.spans import Span, committed_spans, read_spans

LOG = logging.getLogger("guardrail.stream")

BATCH_MESSAGES = 100
"""In memory at once, and in a transaction: each may have megabytes."""
TRIES_COUNT = 5

Advance = Callable[[int, int], None]
"""Told how many offsets of how many are done."""


class Kind(NamedTuple):
    """Letters that are alike, as a table shows them."""

    exception: str
    codes: tuple[str, ...]


class Tally(NamedTuple):
    """What went, by its kind, and what stayed, by its reason."""

    went: Counter[Kind]
    stayed: Counter[Stay]

    @property
    def complete(self) -> bool:
        """Whether all went that was asked for and hadn't gone before."""
        return not any(self.stayed[why] for why in Stay if why not in (Stay.NOT_ASKED, Stay.WENT))


class Redrive:
    """One run over a dead-letter topic, from what is there when it starts."""

    def __init__(
        self, settings: Settings, asked: Asked, *, dry_run: bool = False, advance: Advance = lambda *_: None
    ) -> None:
        """With `dry_run` nothing is written: the tally is what would go."""
        self._settings = settings
        self._asked = asked
        self._dry_run = dry_run
        self._advance = advance
        self._publisher = Transactional(self._producer, settings.gate.transaction_ms / 1000, lambda: False)
        self._tally = Tally(Counter(), Counter())
        self._target = Target(Route(settings.topics.raw))
        self._topic_id = ""
        self._marks = Marks()

    def run(self) -> Tally:
        """Raises TransientError when the broker fails too often (run it again: nothing is lost, nothing goes twice),
        FencedError when another run takes over, SettingsError for missing topics.
        """
        consumer = client.make_consumer(client.reader_config(self._settings, "redrive"))
        try:
            self._open()
            spans = [self._asked_of(span) for span in committed_spans(consumer, self._settings.topics.dead_letter)]
            total = sum(max(span.end - span.start, 0) for span in spans)
            done = 0
            for messages in read_spans(consumer, spans, BATCH_MESSAGES):
                self._batch([_letter(message) for message in messages])
                done += len(messages)
                self._advance(done, total)
            self._advance(total, total)
        except FencedError:
            name = self._settings.topics.dead_letter
            raise FencedError(f"another redrive of {name} has taken over; all that went is marked") from None
        finally:
            self._publisher.close()
            consumer.close()
        return self._tally

    def _open(self) -> None:
        """Looks at the topics, and remembers what went before."""
        admin = client.make_admin(client.admin_config(self._settings))
        self._target = topics.target(self._settings, admin)
        self._topic_id = topics.topic_id(admin, self._settings.topics.dead_letter)
        if not self._dry_run:
            self._publisher.open(self._settings.gate.start_ms / 1000)
        self._remember()

    def _remember(self) -> None:
        named = self._settings.topics
        config = client.reader_config(self._settings, "redrive")
        everything = {**config, "isolation.level": "read_uncommitted"}
        with (
            closing(client.make_consumer(config)) as reader,
            closing(client.make_consumer(everything)) as of_everything,
        ):
            self._marks = read_marks(reader, of_everything, named.redriven, (named.dead_letter, self._topic_id))

    def _asked_of(self, span: Span) -> Span:
        asked = self._asked
        if asked.partitions and span.partition not in asked.partitions:
            return span._replace(end=span.start)
        end = span.end if asked.to_offset is None else min(span.end, asked.to_offset)
        return span._replace(start=max(span.start, asked.from_offset), end=end)

    def _batch(self, letters: Sequence[Letter]) -> None:
        now_ms = time.time_ns() // 1_000_000
        reasons = [self._why(letter, now_ms) for letter in letters]
        going = [letter for letter, why in zip(letters, reasons, strict=True) if why is None]
        if going and not self._dry_run:
            self._publish(going, self._new_marks(letters, reasons, now_ms))
        self._tally.went.update(Kind(letter.label.exception, letter.label.codes) for letter in going)
        self._tally.stayed.update(why for why in reasons if why is not None)

    def _why(self, letter: Letter, now_ms: int) -> Stay | None:
        source = letter.record.source
        if self._marks.went(source.partition or 0, source.offset or 0):
            return Stay.WENT
        return stays(letter, self._asked, self._target, now_ms)

    def _new_marks(self, letters: Sequence[Letter], reasons: Sequence[Stay | None], now_ms: int) -> list[Mark]:
        passed: dict[int, list[tuple[int, bool]]] = {}
        for letter, why in zip(letters, reasons, strict=True):
            source = letter.record.source
            passed.setdefault(source.partition or 0, []).append((source.offset or 0, why is None))
        topic = self._settings.topics.dead_letter
        found = {partition: tuple(runs(offsets)) for partition, offsets in passed.items()}
        return [Mark(topic, self._topic_id, p, ranges, now_ms) for p, ranges in found.items() if ranges]

    def _publish(self, going: Sequence[Letter], marks: Sequence[Mark]) -> None:
        """One transaction, tried until it is known to be committed."""
        records = [revive(letter, self._target) for letter in going]
        records += [Outgoing(self._settings.topics.redriven, mark.key(), msgspec.json.encode(mark)) for mark in marks]
        for left in reversed(range(TRIES_COUNT)):
            try:
                self._transact(records)
                for mark in marks:
                    self._marks.add(mark)  # were the log read again from its beginning, they would go twice
                return
            except TransientError as fault:
                if isinstance(fault, RefusedError | DeniedError) or not left:
                    raise
                LOG.warning("redrive again", extra={"error": str(fault), "records": len(going)})
            if self._settle(marks):
                return

    def _transact(self, records: Sequence[Outgoing]) -> None:
        self._publisher.begin()
        for record in records:
            self._publisher.send(record)
        self._publisher.commit()

    def _settle(self, marks: Sequence[Mark]) -> bool:
        """Ends whatever became of the last transaction; the marks tell whether it was committed after all."""
        self._publisher.open(self._settings.gate.start_ms / 1000)
        self._remember()
        return self._marks.went(marks[0].partition, marks[0].ranges[0][0])

    def _producer(self) -> Producer:
        """Transactional, however the gate delivers; its id is the dead-letter topic's: a second run ends the first."""
        gate = self._settings.gate.model_copy(update={"delivery": "exactly_once"})
        settings = self._settings.model_copy(update={"gate": gate})
        identity = Identity(name=f"redrive.{self._settings.topics.dead_letter}", static=True)
        largest = self._target.route.max_bytes
        return client.make_producer(client.producer_config(settings, identity, largest, largest))


def _letter(message: Message) -> Letter:
    record = raw_record(message)
    time_ms = max(record.source.timestamp_ms or 0, 0) if producers_time(message) else 0
    return Letter(record, read_label(record), time_ms)
