"""Months without drift, through both stages as they are shipped: how many alarms there are. Traffic is a day's and a
week's, and in some of it users try again. It must never leave out what is inconvenient: every check is on.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from guardrail.drift.counting import Place
from guardrail.drift.flow import Entry, Flow
from guardrail.drift.tally import MINUTE_MS, Cell, Mismatch, Point, Range, Tally

DAYS = 30
CELLS = tuple((agent, parameter) for agent in ("clinic", "hotel") for parameter in ("Phone", "Booking"))
RATES = {"mismatch": 1e-3, "undecided": 5e-3, "rejected": 0.1, "disordered": 5e-3}
"""At their ceilings, or half of them: what a model that keeps its promises does."""
PARTS = {"clinic": 1.0, "hotel": 0.2}
"""Of those rates, by agent: a model's cells are never alike."""
CLOSED = "hotel"
"""Whoever sleeps at night: then a model's mix is another one."""
BEGIN = 29_000_000
PARTITIONS = 2
RETRIES = 2.0
"""On average, of a conversation whose value was refused, in the minutes that follow."""

Shape = Callable[[int], float]
"""Trials a second in a minute."""


def flat(_: int) -> float:
    """Always the same."""
    return 50.0


def diurnal(minute: int) -> float:
    """Quiet at night, and at weekends: 50 in the mean of a working day."""
    day = 50.0 + 45.0 * math.sin(2 * math.pi * minute / (24 * 60))
    return day if minute // (24 * 60) % 7 < 5 else day / 4


def levels(minute: int) -> float:
    """Three levels: 5, 50 and 150 a second, each for ten days."""
    return (5.0, 50.0, 150.0)[min(2, minute // (10 * 24 * 60))]


SHAPES: dict[str, Shape] = {"50 a second": flat, "day and night": diurnal, "5, 50, 150 a second": levels}


class Month(NamedTuple):
    """What a month came to."""

    trials: int
    alarms: Counter[str]
    """Drift that wasn't there, by scope and check."""
    streams: int
    records: int
    seconds: float


def month(shape: Shape, seed: int, *, retries: bool, days: int = DAYS) -> Month:
    """One month of all cells, at the rates that are promised."""
    flow, alarms, records, began = Flow(PARTITIONS), Counter[str](), 0, time.perf_counter()
    traffic = _Traffic(shape, np.random.default_rng(seed), retries=retries)
    for minute in range(days * 24 * 60):
        for entry in traffic.minute(minute):
            records += 1
            alarms.update(f"{a.stream.scope} {a.stream.check}" for a in flow.take(entry) if a.state == "drifting")
    return Month(traffic.trials, alarms, len(flow.streams), records, time.perf_counter() - began)


class _Traffic:
    """Observations as gates would publish them, minute by minute."""

    def __init__(self, shape: Shape, dice: np.random.Generator, *, retries: bool) -> None:
        self._shape = shape
        self._dice = dice
        self._retries = retries
        self._offsets = [0] * PARTITIONS
        self._source = 0
        self._again: dict[int, list[tuple[int, int]]] = {}
        """Who tries again, by minute: cell and conversation."""
        self.trials = 0

    def minute(self, minute: int) -> Iterator[Entry]:
        """All that is published in a minute."""
        again = self._again.pop(minute, [])
        for index, (agent, parameter) in enumerate(CELLS):
            open_now = agent != CLOSED or minute % (24 * 60) < 16 * 60
            count = int(self._dice.poisson(self._shape(minute) * 60 / len(CELLS))) if open_now else 0
            failing = [conversation for cell, conversation in again if cell == index]
            failing += [self._conversation(index, minute) for _ in range(self._drawn(agent, count, "mismatch"))]
            yield from self._cell(minute, Cell(agent, "m", "simulation", parameter), count, failing)
            yield self._entry(index, minute, self._responses(minute, agent, count).encode())

    def _cell(self, minute: int, cell: Cell, count: int, failing: list[int]) -> Iterator[Entry]:
        self.trials += count
        undecided = self._drawn(cell.agent, count, "undecided")
        counts = {"agreed": max(0, count - len(failing) - undecided), "mismatch": len(failing), "undecided": undecided}
        partition = CELLS.index((cell.agent, cell.parameter))
        yield self._entry(partition, minute, self._tally(minute, cell, counts, count).encode())
        for conversation in failing:
            at, point = (BEGIN + minute) * MINUTE_MS, Point("raw", 0, self._source)
            names = (cell.agent, cell.model, cell.check, cell.parameter)
            yield self._entry(partition, minute, Mismatch(*names, f"{conversation:016x}", point, at).encode())

    def _responses(self, minute: int, agent: str, count: int) -> Tally:
        counts = {"judged": count, **{name: self._drawn(agent, count, name) for name in ("rejected", "disordered")}}
        return self._tally(minute, Cell(agent, "m", "response", ""), counts, count)

    def _tally(self, minute: int, cell: Cell, counts: dict[str, int], count: int) -> Tally:
        covered = Range("raw", 0, self._source, self._source + count)
        self._source += count + 1
        names = (cell.agent, cell.model, cell.check, cell.parameter)
        return Tally((BEGIN + minute) * MINUTE_MS, *names, counts, covered, "p1")

    def _entry(self, index: int, minute: int, value: bytes) -> Entry:
        partition = index % PARTITIONS
        self._offsets[partition] += 1
        return Entry(partition, Place(self._offsets[partition], (BEGIN + minute) * MINUTE_MS + MINUTE_MS // 2), value)

    def _drawn(self, agent: str, count: int, what: str) -> int:
        return int(self._dice.binomial(count, RATES[what] * PARTS[agent]))

    def _conversation(self, index: int, minute: int) -> int:
        """A conversation that fails, and, where users try again, when it will fail again."""
        conversation = int(self._dice.integers(1, 2**63))
        if self._retries:
            for later in range(int(self._dice.geometric(1 / (1 + RETRIES))) - 1):
                self._again.setdefault(minute + 1 + later, []).append((index, conversation))
        return conversation
