"""What processes take over time: memory and descriptors. It must never count their start: caches fill up then."""

from __future__ import annotations

import os
import statistics
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

SETTLED = 1 / 3
"""The share of the looks that is passed over."""
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 1e6


class Look(NamedTuple):
    """One process at one time."""

    minutes: float
    memory_mb: float
    descriptors: int


class Growth:
    """Looks at processes now and then, each by a name of its own."""

    def __init__(self) -> None:
        self._looks: dict[int, list[Look]] = defaultdict(list)

    def look(self, pids: Mapping[int, int]) -> None:
        """Takes down what each has now."""
        for name, pid in pids.items():
            home = Path("/proc") / str(pid)
            memory_mb = int((home / "statm").read_text().split()[1]) * PAGE_MB
            self._looks[name].append(Look(time.monotonic() / 60, memory_mb, len(list((home / "fd").iterdir()))))

    def write(self, path: Path) -> None:
        """All looks, a line each: whose, minutes, MB, descriptors."""
        looks = [(name, look) for name, looks in self._looks.items() for look in looks]
        lines = [f"{name},{look.minutes:.3f},{look.memory_mb:.1f},{look.descriptors}" for name, look in looks]
        path.write_text("\n".join(lines), encoding="utf-8")

    def figures(self) -> dict[str, float]:
        """Of the process that takes or grows most."""
        settled = [looks[int(len(looks) * SETTLED) :] for looks in self._looks.values()]
        return {
            "memory, MB": max(look.memory_mb for looks in settled for look in looks),
            "memory grows by, MB a minute": max(_slope(looks, [look.memory_mb for look in looks]) for looks in settled),
            "descriptors": max(look.descriptors for looks in settled for look in looks),
            "descriptors grow by, a minute": max(
                _slope(looks, [look.descriptors for look in looks]) for looks in settled
            ),
        }


def _slope(looks: list[Look], values: list[float]) -> float:
    return statistics.linear_regression([look.minutes for look in looks], values).slope
