"""The faults of the matrix, each written once. It must never hold a goal: how much is asked is the caller's."""

from __future__ import annotations

import json
import random
import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from confluent_kafka.admin import AdminClient, NewPartitions

from guardrail.settings import Delivery, Settings
from tests.broker.proxy import END_TXN, Direction
from tests.faults import roles
from tests.faults.fleet import Fleet
from tests.faults.growth import Growth
from tests.faults.scenario import CAST, THIN, Bed, Figures, Traffic
from tests.stream.deployment import PATIENCE_S, wait_until

GATES = (0, 1, 2)
CATCH_UP_S = 600.0
DELIVERY = "GUARDRAIL_GATE__DELIVERY"
CONSUMER_PROTOCOL = '{"group.protocol": "consumer"}'


@dataclass(frozen=True, slots=True)
class Size:
    """How much of it: records a second, and at least so many in all."""

    rate: float
    least: int


def killed(
    bed: Bed, size: Size, *, kills: int, static: bool, protocol: str = "classic", delivery: Delivery = "exactly_once"
) -> Figures:
    """A random gate is killed in the middle of its work, and started again, so many times."""
    dice = random.Random(2026)  # noqa: S311  # its dice needn't be safe

    def fault(fleet: Fleet, traffic: Traffic) -> None:
        for _ in range(kills):
            fleet.kill(dice.choice(GATES))
            traffic.flows()

    spoken = {"GUARDRAIL_KAFKA__PROPERTIES": json.dumps({"group.protocol": protocol}), DELIVERY: delivery}
    return _through(bed, size, fault, static=static, far=GATES, extra=spoken)


def stopped_while_lost(bed: Bed, size: Size) -> Figures:
    """A gate is told to stop while the network loses all, and what collects its spans answers nobody either."""
    stops: list[tuple[int, float]] = []

    def fault(fleet: Fleet, traffic: Traffic) -> None:
        bed.proxy.hold(*Direction)
        time.sleep(1)  # a batch is under way
        stops.append(fleet.stop(GATES[0]))
        bed.proxy.heal()
        traffic.flows()

    with socket.create_server(("127.0.0.1", 0)) as deaf:
        far = {
            "GUARDRAIL_KAFKA__BOOTSTRAP_SERVERS": bed.cluster.proxied_bootstrap,
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{deaf.getsockname()[1]}",
        }
        try:
            found = _through(bed, size, fault, static=False, far=GATES[:1], extra=far)
        finally:
            bed.proxy.heal()
    return _with(found, _stopped(stops))


def rolled(bed: Bed, size: Size, *, rounds: int, static: bool) -> Figures:
    """Gate after gate is told to stop, and started again."""
    stops: list[tuple[int, float]] = []

    def fault(fleet: Fleet, traffic: Traffic) -> None:
        for number in GATES * rounds:
            stops.append(fleet.stop(number))
            fleet.start(number)
            traffic.flows()

    return _with(_through(bed, size, fault, static=static), _stopped(stops))


def frozen(bed: Bed, size: Size, *, seconds: Sequence[float]) -> Figures:
    """A gate stands still for so long and goes on as if nothing had been."""

    def fault(fleet: Fleet, traffic: Traffic) -> None:
        for number, pause_s in zip(GATES, seconds, strict=False):
            fleet.signal(number, signal.SIGSTOP)
            time.sleep(pause_s)
            fleet.signal(number, signal.SIGCONT)
            traffic.flows()

    return _through(bed, size, fault, static=False)


ROLES: Mapping[str, Callable[[Bed, AdminClient, Settings], int]] = {
    "leader": lambda _, admin, settings: roles.leader(admin, settings.topics.raw),
    "group": lambda _, admin, settings: roles.group_coordinator(admin, settings.gate.group),
    "transaction": lambda _, admin, settings: roles.transaction_coordinator(admin, settings, GATES[0]),
    "controller": lambda bed, _, __: roles.active_controller(bed.cluster),
}
"""How the broker with each role is found."""


def broker_killed(bed: Bed, size: Size, *, which: Sequence[str], delivery: Delivery = "exactly_once") -> Figures:
    """The broker that has a role is killed, and started again once all flows without it."""
    recovered: dict[str, float] = {}

    def fault(_: Fleet, traffic: Traffic) -> None:
        admin = bed.admin
        for role in which:
            node = ROLES[role](bed, admin, traffic.settings)
            bed.cluster.kill(node)
            try:
                recovered[f"without the {role}, s"] = traffic.flows()
            finally:
                bed.cluster.start(node)
            roles.wait_in_sync(admin)

    return _with(_through(bed, size, fault, static=True, far=GATES, extra={DELIVERY: delivery}), recovered)


def brokers_rolled(bed: Bed, size: Size, *, nodes: Sequence[int]) -> Figures:
    """Broker after broker is told to stop, and started again."""

    def fault(_: Fleet, traffic: Traffic) -> None:
        for node in nodes:
            bed.cluster.close(node)
            bed.cluster.start(node)
            roles.wait_in_sync(bed.admin)
            traffic.flows()

    return _through(bed, size, fault, static=True)


def cut(bed: Bed, size: Size, *, seconds: Sequence[float], alone: bool = False) -> Figures:
    """The network between the gates (or one of them alone) and the brokers is cut for so long."""
    return _off(bed, size, [(bed.proxy.cut, pause_s) for pause_s in seconds], alone=alone)


def held(bed: Bed, size: Size, *, seconds: float, ways: Sequence[Direction], alone: bool = False) -> Figures:
    """The network loses all that goes these ways for so long, and delivers it late."""
    return _off(bed, size, [(lambda: bed.proxy.hold(*ways), seconds)], alone=alone)


def forgotten(bed: Bed, size: Size) -> Figures:
    """All connections of the gates are dead for ever, and nobody is told; new ones work."""
    return _off(bed, size, [(bed.proxy.forget, 0.0)])


def slow(bed: Bed, size: Size, *, seconds: float) -> Figures:
    """Each round trip takes 300 ms, 200 more or less, for so long."""
    return _off(bed, size, [(lambda: bed.proxy.slow(0.3, 0.2), seconds)])


def late_ends(bed: Bed, size: Size, *, late_s: float, seconds: float) -> Figures:
    """Answers to commits are late, for so long."""
    return _off(bed, size, [(lambda: bed.proxy.slow_answers(END_TXN, late_s), seconds)])


def doubled(bed: Bed, size: Size) -> Figures:
    """Two gates have one name."""
    ended: dict[str, float] = {}

    def fault(fleet: Fleet, traffic: Traffic) -> None:
        started = time.monotonic()
        fleet.double(GATES[0])
        wait_until(lambda: bool(fleet.exits), "one of the two ends")
        ended["one ended after, s"] = time.monotonic() - started
        traffic.flows()

    return _with(_through(bed, size, fault, static=True, restarts=False), ended)


def scaled(bed: Bed, size: Size, *, static: bool = False) -> Figures:
    """One gate becomes four; the input gets more partitions; three gates leave."""
    stops: list[tuple[int, float]] = []
    added: dict[str, float] = {}

    def fault(fleet: Fleet, traffic: Traffic) -> None:
        admin, raw = bed.admin, traffic.settings.topics.raw
        fleet.start(1, 2, 3)
        traffic.flows()
        admin.create_partitions([NewPartitions(raw, 9)])[raw].result(PATIENCE_S)
        traffic.widen()
        added["new partitions read after, s"] = traffic.flows()
        for number in (1, 2, 3):
            stops.append(fleet.stop(number))
            traffic.flows()

    return _with(_through(bed, size, fault, static=static, gates=GATES[:1]), {**added, **_stopped(stops)})


def other_protocol(bed: Bed, size: Size) -> Figures:
    """All gates stop and start with the consumer group protocol; one by one they go back to the classic one.

    Going over one by one isn't to be had: a broker refuses the consumer protocol while a member's assignor keeps data
    of its own, as librdkafka's cooperative one does (`Cannot upgrade classic group ...`); such a gate ends with 75.
    """
    stops: list[tuple[int, float]] = []

    def fault(fleet: Fleet, traffic: Traffic) -> None:
        stops.extend(fleet.stop(number) for number in GATES)
        fleet.start(*GATES, GUARDRAIL_KAFKA__PROPERTIES=CONSUMER_PROTOCOL)
        traffic.flows()
        for number in GATES:
            stops.append(fleet.stop(number))
            fleet.start(number)
            traffic.flows()

    return _with(_through(bed, size, fault, static=False), _stopped(stops))


def steady(bed: Bed, size: Size, *, seconds: float) -> Figures:
    """Nothing happens, for long: neither memory nor descriptors grow. Gates that can't keep up show it at the end."""
    growth = Growth()
    behind: list[float] = []

    def fault(fleet: Fleet, traffic: Traffic) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            traffic.check()
            growth.look({number: fleet.pid(number) for number in fleet.numbers})
            time.sleep(1.0)
        behind.append(traffic.flows(CATCH_UP_S))

    found = _through(bed, size, fault, static=True, cast=THIN)
    growth.write(bed.folder / "growth.csv")
    return _with(found, {**growth.figures(), "behind by, s": max(behind)})


def _off(bed: Bed, size: Size, faults: Sequence[tuple[Callable[[], None], float]], *, alone: bool = False) -> Figures:
    """The network has one fault after another, each for so long, and heals in between."""
    proxied = {"GUARDRAIL_KAFKA__BOOTSTRAP_SERVERS": bed.cluster.proxied_bootstrap}
    recovered = []

    def fault(_: Fleet, traffic: Traffic) -> None:
        for begin, pause_s in faults:
            begin()
            time.sleep(pause_s)
            bed.proxy.heal()
            recovered.append(traffic.flows())

    try:
        found = _through(bed, size, fault, static=False, far=GATES[:1] if alone else GATES, extra=proxied)
    finally:
        bed.proxy.heal()
    return _with(found, {"all flows after healing, s": max(recovered)})


def _through(
    bed: Bed,
    size: Size,
    fault: Callable[[Fleet, Traffic], None],
    *,
    static: bool,
    restarts: bool = True,
    gates: Sequence[int] = GATES,
    far: Sequence[int] = (),
    extra: Mapping[str, str] | None = None,
    cast: Sequence[bytes] = CAST,
) -> Figures:
    """Runs gates and traffic, and the fault amid them. Those that are `far` have the `extra` environment."""
    settings = bed.deploy()
    with Fleet(settings, bed.folder, static=static, restarts=restarts) as fleet:
        fleet.start(*far, **extra or {})
        fleet.start(*[number for number in gates if number not in far])
        with Traffic(settings, rate=size.rate, least=size.least, cast=cast) as traffic:
            traffic.begin()
            fault(fleet, traffic)
        found = traffic.measure()
    exits = {f"exits with {code}": count for code, count in fleet.exits.items()}
    return _with(found, {"batches given back": len(fleet.told("batch given back")), **exits})


def _with(found: Figures, extra: Mapping[str, float]) -> Figures:
    return replace(found, extra={**found.extra, **extra})


def _stopped(stops: Sequence[tuple[int, float]]) -> dict[str, float]:
    """The worst exit code and time of all that were told to stop."""
    return {"exit code": max(code for code, _ in stops), "exit after, s": max(seconds for _, seconds in stops)}
