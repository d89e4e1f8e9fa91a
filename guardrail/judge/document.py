"""From what the model sent to the response object: plain JSON first, then repair, then the provider's envelope.

Never raises, and never gives a tree that needed a guess: it is None then, and a fatal finding says why.
Bounds: linear in the text; nothing is read past `Shape.response_chars`, or deeper than `Shape.depth`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from guardrail.judge.envelope import Call, Content, Opened, echoes_schema, inner_calls, open_envelope, written_call
from guardrail.judge.extract import PIECES_MAX, Piece, called_before, scan
from guardrail.judge.jsontext import (
    FINDINGS_MAX,
    UNREAD,
    Found,
    Shape,
    at,
    encodable,
    nearest,
    nested,
    paths,
    plain,
    pointer,
    refused,
    replaced,
    same,
    survey,
    text_within,
)
from guardrail.judge.model import Finding
from guardrail.judge.repair import Read, read_value

__all__ = ["Reading", "Shape", "read_response"]

LAYERS_MAX = 3
"""JSON in a JSON string in a JSON string was seen; more is refused."""


class Reading(msgspec.Struct, frozen=True, gc=False):
    """What could be read.

    `tree` is the unwrapped response object, None when there is none to be used. `ambiguous` holds the pointers of keys
    given twice with different values: they are not in the tree. A tree may stand beside a fatal finding (an ambiguous
    field, a schema echo, several tool calls): a reply can then still name the intent, but nothing is approved.
    """

    tree: dict[str, Any] | None
    findings: tuple[Finding, ...] = ()
    ambiguous: frozenset[str] = frozenset()


def read_response(response: Any, shape: Shape) -> Reading:
    """The response object of a text or of an already decoded value."""
    if not isinstance(response, str):
        return _settled(_from_value(response, shape), shape)
    if len(response) <= shape.response_chars:
        tree = plain(response, shape.levels())
        if isinstance(tree, dict) and shape.rooted(tree) and not _needs_more(tree, shape):
            return Reading(tree)
    return _settled(_from_text(response, shape, LAYERS_MAX), shape)


def _settled(found: Found, shape: Shape) -> Reading:
    """The reading at last: characters and depth told, pointers that resolve, the fatal first, a bounded list."""
    tree, findings = found.tree if isinstance(found.tree, dict) else None, found.findings
    if tree is not None:
        seen = survey(tree, shape.levels())
        findings = (*seen.findings, *findings)
        if any(finding.code == "encoding.lone_surrogate" for finding in seen.findings):
            tree = encodable(tree)
        if any(finding.fatal for finding in seen.findings):
            tree = None
    told: dict[tuple[str, str], Finding] = {}
    for finding in sorted(findings, key=lambda finding: not finding.fatal):
        place = finding.pointer if finding.pointer in found.ambiguous else nearest(tree, finding.pointer)
        told.setdefault((finding.code, place), msgspec.structs.replace(finding, pointer=place))
    return Reading(tree, tuple(told.values())[: 2 * FINDINGS_MAX], found.ambiguous if tree is not None else frozenset())


def _from_value(value: Any, shape: Shape) -> Found:
    """A value that came decoded."""
    seen = survey(value, shape.levels())
    if seen.chars > shape.response_chars:
        return refused("limits.too_large", f"more than {shape.response_chars} characters")
    if any(finding.fatal for finding in seen.findings):
        return Found(None, seen.findings)
    return _from_pieces([Found(value)], shape, LAYERS_MAX)


def _from_text(text: str, shape: Shape, layers: int) -> Found:
    """A text: JSON as it stands, a JSON string with JSON inside, or JSON somewhere in it."""
    if len(text) > shape.response_chars:
        return refused("limits.too_large", f"{len(text)} characters", *_cut_off(text))
    if text.startswith("\ufeff"):
        return _from_text(text.lstrip("\ufeff"), shape, layers).beside(Finding("syntax.bom"))
    value = plain(text, shape.levels())
    if isinstance(value, dict):
        return _from_pieces([Found(value)], shape, layers)
    encoded = _encoded_text(text, shape)
    if encoded is not None:
        return _from_encoded(encoded, shape, layers)
    if value is not UNREAD and not isinstance(value, list):
        return refused("schema.not_object")
    found = scan(text, shape.levels())
    if isinstance(value, list) and not found.pieces:
        return _from_pieces([Found(value)], shape, layers)
    if not found.pieces or any(finding.fatal for finding in found.findings):
        return Found(None, found.findings)
    pieces = [_from_piece(piece, shape) for piece in found.pieces]
    return _from_pieces(pieces, shape, layers).beside(*found.findings)


def _cut_off(text: str) -> list[Finding]:
    """Whether a text too large to be read begins as an object and doesn't end as one."""
    cut = text[:64].lstrip()[:1] == "{" and text[-64:].rstrip()[-1:] not in set("}]`;>")
    return [Finding("syntax.truncated", "", "no closer at the end", fatal=True)] if cut else []


def _from_piece(piece: Piece, shape: Shape) -> Found:
    """A piece of text as a reading; a call to another tool than the agreed one is no answer."""
    found = Found(piece.read.value, piece.read.fixes, piece.read.ambiguous)
    name = called_before(piece)
    if name is not None and shape.tool is not None and name.rpartition(".")[2] != shape.tool:
        return found.beside(Finding("envelope.unknown_tool", "", "another tool", fatal=True))
    return found


_BARE_ESCAPES = re.compile(r'\s*+\{\s*+(?:\\[nrt]\s*+)*+\\"')


def _encoded_text(text: str, shape: Shape) -> str | None:
    """The text inside, when the whole text is one JSON string, with its quotes or (all quotes escaped) without."""
    quoted = text.strip()
    if _BARE_ESCAPES.match(quoted):
        quoted = f'"{quoted}"'
    if quoted[:1] != '"':
        return None
    read = read_value(quoted, 0, len(quoted), shape.levels())
    whole = isinstance(read, Read) and read.end == len(quoted) and not read.fixes
    return read.value if isinstance(read, Read) and whole else None


def _from_encoded(text: str, shape: Shape, layers: int) -> Found:
    """What a JSON string holds, when it holds JSON."""
    if layers <= 1:
        return refused("syntax.double_encoded", f"more than {LAYERS_MAX} layers")
    inner = _from_text(text, shape, layers - 1)
    if any(finding.code in ("syntax.no_json", "syntax.empty") for finding in inner.findings):
        return refused("schema.not_object", "a string", *inner.findings)
    return inner.beside(Finding("syntax.double_encoded"))


def _from_pieces(pieces: list[Found], shape: Shape, layers: int) -> Found:
    """The one response among the values of a text."""
    if sum(len(piece.tree) if isinstance(piece.tree, list) else 1 for piece in pieces) > PIECES_MAX:
        return refused("syntax.multiple_objects", f"more than {PIECES_MAX} objects")
    candidates: list[Found] = []
    for piece in pieces:
        items = enumerate(piece.tree) if isinstance(piece.tree, list) else ()
        candidates += [piece.at(f"/{index}", item) for index, item in items] or [piece]
    if any(candidate.tree == [] for candidate in candidates):
        return refused("schema.not_object", "an empty array", Finding("syntax.empty", fatal=True))
    if any(not isinstance(candidate.tree, dict) and not candidate.fatal for candidate in candidates):
        return refused("schema.not_object")
    found = _the_one([_unwrapped(candidate, shape, layers) for candidate in candidates], shape)
    wrapped = any(isinstance(piece.tree, list) for piece in pieces)
    return found.beside(Finding("schema.array_wrapped")) if wrapped else found


def _the_one(found: list[Found], shape: Shape) -> Found:
    """The response among several. The same one again is no harm; of different ones the last, if it alone will do."""
    last = found[-1]
    different = [one for one in found if not same(one.tree, last.tree)]
    if len(found) == 1:
        return last
    if not different and last.tree is not None:
        return last.beside(Finding("syntax.repeated_object"))
    others = tuple(finding for one in different for finding in one.findings)
    alone = shape.met_by(last.tree) and not any(shape.met_by(one.tree) or _speaks(one) for one in different)
    if alone and not last.fatal:
        told = tuple(Finding(one.code, "", one.detail) for one in others)
        return last.beside(Finding("syntax.multiple_objects"), *told)
    codes = ["syntax.multiple_objects"]
    if sum(one.is_call for one in found) > 1:
        codes.append("envelope.multiple_calls")
    fatal = tuple(Finding(code, "", f"{len(found)} objects", fatal=True) for code in codes)
    return Found(None, (*fatal, *others, *last.findings))


def _speaks(found: Found) -> bool:
    """Whether an object that isn't the answer says something of its own: a refusal, an error, a call."""
    return found.is_call or any(finding.code.startswith("envelope.") for finding in found.findings)


_WRAPPERS = frozenset(
    {
        "answer",
        "args",
        "arguments",
        "assistant",
        "body",
        "completion",
        "content",
        "data",
        "final",
        "final_answer",
        "input",
        "json",
    }
    | {"kwargs", "message", "object", "output", "parameters", "params", "payload", "reply", "response", "result"}
    | {"results", "return", "text", "tool_input", "value", "generated_text", "output_text"}
)


def _unwrapped(found: Found, shape: Shape, layers: int) -> Found:
    """An object without what stands around the response: an envelope, a call, a wrapper."""
    tree = found.tree
    if not isinstance(tree, dict):
        return found
    if echoes_schema(tree, shape):
        return Found(tree, (*found.findings, Finding("schema.schema_echo", fatal=True)), found.ambiguous)
    if shape.rooted(tree):
        return _decoded(found, shape)
    if layers <= 0:
        return found
    opened = open_envelope(tree)
    if opened is not None:
        return _from_envelope(opened, shape, layers).beside(*found.at(None, None).findings)
    call = Call("multi_tool_use.parallel", tree) if "tool_uses" in tree else written_call(tree)
    if call is not None:
        return _from_written_call(found, call, shape, layers)
    return _from_wrapper(found, shape, layers)


def _from_written_call(found: Found, call: Call, shape: Shape, layers: int) -> Found:
    """A call written as text: its arguments are the response."""
    keys = [key for key, value in found.tree.items() if value is call.arguments and isinstance(value, dict)]
    outer = found.at(pointer(keys), call.arguments) if len(keys) == 1 else found.at(None, None)
    if outer.tree is None:
        inner = _from_calls((call,), shape, layers - 1).beside(*outer.findings)
    else:
        inner = _from_calls((call,), shape, layers - 1, outer)
    return Found(inner.tree, (Finding("schema.wrapper_key"), *inner.findings), inner.ambiguous, is_call=True)


def _from_wrapper(found: Found, shape: Shape, layers: int) -> Found:
    """The object inside a wrapper of one key, if it meets the contract; else the object as it is."""
    if len(found.tree) != 1:
        return found
    (key, value), *_ = found.tree.items()
    if key not in _WRAPPERS and key != shape.tool:
        return found
    if isinstance(value, dict):
        inner = _unwrapped(found.at(pointer([key]), value), shape, layers - 1)
    elif isinstance(value, str) and value.lstrip()[:1] in ("{", "`", '"'):
        told = (Finding("syntax.double_encoded"), *found.at(None, None).findings)
        inner = _from_text(value, shape, layers - 1).beside(*told)
    else:
        return found
    return inner.beside(Finding("schema.wrapper_key")) if shape.met_by(inner.tree) else found


def _needs_more(tree: dict[str, Any], shape: Shape) -> bool:
    """Whether plain JSON with the contract's keys isn't the response yet: a schema, or strings for containers."""
    return text_within(tree, nested(shape.containers)) or echoes_schema(tree, shape)


def _decoded(found: Found, shape: Shape) -> Found:
    """The object with JSON strings decoded where the schema wants an array or object, and nowhere else."""
    for path in paths(shape.containers):
        text = at(found.tree, path)
        if not isinstance(text, str) or text.strip()[:1] not in ("{", "["):
            continue
        read = read_value(text.strip(), 0, len(text.strip()), shape.levels())
        if isinstance(read, Read) and read.end == len(text.strip()):
            found = _with_decoded(found, path, read)
    return found


def _with_decoded(found: Found, path: tuple[str, ...], read: Read) -> Found:
    place = pointer(path)
    inner = (msgspec.structs.replace(fix, pointer=place + fix.pointer) for fix in read.fixes)
    return Found(
        replaced(found.tree, list(path), read.value),
        (*found.findings, Finding("syntax.double_encoded", place), *inner),
        found.ambiguous | {place + ambiguous for ambiguous in read.ambiguous},
        found.is_call,
    )


def _from_envelope(opened: Opened, shape: Shape, layers: int) -> Found:
    """The response inside a completion object."""
    told = (*((Finding(opened.code),) if opened.code else ()), *opened.findings)
    if any(finding.fatal for finding in told):
        return Found(None, told)
    if not opened.contents:
        return Found(None, (*told, Finding("envelope.no_content", fatal=True)))
    found = [_from_content(content, shape, layers) for content in opened.contents]
    first = found[0]
    if all(same(one.tree, first.tree) for one in found) and (len(found) == 1 or first.tree is not None):
        return Found(first.tree, (*told, *(finding for one in found for finding in one.findings)), first.ambiguous)
    several = Finding("syntax.multiple_objects", "", f"{len(found)} choices", fatal=True)
    return Found(None, (*told, several, *(finding for one in found for finding in one.findings)))


def _from_content(content: Content, shape: Shape, layers: int) -> Found:
    """What one choice says, and whether the provider's end of it leaves it whole."""
    if any(finding.fatal for finding in content.findings):
        return Found(None, content.findings)
    found = _said(content, shape, layers)
    if not content.cut:
        return found
    whole = not found.fatal and all(finding.code != "syntax.missing_closer" for finding in found.findings)
    return found.beside(Finding("envelope.finish_length", fatal=not whole))


def _said(content: Content, shape: Shape, layers: int) -> Found:
    """The text or the calls of a choice."""
    if content.calls:
        return _with_text(_from_calls(content.calls, shape, layers), content.text, shape, layers)
    if not content.text.strip():
        return refused("envelope.no_content")
    return _from_text(content.text, shape, layers)


_THOUGHT = frozenset({"syntax.think_block"})


def _with_text(found: Found, text: str, shape: Shape, layers: int) -> Found:
    """A call's reading with the text beside it: chatter is told; another object there contradicts the call."""
    if not text.strip():
        return found
    beside = _from_text(text, shape, layers)
    codes = {finding.code for finding in beside.findings if finding.fatal}
    if codes and codes <= {"syntax.no_json", "schema.not_object", "envelope.refusal"}:
        return found.beside(Finding("syntax.prose_prefix"), *(one for one in beside.findings if one.code in _THOUGHT))
    if beside.tree is not None and same(beside.tree, found.tree):
        return found.beside(Finding("syntax.repeated_object"))
    return found.beside(Finding("syntax.multiple_objects", "", "text beside a call", fatal=True))


def _from_calls(calls: Iterable[Call], shape: Shape, layers: int, outer: Found | None = None) -> Found:
    """The response in a list of tool calls: one is due. Of several, the only one that will do stays readable."""
    found: list[Found] = []
    told: tuple[Finding, ...] = ()
    for call in calls:
        arguments = plain(call.arguments, shape.levels()) if isinstance(call.arguments, str) else call.arguments
        inner = inner_calls(call, arguments)
        if inner is None:
            found.append(_from_call(call, shape, layers, outer))
        else:
            told = (Finding("envelope.multi_tool_use"),)
            found += [_from_call(one, shape, layers) for one in inner]
    if not found:
        return refused("envelope.no_content", "no call", *told)
    if len(found) == 1:
        return found[0].beside(*told)
    told = (*told, Finding("envelope.multiple_calls", "", f"{len(found)} calls", fatal=True))
    good = [one for one in found if shape.met_by(one.tree) and not one.fatal]
    others = tuple(finding for one in found if one not in good for finding in one.findings)
    if len(good) != 1:
        return Found(None, (*told, *others))
    return Found(good[0].tree, (*told, *others, *good[0].findings), good[0].ambiguous)


def _from_call(call: Call, shape: Shape, layers: int, outer: Found | None = None) -> Found:
    """The response in one call's arguments; `outer` is their reading when they were part of one."""
    agreed = shape.tool is not None and call.name == shape.tool
    if shape.tool is not None and call.name is not None and not agreed:
        return refused("envelope.unknown_tool", "another tool")
    if isinstance(call.arguments, dict):
        found = _unwrapped(outer or Found(call.arguments), shape, layers)
    elif isinstance(call.arguments, str) and call.arguments.strip():
        found = _from_text(call.arguments, shape, layers)
    else:
        return refused("envelope.no_content", "no arguments")
    if found.tree is None or found.fatal or shape.rooted(found.tree) or (agreed and found.tree):
        return found
    return refused("envelope.unknown_tool" if found.tree else "envelope.no_content", "not the contract's arguments")
