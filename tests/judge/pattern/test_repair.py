"""Wrapping comes off where it can't be meant, and stays where it can."""

from __future__ import annotations

import pytest

from guardrail.judge.pattern.repair import suspicions, undoubled, unwrapped


@pytest.mark.parametrize(
    ("text", "body", "repairs"),
    [
        ("^a$", "^a$", ()),
        ("/^a$/", "^a$", ("delimiters",)),
        ("/^a/", "^a", ("delimiters",)),
        ("/a$/", "a$", ("delimiters",)),
        ("/a\\$/", "/a\\$/", ()),
        ("/a\\\\$/", "a\\\\$", ("delimiters",)),
        ("/\\d+/g", "\\d+", ("delimiters",)),
        ("/[/]+/g", "[/]+", ("delimiters",)),
        ("/a\\/b/g", "a\\/b", ("delimiters",)),
        ("/api/users/", "/api/users/", ()),
        ("/api/users/i", "/api/users/i", ()),
        ("/^https?://x$/", "^https?://x$", ("delimiters",)),
        ("//", "//", ()),
        ("```regex\n^a$\n```", "^a$", ("fence",)),
        ("```\n^a$```", "^a$", ("fence",)),
        ("```^a$```", "^a$", ("fence",)),
        ("`^a$`", "^a$", ("fence",)),
        ("a`b", "a`b", ()),
        ("r'a'", "a", ("quotes",)),
        ('r"a\\"b"', 'a\\"b', ("quotes",)),
        ("r'a'b'", "r'a'b'", ()),
        ("'^a$'", "^a$", ("quotes",)),
        ('"a"', '"a"', ()),
        ("`r'/^a$/'`", "^a$", ("fence", "quotes", "delimiters")),
    ],
)
def test_wrapping(text: str, body: str, repairs: tuple[str, ...]) -> None:
    """A fence, quotes and slashes come off by the rules of REGEX.md; a path pattern keeps its slashes."""
    found = unwrapped(text)
    assert (found.body, found.repairs) == (body, repairs)


def test_flags_of_a_literal() -> None:
    """The flags that change a verdict are kept; g, u, v, y, d change none."""
    assert unwrapped("/a/gimuy").flags == {"i", "m"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("^\\d$", ()),
        ("^\x08d$", ("control_char",)),
        ("^a\n\tb$", ()),
        ("^\\\\d{3}$", ("overescaped_suspected",)),
        ("^\\d\\\\.$", ()),
        ("^C:\\\\dir\\\\[^\\\\]+$", ()),
        ("[A-z]", ("wide_range",)),
    ],
)
def test_suspicions(text: str, found: tuple[str, ...]) -> None:
    """What looks damaged is named, never changed."""
    assert suspicions(text) == found


def test_doubled_backslashes() -> None:
    """Backslashes are halved only where all of them are doubled."""
    assert undoubled("^\\\\d\\\\.$") == "^\\d\\.$"
    assert undoubled("^\\d$") is None
    assert undoubled("^\\\\d\\s$") is None
