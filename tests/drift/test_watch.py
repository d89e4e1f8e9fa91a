"""All streams share one budget, whoever comes first; a swap of models launders nothing; somebody may say it's well."""

from collections.abc import Iterator

import pytest

from guardrail.drift.checks import CHECKS, sums
from guardrail.drift.counting import Acknowledged, Closed
from guardrail.drift.monitor import LEARNT_MINUTES
from guardrail.drift.observed import Name
from guardrail.drift.step import packed
from guardrail.drift.tally import QUADRANTS, Cell
from guardrail.drift.watch import (
    DEFAULT_TERMS,
    LEAST_THRESHOLD,
    MONTH_MINUTES,
    POLICIES_COUNT,
    Alarm,
    Terms,
    Watch,
)

CELL = Name("cell", "simulation", "m", "clinic", "Phone")
MODEL = Name("model", "simulation", "m")


def row(
    minute: int,
    trials: int,
    events: int = 0,
    *,
    agent: str = "clinic",
    model: str = "m",
    parameter: str = "Phone",
    policy: str = "p1",
) -> Closed:
    """A closed minute of a cell: events of conversations that are new."""
    counts = {"agreed": trials - events, "mismatch": events}
    hashes = [minute * 1_000 + each for each in range(events)]
    return Closed(0, minute, Cell(agent, model, "simulation", parameter), counts, events, hashes, [policy])


def a_day(watch: Watch, begin: int = 0, **given: str) -> int:
    """A day without an event; the minute after it."""
    for minute in range(begin, begin + LEARNT_MINUTES + 1):
        assert evaluate(watch, minute, row(minute, 100, **given)) == []
    return begin + LEARNT_MINUTES + 1


def evaluate(watch: Watch, minute: int, *told: Closed | Acknowledged) -> list[Alarm]:
    """One minute's alarms."""
    found = sums(told)
    watch.begin(minute, found)
    return watch.evaluate(minute, found)[0]


def bad(watch: Watch, begin: int, minutes: int = 200, **given: str) -> Iterator[Alarm]:
    """Drift to twenty times the ceiling."""
    for minute in range(begin, begin + minutes):
        yield from evaluate(watch, minute, row(minute, 1_000, 20, **given))


def of(alarms: Iterator[Alarm] | list[Alarm], stream: Name) -> list[tuple[str, str]]:
    """What befell one stream."""
    return [(each.monitor, each.state) for each in alarms if each.stream == stream]


def test_watches_the_cell_and_the_model() -> None:
    """Given drift in a cell, then its cell and its model alarm, each once."""
    alarms = list(bad(Watch(), 0))
    assert of(alarms, CELL) == [("ceiling", "drifting")]
    assert of(alarms, MODEL) == [("ceiling", "drifting")]
    assert {each.stream for each in alarms} == {CELL, MODEL}
    assert len({each.id for each in alarms}) == 2


def test_every_check_has_its_streams() -> None:
    """Given tallies of each kind, then each check counts its own trials and events; another version's are left out."""
    counts = dict(zip(QUADRANTS, (1, 2, 4, 8, 16), strict=True))
    answers = {"judged": 9, "rejected": 5, "disordered": 3}
    made = [
        Closed(0, 0, Cell("a", "m", "simulation", "P"), counts, 2, [1], ["p"]),
        Closed(0, 0, Cell("a", "m", "underclaim", "P"), counts, 3, [1, 2, 3], ["p"]),
        Closed(0, 0, Cell("a", "m", "response", ""), answers, 0, [], ["p"]),
        Closed(0, 0, Cell("a", "m", "of tomorrow", ""), {"x": 1}, 0, [], ["p"]),
    ]
    found = {name.check: (one.trials, one.events + len(one.hashes)) for name, one in sums(made).items()}
    assert found == {
        "simulation": (3, 2), "undecided": (62, 32), "underclaim": (12, 3), "rejected": (9, 5), "disordered": (9, 3),
    }  # fmt: skip
    assert found.keys() == CHECKS.keys()


def test_a_budget_is_shared() -> None:
    """Given ten cells of one model, then a cell's threshold is ten times the model's share for as many trials."""
    watch = Watch()
    for minute in range(3):
        evaluate(watch, minute, *(row(minute, 60, parameter=f"P{each}") for each in range(10)))
    cells = [each for name, each in watch.streams.items() if name.scope == "cell" and name.check == "simulation"]
    assert len(cells) == 10
    streams = 2 * 10  # each cell's undecided patterns are a stream as well
    assert cells[0].threshold == pytest.approx(60 * MONTH_MINUTES * 2 * 2 * streams)
    model = watch.streams[MODEL]
    assert model.threshold == pytest.approx(model.pace * MONTH_MINUTES * 2 * 2 * 2)
    assert 60 < model.pace < 600


def test_a_volume_is_learnt() -> None:
    """Given a stream with more trials than was expected, then its threshold grows with them."""
    watch = Watch()
    for minute in range(24 * 60):
        evaluate(watch, minute, row(minute, 600))
    assert watch.streams[CELL].pace == pytest.approx(600, rel=0.05)


def test_a_silent_month_is_forgotten() -> None:
    """Given a stream that has been silent for a month, then it takes no part of the budget, and is dropped."""
    watch = Watch()
    evaluate(watch, 0, row(0, 60, parameter="Old"))
    later = MONTH_MINUTES + 1
    evaluate(watch, later, row(later, 60))
    assert watch.streams[CELL].threshold == pytest.approx(watch.streams[CELL].pace * MONTH_MINUTES * 2 * 2 * 2)
    assert watch.forget(later)[0] == []
    assert {name.parameter for name in watch.streams} == {"Phone", ""}


def test_an_alarm_of_a_silent_stream_ends() -> None:
    """Given a stream that drifts and is silent for a month, then it is told that nobody knows any more."""
    watch = Watch()
    list(bad(watch, 0))
    ended, dropped = watch.forget(200 + MONTH_MINUTES)
    assert {CELL, MODEL} <= set(dropped)
    assert of(ended, CELL) == of(ended, MODEL) == [("all", "forgotten")]
    assert watch.streams == {}


def test_one_conversation_is_one_event_of_a_model() -> None:
    """Given a conversation that fails in two cells, then its model has one event; the next day it may have another."""
    watch = Watch()
    cells = [Cell("clinic", "m", "simulation", parameter) for parameter in ("Phone", "Email")]
    assert evaluate(watch, 0, *(Closed(0, 0, cell, {"agreed": 9}, 2, [5], ["p1"]) for cell in cells)) == []
    assert watch.streams[MODEL].stream.ceiling.since.events == 1 + 2  # of two nobody knows the conversation
    assert watch.streams[CELL].stream.ceiling.since.events == 2
    later = 24 * 60
    evaluate(watch, later, Closed(0, later, cells[0], {"agreed": 9}, 1, [5], ["p1"]))
    assert watch.streams[MODEL].stream.ceiling.since.events == 4


def under(name: Name, model: str) -> Name:
    """The same place under another model."""
    return Name(name.scope, name.check, model, name.agent, name.parameter)


@pytest.mark.parametrize("policy", ["p1", "p2"])
def test_a_new_model_is_held_against_the_old(policy: str) -> None:
    """Given a model that is swapped, with or without a new policy just before, for one that fails more often, below the
    ceiling, then that is drift, in its cell and in all of it."""
    watch = Watch()
    begin = a_day(watch)
    evaluate(watch, begin, row(begin, 100, policy=policy))
    alarms = [
        alarm
        for minute in range(begin + 1, begin + 400)
        for alarm in evaluate(watch, minute, row(minute, 1_000, minute % 2, model="new", policy=policy))
    ]
    assert of(alarms, under(CELL, "new")) == [("trend", "drifting")]
    assert of(alarms, under(MODEL, "new")) == [("trend", "drifting")]


def test_another_mix_of_cells_is_no_drift() -> None:
    """Given an agent at a higher rate that goes on at night, alone, then its model doesn't drift."""
    watch, alarms = Watch(), []
    for minute in range(6 * 24 * 60):
        clinic = row(minute, 300, int(minute % 5 == 0))  # 6.7e-4
        hotel = [row(minute, 2_700, agent="hotel")] if minute % (24 * 60) < 12 * 60 else []
        alarms += evaluate(watch, minute, clinic, *hotel)
    assert alarms == []
    model = watch.streams[MODEL].stream
    assert model.trend is not None
    assert model.baseline == watch.streams[CELL].stream.baseline  # at night


def test_a_new_policy_learns_again() -> None:
    """Given a policy that is new to a stream, then it learns again; one that comes back, as a canary's does, changes
    nothing."""
    watch = Watch()
    begin = a_day(watch)
    stream = watch.streams[CELL].stream
    evaluate(watch, begin, row(begin, 10, policy="p2"))
    assert (stream.begun, stream.trials, stream.warming) == (begin, 10, False)
    for minute in range(begin + 1, begin + 50):
        evaluate(watch, minute, row(minute, 10, policy="p1" if minute % 2 else "p2"))
    assert stream.begun == begin
    for minute in range(begin + 50, begin + 50 + 2 * POLICIES_COUNT):
        evaluate(watch, minute, row(minute, 10, policy=f"q{minute}"))
    assert len(watch.streams[CELL].policies) == POLICIES_COUNT


def test_an_acknowledgement_ends_an_alarm() -> None:
    """Given an alarm that somebody has seen, then it ends, it says who and why, and a baseline is learnt anew."""
    watch = Watch()
    list(bad(watch, 0))
    said = Acknowledged(0, 200, 5, CELL, "ann", "a new form")
    [alarm] = evaluate(watch, 200, said)
    assert (alarm.stream, alarm.monitor, alarm.state) == (CELL, "all", "acknowledged")
    assert (alarm.by, alarm.why) == ("ann", "a new form")
    assert not watch.streams[CELL].stream.drifting
    assert watch.streams[CELL].stream.warming
    assert watch.streams[CELL].stream.begun == 200
    assert watch.streams[MODEL].stream.drifting


def test_nobody_can_acknowledge_what_isnt_there() -> None:
    """Given a name of no stream, or of no check, then nothing happens, and no budget is spent."""
    watch = Watch()
    for name in (CELL, Name("cell", "no check", "m")):
        assert evaluate(watch, 0, Acknowledged(0, 0, 1, name, "ann", "?")) == []
    assert watch.streams == {}


def test_a_minute_that_was_evaluated_stays() -> None:
    """Given a stream that has had a minute, then the same minute changes nothing in it."""
    watch = Watch()
    evaluate(watch, 7, row(7, 1_000, 20))
    before = packed(watch.streams[CELL])
    assert evaluate(watch, 7, row(7, 1_000, 20)) == []
    assert packed(watch.streams[CELL]) == before


def test_terms_are_a_deployments_own() -> None:
    """Given another ceiling and more false alarms a month, then streams are held against them."""
    watch = Watch(Terms({**DEFAULT_TERMS.ceilings, "simulation": 0.05}, false_alarms_a_month=1e9))
    evaluate(watch, 0, row(0, 1_000))
    assert watch.streams[CELL].stream.ceiling.detector.rate == 0.05
    assert watch.streams[CELL].threshold == LEAST_THRESHOLD
    again = Watch(Terms({"simulation": 0.02}), watch.streams.values())
    assert again.streams.keys() == {CELL, MODEL}
    assert again.streams[CELL].stream.baseline == 0.02
