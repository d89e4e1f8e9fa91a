"""Record lines: what a line of a file holds. Nothing written in one can raise."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guardrail.judge.decide import decide
from guardrail.judge.model import Outcome, RawRecord, Source
from guardrail.lines import read_line

VALUE = b'{"agent_id":"a","n":1.10,"big":123456789012345678901234567890}'


def read(line: str | bytes, index: int = 3) -> RawRecord:
    """The record of a line that isn't blank."""
    found = read_line(line if isinstance(line, bytes) else line.encode(), index)
    assert found is not None
    return found


@pytest.mark.parametrize("line", [b"", b"\n", b"  \t\r\n"])
def test_a_blank_line_is_passed_over(line: bytes) -> None:
    """Given a blank line, then there is no record."""
    assert read_line(line, 0) is None


def test_an_object_value_stands_as_written() -> None:
    """Given a value as an object, then its bytes are the text of the line, numbers as written."""
    assert read(b'{"value": ' + VALUE + b"}").value == VALUE


def test_a_text_value_is_the_exact_text() -> None:
    """Given a value as text, then its bytes are that text, whatever it is."""
    assert read(r'{"value": "not JSON \u00e9\n"}').value == "not JSON é\n".encode()


def test_bytes_come_in_base64() -> None:
    """Given value_b64, then the bytes are what it encodes."""
    assert read('{"value_b64": "AP8="}').value == b"\x00\xff"


@pytest.mark.parametrize("line", ['{"value": null}', '{"key": "k"}', '{"key": "k", "value": null}'])
def test_no_value_is_a_tombstone(line: str) -> None:
    """Given a null value, or none, then the record is a tombstone."""
    assert read(line).value is None


def test_key_headers_timestamp_and_line_number_are_carried() -> None:
    """Given all of a record line, then each part stands in the record; the offset is the line's index."""
    line = '{"key": "é", "headers": [["a", "1"], ["a", null], ["b", 2]], "timestamp_ms": 5, "value": {}}'
    assert read(line) == RawRecord(
        b"{}", "é".encode(), (("a", b"1"), ("a", None), ("b", b"2")), Source(offset=3, timestamp_ms=5)
    )


def test_headers_may_be_a_map() -> None:
    """Given headers as a map, then they are its pairs; null headers are none."""
    assert read('{"headers": {"a": "1"}, "value": {}}').headers == (("a", b"1"),)
    assert read('{"headers": null, "value": {}}').headers == ()


def test_a_null_timestamp_and_key_are_none() -> None:
    """Given nulls, then the record has neither key nor timestamp."""
    found = read('{"key": null, "timestamp_ms": null, "value": {}}')
    assert (found.key, found.source.timestamp_ms) == (None, None)


@pytest.mark.parametrize("line", [VALUE, b'{"value": {}, "agent_id": "a"}', b"{}"])
def test_any_other_object_is_the_bare_value(line: bytes) -> None:
    """Given an object with a key that isn't a record line's, then the object itself is the value."""
    assert read(line) == RawRecord(line, source=Source(offset=3))


BAD = [
    "hello",
    "[1, 2]",
    "{",
    '{"value_b64": "!!"}',
    '{"value_b64": "é"}',
    '{"value_b64": 5}',
    '{"value_b64": null}',
    '{"timestamp_ms": "x", "value": {}}',
    '{"timestamp_ms": 1.5, "value": {}}',
    '{"headers": [["a"]], "value": {}}',
    '{"headers": 5, "value": {}}',
    '{"headers": [5], "value": {}}',
    '{"headers": true, "value": {}}',
    '{"key": 5, "value": {}}',
]


@pytest.mark.parametrize("line", BAD)
def test_a_bad_line_is_a_dead_letter_of_its_own(line: str) -> None:
    """Given a line that can't be read as a record line, then it is a dead letter with the line's own bytes."""
    found = read(line)
    assert found.value == line.encode()
    [decision] = decide([found], {})
    assert decision.outcome is Outcome.DEAD_LETTER


def test_bytes_that_are_no_text_are_a_dead_letter() -> None:
    """Given a line that isn't UTF-8, then the record holds its bytes."""
    line = b'{"key": "\xff", "value": {}}'
    assert read(line).value == line


def test_half_a_surrogate_pair_in_a_line_is_carried() -> None:
    """Given half an emoji as json.dumps writes it, then the line is still a record line with its key."""
    found = read('{"key": "k", "value": {"agent_id": "a", "note": "\\ud83d"}}')
    assert found.key == b"k"
    assert found.value == b'{"agent_id": "a", "note": "\\ud83d"}'


def test_a_byte_order_mark_is_not_part_of_a_line() -> None:
    """Given a file that begins with a byte order mark, then its first line is a record line like the others."""
    found = read_line(b'\xef\xbb\xbf{"key": "k", "value": {"z": 1.10}}', 0)
    assert found is not None
    assert (found.key, found.value) == (b"k", b'{"z": 1.10}')


@given(st.binary(max_size=60))
def test_any_bytes_are_a_record_or_none(line: bytes) -> None:
    """Given any bytes, then there is a record unless the line is blank."""
    assert (read_line(line, 0) is None) == (not line.removeprefix(b"\xef\xbb\xbf").strip())


PARTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@example({"headers": 5, "value": {}})
@given(st.dictionaries(st.sampled_from(["key", "headers", "timestamp_ms", "value", "value_b64"]), PARTS, min_size=1))
def test_any_record_line_is_a_record(fields: dict[str, object]) -> None:
    """Given a record line with anything in its fields, then it reads without raising."""
    assert isinstance(read(json.dumps(fields)), RawRecord)
