"""Properties and tokens out of files: what is read, what wins, and that no error quotes a value."""

import json
import os
import time
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest

from guardrail import settings
from guardrail.errors import SettingsError
from guardrail.settings import Identity, KafkaSettings, Settings
from guardrail.stream import client
from guardrail.stream.credentials import properties, read_token

CANARY = "canary-93b1-secret"
ANY = Identity(name="guardrail.x.0", static=False)


def mounted(folder: Path, **secrets: str) -> Path:
    """A folder as Kubernetes mounts a Secret: names link through `..data` into a folder with a date."""
    dated = folder / "..2026_11_30"
    dated.mkdir(parents=True)
    (folder / "..data").symlink_to(dated.name)
    for name, value in secrets.items():
        (dated / name).write_text(value)
        (folder / name).symlink_to(os.path.join("..data", name))  # noqa: PTH118  # a link's text, as the kubelet writes it
    return folder


def test_a_mounted_secret_is_read(tmp_path: Path) -> None:
    """A file's name is a property and its text the value, but for the last line's end; prefixes hold."""
    folder = mounted(tmp_path / "s", **{"sasl.password": "a b\n", "ssl.key.pem": "x\ny\n", "producer.acks": "all"})
    kafka = KafkaSettings(secrets_folder=folder)
    assert properties(kafka, "consumer") == {"sasl.password": "a b", "ssl.key.pem": "x\ny"}
    assert properties(kafka, "producer")["acks"] == "all"


def test_the_nearest_wins(tmp_path: Path) -> None:
    """The variable wins over the folder, and the folder over the file."""
    file = tmp_path / "kafka.properties"
    file.write_text("a=file\nb=file\nc=file\n")
    folder = mounted(tmp_path / "s", b="folder", c="folder")
    kafka = KafkaSettings(properties={"c": "variable"}, properties_file=file, secrets_folder=folder)
    assert properties(kafka, "admin") == {"a": "file", "b": "folder", "c": "variable"}


def test_rotated_secrets_are_used_by_the_next_client(tmp_path: Path) -> None:
    """What a file holds is read whenever a client is configured."""
    folder = mounted(tmp_path / "s", **{"sasl.password": "old"})
    given = Settings(kafka=KafkaSettings(secrets_folder=folder))
    assert client.consumer_config(given, ANY)["sasl.password"] == "old"
    (folder / "sasl.password").write_text("new")
    assert client.producer_config(given, ANY, 1, 1)["sasl.password"] == "new"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"sasl.password: {CANARY}", "line 1 isn't name=value"),
        (f"a=b\n{CANARY}", "line 2 isn't name=value"),
        (f"sasl password {CANARY} = 1", "line 1: a property's name has letters"),
        (f"group.id={CANARY}", "line 1: group.id is set by guardrail itself"),
    ],
)
def test_a_wrong_line_is_named_and_not_quoted(tmp_path: Path, text: str, says: str) -> None:
    """A file's fault is told by variable and line, without a word of it."""
    file = tmp_path / "kafka.properties"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        properties(KafkaSettings(properties_file=file), "admin")
    assert str(caught.value).startswith(f"GUARDRAIL_KAFKA__PROPERTIES_FILE: {says}")
    assert CANARY not in str(caught.value)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    """Bytes that aren't UTF-8 are told by their file."""
    folder = mounted(tmp_path / "s")
    (folder / "ssl.key.pem").write_bytes(b"\xff\x00")
    with pytest.raises(SettingsError, match=r"^GUARDRAIL_KAFKA__SECRETS_FOLDER: .*ssl\.key\.pem: not UTF-8"):
        properties(KafkaSettings(secrets_folder=folder), "admin")


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    """A folder that isn't there is told by its variable."""
    with pytest.raises(SettingsError, match=r"^GUARDRAIL_KAFKA__SECRETS_FOLDER: .*No such file"):
        properties(KafkaSettings(secrets_folder=tmp_path / "none"), "admin")


@pytest.mark.parametrize(
    "given",
    [
        f'{{"sasl.password": ["{CANARY}"]}}',
        f'{{"sasl.password": {{"x": "{CANARY}"}}}}',
        f'["{CANARY}"]',
        f'"{CANARY}"',
        f'{{"sasl.password": "{CANARY}"',
        f'{{"sasl.password {CANARY}": 1}}',
        f'{{"group.id": "{CANARY}"}}',
    ],
)
def test_a_wrong_variable_is_named_and_not_quoted(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    """A fault in the variable is told by its name, without a word of it, in the cause of the error too."""
    monkeypatch.setenv("GUARDRAIL_KAFKA__PROPERTIES", given)
    with pytest.raises(SettingsError, match=r"^GUARDRAIL_KAFKA__PROPERTIES: ") as caught:
        settings.load()
    assert CANARY not in str(caught.value)
    assert caught.value.__suppress_context__


def test_pydantic_quotes_nothing() -> None:
    """Whoever makes settings by hand gets an error without what was given."""
    with pytest.raises(ValueError, match="properties") as caught:
        KafkaSettings(properties={"sasl.password": [CANARY]})  # type: ignore[dict-item]  # that is the point
    assert CANARY not in str(caught.value)


def test_settings_show_no_property() -> None:
    """The settings can be printed: which properties there are, and their values, isn't in it."""
    given = Settings(kafka=KafkaSettings(properties={"sasl.password": CANARY}))
    assert CANARY not in f"{given!r} {given} {given.kafka!r} {given.kafka}"
    assert given.kafka.properties["sasl.password"] == CANARY


@pytest.mark.parametrize("name", ["socket.timeout.ms", "security.protocol", "enable.ssl.certificate.verification"])
def test_a_value_that_librdkafka_refuses_is_not_quoted(name: str) -> None:
    """A value of the wrong kind, a misplaced secret for one, is told by its property's name."""
    given = Settings(kafka=KafkaSettings(properties={name: CANARY}))
    with pytest.raises(SettingsError, match=name) as caught:
        client.make_admin(client.admin_config(given))
    assert CANARY not in str(caught.value)


def token(**claims: object) -> str:
    """A token that nobody has signed."""
    return ".".join(urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({}, claims, {}))


def test_a_token_is_read(tmp_path: Path) -> None:
    """Its end and its subject are its own; a last line's end is no part of it."""
    file = tmp_path / "token"
    expires_s = time.time() + 60
    file.write_text(token(sub="gate", exp=expires_s) + "\n")
    read = read_token(file)
    assert (read.text, read.expires_s, read.subject) == (token(sub="gate", exp=expires_s), expires_s, "gate")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (CANARY, "no JSON web token"),
        (f"{CANARY}.{CANARY}.{CANARY}", "no JSON web token"),
        ("a.?.c", "no JSON web token"),
        (token(sub=CANARY), "no JSON web token"),
        (token(sub=CANARY, exp="soon"), "no JSON web token"),
        (token(exp=9e9), "no JSON web token"),
        (f".{urlsafe_b64encode(b'[]').decode()}.", "no JSON web token"),
        (token(sub=CANARY, exp=1), "the token expired"),
    ],
)
def test_what_is_no_token_is_a_setting(tmp_path: Path, text: str, says: str) -> None:
    """A file that holds none, or one that has expired, is told by the variable, without a word of it."""
    file = tmp_path / "token"
    file.write_text(text)
    given = Settings(kafka=KafkaSettings(oauth_token_file=file))
    with pytest.raises(SettingsError, match=r"^GUARDRAIL_KAFKA__OAUTH_TOKEN_FILE: ") as caught:
        client.consumer_config(given, ANY)
    assert says in str(caught.value)
    assert CANARY not in str(caught.value)


def test_every_client_asks_for_the_token(tmp_path: Path) -> None:
    """Consumer, producer and admin client all get the callback, and it reads the file anew."""
    file = tmp_path / "token"
    file.write_text(token(sub="gate", exp=9e9))
    given = Settings(kafka=KafkaSettings(oauth_token_file=file))
    configs = [client.consumer_config(given, ANY), client.producer_config(given, ANY, 1, 1), client.admin_config(given)]
    file.write_text(token(sub="new", exp=9e9))
    assert [config["oauth_cb"]("")[2] for config in configs] == ["new"] * 3
