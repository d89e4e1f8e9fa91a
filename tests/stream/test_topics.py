"""`guardrail topics`: what is missing is made, what differs is told, what exists is left alone."""

from uuid import uuid4

import pytest
from confluent_kafka.admin import AdminClient

from guardrail.errors import SettingsError, TransientError
from guardrail.settings import KafkaSettings, Settings, TopicSettings
from guardrail.stream import topics
from tests.stream.deployment import FreshTopics, wait_until


def named(kafka: str, **given: object) -> Settings:
    """Settings with names that nobody has."""
    made = {role: f"{role}-{uuid4().hex[:8]}" for role in topics._KEPT_DAYS}  # noqa: SLF001  # every role there is
    chosen = TopicSettings.model_validate({**made, "partitions_count": 3, "replicas_count": 1, **given})
    return Settings(kafka=KafkaSettings(bootstrap_servers=kafka), topics=chosen)


def known(settings: Settings, names: set[str]) -> dict[str, topics.Row]:
    """The rows, once the broker knows these new topics: it says "created" a moment earlier."""
    rows: dict[str, topics.Row] = {}

    def all_known() -> bool:
        rows.update({row.topic: row for row in topics.check(settings)})
        return not any({"missing", topics.UNREADABLE} & set(rows[name].findings) for name in names)

    wait_until(all_known, f"{names} are known")
    return rows


def test_missing_topics_are_made(kafka: str) -> None:
    """A check finds them missing, `create` makes them as they should be, and a second check finds nothing."""
    settings = named(kafka)
    assert {row.findings for row in topics.check(settings)} == {("missing",)}
    created = topics.create(settings)
    assert all(row.created and not row.findings for row in created)
    assert {row.topic: row.partitions_count for row in created}[settings.topics.policies] == 1
    assert [row for row in topics.create(settings) if row.created or row.findings] == []
    AdminClient({"bootstrap.servers": kafka}).delete_topics([row.topic for row in created])


def test_differences_are_told(kafka: str, fresh_topics: FreshTopics) -> None:
    """Partitions that don't line up, a narrow topic, compaction where records would be lost or where it is missing."""
    [raw, approved, plain] = fresh_topics("raw", "approved", "plain", partitions=2)
    [narrow] = fresh_topics("narrow", partitions=1, config={"max.message.bytes": 5_000})
    [compacted] = fresh_topics("compacted", partitions=2, config={"cleanup.policy": "compact"})
    settings = named(kafka, raw=raw, approved=approved, corrected=narrow, decisions=compacted, policies=plain)
    rows = known(settings, {raw, approved, plain, narrow, compacted})
    assert "max.message.bytes is 5000" in " ".join(rows[narrow].findings)
    assert "1 partitions, the raw topic has 2" in " ".join(rows[narrow].findings)
    assert "records would be lost" in " ".join(rows[compacted].findings)
    assert "not compacted" in " ".join(rows[plain].findings)


def test_impossible_topics_are_told(kafka: str) -> None:
    """A topic that the broker won't make comes back with the broker's reason."""
    rows = topics.create(named(kafka, raw=".."))
    assert "not created" in " ".join(next(row for row in rows if row.topic == "..").findings)


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
