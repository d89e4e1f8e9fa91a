"""Several gates as the processes of one sidecar, and the supervisor over them. It must never leave one behind.

A worker is the gate of `run` in a process of its own: spawned, since librdkafka's threads don't survive a fork. Over a
pipe it tells its admin port, or why it can't start; the pipe's end tells it that its supervisor is gone.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from contextlib import closing, suppress
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from guardrail import logs
from guardrail.errors import GuardrailError
from guardrail.judge.policy import Policies, compile_policy
from guardrail.settings import Settings
from guardrail.stream.admin import Admin, Answer, pages, probed
from guardrail.stream.lifecycle import Texts
from guardrail.stream.run import (
    EXIT_BROKER,
    EXIT_FENCED,
    EXIT_OK,
    EXIT_OWN_ERRORS,
    EXIT_UNREAD_GONE,
    on_signal,
    run,
)
from guardrail.telemetry.merged import merged

LOG = logging.getLogger("guardrail.stream")

FINAL = frozenset({EXIT_OWN_ERRORS, EXIT_UNREAD_GONE, EXIT_FENCED})
"""Ends that no other start mends, or only a person may: the other workers would soon come to the same one."""
EXIT_REFUSED = 78  # EX_CONFIG: what was given keeps it from starting
ENDS_COUNT = 5
ENDS_S = 600.0
"""A worker that ends more often than that within ten minutes ends the sidecar: whoever starts us may know better."""
PAUSES_S = (1.0, 30.0)
"""Before a worker is started again: doubled for each end of those that count."""
TURN_S = 0.1
STOP_S = 8.5
"""From SIGTERM until workers that haven't ended are killed, so that all is over in 10 s. Each gives itself 8."""
KILLED_S = 0.5
LOOK_S = 2.0
ASK_S = 1.0
"""A worker's answer comes from memory, over loopback."""
LOOPBACK = "127.0.0.1"

_SPAWN = get_context("spawn")


def supervise(settings: Settings, policies: Policies, log_level: str) -> int:
    """Runs `settings.instance.workers` gates until SIGTERM or SIGINT, and gives the sidecar's exit code.

    Raises what keeps a worker from starting (SettingsError, PolicyError), once for all of them.
    """
    texts = {agent: policy.resolved for agent, policy in policies.items()}
    crew = Crew([Worker(mine, texts, log_level) for mine in shares(settings)])
    shown = pages(lambda: crew.probe("/livez"), lambda: crew.probe("/readyz"), crew.metrics, crew.policies)
    with on_signal(crew.stop), Admin(settings.admin, shown) as admin:
        LOG.info("supervising", extra={"workers": settings.instance.workers, "admin_port": admin.port})
        return crew.run()


def shares(settings: Settings) -> list[Settings]:
    """Each worker's settings: its own proc, and an admin port that only the supervisor asks. A random name is drawn
    once: a worker that is started again ends what it left open.
    """
    name = settings.instance.name or (None if settings.identity().static else f"w{secrets.token_hex(6)}")
    admin = settings.admin.model_copy(update={"host": LOOPBACK, "port": 0})
    return [
        settings.model_copy(
            update={
                "instance": settings.instance.model_copy(update={"name": name, "proc": proc, "workers": 1}),
                "admin": admin,
            }
        )
        for proc in range(settings.instance.workers)
    ]


class Crew:
    """All workers: started, started again, probed and ended together."""

    def __init__(self, workers: list[Worker]) -> None:
        self._workers = workers
        self._told_s: float | None = None

    def run(self) -> int:
        """Turns until `stop()`, or until a worker comes to an end that is the sidecar's too; leaves none behind."""
        try:
            while not self._asked_to():
                for worker in self._workers:
                    if self._asked_to():
                        break
                    if (code := worker.turn()) is not None:
                        LOG.critical("stopped", extra={"reason": "a worker's end", "worker": worker.proc, "code": code})
                        return code
                time.sleep(TURN_S)
        finally:
            self._end()
        LOG.info("stopped", extra={"reason": "asked to"})
        return EXIT_OK

    def _asked_to(self) -> bool:
        return self._told_s is not None

    def stop(self) -> None:
        """Ends all of them within STOP_S. A signal handler may call it."""
        self._told_s = self._told_s or time.monotonic()

    def probe(self, path: str) -> Answer:
        """Whether all of them say that they are fine; what each says where there is one that doesn't."""
        answers = [(worker.proc, *worker.probe(path)) for worker in self._workers]
        return probed(
            all(fine for _, fine, _ in answers), "\n".join(f"proc {proc}: {said}" for proc, _, said in answers)
        )

    def metrics(self) -> bytes:
        """The series of those that answer."""
        asked = {worker.proc: worker.ask("/metrics") for worker in self._workers}
        return merged({proc: answer[1] for proc, answer in asked.items() if answer is not None})

    def policies(self) -> dict[str, Any]:
        """What each of them has in force; null for one that doesn't answer."""
        asked = {worker.proc: worker.ask("/policy") for worker in self._workers}
        return {"workers": {str(proc): json.loads(answer[1]) if answer else None for proc, answer in asked.items()}}

    def _end(self) -> None:
        until_s = (self._told_s or time.monotonic()) + STOP_S
        for worker in self._workers:
            worker.tell()
        for worker in self._workers:
            worker.end(until_s)


class Worker:
    """One proc, and the process that has it now."""

    def __init__(self, settings: Settings, texts: dict[str, bytes], log_level: str) -> None:
        """`texts` are the policies by agent: all workers' in common, kept as any of them has loaded them last."""
        self.proc = settings.instance.proc
        self._stalled_s = settings.admin.stalled_ms / 1000
        self._texts = texts
        self._given = (settings, texts, log_level)
        self._process: SpawnProcess | None = None
        self._line: Connection | None = None
        self._port: int | None = None
        self._served = False
        self._since_s = self._look_s = self._fine_s = 0.0
        self._due_s = 0.0
        self._ends: deque[float] = deque()

    def turn(self) -> int | None:
        """Starts the process when that is due, and looks after it. Gives an exit code that is the sidecar's too.

        Raises what the worker says keeps it from starting.
        """
        if self._process is None:
            return self._begin() if time.monotonic() >= self._due_s else None
        code = self._process.exitcode
        self._listen()  # after the look: what it said last is heard
        if code is not None:
            return self._ended(code)
        self._look_after(self._process)
        return None

    def ask(self, path: str) -> tuple[int, bytes] | None:
        """Its own admin port's answer; None when there is none."""
        if (port := self._port) is None:
            return None
        try:
            with closing(HTTPConnection(LOOPBACK, port, timeout=ASK_S)) as asked:
                asked.request("GET", path)
                answer = asked.getresponse()
                return answer.status, answer.read()
        except (OSError, HTTPException):
            return None

    def probe(self, path: str) -> tuple[bool, str]:
        """Whether it is fine, and what it says. One that waits for its start is alive: the supervisor sees to it."""
        alone = path == "/livez"
        if self._process is None:
            return alone, f"starts in {max(self._due_s - time.monotonic(), 0):.0f} s"
        if self._port is None:
            return alone and time.monotonic() - self._since_s < self._stalled_s, "starting"
        answer = self.ask(path)
        if answer is None:
            return False, "no answer"
        return answer[0] == HTTPStatus.OK, answer[1].decode().strip()

    def _look_after(self, process: SpawnProcess) -> None:
        """Kills it when it hasn't been fine for so long that nothing but another start may help."""
        now_s = time.monotonic()
        if now_s < self._look_s:
            return
        self._look_s = now_s + LOOK_S
        fine, said = self.probe("/livez")
        if fine:
            self._fine_s = now_s
        elif now_s - self._fine_s > self._stalled_s:
            LOG.error("killed", extra={"worker": self.proc, "reason": said})
            process.kill()

    def tell(self) -> None:
        """SIGTERM."""
        if self._process is not None:
            self._process.terminate()

    def end(self, until_s: float) -> None:
        """Waits for its end, and kills it when that hasn't come in time."""
        if self._process is None:
            return
        self._process.join(max(until_s - time.monotonic(), 0))
        if self._process.exitcode is None:
            LOG.error("killed", extra={"worker": self.proc, "reason": "it doesn't end"})
            self._process.kill()
            self._process.join(KILLED_S)

    def _begin(self) -> int | None:
        """Starts it. A machine without room for another process may have some soon."""
        try:
            self._start()
        except OSError as failure:
            LOG.error("worker not started", extra={"worker": self.proc, "error": type(failure).__name__})
            return self._ended(EXIT_BROKER)
        return None

    def _start(self) -> None:
        self._line, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(*self._given, theirs), name=f"gate-{self.proc}", daemon=True)
        with closing(theirs):  # with ours alone open, the worker's end of the pipe ends with us
            process.start()
        LOG.info("worker started", extra={"worker": self.proc, "pid": process.pid})
        self._port, self._since_s = None, time.monotonic()
        self._look_s = self._fine_s = self._since_s
        self._process = process

    def _listen(self) -> None:
        with suppress(EOFError, OSError):
            while self._line is not None and self._line.poll():
                said = self._line.recv()
                if isinstance(said, GuardrailError):
                    self._refused(said)
                elif isinstance(said, int):
                    self._port, self._served = said, True
                else:
                    self._follow(said)

    def _refused(self, why: GuardrailError) -> None:
        """It can't start. Where it could before, what has changed may change again: a file that is being replaced."""
        if not self._served:
            raise why
        LOG.error("worker not started", extra={"worker": self.proc, "error": str(why)})

    def _follow(self, loaded: Texts) -> None:
        """Whoever starts next begins with these; where the newest can't be judged, or is gone, with what was before."""
        self._texts.update({agent: text for agent, text in loaded.items() if text is not None})

    def _ended(self, code: int) -> int | None:
        """Notes an end that nobody asked for, and when to start again. Gives the code that ends the sidecar."""
        self._process = self._line = self._port = None
        if code in FINAL:
            return code
        now_s = time.monotonic()
        self._ends.append(now_s)
        while now_s - self._ends[0] > ENDS_S:
            self._ends.popleft()
        if len(self._ends) > ENDS_COUNT:
            return code if code in (EXIT_BROKER, EXIT_REFUSED) else EXIT_OWN_ERRORS
        pause_s = min(PAUSES_S[0] * 2.0 ** (len(self._ends) - 1), PAUSES_S[1])
        self._due_s = now_s + pause_s
        LOG.error("worker ended", extra={"worker": self.proc, "end": _told(code), "again_s": pause_s})
        return None


def work(settings: Settings, policies: Mapping[str, bytes], log_level: str, line: Connection) -> None:
    """A worker's life. The policies are the supervisor's, compiled again: they hold what can't travel."""
    os.setpgid(0, 0)  # Ctrl-C is for the supervisor
    logs.set_up(log_level, proc=settings.instance.proc)
    threading.Thread(target=_follow, args=(line,), name="supervisor", daemon=True).start()
    compiled = {agent: compile_policy(text.decode()) for agent, text in policies.items()}
    try:
        code = run(settings, compiled, serving=line.send, following=partial(_tell, line))
    except GuardrailError as failure:
        line.send(failure)
        code = EXIT_REFUSED
    sys.exit(code)


def _tell(line: Connection, loaded: Texts) -> None:
    with suppress(OSError):  # the supervisor is gone, and this process goes too
        line.send(loaded)


def _follow(line: Connection) -> None:
    """Ends this process when its supervisor has ended, as SIGTERM would, and by force where that doesn't help."""
    with suppress(EOFError, OSError):
        line.recv()  # the supervisor says nothing
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_S)
    os._exit(EXIT_OK)


def _told(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
