"""Record lines (CONTRACT §1): one JSON object a line, in and out of files.

It must never judge; a bad line is a record of its own.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

import msgspec

from guardrail.judge.model import RawRecord, Source

_LINE_KEYS = frozenset({"key", "headers", "timestamp_ms", "value", "value_b64"})
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_line(line: bytes, index: int) -> RawRecord | None:
    """The record that a line holds; null for a blank one.

    `index` counts the lines from 0 and becomes the record's offset. A line whose keys aren't all a record line's is
    taken as the bare value; so is a line that isn't JSON, which the judge then makes a dead letter.
    """
    stripped = line.removeprefix(b"\xef\xbb\xbf").strip()
    if not stripped:
        return None
    fields = line_fields(stripped)
    if not fields or not _LINE_KEYS.issuperset(fields):
        return RawRecord(stripped, source=Source(offset=index))
    try:
        return _record(fields, index)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return RawRecord(stripped, source=Source(offset=index))


def line_fields(line: bytes) -> dict[str, msgspec.Raw]:
    """A line's fields as they were written; empty for what is no JSON object."""
    try:
        return _OBJECT.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass
    try:
        found = json.loads(line)  # lone surrogates, which msgspec refuses
    except (ValueError, RecursionError):
        return {}
    return {k: msgspec.Raw(json.dumps(v).encode()) for k, v in found.items()} if isinstance(found, dict) else {}


def _record(fields: dict[str, msgspec.Raw], index: int) -> RawRecord:
    key = _text(fields.get("key"))
    timestamp = msgspec.json.decode(fields["timestamp_ms"], type=int | None) if "timestamp_ms" in fields else None
    return RawRecord(
        value=_value(fields),
        key=None if key is None else key.encode(errors="surrogatepass"),
        headers=_headers(fields.get("headers")),
        source=Source(offset=index, timestamp_ms=timestamp),
    )


def _value(fields: dict[str, msgspec.Raw]) -> bytes | None:
    if "value_b64" in fields and "value" in fields:
        raise ValueError("value and value_b64 are one")
    if "value_b64" in fields:
        try:
            return base64.b64decode(msgspec.json.decode(fields["value_b64"], type=str), validate=True)
        except binascii.Error as error:
            raise ValueError(str(error)) from None
    raw = bytes(fields.get("value", b"null")).strip()
    if raw == b"null":
        return None
    return _text(fields["value"]).encode(errors="surrogatepass") if raw[:1] == b'"' else raw  # type: ignore[union-attr]


def _text(raw: msgspec.Raw | None) -> str | None:
    """A string or null. Raises: ValueError for anything else."""
    found = None if raw is None else _any(raw)
    if found is not None and not isinstance(found, str):
        raise ValueError("neither text nor null")
    return found


def _any(raw: msgspec.Raw) -> Any:
    try:
        return msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return json.loads(bytes(raw))  # lone surrogates, which msgspec refuses


def _headers(raw: msgspec.Raw | None) -> tuple[tuple[str, bytes | None], ...]:
    if raw is None:
        return ()
    found = _any(raw)
    if found is None:
        return ()
    pairs = list(found.items()) if isinstance(found, dict) else found
    if not isinstance(pairs, list) or not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in pairs):
        raise ValueError("headers are a list of pairs, or a map")
    return tuple(
        (_name(name), None if value is None else _name(value).encode(errors="replace")) for name, value in pairs
    )


def _name(found: object) -> str:
    return found if isinstance(found, str) else json.dumps(found)
