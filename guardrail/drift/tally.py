"""Trials of one batch, counted: a tally for each cell, minute and source partition, and a record for each mismatch.

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
MINUTE_MS = 60_000
FUTURE_MS = 300_000
"""Clocks of producers run ahead by seconds; five minutes are a wrong clock."""
EARLIEST_MS = 946_684_800_000
"""The year 2000: older than any Kafka record, younger than any time given in seconds."""

# check -> the quadrant that it raises an alarm for. A trial belongs to the check that its model's word decides.
EVENTS = {"simulation": "mismatch", "underclaim": "underclaim"}


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

    @property
    def cell(self) -> Cell:
        """The cell it counts in: `underclaim` watches the words "doesn't match", `simulation` all the others."""
        check = "underclaim" if self.simulated is False else "simulation"
        return Cell(self.agent, self.model, check, self.parameter)


class Counts(msgspec.Struct):
    """Trials by quadrant."""

    agreed: int = 0
    mismatch: int = 0
    refusal: int = 0
    underclaim: int = 0
    undecided: int = 0


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
    """The trials of one batch in one cell, minute and source partition. `bucket` is the minute's start in Unix ms."""

    bucket: int
    agent: str
    model: str
    check: str
    parameter: str
    counts: Counts
    source: Range
    schema_version: int = SCHEMA_VERSION


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


def tally(trials: Iterable[Trial], received_ms: int) -> Batch:
    """Counts a batch. `received_ms` is when it was received: the fallback for timestamps that can't be (`event_ms`).

    Every trial is in exactly one tally, whatever its quadrant; events (`EVENTS`) have a mismatch record each as well.
    """
    tallies: dict[tuple[Cell, int, str, int], Tally] = {}
    mismatches = []
    for trial in trials:
        cell, time_ms = trial.cell, event_ms(trial.timestamp_ms, received_ms)
        bucket = time_ms - time_ms % MINUTE_MS
        place = (cell, bucket, trial.topic, trial.partition)
        if place not in tallies:
            tallies[place] = _open(cell, bucket, trial)
        _count(tallies[place], trial)
        if trial.quadrant == EVENTS[cell.check]:
            mismatches.append((cell, _mismatch(cell, trial, time_ms)))
    return Batch(tuple((place[0], made) for place, made in tallies.items()), tuple(mismatches))


def _open(cell: Cell, bucket: int, trial: Trial) -> Tally:
    covered = Range(trial.topic, trial.partition, trial.offset, trial.offset)
    return Tally(bucket, cell.agent, cell.model, cell.check, cell.parameter, Counts(), covered)


def _count(into: Tally, trial: Trial) -> None:
    counts, covered = into.counts, into.source
    setattr(counts, trial.quadrant, getattr(counts, trial.quadrant) + 1)
    covered.first_offset = min(covered.first_offset, trial.offset)
    covered.last_offset = max(covered.last_offset, trial.offset)


def _mismatch(cell: Cell, trial: Trial, time_ms: int) -> Mismatch:
    source = Point(trial.topic, trial.partition, trial.offset)
    hashed = conversation_hash(trial.conversation)
    return Mismatch(cell.agent, cell.model, cell.check, cell.parameter, hashed, source, time_ms)
