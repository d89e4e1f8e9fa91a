"""The results page of the fault matrix: what was asked beside what was found. It must never hide a goal that is missed.

Rows that weren't measured this time stay as they were, as long as the versions are the same.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import confluent_kafka

from guardrail.version import VERSION
from tests.broker.cluster import LIBS
from tests.faults.counts import MISCOUNTED
from tests.faults.scenario import Bed, Figures

PAGE = Path(__file__).parents[2] / "docs" / "results" / "faults.md"
COLUMNS = (
    "id", "fault", "records", "lost", "doubled", "reordered", "aborted", "longest stall, s", "figures", "goals", "at",
)  # fmt: skip
CODE = ("guardrail", "tests", "pyproject.toml", "constraints.txt")
STALL = "longest stall, s"
ABORTED = "aborted"

HEAD = """# Faults: results

Made by `make soak`; not to be edited. Three gates, three brokers (three copies, two in sync), records by key to six
partitions; a reader under `read_committed` beside them, another one afterwards. Timeouts as by default.

* **lost, doubled**: sources without their output or their decision, or with more than one; the worse of both readers.
* **reordered**: outputs that come for the first time after a later one of their key.
* **miscounted**: drift's trials and events that the decisions hold and the observations don't, or hold twice.
* **aborted**: messages that stand in the logs and no such reader sees.
* **longest stall**: for so long, at most, had one partition nothing new to show while input flowed. Rows with fewer
  gates and no input that flows (F13, F15, F16, F20) have there how long it took until all was through afterwards.
* **at**: the commit that was measured.

F14, a right that is taken away, needs brokers that ask for rights: `tests/stream/test_security.py`, in `make test`.
F18 is the drift worker's, which isn't there yet; what it will count is held against the decisions here (miscounted).
""".splitlines()


@dataclass(frozen=True, slots=True)
class Row:
    """A fault of the matrix at full size, and how much of each figure is allowed."""

    name: str
    fault: str
    run: Callable[[Bed], Figures]
    most: Mapping[str, float] = field(default_factory=dict)
    once: bool = True
    """Whether each comes out once; under at_least_once it may come again, and drift counts it again."""

    def missed(self, found: Figures) -> list[str]:
        """The goals that aren't reached: lost and reordered are always 0, doubled and miscounted where it is once."""
        figures = {"lost": found.lost, "doubled": found.duplicated, "reordered": found.reordered}
        figures |= {STALL: found.stall_s, ABORTED: found.aborted, **found.extra}
        goals = {"lost": 0, "reordered": 0, **self.most}
        if self.once:
            goals |= dict.fromkeys({"doubled", MISCOUNTED} & figures.keys(), 0)
        return [f"{name}: {_figure(figures[name])}" for name, most in goals.items() if figures[name] > most]


def write(row: Row, found: Figures, page: Path = PAGE) -> None:
    """Puts a row onto the page."""
    lines = _kept(page) | {row.name: _line(row, found)}
    table = ["| " + " | ".join(COLUMNS) + " |", "| --- | --- |" + " ---: |" * 6 + " --- |" * 3]
    rows = [lines[name] for name in sorted(lines, key=_by_number)]
    page.write_text("\n".join([*HEAD, "", _versions(), "", *table, *rows]) + "\n", encoding="utf-8")


def _kept(page: Path) -> dict[str, str]:
    """The rows that are there already, by their names; none where anything else was measured."""
    lines = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
    if _versions() not in lines:
        return {}
    found = [(re.match(r"\| (F\d+\w*) \|", line), line) for line in lines]
    return {match[1]: line for match, line in found if match}


def _line(row: Row, found: Figures) -> str:
    counts = (found.records, found.lost, found.duplicated, found.reordered, found.aborted)
    extra = "; ".join(f"{name}: {_figure(value)}" for name, value in found.extra.items())
    asked = "; ".join(f"{name} ≤ {_figure(most)}" for name, most in row.most.items())
    missed = row.missed(found)
    verdict = f"**missed: {', '.join(missed)}**" if missed else "met"
    cells = (row.name, row.fault, *(f"{count:,}" for count in counts), _figure(found.stall_s), extra or "-")
    return "| " + " | ".join([*cells, f"{asked}: {verdict}" if asked else verdict, commit()]) + " |"


def commit() -> str:
    """What is checked out; "+" where code differs from it."""
    return (_git("rev-parse", "--short=7", "HEAD") or "-") + ("+" if _git("status", "--porcelain", *CODE) else "")


def _git(*asked: str) -> str:
    root = PAGE.parents[2]
    return subprocess.run(["git", *asked], capture_output=True, text=True, check=False, cwd=root).stdout.strip()


def _figure(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _by_number(name: str) -> tuple[int, str]:
    digits = re.sub(r"\D", "", name)
    return int(digits), name


def _versions() -> str:
    kafka = next(path.stem.rsplit("-", 1)[1] for path in LIBS.glob("kafka_2.13-*.jar"))
    memory_gb = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    return (
        f"Kafka {kafka}, librdkafka {confluent_kafka.libversion()[0]}, guardrail {VERSION}, "
        f"Python {platform.python_version()}; {os.cpu_count()} cores, {memory_gb:.0f} GB for all of it."
    )
