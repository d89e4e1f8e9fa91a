"""The last tier: the `regex` package in a process of its own, with a deadline. It must never hold its caller up longer.

A child that doesn't answer in time is killed and another one started for the next question; its memory is bounded by
the kernel. Why a process: the package's own timeout doesn't cover compiling, and matching keeps the interpreter
(REGEX.md).
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
import time
from collections import OrderedDict
from pathlib import Path
from typing import IO, Self

from guardrail.judge.model import Execution, Source
from guardrail.judge.pattern.last import Question

LOG = logging.getLogger("guardrail.backtracker")

WALL_S = 0.2
"""From a question to the end of its child, should that not answer; with killing and a new start below 300 ms."""
START_S = 2.0
"""For a child to be ready: 40 ms, but for a machine under load."""
PAUSE_S = 30.0
"""Until another child is tried after one that couldn't be started: the gate doesn't wait for each question."""
CACHED = 4_096
"""Answers kept, timeouts too: the same question in one process has one answer."""
LINE_BYTES_MAX = 32_768
"""Of a question as the child gets it; half of what a pipe takes without waiting. A vetted one has 2,000 or so."""

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

    def __init__(self, *, keep: int = CACHED, command: tuple[str, ...] | None = None) -> None:
        """Nothing starts before the first question. `command` starts another program than our own."""
        self._keep = keep
        self._command = command or (sys.executable, "-I", str(_CHILD))
        self._lock = threading.Lock()
        self._answers: OrderedDict[str, Execution] = OrderedDict()
        self._child: subprocess.Popen[bytes] | None = None
        self._down_until_s = 0.0
        self.kills = 0
        """Children that were killed for their silence, or died."""

    @property
    def kept(self) -> int:
        """How many answers are remembered."""
        return len(self._answers)

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
            if answer is None:
                return Execution.UNSUPPORTED
            self._answers[question.digest] = answer
            if len(self._answers) > self._keep:
                self._answers.popitem(last=False)
            return answer

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def _asked(self, question: Question) -> Execution | None:
        """The answer of a child; of a second one, where the first had died before it was asked. Null for none."""
        line = json.dumps([question.text, question.value]).encode() + b"\n"
        if len(line) > LINE_BYTES_MAX:
            return Execution.UNSUPPORTED
        for _ in range(2):
            if not self._awake():
                return None
            answer = self._answer(line)
            if answer in _ANSWERS:
                return _ANSWERS[answer]
            self.kills += 1
            LOG.warning("last tier killed", extra={"reason": "no answer" if answer is None else "died"})
            self._end()
            if answer is None:
                return Execution.TIMED_OUT
        return None

    def _answer(self, line: bytes) -> bytes | None:
        """What the child says to a line, within the deadline. Interrupted, the child is of no use any more."""
        child = self._child
        if child is None or child.stdin is None or child.stdout is None:
            return b""
        try:
            with contextlib.suppress(OSError):  # a child that died meanwhile: no answer will come
                child.stdin.write(line)
            return _read(child.stdout, WALL_S)
        except BaseException:
            self._end()
            raise

    def _awake(self) -> bool:
        """Whether a child is ready to be asked. After one that couldn't be started there is none for a while."""
        if self._child is not None:
            return True
        if time.monotonic() < self._down_until_s:
            return False
        self._child = child = self._started()
        try:
            if child is not None and child.stdout is not None and _read(child.stdout, START_S) == _READY:
                return True
        except BaseException:
            self._end()
            raise
        self._end()
        self._down_until_s = time.monotonic() + PAUSE_S
        LOG.error("no last tier", extra={"reason": "its process doesn't start"})
        return False

    def _started(self) -> subprocess.Popen[bytes] | None:
        try:
            return subprocess.Popen(  # noqa: S603  # our own interpreter and file
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
                process_group=0,  # Ctrl-C is for the parent
            )
        except OSError:
            return None

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
    waiting = select.poll()  # select() itself knows no descriptor over 1,023
    waiting.register(stdout, select.POLLIN | select.POLLHUP)
    return stdout.read(1) if waiting.poll(wait_s * 1_000) else None
