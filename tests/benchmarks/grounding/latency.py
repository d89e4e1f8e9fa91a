"""What weighing costs once the evidence is compiled: CPU time, one thread, no answer seen before.

The one module here that looks behind the judge's face: the time of the weighing alone shows nowhere else.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guardrail.judge.decide import decide
from guardrail.judge.document import read_response
from guardrail.judge.model import RawRecord
from guardrail.judge.policy import Policies, Policy
from guardrail.judge.record import read_record
from guardrail.judge.subject import Subject
from guardrail.judge.trial import Bench
from guardrail.stream.run import COLLECT_EVERY
from tests import measures
from tests.benchmarks.grounding.judging import BATCH, policy, record
from tests.corpora import grounding as sets
from tests.corpora.grounding import Row

LISTS = 60
"""Lists of passages a set, for the weighing; as many others for the whole decision."""
WARM = 50
"""Answers weighed before the clock counts: lazy imports and tables are nobody's time."""
TURN_PASSAGES = 3


@dataclass(frozen=True, slots=True)
class Latency:
    """Microseconds of CPU an answer, and answers a second on one core."""

    answers: int
    p50: float
    p99: float
    mean: float
    turn_p50: float
    """Of service-desk answers over three passages."""
    turns: int
    decided: int
    decide_mean: float


@dataclass(frozen=True, slots=True)
class _Turn:
    row: Row
    policy: Policy

    @property
    def raw(self) -> RawRecord:
        return record(self.row, agent=self.policy.agent, bring=False)


def latency() -> Latency:
    """Both costs, each over answers of its own."""
    seen: set[str] = set()
    weighed, others = ([turn for name in sets.ALL for turn in _turns(name, part, seen)] for part in (0, 1))
    _spare_the_collector()
    samples = [_weigh_us(turn) for turn in weighed]
    kept = list(zip(weighed, samples, strict=True))[WARM:]
    times = [sample for _, sample in kept]
    desk = [us for t, us in kept if t.row.id.startswith("desk") and len(t.row.evidence) == TURN_PASSAGES]
    return Latency(
        answers=len(times),
        p50=measures.percentile(times, 0.5),
        p99=measures.percentile(times, 0.99),
        mean=measures.mean(times),
        turn_p50=measures.percentile(desk, 0.5),
        turns=len(desk),
        decided=len(others),
        decide_mean=_decide_us(others),
    )


def _turns(name: str, part: int, seen: set[str]) -> Iterator[_Turn]:
    """Answers of every second list of passages of a set, each list an agent's own evidence; no answer twice."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in sets.rows(name):
        groups.setdefault(row.evidence, []).append(row)
    for number, (passages, rows) in enumerate(list(groups.items())[part :: max(2, len(groups) // LISTS)]):
        agent = policy(rows[0].lang, agent=f"{name}-{part}-{number}", passages=passages)
        for row in rows:
            if row.answer not in seen:
                seen.add(row.answer)
                yield _Turn(row, agent)


def _spare_the_collector() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_EVERY)


def _weigh_us(turn: _Turn) -> float:
    subject = _subject(turn)
    started = time.thread_time_ns()
    _ = subject.weighing
    return (time.thread_time_ns() - started) / 1_000


def _subject(turn: _Turn) -> Subject:
    """The answer on the bench as `decide` puts it there, nothing of it read yet."""
    agent, raw = turn.policy, turn.raw
    found = read_record(raw, {agent.agent: agent}).record
    assert found is not None
    read = read_response(found.response, agent.contract.shape)
    assert read.tree is not None
    return Subject(found, agent, read.tree, read.ambiguous, bench=Bench(agent.layout.limits, raw.source, None))


def _decide_us(turns: Sequence[_Turn]) -> float:
    """The mean of the whole path; the published score's vectors are fitted before, as on a policy's second record."""
    policies: Policies = {turn.policy.agent: turn.policy for turn in turns}
    for agent in policies.values():
        _ = agent.evidence.vectors
    raws = [turn.raw for turn in turns]
    started = time.thread_time_ns()
    for start in range(0, len(raws), BATCH):
        decide(raws[start : start + BATCH], policies)
    return (time.thread_time_ns() - started) / 1_000 / len(raws)
