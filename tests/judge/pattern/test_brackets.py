"""Classes and escapes: which characters they hold."""

from __future__ import annotations

import pytest

from guardrail.judge.pattern import execute

ASCII = [chr(code) for code in range(128)]


def members(pattern: str, of: list[str] = ASCII) -> str:
    """The characters that a one-character pattern matches."""
    return "".join(char for char in of if execute(pattern, char).execution == "matched")


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("[a-c]", "abc"),
        ("[]a]", "]a"),
        ("[a-]", "-a"),
        ("[-a]", "-a"),
        ("[\\d-.]", "-.0123456789"),
        ("[a-\\d]", "-0123456789a"),
        ("[a-c-e]", "-abce"),
        ("[+--]", "+,-"),
        ("[--/]", "-./"),
        ("[[a]", "[a"),
        ("[\\]\\[]", "[]"),
        ("[[:digit:]x]", "0123456789x"),
        ("[[:^print:][:upper:]]", "".join(map(chr, range(32))) + "ABCDEFGHIJKLMNOPQRSTUVWXYZ\x7f"),
        ("[\\b]", "\x08"),
        ("[\\101\\0]", "\x00A"),
        ("[\\x41-\\u0043]", "ABC"),
        ("\\s", "\t\n\x0b\x0c\r "),
        ("\\h", "\t "),
        ("[^\\W\\d_A-Z]", "abcdefghijklmnopqrstuvwxyz"),
        ("(?i)[a-b]", "ABab"),
        ("\\a|\\e|\\cA|\\0|\\07", "\x00\x01\x07\x1b"),
        ("\\-|\\_|\\/", "-/_"),
        ("\\p{XDigit}", "0123456789ABCDEFabcdef"),
        ("\\p{Digit}", "0123456789"),
        ("\\P{ASCII}", ""),
        ("\\p{^Digit}", "".join(char for char in ASCII if not char.isdigit())),
        ("\\pN|\\p{Lu}", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ("\\p{gc=Nd}|\\p{General_Category=Decimal_Number}", "0123456789"),
        ("\\p{L&}", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        ("\\p{Script=Latin}", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        ("[^\\p{Common}]", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
        ("\\p{sc=Greek}", ""),
    ],
)
def test_members_in_ascii(pattern: str, expected: str) -> None:
    """A class holds these ASCII characters and no others."""
    assert members(pattern) == expected


SAMPLE = "\u03b1\u0391\u00c9\u00e9\u017f\u212a\u0663\u00a0\U0001f600"
"""Small and capital alpha, capital and small e acute, long s, Kelvin sign, Arabic three, no-break space, an emoji."""


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("\\p{Greek}", "\u03b1\u0391"),
        ("\\p{Lu}", "\u0391\u00c9\u212a"),
        ("(?i)\\p{Lu}", "\u03b1\u0391\u00c9\u00e9\u212a"),
        ("\\P{L}", "\u0663\u00a0\U0001f600"),
        ("[\u00e9-\u00eb]", "\u00e9"),
        ("(?i)[\u00e9-\u00eb]", "\u00c9\u00e9"),
        ("(?i)[^\u00e9-\u00eb]", "\u03b1\u0391\u017f\u212a\u0663\u00a0\U0001f600"),
        ("(?i)[^\u00e9-\u00eb\\p{Nd}]", "\u03b1\u0391\u017f\u212a\u00a0\U0001f600"),
        ("(?i)[sk]", ""),
        ("\\w|\\d|\\s", ""),
        (".", SAMPLE),
        ("[^a-z]", SAMPLE),
        ("\\x{1F600}|\\u{3b1}", "\u03b1\U0001f600"),
    ],
)
def test_members_beyond_ascii(pattern: str, expected: str) -> None:
    """A class holds these characters out of a sample, folding never crossing into ASCII."""
    assert members(pattern, list(SAMPLE)) == expected


def test_properties_with_two_readings_are_refused() -> None:
    """A property of an unknown key or script isn't guessed."""
    assert execute("\\p{Script=Klingon}", "a").execution == "unsupported"
    assert execute("\\p{age=Lu}", "a").execution == "unsupported"
