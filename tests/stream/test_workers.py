"""A sidecar of several workers: they share the partitions, die and come again, and end with their supervisor."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from guardrail.errors import SettingsError
from guardrail.judge.model import RawRecord
from guardrail.judge.policy import Policies
from guardrail.settings import AdminSettings, InstanceSettings, Settings, load
from guardrail.stream import workers
from guardrail.stream.run import EXIT_BROKER, EXIT_FENCED
from guardrail.stream.worker import Gate
from guardrail.telemetry.merged import merged
from guardrail.telemetry.report import Report
from tests.scoring import policies
from tests.stream.deployment import (
    POLICIES,
    FreshTopics,
    GateProcess,
    case_records,
    committed,
    count_decisions,
    deploy,
    gate_process,
    produce,
    result,
    settings_on,
    wait_until,
)
from tests.stream.gates import assert_exactly_once, ends, running
from tests.stream.records import record

NOWHERE = "127.0.0.1:1"


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


def crew(settings: Settings, ordinal: int | None = 0, count: int = 2) -> Settings:
    """The same, for a sidecar of several workers."""
    return settings.model_copy(update={"instance": InstanceSettings(ordinal=ordinal, workers=count)})


def pids(gate: GateProcess) -> dict[object, int]:
    """Each worker's latest process."""
    return {line["worker"]: int(str(line["pid"])) for line in gate.told("worker started")}


def lives(pid: int) -> bool:
    """Whether the process is there; one that waits for its parent to look at it is not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ready(gate: GateProcess) -> Callable[[], bool]:
    """Whether the sidecar says that it is ready."""
    return lambda: bool(gate.told("supervising")) and gate.page("/readyz")[0] == 200


def keyed(count: int) -> list[RawRecord]:
    """Case records under 200 keys."""
    cases = case_records(largest_bytes=10_000)
    return [msgspec.structs.replace(cases[n % len(cases)], key=f"c-{n % 200}".encode()) for n in range(count)]


def series(text: str, name: str) -> dict[str, float]:
    """A counter's value by proc."""
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name:
                found[sample.labels["proc"]] = found.get(sample.labels["proc"], 0) + sample.value
    return found


def test_workers_share_the_partitions(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Given two workers, then each has partitions, all comes out once, one page shows both, and SIGTERM ends them."""
    settings = crew(deploy(kafka, fresh_topics, partitions=4, batch_messages=100))
    with gate_process(settings, tmp_path) as gate:
        wait_until(ready(gate), "both are ready")
        produce(settings, keyed(2_000))
        wanted = ends(settings)
        wait_until(lambda: committed(settings) == wanted, "every offset is committed")
        status, metrics = gate.page("/metrics")
        probes = [gate.page(path) for path in ("/livez", "/readyz")]
        shown = json.loads(gate.page("/policy")[1])
        started = pids(gate)
        code, seconds = gate.stop()
    assert (code, seconds <= 10) == (0, True)
    assert not any(map(lives, started.values()))
    decided = series(metrics, "guardrail_decided_total")
    assert (status, sum(decided.values())) == (200, 2_000)
    assert all(decided[proc] > 0 for proc in ("0", "1"))
    assert [answer[0] for answer in probes] == [200, 200]
    assert probes[1][1] == "proc 0: ok\nproc 1: ok\n"
    assert all("clinic-en" in shown["workers"][proc]["agents"] for proc in ("0", "1"))
    assert {line["proc"] for line in gate.told("assigned")} == {0, 1}
    assert_exactly_once(settings, result(settings))


def test_a_killed_worker_is_replaced(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Given a worker that is killed in the middle, then another takes its place at once, and all comes out once."""
    settings = crew(deploy(kafka, fresh_topics, partitions=4, batch_messages=50))
    decided = count_decisions(settings)
    with gate_process(settings, tmp_path) as gate:
        wait_until(ready(gate), "both are ready")
        produce(settings, keyed(3_000))
        wait_until(lambda: decided() > 300, "some are decided")
        killed = pids(gate)[1]
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: pids(gate)[1] != killed, "another is started")
        produce(settings, keyed(1_000))
        wanted = ends(settings)
        wait_until(lambda: committed(settings) == wanted, "every offset is committed")
        wait_until(ready(gate), "both are ready again")
        assert gate.stop()[0] == 0
    [ended] = gate.told("worker ended")
    assert (ended["worker"], ended["end"], ended["again_s"]) == (1, "SIGKILL", 1.0)
    assert_exactly_once(settings, result(settings))


def test_workers_end_with_their_supervisor(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Given a supervisor that is killed, then its workers finish as after SIGTERM, and nothing of it is left."""
    settings = crew(deploy(kafka, fresh_topics, partitions=4, batch_messages=50))
    decided = count_decisions(settings)
    with gate_process(settings, tmp_path) as gate:
        wait_until(ready(gate), "both are ready")
        produce(settings, keyed(2_000))
        wait_until(lambda: decided() > 200, "some are decided")
        started = pids(gate)
        gate.process.kill()
        gate.process.wait()
        wait_until(lambda: not any(map(lives, started.values())), "the workers are gone", patience_s=10)
    assert sorted(str(line["proc"]) for line in gate.told("stopped")) == ["0", "1"]
    with gate_process(settings, tmp_path) as again:
        wanted = ends(settings)
        wait_until(lambda: committed(settings) == wanted, "the next sidecar does the rest")
        assert again.stop()[0] == 0
    assert_exactly_once(settings, result(settings))


def test_a_worker_that_hangs_is_told_and_killed(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Given a frozen worker, then /livez and /readyz name it, and SIGTERM ends the sidecar within 10 s all the same."""
    settings = crew(deploy(kafka, fresh_topics, partitions=2))
    with gate_process(settings, tmp_path) as gate:
        wait_until(ready(gate), "both are ready")
        frozen = pids(gate)[0]
        os.kill(frozen, signal.SIGSTOP)
        for path in ("/livez", "/readyz"):
            status, text = gate.page(path)
            assert (status, text.splitlines()[0]) == (503, "proc 0: no answer")
            assert text.splitlines()[1].startswith("proc 1: ")
        code, seconds = gate.stop()
    assert (code, seconds <= 10) == (0, True)
    assert not lives(frozen)
    assert [line["worker"] for line in gate.told("killed")] == [0]


def test_a_worker_that_hangs_for_long_is_replaced(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Given a worker that stands still for longer than a loop may, then another takes its place."""
    settings = crew(deploy(kafka, fresh_topics, partitions=2))
    settings = settings.model_copy(update={"admin": settings.admin.model_copy(update={"stalled_ms": 3_000})})
    with gate_process(settings, tmp_path) as gate:
        wait_until(ready(gate), "both are ready")
        frozen = pids(gate)[0]
        os.kill(frozen, signal.SIGSTOP)
        wait_until(lambda: pids(gate)[0] != frozen, "another is started")
        wait_until(ready(gate), "both are ready again")
        assert gate.stop()[0] == 0
    assert [(line["worker"], line["reason"]) for line in gate.told("killed")] == [(0, "no answer")]


def test_a_worker_that_is_replaced_judges_as_before(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Given a policy file that was changed and then broken, when a worker is killed, then the next one begins with the
    file's last good state, and not with that of the sidecar's start.
    """
    file = tmp_path / "clinic.yaml"
    first = (POLICIES / "clinic-en.yaml").read_text()
    file.write_text(first)
    second = first.replace("Harbour Lane", "Harbour Street")
    settings = crew(deploy(kafka, fresh_topics, partitions=2))
    extra = {"GUARDRAIL_POLICY__PATH": str(file), "GUARDRAIL_POLICY__LOOK_MS": "100"}

    def revision(gate: GateProcess) -> str | None:
        shown = json.loads(gate.page("/policy")[1])["workers"]["0"]
        return str(shown["agents"]["clinic-en"]["revision"]) if shown else None

    with gate_process(settings, tmp_path, **extra) as gate:
        wait_until(ready(gate), "both are ready")
        before = revision(gate)
        file.write_text(second)
        wait_until(lambda: revision(gate) != before, "the change is in force")
        changed = revision(gate)
        file.write_text("agent: [")
        wait_until(lambda: bool(gate.told("policy refused")), "the broken file is told")
        killed = pids(gate)[0]
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: pids(gate)[0] != killed, "another is started")
        wait_until(ready(gate), "both are ready again")
        assert revision(gate) == changed
        assert gate.stop()[0] == 0


def test_a_worker_that_is_refused_its_start_gets_another(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Given a worker that ends while a file of settings is being replaced, then it comes back with the new file: what
    keeps a sidecar from its start keeps none from going on.
    """
    file = tmp_path / "client.properties"
    file.write_text("client.rack=here\n")
    settings = crew(deploy(kafka, fresh_topics, partitions=2))
    settings = settings.model_copy(update={"kafka": settings.kafka.model_copy(update={"properties_file": file})})
    with gate_process(settings, tmp_path) as gate:
        wait_until(ready(gate), "both are ready")
        file.unlink()
        os.kill(pids(gate)[0], signal.SIGKILL)
        wait_until(lambda: bool(gate.told("worker not started")), "it is told")
        file.write_text("client.rack=there\n")
        wait_until(ready(gate), "both are ready again")
        assert gate.stop()[0] == 0


def test_no_room_for_a_process_is_waited_for(agents: Policies, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a machine that starts no process, then it is tried again, and in the end left to whoever started us."""
    monkeypatch.setattr(workers, "PAUSES_S", (0.01, 0.03))
    tried = []

    def refuse(_: object) -> None:
        tried.append(1)
        raise OSError("no room")

    monkeypatch.setattr(workers._SPAWN.Process, "start", refuse)  # noqa: SLF001
    settings = crew(settings_on(NOWHERE, {}), count=1)
    settings = settings.model_copy(update={"admin": AdminSettings(host="127.0.0.1", port=0)})
    assert workers.supervise(settings, agents, "error") == EXIT_BROKER
    assert len(tried) == workers.ENDS_COUNT + 1


def test_a_fenced_worker_ends_the_sidecar(
    kafka: str, fresh_topics: FreshTopics, agents: Policies, tmp_path: Path
) -> None:
    """Given another sidecar of the same ordinal, then the older one ends as a whole, with the exit code for it."""
    settings = crew(deploy(kafka, fresh_topics))
    with gate_process(settings, tmp_path) as older:
        wait_until(lambda: len({line["proc"] for line in older.told("started")}) == 2, "both are started")
        older.wait_for("assigned")
        [has] = {line["proc"] for line in older.told("assigned")}
        younger = settings.model_copy(update={"instance": InstanceSettings(ordinal=0, proc=has)})
        with running(Gate(younger, agents)):
            produce(settings, [record()])
            assert older.process.wait(30) == EXIT_FENCED
        assert not any(map(lives, pids(older).values()))


def test_a_worker_comes_back_under_its_name() -> None:
    """Given workers without an identity that lasts, then each has a name of its own, and the same at every start."""
    shared = workers.shares(crew(settings_on(NOWHERE, {}), ordinal=None))
    first, second = ([one.identity("laptop") for one in shared] for _ in range(2))
    assert first == second
    assert len({one.name for one in first}) == len(shared)
    assert not any(one.static for one in first)
    assert all(one.identity("x-3").static for one in workers.shares(crew(settings_on(NOWHERE, {}), ordinal=3)))


def test_a_wrong_setting_is_told_once(tmp_path: Path) -> None:
    """Given a property that no client takes, then the sidecar ends with the code for settings and says so once."""
    properties = '{"no.such.property": "1"}'
    with gate_process(
        crew(settings_on(NOWHERE, {}), count=3), tmp_path, GUARDRAIL_KAFKA__PROPERTIES=properties
    ) as gate:
        assert gate.process.wait(30) == 78
    assert gate.log.read_text().count("no.such.property") == 1
    assert not any(map(lives, pids(gate).values()))


def test_workers_that_end_over_and_over_end_the_sidecar(
    agents: Policies, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Given brokers that are never there, then workers start again after growing pauses, and in the end it is told."""
    monkeypatch.setattr(workers, "PAUSES_S", (0.01, 0.03))
    monkeypatch.setattr(workers, "ENDS_COUNT", 3)
    settings = crew(settings_on(NOWHERE, {}, start_ms=1_000), count=1)
    settings = settings.model_copy(update={"admin": AdminSettings(host="127.0.0.1", port=0)})
    with caplog.at_level("ERROR", "guardrail.stream"):
        assert workers.supervise(settings, agents, "error") == EXIT_BROKER
    pauses = [line.__dict__["again_s"] for line in caplog.records if line.message == "worker ended"]
    assert pauses == [0.01, 0.02, 0.03]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"GUARDRAIL_INSTANCE__WORKERS": "2", "GUARDRAIL_INSTANCE__PROC": "1"}, "GUARDRAIL_INSTANCE: proc is counted"),
        ({"GUARDRAIL_INSTANCE__WORKERS": "0"}, "GUARDRAIL_INSTANCE__WORKERS: Input should be greater"),
    ],
)
def test_workers_as_settings(tmp_path: Path, given: dict[str, str], says: str) -> None:
    """Given a number of workers that can't be, then it is told before anything starts."""
    with gate_process(settings_on(NOWHERE, {}), tmp_path, **given) as gate:
        assert gate.process.wait(30) == 78
    assert says in gate.log.read_text()


def test_the_option_wins_over_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given `--workers` beside the environment, then it wins, and leaves the rest of its section alone."""
    monkeypatch.setenv("GUARDRAIL_INSTANCE__WORKERS", "2")
    monkeypatch.setenv("GUARDRAIL_INSTANCE__ORDINAL", "4")
    instance = load(instance={"workers": 3}).instance
    assert (instance.workers, instance.ordinal) == (3, 4)
    with pytest.raises(SettingsError, match="GUARDRAIL_INSTANCE__WORKERS"):
        load(instance={"workers": 0})


def test_sigterm_without_a_broker(tmp_path: Path) -> None:
    """Given workers that find no broker, then SIGTERM ends the sidecar within 10 s."""
    with gate_process(crew(settings_on(NOWHERE, {})), tmp_path) as gate:
        wait_until(lambda: len(gate.told("started")) == 2, "both are started")
        code, seconds = gate.stop()
    assert (code, seconds <= 10) == (0, True)
    assert not any(map(lives, pids(gate).values()))


def test_metrics_of_workers_keep_apart(agents: Policies) -> None:
    """Given two gates' pages, then the one of both has every family once and every series twice, under its proc."""
    text = Report(agents).text()
    both = merged({0: text, 1: text}).decode()
    alone, found = ([*text_string_to_metric_families(t)] for t in (text.decode(), both))
    assert [(f.name, f.type, f.documentation) for f in found] == [(f.name, f.type, f.documentation) for f in alone]
    for one, two in zip(alone, found, strict=True):
        for proc in ("0", "1"):
            assert [s for s in two.samples if s.labels["proc"] == proc] == [
                s._replace(labels={**s.labels, "proc": proc}) for s in one.samples
            ]
    assert merged({}) == b""


def test_a_worker_that_waits_for_its_start(agents: Policies) -> None:
    """Given a worker that isn't started yet, then it is alive, not ready, and nothing to wait for at the end."""
    worker = workers.Worker(crew(settings_on(NOWHERE, {})), agents, "error")
    assert worker.probe("/livez")[0]
    assert worker.probe("/readyz") == (False, "starts in 0 s")
    assert worker.ask("/metrics") is None
    started = time.monotonic()
    worker.tell()
    worker.end(started + 60)
    assert time.monotonic() - started < 1
