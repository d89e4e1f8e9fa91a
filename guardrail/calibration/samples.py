"""The lines that `guardrail calibrate` reads: a record, how its answer was labelled, the document it belongs to.

It must never skip a line in silence: what can't be read carries its fault.
"""

from __future__ import annotations

import json
from collections import Counter

import msgspec

from guardrail.judge.model import RawRecord, Source, Value
from guardrail.lines import line_fields, read_line

LABELS = ("good", "bad")
_KEYS = ("record", "label", "document")


class Sample(Value, frozen=True):
    """One line: the record, and what a reader says of its answer.

    `document` null: one of its own. `fault` says why the line can't be used; its record is then a tombstone.
    """

    record: RawRecord
    good: bool = True
    document: str | None = None
    fault: str | None = None

    @property
    def line(self) -> int:
        """The line's number, from 1."""
        return (self.record.source.offset or 0) + 1


def read_sample(line: bytes, index: int) -> Sample | None:
    """What a line holds; null for a blank one. `index` counts the lines from 0.

    An object with the key `record` is a labelled line; any other is a record line or a bare record (CONTRACT §1) whose
    answer is known to be good.
    """
    record = read_line(line, index)
    if record is None:
        return None
    stripped = line.removeprefix(b"\xef\xbb\xbf").strip()
    fields = line_fields(stripped)
    if not fields:
        return _faulty(index, "not a JSON object with fields")
    if "record" not in fields:
        return Sample(record)
    try:
        fault = _key_fault(stripped)
        return _faulty(index, fault) if fault else _labelled(fields, index)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return _faulty(index, "can't be read: half a character, or nested too deep")


def _faulty(index: int, fault: str) -> Sample:
    return Sample(RawRecord(None, source=Source(offset=index)), fault=fault)


def _key_fault(line: bytes) -> str | None:
    """What is wrong with a labelled line's keys."""
    keys: Counter[str] = Counter()

    def collect(pairs: list[tuple[str, object]]) -> None:
        keys.clear()  # the outermost object is finished last
        keys.update(key for key, _ in pairs)

    json.loads(line, object_pairs_hook=collect, parse_int=len, parse_float=len)  # only the keys matter
    for key, count in keys.items():
        if key not in _KEYS:
            return f"unknown key {json.dumps(key)} beside record (known: {', '.join(_KEYS)})"
        if count > 1:
            return f"{key} is given twice"
    return None


def _labelled(fields: dict[str, msgspec.Raw], index: int) -> Sample:
    label = msgspec.json.decode(fields.get("label", b'"good"'))
    document = msgspec.json.decode(fields.get("document", b"null"))
    if label not in LABELS:
        return _faulty(index, f"label {json.dumps(label)}: must be one of {', '.join(LABELS)}")
    if document is not None and not isinstance(document, str):
        return _faulty(index, "document: must be text")
    record = read_line(bytes(fields["record"]), index)
    return _faulty(index, "record: is empty") if record is None else Sample(record, label == "good", document)
