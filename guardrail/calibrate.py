"""What `guardrail calibrate` writes and says of its findings. It must never judge, nor write over a policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import quote

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guardrail.calibration.answers import Calibration
from guardrail.calibration.curves import Prices, roc
from guardrail.calibration.fragment import fragment
from guardrail.errors import InputError


class Asked(NamedTuple):
    """Where the policies are, where the fragments and the page go (null: standard output; none), and the prices."""

    policy: str
    output: str | None
    page: str | None
    prices: Prices


def checked(asked: Asked) -> Iterator[str]:
    """The files and folders to be written, before any work is done.

    Raises: InputError where one can't be, where a policy would be written over, or where the page can't be drawn.
    """
    for sink in (asked.output, asked.page):
        if sink is not None:
            _refuse(Path(sink), Path(asked.policy))
            yield sink
    if asked.page is not None:
        _require_plots()


def _refuse(sink: Path, policy: Path) -> None:
    if not sink.parent.is_dir():
        raise InputError(f"{sink}: no folder {sink.parent}")
    folder = sink if sink.is_dir() else sink.parent
    if sink.resolve() == policy.resolve() or (policy.is_dir() and folder.samefile(policy)):
        raise InputError(f"{sink}: holds policies; a fragment is none, write it elsewhere and merge it")


def _require_plots() -> None:
    try:
        import guardrail.report.charts  # noqa: F401 - asked for before the work, not after it
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise InputError("calibrate: --page draws with matplotlib: pip install 'guardrail-sidecar[report]'") from None


def write(found: Sequence[Calibration], asked: Asked, standard: BinaryIO) -> None:
    """The fragments, and the page if one is asked for.

    Raises: InputError for several agents and a single file.
    """
    fragments = {one.agent: fragment(one) for one in found}
    if asked.output is None or asked.output == "-":
        standard.write("---\n".join(fragments.values()).encode())
    else:
        for path, text in _placed(fragments, Path(asked.output)):
            path.write_text(text, encoding="utf-8")
    if asked.page is not None:
        from guardrail.report.page import page

        Path(asked.page).write_text(page(found, asked.prices), encoding="utf-8")


def _placed(fragments: Mapping[str, str], output: Path) -> Iterator[tuple[Path, str]]:
    """The file of each fragment: `output` itself, or one for each agent in it where it is a folder."""
    if output.is_dir():
        yield from ((output / f"{quote(agent, safe=' ')}.calibration.yaml", text) for agent, text in fragments.items())
    elif len(fragments) == 1:
        yield from ((output, text) for text in fragments.values())
    else:
        raise InputError(f"{output}: {len(fragments)} agents ({', '.join(fragments)}); name an existing folder")


def show(console: Console, found: Sequence[Calibration]) -> None:
    """A table of the calibrations, and what is to be minded about them."""
    table = Table("agent", "good", "documents", "bad", "not counted", "level", "threshold", "area", box=None)
    table.pad_edge = False
    for one in found:
        chosen = one.threshold
        table.add_row(
            escape(one.agent),
            str(len(one.good)),
            str(chosen.documents),
            str(len(one.bad)),
            _uncounted(one),
            f"{chosen.level:g}",
            "none" if chosen.risk is None else f"{chosen.risk:.4g}",
            _area(one),
        )
    console.print(table)
    for one in found:
        for warning in _warnings(one):
            console.print(f"{one.agent}: {warning}", style="yellow", markup=False)


def _uncounted(found: Calibration) -> str:
    reasons = sorted({reason for reason, _ in found.uncounted})
    counts = [(reason, found.uncounted[reason, True] + found.uncounted[reason, False]) for reason in reasons]
    return ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in counts) or "0"


def _area(found: Calibration) -> str:
    if not (found.good and found.bad):
        return "-"
    curve = roc(found)
    return f"{curve.area:.3f} ({curve.low:.3f} to {curve.high:.3f})"


def _warnings(found: Calibration) -> Iterator[str]:
    chosen, fitted = found.threshold, found.fitted
    if fitted is not None:
        yield (
            f"scorers fitted on {fitted.good} good and {fitted.bad} bad answers of {fitted.documents} documents; "
            f"the table is of the others"
        )
    if chosen.risk is None:
        yield (
            f"{chosen.documents} documents with known-good answers, level {chosen.level:g} needs {chosen.needed}: "
            "no threshold, annotate only"
        )
    conflicts = sum(a.conflict for a in found.answers if a.good)
    if conflicts:
        yield f"known-good answers acted on whatever the threshold (conflicts, promises): {conflicts}"
