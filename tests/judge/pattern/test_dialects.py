"""The open dialect cases: what is right for each trap, and why, stands in the file. No case may be accepted wrongly."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from guardrail.judge.model import Execution
from guardrail.judge.pattern import execute
from guardrail.judge.pattern.examples import Examples, meant
from guardrail.judge.trial import example_of

SAME = {Execution.MATCHED: "ok:true", Execution.NOT_MATCHED: "ok:false", Execution.VALUE_TOO_LONG: "unsafe"}


class Case(msgspec.Struct):
    """A pattern, a value and the verdict that is right."""

    id: str
    trap: str
    pattern: str
    value: str
    expected_match: bool | None
    expected_class: str
    also_accepted: list[str] = []
    description: str = ""
    """The format text that came with the pattern, where a case has one."""

    @property
    def right(self) -> set[str]:
        """The verdicts that are right, in the file's words."""
        first = f"ok:{str(self.expected_match).lower()}" if self.expected_class == "ok" else self.expected_class
        return {first, *self.also_accepted}


def cases() -> list[Case]:
    """The open half."""
    lines = Path(__file__).with_name("dialect_cases_dev.jsonl").read_bytes().splitlines()
    return [msgspec.convert(json.loads(line), Case) for line in lines]  # json reads lone surrogates


def verdict(case: Case) -> str:
    """What the referee says of a case, in the file's words."""
    example = example_of(case.description)
    examples = Examples(() if example is None else (example,))
    execution = execute(meant(case.pattern, examples), case.value).execution
    return SAME.get(execution, execution.value)


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.id}-{case.trap}")
def test_a_dialect_case_is_decided_rightly(case: Case) -> None:
    """Each of the 108 cases gets a right verdict; none is accepted wrongly, and none is skipped."""
    assert verdict(case) in case.right
