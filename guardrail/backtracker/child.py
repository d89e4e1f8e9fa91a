"""The last tier's process: a question a line in, an answer a byte out. It must never print, and never outlive its pipe.

Run as a file of its own (`python -I child.py`), so that it loads nothing but the `regex` package. Where Python's own
engine can read the question too, both must agree: `regex` 2026.11.19 denies that `((?:a|b)*)aa*\\1?a` takes `bbaaabba`.
"""

from __future__ import annotations

import contextlib
import json
import re
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any

import regex

MEMORY_BYTES = 512 * 1024 * 1024  # 20 nested repeats took 2 GB (REGEX.md); a vetted pattern takes 40 MB at most
CPU_S = 0.05  # for one match of each engine; the parent's deadline covers compiling

YES, NO, TIMED_OUT, UNSUPPORTED, READY = b"y", b"n", b"t", b"u", b"r"


def _packages(text: str, value: str) -> bool:
    compiled = regex.compile(text, regex.ASCII | regex.VERSION0, cache_pattern=False)
    return bool(compiled.fullmatch(value, timeout=CPU_S))


def _pythons(text: str, value: str) -> bool | None:
    """What Python's own engine says; null where it can't read the text."""
    try:
        compiled = re.compile(text, re.ASCII)
    except (re.error, OverflowError):
        return None
    finally:
        re.purge()
    signal.setitimer(signal.ITIMER_PROF, CPU_S)
    try:
        return bool(compiled.fullmatch(value))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _answer(text: str, value: str) -> bytes:
    try:
        first, second = _packages(text, value), _pythons(text, value)
    except TimeoutError:
        return TIMED_OUT
    except (regex.error, RecursionError, OverflowError):
        return UNSUPPORTED
    if second not in (first, None):
        return UNSUPPORTED
    return YES if first else NO


def _out_of_time(*_: object) -> None:
    raise TimeoutError


def main(answer: Callable[[str, str], bytes] = _answer) -> None:
    """Answers until the parent closes the pipe. Out of memory, it ends: what it holds can't be told."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, _out_of_time)
    answer("a(?=b)b", "ab")  # the packages load their tables now
    out: Any = sys.stdout.buffer
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        out.write(READY)
        out.flush()
        for line in sys.stdin.buffer:
            try:
                said = answer(*json.loads(line))
            except TimeoutError:  # the timer went off at the very end
                said = TIMED_OUT
            except MemoryError:
                out.write(TIMED_OUT)
                break
            out.write(said)
            out.flush()


if __name__ == "__main__":
    main()
