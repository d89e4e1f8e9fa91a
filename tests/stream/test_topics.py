"""`guardrail topics`: what is missing is made, what differs is told, what exists is left alone."""

from uuid import uuid4

import pytest
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType

from guardrail.errors import SettingsError, TransientError
from guardrail.settings import KafkaSettings, KeptDays, Settings, TopicSettings
from guardrail.stream import topics
from guardrail.stream.findings import DAY_MS, MISSING, UNREADABLE, Found, Row, Spec, findings
from tests.stream.deployment import PATIENCE_S, FreshTopics, wait_until

ROLES = (*topics.LINED_UP, *topics.SPREAD, *topics.ALONE)


def named(kafka: str, days: dict[str, int] | None = None, **given: object) -> Settings:
    """Settings with names that nobody has."""
    made = {role: f"{role}-{uuid4().hex[:8]}" for role in ROLES}
    chosen = TopicSettings.model_validate({**made, "partitions_count": 3, "replicas_count": 1, **given})
    kept = KeptDays.model_validate(days or {})
    return Settings(kafka=KafkaSettings(bootstrap_servers=kafka), topics=chosen, kept_days=kept)


def known(settings: Settings, names: set[str]) -> dict[str, Row]:
    """The rows, once the broker knows these new topics: it says "created" a moment earlier."""
    rows: dict[str, Row] = {}

    def all_known() -> bool:
        rows.update({row.topic: row for row in topics.check(settings)})
        return not any({MISSING, UNREADABLE} & set(texts(rows[name])) for name in names)

    wait_until(all_known, f"{names} are known")
    return rows


def texts(row: Row) -> list[str]:
    """What a row says."""
    return [finding.text for finding in row.findings]


def test_missing_topics_are_made(kafka: str) -> None:
    """A check finds them missing, `create` makes them as they should be, and a second check finds nothing."""
    settings = named(kafka, {"decisions": 2_555})
    missing = topics.check(settings)
    assert {tuple(texts(row)) for row in missing} == {(MISSING,)}
    assert {command for row in missing for command in row.commands(kafka)} == {"guardrail topics --create"}
    created = topics.create(settings)
    assert all(row.created and not row.findings for row in created)
    counts = {row.topic: row.partitions_count for row in created}
    assert (counts[settings.topics.policies], counts[settings.topics.redriven]) == (1, 1)
    assert set(counts.values()) == {1, 3}
    assert [row for row in topics.create(settings) if row.created or row.findings] == []
    longer = settings.model_copy(update={"kept_days": KeptDays(decisions=3_650)})
    told = {row.topic: texts(row) for row in topics.check(longer) if row.findings}
    assert told == {settings.topics.decisions: ["keeps records 2555 days, 3650 days are wanted"]}
    AdminClient({"bootstrap.servers": kafka}).delete_topics([row.topic for row in created])


def test_missing_topics_are_made_beside_the_raw_one(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given a raw topic with a count of its own, then the others are made with as many, and the settings are told."""
    [raw] = fresh_topics("raw", partitions=5, config={"max.message.bytes": 2_097_152})
    settings = named(kafka, raw=raw)
    known(settings, {raw})
    rows = {row.topic: row for row in topics.create(settings)}
    assert rows[settings.topics.approved].partitions_count == 5
    assert [row.topic for row in rows.values() if row.findings] == [raw]
    assert texts(rows[raw]) == ["5 partitions, the settings say 3"]
    assert rows[raw].commands(kafka) == ["export GUARDRAIL_TOPICS__PARTITIONS_COUNT=5"]
    AdminClient({"bootstrap.servers": kafka}).delete_topics([topic for topic in rows if topic != raw])


def test_differences_are_told(kafka: str, fresh_topics: FreshTopics) -> None:
    """Partitions that don't line up, a narrow topic, compaction where records would be lost or where it is missing."""
    [raw, approved, plain] = fresh_topics("raw", "approved", "plain", partitions=2)
    [narrow] = fresh_topics("narrow", partitions=1, config={"max.message.bytes": 5_000})
    [compacted] = fresh_topics("compacted", partitions=2, config={"cleanup.policy": "compact"})
    settings = named(kafka, raw=raw, approved=approved, corrected=narrow, decisions=compacted, policies=plain)
    rows = known(settings, {raw, approved, plain, narrow, compacted})
    assert "max.message.bytes is 5000" in " ".join(texts(rows[narrow]))
    assert "1 partitions, the raw topic has 2" in " ".join(texts(rows[narrow]))
    assert "records would be lost" in " ".join(texts(rows[compacted]))
    assert "what is in force would be deleted" in " ".join(texts(rows[plain]))
    assert rows[raw].commands(kafka)[0].endswith(f"--alter --topic {raw} --partitions 3")


def test_what_mends_a_topic_is_told(kafka: str, fresh_topics: FreshTopics) -> None:
    """Records that go too early, lose their time or are refused for it, and copies that may be lost: each with the
    setting that mends it; once that is set, nothing is found.
    """
    fine = {"max.message.bytes": 2_097_152, "min.insync.replicas": 1}
    [raw] = fresh_topics("raw", partitions=3, config=fine)
    [early] = fresh_topics("early", partitions=3, config={**fine, "retention.ms": 3_600_000})
    [stamped] = fresh_topics("stamped", partitions=3, config={**fine, "message.timestamp.type": "LogAppendTime"})
    [strict] = fresh_topics("strict", partitions=3, config={**fine, "message.timestamp.before.max.ms": 60_000})
    [unsafe] = fresh_topics("unsafe", partitions=3, config={**fine, "unclean.leader.election.enable": "true"})
    [stuck] = fresh_topics(
        "stuck", partitions=3, config={**fine, "min.insync.replicas": 2, "retention.ms": 30 * DAY_MS}
    )
    settings = named(
        kafka, raw=raw, approved=early, corrected=stamped, rejected=strict, observations=unsafe, dead_letter=stuck
    )
    settings = settings.model_copy(update={"kept_days": KeptDays(observations=7)})
    mended = {
        early: {"retention.ms": str(7 * DAY_MS)},
        stamped: {"message.timestamp.type": "CreateTime"},
        strict: {"message.timestamp.before.max.ms": str(2**63 - 1)},
        unsafe: {"unclean.leader.election.enable": "false"},
        stuck: {"min.insync.replicas": "1"},
    }
    rows = known(settings, {raw, *mended})
    assert rows[raw].findings == ()
    for topic, config in mended.items():
        [(name, value)] = config.items()
        [command] = rows[topic].commands(kafka)
        assert command.endswith(f"--entity-type topics --entity-name {topic} --add-config {name}={value}")
    assert "nobody can write" in " ".join(texts(rows[stuck]))

    alter = AdminClient({"bootstrap.servers": kafka})
    changes = [
        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        for config in mended.values()
        for name, value in config.items()
    ]
    resources = [
        ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[change])
        for topic, change in zip(mended, changes, strict=True)
    ]
    for done in alter.incremental_alter_configs(resources).values():
        done.result(PATIENCE_S)
    wait_until(lambda: not any(known(settings, {raw})[topic].findings for topic in mended), "all are mended")


def test_too_few_replicas_are_told(kafka: str, fresh_topics: FreshTopics) -> None:
    """Given fewer copies than wanted, then that is said, and how it is changed."""
    [raw] = fresh_topics("raw", partitions=3)
    rows = known(named(kafka, raw=raw, replicas_count=3), {raw})
    assert "1 replicas, 3 are wanted (kafka-reassign-partitions.sh)" in texts(rows[raw])


def test_what_one_broker_cannot_show() -> None:
    """Given copies enough and too few of them needed, or a topic bounded by bytes, then that is told; what is compacted
    is bounded by nothing else.
    """
    wanted = {"max.message.bytes": "100", "min.insync.replicas": "2", "retention.ms": "1000"}
    spec = Spec("t", 3, 3, wanted)
    found = {**wanted, "min.insync.replicas": "1", "retention.bytes": "5000"}
    assert [(one.text.split(":")[0], one.setting) for one in findings(spec, Found(3, 3, found), None)] == [
        ("retention.bytes is 5000", "retention.bytes=-1"),
        ("min.insync.replicas is 1, 2 is safer", "min.insync.replicas=2"),
    ]
    assert [*findings(spec, Found(3, 3, {**wanted, "retention.bytes": "-1"}), None)] == []
    compacted = {"max.message.bytes": "100", "min.insync.replicas": "2", "cleanup.policy": "compact"}
    assert [*findings(Spec("t", 3, 3, compacted), Found(3, 3, {**compacted, "retention.bytes": "5000"}), None)] == []


def test_impossible_topics_are_told(kafka: str) -> None:
    """A topic that the broker won't make comes back with the broker's reason."""
    rows = topics.create(named(kafka, raw=".."))
    assert "not created" in " ".join(texts(next(row for row in rows if row.topic == "..")))


def test_the_gates_routes_know_the_limits(kafka: str, fresh_topics: FreshTopics) -> None:
    """Each topic's own limit is asked of the broker; one that could carry no decision is refused by its variable."""
    [wide] = fresh_topics("wide", config={"max.message.bytes": 3_000_000})
    [narrow] = fresh_topics("narrow", config={"max.message.bytes": 1_000})
    known(named(kafka, approved=wide, decisions=narrow), {wide, narrow})
    found = topics.routes(named(kafka, approved=wide))
    assert found.approved.max_bytes == 3_000_000
    assert found.rejected.max_bytes == 1_048_588
    with pytest.raises(SettingsError, match="GUARDRAIL_TOPICS__DECISIONS"):
        topics.routes(named(kafka, decisions=narrow))


def test_a_silent_broker_is_transient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody answers, the failure is one that may heal."""
    monkeypatch.setattr(topics, "WAIT_S", 0.2)
    with pytest.raises(TransientError, match="doesn't answer"):
        topics.check(named("127.0.0.1:9"))
