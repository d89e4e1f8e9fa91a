"""`guardrail watch --file`: observations that were kept, and what drift would have been told of them. It must never say
anything that the worker wouldn't say.

Lines are what `kcat -J` prints, or else record lines (CONTRACT §1) and bare values: the first one says which. Only kcat
tells the partition and the offset, record lines when they were published; bare values are read by their own times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guardrail.drift.counting import Place
from guardrail.drift.flow import Entry, Flow
from guardrail.drift.observed import LATEST_MS, Name
from guardrail.drift.watch import Alarm, Terms, Watched
from guardrail.errors import InputError
from guardrail.lines import read_line
from guardrail.settings import WatchSettings

PARTITIONS_COUNT = 10_000
SHOWN_COUNT = 20
STYLES = {"drifting": "bold red", "cleared": "green", "acknowledged": "cyan", "forgotten": "dim"}


class Line(msgspec.Struct, frozen=True):
    """A line of `kcat -J`."""

    partition: int
    offset: int
    ts: int
    payload: str | None


_LINE = msgspec.json.Decoder(Line)


def terms(settings: WatchSettings) -> Terms:
    """What a deployment asks for, as drift takes it."""
    given = settings.model_dump()
    ceilings = {name.removeprefix("ceiling_"): value for name, value in given.items() if name.startswith("ceiling_")}
    return Terms(ceilings, settings.trials_a_minute, settings.false_alarms_a_month)


def entries(lines: Iterable[bytes]) -> Iterator[Entry]:
    """The records that lines hold; blank ones are none. Raises InputError where a partition isn't in order."""
    rest = iter(lines)
    first = next(rest, b"")
    read = _kcat if _decoded(first) else _line
    last: dict[int, int] = {}
    for index, line in enumerate(chain([first], rest)):
        entry = read(line, index)
        if entry is None:
            continue
        before = last.get(entry.partition, -1)
        if not 0 <= entry.partition < PARTITIONS_COUNT:
            raise InputError(f"line {index + 1}: no partition is {entry.partition}")
        if entry.place.offset <= before:
            raise InputError(
                f"line {index + 1}: offset {entry.place.offset} after {before} of partition {entry.partition}: each "
                "partition's records must stand in order, each once"
            )
        last[entry.partition] = entry.place.offset
        yield entry


def _kcat(line: bytes, index: int) -> Entry | None:
    told = _decoded(line)
    if told is None:
        if line.strip():
            raise InputError(f"line {index + 1}: not what kcat -J prints, as the first line is")
        return None
    published_ms = told.ts if 0 <= told.ts <= LATEST_MS else None
    return Entry(told.partition, Place(told.offset, published_ms), (told.payload or "").encode())


def _line(line: bytes, index: int) -> Entry | None:
    record = read_line(line, index)
    return Entry(0, Place(index, record.source.timestamp_ms), record.value or b"") if record else None


def _decoded(line: bytes) -> Line | None:
    try:
        return _LINE.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def partitions_count(path: Path) -> int:
    """How many partitions a file has records of. Raises InputError."""
    with _opened(path) as lines:
        return 1 + max((entry.partition for entry in entries(lines)), default=0)


def run(path: Path, settings: WatchSettings) -> tuple[list[Alarm], Flow]:
    """All alarms of a file, and the streams at its end. Raises InputError."""
    flow = Flow(partitions_count(path), terms(settings))
    with _opened(path) as lines:
        alarms = list(flow.run(entries(lines)))
    if not flow.streams and flow.unreadable:
        raise InputError(f"{path}: no line of it is an observation")
    return alarms, flow


def _opened(path: Path) -> BinaryIO:
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: no regular file: it is read twice")
    try:
        return path.open("rb")
    except OSError as failure:
        raise InputError(f"{path}: {failure.strerror}") from None


def show(out: Console, alarms: Iterable[Alarm], flow: Flow) -> None:
    """The alarms in order, then the streams, those with most evidence first."""
    told = list(alarms)
    if told:
        out.print(_alarms(told))
    streams = sorted(flow.streams, key=lambda each: (-each.evidence, each.name))
    out.print(_streams(streams[:SHOWN_COUNT]))
    states = Counter("drifting" if each.stream.drifting else "steady" for each in streams)
    out.print(f"{len(streams)} streams, {states['drifting']} of them drifting; {len(told)} changes of state")
    if flow.unreadable:
        out.print(f"{flow.unreadable} lines are no observations", style="red")


def _alarms(alarms: Iterable[Alarm]) -> Table:
    table = Table(
        "at", "stream", "held against", "rate", "since", "trials", "events", "state", box=None, pad_edge=False
    )
    for one in alarms:
        numbers = (f"{one.baseline:.1e} ({one.monitor})", f"{one.rate:.1e}", time_of(one.since))
        state = f"[{STYLES[one.state]}]{one.state}[/]"
        table.add_row(time_of(one.at), called(one.stream), *numbers, f"{one.trials:,}", f"{one.events:,}", state)
    return table


def _streams(streams: Iterable[Watched]) -> Table:
    table = Table("stream", "evidence", "baseline", "rate", "trials", "events", "state", box=None, pad_edge=False)
    for each in streams:
        since = each.stream.strongest(each.threshold).since
        state = "[bold red]drifting[/]" if each.stream.drifting else "warming" if each.stream.warming else "steady"
        bar = "█" * round(10 * min(each.evidence, 1.0))
        table.add_row(
            called(each.name),
            f"{each.evidence:4.2f} {bar}",
            f"{each.stream.baseline:.1e}",
            f"{since.rate:.1e}",
            f"{since.trials:,}",
            f"{since.events:,}",
            state,
        )
    return table


def called(name: Name) -> str:
    """A stream as people read it."""
    where = f" in {name.agent} {name.parameter}".rstrip() if name.scope == "cell" else " (all)"
    text = f"{name.check} of {name.model}{where}"
    return escape("".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text))


def time_of(unix_ms: int) -> str:
    """A minute, in UTC."""
    return datetime.fromtimestamp(unix_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M")
