"""A play on somebody's Kafka, on topics of its own. It must never touch a topic that it didn't make.

What the embedded broker can't show is shown here: the raw topic holds every record twice, first in a transaction that
is aborted, and each comes out once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import NamedTuple, Self

import msgspec
from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from guardrail.errors import SettingsError, TransientError
from guardrail.judge.model import Decision, Outcome, RawRecord, Source
from guardrail.judge.policy import Policies
from guardrail.settings import Identity, Settings
from guardrail.stream import client, topics
from guardrail.stream.faults import OwnError, kafka_error
from guardrail.stream.findings import Row
from guardrail.stream.play import PLAY_S, Played, joined, outcome_topics, pass_through
from guardrail.stream.record import raw_record
from guardrail.stream.spans import read_spans, stable_spans

WAIT_S = 15.0
READ_MESSAGES = 500
GONE = frozenset({KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.GROUP_ID_NOT_FOUND})
"""There is nothing to remove."""


class Shown(NamedTuple):
    """A play, and how many records a reader of everything finds on the raw topic, those of the aborted transaction
    too."""

    played: list[Played]
    raw_count: int


class Guest:
    """Topics of our own while it is entered; `left` says what couldn't be removed at the end."""

    def __init__(self, settings: Settings, *, keep: bool = False) -> None:
        """The topics are those that the settings name; with `keep` they stay."""
        self.left: list[str] = []
        self._settings = settings
        self._keep = keep
        self._admin: AdminClient | None = None
        self._made: list[str] = []

    def __enter__(self) -> Self:
        """Makes them. Raises SettingsError when one is there already or can't be made, TransientError for a broker
        that doesn't answer.
        """
        self._admin = client.make_admin(client.admin_config(self._settings))
        rows = topics.create(_fitted(self._settings, self._admin), self._admin)
        self._made = [row.topic for row in rows if row.created]
        if len(self._made) < len(rows):
            self._remove()
            raise SettingsError("\n".join(_unmade(row) for row in rows if not row.created))
        return self

    def __exit__(self, *_: object) -> None:
        if not self._keep:
            self._remove()

    def play(self, records: Sequence[RawRecord], policies: Policies) -> Shown:
        """Sends the records, runs the gate over them, and reads what came out.

        Raises: TransientError when that takes too long, OwnError when one of them didn't come out exactly once.
        """
        named = self._settings.topics
        self._send(records)
        sent, everything = self._read([named.raw]), self._read([named.raw], "read_uncommitted")
        pass_through(self._settings, policies, len(sent))
        found = self._read([named.decisions, *outcome_topics(named)])
        decisions = [record for record in found if record.source.topic == named.decisions]
        outputs = [record for record in found if record.source.topic != named.decisions]
        if wrong := not_once(sent, decisions, outputs):
            raise OwnError(f"not exactly once: {', '.join(wrong)}")
        return Shown(joined(sent, decisions, outputs), len(everything))

    def _send(self, records: Sequence[RawRecord]) -> None:
        """All of them in a transaction that is aborted, then in one that is committed. Their time is now: older ones
        might be deleted before they are read.
        """
        largest = self._settings.topics.max_message_bytes
        identity = Identity(name=f"{self._settings.gate.group}.sender", static=True)
        producer = client.make_producer(client.producer_config(self._settings, identity, largest, largest))
        try:
            producer.init_transactions(PLAY_S)
            for end in (producer.abort_transaction, producer.commit_transaction):
                producer.begin_transaction()
                for record in records:
                    producer.produce(self._settings.topics.raw, record.value, record.key, headers=list(record.headers))
                if producer.flush(PLAY_S):  # an abort would take back what isn't sent yet
                    raise TransientError("the broker doesn't take the records")
                end(PLAY_S)
        except KafkaException as failure:
            raise TransientError(f"the records can't be sent: {kafka_error(failure).str()}") from None

    def _read(self, names: Sequence[str], isolation: str = "read_committed") -> list[RawRecord]:
        """All that the topics hold, for a reader of this kind, once no transaction is open on them."""
        with self._reader("read_uncommitted") as of_everything, self._reader(isolation) as reader:
            spans = stable_spans(reader, of_everything, names, PLAY_S)
            return [raw_record(message) for taken in read_spans(reader, spans, READ_MESSAGES) for message in taken]

    def _reader(self, isolation: str) -> closing[Consumer]:
        config = client.reader_config(self._settings, "demo") | {"isolation.level": isolation}
        return closing(client.make_consumer(config))

    def _remove(self) -> None:
        """The topics that were made here, and the gate's group, which is as much our own."""
        if self._admin is None or not self._made:
            return
        answers = {
            **self._admin.delete_consumer_groups([self._settings.gate.group], request_timeout=WAIT_S),
            **self._admin.delete_topics(self._made, request_timeout=WAIT_S),
        }
        self._made = []
        for name, answer in answers.items():
            try:
                answer.result(WAIT_S + 1)
            except (KafkaException, TimeoutError) as failure:
                if isinstance(failure, TimeoutError) or kafka_error(failure).code() not in GONE:
                    self.left.append(name)


def not_once(sent: Sequence[RawRecord], decisions: Sequence[RawRecord], outputs: Sequence[RawRecord]) -> list[str]:
    """The places with more or fewer than one decision and one output for a record that was sent; a skipped one has no
    output, and a place where none was sent nothing at all.
    """
    decided = [msgspec.json.decode(record.value or b"", type=Decision) for record in decisions]
    skipped = {_place(decision.source) for decision in decided if decision.outcome is Outcome.SKIPPED}
    wanted = Counter(_place(record.source) for record in sent)
    due = Counter(place for place in wanted.elements() if place not in skipped)
    came_out = Counter(str(record.header("guardrail.source")) for record in outputs)
    return sorted(_apart(wanted, Counter(_place(one.source) for one in decided)) | _apart(due, came_out))


def _apart(wanted: Counter[str], found: Counter[str]) -> set[str]:
    return {place for place in wanted.keys() | found.keys() if wanted[place] != found[place]}


def _place(source: Source) -> str:
    return f"{source.topic}/{source.partition}/{source.offset}"


def _fitted(settings: Settings, admin: AdminClient) -> Settings:
    """With as many replicas as the cluster has brokers for."""
    count = max(1, min(topics.brokers_count(admin), settings.topics.replicas_count))
    return settings.model_copy(update={"topics": settings.topics.model_copy(update={"replicas_count": count})})


def _unmade(row: Row) -> str:
    refused = next((finding.text for finding in row.findings if finding.text.startswith(topics.REFUSED)), None)
    return f"{row.topic}: {refused or 'exists already'}"
