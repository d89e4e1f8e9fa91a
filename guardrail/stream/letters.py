"""Dead letters read back: what each says of itself, whether it may go, and the raw record it becomes again.

It must never let one go round for ever, nor send what isn't whole: that would be another record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from guardrail.judge.codes import CODES
from guardrail.judge.model import RawRecord
from guardrail.judge.policy import Policies
from guardrail.judge.record import read_record
from guardrail.stream.deadletter import (
    ATTEMPT,
    CONNECT,
    REDRIVEN_FROM,
    STREAMS,
    TRUNCATED,
    wire_bytes,
    without_errors,
)
from guardrail.stream.record import LOST_HEADERS
from guardrail.stream.routing import BY_KEY, OURS, Outgoing, Route

MAX_ATTEMPTS = 3

_PLACE = re.compile(r"([a-zA-Z0-9._-]{1,249})/([0-9]{1,9})/([0-9]{1,18})")
_COUNT = re.compile(r"[0-9]{1,9}")
_EXCEPTION = re.compile(r"guardrail\.([A-Za-z]{1,60})")


class Stay(StrEnum):
    """Why a dead letter stays where it is."""

    NOT_ASKED = "not asked for"
    WENT = "redriven before"
    SPENT = "has had its attempts"
    CUT = "its value or key was cut"
    FOREIGN = "not from this raw topic"
    STALE = "older than the raw topic keeps: it would be deleted unread"
    TOO_LARGE = "larger than the raw topic takes"


class Place(NamedTuple):
    """Where a record stands."""

    topic: str
    partition: int
    offset: int

    def __str__(self) -> str:
        return f"{self.topic}/{self.partition}/{self.offset}"


class Label(NamedTuple):
    """What a dead letter says of itself. Nothing of it is a user's word: what isn't ours is left out."""

    source: Place | None
    codes: tuple[str, ...]
    exception: str
    attempts: int
    cut: frozenset[str]


class Letter(NamedTuple):
    """A dead letter as found. `time_ms` is its original's, 0 where that is unknown."""

    record: RawRecord
    label: Label
    time_ms: int


class Target(NamedTuple):
    """The raw topic as far as a redriven record meets it."""

    route: Route
    age_ms: int | None = None
    """Older ones are deleted before anybody reads them, or refused at once; null where none are."""


class Asked(NamedTuple):
    """Which letters are to go: those that every filter lets through. An empty one lets all through."""

    codes: frozenset[str] = frozenset()
    """Codes or their families."""
    exceptions: frozenset[str] = frozenset()
    agents: frozenset[str] = frozenset()
    keys: frozenset[bytes] = frozenset()
    partitions: frozenset[int] = frozenset()
    from_offset: int = 0
    to_offset: int | None = None
    from_ms: int | None = None
    to_ms: int | None = None
    max_attempts: int = MAX_ATTEMPTS
    policies: Policies = MappingProxyType({})
    """Where these map an agent's name from fields of its own."""

    def match(self, letter: Letter) -> bool:
        """Whether every filter lets it through."""
        label, record = letter.label, letter.record
        named = {*label.codes, *(code.partition(".")[0] for code in label.codes)}
        return (
            (not self.codes or not self.codes.isdisjoint(named))
            and (not self.exceptions or label.exception in self.exceptions)
            and (not self.keys or record.key in self.keys)
            and self._in_time(record.source.timestamp_ms or 0)
            and (not self.agents or read_record(record, self.policies).agent_id in self.agents)
        )

    def _in_time(self, time_ms: int) -> bool:
        return (self.from_ms is None or time_ms >= self.from_ms) and (self.to_ms is None or time_ms < self.to_ms)


def read_label(record: RawRecord) -> Label:
    """A dead letter's own headers, as the gate writes them."""
    codes = (record.header("guardrail.codes") or "").split(",")
    attempts = record.header(ATTEMPT) or ""
    return Label(
        source=_place(record.header("guardrail.source")),
        codes=tuple(code for code in codes if code in CODES),
        exception=_exception(record),
        attempts=int(attempts) if _COUNT.fullmatch(attempts) else 0,
        cut=frozenset((record.header(TRUNCATED) or "").split(",")),
    )


def stays(letter: Letter, asked: Asked, target: Target, now_ms: int) -> Stay | None:
    """Why it stays; null when it may go."""
    label = letter.label
    if not asked.match(letter):
        return Stay.NOT_ASKED
    if label.source is None or label.source.topic != target.route.topic:
        return Stay.FOREIGN
    if label.cut & {"value", "key"}:
        return Stay.CUT
    if label.attempts >= asked.max_attempts:
        return Stay.SPENT
    if target.age_ms is not None and 0 < letter.time_ms < now_ms - target.age_ms:
        return Stay.STALE
    made = revive(letter, target)
    return Stay.TOO_LARGE if wire_bytes(made.key, made.value, made.headers) > target.route.max_bytes else None


def revive(letter: Letter, target: Target) -> Outgoing:
    """The record as it came in at first, with the count of its attempts and where it stood then."""
    record, label = letter.record, letter.label
    first = _place(record.header(REDRIVEN_FROM)) or label.source
    partition = label.source.partition if label.source else BY_KEY
    return Outgoing(
        target.route.topic,
        record.key,
        record.value,
        (
            *(header for header in without_errors(record.headers) if header[0] not in OURS),
            *((LOST_HEADERS,) if "headers" in label.cut else ()),
            (ATTEMPT, str(label.attempts + 1).encode()),
            (REDRIVEN_FROM, str(first).encode()),
        ),
        letter.time_ms,
        partition if partition < target.route.partitions_count else BY_KEY,
    )


def runs(passed: Sequence[tuple[int, bool]]) -> list[tuple[int, int]]:
    """The stretches of offsets, first and last, in which every letter goes. What lies between two isn't one."""
    found: list[tuple[int, int]] = []
    unbroken = False
    for offset, goes in passed:
        if goes and unbroken:
            found[-1] = (found[-1][0], offset)
        elif goes:
            found.append((offset, offset))
        unbroken = goes
    return found


def _place(text: str | None) -> Place | None:
    match = _PLACE.fullmatch(text or "")
    return Place(match[1], int(match[2]), int(match[3])) if match else None


def _exception(record: RawRecord) -> str:
    named = record.header(f"{STREAMS}exception") or record.header(f"{CONNECT}exception.class.name")
    match = _EXCEPTION.fullmatch(named or "")
    return match[1] if match else ""
