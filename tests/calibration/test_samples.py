"""Labelled lines: what a line holds, and that none is skipped in silence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.calibration.samples import Sample, read_sample
from guardrail.judge.model import RawRecord, Source
from tests.calibration.labelled import labelled

BARE = {"agent_id": "hotel", "user_message": "", "response": "é"}


def read(line: str | bytes, index: int = 4) -> Sample:
    """The sample of a line that isn't blank."""
    found = read_sample(line if isinstance(line, bytes) else line.encode(), index)
    assert found is not None
    return found


@pytest.mark.parametrize("line", [b"", b"\n", b" \t\r\n"])
def test_a_blank_line_is_passed_over(line: bytes) -> None:
    """Given a blank line, then there is no sample."""
    assert read_sample(line, 0) is None


def test_a_record_alone_is_good_and_a_document_of_its_own() -> None:
    """Given a bare record or a record line, then its answer is known to be good and belongs to no other's document."""
    text = json.dumps(BARE)
    assert read(text) == Sample(RawRecord(text.encode(), source=Source(offset=4)))
    line = read(json.dumps({"key": "k", "value": BARE}))
    assert (line.record.key, line.record.value, line.good, line.document) == (b"k", text.encode(), True, None)


def test_a_labelled_record_says_what_is_known_of_it() -> None:
    """Given a labelled line around a bare record or a record line, then label and document are the sample's."""
    found = read(labelled(BARE, label="bad", document="d"))
    assert (found.record.value, found.good, found.document, found.line) == (json.dumps(BARE).encode(), False, "d", 5)
    inner = read(labelled({"key": "k", "value": BARE}, document=None))
    assert (inner.record.key, inner.good, inner.document) == (b"k", True, None)


def test_a_record_in_a_labelled_line_stands_as_written() -> None:
    """Given numbers beyond any float and half a surrogate pair in a record, then its bytes are the line's own."""
    inner = '{"n": 1.10, "big": 123456789012345678901234567890}'
    assert read(f'{{"record": {inner}, "label": "good"}}').record.value == inner.encode()
    assert b"\\ud83d" in (read('{"record": {"note": "\\ud83d"}}').record.value or b"")


FAULTY = [
    ("hello", "not a JSON object"),
    ("[1]", "not a JSON object"),
    ("{}", "not a JSON object"),
    (b'{"record": "\xff"', "not a JSON object"),
    (labelled(BARE, label="ugly"), 'label "ugly": must be one of good, bad'),
    (labelled(BARE, label=None), "label null"),
    (labelled(BARE, label=["good"]), 'label ["good"]'),
    (labelled(BARE, document=7), "document: must be text"),
    (labelled(BARE, lable="bad"), 'unknown key "lable" beside record'),
    ('{"record": {}, "label": "good", "label": "bad"}', "label is given twice"),
    ('{"record": {}, "record": {}}', "record is given twice"),
    ('{"record": {}, "document": "\\ud83d"}', "can't be read"),
]


@pytest.mark.parametrize(("line", "fault"), FAULTY)
def test_a_line_that_cant_be_used_says_why(line: str | bytes, fault: str) -> None:
    """Given a line that can't be used, then the sample carries the fault and the line's number, and no record."""
    found = read(line)
    assert (found.fault or "").startswith(fault)
    assert (found.line, found.record.value) == (5, None)


@given(
    st.binary(max_size=60) | st.recursive(st.none() | st.text(max_size=5), st.lists).map(lambda v: labelled(v).encode())
)
def test_any_line_is_a_sample_unless_blank(line: bytes) -> None:
    """Given any bytes, then there is a sample unless the line is blank, and nothing is raised."""
    assert (read_sample(line, 0) is None) == (not line.removeprefix(b"\xef\xbb\xbf").strip())
