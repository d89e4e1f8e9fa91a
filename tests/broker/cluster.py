"""Real Apache Kafka in KRaft mode for tests: one node, or three, on loopback.

It must never outlive the tests: every node has its own process group, which dies with the cluster, at exit, and with
the process that started it, however that one ends.
"""

import atexit
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from base64 import urlsafe_b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Self

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

HERE = Path(__file__).resolve().parent
LIBS = HERE.parents[1] / ".tools" / "kafka" / "libs"

START_TIMEOUT_S = 90  # a cold start takes 3-5 s; a machine busy with other work may need many times that
LOG_TAIL_LINES = 60  # enough for Kafka's own error and the stack under it
# Above the well-known ports and below Linux's ephemeral range: no outgoing connection can take one of these meanwhile.
PORTS = range(20_000, 32_000)

# A test's broker lives a minute: small heap, the cheap collector, and no time spent on the optimising compiler.
JVM = ("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def missing() -> str | None:
    """What keeps a broker from starting on this machine, and how to get it; None when nothing does."""
    if shutil.which("java") is None:
        return "no `java` on PATH: install a Java runtime, 17 or newer, then run `make tools`"
    if not any(LIBS.glob("kafka_2.13-*.jar")):
        return f"no Kafka jars in {LIBS}: run `make tools` (it needs `mvn`, and fetches them once)"
    return None


def free_ports(count: int) -> list[int]:
    """`count` loopback ports that nothing listens on."""
    found: list[int] = []
    for port in random.sample(PORTS, k=len(PORTS)):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                found.append(port)
        if len(found) == count:
            return found
    raise OSError("no free port on loopback")


class Cluster:
    """One or three combined broker and controller nodes, numbered from 1. Enter it, use `bootstrap`, leave it.

    Start it from a thread that lives as long as the cluster: where Linux's `setpriv` is at hand, the nodes are killed
    when that thread ends.
    """

    jvm = JVM
    """A subclass may want more."""

    def __init__(self, nodes: int = 1, *, proxied: bool = False, **settings: str | int) -> None:
        """`settings` are broker settings with `_` for `.`, over those a test wants by default.

        `proxied`: brokers have a second listener, which they advertise under the ports of a proxy's (`routes`).
        """
        if nodes not in (1, 3):
            raise ValueError("a cluster has 1 or 3 nodes")
        self.nodes = range(1, nodes + 1)
        taken = iter(free_ports(4 * nodes))
        self._ports, self._quorum, self._inner, self._outer = (
            dict(zip(self.nodes, taken, strict=False)) for _ in range(4)
        )
        self._proxied = proxied
        self._settings = {name.replace("_", "."): value for name, value in settings.items()}
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._folder: Path | None = None

    @property
    def bootstrap(self) -> str:
        """The address list of every node, dead ones too."""
        return ",".join(f"127.0.0.1:{port}" for port in self._ports.values())

    @property
    def proxied_bootstrap(self) -> str:
        """The same by way of the proxy: a client that begins there never leaves it."""
        return ",".join(f"127.0.0.1:{port}" for port in self._outer.values())

    @property
    def routes(self) -> dict[int, int]:
        """The ports that a proxy has to listen on, and where it has to connect to."""
        return dict(zip(self._outer.values(), self._inner.values(), strict=True))

    @property
    def controllers(self) -> dict[int, tuple[str, int]]:
        """Where each node listens as a controller."""
        return {node: ("127.0.0.1", port) for node, port in self._quorum.items()}

    @property
    def alive(self) -> list[int]:
        """The nodes whose process runs."""
        return sorted(node for node, process in self._processes.items() if process.poll() is None)

    def __enter__(self) -> Self:
        if reason := missing():
            raise RuntimeError(reason)
        self._folder = Path(tempfile.mkdtemp(prefix="guardrail-kafka-"))
        atexit.register(self.stop)
        try:
            self._format()
            for node in self.nodes:
                self._launch(node)
            self.wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def kill(self, node: int) -> None:
        """SIGKILL: the node is gone at once, its partitions' leadership with it."""
        self._end(node, signal.SIGKILL)

    def close(self, node: int) -> None:
        """SIGTERM: the node hands its leaderships over and ends."""
        self._end(node, signal.SIGTERM)

    def start(self, node: int) -> None:
        """Starts a killed or closed node again, on its old port and data, and waits until it has joined."""
        if node in self.alive:
            raise ValueError(f"node {node} runs already")
        self._launch(node)
        self.wait()

    def stop(self) -> None:
        """Kills every node and removes data and logs. Twice does no harm."""
        for node in self.alive:
            self.kill(node)
        self._processes.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
        atexit.unregister(self.stop)

    def wait(self, timeout_s: float = START_TIMEOUT_S) -> None:
        """Returns once every running node takes part. Raises RuntimeError, with the log's tail, when one doesn't."""
        expected, deadline = self.alive, time.monotonic() + timeout_s
        for node in expected:
            while not self._answers(node, expected):
                if node not in self.alive or time.monotonic() > deadline:
                    raise RuntimeError(f"node {node} did not start:\n{self.log_tail(node)}")
                time.sleep(0.05)

    def _answers(self, node: int, expected: list[int]) -> bool:
        """Whether this node serves requests and knows the expected nodes: asked itself, since the others remember a
        killed node for seconds."""
        address = ("127.0.0.1", self._ports[node])
        with socket.socket() as probe:
            if probe.connect_ex(address) != 0:
                return False
        admin = AdminClient({"bootstrap.servers": "{}:{}".format(*address), "log_level": 0})
        try:
            return set(admin.list_topics(timeout=5).brokers) >= set(expected)
        except KafkaException:  # it listens before it answers
            return False

    def log_tail(self, node: int) -> str:
        """The last lines that the node, or the formatting of its storage, printed."""
        log = self._home(node) / "log"
        return "\n".join(log.read_text(errors="replace").splitlines()[-LOG_TAIL_LINES:]) if log.exists() else "(no log)"

    def _home(self, node: int) -> Path:
        if self._folder is None:
            raise RuntimeError("the cluster is not running: enter it first")
        return self._folder / f"node-{node}"

    def _format(self) -> None:
        """Writes each node's settings and formats its storage, all nodes at once: each takes a JVM's start."""
        identity = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")

        def format_node(node: int) -> None:
            self._home(node).mkdir()
            properties = self._home(node) / "server.properties"
            properties.write_text("".join(f"{k}={v}\n" for k, v in self._properties(node).items()))
            self._java(node, "kafka.tools.StorageTool", "format", f"--cluster-id={identity}", f"--config={properties}")
            if self._processes[node].wait(START_TIMEOUT_S) != 0:
                raise RuntimeError(f"storage of node {node} could not be formatted:\n{self.log_tail(node)}")

        with ThreadPoolExecutor(len(self.nodes)) as pool:
            list(pool.map(format_node, self.nodes))

    def _launch(self, node: int) -> None:
        self._java(node, "kafka.Kafka", str(self._home(node) / "server.properties"))

    def _java(self, node: int, main: str, *arguments: str) -> None:
        """Starts a Java program as the node's process, in a process group of its own."""
        java = ["java", *self.jvm, f"-Dlog4j2.configurationFile={HERE / 'log4j2.properties'}", "-cp", f"{LIBS}/*", main]
        pin = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
        with (self._home(node) / "log").open("ab") as log:
            self._processes[node] = subprocess.Popen(
                [*pin, *java, *arguments],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def _end(self, node: int, how: signal.Signals) -> None:
        process = self._processes[node]
        if process.poll() is None:
            os.killpg(process.pid, how)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _properties(self, node: int) -> dict[str, str | int]:
        copies = len(self.nodes)
        listening = {"PLAINTEXT": self._ports[node], "CONTROLLER": self._quorum[node]}
        advertised = {"PLAINTEXT": self._ports[node]}
        if self._proxied:
            listening["PROXIED"], advertised["PROXIED"] = self._inner[node], self._outer[node]
        return {
            "node.id": node,
            "process.roles": "broker,controller",
            "listeners": ",".join(f"{name}://127.0.0.1:{port}" for name, port in listening.items()),
            "advertised.listeners": ",".join(f"{name}://127.0.0.1:{port}" for name, port in advertised.items()),
            "listener.security.protocol.map": ",".join(f"{name}:PLAINTEXT" for name in listening),
            "inter.broker.listener.name": "PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": ",".join(f"{n}@127.0.0.1:{port}" for n, port in self._quorum.items()),
            "log.dirs": str(self._home(node) / "data"),
            "auto.create.topics.enable": "false",
            "default.replication.factor": copies,
            "min.insync.replicas": (copies + 1) // 2,
            "offsets.topic.replication.factor": copies,
            "offsets.topic.num.partitions": 4,
            "transaction.state.log.replication.factor": copies,
            "transaction.state.log.min.isr": (copies + 1) // 2,
            "transaction.state.log.num.partitions": 4,
            "transaction.abort.timed.out.transaction.cleanup.interval.ms": 1000,
            "group.initial.rebalance.delay.ms": 0,
            "log.cleaner.dedupe.buffer.size": 4 << 20,  # its default takes a quarter of this heap
            **self._settings,
        }
