"""A value as each hint supposes it."""

from __future__ import annotations

from guardrail.judge.pattern.hints import ALTERED_VALUES


def test_a_plain_value_is_altered_by_none() -> None:
    """An ordinary value stays the same under every supposition."""
    assert {name: altered("AB-12") for name, altered in ALTERED_VALUES} == dict.fromkeys(dict(ALTERED_VALUES), "AB-12")


def test_each_supposition_changes_one_thing() -> None:
    """Digits, spaces, invisible characters, line ends and outer blanks are each rewritten alone."""
    altered = {name: change(" \uff11\u00a0\u00e9\u200b2\r\n") for name, change in ALTERED_VALUES}
    assert altered == {
        "trailing_newline": " \uff11\u00a0\u00e9\u200b2",
        "surrounding_space": "\uff11\u00a0\u00e9\u200b2",
        "unicode_digits": " 1\u00a0\u00e9\u200b2\r\n",
        "unicode_space": " \uff11 \u00e9\u200b2  ",
        "invisible_chars": " \uff11\u00a0\u00e92\r\n",
    }
