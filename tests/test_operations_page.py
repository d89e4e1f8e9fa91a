"""What docs/operations.md shows is there: its commands parse, its settings, headers and pointers are read."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from guardrail import cli, settings
from guardrail.judge.policy import compile_policy
from guardrail.stream import deadletter, letters, routing
from guardrail.telemetry import names

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
    sections = {name.partition("__")[0] for name in settings.known()}
    assert named - sections <= set(settings.known())
    assert any(name.startswith("GUARDRAIL_TOPICS__") for name in named)
    ours = {*routing.OURS, deadletter.ATTEMPT, deadletter.REDRIVEN_FROM, deadletter.TRUNCATED, "guardrail.agent"}
    topics_named = settings.TopicSettings()
    topics = {topics_named.redriven, topics_named.policies, f"guardrail.redrive.{topics_named.dead_letter}"}
    assert set(re.findall(r"guardrail\.[a-z.-]+", PAGE)) <= ours | topics
    assert f"`--max-attempts` ({letters.MAX_ATTEMPTS})" in PAGE


def test_its_pieces_of_a_policy_load() -> None:
    """Given a piece of a policy from the page, then a policy takes it."""
    pieces = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
    assert [key for piece in pieces for key in piece] == ["stale", "input"]
    for piece in pieces:
        compile_policy(yaml.safe_dump({"version": 1, "agent": "a", "locale": "en", **piece}))


def test_its_metrics_are_ours() -> None:
    """Every metric that it names is one that /metrics shows."""
    shown = {metric.prometheus for metric in names.METRICS}
    named = set(re.findall(r"guardrail_[a-z_]+", PAGE))
    assert named
    assert {name.removesuffix("_total") for name in named} <= shown
