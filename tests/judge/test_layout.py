"""How a policy's text is read: every fault with its file, line and key."""

from __future__ import annotations

import json

import jsonschema_rs
import msgspec
import pytest
import yaml

from guardrail.errors import PolicyError
from guardrail.judge.layout import PolicyLayout, read_layout
from guardrail.judge.policy import compile_policy
from tests.scoring import CASES

HEAD = "version: 1\nagent: x\n"

FAULTS = {
    "unknown_key": (HEAD + "promt: hi\n", "p.yaml:3: promt: unknown key; did you mean prompt?"),
    "unknown_key_far_from_all": (HEAD + "zzzzzz: hi\n", "p.yaml:3: zzzzzz: unknown key"),
    "unknown_nested_key": (
        HEAD + "parameters:\n  - id: a\n    formt: b\n",
        "p.yaml:5: parameters.0.formt: unknown key; did you mean format?",
    ),
    "unknown_deep_key": (
        HEAD + "parameters:\n  - id: a\n    examples:\n      vald: [b]\n",
        "p.yaml:6: parameters.0.examples.vald: unknown key; did you mean valid?",
    ),
    "unknown_grounding_key": (
        HEAD + "grounding:\n  tua: 0.5\n",
        "p.yaml:4: grounding.tua: unknown key; did you mean tau?",
    ),
    "schema_by_its_field_name": (
        HEAD + "response: {json_schema: {}}\n",
        "p.yaml:3: response.json_schema: unknown key; did you mean schema?",
    ),
    "repeated_key": (HEAD + "locale: en\nlocale: fr\n", "p.yaml:4: locale: given twice"),
    "repeated_nested_key": (
        HEAD + "parameters:\n  - id: a\n    format: b\n    format: c\n",
        "p.yaml:6: parameters.0.format: given twice",
    ),
    "unknown_code": (
        HEAD + "on_fail:\n  param.simulate_true_mismach: report\n",
        "p.yaml:4: on_fail.param.simulate_true_mismach: unknown code or family; "
        "did you mean param.simulate_true_mismatch?",
    ),
    "unknown_family": (HEAD + "on_fail:\n  qqqq: report\n", "p.yaml:4: on_fail.qqqq: unknown code or family"),
    "impossible_report": (
        HEAD + "on_fail:\n  syntax.truncated: report\n",
        "p.yaml:4: on_fail.syntax.truncated: report is impossible for syntax.truncated: "
        "the text stops, or starts, in the middle of a value",
    ),
    "impossible_correct": (
        HEAD + "on_fail:\n  param.trimmed: correct\n",
        "p.yaml:4: on_fail.param.trimmed: correct is impossible for param.trimmed: "
        "outer blanks were cut, as the policy allows",
    ),
    "impossible_family": (
        HEAD + "on_fail:\n  param: correct\n",
        "p.yaml:4: on_fail.param: no code of param can correct",
    ),
    "unknown_action": (
        HEAD + "on_fail:\n  param: dead_letter\n",
        "p.yaml:4: on_fail.param: Input should be 'reject', 'correct', 'report' or 'ignore'",
    ),
    "wrong_type": (HEAD + "limits:\n  depth: deep\n", "p.yaml:4: limits.depth: Input should be a valid integer"),
    "number_for_text": (HEAD + "prompt: 5\n", "p.yaml:3: prompt: Input should be a valid string"),
    "text_for_list": (HEAD + "intents: Book\n", "p.yaml:3: intents: Input should be a valid array"),
    "out_of_bounds": (
        HEAD + "grounding: {alpha: 2}\n",
        "p.yaml:3: grounding.alpha: Input should be less than or equal to 1",
    ),
    "missing_agent": ("version: 1\n", "p.yaml:1: agent: Field required"),
    "unknown_version": ("version: 2\nagent: x\n", "p.yaml:1: version: Input should be 1"),
    "unknown_locale": (HEAD + "locale: de\n", "p.yaml:3: locale: Input should be 'en', 'fr' or 'es'"),
    "unknown_mode": (HEAD + "mode: audit\n", "p.yaml:3: mode: Input should be 'enforce' or 'shadow'"),
    "unknown_on_error": (HEAD + "on_error: open\n", "p.yaml:3: on_error: Input should be 'fail_closed' or 'fail_open'"),
    "unknown_order": (
        HEAD + "response: {order: loose}\n",
        "p.yaml:3: response.order: Input should be 'strict', 'report' or 'off'",
    ),
    "unknown_intent": (
        HEAD + "intents: [{id: book, name: Book}]\nparameters:\n  - id: a\n    intents: [bok]\n",
        "p.yaml:6: parameters.0.intents: no intent bok; did you mean book?",
    ),
    "repeated_intent": (
        HEAD + "intents:\n  - {id: a, name: A}\n  - {id: a, name: B}\n",
        "p.yaml:5: intents.1.id: a is given twice",
    ),
    "repeated_parameter": (HEAD + "parameters:\n  - id: a\n  - id: a\n", "p.yaml:5: parameters.1.id: a is given twice"),
    "repeated_passage": (
        HEAD + "evidence:\n  - {id: d, text: one}\n  - {id: d, text: two}\n",
        "p.yaml:5: evidence.1.id: d is given twice",
    ),
    "passage_with_two_sources": (
        HEAD + "evidence:\n  - {id: d, text: one, file: two}\n",
        "p.yaml:4: evidence.0: give either text (with an id) or file",
    ),
    "passage_without_source": (
        HEAD + "evidence:\n  - {id: d}\n",
        "p.yaml:4: evidence.0: give either text (with an id) or file",
    ),
    "passage_without_id": (
        HEAD + "evidence:\n  - {text: one}\n",
        "p.yaml:4: evidence.0: a passage given as text needs an id",
    ),
    "pointer_without_slash": (
        HEAD + "input:\n  response: body\n",
        "p.yaml:4: input.response: a JSON Pointer starts with /",
    ),
    "synonyms_without_effect": (
        HEAD + "parameters:\n  - id: a\n    synonyms: {big: L}\n",
        "p.yaml:5: parameters.0.synonyms: has no effect unless normalise lists synonyms",
    ),
    "stale_after_nothing": (
        HEAD + "stale: {after_s: 0}\n",
        "p.yaml:3: stale.after_s: Input should be greater than 0",
    ),
    "stale_after_more_than_a_year": (
        HEAD + "stale: {after_s: 31536001}\n",
        "p.yaml:3: stale.after_s: Input should be less than or equal to 31536000",
    ),
    "stale_without_an_age": (HEAD + "stale:\n  action: reject\n", "p.yaml:3: stale.after_s: Field required"),
    "stale_corrected": (
        HEAD + "stale: {after_s: 60, action: correct}\n",
        "p.yaml:3: stale.action: Input should be 'reject', 'dead_letter' or 'report'",
    ),
    "unknown_stale_key": (
        HEAD + "stale:\n  after: 60\n",
        "p.yaml:4: stale.after: unknown key; did you mean after_s?",
    ),
    "stale_by_on_fail": (
        HEAD + "on_fail:\n  transport.stale: report\n",
        "p.yaml:4: on_fail.transport.stale: report is impossible for transport.stale: "
        "the record came in older than stale.after_s allows; stale.action alone says what is done",
    ),
    "unknown_normalisation": (
        HEAD + "parameters:\n  - id: a\n    normalise: [shout]\n",
        "p.yaml:5: parameters.0.normalise.0: Input should be 'trim', 'upper', 'lower', 'collapse_spaces', "
        "'spoken_digits', 'date_iso', 'synonyms' or 'history'",
    ),
    "unknown_placeholder": (
        HEAD + "replies:\n  reprompt:\n    en: Say {value} again\n",
        "p.yaml:5: replies.reprompt.en: a placeholder is unknown or broken (allowed: {format}, {parameter})",
    ),
    "broken_placeholder": (
        HEAD + "replies:\n  out_of_scope:\n    en: 'I do {intents'\n",
        "p.yaml:5: replies.out_of_scope.en: a placeholder is unknown or broken (allowed: {intents})",
    ),
    "placeholder_where_none_is": (
        HEAD + "replies:\n  fallback:\n    en: 'Sorry {0}'\n",
        "p.yaml:5: replies.fallback.en: a placeholder is unknown or broken (allowed: none)",
    ),
    "placeholder_in_a_stale_reply": (
        HEAD + "replies:\n  stale:\n    en: 'Late {age}'\n",
        "p.yaml:5: replies.stale.en: a placeholder is unknown or broken (allowed: none)",
    ),
    "unsupported_reply_locale": (
        HEAD + "replies:\n  fallback:\n    de: Bitte noch einmal\n",
        "p.yaml:5: replies.fallback.de: unsupported locale (supported: en, fr, es)",
    ),
    "empty": ("", "p.yaml:1: the file is empty"),
    "only_a_comment": ("# nothing\n", "p.yaml:1: the file is empty"),
    "a_list": ("- a\n", "p.yaml:1: policy: Input should be an object"),
    "not_yaml": (HEAD + "prompt: a: b\n", "p.yaml:3: not YAML: mapping values are not allowed in this context"),
    "two_documents": (HEAD + "---\n" + HEAD, "p.yaml:3: not YAML: but found another document"),
    "python_tag": (
        HEAD + "prompt: !!python/name:os.system x\n",
        "p.yaml:3: not YAML: could not determine a constructor for the tag 'tag:yaml.org,2002:python/name:os.system'",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_file_line_and_key(name: str) -> None:
    """Given a policy with one fault, when read, then the one line says which file, line, key, and what is wrong."""
    text, wanted = FAULTS[name]
    with pytest.raises(PolicyError) as caught:
        read_layout(text, "p.yaml")
    assert wanted in str(caught.value).splitlines()


@pytest.mark.parametrize(
    "text",
    [
        "? [a, b]\n: c\n",
        "? {a: b}\n: c\n",
        "~: x\n",
        "true: x\n",
        "1.5: x\n",
        "a: &x {b: *x}\n",
        "a: &x\n  - *x\n",
        "{" * 5_000,
        f"a: {'[' * 3_000}{']' * 3_000}",
    ],
    ids=[
        "list_key",
        "map_key",
        "null_key",
        "boolean_key",
        "number_key",
        "endless_map",
        "endless_list",
        "unclosed",
        "deep",
    ],
)
def test_yaml_that_json_cannot_say_is_a_fault(text: str) -> None:
    """Given YAML beyond JSON (odd keys, endless aliases), then it is a policy fault and nothing else is raised."""
    with pytest.raises(PolicyError, match=r"^p\.yaml:\d+: "):
        read_layout(HEAD + text, "p.yaml")


def test_every_fault_is_found_at_once() -> None:
    """Given several faults, when read, then each has its own line."""
    text = HEAD + "promt: a\nlimits: {depth: 1, record_bytes: x}\n"
    with pytest.raises(PolicyError) as caught:
        read_layout(text, "p.yaml")
    assert len(str(caught.value).splitlines()) == 3


def test_a_date_stays_text() -> None:
    """Given a date without quotes, when read, then it is the text that was written, as in JSON."""
    layout = read_layout(HEAD + "parameters: [{id: d, examples: {valid: [2026-12-24]}}]", "p")
    assert layout.parameters[0].examples.valid == ("2026-12-24",)


def test_a_whole_number_key_reads_as_text() -> None:
    """Given a synonym written as a number, when read, then it is the word as written."""
    layout = read_layout(HEAD + "parameters: [{id: d, normalise: [synonyms], synonyms: {1: one}}]", "p")
    assert layout.parameters[0].synonyms == {"1": "one"}


def test_a_byte_order_mark_is_passed_over() -> None:
    """Given a file saved with a byte order mark, when read, then it loads."""
    assert read_layout("\ufeff" + HEAD, "p").agent == "x"


@pytest.mark.parametrize("template", ["Say {parameter} as {format}", "Say it {{so}}", "{{{format}}}"])
def test_good_placeholders_load(template: str) -> None:
    """Given a reply with the allowed placeholders or escaped braces, when read, then it loads, and can be filled."""
    layout = read_layout(HEAD + f"replies: {{reprompt: {{en: {json.dumps(template)}}}}}", "p")
    assert layout.replies["reprompt"]["en"] == template
    assert template.format(parameter="x", format="y")


@pytest.mark.parametrize("template", ["{}", "{0}", "{format[0]}", "{format.real}", "{format", "}", "{format!}"])
def test_a_placeholder_that_would_break_when_filled_is_a_fault(template: str) -> None:
    """Given a placeholder whose filling can fail later, then the policy doesn't load: a reply never raises."""
    with pytest.raises(PolicyError, match=r"replies\.reprompt\.en: a placeholder is unknown or broken"):
        read_layout(HEAD + f"replies: {{reprompt: {{en: {json.dumps(template)}}}}}", "p")


@pytest.mark.parametrize("template", ["{format:>1000000000}", "{format:.20}", "{format!r}", "{parameter:{format}}"])
def test_a_placeholder_with_a_format_is_a_fault(template: str) -> None:
    """Given a placeholder that says how wide it will be, then the policy doesn't load, and nothing was laid out."""
    with pytest.raises(PolicyError, match=r"replies\.reprompt\.en: a placeholder is a name alone, without : or !"):
        read_layout(HEAD + f"replies: {{reprompt: {{en: {json.dumps(template)}}}}}", "p")


POLICY_FILES = sorted((CASES / "policies").glob("*.yaml"))


@pytest.mark.parametrize("path", POLICY_FILES, ids=lambda path: path.stem)
def test_the_json_schema_accepts_the_open_policies(path: object) -> None:
    """Given the exported JSON Schema, when an open policy is held against it, then it is valid."""
    schema = PolicyLayout.model_json_schema(by_alias=True)
    validator = jsonschema_rs.Draft202012Validator(schema)
    document = yaml.safe_load(path.read_text(encoding="utf-8"))  # type: ignore[attr-defined]
    document = json.loads(msgspec.json.encode(document))
    assert [str(error) for error in validator.iter_errors(document)] == []


def test_the_json_schema_is_one_and_refuses_what_the_loader_refuses() -> None:
    """Given the exported JSON Schema, then it is a valid schema, and an unknown key breaks it."""
    schema = PolicyLayout.model_json_schema(by_alias=True)
    assert jsonschema_rs.meta.is_valid(schema)
    validator = jsonschema_rs.Draft202012Validator(schema)
    assert validator.is_valid({"version": 1, "agent": "x"})
    assert not validator.is_valid({"version": 1, "agent": "x", "promt": ""})
    assert not validator.is_valid({"version": 1})
    assert "schema" in schema["$defs"]["ResponseLayout"]["properties"]


def test_there_are_eighteen_open_policies_and_they_load() -> None:
    """Given the open policies, when compiled, then all eighteen do, each under its own revision."""
    revisions = {compile_policy(path.read_text(encoding="utf-8"), str(path)).revision for path in POLICY_FILES}
    assert len(POLICY_FILES) == len(revisions) == 18
