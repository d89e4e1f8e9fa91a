"""Dates in a sentence: only what two people would read alike."""

from __future__ import annotations

import pytest

from guardrail.judge.dates import dates_in

PLAIN = [
    ("2026-12-24", ["2026-12-24"]),
    ("on 24 December 2026", ["2026-12-24"]),
    ("24th of December 2026", ["2026-12-24"]),
    ("Dec 24, 2026", ["2026-12-24"]),
    ("September 1st 2026", ["2026-09-01"]),
    ("le 1er août 2026", ["2026-08-01"]),
    ("le 24 décembre 2026", ["2026-12-24"]),
    ("el 3 de enero de 2027", ["2027-01-03"]),
    ("24/12/2026", ["2026-12-24"]),
    ("24.12.2026", ["2026-12-24"]),
    ("12/24/2026", ["2026-12-24"]),
    ("05/05/2026", ["2026-05-05"]),
    ("29 February 2028", ["2028-02-29"]),
    ("29/02/2000", ["2000-02-29"]),
]


@pytest.mark.parametrize(("text", "dates"), PLAIN)
def test_a_plain_date_is_read(text: str, dates: list[str]) -> None:
    """Given a date that can be read one way, then it is that date in ISO form."""
    assert dates_in(text) == dates


NONE = [
    "04/03/2026",
    "tomorrow",
    "24 December",
    "30 February 2026",
    "29 February 2026",
    "29 February 2100",
    "2026-13-01",
    "2026-00-10",
    "32/01/2026",
    "00/00/2026",
    "24/12/26",
    "12345-12-24",
    "2026-12-245",
]


@pytest.mark.parametrize("text", NONE)
def test_an_ambiguous_or_impossible_date_is_none(text: str) -> None:
    """Given a date that two people would read differently, or that no calendar has, then there is none."""
    assert dates_in(text) == []


def test_both_readings_may_be_asked_for() -> None:
    """Given an ambiguous date, then both readings are given to a caller who asks for them."""
    assert dates_in("04/03/2026", both_orders=True) == ["2026-03-04", "2026-04-03"]
    assert dates_in("24/12/2026", both_orders=True) == ["2026-12-24"]


def test_several_dates_are_all_found() -> None:
    """Given two dates, then both are found."""
    assert set(dates_in("from 1 May 2026 to 2026-05-03")) == {"2026-05-01", "2026-05-03"}
