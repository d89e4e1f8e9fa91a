"""A policy compiled: everything that can change a verdict, ready for the hot path. It must never read a file.

Same resolved bytes, same revision; same revision and engine, same decision (CONTRACT §2).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import msgspec

from guardrail.errors import PolicyError
from guardrail.judge.codes import CODES, STALE
from guardrail.judge.content import read_words
from guardrail.judge.contract import Contract, SchemaError, compile_contract
from guardrail.judge.evidence import Evidence
from guardrail.judge.layout import ParameterLayout, PassageLayout, PolicyLayout, read_layout
from guardrail.judge.lexicon import DIGEST
from guardrail.judge.model import Action, Bypass, Intent, Passage
from guardrail.judge.pattern import execute
from guardrail.judge.pattern.examples import Examples, against
from guardrail.judge.places import Places, places_of
from guardrail.judge.request import Named, read_name
from guardrail.judge.scoring import Scale, Scales
from guardrail.judge.speech import STOP_WORDS
from guardrail.judge.text import fold, name_key, name_words
from guardrail.version import VERSION

ENGINE = f"guardrail-{VERSION}+{DIGEST}"
"""The product's version and the digest of its lexicons: on every decision."""


class Parameter(msgspec.Struct, frozen=True):
    """A configured parameter. `folded_format` is the format as bare words."""

    id: str
    format: str
    folded_format: str
    pattern: str | None
    intents: frozenset[str]
    examples: Examples
    normalise: frozenset[str]
    synonyms: dict[str, str]

    def allowed_for(self, intent: Intent) -> bool:
        """Whether it may be asked for this intent; an unknown intent excludes nothing."""
        return intent.id is None or not self.intents or intent.id in self.intents


@dataclass(frozen=True)
class Policy:
    """One agent's policy, compiled. Made by `compile_policy`."""

    layout: PolicyLayout
    revision: str
    resolved: bytes
    """The policy's resolved bytes:

    JSON, files included. What `guardrail.policies` carries; loads to the same revision.
    """
    contract: Contract
    intents: Mapping[str, Intent]
    intent_spellings: Mapping[str, Intent]
    """Every id and name as configured -> the intent."""
    intent_keys: Mapping[str, Intent]
    """Letters and digits of every id, name and alias -> the intent."""
    parameters: Mapping[str, Parameter]
    parameter_keys: Mapping[str, Parameter]
    actions: Mapping[str, Action]
    evidence: Evidence
    folded_prompt: str
    input: Mapping[str, str]
    bypass: Bypass | None = None
    """The bypass that is in force, if one is: see `bypassed`."""

    @property
    def agent(self) -> str:
        """The agent that this policy is for."""
        return self.layout.agent

    @property
    def mode(self) -> str:
        """`enforce` or `shadow`; `shadow` while it is bypassed."""
        return self.layout.mode if self.bypass is None else "shadow"

    @property
    def on_error(self) -> str:
        """`fail_closed` or `fail_open`: what happens on an error of our own; `fail_open` while it is bypassed."""
        return self.layout.on_error if self.bypass is None else "fail_open"

    @cached_property
    def scales(self) -> Scales:
        """The scales of grounding's scorers; empty where the built-in verifier speaks alone."""
        scorers = self.layout.grounding.scorers
        return {name: Scale(one.slope, one.intercept, one.version) for name, one in scorers.items()}

    @cached_property
    def parameter_ids(self) -> frozenset[str]:
        """The configured parameters, for labels and cells."""
        return frozenset(self.parameters)

    @cached_property
    def intent_stems(self) -> tuple[tuple[Intent, frozenset[str]], ...]:
        """The intents whose names have at least two content words, with the stems of these."""
        named = ((intent, read_words(str(intent.name)).stems) for intent in self.intents.values())
        return tuple((intent, stems) for intent, stems in named if len(stems) >= 2)

    @cached_property
    def named_intents(self) -> Mapping[str, Named]:
        """What the intents' names say, by id."""
        return {name: read_name(intent) for name, intent in self.intents.items()}

    @cached_property
    def asked_words(self) -> tuple[str, ...]:
        """The words of the parameters' ids, formats and synonyms and of the intents' names: what may be asked for."""
        texts = [" ".join((*name_words(p.id), p.folded_format, *p.synonyms)) for p in self.parameters.values()]
        texts += [fold(str(intent.name)) for intent in self.intents.values()]
        return tuple(word for text in texts for word in text.split() if word not in STOP_WORDS)

    @cached_property
    def _uncorrected(self) -> frozenset[str]:
        return frozenset(intent.id for intent in self.layout.intents if not intent.correct)

    def corrects(self, intent: Intent) -> bool:
        """Whether an answer under this intent may be corrected from evidence."""
        return self.layout.grounding.correct and intent.id not in self._uncorrected

    def parameters_of(self, intent: Intent) -> Iterator[Parameter]:
        """The parameters that may be asked for this intent, in the policy's order."""
        return (parameter for parameter in self.parameters.values() if parameter.allowed_for(intent))


Policies = Mapping[str, Policy]
"""Agent -> its policy."""


def compile_policy(text: str, name: str = "policy", files: Mapping[str, str] | None = None) -> Policy:
    """The policy that this text (YAML or JSON) describes; `files` holds the texts of the evidence files that it names.

    Raises: PolicyError, one line a fault, each with `name`, line and key.
    """
    places = partial(places_of, text, name)
    layout = resolve(read_layout(text, name), places, files or {})
    resolved = msgspec.json.encode(layout.model_dump(mode="json", by_alias=True, exclude_unset=True), order="sorted")
    parameters = {p.id: _parameter(p) for p in layout.parameters}
    faults = [
        *_name_faults(layout),
        *(f for i, p in enumerate(parameters.values()) for f in _pattern_faults(i, p, layout)),
    ]
    if faults:
        raise PolicyError("\n".join(places().fault(path, what) for path, what in faults))
    intents = {intent.id: Intent(intent.id, intent.name) for intent in layout.intents}
    return Policy(
        layout=layout,
        revision=hashlib.sha256(resolved).hexdigest()[:16],
        resolved=resolved,
        contract=_contract(layout, places),
        intents=intents,
        intent_spellings={spelling: intents[i.id] for i in layout.intents for spelling in (i.id, i.name)},
        intent_keys=_intent_keys(layout, intents),
        parameters=parameters,
        parameter_keys={name_key(p.id): p for p in parameters.values()},
        actions=_actions(layout),
        evidence=Evidence(_passages(layout), context=_context(layout)),
        folded_prompt=f" {fold(layout.prompt)} ",
        input={key: pointer for key, pointer in layout.input if pointer is not None},
    )


def bypassed(policy: Policy, bypass: Bypass | None) -> Policy:
    """The policy under a bypass, or under none: of the same revision and the same resolved bytes.

    Made once a bypass, not once a batch: what a policy has looked up in its own words is looked up anew.
    """
    return policy if policy.bypass == bypass else replace(policy, bypass=bypass)


def resolve(layout: PolicyLayout, places: Callable[[], Places], files: Mapping[str, str]) -> PolicyLayout:
    """The layout with the evidence files' paragraphs in the place of their names.

    Raises: PolicyError for a missing file.
    """
    if all(passage.file is None for passage in layout.evidence):
        return layout
    passages: dict[str, dict[str, Any]] = {}
    for index, passage in enumerate(layout.evidence):
        for name, text in _texts(index, passage, places, files):
            if name in passages:
                raise PolicyError(places().fault(("evidence", index), f"{name} names two passages"))
            passages[name] = {"id": name, "text": text}
    document = layout.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return PolicyLayout.model_validate_json(msgspec.json.encode({**document, "evidence": [*passages.values()]}))


def _texts(
    index: int, passage: PassageLayout, places: Callable[[], Places], files: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The passages that one entry stands for: itself, or its file's paragraphs, numbered."""
    if passage.file is None:
        yield str(passage.id), str(passage.text)
        return
    if passage.file not in files:
        raise PolicyError(places().fault(("evidence", index, "file"), f"{passage.file} can't be read"))
    paragraphs = [part.strip() for part in files[passage.file].split("\n\n") if part.strip()]
    for number, paragraph in enumerate(paragraphs, 1):
        yield f"{passage.id or passage.file}#{number}", " ".join(paragraph.split())


def _parameter(layout: ParameterLayout) -> Parameter:
    return Parameter(
        id=layout.id,
        format=layout.format,
        folded_format=fold(layout.format),
        pattern=layout.pattern,
        intents=frozenset(layout.intents),
        examples=Examples(layout.examples.valid, layout.examples.invalid),
        normalise=frozenset(layout.normalise),
        synonyms={fold(word): value for word, value in layout.synonyms.items()},
    )


_Fault = tuple[tuple[str | int, ...], str]


def _contract(layout: PolicyLayout, places: Callable[[], Places]) -> Contract:
    try:
        return compile_contract(layout.response, layout.limits)
    except SchemaError as error:
        raise PolicyError(places().fault(("response", "schema"), f"not a JSON Schema: {error}")) from None


def _pattern_faults(index: int, parameter: Parameter, layout: PolicyLayout) -> Iterator[_Fault]:
    if parameter.pattern is None:
        return
    where = ("parameters", index, "pattern")
    run = execute(parameter.pattern, "", pattern_chars=layout.limits.pattern_chars)
    if not run.decided:
        yield where, f"{run.execution}: {run.reason}"
        return
    limit = layout.limits.value_chars
    long = [one for one in (*parameter.examples.valid, *parameter.examples.invalid) if len(one) > limit]
    yield from ((where, f"an example is longer than a value may be ({limit}): {value[:20]!r}...") for value in long)
    found = against(parameter.pattern, parameter.examples)
    yield from ((where, f"refuses the valid example {value!r}") for value in found.refused)
    yield from ((where, f"accepts the invalid example {value!r}") for value in found.accepted)
    yield from ((where, f"takes too many steps to decide the example {value!r}") for value in found.left_over)


def _name_faults(layout: PolicyLayout) -> Iterator[_Fault]:
    """Spellings that could mean two of the catalogue's names."""
    intents = [(("intents", i), e.id, s) for i, e in enumerate(layout.intents) for s in (e.id, e.name, *e.aliases)]
    parameters = [(("parameters", i), p.id, p.id) for i, p in enumerate(layout.parameters)]
    for entries in (intents, parameters):
        keys: dict[str, str] = {}
        for path, own, spelling in entries:
            other = keys.setdefault(name_key(spelling), own)
            if other != own:
                yield path, f"{spelling!r} can mean {other} and {own}"


def _intent_keys(layout: PolicyLayout, intents: Mapping[str, Intent]) -> dict[str, Intent]:
    return {name_key(s): intents[e.id] for e in layout.intents for s in (e.id, e.name, *e.aliases)}


def _actions(layout: PolicyLayout) -> dict[str, Action]:
    on_fail = layout.on_fail
    actions = {name: code.default for name, code in CODES.items()}
    for family in (key for key in on_fail if key not in CODES):
        wanted = Action(on_fail[family])
        actions.update({name: wanted for name, code in CODES.items() if code.family == family and code.allows(wanted)})
    actions.update({name: Action(action) for name, action in on_fail.items() if name in CODES})
    return actions if layout.stale is None else {**actions, STALE: Action(layout.stale.action)}


def _passages(layout: PolicyLayout) -> tuple[Passage, ...]:
    return tuple(Passage(p.id, p.text) for p in layout.evidence if p.id is not None and p.text is not None)


def _context(layout: PolicyLayout) -> tuple[str, ...]:
    """What the model may know besides evidence: the prompt, the formats, the catalogue."""
    names = [text for intent in layout.intents for text in (intent.name, intent.id.replace("_", " "))]
    formats = [f"{p.id.replace('_', ' ')} {p.format}" for p in layout.parameters]
    return tuple(text for text in (layout.prompt, *formats, *names) if text)
