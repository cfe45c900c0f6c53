"""Matryoshka in a browser: what can be clicked, what is drawn, what it is worth, and what stays
secret."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from samovar.engine.match import Match
from samovar.games.matryoshka import GAME
from samovar.games.matryoshka.face import FACE, Known, Tie, lay_out, memory, shelve, truth
from samovar.language.languages import LANGUAGES
from samovar.web.drawing.render import draw_sheet, draw_table
from samovar.web.drawing.rules_page import rules_html
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person
from support import oracle_matryoshka as oracle
from support.markup import Reader

PEOPLE = [Person(name) for name in ("Anna", "Boris", "Chloé", "Dmitri", "Élise")]
EXAMPLE = "A1 A3 A4 B2 B3 B5 B6 B7 C2 C3 C4 C5 C6"


class Page(Reader):
    """What a page offers, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.moves: list[str] = []
        self.links: list[str] = []
        self.boxes: list[str] = []
        self.ticked: list[str] = []
        self.wanted = 0
        self.keys: list[str] = []
        self.sources: list[str] = []
        self.labels: list[str] = []
        self.seen: list[str] = []
        self.feed(str(html))  # Markup is slow to take apart

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        has = {name: value or "" for name, value in attrs}
        assert tag != "script"
        assert "style" not in has
        if tag == "button" and has.get("name") == "move":
            self.moves.append(has["value"])
        elif tag == "a":
            self.links.append(has["href"])
        elif tag == "input":
            assert (has["type"], has["name"]) == ("checkbox", "with")
            self.boxes.append(has["value"])
            self.ticked += [has["value"]] if "checked" in has else []
        elif tag == "fieldset":
            self.wanted = int(has["data-several"])
        self.keys += [has["data-key"]] if "data-key" in has else []
        self.sources += [has["data-from"]] if "data-from" in has else []
        self.labels += [has["aria-label"]] if "aria-label" in has else []

    def handle_data(self, data: str) -> None:
        self.seen += data.split()

    @property
    def text(self) -> str:
        return " ".join(self.seen)


def scene(match: Match, viewer: int | None, language: str = "en", **more: Any) -> Any:
    return make_scene(match, viewer, language, PEOPLE[: match.seats], **more)


def page(match: Match, viewer: int | None, language: str = "en", **more: Any) -> Page:
    return Page(draw_table(scene(match, viewer, language, **more)))


def moments(seats: int, options: dict[str, Any], every: int = 1, seed: int = 3) -> Iterator[Match]:
    """A random match, looked at again and again until it is over."""
    match = Match(GAME, seats, seed, plain=True, **options)
    turn = 0
    while not match.over:
        yield match
        turn += 1
        match.play_random(turn, every)
    yield match


def final(*displays: str, seats: int = 3, **options: Any) -> Match:
    return Match.arranged(GAME, plain=True, seats=seats, round=4, phase="over", displays=list(displays), **options)


# What can be clicked


@pytest.mark.parametrize(("seats", "options"), GAME.variants())
def test_a_page_offers_exactly_the_legal_moves(seats: int, options: dict[str, Any]) -> None:
    phases = set()
    for match in moments(seats, options, every=1 if options["long_columns"] == "extend" else 3):
        turn = len(match.history)
        for viewer in {(*match.actors, 0)[0], *([turn % seats] if turn % 4 == 0 else [])}:
            shown = page(match, viewer, LANGUAGES[turn % len(LANGUAGES)])
            offered = set(shown.moves)
            if shown.boxes:
                assert shown.moves == ["show"]
                offered = {"show " + " ".join(cards) for cards in combinations(sorted(shown.boxes), shown.wanted)}
                assert set(shown.ticked) == set(match.view(viewer).seats[viewer].display)
            assert offered == set(match.moves(viewer))
            assert shown.links == []
            assert [key for key, count in Counter(shown.keys).items() if count > 1] == []
            phases.add((match.view(None).phase, bool(offered)))
    assert phases >= {(phase, True) for phase in ("display", "put", "offer", "take")} | {
        ("over", False),
        ("offer", False),
    }


def test_moves_are_said_in_full() -> None:
    match = Match.arranged(GAME, plain=True, **FACE.examples["exchange"].position)
    assert "Take E5, emerald doll of size 5, for the doll you have put up" in page(match, 0).labels
    assert (
        FACE.say(match.view(0), "put A6", GAME.words["fr"])
        == "Mettre en jeu, à la vue de tous\u00a0: A6, poupée ambre de taille 6"
    )
    assert FACE.say(match.view(0), "show A6 B5", GAME.words["en"]) == "Show A6 B5"


# What is drawn


@pytest.mark.parametrize("seats", GAME.seats)
@pytest.mark.parametrize("language", GAME.words)
def test_spectators_those_who_wait_and_the_end_are_drawn(seats: int, language: str) -> None:
    for match in moments(seats, {"long_columns": "cap"}, every=20):
        for viewer in (None, seats - 1):
            watching = page(match, viewer, language, may_move=False, helps_memory=True)
            assert watching.moves == watching.links == watching.boxes == []
        shown = {card for seat in match.view(None).seats for card in seat.display}
        assert shown <= set(page(match, None, language).keys)
        assert set(truth(match.state).deck) <= set(page(match, None, language, is_open=True).seen)
    for viewer in (None, 0):
        sheet = draw_sheet(scene(match, viewer, language))
        assert all(person.name in sheet for person in PEOPLE[:seats])
        assert Page(sheet).text.count(GAME.words[language]["table.winner"]) == match.places.count(1)


@pytest.mark.parametrize("seats", [3, 4])
def test_what_moves_comes_from_something_that_was_there(seats: int) -> None:
    """An animation starts at a key that the same viewer's page had before the move."""
    before: dict[int | None, set[str]] = {}
    kinds = set()
    for match in moments(seats, {}):
        for viewer in (0, None) if seats == 3 else (0,):
            shown = page(match, viewer)
            assert set(shown.sources) <= before.get(viewer, set()), match.news(viewer)
            kinds |= {event.kind for event in match.news(viewer)} if shown.sources else set()
            before[viewer] = set(shown.keys)
    assert kinds >= {"puts_up", "offers", "all_offered", "trades", "chooses", "shows", "draws"}


def test_the_last_exchange_is_told_as_far_as_it_was_seen() -> None:
    match = Match.arranged(GAME, plain=True, **FACE.examples["exchange"].position)
    match.play(0, "take 2")
    trades = [lay_out(match.view(viewer)).trade for viewer in (0, 1, 2, None)]
    assert [(trade.seat, trade.other, trade.given, trade.taken) for trade in trades if trade] == [
        (0, 2, "D1", "E2"), (0, 2, "D1", None), (0, 2, "D1", "E2"), (0, 2, "D1", None),
    ]  # fmt: skip
    assert lay_out(match.view(2)).fresh == {"D1"}
    assert lay_out(match.view(1)).fresh == frozenset()


def test_a_card_on_the_table_is_not_in_the_hand() -> None:
    match = Match.arranged(GAME, plain=True, **FACE.examples["offers"].position)
    assert lay_out(match.view(0)).hand == ("A6", "B5", "C2", "F3", "H1")
    assert lay_out(match.view(1)).hand == ("D3", "E1", "F5", "G6", "H5")
    chosen = Match.arranged(GAME, plain=True, **FACE.examples["display"].position)
    assert not set(lay_out(chosen.view(0)).hand) & set(chosen.view(0).chosen)
    assert len(lay_out(chosen.view(0)).hand) == 10 - 6


# What displays are worth


@pytest.mark.parametrize(("seats", "options"), GAME.variants())
def test_a_shelf_is_worth_what_the_rules_say(seats: int, options: dict[str, Any]) -> None:
    for match in moments(seats, options, every=5, seed=8):
        view = match.view(None)
        for seat, shelf in zip(view.seats, lay_out(view).shelves, strict=True):
            assert shelf.points == seat.points
            assert list(shelf.runs) == oracle.runs_of(oracle.cards_of(" ".join(seat.display)))


@pytest.mark.parametrize("option", ["extend", "cap"])
def test_a_shelf_of_few_colours_or_sizes_is_worth_what_the_oracle_says(option: str) -> None:
    """Long runs and long columns, which random play hardly brings."""
    choose = random.Random(4)
    few_colours = [f"{letter}{value}" for letter in "ABC" for value in range(1, 8)]
    few_sizes = [f"{letter}{value}" for letter in "ABCDEFGHIJ" for value in (2, 3)]
    for cards in [choose.sample(pool, 13) for pool in (few_colours, few_sizes) for _ in range(100)]:
        assert shelve(cards, option).points == oracle.score(oracle.cards_of(" ".join(cards)), option)


def test_long_columns_score_on_or_as_seven() -> None:
    cards = [f"{letter}5" for letter in "ABCDEFGHIJ"]
    assert [
        (shelve(cards, option).points, shelve(cards, option).columns[4].is_capped) for option in ("extend", "cap")
    ] == [(25, False), (16, True)]


@pytest.mark.parametrize("growth", range(1, 6))
def test_shelves_and_the_table_of_points_grow_as_the_table_has_chosen(growth: int) -> None:
    match = final("A1 A2 A3 A4 A5 B1 C1 D1 E1 F1 G2 H4 I6", growth=growth, long_columns="cap", seats=5)
    layout = lay_out(match.view(0))
    assert tuple(shelf.points for shelf in layout.shelves) == match.scores
    assert layout.table[-1] == (7, 4 + 4 * growth, 3)


@pytest.mark.parametrize(
    ("seats", "option", "last"), [(5, "extend", (10, 25, 0)), (5, "cap", (7, 16, 3)), (3, "cap", (7, 16, 3))]
)
def test_the_table_of_points_ends_where_columns_do(seats: int, option: str, last: tuple[int, int, int]) -> None:
    match = Match(GAME, seats, 1, plain=True, long_columns=option)
    assert lay_out(match.view(None)).table[-1] == last


def test_the_sheet_counts_the_example_of_the_rulebook_as_it_does() -> None:
    """M10: column by column 0 2 4 2 2 2 0, row by row 2, 2 + 4 = 6, 10 + 1 = 11; 12 + 19 = 31."""
    match = final(EXAMPLE, "D1 D2 D3 D4 D5 D6 D7 E1 E2 E3 E4 E5 E6", "F1 F2 F3 F4 F5 F6 F7 A2 A5 A6 A7 B1 B4")
    shelf = lay_out(match.view(None)).shelves[0]
    assert [(column.count, column.points) for column in shelf.columns] == [
        (1, 0),
        (2, 2),
        (3, 4),
        (2, 2),
        (2, 2),
        (2, 2),
        (1, 0),
    ]
    assert [(row.lengths, row.parts, row.points) for row in shelf.rows] == [
        ("2", "2", 2),
        ("2 + 3", "2 + 4", 6),
        ("5", "10 + 1", 11),
    ]
    text = Page(draw_sheet(scene(match, 0))).text
    assert "2 + 3 cards 2 + 4 = 6" in text
    assert "5 cards 10 + 1 = 11" in text
    assert "3 cards 4" in text
    assert "12 + 19 = 31" in text


def test_the_sheet_says_which_run_decided_a_tie() -> None:
    """M8: 18 points each, runs of 3 and 2 against one of 3."""
    match = final(
        "A3 A5 B3 B6 D1 D2 D5 D6 D7 E5 E7 F4 F7",
        "A2 A4 A6 B2 B7 C2 C3 C4 C7 D3 E3 E6 F1",
        "A1 A7 B1 B4 B5 C1 C6 D4 E1 E4 F2 F3 F6",
    )
    assert match.places == (1, 2, 3)
    assert lay_out(match.view(None)).ties == (Tie(0, 1, 2, 2, 0),)
    text = Page(draw_sheet(scene(match, None))).text
    assert "Anna and Boris have 18 points each; their runs decide: number 2, 2 cards against 0." in text
    assert "Runs, longest first 3, 2 3" in text


def test_equal_displays_share_their_place() -> None:
    pattern = "{0}1 {0}2 {0}3 {0}4 {0}5 {0}6 {0}7 {1}1 {1}2 {1}3 {1}4 {1}5 {1}7"
    match = final(pattern.format("A", "B"), pattern.format("C", "D"), pattern.format("E", "F"))
    assert lay_out(match.view(None)).ties == (Tie(0, 1, 0), Tie(1, 2, 0))
    text = Page(draw_sheet(scene(match, None))).text
    assert "Anna and Boris have" in text
    assert "they share the place" in text


# Secrets


@pytest.mark.parametrize("seats", GAME.seats)
def test_pages_are_the_same_in_all_worlds_a_seat_cannot_tell_apart(seats: int) -> None:
    differs = 0
    for match in moments(seats, {}, every=29, seed=seats):
        for viewer in (0, seats - 1):
            own = [draw_table(scene(match, viewer, helps_memory=helps)) for helps in (False, True)]
            for seed in (1, 2):
                world = match.imagine(viewer, seed)
                differs += world.state_bytes != match.state_bytes
                assert [draw_table(scene(world, viewer, helps_memory=helps)) for helps in (False, True)] == own
    assert differs


@pytest.mark.parametrize("seats", GAME.seats)
def test_what_is_remembered_is_true(seats: int) -> None:
    certain = perhaps = 0
    for match in moments(seats, {}, every=3, seed=seats):
        hands = truth(match.state).hands
        for viewer in range(seats):
            for known in memory(match.state, viewer):
                assert set(known.certain) <= set(hands[known.seat])
                assert not (known.certain or known.perhaps) or known.seat != viewer
                certain += len(known.certain)
                perhaps += len(known.perhaps)
    assert certain
    assert perhaps


def test_the_active_seat_remembers_what_it_refused_and_the_others_what_was_put_up() -> None:
    match = Match.arranged(GAME, plain=True, **FACE.examples["exchange"].position)
    match.play(0, "take 2")
    assert {"B1"} <= set(memory(match.state, 0)[1].certain)
    assert {"D1"} <= set(memory(match.state, 3)[2].certain)
    assert {"E2"} <= set(memory(match.state, 2)[0].certain)
    assert "E2" not in memory(match.state, 3)[0].certain
    assert memory(match.state, 3)[3] == Known(3, (), ())


def test_records_can_be_looked_at_with_all_cards_open() -> None:
    match = Match.arranged(GAME, plain=True, **FACE.examples["offers"].position)
    hidden = truth(match.state)
    assert hidden.offers == ("D1", "B1", "E2", None)
    assert hidden.hands[2] == ("A5", "C6", "D7", "E2", "F1", "G2")
    assert len(hidden.deck) == match.view(None).deck_count
    closed, opened = page(match, None), page(match, None, is_open=True)
    assert "G2" in opened.seen
    assert "G2" not in closed.seen


# Files of the face


def test_examples_of_the_rules_are_drawn_in_all_languages() -> None:
    for language in GAME.words:
        html = rules_html(GAME, language)
        assert html.count("<figure") == len(FACE.examples)


def test_drawings_hold_every_doll_and_no_style() -> None:
    folder = Path(GAME.folder)
    drawn = (folder / "art.svg").read_text(encoding="utf-8")
    assert len(drawn) < 60_000
    assert "style" not in drawn
    for letter in "ABCDEFGHIJ":
        assert f'id="matryoshka-{letter}"' in drawn
        assert f'id="matryoshka-sign-{letter}"' in drawn
    table = (folder / "table.html").read_text(encoding="utf-8")
    assert "<script" not in table


def test_every_word_of_the_table_is_used() -> None:
    folder = Path(GAME.folder)
    text = "".join((folder / name).read_text(encoding="utf-8") for name in ("table.html", "face.py"))
    by_number = ("table.stage.", "table.place.", "table.prompt.", "table.say.")
    assert [
        key
        for key in GAME.words["en"]
        if key.startswith("table.") and key not in text and not key.startswith(by_number)
    ] == []
