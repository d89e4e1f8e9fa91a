"""Values that need care: suspect characters, big integers, decoded objects, wrappers, a policy's own shape."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardrail.judge.document import Reading, Shape, read_response
from tests.judge.readings import GOOD, TEXT, codes, fatal

SHAPE = Shape()
TOOL = Shape(tool="respond")


def with_answer(raw: str) -> str:
    """The good response with this JSON text as its answer."""
    return TEXT.replace('"Which day?"', raw)


SUSPECTS = {
    "nul_char": "\x00",
    "lone_surrogate": "\ud800\udbff\udc00\udfff",
    "bidi_control": "\u202a\u202c\u202e\u2066\u2069",
    "invisible_chars": "\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200c\u200d\u200e\u2060\u206f\u3164"
    "\ufeff\uffa0\ufffb\U0001bca0\U0001d17a\U000e0001\U000e01ef",
}


@pytest.mark.parametrize(("name", "char"), [(name, char) for name, chars in SUSPECTS.items() for char in chars])
def test_suspect_characters_are_told_where_they_stand(name: str, char: str) -> None:
    """Raw or escaped, in a value or in a key, in text or in an object: found, kept, not fatal."""
    for raw in (char, json.dumps(char)[1:-1]):
        reading = read_response(with_answer(f'"a{raw}"'), SHAPE)
        assert reading.tree is not None
        assert reading.tree["generated_answer"]["answer"] == f"a{char}"
        assert (f"encoding.{name}", "/generated_answer/answer", False) in {
            (one.code, one.pointer, one.fatal) for one in reading.findings
        }
    reading = read_response({"generated_answer": {f"k{char}": 1}}, SHAPE)
    assert codes(reading) == {f"encoding.{name}"}


@pytest.mark.parametrize("answer", ["نمی‌خواهم", "क्‍ष", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️", "l’été… « oui » – “x” 😊", "a\u202fb", "…•"])
def test_characters_that_spell_are_left_alone(answer: str) -> None:
    """Joiners between letters or emoji, flags, typographic marks and blanks are no findings."""
    tree = {**GOOD, "generated_answer": {"answer": answer}}
    assert read_response(json.dumps(tree, ensure_ascii=False), SHAPE) == Reading(tree)
    assert read_response(json.dumps(tree), SHAPE) == Reading(tree)


def test_a_key_with_half_a_character_is_dropped() -> None:
    """Half a surrogate pair in a key is told at the object that held it; what is left can be written as UTF-8."""
    reading = read_response(TEXT[:-1] + ', "k\\ud800": [1], "l": [{"\\udc00": 1}]}', SHAPE)
    assert reading.tree == {**GOOD, "l": [{}]}
    assert {one.pointer for one in reading.findings} == {"", "/l/0"}
    json.dumps([one.pointer + one.detail for one in reading.findings], ensure_ascii=False).encode()


def test_big_integers_keep_their_value() -> None:
    """A whole number beyond 64 bits is exact, and told."""
    for number in (2**64, -(2**63) - 1, 10**40):
        reading = read_response(TEXT[:-1] + f', "n": {number}}}', SHAPE)
        assert reading.tree is not None
        assert reading.tree["n"] == number
        assert [(one.code, one.pointer) for one in reading.findings] == [("types.big_int", "/n")]
    assert read_response(TEXT[:-1] + f', "n": [{2**64 - 1}, {-(2**63)}]}}', SHAPE).findings == ()


def test_an_object_is_read_like_its_text() -> None:
    """A decoded value passes the same way; what isn't an object doesn't."""
    assert read_response(GOOD, SHAPE) == Reading(GOOD)
    assert codes(read_response([GOOD], SHAPE)) == {"schema.array_wrapped"}
    for value in (None, True, 12, 1.5, [], [1], [GOOD, 1]):
        assert "schema.not_object" in fatal(read_response(value, SHAPE))
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert fatal(read_response({"generated_answer": deep}, SHAPE)) == {"limits.too_deep"}
    assert fatal(read_response({"generated_answer": "x" * 300_000}, SHAPE)) == {"limits.too_large"}
    assert fatal(read_response({"generated_answer": float("nan")}, SHAPE)) == {"syntax.nonfinite_number"}


def test_a_flood_of_suspect_characters_is_refused() -> None:
    """So many that one in the answer might go untold: nothing is approved."""
    reading = read_response({"generated_answer": ["\x00"] * 1000 + ["\u202e"]}, SHAPE)
    assert reading.tree is None
    assert fatal(reading) == {"encoding.nul_char"}
    assert len(reading.findings) <= 64
    text = "[" + "1," * 10 + "]"
    reading = read_response("{" + "".join(f"'k{n}': {text} " for n in range(20)) + with_answer('"\u202e"')[1:], SHAPE)
    assert reading.tree is None or "encoding.bidi_control" in codes(reading)


def test_the_response_given_is_never_changed() -> None:
    """Decoding and dropping work on copies."""
    given_tree = {"generated_answer": "{}", "k\ud800": 1, "detected_intent": [{"\ud800": 1}]}
    kept = {"generated_answer": "{}", "k\ud800": 1, "detected_intent": [{"\ud800": 1}]}
    read_response(given_tree, SHAPE)
    assert given_tree == kept


def test_a_wrapper_is_opened_only_around_the_contract() -> None:
    """An object under some key is no response: it must be the only key, a usual one, and hold the contract's object."""
    for tree in ({"response": GOOD, "ok": False}, {"previous": GOOD}, {"response": {"a": 1}}, {"response": "hello"}):
        assert read_response(json.dumps(tree), SHAPE) == Reading(tree)
    assert read_response(json.dumps({"respond": GOOD}), TOOL).tree == GOOD
    assert read_response('{"response": {"response": {"response": {"response": {}}}}}', SHAPE).tree is not None


def test_a_custom_shape_is_respected() -> None:
    """Roots, depth and size come from the policy."""
    shape = Shape(response_chars=40, depth=2, roots=frozenset({"reply"}), containers=frozenset({"/reply/1"}))
    assert read_response('{"reply": [1, 2]}', shape) == Reading({"reply": [1, 2]})
    assert read_response('{"reply": [1, "[]"]}', shape).tree is None
    assert read_response('{"out": {"reply": [0]}}', shape).tree is None
    assert fatal(read_response('{"reply": "' + "x" * 40 + '"}', shape)) == {"limits.too_large"}
    assert read_response('{"data": {"reply": 1}}', shape).tree == {"reply": 1}
