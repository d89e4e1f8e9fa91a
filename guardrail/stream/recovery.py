"""How often the loop has failed, and what that calls for. It must never let a broken client spin."""

from __future__ import annotations

import time
from collections import deque

from guardrail.errors import TransientError
from guardrail.stream.faults import BrokerError, DeniedError, RestartError, UnansweredError

ABORTS_IN_A_ROW = 5
"""More than that aren't bad luck: a new producer, growing pauses, not ready."""
RESTARTS_COUNT = 5
RESTARTS_S = 600.0
"""More than five broken clients in ten minutes: whoever starts us may know better."""
PAUSES_S = (0.2, 5.0)
"""No longer: after a cut all has to flow within 15 s."""


class Recovery:
    """Counts faults since the last commit."""

    def __init__(self) -> None:
        self._in_a_row = 0
        self._restarts: deque[float] = deque()

    def committed(self) -> None:
        """All is well again. Restarts are remembered: a client that breaks after every batch isn't well."""
        self._in_a_row = 0

    def note(self, fault: TransientError) -> float | None:
        """Counts a fault. None asks for an abort; a number for a new producer after so many seconds.

        Raises BrokerError when restarting has not helped often enough.
        """
        self._in_a_row += 1
        if isinstance(fault, RestartError):
            if not isinstance(fault, (DeniedError, UnansweredError)):
                self._restart(fault)
        elif self._in_a_row <= ABORTS_IN_A_ROW:
            return None
        return min(PAUSES_S[0] * 2.0 ** min(self._in_a_row, 10), PAUSES_S[1])

    def _restart(self, fault: TransientError) -> None:
        now = time.monotonic()
        self._restarts.append(now)
        while now - self._restarts[0] > RESTARTS_S:
            self._restarts.popleft()
        if len(self._restarts) > RESTARTS_COUNT:
            raise BrokerError(f"{len(self._restarts)} restarts in ten minutes, the last one: {fault}") from fault
