"""Faults: what an error asks for goes by its flags, and a loop that keeps failing slows down and then stops."""

import pytest
from confluent_kafka import KafkaError, KafkaException

from guardrail.errors import FencedError
from guardrail.stream.faults import (
    AbortError,
    BrokerError,
    DeniedError,
    Reaction,
    RestartError,
    UnansweredError,
    as_ours,
    consumer_lost,
    denied,
    reaction,
)
from guardrail.stream.recovery import ABORTS_IN_A_ROW, PAUSES_S, RESTARTS_COUNT, Recovery


def error(code: int = 1, *, fatal: bool = False, retriable: bool = False, abort: bool = False) -> KafkaError:
    """An error with these flags."""
    return KafkaError(code, "why", fatal, retriable, abort)


@pytest.mark.parametrize(
    ("given", "wanted", "raised"),
    [
        (error(retriable=True), Reaction.RETRY, AbortError),
        (error(abort=True), Reaction.ABORT, AbortError),
        (error(fatal=True), Reaction.RESTART, RestartError),
        (error(), Reaction.RESTART, RestartError),
        (error(KafkaError.PRODUCER_FENCED, fatal=True), Reaction.FENCED, FencedError),
        (error(KafkaError._FENCED, fatal=True), Reaction.FENCED, FencedError),  # noqa: SLF001  # its public name
        (error(KafkaError.FENCED_INSTANCE_ID, abort=True), Reaction.FENCED, FencedError),
    ],
)
def test_reactions_go_by_flags(given: KafkaError, wanted: Reaction, raised: type[Exception]) -> None:
    """Retriable, abort, restart or fenced: one reaction each, and one error of ours."""
    assert reaction(given) is wanted
    assert isinstance(as_ours(given, "commit"), raised)
    assert "commit" in str(as_ours(given, "commit"))


def test_what_is_not_allowed_is_waited_for() -> None:
    """A right that is missing never ends the gate, however often it is tried, and the pauses grow to a bound."""
    recovery = Recovery()
    fault = as_ours(error(KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, fatal=True), "init")
    assert isinstance(fault, DeniedError)
    pauses = [recovery.note(fault) for _ in range(RESTARTS_COUNT * 4)]
    assert pauses[-1] == PAUSES_S[1]


def test_what_is_not_allowed_is_found_behind_its_consequence() -> None:
    """The broker's word is found through what it was turned into, and nothing is taken for one that isn't."""
    refusal = error(KafkaError.GROUP_AUTHORIZATION_FAILED, abort=True)
    with pytest.raises(AbortError) as caught:
        raise AbortError("offsets") from KafkaException(refusal)
    assert denied(caught.value) == refusal
    assert denied(AbortError("x")) is None
    assert denied(KafkaException(error())) is None
    assert denied(None) is None


@pytest.mark.parametrize(
    ("code", "text", "raised"),
    [
        (KafkaError.FENCED_INSTANCE_ID, "", FencedError),
        (KafkaError._FATAL, "Static consumer fenced by other consumer with same group.instance.id", FencedError),  # noqa: SLF001
        (KafkaError._FATAL, "ConsumerGroupHeartbeat fatal error: The group id does not exist", BrokerError),  # noqa: SLF001
        (KafkaError._ALL_BROKERS_DOWN, "4/4 brokers are down", type(None)),  # noqa: SLF001
    ],
)
def test_what_ends_a_consumer(code: int, text: str, raised: type) -> None:
    """Another one with our name is told from a group that won't have us now; what passes ends nothing."""
    assert isinstance(consumer_lost(KafkaError(code, text)), raised)


def test_aborts_then_a_new_producer() -> None:
    """The first aborts cost nothing but themselves; then a new producer is due, after pauses that grow to a bound."""
    recovery = Recovery()
    asked = [recovery.note(AbortError()) for _ in range(20)]
    assert asked[:ABORTS_IN_A_ROW] == [None] * ABORTS_IN_A_ROW
    pauses = [pause for pause in asked if pause is not None]
    assert pauses == sorted(pauses)
    assert pauses[-1] == PAUSES_S[1]
    recovery.committed()
    assert recovery.note(AbortError()) is None


def test_too_many_restarts_end_the_gate() -> None:
    """Restarting five times in ten minutes may help; the sixth is left to whoever starts us."""
    recovery = Recovery()
    for _ in range(RESTARTS_COUNT):
        assert recovery.note(RestartError()) is not None
        recovery.committed()
    with pytest.raises(BrokerError):
        recovery.note(RestartError("again"))


def test_brokers_that_do_not_answer_end_no_gate() -> None:
    """Given an outage of any length, then each try costs a new producer and a pause: no other process does better."""
    recovery = Recovery()
    pauses = [recovery.note(UnansweredError("held")) for _ in range(10 * RESTARTS_COUNT)]
    assert pauses[0] is not None
    assert pauses[-1] == PAUSES_S[1]
