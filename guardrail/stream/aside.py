"""One call at a time on a thread beside ours. It must never be waited for longer than the caller can wait.

librdkafka may hold a call for ever whatever timeout it was given: `send_offsets_to_transaction`, when the broker that
coordinated the group is gone (librdkafka's issues 5456 and 5511, open in 2.16). Nothing can end such a call; its thread
stays behind with it, and ends when it does.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

STEP_S = 0.5
"""Between two looks at whether the caller still waits."""

NAME = "kafka-call"

Call = Callable[[], object]
Answer = queue.SimpleQueue[BaseException | None]


class HeldError(Exception):
    """The call goes on, and nobody waits for it any more."""


class Aside:
    """Makes calls for somebody who can't wait for ever. After a HeldError it is of no use any more."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[tuple[Call, Answer] | None] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name=NAME, daemon=True).start()

    def call(self, call: Call, waits: Callable[[], bool]) -> None:
        """Returns when it does, raises what it raises. Raises HeldError as soon as `waits` says no."""
        answer: Answer = queue.SimpleQueue()
        self._asked.put((call, answer))
        while True:
            try:
                failure = answer.get(timeout=STEP_S)
            except queue.Empty:
                if not waits():
                    self.close()
                    raise HeldError from None
                continue
            if failure is not None:
                raise failure
            return

    def close(self) -> None:
        """The thread ends after the call at hand."""
        self._asked.put(None)

    def _serve(self) -> None:
        while (asked := self._asked.get()) is not None:
            call, answer = asked
            try:
                call()
            except BaseException as failure:  # noqa: BLE001  # the caller decides what it means
                answer.put(failure)
            else:
                answer.put(None)
            del asked, call, answer  # whatever they hold is free while the next one is waited for


def calls() -> int:
    """How many threads there are for calls, those that nobody waits for among them."""
    return sum(thread.name == NAME for thread in threading.enumerate())
