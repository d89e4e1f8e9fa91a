"""The referee: scenarios from public reports, limits, caches, and what a run says."""

from __future__ import annotations

import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from guardrail.judge.model import Execution
from guardrail.judge.pattern import execute
from guardrail.judge.pattern.referee import CACHED_PATTERNS, _light
from tests.judge.pattern.bombs import BOMBS

MATCHED, NOT_MATCHED = Execution.MATCHED, Execution.NOT_MATCHED

BOMB_S = 0.010 if sys.gettrace() is None else 0.050  # coverage slows Python down
ATTACKS = [
    ("^(\\w+\\s?)*$", "aaaa " * 10 + "!"),
    ("^(a+)+$", "a" * 255 + "!"),
    ("^(a|aa)+$", "a" * 255 + "!"),
    ("(?:\\w+\\s*)*$", "a" * 200 + "!"),
    ("^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 256),
    ("(.*)*(.*)*(.*)*x", "a" * 256),
    ("(x+x+)+y", "x" * 10),
    ("^" + "(" * 10 + "[a-z]+" + ")+" * 10 + "$", "abcdefghi!"),
    ("(?:" * 40 + "x*" + ")*" * 40, "x" * 255 + "y"),
]


@pytest.mark.parametrize(
    ("pattern", "value", "execution"),
    [
        ("^[A-Z]{3}\\d{3}$", "ABC123", MATCHED),
        ("^[A-Z]{3}\\d{3}$", "ABC123\n", NOT_MATCHED),
        ("[A-Z]{3}\\d{3}\\Z", "ABC123\n", NOT_MATCHED),
        ("^[$]\\d+$", "$5", MATCHED),
        ("^[\\^$]\\d+\\$$", "^5$", MATCHED),
        ("^/users/\\d+/$", "/users/42/", MATCHED),
        ("/users/\\d+/", "/users/42/", MATCHED),
        ("[\\w.]+@[\\w.]+\\.(com|org)", "x@y.commmmm", NOT_MATCHED),
        ("(?:\\w+\\s*)*$", "one two three", MATCHED),
        ("^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[!@#$]).{8,}$", "Abcdef1!", MATCHED),
        ("^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[!@#$]).{8,}$", "Abcdefg1", NOT_MATCHED),
        ("(?i)[а-я]+", "ПРИВЕТ", MATCHED),
        ("(?i)σ+", "ςΣσ", MATCHED),
        ("(?i)straße", "STRAẞE", MATCHED),
        ("\\d{4}", "\u0661\u0662\u0663\u0664", NOT_MATCHED),
        ("\\d{4}", "\uff11\uff12\uff13\uff14", NOT_MATCHED),
        ("(?i)k", "\u212a", NOT_MATCHED),
        ("(?i)\u212a", "k", NOT_MATCHED),
        ("(?i)[a-z]", "\u017f", NOT_MATCHED),
        ("(?i)[^a-z]", "\u017f", MATCHED),
        ("(?i)\u00e9t\u00e9", "\u00c9T\u00c9", MATCHED),
        ("(?i)[\u00e0-\u00fc]+", "\u00c9\u00dc", MATCHED),
        ("(?i)[^\u00e0-\u00fc]+", "\u00c9", NOT_MATCHED),
        ("(?i)\\p{Lu}+", "abc\u00e9", MATCHED),
        ("\\p{Lu}+", "ABc", NOT_MATCHED),
        ("[^\\p{L}]+", "12-\u0661", MATCHED),
        ("[^\\p{L}]+", "1\u00e9", NOT_MATCHED),
        ("[\\P{L}x]+", "1x\u0661", MATCHED),
        ("\\p{L}{1,100}", "Jos\u00e9", MATCHED),
        ("[\\u4e00-\\u9fa5]{2}", "\u5317\u4eac", MATCHED),
        ("\\uD83D\\uDE00", "\U0001f600", MATCHED),
        (".", "\U0001f600", MATCHED),
        (".", "\ud83d", NOT_MATCHED),
        ("[\\ud800-\\udfff]", "\ud83d", NOT_MATCHED),
        ("\ud83d", "\ud83d", NOT_MATCHED),
        ("a{2,3}|(?:b{40}){40}", "bb", NOT_MATCHED),
        ("(?:b{40}){40}", "b" * 256, NOT_MATCHED),
        ("(?:b{1,40}){1,40}", "b" * 256, MATCHED),
        ("a{0}", "", MATCHED),
        ("a{1,1}", "a", MATCHED),
        ("a{3,}", "aa", NOT_MATCHED),
        ("a{3,}", "aaaaa", MATCHED),
        ("()", "", MATCHED),
        ("[^\\s\\S]", "a", NOT_MATCHED),
        ("[\\s\\S]", "\u00e9", MATCHED),
    ],
)
def test_scenarios(pattern: str, value: str, execution: Execution) -> None:
    """A scenario of REGEX.md has its verdict."""
    assert execute(pattern, value).execution is execution


@pytest.mark.parametrize("bomb", BOMBS, ids=range(len(BOMBS)))
def test_bombs_are_refused_at_once(bomb: str) -> None:
    """A bomb costs less than 10 ms and 20 MB of Python's memory, and never matches."""
    tracemalloc.start()
    run = execute(bomb, "x")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    _light.cache_clear()
    times = []
    for _ in range(3):
        begun = time.process_time()
        execute(bomb, "x")
        times.append(time.process_time() - begun)
        _light.cache_clear()
    assert run.execution is not MATCHED
    assert peak < 20_000_000
    assert min(times) < BOMB_S


@pytest.mark.parametrize(("pattern", "value"), ATTACKS, ids=range(len(ATTACKS)))
def test_attacks_are_decided(pattern: str, value: str) -> None:
    """A pattern that hangs a backtracker gets a verdict, in less than 10 ms."""
    execute(pattern, value)
    begun = time.process_time()
    assert execute(pattern, value).execution is NOT_MATCHED or value == "a" * 256
    assert time.process_time() - begun < BOMB_S


def test_memory_stays_bounded_over_many_patterns() -> None:
    """10,000 distinct patterns leave at most the cache's size behind, and less than 64 MB."""
    before = _resident_mb()
    for number in range(10_000):
        assert execute(f"^ID-{number}-[A-Z]{{3}}\\d{{1,4}}$", f"ID-{number}-ABC1").execution is MATCHED
    assert _light.cache_info().currsize <= CACHED_PATTERNS
    assert _resident_mb() - before < 64


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def test_limits_are_the_callers_to_tighten() -> None:
    """A pattern or value over the given limit is refused before anything looks at it."""
    assert execute("a+", "aaaa", value_chars=3).execution is Execution.VALUE_TOO_LONG
    assert execute("a{1}", "a", pattern_chars=3).execution is Execution.UNSAFE
    assert execute("a" * 1001, "a").execution is Execution.UNSAFE
    assert execute("a+", "a" * 257).execution is Execution.VALUE_TOO_LONG


def test_a_run_says_who_decided_and_what_was_done() -> None:
    """Repairs and suspicions stand in the run, whatever the verdict."""
    run = execute("```regex\n/^\\d{3}$/i\n```", "123")
    assert (run.execution, run.tier, run.repairs) == (MATCHED, "re2", ("fence", "delimiters"))
    assert execute("^\x08\\d+$", "1").suspicions == ("control_char",)
    refused = execute("/^(\\\\d$/", "1")
    assert (refused.execution, refused.tier) == (Execution.INVALID, "none")
    assert (refused.repairs, refused.suspicions) == (("delimiters",), ("overescaped_suspected",))


def test_a_reason_never_quotes() -> None:
    """The reason of a refusal holds neither the pattern nor the value."""
    run = execute("(secretpattern", "secretvalue")
    assert run.execution is Execution.INVALID
    assert "secret" not in run.reason


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """A refused pattern leaves no trace on stdout or stderr."""
    for pattern in ["(", "(?P<a", "\\p{Nope}", "a{1001}", *BOMBS]:
        execute(pattern, "x")
    assert capfd.readouterr() == ("", "")


def test_a_heavy_pattern_is_run_too() -> None:
    """A pattern too large for the light cache is run by the heavy one, or refused by its memory."""
    heavy = "(?:[A-Za-z0-9]{1,400}-){2}x"
    assert execute(heavy, "ab-cd-x").execution is MATCHED
    assert execute(heavy, "ab-cd-y").execution is NOT_MATCHED
    ranges = "".join(chr(code) for code in range(33, 127, 2) if chr(code).isalnum())
    wide = f"[{ranges}]{{100}}"
    assert execute(wide, "A" * 99).execution is NOT_MATCHED
    assert execute(wide * 15, "A").execution is Execution.UNSAFE


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("".join(chr(0x4E00 + i) for i in range(300)), "too many kinds"),
        ("".join(f"[{chr(0x4E00 + i)}-{chr(0x5000 + i)}]" for i in range(90)), "too many kinds"),
        ("".join(f"[\\p{{Lu}}{i}]" for i in range(7)), "too many kinds"),
        ("[\\p{L}\\p{Lu}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{C}\\p{Greek}]", "too many kinds"),
        ("(\\d)\\1" + "".join(chr(0x4E00 + i) for i in range(300)), "too many kinds"),
        ("(?i)" + "".join(chr(0x410 + i) for i in range(30)) + "(?:[acegikmoqsuwy].){900}", "memory"),
    ],
)
def test_too_many_kinds_beyond_ascii(pattern: str, reason: str) -> None:
    """A pattern whose alphabet is too large is refused, not run slowly."""
    assert reason in execute(pattern, "x").reason


def test_the_same_question_has_the_same_answer() -> None:
    """A cached run equals the first one."""
    for pattern in ["^\\d+$", "(", "(?=a)b", "(?:[A-Z]{1,300}-){3}"]:
        first = execute(pattern, "12x")
        _light.cache_clear()
        assert execute(pattern, "12x") == execute(pattern, "12x") == first


@pytest.mark.parametrize(
    ("pattern", "value", "hint"),
    [
        ("^[A-Z]{3}$", "abc", "case_only"),
        ("^[A-Z]{3}$", "ABC\n", "trailing_newline"),
        ("^[A-Z]{3}$", "ABC\r\n", "trailing_newline"),
        ("^[A-Z]{3}$", " ABC", "surrounding_space"),
        ("^\\d{3}$", "\u0661\u0662\u0663", "unicode_digits"),
        ("^\\d{2} \\d{2}$", "12\u00a034", "unicode_space"),
        ("^[A-Z]{3}$", "A\u200bBC", "invisible_chars"),
        ("^\\\\d{3}$", "123", "double_escape_suspected"),
        ("[A-Z]{3}", "xABCx", "partial_match"),
    ],
)
def test_hints(pattern: str, value: str, hint: str) -> None:
    """A mismatch comes with what would have to differ, and stays a mismatch."""
    run = execute(pattern, value)
    assert run.execution is NOT_MATCHED
    assert hint in run.hints
    assert execute(pattern, value, hints=False).hints == ()


def test_hints_only_beside_a_mismatch() -> None:
    """A match, a refusal and what is over a limit have no hints."""
    assert execute("^[a-z]+$", "abc").hints == execute("(", "abc").hints == ()
    assert execute("a", "a" * 1000).hints == execute("a" * 1001, "b").hints == ()
    assert execute("(?i)[\u0430]{400}x", "b").hints == ()
    assert execute("^\\\\d(?:\\\\.{900}){2}$", "x").hints == ()
