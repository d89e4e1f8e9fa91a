"""docs/settings.md has every setting that is read, and no other, each with its default."""

from __future__ import annotations

import re
from pathlib import Path

from guardrail import settings

PAGE = (Path(__file__).parents[1] / "docs" / "settings.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(GUARDRAIL_\w+)` \| (.+?) \| (.+) \|$", PAGE, re.MULTILINE)


def test_it_has_every_setting_in_order() -> None:
    """Given the settings that are read, then the page has a row for each, in their order, with a sentence."""
    assert [name for name, _, _ in ROWS] == settings.known()
    assert all(said.endswith((".", ")")) for _, _, said in ROWS)


def test_its_defaults_are_what_is_taken() -> None:
    """Given no environment, then what is taken is what the page says."""
    sections = settings.Settings.model_fields
    for name, told, _ in ROWS:
        section, _, field = name.removeprefix("GUARDRAIL_").lower().partition("__")
        default = getattr(sections[section].default, field)
        assert told == ("none" if default is None else f"`{default}`"), name
