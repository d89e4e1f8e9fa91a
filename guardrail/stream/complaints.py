"""What librdkafka says of its connections: a wrong password, an unknown authority, a broker that is away. It must never
decide anything: librdkafka tries again by itself, and one broker of three may be back in a moment.

It is told in the log once in a while, and to a probe while it is fresh.
"""

from __future__ import annotations

import logging
import re
import time

from confluent_kafka import KafkaError

LOG = logging.getLogger("guardrail.stream")

REPEAT_S = 30.0
"""librdkafka tries a broker anew every 0.1 to 10 s, and fails each time in the same words."""
FRESH_S = 60.0
"""Later than that it is no longer the reason for anything."""

_DETAILS = re.compile(r" \(after \d+ms in state [^)]*\)")
_UNVERIFIED = "certificate verify failed"
_NO_NAME = ", and that the broker's certificate names this host"
"""librdkafka has the same words for an unknown authority and another host's certificate: they name the first alone."""


class Complaints:
    """Give it to clients as their `on_error`."""

    def __init__(self) -> None:
        self._latest = ""
        self._heard_s = self._specific_s = -FRESH_S
        self._told_s: dict[str, float] = {}

    def __call__(self, error: KafkaError) -> None:
        """Takes note of it."""
        now = time.monotonic()
        everyone = error.code() == KafkaError._ALL_BROKERS_DOWN  # noqa: SLF001  # a public name
        if everyone and now - self._specific_s < FRESH_S:
            return  # why has been told
        if not everyone:
            self._specific_s = now
        self._latest, self._heard_s = _told(error), now
        if now - self._told_s.get(self._latest, -REPEAT_S) >= REPEAT_S:
            self._told_s = {text: at for text, at in self._told_s.items() if now - at < REPEAT_S} | {self._latest: now}
            LOG.error("connection", extra={"error": error.name(), "reason": self._latest})

    @property
    def latest(self) -> str | None:
        """The last one, if it is fresh."""
        return self._latest if time.monotonic() - self._heard_s < FRESH_S else None


def _told(error: KafkaError) -> str:
    """The same words for the same thing."""
    text = _DETAILS.sub("", error.str())
    return text + _NO_NAME if _UNVERIFIED in text else text
