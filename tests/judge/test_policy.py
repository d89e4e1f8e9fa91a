"""A policy compiled: its revision, its actions by family and code, its patterns and names."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml

from guardrail.errors import PolicyError
from guardrail.judge.codes import CODES
from guardrail.judge.model import Action, Intent
from guardrail.judge.policy import ENGINE, compile_policy
from guardrail.version import VERSION
from tests.judge.turns import HOTEL, hotel
from tests.scoring import CASES, policies

HEAD = "version: 1\nagent: x\n"


def test_formatting_does_not_change_the_revision() -> None:
    """Given the same content as YAML, as compact JSON and with its keys in another order, then the revision is one."""
    reordered = dict(reversed(HOTEL.items()))
    texts = [
        json.dumps(HOTEL),
        json.dumps(HOTEL, indent=3),
        yaml.safe_dump(HOTEL),
        yaml.safe_dump(reordered, sort_keys=False),
    ]
    texts.append("# a comment\n" + yaml.safe_dump(HOTEL, allow_unicode=True, width=40))
    assert len({compile_policy(text).revision for text in texts}) == 1


def test_the_resolved_bytes_load_to_the_same_revision() -> None:
    """Given each open policy, when its resolved bytes are compiled, then the revision and the bytes are the same
    again.
    """
    for policy in policies().values():
        again = compile_policy(policy.resolved.decode())
        assert (again.revision, again.resolved) == (policy.revision, policy.resolved)


@pytest.mark.parametrize(
    "change",
    [
        {"locale": "fr"},
        {"mode": "shadow"},
        {"prompt": "other"},
        {"on_fail": {"param": "report"}},
        {"limits": {"depth": 9}},
    ],
)
def test_content_changes_the_revision(change: dict[str, Any]) -> None:
    """Given one setting that can change a verdict, when changed, then the revision is another."""
    assert hotel(**change).revision != hotel().revision


def test_a_revision_is_sixteen_hexadecimal_digits() -> None:
    """Given any policy, then its revision is short and plain."""
    assert re.fullmatch("[0-9a-f]{16}", hotel().revision)


def test_the_engine_names_version_and_lexicons() -> None:
    """Given this product, then its engine holds the version and a digest."""
    assert re.fullmatch(rf"guardrail-{re.escape(VERSION)}\+[0-9a-f]{{12}}", ENGINE)


EVIDENCE = HEAD + "evidence:\n  - {file: facts.txt}\n  - {id: own, file: more.txt}\n  - {id: d, text: A fact.}\n"


def test_an_evidence_file_is_read_by_paragraphs() -> None:
    """Given evidence files, when resolved, then each paragraph is a passage named after its file or id."""
    files = {"facts.txt": "One fact\nin two lines.\n\nAnother.\n", "more.txt": "\n\nThird.\n\n\n\nFourth."}
    policy = compile_policy(EVIDENCE, "p", files)
    assert [(p.id, p.text) for p in policy.evidence.passages] == [
        ("facts.txt#1", "One fact in two lines."),
        ("facts.txt#2", "Another."),
        ("own#1", "Third."),
        ("own#2", "Fourth."),
        ("d", "A fact."),
    ]


def test_an_evidence_file_is_part_of_the_revision() -> None:
    """Given the same policy, when an evidence file says something else, then the revision is another; same text,
    same one.
    """
    files = {"facts.txt": "One.", "more.txt": "Two."}
    one, same = (compile_policy(EVIDENCE, "p", files).revision for _ in range(2))
    other = compile_policy(EVIDENCE, "p", {**files, "more.txt": "Three."}).revision
    assert one == same != other


def test_the_resolved_bytes_hold_the_evidence_files() -> None:
    """Given evidence files, when the resolved bytes are compiled without them, then the revision is the same."""
    policy = compile_policy(EVIDENCE, "p", {"facts.txt": "One.", "more.txt": "Two."})
    assert compile_policy(policy.resolved.decode()).revision == policy.revision


def test_passages_of_files_have_names_of_their_own() -> None:
    """Given a file named twice, or an id that a file's paragraph takes, then it is a fault: an id names one passage."""
    for others in ("{file: facts.txt}", "{id: 'facts.txt#1', text: Other.}"):
        text = HEAD + f"evidence:\n  - {{file: facts.txt}}\n  - {others}\n"
        with pytest.raises(PolicyError, match=r"^p\.yaml:5: evidence"):
            compile_policy(text, "p.yaml", {"facts.txt": "One."})


def test_a_missing_evidence_file_is_a_fault_with_its_line() -> None:
    """Given an evidence file that nobody read, when compiled, then the fault names file, line and key."""
    with pytest.raises(PolicyError, match=r"^p\.yaml:4: evidence\.0\.file: facts\.txt"):
        compile_policy(EVIDENCE, "p.yaml", {"more.txt": "Two."})


PATTERN = HEAD + "parameters:\n  - id: a\n    pattern: {}\n    examples: {{valid: ['1234'], invalid: ['12345']}}\n"


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [
        ("'^([0-9]{4}$'", "invalid"),
        (r"'(\d)(?(1)a)'", "unsupported"),
        ("'^[0-9]{5}$'", "refuses the valid example '1234'"),
        ("'^[0-9]+$'", "accepts the invalid example '12345'"),
    ],
)
def test_a_bad_pattern_is_a_fault_with_its_line(pattern: str, fault: str) -> None:
    """Given a pattern that can't run, or that its own examples contradict, then the fault says where and why."""
    with pytest.raises(PolicyError) as caught:
        compile_policy(PATTERN.format(pattern), "p.yaml")
    assert fault in str(caught.value)
    assert re.match(r"p\.yaml:5: parameters\.(a|0)\.pattern: ", str(caught.value))


def test_a_pattern_beyond_the_policys_own_limit_is_a_fault() -> None:
    """Given an operator's pattern longer than limits.pattern_chars, then it doesn't load: no value could ever pass."""
    text = PATTERN.format("'^[0-9]{4}$'") + "limits: {pattern_chars: 5}\n"
    with pytest.raises(PolicyError, match=r"^p\.yaml:5: parameters\.(a|0)\.pattern"):
        compile_policy(text, "p.yaml")


def test_a_good_pattern_loads() -> None:
    """Given a pattern that its examples bear out, when compiled, then the parameter has it."""
    assert compile_policy(PATTERN.format("'^[0-9]{4}$'")).parameters["a"].pattern == "^[0-9]{4}$"


def test_a_schema_that_is_none_is_a_fault_with_its_line() -> None:
    """Given a response schema that isn't a JSON Schema, when compiled, then the fault names file, line and key."""
    with pytest.raises(PolicyError, match=r"^p\.yaml:4: response\.schema: not a JSON Schema"):
        compile_policy(HEAD + "response:\n  schema: {type: 5}\n", "p.yaml")


def test_a_name_of_two_intents_is_a_fault_with_its_line() -> None:
    """Given two intents that one spelling could mean, when compiled, then the fault names file, line and both."""
    text = HEAD + "intents:\n  - {id: a, name: Book}\n  - {id: b, name: Change, aliases: [BOOK]}\n"
    with pytest.raises(PolicyError, match=r"^p\.yaml:5: intents.*'BOOK' can mean a and b"):
        compile_policy(text, "p.yaml")


def test_two_parameters_that_one_spelling_could_mean_are_a_fault() -> None:
    """Given two parameters that differ by case alone, then it is a fault: BOOKING_ID would be a guess."""
    with pytest.raises(PolicyError, match="can mean"):
        compile_policy(HEAD + "parameters: [{id: Booking_id}, {id: bookingID}]", "p.yaml")


def test_without_a_say_the_defaults_hold() -> None:
    """Given no on_fail, then every code has its default action."""
    assert hotel().actions == {name: code.default for name, code in CODES.items()}


def test_a_family_acts_for_its_codes() -> None:
    """Given an action for a family, then all its codes that can take it do, and no others."""
    actions = hotel(on_fail={"param": "report"}).actions
    assert {actions[name] for name in CODES if name.startswith("param.")} == {Action.REPORT}
    assert actions["catalog.unknown_intent"] is Action.REJECT


def test_a_code_wins_over_its_family_wherever_it_stands() -> None:
    """Given a family and one of its codes in either order, then the code's own action holds."""
    for on_fail in ({"param.trimmed": "reject", "param": "ignore"}, {"param": "ignore", "param.trimmed": "reject"}):
        actions = hotel(on_fail=on_fail).actions
        assert actions["param.trimmed"] is Action.REJECT
        assert actions["param.simulation_missing"] is Action.IGNORE


def test_a_family_never_loosens_what_is_fixed() -> None:
    """Given a report for syntax, then what can't be read is still refused; given a correct, then only the
    correctable ones do.
    """
    actions = hotel(on_fail={"syntax": "ignore", "consistency": "correct"}).actions
    assert actions["syntax.truncated"] is Action.REJECT
    assert actions["syntax.code_fence"] is Action.IGNORE
    assert actions["consistency.markup_leak"] is Action.CORRECT
    assert actions["consistency.oos_but_intent"] is Action.REJECT


def test_a_parameter_without_intents_may_be_asked_for_any() -> None:
    """Given a parameter for all intents and one for a single intent, then each is allowed where the policy says."""
    policy = hotel(booking={"intents": []})
    booking, nights = policy.parameters["Booking_id"], policy.parameters["Nights"]
    cancel = policy.intents["Cancel_Reservation"]
    assert booking.allowed_for(cancel)
    assert not nights.allowed_for(cancel)
    assert nights.allowed_for(Intent())
    assert [p.id for p in policy.parameters_of(cancel)] == ["Booking_id"]


def test_what_an_agent_is_called() -> None:
    """Given a policy, then agent, mode and failure policy are what the file says."""
    policy = hotel(mode="shadow", on_error="fail_open")
    assert (policy.agent, policy.mode, policy.on_error) == ("hotel", "shadow", "fail_open")
    assert policy.parameter_ids == {"Booking_id", "Nights"}


def test_the_open_policies_are_read_by_their_agents() -> None:
    """Given the folder of open policies, then each is found under its agent."""
    assert {path.stem for path in (CASES / "policies").glob("*.yaml")} == set(policies())


def test_a_schema_fetches_nothing() -> None:
    """Given a response schema that refers beyond the policy, when compiled, then it is a fault: what a file or a
    server says may not change a verdict.
    """
    for place in ("file:///etc/hostname", "http://127.0.0.1:9/schema.json"):
        with pytest.raises(PolicyError, match=r"response\.schema: not a JSON Schema"):
            compile_policy(HEAD + f"response:\n  schema: {{$ref: '{place}'}}\n", "p.yaml")


def test_an_example_longer_than_a_value_may_be_is_a_fault() -> None:
    """Given an example beyond the values' limit, then the policy doesn't load; within a wider limit it counts."""
    long = "1" * 300

    def with_limit(limit: int, pattern: str) -> str:
        parameter = {"id": "p", "pattern": pattern, "examples": {"valid": [long]}}
        return json.dumps({"version": 1, "agent": "a", "limits": {"value_chars": limit}, "parameters": [parameter]})

    assert compile_policy(with_limit(400, "^[0-9]+$")).parameters["p"].examples.valid == (long,)
    with pytest.raises(PolicyError, match="longer than a value may be"):
        compile_policy(with_limit(256, "^[0-9]+$"))
    with pytest.raises(PolicyError, match="refuses the valid example"):
        compile_policy(with_limit(400, "^[0-9]{1,9}$"))
