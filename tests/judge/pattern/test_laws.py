"""Laws over generated patterns and values: nothing raises, order is nothing, Python agrees where the dialects do."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.judge.model import Execution
from guardrail.judge.pattern import Fault, Run, execute
from guardrail.judge.pattern.parse import Parsed, parse
from guardrail.judge.pattern.referee import _light

SIGNS = "()[]{}|^$.*+?\\-,:=!<>'#&/`\"~"
WORDS = ["(?", "(?:", "(?<n>", "(?P<n>", "(?=", "(?<!", "(?i)", "(?i-s:", "(?(1)", "(?>", "\\p{L}", "\\x4", "\\Q",
         "\\k<n>", "{2,", "{,3}", "[^", "[[:alpha:]]", "&&", "\\1", "\\ud83d", "\\0", "(?R)", "(?#",
         "(*F)"]  # fmt: skip
near_patterns = st.lists(
    st.sampled_from(WORDS) | st.sampled_from(SIGNS) | st.sampled_from("abkdswDB0129 \n"), max_size=25
).map("".join)
any_text = st.text(st.characters(codec=None), max_size=40)  # surrogates too
texts = near_patterns | any_text

LONGEST = 9  # characters: the reference backtracks, and would hang on nested repeats
ALPHABET = "abcxXYZ019 _-\u00e9\u5317\n"
Sample = tuple[str, str]
"""A pattern and a value that it is likely to match."""

atoms = st.sampled_from(
    [("a", "a"), ("b", "b"), ("X", "X"), ("0", "0"), ("\\-", "-"), ("_", "_"), ("\u00e9", "\u00e9"),
     ("\u5317", "\u5317"),
     (".", "Z"), ("\\d", "9"), ("\\w", "Y"), ("\\s", "\n"), ("\\D", "\u00e9"), ("\\W", "\u5317"), ("\\S", "\u00e9"),
     ("[a-c]", "c"), ("[^a-b1]", "\u00e9"), ("[\\d_-]", "-"), ("[^\\W\\d]", "_"), ("[\u00e0-\u00fc]", "\u00e9"),
     ("[^\u00e0-\u00fcX]", "x"), ("(?i:x[a-b]?)", "X"), ("(?s:.)", "\n"), ("\\n", "\n")]
)  # fmt: skip
edges = st.sampled_from([("\\b", ""), ("\\A", ""), ("\\Z", "")])
repeats = st.sampled_from([("*", 2), ("+", 3), ("?", 0), ("{2}", 2), ("{0,2}", 1), ("{1,}", 1), ("{,2}", 2)])


def _repeated(pair: tuple[Sample, tuple[str, int]]) -> Sample:
    (body, sample), (sign, times) = pair
    return f"(?:{body}){sign}", sample * times


def _grow(inner: st.SearchStrategy[Sample]) -> st.SearchStrategy[Sample]:
    several = st.lists(inner, min_size=1, max_size=4)
    return st.one_of(
        several.map(lambda parts: ("".join(body for body, _ in parts), "".join(value for _, value in parts))),
        several.map(lambda parts: (f"(?:{'|'.join(body for body, _ in parts)})", parts[-1][1])),
        inner.map(lambda part: (f"({part[0]})", part[1])),
        st.tuples(inner, repeats).map(_repeated),
    )


samples = st.recursive(atoms | edges, _grow, max_leaves=8)


@given(text=texts, flags=st.sets(st.sampled_from("imsx")))
@settings(max_examples=1500, deadline=None)
def test_the_parser_never_raises(text: str, flags: set[str]) -> None:
    """Any text has a tree or a fault, and the same one twice."""
    found = parse(text, frozenset(flags))
    assert isinstance(found, Parsed | Fault)
    assert parse(text, frozenset(flags)) == found


@given(pattern=texts, value=any_text | near_patterns)
@settings(max_examples=1500, deadline=None)
def test_execution_never_raises(pattern: str, value: str) -> None:
    """Any pattern and value have a run; hints change no verdict; a refusal has a reason."""
    run = execute(pattern, value)
    assert isinstance(run, Run)
    assert (run.tier == "none") == bool(run.reason)
    assert execute(pattern, value, hints=False).hints == ()
    assert run.execution is Execution.NOT_MATCHED or not run.hints


@given(pairs=st.lists(st.tuples(near_patterns, near_patterns), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_runs_depend_on_nothing_else(pairs: list[tuple[str, str]]) -> None:
    """Any order and any cache state give the same runs."""
    first = [execute(pattern, value) for pattern, value in pairs]
    _light.cache_clear()
    assert [execute(pattern, value) for pattern, value in reversed(pairs)] == first[::-1]


@given(sample=samples, other=st.text(ALPHABET, max_size=LONGEST))
@settings(max_examples=800, deadline=None)
def test_python_agrees_where_the_dialects_do(sample: Sample, other: str) -> None:
    """A pattern of the common subset matches exactly what `re.fullmatch(..., re.ASCII)` matches."""
    pattern, near = sample
    reference = re.compile(pattern, re.ASCII)
    for value in (near[:LONGEST], other, near[: LONGEST - 1] + "x"):
        run = execute(pattern, value)
        assert run.execution is (Execution.MATCHED if reference.fullmatch(value) else Execution.NOT_MATCHED)
