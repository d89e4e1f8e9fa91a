"""A deployment's own librdkafka properties and tokens, from variables and mounted files. It must never put a value into
a log or an error: names, places and reasons are enough.

Files are read whenever a client is made, so that what was rotated is used by the next one.
"""

from __future__ import annotations

import binascii
import json
import logging
import time
from base64 import urlsafe_b64decode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from guardrail.errors import SettingsError
from guardrail.settings import KafkaSettings, check_property, variable

LOG = logging.getLogger("guardrail.stream")

Config = dict[str, Any]
Answer = tuple[str, float, str, dict[str, str]]


def properties(kafka: KafkaSettings, client: str) -> Config:
    """Those for a `consumer`, `producer` or `admin` client: the file's, over them the folder's, then the variable's.

    Raises SettingsError.
    """
    made: Config = {}
    for name, value in {**_from_file(kafka), **_from_folder(kafka), **kafka.properties}.items():
        head, _, rest = name.partition(".")
        if head not in ("consumer", "producer"):
            made.setdefault(name, value)
        elif head == client:
            made[rest] = value
    return {**made, **_oauth(kafka)}


def without_values(text: str, config: Config) -> str:
    """What librdkafka says of a wrong property, without the value that it quotes."""
    for value in config.values():
        text = text.replace(f'"{value}"', '"..."')
    return text


class Token(NamedTuple):
    """A JSON web token, as far as a client looks into it. Nothing is verified here: the broker does that."""

    text: str
    expires_s: float
    subject: str


def read_token(file: Path) -> Token:
    """The token of a file. Raises SettingsError for what is no JSON web token (RFC 7519), or one that has expired."""
    name = variable("kafka", "oauth_token_file")
    text = _text(file, name).strip()
    try:
        claims = json.loads(_part(text.split(".")[1]))
        expires_s, subject = float(claims["exp"]), str(claims["sub"])
    except (ValueError, LookupError, TypeError):
        raise SettingsError(f"{name}: {file}: no JSON web token with an `exp` and a `sub`") from None
    if expires_s <= time.time():
        raise SettingsError(f"{name}: {file}: the token expired {time.time() - expires_s:.0f} s ago")
    return Token(text, expires_s, subject)


def _oauth(kafka: KafkaSettings) -> Config:
    """librdkafka's callback for a new token, where one is read from a file. One must be there from the beginning."""
    file = kafka.oauth_token_file
    if file is None:
        return {}
    read_token(file)
    return {"oauth_cb": _refresh(file)}


def _refresh(file: Path) -> Callable[[str], Answer]:
    def refresh(_: str) -> Answer:
        """The file's token; where there is none, librdkafka keeps the old one and asks again after 10 s."""
        try:
            token = read_token(file)
        except SettingsError as failure:
            LOG.error("no token", extra={"reason": str(failure)})
            raise
        LOG.info("token", extra={"subject": token.subject, "expires_in_s": round(token.expires_s - time.time())})
        return token.text, token.expires_s, token.subject, {}

    return refresh


def _part(encoded: str) -> bytes:
    """Base64 as a token has it, without its padding."""
    try:
        return urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except binascii.Error as failure:
        raise ValueError("no base64") from failure


def _from_file(kafka: KafkaSettings) -> Config:
    """`name=value` lines, `#` comments."""
    if kafka.properties_file is None:
        return {}
    name = variable("kafka", "properties_file")
    return dict(_pairs(_text(kafka.properties_file, name), name))


def _pairs(text: str, name: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if line and not line.startswith("#"):
            key, equals, value = line.partition("=")
            if not equals:
                raise SettingsError(f"{name}: line {number} isn't name=value")
            yield _checked(key.strip(), f"{name}: line {number}"), value.strip()


def _from_folder(kafka: KafkaSettings) -> Config:
    """One file for each property. Names with a dot in front are Kubernetes' own."""
    if kafka.secrets_folder is None:
        return {}
    name = variable("kafka", "secrets_folder")
    try:
        files = sorted(file for file in kafka.secrets_folder.iterdir() if not file.name.startswith("."))
    except OSError as failure:
        raise SettingsError(f"{name}: {failure}") from None
    return {_checked(file.name, name): _text(file, name).rstrip("\r\n") for file in files}


def _checked(key: str, name: str) -> str:
    try:
        check_property(key)
    except ValueError as failure:
        raise SettingsError(f"{name}: {failure}") from None
    return key


def _text(file: Path, name: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as failure:
        raise SettingsError(f"{name}: {failure}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{name}: {file}: not UTF-8") from None
