"""Observations as a gate publishes them, made up. It must never use a clock."""

from __future__ import annotations

import random
from collections.abc import Iterator

from guardrail.drift.counting import Place
from guardrail.drift.flow import Entry
from guardrail.drift.tally import MINUTE_MS, QUADRANTS, Mismatch, Point, Range, Tally

BEGIN = 29_000_000
"""The first minute."""


def tally(
    minute: int, offsets: tuple[int, int] = (0, 0), *, partition: int = 0, policy: str = "p1", **given: object
) -> Tally:
    """A tally of one cell, but for what is given: names of the cell, and counts."""
    cell = {"agent": "clinic", "model": "m", "check": "simulation", "parameter": "Phone"}
    names = {name: str(given.pop(name, default)) for name, default in cell.items()}
    counts = {each: int(str(given.pop(each, 0))) for each in QUADRANTS} if names["check"] != "response" else {}
    counts |= {name: int(str(count)) for name, count in given.items()}
    covered = Range("raw", partition, *offsets)
    return Tally(bucket=(BEGIN + minute) * MINUTE_MS, counts=counts, source=covered, policy=policy, **names)


def mismatch(minute: int, conversation: int, *, check: str = "simulation", **names: str) -> Mismatch:
    """A mismatch of the same cell, but for what is given."""
    cell = {"agent": "clinic", "model": "m", "parameter": "Phone", **names}
    hashed = f"{conversation:016x}"[-16:]
    hashed = hashed[8:] + hashed[:8]  # the first eight digits are what is remembered
    time_ms = (BEGIN + minute) * MINUTE_MS
    return Mismatch(check=check, conversation_hash=hashed, source=Point("raw", 0, 0), timestamp_ms=time_ms, **cell)


def entry(offset: int, minute: float, value: bytes, partition: int = 0) -> Entry:
    """A record of the observations topic, published in a minute."""
    return Entry(partition, Place(offset, int((BEGIN + minute) * MINUTE_MS)), value)


def traffic(
    seed: int, partitions: int, minutes: int, *, rate: float, trials: int = 200, begin: int = 0
) -> Iterator[Entry]:
    """Several cells a partition, whose mismatches come at a rate; some are published minutes after they happened."""
    dice = random.Random(seed)
    offsets, sources = [0] * partitions, 0
    for minute in range(begin, begin + minutes):
        for partition in range(partitions):
            for parameter in ("Phone", "Email"):
                happened = max(begin, minute - dice.choice((0, 0, 0, 1, 5)))
                policy = "p1" if minute % 20 < 15 else "p2"
                names = {"agent": f"agent-{partition}", "model": dice.choice("mn"), "parameter": parameter}
                count = dice.randint(0, trials)
                failed = sum(dice.random() < rate for _ in range(count))
                made = tally(
                    happened, (sources, sources + count), policy=policy, agreed=count - failed, mismatch=failed, **names
                )
                sources += count + 1
                events = [mismatch(happened, dice.getrandbits(40), **names) for _ in range(failed)]
                for one in (made, *events):
                    yield entry(offsets[partition], minute + 0.5, one.encode(), partition)
                    offsets[partition] += 1
