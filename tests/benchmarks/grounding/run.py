"""One run: every figure of the results page, printed, and written when told. It needs the sets beside this clone."""

from __future__ import annotations

from pathlib import Path

from guardrail.judge.policy import ENGINE
from tests.benchmarks.grounding.calibrated import CORRECTED, corrected, gate
from tests.benchmarks.grounding.detection import by_kind, desk, detect, macro
from tests.benchmarks.grounding.fit import held_out
from tests.benchmarks.grounding.judging import judged, neutral
from tests.benchmarks.grounding.latency import latency
from tests.benchmarks.grounding.page import Results, page
from tests.benchmarks.grounding.published import published
from tests.corpora import grounding as sets

EMPTIES = (*sets.DESK, *sets.FITTED, *sets.UNREAD, *sets.TALK, *sets.TALK_UNREAD)
PAGE = Path(__file__).parents[3] / "docs" / "results" / "grounding.md"


def measured() -> Results:
    """Every figure of the page."""
    swift = latency()  # first, while no answer has been seen
    policies = neutral()
    shown = {name: judged(sets.rows(name), policies) for name in sets.ALL}
    detections = [detect(name, listed, policies) for name, listed in shown.items()]
    return Results(
        engine=ENGINE,
        detections=detections,
        macro=macro(detections),
        desks=[desk(name, shown.get(name) or judged(sets.rows(name), policies)) for name in EMPTIES],
        held_out=held_out(),
        kinds={name: by_kind(listed) for name, listed in shown.items() if "desk" in name or name.startswith("own_")},
        published=published(),
        gates=[gate(name, listed) for name, listed in shown.items()],
        corrections=[one for name in CORRECTED if (one := corrected(name, shown[name])) is not None],
        latency=swift,
    )


def grounding(*, write: bool = False) -> None:
    """Prints the results page, or says that there is nothing to measure."""
    if not sets.there():
        print(f"grounding: {sets.MISSING}")
        return
    text = page(measured())
    print(text)
    if write:
        PAGE.parent.mkdir(parents=True, exist_ok=True)
        PAGE.write_text(text, encoding="utf-8")
