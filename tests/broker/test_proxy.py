"""The proxy carries what it is given, byte for byte, and fails exactly as it is told to."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.broker.cluster import free_ports
from tests.broker.proxy import END_TXN, Direction, Proxy

TIMEOUT_S = 10
PRODUCE = 0


class Echo(threading.Thread):
    """A broker of a few lines: answers each request with its correlation id and its own bytes, and keeps them."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self.port = port
        self.seen: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", port))

    def run(self) -> None:
        """Until it is closed."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def close(self) -> None:
        """Takes no more connections."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as stream:
            while head := stream.read(4):
                request = stream.read(int.from_bytes(head))
                self.seen.append(request)
                answer = request[4:8] + request
                connection.sendall(len(answer).to_bytes(4) + answer)


class Client:
    """One connection that sends requests and reads answers."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), TIMEOUT_S)
        self.socket.settimeout(TIMEOUT_S)
        self._stream = self.socket.makefile("rb")

    def ask(self, correlation: int, kind: int = PRODUCE, text: bytes = b"") -> None:
        """Sends a request."""
        request = struct.pack(">hhi", kind, 0, correlation) + text
        self.socket.sendall(len(request).to_bytes(4) + request)

    def answer(self) -> tuple[int, bytes]:
        """The next answer's correlation id and the text of its request. Raises EOFError where there is none."""
        head = self._stream.read(4)
        if not head:
            raise EOFError
        answer = self._stream.read(int.from_bytes(head))
        return int.from_bytes(answer[:4]), answer[12:]

    def silent(self, seconds: float) -> bool:
        """Whether nothing comes for so long, while the connection stays."""
        self.socket.settimeout(seconds)
        try:
            self.socket.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return True
        else:
            return False
        finally:
            self.socket.settimeout(TIMEOUT_S)

    def close(self) -> None:
        """Lets go."""
        self._stream.close()
        self.socket.close()


@pytest.fixture
def ports() -> list[int]:
    """The proxy's port and the broker's."""
    return free_ports(2)


@pytest.fixture
def echo(ports: list[int]) -> Iterator[Echo]:
    """The broker."""
    broker = Echo(ports[1])
    broker.start()
    with closing(broker):
        yield broker


@pytest.fixture
def proxy(ports: list[int], echo: Echo) -> Iterator[Proxy]:
    """The proxy before it."""
    with Proxy({ports[0]: echo.port}) as opened:
        yield opened


@pytest.mark.usefixtures("proxy")
def test_bytes_travel_unchanged(ports: list[int], echo: Echo) -> None:
    """Requests arrive as they were sent, large ones and empty ones, and so do their answers, in order."""
    texts = [b"", bytes(range(256)) * 10_000, b"end"]
    with closing(Client(ports[0])) as client:
        for index, text in enumerate(texts):
            client.ask(index, text=text)
        assert [client.answer() for _ in texts] == list(enumerate(texts))
    assert [request[8:] for request in echo.seen] == texts


def test_a_cut_resets_and_refuses(ports: list[int], proxy: Proxy) -> None:
    """A cut ends what is open and lets nobody in; after healing, a new connection works."""
    with closing(Client(ports[0])) as client:
        client.ask(1)
        client.answer()
        proxy.cut()
        with pytest.raises((EOFError, OSError)):
            client.answer()
    with pytest.raises(OSError, match="refused"):
        Client(ports[0])
    proxy.heal()
    with closing(Client(ports[0])) as client:
        client.ask(2)
        assert client.answer()[0] == 2


@pytest.mark.parametrize("direction", list(Direction))
def test_one_direction_is_held(ports: list[int], proxy: Proxy, echo: Echo, direction: Direction) -> None:
    """Where one direction is held nobody is told, requests arrive or not, and all comes once that is over."""
    with closing(Client(ports[0])) as client:
        client.ask(1)
        client.answer()
        proxy.hold(direction)
        client.ask(2)
        assert client.silent(0.2)
        assert len(echo.seen) == (1 if direction is Direction.REQUESTS else 2)
        proxy.heal()
        assert client.answer()[0] == 2


def test_forgotten_connections_carry_nothing(ports: list[int], proxy: Proxy, echo: Echo) -> None:
    """What was open is silent for ever, whatever is sent; a new connection works."""
    with closing(Client(ports[0])) as old:
        old.ask(1)
        old.answer()
        proxy.forget()
        old.ask(2)
        assert old.silent(0.2)
        with closing(Client(ports[0])) as new:
            new.ask(3)
            assert new.answer()[0] == 3
        assert old.silent(0.2)
        assert len(echo.seen) == 2


def test_what_a_client_sent_before_it_left_arrives(ports: list[int], proxy: Proxy, echo: Echo) -> None:
    """A request that is held arrives after healing although its sender has given up: the zombie of a lost network."""
    with closing(Client(ports[0])) as client:
        client.ask(1)
        client.answer()
        proxy.hold(*Direction)
        client.ask(2)
        time.sleep(0.2)  # as long as the proxy needs to read it; too short would fail the assertion below
    proxy.heal()
    until = time.monotonic() + TIMEOUT_S
    while len(echo.seen) < 2:
        assert time.monotonic() < until, "the held request never arrived"
        time.sleep(0.01)


def test_latency_keeps_the_order(ports: list[int], proxy: Proxy) -> None:
    """With latency and jitter each round trip takes its time, and nothing overtakes."""
    proxy.slow(0.2, 0.15)
    with closing(Client(ports[0])) as client:
        started = time.monotonic()
        for index in range(20):
            client.ask(index)
        assert [client.answer()[0] for _ in range(20)] == list(range(20))
        assert time.monotonic() - started >= 0.05


def test_one_kind_of_answer_is_late(ports: list[int], proxy: Proxy, echo: Echo) -> None:
    """An answer of the named kind is late although its request isn't; other answers come at once."""
    proxy.slow_answers(END_TXN, 0.4)
    with closing(Client(ports[0])) as client:
        started = time.monotonic()
        client.ask(1, PRODUCE)
        client.answer()
        assert time.monotonic() - started < 0.4
        started = time.monotonic()
        client.ask(2, END_TXN)
        assert client.silent(0.2)
        assert len(echo.seen) == 2
        assert client.answer()[0] == 2
        assert time.monotonic() - started >= 0.4


def test_a_broker_that_is_down_looks_down(ports: list[int]) -> None:
    """A client of a broker that nobody runs sees its connection end, as without a proxy."""
    with Proxy({ports[0]: ports[1]}), closing(Client(ports[0])) as client, pytest.raises((EOFError, OSError)):
        client.answer()
