"""Where a value comes from: whole tokens of the user's message, or only what the policy allows, in three languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.judge.pattern.examples import Examples
from guardrail.judge.policy import Parameter
from guardrail.judge.provenance import ALTERED, Origin, stands_whole, trace
from guardrail.judge.text import fold


def parameter(*normalise: str, **synonyms: str) -> Parameter:
    """A parameter that allows these differences."""
    words = {fold(word): value for word, value in synonyms.items()}
    return Parameter("p", "", "", None, frozenset(), Examples(), frozenset(normalise), words)


def origin(value: str, message: str, *normalise: str, history: tuple[str, ...] = (), **synonyms: str) -> Origin:
    """How the value stands to the message under these options."""
    return trace(value, message, parameter(*normalise, **synonyms), history).origin


WHOLE = [
    ("XKT904", "its XKT904"),
    ("XKT904", "XKT904!"),
    ("XKT904", "(XKT904)"),
    ("XKT904", "«XKT904»"),
    ("XKT904", "no.XKT904, thanks"),
    ("XKT904", "XKT9045 or XKT904"),
    ("06 12", "call 06 12"),
    ("10", "10:30 or 10"),
    ("19.90", "it was 19.90."),
    ("PLAN-M", "I want PLAN-M please"),
    ("a@b.co", "write to a@b.co"),
    ("été", "cet été-là ou été"),
    ("-5", "-5"),
    ("", "anything"),
]


@pytest.mark.parametrize(("value", "message"), WHOLE)
def test_whole_tokens_are_the_users_own_words(value: str, message: str) -> None:
    """Given a value that stands as whole tokens, then it is verbatim."""
    assert origin(value, message) is Origin.VERBATIM


CUT = [
    ("0612345678", "06123456789"),
    ("XKT90", "its XKT904"),
    ("KT904", "its XKT904"),
    ("PLAN", "PLAN-M"),
    ("M", "PLAN-M"),
    ("10", "at 10:30"),
    ("19", "19.90"),
    ("904", "XKT904"),
    ("b.co", "a@b.co"),
    ("ete", "e\u0301te\u0301"),
    ("5", "-5"),
]


@pytest.mark.parametrize(("value", "message"), CUT)
def test_a_piece_of_a_longer_token_is_cut(value: str, message: str) -> None:
    """Given a value that is a piece of a longer word, number or code, then it isn't the user's word."""
    assert not stands_whole(value, message)
    assert origin(value, message) in {Origin.CUT_FROM_TOKEN, Origin.UNICODE_ALTERED}


ALLOWED = [
    ("upper", "AB1234", "its ab1234"),
    ("lower", "ab1234", "its AB1234"),
    ("lower", "été", "l'ÉTÉ"),
    ("trim", " XKT904 ", "its XKT904"),
    ("collapse_spaces", "0612345678", "call 06 12 34 56 78"),
    ("collapse_spaces", "XKT904", "it is XKT 904."),
    ("spoken_digits", "4021", "four zero two one"),
    ("spoken_digits", "4021", "it ends in four oh two one thanks"),
    ("spoken_digits", "5544", "double five forty-four"),
    ("spoken_digits", "777", "triple seven"),
    ("spoken_digits", "21", "twenty one"),
    ("spoken_digits", "4021", "quatre zéro deux un"),
    ("spoken_digits", "0612345678", "zéro six douze trente-quatre cinquante-six soixante-dix-huit"),
    ("spoken_digits", "80", "quatre-vingts"),
    ("spoken_digits", "91", "quatre-vingt-onze"),
    ("spoken_digits", "71", "soixante et onze"),
    ("spoken_digits", "4021", "cuatro cero dos uno"),
    ("spoken_digits", "25", "veinticinco"),
    ("spoken_digits", "31", "treinta y uno"),
    ("spoken_digits", "5512", "doble cinco doce"),
    ("date_iso", "2026-12-24", "on 24 December 2026"),
    ("date_iso", "2026-12-24", "December 24th, 2026 please"),
    ("date_iso", "2026-12-24", "le 24 décembre 2026"),
    ("date_iso", "2026-12-24", "el 24 de diciembre de 2026"),
    ("date_iso", "2026-12-24", "24/12/2026"),
]


@pytest.mark.parametrize(("option", "value", "message"), ALLOWED)
def test_an_allowed_difference_is_allowed_and_only_where_allowed(option: str, value: str, message: str) -> None:
    """Given a value that differs only as one option allows, then it passes with the option and fails without."""
    assert origin(value, message, option) is Origin.ALLOWED
    assert origin(value, message) not in {Origin.ALLOWED, Origin.VERBATIM}


NOT_ALLOWED = [
    ("upper", "AB123", "its ab1234"),
    ("upper", "ab1234", "its AB1234"),
    ("collapse_spaces", "612345678", "call 06 12 34 56 78"),
    ("collapse_spaces", "0612345", "call 06 12 34 56 78"),
    ("spoken_digits", "4021", "four zero two"),
    ("spoken_digits", "42", "four cats, two dogs"),
    ("spoken_digits", "4021", "it ends in four zero two one five"),
    ("collapse_spaces", "0612345678", "call 06 12 34 56 78 9"),
    ("collapse_spaces", "12345678", "call 06 12 34 56 78"),
    ("date_iso", "2026-04-03", "on 04/03/2026 or 03/04/2026"),
    ("date_iso", "2026-02-30", "30 February 2026"),
    ("date_iso", "2026-12-25", "on 24 December 2026"),
    ("synonyms", "PLAN-M", "the medium one"),
    ("history", "XKT904", "yes"),
]


@pytest.mark.parametrize(("option", "value", "message"), NOT_ALLOWED)
def test_an_option_allows_nothing_more(option: str, value: str, message: str) -> None:
    """Given a value that differs by more than the option says, or is cut from a longer run, then it isn't allowed."""
    assert origin(value, message, option) not in {Origin.ALLOWED, Origin.VERBATIM, Origin.HISTORY}


@pytest.mark.parametrize(
    ("message", "word", "found"),
    [
        ("the medium one", "medium", True),
        ("the MEDIUM one", "medium", True),
        ("le forfait élevé", "élevé", True),
        ("the mediumish one", "medium", False),
        ("un plan de tamaño mediano", "tamaño mediano", True),
    ],
)
def test_a_synonym_is_a_whole_word_of_the_user(message: str, word: str, found: bool) -> None:
    """Given a configured synonym, then the value passes when the user said that word, case and accents aside."""
    wanted = Origin.ALLOWED if found else Origin.ABSENT
    assert origin("PLAN-M", message, "synonyms", **{word: "PLAN-M"}) is wanted


def test_options_join() -> None:
    """Given two options, then a value may differ by both at once."""
    assert origin("XKT904", "xkt 904", "upper", "collapse_spaces") is Origin.ALLOWED
    assert origin("XKT904", "xkt 904", "collapse_spaces") is not Origin.ALLOWED


def test_history_is_looked_at_last() -> None:
    """Given a value of an earlier turn, then history allows it, with the other options; the message comes first."""
    turns = ("it is xkt904",)
    assert origin("xkt904", "yes", "history", history=turns) is Origin.HISTORY
    assert origin("XKT904", "yes", "history", "upper", history=turns) is Origin.HISTORY
    assert origin("XKT904", "yes", "history", history=turns) is Origin.ABSENT
    assert origin("xkt904", "yes", history=turns) is Origin.ABSENT
    assert origin("xkt904", "xkt904", "history", history=turns) is Origin.VERBATIM


CHANGED = [
    ("AB1234", "its ab1234", Origin.CASE_ALTERED),
    ("straße", "in der STRASSE", Origin.CASE_ALTERED),
    ("XKT904", "its XK\u200bT904", Origin.UNICODE_ALTERED),
    ("ete", "en été", Origin.UNICODE_ALTERED),
    ("été", "en ete", Origin.UNICODE_ALTERED),
    ("1234", "its １２３４", Origin.UNICODE_ALTERED),
    ("1234", "its ١٢٣٤", Origin.UNICODE_ALTERED),
    ("ABC", "its ＡＢＣ", Origin.UNICODE_ALTERED),
    ("XKT904", "its XKT-904", Origin.SPACING_OR_PUNCTUATION_ALTERED),
    ("XKT-904", "its xkt 904", Origin.SPACING_OR_PUNCTUATION_ALTERED),
    ("06.12.34", "call 06 12 34", Origin.SPACING_OR_PUNCTUATION_ALTERED),
    ("2026-12-24", "24/12/2026", Origin.REWRITTEN),
    ("2026-03-04", "04/03/2026", Origin.REWRITTEN),
    ("+33612345678", "06 12 34 56 78", Origin.REWRITTEN),
]


@pytest.mark.parametrize(("value", "message", "wanted"), CHANGED)
def test_what_was_done_to_the_users_words_is_told(value: str, message: str, wanted: Origin) -> None:
    """Given a value made of the user's words by a change that nobody allowed, then the kind of change is told."""
    assert origin(value, message) is wanted
    assert wanted in ALTERED


def test_invisible_characters_are_told_even_of_a_verbatim_value() -> None:
    """Given invisible characters in value and message alike, then the value is verbatim and marked."""
    found = trace("XK\u200bT904", "XK\u200bT904", parameter(), ())
    assert (found.origin, found.invisible) == (Origin.VERBATIM, True)


def test_what_the_user_never_said_is_absent() -> None:
    """Given a value of no word of the user, then it is absent."""
    assert origin("ABC123", "cancel my stay", "upper", "collapse_spaces", "spoken_digits", "date_iso") is Origin.ABSENT


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_value_has_one_origin(value: str, message: str) -> None:
    """Given any value and message, then provenance answers without raising, and more options never take leave away."""
    alone = origin(value, message)
    every = origin(value, message, "trim", "upper", "lower", "collapse_spaces", "spoken_digits", "date_iso", "history")
    assert (alone is Origin.VERBATIM) == (every is Origin.VERBATIM)


@given(st.text(min_size=1, max_size=20))
def test_a_message_is_its_own_whole_token(value: str) -> None:
    """Given a message that is the value, then it stands whole."""
    assert stands_whole(value, value)


def test_a_value_that_is_blank_once_trimmed_stands_nowhere() -> None:
    """Given a value of blanks alone, then no message has it, however it is trimmed."""
    assert not stands_whole("", "0")
    assert origin("\r", "0", "trim") is not Origin.ALLOWED
