"""Packages with scorers in them, as an installer leaves them behind: a module and a dist-info folder on the path."""

from __future__ import annotations

import os
import re
from pathlib import Path

PAGE = (Path(__file__).parent.parent / "docs" / "scorers.md").read_text(encoding="utf-8")
"""What tells a team how to write a scorer."""

FAULTY = """
import math

class Raising:
    version = "1"

    def __call__(self, asked):
        raise ZeroDivisionError(asked[0].claim)

class Short:
    version = "1"

    def __call__(self, asked):
        return [0.5] * (len(asked) - 1)

class Boundless:
    version = "1"

    def __call__(self, asked):
        return [math.inf for _ in asked]

class Constant:
    version = "1"

    def __call__(self, asked):
        return [0.5 for _ in asked]

class Nameless:
    def __call__(self, asked):
        return [0.5 for _ in asked]

class Mute:
    version = "1"

class Heavy:
    def __init__(self):
        raise OSError("no weights here")
"""
FAULTS = {
    "raising": "Raising",
    "short": "Short",
    "boundless": "Boundless",
    "constant": "Constant",
    "nameless": "Nameless",
    "mute": "Mute",
    "heavy": "Heavy",
    "gone": "Gone",
}
"""Scorers of the faulty package by their names, and the class that each is."""


def block(language: str) -> str:
    """The page's first block of one language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)[0]


def installed(folder: Path, name: str, source: str, points: dict[str, str]) -> Path:
    """A folder that holds the package: put it on the path, and it is installed. `points`: scorer -> object."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    listed = "".join(f"{scorer} = {name}:{what}\n" for scorer, what in points.items())
    (about / "entry_points.txt").write_text(f"[guardrail.scorers]\n{listed}", encoding="utf-8")
    return folder


def documented(folder: Path, version: str = "1") -> Path:
    """The page's own scorer, `words`, installed under the names that the page gives it."""
    [(scorer, name, what)] = re.findall(r'(\w+) = "(\w+):(\w+)"', block("toml"))
    return installed(folder, name, block("python").replace('"1"', f'"{version}"'), {scorer: what})


def faulty(folder: Path) -> Path:
    """A package whose scorers all do something wrong."""
    return installed(folder, "faulty_scorers", FAULTY, FAULTS)


def path_of(*folders: Path) -> dict[str, str]:
    """The environment in which these packages are installed beside all others."""
    others = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    return {"PYTHONPATH": os.pathsep.join([*map(str, folders), *others])}
