"""Dead letters: the original record with the reason beside it. They must never lose a record, nor grow when redriven.

Header names are those that tools of Kafka Streams (KIP-1034, `ExceptionHandlerUtils.java`) and Kafka Connect (KIP-298,
`DeadLetterQueueReporter.java`) read; numbers are decimal strings there. A record that failed before gets them anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guardrail.judge.model import RawRecord
from guardrail.stream.record import Headers

STREAMS = "__streams.errors."
CONNECT = "__connect.errors."
TRUNCATED = "guardrail.truncated"
ATTEMPT = "guardrail.attempt"
"""How often the record was redriven, as a decimal string."""
REDRIVEN_FROM = "guardrail.redriven-from"
"""Where it stood first: topic/partition/offset."""
REDRIVEN_BYTES = 300
"""A topic's name has 249 at most."""
FAMILIES = {"both": (STREAMS, CONNECT), "streams": (STREAMS,), "connect": (CONNECT,)}
"""By the setting GUARDRAIL_TOPICS__DEAD_LETTER_HEADERS. There is no `none`: a dead letter says why it is one."""

_REWRITTEN = frozenset({TRUNCATED, ATTEMPT, REDRIVEN_FROM})

OVERHEAD_BYTES = 128
"""A batch of one: batch header 61, record framing up to 36 (KIP-98), and some reserve."""
HEADER_OVERHEAD_BYTES = 12
"""Two varints of a header, at their longest."""
MESSAGE_CHARS = 300


class Reason(NamedTuple):
    """Why a record is here: a class name as Java tools expect one, our words, and the stage that gave up."""

    name: str
    message: str
    stage: str = "judge"


class Refusal(NamedTuple):
    """Why what becomes of a record can't be published, and the topics that have refused parts of its dead letter, too;
    null for one that nobody has named.
    """

    why: str
    by: frozenset[str | None] = frozenset()


def wire_bytes(key: bytes | None, value: bytes | None, headers: Headers) -> int:
    """What a record takes at most, uncompressed, in a batch of its own."""
    size = len(key or b"") + len(value or b"") + OVERHEAD_BYTES + HEADER_OVERHEAD_BYTES * len(headers)
    for name, held in headers:  # `header_bytes` of each: a call for each costs as much as all else here
        size += len(name) if name.isascii() else len(name.encode())
        if held:
            size += len(held)
    return size


def header_bytes(header: tuple[str, bytes | None]) -> int:
    """What one header takes at most."""
    name, value = header
    size = len(name) if name.isascii() else len(name.encode())
    return size + (len(value) if value else 0) + HEADER_OVERHEAD_BYTES


def error_headers(raw: RawRecord, reason: Reason, families: Sequence[str] = FAMILIES["both"]) -> Headers:
    """The families asked for, never a word of the record's content."""
    source, message = raw.source, reason.message[:MESSAGE_CHARS]
    place = {"topic": source.topic or "", "partition": str(source.partition), "offset": str(source.offset)}
    exception = f"guardrail.{reason.name}"
    streams = {"exception": exception, "message": message, "stacktrace": f"{exception}: {message}", **place}
    connect = {
        **place,
        "connector.name": "guardrail",
        "task.id": "0",
        "stage": reason.stage.upper(),
        "class.name": "guardrail.stream.worker.Gate",
        "exception.class.name": exception,
        "exception.message": message,
        "exception.stacktrace": f"{exception}: {message}",
    }
    families_of = {STREAMS: streams, CONNECT: connect}
    return tuple((prefix + name, text.encode()) for prefix in families for name, text in families_of[prefix].items())


def redriven(headers: Headers) -> Headers:
    """What says that the record was redriven and how often. Of our own headers, so that no cut can take it away: the
    count keeps a record from going round for ever.
    """
    found = {n: v for n, v in headers if n in (ATTEMPT, REDRIVEN_FROM) and v is not None and len(v) <= REDRIVEN_BYTES}
    return tuple(found.items())


def without_errors(headers: Headers) -> Headers:
    """The headers without what an earlier failure, or its redrive, wrote."""
    return tuple(h for h in headers if not h[0].startswith((STREAMS, CONNECT)) and h[0] not in _REWRITTEN)


class Letter(NamedTuple):
    """A dead letter that fits its topic."""

    key: bytes | None
    value: bytes | None
    headers: Headers


def letter(raw: RawRecord, kept: Headers, ours: Headers, limit_bytes: int) -> Letter:
    """The original key, headers and bytes, followed by ours. Ours always fit: they are a few hundred bytes.

    What is too large is cut, and `guardrail.truncated` says what: the end of the value first, then the last headers,
    then the key. A cut key would be another key, so it goes as a whole.
    """
    cuts: list[str] = []
    room = limit_bytes - wire_bytes(None, None, (*ours, (TRUNCATED, b"value,headers,key")))
    key = raw.key
    if key is not None and len(key) > room:
        key, cuts = None, ["key"]
    room -= len(key or b"")
    fitting = _fitting(kept, room)
    if len(fitting) < len(kept):
        cuts.append("headers")
    room -= wire_bytes(None, None, fitting) - OVERHEAD_BYTES
    value = raw.value
    if value is not None and len(value) > room:
        value = value[: max(room, 0)]
        cuts.append("value")
    marks: Headers = ((TRUNCATED, ",".join(reversed(cuts)).encode()),) if cuts else ()
    return Letter(key, value, (*fitting, *ours, *marks))


def _fitting(headers: Headers, room: int) -> Headers:
    """The first headers that fit together, in order."""
    for count, header in enumerate(headers):
        room -= header_bytes(header)
        if room < 0:
            return headers[:count]
    return headers
