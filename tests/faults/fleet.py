"""Gates as processes, started again when they end by themselves, as a supervisor would. None must outlive its test."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from guardrail.settings import InstanceSettings, Settings
from tests.stream.deployment import GateProcess, gate_process, wait_until

START_S = 180
"""Until a gate has something to read: starting takes a second of CPU, which a machine that is busy may not have."""
LOOK_S = 0.1
"""Between two looks at who has ended."""


class Fleet:
    """So many gates, numbered from 0, while it is entered."""

    def __init__(self, settings: Settings, folder: Path, *, static: bool, restarts: bool = True) -> None:
        """`static`: each has its number for an ordinal, and comes back as the same member."""
        self._settings, self._folder = settings, folder
        self._static, self._restarts = static, restarts
        self._extra: dict[int, dict[str, str]] = {}
        self._stack = ExitStack()
        self._gates: dict[int, GateProcess] = {}
        self._all: list[GateProcess] = []
        self._lock = threading.RLock()
        self._closing = threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self.exits: Counter[int] = Counter()
        """The exit codes of those that ended by themselves."""

    def __enter__(self) -> Self:
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._watching.join()
        for number in self.numbers:
            self.signal(number, signal.SIGCONT)
        self._stack.close()

    @property
    def numbers(self) -> list[int]:
        """The gates that are meant to run."""
        return sorted(self._gates)

    def pid(self, number: int) -> int:
        """The process of one."""
        return self._gates[number].process.pid

    def start(self, *numbers: int, **extra: str) -> None:
        """Starts these, now and later with more environment, and waits until each has something to read. One that ends
        meanwhile comes back, where they do: brokers that aren't ready for it are no reason to stay away."""
        self._extra |= dict.fromkeys(numbers, extra)
        started = {number: self._launch(number) for number in numbers}
        for number, gate in started.items():
            wait_until(lambda number=number, gate=gate: self._assigned(number, gate), f"assigned: {gate.log}", START_S)

    def double(self, number: int) -> None:
        """Starts another with this one's name, as the last of all."""
        with self._lock:
            self._launch(max(self._gates) + 1, name=number)

    def kill(self, number: int) -> None:
        """SIGKILL; it is started again at once."""
        with self._lock:
            gate = self._gates[number]
            gate.process.kill()
            gate.process.wait()
            self._launch(number)

    def stop(self, number: int) -> tuple[int, float]:
        """SIGTERM; it isn't started again. Its exit code and the seconds it took."""
        with self._lock:
            gate = self._gates.pop(number)
        return gate.stop()

    def signal(self, number: int, what: signal.Signals) -> None:
        """Sends a signal to one."""
        with self._lock:
            self._gates[number].process.send_signal(what)

    def told(self, event: str) -> list[dict[str, Any]]:
        """The log lines with this message, of all that ever ran."""
        return [line for gate in self._all for line in gate.told(event)]

    def _launch(self, number: int, name: int | None = None) -> GateProcess:
        instance = (
            InstanceSettings(identity="ordinal", ordinal=number if name is None else name)
            if self._static
            else InstanceSettings(identity="random")
        )
        settings = self._settings.model_copy(update={"instance": instance})
        with self._lock:
            gate = self._stack.enter_context(gate_process(settings, self._folder, **self._extra.get(number, {})))
            self._gates[number] = gate
            self._all.append(gate)
        return gate

    def _assigned(self, number: int, begun: GateProcess) -> bool:
        """Whether one has something to read. Raises AssertionError, with its log, when it has ended for good."""
        with self._lock:
            gate = self._gates.get(number, begun)
        ended = gate.process.poll() is not None
        assert self._restarts or not ended, gate.log.read_text()
        return not ended and bool(gate.told("assigned"))

    def _watch(self) -> None:
        while not self._closing.wait(LOOK_S):
            with self._lock:
                for number, gate in list(self._gates.items()):
                    if (code := gate.process.poll()) is not None:
                        self.exits[code] += 1
                        del self._gates[number]
                        if self._restarts:
                            self._launch(number)
