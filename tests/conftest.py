"""Fixtures for the whole suite. A test that asks for `kafka` gets a real broker or fails: nothing is skipped."""

import logging
import os
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from confluent_kafka.admin import AdminClient, NewTopic
from hypothesis import settings

from guardrail import logs
from tests.broker.cluster import Cluster, missing

# A busy machine is no fault of the code: no deadlines. The same examples each time, so that what fails is the change's
# fault; `make soak` looks for new ones.
settings.register_profile("search", deadline=None)
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

ADMIN_TIMEOUT_S = 30  # creating topics takes milliseconds; a broker on a busy machine may take a while


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks every test that needs the broker, so that `-m "not kafka"` leaves exactly those out."""
    for item in items:
        if "kafka" in getattr(item, "fixturenames", ()):
            item.add_marker("kafka")


@pytest.fixture(autouse=True)
def _leave_logs() -> Iterator[None]:
    """A verb that a test runs in this process sets up logs for good: what it has set up goes with the test."""
    ours, root = logging.getLogger("guardrail"), logging.getLogger()
    level = ours.level
    yield
    ours.setLevel(level)
    for handler in [one for one in root.handlers if isinstance(one.formatter, logs.Lines)]:
        root.removeHandler(handler)


@pytest.fixture(scope="session")
def kafka() -> Iterator[str]:
    """The bootstrap address of a real Kafka: the one that GUARDRAIL_TEST_BOOTSTRAP names, else one of our own."""
    if named := os.environ.get("GUARDRAIL_TEST_BOOTSTRAP"):
        yield named
        return
    if reason := missing():
        pytest.fail(
            f"this test needs a real Apache Kafka: {reason}. "
            "Or name a running one in GUARDRAIL_TEST_BOOTSTRAP (host:port,...).",
            pytrace=False,
        )
    with Cluster() as cluster:
        yield cluster.bootstrap


@pytest.fixture
def fresh_topics(kafka: str) -> Iterator[Callable[..., list[str]]]:
    """Creates topics under names that no other test has, and deletes them afterwards.

    `raw, approved = fresh_topics("raw", "approved", partitions=3, config={"max.message.bytes": 2048})`
    """
    admin = AdminClient({"bootstrap.servers": kafka})
    made: list[str] = []

    def create(*names: str, partitions: int = 1, config: dict[str, str | int] | None = None) -> list[str]:
        unique = [f"{name}-{uuid4().hex[:12]}" for name in names or ("topic",)]
        settings = {name: str(value) for name, value in (config or {}).items()}
        wanted = [NewTopic(name, num_partitions=partitions, replication_factor=-1, config=settings) for name in unique]
        for created in admin.create_topics(wanted).values():
            created.result(ADMIN_TIMEOUT_S)
        made.extend(unique)
        return unique

    yield create
    if made:
        for deleted in admin.delete_topics(made).values():
            deleted.exception(ADMIN_TIMEOUT_S)
