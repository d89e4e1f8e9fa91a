"""The admin port answers by the loop's heartbeat, whatever Kafka does."""

import json
import time
from http import HTTPStatus
from http.client import HTTPConnection

import pytest

from guardrail.errors import SettingsError
from guardrail.settings import AdminSettings, BreakerSettings
from guardrail.stream.admin import Admin, gate_pages
from guardrail.stream.force import InForce
from guardrail.stream.health import Health
from guardrail.stream.wanted import Wanted
from tests.scoring import policies

LOCAL = AdminSettings(host="127.0.0.1", port=0)


def admin(health: Health) -> Admin:
    """An admin port with pages of its own."""
    fixed = Wanted(policies())
    force = InForce(lambda: fixed, BreakerSettings())
    force.turn(0)
    return Admin(LOCAL, gate_pages(health, lambda: b"metrics 1\n", force.shown))


def page(port: int, path: str) -> bytes:
    """What a GET gets."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", path)
    body = connection.getresponse().read()
    connection.close()
    return body


def test_alive_while_the_loop_turns() -> None:
    """/livez and its alias say so while the loop beats, and the opposite once it has stalled."""
    health = Health(stalled_s=0.2)
    with admin(health) as port:
        health.beat()
        assert port.answer("/livez")[0] is port.answer("/healthz?x=1")[0] is HTTPStatus.OK
        time.sleep(0.3)
        assert port.answer("/livez")[0] is HTTPStatus.SERVICE_UNAVAILABLE
        assert b"stalled" in port.answer("/readyz")[2]


def test_ready_when_records_get_through() -> None:
    """/readyz wants partitions and a commit that went well, and says what is missing."""
    health = Health(stalled_s=60)
    with admin(health) as port:
        assert port.answer("/readyz") == (HTTPStatus.SERVICE_UNAVAILABLE, "text/plain; charset=utf-8", b"starting\n")
        health.failing = None
        assert port.answer("/readyz")[2] == b"not in the group\n"
        health.joined = True
        assert port.answer("/readyz")[::2] == (HTTPStatus.OK, b"ok\n")
        health.failing = "commit: _TIMED_OUT"
        assert port.answer("/readyz")[::2] == (HTTPStatus.SERVICE_UNAVAILABLE, b"commit: _TIMED_OUT\n")
        health.committed()
        assert health.ready


def test_pages_over_http() -> None:
    """Metrics and policies are served on the port; an unknown path names those there are."""
    with admin(Health(60)) as port:
        metrics, policy = (page(port.port, path) for path in ("/metrics", "/policy"))
        assert metrics == b"metrics 1\n"
        shown = json.loads(policy)
        assert shown["agents"]["clinic-en"]["revision"] == policies()["clinic-en"].revision
        assert shown["agents"]["clinic-en"]["since"] == "1970-01-01T00:00:00+00:00"
        assert port.answer("/nowhere")[0] is HTTPStatus.NOT_FOUND


def test_a_port_in_use_is_a_setting() -> None:
    """A port that somebody has is told by the variable that names it."""
    with admin(Health(60)) as port, pytest.raises(SettingsError, match="GUARDRAIL_ADMIN__PORT"):
        Admin(LOCAL.model_copy(update={"port": port.port}), {})
