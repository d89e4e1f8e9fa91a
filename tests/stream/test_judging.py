"""Judging: our own error costs one record, by its failure policy."""

import dataclasses
import time
from collections.abc import Sequence

import pytest

from guardrail.judge import failing
from guardrail.judge.decide import Judged, judge
from guardrail.judge.failing import unjudged
from guardrail.judge.model import Outcome, RawRecord, Reply, Source
from guardrail.judge.policy import Policies
from guardrail.stream import judging
from guardrail.stream.judging import FIRST_MESSAGES, SHARED_SLICE_MESSAGES, SLICE_MESSAGES, Judging
from tests.scoring import policies
from tests.stream.records import drifting, record

SOURCE = Source("raw", 0, 5, 1)


@pytest.fixture(scope="module")
def agents() -> Policies:
    """The clinic's policy, with the failure policy that its name says."""
    closed = policies()["clinic-en"]
    layout = closed.layout.model_copy(update={"on_error": "fail_open", "agent": "open"})
    return {"clinic-en": closed, "open": dataclasses.replace(closed, layout=layout)}


def of(agent: str, template: RawRecord) -> RawRecord:
    """The record for this agent."""
    value = (template.value or b"").replace(b"clinic-en", agent.encode())
    return RawRecord(value, template.key, source=SOURCE)


def breaking(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
    """A judge that every record with BREAK in it breaks."""
    if any(b"BREAK" in (raw.value or b"") for raw in raws):
        raise ZeroDivisionError
    return judge(raws, given)


def test_fail_closed_is_a_dead_letter(agents: Policies) -> None:
    """The record is decided all the same, under the id that the judge would have given it."""
    raw = of("clinic-en", record())
    one = unjudged(raw, agents)
    assert one.decision.outcome is Outcome.DEAD_LETTER
    assert one.decision.on_error == "fail_closed"
    assert one.decision.decision_id == judge([raw], agents)[0].decision.decision_id


def test_fail_open_strips_the_reasoning(agents: Policies) -> None:
    """A response that can be read passes as the model's operational content, unchecked and marked so."""
    one = unjudged(of("open", drifting("it is P76041", "k")), agents)
    assert one.decision.outcome is Outcome.APPROVED
    assert one.decision.on_error == "fail_open"
    assert one.decision.enforced_outcome is Outcome.DEAD_LETTER
    assert isinstance(one.decision.reply, Reply)
    assert one.decision.reply.generated_answer.answer == "Thanks, I noted P76041. it is P76041"


def test_fail_open_passes_what_can_not_be_read(agents: Policies) -> None:
    """A response that nobody can read passes as its original text, an object as its JSON."""
    text = RawRecord(b'{"agent_id":"open","user_message":"hi","response":"so {"}', b"k", source=SOURCE)
    assert unjudged(text, agents).decision.reply == "so {"
    listed = RawRecord(b'{"user_message":"hi","response":[1]}', b"k", (("guardrail.agent", b"open"),), SOURCE)
    assert unjudged(listed, agents).decision.reply == "[1]"


def test_fail_open_in_doubt_is_a_dead_letter(agents: Policies, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the record is no envelope, or reading it is what breaks, nothing passes."""
    broken = RawRecord(b'{"agent_id":"open"}', b"k", source=SOURCE)
    assert unjudged(broken, agents).decision.outcome is Outcome.DEAD_LETTER
    monkeypatch.setattr(failing, "read_response", breaking)
    assert unjudged(of("open", record()), agents).decision.outcome is Outcome.DEAD_LETTER
    assert unjudged(RawRecord(b"junk", source=SOURCE), agents).decision.on_error == "fail_closed"


def test_neighbours_are_judged_as_ever(agents: Policies) -> None:
    """One record that breaks costs itself; each of ours is noted by its class."""
    noted: list[str] = []
    raws = [of("clinic-en", record(text)) for text in ("a", "BREAK", "b")]
    made = Judging(breaking, 1.0, noted.append).judge(raws, agents)
    assert [one.decision.outcome.value for one in made] == ["approved", "dead_letter", "approved"]
    assert noted == ["ZeroDivisionError"]


def test_a_judge_that_loses_count_is_an_own_error(agents: Policies) -> None:
    """A judge that gives fewer decisions than records has failed: no record goes without."""
    made = Judging(lambda *_: [], 1.0, lambda _: None).judge([of("clinic-en", record())], agents)
    assert [one.decision.on_error for one in made] == ["fail_closed"]


def test_the_budget_leaves_the_rest(agents: Policies) -> None:
    """A spent CPU budget gives the first slice alone; times are shared out."""
    raws = [of("clinic-en", record())] * 120
    made = Judging(judge, 0.0, lambda _: None).judge(raws, agents)
    assert [one is not None for one in made] == [True] * FIRST_MESSAGES + [False] * (120 - FIRST_MESSAGES)
    assert all(one.decision.took_us for one in made[:FIRST_MESSAGES] if one)


def test_agents_spend_their_own_share(agents: Policies) -> None:
    """Given an agent whose records burn the whole budget, then the other's are all judged, and some of its own."""

    def burning(raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        until = time.thread_time() + 0.02 * sum(b"clinic-en" in (raw.value or b"") for raw in raws)
        while time.thread_time() < until:
            pass
        return judge(raws, given)

    raws = [of("open" if index % 10 == 5 else "clinic-en", record()) for index in range(200)]
    places = [[i for i in range(200) if i % 10 == 5], [i for i in range(200) if i % 10 != 5]]
    groups = dict(zip(("open", "clinic-en"), places, strict=True))
    made = Judging(burning, 0.2, lambda _: None).judge_shared(raws, agents, groups)
    judged = [index for index, one in enumerate(made) if one is not None]
    assert set(places[0]) < set(judged)
    assert [place for place in judged if place in places[1]] == places[1][: len(judged) - 20]
    assert len(judged) < 120
    assert [one.decision.agent for one in made if one][:6] == ["clinic-en"] * 5 + ["open"]


class Slow:
    """A judge whose calls take so long for each record of an agent, and that notes how many each call had."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self._seconds = seconds
        self.calls: list[tuple[str, int]] = []

    def __call__(self, raws: Sequence[RawRecord], given: Policies) -> list[Judged]:
        judged = judge(raws, given)
        names = [str(one.decision.agent) for one in judged]
        self.calls.append((names[0], len(raws)))
        time.sleep(sum(self._seconds.get(name, 0.0) for name in names))
        return judged


def test_one_agents_quick_records_make_no_others_slice_larger(
    agents: Policies, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a quick agent and a slow one, batch after batch, then the slow one's slices stay small; under a policy that
    is new nobody knows what its records cost, and the first slice is a small one.
    """
    monkeypatch.setattr(judging, "SLOW_S", 0.2)
    slow = Slow({"open": 0.11})
    tried = Judging(slow, 60.0, lambda _: None)
    raws = [of("clinic-en", record())] * 64 + [of("open", record())] * 12
    groups = {"open": range(64, 76), "clinic-en": range(64)}
    for _ in range(3):
        assert None not in tried.judge_shared(raws, agents, groups)
    assert max(count for name, count in slow.calls[1:] if name == "open") <= 4
    assert max(count for name, count in slow.calls if name == "clinic-en") == SHARED_SLICE_MESSAGES
    slow.calls.clear()
    tried.forget(foreign=False)
    tried.judge_shared(raws, agents, {"clinic-en": range(64)})
    assert slow.calls[0] == ("clinic-en", FIRST_MESSAGES)


def test_with_foreign_code_no_slice_grows(agents: Policies) -> None:
    """Given scorers of others, then a slice holds no more than the first, however quick those before it were: a record
    may take any time at any time.
    """
    slow = Slow({})
    tried = Judging(slow, 60.0, lambda _: None)
    raws = [of("clinic-en", record())] * 200
    for foreign, most in ((True, FIRST_MESSAGES), (False, SLICE_MESSAGES)):
        slow.calls.clear()
        tried.forget(foreign=foreign)
        assert None not in tried.judge(raws, agents)
        assert max(count for _, count in slow.calls) == most


def test_waiting_is_bounded_for_the_whole_batch(agents: Policies, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given agents whose checks wait, then no batch takes more than one slice beyond the time for it, and whom it
    doesn't reach comes first in the next; what is judged beside it has what is left,
    and one record where that is nothing.
    """
    monkeypatch.setattr(judging, "WAITED_S", 0.05)
    slow = Slow({"open": 0.06, "clinic-en": 0.06})
    tried = Judging(slow, 60.0, lambda _: None)
    raws = [of("open", record()), of("clinic-en", record())]
    groups = {"open": [0], "clinic-en": [1]}
    first, second = (tried.judge_shared(raws, agents, groups) for _ in range(2))
    assert [one is None for one in first] == [False, True]
    assert [one is None for one in second] == [True, False]
    slow.calls.clear()
    beside = tried.judge_beside("open, canary", [raws[0]] * 30, agents)
    assert [one is None for one in beside] == [False] + [True] * 29
    assert slow.calls == [("open", 1)]
