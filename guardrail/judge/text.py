"""Text seen as words: folding, tokens, sentences, numbers. It must never guess what a text means.

All patterns here are single character classes or fixed words, so each pass over a text is linear.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from typing import TypeVar

INVISIBLE = "\u00ad\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

_APOSTROPHES = "’‘ʼ`´"
_DROP_INVISIBLE = {ord(c): None for c in INVISIBLE + BIDI}
_INVISIBLE = re.compile(f"[{INVISIBLE}{BIDI}]")
_WORD = re.compile(r"[^\W_]+(?:[.,:/%][0-9]+)*%?|[€$£]")
_PLAIN_WORD = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NUMBER = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|(?<![*#0-9])(?<![0-9][.,:/])[0-9]++(?:[.,:/][0-9]++)*+(?![#*])")
_MARK = re.compile(r"[.!?…;\n\r]")
_SENTENCE_END = re.compile(r"(?:(?<![.!?…])[.!?…]++[\"'»”)\]]*+|;)(?=\s|$)|[\n\r]+|[?!](?=[A-ZÀ-Ý¿¡])")
"""Where a sentence ends, tried at each mark."""
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|p\.ej|p|ex|dr|dra|mr|mrs|ms|sr|sra|st|no|n|vs|etc|approx|env)\.$", re.IGNORECASE
)

_SUFFIXES = ("ations", "ation", "aciones", "acion", "ements", "ement", "ings", "ing", "ed", "es", "s", "er", "ar", "ir")


def strip_accents(text: str) -> str:
    """The text without combining marks: é -> e, ñ -> n."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFD", text)
    for char in set(text):
        if not char.isascii() and unicodedata.combining(char):
            text = text.replace(char, "")
    return text


T = TypeVar("T")
SHORT_CHARS = 512
"""A longer text is read anew each time: thousands of them would fill the memory with users' words."""


def cached_if_short(function: Callable[[str], T]) -> Callable[[str], T]:
    """Remember what a pure function gives for short texts, the latest 4,096 of them."""
    remembered = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def call(text: str) -> T:
        return remembered(text) if len(text) <= SHORT_CHARS else function(text)

    return call


@cached_if_short
def plain(text: str) -> str:
    """Lower case, no accents, straight apostrophes, compatibility forms resolved, invisible characters gone."""
    if not text.isascii():
        for apostrophe in _APOSTROPHES:
            text = text.replace(apostrophe, "'")
        text = visible(unicodedata.normalize("NFKC", text))
    return strip_accents(text.lower())


def fold(text: str) -> str:
    """The words alone, single-spaced: case, accents, blanks and punctuation put aside."""
    return spaced(plain(text))


def spaced(text: str) -> str:
    """The words of a plain text, single-spaced."""
    return " ".join(_PLAIN_WORD.findall(text))


def name_key(name: str) -> str:
    """A catalogue name as letters and digits alone: `Book_Room`, `book room` and `BookRoom` share it."""
    return "".join(_PLAIN_WORD.findall(plain(name)))


def name_words(name: str) -> tuple[str, ...]:
    """The words of an identifier or label: `bookingId`, `Booking_id` -> (booking, id)."""
    return tuple(_PLAIN_WORD.findall(plain(_CAMEL.sub(" ", name).replace("_", " "))))


def words(text: str) -> list[str]:
    """Tokens of a text: words, and numbers with their inner signs (19.90, 10:30, 24/12/2026)."""
    return _WORD.findall(plain(text))


def numbers(text: str) -> list[str]:
    """The figures of a text in a form that can be compared: 4,200 and 4 200 -> 4200; 19,90 -> 19.90; 05 stays 05.

    What a keypad would be told (*123#, #2) is a label, no figure.
    """
    joined = re.sub(r"(?<=[0-9])[\u00a0\u202f ](?=[0-9]{3}(?![0-9]))", "", text)
    return [canonical_number(m.group()) for m in _NUMBER.finditer(joined)]


def canonical_number(token: str) -> str:
    """One figure without thousands separators, with a decimal point, without idle zeros behind it."""
    if re.fullmatch(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?", token):
        token = token.replace(",", "")
    elif re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?", token):
        token = token.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[0-9]+,[0-9]{1,2}", token):
        token = token.replace(",", ".")
    if re.fullmatch(r"[0-9]+\.[0-9]+", token):
        token = token.rstrip("0").rstrip(".")
    return token


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word cut to what its inflections share in en, fr and es: light suffix stripping, seven characters at most."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            if suffix in {"ed", "ing"} and word[-1] == word[-2] and word[-1] not in "aeiouse":
                word = word[:-1]  # cancelled, planning
            break
    if len(word) > 3 and word[-1] in "eoa":
        word = word[:-1]
    return word[:7]


def sentences(text: str, *, clauses: bool = True) -> tuple[tuple[int, int], ...]:
    """The (start, end) spans of the sentences, in order. Together they hold every character but the blanks between.

    `clauses`: a semicolon ends one too.
    """
    return tuple(_spans(text, clauses=clauses))


def _spans(text: str, *, clauses: bool) -> Iterator[tuple[int, int]]:
    start = at = 0
    while mark := _MARK.search(text, at):
        match = _SENTENCE_END.match(text, mark.start())
        at = mark.end() if match is None else match.end()
        if match is None:
            continue
        if match.group() == "." and _ABBREVIATION.search(text, max(start, match.end() - 10), match.end()):
            continue
        if match.group() == ";" and not clauses:
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end


def visible(text: str) -> str:
    """The text without invisible and reordering characters."""
    return text.translate(_DROP_INVISIBLE) if _INVISIBLE.search(text) else text


def composed(text: str) -> str:
    """The text as it is compared: accents composed, invisible characters gone."""
    return text if text.isascii() else unicodedata.normalize("NFC", visible(text))


def printable(text: str) -> str:
    """The text with lone surrogates, which no encoding carries, put as U+FFFD."""
    if text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
