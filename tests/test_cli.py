"""The command as a user runs it: what it reads, writes, says and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from guardrail.judge.codes import CODES
from guardrail.version import VERSION
from tests.judge.turns import HOTEL, scope_turn
from tests.scoring import CASES

POLICIES = CASES / "policies"
GOOD = {
    "agent_id": "hotel",
    "message_id": "m-1",
    "user_message": "a room for two nights",
    "response": json.dumps(scope_turn()),
}
REFUSED = {**GOOD, "message_id": "m-2", "response": "no JSON"}
CORRECTED = {**GOOD, "message_id": "m-3", "response": json.dumps(scope_turn("Which night would you like?</content>"))}


def guardrail(*arguments: str | Path, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """The command's end: exit code, standard output and error. Its output is no terminal, and 200 columns wide."""
    return subprocess.run(
        [sys.executable, "-m", "guardrail", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env={**os.environ, "COLUMNS": "200", "PYTHONUTF8": "1", **environment},
    )


Ended = subprocess.CompletedProcess[str]


def at_once(*commands: list[str | Path], stdin: str = "") -> list[Ended]:
    """The ends of several commands, run side by side."""
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda command: guardrail(*command, stdin=stdin), commands))


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small policy as a file."""
    path = tmp_path_factory.mktemp("policy") / "hotel.json"
    path.write_text(json.dumps(HOTEL), encoding="utf-8")
    return path


def lines(*values: Any) -> str:
    """Record lines; text stands as it is."""
    return "".join((value if isinstance(value, str) else json.dumps(value)) + "\n" for value in values)


def decisions(output: str) -> list[dict[str, Any]]:
    """Decision lines."""
    return [json.loads(line) for line in output.splitlines()]


def test_check_reads_standard_input_and_writes_one_decision_a_line(policy: Path) -> None:
    """Given records on standard input, when checked, then there is one decision a record, in order, and a summary."""
    ended = guardrail("check", "--policy", policy, stdin=lines(GOOD, REFUSED, CORRECTED))
    [summary] = ended.stderr.splitlines()
    assert summary.startswith("3 records: 1 approved, 1 corrected, 1 rejected, 0 dead_letter, 0 skipped; ")
    assert "\x1b" not in summary
    assert ended.returncode == 0
    found = decisions(ended.stdout)
    assert [d["message_id"] for d in found] == ["m-1", "m-2", "m-3"]
    assert [d["outcome"] for d in found] == ["approved", "rejected", "corrected"]
    assert all(isinstance(d["took_us"], float) for d in found)


def test_check_reads_a_file_and_writes_one(policy: Path, tmp_path: Path) -> None:
    """Given a file and --output, when checked, then the decisions stand in the output file, and - is standard input."""
    source, sink = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(lines(GOOD, REFUSED), encoding="utf-8")
    ended = guardrail("check", "--policy", policy, "--output", sink, source)
    assert (ended.returncode, ended.stdout) == (0, "")
    found = decisions(sink.read_text(encoding="utf-8"))
    assert [d["outcome"] for d in found] == ["approved", "rejected"]
    piped = guardrail("check", "--policy", policy, "-", stdin=lines(GOOD))
    assert [d["outcome"] for d in decisions(piped.stdout)] == ["approved"]


def test_check_passes_over_blank_lines_and_keeps_bad_ones(policy: Path) -> None:
    """Given blank and bad lines, then blanks give nothing, bad ones dead letters, offsets the line number."""
    ended = guardrail(
        "check", "--policy", policy, stdin=lines("", GOOD, "  ", "hello", '{"value": null}', '{"headers": [1]}', GOOD)
    )
    found = decisions(ended.stdout)
    assert ended.returncode == 0
    assert [d["outcome"] for d in found] == ["approved", "dead_letter", "skipped", "dead_letter", "approved"]
    assert [d["source"]["offset"] for d in found] == [1, 3, 4, 5, 6]


def test_check_keeps_the_order_of_many_lines(policy: Path) -> None:
    """Given more lines than one batch holds, when checked, then decisions come in input order, one a line."""
    records = [{**GOOD, "message_id": f"m-{n}"} for n in range(1_203)]
    ended = guardrail("check", "--policy", policy, stdin=lines(*records))
    assert [d["message_id"] for d in decisions(ended.stdout)] == [record["message_id"] for record in records]


def test_check_takes_a_folder_of_policies() -> None:
    """Given the folder of open policies, when a record of each is checked, then its agent's policy judges it."""
    agents = ("clinic-fr", "bank-en")
    ended = guardrail(
        "check", "--policy", POLICIES, stdin=lines(*({**GOOD, "agent_id": agent} for agent in agents), GOOD)
    )
    found = decisions(ended.stdout)
    assert [d["agent"] for d in found] == [*agents, "hotel"]
    assert [d["policy"] is None for d in found] == [False, False, True]
    assert found[2]["outcome"] == "dead_letter"


def test_check_may_fail_on_an_outcome(policy: Path, tmp_path: Path) -> None:
    """Given --fail-on, when that outcome occurs, then the exit code is 1, and every decision is written all the
    same.
    """
    source = tmp_path / "in.jsonl"
    source.write_text(lines(GOOD, REFUSED), encoding="utf-8")
    check: list[str | Path] = ["check", "--policy", policy, source, "--fail-on"]
    ends = at_once([*check, "rejected"], [*check, "dead_letter"], [*check, "skipped", "--fail-on", "approved"])
    assert [ended.returncode for ended in ends] == [1, 0, 1]
    assert [len(decisions(ended.stdout)) for ended in ends] == [2, 2, 2]


def test_check_never_writes_over_what_it_reads(policy: Path, tmp_path: Path) -> None:
    """Given the input file as --output, then it is bad usage, and the records are still there."""
    source = tmp_path / "in.jsonl"
    source.write_text(lines(GOOD), encoding="utf-8")
    ended = guardrail("check", "--policy", policy, "--output", source, source)
    assert source.read_text(encoding="utf-8") == lines(GOOD)
    assert ended.returncode == 2


def test_check_of_nothing_is_nothing(policy: Path) -> None:
    """Given no lines, when checked, then there are no decisions and exit 0."""
    ended = guardrail("check", "--policy", policy)
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr.startswith("0 records: ")


def test_a_bad_policy_exits_2_with_file_line_and_key(tmp_path: Path) -> None:
    """Given a policy with faults, when a verb loads it, then each stands on standard error with file and line,
    exit 2.
    """
    bad = tmp_path / "bad.yaml"
    bad.write_text("version: 1\nagent: x\npromt: hi\nlimits: {depth: [brackets]}\n", encoding="utf-8")
    for ended in at_once(["check", "--policy", bad], ["lint", bad], stdin=lines(GOOD)):
        assert (ended.returncode, ended.stdout) == (2, "")
        assert f"{bad}:3: promt: unknown key; did you mean prompt?" in ended.stderr.splitlines()
        assert f"{bad}:4: limits.depth: Input should be a valid integer" in ended.stderr.splitlines()
        assert "Traceback" not in ended.stderr


BAD_USAGE: list[list[str | Path]] = [
    ["check"],
    ["check", "--policy", "gone.yaml"],
    ["check", "--policy", POLICIES / "hotel-en.yaml", "--fail-on", "sorrow"],
    ["check", "--policy", POLICIES / "hotel-en.yaml", "gone.jsonl"],
    ["check", "--policy", POLICIES / "hotel-en.yaml", "--output", "gone/out.jsonl"],
    ["lint"],
    ["explain", "param.nonsense"],
    ["nonsense"],
    [],
]


def test_bad_usage_exits_2_and_says_why() -> None:
    """Given usage that can't be meant, when run, then the exit code is 2 and there is a reason, never a traceback."""
    ends = at_once(*BAD_USAGE)
    assert [ended.returncode for ended in ends] == [2] * len(BAD_USAGE)
    assert all(ended.stderr or ended.stdout for ended in ends)
    assert not any("Traceback" in ended.stderr for ended in ends)
    assert "consistency" in ends[BAD_USAGE.index(["explain", "param.nonsense"])].stderr


def test_lint_says_what_an_author_may_want_to_change(policy: Path, tmp_path: Path) -> None:
    """Given a policy, when linted, then agent, revision and remarks are told; strict makes a remark exit 1."""
    whole = tmp_path / "whole.json"
    calibrated = {**HOTEL, "grounding": {"calibration": {"risk": 1.0, "level": 0.05, "answers": 40}}}
    whole.write_text(json.dumps(calibrated), encoding="utf-8")
    plain, strict, clean = at_once(["lint", policy], ["lint", "--strict", policy], ["lint", "--strict", whole])
    assert (plain.returncode, strict.returncode, clean.returncode) == (0, 1, 0)
    assert plain.stdout.startswith("hotel revision ")
    assert "  grounding: not calibrated: a low score only reports" in plain.stdout.splitlines()
    assert plain.stdout.splitlines()[-1] == "1 loaded, 1 remarks"
    assert clean.stdout.splitlines()[-1] == "1 loaded, 0 remarks"


def test_lint_takes_a_folder() -> None:
    """Given the folder of open policies, when linted, then all eighteen are loaded."""
    ended = guardrail("lint", POLICIES)
    assert ended.returncode == 0
    assert ended.stdout.splitlines()[-1].startswith("18 loaded, ")


def test_lint_prints_the_json_schema() -> None:
    """Given --json-schema, then a valid JSON Schema of policy files is printed."""
    ended = guardrail("lint", "--json-schema")
    assert ended.returncode == 0
    schema = json.loads(ended.stdout)
    assert jsonschema_rs.meta.is_valid(schema)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(HOTEL)


def test_explain_tells_one_code_as_it_is() -> None:
    """Given a code, then meaning, example (brackets too), default action and the possible ones are told."""
    told = ("param.simulate_true_mismatch", "param.regex_looser", "transport.stale")
    drift, looser, stale = at_once(*(["explain", name] for name in told))
    assert (drift.returncode, looser.returncode) == (0, 0)
    assert drift.stdout.splitlines() == [
        "param.simulate_true_mismatch",
        f"  {CODES['param.simulate_true_mismatch'].meaning}",
        f"  example: {CODES['param.simulate_true_mismatch'].example}",
        "  default: reject; a policy may set: reject, report, ignore",
    ]
    assert "[A-Za-z] for [A-Z]" in looser.stdout
    assert "default: reject; a policy may set: nothing but stale.action" in stale.stdout


def test_explain_tells_a_family_and_all() -> None:
    """Given a family or nothing, then its codes, or all, are listed with their default actions."""
    family, every = at_once(["explain", "ground"], ["explain"])
    listed = {line.split()[0] for line in family.stdout.splitlines() if line.startswith("ground.")}
    assert listed == {name for name in CODES if name.startswith("ground.")}
    assert all(name in every.stdout for name in CODES)


def test_the_version_names_the_engine() -> None:
    """Given --version, then product and engine are told."""
    ended = guardrail("--version")
    assert ended.returncode == 0
    assert ended.stdout.startswith(f"guardrail {VERSION} (guardrail-{VERSION}+")


def test_a_reader_that_leaves_early_is_no_error(policy: Path) -> None:
    """Given a pipe whose reader stops, when checked, then the command ends without a traceback."""
    command = [sys.executable, "-m", "guardrail", "check", "--policy", str(policy)]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.close()
    _, complaint = writer.communicate((lines(GOOD) * 2_000).encode(), timeout=60)
    assert b"Traceback" not in complaint


WHY: list[tuple[list[str], list[str]]] = [
    (
        ["--pattern", "/^[A-Z]{3}\\d{3}$/", "--value", "abc123", "--format", "3 letters, 3 digits (e.g., AB123)"],
        ["not_matched (tier re2)", "delimiters taken off", "0 characters fit; then [A-Z] is wanted",
         "matches when case is put aside", "'ABC123' matches", "refuses the valid 'AB123': the pattern proves nothing"],
    ),
    (
        ["--pattern", "^\\\\d{3}$", "--value", "123", "--format", "3 digits (e.g., 987)"],
        ["matched (tier re2)", "doubled backslashes halved", "takes '987', the format text's own"],
    ),
    (["--pattern", "^(ab", "--value", "x"], ["invalid: a group isn't closed", "character 2 of the pattern"]),
    (
        ["--pattern", "(a+)(a+)(a+)\\3\\2\\1c", "--value", "a" * 80 + "c"],
        ["matched (tier backtracker)", "(?P<g1>a+)(?P<g2>a+)(?P<g3>a+)(?P=g3)(?P=g2)(?P=g1)c"],
    ),
    (
        ["--pattern", "[A-z]+\\d+", "--value", "AB12", "--policy", str(POLICIES / "hotel-en.yaml"), "--parameter", "?"],
        [],
    ),
]  # fmt: skip


def test_explain_says_why_a_value_matches_or_doesnt() -> None:
    """Given a pattern and a value, then verdict, tier, repairs, reason, hints and the nearest value are told."""
    *told, unknown = at_once(*(["explain", *arguments] for arguments, _ in WHY))
    for ended, (_, lines) in zip(told, WHY[:-1], strict=True):
        assert ended.returncode == 0, ended.stderr
        assert all(line in ended.stdout for line in lines), ended.stdout
    assert unknown.returncode == 2
    assert "no parameter ?; the policy has: " in unknown.stderr


def test_explain_holds_a_pattern_against_a_policys(tmp_path: Path) -> None:
    """Given a policy and its parameter, then examples and the operator's pattern are held against it; as JSON too."""
    policy = tmp_path / "own.json"
    first = {**HOTEL["parameters"][0], "pattern": "^[A-Z]{3}[0-9]{3}$"}
    first["examples"] = {"valid": ["ABC123"], "invalid": ["abc123"]}
    policy.write_text(json.dumps({**HOTEL, "parameters": [first]}), encoding="utf-8")
    given = ["--pattern", "[A-z]{3}\\d{3}", "--value", "ABC123", "--policy", policy]
    known = ["--parameter", first["id"]]
    text, data, half = at_once(
        ["explain", *given, *known], ["explain", *given, *known, "--json"], ["explain", "--pattern", "a"]
    )
    assert "looser beside the operator's own pattern" in text.stdout
    assert "A-z holds six signs beside the letters" in text.stdout
    assert "takes the invalid 'abc123': the pattern proves nothing" in text.stdout
    told = json.loads(data.stdout)
    assert (told["beside"]["relation"], told["explanation"]["run"]["execution"]) == ("looser", "matched")
    assert (half.returncode, "--pattern with --value" in half.stderr) == (2, True)


def test_why_a_broker_is_not_reached_is_told() -> None:
    """Given an address where nobody answers, then each verb says so, and the log what the connection fails on."""

    def run(verb: list[str]) -> Ended:
        return guardrail(*verb, GUARDRAIL_KAFKA__BOOTSTRAP_SERVERS="127.0.0.1:9")

    with ThreadPoolExecutor(3) as pool:
        for ended in pool.map(run, [["topics"], ["redrive", "--dry-run"], ["policies", "show"]]):
            assert ended.returncode == 2
            told = [json.loads(line) for line in ended.stderr.splitlines() if line.startswith("{")]
            assert any(line["message"] == "connection" and "Connection refused" in line["reason"] for line in told)
