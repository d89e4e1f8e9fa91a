"""What is wrong with a connection is told once in a while, in the words that say the most."""

import logging

import pytest
from confluent_kafka import KafkaError

from guardrail.stream import complaints
from guardrail.stream.complaints import Complaints
from guardrail.stream.health import Health

LOGIN = "sasl_ssl://broker:9093/bootstrap: SASL authentication error: invalid credentials"
DOWN = KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down")  # noqa: SLF001  # a public name


def wrong_login(after_ms: int) -> KafkaError:
    """One failed try."""
    return KafkaError(KafkaError._AUTHENTICATION, f"{LOGIN} (after {after_ms}ms in state AUTH_REQ)")  # noqa: SLF001


def test_the_same_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """Many tries that fail alike are one line, without what differs from try to try."""
    heard = Complaints()
    for after_ms in range(300, 400):
        heard(wrong_login(after_ms))
    assert [vars(line)["reason"] for line in caplog.records] == [LOGIN]
    assert caplog.records[0].levelno == logging.ERROR


def test_it_is_logged_again_later(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """What still fails after a while is told again."""
    monkeypatch.setattr(complaints, "REPEAT_S", 0.0)
    heard = Complaints()
    heard(wrong_login(1))
    heard(wrong_login(2))
    assert len(caplog.records) == 2


def test_brokers_down_hides_no_reason() -> None:
    """That all brokers are down is the latest word only where nothing says why."""
    heard = Complaints()
    heard(DOWN)
    assert heard.latest == "1/1 brokers are down"
    heard(wrong_login(1))
    heard(DOWN)
    assert heard.latest == LOGIN


def test_an_old_complaint_explains_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was wrong a while ago isn't given as the reason of what is wrong now."""
    heard = Complaints()
    heard(wrong_login(1))
    monkeypatch.setattr(complaints, "FRESH_S", 0.0)
    assert heard.latest is None


def test_a_complaint_explains_and_decides_nothing() -> None:
    """A gate that gets its records through is ready, whatever a connection says; one that doesn't says why."""
    health = Health(60, lambda: LOGIN)
    assert health.reason == f"starting: {LOGIN}"
    health.committed()
    assert health.reason == f"not in the group: {LOGIN}"
    health.joined = True
    assert (health.ready, health.reason) == (True, "ok")
