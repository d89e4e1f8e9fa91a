"""All streams share one budget, whoever comes first; a swap of models launders nothing; somebody may say it's well."""

from collections.abc import Iterator

import pytest

from guardrail.drift.checks import CHECKS, sums
from guardrail.drift.counting import Acknowledged, Closed
from guardrail.drift.observed import Name
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
    minute: int, trials: int, events: int = 0, *, model: str = "m", parameter: str = "Phone", policy: str = "p1"
) -> Closed:
    """A closed minute of a cell: events of conversations that are new."""
    counts = dict.fromkeys(QUADRANTS, 0) | {"agreed": trials - events, "mismatch": events}
    hashes = [minute * 1_000 + each for each in range(events)]
    return Closed(0, minute, Cell("clinic", model, "simulation", parameter), counts, hashes, policy)


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
        Closed(0, 0, Cell("a", "m", "simulation", "P"), counts, [1, 2], "p"),
        Closed(0, 0, Cell("a", "m", "underclaim", "P"), counts, [1, 2, 3], "p"),
        Closed(0, 0, Cell("a", "m", "response", ""), answers, [], "p"),
        Closed(0, 0, Cell("a", "m", "of tomorrow", ""), {"x": 1}, [], "p"),
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
    assert 60 < model.pace < 61


def test_a_volume_is_learnt() -> None:
    """Given a stream with more trials than was expected, then its threshold grows with them."""
    watch = Watch()
    for minute in range(0, 4 * 7 * 24 * 60, 60):
        evaluate(watch, minute, row(minute, 60 * 600))
    assert watch.streams[CELL].pace == pytest.approx(600, rel=0.05)


def test_a_silent_month_is_forgotten() -> None:
    """Given a stream that has been silent for a month, then it takes no part of the budget, and is dropped."""
    watch = Watch()
    evaluate(watch, 0, row(0, 60, parameter="Old"))
    later = MONTH_MINUTES + 1
    evaluate(watch, later, row(later, 60))
    assert watch.streams[CELL].threshold == pytest.approx(watch.streams[CELL].pace * MONTH_MINUTES * 2 * 2 * 2)
    assert {name.parameter for name in watch.forget(later)} == {"Old"}
    assert {name.parameter for name in watch.streams} == {"Phone", ""}


def test_one_conversation_is_one_event_of_a_model() -> None:
    """Given a conversation that fails in two cells, then its model has one event; the next day it may have another."""
    watch = Watch()
    cells = [Closed(0, 0, Cell("clinic", "m", "simulation", p), {"agreed": 9}, [5], "p1") for p in ("Phone", "Email")]
    assert evaluate(watch, 0, *cells) == []
    assert watch.streams[MODEL].stream.events == 1
    assert watch.streams[CELL].stream.events == 1
    later = 24 * 60 + 1
    evaluate(watch, later, Closed(0, later, cells[0].cell, {"agreed": 9}, [5], "p1"))
    assert watch.streams[MODEL].stream.events == 2


def test_a_new_model_is_held_against_the_old() -> None:
    """Given a model that is swapped for one that fails more often, below the ceiling, then that is drift."""
    watch = Watch()
    for minute in range(100):
        evaluate(watch, minute, row(minute, 1_000))
    alarms = [
        alarm
        for minute in range(100, 500)
        for alarm in evaluate(watch, minute, row(minute, 1_000, minute % 2, model="new"))
    ]
    assert ("trend", "drifting") in of(alarms, under(CELL, "new"))
    assert ("trend", "drifting") in of(alarms, under(MODEL, "new"))


def under(name: Name, model: str) -> Name:
    """The same place under another model."""
    return Name(name.scope, name.check, model, name.agent, name.parameter)


def test_a_new_policy_learns_again() -> None:
    """Given a policy that is new to a stream, then it learns again; one that comes back, as a canary's does, changes
    nothing."""
    watch = Watch()
    for minute in range(31):
        evaluate(watch, minute, row(minute, 1_000))
    stream = watch.streams[CELL].stream
    assert not stream.warming
    evaluate(watch, 31, row(31, 10, policy="p2"))
    assert stream.warming
    for minute in range(32, 70):
        evaluate(watch, minute, row(minute, 1_000, policy="p1" if minute % 2 else "p2"))
    assert not stream.warming
    for minute in range(70, 70 + 2 * POLICIES_COUNT):
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
    before = watch.streams[CELL].stream.trials
    assert evaluate(watch, 7, row(7, 1_000, 20)) == []
    assert watch.streams[CELL].stream.trials == before


def test_terms_are_a_deployments_own() -> None:
    """Given another ceiling and more false alarms a month, then streams are held against them."""
    watch = Watch(Terms({**DEFAULT_TERMS.ceilings, "simulation": 0.05}, false_alarms_a_month=1e9))
    evaluate(watch, 0, row(0, 1_000))
    assert watch.streams[CELL].stream.ceiling.detector.rate == 0.05
    assert watch.streams[CELL].threshold == LEAST_THRESHOLD
