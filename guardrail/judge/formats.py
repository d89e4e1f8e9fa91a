"""What a format text says: its example, its counts. It must never decide which format is right."""

from __future__ import annotations

import re

from guardrail.judge.text import cached_if_short, fold, stem

_MARKERS = (
    "e.g.",
    "eg.",
    "ex.",
    "p. ej.",
    "p.ej.",
    "for example",
    "par exemple",
    "por ejemplo",
    "such as",
    "example:",
    "exemple :",
    "ejemplo:",
)


_QUOTED = re.compile(r"\"([^\"\n]{1,256})\"|'([^'\n]{1,256})'|“([^”\n]{1,256})”|«([^»\n]{1,256})»|`([^`\n]{1,256})`")


def format_example(text: str) -> str | None:
    """The example inside a format text: what stands after "e.g.", in quotes or as one plain token. Null otherwise."""
    lowered = text.lower()
    start = max((lowered.rfind(marker) + len(marker) for marker in _MARKERS if marker in lowered), default=-1)
    if start < 0:
        return None
    rest = text[start:].lstrip(" ,:;\u00a0\u202f")
    if quoted := _QUOTED.match(rest):
        return next(example for example in quoted.groups() if example is not None).strip("\u00a0\u202f")
    rest = rest.lstrip("'\"“")
    end = min((rest.find(stop) for stop in ")]\n" if stop in rest), default=len(rest))
    example = rest[:end].strip().rstrip(".,;'\"”")
    return example if example and not any(c.isspace() or c in ",;" for c in example) else None


_COUNTED = re.compile(r"\b([0-9]{1,3}) ([a-z]{3,})")


@cached_if_short
def counted_units(text: str) -> dict[str, str]:
    """Unit stem -> the one count it is given in a text; units with several counts are left out.

    Cross-lingual digits share one.
    """
    counts: dict[str, set[str]] = {}
    for count, unit in _COUNTED.findall(fold(text)):
        counts.setdefault(stem(unit), set()).add(count.lstrip("0") or "0")
    return {unit: next(iter(values)) for unit, values in counts.items() if len(values) == 1}
