"""`guardrail redrive` on a real Kafka: each dead letter goes back once, whatever is asked, killed or tried at once."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from msgspec.structs import replace

from guardrail import cli
from guardrail.errors import FencedError, InputError, SettingsError, TransientError
from guardrail.judge.decide import Judged, judge
from guardrail.judge.model import Outcome, RawRecord
from guardrail.judge.policy import Policies
from guardrail.settings import Settings, TopicSettings
from guardrail.stream import redrive as redriving
from guardrail.stream import topics
from guardrail.stream.embedded import read
from guardrail.stream.faults import RestartError
from guardrail.stream.letters import Asked, Stay
from guardrail.stream.publisher import Transactional
from guardrail.stream.redrive import Redrive
from guardrail.stream.worker import Gate
from tests.broker.cluster import Cluster
from tests.scoring import policies
from tests.stream.deployment import (
    PATIENCE_S,
    ROOT,
    FreshTopics,
    deploy,
    environment,
    produce,
    result,
    settings_on,
    wait_until,
)
from tests.stream.gates import assert_exactly_once, pass_through
from tests.stream.records import CANARY, record

NOW_MS = time.time_ns() // 1_000_000
ANOTHER = {"hotel-en": policies()["hotel-en"]}
"""What a deployment has that forgot the policy of our records."""


def deploy_all(kafka: str, fresh_topics: FreshTopics, partitions: int = 2, **limits: int) -> Settings:
    """A gate's topics and the one that remembers what was redriven."""
    settings = deploy(kafka, fresh_topics, partitions, limits)
    [redriven] = fresh_topics("redriven")
    return settings.model_copy(update={"topics": settings.topics.model_copy(update={"redriven": redriven})})


def keyed(index: int, **fields: object) -> RawRecord:
    """A record that a policy approves, one of seven keys, a minute old."""
    made = replace(record(message_id=f"m-{index}", **fields), key=f"k{index % 7}".encode())
    return replace(made, source=replace(made.source, timestamp_ms=NOW_MS - 60_000 + index))


def bury(settings: Settings, records: Sequence[RawRecord], agents: Policies | None = None) -> None:
    """Makes dead letters of these records: by default, their policy isn't there."""
    produce(settings, list(records))
    pass_through(Gate(settings, agents or ANOTHER), len(records))


def letters(settings: Settings) -> list[RawRecord]:
    """The dead letters."""
    return read(settings.kafka.bootstrap_servers, [settings.topics.dead_letter])


def redriven(settings: Settings) -> list[RawRecord]:
    """The raw records that came from dead letters."""
    raws = read(settings.kafka.bootstrap_servers, [settings.topics.raw])
    return [one for one in raws if one.header("guardrail.attempt")]


def message_ids(records: Sequence[RawRecord]) -> Counter[str]:
    """How often each message is among them."""
    return Counter(json.loads(one.value or b"")["message_id"] for one in records)


def test_dead_letters_come_back_once(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given letters whose policy was missing, when they are redriven under it, then each is judged as a new record, in
    its partition, with its key, time and headers; a second run finds nothing left.
    """
    settings = deploy_all(kafka, fresh_topics)
    records = [replace(keyed(index), headers=(("h", b"1"), ("h", None))) for index in range(40)]
    bury(settings, records)
    before = {one.header("guardrail.source"): one for one in letters(settings)}

    tally = Redrive(settings, Asked()).run()
    assert tally.complete
    assert tally.went == {redriving.Kind("NotJudged", ("transport.unknown_agent",)): 40}
    again = Redrive(settings, Asked()).run()
    assert (again.went.total(), again.stayed) == (0, {Stay.WENT: 40})
    assert again.complete

    pass_through(Gate(settings, policies()), 40)
    found = result(settings)
    assert_exactly_once(settings, found)
    came = redriven(settings)
    assert len(came) == len(found.outputs["approved"]) == 40
    for one in came:
        letter = before[one.header("guardrail.redriven-from")]
        assert (one.key, one.value, one.source.partition) == (letter.key, letter.value, letter.source.partition)
        assert one.source.timestamp_ms == letter.source.timestamp_ms
        assert [name for name, _ in one.headers] == ["h", "h", "guardrail.attempt", "guardrail.redriven-from"]
    for key in {one.key for one in came}:
        times = [one.source.timestamp_ms for one in came if one.key == key]
        assert times == sorted(times)


def test_an_open_transaction_hides_no_marks(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given somebody's open transaction on the topic of marks, behind which a reader of committed records sees nothing,
    then runs wait until it is over, and no letter goes twice.
    """
    settings = deploy_all(kafka, fresh_topics)
    bury(settings, [keyed(index) for index in range(10)])
    config = {"transactional.id": f"other-{uuid4().hex}", "transaction.timeout.ms": 6_000}
    other = Producer({"bootstrap.servers": kafka, "log_level": 0, **config})
    other.init_transactions(PATIENCE_S)
    other.begin_transaction()
    other.produce(settings.topics.redriven, b"{}")
    assert other.flush(PATIENCE_S) == 0
    went = [Redrive(settings, Asked()).run().went.total() for _ in range(2)]
    assert went == [10, 0]
    assert len(redriven(settings)) == 10


def test_filters_leave_holes_that_are_filled_later(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given runs that ask for parts, in any order and overlapping, then every letter goes exactly once in the end."""
    settings = deploy_all(kafka, fresh_topics)
    junk = [RawRecord(f"junk-{index}".encode(), b"k1") for index in range(5)]
    bury(settings, [*(keyed(index) for index in range(30)), *junk, *(keyed(index) for index in range(30, 60))])
    everything = letters(settings)

    def run(**asked: object) -> int:
        return Redrive(settings, Asked(**asked)).run().went.total()  # type: ignore[arg-type]  # each test's own

    assert run(keys=frozenset({b"k3"})) == sum(one.key == b"k3" for one in everything)
    assert run(codes=frozenset({"syntax", "encoding"})) == 5
    assert run(from_ms=NOW_MS - 60_000, to_ms=NOW_MS - 60_000 + 10) == sum(i % 7 != 3 for i in range(10))
    held = [one for one in everything if one.source.partition == 1 and (one.source.offset or 0) < 12]
    gone = message_ids([one for one in redriven(settings) if not (one.value or b"").startswith(b"junk")])
    left = [one for one in held if json.loads(one.value or b"{}").get("message_id") not in gone and one.key != b"k1"]
    assert run(partitions=frozenset({1}), to_offset=12, agents=frozenset({"clinic-en"})) >= len(left)
    assert run() > 0
    assert run() == 0
    assert Counter(one.value for one in redriven(settings)) == Counter(one.value for one in everything)


def test_what_fails_again_is_counted_and_stays_in_the_end(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a record that no run mends, then it goes round three times, its count in every letter, and no more."""
    settings = deploy_all(kafka, fresh_topics)
    bury(settings, [RawRecord(b"junk", b"k")])
    for attempt in (1, 2, 3):
        assert Redrive(settings, Asked()).run().went.total() == 1
        pass_through(Gate(settings, ANOTHER), 1)
        last = max(letters(settings), key=lambda one: one.source.offset or 0)
        assert last.header("guardrail.attempt") == str(attempt)
        assert str(last.header("guardrail.redriven-from")).endswith("/0")
    spent = Redrive(settings, Asked()).run()
    assert spent.stayed == {Stay.WENT: 3, Stay.SPENT: 1}
    assert not spent.complete
    assert len(letters(settings)) == 4


def test_a_run_ends_where_the_letters_ended_when_it_began(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given letters that come while it runs, then they wait for the next run: it doesn't chase its own failures."""
    settings = deploy_all(kafka, fresh_topics, partitions=1)
    bury(settings, [keyed(index) for index in range(300)])
    more = Producer({"bootstrap.servers": kafka, "log_level": 0})
    [first, *_] = letters(settings)

    def advance(done: int, _: int) -> None:
        if done < 300:
            more.produce(settings.topics.dead_letter, first.value, first.key, headers=list(first.headers))
            more.flush(PATIENCE_S)

    assert Redrive(settings, Asked(), advance=advance).run().went.total() == 300
    assert len(letters(settings)) > 300
    assert len(redriven(settings)) == 300


def test_what_the_raw_topic_would_lose_stays(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given letters that are cut, or older than the raw topic keeps, then they stay and are told."""
    settings = deploy_all(kafka, fresh_topics, partitions=1, dead_letter=8_192)
    old = replace(keyed(1), source=replace(keyed(1).source, timestamp_ms=NOW_MS - 8 * 86_400_000))
    bury(settings, [keyed(0), keyed(2, pad="x" * 9_000), old])
    tally = Redrive(settings, Asked()).run()
    assert tally.stayed == {Stay.CUT: 1, Stay.STALE: 1}
    assert tally.went.total() == 1
    assert not tally.complete


def high_watermark(settings: Settings) -> Callable[[], int]:
    """How many offsets the raw topic has, open transactions and all."""
    topic = settings.topics.raw
    consumer = Consumer({"bootstrap.servers": settings.kafka.bootstrap_servers, "group.id": "none", "log_level": 0,
                         "isolation.level": "read_uncommitted"})  # fmt: skip
    return lambda: sum(consumer.get_watermark_offsets(TopicPartition(topic, p), timeout=PATIENCE_S)[1] for p in (0, 1))


def start(settings: Settings, log: Path, *options: str) -> subprocess.Popen[bytes]:
    """The verb, in a process of its own."""
    with log.open("ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "guardrail", "redrive", *options],
            env=environment(settings), cwd=ROOT, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip


def test_killed_at_any_moment_each_letter_goes_once(kafka: str, fresh_topics: FreshTopics, tmp_path: Path) -> None:
    """Given runs that are killed, some in the middle of a transaction, then after one that ends each letter has gone
    exactly once, with its mark.
    """
    settings = deploy_all(kafka, fresh_topics)
    count = 6_000
    bury(settings, [keyed(index) for index in range(count)])
    dice = random.Random(7)  # noqa: S311  # moments of death
    size = high_watermark(settings)
    killed = 0
    while killed < 6:
        beyond = size() + dice.randrange(10, 700)  # transactions hold 100: most end in the middle of one
        with start(settings, tmp_path / "log") as run:
            wait_until(lambda beyond=beyond: run.poll() is not None or size() > beyond, "it goes")  # type: ignore[misc]
            run.kill()
        if run.returncode == 0:
            break
        killed += 1
    with start(settings, tmp_path / "log") as run:
        assert run.wait(PATIENCE_S) == 0, (tmp_path / "log").read_text()
    assert killed >= 3, "it was through too soon to be killed"
    assert message_ids(redriven(settings)) == {f"m-{index}": 1 for index in range(count)}
    assert Redrive(settings, Asked()).run().stayed == {Stay.WENT: count}


def test_of_two_runs_at_once_one_takes_over(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a second run in the middle of the first, then the first ends at once, and each letter has gone once."""
    settings = deploy_all(kafka, fresh_topics)
    bury(settings, [keyed(index) for index in range(700)])
    second: list[int] = []

    def advance(done: int, total: int) -> None:
        if not second and done < total:
            second.append(Redrive(settings, Asked()).run().went.total())

    with pytest.raises(FencedError, match="has taken over"):
        Redrive(settings, Asked(), advance=advance).run()
    assert 0 < second[0] < 700
    assert message_ids(redriven(settings)) == {f"m-{index}": 1 for index in range(700)}


@pytest.mark.parametrize("committed", [True, False])
def test_a_commit_without_an_answer_is_settled(
    kafka: str, fresh_topics: FreshTopics, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    """Given a commit whose fate is unknown, then the marks tell it: nothing is sent again, and nothing left out."""
    whole, lost = Transactional.commit, []

    def forgetful(self: Transactional) -> None:
        if lost or committed:
            whole(self)
        if not lost:
            lost.append(1)
            raise RestartError("the answer is lost")

    settings = deploy_all(kafka, fresh_topics)
    bury(settings, [keyed(index) for index in range(30)])
    monkeypatch.setattr(Transactional, "commit", forgetful)
    assert Redrive(settings, Asked()).run().went.total() == 30
    assert lost
    assert message_ids(redriven(settings)) == {f"m-{index}": 1 for index in range(30)}


def leader(settings: Settings, topic: str) -> int:
    """The node that has the topic's first partition."""
    admin = AdminClient({"bootstrap.servers": settings.kafka.bootstrap_servers, "log_level": 0})
    return int(admin.list_topics(topic, timeout=PATIENCE_S).topics[topic].partitions[0].leader)


def test_a_broker_that_dies_in_between_doubles_nothing(tmp_path: Path) -> None:
    """Given three brokers, when the one with the marks is killed while a run goes on, then each letter has gone once in
    the end, by that run or, where it gave up, by the next.

    Three: a broker that is alone may forget, when it starts again, to mark what it aborts, and commits it later.
    """
    with Cluster(3) as cluster:
        settings = settings_on(cluster.bootstrap, {})
        settings = settings.model_copy(update={"topics": TopicSettings(partitions_count=2)})
        assert all(row.created for row in topics.create(settings))
        bury(settings, [keyed(index) for index in range(3_000)])
        size = high_watermark(settings)
        beyond = size() + 450
        with start(settings, tmp_path / "log") as run:
            wait_until(lambda: run.poll() is not None or size() > beyond, "it goes")
            cluster.kill(leader(settings, settings.topics.redriven))
            assert run.poll() is None, "it was through too soon"
            assert run.wait(PATIENCE_S) in (0, 2), (tmp_path / "log").read_text()
        Redrive(settings, Asked()).run()
        assert message_ids(redriven(settings)) == {f"m-{index}": 1 for index in range(3_000)}


def test_a_broker_that_never_commits_is_told(
    kafka: str, fresh_topics: FreshTopics, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given commits that always fail, then the run gives up, nothing is visible, and the next one sends all."""
    settings = deploy_all(kafka, fresh_topics)
    bury(settings, [keyed(0)])

    def never(_: Transactional) -> None:
        raise RestartError("never")

    with monkeypatch.context() as patch:
        patch.setattr(Transactional, "commit", never)
        with pytest.raises(TransientError, match="never"):
            Redrive(settings, Asked()).run()
    assert redriven(settings) == []
    assert Redrive(settings, Asked()).run().went.total() == 1


def test_a_topic_made_anew_has_other_letters(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a dead-letter topic that was deleted and made again, then old marks hide none of its letters."""
    settings = deploy_all(kafka, fresh_topics, partitions=1)
    bury(settings, [keyed(0)])
    assert Redrive(settings, Asked()).run().went.total() == 1
    admin, topic = AdminClient({"bootstrap.servers": kafka}), settings.topics.dead_letter
    [deleted] = admin.delete_topics([topic], operation_timeout=PATIENCE_S).values()
    deleted.result(PATIENCE_S)

    def made() -> bool:
        [created] = admin.create_topics([NewTopic(topic, 1, 1)]).values()
        return created.exception(PATIENCE_S) is None

    wait_until(made, "made again")
    pass_through(Gate(settings, ANOTHER), 1)
    tally = Redrive(settings, Asked()).run()
    assert (tally.went.total(), tally.stayed.total()) == (1, 0)


def test_foreign_marks_and_missing_topics_stop_it(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a mark that can't be read, or no topic for marks, then nothing goes: it could go twice."""
    settings = deploy_all(kafka, fresh_topics)
    bury(settings, [keyed(0)])
    nowhere = settings.model_copy(update={"topics": settings.topics.model_copy(update={"redriven": "not.there"})})
    with pytest.raises(SettingsError, match=r"missing topics: not\.there"):
        Redrive(nowhere, Asked()).run()
    producer = Producer({"bootstrap.servers": kafka, "log_level": 0})
    producer.produce(settings.topics.redriven, b"hello")
    producer.flush(PATIENCE_S)
    with pytest.raises(InputError, match="is no mark"):
        Redrive(settings, Asked()).run()
    assert redriven(settings) == []


def test_the_verb_tells_counts_and_no_words(
    kafka: str, fresh_topics: FreshTopics, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Given a dry run, then what would go is counted by its reason, nothing is written, no user's word is shown; the
    exit code of the run is 1 where something that was asked for stayed.
    """

    def breaks(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        if any(b"BREAK" in (raw.value or b"") for raw in raws):
            raise ZeroDivisionError(CANARY)
        return judge(raws, given)

    settings = deploy_all(kafka, fresh_topics)
    produce(settings, [record("BREAK"), RawRecord(CANARY.encode(), CANARY.encode()), keyed(0), keyed(1)])
    pass_through(Gate(settings, ANOTHER, judge=breaks), 4)
    for name, value in environment(settings).items():
        monkeypatch.setenv(name, value)
    assert cli.main(["redrive", "--dry-run", "--key", CANARY, "--key", "k0", "--key", "c-1"]) == 0
    told = capsys.readouterr().out
    assert CANARY not in told
    assert [line.split() for line in told.splitlines()[:4]] == [
        ["error", "codes", "would", "go"],
        ["NotJudged", "syntax.no_json", "1"],
        ["NotJudged", "transport.unknown_agent", "1"],
        ["OwnError", "-", "1"],
    ]
    assert told.splitlines()[-1] == "3 would go, 1 would stay"
    assert redriven(settings) == []

    assert cli.main(["redrive", "--exception", "OwnError"]) == 0
    assert "1 went, 3 stayed" in capsys.readouterr().out
    assert cli.main(["redrive", "--max-attempts", "0"]) == 1
    assert "3 stayed: has had its attempts" in capsys.readouterr().out
    assert cli.main(["redrive", "--code", "transport.unknown_agant"]) == 2
    assert cli.main(["redrive", "--from", "yesterday"]) == 2
    assert cli.main(["redrive", "--from", "2026-01-01T00:00"]) == 0
    assert len(redriven(settings)) == 4


def test_outcomes_of_redriven_records_name_their_new_place(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a redriven record, then its decision is a new one with the new source, beside that of the dead letter."""
    settings = deploy_all(kafka, fresh_topics, partitions=1)
    bury(settings, [keyed(0)])
    Redrive(settings, Asked()).run()
    pass_through(Gate(settings, policies()), 1)
    first, second = result(settings).decisions
    assert (first.outcome, second.outcome) == (Outcome.DEAD_LETTER, Outcome.APPROVED)
    assert (first.source.offset or 0) < (second.source.offset or 0)
    assert first.decision_id != second.decision_id
    [mark] = read(kafka, [settings.topics.redriven])
    assert msgspec.json.decode(mark.value or b"")["ranges"] == [[0, 0]]
