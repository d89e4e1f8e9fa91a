"""The engine and the text it is given: no more memory than allowed, no Unicode tables per position."""

from __future__ import annotations

import pytest

from guardrail.judge.pattern.alphabet import Alphabet, alphabet
from guardrail.judge.pattern.charset import charset, literal
from guardrail.judge.pattern.emit import emit, question
from guardrail.judge.pattern.engine import compiled, member
from guardrail.judge.pattern.parse import Parsed, parse
from guardrail.judge.pattern.tree import Property


def written(pattern: str) -> tuple[str, Alphabet]:
    """A pattern in RE2's syntax, and its alphabet."""
    parsed = parse(pattern)
    assert isinstance(parsed, Parsed)
    letters = alphabet(parsed.tree)
    assert letters is not None
    return emit(parsed.tree, letters).text, letters


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^[A-Z]{3}\\d+$", "\\A[A-Z]{3,3}[0-9]+\\z"),
        ("(?:ab|c)?", "(?:(?:ab|c))?"),
        ("a{3,}", "a{2,2}a+"),
        ("a{1}b{1,}", "ab+"),
        ("()", "(?:)"),
        ("(?m)^.$", "(?m:^)[\\x{0}-\\x{9}\\x{b}-\\x{ff}](?m:$)"),
        ("\\p{L}", "(?:[A-Za-z]|[\\x{80}-\\x{ff}][\\x{81}\\x{83}\\x{85}\\x{87}])"),
        ("\\p{Greek}", "(?:[\\x{80}-\\x{ff}][\\x{81}\\x{83}\\x{85}\\x{87}])"),
        ("[é-ü]x", "\\x{81}x"),
        ("[^\\s\\S]", "[^\\x00-\\xff]"),
    ],
)
def test_emission(pattern: str, text: str) -> None:
    """The text is canonical: strict anchors, plain sets, no captures, nothing copied."""
    assert written(pattern)[0] == text


def test_nested_bounds_are_cut_for_re2() -> None:
    """Repeats whose product RE2 refuses are written in pieces and compile."""
    text, _ = written("(?:a{40}){40}")
    program = compiled(text, light=False)
    assert program is not None
    assert program.whole(b"a" * 1600)
    assert not program.whole(b"a" * 1599)


def test_a_program_over_its_memory_is_null() -> None:
    """RE2's own refusal is a value."""
    assert compiled("(?:a|b){500}" * 10, light=True) is None


def test_values_in_the_alphabet_of_a_pattern() -> None:
    """ASCII stays itself, any other character takes the alphabet's width, half a surrogate pair has no encoding."""
    _, letters = written("[é-ü]\\p{Greek}\\p{Lu}")
    assert letters.width == 2
    assert letters.encoded("abc", member) == b"abc"
    assert letters.encoded("éα", member) == b"\x81\x80\x80\x81"
    assert letters.encoded("a\ud800", member) is None


def test_too_many_kinds_have_no_alphabet() -> None:
    """An alphabet has at most 128 kinds and 30 questions."""
    many = parse("".join(chr(0x4E00 + 2 * number) for number in range(200)))
    assert isinstance(many, Parsed)
    assert alphabet(many.tree) is None


def test_membership_is_re2s() -> None:
    """A set that isn't plain is asked of RE2's tables; long s and the Kelvin sign never fold into ASCII."""
    assert member(charset([], (Property("Lu"),)), ord("É"))
    assert not member(charset([(0x73, 0x73)], (Property("Nd"),), fold=True), 0x17F)
    assert literal(ord("é"), fold=True) == charset([(0xC9, 0xC9), (0xE9, 0xE9)])
    assert question(Property("Lu"), fold=True) == "(?i:[\\p{Lu}])"
    assert question(Property("L", negated=True), fold=False) == "[\\P{L}]"
    assert member(charset([(0x4E00, 0x4E01)], (Property("Lu"),)), 0x4E00)
    assert not member(charset([(0x4E00, 0x4E01)], (Property("Lu"),), negated=True), 0x4E00)
    assert member(charset([(0x4E00, 0x4E01)], (Property("Lu"),), negated=True), 0x4E02)
    assert member(charset([], (Property("Lu"),), fold=True), ord("é"))
