"""The report as a page: complete in itself, safe with any name, readable without seeing it."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from samovar.arena.outcome import Outcome, Tournament
from samovar.arena.page import page, write_page
from samovar.arena.ratings import Standings, standings
from support.made_up import made_up

EVIL = '<script>alert("1")</script>'
VOID = ("meta", "br")


class Reader(HTMLParser):
    """Reads a page and complains when its elements are not properly nested."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.hidden: list[bool] = []  # for each seen element: whether it is for the eye only
        self.said = ""
        self.feed(text)
        self.close()
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attributes}) == len(attributes), f"an attribute twice in {tag}"
        self.seen.append((tag, dict(attributes)))
        self.hidden.append(any("aria-hidden" in names for _, names in [*self.open, self.seen[-1]]))
        if tag not in VOID:
            self.open.append(self.seen[-1])

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if not any(tag == "style" for tag, _ in self.open):
            self.said += data

    def count(self, tag: str) -> int:
        return sum(seen == tag for seen, _ in self.seen)


def example() -> Standings:
    true = {"expert": 1.5, "hard": 0.9, EVIL: 0.0, "random": -1.5}
    return standings(*made_up(true, 3, 20, 7, ties=0.2, forfeits={EVIL: "raised <b>Oops</b> & died"}))


def one_match() -> Standings:
    held = Tournament("memoarrrr", ("a", "b"), 2, 1, 1, {})
    return standings(held, [Outcome(0, 0, ("a", "b"), (7, 7), (1, 1), 12)])


def forfeits_only() -> Standings:
    held = Tournament("memoarrrr", ("a", "b"), 2, 1, 1, {})
    return standings(
        held, [Outcome(number, number, ("a", "b"), (0, 0), (2, 1), 0, 0, "fell asleep") for number in range(6)]
    )


ALL = [example, one_match, forfeits_only, lambda: standings(made_up({"a": 0.0, "b": 0.0}, 2, 1, 1)[0], [])]
IDS = ["example", "one match", "forfeits only", "nothing"]


@pytest.mark.parametrize("make", ALL, ids=IDS)
def test_page_is_well_formed_and_readable_without_seeing_it(make) -> None:
    read = Reader(page(make()))
    assert read.count("h1") == 1
    assert read.count("title") == 1
    for number, (tag, attributes) in enumerate(read.seen):
        if tag == "svg" and not read.hidden[number]:
            assert attributes["role"] == "img"
            assert attributes["aria-label"]
        if tag == "th":
            assert attributes["scope"] in ("col", "row")
    assert read.count("table") == read.count("caption")
    assert "nan" not in read.said.lower()
    assert "None " not in read.said.replace("None: every bot", "")


@pytest.mark.parametrize("make", ALL, ids=IDS)
def test_everything_drawn_is_inside_its_plot(make) -> None:
    shares = [float(share) for share in re.findall(r'(?:x|x1|x2|cx|width)="(-?[\d.]+)%"', page(make()))]
    assert shares
    assert all(0 <= share <= 100 for share in shares)


def test_page_needs_nothing_else() -> None:
    text = page(example())
    assert not re.search(r"https?:|src=|href=|url\(|@import|<script|<link|<img|<iframe|\son\w+=", text)
    assert "default-src 'none'" in text


def test_names_and_reasons_are_escaped() -> None:
    read = Reader(page(example()))
    assert read.count("script") == 0
    assert read.count("b") == 0
    assert EVIL in read.said
    assert "raised <b>Oops</b> & died" in read.said
    assert any(EVIL in (attributes.get("aria-label") or "") for _, attributes in read.seen)


def test_page_tells_all_that_was_asked() -> None:
    result = example()
    said = Reader(page(result)).said
    for title in (
        "Ratings",
        "One against the other",
        "Does it matter which player one is?",
        "Scores and lengths",
        "Thinking time",
        "Forfeits",
    ):
        assert title in said
    assert "samovar arena memoarrrr --bots" in said
    for bot in result.bots:
        assert f"{bot.rating:.0f}" in said
        assert f"{bot.low:.0f} to {bot.high:.0f}" in said


def test_matrix_has_both_sides_of_a_pair() -> None:
    result = example()
    pair = result.pairs[0]
    assert pair.win_share is not None
    assert pair.low is not None
    assert pair.high is not None
    text = page(result)
    assert f"{100 * pair.win_share:.1f} %<small>{100 * pair.low:.1f} to {100 * pair.high:.1f}</small>" in text
    assert (
        f"{100 - 100 * pair.win_share:.1f} %<small>{100 - 100 * pair.high:.1f} to {100 - 100 * pair.low:.1f}</small>"
        in text
    )


def test_no_forfeits_are_told_as_such() -> None:
    assert "every bot answered every time" in page(one_match())


def test_page_is_written_to_its_file(tmp_path: Path) -> None:
    result = example()
    write_page(result, tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page(result)
