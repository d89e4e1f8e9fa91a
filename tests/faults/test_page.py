"""The page of the fault matrix shows what was found beside what was asked, and keeps what wasn't measured anew."""

from pathlib import Path

import pytest

from tests.faults import page
from tests.faults.page import ABORTED, STALL, Row
from tests.faults.scenario import Bed, Figures


def never(_: Bed) -> Figures:
    """A page runs nothing."""
    raise AssertionError


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page with two rows, of which one misses its goals."""
    assert page.commit()
    monkeypatch.setattr(page, "commit", lambda: "at-1")
    target = tmp_path / "faults.md"
    page.write(Row("F10", "ten", never, {STALL: 15}), Figures(1_000, 0, 0, 0, 3, 12.34), target)
    page.write(Row("F9", "nine", never, {ABORTED: 0, "x, s": 2}), Figures(9, 1, 0, 0, 7, 1.0, {"x, s": 1.5}), target)
    return target


def test_goals_stand_beside_figures(written: Path) -> None:
    """A goal that is met says so; each one that is missed says by what, lost records always."""
    nine, ten = written.read_text(encoding="utf-8").splitlines()[-2:]
    assert ten == "| F10 | ten | 1,000 | 0 | 0 | 0 | 3 | 12.3 | - | longest stall, s ≤ 15: met | at-1 |"
    assert nine.startswith("| F9 | nine | 9 | 1 | 0 | 0 | 7 | 1.0 | x, s: 1.5 | ")
    assert nine.endswith("aborted ≤ 0; x, s ≤ 2: **missed: lost: 1, aborted: 7** | at-1 |")


def test_rows_of_the_same_versions_stay(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is measured again replaces the old one alone; with another version all others go."""
    page.write(Row("F9", "nine", never), Figures(8, 0, 0, 0, 0, 1.0), written)
    assert [line.split(" | ")[:3] for line in written.read_text(encoding="utf-8").splitlines()[-2:]] == [
        ["| F9", "nine", "8"],
        ["| F10", "ten", "1,000"],
    ]
    monkeypatch.setattr(page, "VERSION", "another")
    page.write(Row("F9", "nine", never), Figures(7, 0, 0, 0, 0, 1.0), written)
    lines = written.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line.startswith("| F")]
    assert kept == ["| F9 | nine | 7 | 0 | 0 | 0 | 0 | 1.0 | - | met | at-1 |"]
