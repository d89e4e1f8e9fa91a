"""The last tier's process: a question a line in, an answer a byte out. It must never print, and never outlive its pipe.

Run as a file of its own (`python -I child.py`), so that it loads nothing but the `regex` package.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
from functools import lru_cache
from typing import Any

import regex

MEMORY_BYTES = 512 * 1024 * 1024  # 20 nested repeats took 2 GB (REGEX.md); a vetted pattern takes 40 MB at most
CPU_S = 0.05  # for one match; the parent's deadline covers compiling
CACHED = 128

YES, NO, TIMED_OUT, UNSUPPORTED, READY = b"y", b"n", b"t", b"u", b"r"


@lru_cache(maxsize=CACHED)
def _compiled(text: str) -> Any:
    return regex.compile(text, regex.ASCII | regex.VERSION0)


def _answer(text: str, value: str) -> bytes:
    try:
        return YES if _compiled(text).fullmatch(value, timeout=CPU_S) else NO
    except (TimeoutError, MemoryError):
        return TIMED_OUT
    except (regex.error, RecursionError):
        return UNSUPPORTED


def main() -> None:
    """Answers until the parent closes the pipe."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _answer("a(?=b)b", "ab")  # the package loads its tables now
    out = sys.stdout.buffer
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        out.write(READY)
        out.flush()
        for line in sys.stdin.buffer:
            out.write(_answer(*json.loads(line)))
            out.flush()


if __name__ == "__main__":
    main()
