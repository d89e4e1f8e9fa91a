"""`guardrail calibrate` as a user runs it: what it reads, writes, says and how it ends."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from guardrail.demo import FOLDER
from guardrail.policies import load_policy
from tests.calibration.labelled import UNLIKE, bare, labelled, supported
from tests.judge.turns import HOTEL
from tests.test_cli import at_once, guardrail, lines

LABELLED = FOLDER / "labelled.jsonl"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """The small policy as a file in a folder of its own."""
    path = tmp_path / "policies" / "hotel.json"
    path.parent.mkdir()
    path.write_text(json.dumps(HOTEL), encoding="utf-8")
    return path


def test_the_bundled_answers_give_a_threshold_that_a_policy_takes(tmp_path: Path) -> None:
    """Given the demo's policy and labelled answers, then standard output is a fragment that completes the policy."""
    ended = guardrail("calibrate", "--policy", FOLDER / "hotel.yaml", LABELLED)
    assert ended.returncode == 0, ended.stderr
    whole = tmp_path / "whole.yaml"
    whole.write_text((FOLDER / "hotel.yaml").read_text(encoding="utf-8") + ended.stdout, encoding="utf-8")
    found = load_policy(whole).layout.grounding.calibration
    assert found is not None
    assert (found.level, found.answers) == (0.05, 24)
    assert ended.stdout == guardrail("calibrate", "--policy", FOLDER, stdin=LABELLED.read_text("utf-8")).stdout
    agent, good, documents, bad = ended.stderr.splitlines()[1].split()[:4]
    assert (agent, good, documents, bad) == ("hotel", "24", "22", "6")


def test_too_few_answers_give_a_warning_and_no_threshold(policy: Path) -> None:
    """Given answers on too few documents, then the fragment is comments alone, there is a plain warning, and exit 0."""
    shared = [labelled(record, document="d") for record in supported(12)]
    few, clustered, enough = (
        guardrail("calibrate", "--policy", policy, stdin=lines(*found))
        for found in (supported(18), [*shared, *supported(10)], [*shared, *supported(18)])
    )
    for ended, count in ((few, 18), (clustered, 11)):
        assert ended.returncode == 0
        assert yaml.safe_load(ended.stdout) is None
        assert f"hotel: {count} documents with known-good answers, level 0.05 needs 19: no threshold" in ended.stderr
    assert yaml.safe_load(enough.stdout)["grounding"]["calibration"]["answers"] == 30
    assert "needs" not in enough.stderr


def test_each_level_has_its_own_count(policy: Path) -> None:
    """Given 20 answers, then they suffice for a level of .1 and not for .02; no level is beyond 0 and 1."""
    calibrate: list[str | Path] = ["calibrate", "--policy", policy, "--level"]
    loose, strict, none, all_, nonsense = at_once(
        *([*calibrate, level] for level in ("0.1", "0.02", "0", "1", "few")), stdin=lines(*supported(20))
    )
    assert yaml.safe_load(loose.stdout)["grounding"]["calibration"]["level"] == 0.1
    assert "level 0.02 needs 49" in strict.stderr
    assert [ended.returncode for ended in (none, all_, nonsense)] == [2, 2, 2]
    assert "invalid level value: 'few'" in nonsense.stderr


def test_a_bad_line_stops_it_with_its_number(policy: Path, tmp_path: Path) -> None:
    """Given lines that can't be used, then each is told with its number, exit 2, and nothing is written."""
    stranger = bare("Check-in opens at 3 pm.", agent="motel")
    output = tmp_path / "out.yaml"
    given = lines(*supported(2), "hello", "", stranger, labelled(supported(1)[0], label="ugly"))
    ended = guardrail("calibrate", "--policy", policy, "--output", output, stdin=given)
    assert (ended.returncode, ended.stdout, output.exists()) == (2, "", False)
    assert ended.stderr.splitlines() == [
        "line 3: not a JSON object with fields",
        "line 5: no policy for agent motel",
        'line 6: label "ugly": must be one of good, bad',
    ]
    assert guardrail("calibrate", "--policy", policy).returncode == 2


def test_what_doesnt_count_is_reported(policy: Path) -> None:
    """Given answers without a risk and unreadable responses, then the table says how many of each don't count."""
    others = [bare("Which night would you like?"), {**bare(""), "response": "no JSON"}]
    ended = guardrail("calibrate", "--policy", policy, stdin=lines(*supported(20), *others))
    assert ended.returncode == 0
    assert "1 nothing to check, 1 unreadable" in ended.stderr


def test_many_agents_go_to_a_folder(tmp_path: Path, policy: Path) -> None:
    """Given records of two agents, then an existing folder gets a fragment each, standard output both, and a single
    file is refused.
    """
    (policy.parent / "inn.json").write_text(json.dumps({**HOTEL, "agent": "inn/../x"}), encoding="utf-8")
    given = tmp_path / "in.jsonl"
    both = [record for one in supported(20) for record in (one, {**one, "agent_id": "inn/../x"})]
    given.write_text(lines(*both), encoding="utf-8")
    folder = tmp_path / "fragments"
    folder.mkdir()
    calibrate: list[str | Path] = ["calibrate", "--policy", policy.parent, given]
    there, printed, single = at_once(
        [*calibrate, "--output", folder], calibrate, [*calibrate, "--output", tmp_path / "one.yaml"]
    )
    assert (there.returncode, there.stdout) == (0, "")
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["hotel.calibration.yaml", "inn%2F..%2Fx.calibration.yaml"]
    found = list(yaml.safe_load_all(printed.stdout))
    assert found == [yaml.safe_load((folder / name).read_text("utf-8")) for name in written]
    assert single.returncode == 2
    assert "2 agents (hotel, inn/../x); name an existing folder" in single.stderr


def test_it_never_writes_over_what_it_reads(policy: Path, tmp_path: Path) -> None:
    """Given a policy, its folder or the input as a place to write to, then it is bad usage, and all is still there."""
    given = tmp_path / "in.jsonl"
    given.write_text(lines(*supported(20)), encoding="utf-8")
    calibrate: list[str | Path] = ["calibrate", given, "--policy"]
    ends = at_once(
        [*calibrate, policy, "--output", policy],
        [*calibrate, policy.parent, "--output", policy.parent / "new.yaml"],
        [*calibrate, policy.parent, "--output", policy.parent],
        [*calibrate, policy, "--page", policy],
        [*calibrate, policy, "--output", given],
        [*calibrate, policy, "--page", given],
        [*calibrate, policy, "--page", tmp_path / "gone" / "page.html"],
        [*calibrate, policy, "--cost-miss", "-1"],
        [*calibrate, policy, "--cost-flag", "inf"],
    )
    assert [ended.returncode for ended in ends] == [2] * len(ends)
    assert all(ended.stderr and "Traceback" not in ended.stderr and not ended.stdout for ended in ends)
    assert given.read_text("utf-8") == lines(*supported(20))
    assert [path.name for path in policy.parent.iterdir()] == ["hotel.json"]


def test_a_page_is_written_with_its_costs(policy: Path, tmp_path: Path) -> None:
    """Given bad answers, prices and --page, then the page shows curves and costs, and the fragment is printed too."""
    page = tmp_path / "page.html"
    given = lines(*supported(24), *[labelled(bare(UNLIKE), label="bad")] * 8)
    costs = ("--cost-flag", "3", "--cost-miss", "40")
    ended = guardrail("calibrate", "--policy", policy, "--page", page, *costs, stdin=given)
    assert ended.returncode == 0, ended.stderr
    assert "grounding:" in ended.stdout
    text = page.read_text("utf-8")
    assert text.count("<svg") == 4
    assert "A flagged good answer costs 3, a missed bad one 40" in text
    assert "1.000 (1.000 to 1.000)" in ended.stderr


WITHOUT = "import sys; sys.modules['matplotlib'] = None; from guardrail.cli import main; sys.exit(main(sys.argv[1:]))"
"""The command where matplotlib isn't installed."""


def test_without_matplotlib_only_the_page_is_missing(policy: Path, tmp_path: Path) -> None:
    """Given no matplotlib, then --page says how to get it before any record is read, and without --page all works."""
    page = tmp_path / "page.html"
    given = lines(*supported(20))
    for asked, code in (([], 0), (["--page", str(page)], 2)):
        command = [sys.executable, "-c", WITHOUT, "calibrate", "--policy", str(policy), *asked]
        ended = subprocess.run(command, input=given, capture_output=True, encoding="utf-8", timeout=60, check=False)
        assert ended.returncode == code, ended.stderr
    assert ended.stderr == "calibrate: --page draws with matplotlib: pip install 'guardrail-sidecar[report]'\n"
    assert not page.exists()


def test_a_terminal_sees_a_bar_and_a_file_doesnt(policy: Path, tmp_path: Path) -> None:
    """Given a terminal for standard error, then a bar moves there, and standard output is the fragment alone."""
    given = tmp_path / "in.jsonl"
    given.write_text(lines(*supported(600)), encoding="utf-8")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "guardrail", "calibrate", "--policy", str(policy), str(given)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment) as running:
        os.close(theirs)
        seen = bytearray()
        try:
            while part := os.read(ours, 65_536):
                seen += part
        except OSError:  # the terminal is gone with the command
            pass
        output = running.stdout.read() if running.stdout else b""
    os.close(ours)
    assert running.returncode == 0
    assert b"judging" in seen
    assert b"judging" not in output
    assert yaml.safe_load(output)["grounding"]["calibration"]["answers"] == 600
