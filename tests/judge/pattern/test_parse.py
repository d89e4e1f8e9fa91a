"""The parser: what it reads, what it refuses and why. Nothing that a stranger writes raises."""

from __future__ import annotations

import pytest

from guardrail.judge.pattern.charset import charset, literal
from guardrail.judge.pattern.fault import Fault
from guardrail.judge.pattern.parse import Parsed, parse
from guardrail.judge.pattern.tree import (
    Assertion,
    Atomic,
    BackReference,
    BranchReset,
    Call,
    Choice,
    Conditional,
    Edge,
    Foreign,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
)

A, B, C = (literal(ord(char)) for char in "abc")


def tree(pattern: str, flags: str = "") -> Node:
    """The tree of a pattern that is read."""
    parsed = parse(pattern, frozenset(flags))
    assert isinstance(parsed, Parsed), parsed
    return parsed.tree


def kind(pattern: str) -> str:
    """The kind of a refusal."""
    fault = parse(pattern)
    assert isinstance(fault, Fault), fault
    return fault.kind


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a", A),
        ("ab", Sequence((A, B))),
        ("a|b", Choice((A, B))),
        ("a|", Choice((A, Sequence()))),
        ("(?:ab)*", Repeat(Sequence((A, B)), 0, None)),
        ("a+?", Repeat(A, 1, None, "lazy")),
        ("a?+", Repeat(A, 0, 1, "possessive")),
        ("a{2}", Repeat(A, 2, 2)),
        ("a{2,}", Repeat(A, 2, None)),
        ("a{,2}", Repeat(A, 0, 2)),
        ("a{002,3}", Repeat(A, 2, 3)),
        ("{a}", Sequence((literal(ord("{")), A, literal(ord("}"))))),
        ("a{}", Sequence((A, literal(ord("{")), literal(ord("}"))))),
        ("^a$", Sequence((Assertion(Edge.TEXT_START), A, Assertion(Edge.TEXT_END)))),
        ("(?m)^a$", Sequence((Assertion(Edge.LINE_START), A, Assertion(Edge.LINE_END)))),
        (
            "\\A\\b\\B\\Z\\z",
            Sequence(tuple(map(Assertion, ("text_start", "word", "not_word", "text_end", "text_end")))),
        ),
        ("(a)(?<n>b)(?P<m>c)(?'k'a)", Sequence((Group(A, 1), Group(B, 2, "n"), Group(C, 3, "m"), Group(A, 4, "k")))),
        ("(?=a)(?!b)(?<=c)", Sequence((Look(A, True, False), Look(B, True, True), Look(C, False, False)))),
        ("(?<!a)(?>b)(?|a|b)", Sequence((Look(A, False, True), Atomic(B), BranchReset(Choice((A, B)))))),
        ("(a)\\1\\g1\\g{1}", Sequence((Group(A, 1), *[BackReference(1)] * 3))),
        ("(?<n>a)\\k<n>\\k'n'\\k{n}\\g{n}(?P=n)", Sequence((Group(A, 1, "n"), *[BackReference("n")] * 5))),
        ("(?R)(?1)(?+1)(?&n)(?P>n)\\g<n>", Sequence(tuple(map(Call, ("R", "1", "+1", "n", "n", "n"))))),
        ("(a)(?(1)b|c)", Sequence((Group(A, 1), Conditional("1", B, C)))),
        ("(a)(?(<n>)b)", Sequence((Group(A, 1), Conditional("n", B, Sequence())))),
        ("(?(?=a)b|c)", Conditional(Look(A, True, False), Sequence((B,)), C)),
        ("(?(?=a))", Conditional(Look(A, True, False), Sequence(), Sequence())),
        ("(?(?:a)b)", Foreign("a conditional")),
        ("\\G\\g{-1}", Sequence((Foreign("the anchor \\G"), Foreign("a relative reference")))),
        ("a(?#b)*", Repeat(A, 0, None)),
        ("(?x) a # c\n b", Sequence((A, B))),
        ("(?x)a#", A),
        ("\\Qa\\Eb\\Q", Sequence((A, B))),
        ("\\Qab", Sequence((A, B))),
        ("\\x61\\x{61}\\u0061\\u{61}\\U00000061", Sequence((A,) * 5)),
    ],
)
def test_reads(pattern: str, expected: Node) -> None:
    """Every construct of the union has its node."""
    assert tree(pattern) == expected


def test_flags_hold_to_the_end_of_their_group() -> None:
    """A flag in the middle applies to the rest of its group, other branches too; a scoped one to its own group."""
    fold = literal(ord("a"), fold=True)
    assert tree("a(?i)a") == Sequence((A, fold))
    assert tree("(?:a(?i)|a)a") == Sequence((Choice((A, fold)), A))
    assert tree("(?i:a)a") == Sequence((fold, A))
    assert tree("(?i)(?-i:a)a") == Sequence((A, fold))
    assert tree("(?i)(?^:a)a") == Sequence((A, fold))
    assert tree("(?ua)a") == A
    assert tree("a", "i") == fold
    assert tree("(?s).") == charset([(0, 0x10FFFF)])


@pytest.mark.parametrize(
    "pattern",
    [
        "(", ")", "a)", "(a", "(?:a", "[a", "[z-a]", "a{3,1}", "*", "+33", "a**", "a+*+", "a{1}{2}", "^*",
        "\\b+", "(|*)", "(*)", "\\", "\\y", "\\x4", "\\u12", "\\x{110000}", "\\p", "\\p{", "\\p{a-b}", "\\k",
        "\\k<n>", "\\1", "(a)\\2", "(?P=n)", "(?<a>a)(?<a>b)", "(?<a->", "(?<é>a)", "(?z)", "(?r)a", "(?Pn)",
        "(?i-i)a", "(?#a", "(?", "(?)", "(a)(?(1)a|b|c)", "[[:nope:]]", "\\L<n>", "[\\B]", "\\g", "(?<n",
    ],
)  # fmt: skip
def test_invalid(pattern: str) -> None:
    """What no dialect reads is invalid."""
    assert kind(pattern) == "invalid"


@pytest.mark.parametrize(
    "pattern",
    [
        "[a&&b]", "[a-z--[b]]", "[a[b]]", "[a-z-[b]]", "[[.a.]]", "[[=a=]]", "[:alpha:]", "[]", "[^]a",
        "a{ 2}", "a{1, 3}", "a{,}", "\\p{Alpha}", "\\p{InGreek}", "\\p{^LC}", "\\P{L&}",
        "\\ca", "\\0123", "(a)\\10", "(?U)a", "(?n)a", "(?J)a", "(?xx)a", "(*UTF8)a", "(?<a-b>c)", "(?C)", "(?{a})",
        "(??{a})", "(?~a)", "(?<1>a)", "(?(a|b)c)",
    ],
)  # fmt: skip
def test_unsupported(pattern: str) -> None:
    """What the dialects read differently, or what is known by name only, is unsupported."""
    assert kind(pattern) == "unsupported"


@pytest.mark.parametrize("pattern", ["a{1001}", "a{0,99999999999}", "a{5000}(", "(?:" * 41 + "a" + ")" * 41])
def test_unsafe(pattern: str) -> None:
    """Huge bounds and deep nesting are refused where they stand."""
    assert kind(pattern) == "unsafe"


def test_depth_up_to_the_limit() -> None:
    """Forty groups inside one another are read."""
    assert tree("(?:" * 40 + "a" + ")" * 40) == A


def test_a_fault_says_where() -> None:
    """A fault points at the place in the body."""
    assert parse("abc[z-a]") == Fault("invalid", "a range is out of order", 5)
    assert parse("") == Fault("invalid", "an empty pattern describes no format", 0)
