"""What a policy says that its author can't mean. It must never refuse a policy: what can't be loaded isn't linted."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from guardrail.judge.formats import format_example
from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.model import Execution, Json
from guardrail.judge.pattern import Fault, execute
from guardrail.judge.pattern.repair import Unwrapped
from guardrail.judge.pattern.tiers import understood
from guardrail.judge.pattern.vet import linear
from guardrail.judge.policy import Parameter, Policy
from guardrail.judge.text import fold

_EXAMPLES_MIN = {"valid": 1, "invalid": 2}
"""One valid and two invalid examples expose most wrong patterns of a model (REGEX.md: one 33-38 %, five 72-73 %)."""


class Hint(msgspec.Struct, frozen=True):
    """One remark: the key it is about, and what its author may want to change."""

    key: str
    text: str


def lint(policy: Policy) -> Iterator[Hint]:
    """The remarks on a policy, in the order of its keys."""
    layout = policy.layout
    if not layout.prompt:
        yield Hint("prompt", "empty: evidence_from_prompt can't be checked")
    if not layout.intents and not policy.contract.custom:
        yield Hint("intents", "none: every intent will be unknown")
    for intent in layout.intents:
        if layout.prompt and f" {fold(intent.name)} " not in policy.folded_prompt:
            yield Hint(f"intents.{intent.id}", "its name isn't in the prompt: the model doesn't know it")
    for parameter in policy.parameters.values():
        yield from _parameter(parameter, policy)
    for pointer in _backtracking(layout.response.json_schema or {}, ""):
        yield Hint(
            "response.schema", f"{pointer} looks around or refers back: a long text is refused, or takes seconds"
        )
    if not layout.evidence:
        yield Hint("evidence", "none: claims can only be reported as no_evidence")
    if layout.grounding.calibration is None:
        yield Hint("grounding", "not calibrated: a low score only reports")
    for kind, texts in layout.replies.items():
        missing = [locale for locale in LEXICONS if locale not in texts]
        if missing and layout.locale not in texts:
            yield Hint(
                f"replies.{kind}", f"no text in the policy's own locale {layout.locale}: the built-in one is used"
            )


def _backtracking(schema: Json, pointer: str) -> Iterator[str]:
    """Where the `pattern` keywords of a schema stand that no linear engine can run."""
    if isinstance(schema, dict):
        pattern = schema.get("pattern")
        tree = understood(Unwrapped(pattern)) if isinstance(pattern, str) else None
        if tree is not None and not isinstance(tree, Fault) and not linear(tree):
            yield f"{pointer}/pattern"
    parts = schema.items() if isinstance(schema, dict) else enumerate(schema) if isinstance(schema, list) else ()
    for key, value in parts:
        yield from _backtracking(value, f"{pointer}/{key}")


def _parameter(parameter: Parameter, policy: Policy) -> Iterator[Hint]:
    key = f"parameters.{parameter.id}"
    for kind, least in _EXAMPLES_MIN.items():
        given = len(getattr(parameter.examples, kind))
        if given < least:
            yield Hint(
                f"{key}.examples.{kind}", f"{given} given, {least} wanted: a loose pattern of the model would go unseen"
            )
    if not parameter.format:
        yield Hint(f"{key}.format", "empty: a reprompt can't say which format is wanted")
    elif policy.layout.prompt and f" {parameter.folded_format} " not in policy.folded_prompt:
        yield Hint(f"{key}.format", "isn't in the prompt: the model can't quote it as evidence")
    example = format_example(parameter.format)
    if example is not None and example in parameter.examples.invalid:
        yield Hint(f"{key}.examples.invalid", f"lists {example!r}, the example of the format text")
    if (
        example is not None
        and parameter.pattern is not None
        and execute(parameter.pattern, example).execution is not Execution.MATCHED
    ):
        yield Hint(f"{key}.pattern", f"refuses {example!r}, the example of the format text")
    if parameter.pattern is None and example is None and not parameter.examples.valid:
        yield Hint(key, "neither pattern nor example: only the model's own pattern decides")
