"""Settings come from the environment alone, and a wrong one is named."""

from pathlib import Path

import pytest

from guardrail import settings
from guardrail.errors import SettingsError


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the machine that runs the tests."""
    for name in settings.known():
        monkeypatch.delenv(name, raising=False)


def test_defaults_need_no_environment() -> None:
    """Without any variable the settings are those of the contract."""
    found = settings.load()
    assert found.topics.raw == "llm.responses.raw"
    assert found.gate.batch_messages == 500
    assert found.gate.batch_bytes == 8_000_000


def test_two_level_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """`GUARDRAIL_SECTION__NAME` sets one field, JSON where the field is a map."""
    monkeypatch.setenv("GUARDRAIL_KAFKA__BOOTSTRAP_SERVERS", "broker:9092")
    monkeypatch.setenv("GUARDRAIL_KAFKA__PROPERTIES", '{"security.protocol": "SSL", "fetch.max.bytes": 5, "x": true}')
    monkeypatch.setenv("GUARDRAIL_TOPICS__DEAD_LETTER", "dlq")
    found = settings.load()
    assert found.kafka.bootstrap_servers == "broker:9092"
    assert found.kafka.properties == {"security.protocol": "SSL", "fetch.max.bytes": "5", "x": "true"}
    assert found.topics.dead_letter == "dlq"


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("GUARDRAIL_GATE__BATCH_MESSAGES", "many", "GUARDRAIL_GATE__BATCH_MESSAGES: Input should be a valid integer"),
        ("GUARDRAIL_GATE__CPU_MS", "0", "GUARDRAIL_GATE__CPU_MS: Input should be greater"),
        ("GUARDRAIL_GATE__BATCH_MESAGES", "5", "did you mean GUARDRAIL_GATE__BATCH_MESSAGES"),
        ("GUARDRAIL_KAFKA_BOOTSTRAP_SERVERS", "x", "did you mean GUARDRAIL_KAFKA__BOOTSTRAP_SERVERS"),
        ("GUARDRAIL_TOPICS__RAW", "llm.responses.approved", "llm.responses.approved is named for more than one topic"),
        ("GUARDRAIL_TOPICS__RAW", "", "GUARDRAIL_TOPICS__RAW: String should match"),
        ("GUARDRAIL_TOPICS__ALARMS", "bad topic!", "GUARDRAIL_TOPICS__ALARMS: String should match"),
        ("GUARDRAIL_NONSENSE", "x", "GUARDRAIL_NONSENSE: unknown setting"),
        ("GUARDRAIL_KAFKA__PROPERTIES", "{", "GUARDRAIL_KAFKA__PROPERTIES: not a JSON object"),
        ("GUARDRAIL_KAFKA__PROPERTIES", "[]", "GUARDRAIL_KAFKA__PROPERTIES: Input should be a valid dictionary"),
        (
            "GUARDRAIL_KAFKA__PROPERTIES",
            '{"isolation.level": "read_uncommitted"}',
            "isolation.level is set by guardrail",
        ),
        ("GUARDRAIL_KAFKA__PROPERTIES", '{"consumer.group.id": "x"}', "group.id is set by guardrail"),
    ],
)
def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str, says: str) -> None:
    """The message starts with the variable and says what is wrong with it."""
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=r"^GUARDRAIL_") as caught:
        settings.load()
    assert says in str(caught.value)


@pytest.mark.parametrize("service", ["GUARDRAIL", "GUARDRAIL_METRICS", "GUARDRAIL_ADMIN"])
def test_kubernetes_own_variables_are_let_be(monkeypatch: pytest.MonkeyPatch, service: str) -> None:
    """What Kubernetes sets for a service of our name, or of one that begins with it, is no setting and no error; the
    same names without such a service are."""
    links = ("_PORT", "_SERVICE_PORT", "_SERVICE_PORT_HTTP", "_PORT_9464_TCP", "_PORT_9464_TCP_ADDR")
    for link in links:
        monkeypatch.setenv(service + link, "tcp://10.0.0.1:9464")
    with pytest.raises(SettingsError, match=f"{service}_PORT: unknown setting"):
        settings.load()
    monkeypatch.setenv(f"{service}_SERVICE_HOST", "10.0.0.1")
    settings.load()


@pytest.mark.parametrize(
    ("hostname", "name", "static"),
    [
        ("guardrail-0", "guardrail.0.0", True),
        ("guardrail-12", "guardrail.12.0", True),
        ("guardrail-7d9f8b6c5-24567", None, False),
        ("guardrail-2-3", "guardrail.3.0", True),
        ("ip-10-0-12-34", None, False),
        ("laptop", None, False),
    ],
)
def test_identity_by_hostname(hostname: str, name: str | None, static: bool) -> None:
    """A StatefulSet's ordinal is an identity that lasts; the random end of a Deployment's pod isn't one."""
    found = settings.load().identity(hostname)
    assert found.static is static
    assert name in (None, found.name)


def test_identity_as_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A given ordinal and proc win over the hostname; `random` wins over both, under the given name if there is one;
    `ordinal` insists on one.
    """
    monkeypatch.setenv("GUARDRAIL_INSTANCE__ORDINAL", "3")
    monkeypatch.setenv("GUARDRAIL_INSTANCE__PROC", "1")
    assert settings.load().identity("x-0").name == "guardrail.3.1"
    monkeypatch.setenv("GUARDRAIL_INSTANCE__IDENTITY", "random")
    assert settings.load().identity("x-0").static is False
    assert settings.load().identity("x-0").name != settings.load().identity("x-0").name
    monkeypatch.setenv("GUARDRAIL_INSTANCE__NAME", "pod-x7f2k")
    assert settings.load().identity("x-0") == settings.Identity(name="guardrail.pod-x7f2k.1", static=False)
    monkeypatch.setenv("GUARDRAIL_INSTANCE__IDENTITY", "auto")
    assert settings.load().identity("x-0").name == "guardrail.3.1"
    monkeypatch.setenv("GUARDRAIL_INSTANCE__IDENTITY", "ordinal")
    monkeypatch.delenv("GUARDRAIL_INSTANCE__ORDINAL")
    assert settings.load().identity("x-0").name == "guardrail.0.1"
    with pytest.raises(SettingsError, match="GUARDRAIL_INSTANCE__ORDINAL"):
        settings.load().identity("laptop")


def test_settings_are_frozen(tmp_path: Path) -> None:
    """Nothing changes a setting once it is loaded, and every field has a variable of its own."""
    found = settings.load(policy=settings.PolicySettings(path=tmp_path))
    assert found.policy.path == tmp_path
    with pytest.raises(ValueError, match="frozen"):
        found.gate.wait_ms = 5  # type: ignore[misc]  # that is the point
    assert len(settings.known()) == len(set(settings.known()))
