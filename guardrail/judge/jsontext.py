"""JSON values and the places in them: pointers, strict decoding, and a survey of what a tree holds.

Never decides what a response means, and never gives a tree back that one strict reading of the text doesn't give.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from math import isfinite
from typing import Any

import msgspec
import orjson

from guardrail.judge.model import Finding

ROOTS = frozenset({"detected_intent", "generated_answer", "user_messages_analysis"})
CONTAINERS = frozenset(
    {
        "/detected_intent",
        "/generated_answer",
        "/generated_answer/intents_i_am_familiar_with",
        "/user_messages_analysis",
        "/user_messages_analysis/parameters",
    }
)
FINDINGS_MAX = 64
"""How many places with suspect values are told; a flood must not fill the audit line."""
DEPTH_MAX = 200
"""No policy goes deeper: our readers recurse once or twice a level, and Python's stack ends at 1,000 frames."""


class Shape(msgspec.Struct, frozen=True):
    """What a policy lets a response be: limits, and what the contract's object looks like from afar."""

    response_chars: int = 262_144
    depth: int = 64
    roots: frozenset[str] = ROOTS
    """Top-level keys of the expected object."""
    containers: frozenset[str] = CONTAINERS
    """Pointers where the schema wants an array or object, so that a string there is decoded once more."""
    tool: str | None = None
    """The agreed tool's name, if the policy names one."""

    def levels(self) -> int:
        """The depth in force."""
        return min(self.depth, DEPTH_MAX)

    def rooted(self, value: Any) -> bool:
        """Whether a value is an object with at least one of the expected keys."""
        return isinstance(value, dict) and not self.roots.isdisjoint(value)

    def met_by(self, value: Any) -> bool:
        """Whether a value is the contract's object: two of its roots, and an answer where one is due."""
        if not isinstance(value, dict) or len(self.roots & value.keys()) < min(2, len(self.roots)):
            return False
        answer = value.get("generated_answer")
        return "generated_answer" not in self.roots or (isinstance(answer, dict) and "answer" in answer)


class Quotes(msgspec.Struct, frozen=True):
    """A family of quote marks: what may close it, what it runs over, the code of its repair."""

    closing: str
    code: str
    plain: re.Pattern[str]
    apostrophes: bool = False


STRAIGHT = Quotes('"', "", re.compile('[^"\\\\\x00-\x1f]*+'))
_SINGLE = Quotes("'", "syntax.single_quotes", re.compile("[^'\\\\\x00-\x1f]*+"), apostrophes=True)
_CURLY = Quotes("”“", "syntax.smart_quotes", re.compile('[^“”„‟"\\\\\x00-\x1f]*+'))
_CURLY_SINGLE = Quotes("’‘", "syntax.smart_quotes", re.compile("[^‘’‚‛'\\\\\x00-\x1f]*+"), apostrophes=True)
FAMILIES = {
    '"': STRAIGHT,
    "'": _SINGLE,
    **dict.fromkeys("“”„‟", _CURLY),
    **dict.fromkeys("‘’‚‛", _CURLY_SINGLE),
}
"""Every quote mark in use, with its family."""


class Unread:
    """The type of UNREAD: a text that strict JSON can't read (null is a reading)."""


UNREAD = Unread()

_DECODE = msgspec.json.Decoder().decode
_ASCII_NOISE = bytes(set(range(128)) - set(b":{[\\"))
_ESCAPED_COLON = re.compile(r"\\u003a", re.IGNORECASE)

# Unicode TR 36 (security), TR 9 (bidi controls), TR 51 (ZWJ and tag sequences in emoji); ZWJ and ZWNJ are spelling in
# Arabic and Indic scripts, so they are left alone between two such letters or emoji.
_JOINED = "\u0590-\u1fff\u2070-\ud7ff\ue000-\U0010ffff"
_SUSPECT = re.compile(
    "\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f"
    "|(?P<nul_char>\x00)|(?P<lone_surrogate>[\ud800-\udfff])|(?P<bidi_control>[\u202a-\u202e\u2066-\u2069])"
    "|(?P<invisible_chars>[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u2060-\u2065"
    "\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    f"|(?<![{_JOINED}])[\u200c\u200d]|[\u200c\u200d](?![{_JOINED}])|[\ufe00-\ufe0f]{{2,}})"
)
# The same as bytes of UTF-8, from which the ASCII was dropped: a sieve that may pass too much, never too little.
_SUSPECT_LEADS = re.compile(
    rb"\xc2\xad|\xcd\x8f|\xd8\x9c|\xe1(?:\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8e])"
    rb"|\xe2(?:\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])|\xe3\x85\xa4|\xef(?:\xbb\xbf|\xbe\xa0|\xbf[\xb9-\xbb])"
    rb"|\xef\xb8[\x80-\x8f]\xef\xb8|\xf0(?:\x9b\xb2|\x9d\x85)|\xf3\xa0"
)


def escaped(token: str | int) -> str:
    """One reference token of a JSON Pointer (RFC 6901 §3); half surrogates, which UTF-8 can't carry, become "?"."""
    text = str(token).replace("~", "~0").replace("/", "~1")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def pointer(path: Iterable[str | int]) -> str:
    """A path as a JSON Pointer."""
    return "".join(f"/{escaped(token)}" for token in path)


def tokens(place: str) -> list[str]:
    """The reference tokens of a JSON Pointer."""
    return [token.replace("~1", "/").replace("~0", "~") for token in place.split("/")[1:]]


def step(value: Any, token: str) -> Any:
    """What stands under a token, or UNREAD."""
    if isinstance(value, dict):
        return value.get(token, UNREAD)
    if isinstance(value, list) and token.isdecimal() and token.isascii() and len(token) < 9 and int(token) < len(value):
        return value[int(token)]
    return UNREAD


def at(value: Any, path: Iterable[str]) -> Any:
    """What stands at a path, or UNREAD."""
    for token in path:
        value = step(value, token)
        if value is UNREAD:
            break
    return value


def nearest(value: Any, place: str) -> str:
    """The pointer itself when it resolves, else its nearest ancestor that does."""
    known: list[str] = []
    for token in tokens(place):
        value = step(value, token)
        if value is UNREAD:
            break
        known.append(token)
    return pointer(known)


def same(one: Any, other: Any) -> bool:
    """Whether two trees are one value: 1, 1.0 and true are three."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def plain(text: str, levels: int) -> Any:
    """The value of a text in which strict JSON finds nothing to report, else UNREAD.

    Repeated keys are seen without a second parse: a key that was lost takes its colon with it, so the tree written out
    again has fewer. A colon written as an escape could make up for it, and takes the slow way; so do big integers and
    half surrogates (both libraries refuse them), suspect characters, and anything that might be too deep.
    """
    try:
        value = _DECODE(text)
        written = orjson.dumps(value)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return UNREAD
    marks = written.translate(None, _ASCII_NOISE)
    if marks.count(b":") != text.count(":") or marks.count(b"{") + marks.count(b"[") > levels:
        return UNREAD
    if "\\" in text and (_ESCAPED_COLON.search(text) or b"\\u0000" in written):
        return UNREAD
    return value if marks.isascii() or not _SUSPECT_LEADS.search(marks) else UNREAD


@lru_cache(maxsize=64)
def paths(places: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """JSON Pointers as paths, outer ones first."""
    return tuple(tuple(tokens(place)) for place in sorted(places, key=lambda place: (place.count("/"), place)))


@lru_cache(maxsize=64)
def nested(places: frozenset[str]) -> dict[str, Any]:
    """JSON Pointers as a tree of keys."""
    root: dict[str, Any] = {}
    for path in paths(places):
        node = root
        for token in path:
            node = node.setdefault(token, {})
    return root


def text_within(value: dict[str, Any], keys: dict[str, Any]) -> bool:
    """Whether text stands under one of these keys, which want containers."""
    for key, inner in keys.items():
        found = value.get(key)
        if isinstance(found, str) or (inner and isinstance(found, dict) and text_within(found, inner)):
            return True
    return False


def suspects(text: str) -> Iterator[tuple[str, str]]:
    """The encoding codes of a text's suspect characters, each once, with the first such character's number."""
    seen = set()
    for match in _SUSPECT.finditer(text):
        if (name := match.lastgroup) is not None and name not in seen:
            seen.add(name)
            yield f"encoding.{name}", f"U+{ord(match[0][0]):04X}"


class Survey(msgspec.Struct, frozen=True):
    """What a tree holds that must be told, and its size. Too deep or without bounds is fatal."""

    findings: tuple[Finding, ...]
    chars: int


def survey(tree: Any, levels: int) -> Survey:
    """Walk a tree once, without recursion: suspect characters, big integers, numbers beyond all bounds, depth, size.

    A flood is fatal: of what isn't told nothing could be decided.
    """
    findings: list[Finding] = []
    chars = 0
    stack: list[tuple[Any, tuple[str | int, ...]]] = [([tree], ())]
    while stack:
        container, path = stack.pop()
        if len(path) > levels:
            return Survey((Finding("limits.too_deep", fatal=True),), chars)
        for token, value in container.items() if isinstance(container, dict) else enumerate(container):
            chars += 2
            if isinstance(value, (dict, list)):
                stack.append((value, (*path, token)))
            elif isinstance(value, str):
                chars += len(value)
            if _speaks(value) and len(findings) < FINDINGS_MAX:
                findings += _told(value, (*path[1:], token) if path else ())
    if len(findings) >= FINDINGS_MAX:
        findings[0] = msgspec.structs.replace(findings[0], detail="and many more", fatal=True)
    return Survey(tuple(findings), chars)


def _speaks(value: Any) -> bool:
    """Whether a value may have something to tell: cheap, for it is asked of every value."""
    if isinstance(value, str):
        return not value.isascii() or "\x00" in value
    return isinstance(value, (dict, float)) or (isinstance(value, int) and not -(2**63) <= value < 2**64)


def _told(value: Any, path: tuple[str | int, ...]) -> Iterator[Finding]:
    """The findings of one value and of its keys."""
    if isinstance(value, str):
        yield from (Finding(code, pointer(path), detail) for code, detail in suspects(value))
    elif isinstance(value, dict):
        for key in value:
            if not key.isascii() or "\x00" in key:
                yield from (
                    Finding(code, pointer((*path, key)), f"{detail} in a key") for code, detail in suspects(key)
                )
    elif isinstance(value, int):
        yield Finding("types.big_int", pointer(path), f"{value.bit_length()} bits")
    elif not isfinite(value):
        yield Finding("syntax.nonfinite_number", pointer(path), fatal=True)


def encodable(tree: Any) -> Any:
    """The tree without the members whose key holds half a surrogate pair: UTF-8 can't carry it, no contract has it."""
    if isinstance(tree, dict):
        return {key: encodable(value) for key, value in tree.items() if not _HALF.search(key)}
    return [encodable(value) for value in tree] if isinstance(tree, list) else tree


_HALF = re.compile("[\ud800-\udfff]")


def replaced(tree: Any, path: list[str], value: Any) -> Any:
    """A copy of the tree with another value at a path; what isn't on the path is shared."""
    if not path:
        return value
    head, *rest = path
    if isinstance(tree, dict):
        return {**tree, head: replaced(tree[head], rest, value)}
    return [replaced(item, rest, value) if str(index) == head else item for index, item in enumerate(tree)]


class Found(msgspec.Struct, frozen=True):
    """A reading on its way. `is_call` tells that it stood in a tool call written as text."""

    tree: Any
    findings: tuple[Finding, ...] = ()
    ambiguous: frozenset[str] = frozenset()
    is_call: bool = False

    @property
    def fatal(self) -> bool:
        """Whether anything found forbids to approve it."""
        return any(finding.fatal for finding in self.findings)

    def beside(self, *findings: Finding) -> Found:
        """The same with findings before its own; a fatal one takes the tree away."""
        tree = None if any(finding.fatal for finding in findings) else self.tree
        return Found(tree, (*findings, *self.findings), self.ambiguous, self.is_call)

    def at(self, root: str | None, tree: Any) -> Found:
        """What stands at `root`, as a reading of its own; None: at no place, as inside a string.

        What was found outside belongs to no field of it, and is told at its root.
        """
        findings = tuple(msgspec.structs.replace(one, pointer=_moved(one.pointer, root)) for one in self.findings)
        inside = frozenset(moved for place in self.ambiguous if (moved := _moved(place, root)))
        return Found(tree, findings, inside, self.is_call)


def _moved(place: str, root: str | None) -> str:
    return place[len(root) :] if root is not None and place.startswith(root + "/") else ""


def refused(code: str, detail: str = "", *more: Finding) -> Found:
    """Nothing to be used, and why."""
    return Found(None, (Finding(code, "", detail, fatal=True), *more))
