"""Why a pattern can't be run: a value. The exception here never leaves the room: parse() turns it into its fault."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["invalid", "unsupported", "unsafe"]


class Fault(msgspec.Struct, frozen=True):
    """A refusal of a pattern. `reason` is short English and quotes nothing; `at` is an index into the body."""

    kind: Kind
    reason: str
    at: int = 0


class Refused(Exception):  # noqa: N818  # control flow inside the parser, not an error of ours
    """Carries a fault from deep in the parser to its door."""

    def __init__(self, kind: Kind, reason: str, at: int) -> None:
        super().__init__(reason)
        self.fault = Fault(kind, reason, at)


def invalid(reason: str, at: int) -> Refused:
    """A refusal of what no dialect reads."""
    return Refused("invalid", reason, at)


def unsupported(reason: str, at: int) -> Refused:
    """A refusal of what the dialects read differently, or what no tier can run."""
    return Refused("unsupported", reason, at)


def unsafe(reason: str, at: int) -> Refused:
    """A refusal of what would cost too much."""
    return Refused("unsafe", reason, at)
