"""Laws of reading: any text gives a reading, damage is never read as a shorter answer, and time is linear in length."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guardrail.judge.codes import CODES
from guardrail.judge.document import Reading, Shape, read_response
from tests.judge.readings import GOOD, TEXT, codes, fatal

SHAPE = Shape()


NAMES = st.text(max_size=8) | st.sampled_from(sorted(SHAPE.roots))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_any_valid_object_with_a_root_is_its_own_tree(members: dict[str, Any]) -> None:
    """For valid JSON text the tree is what json.loads gives, written with escapes or without."""
    tree = {"detected_intent": {"id": "book"}, **members}
    shape = Shape(containers=frozenset())
    for text in (json.dumps(tree), json.dumps(tree, ensure_ascii=False, indent=1)):
        reading = read_response(text, shape)
        if "schema.schema_echo" not in codes(reading):
            assert reading.tree == json.loads(text)
            assert not fatal(reading)


def check(reading: Reading) -> None:
    """What holds of every reading."""
    assert reading.tree is not None or fatal(reading)
    assert codes(reading) <= CODES.keys()
    assert len(reading.findings) <= 128
    for finding in reading.findings:
        (finding.pointer + finding.detail).encode()
        assert finding.pointer == "" or finding.pointer.startswith("/")


ANY = st.text(alphabet=st.characters(exclude_categories=[]))


@given(ANY)
def test_random_text_never_raises(text: str) -> None:
    """Any text at all gives a reading, twice the same."""
    reading = read_response(text, SHAPE)
    check(reading)
    assert read_response(text, SHAPE) == reading


@given(st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape")))
def test_random_bytes_as_text_never_raise(text: str) -> None:
    """Bytes that are no text, carried as half surrogates, give a reading."""
    check(read_response(text, SHAPE))


CUTS = [
    '"',
    '"}',
    '","',
    "'",
    "\\",
    "}",
    "{",
    "]",
    "[",
    ",",
    ":",
    "//",
    "/*",
    "</think>",
    "<think>",
    "```",
    "“",
    "\n",
    "0",
    "é",
]
EDITS = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 6), st.sampled_from(CUTS)), min_size=1, max_size=3)
FRAMES = [
    TEXT,
    json.dumps(GOOD, indent=2),
    TEXT.replace('"', "'").replace("false", "False"),
    f"Hi ```json\n{TEXT}\n``` bye",
]


@given(st.sampled_from(FRAMES), EDITS)
@example(TEXT, [(len(TEXT) - 3, 0, '"}')])
def test_a_damaged_response_is_never_read_as_a_shorter_one(text: str, edits: list[tuple[int, int, str]]) -> None:
    """Characters lost, added or swapped: no exception; and an answer that is read has lost no more than was cut out."""
    lost = 0
    for place, length, insert in edits:
        place %= len(text)
        text = text[:place] + insert + text[place + length :]
        lost += length
    reading = read_response(text, SHAPE)
    check(reading)
    try:
        json.loads(text)
    except ValueError:
        answer = (reading.tree or {}).get("generated_answer")
        if not fatal(reading) and isinstance(answer, dict) and isinstance(answer.get("answer"), str):
            assert len(answer["answer"]) >= len("Which day?") - lost


HOSTILE: dict[str, Callable[[int], str]] = {
    **{unit: (lambda n, unit=unit: unit * (n // len(unit))) for unit in (
        "[", "{", '{"', '{"a":', "[{", '"', "'", "“", "\\", '\\"', "```", "```json\n{", "<think>", "</think>",
        '{"a":x</think>', "{/*</think>", ",", "{//", "/*", "{ ", " ", "a", "{a", "{a:", "` ", "<tool_call>", "<tool ",
        "{}", '{"a":1}', "[]", "{'a' ", '{"a":"b" ', "\u200b", "\x00", "[1,", '{"a":[', '":', "{# ", "” ",
        "<|channel|>analysis", "{x} ")},
    "open string": lambda n: '{"a":"' + "x" * n,
    "curly in open string": lambda n: '{"a":"' + "” " * (n // 2),
    "backslashes": lambda n: '{"a":"' + "\\d" * (n // 2) + '"}',
    "control characters": lambda n: '{"a":"' + "\x01" * n + '"}',
    "half surrogates": lambda n: '{"a":"' + "\\ud800" * (n // 6) + '"}',
    "apostrophes": lambda n: "{'a':'" + "a'" * (n // 2) + "'}",
    "comments": lambda n: '{"a":1' + "/**/" * (n // 4) + "}",
    "digits": lambda n: '{"a":' + "1" * n + "}",
    "blanks": lambda n: '{"a":' + " " * n,
    "doubled keys": lambda n: "{" + '"a":1,' * (n // 6) + '"a":2}',
    "doubled keys under a long one": lambda n: '{"' + "k" * (n // 2) + '":{' + '"a":1 "b":2 ' * (n // 24) + '"z":1}}',
    "commas": lambda n: '{"generated_answer":[' + "1," * (n // 2) + "]}",
    "objects in a list": lambda n: "[" + '{"a":1} ' * (n // 8) + "]",
    "braces behind": lambda n: '{"a":1} ' + "{x} " * (n // 4) + "}",
    "encoded": lambda n: '"' * 4 + '\\"' * (n // 2),
    "invisibles": lambda n: '{"generated_answer":"' + "a\u200b" * (n // 2) + '"}',
}  # fmt: skip


LIMIT_S = 2.0 if sys.gettrace() is None else 20.0  # a tracing coverage run takes several times as long
ATTEMPTS = 5  # a busy machine may slow one reading, not five


def seconds(text: str) -> float:
    """The CPU time that one reading takes: what else the machine does must not count."""
    shape = Shape(response_chars=2_000_000)
    start = time.process_time()
    check(read_response(text, shape))
    return time.process_time() - start


def grows_linearly(make: Callable[[int], str], chars: int) -> bool:
    """Whether twice the text takes about twice the time, with an allowance for what is too short to measure."""
    half, whole = make(chars // 2), make(chars)
    return any(seconds(whole) < min(LIMIT_S, 4 * seconds(half) + 0.02) for _ in range(ATTEMPTS))


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    """Twice the text takes about twice the time, and a megabyte less than two seconds."""
    assert grows_linearly(HOSTILE[name], 65_536)
    assert grows_linearly(HOSTILE[name], 1_000_000)
