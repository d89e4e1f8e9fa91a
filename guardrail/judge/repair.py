"""Reads JSON as models write it: one pass, every token kept, each repair a finding. Never guesses a value or a string.

Repaired are separators, closers, quote marks, comments, escapes and the spelling of literals, and only where a single
reading is left. Everything else is Broken: a shorter answer or an invented value would look like a good response.
Bounds: linear in the text; recursion by the depth allowed; at most FIXES_MAX repairs of a kind are listed.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import msgspec

from guardrail.judge.jsontext import FAMILIES, STRAIGHT, Quotes, pointer, same
from guardrail.judge.model import Finding

FIXES_MAX = 8
"""How many repairs of a kind are worth telling."""
DOUBLED_MAX = 64
"""With more keys given twice than this (beside other repairs) nothing can be relied on."""
NUMBER_CHARS_MAX = 1_000
"""Longer numbers are no data, and Python's int() takes quadratic time over them."""


class Read(msgspec.Struct, frozen=True):
    """A value, where it ends in the text, what was repaired, and the pointers of keys given twice with two values."""

    value: Any
    end: int
    fixes: tuple[Finding, ...] = ()
    ambiguous: frozenset[str] = frozenset()


class Broken(msgspec.Struct, frozen=True):
    """What could be read only by guessing: the findings say why, the fatal ones among them at least one."""

    findings: tuple[Finding, ...]


def read_value(text: str, start: int, stop: int, levels: int) -> Read | Broken:
    """The value that begins at `start`; the text ends at `stop`."""
    reader = _Reader(text, stop, levels)
    try:
        value, end = reader.value(start, 0)
    except _UnreadableError as reason:
        return Broken((*reader.told(), *(Finding(code, "", reason.detail, fatal=True) for code in reason.codes)))
    return Read(value, end, reader.told(), frozenset(reader.ambiguous))


class _UnreadableError(Exception):
    """Raised and caught in this module alone: nothing is left but a guess."""

    def __init__(self, detail: str, *codes: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.codes = codes


_CUT = "syntax.truncated"
_SPACE = re.compile(r"[ \t\n\r]*+")
_ODD_SPACE = re.compile("[\x0b\x0c\x85\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]++")
_COMMENT = re.compile(r"(?P<line>(?://|#)[^\n\r]*+)|/\*(?s:.*?)\*/")
_SWALLOWED_KEY = re.compile("[\"'“”][ \t]*:")
_NAME = re.compile(r"[^\W\d][\w$]{0,63}+|\$[\w$]{0,63}+")
_WORD = re.compile("[^\\s,:;{}\\[\\]()\"'`“”„‟‘’‚‛/#\x00-\x1f]++")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?P<real>(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_ALMOST_NUMBER = re.compile(r"[+-]?\.?[0-9]")
_NONFINITE = re.compile(r"[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None}
_PYTHON_LITERALS: dict[str, Any] = {"True": True, "False": False, "None": None}
_CUT_WORDS = frozenset(word[:end] for word in (*_LITERALS, *_PYTHON_LITERALS) for end in range(1, len(word))) | {"-"}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_STRAY_CODES = {
    "string": "syntax.unescaped_quote",
    "number": "syntax.leading_zero_number",
    "closer": "syntax.missing_closer",
}
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_LOW_HALF = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_LETTER = re.compile(r"[^\W_]")
_CURLY_END = re.compile("[“”„][ \t\r\n]*+(?:[,:}\\]]|$)")
_CURLY_AT_END = re.compile("[“”„][ \t\r\n}\\]]*+$")
_COMPLETE_STRING = re.compile('"(?:[^"\\\\]++|\\\\.)*+"|“[^“”„"\\\\]*+”|‘[^‘’\'"\\\\]*+’|\'[^\'"\\\\]*+\'', re.DOTALL)


class _Reader:
    """The state of one pass. Every method takes a position and gives back what it read and the position after it."""

    __slots__ = ("_counts", "_fixes", "_last", "_levels", "_path", "_stop", "_text", "ambiguous")

    def __init__(self, text: str, stop: int, levels: int) -> None:
        self._text = text
        self._stop = stop
        self._levels = levels
        self._path: list[str | int] = []
        self._fixes: dict[tuple[str, str], Finding] = {}
        self._counts: Counter[str] = Counter()
        self._last = ""
        """The kind of the token read last: `string`, `number`, `word` or `closer`. It says what may follow."""
        self.ambiguous: set[str] = set()

    def told(self) -> tuple[Finding, ...]:
        """The repairs so far."""
        return tuple(self._fixes.values())

    def value(self, start: int, depth: int) -> tuple[Any, int]:
        """The value that begins here."""
        mark = self._mark(start)
        if mark == "{":
            return self._object(start, depth)
        if mark == "[":
            return self._array(start, depth)
        if mark in FAMILIES:
            return self._string(start, ",}]")
        if mark == "" or mark in ",:}]":
            raise _UnreadableError(f"a value is missing at character {start}", _CUT)
        return self._word(start)

    def _object(self, start: int, depth: int) -> tuple[dict[str, Any], int]:
        self._descend(start, depth)
        members: dict[str, Any] = {}
        doubled: dict[str, bool] = {}
        pos = self._blank(start + 1)
        more = self._mark(pos) != "}"
        if not more:
            pos += 1
        while more:
            key, pos = self._key(pos)
            self._path.append(key)
            value, pos = self.value(self._blank(pos), depth + 1)
            self._path.pop()
            if key in members:
                doubled[key] = doubled.get(key, False) or not same(members[key], value)
            else:
                members[key] = value
            pos, more = self._after(pos, "}")
        self._last = "closer"
        return self._without_doubtful(members, doubled), pos

    def _without_doubtful(self, members: dict[str, Any], doubled: dict[str, bool]) -> dict[str, Any]:
        """Tell of keys given twice. With one value it is kept; with two neither may be used."""
        for key, differs in doubled.items():
            place = pointer((*self._path, key))
            self._fixes["types.duplicate_key", place] = Finding("types.duplicate_key", place, fatal=differs)
            if differs:
                self.ambiguous.add(place)
                del members[key]
            if len(self._fixes) > DOUBLED_MAX:
                raise _UnreadableError("too many keys are given twice", "types.duplicate_key")
        return members

    def _array(self, start: int, depth: int) -> tuple[list[Any], int]:
        self._descend(start, depth)
        items: list[Any] = []
        pos = self._blank(start + 1)
        more = self._mark(pos) != "]"
        if not more:
            pos += 1
        while more:
            self._path.append(len(items))
            item, pos = self.value(pos, depth + 1)
            self._path.pop()
            items.append(item)
            pos, more = self._after(pos, "]")
        self._last = "closer"
        return items, pos

    def _descend(self, start: int, depth: int) -> None:
        if depth >= self._levels:
            raise _UnreadableError(f"deeper than {self._levels} at character {start}", "limits.too_deep")

    def _key(self, start: int) -> tuple[str, int]:
        """A key and the position after its colon."""
        mark = self._mark(start)
        if mark in FAMILIES:
            key, end = self._string(start, ":")
            if self._mark(pos := self._blank(end)) != ":":
                raise self._stray(start, pos)
            return key, pos + 1
        name = _NAME.match(self._text, start, self._stop)
        if name and self._mark(pos := self._blank(name.end())) == ":":
            self._fix("syntax.unquoted_key", start)
            return name[0], pos + 1
        if mark == "" or mark in ",:]}" or (name and name.end() == self._stop):
            raise _UnreadableError(f"a member is missing at character {start}", _CUT)
        if self._last == "number" and mark.isdigit():
            raise _UnreadableError(f"a number in two parts at character {start}", "syntax.leading_zero_number")
        raise _UnreadableError(f"no key at character {start}", self._stray_code())

    def _after(self, end: int, closer: str) -> tuple[int, bool]:
        """What follows a finished value: the position of the next member, or the one after the closer."""
        pos = self._blank(end)
        mark = self._mark(pos)
        if mark == closer:
            return pos + 1, False
        if mark == ",":
            following = self._blank(pos + 1)
            if self._mark(following) != closer:
                return following, True
            self._fix("syntax.trailing_comma", pos)
            return following + 1, False
        if mark == "":
            if closer == "]" or self._last == "number":
                raise _UnreadableError(f"the text ends at character {pos}", _CUT)
            self._fix("syntax.missing_closer", pos)
            return pos, False
        if mark in "}]" or (mark == ":" and closer == "]"):
            raise _UnreadableError(f"a list or object isn't closed at character {pos}", _CUT)
        if self._only_comma_missing(end, pos, closer):
            self._fix("syntax.missing_comma", pos)
            return pos, True
        raise self._stray(end, pos)

    def _only_comma_missing(self, end: int, pos: int, closer: str) -> bool:
        """Whether a whole member begins here, apart from the last: nothing but its comma was left out."""
        if pos == end and self._last != "closer":
            return False
        if closer == "]" and self._mark(pos) in "{[":
            return self._last == "closer"
        string = _COMPLETE_STRING.match(self._text, pos, self._stop)
        if not string:
            return False
        mark = self._mark(_past(_SPACE, self._text, string.end(), self._stop))
        return mark == ":" if closer == "}" else mark != "" and mark in ',]"'

    def _stray(self, start: int, pos: int) -> _UnreadableError:
        """Why what stands at `pos`, after a finished token that began or ended at `start`, can't be read."""
        if self._mark(pos) == "":
            return _UnreadableError(f"the text ends at character {pos}", _CUT)
        codes = ["syntax.unescaped_quote" if self._mark(pos) == '"' else self._stray_code()]
        if self._last == "string" and _CURLY_END.search(self._text, max(0, start - 400), pos):
            codes.insert(0, "syntax.smart_quotes")
        return _UnreadableError(f"stray text at character {pos}", *codes)

    def _stray_code(self) -> str:
        """Text after a string may belong to it; after a number it makes another; after a closer one is missing."""
        return _STRAY_CODES.get(self._last, "syntax.no_json")

    def _word(self, start: int) -> tuple[Any, int]:
        """A number or a literal."""
        match = _WORD.match(self._text, start, self._stop)
        word = match[0] if match else self._mark(start)
        end = start + len(word)
        self._last = "word"
        if word in _LITERALS:
            return _LITERALS[word], end
        if word in _PYTHON_LITERALS:
            self._fix("syntax.python_literals", start)
            return _PYTHON_LITERALS[word], end
        if number := _NUMBER.fullmatch(word):
            self._last = "number"
            return self._number(word, number["real"], start), end
        raise _UnreadableError(f"no value at character {start}", self._word_code(word, end))

    def _word_code(self, word: str, end: int) -> str:
        if end == self._stop and word in _CUT_WORDS:
            return _CUT
        if _NONFINITE.fullmatch(word):
            return "syntax.nonfinite_number"
        return "syntax.leading_zero_number" if _ALMOST_NUMBER.match(word) else "syntax.no_json"

    def _number(self, word: str, real: str, start: int) -> int | float:
        if len(word) > NUMBER_CHARS_MAX:
            raise _UnreadableError(f"a number of {len(word)} characters at character {start}", "types.big_int")
        if not real:
            return int(word)
        value = float(word)
        if value in (float("inf"), float("-inf")):
            raise _UnreadableError(f"beyond all bounds at character {start}", "syntax.nonfinite_number")
        return value

    def _string(self, start: int, structural: str) -> tuple[str, int]:
        """A string of any quote family and the position after its closing mark."""
        quotes = FAMILIES[self._text[start]]
        parts: list[str] = []
        told: dict[str, int] = {quotes.code: start} if quotes.code else {}
        pos = start + 1
        while True:
            run = _past(quotes.plain, self._text, pos, self._stop)
            parts.append(self._text[pos:run])
            pos = run
            mark = self._mark(pos)
            if mark == "":
                raise self._unclosed(start, quotes)
            if mark == "\\":
                pos = self._escape(pos, quotes, parts, told)
            elif mark < " ":
                if mark != "\x00":
                    told.setdefault("syntax.control_char", pos)
                parts.append(mark)
                pos += 1
            elif self._closes(pos, quotes, structural):
                break
            else:
                parts.append(mark)
                pos += 1
        for code, place in told.items():
            self._fix(code, place)
        self._last = "string"
        return "".join(parts), pos + 1

    def _closes(self, pos: int, quotes: Quotes, structural: str) -> bool:
        """Whether the mark here closes the string; false for an apostrophe inside a word; all else would be a guess."""
        if quotes is STRAIGHT:
            return True
        mark = self._text[pos]
        following = self._mark(_past(_SPACE, self._text, pos + 1, self._stop))
        if mark in quotes.closing and (following in structural if following else structural != ":"):
            return True
        if quotes.apostrophes and mark in "'’" and self._inside_word(pos):
            return False
        raise _UnreadableError(f"a quote inside quotes at character {pos}", quotes.code, "syntax.unescaped_quote")

    def _inside_word(self, pos: int) -> bool:
        sides = self._text[pos - 1], self._mark(pos + 1)
        return all(side and _LETTER.match(side) for side in sides)

    def _unclosed(self, start: int, quotes: Quotes) -> _UnreadableError:
        """A straight quote that only a curly one could close is a guess; else the text was cut."""
        if quotes is STRAIGHT and _CURLY_AT_END.search(self._text, start + 1, self._stop):
            return _UnreadableError(f"no end for character {start}", "syntax.smart_quotes", "syntax.unescaped_quote")
        return _UnreadableError(f"the string at character {start} has no end", _CUT)

    def _escape(self, pos: int, quotes: Quotes, parts: list[str], told: dict[str, int]) -> int:
        """An escape. An unknown one keeps its backslash: doubling it is the only reading (as in `\\d` of a pattern)."""
        mark = self._mark(pos + 1)
        if mark == "":
            raise _UnreadableError(f"the text ends at character {pos}", _CUT)
        if mark == "u":
            return self._unicode_escape(pos, parts)
        if mark in _ESCAPES:
            parts.append(_ESCAPES[mark])
        elif mark in quotes.closing or mark == "'":
            parts.append(mark)
            if mark not in quotes.closing:
                told.setdefault("syntax.invalid_escape", pos)
        elif mark < " ":
            raise _UnreadableError(f"a broken line after a backslash at character {pos}", "syntax.invalid_escape")
        else:
            parts.append("\\" + mark)
            told.setdefault("syntax.invalid_escape", pos)
        return pos + 2

    def _unicode_escape(self, pos: int, parts: list[str]) -> int:
        """A \\uXXXX escape, or a pair of them (RFC 8259 §7); half a pair stays as it is: the survey tells of it."""
        code = _HEX4.match(self._text, pos + 2, self._stop)
        if not code:
            cut = self._stop - pos < 6
            raise _UnreadableError(f"a broken escape at character {pos}", _CUT if cut else "syntax.invalid_escape")
        unit = int(code[0], 16)
        low = _LOW_HALF.match(self._text, pos + 6, self._stop) if 0xD800 <= unit < 0xDC00 else None
        if low:
            parts.append(chr(0x10000 + ((unit - 0xD800) << 10) + int(low[1], 16) - 0xDC00))
            return low.end()
        parts.append(chr(unit))
        return pos + 6

    def _blank(self, pos: int) -> int:
        """The next position that is neither blank nor comment."""
        while True:
            pos = _past(_SPACE, self._text, pos, self._stop)
            mark = self._mark(pos)
            if mark in ("/", "#") and (comment := _COMMENT.match(self._text, pos, self._stop)):
                self._comment(comment)
                pos = comment.end()
            elif mark > "~" and (odd := _ODD_SPACE.match(self._text, pos, self._stop)):
                self._fix("encoding.invisible_chars", pos)
                pos = odd.end()
            elif mark in ("\x0b", "\x0c"):
                self._fix("syntax.control_char", pos)
                pos += 1
            else:
                return pos

    def _comment(self, comment: re.Match[str]) -> None:
        """Accept a comment, unless a lost line break let it swallow what stood on the next line."""
        if comment["line"] is not None and (comment.end() == self._stop or _SWALLOWED_KEY.search(comment[0])):
            raise _UnreadableError(f"a comment without an end at character {comment.start()}", _CUT)
        self._fix("syntax.comment", comment.start())

    def _fix(self, code: str, pos: int) -> None:
        """Note a repair, once for each code and place; of a flood, the first few."""
        self._counts[code] += 1
        if self._counts[code] > FIXES_MAX:
            return
        place = pointer(self._path)
        self._fixes.setdefault((code, place), Finding(code, place, f"at character {pos}"))

    def _mark(self, pos: int) -> str:
        """The character here, "" at the end."""
        return self._text[pos] if pos < self._stop else ""


def _past(pattern: re.Pattern[str], text: str, pos: int, stop: int) -> int:
    """The position after what the pattern matches here."""
    match = pattern.match(text, pos, stop)
    return match.end() if match else pos
