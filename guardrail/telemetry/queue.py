"""Finished spans on their way to a collector. It must never make the gate wait, nor lose a span without counting it.

OpenTelemetry's own batch processor evicts the oldest span when full and may take 20 s to shut down on a dead collector
(DRIFT §3); this one refuses the newest, counts it, and has a deadline.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from contextlib import suppress

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

LOG = logging.getLogger(__name__)
QUEUE_SPANS = 65_536
"""Six seconds of 10,000 mismatches a second: an outage of the model, with a collector that restarts meanwhile."""
EXPORT_SPANS = 512
WAIT_S = 0.5
RETRIES_COUNT = 5
SHUTDOWN_S = 3.0


class SpanQueue(SpanProcessor):
    """Exports in a daemon thread, a batch at a time; `dropped` counts what was refused or couldn't be delivered."""

    def __init__(self, exporter: SpanExporter) -> None:
        self.dropped = 0
        self._flying = 0
        self._exporter = exporter
        self._waiting: deque[ReadableSpan] = deque()
        self._more = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="drift-spans", daemon=True)
        self._thread.start()

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Nothing: spans are made after the fact."""

    def on_end(self, span: ReadableSpan) -> None:
        """Takes the span, or counts it when there is no room."""
        if len(self._waiting) >= QUEUE_SPANS or self._ending.is_set():
            self.dropped += 1
            return
        self._waiting.append(span)
        if len(self._waiting) >= EXPORT_SPANS:
            self._more.set()

    def shutdown(self) -> None:
        """Delivers what waits, for at most SHUTDOWN_S; the rest is counted as dropped."""
        if self._ending.is_set():
            return
        self._ending.set()
        self._more.set()
        self._thread.join(SHUTDOWN_S)
        self.dropped += len(self._waiting) + self._flying
        self._flying = 0
        self._waiting.clear()
        threading.Thread(target=self._exporter.shutdown, name="drift-spans-end", daemon=True).start()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Whether all that waits was taken up within the time."""
        deadline = time.monotonic() + timeout_millis / 1000
        while (self._waiting or self._flying) and time.monotonic() < deadline:
            self._more.set()
            time.sleep(0.005)
        return not (self._waiting or self._flying)

    def _run(self) -> None:
        while not self._ending.is_set():
            self._more.wait(WAIT_S)
            self._more.clear()
            self._drain()
        self._drain()

    def _drain(self) -> None:
        while batch := self._taken():
            if not self._delivered(batch):
                self.dropped += self._flying  # none any more when shutdown has counted them
            self._flying = 0

    def _taken(self) -> list[ReadableSpan]:
        """The next batch, told as flying before it leaves the queue."""
        self._flying = min(EXPORT_SPANS, len(self._waiting))
        batch: list[ReadableSpan] = []
        with suppress(IndexError):  # shutdown may clear the queue meanwhile
            while len(batch) < EXPORT_SPANS:
                batch.append(self._waiting.popleft())
        self._flying = len(batch)
        return batch

    def _delivered(self, batch: list[ReadableSpan]) -> bool:
        """Tries again a few times while the collector is away, unless we are ending."""
        for attempt in range(RETRIES_COUNT):
            if self._exported(batch):
                return True
            if self._ending.wait(min(2**attempt, 10)):
                return False
        return False

    def _exported(self, batch: list[ReadableSpan]) -> bool:
        try:
            return self._exporter.export(batch) is SpanExportResult.SUCCESS
        except Exception as error:  # noqa: BLE001  # an exporter that breaks must not end the thread
            LOG.warning("export failed", extra={"error": type(error).__name__})
            return False
