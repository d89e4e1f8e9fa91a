"""One batch, counted: a tally for each cell, minute, source partition and policy, and a record for each mismatch.

It must never hold a word of a user's: names outside the catalogue come in as `other`, a conversation leaves as a hash.
Shapes: CONTRACT §7. Sums of tallies give the trials; mismatches are counted from their own records, which can be
de-duplicated (DRIFT §2).
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec

SCHEMA_VERSION = 1
OTHER = "other"
"""Stands for every name that isn't in the catalogue, or is one too many."""
MINUTE_MS = 60_000
FUTURE_MS = 300_000
"""Clocks of producers run ahead by seconds; five minutes are a wrong clock."""
EARLIEST_MS = 946_684_800_000
"""The year 2000: older than any Kafka record, younger than any time given in seconds."""

# check -> the quadrant that it raises an alarm for. A trial belongs to the check that its model's word decides.
EVENTS = {"simulation": "mismatch", "underclaim": "underclaim"}
RESPONSE = "response"
"""What whole responses are counted under, beside their executions: how many, how many refused, how many in disorder."""
ANSWERS = ("judged", "rejected", "disordered")
QUADRANTS = ("agreed", "mismatch", "refusal", "underclaim", "undecided")


class Shape(msgspec.Struct, frozen=True):
    """The root of the published shapes."""

    def encode(self) -> bytes:
        """The shape as JSON."""
        return msgspec.json.encode(self)


class Cell(Shape, frozen=True):
    """What one drift monitor watches."""

    agent: str
    model: str
    check: str
    parameter: str

    def key(self) -> bytes:
        """The Kafka key: a JSON list, so that no separator inside a name can join two cells."""
        return msgspec.json.encode([self.agent, self.model, self.check, self.parameter])


class Trial(msgspec.Struct, frozen=True):
    """One execution of a model's pattern beside the model's word on it, and where it came from."""

    agent: str
    model: str
    parameter: str
    quadrant: str
    simulated: bool | None
    conversation: str
    topic: str
    partition: int
    offset: int
    timestamp_ms: int | None
    policy: str = ""

    @property
    def cell(self) -> Cell:
        """The cell it counts in: `underclaim` watches the words "doesn't match", `simulation` all the others."""
        check = "underclaim" if self.simulated is False else "simulation"
        return Cell(self.agent, self.model, check, self.parameter)

    def counted(self) -> dict[str, int]:
        """What it adds to its tally."""
        return {each: int(each == self.quadrant) for each in QUADRANTS}


class Response(msgspec.Struct, frozen=True):
    """One response that was judged, and what came of it, whether the policy is enforced or not."""

    agent: str
    model: str
    rejected: bool
    disordered: bool
    """Its operational fields came before their reasoning."""
    topic: str
    partition: int
    offset: int
    timestamp_ms: int | None
    policy: str = ""

    @property
    def cell(self) -> Cell:
        """The cell it counts in: a response has no parameter."""
        return Cell(self.agent, self.model, RESPONSE, "")

    def counted(self) -> dict[str, int]:
        """What it adds to its tally."""
        return {"judged": 1, "rejected": int(self.rejected), "disordered": int(self.disordered)}


Seen = Trial | Response


class Range(msgspec.Struct):
    """The source offsets, both ends included, that a tally counts."""

    topic: str
    partition: int
    first_offset: int
    last_offset: int


class Point(msgspec.Struct, frozen=True):
    """One source offset."""

    topic: str
    partition: int
    offset: int


class Tally(Shape, frozen=True):
    """What one batch has in one cell, minute, source partition and policy. `bucket` is the minute's start in Unix ms.

    `counts` is by quadrant, or for the check `response` by `judged`, `rejected` and `disordered`.
    """

    bucket: int
    agent: str
    model: str
    check: str
    parameter: str
    counts: dict[str, int]
    source: Range
    policy: str = ""
    schema_version: int = SCHEMA_VERSION

    @property
    def cell(self) -> Cell:
        """Where it counts."""
        return Cell(self.agent, self.model, self.check, self.parameter)


class Mismatch(Shape, frozen=True):
    """One drift event. `conversation_hash` is what several of one conversation have in common."""

    agent: str
    model: str
    check: str
    parameter: str
    conversation_hash: str
    source: Point
    timestamp_ms: int
    schema_version: int = SCHEMA_VERSION

    @property
    def cell(self) -> Cell:
        """Where it counts."""
        return Cell(self.agent, self.model, self.check, self.parameter)


class Batch(msgspec.Struct, frozen=True):
    """What the observations topic gets for one batch: keys and shapes, tallies first."""

    tallies: tuple[tuple[Cell, Tally], ...] = ()
    mismatches: tuple[tuple[Cell, Mismatch], ...] = ()

    def records(self) -> Iterable[tuple[bytes, bytes]]:
        """Key and value of each."""
        shapes: tuple[tuple[Cell, Any], ...] = (*self.tallies, *self.mismatches)
        return ((cell.key(), shape.encode()) for cell, shape in shapes)


def event_ms(timestamp_ms: int | None, received_ms: int) -> int:
    """The record's own time where it is sensible, else the batch's receive time.

    Missing, zero, negative and far-future timestamps, and seconds given for milliseconds, would file drift in 1970 or
    next year, where no window looks and from where no watermark comes back. Old ones are sensible: a backlog is judged
    late, and drifted when it was written.
    """
    if timestamp_ms is None or not EARLIEST_MS <= timestamp_ms <= received_ms + FUTURE_MS:
        return received_ms
    return timestamp_ms


def conversation_hash(conversation: str) -> str:
    """16 hex digits: enough to tell conversations apart, and no text that a user or a customer system wrote."""
    return sha256(conversation.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def tally(seen: Iterable[Seen], received_ms: int) -> Batch:
    """Counts a batch. `received_ms` is when it was received: the fallback for timestamps that can't be (`event_ms`).

    Everything is in exactly one tally, whatever became of it; events (`EVENTS`) have a mismatch record each as well.
    """
    tallies: dict[tuple[Cell, int, str, int, str], Tally] = {}
    mismatches = []
    for one in seen:
        cell, time_ms = one.cell, event_ms(one.timestamp_ms, received_ms)
        bucket = time_ms - time_ms % MINUTE_MS
        place = (cell, bucket, one.topic, one.partition, one.policy)
        if place not in tallies:
            tallies[place] = _open(cell, bucket, one)
        _count(tallies[place], one)
        if isinstance(one, Trial) and one.quadrant == EVENTS[cell.check]:
            mismatches.append((cell, _mismatch(cell, one, time_ms)))
    return Batch(tuple((place[0], made) for place, made in tallies.items()), tuple(mismatches))


def _open(cell: Cell, bucket: int, one: Seen) -> Tally:
    covered = Range(one.topic, one.partition, one.offset, one.offset)
    return Tally(bucket, cell.agent, cell.model, cell.check, cell.parameter, {}, covered, one.policy)


def _count(into: Tally, one: Seen) -> None:
    for name, count in one.counted().items():
        into.counts[name] = into.counts.get(name, 0) + count
    covered = into.source
    covered.first_offset = min(covered.first_offset, one.offset)
    covered.last_offset = max(covered.last_offset, one.offset)


def _mismatch(cell: Cell, trial: Trial, time_ms: int) -> Mismatch:
    source = Point(trial.topic, trial.partition, trial.offset)
    hashed = conversation_hash(trial.conversation)
    return Mismatch(cell.agent, cell.model, cell.check, cell.parameter, hashed, source, time_ms)
