"""The page: one file that needs nothing else, readable without its pictures, and honest about what it can't tell."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from guardrail.calibration.answers import Answer, Calibration
from guardrail.calibration.curves import Prices
from guardrail.report.charts import BAD, GOOD
from guardrail.report.page import page
from tests.calibration.labelled import calibration

PRICES = Prices()
BOTH = calibration([n / 10 for n in range(60)], [3 + n / 10 for n in range(40)])
GOOD_ONLY = calibration([n / 10 for n in range(25)])
FEW = calibration([0.5, 1.0], [2.0])
NOTHING = calibration([], [], Answer(True, None, None, "unreadable"))
PAPERS = ("#ffffff", "#14161a")
VOID = {"meta", "br"}


class Reader(HTMLParser):
    """Reads a page as a browser does: what is open, every id, every reference, every tag."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: set[str] = set()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes a tag that opens."""
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes a tag's ids and references."""
        found = dict(attrs)
        self.tags.append((tag, found))
        self.ids += [value for key, value in attrs if key == "id" and value]
        self.references |= {match for _, value in attrs for match in re.findall(r"url\(#([^)]+)\)", value or "")}
        self.references |= {value[1:] for key, value in attrs if key == "href" and value}
        self.references |= {value for key, value in attrs if key == "aria-labelledby" and value}

    def handle_endtag(self, tag: str) -> None:
        """Closes what was opened last."""
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def whole() -> str:
    """A page on several agents."""
    return page([BOTH, GOOD_ONLY, FEW, NOTHING], PRICES)


def text_of(text: str) -> str:
    """A page's words, pictures left out."""
    return " ".join(re.sub(r"<(svg|style)\b.*?</\1>|<[^>]+>", " ", text, flags=re.DOTALL).split())


def test_the_page_needs_nothing_else(whole: str) -> None:
    """Given a page, then it is well-formed, has no script and no address, and what it refers to is in it, once."""
    read = Reader(whole)
    assert read.open == []
    assert len(read.ids) == len(set(read.ids))
    assert read.references
    assert read.references <= set(read.ids)
    assert not {tag for tag, _ in read.tags} & {"script", "link", "img", "iframe", "object", "embed"}
    assert not re.search(r"https?:|//\w|@import|\bon\w+=", whole)


def test_every_picture_is_told_in_words(whole: str) -> None:
    """Given a page, then each picture is named for who can't see it, and each figure has a caption."""
    tags = Reader(whole).tags
    pictures = [attributes for tag, attributes in tags if tag == "svg"]
    assert len(pictures) == 4 + 1 + 3  # of both labels, of good answers alone, of few, of none
    assert all(one["role"] == "img" and len(one["aria-label"] or "") > 40 for one in pictures)
    assert [tag for tag, _ in tags].count("figcaption") == len(pictures)


def test_the_same_answers_give_the_same_page() -> None:
    """Given the same answers twice, then the pages are the same to the byte, and hold no day."""
    again = Calibration(BOTH.agent, BOTH.level, BOTH.answers)
    assert page([BOTH], PRICES) == page([again], PRICES)
    assert not re.search(r"20\d\d-\d\d", page([BOTH], PRICES))


def test_good_answers_alone_give_no_curves() -> None:
    """Given no bad answers, then there are the risks alone, and the page says that nothing is known of catching."""
    text = text_of(page([GOOD_ONLY], PRICES))
    assert "Threshold 2.4." in text
    assert "How many bad answers are caught: none is labelled." in text
    assert "Telling bad from good" not in text
    assert "What a threshold costs" not in text


def test_what_few_answers_cant_show_is_said() -> None:
    """Given too few answers, then the page gives no threshold and says what is too vague to conclude."""
    text = text_of(page([FEW], PRICES))
    assert "No threshold. Level 0.05 needs at least 19 documents with known-good answers; there are 2." in text
    assert "2 good and 1 bad answers leave the area and costs vague" in text
    assert "Is the promise kept?" not in text
    assert "# Annotate only" in text


def test_a_risk_that_tells_nothing_apart_is_called_a_coin() -> None:
    """Given good and bad answers of the same risks, then the page says that the area may be a coin's."""
    same = [n / 10 for n in range(40)]
    assert "holds 0.5, a coin" in text_of(page([calibration(same, same)], PRICES))
    assert "a coin" not in text_of(page([BOTH], PRICES))


def test_what_doesnt_count_is_counted() -> None:
    """Given answers without a risk and answers in conflict, then the page tells how many, and what they mean."""
    others = [Answer(True, None, None, "nothing_to_check"), Answer(False, None, None, "unreadable")]
    found = calibration([1.0] * 30, [2.0] * 30, *others, Answer(True, None, 3.0, "unsupported", conflict=True))
    text = text_of(page([found], PRICES))
    assert "not counted: nothing to check 1 0" in text
    assert "not counted: unreadable 0 1" in text
    assert "acted on whatever the threshold 1 0" in text
    assert "bad answers without a risk (1)" in text
    assert "for a conflict or a promise: 1 of them" in text


def test_prices_are_told_with_their_costs() -> None:
    """Given prices, then the caption names them and the cost of the threshold."""
    text = text_of(page([BOTH], Prices(2, 7.5)))
    assert "A flagged good answer costs 2, a missed bad one 7.5; 1,000 answers, 40% of them bad" in text
    assert "The threshold costs " in text


def test_names_are_shown_not_run() -> None:
    """Given an agent whose name is markup, then it is text on the page."""
    text = page([calibration(range(20), agent="<script>alert(1)</script>")], PRICES)
    assert "<script" not in text
    assert "&lt;script&gt;" in text


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("colour", [GOOD, BAD])
def test_curves_stand_out_on_either_paper(colour: str, paper: str) -> None:
    """Given a curve's colour, then its contrast is at least 3:1 on light and on dark paper (WCAG 2.2, 1.4.11)."""
    dark, light = sorted((_luminance(colour), _luminance(paper)))
    assert (light + 0.05) / (dark + 0.05) >= 3
