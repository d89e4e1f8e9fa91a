"""The admin port: /livez /readyz /metrics /policy. It must never make the loop wait, nor show a user's text.

A daemon thread of its own: a probe is answered while a batch is judged or a broker is away.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from guardrail.errors import SettingsError
from guardrail.settings import AdminSettings, variable
from guardrail.stream.health import Health

TEXT = "text/plain; charset=utf-8"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
JSON = "application/json"

REQUEST_S = 5
"""A client that stops talking is let go."""

Answer = tuple[HTTPStatus, str, bytes]


class Admin:
    """Serves while it is entered."""

    def __init__(
        self,
        settings: AdminSettings,
        health: Health,
        metrics: Callable[[], bytes],
        policies: Callable[[], dict[str, Any]],
    ) -> None:
        """`metrics` gives Prometheus's text, `policies` what /policy shows. Raises SettingsError for a port in use."""
        self._health = health
        self._pages: dict[str, Callable[[], Answer]] = {
            "/livez": self._livez,
            "/healthz": self._livez,
            "/readyz": self._readyz,
            "/metrics": lambda: (HTTPStatus.OK, METRICS, metrics()),
            "/policy": lambda: (HTTPStatus.OK, JSON, json.dumps(policies(), indent=2).encode()),
        }
        try:
            self._server = Server((settings.host, settings.port), _serving(self.answer))
        except OSError as failure:
            raise SettingsError(f"{variable('admin', 'port')}: {settings.host}:{settings.port}: {failure}") from None
        self.port = int(self._server.server_address[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, name="admin", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> Answer:
        """What a GET of this path gets."""
        page = self._pages.get(path.partition("?")[0])
        return page() if page else (HTTPStatus.NOT_FOUND, TEXT, "\n".join(self._pages).encode() + b"\n")

    def _livez(self) -> Answer:
        status = HTTPStatus.OK if self._health.alive else HTTPStatus.SERVICE_UNAVAILABLE
        return status, TEXT, f"loop turned {self._health.age_s:.1f} s ago\n".encode()

    def _readyz(self) -> Answer:
        status = HTTPStatus.OK if self._health.ready else HTTPStatus.SERVICE_UNAVAILABLE
        return status, TEXT, f"{self._health.reason}\n".encode()


class Server(ThreadingHTTPServer):
    """Threads die with the process."""

    daemon_threads = True


def _serving(answer: Callable[[str], Answer]) -> type[BaseHTTPRequestHandler]:
    class Served(BaseHTTPRequestHandler):
        """Answers GET and HEAD; logs nothing: probes come every few seconds."""

        timeout = REQUEST_S
        server_version = "guardrail"

        def do_GET(self) -> None:  # the standard library's name
            """The page."""
            status, kind, body = answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815  # the standard library's name

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the standard library's name
            """Nothing."""

    return Served
