"""One parameter of a response on trial: the model's word on its regex beside our run of it, and what speaks against it.

It must never ask whose words the value is (provenance does), nor what follows from a trial (the checks do).
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from guardrail.judge.formats import format_example
from guardrail.judge.layout import LimitsLayout
from guardrail.judge.model import Execution, Json, Quadrant, Ruling, Source
from guardrail.judge.pattern import Run, execute
from guardrail.judge.pattern.compare import BY_DIFFERENCE, Comparison, Relation
from guardrail.judge.pattern.examples import Against, Examples, against, meant
from guardrail.judge.pattern.last import BACKTRACKER, LastTier, question
from guardrail.judge.pattern.vet import MAX_VALUE_CHARS
from guardrail.judge.policy import Parameter
from guardrail.judge.provenance import Origin, Provenance
from guardrail.judge.text import SHORT_CHARS

ASKS_MAX = 8
"""Questions of one record to the last tier: at 250 ms each, as much as a poll of the broker bears."""
_OWN_WORDS = {Origin.VERBATIM, Origin.ALLOWED, Origin.HISTORY}
UNDECIDED = frozenset(
    {Execution.INVALID, Execution.UNSUPPORTED, Execution.UNSAFE, Execution.TIMED_OUT, Execution.VALUE_TOO_LONG}
)


NOTHING = Against()
"""Nothing speaks against it."""


class Trial(msgspec.Struct, frozen=True, gc=False):
    """One parameter of a response: what the model said of it, and what we found."""

    pointer: str
    item: dict[str, Json]
    pattern: str | None
    overescaped: bool
    """Whether the pattern's doubled backslashes were halved, because the examples ask for it."""
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
    against: Against
    """What the configured examples say against the model's pattern."""
    format_example_refused: bool
    operator: Run | None
    """The operator's own pattern over the value, where one is configured."""
    comparison: Comparison | None
    """The model's pattern beside the operator's, where one is configured and the model's can be run."""
    provenance: Provenance | None

    @property
    def id(self) -> str | None:
        """The configured id; null for a name that the agent doesn't have."""
        return None if self.parameter is None else self.parameter.id

    @property
    def discredited(self) -> bool:
        """Whether the model's pattern proves nothing (CONTRACT §5)."""
        return bool(self.against.refused or self.against.accepted or self.format_example_refused)

    @property
    def vouched(self) -> bool:
        """Whether the operator's own pattern takes the value."""
        return self.operator is not None and self.operator.execution is Execution.MATCHED

    @property
    def relation(self) -> Relation | None:
        """How the model's pattern stands to the operator's: by all values, else by this one and the examples."""
        if self.comparison is None:
            return None
        if self.comparison.relation is not Relation.UNDECIDED:
            return self.comparison.relation
        takes = self.run is not None and self.run.execution is Execution.MATCHED
        looser = bool(self.against.accepted) or (takes and not self.vouched)
        stricter = bool(self.against.refused) or (self.vouched and not takes)
        return BY_DIFFERENCE[looser, stricter] if looser or stricter else Relation.UNDECIDED

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


def quadrant(simulated: bool | None, execution: Execution) -> Quadrant:
    """The model's word beside our run (CONTRACT §5). Without a word of the model nothing is decided."""
    if simulated is None or execution in UNDECIDED:
        return Quadrant.UNDECIDED
    if execution is Execution.MATCHED:
        return Quadrant.AGREED if simulated else Quadrant.UNDERCLAIM
    return Quadrant.MISMATCH if simulated else Quadrant.REFUSAL


class Bench:
    """Where the patterns of one record are run: within the policy's limits, the last tier at hand or not."""

    def __init__(self, limits: LimitsLayout, source: Source, last_tier: LastTier | None) -> None:
        """Without a last tier, what needs it is unsupported."""
        self._limits = limits
        self._source = source
        self._last_tier = last_tier if limits.last_tier else None
        self._rulings: dict[str, Execution] = {}

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """What the last tier said, in order."""
        return tuple(Ruling(digest, execution) for digest, execution in self._rulings.items())

    def execute(self, pattern: str, value: str) -> Run:
        """The run of a pattern over a whole value."""
        run = execute(pattern, value, pattern_chars=self._limits.pattern_chars, value_chars=self._limits.value_chars)
        return self._asked(run, pattern, value) if run.left_over else run

    def _asked(self, run: Run, pattern: str, value: str) -> Run:
        asked = None if self._last_tier is None else question(pattern, value)
        if self._last_tier is None or asked is None:
            return run
        if asked.digest not in self._rulings:
            if len(self._rulings) >= ASKS_MAX:
                return run
            self._rulings[asked.digest] = self._last_tier(self._source, asked)
        return ruled(run, self._rulings[asked.digest])

    def meant(self, given: str, parameter: Parameter, example: str | None) -> str:
        """The pattern as it is meant; one beyond its limit stands as it is, and is refused."""
        if "\\\\" not in given or len(given) > self._limits.pattern_chars:
            return given
        return meant(given, with_example(parameter.examples, example))

    def against(self, pattern: str, examples: Examples) -> Against:
        """What examples say against a pattern."""
        found = against(pattern, examples)
        if not found.left_over:
            return found
        runs = {one: self.execute(pattern, one).execution for one in found.left_over}
        refused = [one for one in examples.valid if runs.get(one) is Execution.NOT_MATCHED]
        accepted = [one for one in examples.invalid if runs.get(one) is Execution.MATCHED]
        return Against((*found.refused, *refused), (*found.accepted, *accepted))

    def refuses(self, pattern: str, example: str | None) -> bool:
        """Whether a pattern refuses the example inside its own format text."""
        return example is not None and bool(self.against(pattern, Examples((example,))).refused)


def ruled(run: Run, execution: Execution) -> Run:
    """A run left over, with what the last tier said of it."""
    if execution is Execution.UNSUPPORTED:
        return run
    if execution is Execution.TIMED_OUT:
        return msgspec.structs.replace(run, execution=execution, reason="the last tier ran out of its time")
    return msgspec.structs.replace(run, execution=execution, tier=BACKTRACKER, reason="")


def with_example(examples: Examples, example: str | None) -> Examples:
    """The configured examples, and the one of a format text."""
    return examples if example is None else Examples((*examples.valid, example), examples.invalid)


def example_of(format_text: Json) -> str | None:
    """The example inside the format text that the model gave with its pattern; null when it is no value."""
    if not isinstance(format_text, str):
        return None
    example = _short_example(format_text) if len(format_text) <= SHORT_CHARS else format_example(format_text)
    return example if example is not None and len(example) <= MAX_VALUE_CHARS else None


@lru_cache(maxsize=4_096)
def _short_example(format_text: str) -> str | None:
    return format_example(format_text)
