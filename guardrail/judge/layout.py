"""The layout of a policy file (CONTRACT §2) and what can be wrong with one. It must never compile one: policy.py does.

Every fault is found, each with its line and key; unknown keys, repeated keys, unknown codes and impossible actions
are faults.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from string import Formatter
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from guardrail.errors import PolicyError
from guardrail.judge.codes import CODES, FAMILIES
from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.model import Action
from guardrail.judge.places import Places, read_document
from guardrail.judge.scoring import LEXICAL

Name = Annotated[str, Field(min_length=1, max_length=200)]
Normalisation = Literal["trim", "upper", "lower", "collapse_spaces", "spoken_digits", "date_iso", "synonyms", "history"]
ReplyKind = Literal["reprompt", "out_of_scope", "fallback", "stale"]
ScorerName = Annotated[str, Field(max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")]
ScorerVersion = Annotated[str, Field(max_length=200, pattern=r"^[ -~]+$")]


class _Layout(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class IntentLayout(_Layout):
    """An intent that the agent supports."""

    id: Name
    name: Name
    aliases: tuple[Name, ...] = Field((), description="Other names under which a model may give this intent.")
    correct: bool = Field(
        True,
        description="false: answers under this intent are rejected rather than corrected; broken marks are cut still.",
    )


class ExamplesLayout(_Layout):
    """Values that the format must accept, and values that it must refuse."""

    valid: tuple[str, ...] = Field((), max_length=32)
    invalid: tuple[str, ...] = Field((), max_length=32)


class ParameterLayout(_Layout):
    """A value that the agent may ask for."""

    id: Name
    format: str = Field("", max_length=2_000, description="The text that the model is shown.")
    pattern: str | None = Field(
        None, description="The operator's own regular expression: where given, it decides the value."
    )
    intents: tuple[Name, ...] = Field((), description="Intents for which it may be asked; empty: all.")
    examples: ExamplesLayout = ExamplesLayout()
    normalise: tuple[Normalisation, ...] = Field(
        (), description="Differences allowed between the user's words and the value."
    )
    synonyms: dict[str, str] = Field({}, description="A user's word -> the value that it means.")


class PassageLayout(_Layout):
    """A piece of evidence: its text, or a file that holds it (one passage a paragraph)."""

    id: Name | None = None
    text: str | None = Field(None, min_length=1)
    file: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> PassageLayout:
        if (self.text is None) == (self.file is None):
            raise ValueError("give either text (with an id) or file")
        if self.text is not None and self.id is None:
            raise ValueError("a passage given as text needs an id")
        return self


class InputLayout(_Layout):
    """Where a record of the operator's own layout holds our fields: RFC 6901 JSON Pointers into the record."""

    agent_id: str | None = None
    user_message: str | None = None
    response: str | None = None
    message_id: str | None = None
    conversation_id: str | None = None
    model: str | None = None
    locale: str | None = None
    history: str | None = None
    evidence: str | None = None

    @field_validator("*")
    @classmethod
    def _pointer(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith("/"):
            raise ValueError("a JSON Pointer starts with /")
        return value


class ResponseLayout(_Layout):
    """The shape of the model's response.

    Without `schema` the built-in shapes hold (scope turn, parameter turn, their union).
    """

    json_schema: dict[str, Any] | None = Field(
        None, alias="schema", description="JSON Schema (2020-12) of the response."
    )
    reasoning: tuple[str, ...] = Field((), description="JSON Pointers of the reasoning fields; * stands for any item.")
    order: Literal["strict", "report", "off"] = "report"
    tool: str | None = Field(
        None, description="The name of the tool that carries the response, where the model calls one."
    )


class CalibrationLayout(_Layout):
    """A calibrated operating point, as `guardrail calibrate` writes it."""

    risk: float = Field(ge=0, description="Answers above this risk are acted on.")
    level: float = Field(gt=0, lt=1, description="Share of good answers that may be flagged.")
    answers: int = Field(ge=1, description="Known-good answers that it rests on.")


class ScorerLayout(_Layout):
    """A scorer's scale, as `guardrail calibrate --scorer` writes it: 1 / (1 + exp(-(slope * score + intercept)))."""

    version: ScorerVersion | None = Field(
        None, description="The installed scorer's own; another one is refused. None for lexical, the built-in verifier."
    )
    slope: float = Field(gt=0, allow_inf_nan=False)
    intercept: float = Field(allow_inf_nan=False)


class GroundingLayout(_Layout):
    """Grounding: the published score's alpha, tau and k, whether to correct, the scorers' scales, and the calibrated
    operating point.
    """

    alpha: float = Field(0.25, ge=0, le=1)
    tau: float = Field(0.55, ge=0, le=1)
    k: int = Field(3, ge=1, le=20)
    correct: bool = Field(
        True,
        description="Whether answers are corrected from evidence; false: they are rejected instead. "
        "An intent's own `correct: false` turns it off for that intent alone.",
    )
    scorers: dict[ScorerName, ScorerLayout] = Field(
        {},
        max_length=8,
        description="lexical, the built-in verifier, and entry points of guardrail.scorers. Where any is given, risks "
        "are probabilities of being wrong, a claim's the highest of its scorers'.",
    )
    calibration: CalibrationLayout | None = None


class LimitsLayout(_Layout):
    """Bounds on what is read."""

    record_bytes: int = Field(1_048_576, ge=1, le=16_777_216)
    response_chars: int = Field(262_144, ge=1, le=4_194_304)
    depth: int = Field(64, ge=2, le=512)
    answer_chars: int = Field(8_000, ge=1, le=262_144)
    pattern_chars: int = Field(1_000, ge=1, le=1_000)
    value_chars: int = Field(256, ge=1, le=4_096)  # EXAMPLE_CHARS_MAX of judge/pattern/examples.py
    last_tier: bool = Field(
        True, description="Whether a backtracking engine is asked, in a process of its own, for what no other decides."
    )


class StaleLayout(_Layout):
    """What becomes of records that came in too old, after an outage for one: they don't pass as fresh."""

    after_s: float = Field(
        gt=0, le=31_536_000, description="Seconds from the record's timestamp to its receipt that are still fresh."
    )  # a year: nobody waits longer for an answer
    action: Literal["reject", "dead_letter", "report"] = Field(
        "reject", description="reject: judged, and answered by replies.stale; dead_letter: not judged; report: told."
    )


class PolicyLayout(_Layout):
    """One agent's policy: everything that can change a verdict."""

    version: Literal[1]
    agent: Name
    locale: Literal["en", "fr", "es"] = "en"
    mode: Literal["enforce", "shadow"] = "enforce"
    prompt: str = Field("", description="What the model was told; evidence_from_prompt must be found in it.")
    intents: tuple[IntentLayout, ...] = ()
    parameters: tuple[ParameterLayout, ...] = ()
    evidence: tuple[PassageLayout, ...] = ()
    input: InputLayout = InputLayout()
    response: ResponseLayout = ResponseLayout()
    grounding: GroundingLayout = GroundingLayout()
    limits: LimitsLayout = LimitsLayout()
    stale: StaleLayout | None = Field(None, description="Records that came in too old; without it none are.")
    on_fail: dict[str, Literal["reject", "correct", "report", "ignore"]] = Field(
        {}, description="Code or family -> action."
    )
    on_error: Literal["fail_closed", "fail_open"] = "fail_closed"
    replies: dict[ReplyKind, dict[str, str]] = Field({}, description="Kind -> locale -> the sidecar's own text.")


def read_layout(text: str, name: str) -> PolicyLayout:
    """The layout that a policy's text (YAML or JSON) describes. `name` is what faults call the file.

    Raises: PolicyError with one line `NAME:LINE: KEY: fault` for each fault.
    """
    document, places = read_document(text, name)
    try:
        layout = PolicyLayout.model_validate_json(msgspec.json.encode(document))
    except ValidationError as error:
        raise PolicyError("\n".join(_describe(fault, places) for fault in error.errors())) from None
    faults = [places.fault(path, fault) for path, fault in _faults(layout)]
    if faults:
        raise PolicyError("\n".join(faults))
    return layout


def _describe(fault: Any, places: Places) -> str:
    path = tuple(fault["loc"])
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        message = "unknown key" + _suggestion(str(path[-1]), _known_keys(path[:-1]))
    return places.fault(path, message)


def _known_keys(path: tuple[str | int, ...]) -> list[str]:
    model: Any = PolicyLayout
    for part in path:
        if isinstance(part, str) and part in model.model_fields:
            annotation = model.model_fields[part].annotation
            inner = getattr(annotation, "__args__", (annotation,))[0]
            model = inner if isinstance(inner, type) and issubclass(inner, BaseModel) else model
    return [field.alias or key for key, field in model.model_fields.items()]


def _suggestion(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _faults(layout: PolicyLayout) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What types can't say: names given twice or to nothing, unknown codes, impossible actions."""
    yield from _repeated("intents", [intent.id for intent in layout.intents])
    yield from _repeated("parameters", [parameter.id for parameter in layout.parameters])
    yield from _repeated("evidence", [passage.id for passage in layout.evidence if passage.id])
    intents = {intent.id for intent in layout.intents}
    for index, parameter in enumerate(layout.parameters):
        for intent in parameter.intents:
            if intent not in intents:
                yield ("parameters", index, "intents"), f"no intent {intent}{_suggestion(intent, sorted(intents))}"
        if parameter.synonyms and "synonyms" not in parameter.normalise:
            yield ("parameters", index, "synonyms"), "has no effect unless normalise lists synonyms"
    yield from _scorer_faults(layout.grounding)
    for key, action in layout.on_fail.items():
        yield from _action_faults(key, Action(action))
    for kind, texts in layout.replies.items():
        for locale, text in texts.items():
            yield from _reply_faults(kind, locale, text)


def _repeated(key: str, ids: list[str]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    seen: set[str] = set()
    for index, name in enumerate(ids):
        if name in seen:
            yield (key, index, "id"), f"{name} is given twice"
        seen.add(name)


def _scorer_faults(grounding: GroundingLayout) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """What would leave a score without a scale, a scorer without a version, or a threshold on another scale."""
    scorers, calibration = grounding.scorers, grounding.calibration
    if scorers and LEXICAL not in scorers:
        yield ("grounding", "scorers"), f"{LEXICAL} is missing: the built-in verifier needs a scale beside others"
    for name, scorer in scorers.items():
        if (scorer.version is None) != (name == LEXICAL):
            what = "the engine's own, and pinned by it" if name == LEXICAL else "missing: another may score otherwise"
            yield ("grounding", "scorers", name, "version"), what
    if scorers and calibration is not None and calibration.risk > 1:
        yield ("grounding", "calibration", "risk"), "above 1: with scorers a risk is a probability; calibrate again"


def _action_faults(key: str, action: Action) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if key in FAMILIES:
        members = [code for code in CODES.values() if code.family == key]
        if not any(code.allows(action) for code in members):
            yield ("on_fail", key), f"no code of {key} can {action.value}"
    elif key not in CODES:
        yield ("on_fail", key), f"unknown code or family{_suggestion(key, sorted({*CODES, *FAMILIES}))}"
    elif not CODES[key].allows(action):
        yield ("on_fail", key), f"{action.value} is impossible for {key}: {CODES[key].meaning}"


_PLACEHOLDERS = {
    "reprompt": {"parameter", "format"},
    "out_of_scope": {"intents"},
    "fallback": set[str](),
    "stale": set[str](),
}


def _reply_faults(kind: ReplyKind, locale: str, text: str) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if locale not in LEXICONS:
        yield ("replies", kind, locale), f"unsupported locale (supported: {', '.join(LEXICONS)})"
    if fault := _template_fault(text, _PLACEHOLDERS[kind]):
        yield ("replies", kind, locale), fault


def _template_fault(text: str, allowed: set[str]) -> str | None:
    """Why a template can't be filled with any text whatever, within bounds: a format spec could ask for gigabytes."""
    listed = ", ".join(f"{{{name}}}" for name in sorted(allowed)) or "none"
    try:
        fields = [(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(text) if name is not None]
    except ValueError:
        fields = [("", None, None)]
    if any(name not in allowed for name, _, _ in fields):
        return f"a placeholder is unknown or broken (allowed: {listed})"
    if any(spec or conversion for _, spec, conversion in fields):
        return f"a placeholder is a name alone, without : or ! (allowed: {listed})"
    return None
