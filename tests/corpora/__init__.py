"""Public sets of patterns, read where they lie beside this clone: they have licences of their own and aren't copied.

`../shared/data/regex`, or the folder that GUARDRAIL_TEST_CORPORA names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(os.environ.get("GUARDRAIL_TEST_CORPORA") or Path(__file__).parents[3] / "shared" / "data" / "regex")
MISSING = f"the public pattern sets aren't beside this clone ({FOLDER.name}/ of ../shared/data): nothing to measure"
VALUE_CHARS = 256
PATTERN_CHARS = 1_000

Task = tuple[str, str]
"""A pattern and a value."""


def there() -> bool:
    """Whether the sets are beside this clone."""
    return (FOLDER / "regexeval_dev.jsonl").exists()


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of one set."""
    with (FOLDER / f"{name}_dev.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def models_patterns(*models: str) -> list[str]:
    """The distinct patterns that these models wrote in RegexEval (all for none), raw and refined prompts alike."""
    found = {
        pattern
        for row in rows("regexeval")
        for name, answers in row["llm"].items()
        if not models or name.split("_")[0] in models
        for pattern, _ in answers
    }
    return sorted(found)


def tasks() -> list[Task]:
    """Every pattern of the sets with each of its own examples, good and bad, inside the limits."""
    found: set[Task] = set()
    for row in rows("regexeval"):
        values = row["positive"] + row["negative"]
        patterns = [row["gold"], *(pattern for answers in row["llm"].values() for pattern, _ in answers)]
        found.update((pattern, value) for pattern in patterns for value in values)
    for name in ("structuredregex", "any_rule"):
        for row in rows(name):
            values = [*row.get("positive", ()), *row.get("negative", ())]
            found.update((row["pattern"], value) for value in values if row.get("pattern"))
    return sorted(task for task in found if len(task[0]) <= PATTERN_CHARS and len(task[1]) <= VALUE_CHARS)


def attacks() -> list[Task]:
    """Every published attack on a backtracker, its pump repeated up to the value's limit."""
    found = []
    for row in rows("redos_attacks"):
        room = VALUE_CHARS - len(row["prefix"]) - len(row["suffix"])
        pump = row["pump"] or "a"
        value = row["prefix"] + pump * (max(0, room) // len(pump)) + row["suffix"]
        found.append((row["pattern"], value[:VALUE_CHARS]))
    return found


def all_patterns() -> list[str]:
    """The distinct patterns of all sets."""
    found = {row["pattern"] for name in ("patterns", "nlrx", "any_rule", "redos_attacks") for row in rows(name)}
    found.update(row["pattern"] for row in rows("structuredregex") if row.get("pattern"))
    return sorted(found.union(models_patterns(), (row["gold"] for row in rows("regexeval"))))


def pairs() -> list[tuple[str, str]]:
    """A model's pattern (GPT-3.5, davinci) beside the right one of its task."""
    found = {
        (pattern, row["gold"])
        for row in rows("regexeval")
        for name, answers in row["llm"].items()
        if name.startswith(("gpt35", "davinci"))
        for pattern, _ in answers
    }
    return sorted(found)
