"""Babuschka in a browser: exactly the legal moves can be clicked, the board is turned to its
viewer, covered dolls stay covered, the end is told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from samovar import Match
from samovar.games.babuschka import GAME
from samovar.games.babuschka.face import FACE, board, last_move, last_way, memory, round_table, say, say_step, truth
from samovar.language.languages import LANGUAGES
from samovar.web.drawing.render import draw_sheet, draw_table
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person
from support.markup import Reader

NAMES = ("Anna", "Boris", "Chloé & co", "Dmitri")
FOLDER = Path(GAME.folder)
COVERED: dict[str, Any] = {"dolls": {"d4": "0S 1M 0L", "f5": "0M", "g5": "1L"}, "turn": 0}


class Page(Reader):
    """The elements of some HTML as (tag, attributes), and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, attribute: str, tag: str | None = None) -> list[str]:
        return [
            attributes[attribute]
            for name, attributes in self.elements
            if attribute in attributes and tag in (None, name)
        ]


def scene(match: Match, seat: int | None, language: str = "en", picked: tuple[str, ...] = (), **more: Any) -> Any:
    return make_scene(match, seat, language, [Person(name) for name in NAMES[: match.seats]], picked=picked, **more)


def drawn(match: Match, seat: int | None, language: str = "en", picked: tuple[str, ...] = (), **more: Any) -> str:
    return str(draw_table(scene(match, seat, language, picked, **more)))


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **position)


def moments(seats: int, seed: int, every: int, **options: Any) -> Iterator[Match]:
    """A random match at every so many moves, and at its end."""
    match = Match(GAME, seats, seed, plain=True, **options)
    yield match
    while not match.over:
        match.play_random(seed + len(match.history), limit=every)
        yield match


def blocked() -> Match:
    return arranged(seats=4, dolls={"c8": "0S 0M 0L", "h3": "1S 1M 1L", "c1": "2S 2M 2L", "a3": "3S 3M 3L"})


def decided() -> Match:
    """Four seats, all but the last doll of each home; seat 3 is left over."""
    match = arranged(seats=4, dolls={"e7": "0L", "g5": "1L", "e2": "2L", "e5": "3S 3M 3L"}, turn=0)
    for seat, text in ((0, "e7-e8"), (1, "g5-h5"), (2, "e2-e1")):
        while match.actors != (seat,):
            match.play(match.actors[0], match.moves(match.actors[0])[0])
        match.play(seat, text)
    return match


# What can be clicked


@pytest.mark.parametrize("seats", [2, 4])
def test_exactly_the_legal_moves_can_be_clicked(seats: int) -> None:
    for match in moments(seats, 3, 31, patience=4):
        for seat in match.actors:
            assert sorted(clicked(match, seat)) == sorted(match.moves(seat))
        waiting = next((seat for seat in range(seats) if seat not in match.actors), None)
        assert clicked(match, waiting) == clicked(match, None) == []


def clicked(match: Match, seat: int | None) -> list[str]:
    """The moves reached by following each link to its buttons."""
    page = Page(drawn(match, seat))
    assert page.all("value", "button") == []  # a doll first, then where it goes
    moves = []
    for link in page.all("href", "a"):
        picked = tuple(value for _, value in parse_qsl(link.removeprefix("?")))
        after = Page(drawn(match, seat, picked=picked))
        moves += after.all("value", "button")
        assert Counter(after.all("aria-current", "a")) == {"true": 1}
    return moves


@pytest.mark.parametrize("seats", [2, 4])
def test_names_and_keys_are_unique_and_nothing_is_styled_inline(seats: int) -> None:
    for number, match in enumerate(moments(seats, 4, 25, patience=5)):
        viewer = (None, *range(seats))[number % (seats + 1)]
        html = drawn(
            match, viewer, LANGUAGES[number % len(LANGUAGES)], helps_memory=number % 3 == 0, is_open=number % 3 == 1
        )
        page = Page(html)
        for attribute in ("data-name", "data-key", "id"):
            assert all(count == 1 for count in Counter(page.all(attribute)).values()), attribute
        assert page.all("style") == []
        assert "<script" not in html
        assert "<style" not in html
        assert all(int(value) <= 0 for value in page.all("tabindex"))


def test_every_drawing_that_is_used_exists() -> None:
    art = Page((FOLDER / "art.svg").read_text(encoding="utf-8"))
    known = {f"#{name}" for name in art.all("id")}
    assert all(name.startswith("#babuschka-") for name in known)
    assert set(art.all("href", "use")) <= known
    assert art.all("style") == []
    used = set(Page(drawn(Match(GAME, 4, 1, plain=True), 0, helps_memory=True)).all("href", "use"))
    used |= set(Page(drawn(arranged(**COVERED), 0)).all("href", "use"))
    assert used <= known
    assert {f"#babuschka-{size}" for size in ("small", "medium", "large")} < used


def test_every_rule_of_the_style_is_of_this_game() -> None:
    css = re.sub(r"/\*.*?\*/", "", (FOLDER / "table.css").read_text(encoding="utf-8"), flags=re.DOTALL)
    for selectors in re.findall(r"([^{};]+)\{", css):
        for selector in selectors.split(","):
            assert selector.strip().startswith(
                (
                    "@",
                    "50%",
                    ".game-babuschka",
                    ':root:not([data-theme="light"]) .game-babuschka',
                    ":root:has(.game-babuschka)",
                )
            ), selector


# The board


@pytest.mark.parametrize(("seats", "seat"), [(2, 0), (2, 1), (2, None), (4, 0), (4, 1), (4, 2), (4, 3), (4, None)])
def test_board_is_turned_so_that_the_own_side_is_near(seats: int, seat: int | None) -> None:
    view = Match(GAME, seats, 1, plain=True).view(seat)
    drawing = board(view)
    own = view.chairs[seat or 0]
    assert {field.name for field in drawing.rows[-1].fields if field and field.doll} == set(own.start)
    assert {field.name for field in drawing.rows[0].fields if field and field.goal == own.seat} == set(own.goal)
    for row in drawing.rows:
        for label, field in zip(drawing.labels, row.fields, strict=True):
            assert field is None or set(field.name) == {label, row.label}
    assert sum(field is not None for row in drawing.rows for field in row.fields) == 52
    # Not mirrored: columns run to the right from row 1, as the board of the viewer in the south
    # shows them.
    right, ahead = {"north": ("e4", "d5"), "east": ("d3", "e4"), "south": ("c4", "d3"), "west": ("d5", "c4")}[
        own.facing
    ]
    at = {field.name: (x, y) for y, row in enumerate(drawing.rows) for x, field in enumerate(row.fields) if field}
    assert (at[right][0] - at["d4"][0], at[right][1] - at["d4"][1]) == (1, 0)
    assert (at[ahead][0] - at["d4"][0], at[ahead][1] - at["d4"][1]) == (0, -1)


def test_seats_sit_around_the_viewer_clockwise() -> None:
    match = Match(GAME, 4, 1, plain=True)
    assert [(side, chair.seat) for side, chair in round_table(match.view(2))] == [
        ("left", 3),
        ("far", 0),
        ("right", 1),
        ("own", 2),
    ]
    assert [(side, chair.seat) for side, chair in round_table(Match(GAME, 2, 1, plain=True).view(1))] == [
        ("far", 0),
        ("own", 1),
    ]
    assert [chair.seat for _, chair in round_table(match.view(None))] == [1, 2, 3, 0]


def test_last_move_is_marked_and_its_doll_says_where_it_came_from() -> None:
    match = arranged(**COVERED)
    assert last_move(match.view(0)) == (None, None)
    assert "was-reached" not in drawn(match, 0)
    assert "trail" not in drawn(match, 0)
    match.play(0, "d4-d5")
    page = Page(drawn(match, 1))
    assert [(each["data-key"], each["data-from"]) for _, each in page.elements if "data-from" in each] == [
        ("doll-d5", "doll-d4")
    ]
    classes = " ".join(page.all("class"))
    assert classes.count("was-reached") == classes.count("was-left") == 1
    # Seat 1 sits in the north: for it d4 is the fifth column from the left and the fourth row from
    # the far side.
    lines = [each["points"] for tag, each in page.elements if tag == "polyline"]
    assert set(lines) == {"450,350 450,450 "}


def test_the_trail_of_a_series_goes_from_landing_to_landing() -> None:
    match = arranged(**FACE.examples["series"].position)
    match.play(0, "c2-e6")
    assert last_way(match.view(0)) == ("c2", "e4", "c4", "e6")
    page = Page(drawn(match, 0))
    (trail,) = [each for _, each in page.elements if "data-hops" in each]
    assert trail["data-hops"] == "3"
    assert trail["aria-label"].endswith(": c2 e4 c4 e6")
    assert sum(tag == "circle" and each.get("r") == "20" for tag, each in page.elements) == 2


@pytest.mark.parametrize("seats", [2, 4])
def test_every_trail_is_a_series_of_jumps_that_the_rules_allow(seats: int) -> None:
    longest = 1
    for seed in range(6):
        match = Match(GAME, seats, seed, plain=True)
        for number in range(60):
            before = match.view(0)
            match.play_random(100 * seed + number, limit=1)
            way = last_way(match.view(0))
            assert (way[0], way[-1]) == last_move(match.view(0))
            if len(way) > 2:
                longest = max(longest, len(way) - 1)
                for start, end in pairwise(way):
                    assert middle(start, end) in before.tops
                    assert end == way[-1] or before.tops.get(end, (0, ""))[1] != "large"
    assert longest > 2


def middle(start: str, end: str) -> str:
    """The field between two that are a jump apart."""
    column, row = (abs(ord(end[place]) - ord(start[place])) for place in (0, 1))
    assert {column, row} <= {0, 2}
    return chr((ord(start[0]) + ord(end[0])) // 2) + str((int(start[1]) + int(end[1])) // 2)


def test_seats_show_dolls_home_places_and_passes() -> None:
    match = decided()
    page = Page(drawn(match, 3))
    assert "6 of 6 dolls home" in page.text
    assert page.all("class").count("tag place") == 4
    # Seat 1 cannot move: h3 is a dead end for a doll that plays east.
    match = arranged(seats=4, dolls={"e7": "0M", "d7": "0L", "h3": "1S 1M 1L", "c2": "2L", "b4": "3L"}, turn=0)
    assert "had to pass" not in drawn(match, 0)
    match.play(0, "e7-e8")
    assert "had to pass" in drawn(match, 0)


# Words


def test_moves_are_said_as_sentences() -> None:
    match = arranged(**FACE.examples["covering"].position)
    english, french = GAME.words["en"], GAME.words["fr"]
    view = match.view(0)
    assert say(view, "d3-c3", english) == "Move the medium doll from d3 to c3"
    assert say(view, "d3-c4", english) == "Move the medium doll from d3 to c4, covering a small blue doll"
    assert say(view, "d3-d5", english) == "Jump with the medium doll from d3 to d5"
    assert say(view, "d3-c4", french) == "Tirer la poupée moyenne de d3 à c4, en recouvrant une petite poupée bleue"
    assert say_step(view, ("e4",), english) == "Take the large doll on e4"
    assert say_step(view, ("e4",), french) == "Prendre la grande poupée en e4"
    view = arranged(**FACE.examples["home"].position).view(0)
    assert say(view, "c7-d8", english) == "Move the medium doll from c7 to d8, which brings it home"
    assert say(view, "d7-c7", english) == "Move the large doll from d7 to c7, covering your own medium doll"


@pytest.mark.parametrize("language", LANGUAGES)
def test_fields_are_named_for_those_who_cannot_see_them(language: str) -> None:
    words = GAME.words[language]
    page = Page(drawn(arranged(**COVERED), None, language))
    labels = page.all("aria-label", "div")
    assert (
        words["table.field.doll"].format(
            field="d4",
            doll={
                "en": "large red doll",
                "de": "große rote Puppe",
                "et": "suur punane nukk",
                "fr": "grande poupée rouge",
            }[language],
            name="Anna",
        )
        in labels
    )
    assert words["table.field.goal"].format(field="f8", name="Anna") in labels
    assert len([label for label in labels if label[:2] in {"d4", "f5", "g5", "f8"}]) == 4
    with_people = drawn(Match(GAME, 4, 1, plain=True), None, language)
    assert "Chloé &amp; co" in with_people
    assert "Chloé & co" not in with_people


def test_browsers_are_not_told_to_type() -> None:
    for language in LANGUAGES:
        assert "c1-c2" in GAME.words[language]["prompt.move"]
        assert "c1-c2" not in scene(Match(GAME, 2, 1, plain=True, first=0), 0, language).prompt


def test_no_word_of_the_table_is_left_unused() -> None:
    sources = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("table.html", "face.py"))
    kinds = {re.sub(r"(\.(\d|small|medium|large))+$", ".", key) for key in GAME.words["en"]}
    unused = {key for key in kinds if key.startswith(("table.", "sheet.")) and key not in sources}
    assert unused == {"table.prompt.move"}  # which the scene finds by its name


# What lies under the dolls


def test_covered_dolls_are_shown_to_those_who_may_be_reminded() -> None:
    match = arranged(**COVERED)
    known = {stack.field: [(doll.seat, doll.size) for doll in stack.dolls] for stack in memory(match.state, 1)}
    assert known["d4"] == [(1, "medium"), (0, "small")]
    assert memory(match.state, 0) == memory(match.state, 1) == truth(match.state)
    page = Page(drawn(match, 1, helps_memory=True))
    assert any(label.endswith("Under it: medium blue doll, small red doll") for label in page.all("aria-label", "div"))
    assert "Under the dolls, as you remember it" in page.text
    assert "Under the dolls, laid open" in Page(drawn(match, 1, is_open=True)).text


def test_pages_do_not_show_what_lies_under_dolls() -> None:
    """Two positions that look the same from above give the same page, and another one only where
    memory is helped or all is open."""
    one, other = (
        arranged(dolls={"d4": "0S 1M 0L", "f5": "0M", "g5": "1L", "e4": "0L"}),
        arranged(dolls={"d4": "1M 0L", "f5": "0M", "g5": "1L", "e4": "0S 0L"}),
    )
    for seat in (None, 0, 1):
        assert drawn(one, seat) == drawn(other, seat)
        assert drawn(one, seat, is_open=True) != drawn(other, seat, is_open=True)
    assert drawn(one, 0, helps_memory=True) != drawn(other, 0, helps_memory=True)


@pytest.mark.parametrize("seats", [2, 4])
def test_pages_are_the_same_in_worlds_that_a_seat_cannot_tell_apart(seats: int) -> None:
    for number, match in enumerate(moments(seats, 5, 40, patience=4)):
        seat = number % seats
        for helps in (False, True):
            here = drawn(match, seat, helps_memory=helps)
            assert all(drawn(match.imagine(seat, seed), seat, helps_memory=helps) == here for seed in (1, 2, 3))


# The end


def rows(match: Match, language: str = "en") -> list[str]:
    """The rows of the score sheet as text."""
    html = str(draw_sheet(scene(match, 0, language)))
    assert "style=" not in html
    return [
        re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", row)).strip() for row in re.findall(r"<tr.*?</tr>", html, re.DOTALL)
    ]


def test_sheet_of_a_decided_match_goes_by_place() -> None:
    match = decided()
    assert match.places == (1, 2, 3, 4)
    head, *seats = rows(match)
    assert head == "Place Player Dolls home"
    assert [row.split()[0] for row in seats] == ["1", "2", "3", "4"]
    assert "Winner" in seats[0]
    assert seats[0].endswith("6 of 6")
    assert "left over" in seats[3]


@pytest.mark.rules("6.5")
def test_sheet_counts_the_rows_where_they_decide() -> None:
    match = arranged(dolls={"d4": "0L", "c6": "0L", "g5": "1L"}, turn=0, patience=1, quiet=1)
    assert match.view(0).chairs[0].rows is None  # counted at the end only
    match.play(0, "d4-e4")
    assert match.view(0).end == "patience"
    head, first, second = rows(match)
    assert head == "Place Player Dolls home Rows still to go"
    assert "Boris" in first
    assert first.endswith("11 of 12 4")
    assert second.endswith("10 of 12 6")


def test_sheet_of_a_match_that_stands_still_shares_places() -> None:
    """All four have three dolls home and three in a corner of their goal row."""
    for row in rows(blocked())[1:]:
        assert row.startswith("1 ")
        assert row.endswith("still on the way 3 of 6 0")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("viewer", [None, 0, 3])
def test_the_end_is_drawn_for_everybody(language: str, viewer: int | None) -> None:
    for match in (decided(), blocked()):
        page = Page(drawn(match, viewer, language))
        assert page.all("href", "a") == page.all("value", "button") == []
        assert GAME.words[language][f"end.{match.view(viewer).end}"] in str(draw_sheet(scene(match, viewer, language)))


# The rules page


def test_examples_are_drawn_and_marked_in_all_pages() -> None:
    for path in FOLDER.glob("RULES*.md"):
        marks = re.findall(r"^<!-- example (\w+) -->$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert marks == list(FACE.examples)
    for example in FACE.examples.values():
        assert "board" in drawn(arranged(**example.position), example.seat)


@pytest.mark.rules("2.4", "3.3", "4.1", "4.4")
def test_examples_show_what_their_captions_say() -> None:
    def ends(name: str, start: str) -> set[str]:
        return {text[3:] for text in arranged(**FACE.examples[name].position).moves(0) if text.startswith(start)}

    assert "c4" in ends("covering", "d3")
    assert not {"d4", "e4"} & ends("covering", "d3")
    assert {"e4", "c4", "c6", "g6", "e6"} <= ends("series", "c2")
    goals = {"c8", "d8", "e8", "f8"}
    assert [ends("home", start) & goals for start in ("b7", "c7", "d7")] == [{"c8"}, {"d8"}, {"e8"}]
    tops = {
        doll.field: (doll.seat, doll.size) for doll in arranged(**FACE.examples["neighbours"].position).view(0).dolls
    }
    assert (tops["a5"], tops["h5"]) == ((3, "medium"), (1, "small"))
    for start in ("b4", "g4"):
        assert ends("neighbours", start)
        assert not {"a4", "a5", "h4", "h5"} & ends("neighbours", start)
