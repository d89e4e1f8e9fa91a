"""The verb `policies`: which policy is in force, on whose word. It must never do anything unsigned.

Everything goes through the register, the compacted topic that every gate follows: `--by` and `--why` stand in it, and
on what is decided under a bypass.
"""

from __future__ import annotations

import argparse
import getpass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from guardrail.errors import InputError
from guardrail.policies import load_policies

if TYPE_CHECKING:  # Kafka's client takes a while to import
    from guardrail.stream.steering import Signed, Steering

_out = Console(highlight=False, soft_wrap=True, markup=False)


def add(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Its parsers."""
    verb = verbs.add_parser("policies", help="which policies are in force: show, publish, activate, canary, bypass")
    verb.set_defaults(verb=_show)
    does = verb.add_subparsers(metavar="WHAT")
    does.add_parser("show", help="the register as it stands").set_defaults(verb=_show)
    publish = _signed(does, "publish", "puts policies into the register", _publish)
    publish.add_argument("path", metavar="PATH", help="a policy file, or a folder of them")
    publish.add_argument("--activate", action="store_true", help="and puts them in force")
    activate = _signed(does, "activate", "puts a published revision in force", _activate)
    activate.add_argument("agent", metavar="AGENT")
    activate.add_argument("revision", metavar="REVISION")
    activate.add_argument("--force", action="store_true", help="without probation: you have looked")
    canary = _signed(does, "canary", "gives a second revision a share of the keys", _canary)
    canary.add_argument("agent", metavar="AGENT")
    canary.add_argument("revision", metavar="REVISION")
    canary.add_argument("--share", type=float, default=0.05, metavar="X", help="of the keys, from 0 to 1 (.05)")
    bypass = _signed(does, "bypass", "an emergency: responses pass unenforced, until then", _bypass)
    bypass.add_argument("agent", metavar="AGENT", help="or * for every agent")
    bypass.add_argument("--minutes", type=float, required=True, metavar="N", help="how long; a day at most")
    back = _signed(does, "take-back", "removes an active, canary or bypass entry", _take_back)
    back.add_argument("kind", choices=["active", "canary", "bypass"])
    back.add_argument("agent", metavar="AGENT")


def _signed(
    does: argparse._SubParsersAction[argparse.ArgumentParser], name: str, what: str, verb: object
) -> argparse.ArgumentParser:
    made = does.add_parser(name, help=what)
    made.add_argument("--why", required=True, metavar="TEXT", help="the reason: it stays in the register")
    made.add_argument("--by", metavar="NAME", help="who you are (default: the user's name)")
    made.set_defaults(verb=verb)
    return made


def _steering() -> Steering:
    from guardrail import logs, settings
    from guardrail.stream.steering import Steering

    logs.set_up("warning")  # why a login fails is told there
    return Steering(settings.load())


def _signature(arguments: argparse.Namespace) -> Signed:
    from guardrail.stream.steering import Signed

    if not arguments.why.strip():
        raise InputError("--why: give the reason")
    return Signed((arguments.by or _user()).strip(), arguments.why)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        raise InputError("--by: give your name") from None


def _publish(arguments: argparse.Namespace) -> int:
    policies = load_policies(arguments.path)
    signed, steering = _signature(arguments), _steering()
    steering.publish(list(policies.values()))
    for agent, policy in policies.items():
        if arguments.activate:
            steering.activate(agent, policy.revision, signed)
        _out.print(f"{agent} {policy.revision} {'in force' if arguments.activate else 'published'}")
    return 0


def _activate(arguments: argparse.Namespace) -> int:
    _steering().activate(arguments.agent, arguments.revision, _signature(arguments), force=arguments.force)
    return 0


def _canary(arguments: argparse.Namespace) -> int:
    _steering().canary(arguments.agent, arguments.revision, arguments.share, _signature(arguments))
    return 0


def _bypass(arguments: argparse.Namespace) -> int:
    try:
        until = datetime.now(UTC) + timedelta(minutes=arguments.minutes)
    except (ValueError, OverflowError):
        raise InputError(f"--minutes: {arguments.minutes} is no time") from None
    _steering().bypass(arguments.agent, until, _signature(arguments))
    _out.print(f"{arguments.agent} isn't enforced until {until.isoformat(timespec='seconds')}")
    return 0


def _take_back(arguments: argparse.Namespace) -> int:
    _steering().take_back(arguments.kind, arguments.agent, _signature(arguments))
    return 0


def _show(_: argparse.Namespace) -> int:
    steering = _steering()
    standing = steering.standing()
    table = Table("entry", "says", "by", "at", "why", box=None, pad_edge=False)
    for agent, active in sorted(standing.active.items()):
        table.add_row(f"active/{agent}", active.revision, active.by, str(active.at), active.why)
    for agent, canary in sorted(standing.canary.items()):
        says = f"{canary.revision} on {canary.share:.1%}"
        table.add_row(f"canary/{agent}", says, canary.by, str(canary.at), canary.why)
    for agent, bypass in sorted(standing.bypass.items()):
        table.add_row(f"bypass/{agent}", f"until {bypass.until}", bypass.by, str(bypass.at), bypass.why)
    for agent, proven in sorted(standing.proven.items()):
        table.add_row(f"proven/{agent}", proven.revision, proven.by, str(proven.at), proven.why)
    for policy in steering.policies():
        table.add_row(f"revision/{policy.revision}", policy.agent, "", "", "")
    for name, fault in standing.faults.items():
        table.add_row(name, Text(fault, "red"), "", "", "")
    _out.print(table)
    return 1 if standing.faults else 0
