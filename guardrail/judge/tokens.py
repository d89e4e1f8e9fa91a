"""A text as tokens with their places: words, figures, signs and the marks between them.

It must never lose where a token stands: corrections cut by these offsets.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from guardrail.judge.lexicon.figures import ABBREVIATIONS
from guardrail.judge.lexicon.words import word_set
from guardrail.judge.text import cached_if_short, canonical_number, plain, stem

_TOKEN = re.compile(
    r"[0-9]+(?:[.,:/][0-9]+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[%€£$]|[,;:()–—.!?\n«»\"“”]"  # single classes: linear
)
_GROUP_BLANKS = "\u00a0\u202f "
_OPENS = frozenset(".!?\n:")
_OWN_NEGATIONS = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
}
_PARTED_NEGATION = "n't"
"""As some writers part it: "do n't"."""
_ACCENTED = {"très": "bien"}
"""Words that without their accent would be others: très isn't the Spanish three."""
_TAILS = frozenset({"s", "re", "ve", "ll", "d", "m"})
_ELISIONS = word_set("l d qu n s j c m t jusqu lorsqu puisqu quelqu presqu")


class Token(msgspec.Struct, frozen=True, gc=False):
    """A word, figure, sign or mark. `start` and `end` are character offsets into the text."""

    text: str
    """The plain form: lower case, no accents; a figure in its canonical form."""
    start: int
    end: int
    kind: str
    """`w` word, `n` figure, `s` sign (% and currencies), `p` punctuation."""
    capital: bool
    """Whether it is capitalised although no sentence begins with it: a name, most likely."""
    stem: str


_Piece = tuple[str, str, int]


@lru_cache(maxsize=65536)
def _written(word: str) -> tuple[tuple[_Piece, ...], bool, bool]:
    """The pieces of a word, whether it begins with a capital, and whether it has one behind its elision: l'Eau."""
    return _pieces(word), word[0].isupper(), len(word) > 2 and word[1] in "'’" and word[2].isupper()


def _pieces(word: str) -> tuple[_Piece, ...]:
    """A word with its elisions cut, each piece with its stem and its length as written: l'eau -> l', eau."""
    folded = plain(_ACCENTED.get(word.lower(), word))
    if folded == _PARTED_NEGATION:
        return (("not", "not", len(word)),)
    negation = _OWN_NEGATIONS.get(folded)
    if negation is None and folded.endswith("n't") and len(folded) > len("n't"):
        negation = (folded[:-3], "not")
    if negation is not None:
        verb, denial = negation
        return ((verb, stem(verb), len(word) - 3), (denial, stem(denial), 3))
    head, _, tail = folded.partition("'")
    if tail and head in _ELISIONS:
        return ((head, stem(head), len(head) + 1), *_pieces(word[len(head) + 1 :]))
    whole = head if tail in _TAILS else folded.replace("'", "")
    return ((whole, stem(whole), len(word)),)


@cached_if_short
def tokenise(text: str) -> tuple[Token, ...]:
    """The tokens of a text, in order. Linear in its length."""
    tokens: list[Token] = []
    capitals: list[int] = []
    opening = True
    for match in _TOKEN.finditer(text):
        found, start = match[0], match.start()
        if found[0].isalpha():
            pieces, upper, elided = _written(found)
            capital = elided or (upper and not opening)
            for part, cut, length in pieces:
                if capital:
                    capitals.append(len(tokens))
                tokens.append(Token(part, start, start + length, "w", capital, cut))
                start += length
            opening = False
        elif found[0].isdecimal():
            _add_figure(tokens, text, found, start)
            opening = False
        elif found in "%€£$":
            tokens.append(Token(found, start, start + 1, "s", False, found))
            opening = False
        else:
            opening = opening or _opens(tokens, found)
            tokens.append(Token(found, start, match.end(), "p", False, found))
    _mark_first_names(tokens, capitals, text)
    return tuple(tokens)


def _add_figure(tokens: list[Token], text: str, found: str, start: int) -> None:
    """A figure; three digits behind a blank go on with the thousands before it: 1 600."""
    before = tokens[-1] if tokens else None
    if (
        before is not None
        and before.kind == "n"
        and before.end == start - 1
        and text[start - 1] in _GROUP_BLANKS
        and len(found) == 3
        and before.text.isdecimal()
        and len(before.text) <= 3
    ):
        tokens[-1] = Token(before.text + found, before.start, start + 3, "n", False, before.text + found)
        return
    value = canonical_number(found)
    tokens.append(Token(value, start, start + len(found), "n", False, value))


def _opens(tokens: list[Token], mark: str) -> bool:
    """Whether a mark ends a sentence, so that the next capital says nothing: not behind Dr or Mme."""
    return mark in _OPENS and not (mark == "." and tokens and tokens[-1].text in ABBREVIATIONS)


def _mark_first_names(tokens: list[Token], capitals: list[int], text: str) -> None:
    """A name that opens a sentence is known by the name behind it: Inés Calvo."""
    for i in capitals:
        token, behind = tokens[i - 1], tokens[i]
        opens = i and token.kind == "w" and not token.capital and len(token.text) > 2 and text[token.start].isupper()
        named = behind.text not in ABBREVIATIONS and text[behind.start].isupper()
        if opens and named and behind.start - token.end <= 1:
            tokens[i - 1] = msgspec.structs.replace(token, capital=True)
