"""The sidecar as a process: signals in, an exit code out. It must never decide anything about a record."""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType

from guardrail.errors import FencedError, TransientError
from guardrail.judge.policy import Policies
from guardrail.settings import Settings
from guardrail.stream.admin import Admin, policy_page
from guardrail.stream.faults import BrokerError, OwnError, UnreadDataError
from guardrail.stream.worker import Gate
from guardrail.telemetry.report import Report
from guardrail.telemetry.setup import Tracing

LOG = logging.getLogger("guardrail.stream")

# sysexits.h: what a supervisor may make of it
EXIT_OK = 0
EXIT_OWN_ERRORS = 70  # EX_SOFTWARE: this build can't judge
EXIT_UNREAD_GONE = 74  # EX_IOERR: unread records were deleted; a person has to look
EXIT_BROKER = 75  # EX_TEMPFAIL: try again later
EXIT_FENCED = 76  # EX_PROTOCOL: another instance has our place

_EXITS = {
    OwnError: EXIT_OWN_ERRORS,
    UnreadDataError: EXIT_UNREAD_GONE,
    BrokerError: EXIT_BROKER,
    TransientError: EXIT_BROKER,
    FencedError: EXIT_FENCED,
}


def run(settings: Settings, policies: Policies, *, gate: Gate | None = None, tracing: Tracing | None = None) -> int:
    """Runs the gate until SIGTERM or SIGINT and gives its exit code.

    Raises SettingsError for what a deployment has to mend: properties, a port in use, a topic too narrow.
    """
    report = Report(policies, tracing or Tracing.from_environment())
    gate = gate or Gate(settings, policies, report=report)
    loaded_at = datetime.now(UTC).isoformat(timespec="seconds")
    page = policy_page(policies, loaded_at)
    with _stopped_by_signals(gate), Admin(settings.admin, gate.health, gate.report.text, lambda: page) as admin:
        LOG.info("started", extra={"agents": sorted(policies), "admin_port": admin.port, "group": settings.gate.group})
        try:
            gate.run()
        except tuple(_EXITS) as failure:
            LOG.critical("stopped", extra={"error": type(failure).__name__, "reason": str(failure)})
            return _EXITS.get(type(failure), EXIT_BROKER)
        finally:
            gate.report.close()
    LOG.info("stopped", extra={"reason": "asked to"})
    return EXIT_OK


@contextmanager
def _stopped_by_signals(gate: Gate) -> Iterator[None]:
    """SIGTERM and SIGINT end the loop while this is entered."""

    def stop(number: int, _: FrameType | None) -> None:
        LOG.info("stopping", extra={"signal": signal.Signals(number).name})
        gate.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
