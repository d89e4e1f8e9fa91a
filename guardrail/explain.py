"""What `guardrail explain` prints of a pattern and a value. It must never judge: it asks the referee."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table

from guardrail.backtracker import Backtracker
from guardrail.errors import InputError
from guardrail.judge.layout import LimitsLayout
from guardrail.judge.model import Execution, Source
from guardrail.judge.pattern import compare
from guardrail.judge.pattern.comparison import Comparison
from guardrail.judge.pattern.examples import Against, Examples
from guardrail.judge.pattern.explain import Explanation, Stop, explained
from guardrail.judge.pattern.last import question
from guardrail.judge.pattern.referee import Run
from guardrail.judge.policy import Parameter
from guardrail.judge.trial import example_of, ruled, with_example
from guardrail.policies import load_policy

HINTS = {
    "trailing_newline": "matches without its final line end",
    "surrounding_space": "matches without the blanks around it",
    "unicode_digits": "matches with its digits in ASCII",
    "unicode_space": "matches with ordinary blanks",
    "invisible_chars": "matches without its invisible characters",
    "case_only": "matches when case is put aside",
    "double_escape_suspected": "matches when the pattern's doubled backslashes are halved",
    "partial_match": "a part of it matches, the whole doesn't",
}
SUSPICIONS = {
    "control_char": "holds a raw control character (JSON makes one of \\b)",
    "overescaped_suspected": "every backslash is doubled",
    "wide_range": "A-z holds six signs beside the letters",
}
_STYLES = {Execution.MATCHED: "green", Execution.NOT_MATCHED: "red"}


class Asked(NamedTuple):
    """A pattern and a value, with the format text or the policy's parameter that they belong to."""

    pattern: str
    value: str
    format: str | None = None
    policy: str | None = None
    parameter: str | None = None


class Told(msgspec.Struct, frozen=True):
    """What is known of a pattern and a value.

    `halved`: whether its doubled backslashes were, as the examples ask for. `beside`: how it stands to the operator's.
    """

    explanation: Explanation
    halved: bool
    format_example: str | None
    beside: Comparison | None


def told(asked: Asked) -> Told:
    """All about a pattern and a value.

    Raises: InputError for an unknown parameter; PolicyError.
    """
    parameter, limits = _configured(asked)
    example = example_of(asked.format if asked.format is not None else parameter and parameter.format)
    examples = with_example(Examples() if parameter is None else parameter.examples, example)
    found = explained(asked.pattern, asked.value, examples, value_chars=limits.value_chars)
    last = question(found.pattern, asked.value) if found.run.left_over and limits.last_tier else None
    if last is not None:
        with Backtracker() as last_tier:
            found = msgspec.structs.replace(found, run=ruled(found.run, last_tier(Source(), last)))
    operators = None if parameter is None else parameter.pattern
    beside = None if operators is None else compare(found.pattern, operators)
    return Told(found, found.pattern != asked.pattern, example, beside)


def _configured(asked: Asked) -> tuple[Parameter | None, LimitsLayout]:
    """The parameter as a policy has it, and the policy's limits; without a policy, its defaults."""
    if asked.policy is None:
        return None, LimitsLayout()
    policy = load_policy(asked.policy)
    parameters = policy.parameters
    chosen = parameters.get(asked.parameter or "")
    if chosen is None:
        raise InputError(f"explain: no parameter {asked.parameter}; the policy has: {', '.join(parameters)}")
    return chosen, policy.layout.limits


def show(console: Console, asked: Asked) -> None:
    """Prints what is known of a pattern and a value."""
    found = told(asked)
    run = found.explanation.run
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in (("verdict", _verdict(run)), *_lines(found)):
        table.add_row(label, text, style=_STYLES.get(run.execution, "yellow") if label == "verdict" else None)
    console.print(table, markup=False)


def _verdict(run: Run) -> str:
    return f"{run.execution} (tier {run.tier})" if run.decided else f"{run.execution}: {run.reason}"


Line = tuple[str, str]
"""Label and text."""


def _lines(found: Told) -> Iterator[Line]:
    """Everything that is to be said beside the verdict."""
    whole, run = found.explanation, found.explanation.run
    yield from (("repaired", f"{what} taken off") for what in run.repairs)
    if found.halved:
        yield "repaired", "doubled backslashes halved: the examples ask for it"
    if whole.fault is not None:
        yield "where", f"character {whole.fault.at + 1} of the pattern"
    if whole.read_as is not None:
        yield "read as", whole.read_as
    if whole.stop is not None:
        yield "why", _why(whole.stop)
    yield from (("hint", HINTS[hint]) for hint in run.hints)
    if whole.nearest is not None:
        yield "nearest", f"{whole.nearest!r} matches"
    yield from (("suspicion", SUSPICIONS[doubt]) for doubt in run.suspicions)
    if whole.read_as is not None:
        yield from _of_examples(whole.against, found.format_example)
    if found.beside is not None:
        yield from _beside(found.beside)


def _why(stop: Stop) -> str:
    wanted = " or ".join(stop.wanted) or "nothing"
    return f"{stop.position} characters fit; then {wanted} is wanted"


def _of_examples(against: Against, format_example: str | None) -> Iterator[Line]:
    yield from (("example", f"refuses the valid {one!r}: the pattern proves nothing") for one in against.refused)
    yield from (("example", f"takes the invalid {one!r}: the pattern proves nothing") for one in against.accepted)
    if format_example is not None and format_example not in (*against.refused, *against.left_over):
        yield "example", f"takes {format_example!r}, the format text's own"


def _beside(found: Comparison) -> Iterator[Line]:
    """How the pattern stands to the operator's own."""
    yield "operator's", f"{found.relation} beside the operator's own pattern"
    if found.extra is not None:
        yield "operator's", f"takes {found.extra!r}, which the operator's refuses"
    if found.missing is not None:
        yield "operator's", f"refuses {found.missing!r}, which the operator's takes"
