"""`guardrail redrive`: what was asked, as filters; what went and stayed, as tables. It must never show a user's word.

Reasons are codes and class names of ours; keys and agents that were asked for are never printed.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from guardrail.errors import InputError
from guardrail.judge.codes import CODES, FAMILIES
from guardrail.policies import load_policies
from guardrail.settings import Settings
from guardrail.stream.letters import MAX_ATTEMPTS, Asked, Stay
from guardrail.stream.redrive import Redrive, Tally


def asked(arguments: argparse.Namespace, settings: Settings) -> Asked:
    """The filters that the options give. Raises InputError, PolicyError."""
    if strange := [code for code in arguments.code if code not in CODES and code not in FAMILIES]:
        raise InputError(f"redrive: no code or family {strange[0]} (guardrail explain)")
    path = arguments.policy or settings.policy.path
    from_offset, from_ms = bound(arguments.since)
    to_offset, to_ms = bound(arguments.until)
    return Asked(
        codes=frozenset(arguments.code),
        exceptions=frozenset(name.removeprefix("guardrail.") for name in arguments.exception),
        agents=frozenset(arguments.agent),
        keys=frozenset(key.encode(errors="surrogateescape") for key in arguments.key),
        partitions=frozenset(arguments.partition),
        from_offset=from_offset or 0,
        to_offset=to_offset,
        from_ms=from_ms,
        to_ms=to_ms,
        max_attempts=MAX_ATTEMPTS if arguments.max_attempts is None else arguments.max_attempts,
        policies=load_policies(path) if path and arguments.agent else {},
    )


def bound(text: str | None) -> tuple[int | None, int | None]:
    """An offset or a time in milliseconds: the other is null. Raises InputError."""
    if text is None:
        return None, None
    if text.isascii() and text.isdigit():
        return int(text), None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"redrive: {text} is neither an offset nor a time like 2026-11-30T14:00") from None
    return None, int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1_000)


def run(settings: Settings, wanted: Asked, err: Console, *, dry_run: bool) -> Tally:
    """Runs it with a bar on a terminal."""
    columns = (TextColumn("redriving"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("redriving", total=None)

        def advance(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        return Redrive(settings, wanted, dry_run=dry_run, advance=advance).run()


def show(out: Console, tally: Tally, *, dry_run: bool) -> None:
    """What went by its kind, most first; what stayed by its reason."""
    went = "would go" if dry_run else "went"
    table = Table("error", "codes", went, box=None, pad_edge=False)
    for kind, count in sorted(tally.went.items(), key=lambda one: (-one[1], one[0])):
        table.add_row(kind.exception or "-", ", ".join(kind.codes) or "-", str(count))
    if tally.went:
        out.print(table)
    for why in Stay:
        if count := tally.stayed[why]:
            out.print(f"{count} {'would stay' if dry_run else 'stayed'}: {why.value}")
    out.print(f"{tally.went.total()} {went}, {tally.stayed.total()} {'would stay' if dry_run else 'stayed'}")
