"""Three brokers and a proxy before them, for all fault tests together."""

from collections.abc import Iterator

import pytest

from tests.broker.cluster import missing
from tests.faults.scenario import Bed, bed_of_three

QUICK = {"session_ms": 6_000, "transaction_ms": 5_000, "batch_messages": 100}
"""Short timeouts, so that a fault's consequences come soon; the soak has those of a deployment."""


@pytest.fixture(scope="session")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    """A cluster of three with a proxy."""
    if reason := missing():
        pytest.fail(f"this test needs a real Apache Kafka: {reason}", pytrace=False)
    with bed_of_three(tmp_path_factory.mktemp("faults"), QUICK) as made:
        yield made
