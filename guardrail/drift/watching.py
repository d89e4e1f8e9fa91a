"""What partitions tell of their minutes, put together: a minute is evaluated once all of them have told all of it. It
must never evaluate one twice, nor one of which something may still come.

Source: DRIFT §2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from guardrail.drift.checks import sums
from guardrail.drift.counting import Acknowledged, Closed, Tick, Told
from guardrail.drift.observed import UnreadableError
from guardrail.drift.step import Step, packed
from guardrail.drift.watch import DEFAULT_TERMS, Alarm, Terms, Watch, Watched

_TOLD = msgspec.json.Decoder(Told)
_STREAM, _PARTITION, _ROW = b"s", b"p", b"r"


class Row(msgspec.Struct, array_like=True):
    """What waits for its minute."""

    told: Closed | Acknowledged


def told(value: bytes) -> Told:
    """A message between the stages. Raises UnreadableError for what is none."""
    try:
        return _TOLD.decode(value)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise UnreadableError("not what a partition tells of its minutes") from None


class Watching:
    """All streams, made from what is remembered of them."""

    def __init__(
        self, partitions: int, terms: Terms = DEFAULT_TERMS, remembered: Iterable[tuple[bytes, bytes]] = ()
    ) -> None:
        """`partitions`: how many the observations topic has; a minute waits for each of them."""
        self._closed = dict.fromkeys(range(partitions), 0)
        self._rows: dict[int, dict[bytes, Closed | Acknowledged]] = {}
        """What waits, by minute."""
        streams = []
        for key, value in remembered:
            if key[:1] == _STREAM:
                streams.append(msgspec.msgpack.decode(value, type=Watched))
            elif key[:1] == _ROW:
                self._wait(key, msgspec.msgpack.decode(value, type=Row).told)
            elif int(key[1:]) < partitions:
                self._closed[int(key[1:])] = msgspec.msgpack.decode(value, type=int)
        self.watch = Watch(terms, streams)

    @property
    def minute(self) -> int:
        """The last minute that all partitions have closed; 0 while one has told nothing yet."""
        return min(self._closed.values())

    def take(self, one: Told) -> Step[Alarm]:
        """One message, each partition's in order. One that comes again changes nothing."""
        if one.minute <= self._closed.get(one.partition, 0):
            return Step()
        if isinstance(one, Tick):
            return self._tick(one)
        self._wait(_key(one), one)
        return Step(writes=((_key(one), packed(Row(one))),))

    def _wait(self, key: bytes, one: Closed | Acknowledged) -> None:
        self._rows.setdefault(one.minute, {})[key] = one

    def _tick(self, tick: Tick) -> Step[Alarm]:
        """Evaluates the minutes that it completes; what is written last is that they needn't be again."""
        before = self.minute
        self._closed[tick.partition] = tick.minute
        closed: list[tuple[bytes, bytes | None]] = [
            (_PARTITION + b"%d" % tick.partition, msgspec.msgpack.encode(tick.minute))
        ]
        if self.minute <= before:
            return Step(writes=tuple(closed))
        due = sorted(minute for minute in self._rows if minute <= self.minute)
        steps = [self._evaluate(minute) for minute in due]
        alarms = tuple(alarm for step in steps for alarm in step.messages)
        writes = [write for step in steps for write in step.writes]
        return Step(alarms, (*writes, *closed))

    def _evaluate(self, minute: int) -> Step[Alarm]:
        rows = self._rows.pop(minute)
        found = sums(rows[key] for key in sorted(rows))
        ended, forgotten = self.watch.forget(minute)
        begun = _written(self.watch.begin(minute, found))
        alarms, changed = self.watch.evaluate(minute, found)
        dropped = [(_STREAM + name.key(), None) for name in forgotten]
        return Step((*ended, *alarms), (*dropped, *begun, *_written(changed), *((key, None) for key in rows)))


def _written(streams: Sequence[Watched]) -> list[tuple[bytes, bytes | None]]:
    return [(_STREAM + each.name.key(), packed(each)) for each in streams]


def _key(one: Closed | Acknowledged) -> bytes:
    """What tells apart all that waits: the same message has the same key."""
    what = one.cell.key() if isinstance(one, Closed) else b"%d" % one.offset
    return _ROW + b"%d/%d/" % (one.minute, one.partition) + what
