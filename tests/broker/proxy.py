"""A TCP proxy between clients and brokers that can be told to fail. It must never change a byte of what it carries.

It knows as much of Kafka's protocol as faults need: where a frame ends, and which kind of request an answer belongs to
(https://kafka.apache.org/protocol: a request begins with its kind, version and correlation id, an answer with the id).
"""

import asyncio
import random
import struct
import threading
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

HOST = "127.0.0.1"
END_TXN = 26
"""The kind of request that commits or aborts a transaction."""
FRAMES_MAX = 256
"""What one connection holds back in each direction; more than that waits at the sender, as for a full socket."""
CALL_S = 10


class Direction(StrEnum):
    """Which way bytes go."""

    REQUESTS = "requests"
    ANSWERS = "answers"


@dataclass(slots=True)
class _Faults:
    """What is wrong with the network now."""

    latency_s: tuple[float, float] = (0.0, 0.0)
    answers_s: dict[int, float] = field(default_factory=dict)

    def delay_s(self, direction: Direction, kind: int | None) -> float:
        """How long a frame is on its way; half of the latency lies in each direction."""
        low, high = self.latency_s
        extra = self.answers_s.get(kind, 0.0) if kind is not None and direction is Direction.ANSWERS else 0.0
        return random.uniform(low, high) / 2 + extra  # noqa: S311  # its dice needn't be safe


@dataclass(eq=False, slots=True)
class _Pair:
    """A client's connection and ours to the broker; the kinds of the requests that have no answer yet."""

    client: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    broker: tuple[asyncio.StreamReader, asyncio.StreamWriter]
    asked: dict[int, int] = field(default_factory=dict)
    lost: bool = False

    def kind(self, direction: Direction, frame: bytes) -> int | None:
        """The kind of request that a frame is, or answers."""
        if direction is Direction.REQUESTS:
            kind, _, correlation = struct.unpack_from(">hhi", frame, 4)
            self.asked[correlation] = kind
            return int(kind)
        return self.asked.pop(struct.unpack_from(">i", frame, 4)[0], None)


class Proxy:
    """Carries frames while it is entered. Faults hold for all its connections, from the call until `heal`."""

    def __init__(self, routes: Mapping[int, int]) -> None:
        """`routes`: the port that clients connect to, and the broker's own."""
        self._routes = dict(routes)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._pairs: set[_Pair] = set()
        self._faults = _Faults()
        self._flows: dict[Direction, asyncio.Event] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        self._call(self._open())
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_S)
        self._loop.close()

    def cut(self) -> None:
        """Every connection is reset, with what was on its way, and none is taken any more."""
        self._call(self._close())

    def hold(self, *directions: Direction) -> None:
        """Nothing flows in these directions, and nobody is told: connections stay, new ones are taken.

        As on a network that loses packets, what was sent meanwhile arrives after `heal`.
        """
        self._call(self._set(self._faults, set(directions)))

    def forget(self) -> None:
        """What is open now carries nothing any more, for ever, and nobody is told; new connections work.

        As behind a router that has lost its table.
        """
        self._call(self._lose())

    def slow(self, seconds: float, jitter_s: float = 0.0) -> None:
        """A round trip takes so long, more or less; the order stays."""
        self._call(self._set(_Faults(latency_s=(seconds - jitter_s, seconds + jitter_s)), set()))

    def slow_answers(self, kind: int, seconds: float) -> None:
        """Answers to this kind of request take so long, and those behind them wait."""
        self._call(self._set(_Faults(answers_s={kind: seconds}), set()))

    def heal(self) -> None:
        """All is well for what comes from now on; a delay that has begun is waited for."""
        self._call(self._open())

    def _call(self, doing: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(doing, self._loop).result(CALL_S)

    async def _open(self) -> None:
        self._flows = self._flows or {direction: asyncio.Event() for direction in Direction}
        await self._set(_Faults(), set())
        if not self._servers:
            self._servers = [
                await asyncio.start_server(self._serving(target), HOST, port) for port, target in self._routes.items()
            ]

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _lose(self) -> None:
        for pair in self._pairs:
            pair.lost = True

    async def _set(self, faults: _Faults, held: set[Direction]) -> None:
        self._faults = faults
        for direction, flows in self._flows.items():
            if direction in held:
                flows.clear()
            else:
                flows.set()

    def _serving(self, target: int) -> Any:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._tasks.add(task)
            try:
                await self._connect((reader, writer), target)
            except (asyncio.CancelledError, OSError):  # cut, or the broker is down: the client sees it as a reset
                pass
            finally:
                self._tasks.discard(task)
                writer.transport.abort()

        return serve

    async def _connect(self, client: tuple[asyncio.StreamReader, asyncio.StreamWriter], target: int) -> None:
        pair = _Pair(client, await asyncio.open_connection(HOST, target))
        self._pairs.add(pair)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(self._carry(pair, Direction.REQUESTS))
                both.create_task(self._carry(pair, Direction.ANSWERS))
        finally:
            self._pairs.discard(pair)
            pair.broker[1].transport.abort()

    async def _carry(self, pair: _Pair, direction: Direction) -> None:
        """One direction of one connection, until its sender or its receiver is gone and all has been delivered."""
        sender, receiver = (pair.client, pair.broker)[:: 1 if direction is Direction.REQUESTS else -1]
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(FRAMES_MAX)
        reading = asyncio.create_task(self._read(pair, direction, sender[0], queue))
        try:
            while (due := await queue.get())[1]:
                await asyncio.sleep(due[0] - self._loop.time())
                await self._flows[direction].wait()
                if pair.lost:
                    continue
                receiver[1].write(due[1])
                await receiver[1].drain()
            if receiver[1].can_write_eof() and not receiver[1].is_closing():
                receiver[1].write_eof()
        except OSError:
            receiver[1].transport.abort()
        finally:
            reading.cancel()

    async def _read(
        self,
        pair: _Pair,
        direction: Direction,
        reader: asyncio.StreamReader,
        queue: asyncio.Queue[tuple[float, bytes]],
    ) -> None:
        """Queues frames with the time when each is due; an empty one at the end."""
        due_s = 0.0
        try:
            while True:
                head = await reader.readexactly(4)
                frame = head + await reader.readexactly(int.from_bytes(head))
                delay_s = self._faults.delay_s(direction, pair.kind(direction, frame))
                due_s = max(due_s, self._loop.time() + delay_s)
                await queue.put((due_s, frame))
        except (asyncio.IncompleteReadError, OSError):
            await queue.put((due_s, b""))
