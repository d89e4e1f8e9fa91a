"""Clients: the deployment's properties pass through, but none that exactly once rests on."""

from pathlib import Path

import pytest

from guardrail.errors import SettingsError
from guardrail.settings import Identity, KafkaSettings, Settings
from guardrail.stream import client

POD = Identity(name="guardrail.0.0", static=True)
ANY = Identity(name="guardrail.x.0", static=False)


def test_properties_reach_their_client(tmp_path: Path) -> None:
    """A plain name goes to every client, a prefixed one to its own; the file yields to the variable."""
    file = tmp_path / "kafka.properties"
    file.write_text("# ours\nsasl.password = a=b\nlinger.ms=1\n\nproducer.linger.ms=50\n")
    kafka = KafkaSettings(
        properties={"security.protocol": "SSL", "consumer.fetch.min.bytes": "9"}, properties_file=file
    )
    consumer = client.consumer_config(Settings(kafka=kafka), ANY)
    producer = client.producer_config(Settings(kafka=kafka), ANY, 2_000_000, 1_000_000)
    assert consumer["sasl.password"] == producer["sasl.password"] == "a=b"
    assert consumer["security.protocol"] == "SSL"
    assert consumer["fetch.min.bytes"] == "9"
    assert producer["linger.ms"] == "50"
    assert "fetch.min.bytes" not in producer
    assert client.admin_config(Settings(kafka=kafka))["security.protocol"] == "SSL"


def test_identities_are_members() -> None:
    """A lasting identity is a static member with time to restart; another one isn't."""
    assert client.consumer_config(Settings(), POD)["group.instance.id"] == "guardrail.guardrail.0.0"
    assert client.consumer_config(Settings(), POD)["session.timeout.ms"] == 30_000
    assert "group.instance.id" not in client.consumer_config(Settings(), ANY)
    assert client.producer_config(Settings(), POD, 1, 1)["transactional.id"] == "guardrail.guardrail.0.0"


def test_the_consumer_protocol_keeps_its_own() -> None:
    """KIP-848 refuses the settings that live on the broker there, so they are left out."""
    config = client.consumer_config(Settings(kafka=KafkaSettings(properties={"group.protocol": "consumer"})), ANY)
    assert "session.timeout.ms" not in config
    client.make_consumer(config).close()


@pytest.mark.parametrize("make", [client.make_consumer, client.make_producer, client.make_admin])
def test_a_wrong_property_is_a_setting(make: object) -> None:
    """A property that librdkafka doesn't have is told by the variable, in librdkafka's words."""
    with pytest.raises(SettingsError, match=r"GUARDRAIL_KAFKA__PROPERTIES: .*no\.such\.thing"):
        make({"group.id": "g", "no.such.thing": "1"})  # type: ignore[operator]  # each takes a config


def test_a_wrong_properties_file_is_a_setting(tmp_path: Path) -> None:
    """A file that isn't there, or that sets what is ours, is told by its variable."""
    file = tmp_path / "kafka.properties"
    with pytest.raises(SettingsError, match="GUARDRAIL_KAFKA__PROPERTIES_FILE"):
        client.properties(KafkaSettings(properties_file=file), "admin")
    file.write_text("isolation.level=read_uncommitted")
    with pytest.raises(SettingsError, match="isolation"):
        client.properties(KafkaSettings(properties_file=file), "admin")
