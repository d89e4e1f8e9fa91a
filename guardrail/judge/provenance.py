"""Where a value comes from: are these the user's own words?

It must never change a value, nor ask whether it matches anything.

The value must be whole tokens of the user's message, or differ from them only as the policy's `normalise` allows
(CONTRACT §5).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from guardrail.judge.dates import dates_in
from guardrail.judge.numerals import joined
from guardrail.judge.pattern.hints import with_ascii_digits
from guardrail.judge.policy import Parameter
from guardrail.judge.text import cached_if_short, fold, name_key, plain, visible

_INNER_SIGNS = "-_/+@&"
"""Signs that join letters and digits into one token; `.`, `,` and `:` join digits alone."""
_DIGIT_SIGNS = ".,:"
_OCCURRENCES_MAX = 1_000
"""A value that stands in so many longer tokens isn't looked for any further."""
_WORDS_MAX = 64
"""Most words of a message that are tried as one spoken or spaced value."""


class Origin(StrEnum):
    """How a value stands to the user's words."""

    VERBATIM = "verbatim"
    ALLOWED = "allowed"
    HISTORY = "history"
    CUT_FROM_TOKEN = "cut_from_token"  # noqa: S105  # a token of a message
    CASE_ALTERED = "case_altered"
    UNICODE_ALTERED = "unicode_altered"
    """Width, accents, digits of another script, or invisible characters."""
    SPACING_OR_PUNCTUATION_ALTERED = "spacing_or_punctuation_altered"
    REWRITTEN = "rewritten"
    """A date or telephone number in another notation."""
    ABSENT = "absent"


ALTERED = frozenset(
    {Origin.CASE_ALTERED, Origin.UNICODE_ALTERED, Origin.SPACING_OR_PUNCTUATION_ALTERED, Origin.REWRITTEN}
)
"""Made of the user's words by a change that nobody allowed."""


class Provenance(msgspec.Struct, frozen=True, gc=False):
    """Where a value was found.

    `option`: the normalisation that allows it. `invisible` marks invisible characters in it or in the words that it
    comes from.
    """

    origin: Origin
    option: str = ""
    invisible: bool = False


def trace(value: str, message: str, parameter: Parameter, history: tuple[str, ...]) -> Provenance:
    """The provenance of a value. Linear in the message for each allowed difference."""
    if not value or stands_whole(value, message):
        return Provenance(Origin.VERBATIM, invisible=visible(value) != value)
    if option := _allowed(value, message, parameter):
        return Provenance(Origin.ALLOWED, option)
    if "history" in parameter.normalise and any(
        stands_whole(value, turn) or _allowed(value, turn, parameter) for turn in history
    ):
        return Provenance(Origin.HISTORY, "history")
    if value in message:
        return Provenance(Origin.CUT_FROM_TOKEN)
    shown = visible(value)
    if shown and shown in visible(message):
        return Provenance(Origin.UNICODE_ALTERED, invisible=True)
    return Provenance(_altered(value, message))


def stands_whole(value: str, message: str) -> bool:
    """Whether the value occurs in the message as whole tokens: not as a piece of a longer word, number or code.

    A blank one stands nowhere.
    """
    start = message.find(value) if value else -1
    for _ in range(_OCCURRENCES_MAX):
        if start < 0:
            return False
        end = start + len(value)
        before, after = message[start - 1 : start], message[end : end + 1]
        begins = not before or before.isspace() or _edge(message, start, -1)
        if begins and (not after or after.isspace() or _edge(message, end, +1)):
            return True
        start = message.find(value, start + 1)
    return False


def _edge(message: str, position: int, step: int) -> bool:
    """Whether a token may begin (step -1) or end (step +1) at this position."""
    inside = position if step < 0 else position - 1
    outside = position - 1 if step < 0 else position
    edge, next_char = message[inside], message[outside]
    if not edge.isalnum():
        return True
    if next_char.isalnum() or unicodedata.combining(next_char):
        return False
    beyond = outside + step
    after = message[beyond] if 0 <= beyond < len(message) else ""
    if next_char in _INNER_SIGNS:
        return not (after.isalnum() or (step < 0 and next_char in "+-" and edge.isdigit() and not after.strip()))
    return not (next_char in _DIGIT_SIGNS and edge.isdigit() and after.isdigit())


def _allowed(value: str, message: str, parameter: Parameter) -> str:
    """The normalisation that the policy allows and that explains the value; "" when none does."""
    options = parameter.normalise
    if "synonyms" in options and any(
        meaning == value and f" {word} " in f" {fold(message)} " for word, meaning in parameter.synonyms.items()
    ):
        return "synonyms"
    for option, spelled in (("upper", message.upper()), ("lower", message.lower()), ("trim", message)):
        if option in options and stands_whole(value.strip() if option == "trim" else value, spelled):
            return option
    cased = message.upper() if "upper" in options else message.lower() if "lower" in options else message
    if "collapse_spaces" in options and value in _joined_runs(cased, len(value)):
        return "collapse_spaces"
    if "spoken_digits" in options and value in _runs(_spoken_tokens(plain(message)), len(value)):
        return "spoken_digits"
    if "date_iso" in options and value in dates_in(message):
        return "date_iso"
    return ""


_TOKEN = re.compile(r"[^\s]+")


def _joined_runs(message: str, length: int) -> Iterator[str]:
    """Runs of whole tokens with the blanks between them taken out, up to the value's length."""
    tokens = [token.strip(".,;:!?()\"'«»") for token in _TOKEN.findall(visible(message))][:_WORDS_MAX]
    return _runs(tokens, length)


def _runs(tokens: Sequence[str], length: int) -> Iterator[str]:
    """Runs of neighbouring tokens, joined; never a piece of a longer run of digits."""
    for start in range(len(tokens)):
        joined = ""
        for end in range(start, len(tokens)):
            joined += tokens[end]
            if len(joined) >= length:
                if not (_digits(tokens, start - 1) and _digits(tokens, start)) and not (
                    _digits(tokens, end) and _digits(tokens, end + 1)
                ):
                    yield joined
                break


def _digits(tokens: Sequence[str], position: int) -> bool:
    return 0 <= position < len(tokens) and tokens[position].isdecimal()


_TIMES = {"double": 2, "doble": 2, "triple": 3}


@cached_if_short
def _spoken_tokens(message: str) -> tuple[str, ...]:
    """The message's words as digits where they spell a number; a blank where they don't."""
    tokens: list[str] = []
    repeat = 1
    for word, number in joined(re.findall(r"[^\W_]+", message)[:_WORDS_MAX]):
        if word in _TIMES:
            repeat = _TIMES[word]
            continue
        spelled = word if word.isdecimal() else " " if number is None else str(number)
        tokens += [spelled] * repeat
        repeat = 1
    return tuple(tokens)


def _altered(value: str, message: str) -> Origin:
    """What the model did to the user's words to get the value: the smallest change that explains it."""
    if value.casefold() in message.casefold():
        return Origin.CASE_ALTERED
    if (meant := plain(with_ascii_digits(value))) and meant in plain(with_ascii_digits(message)):
        return Origin.UNICODE_ALTERED
    if (key := name_key(value)) and key in name_key(message):
        return Origin.SPACING_OR_PUNCTUATION_ALTERED
    if set(dates_in(value)) & set(dates_in(message, both_orders=True)):
        return Origin.REWRITTEN
    digits = _digits_of(value)
    if len(digits) >= _PHONE_DIGITS_MIN and digits[-_PHONE_DIGITS_MIN:] in _digits_of(message):
        return Origin.REWRITTEN
    return Origin.ABSENT


_PHONE_DIGITS_MIN = 8
"""So many last digits in common: the same telephone number, with another prefix."""


def _digits_of(text: str) -> str:
    return re.sub(r"[^0-9]", "", text)
