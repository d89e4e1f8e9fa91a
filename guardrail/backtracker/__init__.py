"""The last tier: the `regex` package in a process of its own, with a deadline. It must never hold its caller up longer.

A child that doesn't answer in time is killed and another one started; its memory and processor time are bounded by the
kernel. Why a process: the package's own timeout doesn't cover compiling, and matching keeps the interpreter (REGEX.md).
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import select
import subprocess
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from typing import IO, Self

from guardrail.judge.model import Execution, Source
from guardrail.judge.pattern.last import Question

LOG = logging.getLogger("guardrail.backtracker")

WALL_S = 0.25
"""From a question to the end of its child, should that not answer; its own budget is 50 ms of processor time."""
START_S = 10.0
"""For a child to be ready: a tenth of a second, but for a machine under load."""
CACHED = 4_096
"""Answers kept, refusals and timeouts too: the same question in one process has one answer."""

_CHILD = Path(__file__).with_name("child.py")
_ANSWERS = {
    b"y": Execution.MATCHED,
    b"n": Execution.NOT_MATCHED,
    b"t": Execution.TIMED_OUT,
    b"u": Execution.UNSUPPORTED,
}
_READY = b"r"
_PASSED_ON = ("LD_LIBRARY_PATH",)
"""What an interpreter may need to start; nothing else of the environment is a stranger's business."""


class Backtracker:
    """A last tier (`judge.pattern.last.LastTier`) for one process; safe to share between threads. Close it at the end.

    A question that got no answer because no child could be started is `unsupported`, and is asked again next time.
    """

    def __init__(self, *, wall_s: float = WALL_S, command: tuple[str, ...] | None = None) -> None:
        """Nothing starts before the first question. `command` starts another program than our own."""
        self._wall_s = wall_s
        self._command = command or (sys.executable, "-I", str(_CHILD))
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, Execution] = OrderedDict()
        self._child: subprocess.Popen[bytes] | None = None
        self._ready = False
        self.kills = 0
        """Children that were killed for their silence, or died."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, source: Source, question: Question) -> Execution:  # noqa: ARG002  # a recorded one needs it
        """Whether the value matches, within the deadline. Whose record it is changes nothing."""
        with self._lock:
            known = self._answers.get(question.digest)
            if known is not None:
                self._answers.move_to_end(question.digest)
                return known
            answer = self._asked(question)
            if answer is not Execution.UNSUPPORTED:
                self._answers[question.digest] = answer
                if len(self._answers) > CACHED:
                    self._answers.popitem(last=False)
            return answer

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def _asked(self, question: Question) -> Execution:
        if self._child is None:
            self._start()
        child = self._child
        if child is None or child.stdin is None or child.stdout is None or not self._awake(child.stdout):
            self._end()
            return Execution.UNSUPPORTED
        line = json.dumps([question.text, question.value]).encode() + b"\n"
        with contextlib.suppress(OSError):  # a child that died meanwhile: no answer will come
            child.stdin.write(line)
            child.stdin.flush()
        answer = _read(child.stdout, self._wall_s)
        if answer in _ANSWERS:
            return _ANSWERS[answer]
        self.kills += 1
        LOG.warning("last tier killed", extra={"reason": "no answer" if answer is None else "died"})
        self._end()
        return Execution.TIMED_OUT

    def _awake(self, stdout: IO[bytes]) -> bool:
        self._ready = self._ready or _read(stdout, START_S) == _READY
        return self._ready

    def _start(self) -> None:
        self._ready = False
        try:
            self._child = subprocess.Popen(  # noqa: S603  # our own interpreter and file
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                process_group=0,  # Ctrl-C is for the parent
            )
        except OSError as error:
            LOG.error("no last tier", extra={"reason": error.strerror})

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _read(stdout: IO[bytes], wait_s: float) -> bytes | None:
    """One byte of a child; null when none came in time, empty when the child has ended."""
    ready, _, _ = select.select([stdout], [], [], wait_s)
    return stdout.read(1) if ready else None
