"""What a deployment may turn: brokers, names, sizes, ports. It must never hold anything that can change a verdict.

Every setting is an environment variable of two levels, `GUARDRAIL_SECTION__NAME`; what is left out keeps the default
beside it. `OTEL_*` belongs to OpenTelemetry and isn't read here.
"""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from pydantic_settings.exceptions import SettingsError as UnreadableValue

from guardrail.errors import SettingsError

PREFIX = "GUARDRAIL_"

OURS = frozenset(
    {
        "bootstrap.servers",
        "group.id",
        "group.instance.id",
        "transactional.id",
        "transaction.timeout.ms",
        "isolation.level",
        "auto.offset.reset",
        "enable.auto.commit",
        "enable.auto.offset.store",
        "enable.idempotence",
        "partition.assignment.strategy",
        "delivery.report.only.error",
    }
)
"""librdkafka properties that the exactly-once loop rests on: set through the settings above them, or not at all."""

_TESTS = PREFIX + "TEST_"
"""What our own tests use."""
# What Kubernetes sets in every pod for each service of its namespace, `guardrail` and `guardrail-metrics` among them.
_SERVICE = re.compile(r"(.+)_SERVICE_HOST")
_SERVICES_OWN = re.compile(r"_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)")
_PROPERTY = re.compile(r"[A-Za-z0-9._-]{1,100}")
# The ordinal of a StatefulSet's pod ends its hostname; five characters may be the random end of a Deployment's, four
# numbers are an address (`ip-10-0-12-34`).
_ORDINAL = re.compile(r"(?!ip(?:-\d+){4}$).+-(\d{1,4})")


class Section(BaseModel):
    """The root of the sections: frozen, nothing unknown. An error quotes nothing that was given: it may be a secret."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class KafkaSettings(Section):
    """The cluster, and librdkafka's own properties."""

    bootstrap_servers: str = Field(default="localhost:9092", min_length=1)
    properties: dict[str, str] = Field(default={}, repr=False)
    """Verbatim (`security.protocol`, ...). `consumer.` or `producer.` before a name keeps it from the other client."""
    properties_file: Path | None = None
    """The same as `name=value` lines."""
    secrets_folder: Path | None = None
    """The same as a file for each property, named by it: how Kubernetes mounts a Secret. It wins over
    `properties_file`; `properties` wins over both."""
    oauth_token_file: Path | None = None
    """A JSON web token for OAUTHBEARER, read anew for each refresh: how Kubernetes projects a service account's."""

    @field_validator("properties", mode="before")
    @classmethod
    def _as_text(cls, given: object) -> object:
        """JSON numbers and booleans as librdkafka spells them."""
        if not isinstance(given, dict):
            return given
        for name, value in given.items():
            if not isinstance(value, str | int | float):
                raise ValueError(f"{name}: neither text nor a number nor true or false")
        return {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in given.items()}

    @field_validator("properties")
    @classmethod
    def _leave_ours(cls, given: dict[str, str]) -> dict[str, str]:
        for name in given:
            check_property(name)
        return given


def check_property(name: str) -> None:
    """Raises ValueError for what can't be a librdkafka property, which may be a misplaced secret, or is ours to set."""
    if not _PROPERTY.fullmatch(name):
        raise ValueError("a property's name has letters, digits, dots, hyphens and underscores alone")
    if (bare := name.removeprefix("consumer.").removeprefix("producer.")) in OURS:
        raise ValueError(f"{bare} is set by guardrail itself")


TopicName = Annotated[str, Field(pattern=r"^[a-zA-Z0-9._-]{1,249}$")]
"""What Kafka takes as a topic's name."""


class TopicSettings(Section):
    """The names (CONTRACT §7), and what `guardrail topics --create` makes of them."""

    raw: TopicName = "llm.responses.raw"
    approved: TopicName = "llm.responses.approved"
    corrected: TopicName = "llm.responses.corrected"
    rejected: TopicName = "llm.responses.rejected"
    dead_letter: TopicName = "llm.responses.dead-letter"
    decisions: TopicName = "guardrail.decisions"
    observations: TopicName = "guardrail.observations"
    alarms: TopicName = "guardrail.alarms"
    policies: TopicName = "guardrail.policies"
    redriven: TopicName = "guardrail.redriven"
    """Which dead letters were redriven. Written by `guardrail redrive` alone."""
    dead_letter_headers: Literal["both", "streams", "connect"] = "both"
    """Whose tools find the reason of a dead letter in its headers: Kafka Streams', Kafka Connect's, or both."""
    partitions_count: int = Field(default=6, ge=1, le=10_000)
    replicas_count: int = Field(default=3, ge=1, le=100)
    max_message_bytes: int = Field(default=2_097_152, ge=4_096, le=100_000_000)
    """Twice the largest record a policy takes (CONTRACT §2): our headers and a longer reply fit."""

    @model_validator(mode="after")
    def _each_its_own(self) -> Self:
        """Two roles on one topic would mix what must be told apart, or feed the gate its own output."""
        given = self.model_dump(exclude={"dead_letter_headers"})
        names = [value for value in given.values() if isinstance(value, str)]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name} is named for more than one topic")
        return self


Delivery = Literal["exactly_once", "at_least_once"]
Days = Annotated[int, Field(ge=1, le=36_500)]


class KeptDays(Section):
    """How long each topic should keep its records, at least. The policies' is compacted: it keeps them for good."""

    raw: Days = 7
    approved: Days = 7
    corrected: Days = 7
    rejected: Days = 7
    dead_letter: Days = 30
    decisions: Days = 365
    """They outlive what they are about: they are the audit."""
    observations: Days = 40
    """A drift baseline of 30 days can be counted again."""
    alarms: Days = 365
    redriven: Days = 365
    """Longer than any dead letter is there: what is forgotten here could be redriven a second time."""

    @model_validator(mode="after")
    def _remembered_longer(self) -> Self:
        if self.redriven < self.dead_letter:
            raise ValueError("redriven is kept for less time than dead_letter: letters could go twice")
        return self


class GateSettings(Section):
    """One batch of the loop, and when the loop gives up. Figures: STREAM §2 and §6."""

    group: str = Field(default="guardrail", min_length=1, max_length=200)
    delivery: Delivery = "exactly_once"
    """`at_least_once` has no transactions: outputs come some milliseconds sooner, and twice after a fault."""
    batch_messages: int = Field(default=500, ge=1, le=100_000)
    batch_bytes: int = Field(default=8_000_000, ge=1, le=1_000_000_000)
    waiting_messages: int = Field(default=5_000, ge=1, le=16_000)
    """What is read ahead, at most, where agents share the topic and one has a backlog, or is held by the breaker."""
    waiting_bytes: int = Field(default=64_000_000, ge=1, le=4_000_000_000)
    wait_ms: int = Field(default=10, ge=1, le=1_000)
    """How long a batch waits to fill. SIGTERM waits for it too, so it stays short."""
    cpu_ms: int = Field(default=1_000, ge=1, le=60_000)
    """Judging time of one batch; what is left over opens the next one, so no slow check costs the assignment."""
    transaction_ms: int = Field(default=15_000, ge=1_000, le=900_000)
    session_ms: int = Field(default=15_000, ge=6_000, le=300_000)
    close_ms: int = Field(default=2_000, ge=100, le=60_000)
    """Closing the clients, whatever the brokers do. With the batch at hand and the last spans it stays below 10 s."""
    own_errors_count: int = Field(default=20, ge=1, le=10_000)
    """Our own errors in a row: that many are a broken build, not a strange record."""
    start_ms: int = Field(default=60_000, ge=1_000, le=600_000)
    """How long to wait for the broker at start."""


class InstanceSettings(Section):
    """Who this process is, or these are. Two processes of one group must never share an ordinal and a proc."""

    identity: Literal["auto", "ordinal", "random"] = "auto"
    ordinal: int | None = Field(default=None, ge=0, le=9_999)
    name: str | None = Field(default=None, pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,99}$")
    """What an identity without an ordinal is called; unique to this process, as a container's hostname is. Who starts
    again under the same ends at once what was left open; by default, under another each time, that hides what comes
    after it until it times out.
    """
    proc: int = Field(default=0, ge=0, le=999)
    workers: int = Field(default=1, ge=1, le=64)
    """Processes that this one starts and supervises; each has the next proc. One is this process itself."""

    @model_validator(mode="after")
    def _number_workers(self) -> Self:
        """Workers are 0, 1, 2, ...: a proc beside them would be a name that none of them has."""
        if self.workers > 1 and self.proc:
            raise ValueError("proc is counted by guardrail itself where there are several workers")
        return self


class AdminSettings(Section):
    """Where /livez, /readyz, /metrics and /policy are served."""

    host: str = "0.0.0.0"  # noqa: S104  # the kubelet and Prometheus call from outside the pod; it serves no user text
    port: int = Field(default=9464, ge=0, le=65_535)
    stalled_ms: int = Field(default=60_000, ge=1_000, le=600_000)
    """A loop that hasn't turned for so long isn't alive."""


class PolicySettings(Section):
    """Where the policies are: a file, or a folder of them. Both are looked at again while the gate runs."""

    path: Path | None = None
    canary_path: Path | None = None
    """A second policy for some agents, on `canary_share` of their keys."""
    canary_share: float = Field(default=0.05, gt=0, le=1)
    look_ms: int = Field(default=2_000, ge=100, le=600_000)
    """Between two looks at the files. The register's topic tells by itself."""


class BreakerSettings(Section):
    """When a policy that has just changed is taken to be wrong, by agent."""

    share: float = Field(default=0.5, gt=0, le=1)
    """Of an agent's records that may be refused, those not counted that its policy before refuses too. 1: any."""
    least_records: int = Field(default=20, ge=1, le=1_000_000)
    """Below that a share says nothing."""
    records: int = Field(default=1_000, ge=1, le=10_000_000)
    """A policy that has passed so many is no longer new."""
    then: Literal["hold", "previous"] = "hold"
    """`hold` the agent's records until somebody decides, or go back to its `previous` policy. Either way it alarms."""


Ceiling = Annotated[float, Field(ge=1e-5, le=0.5)]


class WatchSettings(Section):
    """What drift is held against. They change no verdict: alarms alone."""

    ceiling_simulation: Ceiling = 1e-3
    """The rate that is promised: of "it matches" that doesn't."""
    ceiling_underclaim: Ceiling = 1e-2
    """Of "it doesn't match" that does."""
    ceiling_undecided: Ceiling = 1e-2
    """Of patterns that can't be run to an end."""
    ceiling_rejected: Ceiling = 0.2
    """Of responses that are refused."""
    ceiling_disordered: Ceiling = 1e-2
    """Of responses whose operational fields come before their reasoning."""
    trials_a_minute: float = Field(default=60.0, gt=0, le=1e7)
    """Of one stream, until its own volume is known."""
    false_alarms_a_month: float = Field(default=1.0, gt=0, le=1_000)
    """In all, at most, while nothing drifts."""


class Identity(Section):
    """`name` goes into the transactional id; `static` tells whether it comes back after a restart."""

    name: str
    static: bool


class Settings(BaseSettings):
    """All of them. Make one with `load()`: it names the variable that is wrong."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid", hide_input_in_errors=True
    )

    kafka: KafkaSettings = KafkaSettings()
    topics: TopicSettings = TopicSettings()
    kept_days: KeptDays = KeptDays()
    gate: GateSettings = GateSettings()
    instance: InstanceSettings = InstanceSettings()
    admin: AdminSettings = AdminSettings()
    policy: PolicySettings = PolicySettings()
    breaker: BreakerSettings = BreakerSettings()
    watch: WatchSettings = WatchSettings()

    def identity(self, hostname: str | None = None) -> Identity:
        """The ordinal that was given, else the name that was, else the ordinal of a StatefulSet's hostname, else a name
        by chance.
        """
        chosen = self.instance
        found = None if chosen.identity == "random" else chosen.ordinal
        by_hostname = chosen.identity == "ordinal" or (chosen.identity == "auto" and chosen.name is None)
        if found is None and by_hostname:
            match = _ORDINAL.fullmatch(hostname or socket.gethostname())
            found = int(match[1]) if match else None
        if found is None and chosen.identity == "ordinal":
            raise SettingsError(f"{PREFIX}INSTANCE__ORDINAL: no ordinal was given, and the hostname ends in none")
        called = chosen.name or secrets.token_hex(6) if found is None else str(found)
        return Identity(name=f"{self.gate.group}.{called}.{chosen.proc}", static=found is not None)


def load(**overrides: Section | dict[str, object]) -> Settings:
    """The settings of this process's environment. Raises SettingsError, one line for each fault, the variable first.

    A section overrides all of its own, a dictionary what it names.
    """
    if strangers := list(_strangers(os.environ)):
        raise SettingsError("\n".join(strangers))
    try:
        return Settings(**overrides)  # type: ignore[arg-type]  # pydantic checks them
    except ValidationError as failure:
        raise SettingsError("\n".join(_fault(error["loc"], error["msg"]) for error in failure.errors())) from None
    except UnreadableValue:  # it names the section alone, and only one setting is JSON
        raise SettingsError(f"{variable('kafka', 'properties')}: not a JSON object") from None


def known() -> list[str]:
    """Every variable that is read, in order."""
    return [
        f"{PREFIX}{section}__{name}".upper()
        for section, field in Settings.model_fields.items()
        for name in _fields(field.annotation)
    ]


def variable(*path: object) -> str:
    """The variable that a path of names comes from: `kafka, properties` is `GUARDRAIL_KAFKA__PROPERTIES`."""
    return PREFIX + "__".join(str(step).upper() for step in path[:2])


def _fields(section: object) -> list[str]:
    return list(section.model_fields) if isinstance(section, type) and issubclass(section, Section) else []


def _strangers(environment: Mapping[str, str]) -> Iterator[str]:
    """Variables with our prefix that nothing reads: most often a misspelt setting that would silently do nothing."""
    names = known()
    services = {found[1] for name in environment if (found := _SERVICE.fullmatch(name))}
    for name in sorted(environment):
        upper = name.upper()
        if not upper.startswith(PREFIX) or upper in names or upper.startswith(_TESTS) or _linked(name, services):
            continue
        near = get_close_matches(upper, names, n=1, cutoff=0.8)
        yield f"{name}: unknown setting" + (f"; did you mean {near[0]}?" if near else "")


def _linked(name: str, services: Iterable[str]) -> bool:
    """Whether a variable is about one of these services."""
    return any(name.startswith(service) and _SERVICES_OWN.fullmatch(name[len(service) :]) for service in services)


def _fault(path: tuple[object, ...], message: str) -> str:
    return f"{variable(*path)}: {message.removeprefix('Value error, ')}"
