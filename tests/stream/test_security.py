"""A gate on a cluster that asks who is there and what they may do: logins, rights, and secrets that are never told."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from confluent_kafka.admin import AclBinding, AclOperation, ResourcePatternType, ResourceType

from guardrail.cli import EX_SETTINGS
from guardrail.errors import TransientError
from guardrail.judge.decide import decide
from guardrail.judge.model import Outcome, RawRecord
from guardrail.judge.policy import Policies
from guardrail.settings import KafkaSettings, Settings, TopicSettings
from guardrail.stream import topics
from guardrail.stream.letters import Asked
from guardrail.stream.redrive import Redrive
from guardrail.stream.registry import Registry, Writer
from guardrail.stream.run import EXIT_BROKER
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.broker.secure import Certificates, SecureCluster, acl
from tests.scoring import policies
from tests.stream.deployment import (
    PATIENCE_S,
    FreshTopics,
    GateProcess,
    case_records,
    committed,
    deploy,
    gate_process,
    produce,
    result,
    wait_until,
)
from tests.stream.gates import assert_exactly_once, pass_through, running
from tests.stream.records import drifting, record
from tests.stream.secured import (
    KINDS,
    PASSWORD,
    PRINCIPAL,
    by_certificate,
    by_password,
    by_provider,
    by_token,
    documented,
    wanted,
    with_line,
)
from tests.stream.test_guest import demo

SOON_S = 30.0
"""Within that a wrong login must be told, on a busy machine."""
FIRST_TOKEN_S = 15
"""The gate has to be connected within that, on a busy machine."""
Login = Callable[[SecureCluster, Path], KafkaSettings]


@pytest.fixture(scope="module")
def secure() -> Iterator[SecureCluster]:
    """A cluster with a user for the gate."""
    with SecureCluster() as cluster:
        cluster.add_user(PRINCIPAL, PASSWORD)
        yield cluster


@pytest.fixture(scope="module")
def kafka(secure: SecureCluster) -> str:
    """The superuser's way in: for what surrounds the gate."""
    return secure.bootstrap


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


@pytest.fixture
def plain(secure: SecureCluster, fresh_topics: FreshTopics) -> Iterator[Settings]:
    """A deployment as the superuser sees it, with the documented rights for the gate and no others."""
    settings = deploy(secure.bootstrap, fresh_topics)
    secure.allow(*documented(settings))
    yield settings
    secure.withdraw_all()


def seen(plain: Settings, kafka: KafkaSettings, **gate: object) -> Settings:
    """The same deployment as the gate sees it."""
    settings = plain.model_copy(update={"kafka": kafka})
    return settings.model_copy(update={"gate": settings.gate.model_copy(update=gate)})


@pytest.fixture(scope="module")
def mixed(agents: Policies) -> list[RawRecord]:
    """Records for every output topic."""
    cases = case_records()
    corrected = next(r for r, d in zip(cases, decide(cases, agents), strict=True) if d.outcome is Outcome.CORRECTED)
    return [record(), drifting("it is P76041", "k1"), RawRecord(b"{", b"k2"), corrected]


def secrets(kafka: KafkaSettings) -> list[str]:
    """What must not be told of a login: the password, and its token."""
    return [PASSWORD, *([kafka.oauth_token_file.read_text()] if kafka.oauth_token_file else ())]


def assert_told_nothing(gate: GateProcess, kafka: KafkaSettings) -> None:
    """No secret is in a gate's log or on its pages."""
    told = gate.log.read_text() + "".join(
        gate.page(path)[1] for path in ("/readyz", "/policy", "/metrics", "/livez", "/")
    )
    assert not [secret for secret in secrets(kafka) if secret in told]


def committed_all(plain: Settings, count: int) -> Callable[[], bool]:
    """Whether so many raw records lie below the committed offsets."""
    return lambda: sum(max(offset, 0) for offset in committed(plain).values()) >= count


@pytest.mark.parametrize("login", [by_password, by_certificate, by_token, by_provider])
def test_each_mechanism_with_the_documented_rights(
    secure: SecureCluster, plain: Settings, mixed: list[RawRecord], tmp_path: Path, login: Login
) -> None:
    """Given a login by each mechanism of the page, then a gate judges exactly once and tells no secret."""
    kafka = login(secure, tmp_path)
    produce(plain, mixed * 10)
    with gate_process(seen(plain, kafka), tmp_path) as gate:
        gate.wait_for("assigned")
        wait_until(committed_all(plain, 40), "all is committed")
        assert gate.page("/readyz")[1] == "ok\n"
        assert_told_nothing(gate, kafka)
        code, _ = gate.stop()
    assert code == 0, gate.log.read_text()
    found = result(plain)
    assert_exactly_once(plain, found)
    assert all(found.outputs.values()), "each output topic has been written"
    assert "configuration unknown" not in gate.log.read_text()
    assert "policy refused" not in gate.log.read_text()


def optional(settings: Settings) -> list[AclBinding]:
    """The rights that the gate can do without."""
    policies = settings.topics.policies
    return [r for r in documented(settings) if r.operation is AclOperation.DESCRIBE_CONFIGS or r.name == policies]


def needed(settings: Settings) -> list[AclBinding]:
    """The others."""
    return [right for right in documented(settings) if right not in optional(settings)]


def says(gate: Gate, *wants: str) -> bool:
    """Whether a probe is told that these rights are missing."""
    told = gate.health.reason.removeprefix("not allowed: ").split(", ")
    return all(any(one.startswith(want) for one in told) for want in wants)  # a prefix stands for what begins with it


@pytest.mark.parametrize("kind", list(KINDS.values()))
def test_rights_that_are_missing_are_named_and_waited_for(
    secure: SecureCluster, plain: Settings, agents: Policies, mixed: list[RawRecord], tmp_path: Path, kind: str
) -> None:
    """Given rights that were never given, then /readyz names them all, and giving them is enough."""
    missing = [one for one in needed(plain) if one.restype is ResourceType[kind]]
    secure.withdraw(*missing)
    produce(plain, mixed)
    gate = Gate(seen(plain, by_password(secure, tmp_path)), agents)
    with running(gate) as ended:
        wait_until(lambda: bool(ended) or says(gate, *map(wanted, missing)), "they are named", SOON_S)
        assert not gate.health.ready
        secure.allow(*missing)
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == len(mixed), "all is committed")
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
    assert not ended, ended
    assert_exactly_once(plain, result(plain))


@pytest.mark.parametrize("index", range(len(needed(Settings()))), ids=[wanted(one) for one in needed(Settings())])
def test_a_right_taken_away_is_named_and_nothing_is_lost(
    secure: SecureCluster, plain: Settings, agents: Policies, mixed: list[RawRecord], tmp_path: Path, index: int
) -> None:
    """Given a right taken away under load, then /readyz names it, and once it is back all is judged once (F14)."""
    lost = needed(plain)[index]
    produce(plain, mixed)
    gate = Gate(seen(plain, by_password(secure, tmp_path)), agents)
    with running(gate) as ended:
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == len(mixed), "the first are committed")
        secure.withdraw(lost)
        produce(plain, mixed * 5)
        wait_until(lambda: bool(ended) or says(gate, wanted(lost)), "it is named", SOON_S)
        assert not gate.health.ready
        secure.allow(lost)
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == len(mixed) * 6, "all is committed")
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
    assert not ended, ended
    assert_exactly_once(plain, result(plain))


def test_a_writer_that_may_only_look_is_named(
    secure: SecureCluster, plain: Settings, agents: Policies, tmp_path: Path
) -> None:
    """Given a topic that the gate sees and may not write, then the topic isn't said to be missing: the right is."""
    topic = plain.topics.approved
    write = acl(PRINCIPAL, "WRITE", "TOPIC", topic)
    secure.allow(acl(PRINCIPAL, "DESCRIBE", "TOPIC", topic))
    secure.withdraw(write)
    produce(plain, [record()])
    gate = Gate(seen(plain, by_password(secure, tmp_path)), agents)
    with running(gate) as ended:
        wait_until(lambda: bool(ended) or says(gate, wanted(write)), "it is named", SOON_S)
        assert "missing" not in gate.health.reason
        secure.allow(write)
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == 1, "it is committed")
    assert not ended, ended


def test_some_rights_can_be_done_without(
    secure: SecureCluster, plain: Settings, mixed: list[RawRecord], tmp_path: Path
) -> None:
    """Given no right to read configurations and policies, then the gate works, and says what it does without."""
    secure.withdraw(*optional(plain))
    produce(plain, mixed)
    with gate_process(seen(plain, by_password(secure, tmp_path)), tmp_path) as gate:
        wait_until(committed_all(plain, len(mixed)), "all is committed")
        gate.stop()
    log = gate.log.read_text()
    assert log.count("configuration unknown") == len(optional(plain)) - 1
    assert f"{plain.topics.policies}: TOPIC_AUTHORIZATION_FAILED" in log
    assert_exactly_once(plain, result(plain))


def test_at_least_once_needs_no_transactional_id(
    secure: SecureCluster, plain: Settings, agents: Policies, mixed: list[RawRecord], tmp_path: Path
) -> None:
    """Given delivery at least once, then a gate works without the right to its transactional ids."""
    secure.withdraw(*(one for one in needed(plain) if one.restype is ResourceType.TRANSACTIONAL_ID))
    produce(plain, mixed)
    gate = Gate(seen(plain, by_password(secure, tmp_path), delivery="at_least_once"), agents)
    with running(gate) as ended:
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == len(mixed), "all is committed")
    assert not ended, ended
    assert_exactly_once(plain, result(plain))


def wrong_password(secure: SecureCluster, folder: Path) -> KafkaSettings:
    """A password that nobody has, in the variable: it wins over the file."""
    return by_password(secure, folder).model_copy(update={"properties": {"sasl.password": f"{PASSWORD}-wrong"}})


def unknown_authority(secure: SecureCluster, folder: Path) -> KafkaSettings:
    """Another authority than the broker's."""
    other = Certificates(folder, "other")
    return with_line(by_password(secure, folder), f"ssl.ca.location={other.authority}")


def other_host(secure: SecureCluster, folder: Path) -> KafkaSettings:
    """The broker under a name that isn't in its certificate."""
    given = by_password(secure, folder)
    return given.model_copy(update={"bootstrap_servers": secure.address("SCRAM", "localhost")})


def no_certificate(secure: SecureCluster, folder: Path) -> KafkaSettings:
    """None, where the broker asks for one."""
    file = folder / "kafka.properties"
    file.write_text(f"security.protocol=SSL\nssl.ca.location={secure.certificates.authority}\n")
    return KafkaSettings(bootstrap_servers=secure.address("MTLS"), properties_file=file)


def no_tls(secure: SecureCluster, folder: Path) -> KafkaSettings:
    """Plain words, where the broker speaks TLS."""
    return with_line(by_password(secure, folder), "security.protocol=SASL_PLAINTEXT")


def foreign_token(secure: SecureCluster, folder: Path) -> KafkaSettings:
    """A token that another authority has signed."""
    given = by_token(secure, folder)
    (folder / "token").write_text(Certificates(folder, "other").token(PRINCIPAL, 3600))
    return given


@pytest.mark.parametrize(
    ("login", "says"),
    [
        (wrong_password, "invalid credentials with SASL mechanism SCRAM-SHA-512"),
        (unknown_authority, "broker certificate could not be verified, verify that ssl.ca.location"),
        (other_host, "that the broker's certificate names this host"),
        (no_certificate, "alert bad certificate"),
        (no_tls, "brokers are down"),
        (foreign_token, "SASL authentication error"),
    ],
)
def test_a_failing_login_is_told_within_seconds(
    secure: SecureCluster, plain: Settings, tmp_path: Path, login: Login, says: str
) -> None:
    """Given a login that fails, then the log and /readyz say how, not once a try, and the gate ends with 75."""
    kafka = login(secure, tmp_path)
    with gate_process(seen(plain, kafka, start_ms=3_000), tmp_path) as gate:
        gate.wait_for("started")
        wait_until(lambda: says in gate.page("/readyz")[1], "it is told", SOON_S)
        assert gate.page("/readyz")[1].startswith("starting: ")
        assert_told_nothing(gate, kafka)
        assert gate.process.wait(SOON_S) == EXIT_BROKER
        log = gate.log.read_text()
    assert 1 <= sum('"message": "connection"' in line and says in line for line in log.splitlines()) <= 4
    assert "FAIL [" not in log
    assert not [secret for secret in secrets(kafka) if secret in log]


def logged(caplog: pytest.LogCaptureFixture, message: str, key: str) -> list[object]:
    """What a log's lines with this message say under this key."""
    return [vars(line)[key] for line in caplog.records if line.message == message]


def test_tokens_are_refreshed_from_their_file(
    secure: SecureCluster, plain: Settings, agents: Policies, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Given a token that expires, when its file holds a new one, then the gate goes on with that beyond its end."""
    caplog.set_level("INFO")
    kafka = by_token(secure, tmp_path, lifetime_s=FIRST_TOKEN_S)
    made_s = time.time()
    gate = Gate(seen(plain, kafka), agents)
    (tmp_path / "token").write_text(secure.certificates.token(PRINCIPAL, 3600))
    with running(gate) as ended:
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
        wait_until(lambda: time.time() > made_s + FIRST_TOKEN_S + 1, "the first one has expired")
        produce(plain, [record()] * 20)
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == 20, "all is committed")
        assert gate.health.reason == "ok"
    assert not ended, ended
    lifetimes = logged(caplog, "token", "expires_in_s")
    assert min(lifetimes) <= FIRST_TOKEN_S < max(lifetimes)
    assert logged(caplog, "token", "subject") == [PRINCIPAL] * len(lifetimes)
    assert_exactly_once(plain, result(plain))


def test_a_token_that_is_gone_is_told(
    secure: SecureCluster, plain: Settings, agents: Policies, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Given a token that expires with no new one in its file, then the log says so, and a new one is enough."""
    kafka = by_token(secure, tmp_path, lifetime_s=FIRST_TOKEN_S)
    made_s = time.time()
    gate = Gate(seen(plain, kafka), agents)
    with running(gate) as ended:
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready", FIRST_TOKEN_S)
        wait_until(lambda: time.time() > made_s + FIRST_TOKEN_S + 1, "it has expired")
        produce(plain, [record()] * 20)
        wait_until(lambda: bool(logged(caplog, "no token", "reason")), "it is told", SOON_S)
        wait_until(lambda: not gate.health.ready, "the gate isn't ready", SOON_S)
        (tmp_path / "token").write_text(secure.certificates.token(PRINCIPAL, 3600))
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == 20, "all is committed")
        wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
    assert not ended, ended
    assert "the token expired" in str(logged(caplog, "no token", "reason")[0])
    assert_exactly_once(plain, result(plain))


def test_an_expired_token_is_a_setting(secure: SecureCluster, plain: Settings, tmp_path: Path) -> None:
    """Given a token that has expired before the start, then the gate ends with 78 and names the variable."""
    kafka = by_token(secure, tmp_path, lifetime_s=-30)
    with gate_process(seen(plain, kafka), tmp_path) as gate:
        assert gate.process.wait(PATIENCE_S) == EX_SETTINGS
    assert "GUARDRAIL_KAFKA__OAUTH_TOKEN_FILE" in gate.log.read_text()
    assert "expired" in gate.log.read_text()


def test_a_new_password_is_read_at_the_next_start(secure: SecureCluster, plain: Settings, tmp_path: Path) -> None:
    """Given a password that is changed under a gate, then it goes on, and the next one reads the new password."""
    secure.add_user(PRINCIPAL, PASSWORD)
    kafka = by_password(secure, tmp_path)
    try:
        with gate_process(seen(plain, kafka), tmp_path) as gate:
            gate.wait_for("assigned")
            secure.add_user(PRINCIPAL, f"{PASSWORD}-new")
            produce(plain, [record()] * 20)
            wait_until(committed_all(plain, 20), "the first are committed")
            with_line(kafka, f"sasl.password={PASSWORD}-new")
            assert gate.stop()[0] == 0
        with gate_process(seen(plain, kafka), tmp_path) as gate:
            produce(plain, [record()] * 20)
            wait_until(committed_all(plain, 40), "all is committed")
            assert_told_nothing(gate, kafka)
    finally:
        secure.add_user(PRINCIPAL, PASSWORD)
    assert_exactly_once(plain, result(plain))


def test_a_login_that_fails_takes_the_new_password(
    secure: SecureCluster, plain: Settings, fresh_topics: FreshTopics, agents: Policies, tmp_path: Path
) -> None:
    """Given clients that have lost their connections and a password that is no longer valid, then a file is enough."""
    plain = with_topics(plain, policies=fresh_topics("policies")[0])
    secure.allow(*documented(plain))
    kafka = by_password(secure, tmp_path)
    gate, registry = Gate(seen(plain, kafka, transaction_ms=5_000), agents), Registry(seen(plain, kafka))
    assert registry.join()
    try:
        with running(gate) as ended:
            wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
            secure.add_user(PRINCIPAL, f"{PASSWORD}-new")
            secure.close(1)
            secure.start(1)
            wait_until(lambda: bool(ended) or "invalid credentials" in gate.health.reason, "it is told", SOON_S)
            assert not gate.health.ready
            with_line(kafka, f"sasl.password={PASSWORD}-new")
            wait_until(lambda: bool(ended) or gate.health.ready, "the gate is ready")
            produce(plain, [record()] * 20)
            wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) == 20, "all is committed")
            Writer(plain).write("active/a", b"{}")
            wait_until(lambda: registry.poll(0.1), "the register is followed")
        assert not ended, ended
    finally:
        registry.close()
        secure.add_user(PRINCIPAL, PASSWORD)
    assert_exactly_once(plain, result(plain))


def with_topics(plain: Settings, **topics: str) -> Settings:
    """The same with these topics."""
    return plain.model_copy(update={"topics": plain.topics.model_copy(update=topics)})


def as_another(secure: SecureCluster, plain: Settings, folder: Path, name: str, title: str) -> Settings:
    """The deployment as a principal sees it that has the rights under this title of the page, and no others."""
    secure.add_user(name, PASSWORD)
    secure.allow(*documented(plain, title, name))
    return seen(plain, with_line(by_password(secure, folder), f"sasl.username={name}"))


def test_topics_are_made_with_the_documented_rights(secure: SecureCluster, tmp_path: Path) -> None:
    """Given the administrator's documented rights, then `guardrail topics --create` makes the topics, and sees them."""
    few = Settings(topics=TopicSettings(partitions_count=1, replicas_count=1))
    settings = as_another(secure, few, tmp_path, "admin", "The rights that `guardrail topics` needs")
    try:
        assert {row.findings for row in topics.create(settings)} == {()}
        assert {row.findings for row in topics.check(settings)} == {()}
    finally:
        secure.withdraw_all()
        secure.remove(spec.name for spec in topics.specs(settings))


def test_policies_are_read_by_the_gate_and_written_by_others(
    secure: SecureCluster, plain: Settings, fresh_topics: FreshTopics, tmp_path: Path
) -> None:
    """Given the documented rights, then the gate follows the register and can't write it; whoever releases can."""
    [register] = fresh_topics("policies")
    plain = with_topics(plain, policies=register)
    secure.allow(*documented(plain))
    gate = seen(plain, by_password(secure, tmp_path))
    with pytest.raises(TransientError, match="authorization failed"):
        Writer(gate).write("active/a", None)
    folder = tmp_path / "releases"
    folder.mkdir()
    Writer(as_another(secure, plain, folder, "releases", "The right to write policies")).write("active/a", b"{}")
    registry = Registry(gate)
    assert registry.join()
    registry.read_to_end(time.monotonic() + PATIENCE_S)
    registry.close()


def test_letters_are_redriven_with_the_documented_rights(
    secure: SecureCluster, plain: Settings, fresh_topics: FreshTopics, agents: Policies, tmp_path: Path
) -> None:
    """Given the documented rights, then `guardrail redrive` brings every dead letter back."""
    [redriven] = fresh_topics("redriven")
    plain = with_topics(plain, redriven=redriven)
    produce(plain, [RawRecord(b"{", b"k")] * 3)
    pass_through(Gate(plain, agents), 3)
    settings = as_another(secure, plain, tmp_path, "redrive", "The rights that `guardrail redrive` needs")
    assert Redrive(settings, Asked()).run().went.total() == 3
    assert len(result(plain).raws) == 6


def test_the_demo_logs_in_as_the_settings_say(secure: SecureCluster, tmp_path: Path) -> None:
    """Given TLS, a password and every right but removing topics, then the demo runs, and names what it leaves."""
    kafka, prefix = by_password(secure, tmp_path), f"demo-{uuid4().hex[:8]}."
    wide = ResourcePatternType.PREFIXED
    everything = ("CREATE", "READ", "WRITE", "DESCRIBE_CONFIGS")
    secure.allow(
        *(acl(PRINCIPAL, operation, "TOPIC", prefix, wide) for operation in everything),
        *(acl(PRINCIPAL, operation, "GROUP", prefix, wide) for operation in ("READ", "DELETE")),
        acl(PRINCIPAL, "WRITE", "TRANSACTIONAL_ID", f"guardrail.{prefix}", wide),
    )
    try:
        ended = demo(
            *("--bootstrap", kafka.bootstrap_servers, "--prefix", prefix),
            GUARDRAIL_KAFKA__PROPERTIES_FILE=str(kafka.properties_file),
        )
    finally:
        secure.withdraw_all()
    assert "Real Kafka, with isolation" in ended.stdout, ended.stderr
    assert PASSWORD not in ended.stdout + ended.stderr
    [left] = [line for line in ended.stdout.splitlines() if line.startswith("Couldn't be removed: ")]
    there = [topic for topic in secure.admin.list_topics(timeout=PATIENCE_S).topics if topic.startswith(prefix)]
    assert sorted(left.removeprefix("Couldn't be removed: ").split(", ")) == sorted(there)
    assert ended.returncode == 1
    secure.remove(there)
