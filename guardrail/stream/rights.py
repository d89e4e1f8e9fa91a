"""What the gate may do on the cluster, in the broker's own words. It must never take silence for a refusal: where the
broker doesn't tell, the first call that fails does.

`docs/security.md` lists all that the gate needs.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AclOperation, AdminClient  # type: ignore[attr-defined]  # re-exported without saying so

from guardrail.errors import SettingsError
from guardrail.settings import Identity, Settings
from guardrail.stream import client
from guardrail.stream.faults import denied
from guardrail.stream.routing import Routes

LOG = logging.getLogger("guardrail.stream")

ASK_S = 4.0
"""The gate asks when something is wrong already, and turns meanwhile."""
AGAIN_S = 2.0


class Wanting(NamedTuple):
    """What keeps the gate from its work: topics that aren't there, and what it isn't allowed to do."""

    missing: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.missing or self.denied)

    def __str__(self) -> str:
        missing = f"missing topics: {', '.join(self.missing)} (guardrail topics --create)" if self.missing else ""
        return "; ".join(filter(None, (missing, _not_allowed(self.denied))))

    def log(self) -> None:
        """One line for each kind."""
        if self.missing:
            LOG.error("topics missing", extra={"topics": self.missing, "hint": "guardrail topics --create"})
        if self.denied:
            LOG.error("not allowed", extra={"wants": self.denied})


class Rights:
    """Of one gate."""

    def __init__(self, settings: Settings, identity: Identity) -> None:
        self._settings = settings
        self._by_code = {
            KafkaError.GROUP_AUTHORIZATION_FAILED: f"READ on group {settings.gate.group}",
            KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: f"WRITE on transactional id guardrail.{identity.name}",
        }
        outputs = Routes.named(settings.topics).topics()
        self._unread, self._again_s = Wanting(), 0.0
        self._operations = {settings.topics.raw: AclOperation.READ, **dict.fromkeys(outputs, AclOperation.WRITE)}

    def wanting(self, missing: Sequence[str], fault: BaseException | None = None) -> Wanting:
        """Asks the broker, when topics seem to be missing (a hidden one does) or something isn't allowed."""
        error = denied(fault)
        if not missing and error is None:
            return Wanting()
        return self._ask(missing, self._by_code.get(error.code()) if error is not None else None)

    def still_denied(self, fault: BaseException | None) -> Wanting:
        """The same for reading, which gives no sign that it is allowed again: it is asked for once in AGAIN_S."""
        before = self._unread
        if fault is None:
            self._unread = Wanting()
        elif not before or time.monotonic() > self._again_s:
            self._unread = self._ask(()) if before else self.wanting((), fault)
            self._again_s = time.monotonic() + AGAIN_S
        if self._unread != before:
            self._unread.log()
        return self._unread

    def _ask(self, missing: Sequence[str], known: str | None = None) -> Wanting:
        """All that is wanting, not just the first; `known` is what a fault has told already."""
        try:
            admin = client.make_admin(client.admin_config(self._settings))
        except SettingsError as failure:  # a file of credentials that changes just now
            LOG.error("credentials unread", extra={"reason": str(failure)})
            return Wanting(tuple(missing), (known,) if known else ())
        lacking = dict(self._lacking(admin))
        wants = [f"{operation} on topic {topic}" for topic, operation in lacking.items()]
        if known is None and self._group_hidden(admin):
            known = self._by_code[KafkaError.GROUP_AUTHORIZATION_FAILED]
        return Wanting(tuple(name for name in missing if name not in lacking), (*wants, *([known] if known else ())))

    def _lacking(self, admin: AdminClient) -> Iterator[tuple[str, str]]:
        """The topics on which we aren't allowed what we need, and what that is."""
        names = TopicCollection(list(self._operations))
        asked = admin.describe_topics(names, include_authorized_operations=True, request_timeout=ASK_S)
        for topic, answer in asked.items():
            try:
                allowed = answer.result(ASK_S + 1).authorized_operations
            except (KafkaException, TimeoutError) as failure:
                allowed = [] if denied(failure) else None
            if allowed is not None and (operation := self._operations[topic]) not in allowed:
                yield topic, operation.name

    def _group_hidden(self, admin: AdminClient) -> bool:
        """Whether we mayn't even look at our group: whoever may read it may."""
        group = self._settings.gate.group
        try:
            admin.describe_consumer_groups([group], request_timeout=ASK_S)[group].result(ASK_S + 1)
        except (KafkaException, TimeoutError) as failure:
            return denied(failure) is not None
        return False


def _not_allowed(wants: Iterable[str]) -> str:
    named = ", ".join(wants)
    return f"not allowed: {named}" if named else ""
