"""Observations of one partition into closed minutes, cell by cell. It must never count one twice, nor drop a late one.

A minute is closed when the partition's own records were published two minutes after its end; nothing else tells the
time. What comes later counts in the earliest minute that is open: known late is better than never. So the partition's
log alone decides what is closed when, and whoever reads it again gets the same.

Sources: DRIFT §1 (buckets, grace, de-duplication), §2 (offsets inside the value).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from guardrail.drift.observed import (
    LATEST_MS,
    Acknowledgement,
    Name,
    Observed,
    UnreadableError,
    cell_of,
    minute_of,
    read,
    time_of,
)
from guardrail.drift.step import Step, packed
from guardrail.drift.tally import ANSWERS, OTHER, QUADRANTS, Cell, Mismatch, Shape, Tally

GRACE_MINUTES = 2
REPEATED_MINUTES = 24 * 60
"""Mismatches of one conversation and parameter within a day are one event: whoever retries fails again."""
REPEATED_COUNT = 64
"""Conversations that a cell remembers: where more fail in a day, the last of them."""
HASHES_COUNT = 64
"""Events of a minute that are told by their conversations; the others are counted alone."""
IDLE_MINUTES = 30 * 24 * 60
"""A cell that has been silent for so long is forgotten."""
MODELS_COUNT = 50
"""Models of an agent that have cells of their own: a producer that puts an id there must not make a cell of each."""
COUNTED = (*QUADRANTS, *ANSWERS)
POLICIES_COUNT = 8
_CLOCK = b"clock"


class Place(NamedTuple):
    """Where a record of the observations topic stands, and when it was published; None where nobody tells."""

    offset: int
    published_ms: int | None


class Closed(Shape, frozen=True, tag="closed"):
    """One minute of one cell: its counts, and its events. `minute` counts since 1970."""

    partition: int
    minute: int
    cell: Cell
    counts: dict[str, int]
    events: int
    """Those that have records of their own, a conversation's once."""
    hashes: list[int]
    """The conversations of the first of them."""
    policies: list[str]


class Acknowledged(Shape, frozen=True, tag="acknowledged"):
    """An acknowledgement, in the minute that it belongs to."""

    partition: int
    minute: int
    offset: int
    name: Name
    by: str
    why: str


class Tick(Shape, frozen=True, tag="tick"):
    """A partition has told all that it has of a minute and those before it."""

    partition: int
    minute: int


Told = Closed | Acknowledged | Tick


class Minute(msgspec.Struct, array_like=True):
    """One open minute of a cell."""

    counts: dict[str, int] = msgspec.field(default_factory=dict)
    events: int = 0
    hashes: list[int] = msgspec.field(default_factory=list)
    policies: list[str] = msgspec.field(default_factory=list)


class Window(msgspec.Struct, array_like=True):
    """All that is remembered of a cell: about 100 bytes, and 10 for each conversation."""

    offset: int = -1
    """The last record of the observations topic that is in it."""
    last: int = 0
    """The partition's minute when it came."""
    open: dict[int, Minute] = msgspec.field(default_factory=dict)
    repeated: dict[int, int] = msgspec.field(default_factory=dict)
    """When a conversation's event was counted, by its hash."""

    def has(self, place: Place) -> bool:
        """Whether a record is in it. One that was published later, with an offset as low, is of a topic made anew."""
        later = place.published_ms is not None and minute_of(place.published_ms) > self.last
        return place.offset <= self.offset and not later

    def tally(self, seen: Tally, minute: int) -> None:
        """Counts trials."""
        found = self.open.setdefault(minute, Minute())
        for name in COUNTED:
            if count := seen.counts.get(name, 0):
                found.counts[name] = found.counts.get(name, 0) + count
        if seen.policy not in found.policies and len(found.policies) < POLICIES_COUNT:
            found.policies.append(seen.policy)

    def event(self, seen: Mismatch, minute: int, now: int) -> None:
        """Counts an event, but for one of a conversation that had one counted within a day."""
        hashed = int(seen.conversation_hash[:8], 16)
        if not first_today(hashed, now, self.repeated, REPEATED_COUNT):
            return
        found = self.open.setdefault(minute, Minute())
        found.events += 1
        if len(found.hashes) < HASHES_COUNT:
            found.hashes.append(hashed)


class Time(msgspec.Struct, array_like=True):
    """A partition's clock: the newest minute seen, the last one closed, and the last acknowledgement told."""

    now: int = 0
    closed: int = 0
    acknowledged: int = -1


class Counting:
    """The cells of one partition, made from what is remembered of them."""

    def __init__(self, partition: int, remembered: Iterable[tuple[bytes, bytes]] = ()) -> None:
        """`remembered`: keys and values of all the writes so far that belong to this partition."""
        self.partition = partition
        self.unreadable = 0
        """Records that were no observation, since this was made."""
        self._time = Time()
        self._windows: dict[bytes, Window] = {}
        for key, value in remembered:
            if key == _CLOCK:
                self._time = msgspec.msgpack.decode(value, type=Time)
            else:
                self._windows[key] = msgspec.msgpack.decode(value, type=Window)
        self._models: dict[str, Counter[str]] = {}
        """How many cells a model has, by agent."""
        for key in self._windows:
            self._counted(cell_of(key), 1)

    @property
    def minute(self) -> int:
        """The newest minute that something was published in."""
        return self._time.now

    def take(self, place: Place, value: bytes) -> Step[Told]:
        """One record of the topic, in order: the minutes that it closes, and what is to be remembered."""
        try:
            observed: Observed | None = read(value)
        except UnreadableError:
            observed = None
            self.unreadable += 1
        told, changed = self._advance(place, observed)
        match observed:
            case Acknowledgement() if place.offset > self._time.acknowledged:
                told.append(self._acknowledged(place, observed))
                changed[_CLOCK] = None
            case Tally() | Mismatch():
                if (key := self._count(place, observed)) is not None:
                    changed = {key: None, **changed}
        return Step(tuple(told), tuple((key, self._write(key)) for key in changed))

    def _write(self, key: bytes) -> bytes | None:
        if key == _CLOCK:
            return packed(self._time)
        window = self._windows.get(key)
        return None if window is None else packed(window)

    def _advance(self, place: Place, observed: Observed | None) -> tuple[list[Told], dict[bytes, None]]:
        """Lets time go on to when the record was published: what that closes, and the keys that it changes, the clock
        last.
        """
        time_ms = place.published_ms if place.published_ms is not None else time_of(observed) if observed else 0
        time_ms = min(max(0, time_ms), LATEST_MS)
        time = self._time
        time.now = max(time.now, minute_of(time_ms))
        closed = time.now - GRACE_MINUTES - 1
        if closed <= time.closed:
            return [], {}
        told: list[Told] = []
        changed: dict[bytes, None] = {}
        for key, window in list(self._windows.items()):
            rows = self._close(key, window, closed)
            told += rows
            if time.now - window.last > IDLE_MINUTES and not window.open:
                del self._windows[key]
                self._counted(cell_of(key), -1)
            elif not rows:
                continue
            changed[key] = None
        time.closed = closed
        return [*told, Tick(self.partition, closed)], {**changed, _CLOCK: None}

    def _close(self, key: bytes, window: Window, closed: int) -> list[Closed]:
        due = sorted(minute for minute in window.open if minute <= closed)
        if not due:
            return []
        cell = cell_of(key)
        ended = [(minute, window.open.pop(minute)) for minute in due]
        return [Closed(self.partition, at, cell, m.counts, m.events, m.hashes, m.policies) for at, m in ended]

    def _count(self, place: Place, seen: Tally | Mismatch) -> bytes | None:
        """Counts it in its cell; the cell's key, or None where it was counted before."""
        cell = self._known(seen.cell)
        key = cell.key()
        window = self._windows.get(key)
        if window is None:
            window = self._windows[key] = Window()
            self._counted(cell, 1)
        elif window.has(place):
            return None
        now, minute = self._time.now, self._minute(time_of(seen))
        window.offset, window.last = place.offset, now
        if isinstance(seen, Tally):
            window.tally(seen, minute)
        else:
            window.event(seen, minute, now)
        return key

    def _minute(self, time_ms: int) -> int:
        """The minute that something counts in: its own where that is open, and no later than it was published."""
        return max(self._time.closed + 1, min(minute_of(time_ms), self._time.now))

    def _acknowledged(self, place: Place, given: Acknowledgement) -> Acknowledged:
        self._time.acknowledged = place.offset
        return Acknowledged(self.partition, self._time.now, place.offset, given.acknowledged, given.by, given.why)

    def _known(self, cell: Cell) -> Cell:
        """The cell, its model's name changed to `other` where its agent has too many."""
        models = self._models.get(cell.agent, Counter())
        if cell.model in models or len(models) < MODELS_COUNT:
            return cell
        return msgspec.structs.replace(cell, model=OTHER)

    def _counted(self, cell: Cell, cells: int) -> None:
        """A model has so many cells more; one that has none is forgotten. `other` is none of the models."""
        if cell.model != OTHER:
            models = self._models.setdefault(cell.agent, Counter())
            models[cell.model] += cells
            self._models[cell.agent] = +models


def first_today(conversation: int, now: int, counted: dict[int, int], count: int) -> bool:
    """Whether a conversation has had no event counted within a day; it has one from now on.

    `counted` tells when it was, by conversation, for the last `count` of them.
    """
    if now - counted.get(conversation, -REPEATED_MINUTES) < REPEATED_MINUTES:
        return False
    counted.pop(conversation, None)
    counted[conversation] = now
    if len(counted) > count:
        del counted[next(iter(counted))]
    return True
