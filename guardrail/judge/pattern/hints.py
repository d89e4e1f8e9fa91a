"""How a value could differ and match after all. It must never be asked before a mismatch: hints change no verdict."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

_INVISIBLE = dict.fromkeys([0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x206A), 0xFEFF])


def without_newline(value: str) -> str:
    """The value without one final line end."""
    return value.removesuffix("\n").removesuffix("\r")


def with_ascii_digits(value: str) -> str:
    """The value with every decimal digit of another script written in ASCII."""
    if value.isascii():
        return value
    return "".join(char if char.isascii() or not char.isdecimal() else str(unicodedata.decimal(char)) for char in value)


def with_ascii_spaces(value: str) -> str:
    """The value with every other kind of space written as a blank."""
    return value if value.isascii() else "".join(" " if char.isspace() else char for char in value)


def without_invisible(value: str) -> str:
    """The value without characters that show as nothing."""
    return value if value.isascii() else value.translate(_INVISIBLE)


ALTERED_VALUES: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("trailing_newline", without_newline),
    ("surrounding_space", str.strip),
    ("unicode_digits", with_ascii_digits),
    ("unicode_space", with_ascii_spaces),
    ("invisible_chars", without_invisible),
)
"""The hint, and the value as it supposes it."""
