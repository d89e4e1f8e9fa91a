"""Finds the JSON in a text: past prose, fences, thoughts and tool tags. Never falls back to an inner fragment.

What looks like the start of an object and can't be read makes the text unreadable; a draft in thoughts never counts.
Bounds: one pass; a text is read a second time at most once, after a closing think tag whose opening one was lost.
"""

from __future__ import annotations

import re

import msgspec

from guardrail.judge.jsontext import FAMILIES, suspects
from guardrail.judge.model import Finding
from guardrail.judge.repair import Broken, Read, read_value
from guardrail.judge.speech import disowns

_THINK = r"(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|(?:ant|seed):think(?:ing)?)"
# As the chat templates of Hermes, Llama, Mistral, Qwen, Kimi, OpenAI (harmony channels) and Anthropic (XML) write them.
_OPEN_THOUGHT = rf"<{_THINK}(?:\s[^<>]{{0,200}})?>|\[THINK\]|◁think▷|<\|begin_of_thought\|>"
_OPEN_CHANNEL = r"<\|channel\|>\s?(?:analysis|commentary)\b[^<>]{0,200}<\|message\|>"
_CLOSE_THOUGHT = (
    rf"</{_THINK}\s?>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>\s?final\b[^<>]{{0,200}}<\|message\|>"
)
_TOOL_TAG = (
    r"</?(?:antml:)?(?:tool_calls?|function_calls?|tool_use|tool|invoke|parameter|function)\b(?:=(?P<called>[\w.-]{1,64}))?[^<>]{0,200}>"
    r"|<\|?/?(?:python_tag|tool_calls?|tool_call_(?:begin|end))\|?>|\[/?TOOL_CALLS\]"
)
_MARK = re.compile(
    f"(?P<thought>{_OPEN_THOUGHT}|{_OPEN_CHANNEL})|(?P<answer>{_CLOSE_THOUGHT})|(?P<tool>{_TOOL_TAG})|(?P<start>[{{\\[])",
    re.IGNORECASE,
)
_THOUGHT_END = re.compile(f"{_CLOSE_THOUGHT}|<\\|end\\|>", re.IGNORECASE)
_CLOSE = re.compile(_CLOSE_THOUGHT, re.IGNORECASE)
_Q = "".join(FAMILIES)
_OBJECT_START = re.compile(r"\{\s*+(?:[" + _Q + r"}:,]|//|/\*|\#|[^\W\d][\w$]{0,63}+\s*+:|$)")
_ARRAY_START = re.compile(r"\[\s*+(?:[" + _Q + r"{\[]|$)")
_END = re.compile(
    r"(?:\s|`{3,}|~{3,}|</(?:tool_call|function_call|function|tool|answer|response|output|json|result)>|<\|[\w-]{1,30}\|>|</s>)++$"
)
_FENCE = re.compile(r"`{3,}[\w+.-]{0,20}|~{3,}[\w+.-]{0,20}")
_FENCE_BEFORE = re.compile(r"(?:`|~{3})[ \t]?[\w+.-]{0,20}$")
_TOOL_FENCE = re.compile(r"[`~]{3}tool_\w{1,16}")
_CALL_BEFORE = re.compile(r"(?:^|[^\w.])([\w.]{1,64})\($")
_MEMBER_BEFORE = re.compile(f"[{_Q}]\\s*+:\\s*+$")
_MEMBER_AFTER = re.compile(rf"\s*+[,\]}}]*+\s*+[{_Q}][^{_Q}\n]{{0,64}}[{_Q}]\s*+:")
_MEMBER = re.compile(rf"\w[{_Q}]\s{{0,8}}:\s{{0,8}}[{_Q}{{\[\w-]")
_BRACKET = re.compile(r"[{}\[\]]")
_TAIL_CHARS = 96
"""How much of the text before an object may say what it is: a fence mark, a call's name, a lost key."""
PIECES_MAX = 32
"""Of more objects in one text none can be meant alone; each costs more than its few characters."""
_LEAD_CHARS = 400
"""How much of the text may say that it is a refusal."""
_REFUSAL = re.compile(
    r"\b(?:I(?:['’]m| am)? (?:sorry|unable|not able|afraid)|I (?:can(?:['’]t|not| not)|won['’]t|must decline)|as an AI"
    r"|je (?:suis )?désolée?|je (?:ne peux|n['’]ai) pas|je regrette|en tant qu['’]IA"
    r"|lo siento|lo lamento|no puedo|no me es posible|como (?:una )?IA)\b",
    re.IGNORECASE,
)


class Piece(msgspec.Struct, frozen=True):
    """A value found in the text, with the text before it back to the piece before (thoughts and tags left out)."""

    read: Read
    text: str
    before: str
    called: str | None = None
    """The name of the tool that a tag or a call's syntax puts before the value."""


class Scan(msgspec.Struct, frozen=True):
    """What a text holds: the pieces in order, and what was found beside them. A fatal finding: it can't be read."""

    pieces: tuple[Piece, ...]
    findings: tuple[Finding, ...]


def scan(text: str, levels: int) -> Scan:
    """All JSON objects (and arrays of them) of a text that stand outside thoughts."""
    found = _Scanner(text, levels)
    broken = found.run()
    pieces = tuple(found.pieces)
    told = list(found.told.values())
    if broken is not None:
        return Scan((), (*told, *broken.findings))
    if not pieces:
        return Scan((), (*told, *_nothing(text, found.gap(), {finding.code for finding in told})))
    return Scan(pieces, (*told, *_around(pieces, found.gap())))


class _Scanner:
    """The state of one pass over the text."""

    __slots__ = ("_called", "_gap", "_levels", "_stop", "_text", "pieces", "told")

    def __init__(self, text: str, levels: int) -> None:
        self._text = text
        self._levels = levels
        end = _END.search(text, max(0, len(text) - 4 * _TAIL_CHARS))
        self._stop = end.start() if end else len(text)
        """Where the JSON must have ended: before blanks, a closing fence and closing tags at the end of the text."""
        self._gap: list[str] = []
        self._called: str | None = None
        self.pieces: list[Piece] = []
        self.told: dict[str, Finding] = {}

    def gap(self) -> str:
        """The text since the last piece."""
        return "".join(self._gap)

    def run(self) -> Broken | None:
        """Take in the text; what makes it unreadable, if anything does."""
        pos = 0
        while mark := _MARK.search(self._text, pos):
            self._gap.append(self._text[pos : mark.start()])
            kind = mark.lastgroup if mark.lastgroup != "called" else "tool"
            if kind == "start":
                end = self._start(mark.start())
            elif kind == "thought":
                end = self._thought(mark)
            elif kind == "answer":
                end = self._answer(mark.end())
            else:
                end = self._tool(mark)
            if isinstance(end, Broken):
                return end
            pos = end
        self._gap.append(self._text[pos:])
        return None

    def _start(self, start: int) -> int | Broken:
        """A bracket: the start of an object, or prose."""
        looks = _OBJECT_START if self._text[start] == "{" else _ARRAY_START
        if not looks.match(self._text, start):
            self._gap.append(self._text[start])
            return start + 1
        result = read_value(self._text, start, max(self._stop, start + 1), self._levels)
        if isinstance(result, Read):
            self.pieces.append(Piece(result, self._text[start : result.end], self.gap(), self._called))
            self._gap = []
            self._called = None
            if len(self.pieces) > PIECES_MAX:
                return Broken((Finding("syntax.multiple_objects", "", f"more than {PIECES_MAX} objects", fatal=True),))
            return result.end
        closings = [closing.end() for closing in _CLOSE.finditer(self._text, start)]
        return self._answer(closings[-1]) if closings else result

    def _thought(self, opening: re.Match[str]) -> int | Broken:
        """An opening think tag: nothing up to the closing one counts."""
        self._tell("syntax.think_block")
        ending = _CLOSE if self._text[opening.start() + 1] != "|" else _THOUGHT_END
        closing = ending.search(self._text, opening.end())
        if closing is None:
            return Broken((Finding("syntax.truncated", "", "thoughts without an end", fatal=True),))
        return closing.end()

    def _answer(self, end: int) -> int:
        """A closing think tag without an opening one: all that came before was thought."""
        self._tell("syntax.think_block")
        self.pieces = []
        self._gap = []
        self._called = None
        return end

    def _tool(self, tag: re.Match[str]) -> int | Broken:
        """A tool tag. A parameter tag means a call in XML, whose fields are no JSON, though one of them may look so."""
        self._tell("syntax.tool_call_text")
        if "parameter" in tag[0][:20].lower():
            return Broken((Finding("syntax.no_json", "", "a call in XML", fatal=True),))
        self._called = tag["called"] or self._called
        return tag.end()

    def _tell(self, code: str) -> None:
        self.told.setdefault(code, Finding(code))


def _nothing(text: str, gap: str, told: set[str]) -> list[Finding]:
    """Why a text has no object: it lost its start, it is a refusal, it is something else, or there is nothing."""
    if not text.strip():
        return [Finding("syntax.empty", fatal=True)]
    findings = [Finding(code, "", f"{detail} outside the JSON") for code, detail in suspects(gap)]
    if _MEMBER.search(gap) and "syntax.tool_call_text" not in told:
        return [*findings, Finding("syntax.truncated", "", "the start is missing", fatal=True)]
    findings.append(Finding("syntax.no_json", fatal=True))
    if not _prose(gap) and not told:
        findings.append(Finding("syntax.empty", "", "nothing but a fence", fatal=True))
    if _REFUSAL.search(gap[:_LEAD_CHARS]):
        findings.append(Finding("envelope.refusal", "", "in prose", fatal=True))
    return findings


def _around(pieces: tuple[Piece, ...], after: str) -> list[Finding]:
    """What the text around the pieces says about them."""
    before = pieces[0].before
    findings = [Finding(code, "", f"{detail} outside the JSON") for code, detail in suspects(before + after)]
    if any(_is_fragment(piece.before) for piece in pieces) or _MEMBER_AFTER.match(after):
        findings.append(Finding("syntax.truncated", "", "the start is missing", fatal=True))
    if _closes_more(after):
        findings.append(Finding("syntax.unescaped_quote", "", "the object ends inside a text", fatal=True))
    findings += _quoted(pieces, after)
    tails = [piece.before.rstrip()[-_TAIL_CHARS:] for piece in pieces]
    if any(_FENCE_BEFORE.search(tail) for tail in tails) or after.lstrip().startswith(("`", "~~~")):
        findings.append(Finding("syntax.code_fence"))
    call = _CALL_BEFORE.search(tails[0])
    if call or _TOOL_FENCE.search(tails[0]):
        findings.append(Finding("syntax.tool_call_text"))
    if _prose(before):
        findings.append(_chatter("syntax.prose_prefix", before))
    if _prose(after) and not (call and _prose(after) == ")"):
        findings.append(_chatter("syntax.prose_suffix", after))
    return findings


def _chatter(code: str, prose: str) -> Finding:
    """Text beside the JSON is told; where it takes the JSON back, nobody can tell what the model meant to say."""
    return Finding(code, "", "takes the answer back", fatal=True) if disowns(prose) else Finding(code)


def _is_fragment(before: str) -> bool:
    """Whether what follows is part of something larger whose start was lost or can't be read."""
    tail = before[-_TAIL_CHARS:]
    return (
        _MEMBER_BEFORE.search(tail) is not None
        or before.rfind("[") > before.rfind("]")
        or before.rfind("{") > before.rfind("}")
    )


def _closes_more(after: str) -> bool:
    """Whether brackets close after other text: the object then ended too early, at a bracket of its own text."""
    depth = 0
    rest = after.lstrip(" \t\r\n}])>;,.`~")
    for mark in _BRACKET.findall(rest):
        depth += 1 if mark in "{[" else -1
        if depth < 0:
            return True
    return False


def _quoted(pieces: tuple[Piece, ...], after: str) -> list[Finding]:
    """Quotes around a whole object: a program's string literal. With backslashes inside, its text would be a guess."""
    before = pieces[0].before.rstrip()
    if not (before[-1:] and before[-1:] in "'\"" and after.lstrip()[:1] == before[-1:]):
        return []
    if any("\\" in piece.text for piece in pieces):
        return [Finding("syntax.double_encoded", "", "a quoted literal with backslashes", fatal=True)]
    return [Finding("syntax.double_encoded", "", "a quoted literal")]


def _prose(gap: str) -> str:
    """What is left of a gap without fences, blanks and characters that show as nothing."""
    rest = _FENCE.sub("", gap)
    return "".join(char for char in rest if char.isprintable()).strip(" `") if len(rest) < 64 else rest.strip()


def called_before(piece: Piece) -> str | None:
    """The name in `name({...})` or `<function=name>` before a value."""
    call = _CALL_BEFORE.search(piece.before.rstrip()[-_TAIL_CHARS:])
    return call[1] if call else piece.called
