"""One response on the bench: what every check looks at.

It must never judge; it is made once, and each check gets the same.

Facts that several checks need (names found in the catalogue, the regex runs, what each sentence does) are established
here.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from guardrail.judge.catalogue import IntentMatch, match_intent, match_parameter
from guardrail.judge.content import Words, read_words
from guardrail.judge.evidence import Evidence, Measure
from guardrail.judge.grounding import PLAIN_PROBABILITY, PLAIN_RISK, Held, Terms, Weighing, foreign, rated, weigh
from guardrail.judge.joins import LIST_MARK
from guardrail.judge.lexicon import LEXICONS
from guardrail.judge.model import Json, ParameterValue, Record
from guardrail.judge.pattern.examples import NO_EXAMPLES
from guardrail.judge.policy import Parameter, Policy
from guardrail.judge.provenance import Provenance, trace
from guardrail.judge.reading import Reading, read_text
from guardrail.judge.scoring import LEXICAL, Asked, Scored, asked_as, scores_by
from guardrail.judge.silence import silent
from guardrail.judge.speech import Sentence, detect_language, read_answer
from guardrail.judge.support import supports
from guardrail.judge.text import composed, printable
from guardrail.judge.trial import NOTHING, UNDECIDED, Bench, Trial, example_of, quadrant, with_example

HEARD_CHARS = 16_384
"""What is read of a user's message: no chat says more at once."""
ANSWER = "/generated_answer/answer"
PARAMETERS = "/user_messages_analysis/parameters"


class Subject:
    """A readable response with its record and policy. Immutable in use; what is costly is computed on first need."""

    def __init__(
        self,
        record: Record,
        policy: Policy,
        tree: dict[str, Json],
        ambiguous: frozenset[str],
        *,
        bench: Bench,
        trials: tuple[Trial, ...] | None = None,
    ) -> None:
        """Hold the facts. `ambiguous` lists pointers of keys given twice with different values (absent from `tree`)."""
        self.bench = bench
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
        self.trials: tuple[Trial, ...] = self._tried() if trials is None else trials
        """The parameters of the response, in order."""
        self.values = tuple([ParameterValue(t.id, t.value) for t in self.trials if t.passed and t.id and t.value])
        """The values that passed."""
        self.score: float | None = None
        """The published score of the answer; set once for the whole batch, before any check looks."""
        self.ours = False
        """Whether the answer is a correction: what it quotes says nothing of how the model came to the rest."""

    def with_answer(self, answer: str, *, ours: bool = False) -> Subject:
        """The same response with another answer: how a correction is verified. `ours`: we quoted, not the model."""
        tree = {**self.tree, "generated_answer": {**self.fields, "answer": answer}}
        other = Subject(self.record, self.policy, tree, self.ambiguous, bench=self.bench, trials=self.trials)
        other.score = self.score
        other.ours = ours
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
    def _measures(self) -> dict[str, Measure]:
        return {}

    def measure(self, sentence: Sentence) -> Measure:
        """A sentence of the answer held against the evidence; measured once."""
        found = self._measures.get(sentence.text)
        if found is None:
            found = self._measures[sentence.text] = self.evidence.measure(read_words(sentence.text), self.known)
        return found

    def backed(self, sentence: Sentence) -> bool:
        """Whether evidence bears a binding sentence out nearly word for word."""
        return self.measure(sentence).borne_out

    @cached_property
    def heard(self) -> frozenset[str]:
        """The keys of all that was said so far, and of the values that passed: a claim may repeat it."""
        texts = [turn.text for turn in self.record.history] + [value.parameter_value for value in self.values]
        return self.question.keys.union(*(read_text(composed(text)).keys for text in texts))

    @cached_property
    def question(self) -> Reading:
        """What the user says in this turn, read for what it asks about."""
        return read_text(composed(self.message))

    @cached_property
    def held(self) -> tuple[tuple[Sentence, Held | None], ...]:
        """The answer's sentences, each held against the evidence; null for one that asserts nothing."""
        ground = self.evidence.ground
        marks = {one.start for one in self.sentences[:-1] if LIST_MARK.match(one.text) and self._opens_line(one)}
        claims = [one for one in self.sentences if one.start not in marks and not silent(one, ground, self.heard)]
        found = iter(supports([one.text for one in claims], ground, self.question, self.heard, ours=self.ours))
        held = {claim.start: Held(claim, self.measure(claim), next(found)) for claim in claims}
        return tuple((sentence, held.get(sentence.start)) for sentence in self.sentences)

    def _opens_line(self, sentence: Sentence) -> bool:
        before = str(self.answer)[: sentence.start].rstrip(" \t")
        return not before or before[-1] in "\r\n"

    @property
    def asserts(self) -> bool:
        """Whether the answer claims anything: only then is a score worth its cost."""
        return any(held is not None for _, held in self.held)

    @cached_property
    def scored(self) -> Scored | None:
        """What each scorer of the policy says of the answer's claims; null where it names none, or none can speak."""
        if not self.policy.scales or not self.asserts or foreign(self.held):
            return None
        held = [one for _, one in self.held if one is not None]
        scores = {LEXICAL: tuple(one.support.risk for one in held)}
        claims = [printable(one.sentence.text) for one in held]
        passages = tuple(printable(passage.text) for passage in self.evidence.passages)
        question, context = printable(self.message), self.evidence.context
        texts = asked_as(claims)
        asked = tuple(Asked(question, text, passages, context) for text in dict.fromkeys(texts.values()))
        for name in [name for name in self.policy.scales if name != LEXICAL] if passages else ():
            found = scores_by(name, self.bench.scorers[name], asked)
            scores[name] = tuple(found[texts[claim]] for claim in claims)
        whole = len(scores) == len(self.policy.scales)
        return Scored(scores, tuple(one.weight for one in held), self.evidence.ground.terms, whole)

    @cached_property
    def weighing(self) -> Weighing:
        """The answer weighed by its evidence."""
        held = self.held if self.scored is None else rated(self.held, self.scored, self.policy.scales)
        plain = PLAIN_PROBABILITY if self.policy.scales else PLAIN_RISK
        layout = self.policy.layout.grounding
        risk_max = None if layout.calibration is None else layout.calibration.risk
        passages, manner = bool(self.evidence.passages), self.evidence.ground.terms
        return weigh(held, Terms(self.score, layout.tau, risk_max, passages=passages, manner=manner, plain=plain))

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
        given, value = item.get("parameter_value_format_regex"), item.get("parameter_extracted_part")
        value = self._trimmed(value, parameter) if isinstance(value, str) else None
        given = given if isinstance(given, str) else None
        example = example_of(item.get("parameter_value_format"))
        configured = NO_EXAMPLES if parameter is None else parameter.examples
        pattern = given
        if given is not None and "\\\\" in given:
            pattern = self.bench.meant(given, with_example(configured, example))
        simulated = item.get("simulate_regex_execution")
        simulated = simulated if isinstance(simulated, bool) else None
        run = None if pattern is None or value is None else self.bench.execute(pattern, value)
        judged = None if parameter is None or run is None or run.execution in UNDECIDED else pattern
        operators = None if parameter is None else parameter.pattern
        known = None if parameter is None or value is None else (parameter, value)
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
            against=NOTHING if judged is None else self.bench.against(judged, configured),
            format_example_refused=judged is not None and self.bench.refuses(judged, example),
            operator=None if operators is None or value is None else self.bench.operators(operators, value),
            comparison=None if judged is None or operators is None else self.bench.compare(judged, operators),
            provenance=None if known is None else self._trace(*known),
        )

    def _allows(self, parameter: Parameter) -> bool:
        """Whether a parameter may be asked for the response's intent; for one that the agent doesn't have, none may."""
        unknown = self.intent.named and self.intent.intent.id is None
        return not unknown and parameter.allowed_for(self.intent.intent)

    def _trimmed(self, value: str, parameter: Parameter | None) -> str:
        return value.strip() if parameter is not None and "trim" in parameter.normalise else value

    def _trace(self, parameter: Parameter, value: str) -> Provenance:
        history = self.record.history
        turns = tuple(turn.text for turn in history if turn.role == "user") if history else ()
        return trace(value, self.message, parameter, turns)


def spoken_locale(record: Record, policy: Policy) -> str:
    """The language to speak with this user: the record's own, else the message's, else the policy's."""
    explicit = (record.locale or "").partition("-")[0].lower()
    if explicit in LEXICONS:
        return explicit
    return detect_language(record.user_message[:HEARD_CHARS]) or policy.layout.locale
