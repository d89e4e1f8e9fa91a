"""`guardrail demo --bootstrap`: the demo on a real Kafka, with topics of its own that go again."""

import os
import subprocess
import sys
from uuid import uuid4

import msgspec
import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from guardrail.cli import EX_USAGE
from guardrail.demo import bundled, own_settings
from guardrail.errors import SettingsError
from guardrail.judge.decide import decide
from guardrail.judge.model import RawRecord
from guardrail.stream import topics
from guardrail.stream.embedded import read
from guardrail.stream.guest import Guest, not_once
from tests.stream.deployment import PATIENCE_S, wait_until


@pytest.fixture
def admin(kafka: str) -> AdminClient:
    """Looks at what is there."""
    return AdminClient({"bootstrap.servers": kafka})


@pytest.fixture
def prefix() -> str:
    """One that nobody has."""
    return f"demo-{uuid4().hex[:8]}."


def demo(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command's end."""
    return subprocess.run(
        [sys.executable, "-m", "guardrail", "demo", *options],
        capture_output=True, encoding="utf-8", timeout=3 * PATIENCE_S, check=False, env={**os.environ, **environment},
    )  # fmt: skip


def named(admin: AdminClient, prefix: str) -> list[str]:
    """The topics and groups that begin so."""
    groups = [group.group_id for group in admin.list_consumer_groups().result(PATIENCE_S).valid]
    return sorted(name for name in [*admin.list_topics(timeout=PATIENCE_S).topics, *groups] if name.startswith(prefix))


def remove(admin: AdminClient, prefix: str) -> None:
    """What a test kept."""
    for removed in admin.delete_topics([name for name in named(admin, prefix) if not name.endswith(".gate")]).values():
        removed.result(PATIENCE_S)


def test_the_demo_shows_isolation_and_leaves_nothing(kafka: str, admin: AdminClient, prefix: str) -> None:
    """Given a real Kafka, then all outcomes are shown and what an aborted transaction left; topics and group go."""
    ended = demo("--bootstrap", kafka, "--prefix", prefix)
    assert ended.returncode == 0, ended.stderr
    told = ended.stdout
    assert "19 records: 7 approved, 2 corrected, 7 rejected, 2 dead_letter, 1 skipped; 1 mismatch" in told
    assert f"finds 38 on {prefix}llm.responses.raw, one of committed records 19." in told
    assert "isolation isn't shown" not in told
    wait_until(lambda: not named(admin, prefix), "all is removed")


def test_the_demo_keeps_its_topics_and_takes_no_others(kafka: str, admin: AdminClient, prefix: str) -> None:
    """Given --keep, then what was shown stands on the topics; a second demo on them is refused and removes nothing."""
    assert (
        f"Kept: the topics and the group {prefix}gate."
        in demo("--bootstrap", kafka, "--prefix", prefix, "--keep").stdout
    )
    kept = named(admin, prefix)
    assert len(kept) == len((*topics.LINED_UP, *topics.SPREAD, *topics.ALONE)) + 1
    raw = [f"{prefix}llm.responses.raw"]
    records, policies = bundled()
    committed = read(kafka, raw)
    assert [record.value for record in committed] == [record.value for record in records]
    assert len(read(kafka, raw, "read_uncommitted")) == 2 * len(records)
    found = [msgspec.json.decode(record.value or b"") for record in read(kafka, [f"{prefix}guardrail.decisions"])]
    assert [one["outcome"] for one in found] == [one.outcome.value for one in decide(committed, policies)]

    again = demo("--bootstrap", kafka, "--prefix", prefix)
    assert again.returncode == EX_USAGE
    assert f"{raw[0]}: exists already" in again.stderr
    assert named(admin, prefix) == kept
    remove(admin, prefix)


def test_one_topic_that_is_there_is_left_alone(kafka: str, admin: AdminClient, prefix: str) -> None:
    """Given one topic of that name, then the demo is refused, the topic stays, and those made beside it go."""
    theirs = f"{prefix}guardrail.decisions"
    admin.create_topics([NewTopic(theirs, 1, 1)])[theirs].result(PATIENCE_S)
    wait_until(lambda: named(admin, prefix) == [theirs], "the broker knows it")
    with pytest.raises(SettingsError, match=f"^{theirs}: exists already$"), Guest(own_settings(kafka, prefix)):
        pytest.fail("it was entered")
    wait_until(lambda: named(admin, prefix) == [theirs], "the others are removed")
    remove(admin, prefix)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--keep"], "--prefix and --keep go with --bootstrap"),
        (["--prefix", "x."], "--prefix and --keep go with --bootstrap"),
        (["--bootstrap", "127.0.0.1:9", "--prefix", "a b"], "letters, digits, dots"),
    ],
)
def test_options_that_say_nothing_are_refused(options: list[str], said: str) -> None:
    """Given --keep or --prefix without a cluster, or a prefix that is no topic's, then that is said, and no more."""
    ended = demo(*options)
    assert (ended.returncode, ended.stdout) == (EX_USAGE, "")
    assert said in ended.stderr


def test_a_cluster_that_is_not_there_is_told() -> None:
    """Given an address where nobody answers, then that is said, and the log has what the connection says."""
    ended = demo("--bootstrap", "127.0.0.1:9")
    assert (ended.returncode, ended.stdout) == (EX_USAGE, "")
    assert "the broker doesn't answer" in ended.stderr
    assert "Connection refused" in ended.stderr


def test_the_environment_says_how_to_log_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given settings in the environment, then the cluster's hold, and never its topics, group or identity."""
    monkeypatch.setenv("GUARDRAIL_KAFKA__PROPERTIES", '{"security.protocol": "SSL"}')
    monkeypatch.setenv("GUARDRAIL_KAFKA__BOOTSTRAP_SERVERS", "elsewhere:9092")
    monkeypatch.setenv("GUARDRAIL_TOPICS__RAW", "production")
    monkeypatch.setenv("GUARDRAIL_GATE__GROUP", "production")
    monkeypatch.setenv("GUARDRAIL_GATE__DELIVERY", "at_least_once")
    made = own_settings("broker:9093", None)
    assert made.kafka.properties == {"security.protocol": "SSL"}
    assert made.kafka.bootstrap_servers == "broker:9093"
    assert made.gate.delivery == "exactly_once"
    names = [name for name in made.topics.model_dump().values() if isinstance(name, str) and "." in name]
    assert {name.split(".")[0] for name in (*names, made.gate.group)} == {made.gate.group.removesuffix(".gate")}
    assert own_settings("broker:9093", None).topics.raw != made.topics.raw


def test_what_came_out_more_or_less_than_once_is_found() -> None:
    """Given a record twice, one never, an output for a skipped one or for none that was sent, then each is named."""
    records, policies = bundled()
    sent = [
        msgspec.structs.replace(record, source=msgspec.structs.replace(record.source, topic="raw", offset=offset))
        for offset, record in enumerate(records)
    ]
    decided = decide(sent, policies)
    decisions = [RawRecord(msgspec.json.encode(decision)) for decision in decided]
    places = [f"raw/{one.source.partition}/{one.source.offset}" for one in sent]
    [skipped] = [place for place, one in zip(places, decided, strict=True) if one.outcome.value == "skipped"]
    outputs = {place: RawRecord(None, None, (("guardrail.source", place.encode()),)) for place in places}
    gone = outputs.pop(skipped)
    whole = list(outputs.values())
    assert not_once(sent, decisions, whole) == []
    assert not_once(sent, [*decisions, decisions[3]], whole) == [places[3]]
    assert not_once(sent, decisions, [*whole, whole[2]]) == [places[2]]
    assert not_once(sent, decisions[1:], whole) == [places[0]]
    assert not_once(sent, decisions, whole[1:]) == [places[0]]
    assert not_once(sent, decisions, [*whole, gone]) == [skipped]
    assert not_once(sent[1:], decisions, whole) == [places[0]]
