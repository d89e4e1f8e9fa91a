"""Which Unicode properties are read, under which names. It must never read a name that the dialects read differently.

General categories by short and long name (UAX #44, table of General_Category values), scripts by the long names of
UAX #24 that RE2 knows. Java's own names (`\\p{Alnum}`) are ASCII; `Alpha`, `Lower`, `Upper` are ASCII in Java and
Unicode elsewhere, blocks (`InGreek`, .NET's `IsGreek`) differ everywhere: neither is read.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from guardrail.judge.pattern.charset import ASCII_END, POSIX, normal
from guardrail.judge.pattern.tree import Property, Ranges

_CATEGORIES = {
    "L": "Letter", "Lu": "Uppercase_Letter", "Ll": "Lowercase_Letter", "Lt": "Titlecase_Letter",
    "Lm": "Modifier_Letter", "Lo": "Other_Letter",
    "M": "Mark", "Mn": "Nonspacing_Mark", "Mc": "Spacing_Mark", "Me": "Enclosing_Mark",
    "N": "Number", "Nd": "Decimal_Number", "Nl": "Letter_Number", "No": "Other_Number",
    "P": "Punctuation", "Pc": "Connector_Punctuation", "Pd": "Dash_Punctuation", "Ps": "Open_Punctuation",
    "Pe": "Close_Punctuation", "Pi": "Initial_Punctuation", "Pf": "Final_Punctuation", "Po": "Other_Punctuation",
    "S": "Symbol", "Sm": "Math_Symbol", "Sc": "Currency_Symbol", "Sk": "Modifier_Symbol", "So": "Other_Symbol",
    "Z": "Separator", "Zs": "Space_Separator", "Zl": "Line_Separator", "Zp": "Paragraph_Separator",
    "C": "Other", "Cc": "Control", "Cf": "Format", "Co": "Private_Use",
}  # fmt: skip
_SCRIPTS = frozenset(
    """Arabic Armenian Balinese Bengali Bopomofo Braille Canadian_Aboriginal Cherokee Common Coptic Cyrillic Devanagari
    Ethiopic Georgian Glagolitic Gothic Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Inherited Javanese Kannada
    Katakana Khmer Lao Latin Limbu Malayalam Mongolian Myanmar Nko Ogham Oriya Runic Sinhala Sundanese Syriac Tagalog
    Tamil Telugu Thaana Thai Tibetan Tifinagh Vai Yi""".split()  # noqa: SIM905  # a list of words reads best as words
)
_BY_NAME = {long: short for short, long in _CATEGORIES.items()} | {short: short for short in _CATEGORIES}
_JAVA_ASCII = {
    name: POSIX[name.lower()] for name in ("Alnum", "Digit", "Punct", "Graph", "Print", "Blank", "Cntrl", "Space")
} | {"XDigit": POSIX["xdigit"], "ASCII": POSIX["ascii"]}
_CATEGORY_KEYS = frozenset(["gc", "General_Category"])
_SCRIPT_KEYS = frozenset(["sc", "Script"])


def named(name: str) -> tuple[Property, ...] | Ranges | None:
    """What a name between `\\p{` and `}` stands for: properties, ASCII ranges, or null when it isn't read."""
    key, equals, value = name.partition("=")
    if equals:
        return _assigned(key, value)
    if name in _BY_NAME:
        return (Property(_BY_NAME[name]),)
    if name in _SCRIPTS:
        return (Property(name),)
    if name in ("L&", "LC"):
        return (Property("Lu"), Property("Ll"), Property("Lt"))
    return _JAVA_ASCII.get(name)


def _assigned(key: str, value: str) -> tuple[Property, ...] | None:
    if key in _CATEGORY_KEYS and value in _BY_NAME:
        return (Property(_BY_NAME[value]),)
    return (Property(value),) if key in _SCRIPT_KEYS and value in _SCRIPTS else None


@lru_cache(maxsize=256)
def ascii_part(asked: Property) -> Ranges:
    """The ASCII characters that have a property. These will never change: Unicode's stability policy."""
    codes = (code for code in range(ASCII_END + 1) if _has(asked.name, chr(code)) != asked.negated)
    return normal((code, code) for code in codes)


def _has(name: str, char: str) -> bool:
    if name in _SCRIPTS:
        return name == ("Latin" if char.isalpha() else "Common")
    return unicodedata.category(char).startswith(name)
