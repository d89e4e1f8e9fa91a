"""One step of a stage: what it tells, and what it remembers of it. It must never be half applied in another order.

Messages are sent, and acknowledged, before anything is remembered. Whoever dies between, or among, the two does the
step again from what is remembered; what it tells twice says the same, and who listens counts it once.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

import msgspec

from guardrail.drift.tally import Shape

Message = TypeVar("Message", bound=Shape, covariant=True)


class Step(NamedTuple, Generic[Message]):
    """Messages in order, then writes in order: None forgets a key."""

    messages: tuple[Message, ...] = ()
    writes: tuple[tuple[bytes, bytes | None], ...] = ()


def packed(state: msgspec.Struct) -> bytes:
    """A state as it is remembered."""
    return msgspec.msgpack.encode(state)
