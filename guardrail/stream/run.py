"""The sidecar as a process: signals in, an exit code out. It must never decide anything about a record."""

from __future__ import annotations

import gc
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType

from guardrail.backtracker import Backtracker
from guardrail.errors import FencedError, GuardrailError, TransientError
from guardrail.judge.decide import judge, prepare
from guardrail.judge.policy import Policies
from guardrail.scorers import load_scorers
from guardrail.settings import Settings
from guardrail.stream.admin import Admin, gate_pages
from guardrail.stream.faults import BrokerError, OwnError, UnreadDataError
from guardrail.stream.judging import frames
from guardrail.stream.lifecycle import Lifecycle, Texts
from guardrail.stream.worker import Gate
from guardrail.telemetry.report import Report
from guardrail.telemetry.setup import Tracing

LOG = logging.getLogger("guardrail.stream")

# sysexits.h: what a supervisor may make of it
EXIT_OK = 0
EXIT_OWN_ERRORS = 70  # EX_SOFTWARE: this build can't judge, or broke
EXIT_UNREAD_GONE = 74  # EX_IOERR: unread records were deleted; a person has to look
EXIT_BROKER = 75  # EX_TEMPFAIL: try again later
EXIT_FENCED = 76  # EX_PROTOCOL: another instance has our place

STOP_S = 4.0
"""From SIGTERM until a gate that doesn't end is abandoned. Spans get 3 s more, the thread that follows policies 1 s."""

COLLECT_EVERY = (50_000, 20, 50)
"""Allocations until a young collection, then such collections until an older one."""

_EXITS = {
    OwnError: EXIT_OWN_ERRORS,
    UnreadDataError: EXIT_UNREAD_GONE,
    BrokerError: EXIT_BROKER,
    TransientError: EXIT_BROKER,
    FencedError: EXIT_FENCED,
}


def run(
    settings: Settings,
    policies: Policies,
    *,
    tracing: Tracing | None = None,
    serving: Callable[[int], object] = lambda _: None,
    following: Callable[[Texts], object] = lambda _: None,
) -> int:
    """Runs the gate until SIGTERM or SIGINT and gives its exit code. `serving` is told the admin port, `following` what
    policy files hold that have changed.

    Raises PolicyError for a scorer that isn't installed as a policy pins it, SettingsError for what a deployment has to
    mend: properties, a port in use, a topic too narrow. A bug of ours is told by its class and place alone.
    """
    scorers = dict(load_scorers(policies))
    report = Report(policies, tracing or Tracing.from_environment())
    last_tier = Backtracker()
    lent = partial(judge, last_tier=last_tier, scorers=scorers)

    def ready(changed: Policies) -> None:
        scorers.update(load_scorers(changed, scorers))
        prepare(changed)

    prepare(policies)  # before it has partitions, whose records would wait
    lifecycle = Lifecycle(settings, policies, ready, following)
    gate = Gate(settings, policies, judge=lent, report=report, lifecycle=lifecycle)
    _spare_the_collector()
    loop, pages = Loop(gate), gate_pages(gate.health, report.text, gate.force.shown)
    with last_tier, lifecycle, on_signal(loop.stop), Admin(settings.admin, pages) as admin:
        LOG.info("started", extra={"agents": sorted(policies), "admin_port": admin.port, "group": settings.gate.group})
        serving(admin.port)
        failure = loop.run()
        report.close()
    if isinstance(failure, tuple(_EXITS)):
        LOG.critical("stopped", extra={"error": type(failure).__name__, "reason": str(failure)})
        return next(code for kind, code in _EXITS.items() if isinstance(failure, kind))
    if isinstance(failure, Exception) and not isinstance(failure, GuardrailError):  # its message may quote a record
        LOG.critical("stopped", extra={"error": type(failure).__name__, "frames": frames(failure)})
        return EXIT_OWN_ERRORS
    if failure is not None:
        raise failure
    LOG.info("stopped", extra={"reason": "asked to"})
    return EXIT_OK


@contextmanager
def on_signal(stop: Callable[[], None]) -> Iterator[None]:
    """Calls `stop` for SIGTERM and SIGINT, in the main thread, wherever that is just then."""

    def told(number: int, _: FrameType | None) -> None:
        stop()
        LOG.info("stopping", extra={"signal": signal.Signals(number).name})

    before = {number: signal.signal(number, told) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, heard in before.items():
            signal.signal(number, heard)


def _spare_the_collector() -> None:
    """A batch makes many short-lived values and no cycles: looking for some every 700 costs a third of the loop.

    Measured on 60,000 records without checks: 32 us each before, 22 after.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_EVERY)


class Loop:
    """The gate in a thread of its own, while the main thread listens to signals.

    librdkafka 2.16 may hold a call far beyond its timeout when brokers are gone (`send_offsets_to_transaction`), and
    Python runs no signal handler meanwhile: in the main thread, SIGTERM would go unheard.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._ended = threading.Event()
        self._told_s: float | None = None
        self._failure: BaseException | None = None

    def stop(self) -> None:
        """Tells the gate to end. A signal handler may call it."""
        self._gate.stop()
        self._told_s = self._told_s or time.monotonic()

    def run(self) -> BaseException | None:
        """Returns when the gate has ended, or STOP_S after it was told to; gives what ended it, if it wasn't told."""
        threading.Thread(target=self._turn, name="gate", daemon=True).start()
        while not self._ended.wait(0.2):
            if self._told_s is not None and time.monotonic() - self._told_s > STOP_S:
                LOG.error(
                    "abandoned", extra={"reason": "the brokers hold the last batch: it comes whole or not at all"}
                )
                break
        return self._failure

    def _turn(self) -> None:
        try:
            self._gate.run()
        except BaseException as failure:  # noqa: BLE001  # the main thread decides what it means
            self._failure = failure
        finally:
            self._ended.set()
