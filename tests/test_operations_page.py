"""What docs/operations.md shows is there: its commands parse, its settings, headers and pointers are read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from guardrail import cli, settings
from guardrail.judge.layout import InputLayout
from guardrail.stream import deadletter, letters, routing

PAGE = (Path(__file__).parents[1] / "docs" / "operations.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^(guardrail [^#\n]*)", PAGE, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_parse(command: str) -> None:
    """Given a command of the page, then the command line takes it, options and all."""
    chosen = cli._parser().parse_args(shlex.split(command)[1:])  # noqa: SLF001  # a run needs a broker
    assert callable(chosen.verb)


def test_its_settings_and_headers_are_read() -> None:
    """Every variable and header that it names is one of ours, and its pointers are fields that a policy may map."""
    named = set(re.findall(r"GUARDRAIL_[A-Z_]+[A-Z]", PAGE))
    assert named - {"GUARDRAIL_TOPICS"} <= set(settings.known())
    assert any(name.startswith("GUARDRAIL_TOPICS__") for name in named)
    ours = {*routing.OURS, deadletter.ATTEMPT, deadletter.REDRIVEN_FROM, deadletter.TRUNCATED, "guardrail.agent"}
    topics = {settings.TopicSettings().redriven, "guardrail.redrive."}
    assert set(re.findall(r"guardrail\.[a-z.-]+", PAGE)) <= ours | topics
    assert f"`--max-attempts` ({letters.MAX_ATTEMPTS})" in PAGE
    [block] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    InputLayout.model_validate(yaml.safe_load(block)["input"])
