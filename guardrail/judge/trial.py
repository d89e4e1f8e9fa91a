"""One parameter of a response on trial: the model's word on its regex beside our run of it, and what speaks against it.

It must never ask whose words the value is (provenance does), nor what follows from a trial (the checks do).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import msgspec

from guardrail.judge.formats import format_example
from guardrail.judge.layout import LimitsLayout
from guardrail.judge.model import Execution, Json, Quadrant, Ruling, Source
from guardrail.judge.pattern import Run, compare, execute
from guardrail.judge.pattern.comparison import BY_DIFFERENCE, Comparison, Relation
from guardrail.judge.pattern.comparison import UNDECIDED as UNDECIDED_COMPARISON
from guardrail.judge.pattern.examples import Against, Examples, against, meant, refuses
from guardrail.judge.pattern.last import BACKTRACKER, LastTier, question
from guardrail.judge.pattern.referee import costly
from guardrail.judge.pattern.repair import undoubled
from guardrail.judge.pattern.vet import MAX_VALUE_CHARS
from guardrail.judge.policy import Parameter
from guardrail.judge.provenance import Origin, Provenance
from guardrail.judge.scoring import NO_SCORERS, Scorers
from guardrail.judge.text import SHORT_CHARS

ASKS_MAX = 8
"""Questions of one record to the last tier: at 200 ms each, as much as a poll of the broker bears."""
COSTLY_MAX = 8
"""Large or searched patterns of one record: at 10 ms each to make ready, and 5 ms for every example."""
COSTLY_RUNS_MAX = 16
"""Values of one record that such patterns are run over."""
FITS_MAX = 32
"""Codes of one answer that are held against the patterns of its values."""
COMPARISONS_MAX = 16
"""Patterns of one record that are held against the operator's own: at 20 ms each."""
_OWN_WORDS = {Origin.VERBATIM, Origin.ALLOWED, Origin.HISTORY}
UNDECIDED = frozenset(
    {Execution.INVALID, Execution.UNSUPPORTED, Execution.UNSAFE, Execution.TIMED_OUT, Execution.VALUE_TOO_LONG}
)


_LEFT_OVER = Run(Execution.UNSUPPORTED, left_over=True)
"""Of an example that the search gave up on."""
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
    def relation(self) -> Relation:
        """How the model's pattern stands to the operator's: by all values, else by this one and the examples."""
        known = Relation.UNDECIDED if self.comparison is None else self.comparison.relation
        if known is not Relation.UNDECIDED:
            return known
        takes = self.run is not None and self.run.execution is Execution.MATCHED
        looser = bool(self.against.accepted) or (takes and not self.vouched)
        stricter = bool(self.against.refused) or (self.vouched and not takes)
        return BY_DIFFERENCE[looser, stricter] if looser or stricter else Relation.UNDECIDED

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
    """Where the patterns of one record are run: within the policy's limits, the last tier at hand or not.

    The scorers of its answer lie ready here too.
    """

    def __init__(
        self, limits: LimitsLayout, source: Source, last_tier: LastTier | None, scorers: Scorers = NO_SCORERS
    ) -> None:
        """Without a last tier, what needs it is unsupported."""
        self.scorers = scorers
        self._limits = limits
        self._source = source
        self._last_tier = last_tier if limits.last_tier else None
        self._rulings: dict[str, Execution] = {}
        self._costly: set[str] = set()
        self._costly_runs = 0
        self._fits: dict[tuple[str, str], bool] = {}
        self._compared: set[tuple[str, str]] = set()

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """What the last tier said, in order."""
        return tuple(Ruling(digest, execution) for digest, execution in self._rulings.items())

    def execute(self, pattern: str, value: str) -> Run:
        """The run of a model's pattern over a whole value. Of costly ones, a record may bring some only."""
        return self._run(pattern, value, hints=True, admits=self._admits)

    def fits(self, pattern: str, code: str) -> bool:
        """Whether a code in the answer has a value's format; beyond the record's share, it is taken not to."""
        if (pattern, code) not in self._fits:
            if len(self._fits) >= FITS_MAX:
                return False
            run = self._run(pattern, code, hints=False, admits=self._admits)
            self._fits[pattern, code] = run.execution is Execution.MATCHED
        return self._fits[pattern, code]

    def operators(self, pattern: str, value: str) -> Run:
        """The run of an operator's own pattern over a whole value."""
        return self._run(pattern, value, hints=False)

    def _admits(self, pattern: str) -> bool:
        """Whether the record may run this costly pattern once more."""
        if self._costly_runs >= COSTLY_RUNS_MAX or (pattern not in self._costly and len(self._costly) >= COSTLY_MAX):
            return False
        self._costly.add(pattern)
        self._costly_runs += 1
        return True

    def _run(self, pattern: str, value: str, *, hints: bool, admits: Callable[[str], bool] | None = None) -> Run:
        limits = self._limits
        run = execute(
            pattern,
            value,
            pattern_chars=limits.pattern_chars,
            value_chars=limits.value_chars,
            hints=hints,
            admits=admits,
        )
        return self._asked(run, pattern, value) if run.left_over else run

    def compare(self, pattern: str, other: str) -> Comparison:
        """How a model's pattern stands to the operator's own; a record may have so many compared."""
        if (pattern, other) not in self._compared:
            if len(self._compared) >= COMPARISONS_MAX:
                return UNDECIDED_COMPARISON
            self._compared.add((pattern, other))
        return compare(pattern, other)

    def _asked(self, run: Run, pattern: str, value: str) -> Run:
        asked = None if self._last_tier is None else question(pattern, value)
        if self._last_tier is None or asked is None:
            return run
        if asked.digest not in self._rulings:
            if len(self._rulings) >= ASKS_MAX:
                return run
            self._rulings[asked.digest] = self._last_tier(self._source, asked)
        return ruled(run, self._rulings[asked.digest])

    def meant(self, given: str, examples: Examples) -> str:
        """The pattern as it is meant; one beyond its limit stands as it is, and is refused."""
        single = undoubled(given) if len(given) <= self._limits.pattern_chars else None
        if single is None or not all(self._admits(one) for one in (given, single) if costly(one)):
            return given
        return meant(given, examples)

    def against(self, pattern: str, examples: Examples) -> Against:
        """What examples say against a pattern."""
        found = against(pattern, examples)
        if not found.left_over:
            return found
        runs = {one: self._asked(_LEFT_OVER, pattern, one).execution for one in found.left_over}
        refused = [one for one in examples.valid if runs.get(one) is Execution.NOT_MATCHED]
        accepted = [one for one in examples.invalid if runs.get(one) is Execution.MATCHED]
        return Against((*found.refused, *refused), (*found.accepted, *accepted))

    def refuses(self, pattern: str, example: str | None) -> bool:
        """Whether a pattern refuses the example inside its own format text."""
        if example is None:
            return False
        found = refuses(pattern, example)
        if found is None:
            return self._asked(_LEFT_OVER, pattern, example).execution is Execution.NOT_MATCHED
        return found


def ruled(run: Run, execution: Execution) -> Run:
    """A run left over, with what the last tier said of it."""
    if execution is Execution.UNSUPPORTED:
        return run
    if execution is Execution.TIMED_OUT:
        return msgspec.structs.replace(run, execution=execution, reason="the last tier ran out of its time")
    return msgspec.structs.replace(run, execution=execution, tier=BACKTRACKER, reason="", left_over=False)


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
