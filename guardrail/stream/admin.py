"""The admin port: /livez /readyz /metrics /policy. It must never make the loop wait, nor show a user's text.

A daemon thread of its own: a probe is answered while a batch is judged or a broker is away.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from guardrail.errors import SettingsError
from guardrail.settings import AdminSettings, variable
from guardrail.stream.health import Health

TEXT = "text/plain; charset=utf-8"
METRICS = "text/plain; version=0.0.4; charset=utf-8"
JSON = "application/json"

END_S = 0.1
"""Between two looks whether to end: SIGTERM waits for it."""
REQUEST_S = 5
"""A client that stops talking is let go."""

Answer = tuple[HTTPStatus, str, bytes]
Pages = Mapping[str, Callable[[], Answer]]
"""A page's path, and what makes it."""


class Admin:
    """Serves while it is entered."""

    def __init__(self, settings: AdminSettings, pages: Pages) -> None:
        """Raises SettingsError for a port in use."""
        self._pages = pages
        try:
            self._server = Server((settings.host, settings.port), _serving(self.answer))
        except OSError as failure:
            raise SettingsError(f"{variable('admin', 'port')}: {settings.host}:{settings.port}: {failure}") from None
        self.port = int(self._server.server_address[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(END_S,), name="admin", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> Answer:
        """What a GET of this path gets."""
        page = self._pages.get(path.partition("?")[0])
        return page() if page else (HTTPStatus.NOT_FOUND, TEXT, "\n".join(self._pages).encode() + b"\n")


class Server(ThreadingHTTPServer):
    """Threads die with the process."""

    daemon_threads = True


def gate_pages(health: Health, metrics: Callable[[], bytes], policies: Callable[[], dict[str, Any]]) -> Pages:
    """One gate's pages: `metrics` gives Prometheus's text, `policies` what /policy shows."""
    return pages(
        lambda: probed(health.alive, f"loop turned {health.age_s:.1f} s ago"),
        lambda: probed(health.ready, health.reason),
        metrics,
        policies,
    )


def pages(
    livez: Callable[[], Answer],
    readyz: Callable[[], Answer],
    metrics: Callable[[], bytes],
    policies: Callable[[], dict[str, Any]],
) -> Pages:
    """The pages that every admin port has."""
    return {
        "/livez": livez,
        "/healthz": livez,
        "/readyz": readyz,
        "/metrics": lambda: (HTTPStatus.OK, METRICS, metrics()),
        "/policy": lambda: (HTTPStatus.OK, JSON, json.dumps(policies(), indent=2).encode()),
    }


def probed(fine: bool, text: str) -> Answer:
    """A probe's answer: the status is what a kubelet reads, the text is for people."""
    return HTTPStatus.OK if fine else HTTPStatus.SERVICE_UNAVAILABLE, TEXT, f"{text}\n".encode()


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
