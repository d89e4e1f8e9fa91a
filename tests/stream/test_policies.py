"""Policies that change under a running gate, on a real Kafka: by file, by register, on probation, in an emergency."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from guardrail.errors import InputError, SettingsError, TransientError
from guardrail.judge.again import circumstances
from guardrail.judge.decide import Judged, decide, judge
from guardrail.judge.model import Decision, Outcome, RawRecord
from guardrail.judge.policy import Policies, Policy
from guardrail.policies import load_policy
from guardrail.settings import BreakerSettings, PolicySettings, Settings
from guardrail.stream import judging, lifecycle
from guardrail.stream.judging import FIRST_MESSAGES, Judge
from guardrail.stream.lifecycle import Lifecycle
from guardrail.stream.registry import Registry, Writer
from guardrail.stream.steering import Signed, Steering
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.stream.deployment import POLICIES, FreshTopics, deploy, produce, result, wait_until
from tests.stream.gates import running
from tests.stream.records import drifting, record

ANN = Signed("ann", "ticket 7")
CLINIC, HOTEL = "clinic-en", "hotel-en"


def text(note: str, **changes: Any) -> str:
    """The clinic's policy with more in its prompt, and so another revision; `changes` are keys at its top."""
    layout = yaml.safe_load((POLICIES / f"{CLINIC}.yaml").read_text())
    return yaml.safe_dump({**layout, "prompt": f"{layout['prompt']} {note}", **changes})


def made(folder: Path, name: str, **changes: Any) -> Policy:
    """A revision of the clinic's policy with these keys."""
    path = folder / f"{name}.yaml"
    path.write_text(text(name, **changes))
    return load_policy(path)


def of(agent: str, index: int) -> RawRecord:
    """An approved record of an agent, under a key of its own."""
    value = (record(str(index)).value or b"").replace(CLINIC.encode(), agent.encode())
    return RawRecord(value, f"{agent}-{index}".encode())


def mapped(index: int) -> RawRecord:
    """The clinic's record, its name elsewhere."""
    fields = json.loads(record(str(index)).value or b"")
    agent = fields.pop("agent_id")
    return RawRecord(json.dumps({**fields, "for": {"agent": agent}}).encode(), b"%d" % index)


@pytest.fixture
def settings(kafka: str, fresh_topics: FreshTopics) -> Settings:
    """A deployment with a register of its own, and no files."""
    [register] = fresh_topics("policies", config={"cleanup.policy": "compact"})
    made = deploy(kafka, fresh_topics)
    topics = made.topics.model_copy(update={"policies": register})
    return made.model_copy(
        update={"topics": topics, "policy": PolicySettings(look_ms=100), "breaker": BreakerSettings(least_records=1)}
    )


@contextmanager
def gate_on(settings: Settings, files: dict[str, Policy] | None = None, judge: Judge = judge) -> Iterator[Gate]:
    """A running gate that follows files and register."""
    with Lifecycle(settings, files or {}) as lifecycle:
        gate = Gate(settings, files or {}, judge=judge, lifecycle=lifecycle)
        with running(gate) as ended:
            wait_until(lambda: bool(ended) or gate.health.joined, "the gate is assigned")
            yield gate
        assert not ended, ended


def in_force(gate: Gate, agent: str = CLINIC) -> Callable[[Policy], bool]:
    """Whether a revision is an agent's."""
    return lambda policy: agent in gate.force.policies and gate.force.policies[agent].revision == policy.revision


def consumed(gate: Gate) -> float:
    """How many records are committed."""
    return gate.report.value(names.CONSUMED)


def by_revision(decisions: Sequence[Decision]) -> list[str | None]:
    """The revision of each decision, in the order of the input."""
    return [one.policy for one in sorted(decisions, key=lambda one: one.source.offset or 0)]


def test_a_changed_file_is_in_force_within_a_moment(settings: Settings, tmp_path: Path) -> None:
    """Given a ConfigMap's swapped link, then the next records are judged by the new revision; a broken file changes
    nothing but the alarm; mended, it is in force."""
    for name, note in (("one", "First."), ("two", "Second.")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "clinic.yaml").write_text(text(note))
    (tmp_path / "data").symlink_to("one")
    mounted = settings.policy.model_copy(update={"path": tmp_path / "data"})
    settings = settings.model_copy(update={"policy": mounted})
    first = load_policy(tmp_path / "one" / "clinic.yaml")
    second = load_policy(tmp_path / "two" / "clinic.yaml")
    with gate_on(settings, {CLINIC: first}) as gate:
        produce(settings, [of(CLINIC, 0)])
        wait_until(lambda: consumed(gate) == 1, "the first is committed")
        (tmp_path / "next").symlink_to("two")
        (tmp_path / "next").replace(tmp_path / "data")
        wait_until(lambda: in_force(gate)(second), "the second is in force")
        produce(settings, [of(CLINIC, 1)])
        wait_until(lambda: consumed(gate) == 2, "the second is committed")
        (tmp_path / "two" / "clinic.yaml").write_text("agent: [")
        wait_until(lambda: bool(gate.force.refused), "the broken file is told")
        assert gate.report.value(names.POLICY_REFUSED, str(tmp_path / "data")) == 1
        assert in_force(gate)(second)
        produce(settings, [of(CLINIC, 2)])
        wait_until(lambda: consumed(gate) == 3, "the third is committed")
        (tmp_path / "two" / "clinic.yaml").write_text(text("First."))
        wait_until(lambda: in_force(gate)(first), "the first is in force again")
        assert not gate.force.refused
    assert by_revision(result(settings).decisions) == [first.revision, second.revision, second.revision]


def test_a_register_that_does_not_answer_at_once_is_waited_for(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a register whose broker doesn't answer the first tries, then no record is judged by the files' policy that
    the register has replaced.
    """
    first, second = made(tmp_path, "first"), made(tmp_path, "second")
    steering = Steering(settings)
    steering.publish([second])
    steering.activate(CLINIC, second.revision, ANN)
    join, failures = Registry.join, [TransientError("no answer")] * 2

    def slow(registry: Registry) -> bool:
        if failures:
            raise failures.pop()
        return join(registry)

    monkeypatch.setattr(Registry, "join", slow)
    produce(settings, [of(CLINIC, 0)])
    with gate_on(settings, {CLINIC: first}) as gate:
        wait_until(lambda: consumed(gate) == 1, "it is committed")
    assert by_revision(result(settings).decisions) == [second.revision]


def test_the_register_puts_policies_in_force(settings: Settings, tmp_path: Path) -> None:
    """Given a gate without files, then what is activated in the register judges, and what can't be had changes
    nothing."""
    one, two = made(tmp_path, "one"), made(tmp_path, "two")
    steering = Steering(settings)
    with pytest.raises(InputError, match="not in the register"):
        steering.activate(CLINIC, one.revision, ANN)
    steering.publish([one, two])
    steering.activate(CLINIC, one.revision, ANN)
    with pytest.raises(InputError, match="not of hotel"):
        steering.activate("hotel", one.revision, ANN)
    with gate_on(settings) as gate:
        assert in_force(gate)(one)
        steering.activate(CLINIC, two.revision, ANN, force=True)
        wait_until(lambda: in_force(gate)(two), "the second is in force")
        assert gate.force.shown()["agents"][CLINIC]["origin"]["by"] == "ann"
        produce(settings, [of(CLINIC, 0)])
        wait_until(lambda: consumed(gate) == 1, "it is committed")
    assert by_revision(result(settings).decisions) == [two.revision]


def test_a_policy_that_refuses_all_stops_its_agent_alone(settings: Settings, tmp_path: Path) -> None:
    """Given a change under which everything would be refused, then nothing of it comes out: its agent is held, the
    gate isn't ready, others go on, and the next policy judges what has waited."""
    good, bad = made(tmp_path, "good"), made(tmp_path, "bad", limits={"answer_chars": 10})
    hotel = load_policy(POLICIES / f"{HOTEL}.yaml")
    steering = Steering(settings)
    steering.publish([good, bad])
    with gate_on(settings, {CLINIC: good, HOTEL: hotel}) as gate:
        steering.activate(CLINIC, bad.revision, ANN)
        wait_until(lambda: in_force(gate)(bad), "the bad one is in force")
        produce(settings, [of(CLINIC if index % 2 else HOTEL, index) for index in range(40)])
        wait_until(lambda: consumed(gate) == 20, "the others are committed")
        assert not gate.health.ready
        assert CLINIC in gate.health.reason
        assert gate.report.value(names.BREAKER, CLINIC) == 1
        assert {d.agent for d in result(settings).decisions} == {HOTEL}
        steering.activate(CLINIC, good.revision, ANN)
        wait_until(lambda: consumed(gate) == 40, "all are committed")
        wait_until(lambda: gate.health.ready, "the gate is ready")
        assert gate.report.value(names.BREAKER, CLINIC) == 0
    decisions = result(settings).decisions
    assert {d.policy for d in decisions if d.agent == CLINIC} == {good.revision}
    assert sorted(d.source.offset or 0 for d in decisions) == list(range(40))


def test_a_hold_ends_before_it_holds_others(settings: Settings, tmp_path: Path) -> None:
    """Given a held agent whose records come to fill the waiting room, so that others would wait behind them, then the
    policy before judges them, all pass, and the alarm stays.
    """
    good, bad = made(tmp_path, "good"), made(tmp_path, "bad", limits={"answer_chars": 10})
    hotel = load_policy(POLICIES / f"{HOTEL}.yaml")
    small = settings.gate.model_copy(update={"waiting_messages": 50, "batch_messages": 20})
    settings = settings.model_copy(update={"gate": small})
    steering = Steering(settings)
    steering.publish([good, bad])
    with gate_on(settings, {CLINIC: good, HOTEL: hotel}) as gate:
        steering.activate(CLINIC, bad.revision, ANN)
        wait_until(lambda: in_force(gate)(bad), "the bad one is in force")
        produce(settings, [of(CLINIC, index) for index in range(40)])
        wait_until(lambda: gate.report.value(names.BREAKER, CLINIC) == 1, "it is held")
        produce(settings, [of(HOTEL, index) for index in range(10)])
        wait_until(lambda: consumed(gate) == 10, "the others are committed")
        assert gate.force.held == {CLINIC}
        produce(settings, [of(CLINIC if index < 100 else HOTEL, 100 + index) for index in range(110)])
        wait_until(lambda: consumed(gate) == 160, "all are committed")
        assert gate.report.value(names.BREAKER, CLINIC) == 1
        wait_until(lambda: gate.health.ready, "the gate is ready")
    decisions = result(settings).decisions
    assert sorted(d.source.offset or 0 for d in decisions) == list(range(160))
    assert {d.policy for d in decisions if d.agent == CLINIC} == {good.revision}


def test_what_cannot_be_written_to_the_register_is_written_later(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a register that doesn't take what gates write for a while, then it is written once it does."""
    monkeypatch.setattr(lifecycle, "WRITE_PAUSES_S", (0.1, 1.0))
    tries: list[int] = []

    class Failing(Writer):
        def write_all(self, entries: Mapping[str, bytes | None], headers: Sequence[tuple[str, str]] = ()) -> None:
            tries.append(len(entries))
            if len(tries) < 3:
                raise TransientError("its leader is away")
            super().write_all(entries, headers)

    monkeypatch.setattr(lifecycle, "Writer", Failing)
    good = made(tmp_path, "good")
    with gate_on(settings, {CLINIC: good}):
        wait_until(lambda: [one.revision for one in Steering(settings).policies()] == [good.revision], "it is written")
    assert tries[:3] == [1, 1, 1]


def test_a_change_that_makes_all_nobodys_holds_its_agent(settings: Settings, tmp_path: Path) -> None:
    """Given a change that looks for the agent's name where it isn't, one record after another, then its records wait,
    though no policy would judge them; others and what is nobody's anyway go on."""
    good = made(tmp_path, "good", input={"agent_id": "/for/agent"})
    bad = made(tmp_path, "bad", input={"agent_id": "/for/nobody"})
    hotel = load_policy(POLICIES / f"{HOTEL}.yaml")
    steering = Steering(settings)
    steering.publish([good, bad])
    wanting = settings.breaker.model_copy(update={"least_records": 6})
    settings = settings.model_copy(update={"breaker": wanting})
    with gate_on(settings, {CLINIC: good, HOTEL: hotel}) as gate:
        steering.activate(CLINIC, bad.revision, ANN)
        wait_until(lambda: in_force(gate)(bad), "the bad one is in force")
        for index in range(5):
            produce(settings, [mapped(index)])
            wait_until(lambda seen=index + 1: consumed(gate) == seen, "too few to tell: it is a dead letter")
        produce(settings, [mapped(index) if index % 2 else of(HOTEL, index) for index in range(5, 25)])
        produce(settings, [of("stranger", index) for index in range(5)])
        wait_until(lambda: consumed(gate) == 20, "the others are committed")
        assert gate.report.value(names.BREAKER, CLINIC) == 1
        assert {d.agent for d in result(settings).decisions} == {None, HOTEL, "stranger"}
        steering.activate(CLINIC, good.revision, ANN)
        wait_until(lambda: consumed(gate) == 30, "all are committed")
    decisions = result(settings).decisions
    assert sum(d.policy == good.revision for d in decisions) == 10
    assert sorted(d.source.offset or 0 for d in decisions) == list(range(30))


def test_a_bypass_is_signed_on_every_decision(settings: Settings, tmp_path: Path) -> None:
    """Given a policy that refuses all and a bypass, then responses pass as long as it lasts, each decision says on
    whose word, an alarm is up, and a replay from the decision repeats it."""
    strict = made(tmp_path, "strict", limits={"answer_chars": 10})
    steering = Steering(settings)
    steering.publish([strict])
    with pytest.raises(InputError, match="86400"):
        steering.bypass(CLINIC, datetime.now(UTC) + timedelta(days=2), ANN)
    with gate_on(settings, {CLINIC: strict}) as gate:
        steering.bypass(CLINIC, datetime.now(UTC) + timedelta(minutes=5), ANN)
        wait_until(lambda: gate.report.value(names.BYPASS, CLINIC) == 1, "the alarm is up")
        produce(settings, [of(CLINIC, 0)])
        wait_until(lambda: consumed(gate) == 1, "it is committed")
        steering.take_back("bypass", CLINIC, ANN)
        wait_until(lambda: gate.report.value(names.BYPASS, CLINIC) == 0, "the alarm is down")
        produce(settings, [of(CLINIC, 1)])
        wait_until(lambda: consumed(gate) == 2, "the second is committed")
    found = result(settings)
    passed, refused = sorted(found.decisions, key=lambda one: one.source.offset or 0)
    assert (passed.outcome, passed.enforced_outcome, passed.mode) == (Outcome.APPROVED, Outcome.REJECTED, "shadow")
    assert passed.bypass is not None
    assert (passed.bypass.by, passed.bypass.why) == ANN
    assert (refused.outcome, refused.bypass) == (Outcome.REJECTED, None)
    then = circumstances(passed)
    [again] = decide([then.received(found.raws[0])], then.in_force({CLINIC: strict}))
    assert (again.outcome, again.bypass, again.decision_id) == (passed.outcome, passed.bypass, passed.decision_id)


def test_under_a_bypass_our_own_errors_stop_nothing(settings: Settings, tmp_path: Path) -> None:
    """Given a judge that breaks on everything and a bypass, then all goes out as it came, however many in a row."""

    def breaks(*_: object) -> list[Judged]:
        raise ZeroDivisionError

    clinic = made(tmp_path, "clinic")
    steering = Steering(settings)
    steering.publish([clinic])
    steering.bypass(CLINIC, datetime.now(UTC) + timedelta(minutes=5), ANN)
    wanting = settings.gate.model_copy(update={"own_errors_count": 3})
    with gate_on(settings.model_copy(update={"gate": wanting}), {CLINIC: clinic}, breaks) as gate:
        produce(settings, [of(CLINIC, index) for index in range(10)])
        wait_until(lambda: consumed(gate) == 10, "all are committed")
    found = result(settings).decisions
    assert {(d.outcome, d.on_error, d.bypass is None) for d in found} == {(Outcome.APPROVED, "fail_open", False)}


def test_a_canary_decides_its_share_and_is_compared(settings: Settings, tmp_path: Path) -> None:
    """Given a second policy on half of the keys, then about half of the decisions are its own, and what the policy in
    force says of them is counted beside."""
    steady, canary = made(tmp_path, "steady"), made(tmp_path, "canary", limits={"answer_chars": 10})
    steering = Steering(settings)
    steering.publish([canary])
    steering.canary(CLINIC, canary.revision, 0.5, ANN)
    with gate_on(settings, {CLINIC: steady}) as gate:
        produce(settings, [of(CLINIC, index) for index in range(200)])
        wait_until(lambda: consumed(gate) == 200, "all are committed")
        counted = gate.report.value(names.CANARY, CLINIC, "approved", "rejected")
    decisions = result(settings).decisions
    own = [one for one in decisions if one.policy == canary.revision]
    assert len(decisions) == 200
    assert 60 < len(own) < 140
    assert {one.outcome for one in own} == {Outcome.REJECTED}
    assert {one.outcome for one in decisions if one.policy == steady.revision} == {Outcome.APPROVED}
    assert counted == len(own)


def test_a_canarys_own_parameters_have_their_names_in_drift(settings: Settings, tmp_path: Path) -> None:
    """Given a parameter that the canary alone knows, then what its records observe of it counts under that name."""
    known = yaml.safe_load((POLICIES / f"{CLINIC}.yaml").read_text())["parameters"]
    steady = made(tmp_path, "steady", parameters=[one for one in known if one["id"] != "Patient_ref"])
    canary = made(tmp_path, "canary")
    steering = Steering(settings)
    steering.publish([steady, canary])
    steering.canary(CLINIC, canary.revision, 1.0, ANN)
    with gate_on(settings, {CLINIC: steady}) as gate:
        wait_until(lambda: CLINIC in gate.force.second, "the canary is there")
        produce(settings, [drifting("cancel it, P76041", "k")])
        wait_until(lambda: consumed(gate) == 1, "it is committed")
    observed = result(settings).observations
    assert {(one["check"], one["parameter"]) for one in observed} == {("simulation", "Patient_ref"), ("response", "")}
    assert {one["policy"] for one in observed if "counts" in one} == {canary.revision}


def test_what_has_held_is_remembered(settings: Settings, tmp_path: Path) -> None:
    """Given a policy that has passed its probation, then the register says so and holds its bytes, and a gate that is
    deployed with one that refuses all holds back instead."""
    settings = settings.model_copy(update={"breaker": BreakerSettings(least_records=1, records=20)})
    good, bad = made(tmp_path, "good"), made(tmp_path, "bad", limits={"answer_chars": 10})
    with gate_on(settings, {CLINIC: good}) as gate:
        produce(settings, [of(CLINIC, index) for index in range(20)])
        wait_until(lambda: consumed(gate) == 20, "all are committed")
        wait_until(lambda: CLINIC in Steering(settings).standing().proven, "it is proven")
    assert [one.revision for one in Steering(settings).policies()] == [good.revision]
    with gate_on(settings, {CLINIC: bad}) as gate:
        produce(settings, [of(CLINIC, index) for index in range(20, 40)])
        wait_until(lambda: bool(gate.force.held), "its agent is held")
        assert consumed(gate) == 0
    assert len(result(settings).decisions) == 20


def test_without_a_register_the_files_judge(settings: Settings, tmp_path: Path) -> None:
    """Given no register, then the files' policies judge and nothing alarms; one that is created later is followed."""
    named = settings.topics.model_copy(update={"policies": f"{settings.topics.policies}-none"})
    settings = settings.model_copy(update={"topics": named})
    good = made(tmp_path, "good")
    with gate_on(settings, {CLINIC: good}) as gate:
        produce(settings, [of(CLINIC, 0)])
        wait_until(lambda: consumed(gate) == 1, "it is committed")
        assert not gate.force.refused
        with pytest.raises(SettingsError, match="guardrail topics --create"):
            Steering(settings)


def test_a_register_that_is_not_there_changes_nothing(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given no register, looked for again and again, then that is no change: nothing is put together anew."""
    monkeypatch.setattr(lifecycle, "AGAIN_S", 0.2)
    looked = []
    monkeypatch.setattr(Registry, "join", lambda _: looked.append(1) or False)
    with Lifecycle(settings, {CLINIC: made(tmp_path, "one")}) as followed:
        followed.open(5, lambda: False)
        first = followed.look()
        wait_until(lambda: len(looked) > 3, "it is looked for again")
        assert followed.look() is first


def test_a_slow_canary_is_asked_in_small_slices(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a canary that takes long for each record, then no batch waits for more than a small slice of it beyond its
    time, and all that it is asked of comes out as it says.
    """
    monkeypatch.setattr(judging, "SLOW_S", 0.05)
    monkeypatch.setattr(judging, "WAITED_S", 0.2)
    clinic, second = made(tmp_path, "clinic"), made(tmp_path, "second")
    counts = []

    def slow(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        if given[CLINIC].revision == second.revision:
            counts.append(len(raws))
            time.sleep(0.03 * len(raws))
        return judge(raws, given)

    steering = Steering(settings)
    steering.publish([clinic, second])
    steering.canary(CLINIC, second.revision, 1.0, ANN)
    produce(settings, [of(CLINIC, index) for index in range(40)])
    with gate_on(settings, {CLINIC: clinic}, slow) as gate:
        wait_until(lambda: consumed(gate) == 40, "all are committed")
    assert max(counts) <= FIRST_MESSAGES
    assert set(by_revision(result(settings).decisions)) == {second.revision}


def test_no_policy_at_all_is_a_setting(settings: Settings) -> None:
    """Given neither files nor an active entry, then the gate ends with the setting that is missing, and judges
    nothing."""
    produce(settings, [of(CLINIC, 0)])
    with Lifecycle(settings, {}) as lifecycle, running(Gate(settings, {}, lifecycle=lifecycle)) as ended:
        wait_until(lambda: bool(ended), "the gate ends")
    assert [type(failure) for failure in ended] == [SettingsError]
    assert result(settings).decisions == []
