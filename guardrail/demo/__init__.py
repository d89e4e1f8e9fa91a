"""The demo: the article's situations, re-told, through the real gate on an embedded broker or a cluster of yours.

It must never fake a step.
"""

from __future__ import annotations

import secrets
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
from guardrail.settings import Settings, TopicSettings, load
from guardrail.stream.embedded import play
from guardrail.stream.guest import Guest, Shown
from guardrail.stream.play import Played
from guardrail.stream.topics import ALONE, LINED_UP, SPREAD

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
    _print(out, played, time.perf_counter() - started)
    out.print("Embedded broker, in this process: the real gate, but isolation isn't shown.", style="dim")
    out.print("Next: guardrail demo --bootstrap HOST:PORT, which shows it on your Kafka; guardrail run.", style="dim")
    return 0


def show_on(out: Console, settings: Settings, *, keep: bool) -> int:
    """The same on the cluster and the topics that these settings name, which are made for it and removed afterwards.

    Gives the exit code: 1 when something of it is left there that should be gone.
    """
    records, policies = bundled()
    guest = Guest(settings, keep=keep)
    try:
        with guest:
            started = time.perf_counter()
            shown = guest.play(records, policies)
            _print(out, shown.played, time.perf_counter() - started)
            out.print(_isolated(shown, settings.topics.raw), style="dim", markup=False)
    finally:
        if guest.left:
            out.print(f"Couldn't be removed: {', '.join(guest.left)}", style="red", markup=False)
    if keep:
        out.print(f"Kept: the topics and the group {settings.gate.group}.", style="dim", markup=False)
    return 1 if guest.left else 0


def own_settings(bootstrap: str, prefix: str | None) -> Settings:
    """The environment's settings for that cluster, with topics, group and names that begin with a prefix: by default
    one that nobody has. Raises SettingsError.
    """
    start = f"guardrail-demo-{secrets.token_hex(4)}." if prefix is None else prefix
    defaults = TopicSettings()
    named = {role: f"{start}{getattr(defaults, role)}" for role in (*LINED_UP, *SPREAD, *ALONE)}
    return load(
        kafka={"bootstrap_servers": bootstrap},
        topics={**named, "partitions_count": 1},
        gate={"group": f"{start}gate", "delivery": "exactly_once"},
        instance={"identity": "random", "workers": 1},
    )


def _isolated(shown: Shown, raw: str) -> str:
    """What the cluster showed beside the outcomes."""
    count = len(shown.played)
    return (
        f"Real Kafka, with isolation: before these {count} records the same ones were sent in a transaction that was "
        f"aborted. A reader of everything finds {shown.raw_count} on {raw}, one of committed records {count}. "
        "The gate decided each of those exactly once, and nothing else; each that has an output has one."
    )


def _print(out: Console, played: Sequence[Played], seconds: float) -> None:
    out.print(_table(played))
    out.print(_closing([p.decision for p in played], seconds))


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
