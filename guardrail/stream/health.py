"""How the loop is doing, for the admin port. It must never call Kafka: a probe has to answer while a broker doesn't."""

from __future__ import annotations

import time
from collections.abc import Callable


class Health:
    """Written by the loop, read by the admin thread. Times are monotonic seconds."""

    def __init__(self, stalled_s: float, complaint: Callable[[], str | None] = lambda: None) -> None:
        """`complaint` gives what is wrong with the connections, if anything is: it explains, and decides nothing."""
        self._stalled_s = stalled_s
        self._complaint = complaint
        self._beat_s = time.monotonic()
        self.joined = False
        """Whether the group counts us in. One that has no partition for us does: then we stand by."""
        self.failing: str | None = "starting"
        """Why the last batch isn't committed; None when it is."""
        self.committed_s: float | None = None

    def beat(self) -> None:
        """The loop turns."""
        self._beat_s = time.monotonic()

    def committed(self) -> None:
        """A batch is through."""
        self.failing, self.committed_s = None, time.monotonic()

    @property
    def age_s(self) -> float:
        """Since the loop turned last."""
        return time.monotonic() - self._beat_s

    @property
    def alive(self) -> bool:
        """Whether the loop turns."""
        return self.age_s < self._stalled_s

    @property
    def ready(self) -> bool:
        """Whether records get through: the group counts us in, and the last commit was fine."""
        return self.alive and self.joined and self.failing is None

    @property
    def reason(self) -> str:
        """Why it isn't ready, in our words."""
        if not self.alive:
            return f"stalled for {self.age_s:.0f} s"
        if self.joined and self.failing is None:
            return "ok"
        complaint = self._complaint()
        return (self.failing or "not in the group") + (f": {complaint}" if complaint else "")
