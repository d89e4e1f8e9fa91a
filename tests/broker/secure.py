"""A real Kafka that asks who is there and what they may do: TLS with SCRAM, with client certificates, with tokens.

It must never be weaker than a production cluster: what isn't granted by an ACL is denied. The plain listener alone is
for the tests themselves: whoever comes that way is a superuser.
"""

import base64
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from tests.broker.cluster import Cluster, free_ports

ADMIN_S = 30
LISTENERS = ("SCRAM", "MTLS", "OAUTH")
ISSUER = "https://issuer.example"
AUDIENCE = "kafka"

_JAAS = "org.apache.kafka.common.security"
_VALIDATOR = f"{_JAAS}.oauthbearer.OAuthBearerValidatorCallbackHandler"
_ANY = (ResourceType.ANY, None, ResourcePatternType.ANY)


class Certificates:
    """An authority and what it has signed, as PEM files in a folder, made by `openssl`: whoever has a JRE from Debian
    has that too.
    """

    def __init__(self, folder: Path, name: str = "ca") -> None:
        """A new authority."""
        self.folder = folder
        self.authority = folder / f"{name}.crt"
        self._key = folder / f"{name}.key"
        self._openssl(
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN=guardrail tests {name}",
            "-keyout", str(self._key), "-out", str(self.authority),
        )  # fmt: skip

    def issue(self, name: str, hosts: str = "IP:127.0.0.1", password: str | None = None) -> Path:
        """`NAME.crt` and `NAME.key` for the subject `CN=NAME`, and both in `NAME.pem`, which it gives back."""
        request, crt, key = (self.folder / f"{name}.{end}" for end in ("csr", "crt", "key"))
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={hosts}\n")
        locked = ["-passout", f"pass:{password}"] if password else ["-nodes"]
        self._openssl(
            "req", "-newkey", "rsa:2048", *locked, "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(request)
        )
        self._openssl(
            "x509", "-req", "-days", "2", "-in", str(request), "-CA", str(self.authority), "-CAkey", str(self._key),
            "-CAcreateserial", "-extfile", str(extensions), "-out", str(crt),
        )  # fmt: skip
        both = self.folder / f"{name}.pem"
        both.write_text(key.read_text() + crt.read_text())
        return both

    def token(self, subject: str, lifetime_s: float, **claims: object) -> str:
        """A JSON web token for this subject, signed with the authority's key (RS256)."""
        body = {"iss": ISSUER, "aud": AUDIENCE, "sub": subject, "iat": int(time.time()), **claims}
        body = {"exp": int(time.time() + lifetime_s), **body}
        signed = (
            f"{_base64(json.dumps({'alg': 'RS256', 'kid': 'tests'}).encode())}.{_base64(json.dumps(body).encode())}"
        )
        signature = self._openssl("dgst", "-sha256", "-sign", str(self._key), given=signed.encode())
        return f"{signed}.{_base64(signature)}"

    def key_set(self) -> Path:
        """The authority's public key as a JWKS file."""
        modulus = self._openssl("rsa", "-in", str(self._key), "-noout", "-modulus").decode().strip().partition("=")[2]
        key = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "tests", "e": "AQAB"}
        path = self.folder / "jwks.json"
        path.write_text(json.dumps({"keys": [{**key, "n": _base64(bytes.fromhex(modulus))}]}))
        return path

    def _openssl(self, *arguments: str, given: bytes | None = None) -> bytes:
        return subprocess.run(["openssl", *arguments], input=given, capture_output=True, check=True).stdout


class SecureCluster(Cluster):
    """One node with StandardAuthorizer. `bootstrap` is the superuser's plain listener, `address(...)` the others."""

    def __init__(self, **settings: str | int) -> None:
        """`settings` as a Cluster takes them."""
        super().__init__(1, **settings)
        self._doors = dict(zip(LISTENERS, free_ports(2 + len(LISTENERS))[2:], strict=True))
        self.certificates = Certificates(Path(tempfile.mkdtemp(prefix="guardrail-certificates-")))
        self.certificates.issue("broker")
        self._keys = self.certificates.key_set().as_uri()
        self.jvm = (*self.jvm, f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={self._keys}")

    def address(self, listener: str, host: str = "127.0.0.1") -> str:
        """Where one of LISTENERS answers."""
        return f"{host}:{self._doors[listener]}"

    def stop(self) -> None:
        """As a Cluster; the certificates go too."""
        super().stop()
        shutil.rmtree(self.certificates.folder, ignore_errors=True)

    @cached_property
    def admin(self) -> AdminClient:
        """A superuser's admin client. It has to outlive what it is asked."""
        return AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def add_user(self, name: str, password: str) -> None:
        """A SCRAM-SHA-512 user, or a new password for one."""
        credential = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        change = UserScramCredentialUpsertion(name, credential, password.encode())
        self.admin.alter_user_scram_credentials([change])[name].result(ADMIN_S)

    def allow(self, *bindings: AclBinding) -> None:
        """Adds ACLs; they hold at once on the one node."""
        for added in self.admin.create_acls(list(bindings)).values():
            added.result(ADMIN_S)

    def withdraw(self, *bindings: AclBinding) -> None:
        """Takes them away again."""
        for removed in self.admin.delete_acls([_exactly(one) for one in bindings]).values():
            assert removed.result(ADMIN_S), "there was no such ACL"

    def withdraw_all(self) -> None:
        """No ACL is left."""
        everything = AclBindingFilter(*_ANY, None, None, AclOperation.ANY, AclPermissionType.ANY)
        self.admin.delete_acls([everything])[everything].result(ADMIN_S)

    def remove(self, topics: Iterable[str]) -> None:
        """Deletes topics."""
        for deleted in self.admin.delete_topics(list(topics)).values():
            deleted.result(ADMIN_S)

    def _properties(self, node: int) -> dict[str, str | int]:
        made = super()._properties(node)
        doors = "".join(f",{name}://127.0.0.1:{port}" for name, port in self._doors.items())
        made["listeners"] = f"{made['listeners']}{doors}"
        made["advertised.listeners"] = f"{made['advertised.listeners']}{doors}"
        made["listener.security.protocol.map"] += ",SCRAM:SASL_SSL,MTLS:SSL,OAUTH:SASL_SSL"  # type: ignore[operator]
        return {
            **made,
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.certificates.folder / "broker.pem"),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.certificates.authority),
            "inter.broker.listener.name": "PLAINTEXT",
            **{f"listener.name.scram.{name}": value for name, value in _SCRAM.items()},
            "listener.name.mtls.ssl.client.auth": "required",
            "listener.name.mtls.ssl.principal.mapping.rules": "RULE:^CN=([^,]+).*$/$1/",
            **{f"listener.name.oauth.{name}": value for name, value in _OAUTH.items()},
            "listener.name.oauth.sasl.oauthbearer.jwks.endpoint.url": self._keys,
        }


_SCRAM = {
    "sasl.enabled.mechanisms": "SCRAM-SHA-512",
    "scram-sha-512.sasl.jaas.config": f"{_JAAS}.scram.ScramLoginModule required;",
}
_OAUTH = {
    "sasl.enabled.mechanisms": "OAUTHBEARER",
    "oauthbearer.sasl.jaas.config": f"{_JAAS}.oauthbearer.OAuthBearerLoginModule required;",
    "oauthbearer.sasl.server.callback.handler.class": _VALIDATOR,
    "sasl.oauthbearer.expected.audience": AUDIENCE,
    "sasl.oauthbearer.expected.issuer": ISSUER,
    "sasl.oauthbearer.clock.skew.seconds": "0",
    "oauthbearer.connections.max.reauth.ms": "3600000",  # without it a connection outlives its token
}


def acl(
    principal: str, operation: str, kind: str, name: str, pattern: ResourcePatternType = ResourcePatternType.LITERAL
) -> AclBinding:
    """`principal` may do `operation` on the resource of this kind and name, from anywhere."""
    return AclBinding(
        ResourceType[kind], name, pattern, f"User:{principal}", "*", AclOperation[operation], AclPermissionType.ALLOW
    )


def _exactly(one: AclBinding) -> AclBindingFilter:
    named: dict[str, Any] = {
        name: getattr(one, name)
        for name in ("restype", "name", "resource_pattern_type", "principal", "host", "operation", "permission_type")
    }
    return AclBindingFilter(**named)


def _base64(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).decode().rstrip("=")
