"""What known examples say of a pattern. It must never judge a value that a user gave."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from guardrail.judge.model import Execution
from guardrail.judge.pattern.referee import Run, execute
from guardrail.judge.pattern.repair import undoubled

_CACHED = 4_096
EXAMPLE_CHARS_MAX = 4_096
"""The most that a policy may let a value have; its reader holds each example against its own limit."""


class Examples(msgspec.Struct, frozen=True):
    """Values that a format must accept, and values that it must refuse."""

    valid: tuple[str, ...] = ()
    invalid: tuple[str, ...] = ()


LEFT_OVER_MAX = 8  # as many as a record may ask the last tier
NO_EXAMPLES = Examples()


class Against(msgspec.Struct, frozen=True):
    """What speaks against a pattern. `left_over` are examples that only the last tier can tell."""

    refused: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    left_over: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether every example comes out right."""
        return not (self.refused or self.accepted or self.left_over)


@lru_cache(maxsize=_CACHED)
def against(pattern: str, examples: Examples) -> Against:
    """The valid examples that a pattern refuses, and the invalid ones that it accepts.

    After so many that the search gives up on, the rest isn't tried: the pattern is hard, whatever they would say.
    """
    said: dict[tuple[bool, Execution], list[str]] = {}
    left_over: list[str] = []
    for valid, one in [(True, one) for one in examples.valid] + [(False, one) for one in examples.invalid]:
        run = _run(pattern, one)
        if run.left_over:
            left_over.append(one)
            if len(left_over) == LEFT_OVER_MAX:
                break
        said.setdefault((valid, run.execution), []).append(one)
    refused, accepted = said.get((True, Execution.NOT_MATCHED), ()), said.get((False, Execution.MATCHED), ())
    return Against(tuple(refused), tuple(accepted), tuple(left_over))


@lru_cache(maxsize=_CACHED)
def refuses(pattern: str, example: str) -> bool | None:
    """Whether a pattern refuses one example; null where only the last tier can tell."""
    run = _run(pattern, example)
    return None if run.left_over else run.execution is Execution.NOT_MATCHED


def _run(pattern: str, example: str) -> Run:
    return execute(pattern, example, value_chars=EXAMPLE_CHARS_MAX, hints=False)


def meant(pattern: str, examples: Examples) -> str:
    """The pattern, its doubled backslashes halved where that alone makes every example come out right.

    Whether they were meant can't be told from the text (REGEX.md): without a valid example it stands.
    """
    single = undoubled(pattern) if "\\\\" in pattern and examples.valid else None
    if single is None or not against(pattern, Examples(examples.valid)).refused:
        return pattern
    return single if against(single, examples).nothing else pattern
