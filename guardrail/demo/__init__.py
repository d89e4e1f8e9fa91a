"""The demo: the article's situations, re-told, through the real gate on an embedded broker.

It must never fake a step.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from guardrail.colours import coloured, counted
from guardrail.judge.model import Action, Decision, Quadrant, RawRecord, Reply
from guardrail.judge.policy import Policies
from guardrail.lines import read_line
from guardrail.policies import load_policies
from guardrail.stream.embedded import play
from guardrail.stream.play import Played

FOLDER = Path(__file__).parent
_TEXT_CHARS = 150
_CODES_SHOWN = 2


class _Said(msgspec.Struct):
    user_message: str = ""


def bundled() -> tuple[list[RawRecord], Policies]:
    """The records and the policies that ship with the package."""
    lines = (FOLDER / "records.jsonl").read_bytes().splitlines()
    records = [record for index, line in enumerate(lines) if (record := read_line(line, index)) is not None]
    return records, load_policies(FOLDER)


def show(out: Console) -> int:
    """Play the bundled records and show what came in, what was decided, and why. Gives the exit code."""
    records, policies = bundled()
    started = time.perf_counter()
    played = play(records, policies)
    seconds = time.perf_counter() - started
    out.print(_table(played))
    out.print(_closing([p.decision for p in played], seconds))
    out.print("Embedded broker, in this process: the real gate, but isolation isn't shown.", style="dim")
    out.print("Next: guardrail run, against your Kafka.", style="dim")
    return 0


def _table(played: Sequence[Played]) -> Table:
    table = Table(title="What the model sent, and what the channel tier gets", title_justify="left", show_lines=True)
    table.add_column("situation", ratio=3)
    table.add_column("the user says", ratio=3)
    table.add_column("outcome")
    table.add_column("why", ratio=4, overflow="fold")
    table.add_column("the user is answered", ratio=6)
    for one in played:
        outcome = coloured(one.decision.outcome)
        table.add_row(_situation(one), _said(one), outcome, _why(one.decision), _answered(one.decision))
    return table


def _situation(played: Played) -> str:
    return played.record.header("demo.situation") or ""


def _said(played: Played) -> str:
    try:
        return _short(msgspec.json.decode(played.record.value or b"{}", type=_Said).user_message)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def _why(decision: Decision) -> str:
    """The codes that decided, else what was reported; a low score alone says little and is left out.

    A mismatch is marked.
    """
    acting = [v.code for v in decision.violations if v.action not in {Action.REPORT, Action.IGNORE}]
    reported = [v.code for v in decision.violations if v.action is Action.REPORT and v.code != "ground.below_tau"]
    codes = list(dict.fromkeys(acting or reported))
    drift = any(o.quadrant is Quadrant.MISMATCH for o in decision.observations)
    more = [f"+{len(codes) - _CODES_SHOWN} more"] if len(codes) > _CODES_SHOWN else []
    return "\n".join([*codes[:_CODES_SHOWN], *more, *(["[bold red]drift trace[/]"] if drift else [])])


def _answered(decision: Decision) -> str:
    reply = decision.reply
    if not isinstance(reply, Reply):
        return "[dim]nothing[/]"
    by = "" if decision.answer_source == "llm" else f"[dim]({decision.answer_source})[/] "
    return by + _short(reply.generated_answer.answer or "")


def _short(text: str) -> str:
    line = " ".join(text.split()).replace("[", r"\[")
    return line if len(line) <= _TEXT_CHARS else line[: _TEXT_CHARS - 1] + "…"


def _closing(decisions: Sequence[Decision], seconds: float) -> str:
    counts = counted(Counter(decision.outcome for decision in decisions))
    mismatches = sum(o.quadrant is Quadrant.MISMATCH for d in decisions for o in d.observations)
    return f"{len(decisions)} records: {counts}; {mismatches} mismatch{'es' * (mismatches != 1)}; {seconds:.1f} s"
