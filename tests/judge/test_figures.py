"""Figures as they are written and spoken in en, fr and es."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guardrail.judge.figures import Figure, read_figures, same_figure
from guardrail.judge.lexicon.figures import CURRENCIES, HUNDREDS, MONTHS, UNITS, WEEKDAYS
from guardrail.judge.lexicon.words import word_set
from guardrail.judge.speech import NUMBER_WORDS
from guardrail.judge.tokens import Token, tokenise

HOUR, DAY, WEEK, MONTH, YEAR = 60, 1_440, 10_080, 43_200, 518_400


def read(text: str) -> list[Figure]:
    """The figures of a text."""
    return list(read_figures(tokenise(text)))


def told(text: str) -> list[tuple[str, float]]:
    """What the figures of a text say."""
    return [(figure.kind, figure.value) for figure in read(text)]


def only(text: str) -> Figure:
    """The one figure of a text."""
    (figure,) = read(text)
    return figure


MONEY = [
    ("It costs £250.", 250),
    ("a $6.95 return fee", 6.95),
    ("CHF 68", 68),
    ("68 CHF", 68),
    ("£4.5k", 4_500),
    ("$2 million", 2_000_000),
    ("half a pound", 0.5),
    ("a pound", 1),
    ("50 p extra", 0.5),
    ("five pounds fifty", 5.5),
    ("5 euros and 20 cents", 5.2),
    ("two hundred and fifty euros", 250),
    ("1.690,50 €", 1690.5),
    ("dix-neuf euros cinquante", 19.5),
    ("19 € 50", 19.5),
    ("neuf euros quarante", 9.4),
    ("un euro cinquante", 1.5),
    ("une vingtaine d'euros", 20),
    ("mille six cent quatre-vingt-dix euros", 1690),
    ("deux cents euros", 200),
    ("diecinueve euros con cincuenta", 19.5),
    ("cinco euros y veinte céntimos", 5.2),
    ("mil doscientos treinta y cinco euros", 1235),
    ("once euros", 11),
]
DURATIONS = [
    ("within 48 hours", 2 * DAY),
    ("an hour-and-a-half wait", 90),
    ("an hour and a quarter", 75),
    ("24 heures trente", DAY),
    ("one and a half hours", 90),
    ("two and a half days", 2.5 * DAY),
    ("half an hour", 30),
    ("three quarters of an hour", 45),
    ("each further quarter hour", 15),
    ("a fortnight", 14 * DAY),
    ("two fortnights", 28 * DAY),
    ("10 working days", 10 * DAY),
    ("a couple of weeks", 2 * WEEK),
    ("sous sept jours", 7 * DAY),
    ("une demi-journée", DAY / 2),
    ("tous les quarts d'heure", 15),
    ("une quinzaine", 15 * DAY),
    ("une quinzaine de minutes", 15),
    ("cela prend deux heures et quart", 135),
    ("une séance de deux heures et demie", 150),
    ("elle dure 1 h 30", 90),
    ("compter deux heures vingt", 140),
    ("ouvert 24 h/24 et pendant 8 h", DAY),
    ("media hora", 30),
    ("una hora y media", 90),
    ("un mes y medio", 1.5 * MONTH),
    ("doce meses", YEAR),
    ("veinticuatro horas", DAY),
]
CLOCKS = [
    ("at 8:30", 830),
    ("at 8:30 pm", 2030),
    ("at 8.30 p.m. sharp", 2030),
    ("until 5 p.m.", 1700),
    ("12 am", 0),
    ("12 pm", 1200),
    ("15 pm", 1500),
    ("at 8 o'clock", 800),
    ("half past eight", 830),
    ("half twelve", 1230),
    ("at half two", 230),
    ("half twelve at night", 30),
    ("a quarter to nine", 845),
    ("twenty past ten in the evening", 2220),
    ("seven in the morning", 700),
    ("noon", 1200),
    ("midnight", 0),
    ("à 8 h 30", 830),
    ("avant 10 h", 1000),
    ("à huit heures trente", 830),
    ("à deux heures et quart", 215),
    ("jusqu'à huit heures moins le quart", 745),
    ("à huit heures moins dix", 750),
    ("à sept heures du soir", 1900),
    ("trois heures de l'après-midi", 1500),
    ("midi et demi", 1230),
    ("vers midi", 1200),
    ("à partir de 18 h", 1800),
    ("las siete y media de la tarde", 1930),
    ("las ocho menos diez", 750),
    ("la una y cuarto", 115),
    ("a las 3 de la tarde", 1500),
    ("10:00 h", 1000),
    ("medianoche", 0),
]
PERCENTS = [
    ("20 % off", 20),
    ("five percent", 5),
    ("half the price", 50),
    ("three quarters", 75),
    ("a third of the fee", 100 / 3),
    ("dix pour cent", 10),
    ("deux tiers", 200 / 3),
    ("la moitié", 50),
    ("tres por ciento", 3),
    ("un cuarto del precio", 25),
]
DATES = [
    ("24 December", 1224),
    ("the 1st of March", 301),
    ("by May 20.", 520),
    ("May 2nd", 502),
    ("2 May", 502),
    ("le 1er août", 801),
    ("douze mai", 512),
    ("le 12 janvier", 112),
    ("el 3 de enero", 103),
]
COUNTS = [
    ("two dozen eggs", 24),
    ("half a dozen", 6),
    ("twice a week", 2),
    ("once a month", 1),
    ("3 guests", 3),
    ("5 per table", 5),
    ("they march 3 abreast", 3),
    ("no more than 30 past", 30),
    ("one hundred and five thousand people", 105_000),
    ("a thousand people", 1_000),
    ("3 dozen", 36),
    ("une fois par an", 1),
    ("vingt et un élèves", 21),
    ("soixante et onze places", 71),
    ("soixante-dix-sept places", 77),
    ("quatre-vingt-un élèves", 81),
    ("mille places", 1_000),
    ("trois millions", 3_000_000),
    ("cinco alumnos", 5),
    ("treinta y cinco alumnos", 35),
    ("una vez al mes", 1),
]
MEASURES = [
    ("2 km", "length", 2_000_000),
    ("10 inches", "length", 254),
    ("deux cent vingt mètres", "length", 220_000),
    ("20 kilos", "mass", 20_000),
    ("dos kilos y medio", "mass", 2_500),
    ("500 ml", "volume", 500),
    ("trois litres", "volume", 3_000),
    ("5 GB", "size", 5_000),
    ("20 Go", "size", 20_000),
]


@pytest.mark.parametrize(("text", "value"), MONEY)
def test_money_is_read(text: str, value: float) -> None:
    """Given an amount in any spelling, then it is that much money, cents and all."""
    assert told(text) == [("money", pytest.approx(value))]


@pytest.mark.parametrize(("text", "minutes"), DURATIONS)
def test_a_duration_is_read_in_minutes(text: str, minutes: float) -> None:
    """Given a span of time, then it is a duration in minutes."""
    assert told(text)[0] == ("duration", pytest.approx(minutes))


@pytest.mark.parametrize(("text", "value"), CLOCKS)
def test_a_time_of_day_is_read(text: str, value: float) -> None:
    """Given a time of day, then it is hours and minutes of the day where its half of the day is told."""
    assert told(text) == [("clock", value)]


@pytest.mark.parametrize(("text", "value"), PERCENTS)
def test_a_share_is_read_in_percent(text: str, value: float) -> None:
    """Given a percentage or a part, then it is a share in percent."""
    assert told(text) == [("percent", pytest.approx(value))]


@pytest.mark.parametrize(("text", "value"), DATES)
def test_a_day_of_a_month_is_read(text: str, value: float) -> None:
    """Given a day and a month, then it is a date."""
    assert told(text) == [("date", value)]


@pytest.mark.parametrize(("text", "value"), COUNTS)
def test_a_count_is_read(text: str, value: float) -> None:
    """Given a number of things or of times, then it is a count."""
    assert told(text) == [("count", value)]


@pytest.mark.parametrize(("text", "kind", "value"), MEASURES)
def test_a_measure_is_read_in_its_smallest_unit(text: str, kind: str, value: float) -> None:
    """Given a length, mass, volume or size, then it is of that kind, in mm, g, ml or MB."""
    assert told(text) == [(kind, pytest.approx(value))]


@pytest.mark.parametrize(
    "text",
    [
        "a third party",
        "a second visit",
        "un tiers responsable",
        "l'assurance au tiers",
        "une vez que llegue",
        "une fois que vous êtes là",
        "living quarters",
        "24/7",
        "1.2.3",
        "8:75",
        "3:1",
        "cela dure une éternité",
        "sept",
        "dans l'après-midi",
        "once you arrive",
        "a cent",
        "thousand",
        "une",
    ],
)
def test_what_says_no_figure_is_none(text: str) -> None:
    """Given words that only look like a figure, then there is none."""
    assert read(text) == []


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Monday to Friday", [0, 1, 2, 3, 4]),
        ("du lundi au mercredi", [0, 1, 2]),
        ("de viernes a lunes", [4, 5, 6, 0]),
        ("Monday and Friday", [0, 4]),
        ("from Tuesday to Wednesday", [1, 2]),
    ],
)
def test_days_of_the_week_are_read_with_those_between(text: str, days: list[int]) -> None:
    """Given days of the week, then each is one, and a range of them holds the days inside it."""
    assert told(text) == [("day", day) for day in days]


def test_a_day_inside_a_range_stands_where_the_range_does() -> None:
    """Given a range of days, then the days inside span it, from its first to its last token."""
    assert [(day.first, day.last) for day in read("Monday to Wednesday")] == [(0, 0), (0, 2), (2, 2)]


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("24 to 48 hours", [("duration", DAY), ("duration", 2 * DAY)]),
        ("9-12 weeks", [("duration", 9 * WEEK), ("duration", 12 * WEEK)]),
        ("cinq à sept jours", [("duration", 5 * DAY), ("duration", 7 * DAY)]),
        ("entre 10 y 20 euros", [("money", 10), ("money", 20)]),
        ("10 to 20 cents", [("money", 0.1), ("money", 0.2)]),
        ("10 ou 19 euros 50", [("money", 10), ("money", 19.5)]),
        ("9 to 12 pm", [("clock", 900), ("clock", 1200)]),
        ("3 to 7 km", [("length", 3_000_000), ("length", 7_000_000)]),
        ("5 or 10 %", [("percent", 5), ("percent", 10)]),
        ("3 and 4 May", [("date", 503), ("date", 504)]),
        ("30 or Monday", [("count", 30), ("day", 0)]),
        ("2 adults and 10 euros", [("count", 2), ("money", 10)]),
        ("3 or half", [("percent", 50)]),
        ("half past 30 days", [("percent", 50), ("duration", 30 * DAY)]),
        ("vingt et trois euros", [("money", 20), ("money", 3)]),
        ("ouvert le matin de neuf heures", [("clock", 900)]),
        ("5 % a week", [("percent", 5), ("duration", WEEK)]),
    ],
)
def test_the_first_of_a_range_counts_what_the_second_does(text: str, figures: list[tuple[str, float]]) -> None:
    """Given two figures that end a range, then a first one without a unit takes the second one's."""
    assert told(text)[-len(figures) :] == [(kind, pytest.approx(value)) for kind, value in figures]


def test_a_count_in_a_range_counts_the_same_things() -> None:
    """Given a range of counts, then both count what stands behind the second."""
    assert [figure.unit for figure in read("3 to 4 guests")] == ["guest", "guest"]


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("8 euros monthly", "month"),
        ("$11 a quarter", "quarter"),
        ("5 euros a week", "week"),
        ("5 euros par heure", "hour"),
        ("5 € l'heure", "hour"),
        ("5 € les 15 minutes", "15"),
        ("una vez al mes", "month"),
        ("twice every 30 days", "month"),
        ("20 euros por persona", "person"),
        ("20 euros. Per week", ""),
        ("10 euros in total for the whole of it per week", ""),
    ],
)
def test_what_a_figure_is_per_is_its_rate(text: str, rate: str) -> None:
    """Given a figure and what it is per, then that is its rate; else it has none."""
    assert read(text)[0].rate == rate


@pytest.mark.parametrize(
    ("text", "unit"),
    [("3 adultos", "person"), ("2 séances", "lesson"), ("3 veces", "time"), ("40 marks", "mark"), ("3 of them", "")],
)
def test_a_count_says_what_it_counts(text: str, unit: str) -> None:
    """Given a count, then its unit is a known one, else the stem of the noun behind it."""
    assert only(text).unit == unit


def test_a_figure_keeps_every_digit_of_what_was_written() -> None:
    """Given figures longer than a float holds, then they are told apart by their digits."""
    a, b = only("1234567890123456"), only("1234567890123457")
    assert a.bare == "1234567890123456"
    assert not same_figure(a, b)


FORMS = word_set(
    "half quarter past to a an et y demi media . , – : % h 30 8:30 9 0 per the de la moins p m am mille mil cents k"
)
WORDS = sorted({*NUMBER_WORDS, *HUNDREDS, *UNITS, *CURRENCIES, *MONTHS, *WEEKDAYS, *FORMS, "9" * 400})
FIGURED = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


@given(st.one_of(st.text(), FIGURED))
@example("½ " + "9" * 400)
def test_any_text_gives_figures_in_order_and_in_range(text: str) -> None:
    """Given any text, then its figures stand inside it, in order, and each is the same as itself."""
    tokens = tokenise(text)
    figures = read_figures(tokens)
    assert all(0 <= figure.first <= figure.last < len(tokens) for figure in figures)
    assert [figure.first for figure in figures] == sorted(figure.first for figure in figures)
    assert all(same_figure(figure, figure) for figure in figures)


@given(FIGURED, FIGURED)
def test_sameness_is_symmetrical(left: str, right: str) -> None:
    """Given any two figures, then the first is the same as the second when the second is as the first."""
    for a in read(left):
        for b in read(right):
            assert same_figure(a, b) == same_figure(b, a)


TEXTS = st.one_of(st.text(), st.sampled_from(WORDS))
TOKENS = st.lists(st.builds(lambda text, kind: Token(text, 0, 1, kind, False, text), TEXTS, st.sampled_from("wnsp")))


@given(TOKENS)
@example([Token("nan", 0, 3, "n", False, "nan")])
def test_any_tokens_give_figures(tokens: list[Token]) -> None:
    """Given tokens of no tokeniser of ours, then reading them raises nothing."""
    assert all(figure.last < len(tokens) for figure in read_figures(tokens))


@pytest.mark.parametrize("word", ["mille trois ", "half a ", "5 euros ", "of ", "half of ", "Monday to ", "a quarter "])
def test_reading_is_linear(word: str) -> None:
    """Given eight times the text, then reading takes about eight times as long, not sixty-four."""

    def seconds(text: str) -> float:
        tokens = tokenise(text)
        start = time.process_time()
        read_figures(tokens)
        return time.process_time() - start

    short = min(seconds(word * 1_000) for _ in range(3))
    assert min(seconds(word * 8_000) for _ in range(3)) < 24 * short + 0.01
