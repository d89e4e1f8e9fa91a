"""A gate in a thread of the test's own, and what must hold for all that comes out of one."""

import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from guardrail.judge.model import Decision, Outcome, Quadrant, RawRecord
from guardrail.settings import Settings
from guardrail.stream.embedded import read
from guardrail.stream.worker import Gate
from guardrail.telemetry import names
from tests.stream.deployment import OUTCOMES, PATIENCE_S, Result, wait_until
from tests.stream.sink import Sink, attributes


@contextmanager
def running(gate: Gate) -> Iterator[list[BaseException]]:
    """Runs a gate in a thread; what ends it is in the list."""
    ended: list[BaseException] = []

    def run() -> None:
        try:
            gate.run()
        except BaseException as failure:  # noqa: BLE001  # the test looks at it
            ended.append(failure)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield ended
    finally:
        gate.stop()
        thread.join(PATIENCE_S)
        assert not thread.is_alive(), "the gate doesn't end"


def pass_through(gate: Gate, count: int) -> None:
    """Runs the gate until it has committed so many records."""
    with running(gate) as ended:
        wait_until(lambda: bool(ended) or gate.report.value(names.CONSUMED) >= count, f"{count} records committed")
    assert not ended, ended


def assert_exactly_once(settings: Settings, found: Result) -> None:
    """Every input offset has one decision and one output (none for a tombstone), and every key is in order."""
    everything = Counter((r.source.partition, r.source.offset) for r in found.raws)
    assert Counter((d.source.partition, d.source.offset) for d in found.decisions) == everything
    skipped = {(d.source.partition, d.source.offset) for d in found.decisions if d.outcome is Outcome.SKIPPED}
    outputs = Counter(tuple(map(int, place.split("/")[1:])) for place in found.places())
    assert outputs == Counter(place for place in everything if place not in skipped)
    bootstrap, named = settings.kafka.bootstrap_servers, settings.topics
    for topic in (named.decisions, *(getattr(named, role) for role in OUTCOMES)):
        assert out_of_order(read(bootstrap, [topic])) == []


def ends(settings: Settings) -> dict[int, int]:
    """The end of each raw partition."""
    counted = Counter(r.source.partition for r in read(settings.kafka.bootstrap_servers, [settings.topics.raw]))
    return {partition: counted[partition] for partition in range(4)}


def out_of_order(records: Sequence[RawRecord]) -> list[str]:
    """The sources that come after a later one of their key. Those without one (theirs was cut, or nobody could read it)
    aren't asked: each may have another conversation's place.
    """
    last: dict[bytes | None, int] = defaultdict(lambda: -1)
    wrong = []
    for one in (record for record in records if record.key is not None):
        offset = int(str(one.header("guardrail.source")).rsplit("/", 1)[1])
        if offset < last[one.key]:
            wrong.append(str(one.header("guardrail.source")))
        last[one.key] = offset
    return wrong


def assert_spans(sink: Sink, decisions: Sequence[Decision]) -> None:
    """One span for every mismatch, none besides, in the trace that the decision names."""
    wanted = Counter(
        (d.trace_id, d.source.partition, d.source.offset)
        for d in decisions
        for seen in d.observations
        if seen.quadrant is Quadrant.MISMATCH
    )
    seen = Counter(
        (span.trace_id.hex(), int(found[names.PARTITION]), found[names.OFFSET])
        for span in sink.spans
        if (found := attributes(span))
    )
    assert wanted
    assert seen == wanted
