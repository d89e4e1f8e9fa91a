"""Scorers as they are installed: found by their entry points, loaded at start, or nothing is judged at all."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from guardrail import RawRecord, decide, load_policies, load_policy, load_scorers
from guardrail.errors import InputError, PolicyError
from guardrail.judge.policy import compile_policy
from guardrail.judge.scoring import LEXICAL, Asked
from guardrail.scorers import named_scorers
from guardrail.settings import Settings
from guardrail.stream.run import run
from tests.calibration.labelled import labelled
from tests.calibration.test_fitting import answers
from tests.judge.turns import HOTEL, record, scope_turn
from tests.plugins import FAULTS, PAGE, block, documented, faulty, path_of
from tests.test_cli import GOOD, decisions, guardrail, lines

LEXICAL_SCALE = {"slope": 1.5, "intercept": -3.0}


def naming(scorer: str, version: str = "1", **changes: Any) -> dict[str, Any]:
    """The small policy, naming a scorer."""
    scorers = {LEXICAL: LEXICAL_SCALE, scorer: {"version": version, "slope": 6.0, "intercept": -3.0}}
    return {**HOTEL, "grounding": {"scorers": scorers}, **changes}


@pytest.fixture
def words(tmp_path: Path) -> Path:
    """A folder where the documented scorer is installed."""
    return documented(tmp_path / "site")


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder where the faulty scorers are installed."""
    return faulty(tmp_path / "broken")


def policy_file(folder: Path, document: dict[str, Any]) -> Path:
    """A policy in a folder of its own."""
    path = folder / "policies" / "hotel.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_the_documented_scorer_is_found_and_asked(words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given the page's scorer, installed, then a policy that names it is judged with it, as the page's last line has
    it.
    """
    monkeypatch.syspath_prepend(words)
    policies = load_policies(policy_file(tmp_path, naming("words")))
    scorers = load_scorers(policies)
    assert (list(scorers), scorers["words"].version) == (["words"], "1")
    assert list(scorers["words"]([Asked("a b", "a b c d", ("c",), ())])) == [0.25]
    raw = record("Anything else?", scope_turn("Guests adore the quiet garden behind the house."))
    [decision] = decide([RawRecord(raw.value)], policies, scorers=scorers)
    assert decision.grounding is not None
    assert decision.grounding.claims[0].reason == "words"
    assert named_scorers(["words", "words"]).keys() == {"words"}
    assert load_scorers(policies, scorers)["words"] is scorers["words"]


def test_where_no_policy_names_one_nothing_is_loaded(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given installed scorers that can't even be loaded, then policies that name none don't notice."""
    monkeypatch.syspath_prepend(broken)
    alone = {**HOTEL, "agent": "alone", "grounding": {"scorers": {LEXICAL: LEXICAL_SCALE}}}
    found = load_scorers({text["agent"]: compile_policy(json.dumps(text)) for text in (HOTEL, alone)})
    assert found == {}


UNFIT = {
    "absent": r"no installed package offers it as an entry point of guardrail.scorers \(there are: .*heavy",
    "nameless": "faulty_scorers:Nameless has no version that could be pinned",
    "mute": "faulty_scorers:Mute gives nothing that can be called",
    "heavy": "faulty_scorers:Heavy can't be loaded: OSError: no weights here",
    "gone": "faulty_scorers:Gone can't be loaded: AttributeError",
}


@pytest.mark.parametrize(("name", "fault"), UNFIT.items())
def test_what_gives_no_scorer_is_a_fault(name: str, fault: str, broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given a scorer that isn't installed, can't be loaded or has no version, then it is told with agent and key."""
    monkeypatch.syspath_prepend(broken)
    policy = compile_policy(json.dumps(naming(name)))
    with pytest.raises(PolicyError, match=rf"^agent hotel: grounding\.scorers\.{name}: {fault}"):
        load_scorers({"hotel": policy})
    with pytest.raises(InputError, match=rf"^--scorer {name}: {fault}"):
        named_scorers([name])


def test_a_name_must_mean_one_thing(words: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given two packages that offer one name, then neither is chosen; the built-in verifier's name is no plug-in's."""
    monkeypatch.syspath_prepend(words)
    second = tmp_path / "second"
    (second / "others-1.0.dist-info").mkdir(parents=True)
    (second / "others-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (second / "others-1.0.dist-info" / "entry_points.txt").write_text(
        "[guardrail.scorers]\nwords = our_scorers:Words\n"
    )
    monkeypatch.syspath_prepend(second)
    with pytest.raises(PolicyError, match="offered by several installed packages: others, our_scorers"):
        load_scorers({"hotel": compile_policy(json.dumps(naming("words")))})
    with pytest.raises(InputError, match="--scorer lexical: the built-in verifier"):
        named_scorers([LEXICAL])


def test_every_missing_scorer_is_told(words: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given policies whose scorers are missing or of another version, then each is a line of its own."""
    monkeypatch.syspath_prepend(words)
    texts = [naming("absent"), naming("other", agent="inn"), naming("words", "2", agent="spa")]
    policies = {text["agent"]: compile_policy(json.dumps(text)) for text in texts}
    with pytest.raises(PolicyError) as told:
        load_scorers(policies)
    assert [line.split(": ")[0] for line in str(told.value).splitlines()] == ["agent hotel", "agent inn"]
    with pytest.raises(PolicyError, match=r"^agent spa: grounding\.scorers\.words\.version: the policy pins 2, there"):
        load_scorers({"spa": policies["spa"]})


def test_no_verb_judges_without_it(words: Path, tmp_path: Path) -> None:
    """Given a policy whose scorer is missing or of another version, then check and calibrate end with 2 and run with 65
    before anything is read or written; with it installed, check judges.
    """
    path = policy_file(tmp_path, naming("words"))
    newer = documented(tmp_path / "newer", version="2")
    output = tmp_path / "out.jsonl"
    for verb, code in (("check", 2), ("calibrate", 2), ("run", 65)):
        for environment, fault in (({}, "no installed package offers it"), (path_of(newer), "the policy pins 1")):
            more = [] if verb == "run" else ["--output", output]
            ended = guardrail(verb, "--policy", path, *more, stdin=lines(GOOD), **environment)
            assert (ended.returncode, ended.stdout) == (code, ""), ended.stderr
            assert fault in ended.stderr
            assert "Traceback" not in ended.stderr
            assert not output.exists()
    ended = guardrail("check", "--policy", path, stdin=lines(GOOD), **path_of(words))
    assert (ended.returncode, len(decisions(ended.stdout))) == (0, 1)
    assert guardrail("lint", path).returncode == 0


def test_a_gate_does_not_start_without_it(tmp_path: Path) -> None:
    """Given a policy whose scorer isn't installed, then the gate's process has opened nothing when it is refused."""
    policies = load_policies(policy_file(tmp_path, naming("absent")))
    with pytest.raises(PolicyError, match=r"grounding\.scorers\.absent"):
        run(Settings.model_construct(), policies)


@pytest.mark.parametrize("name", ["raising", "short", "boundless"])
def test_a_fault_costs_the_line_that_shows_it(name: str, broken: Path, tmp_path: Path) -> None:
    """Given a scorer that fails, then its line is a dead letter marked as our error, told without a word of it, and
    what asserts nothing is judged as ever.
    """
    assert name in FAULTS
    path = policy_file(tmp_path, naming(name))
    claiming = {**GOOD, "response": json.dumps(scope_turn("Check-in opens at 3 pm."))}
    ended = guardrail("check", "--policy", path, stdin=lines(GOOD, claiming, GOOD), **path_of(broken))
    assert ended.returncode == 0
    found = decisions(ended.stdout)
    assert [(d["outcome"], d["on_error"]) for d in found] == [
        ("approved", None),
        ("dead_letter", "fail_closed"),
        ("approved", None),
    ]
    assert "line 2: an error of our own" in ended.stderr
    assert "Check-in" not in ended.stderr
    labelled_lines = lines(*[labelled(record) for record in (claiming, claiming)])
    refused = guardrail("calibrate", "--policy", path, "--scorer", name, stdin=labelled_lines, **path_of(broken))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "line 1: the record could not be judged" in refused.stderr


def test_from_labelled_answers_to_a_policy_that_judges(words: Path, tmp_path: Path) -> None:
    """Given labelled answers, then the page's command writes a fragment; merged, the policy loads, its scorer is
    pinned, and the bad answers are acted on.
    """
    policy_file(tmp_path, HOTEL).rename(tmp_path / "policies" / "hotel.yaml")
    (tmp_path / "labelled.jsonl").write_text("\n".join(answers(44, 44)), encoding="utf-8")
    shown = block("console").strip()
    arguments = [
        word if "." not in word else str(tmp_path / word) for word in shlex.split(shown.removeprefix("guardrail"))
    ]
    ended, again = (guardrail(*arguments, **path_of(words)) for _ in range(2))
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
    assert ended.stderr == again.stderr
    assert "scorers fitted on 22 good and 22 bad answers of 44 documents" in ended.stderr
    assert "words" in (tmp_path / "hotel.html").read_text("utf-8")
    fragment = yaml.safe_load((tmp_path / "hotel.calibration.yaml").read_text("utf-8"))
    assert fragment["grounding"]["scorers"]["words"]["version"] == "1"
    path = policy_file(tmp_path, {**HOTEL, **fragment})
    assert load_policy(path).scales.keys() == {LEXICAL, "words"}
    given = "\n".join(json.dumps(json.loads(line)["record"]) for line in answers(44, 44))
    judged = decisions(guardrail("check", "--policy", path, stdin=given, **path_of(words)).stdout)
    above = [d["grounding"]["risk"] > fragment["grounding"]["calibration"]["risk"] for d in judged]
    assert sum(above[:44]) <= 4
    assert sum(above[44:]) >= 40


def test_a_scorer_that_tells_nothing_is_not_calibrated(broken: Path, tmp_path: Path) -> None:
    """Given a scorer whose scores are all one, or too few answers, then calibrate says so, exit 2, nothing written."""
    path = policy_file(tmp_path, HOTEL)
    calibrate: list[str | Path] = ["calibrate", "--policy", path, "--scorer", "constant"]
    useless = guardrail(*calibrate, stdin="\n".join(answers(44, 44)), **path_of(broken))
    few = guardrail(*calibrate, stdin="\n".join(answers(44, 8)), **path_of(broken))
    assert [(ended.returncode, ended.stdout) for ended in (useless, few)] == [(2, "")] * 2
    assert "hotel: constant: a higher score doesn't go with bad answers here" in useless.stderr
    assert "hotel: 4 documents with bad answers in the half to fit scorers on, 19 are needed" in few.stderr


def test_the_policy_of_the_page_loads() -> None:
    """Given the page's policy lines, then a policy takes them, and the command and the version beside them agree."""
    policy = compile_policy(json.dumps({**HOTEL, **yaml.safe_load(block("yaml"))}))
    [version] = re.findall(r'version = "(\d+)"', block("python"))
    assert policy.scales["words"].version == version
    assert "decide(records, policies, scorers=load_scorers(policies))" in PAGE
