"""Scorers as they are installed: entry points of the group `guardrail.scorers`. It must never fetch or choose one.

An entry point names a callable without arguments, a class for one, that gives the scorer. It is loaded at start, only
where a policy names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points

from guardrail.errors import InputError, PolicyError
from guardrail.judge.policy import Policies
from guardrail.judge.scoring import LEXICAL, NO_SCORERS, Scorer, require

GROUP = "guardrail.scorers"


class _UnfitError(Exception):
    """Why a name gives no scorer."""


def load_scorers(policies: Policies, loaded: Mapping[str, Scorer] = NO_SCORERS) -> Mapping[str, Scorer]:
    """The scorers that these policies name, in the versions that they pin; nothing is looked up where they name none,
    and none of those that are `loaded` is made again: it may hold a model.

    Raises: PolicyError, a line for each that isn't installed, can't be loaded, or has another version.
    """
    scales = {agent: policy.scales for agent, policy in policies.items() if policy.scales}
    named = {name for scale in scales.values() for name in scale} - {LEXICAL}
    made = {name: scorer for name, scorer in loaded.items() if name in named}
    faults = []
    for name in sorted(named - made.keys()):
        try:
            made[name] = _loaded(name)
        except _UnfitError as error:
            agents = ", ".join(agent for agent, scale in scales.items() if name in scale)
            faults.append(f"agent {agents}: grounding.scorers.{name}: {error}")
    if faults:
        raise PolicyError("\n".join(faults))
    require(scales, made)
    return made


def named_scorers(names: Iterable[str]) -> Mapping[str, Scorer]:
    """The scorers of these names, in whatever version is installed. Raises: InputError."""
    loaded: dict[str, Scorer] = {}
    for name in dict.fromkeys(names):
        try:
            if name == LEXICAL:
                raise _UnfitError("the built-in verifier; it is fitted beside any other")
            loaded[name] = _loaded(name)
        except _UnfitError as error:
            raise InputError(f"--scorer {name}: {error}") from None
    return loaded


def _loaded(name: str) -> Scorer:
    point = _installed(name)
    try:
        scorer = point.load()()
    except Exception as error:  # noqa: BLE001 - a stranger's code: whatever it is, it is told
        raise _UnfitError(f"{point.value} can't be loaded: {type(error).__name__}: {error}") from None
    version = getattr(scorer, "version", None)
    if not (isinstance(version, str) and version and version.isascii() and version.isprintable()):
        raise _UnfitError(f"{point.value} has no version that could be pinned: printable ASCII")
    if not callable(scorer):
        raise _UnfitError(f"{point.value} gives nothing that can be called with claims")
    return scorer  # type: ignore[no-any-return]  # a stranger's class; its answers are checked as they come


def _installed(name: str) -> EntryPoint:
    found: list[EntryPoint] = [*entry_points(group=GROUP, name=name)]
    if not found:
        known = ", ".join(sorted({point.name for point in entry_points(group=GROUP)})) or "none"
        raise _UnfitError(f"no installed package offers it as an entry point of {GROUP} (there are: {known})")
    if len(found) > 1:
        owners = ", ".join(sorted(point.dist.name if point.dist else "?" for point in found))
        raise _UnfitError(f"offered by several installed packages: {owners}")
    return found[0]
