"""The verbs: the only place where parts are wired. It must never judge.

Exit codes: 0 done; 1 what --fail-on names was found; 2 bad usage, input or policy (`run`: 78 settings, 65 policy, 75
the broker).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO, Literal, TypeVar

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from guardrail import operations, steer
from guardrail.backtracker import Backtracker
from guardrail.colours import counted
from guardrail.errors import GuardrailError, InputError, PolicyError, SettingsError
from guardrail.judge.codes import CODES, FAMILIES, Code
from guardrail.judge.decide import Judged, judge
from guardrail.judge.failing import unjudged
from guardrail.judge.layout import PolicyLayout
from guardrail.judge.lint import lint
from guardrail.judge.model import Decision, Outcome, RawRecord, encode
from guardrail.judge.policy import ENGINE, Policies
from guardrail.lines import read_line
from guardrail.policies import load_policies, load_policy
from guardrail.scorers import load_scorers, named_scorers
from guardrail.version import VERSION

EX_USAGE, EX_POLICY, EX_SETTINGS = 2, 65, 78
BATCH_LINES = 500
"""Lines judged together by `check`: large enough that vectors cost little, small enough that the bar moves."""

Line = TypeVar("Line")
Judge = Callable[[Sequence[RawRecord], Policies], list[Judged]]
"""The judge with all that it is lent."""

_out = Console(highlight=False, soft_wrap=True)
_err = Console(stderr=True, highlight=False, soft_wrap=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a verb. Gives its exit code."""
    parser = _parser()
    chosen = parser.parse_args(arguments)
    if not hasattr(chosen, "verb"):
        parser.print_help()
        return EX_USAGE
    try:
        return int(chosen.verb(chosen))
    except PolicyError as error:
        return _complain(error, EX_POLICY if chosen.serves else EX_USAGE)
    except SettingsError as error:
        return _complain(error, EX_SETTINGS if chosen.serves else EX_USAGE)
    except GuardrailError as error:
        return _complain(error, EX_USAGE)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:  # a full disk, a file that went away
        return _complain(InputError(f"{error.filename or 'output'}: {error.strerror}"), EX_USAGE)
    except KeyboardInterrupt:
        return 130


def _complain(error: GuardrailError, code: int) -> int:
    for line in str(error).splitlines():
        _err.print(line, style="red", markup=False)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="guardrail", description="Judge raw LLM responses: exactly one decision a record."
    )
    parser.add_argument("--version", action="version", version=f"guardrail {VERSION} ({ENGINE})")
    parser.set_defaults(serves=False)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    check = verbs.add_parser("check", help="record lines in, decision lines out; no broker")
    check.add_argument("file", nargs="?", metavar="FILE", help="record lines (default: standard input)")
    check.add_argument("--policy", required=True, metavar="PATH", help="a policy file, or a folder of them")
    check.add_argument("--output", metavar="FILE", help="where decisions go (default: standard output)")
    check.add_argument("--fail-on", action="append", default=[], choices=[o.value for o in Outcome], metavar="OUTCOME")
    check.set_defaults(verb=_check)
    linter = verbs.add_parser("lint", help="load a policy and say what its author may want to change")
    linter.add_argument("path", nargs="?", metavar="PATH", help="a policy file, or a folder of them")
    linter.add_argument("--json-schema", action="store_true", help="print the JSON Schema of policy files, for editors")
    linter.add_argument("--strict", action="store_true", help="exit 1 when there is any remark")
    linter.set_defaults(verb=_lint)
    explain = verbs.add_parser("explain", help="what a code means; or why a value matches a pattern, or doesn't")
    explain.add_argument("code", nargs="?", metavar="CODE", help="a code or family (default: all)")
    explain.add_argument("--pattern", metavar="P", help="a model's regular expression")
    explain.add_argument("--value", metavar="V", help="the value that it is run over")
    explain.add_argument("--format", metavar="TEXT", help="the format text that came with it")
    explain.add_argument(
        "--policy", metavar="FILE", help="where --parameter has its examples and the operator's pattern"
    )
    explain.add_argument("--parameter", metavar="ID")
    explain.add_argument("--json", action="store_true", help="one JSON object, for --pattern")
    explain.set_defaults(verb=_explain)
    _add_calibrate(verbs)
    operations.add(verbs)
    steer.add(verbs)
    return parser


def _add_calibrate(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    calibrate = verbs.add_parser("calibrate", help="from labelled records to the risk that few good answers exceed")
    calibrate.add_argument("file", nargs="?", metavar="FILE", help="labelled records (default: standard input)")
    calibrate.add_argument("--policy", required=True, metavar="PATH", help="a policy file, or a folder of them")
    calibrate.add_argument("--level", type=level, default=0.05, help="share of good answers that may be flagged (.05)")
    calibrate.add_argument(
        "--output", metavar="PATH", help="the policy's new lines; a folder for many agents (default: standard output)"
    )
    calibrate.add_argument(
        "--scorer",
        action="append",
        default=[],
        metavar="NAME",
        help="fit an installed scorer, and the built-in one beside it, on half of the documents; repeatable",
    )
    calibrate.add_argument("--page", metavar="FILE", help="an HTML page with plots (needs the extra `report`)")
    calibrate.add_argument("--cost-flag", type=cost, default=1.0, metavar="X", help="of a flagged good answer (1)")
    calibrate.add_argument("--cost-miss", type=cost, default=5.0, metavar="X", help="of a missed bad answer (5)")
    calibrate.set_defaults(verb=_calibrate)


def level(text: str) -> float:
    """A share between 0 and 1, as an option gives it. Raises: ValueError, ArgumentTypeError."""
    if not 0 < (share := float(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text} isn't between 0 and 1")
    return share


def cost(text: str) -> float:
    """A cost of 0 or more, as an option gives it. Raises: ValueError, ArgumentTypeError."""
    if not 0 <= (price := float(text)) < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no cost: a number, 0 or more")
    return price


def _check(arguments: argparse.Namespace) -> int:
    policies = load_policies(arguments.policy)
    scorers = load_scorers(policies)
    counts: Counter[Outcome] = Counter()
    started = time.perf_counter()
    _refuse_same(arguments.file, arguments.output)
    with (
        Backtracker() as last_tier,
        _opened(arguments.file, "rb", sys.stdin.buffer) as source,
        _opened(arguments.output, "wb", sys.stdout.buffer) as sink,
    ):
        lent = partial(judge, last_tier=last_tier, scorers=scorers)
        for batch in _batches(source, read_line, show=arguments.output is not None or not sys.stdout.isatty()):
            for decision in _timed(batch, policies, lent):
                counts[decision.outcome] += 1
                sink.write(encode(decision) + b"\n")
    _summarise(counts, time.perf_counter() - started)
    return 1 if any(counts[Outcome(name)] for name in arguments.fail_on) else 0


def _timed(batch: list[RawRecord], policies: Policies, lent: Judge) -> list[Decision]:
    started = time.perf_counter_ns()
    decisions = [judged.decision for judged in _judged(batch, policies, lent)]
    took_us = (time.perf_counter_ns() - started) / 1_000 / max(1, len(batch))
    return [msgspec.structs.replace(decision, took_us=round(took_us, 1)) for decision in decisions]


def _judged(batch: list[RawRecord], policies: Policies, lent: Judge) -> list[Judged]:
    """The judged records; an error of our own costs one of them, and is told."""
    try:
        return lent(batch, policies)
    except Exception as error:  # noqa: BLE001 - whatever it is, every line gets a decision
        if len(batch) > 1:
            return [judged for record in batch for judged in _judged([record], policies, lent)]
        _err.print(
            f"line {(batch[0].source.offset or 0) + 1}: an error of our own: {type(error).__name__}", style="red"
        )
        return [unjudged(batch[0], policies)]


def _opened(name: str | None, mode: Literal["rb", "wb"], standard: BinaryIO) -> BinaryIO:
    """A file by its name; the standard stream for none or "-"."""
    if name is None or name == "-":
        return standard
    try:
        return Path(name).open(mode)
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}") from None


def _refuse_same(source: str | None, sink: str | None) -> None:
    if source and sink and Path(source).exists() and Path(sink).exists() and Path(source).samefile(sink):
        raise InputError(f"{sink}: is the input, which would be overwritten")


def _batches(source: BinaryIO, read: Callable[[bytes, int], Line | None], *, show: bool) -> Iterator[list[Line]]:
    """What the lines of a file hold, in batches, with a bar on a terminal."""
    size = _size(source)
    columns = (TextColumn("judging"), BarColumn(), MofNCompleteColumn(), TextColumn("bytes"), TimeRemainingColumn())
    with Progress(*columns, console=_err, transient=True, disable=not (show and _err.is_terminal)) as progress:
        task = progress.add_task("judging", total=size)
        batch: list[Line] = []
        for index, line in enumerate(source):
            found = read(line, index)
            if found is not None:
                batch.append(found)
            progress.advance(task, len(line))
            if len(batch) >= BATCH_LINES:
                yield batch
                batch = []
        if batch:
            yield batch


def _size(source: BinaryIO) -> int | None:
    name = source.name
    return Path(name).stat().st_size if isinstance(name, str) and Path(name).is_file() else None


def _summarise(counts: Counter[Outcome], seconds: float) -> None:
    total = counts.total()
    rate = total / seconds if seconds else 0
    _err.print(f"{total} records: {counted(counts)}; {seconds:.2f} s, {rate:,.0f} a second")


def _calibrate(arguments: argparse.Namespace) -> int:
    from guardrail import calibrate
    from guardrail.calibration.answers import Ledger, uncalibrated
    from guardrail.calibration.curves import Prices
    from guardrail.calibration.samples import read_sample

    asked = calibrate.Asked(
        arguments.policy, arguments.output, arguments.page, Prices(arguments.cost_flag, arguments.cost_miss)
    )
    policies = load_policies(arguments.policy)
    scorers = named_scorers(arguments.scorer) if arguments.scorer else load_scorers(policies)
    versions = {name: scorer.version for name, scorer in scorers.items()} if arguments.scorer else None
    policies = uncalibrated(policies, versions)
    for sink in calibrate.checked(asked):
        _refuse_same(arguments.file, sink)
    ledger = Ledger()
    with Backtracker() as last_tier, _opened(arguments.file, "rb", sys.stdin.buffer) as source:
        lent = partial(judge, last_tier=last_tier, scorers=scorers)
        for batch in _batches(source, read_sample, show=True):
            ledger.enter(batch, _judged([sample.record for sample in batch], policies, lent))
    found = ledger.close(arguments.level)
    if versions is not None:
        from guardrail.calibration.fitting import refitted

        found = refitted(found, versions)
    calibrate.write(found, asked, sys.stdout.buffer)
    calibrate.show(_err, found)
    return 0


def _lint(arguments: argparse.Namespace) -> int:
    if arguments.json_schema:
        sys.stdout.buffer.write(
            msgspec.json.format(msgspec.json.encode(PolicyLayout.model_json_schema(by_alias=True))) + b"\n"
        )
        return 0
    if arguments.path is None:
        raise InputError("lint: name a policy file or folder, or ask for --json-schema")
    path = Path(arguments.path)
    policies = load_policies(path) if path.is_dir() else {"": load_policy(path)}
    remarks = 0
    for policy in policies.values():
        _out.print(f"[bold]{policy.agent}[/] revision {policy.revision}", markup=True)
        for hint in lint(policy):
            remarks += 1
            _out.print(f"  {hint.key}: {hint.text}", markup=False)
    _out.print(f"{len(policies)} loaded, {remarks} remarks")
    return 1 if arguments.strict and remarks else 0


def _explain(arguments: argparse.Namespace) -> int:
    given = [name for name in ("pattern", "value") if getattr(arguments, name) is not None]
    if not given:
        return _explain_code(arguments.code)
    if len(given) == 1 or arguments.code is not None or (arguments.policy is None) != (arguments.parameter is None):
        raise InputError("explain: give a CODE, or --pattern with --value; --policy goes with --parameter")
    from guardrail import explain

    asked = explain.Asked(arguments.pattern, arguments.value, arguments.format, arguments.policy, arguments.parameter)
    if arguments.json:
        sys.stdout.buffer.write(msgspec.json.encode(explain.told(asked)) + b"\n")
    else:
        explain.show(_out, asked)
    return 0


def _explain_code(wanted: str | None) -> int:
    chosen = [c for c in CODES.values() if wanted in (None, c.name, c.family)]
    if not chosen:
        raise InputError(f"explain: no code or family {wanted}; families: {', '.join(sorted(FAMILIES))}")
    if len(chosen) > 1:
        _out.print(_code_table(chosen))
        return 0
    code = chosen[0]
    _out.print(f"[bold]{code.name}[/]", markup=True)
    _out.print(f"  {code.meaning}", markup=False)
    _out.print(f"  example: {code.example}", markup=False)
    _out.print(f"  default: {code.default.value}; a policy may set: {_settable(code)}", markup=False)
    return 0


def _settable(code: Code) -> str:
    from guardrail.judge.model import Action

    alone = "nothing" if code.set_by is None else f"nothing but {code.set_by}"
    return ", ".join(action.value for action in Action if code.allows(action)) or alone


def _code_table(codes: Sequence[Code]) -> Table:
    table = Table("code", "default", "meaning", box=None, pad_edge=False)
    for code in codes:
        table.add_row(code.name, code.default.value, code.meaning)
    return table
