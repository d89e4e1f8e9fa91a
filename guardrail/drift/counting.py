"""Observations of one partition into closed minutes, cell by cell. It must never count one twice, nor drop a late one.

A minute is closed when the partition's own records were published two minutes after its end; nothing else tells the
time. What comes later counts in the earliest minute that is open: known late is better than never. So the partition's
log alone decides what is closed when, and whoever reads it again gets the same.

Sources: DRIFT §1 (buckets, grace, de-duplication), §2 (offsets inside the value).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from guardrail.drift.observed import (
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
from guardrail.drift.tally import Cell, Mismatch, Shape, Tally

GRACE_MINUTES = 2
REPEATED_MINUTES = 24 * 60
"""Mismatches of one conversation and parameter within a day are one event: whoever retries fails again."""
REPEATED_COUNT = 64
"""Events that a cell remembers; more in a day are an alarm long since."""
DELIVERED_MINUTES = 60
"""Offsets of a source that come again within the hour were delivered twice; later, it is a topic that was made anew."""
SOURCES_COUNT = 64
IDLE_MINUTES = 30 * 24 * 60
"""A cell that has been silent for so long is forgotten."""
MODELS_COUNT = 50
"""Models of an agent that have cells of their own: a producer that puts an id there must not make a cell of each."""
OTHER = "other"
_CLOCK = b"clock"


class Place(NamedTuple):
    """Where a record of the observations topic stands, and when it was published; None where nobody tells."""

    offset: int
    published_ms: int | None


class Closed(Shape, frozen=True, tag="closed"):
    """One minute of one cell: its counts, and the hashes of its events. `minute` counts since 1970."""

    partition: int
    minute: int
    cell: Cell
    counts: dict[str, int]
    events: list[int]
    policy: str


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
    events: list[int] = msgspec.field(default_factory=list)


class Window(msgspec.Struct, array_like=True):
    """All that is remembered of a cell: about 200 bytes, and 10 for each event of the last day."""

    offset: int = -1
    """The last record of the observations topic that is in it."""
    last: int = 0
    policy: str = ""
    open: dict[int, Minute] = msgspec.field(default_factory=dict)
    sources: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    """The last source offset counted, and in which minute, by topic and partition."""
    repeated: dict[int, int] = msgspec.field(default_factory=dict)
    """When an event was last seen, by its hash."""

    def tally(self, seen: Tally, minute: int, now: int) -> None:
        """Counts trials, but for those that were delivered before."""
        source = f"{seen.source.topic}/{seen.source.partition}"
        last, when = self.sources.get(source, (-1, 0))
        if seen.source.last_offset <= last and now - when <= DELIVERED_MINUTES:
            return
        self.sources[source] = (seen.source.last_offset, now)
        shorten(self.sources, SOURCES_COUNT)
        self.policy = seen.policy
        counts = self.open.setdefault(minute, Minute()).counts
        for name, count in seen.counts.items():
            counts[name] = counts.get(name, 0) + count

    def event(self, seen: Mismatch, minute: int, now: int) -> None:
        """Counts an event, but for one of a conversation that had one in the last day."""
        hashed = int(seen.conversation_hash[:8], 16)
        when = self.repeated.pop(hashed, None)
        self.repeated[hashed] = now
        shorten(self.repeated, REPEATED_COUNT)
        if when is None or now - when > REPEATED_MINUTES:
            self.open.setdefault(minute, Minute()).events.append(hashed)


class Time(msgspec.Struct, array_like=True):
    """A partition's clock: the newest minute seen, and the last one closed."""

    now: int = 0
    closed: int = 0


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
        self._models: dict[str, set[str]] = {}
        for key in self._windows:
            self._known(cell_of(key))

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
            case Acknowledgement():
                told.append(self._acknowledged(place, observed))
            case Tally() | Mismatch():
                if (key := self._count(place, observed)) is not None:
                    changed[key] = None
        writes = [(key, self._write(key)) for key in changed]
        return Step(tuple(told), tuple(writes))

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
            elif not rows:
                continue
            changed[key] = None
        time.closed = closed
        return [*told, Tick(self.partition, closed)], {**changed, _CLOCK: None}

    def _close(self, key: bytes, window: Window, closed: int) -> list[Closed]:
        cell = cell_of(key)
        return [
            Closed(self.partition, minute, cell, found.counts, found.events, window.policy)
            for minute in sorted(window.open)
            if minute <= closed and (found := window.open.pop(minute))
        ]

    def _count(self, place: Place, seen: Tally | Mismatch) -> bytes | None:
        """Counts it in its cell; the cell's key, or None where it was counted before."""
        key = self._known(seen.cell).key()
        window = self._windows.setdefault(key, Window())
        if place.offset <= window.offset:
            return None
        now, minute = self._time.now, self._minute(time_of(seen))
        window.offset, window.last = place.offset, now
        if isinstance(seen, Tally):
            window.tally(seen, minute, now)
        else:
            window.event(seen, minute, now)
        return key

    def _minute(self, time_ms: int) -> int:
        """The minute that something counts in: its own where that is open, and no later than it was published."""
        return max(self._time.closed + 1, min(minute_of(time_ms), self._time.now))

    def _acknowledged(self, place: Place, given: Acknowledgement) -> Acknowledged:
        return Acknowledged(self.partition, self._time.now, place.offset, given.acknowledged, given.by, given.why)

    def _known(self, cell: Cell) -> Cell:
        """The cell, its model's name changed to `other` where its agent has too many."""
        models = self._models.setdefault(cell.agent, set())
        if cell.model not in models:
            if len(models) >= MODELS_COUNT:
                return msgspec.structs.replace(cell, model=OTHER)
            models.add(cell.model)
        return cell


def shorten(remembered: dict[str, tuple[int, int]] | dict[int, int], count: int) -> None:
    """Forgets what has stood there for longest."""
    while len(remembered) > count:
        del remembered[next(iter(remembered))]  # type: ignore[arg-type]  # its own key
