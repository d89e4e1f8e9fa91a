"""What a record costs the drift worker, and what a cell holds."""

from __future__ import annotations

import time
from typing import NamedTuple

from guardrail.drift.counting import Counting, Place
from guardrail.drift.monitor import Counted, Stream
from guardrail.drift.step import packed
from guardrail.drift.watching import Watching
from tests.drift.observations import traffic

MONTH = 129_600_000


class Costs(NamedTuple):
    """Microseconds, and bytes."""

    detector_us: float
    """Both monitors of a stream, for the trials of a minute."""
    record_us: float
    """Of an observation: read, counted, remembered."""
    row_us: float
    """Of a cell's minute, once it is closed: its streams and its model's, all checks."""
    cell_bytes: int
    """The largest cell, with 64 events remembered."""
    stream_bytes: int


def costs() -> Costs:
    """Measured on traffic with as many mismatches as are promised."""
    stream, began = Stream.begin(1e-3, 5e-4), time.process_time()
    for minute in range(50_000):
        stream.add(Counted(minute, 50, minute % 20 == 0), MONTH)
    detector_us = (time.process_time() - began) / 50_000 * 1e6
    entries = list(traffic(5, 1, 3_000, rate=1e-3))
    counting, writes, rows = Counting(0), {}, []
    began = time.process_time()
    for one in entries:
        step = counting.take(Place(one.place.offset, one.place.published_ms), one.value)
        writes.update(step.writes)
        rows += step.messages
    record_us = (time.process_time() - began) / len(entries) * 1e6
    watching, began = Watching(1), time.process_time()
    for row in rows:
        watching.take(row)
    row_us = (time.process_time() - began) / len(rows) * 1e6
    cells = max(len(value) for value in writes.values() if value)
    streams = max(len(packed(each)) for each in watching.watch.streams.values())
    return Costs(detector_us, record_us, row_us, cells, streams)
