"""A gate's ways into a cluster that asks who is there, and the rights that docs/security.md gives it."""

import argparse
import json
import re
import shlex
import threading
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path

from confluent_kafka.admin import AclBinding, AclOperation, ResourcePatternType, ResourceType

from guardrail.settings import KafkaSettings, Settings, TopicSettings
from tests.broker.secure import SecureCluster, acl
from tests.stream.deployment import ROOT

DOCS = ROOT / "docs" / "security.md"
PRINCIPAL = "guardrail"
GATES_RIGHTS = "The rights that the gate needs"
PASSWORD = "canary-5e1f-password"  # noqa: S105  # it must never be seen again
KINDS = {"topic": "TOPIC", "group": "GROUP", "transactional_id": "TRANSACTIONAL_ID"}


def commands(text: str) -> Iterator[argparse.Namespace]:
    """The `acls ...` commands of a page, as kafka-acls.sh reads them."""
    parser = argparse.ArgumentParser()
    for name in ("operation", "topic", "group", "transactional-id"):
        parser.add_argument(f"--{name}", action="append", default=[])
    parser.add_argument("--resource-pattern-type", default="literal")
    for line in re.findall(r"^acls (--.+)$", text, re.MULTILINE):
        yield parser.parse_args(shlex.split(line))


def documented(settings: Settings, title: str = GATES_RIGHTS, principal: str = PRINCIPAL) -> list[AclBinding]:
    """The rights that the page gives under a title, for these topics and this group."""
    dead_letter, group = settings.topics.dead_letter, settings.gate.group
    ours = {str(name): str(getattr(settings.topics, role)) for role, name in TopicSettings().model_dump().items()}
    ours |= {
        "guardrail": group,
        "guardrail.guardrail.": f"guardrail.{group}.",
        "guardrail.redrive.llm.responses.dead-letter": f"guardrail.redrive.{dead_letter}",
    }
    return list(_granted(title, principal, ours))


def _granted(title: str, principal: str, names: dict[str, str]) -> Iterator[AclBinding]:
    for one in commands(_section(title)):
        pattern = ResourcePatternType[one.resource_pattern_type.upper()]
        for field, kind in KINDS.items():
            for operation, name in product(one.operation, getattr(one, field)):
                yield acl(principal, _named(operation), kind, names.get(name, name), pattern)


def _section(title: str) -> str:
    """What stands under a title of the page."""
    return re.split(r"^#+ ", DOCS.read_text(encoding="utf-8").partition(f"# {title}\n")[2], flags=re.MULTILINE)[0]


def recipe(title: str) -> dict[str, str]:
    """The properties that the page gives for a login."""
    block = _section(title).partition("```properties\n")[2].partition("```")[0]
    return dict(line.split("=", 1) for line in block.splitlines())


def _named(operation: str) -> str:
    """`DescribeConfigs` as DESCRIBE_CONFIGS."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", operation).upper()


def wanted(right: AclBinding) -> str:
    """How the gate says that this right is missing."""
    kind = ResourceType(right.restype).name.lower().replace("_", " ")
    return f"{AclOperation(right.operation).name} on {kind} {right.name}"


def by_password(cluster: SecureCluster, folder: Path, password: str = PASSWORD) -> KafkaSettings:
    """TLS and SCRAM, all of it in a properties file."""
    mine = {"ssl.ca.location": str(cluster.certificates.authority), "sasl.password": password}
    return _by_file(cluster.address("SCRAM"), folder, recipe("A password") | mine)


def by_certificate(cluster: SecureCluster, folder: Path) -> KafkaSettings:
    """TLS with a client certificate, whose key has a password: that one in a folder of secrets."""
    cluster.certificates.issue(PRINCIPAL, password=PASSWORD)
    made = cluster.certificates.folder
    mine = {
        "ssl.ca.location": str(cluster.certificates.authority),
        "ssl.certificate.location": str(made / f"{PRINCIPAL}.crt"),
        "ssl.key.location": str(made / f"{PRINCIPAL}.key"),
    }
    given = _by_file(cluster.address("MTLS"), folder, recipe("A client certificate") | mine)
    secrets = folder / "secrets"
    secrets.mkdir()
    (secrets / "ssl.key.password").write_text(f"{PASSWORD}\n")
    return given.model_copy(update={"secrets_folder": secrets})


def by_token(cluster: SecureCluster, folder: Path, lifetime_s: float = 3600) -> KafkaSettings:
    """TLS and a token out of a file."""
    token = folder / "token"
    token.write_text(cluster.certificates.token(PRINCIPAL, lifetime_s))
    mine = {"ssl.ca.location": str(cluster.certificates.authority)}
    given = _by_file(cluster.address("OAUTH"), folder, recipe("A token in a file") | mine)
    return given.model_copy(update={"oauth_token_file": token})


def by_provider(cluster: SecureCluster, folder: Path) -> KafkaSettings:
    """TLS and tokens from an identity provider, by librdkafka's own means."""
    mine = {
        "ssl.ca.location": str(cluster.certificates.authority),
        "sasl.oauthbearer.client.secret": PASSWORD,
        "sasl.oauthbearer.token.endpoint.url": _provider(cluster),
    }
    return _by_file(cluster.address("OAUTH"), folder, recipe("A token from an identity provider") | mine)


def _provider(cluster: SecureCluster) -> str:
    """An identity provider of a few lines: whoever knows the secret gets a token."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            known = b64encode(f"{PRINCIPAL}:{PASSWORD}".encode()).decode() in self.headers.get("Authorization", "")
            token = cluster.certificates.token(PRINCIPAL, 3600)
            body = json.dumps({"access_token": token, "token_type": "Bearer", "expires_in": 3600}).encode()
            self.send_response(200 if known else 401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/token"


def _by_file(address: str, folder: Path, properties: dict[str, str]) -> KafkaSettings:
    file = folder / "kafka.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    return KafkaSettings(bootstrap_servers=address, properties_file=file)


def with_line(kafka: KafkaSettings, line: str) -> KafkaSettings:
    """The same with one more line in its file: the last one of a name holds."""
    assert kafka.properties_file is not None
    with kafka.properties_file.open("a") as file:
        file.write(f"{line}\n")
    return kafka
