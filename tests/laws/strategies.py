"""Inputs for the laws: random bytes, random JSON, and near-valid records made by hurting good ones."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from guardrail.judge.model import RawRecord, Source
from tests.scoring import read_cases

_LINES = [case["record"] for name in ("cases.jsonl", "clinic.jsonl") for case in read_cases(name)]
VALUES = [
    record["value"]
    for record in _LINES
    if isinstance(record.get("value"), dict) and len(json.dumps(record["value"])) < 20_000
]

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
noise = st.text(alphabet=st.characters(codec=None), max_size=6) | st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ",",
        ":",
        "\\",
        "```",
        "<think>",
        "</think>",
        "\0",
        "\ud83d",
        "“",
        "null",
        "true",
        "//",
        "\n",
    ]
)


@st.composite
def hurt_texts(draw: st.DrawFn, text: str) -> str:
    """A text with pieces cut out, put in or moved."""
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(noise) + text[end:]
    return text


def _leaves(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [path, *(leaf for key, child in items for leaf in _leaves(child, (*path, key)))]


@st.composite
def near_valid_values(draw: st.DrawFn) -> dict[str, Any]:
    """A good record's value with its response hurt as text, or one of its fields replaced by anything."""
    value = dict(draw(st.sampled_from(VALUES)))
    response = value.get("response")
    if isinstance(response, str) and draw(st.booleans()):
        value["response"] = draw(hurt_texts(response))
        return value
    try:
        tree = json.loads(response) if isinstance(response, str) else response
    except ValueError:
        return value
    path = draw(st.sampled_from(_leaves(tree)))
    replacement = draw(trees)
    if not path:
        tree = replacement
    else:
        parent = tree
        for part in path[:-1]:
            parent = parent[part]
        parent[path[-1]] = replacement
    value["response"] = json.dumps(tree) if draw(st.booleans()) else tree
    return value


def raw(value: bytes | None, offset: int = 0) -> RawRecord:
    """A record as a topic would carry it."""
    return RawRecord(value, b"k", (), Source("t", 0, offset, 1_790_000_000_000))


near_valid_records = near_valid_values().map(lambda value: raw(json.dumps(value).encode(errors="surrogatepass")))
any_records = st.binary(max_size=200).map(raw) | trees.map(
    lambda tree: raw(json.dumps(tree).encode(errors="surrogatepass"))
)
records = near_valid_records | any_records
