"""The repairing reader: what it mends, what it refuses, and that it keeps every token."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.repair import FIXES_MAX, Broken, Read, read_value

LEVELS = 64

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=20
)


def read(text: str, levels: int = LEVELS) -> Read | Broken:
    """The whole text as one value."""
    return read_value(text, 0, len(text), levels)


def codes(result: Read | Broken) -> set[str]:
    """The codes of what was found, without their family."""
    findings = result.fixes if isinstance(result, Read) else result.findings
    return {finding.code.partition(".")[2] for finding in findings}


MENDED = [
    ('{"a": 1,}', {"a": 1}, "trailing_comma"),
    ('{"a": [1, 2 , ] }', {"a": [1, 2]}, "trailing_comma"),
    ('{"a": ",]", "b": ",}",}', {"a": ",]", "b": ",}"}, "trailing_comma"),
    ('{"a": "x"\n "b": 1}', {"a": "x", "b": 1}, "missing_comma"),
    ('{"a": {"b": 1}"c": 2}', {"a": {"b": 1}, "c": 2}, "missing_comma"),
    ('{"a": true "b": 2}', {"a": True, "b": 2}, "missing_comma"),
    ('{"a": ["x" "y"]}', {"a": ["x", "y"]}, "missing_comma"),
    ('[{"a": 1} {"a": 2}]', [{"a": 1}, {"a": 2}], "missing_comma"),
    ('{"a": {"b": "x"}', {"a": {"b": "x"}}, "missing_closer"),
    ('{"a": {"b": "x"', {"a": {"b": "x"}}, "missing_closer"),
    ('{"a": true', {"a": True}, "missing_closer"),
    ("{'a': 'b'}", {"a": "b"}, "single_quotes"),
    ("{'a': 'l\\'heure'}", {"a": "l'heure"}, "single_quotes"),
    ("{'a': 'I can't'}", {"a": "I can't"}, "single_quotes"),
    ("{'a': 'say \"x\"'}", {"a": 'say "x"'}, "single_quotes"),
    ("{“a”: false}", {"a": False}, "smart_quotes"),
    ('{"a": “x y”}', {"a": "x y"}, "smart_quotes"),
    ('{"a": „x y“}', {"a": "x y"}, "smart_quotes"),
    ("{‘a’: ‘l’été’}", {"a": "l’été"}, "smart_quotes"),
    ("{”a”: ”x”}", {"a": "x"}, "smart_quotes"),
    ('{"a": “x \\” y”}', {"a": "x ” y"}, "smart_quotes"),
    ('{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}, "python_literals"),
    ('{a: 1, $b_1 : 2, été: 3, "c": 4}', {"a": 1, "$b_1": 2, "été": 3, "c": 4}, "unquoted_key"),
    ('{"a": "^\\d{3}\\.$"}', {"a": "^\\d{3}\\.$"}, "invalid_escape"),
    ('{"a": "can\\\'t"}', {"a": "can't"}, "invalid_escape"),
    ('{"a": "x\n\ty"}', {"a": "x\n\ty"}, "control_char"),
    ('{"a": \x0c 1}', {"a": 1}, "control_char"),
    ('{"a": 1, // note\n "b": "http://x.y"}', {"a": 1, "b": "http://x.y"}, "comment"),
    ('{"a": 1, # note\n "b": "#2"}', {"a": 1, "b": "#2"}, "comment"),
    ('{/* a } " */"a": 1}', {"a": 1}, "comment"),
    ('{"a":\u00a01}', {"a": 1}, "invisible_chars"),
    ('{"a": 1, "a": 1}', {"a": 1}, "duplicate_key"),
]


@pytest.mark.parametrize(("text", "value", "code"), MENDED)
def test_it_mends_what_has_one_reading(text: str, value: Any, code: str) -> None:
    """A repair that needs no guess gives the value and says what was mended."""
    result = read(text)
    assert isinstance(result, Read)
    assert result.value == value
    assert codes(result) == {code}
    assert not any(fix.fatal for fix in result.fixes)


REFUSED = [
    ('{"a": "say "yes", then"}', {"unescaped_quote"}),
    ('{"a": "say "yes""}', {"unescaped_quote"}),
    ('{"a": """x"""}', {"unescaped_quote"}),
    ('{"a": "x" + "y"}', {"unescaped_quote"}),
    ('{"a": "x" "y"}', {"unescaped_quote"}),
    ('{"a": "x""b": 1}', {"unescaped_quote"}),
    ('{"a": "x" b: 1}', {"unescaped_quote"}),
    ('{"a": "x"; "b": 1}', {"unescaped_quote"}),
    ('{"a" = 1}', {"unescaped_quote"}),
    ('{"a", "b": 1}', {"unescaped_quote"}),
    ('{"a": {"b": "Press "}" to go"}}', {"unescaped_quote"}),
    ('["say " "hi"", "c"]', {"unescaped_quote"}),
    ('["a" "b', {"unescaped_quote"}),
    ("{'a': 'the guests' room'}", {"single_quotes", "unescaped_quote"}),
    ("{'a': 'say 'yes', or'}", {"single_quotes", "unescaped_quote"}),
    ("{'a': 'x\", \"b\": 'y'}", {"single_quotes", "unescaped_quote"}),
    ("{“a”: “say “yes” now”}", {"smart_quotes", "unescaped_quote"}),
    ('{“a": 1}', {"smart_quotes", "unescaped_quote"}),
    ('{"a”: 1, "b": 2}', {"smart_quotes", "unescaped_quote"}),
    ('{"a": "hello.”}}', {"smart_quotes", "unescaped_quote"}),
    ("{‘a': 1}", {"smart_quotes", "unescaped_quote"}),
    ('{"a": "hel', {"truncated"}),
    ('{"a": "“hi”, she', {"truncated"}),
    ("{'a': 'hel", {"truncated"}),
    ('{"a": "x\\', {"truncated"}),
    ('{"a": "\\u00', {"truncated"}),
    ('{"a": "x",', {"truncated"}),
    ('{"a": "x", "b"', {"truncated"}),
    ('{"a": "x", b', {"truncated"}),
    ('{"a": ', {"truncated"}),
    ('{"a": tr', {"truncated"}),
    ('{"a": 12', {"truncated"}),
    ('{"a": -', {"truncated"}),
    ('{"a": ["x"', {"truncated"}),
    ('{"a": ["x", "b": 1}', {"truncated"}),
    ('{"a": ["x"}', {"truncated"}),
    ('{"a": 1]', {"truncated"}),
    ('{"a": , "b": 1}', {"truncated"}),
    ('{"a": 1,, "b": 1}', {"truncated"}),
    ('{, "a": 1}', {"truncated"}),
    ("[1,,2]", {"truncated"}),
    ("[,]", {"truncated"}),
    ('{"a": 1 // }', {"truncated"}),
    ('{"a": 1, // old "b": 2,\n "c": 3}', {"truncated"}),
    ('{"a": "\\u12g4"}', {"invalid_escape"}),
    ('{"a": "x\\\ny"}', {"invalid_escape"}),
    ('{"a": NaN}', {"nonfinite_number"}),
    ('{"a": -Infinity}', {"nonfinite_number"}),
    ('{"a": 1e999}', {"nonfinite_number"}),
    ('{"a": 007}', {"leading_zero_number"}),
    ('{"a": +5}', {"leading_zero_number"}),
    ('{"a": .5}', {"leading_zero_number"}),
    ('{"a": 5.}', {"leading_zero_number"}),
    ('{"a": 0x1F}', {"leading_zero_number"}),
    ('{"a": 1,000}', {"leading_zero_number"}),
    ('{"a": 1/2}', {"leading_zero_number"}),
    ("[12 345]", {"leading_zero_number"}),
    ('{"a": ' + "1" * 2000 + "}", {"big_int"}),
    ('{"a": yes}', {"no_json"}),
    ('{"a": true because}', {"no_json"}),
    ('{"a": undefined}', {"no_json"}),
    ('{"a": «x»}', {"no_json"}),
    ('{"a": `x`}', {"no_json"}),
    ("{current-intent: 1}", {"no_json"}),
    ('{"a": {"b": 1} then', {"missing_closer"}),
    ('{"a": [1] /* open }', {"missing_closer"}),
    ("[" * 65 + "]" * 65, {"too_deep"}),
]


@pytest.mark.parametrize(("text", "expected"), REFUSED)
def test_it_refuses_what_would_be_a_guess(text: str, expected: set[str]) -> None:
    """Where a value or a string's end would have to be guessed there is no value, and a fatal finding says why."""
    result = read(text)
    assert isinstance(result, Broken)
    assert {finding.code.partition(".")[2] for finding in result.findings if finding.fatal} == expected


def test_a_key_given_twice_with_two_values_gives_neither() -> None:
    """Neither value of an ambiguous key is in the tree; its pointer says where it was, also after a third time."""
    result = read('{"a": {"b": 1, "c": 0, "b": true, "b": 1}, "d": 2}')
    assert isinstance(result, Read)
    assert result.value == {"a": {"c": 0}, "d": 2}
    assert result.ambiguous == {"/a/b"}
    assert [(fix.code, fix.pointer, fix.fatal) for fix in result.fixes] == [("types.duplicate_key", "/a/b", True)]


def test_keys_are_compared_as_read() -> None:
    """An escape doesn't hide that a key is given twice, and types count: 1 and 1.0 and true are three values."""
    for text in ('{"a": 1, "\\u0061": 2}', '{"a": 1, "a": 1.0}', '{"a": [1], "a": [true]}', '{"a": {}, "a": {"b": 1}}'):
        result = read(text)
        assert isinstance(result, Read)
        assert result.value == {}


def test_a_flood_of_doubled_keys_is_unreadable() -> None:
    """With too many keys given twice nothing is relied on."""
    result = read("{" + "".join(f'"k{n}": 1, "k{n}": 2, ' for n in range(100)) + '"z": 1}')
    assert isinstance(result, Broken)
    assert codes(result) == {"duplicate_key"}


def test_a_flood_of_repairs_is_told_briefly() -> None:
    """The list of repairs stays short however many there are."""
    result = read("[" + "[1,]," * 1000 + "]")
    assert isinstance(result, Read)
    assert len(result.value) == 1000
    assert len(result.fixes) <= FIXES_MAX


def test_escapes_are_read_as_json_reads_them() -> None:
    """Pairs of surrogates become one character, half of one stays as it is."""
    result = read('"\\u00e9 \\ud83d\\ude0a \\ud83d \\ud83d\\u0041 \\"\\\\\\/\\b\\f\\n\\r\\t"')
    assert isinstance(result, Read)
    assert result.value == 'é 😊 \ud83d \ud83dA "\\/\b\f\n\r\t'


def test_a_repair_is_told_where_it_was_made() -> None:
    """The pointer of a repair names the field that was being read, escaped by RFC 6901."""
    result = read('{"a/b": [0, {"c~": True}]}')
    assert isinstance(result, Read)
    assert [fix.pointer for fix in result.fixes] == ["/a~1b/1/c~0"]


@given(VALUES)
def test_valid_json_is_read_as_the_library_reads_it(value: Any) -> None:
    """For any valid JSON text the value equals that of json.loads, and nothing is reported."""
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=2)):
        result = read(text + " ")
        assert isinstance(result, Read)
        assert result.value == json.loads(text)
        assert result.fixes == ()


CHIPS = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        " ",
        "\n",
        '"a"',
        '"b c"',
        "'d'",
        "“e”",
        "f",
        "true",
        "None",
        "12",
        "0.5",
        "// g\n",
        "\\",
        '"',
        "'",
        "”",
        "/*",
        "*/",
        "#",
        "\\u00e9",
        "é",
        "-",
        '{"h": ',
    ]
)


def scalars(value: Any) -> list[str]:
    """The scalar tokens of a tree in its order, as they may stand in a text."""
    if isinstance(value, dict):
        return [token for key, item in value.items() for token in (key, *scalars(item))]
    if isinstance(value, list):
        return [token for item in value for token in scalars(item)]
    return [value] if isinstance(value, str) else [str(value).lower()]


@given(st.lists(CHIPS, max_size=24).map("".join))
def test_every_token_of_a_mended_tree_stands_in_the_text_in_order(text: str) -> None:
    """Whatever is mended, no token is invented or moved; and nothing raises."""
    result = read(text)
    if isinstance(result, Broken):
        assert any(finding.fatal for finding in result.findings)
        return
    if result.ambiguous or "duplicate_key" in codes(result):
        return
    source = text.lower().replace("\\u00e9", "é")
    place = 0
    for token in scalars(result.value):
        for word in re.findall(r"\w+", token.lower().replace("\\u00e9", "é")):
            place = source.find(word, place)
            assert place >= 0, (text, result.value)
            place += len(word)


@given(st.text(alphabet=st.characters(exclude_categories=[])), st.integers(0, 70))
def test_random_text_never_raises(text: str, levels: int) -> None:
    """Any text gives a value or a reason."""
    result = read_value(text, 0, len(text), levels)
    assert isinstance(result, Read) or any(finding.fatal for finding in result.findings)
