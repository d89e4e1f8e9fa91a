"""One response on the bench: what every check looks at.

It must never judge; it is made once, and each check gets the same.

Facts that several checks need (names found in the catalogue, the regex runs, what each sentence does) are established
here.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import msgspec

from guardrail.judge.catalogue import IntentMatch, match_intent, match_parameter
from guardrail.judge.content import Words, read_words
from guardrail.judge.evidence import Evidence, Measure
from guardrail.judge.formats import format_example
from guardrail.judge.grounding import Terms, Weighing, silent, weigh
from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.model import Execution, Json, ParameterValue, Quadrant, Record
from guardrail.judge.pattern import Run, execute
from guardrail.judge.pattern.repair import undoubled
from guardrail.judge.policy import Parameter, Policy
from guardrail.judge.provenance import Origin, Provenance, trace
from guardrail.judge.speech import Sentence, detect_language, read_answer
from guardrail.judge.text import SHORT_CHARS

HEARD_CHARS = 16_384
"""What is read of a user's message: no chat says more at once."""
ANSWER = "/generated_answer/answer"
_OWN_WORDS = {Origin.VERBATIM, Origin.ALLOWED, Origin.HISTORY}
PARAMETERS = "/user_messages_analysis/parameters"
_UNDECIDED = {Execution.INVALID, Execution.UNSUPPORTED, Execution.UNSAFE, Execution.TIMED_OUT, Execution.VALUE_TOO_LONG}


class Trial(msgspec.Struct, frozen=True, gc=False):
    """One parameter of a response: what the model said of it, and what we found."""

    pointer: str
    item: dict[str, Json]
    pattern: str | None
    overescaped: bool
    """Whether the pattern's doubled backslashes were halved, because the configured examples ask for it."""
    parameter: Parameter | None
    spelling: str
    """How its id matches the catalogue: exact, case, unknown or none."""
    allowed: bool
    """Whether it may be asked for the response's intent."""
    repeated: bool
    """Whether the response names it more than once."""
    value: str | None
    run: Run | None
    simulated: bool | None
    quadrant: Quadrant | None
    refused_examples: tuple[str, ...]
    accepted_examples: tuple[str, ...]
    """Configured valid examples that the model's pattern refuses; invalid ones that it accepts."""
    format_example_refused: bool
    operator: Run | None
    """The operator's own pattern over the value, where one is configured."""
    provenance: Provenance | None

    @property
    def id(self) -> str | None:
        """The configured id; null for a name that the agent doesn't have."""
        return None if self.parameter is None else self.parameter.id

    @property
    def discredited(self) -> bool:
        """Whether the model's pattern proves nothing (CONTRACT §5)."""
        return bool(self.refused_examples or self.accepted_examples or self.format_example_refused)

    @property
    def vouched(self) -> bool:
        """Whether the operator's own pattern takes the value."""
        return self.operator is not None and self.operator.execution is Execution.MATCHED

    def fits(self, code: str) -> bool:
        """Whether another value would have the same format."""
        return self.pattern is not None and execute(self.pattern, code).execution is Execution.MATCHED

    @property
    def passed(self) -> bool:
        """Whether the value may be handed to the channel tier."""
        if (
            self.quadrant is not Quadrant.AGREED
            or not self.value
            or self.parameter is None
            or not self.allowed
            or self.repeated
        ):
            return False
        decided = not self.discredited if self.operator is None else self.vouched
        return decided and self.provenance is not None and self.provenance.origin in _OWN_WORDS


class Subject:
    """A readable response with its record and policy. Immutable in use; what is costly is computed on first need."""

    def __init__(self, record: Record, policy: Policy, tree: dict[str, Json], ambiguous: frozenset[str]) -> None:
        """Hold the facts. `ambiguous` lists pointers of keys given twice with different values (absent from `tree`)."""
        self.record = record
        self.policy = policy
        self.tree = tree
        self.ambiguous = ambiguous
        self.intent: IntentMatch = match_intent(tree, policy)
        answer = tree.get("generated_answer")
        self.fields: dict[str, Json] = answer if isinstance(answer, dict) else {}
        text = self.fields.get("answer")
        self.spoken: str | None = text if isinstance(text, str) else None
        """The answer as the model gave it, however long."""
        self.too_long = self.spoken is not None and len(self.spoken) > policy.layout.limits.answer_chars
        self.answer: str | None = None if self.too_long else self.spoken
        """The answer that is judged; null when there is none, or one beyond its limit, which nothing can save."""
        self.message = record.user_message[:HEARD_CHARS]
        """The user's message as far as it is heard."""
        self.out_of_scope: bool = self.fields.get("out_of_scope_request") is True
        found = tree.get("user_messages_analysis")
        self.analysis: dict[str, Json] = found if isinstance(found, dict) else {}
        """`user_messages_analysis`, empty where the shape has none."""
        self.refer = match_parameter(self.fields.get("answer_refer_to_parameter_id"), policy)
        """The parameter that the answer refers to, and how its id matches the catalogue."""
        self.trials: tuple[Trial, ...] = self._tried()
        """The parameters of the response, in order."""
        self.values = tuple([ParameterValue(t.id, t.value) for t in self.trials if t.passed and t.id and t.value])
        """The values that passed."""
        self.score: float | None = None
        """The published score of the answer; set once for the whole batch, before any check looks."""

    def with_answer(self, answer: str) -> Subject:
        """The same response with another answer: how a correction is verified."""
        tree = {**self.tree, "generated_answer": {**self.fields, "answer": answer}}
        other = Subject(self.record, self.policy, tree, self.ambiguous)
        other.score = self.score
        return other

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The answer's sentences and what each does."""
        return read_answer(self.answer) if self.answer else ()

    @cached_property
    def evidence(self) -> Evidence:
        """The policy's passages and the record's."""
        return self.policy.evidence.extended(self.record.evidence)

    @cached_property
    def said(self) -> Words:
        """What the user says in this turn."""
        return read_words(self.message)

    @cached_property
    def known(self) -> Words:
        """What was said so far, and the values that passed: an answer may repeat it without evidence."""
        rewritten = [v.parameter_value for v in self.values if v.parameter_value not in self.message]
        if not self.record.history and not rewritten:
            return self.said
        turns = [self.message, *(turn.text for turn in self.record.history), *rewritten]
        return read_words(" ; ".join(turns))

    @cached_property
    def _measures(self) -> dict[int, Measure]:
        return {}

    def measure(self, sentence: Sentence) -> Measure:
        """A sentence of the answer held against the evidence; measured once."""
        found = self._measures.get(sentence.start)
        if found is None:
            found = self._measures[sentence.start] = self.evidence.measure(read_words(sentence.text), self.known)
        return found

    def backed(self, sentence: Sentence) -> bool:
        """Whether evidence bears a binding sentence out nearly word for word."""
        return self.measure(sentence).borne_out

    @property
    def asserts(self) -> bool:
        """Whether the answer claims anything: only then is a score worth its cost."""
        return any(not (s.mute or silent(s, self.measure(s))) for s in self.sentences)

    @cached_property
    def weighing(self) -> Weighing:
        """The answer weighed by its evidence."""
        layout = self.policy.layout.grounding
        risk_max = None if layout.calibration is None else layout.calibration.risk
        terms = Terms(self.score, layout.tau, risk_max, passages=bool(self.evidence.passages))
        return weigh([(s, None if s.mute else self.measure(s)) for s in self.sentences], terms)

    @cached_property
    def locale(self) -> str:
        """The language to speak: the record's own, else the message's where it is plain, else the policy's (CONTRACT
        §1).
        """
        return spoken_locale(self.record, self.policy)

    def _tried(self) -> tuple[Trial, ...]:
        items = self.analysis.get("parameters")
        if not isinstance(items, list):
            return ()
        listed = [(index, item) for index, item in enumerate(items) if isinstance(item, dict)]
        matches = [match_parameter(item.get("parameter_id"), self.policy) for _, item in listed]
        named = [parameter for parameter, _ in matches if parameter is not None]
        return tuple(
            [
                self._trial(
                    f"{PARAMETERS}/{index}", item, match, repeated=match[0] is not None and named.count(match[0]) > 1
                )
                for (index, item), match in zip(listed, matches, strict=True)
            ]
        )

    def _trial(
        self, pointer: str, item: dict[str, Any], match: tuple[Parameter | None, str], *, repeated: bool
    ) -> Trial:
        parameter, spelling = match
        pattern, value = item.get("parameter_value_format_regex"), item.get("parameter_extracted_part")
        value = self._trimmed(value, parameter) if isinstance(value, str) else None
        given = pattern if isinstance(pattern, str) else None
        pattern = self._meant(given, parameter)
        simulated = item.get("simulate_regex_execution")
        simulated = simulated if isinstance(simulated, bool) else None
        run = None if pattern is None or value is None else self._execute(pattern, value)
        judged = pattern if parameter is not None and run is not None and run.execution not in _UNDECIDED else None
        refused, accepted = (
            ((), ())
            if judged is None or parameter is None
            else against_examples(judged, parameter.valid, parameter.invalid)
        )
        return Trial(
            pointer=pointer,
            item=item,
            pattern=pattern,
            overescaped=pattern != given,
            parameter=parameter,
            spelling=spelling,
            allowed=parameter is not None and self._allows(parameter),
            repeated=repeated,
            value=value,
            run=run,
            simulated=simulated,
            quadrant=None if run is None else quadrant(simulated, run.execution),
            refused_examples=refused,
            accepted_examples=accepted,
            format_example_refused=judged is not None and _format_refused(judged, item),
            operator=None
            if parameter is None or parameter.pattern is None or value is None
            else self._execute(parameter.pattern, value),
            provenance=None if parameter is None or value is None else self._trace(value, parameter),
        )

    def _meant(self, given: str | None, parameter: Parameter | None) -> str | None:
        """The pattern as it is meant; one beyond its limit stands as it is, and is refused."""
        if given is None or parameter is None or len(given) > self.policy.layout.limits.pattern_chars:
            return given
        return meant(given, parameter)

    def _allows(self, parameter: Parameter) -> bool:
        """Whether a parameter may be asked for the response's intent; for one that the agent doesn't have, none may."""
        unknown = self.intent.named and self.intent.intent.id is None
        return not unknown and parameter.allowed_for(self.intent.intent)

    def _execute(self, pattern: str, value: str) -> Run:
        limits = self.policy.layout.limits
        return execute(pattern, value, pattern_chars=limits.pattern_chars, value_chars=limits.value_chars)

    def _trimmed(self, value: str, parameter: Parameter | None) -> str:
        return value.strip() if parameter is not None and "trim" in parameter.normalise else value

    def _trace(self, value: str, parameter: Parameter) -> Provenance:
        history = self.record.history
        turns = tuple(turn.text for turn in history if turn.role == "user") if history else ()
        return trace(value, self.message, parameter, turns)


def spoken_locale(record: Record, policy: Policy) -> str:
    """The language to speak with this user: the record's own, else the message's, else the policy's."""
    explicit = (record.locale or "").partition("-")[0].lower()
    if explicit in LEXICONS:
        return explicit
    return detect_language(record.user_message[:HEARD_CHARS]) or policy.layout.locale


def quadrant(simulated: bool | None, execution: Execution) -> Quadrant:
    """The model's word beside our run (CONTRACT §5). Without a word of the model nothing is decided."""
    if simulated is None or execution in _UNDECIDED:
        return Quadrant.UNDECIDED
    if execution is Execution.MATCHED:
        return Quadrant.AGREED if simulated else Quadrant.UNDERCLAIM
    return Quadrant.MISMATCH if simulated else Quadrant.REFUSAL


@lru_cache(maxsize=4096)
def against_examples(
    pattern: str, valid: tuple[str, ...], invalid: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The configured valid examples that a pattern refuses, and the invalid ones that it accepts."""
    refused = tuple(e for e in valid if execute(pattern, e).execution is Execution.NOT_MATCHED)
    return refused, tuple(e for e in invalid if execute(pattern, e).execution is Execution.MATCHED)


def meant(pattern: str, parameter: Parameter) -> str:
    """The pattern, its doubled backslashes halved where that alone makes every configured example come out right."""
    single = undoubled(pattern) if "\\\\" in pattern and parameter.valid else None
    if single is None or not against_examples(pattern, parameter.valid, ())[0]:
        return pattern
    return pattern if any(against_examples(single, parameter.valid, parameter.invalid)) else single


@lru_cache(maxsize=4096)
def refuses_format_example(pattern: str, format_text: str) -> bool:
    """Whether a pattern refuses the example inside the format text that the model gave with it."""
    example = format_example(format_text)
    return example is not None and execute(pattern, example).execution is Execution.NOT_MATCHED


def _format_refused(pattern: str, item: dict[str, Json]) -> bool:
    text = item.get("parameter_value_format")
    if not isinstance(text, str):
        return False
    refuses = refuses_format_example if len(text) <= SHORT_CHARS else refuses_format_example.__wrapped__
    return refuses(pattern, text)
