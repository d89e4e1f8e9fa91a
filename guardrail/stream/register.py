"""The register of policies: the compacted topic, as values. It must never put a policy in force: stream.force does.

Keys and values (CONTRACT §7), JSON; a null value takes an entry back:

revision/<digest>  a policy's resolved bytes: any decision can be judged again
active/<agent>     which revision is in force, instead of the files'
canary/<agent>     a second revision, on a share of the keys
bypass/<agent>     an emergency: not enforced until then. The agent `*` stands for every one
proven/<agent>     the last revision that held through its probation; written by gates
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec

from guardrail.errors import PolicyError
from guardrail.judge.model import Bypass
from guardrail.judge.policy import Policy, compile_policy

SCHEMA_VERSION = 1
EVERYONE = "*"
BYPASS_MAX_S = 86_400
"""Longer than a day is no emergency: `mode: shadow` in the policy says so for good."""
SKEW_S = 300
"""How far the clocks of whoever writes and of whoever reads may differ."""
Kind = Literal["revision", "active", "canary", "bypass", "proven"]

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=2_000)]
Revision = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{16}$")]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What every entry says of itself: who made it, when, and why."""

    by: Text
    at: Moment
    why: Text
    schema_version: int = SCHEMA_VERSION


class Active(Entry, frozen=True, kw_only=True):
    """The revision in force. `force` passes over its probation: whoever sets it has looked."""

    revision: Revision
    force: bool = False


class Canary(Entry, frozen=True, kw_only=True):
    """A revision for a share of the keys."""

    revision: Revision
    share: Annotated[float, msgspec.Meta(gt=0, le=1)]


class Bypassing(Entry, frozen=True, kw_only=True):
    """An emergency. It ends by itself."""

    until: Moment

    def bypass(self) -> Bypass:
        """As the judge has it."""
        return Bypass(by=self.by, why=self.why, until_ms=int(self.until.timestamp() * 1000))

    def lasts_s(self) -> float:
        """From when it was made to its end."""
        return (self.until - self.at).total_seconds()


class Proven(Entry, frozen=True, kw_only=True):
    """A revision that held."""

    revision: Revision


_SHAPES: Mapping[str, type[Entry]] = {"active": Active, "canary": Canary, "bypass": Bypassing, "proven": Proven}
Shape = TypeVar("Shape", bound=Entry)


class Standing(NamedTuple):
    """What the register says, by agent; `faults` are the entries that can't be read, and why."""

    active: Mapping[str, Active]
    canary: Mapping[str, Canary]
    bypass: Mapping[str, Bypassing]
    proven: Mapping[str, Proven]
    faults: Mapping[str, str]


class Register:
    """The entries as they stand, the last of each key."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}
        self._compiled: dict[str, Policy] = {}

    def take(self, key: bytes | None, value: bytes | None) -> None:
        """One record of the topic. What isn't an entry is passed over."""
        name = (key or b"").decode(errors="replace")
        if value is None:
            self._values.pop(name, None)
        elif name.partition("/")[0] in ("revision", *_SHAPES):
            self._values[name] = value

    def has(self, name: str) -> bool:
        """Whether there is an entry of this name, kind/…."""
        return name in self._values

    def standing(self) -> Standing:
        """All of it, read."""
        faults: dict[str, str] = {}
        found: dict[str, dict[str, Any]] = {kind: dict(self._entries(kind, faults)) for kind in _SHAPES}
        return Standing(**found, faults=faults)

    def policy(self, revision: str) -> Policy:
        """The policy of this revision. Raises PolicyError when it isn't there, can't be read, or isn't what it says."""
        if revision not in self._compiled:
            name = f"revision/{revision}"
            if name not in self._values:
                raise PolicyError(f"{name}: not in the register")
            made = compile_policy(self._values[name].decode(errors="replace"), name)
            if made.revision != revision:
                raise PolicyError(f"{name}: its bytes are those of {made.revision}")
            self._compiled[revision] = made
        return self._compiled[revision]

    def policies(self) -> list[Policy]:
        """All that can be read, by agent and revision."""
        found = []
        for name in self._values:
            kind, _, revision = name.partition("/")
            with suppress(PolicyError):
                found += [self.policy(revision)] if kind == "revision" else []
        return sorted(found, key=lambda policy: (policy.agent, policy.revision))

    def _entries(self, kind: str, faults: dict[str, str]) -> Iterator[tuple[str, Entry]]:
        for name, value in self._values.items():
            family, _, agent = name.partition("/")
            if family != kind:
                continue
            try:
                entry = msgspec.json.decode(value, type=_SHAPES[kind])
            except (msgspec.MsgspecError, RecursionError) as error:
                faults[name] = f"can't be read: {error}"
                continue
            if isinstance(entry, Bypassing) and entry.lasts_s() > BYPASS_MAX_S + SKEW_S:
                faults[name] = f"a bypass lasts up to {BYPASS_MAX_S} s, and this one {entry.lasts_s():.0f}"
                continue
            yield agent, entry


def now() -> datetime:
    """For `at`, to the second."""
    return datetime.now(UTC).replace(microsecond=0)
