"""`python -m tests.benchmarks.grounding [--write]`: measures, prints the results page, and writes it when told."""

from __future__ import annotations

import sys

from tests.benchmarks.grounding.run import grounding

if __name__ == "__main__":
    grounding(write="--write" in sys.argv[1:])
