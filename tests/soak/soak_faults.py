"""Slow: the fault matrix at full size, with a deployment's timeouts. `make soak`; it writes docs/results/faults.md.

`GUARDRAIL_TEST_STEADY_S` sets how long the row in which nothing happens takes (default 1,800 s). One row: `-k F5`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.broker.proxy import Direction
from tests.faults import poison, refusals, replays, rows
from tests.faults.codes import coded
from tests.faults.page import ABORTED, STALL, Row, write
from tests.faults.reactions import CASES
from tests.faults.rows import Size
from tests.faults.scenario import Bed, bed_of_three
from tests.scoring import policies

STEADY_S = float(os.environ.get("GUARDRAIL_TEST_STEADY_S", "1800"))
FULL = Size(rate=500, least=50_000)
EASY = Size(rate=200, least=10_000)
"""Where the fault takes its time: what waits meanwhile must not hide how soon all flows again."""
GATE = {"session_ms": 15_000}
"""The default; the tests' own is shorter."""
HEALED = "all flows after healing, s"
BOTH = tuple(Direction)
AGENTS = policies()
RESUMED, ATTEMPTS, HELD = "resumed after, s", "attempts a minute", "loop held for, s"

ROWS = (
    Row("F1", "static members killed, 20 x", lambda b: rows.killed(b, FULL, kills=20, static=True), {STALL: 15}),
    Row("F2", "dynamic members killed, 20 x", lambda b: rows.killed(b, FULL, kills=20, static=False), {STALL: 30}),
    Row(
        "F1c",
        "static members killed, 5 x, consumer group protocol",
        lambda b: rows.killed(b, EASY, kills=5, static=True, protocol="consumer"),
        {STALL: 60},
    ),
    Row(
        "F2c",
        "dynamic members killed, 5 x, consumer group protocol",
        lambda b: rows.killed(b, EASY, kills=5, static=False, protocol="consumer"),
        {STALL: 60},
    ),
    Row(
        "F2a",
        "dynamic members killed, 5 x, at least once",
        lambda b: rows.killed(b, EASY, kills=5, static=False, delivery="at_least_once"),
        {STALL: 30},
        once=False,
    ),
    Row(
        "F3",
        "rolling SIGTERM, 2 x, static members",
        lambda b: rows.rolled(b, EASY, rounds=2, static=True),
        {STALL: 3, ABORTED: 0, "exit code": 0, "exit after, s": 10},
    ),
    Row(
        "F3d",
        "the same, dynamic members",
        lambda b: rows.rolled(b, EASY, rounds=2, static=False),
        {STALL: 3, ABORTED: 0, "exit code": 0, "exit after, s": 10},
    ),
    Row(
        "F3n",
        "SIGTERM while the network loses all, and the collector answers nobody",
        lambda b: rows.stopped_while_lost(b, EASY),
        {"exit code": 0, "exit after, s": 10},
    ),
    Row("F4", "SIGSTOP for 8, 20 and 70 s", lambda b: rows.frozen(b, EASY, seconds=(8, 20, 70))),
    Row(
        "F5",
        "brokers killed: leader, both coordinators, controller",
        lambda b: rows.broker_killed(b, EASY, which=tuple(rows.ROLES)),
        {STALL: 30},
    ),
    Row(
        "F5a",
        "brokers killed, at least once: leader, group coordinator, controller",
        lambda b: rows.broker_killed(b, EASY, which=("leader", "group", "controller"), delivery="at_least_once"),
        {STALL: 30},
        once=False,
    ),
    Row("F6", "brokers rolled", lambda b: rows.brokers_rolled(b, EASY, nodes=(1, 2, 3)), {STALL: 10}),
    Row("F7", "cut for 5, 30 and 90 s", lambda b: rows.cut(b, EASY, seconds=(5, 30, 90)), {HEALED: 15}),
    Row("F7h", "half open: connections dead for ever, new ones work", lambda b: rows.forgotten(b, EASY), {HEALED: 15}),
    Row("F7l", "all lost for 30 s", lambda b: rows.held(b, EASY, seconds=30, ways=BOTH), {HEALED: 15}),
    Row(
        "F7q",
        "requests lost for 30 s",
        lambda b: rows.held(b, EASY, seconds=30, ways=(Direction.REQUESTS,)),
        {HEALED: 15},
    ),
    Row(
        "F7a",
        "answers lost for 30 s",
        lambda b: rows.held(b, EASY, seconds=30, ways=(Direction.ANSWERS,)),
        {HEALED: 15},
    ),
    Row(
        "F7z",
        "one gate lost for 30 s, late deliveries",
        lambda b: rows.held(b, EASY, seconds=30, ways=BOTH, alone=True),
        {STALL: 30},
    ),
    Row("F8", "answers to commits 12 s late, for 60 s", lambda b: rows.late_ends(b, EASY, late_s=12, seconds=60)),
    Row("F9", "latency 300 ± 200 ms, for 60 s", lambda b: rows.slow(b, EASY, seconds=60), {ABORTED: 0}),
    Row("F10", "two gates of one name", lambda b: rows.doubled(b, EASY), {STALL: 15, "one ended after, s": 60}),
    Row("F11", "1 to 4 to 1 gates, 6 to 9 partitions", lambda b: rows.scaled(b, EASY), {STALL: 10}),
    Row(
        "F11s",
        "the same, static members: those that go keep their place for a session of 30 s",
        lambda b: rows.scaled(b, EASY, static=True),
        {STALL: 10},
    ),
    Row(
        "F12",
        "each record that we know to break pipelines, 3 x, with aborted ones between; one gate, one partition",
        lambda b: poison.poisoned(b, AGENTS, rounds=3),
        {STALL: 30, "judged otherwise": 0, "harmed": 0, "gates ended": 0},
    ),
    Row(
        "F13",
        "an output topic missing at the start, another deleted in the middle, 60 s each; one gate",
        lambda b: refusals.topic_gone(b, AGENTS, records=2_000, seconds=60)[0],
        {STALL: 30, ATTEMPTS: 60},
    ),
    Row(
        "F13c",
        "too few copies in sync, 60 s; one gate",
        lambda b: refusals.too_few_copies(b, AGENTS, rate=200, seconds=60)[0],
        {RESUMED: 30, ATTEMPTS: 60},
    ),
    Row(
        "F13b",
        "two brokers of three down, 60 s; one gate",
        lambda b: refusals.too_few_brokers(b, AGENTS, rate=200, seconds=60)[0],
        {RESUMED: 60, ATTEMPTS: 60},
    ),
    Row(
        "F15",
        "a scorer that burns 5 s with every call, all of a sudden; two gates",
        lambda b: refusals.slow_check(b, records=60, slow=refusals.burning(5.0))[0],
        {"rebalances": 0, HELD: 60},
    ),
    Row(
        "F15w",
        "a scorer that waits 5 s with every record, all of a sudden; two gates",
        lambda b: refusals.slow_check(b, records=60, slow=refusals.waiting(5.0))[0],
        {"rebalances": 0, HELD: 60},
    ),
    Row(
        "F16",
        "unread input deleted while no gate runs: the next one ends",
        lambda b: refusals.deleted_while_down(b, AGENTS, records=2_000)[0],
    ),
    Row(
        "F16b",
        "unread input deleted under a gate that is behind: it ends",
        lambda b: refusals.deleted_while_behind(b, AGENTS)[0],
    ),
    Row(
        "F16n",
        "a new group on a topic whose beginning is gone",
        lambda b: refusals.old_topic(b, AGENTS, records=2_000),
    ),
    Row(
        "F17",
        "all that is decided judged again, 5 x, beside live traffic",
        lambda b: replays.replayed(b, AGENTS, rate=200, least=10_000, times=5)[0],
        {"different": 0, "partitions moved": 0, "offsets moved": 0},
    ),
    Row(
        "F19",
        "to the consumer group protocol all at once (brokers refuse to mix), back one by one",
        lambda b: rows.other_protocol(b, EASY),
        {STALL: 3, ABORTED: 0, "exit code": 0, "exit after, s": 10},
    ),
    Row(
        "F20",
        "error codes, each once, on the embedded broker; one gate",
        lambda _: coded(list(CASES), AGENTS, records=20)[0],
        {"longest recovery, s": 1, "recoveries in all, s": 60},
    ),
    Row(
        "F21",
        f"nothing, for {STEADY_S / 60:.0f} min at 2,000 records/s, one in forty of an agent's",
        lambda b: rows.steady(b, Size(rate=2_000, least=0), seconds=STEADY_S),
        {"memory grows by, MB a minute": 1, "descriptors grow by, a minute": 0.1},
    ),
)


@pytest.fixture(scope="module")
def bed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bed]:
    """Three brokers; how often they look for transactions that have outlived their time is Kafka's default, too."""
    looks = {"transaction_abort_timed_out_transaction_cleanup_interval_ms": 10_000}
    with bed_of_three(tmp_path_factory.mktemp("faults"), GATE, **looks) as made:
        yield made


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_fault(bed: Bed, row: Row) -> None:
    """Given a fault at full size, then nothing is lost, doubled or reordered, and its goals are met."""
    found = row.run(bed)
    write(row, found)
    print(row.name, found)
    assert row.missed(found) == []
