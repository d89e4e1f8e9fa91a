"""Outside tools that deploy/ is tested by: those of `make tools`, else those on PATH. It must never pass over a test
because one is missing.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CACHED = ROOT / ".tools" / "prometheus"


def tool(name: str) -> str:
    """The tool's path; where there is none, the test fails and says what to do."""
    if (cached := CACHED / "usr" / "bin" / name).exists():
        return str(cached)
    if found := shutil.which(name):
        return found
    pytest.fail(f"{name} is missing: `make tools` fetches it where apt-get is, or install Prometheus and Alertmanager")


def run(*command: str) -> str:
    """What a tool says. It must end well."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
