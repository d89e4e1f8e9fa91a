"""Names that a model gave, found in the catalogue. It must never invent one: what isn't configured stays unknown."""

from __future__ import annotations

import msgspec

from guardrail.judge.model import Intent, Json
from guardrail.judge.policy import Parameter, Policy
from guardrail.judge.text import name_key, visible

NO_INTENT = Intent()


class NameMatch(msgspec.Struct, frozen=True, gc=False):
    """How one name stands to the catalogue. `how`: exact, case, normalised, unknown, or none for a null."""

    how: str
    intent: Intent = NO_INTENT


class IntentMatch(msgspec.Struct, frozen=True, gc=False):
    """What a response's intent means. `intent` is resolved (both filled) or null; `source` is where it was read."""

    intent: Intent = NO_INTENT
    names: tuple[tuple[str, NameMatch], ...] = ()
    """(JSON Pointer, match) of each name given."""
    named: bool = False
    """Whether the response names any intent at all, known or not."""

    @property
    def pointer(self) -> str:
        """Where the intent was read; the whole response for none."""
        return self.names[0][0] if self.names else ""

    @property
    def conflicting(self) -> bool:
        """Whether the names given are of different intents, or one of them is unknown beside a known one."""
        return len(self.names) > 1 and len({match.intent.id for _, match in self.names}) > 1


_NONE = NameMatch("none")


def match_intent_name(given: Json, policy: Policy) -> NameMatch:
    """One intent name or id against the catalogue."""
    if given is None or not isinstance(given, str):
        return _NONE
    if (exact := policy.intent_spellings.get(given)) is not None:
        return NameMatch("exact", exact)
    intent = policy.intent_keys.get(name_key(given))
    if intent is None:
        return NameMatch("unknown")
    cased = given.casefold() in (str(intent.id).casefold(), str(intent.name).casefold())
    return NameMatch("case" if cased and visible(given) == given else "normalised", intent)


def match_intent(tree: dict[str, Json], policy: Policy) -> IntentMatch:
    """The response's own intent or, where it has none or a null id, its `current_intent` (CONTRACT §3)."""
    names: list[tuple[str, NameMatch]] = []
    detected = tree.get("detected_intent")
    if isinstance(detected, dict):
        names = [
            ("/detected_intent/id", match_intent_name(detected.get("id"), policy)),
            ("/detected_intent/name", match_intent_name(detected.get("name"), policy)),
        ]
    if not names or names[0][1] is _NONE:
        analysis = tree.get("user_messages_analysis")
        current = analysis.get("current_intent") if isinstance(analysis, dict) else None
        if current is not None or not names:
            names = [("/user_messages_analysis/current_intent", match_intent_name(current, policy))]
    given = tuple([named for named in names if named[1] is not _NONE])
    intents = {match.intent.id: match.intent for _, match in given}
    only = next(iter(intents.values())) if len(intents) == 1 else NO_INTENT
    return IntentMatch(only, given, named=bool(given))


def match_parameter(given: Json, policy: Policy) -> tuple[Parameter | None, str]:
    """A parameter id against the catalogue: the parameter and how it matches (exact, case, unknown, none)."""
    if not isinstance(given, str):
        return None, "none"
    if (parameter := policy.parameters.get(given)) is not None:
        return parameter, "exact"
    parameter = policy.parameter_keys.get(name_key(given))
    return parameter, "unknown" if parameter is None else "case"
