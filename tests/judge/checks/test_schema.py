"""The agreed shape: each code emitted where it is, and a near miss that isn't."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from guardrail.judge.codes import CODES
from guardrail.judge.model import Outcome
from tests.judge.turns import codes, hotel, item, judged, parameter_turn, pointers, scope_turn

MESSAGE = "cancel XKT904 please"
ANALYSIS = "/user_messages_analysis"


def changed(turn: dict[str, Any], pointer: str, value: Any = ...) -> dict[str, Any]:
    """The turn with one field set, or left out."""
    turn = deepcopy(turn)
    *path, last = pointer.split("/")[1:]
    place: Any = turn
    for part in path:
        place = place[int(part)] if isinstance(place, list) else place[part]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return turn


SCOPE, PARAMETER = scope_turn(), parameter_turn()

EMITTED: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "missing_reasoning": (
        changed(SCOPE, "/generated_answer/out_of_scope_request"),
        "/generated_answer",
        SCOPE,
    ),
    "missing_field": (changed(SCOPE, "/generated_answer/answer"), "/generated_answer", SCOPE),
    "wrong_type": (
        changed(SCOPE, "/generated_answer/answer", None),
        "/generated_answer/answer",
        changed(SCOPE, "/generated_answer/answer", "No."),
    ),
    "coerced": (
        changed(SCOPE, "/generated_answer/out_of_scope_request", "false"),
        "/generated_answer/out_of_scope_request",
        changed(SCOPE, "/generated_answer/out_of_scope_request", "no"),
    ),
    "string_null": (
        changed(PARAMETER, "/generated_answer/answer_refer_to_parameter_id", "null"),
        "/generated_answer/answer_refer_to_parameter_id",
        changed(PARAMETER, "/generated_answer/answer_refer_to_parameter_id", None),
    ),
    "empty_answer": (
        changed(SCOPE, "/generated_answer/answer", "None"),
        "/generated_answer/answer",
        changed(SCOPE, "/generated_answer/answer", "None of them."),
    ),
    "unknown_field": (changed(SCOPE, "/generated_answer/confidence", 0.9), "/generated_answer", SCOPE),
    "renamed_key": (
        changed(changed(SCOPE, "/generated_answer/answer"), "/generated_answer/answers", "Which night?"),
        "/generated_answer",
        changed(SCOPE, "/generated_answer/answers", "Which night?"),
    ),
}

READERS = {"wrapper_key", "array_wrapped", "not_object", "schema_echo"}
"""Codes of the family that the reader of the response emits, not the check."""
ORDER = {"field_order"}


def test_every_code_of_the_family_is_emitted_by_someone() -> None:
    """Given the closed list, then each code of the family has a row here, or is another module's."""
    family = {code.partition(".")[2] for code in CODES if code.startswith("schema.")}
    assert family == EMITTED.keys() | READERS | ORDER


@pytest.mark.parametrize("name", EMITTED)
def test_a_code_is_told_where_it_is_and_nowhere_near(name: str) -> None:
    """Given a turn with one fault, then its code is told at the right place; given a near miss, it isn't."""
    turn, pointer, near = EMITTED[name]
    code = f"schema.{name}"
    assert pointers(judged(turn, MESSAGE), code) == [pointer]
    assert code not in codes(judged(near, MESSAGE))


FIELDS_OF_ITEM = [key for key in item() if key != "parameter_id"]


@pytest.mark.parametrize("key", FIELDS_OF_ITEM)
def test_a_missing_field_of_a_parameter_names_the_parameter(key: str) -> None:
    """Given a parameter without one of its fields, then it is missing reasoning; a value that can't pass is asked
    for.
    """
    decision = judged(parameter_turn(item(**{key: ...})), MESSAGE)
    assert pointers(decision, "schema.missing_reasoning") == [f"{ANALYSIS}/parameters/0"]
    assert decision.answer_source == ("fallback" if decision.reply.parameters else "reprompt")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("pointer", "reasoning"),
    [
        ("/user_messages_analysis", True),
        ("/user_messages_analysis/message_content", True),
        ("/generated_answer/evidence_from_prompt", True),
        ("/generated_answer/answer", False),
        ("/generated_answer", False),
    ],
)
def test_what_is_missing_is_reasoning_or_operational(pointer: str, reasoning: bool) -> None:
    """Given a missing field, then the code says whether it is one of the reasoning fields or inside one."""
    found = codes(judged(changed(PARAMETER, pointer), MESSAGE))
    assert ("schema.missing_reasoning" if reasoning else "schema.missing_field") in found


def test_which_shape_holds_is_read_off_the_response() -> None:
    """Given an analysis, an intent, or both, then the response is held against the turn, the scope or their union."""
    union = {**PARAMETER, "detected_intent": {"id": "Cancel_Reservation", "name": "Cancel Reservation"}}
    union["generated_answer"] = {**SCOPE["generated_answer"], **PARAMETER["generated_answer"]}
    assert judged(SCOPE).outcome is Outcome.APPROVED
    assert judged(PARAMETER, MESSAGE).outcome is Outcome.APPROVED
    assert judged(union, MESSAGE).outcome is Outcome.APPROVED
    without = changed(union, "/generated_answer/intents_i_am_familiar_with")
    assert pointers(judged(without, MESSAGE), "schema.missing_reasoning") == ["/generated_answer"]


def test_a_stray_field_is_dropped_and_told() -> None:
    """Given fields that nobody asked for, then the turn is approved and the reply doesn't have them."""
    decision = judged(changed(changed(SCOPE, "/note", "x"), "/generated_answer/mood", "y"))
    assert decision.outcome is Outcome.APPROVED
    assert sorted(pointers(decision, "schema.unknown_field")) == ["", "/generated_answer"]


def test_a_root_under_another_name_is_a_renamed_key() -> None:
    """Given an object in the place of generated_answer under a foreign name, then it is told as renamed."""
    turn = {("respuesta" if k == "generated_answer" else k): v for k, v in SCOPE.items()}
    decision = judged(turn)
    assert "schema.renamed_key" in codes(decision)
    assert decision.outcome is Outcome.REJECTED


COERCED = [
    ("/generated_answer/out_of_scope_request", "False", "schema.coerced"),
    ("/detected_intent/id", "None", "schema.string_null"),
    ("/detected_intent/name", "", "schema.string_null"),
]


@pytest.mark.parametrize(("pointer", "given", "code"), COERCED)
def test_exact_spellings_of_another_type_are_read(pointer: str, given: str, code: str) -> None:
    """Given text that spells a boolean or null, then it is read as that and told."""
    turn = changed(scope_turn(intent=None, out_of_scope_request=False), pointer, given)
    assert pointers(judged(turn), code) == [pointer]


@pytest.mark.parametrize("given", ["true", "True"])
def test_a_simulation_in_words_counts(given: str) -> None:
    """Given the simulation as text, then it is the model's word."""
    decision = judged(parameter_turn(item(simulate_regex_execution=given)), MESSAGE)
    assert [o.simulated for o in decision.observations] == [True]
    assert pointers(decision, "schema.coerced") == [f"{ANALYSIS}/parameters/0/simulate_regex_execution"]


@pytest.mark.parametrize("given", ["TRUE!", "yes", 1, None, "tru"])
def test_no_other_spelling_counts(given: Any) -> None:
    """Given anything else for the simulation, then there is no word of the model."""
    decision = judged(parameter_turn(item(simulate_regex_execution=given)), MESSAGE)
    assert [o.simulated for o in decision.observations] == [None]
    assert {"schema.wrong_type", "param.simulation_missing"} <= codes(decision)


def test_one_parameter_without_its_list_is_read_as_a_list() -> None:
    """Given a single object where the list belongs, then it is read and told."""
    decision = judged(changed(PARAMETER, f"{ANALYSIS}/parameters", item()), MESSAGE)
    assert pointers(decision, "schema.coerced") == [f"{ANALYSIS}/parameters"]
    assert decision.outcome is Outcome.APPROVED


def test_a_null_intent_in_words_is_null() -> None:
    """Given a current intent spelled null, then there is none."""
    decision = judged(parameter_turn(message=MESSAGE, intent=" null "), MESSAGE)
    assert pointers(decision, "schema.string_null") == [f"{ANALYSIS}/current_intent"]


@pytest.mark.parametrize("items", [[5], "none", 7])
def test_parameters_that_are_none_are_a_wrong_type(items: Any) -> None:
    """Given something else than parameters, then the type is wrong and nothing is run."""
    decision = judged(changed(PARAMETER, f"{ANALYSIS}/parameters", items), MESSAGE)
    assert "schema.wrong_type" in codes(decision)
    assert decision.observations == ()


@pytest.mark.parametrize("answer", ["", " ", "null", "N/A", "undefined", "[string]"])
def test_an_answer_that_says_nothing_is_empty(answer: str) -> None:
    """Given an answer without a word of its own, then it is empty and refused."""
    decision = judged(changed(SCOPE, "/generated_answer/answer", answer))
    assert "schema.empty_answer" in codes(decision)
    assert decision.outcome is Outcome.REJECTED


@pytest.mark.parametrize("root", ["detected_intent", "generated_answer", "user_messages_analysis"])
@pytest.mark.parametrize("other", [5, "x", [1], None])
def test_a_root_that_is_no_object_is_a_wrong_type(root: str, other: Any) -> None:
    """Given something else than an object at the root, then it is refused with its pointer."""
    turn = changed({**SCOPE, **(PARAMETER if root == "user_messages_analysis" else {})}, f"/{root}", other)
    decision = judged(turn, MESSAGE)
    assert decision.outcome is Outcome.REJECTED
    assert f"/{root}" in pointers(decision, "schema.wrong_type")


FLAT: dict[str, Any] = {
    "schema": {
        "type": "object",
        "required": ["why", "generated_answer"],
        "properties": {
            "why": {"type": "string"},
            "score": {"type": "integer", "maximum": 5},
            "generated_answer": {
                "type": "object",
                "required": ["quote", "answer"],
                "properties": {"quote": {"type": "string"}, "answer": {"type": "string"}},
            },
        },
    },
    "reasoning": ["/why", "/generated_answer/quote"],
}


def test_a_schema_of_the_operators_own_holds() -> None:
    """Given a policy with its own schema, then a response of that shape is approved and only its answer goes out."""
    decision = judged(
        {"why": "asked", "generated_answer": {"quote": "q", "answer": "Which night?"}}, policy=hotel(response=FLAT)
    )
    assert decision.outcome is Outcome.APPROVED
    assert decision.reply.generated_answer.answer == "Which night?"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("turn", "code", "pointer"),
    [
        ({"generated_answer": {"quote": "q", "answer": "Which?"}}, "schema.missing_reasoning", ""),
        ({"why": "w", "generated_answer": {"answer": "Which?"}}, "schema.missing_reasoning", "/generated_answer"),
        ({"why": "w", "generated_answer": {"quote": "q"}}, "schema.missing_field", "/generated_answer"),
        (
            {"why": "w", "score": 9, "generated_answer": {"quote": "q", "answer": "Which?"}},
            "schema.wrong_type",
            "/score",
        ),
    ],
)
def test_faults_against_an_own_schema_are_told_in_our_codes(turn: dict[str, Any], code: str, pointer: str) -> None:
    """Given a response that breaks the operator's schema, then the code follows the policy's own list of
    reasoning fields.
    """
    decision = judged(turn, policy=hotel(response=FLAT))
    assert pointers(decision, code) == [pointer]
    assert decision.outcome is Outcome.REJECTED
