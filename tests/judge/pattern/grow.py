"""Generated patterns beyond the linear engine's reach, each with a value that it is likely to take.

Written over five characters, so that values match often. Every construct is one that Python's `regex` package reads as
the referee does.
"""

from __future__ import annotations

from hypothesis import strategies as st

LETTERS = "ab1 \n"
Sample = tuple[str, str]
"""A pattern and a value."""

values = st.text(LETTERS, max_size=7)
atoms = st.sampled_from(
    [("a", "a"), ("b", "b"), ("1", "1"), (".", "a"), ("[ab]", "b"), ("[^a]", "1"), ("\\d", "1"), ("\\w", "a"),
     ("\\s", " "), ("\\W", " "), ("(?s:.)", "\n"), ("(?i:A)", "a"), ("", "")]
)  # fmt: skip
edges = st.sampled_from([("\\b", ""), ("\\B", ""), ("^", ""), ("$", ""), ("(?m:^)", ""), ("(?m:$)", ""), ("\\A", "")])
repeats = st.sampled_from(
    [
        ("*", 2),
        ("+", 1),
        ("?", 1),
        ("{2}", 2),
        ("{0,2}", 1),
        ("{1,}", 2),
        ("*?", 0),
        ("+?", 1),
        ("??", 0),
        ("{1,2}?", 1),
    ]
)
kept = st.sampled_from([("*+", 2), ("++", 1), ("?+", 1)])
looks = st.sampled_from(["(?=", "(?!", "(?<=", "(?<!"])


def _join(parts: list[Sample]) -> Sample:
    return "".join(pattern for pattern, _ in parts), "".join(value for _, value in parts)


def _either(parts: list[Sample]) -> Sample:
    return f"(?:{'|'.join(pattern for pattern, _ in parts)})", parts[-1][1]


def _repeat(pair: tuple[Sample, tuple[str, int]]) -> Sample:
    (pattern, value), (sign, times) = pair
    return f"(?:{pattern}){sign}", value * times


def _look(pair: tuple[str, Sample]) -> Sample:
    return f"{pair[0]}{pair[1][0]})", ""


def _plain(inner: st.SearchStrategy[Sample]) -> st.SearchStrategy[Sample]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(several.map(_join), several.map(_either), st.tuples(inner, repeats).map(_repeat))


def _any(inner: st.SearchStrategy[Sample]) -> st.SearchStrategy[Sample]:
    return st.one_of(
        _plain(inner),
        st.tuples(looks, inner).map(_look),
        st.tuples(inner, kept).map(_repeat),
        inner.map(lambda part: (f"(?>{part[0]})", part[1])),
    )


plain_samples = st.recursive(atoms, _plain, max_leaves=5)
"""Regular, without edges."""

_ahead = st.tuples(st.sampled_from(["(?=", "(?!"]), plain_samples).map(_look)
_behind = st.sampled_from([("(?<=a)", ""), ("(?<!a)", ""), ("(?<![b1])", "")])
swept_samples = st.recursive(atoms | edges | _ahead | _behind, _plain, max_leaves=6)
"""What can be compared: look-aheads anywhere, look-behinds of one character, edges."""

bold_samples = st.recursive(atoms | edges, _any, max_leaves=7)
"""Everything but references. Nothing is kept for good inside a look-behind: the dialects read that differently."""


def _refer(parts: tuple[Sample, Sample, Sample, str]) -> Sample:
    (group, held), (middle, between), (tail, end), reference = parts
    pattern = f"({group}){middle}{reference}{tail}"
    return pattern, held + between + held + end


referring_samples = st.tuples(
    bold_samples, plain_samples, plain_samples, st.sampled_from(["\\1", "\\1?", "(?:\\1|b)", "(?=\\1).", "(?!\\1)"])
).map(_refer)
"""A group that surely takes part, and a reference to it."""
