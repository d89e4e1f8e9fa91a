"""What an operator does to the register: publish, activate, canary, bypass, take back. It must never write what gates
would refuse: each entry is checked against the register as it stands.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from guardrail.errors import InputError, PolicyError, SettingsError
from guardrail.judge.policy import Policy
from guardrail.settings import Settings
from guardrail.stream.register import (
    BYPASS_MAX_S,
    EVERYONE,
    Active,
    Bypassing,
    Canary,
    Entry,
    Kind,
    Register,
    Standing,
    now,
)
from guardrail.stream.registry import Registry, Writer

READ_S = 30.0


class Signed(NamedTuple):
    """Who does it, and why."""

    by: str
    why: str


class Steering:
    """Writes entries, signed. Reads the register first, to its end."""

    def __init__(self, settings: Settings) -> None:
        """Raises SettingsError when there is no register, TransientError when it can't be read."""
        registry = Registry(settings)
        if not registry.join():
            raise SettingsError(f"{settings.topics.policies}: no such topic (guardrail topics --create)")
        try:
            registry.read_to_end(time.monotonic() + READ_S)
        finally:
            registry.close()
        self._register: Register = registry.register
        self._writer = Writer(settings)

    def standing(self) -> Standing:
        """The register as it is."""
        return self._register.standing()

    def policies(self) -> list[Policy]:
        """The policies whose bytes it has."""
        return self._register.policies()

    def publish(self, policies: Sequence[Policy]) -> None:
        """Puts their bytes there; nothing is in force by that."""
        for policy in policies:
            self._write(f"revision/{policy.revision}", policy.resolved)

    def activate(self, agent: str, revision: str, signed: Signed, *, force: bool = False) -> None:
        """Puts a revision in force. Raises InputError for one that gates couldn't."""
        self._known(agent, revision)
        entry = Active(revision=revision, force=force, by=signed.by, why=signed.why, at=now())
        self._write(f"active/{agent}", entry)

    def canary(self, agent: str, revision: str, share: float, signed: Signed) -> None:
        """Gives a revision a share of the keys, from 0 to 1. Raises InputError as `activate` does."""
        if not 0 < share <= 1:
            raise InputError(f"canary: a share of {share} isn't between 0 and 1")
        self._known(agent, revision)
        self._write(f"canary/{agent}", Canary(revision=revision, share=share, by=signed.by, why=signed.why, at=now()))

    def bypass(self, agent: str, until: datetime, signed: Signed) -> None:
        """Stops enforcing an agent's policy, or everyone's. Raises InputError for an end that is past, or too far."""
        left_s = (until - now()).total_seconds()
        if not 0 < left_s <= BYPASS_MAX_S:
            raise InputError(f"bypass: ends {left_s:.0f} s from now; it may last up to {BYPASS_MAX_S} s")
        if agent != EVERYONE and agent not in self._agents():
            raise InputError(f"bypass: no policy of {agent} is in the register; it has {', '.join(self._agents())}")
        self._write(f"bypass/{agent}", Bypassing(until=until, by=signed.by, why=signed.why, at=now()))

    def take_back(self, kind: Kind, agent: str, signed: Signed) -> None:
        """Removes an entry; the signature stands in the removal's headers. Raises InputError when there is none."""
        if not self._register.has(f"{kind}/{agent}"):
            raise InputError(f"{kind}/{agent}: not in the register")
        self._writer.write(f"{kind}/{agent}", None, (("guardrail.by", signed.by), ("guardrail.why", signed.why)))
        self._register.take(f"{kind}/{agent}".encode(), None)

    def _write(self, key: str, entry: bytes | Entry) -> None:
        value = entry if isinstance(entry, bytes) else _checked(key, entry)
        self._writer.write(key, value)
        self._register.take(key.encode(), value)

    def _known(self, agent: str, revision: str) -> None:
        try:
            found = self._register.policy(revision)
        except PolicyError as error:
            raise InputError(str(error)) from None
        if found.agent != agent:
            raise InputError(f"revision {revision} is a policy of {found.agent}, not of {agent}")

    def _agents(self) -> list[str]:
        return sorted({policy.agent for policy in self.policies()})


def _checked(key: str, entry: Entry) -> bytes:
    """As it is written. Raises InputError for what gates couldn't read: no name, or more of a reason than they take."""
    value = msgspec.json.encode(entry)
    try:
        msgspec.json.decode(value, type=type(entry))
    except msgspec.MsgspecError as error:
        raise InputError(f"{key}: {error}") from None
    return value
