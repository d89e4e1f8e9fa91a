"""Policies as they change, followed beside the loop: files, and the register. It must never make the loop wait, nor
change what is in force by itself: it says what is wanted, and stream.force takes it up.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from typing import Self

import msgspec

from guardrail.errors import GuardrailError, PolicyError, SettingsError, TransientError
from guardrail.judge.policy import Policies, Policy
from guardrail.settings import Settings
from guardrail.stream.faults import DeniedError
from guardrail.stream.policyfiles import PolicyFiles
from guardrail.stream.register import Proven, Register, now
from guardrail.stream.registry import Registry, Writer
from guardrail.stream.wanted import Wanted, wanted
from guardrail.version import VERSION

LOG = logging.getLogger("guardrail.stream")

POLL_S = 0.2
AGAIN_S = 15.0
"""Until a register that couldn't be read is tried again."""
WRITE_PAUSES_S = (5.0, 600.0)
"""A leader that moves is soon there again; a right that is missing may be meant so."""
LETTERS = 1_000
"""More than a deployment has policies: where they can't be written, they must not pile up."""
CLOSE_S = 1.0
STALLED_S = 60.0
"""Far above a join or a write: a thread that hasn't turned for so long hangs in a call."""
STALLED = "policies"

Fit = Callable[[Policies], object]
Texts = Mapping[str, bytes | None]
"""What the files hold for each agent, as it is judged by; null where the newest can't be judged here."""


class Lifecycle:
    """Keeps `wanted` up to date in a thread, while it is entered."""

    def __init__(
        self,
        settings: Settings,
        policies: Policies,
        fit: Fit = lambda _: None,
        told: Callable[[Texts], object] = lambda _: None,
    ) -> None:
        """`policies` are the files' at start. `fit` raises PolicyError for policies that can't be judged here; `told`
        hears of other files, once they are loaded.
        """
        self._settings = settings
        self._fit = fit
        self._told = told
        self._loaded = policies
        self._registry = Registry(settings)
        self._files = PolicyFiles(settings.policy, policies)
        self._look_s = settings.policy.look_ms / 1000
        self._due_s = self._again_s = 0.0
        self._turned_s = time.monotonic()
        self._fault: dict[str, str] = {}
        self._joined = False
        self._changed = False
        self._register: Register | None = None
        """The last one that was read to its end: half of one would put what was taken back in force."""
        self._letters: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
        self._unwritten: dict[str, bytes] = {}
        self._write_s, self._write_pause_s = 0.0, WRITE_PAUSES_S[0]
        self._unwritten_why = ""
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="policies", daemon=True)
        self.wanted = Wanted(policies)

    def look(self) -> Wanted:
        """What is wanted now; that it isn't followed any more, where the thread hangs."""
        if time.monotonic() - self._turned_s > STALLED_S and STALLED not in self.wanted.faults:
            LOG.critical("policies not followed", extra={"reason": "the thread that follows them hangs"})
            told = f"not followed for more than {STALLED_S:.0f} s"
            self.wanted = self.wanted._replace(faults={**self.wanted.faults, STALLED: told})
        return self.wanted

    def open(self, wait_s: float, stopping: Callable[[], bool]) -> None:
        """Reads the register to its end, for at most so long, and follows it from then on: until then nobody knows what
        an emergency has put in force. Raises nothing: one that can't be read is told as a fault, and tried again.
        """
        self._files.look()
        until_s = time.monotonic() + wait_s
        while not self._join(until_s, stopping) and time.monotonic() < until_s and not stopping():
            self._ending.wait(POLL_S)
        if self._register is None and not self._fault:
            LOG.info("no register", extra={"topic": self._settings.topics.policies})
        self._put_together()
        self._turned_s = time.monotonic()
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(CLOSE_S)

    def prove(self, policy: Policy) -> None:
        """Writes that a policy has held, when the thread comes to it."""
        entry = Proven(revision=policy.revision, by=f"guardrail {VERSION}", at=now(), why="held through its probation")
        self._letters.put((f"proven/{policy.agent}", msgspec.json.encode(entry)))

    def _run(self) -> None:
        while not self._ending.is_set():
            self._turned_s = time.monotonic()
            try:
                self._follow()
            except Exception as failure:  # noqa: BLE001  # the gate judges on with what is in force
                why = str(failure) if isinstance(failure, GuardrailError) else type(failure).__name__
                LOG.error("policies not followed", extra={"reason": why})
                self._ending.wait(1.0)
        self._registry.close()

    def _follow(self) -> None:
        self._changed |= self._look_at_files() or STALLED in self.wanted.faults
        if not self._joined and time.monotonic() > self._again_s:
            before = self._fault
            self._join(time.monotonic() + AGAIN_S, self._ending.is_set)
            self._changed |= self._joined or self._fault != before
        if self._joined:
            self._hear()
        else:
            self._ending.wait(POLL_S)
        if self._changed:  # until it is put together: whatever raises before doesn't make it forgotten
            self._put_together()
            self._changed = False
        self._collect()
        if self._joined:
            self._write()

    def _hear(self) -> None:
        """Takes what is new in the register. One that can't be read any more stands as it was, and is joined anew."""
        try:
            self._changed |= self._registry.poll(POLL_S)
        except TransientError as failure:
            self._lose(failure)
            self._again_s, self._changed = 0.0, True

    def _lose(self, failure: TransientError) -> None:
        self._registry.close()
        self._joined = False
        self._fault = {"register": str(failure)}

    def _look_at_files(self) -> bool:
        if time.monotonic() < self._due_s:
            return False
        self._due_s = time.monotonic() + self._look_s
        return self._files.look()

    def _join(self, until_s: float, stopping: Callable[[], bool]) -> bool:
        """Reads it from its beginning to its end. Gives back whether that is settled: another try at once might find
        more where the broker didn't answer.
        """
        self._again_s = time.monotonic() + AGAIN_S
        try:
            self._joined = self._registry.join()
            self._registry.read_to_end(until_s, stopping)
        except TransientError as failure:
            self._lose(failure)
            return isinstance(failure, DeniedError)
        if self._joined:
            self._register, self._fault = self._registry.register, {}
        elif self._register is None:
            self._fault = {}
        else:
            self._fault = {"register": "it isn't there any more"}
        return True

    def _put_together(self) -> None:
        files = self._files.found
        files = files._replace(faults={**files.faults, **self._fault})
        before = self.wanted
        register = self._register or Register()
        made = wanted(files, register, before, self._fits)
        for name in made.faults.keys() - before.faults.keys():
            LOG.error("policy refused", extra={"entry": name, "reason": made.faults[name]})
        self.wanted = made
        if files.policies is not self._loaded:
            self._loaded = files.policies
            self._told({a: p.resolved if self._fits(p) is None else None for a, p in self._loaded.items()})
        for policy in (*made.policies.values(), *(one.policy for one in made.canaries.values())):
            if not register.has(f"revision/{policy.revision}"):
                self._letters.put((f"revision/{policy.revision}", policy.resolved))

    def _fits(self, policy: Policy) -> str | None:
        """Why a policy can't be judged here; None when it can."""
        try:
            self._fit({policy.agent: policy})
        except PolicyError as error:
            return str(error)
        return None

    def _write(self) -> None:
        """Writes what waits to be written: a policy's bytes, so that its decisions can be judged again; and proofs.

        What can't be written now is tried again, and told once: without the right to, the gate judges all the same.
        """
        if not self._unwritten or time.monotonic() < self._write_s:
            return
        try:
            Writer(self._settings).write_all(self._unwritten)
        except (TransientError, SettingsError) as failure:
            self._write_pause_s = min(self._write_pause_s * 2, WRITE_PAUSES_S[1])
            self._write_s = time.monotonic() + self._write_pause_s
            if str(failure) != self._unwritten_why:
                LOG.warning("not written to the register", extra={"reason": str(failure)})
            self._unwritten_why = str(failure)
        else:
            self._unwritten, self._unwritten_why, self._write_pause_s = {}, "", WRITE_PAUSES_S[0]

    def _collect(self) -> None:
        """Takes the letters out of their queue: the last of each key, the last LETTERS of all. What has held is no news
        once another is wanted: a later gate may have told of that already.
        """
        while True:
            try:
                key, value = self._letters.get_nowait()
            except Empty:
                break
            self._unwritten.pop(key, None)
            self._unwritten[key] = value
        for key in [*self._unwritten][:-LETTERS]:
            del self._unwritten[key]
        wanted = {f"proven/{agent}": policy.revision for agent, policy in self.wanted.policies.items()}
        for key in [key for key in self._unwritten if key.startswith("proven/")]:
            if msgspec.json.decode(self._unwritten[key], type=Proven).revision != wanted.get(key):
                del self._unwritten[key]
