"""The register's topic and the policy files as a gate follows them: complete or not at all, and never in its way."""

import json
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from guardrail.cli import main
from guardrail.errors import InputError
from guardrail.settings import PolicySettings, Settings
from guardrail.stream.embedded import Embedded
from guardrail.stream.lifecycle import STALLED, STALLED_S, Lifecycle
from guardrail.stream.policyfiles import PolicyFiles
from guardrail.stream.register import now
from guardrail.stream.registry import Registry, Writer
from guardrail.stream.steering import Signed, Steering
from tests.stream.deployment import PATIENCE_S

TEXT = {"version": 1, "agent": "hotel", "locale": "en", "prompt": "You help guests."}


def soon() -> datetime:
    """Five minutes from now."""
    return now() + timedelta(minutes=5)


@pytest.fixture
def settings() -> Iterator[Settings]:
    """A deployment on the embedded broker."""
    with Embedded() as broker:
        made = broker.settings()
        broker.create([made.topics.policies])
        yield made


def test_a_register_that_is_joined_anew_begins_anew(settings: Settings) -> None:
    """What was compacted away meanwhile would stand in the old one for ever."""
    Writer(settings).write("active/hotel", b"{}")
    registry = Registry(settings)
    registry.join()
    registry.read_to_end(time.monotonic() + PATIENCE_S)
    assert registry.register.has("active/hotel")
    registry.join()
    assert not registry.register.has("active/hotel")
    registry.close()


def test_a_register_that_was_not_read_to_its_end_says_nothing(settings: Settings) -> None:
    """Given no time to read it, then the files' policies are wanted, and that is told."""
    Writer(settings).write("active/hotel", b"{}")
    with Lifecycle(settings, {}) as lifecycle:
        lifecycle.open(0, lambda: False)
        assert list(lifecycle.look().faults) == ["register"]


def test_a_thread_that_hangs_is_told(settings: Settings) -> None:
    """Given that nobody has followed the policies for a minute, then what is wanted says so."""
    lifecycle = Lifecycle(settings, {})
    assert not lifecycle.look().faults
    lifecycle._turned_s -= STALLED_S + 1  # noqa: SLF001  # a minute later
    assert list(lifecycle.look().faults) == [STALLED]
    assert lifecycle.look() is lifecycle.look()


def test_a_hostile_reason_is_shown_as_it_is(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Given a reason that looks like markup, then the register can be looked at all the same."""
    steering = Steering(settings)
    steering.bypass("*", soon(), Signed("ann", "[/red] ticket 7"))
    monkeypatch.setenv("GUARDRAIL_KAFKA__BOOTSTRAP_SERVERS", settings.kafka.bootstrap_servers)
    assert main(["policies", "show"]) == 0
    assert "[/red] ticket 7" in capsys.readouterr().out


@pytest.mark.parametrize("signed", [Signed("", "ticket 7"), Signed("ann", "x" * 2_001)])
def test_nothing_is_written_that_gates_could_not_read(settings: Settings, signed: Signed) -> None:
    """A signature without a name, or a reason without end, is refused before it is written."""
    with pytest.raises(InputError, match="bypass/"):
        Steering(settings).bypass("*", soon(), signed)
    assert not Steering(settings).standing().faults


def test_files_are_loaded_once_they_stand_still(tmp_path: Path) -> None:
    """Given a file that is still being written, then what was loaded before stays until two looks see the same."""
    file = tmp_path / "hotel.json"
    file.write_text(json.dumps(TEXT))
    files = PolicyFiles(PolicySettings(path=tmp_path), {})
    assert files.look()
    first = files.found.policies["hotel"].revision
    file.write_text(json.dumps({**TEXT, "prompt": "Half"}))
    assert not files.look()
    file.write_text(json.dumps({**TEXT, "prompt": "Whole"}))
    assert not files.look()
    assert files.found.policies["hotel"].revision == first
    assert files.look()
    assert files.found.policies["hotel"].layout.prompt == "Whole"
