"""The verbs that run and keep the stream: demo, run, watch, topics, redrive.

It must never import Kafka before a verb asks for it: the command line's other verbs start in a tenth of the time.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from guardrail.errors import InputError
from guardrail.policies import load_policies

_out = Console(highlight=False, soft_wrap=True)
_err = Console(stderr=True, highlight=False, soft_wrap=True)


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Their parsers."""
    demo = verbs.add_parser("demo", help="the real gate on an embedded broker, bundled policies and records")
    demo.add_argument("--bootstrap", metavar="HOST:PORT", help="on this Kafka instead, with topics of its own")
    demo.add_argument("--prefix", type=_prefix, help="what their names begin with (default: guardrail-demo-RANDOM.)")
    demo.add_argument("--keep", action="store_true", help="don't remove them afterwards")
    demo.epilog = "With --bootstrap, GUARDRAIL_KAFKA__* says how to log in."
    demo.set_defaults(verb=_demo)
    run = verbs.add_parser("run", help="the sidecar: consume, judge, publish, transactionally")
    run.add_argument(
        "--policy", metavar="PATH", help="a policy file, or a folder of them (default: GUARDRAIL_POLICY__PATH)"
    )
    run.add_argument("--workers", type=int, metavar="N", help="processes (default: GUARDRAIL_INSTANCE__WORKERS, or 1)")
    run.add_argument("--log-level", default="info", choices=["debug", "info", "warning", "error"])
    run.epilog = "Settings come from GUARDRAIL_* variables, librdkafka properties among them; OTEL_* is honoured."
    run.set_defaults(verb=_run, serves=True)
    watch = verbs.add_parser("watch", help="drift: observations in, alarms out")
    watch.add_argument("--file", required=True, metavar="FILE", help="observations that were kept (kcat -J, or values)")
    watch.add_argument("--json", action="store_true", help="alarms alone, a JSON line each")
    watch.epilog = "GUARDRAIL_WATCH__* says what they are held against: docs/settings.md."
    watch.set_defaults(verb=_watch)
    topics = verbs.add_parser("topics", help="check the topics, or create them")
    topics.add_argument("--create", action="store_true", help="create what is missing")
    topics.set_defaults(verb=_topics)
    redrive = verbs.add_parser("redrive", help="dead letters back into the raw topic, each once")
    _add_redrive(redrive)
    redrive.set_defaults(verb=_redrive)


def _add_redrive(redrive: argparse.ArgumentParser) -> None:
    """Its filters. A letter goes when every one that is given lets it through."""
    redrive.add_argument("--dry-run", action="store_true", help="count what would go; write nothing")
    redrive.add_argument("--code", action="append", default=[], metavar="CODE", help="a code or family; repeatable")
    redrive.add_argument(
        "--exception", action="append", default=[], metavar="NAME", help="an error's class, as OwnError; repeatable"
    )
    redrive.add_argument("--agent", action="append", default=[], metavar="ID", help="repeatable")
    redrive.add_argument(
        "--policy", metavar="PATH", help="for --agent, where policies map it from a field of their own"
    )
    redrive.add_argument("--key", action="append", default=[], metavar="KEY", help="a record key as text; repeatable")
    redrive.add_argument("--partition", action="append", default=[], type=int, metavar="N", help="repeatable")
    bound = "an offset, or the record's own time (2026-11-30T14:00, UTC unless it says otherwise)"
    redrive.add_argument("--from", dest="since", metavar="WHERE", help=f"the first to go: {bound}")
    redrive.add_argument("--to", dest="until", metavar="WHERE", help="the first not to go any more: the same")
    redrive.add_argument(
        "--max-attempts", type=int, metavar="N", help="what was redriven so often stays where it is (3)"
    )


def _prefix(text: str) -> str:
    """What a topic's name may begin with, and leave room for the rest. Raises ArgumentTypeError."""
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,100}", text):
        raise argparse.ArgumentTypeError("letters, digits, dots, hyphens and underscores alone, at most 100")
    return text


def _demo(arguments: argparse.Namespace) -> int:
    from guardrail import demo, logs

    if arguments.bootstrap is not None:
        logs.set_up("warning")  # why a login fails is told there
        return demo.show_on(_out, demo.own_settings(arguments.bootstrap, arguments.prefix), keep=arguments.keep)
    if arguments.prefix is not None or arguments.keep:
        raise InputError("demo: --prefix and --keep go with --bootstrap")
    return demo.show(_out)


def _run(arguments: argparse.Namespace) -> int:
    from guardrail.stream.run import EXIT_OK, on_signal

    with on_signal(lambda: sys.exit(EXIT_OK)):  # until the loop listens: nothing is begun yet that has to be ended
        return _serve(arguments)


def _serve(arguments: argparse.Namespace) -> int:
    from guardrail import logs, settings
    from guardrail.stream.run import run
    from guardrail.stream.workers import supervise

    chosen = settings.load(**({} if arguments.workers is None else {"instance": {"workers": arguments.workers}}))
    if arguments.policy is not None:
        named = chosen.policy.model_copy(update={"path": Path(arguments.policy)})
        chosen = chosen.model_copy(update={"policy": named})
    policies = load_policies(chosen.policy.path) if chosen.policy.path else {}
    logs.set_up(arguments.log_level)
    if chosen.instance.workers == 1:
        return run(chosen, policies)
    return supervise(chosen, policies, arguments.log_level)


def _watch(arguments: argparse.Namespace) -> int:
    from guardrail import settings, watch

    alarms, flow = watch.run(Path(arguments.file), settings.load().watch)
    if arguments.json:
        for alarm in alarms:
            sys.stdout.buffer.write(alarm.encode() + b"\n")
        return 0
    watch.show(_out, alarms, flow)
    return 0


def _topics(arguments: argparse.Namespace) -> int:
    from guardrail import logs, settings
    from guardrail.stream import topics

    logs.set_up("warning")  # why a login fails is told there
    chosen = settings.load()
    rows = topics.create(chosen) if arguments.create else topics.check(chosen)
    table = Table("topic", "partitions", "findings", box=None, pad_edge=False)
    for row in rows:
        told = "; ".join(escape(finding.text) for finding in row.findings)
        table.add_row(row.topic, str(row.partitions_count), told or "[green]fine[/]")
    _out.print(table)
    commands = dict.fromkeys(run for row in rows for run in row.commands(chosen.kafka.bootstrap_servers))
    if commands:
        _out.print("\nto mend it:")
    for command in commands:
        _out.print(f"  {command}", markup=False)
    return 1 if any(row.findings for row in rows) else 0


def _redrive(arguments: argparse.Namespace) -> int:
    from guardrail import logs, redrive, settings

    logs.set_up("warning")  # why a login fails is told there
    chosen = settings.load()
    wanted = redrive.asked(arguments, chosen)
    tally = redrive.run(chosen, wanted, _err, dry_run=arguments.dry_run)
    redrive.show(_out, tally, dry_run=arguments.dry_run)
    return 0 if tally.complete else 1
