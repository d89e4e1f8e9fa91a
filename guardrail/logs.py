"""Structured logs: one JSON object a line on stderr.

It must never carry a user's words: callers pass codes and coordinates.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping

_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class Lines(logging.Formatter):
    """A record as one JSON line: time, level, logger, message, what every line says, and what stood in `extra`."""

    def __init__(self, always: Mapping[str, object]) -> None:
        super().__init__()
        self._always = always

    def format(self, record: logging.LogRecord) -> str:
        """The line. An exception is named, its text left out: it may quote what was being read."""
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **self._always,
        }
        line.update({key: value for key, value in vars(record).items() if key not in _PLAIN})
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
        return json.dumps(line, default=str)


def set_up(level: str, **always: object) -> None:
    """Log to stderr from this level on; every line says `always` too."""
    handler = logging.StreamHandler()
    handler.setFormatter(Lines(always))
    logging.getLogger().addHandler(handler)  # libraries' warnings are lines like ours
    logging.getLogger("guardrail").setLevel(level.upper())
