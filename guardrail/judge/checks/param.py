"""Does the model's word on its own regex hold, and is the value the user's? It must never mend a value.

Simulation and execution are put side by side (CONTRACT §5); provenance is a question of its own.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from guardrail.judge.model import Execution, Finding, Quadrant
from guardrail.judge.pattern.comparison import Comparison, Relation
from guardrail.judge.provenance import ALTERED, Origin
from guardrail.judge.subject import Subject
from guardrail.judge.text import fold, visible
from guardrail.judge.trial import UNDECIDED, Trial

_UNDECIDED = {execution: f"param.regex_{execution}" for execution in UNDECIDED}
_RELATIONS = {
    Relation.LOOSER: "param.regex_looser",
    Relation.STRICTER: "param.regex_stricter",
    Relation.DIFFERS: "param.regex_differs",
}
_QUADRANTS = {Quadrant.MISMATCH: "param.simulate_true_mismatch", Quadrant.UNDERCLAIM: "param.simulate_false_match"}
_ORIGINS = {
    Origin.ALLOWED: "param.normalised_allowed",
    Origin.HISTORY: "param.value_from_history",
    Origin.CUT_FROM_TOKEN: "param.value_cut_from_token",
    Origin.ABSENT: "param.value_not_in_message",
} | dict.fromkeys(ALTERED, "param.value_normalised")
_LOOKALIKES = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "MATHEMATICAL", "FULLWIDTH")
_FORMAT_WORDS_MIN = 3
"""A format text cut shorter than this many words isn't the configured one any more."""


def check(subject: Subject) -> Iterator[Finding]:
    """Findings on each parameter of the response, in order."""
    for trial in subject.trials:
        yield from _simulation(trial, subject)
        if trial.parameter is not None:
            yield from _pattern(trial)
            yield from _operator(trial)
            yield from _value(trial)
            yield from _format(trial)
        if trial.repeated:
            yield Finding("param.duplicate_parameter", trial.pointer, "named more than once", parameter_id=trial.id)


def _simulation(trial: Trial, subject: Subject) -> Iterator[Finding]:
    pointer = f"{trial.pointer}/simulate_regex_execution"
    if trial.simulated is None and pointer not in subject.ambiguous and trial.run is not None:
        yield Finding(
            "param.simulation_missing", trial.pointer, "no word of the model on its regex", parameter_id=trial.id
        )
    if trial.quadrant in _QUADRANTS and trial.quadrant is not None:
        detail = "claimed to match, doesn't" if trial.quadrant is Quadrant.MISMATCH else "claimed not to match, does"
        yield Finding(_QUADRANTS[trial.quadrant], pointer, detail, parameter_id=trial.id)


def _pattern(trial: Trial) -> Iterator[Finding]:
    pointer = f"{trial.pointer}/parameter_value_format_regex"
    run = trial.run
    if run is None:
        return
    if run.execution in _UNDECIDED:
        yield Finding(_UNDECIDED[run.execution], pointer, run.reason, parameter_id=trial.id)
    if "control_char" in run.suspicions:
        yield Finding(
            "param.regex_control_char", pointer, "the pattern holds a control character", parameter_id=trial.id
        )
    if trial.overescaped:
        yield Finding("param.regex_overescaped", pointer, "backslashes halved: the examples ask for it")
    if run.repairs:
        yield Finding("param.regex_delimiters", pointer, f"taken off: {', '.join(run.repairs)}")
    if trial.vouched:
        return  # the operator's own pattern decides; the model's is compared and reported
    for code, detail in _discredit(trial):
        yield Finding(code, pointer, detail, parameter_id=trial.id)


def _discredit(trial: Trial) -> Iterator[tuple[str, str]]:
    """What the configured examples, and the model's own, say against its pattern."""
    if trial.against.accepted:
        yield "param.regex_too_permissive", _examples("accepts the invalid", trial.against.accepted)
    if trial.against.refused:
        yield "param.format_text_regex_disagree", _examples("refuses the valid", trial.against.refused)
    elif trial.format_example_refused:
        yield "param.format_text_regex_disagree", "refuses the example of its own format text"


def _examples(what: str, examples: tuple[str, ...]) -> str:
    return f"{what} example {examples[0]!r}" + (f" and {len(examples) - 1} more" if len(examples) > 1 else "")


def _operator(trial: Trial) -> Iterator[Finding]:
    """The model's pattern beside the operator's own, and the value that only the model's takes."""
    if trial.operator is None or trial.run is None or trial.run.execution in _UNDECIDED:
        return
    if trial.relation in _RELATIONS:
        pointer = f"{trial.pointer}/parameter_value_format_regex"
        detail = (trial.comparison and _difference(trial.comparison)) or "beside the operator's pattern"
        yield Finding(_RELATIONS[trial.relation], pointer, detail, parameter_id=trial.id)
    if trial.operator.execution is not Execution.MATCHED and trial.quadrant is Quadrant.AGREED:
        pointer = f"{trial.pointer}/parameter_extracted_part"
        yield Finding(
            "param.regex_too_permissive", pointer, "the operator's pattern refuses the value", parameter_id=trial.id
        )


def _difference(beside: Comparison) -> str:
    """Shortest values that tell the two apart; they are made from the patterns alone."""
    told = []
    if beside.extra is not None:
        told.append(f"takes {beside.extra!r}, which the operator's refuses")
    if beside.missing is not None:
        told.append(f"refuses {beside.missing!r}, which the operator's takes")
    return "; ".join(told)


def _value(trial: Trial) -> Iterator[Finding]:
    pointer = f"{trial.pointer}/parameter_extracted_part"
    value, provenance = trial.value, trial.provenance
    if not value or provenance is None:
        return
    if provenance.origin in _ORIGINS:
        detail = provenance.option or provenance.origin.value
        yield Finding(_ORIGINS[provenance.origin], pointer, detail, parameter_id=trial.id)
    if trial.item.get("parameter_extracted_part") != value:
        yield Finding("param.trimmed", pointer, "outer blanks were cut")
    if provenance.invisible or visible(value) != value:
        yield Finding("param.invisible_chars", pointer, "invisible characters", parameter_id=trial.id)
    if not value.isascii():
        yield from _script(trial, pointer, value)


def _script(trial: Trial, pointer: str, value: str) -> Iterator[Finding]:
    if any(c.isdecimal() and not c.isascii() for c in value):
        yield Finding("param.nonascii_digits", pointer, "digits outside ASCII", parameter_id=trial.id)
    if any(unicodedata.name(c, "").startswith(_LOOKALIKES) and c.isalpha() for c in value):
        yield Finding("param.unicode_confusable", pointer, "letters that look like Latin ones", parameter_id=trial.id)


def _format(trial: Trial) -> Iterator[Finding]:
    given = trial.item.get("parameter_value_format")
    if (
        not isinstance(given, str)
        or trial.parameter is None
        or given == trial.parameter.format
        or not trial.parameter.format
    ):
        return
    ours, theirs = trial.parameter.folded_format, fold(given)
    whole = f" {theirs} " in f" {ours} " and theirs.count(" ") + 1 >= min(_FORMAT_WORDS_MIN, ours.count(" ") + 1)
    if not whole:
        pointer = f"{trial.pointer}/parameter_value_format"
        yield Finding("param.format_text_altered", pointer, "not the configured format", parameter_id=trial.id)
