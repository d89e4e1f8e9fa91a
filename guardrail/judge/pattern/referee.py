"""Runs a stranger's pattern over a value and says what came of it. It must never raise, print, wait or guess.

limits -> wrapping off -> tree -> vet -> alphabet -> RE2. The same pattern and value give the same run, anywhere.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from guardrail.judge.model import Execution
from guardrail.judge.pattern.alphabet import Alphabet, alphabet
from guardrail.judge.pattern.emit import emit
from guardrail.judge.pattern.engine import LIGHT_INSTRUCTIONS, MAX_INSTRUCTIONS, Program, compiled, member
from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.hints import ALTERED_VALUES
from guardrail.judge.pattern.parse import parse
from guardrail.judge.pattern.repair import Unwrapped, suspicions, undoubled, unwrapped
from guardrail.judge.pattern.vet import MAX_PATTERN_CHARS, MAX_VALUE_CHARS, vet

CACHED_PATTERNS = 4_096  # refusals too; a light one keeps at most engine.LIGHT_MEM_BYTES, typically 10 kB
CACHED_HEAVY = 32  # of the rare large ones; each keeps at most engine.MAX_MEM_BYTES
CACHED_VARIANTS = 256  # patterns changed for a hint

RE2 = "re2"
NONE = "none"


class Run(msgspec.Struct, frozen=True):
    """What came of a run. `tier` decided it (`none`: nobody did); `reason` never holds the pattern or the value."""

    execution: Execution
    tier: str = NONE
    reason: str = ""
    repairs: tuple[str, ...] = ()
    suspicions: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


class Compiled(msgspec.Struct, frozen=True):
    """A pattern ready to run, and its two runs made in advance."""

    program: Program
    letters: Alphabet
    matched: Run
    not_matched: Run

    def fullmatch(self, value: str) -> bool:
        """Whether the value, whole and as it is, matches. Half of a surrogate pair never does."""
        encoded = value.encode() if value.isascii() else self.letters.encoded(value, member)
        return encoded is not None and self.program.whole(encoded)

    def found_in(self, value: str) -> bool:
        """Whether some part of the value matches."""
        encoded = self.letters.encoded(value, member)
        return encoded is not None and self.letters.width == 1 and self.program.anywhere(encoded)


_TOO_LONG = Run(Execution.VALUE_TOO_LONG, reason="the value is longer than its limit")
_TOO_LARGE = Fault("unsafe", "the pattern compiles to more than its memory")
_PATTERN_TOO_LONG = Fault("unsafe", "the pattern is longer than its limit")


def execute(
    pattern: str, value: str, *, pattern_chars: int = MAX_PATTERN_CHARS, value_chars: int = MAX_VALUE_CHARS
) -> Run:
    """The run of a pattern over a whole value. Hints are there only when it didn't match."""
    if len(value) > value_chars:
        return _TOO_LONG
    if len(pattern) > pattern_chars:
        return _refusal(_PATTERN_TOO_LONG)
    ready = _ready(pattern)
    if isinstance(ready, Run):
        return ready
    if ready.fullmatch(value):
        return ready.matched
    hints = _hints(ready, pattern, value)
    return msgspec.structs.replace(ready.not_matched, hints=hints) if hints else ready.not_matched


def compile_pattern(pattern: str, *, pattern_chars: int = MAX_PATTERN_CHARS) -> Compiled | Fault:
    """An operator's own pattern, or why it is refused."""
    if len(pattern) > pattern_chars:
        return _PATTERN_TOO_LONG
    found = unwrapped(pattern)
    written = _written(found)
    return written if isinstance(written, Fault) else _compiled(written, found.repairs, suspicions(pattern))


def hints_for(pattern: str, value: str) -> tuple[str, ...]:
    """What would have to differ for the value to match. Only ever told beside a mismatch: no verdict depends on it."""
    if len(pattern) > MAX_PATTERN_CHARS or len(value) > MAX_VALUE_CHARS:
        return ()
    ready = _ready(pattern)
    return () if isinstance(ready, Run) or ready.fullmatch(value) else _hints(ready, pattern, value)


def _hints(ready: Compiled, pattern: str, value: str) -> tuple[str, ...]:
    hints = [name for name, altered in ALTERED_VALUES if (other := altered(value)) != value and ready.fullmatch(other)]
    folded = _variant(pattern, "case_only")
    if folded and folded.fullmatch(value):
        hints.append("case_only")
    halved = _variant(pattern, "double_escape_suspected") if "\\\\" in pattern else None
    if halved and halved.fullmatch(value):
        hints.append("double_escape_suspected")
    if ready.found_in(value):
        hints.append("partial_match")
    return tuple(hints)


class Written(msgspec.Struct, frozen=True):
    """A pattern in RE2's syntax. `light` ones are cached by the thousand."""

    text: str
    letters: Alphabet
    light: bool


class Heavy(msgspec.Struct, frozen=True):
    """A heavy pattern that waits to be compiled, with what its runs will say."""

    written: Written
    repairs: tuple[str, ...]
    doubts: tuple[str, ...]


def _written(found: Unwrapped) -> Written | Fault:
    parsed = parse(found.body, found.flags)
    if isinstance(parsed, Fault):
        return parsed
    fault = vet(parsed.tree)
    if fault:
        return fault
    letters = alphabet(parsed.tree)
    if letters is None:
        return Fault("unsupported", "the pattern tells too many kinds of characters beyond ASCII apart")
    written = emit(parsed.tree, letters)
    if written.cost > MAX_INSTRUCTIONS:
        return _TOO_LARGE
    return Written(written.text, letters, written.cost <= LIGHT_INSTRUCTIONS)


def _compiled(written: Written, repairs: tuple[str, ...], doubts: tuple[str, ...]) -> Compiled | Fault:
    program = compiled(written.text, light=written.light)
    if program is None:
        return _TOO_LARGE
    matched = Run(Execution.MATCHED, RE2, "", repairs, doubts)
    not_matched = Run(Execution.NOT_MATCHED, RE2, "", repairs, doubts)
    return Compiled(program, written.letters, matched, not_matched)


def _refusal(fault: Fault, repairs: tuple[str, ...] = (), doubts: tuple[str, ...] = ()) -> Run:
    return Run(Execution(fault.kind), NONE, fault.reason, repairs, doubts)


@lru_cache(maxsize=CACHED_PATTERNS)
def _known(pattern: str) -> Compiled | Run | Heavy:
    """A pattern ready to run, the run of its refusal, or the text of a heavy one, which a smaller cache compiles."""
    found = unwrapped(pattern)
    written = _written(found)
    doubts = suspicions(pattern)
    if isinstance(written, Fault):
        return _refusal(written, found.repairs, doubts)
    if not written.light:
        return Heavy(written, found.repairs, doubts)
    ready = _compiled(written, found.repairs, doubts)
    return (
        Heavy(msgspec.structs.replace(written, light=False), found.repairs, doubts)
        if isinstance(ready, Fault)
        else ready
    )


@lru_cache(maxsize=CACHED_HEAVY)
def _loaded(pattern: str) -> Compiled | Run:
    """A heavy pattern ready to run, or the run of its refusal."""
    heavy = _known(pattern)
    if not isinstance(heavy, Heavy):
        return heavy
    ready = _compiled(heavy.written, heavy.repairs, heavy.doubts)
    return _refusal(ready, heavy.repairs, heavy.doubts) if isinstance(ready, Fault) else ready


def _ready(pattern: str) -> Compiled | Run:
    found = _known(pattern)
    return _loaded(pattern) if isinstance(found, Heavy) else found


@lru_cache(maxsize=CACHED_VARIANTS)
def _variant(pattern: str, hint: str) -> Compiled | None:
    """The pattern changed as a hint supposes; null when it can't be run so."""
    found = unwrapped(pattern)
    if hint == "case_only":
        found = msgspec.structs.replace(found, flags=found.flags | {"i"})
    else:
        found = msgspec.structs.replace(found, body=undoubled(found.body) or "")
    written = _written(found)
    ready = written if isinstance(written, Fault) else _compiled(written, (), ())
    return ready if isinstance(ready, Compiled) else None
