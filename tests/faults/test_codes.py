"""Whatever error the broker answers: nothing is lost or doubled, the gate does what the error asks for, and soon."""

import time

import pytest
from confluent_kafka import Consumer, KafkaError, TopicPartition

from guardrail.judge.policy import Policies
from guardrail.settings import Settings
from guardrail.stream import client
from guardrail.stream.faults import DENIED, RefusedError
from guardrail.stream.publisher import Publisher, Transactional
from guardrail.stream.routing import Outgoing
from guardrail.stream.source import AssignedSource
from tests.faults.codes import Watched, attempt, coded
from tests.faults.reactions import AT_START, CASES, FENCED, Case, Request
from tests.scoring import policies
from tests.stream.deployment import wait_until

RECORDS_COUNT = 20
SOON_S = 1.0
OPENED_S = 2.0
"""Opening takes its own time."""
WAITED_S = 8.0
WAITED = {
    *(case for case in CASES if case.code in DENIED),  # it asks what it may do, which the embedded broker can't tell
    *(case for case in CASES if case.code == KafkaError.FENCED_INSTANCE_ID),
    *(Case(request, KafkaError.UNKNOWN_MEMBER_ID) for request in (Request.SYNC_GROUP, Request.HEARTBEAT)),
}
"""The embedded broker lets a new member wait until the session of the one it takes the place of is over."""
TRIES_COUNT = 3
"""A machine busy with other work may be late once."""


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The open data's policies."""
    return policies()


@pytest.mark.parametrize("request_kind", Request)
def test_error_codes(agents: Policies, request_kind: Request) -> None:
    """Each error of one kind of request costs what it asks for; who is fenced leaves its name to its heir."""
    wanted = {case: reaction for case, reaction in CASES.items() if case.request is request_kind}
    figures, tried = coded(list(wanted), agents, records=RECORDS_COUNT)
    assert (figures.lost, figures.duplicated, figures.reordered) == (0, 0, 0), tried
    assert {one.case: one.reaction for one in tried} == wanted
    opened = request_kind in AT_START
    assert [one for one in tried if one.reaction == FENCED and one.heirs != 1 + opened] == []
    limits_s = {case: WAITED_S if case in WAITED else OPENED_S if opened else SOON_S for case in wanted}
    late = [one.case for one in tried if one.seconds > limits_s[one.case]]
    assert [case for case in late if fastest_s(case, agents) > limits_s[case]] == []


def fastest_s(case: Case, agents: Policies) -> float:
    """The shortest recovery of several."""
    return min(attempt(case, agents, records=RECORDS_COUNT).seconds for _ in range(TRIES_COUNT))


def test_enough_codes() -> None:
    """The table holds no fewer codes than the matrix asks for, and one of every reaction."""
    assert len({case.code for case in CASES}) >= 33
    assert {reaction.ended for reaction in CASES.values()} == {None, "FencedError", "UnreadDataError"}


def test_a_refusal_is_told_by_whatever_call_meets_it_first() -> None:
    """Given a record that was refused before anybody heard of it, then the next call that fails for it says so."""
    for call in (_send_on, _commit):
        with Watched() as cluster:
            settings = cluster.settings()
            config = client.producer_config(settings, settings.identity(), 1_000_000, 1_000_000)
            publisher = Transactional(lambda config=config: client.make_producer(config), 10.0, lambda: False)
            publisher.open(10.0)
            publisher.begin()
            cluster.fail_next(Request.PRODUCE, [KafkaError.INVALID_RECORD])
            publisher.send(Outgoing(settings.topics.approved, None, b"refused"))
            wait_until(lambda cluster=cluster: cluster.asked(Request.PRODUCE) > 0, "it is sent")
            time.sleep(0.2)  # the answer comes back; were it late, the call would only be the first to wait for it
            with pytest.raises(RefusedError):
                call(publisher, settings)
            publisher.close()


def _send_on(publisher: Publisher, settings: Settings) -> None:
    wait_until(lambda: bool(publisher.send(Outgoing(settings.topics.approved, None, b"next"))), "it is told")  # type: ignore[func-returns-value]


def _commit(publisher: Publisher, settings: Settings) -> None:
    consumer = Consumer({"bootstrap.servers": settings.kafka.bootstrap_servers, "group.id": "g", "log_level": 0})
    try:
        publisher.commit([TopicPartition(settings.topics.raw, 0, 1)], AssignedSource(consumer, settings.topics.raw))
    finally:
        consumer.close()
