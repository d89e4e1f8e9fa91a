"""`guardrail watch --file`: kept observations say what the worker would have said, and bad files what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from guardrail.cli import main
from guardrail.drift.flow import Entry, Flow
from guardrail.drift.watch import DEFAULT_TERMS
from guardrail.settings import WatchSettings
from guardrail.watch import entries, run, show, terms
from tests.drift.observations import BEGIN, entry, tally, traffic

PARTITIONS = 2
BAD = list(traffic(3, PARTITIONS, 120, rate=2e-2))


def kcat(one: Entry) -> str:
    """A line of `kcat -J`."""
    told = {"topic": "o", "partition": one.partition, "offset": one.place.offset, "tstype": "create"}
    return json.dumps({**told, "ts": one.place.published_ms, "broker": 0, "key": "k", "payload": one.value.decode()})


def written(tmp_path: Path, *lines: str) -> Path:
    """A file of lines."""
    path = tmp_path / "observations.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_file_says_what_the_topic_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Given the topic's records as kcat prints them, partition after partition, then the alarms are the worker's."""
    lines = sorted(BAD, key=lambda one: one.partition)
    path = written(tmp_path, *map(kcat, lines))
    assert main(["watch", "--json", "--file", str(path)]) == 0
    told = capfd.readouterr().out.splitlines()
    assert told == [alarm.encode().decode() for alarm in Flow(PARTITIONS).run(BAD)]
    assert len(told) >= 5


def test_bare_values_are_read_by_their_own_times(tmp_path: Path) -> None:
    """Given values alone, or record lines, then they are one partition's, and the same drift is found."""
    bare, _ = run(written(tmp_path, "", *(one.value.decode() for one in BAD)), WatchSettings())
    lines = [json.dumps({"timestamp_ms": one.place.published_ms, "value": one.value.decode()}) for one in BAD]
    timed, flow = run(written(tmp_path, *lines), WatchSettings())
    assert {each.stream for each in bare} == {each.stream for each in timed} != set()
    assert flow.unreadable == 0


def test_shows_alarms_and_evidence(tmp_path: Path) -> None:
    """Given drift, then the view tells what began when against what, and each stream with its evidence."""
    last = BAD[-1]._replace(place=BAD[-1].place._replace(offset=10**9), value=b"no observation")
    alarms, flow = run(written(tmp_path, *map(kcat, [*BAD, last])), WatchSettings())
    out = Console(record=True, width=200)
    show(out, alarms, flow)
    text = out.export_text()
    assert "simulation of m (all)" in text
    assert "simulation of m in agent-0 Phone" in text
    assert "1.0e-03 (ceiling)" in text
    assert "drifting; " in text
    assert "1 lines are no observations" in text


def test_a_quiet_file_shows_its_streams(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Given nothing but good trials, then there is no alarm, and the streams are warming."""
    path = written(tmp_path, kcat(entry(0, 0, tally(0, agreed=60).encode())))
    assert main(["watch", "--file", str(path)]) == 0
    out = capfd.readouterr().out
    assert "4 streams, 0 of them drifting; 0 changes of state" in out
    assert "warming" in out


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([kcat(BAD[0]), kcat(BAD[0])], "line 2: offset 0 after 0 of partition 0"),
        ([kcat(BAD[0]._replace(partition=-1))], "line 1: no partition is -1"),
        ([kcat(BAD[0]), "nonsense"], "line 2: not what kcat -J prints"),
        (["{}", "nonsense"], "no line of it is an observation"),
    ],
)
def test_bad_files_are_refused(lines: list[str], said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Given a file that can't be what a topic held, then it says where and why, and exits with 2."""
    assert main(["watch", "--file", str(written(tmp_path, *lines))]) == 2
    assert said in " ".join(capfd.readouterr().err.split())


def test_a_file_that_isnt_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Given a file that isn't there, then it says so, and exits with 2."""
    assert main(["watch", "--file", str(tmp_path / "none")]) == 2
    assert "No such file" in capfd.readouterr().err


def test_terms_are_the_settings() -> None:
    """The settings' defaults are drift's own, and each is passed on."""
    assert terms(WatchSettings()) == DEFAULT_TERMS
    given = terms(WatchSettings(ceiling_rejected=0.4, trials_a_minute=5, false_alarms_a_month=2))
    assert (given.ceilings["rejected"], given.trials_a_minute, given.false_alarms_a_month) == (0.4, 5, 2)


def test_values_may_be_missing() -> None:
    """Given a tombstone, or no time, or one that can't be, then it is a record like others."""
    line = kcat(entry(0, 0, b"x"))
    [tombstone] = entries([line.replace('"x"', "null").encode()])
    assert (tombstone.value, tombstone.place.published_ms) == (b"", BEGIN * 60_000)
    for strange in ("-1", "1" + "0" * 15):
        [found] = entries([line.replace(str(BEGIN * 60_000), strange).encode()])
        assert found.place.published_ms is None


def test_names_are_shown_as_text(tmp_path: Path) -> None:
    """Given a model's name that is markup, or moves a terminal's cursor, then it is shown, and does nothing."""
    made = tally(0, model="[/x]\x1b[2J", agreed=60)
    alarms, flow = run(written(tmp_path, made.encode().decode()), WatchSettings())
    out = Console(record=True, width=200)
    show(out, alarms, flow)
    text = out.export_text()
    assert "simulation of [/x]\N{REPLACEMENT CHARACTER}[2J (all)" in text


def test_a_pipe_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    """Given what can be read once alone, then it says so, rather than to find nothing."""
    assert main(["watch", "--file", "/dev/null"]) == 2
    assert "no regular file" in capfd.readouterr().err
