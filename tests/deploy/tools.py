"""Outside tools that deploy/ is tested by: those of `make tools`, else those on PATH. It must never pass over a test
because one is missing.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

CACHED = Path(__file__).parents[2] / ".tools" / "prometheus"


def tool(name: str) -> str:
    """The tool's path; where there is none, the test fails and says what to do."""
    if (cached := CACHED / "usr" / "bin" / name).exists():
        return str(cached)
    if found := shutil.which(name):
        return found
    pytest.fail(f"{name} is missing: `make tools` fetches it where apt-get is, or install Prometheus and Alertmanager")
