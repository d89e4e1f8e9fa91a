"""What stands in the observations topic: tallies, mismatches, acknowledgements, and the time. It must never guess.

Shapes: CONTRACT §7. What is none of them is refused and counted; nothing else of the topic is lost for it.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from guardrail.drift.tally import MINUTE_MS, Cell, Mismatch, Point, Range, Shape, Tally

Scope = Literal["cell", "model"]
Text = Annotated[str, msgspec.Meta(max_length=1024)]
Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]
LATEST_MS = 4_102_444_800_000
"""The year 2100, in Unix milliseconds."""
Time = Annotated[int, msgspec.Meta(ge=0, le=LATEST_MS)]
Number = Annotated[int, msgspec.Meta(ge=-1, le=2**62)]
"""A partition or an offset; -1 where there is none."""
COUNTS_COUNT = 16
"""More names than any check has."""


class UnreadableError(ValueError):
    """A value that is no observation. The message quotes nothing of it."""


class Name(Shape, frozen=True, order=True):
    """What one pair of monitors watches: a check of a cell, or of all cells of a model."""

    scope: Scope
    check: Text
    model: Text
    agent: Text = ""
    parameter: Text = ""

    def key(self) -> bytes:
        """The Kafka key: a JSON list, so that no separator inside a name can join two."""
        return msgspec.json.encode([self.scope, self.agent, self.model, self.check, self.parameter])

    @property
    def whole(self) -> Name:
        """The model's own stream, which this one adds to."""
        return Name("model", self.check, self.model)


class Acknowledgement(Shape, frozen=True):
    """Somebody has looked: the stream's alarms end, and what it shows from now on is its baseline."""

    acknowledged: Name
    by: Text
    why: Text
    schema_version: Literal[1] = 1


class Clock(Shape, frozen=True):
    """The time, told into a partition: minutes close there although nothing happens."""

    clock_ms: Time


Observed = Tally | Mismatch | Acknowledgement | Clock


class _Range(Range):
    """A range within its bounds."""

    topic: Text
    partition: Number
    first_offset: Number
    last_offset: Number


class _Point(Point, frozen=True):
    """A point within its bounds."""

    topic: Text
    partition: Number
    offset: Number


class _Tally(Tally, frozen=True):
    """A tally within its bounds."""

    bucket: Time
    agent: Text
    model: Text
    check: Text
    parameter: Text
    counts: Annotated[dict[Text, Count], msgspec.Meta(max_length=COUNTS_COUNT)]
    source: _Range
    policy: Text = ""
    schema_version: Literal[1] = 1


class _Mismatch(Mismatch, frozen=True):
    """A mismatch within its bounds."""

    agent: Text
    model: Text
    check: Text
    parameter: Text
    conversation_hash: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{8,64}$")]
    source: _Point
    timestamp_ms: Time
    schema_version: Literal[1] = 1


_DECODERS = tuple(msgspec.json.Decoder(shape) for shape in (_Tally, _Mismatch, Clock, Acknowledgement))


def read(value: bytes) -> Observed:
    """The observation that a record's value holds. Raises UnreadableError for what is none."""
    for decoder in _DECODERS:
        try:
            return decoder.decode(value)  # type: ignore[return-value]  # each is one of them
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
    raise UnreadableError("neither a tally, nor a mismatch, nor an acknowledgement, nor the time")


def time_of(observed: Observed) -> int:
    """When it can be known at the earliest, in Unix ms, by itself: for files that don't tell when it was published."""
    match observed:
        case Tally():
            return observed.bucket
        case Mismatch():
            return observed.timestamp_ms
        case Clock():
            return observed.clock_ms
    return 0


def minute_of(time_ms: int) -> int:
    """Minutes since 1970."""
    return time_ms // MINUTE_MS


def cell_of(key: bytes) -> Cell:
    """The cell that a key names."""
    return Cell(*msgspec.json.decode(key, type=tuple[str, str, str, str]))
