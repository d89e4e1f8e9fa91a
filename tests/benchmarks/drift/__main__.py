"""Simulates drift and writes docs/results/drift.md: `make bench-drift`. `--quick` shows a few runs and two days, and
writes nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys

import numpy
import scipy

from guardrail.version import VERSION
from tests.benchmarks.drift import delays, months
from tests.benchmarks.drift.costs import costs
from tests.benchmarks.drift.page import RESULTS, Found, Row, missed, page, plot

RUNS, QUICK_RUNS, QUICK_DAYS = 200, 10, 2


def row(shift: delays.Shift, runs: int) -> Row:
    """One shift, by all detectors."""
    bound, hour = delays.ratio(shift, runs)
    ours = delays.ours(shift, delays.MONTH_TRIALS, runs)
    shipped = delays.ours(shift, delays.MONTH_TRIALS * delays.SPLIT, runs)
    return Row(shift, ours, shipped, delays.adwin(shift, runs), hour, bound)


def machine() -> str:
    """What it was measured on."""
    versions = f"Python {platform.python_version()}, numpy {numpy.__version__}, scipy {scipy.__version__}"
    return f"guardrail {VERSION}, {versions}, river 0.22.0; {os.cpu_count()} cores"


def main() -> int:
    """Everything; gives 1 where a goal is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    runs, days = (QUICK_RUNS, QUICK_DAYS) if quick else (RUNS, months.DAYS)
    rows = []
    for shift in delays.SHIFTS:
        rows.append(row(shift, runs))
        print(rows[-1], flush=True)
    quiet = {}
    for name, shape in months.SHAPES.items():
        for retries in (False, True):
            said = name + (", users try again twice" if retries else "")
            quiet[said] = months.month(shape, len(quiet), retries=retries, days=days)
            print(said, quiet[said], flush=True)
    ramp = delays.ramp(runs, delays.MONTH_TRIALS)
    found = Found(rows, ramp, quiet, delays.naive(1e-3), costs(), runs, machine())
    text = page(found)
    print(text)
    if not quick:
        (RESULTS / "drift.md").write_text(text + "\n", encoding="utf-8")
        plot(rows, RESULTS / "drift-delays.svg")
    print("missed:", "; ".join(missed(found)) or "none")
    return 0


if __name__ == "__main__":
    sys.exit(main())
