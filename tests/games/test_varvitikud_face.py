"""Värvitikud in a browser: exactly the legal moves can be clicked, what happened is marked, nothing
hidden is shown, the sheet counts right."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from samovar import Match
from samovar.engine.registry import find_game
from samovar.engine.words import words_at
from samovar.games.varvitikud.deck import COLOUR_NAMES
from samovar.games.varvitikud.face import EXAMPLES, FACE, memory, truth
from samovar.language.languages import LANGUAGES
from samovar.web.drawing.render import draw_sheet, draw_table
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person
from support.markup import Reader
from support.oracle_varvitikud import line_of

GAME = find_game("varvitikud")
FOLDER = Path(GAME.folder)
NAMES = ("Anna", "Boris", "Chloé & co", "Dmitri")
VARIANTS = GAME.variants()
# Around (1, 0), which is empty: card 34 (blue, red, orange, red) fits there and joins four edges.
RING = [[0, 0, 0], [9, 0, 1], [23, 1, 1], [13, 2, 1], [25, 2, 0], [43, 2, -1], [31, 1, -1]]
HANDS = [[34, 2, 3, 4], [6, 7, 10, 12]]
EMMA = {"red": 3, "orange": 1, "yellow": 1, "green": 2, "blue": 1, "purple": 1}


class Page(Reader):
    """The elements of some HTML as (tag, attributes), the words in table cells, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.rows: list[list[str]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] = " ".join(f"{self.rows[-1][-1]} {data}".split())

    def all(self, attribute: str, tag: str | None = None) -> list[str]:
        return [
            attributes[attribute]
            for name, attributes in self.elements
            if attribute in attributes and tag in (None, name)
        ]

    def of_class(self, name: str) -> list[dict[str, str]]:
        return [attributes for _, attributes in self.elements if name in attributes.get("class", "").split()]


def scene(match: Match, seat: int | None, language: str = "en", picked: tuple[str, ...] = (), **more: Any) -> Any:
    return make_scene(match, seat, language, [Person(name) for name in NAMES[: match.seats]], picked=picked, **more)


def drawn(match: Match, seat: int | None, language: str = "en", picked: tuple[str, ...] = (), **more: Any) -> str:
    return str(draw_table(scene(match, seat, language, picked, **more)))


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **position)


def ring(**position: Any) -> Match:
    return arranged(field=RING, hands=HANDS, **position)


def moments(seats: int, seed: int, **options: Any) -> Iterator[Match]:
    """A random match at every moment."""
    match = Match(GAME, seats, seed, plain=True, **options)
    yield match
    while not match.over:
        match.play_random(seed + len(match.history), limit=1)
        yield match


# What can be clicked


def check_page(page: Page, html: str) -> None:
    assert "style=" not in html
    assert "<script" not in html
    for attribute in ("data-name", "data-key"):
        assert max(Counter(page.all(attribute)).values(), default=0) <= 1, attribute


def clicked(match: Match, seat: int, picked: tuple[str, ...] = ()) -> set[str]:
    """The moves that can be reached by following links and pressing buttons."""
    html = drawn(match, seat, picked=picked)
    page = Page(html)
    check_page(page, html)
    links = [tuple(value for _, value in parse_qsl(href.removeprefix("?"))) for href in page.all("href", "a")]
    deeper = {link for link in links if len(link) > len(picked) and link[: len(picked)] == picked}
    moves = [
        attributes["value"] for tag, attributes in page.elements if tag == "button" and attributes.get("name") == "move"
    ]
    return set(moves).union(*(clicked(match, seat, link) for link in deeper))


@pytest.mark.parametrize(("seats", "options"), VARIANTS)
def test_exactly_the_legal_moves_can_be_clicked(seats: int, options: dict[str, Any]) -> None:
    phases = set()
    for number, match in enumerate(moments(seats, 12, **options)):
        if match.over or (match.view(None).phase == "place" and number % 5):
            continue
        phases.add(match.view(None).phase)
        (actor,) = match.actors
        assert clicked(match, actor) == set(match.moves(actor)), number
        assert clicked(match, (actor + 1) % seats) == set(), number
    assert phases == {"place", "swap"}


def test_before_a_card_is_picked_no_place_is_offered() -> None:
    page = Page(drawn(arranged(field=RING[:1], hands=HANDS), 0))
    assert [attributes["data-name"] for attributes in page.of_class("choice")] == ["card-34"]
    misfits = [attributes["aria-label"] for attributes in page.of_class("is-misfit")]
    assert len(misfits) == 3
    assert (
        misfits[1]
        == "Card 3: green in the north, green in the east, yellow in the south, green in the west, fits nowhere now"
    )
    assert not page.of_class("vt-place")


def test_picked_card_is_shown_where_it_fits_with_what_it_wins() -> None:
    html = drawn(ring(sticks=[{}, {"orange": 8}]), 0, picked=("card-34",))
    places = {attributes["value"]: attributes["aria-label"] for attributes in Page(html).of_class("vt-place")}
    assert places["34@1,0"] == (
        "Place card 34 at 1,0: it joins blue in the north, red in the east, orange in the south and red in the west "
        "and wins 3 sticks. "
        "Then 3 swaps are allowed. No orange stick is left, so the game ends."
    )
    assert re.search(
        r'value="34@1,0".*?\+3</span><span class="vt-end" aria-hidden="true">end</span></button>', html, re.DOTALL
    )


def test_half_turn_shows_both_ways_of_each_card() -> None:
    match = arranged(half_turn=True, field=RING[:1], hands=HANDS)
    held = Page(drawn(match, 0)).of_class("vt-held")
    assert [attributes["data-key"] for attributes in held] == [
        name for card in (2, 3, 4, 34) for name in (f"card-{card}", f"card-{card}'")
    ]
    assert len(Page(drawn(arranged(field=RING[:1], hands=HANDS), 0)).of_class("vt-held")) == 4


# What is said


def test_moves_in_words() -> None:
    match = arranged(half_turn=True, field=RING[:1], hands=[[34, 2, 3, 4], [6, 7, 10, 12]])
    view = match.view(0)
    english, french = (words_at(GAME, language, ("Emelya", "Olga")) for language in ("en", "fr"))
    assert FACE.say(view, "34@1,0", english) == "Place card 34 at 1,0: it joins red in the west and wins 1 stick."
    assert (
        FACE.say(view, "34'@-1,0", french)
        == "Poser la carte 34, tournée d’un demi-tour, en -1,0\u00a0: elle relie rouge à l’est et rapporte 1 bâtonnet."
    )
    assert FACE.say(view, "red>1:orange", english) == "Give Olga a red stick and take an orange one"
    assert FACE.say(view, "red>1:blue", french) == "Donner un bâtonnet rouge à Olga et lui en prendre un bleu"
    assert FACE.say(view, "stop", french) == "Ne plus échanger"
    assert FACE.say_step is not None
    assert FACE.say_step(view, ("give-green",), french) == "Donner un bâtonnet vert"
    turned = "Pick card 34 half turned: orange in the north, red in the east, blue in the south, red in the west"
    assert FACE.say_step(view, ("card-34'",), english) == turned


def test_two_edges_of_one_colour_want_two_sticks() -> None:
    """5.2: the second red edge of card 34 finds no stick when one is left."""
    placed = FACE.placement(ring(sticks=[{}, {"red": 7}]).view(0), "34@1,0")
    assert placed is not None
    assert [(edge.side, edge.has_stick) for edge in placed.joined] == [
        ("north", True),
        ("east", True),
        ("south", True),
        ("west", False),
    ]
    assert (placed.won, placed.ends) == (3, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_prompts_speak_of_picking(language: str) -> None:
    words = GAME.words[language]
    for prompt in ("prompt.place", "prompt.place_half_turn", "prompt.swap"):
        assert "@" not in words[f"table.{prompt}"]
        assert ">" not in words[f"table.{prompt}"]
    assert scene(ring(), 0, language).prompt == words["table.prompt.place"]


# What happened is marked


def test_placed_card_and_won_sticks_are_marked() -> None:
    match = ring(sticks=[{}, {"green": 1}])
    match.play(0, "34@1,0")
    came = {"card-34": "card-34", "stick-0-blue-1": "reserve-blue", "stick-0-red-2": "reserve-red"}
    came |= {"stick-0-red-1": "reserve-red", "stick-0-orange-1": "reserve-orange"}
    assert FACE.traces(match.view(0)).came == came
    assert FACE.traces(match.view(1)).came == came | {"card-34": "hand-0"}
    page = Page(drawn(match, 1))
    assert len(page.of_class("is-new")) == 4
    assert [attributes["aria-label"].endswith(", placed last") for attributes in page.of_class("is-latest")] == [True]


def test_turned_card_comes_from_its_turned_way_in_the_hand() -> None:
    match = arranged(half_turn=True, field=RING[:1], hands=HANDS)
    match.play(0, "34'@1,0")
    assert FACE.traces(match.view(0)).came["card-34"] == "card-34'"


def test_swapped_sticks_come_from_each_other() -> None:
    match = ring(sticks=[{}, {"green": 2}])
    match.play(0, "34@1,0")
    match.play(0, "red>1:green")
    assert FACE.traces(match.view(None)).came == {
        "stick-1-red-1": "stick-0-red-2",
        "stick-0-green-1": "stick-1-green-2",
    }
    assert [attributes["data-key"] for attributes in Page(drawn(match, 0)).of_class("is-latest")] == ["card-34"]


def test_missing_stick_and_skip_are_told_where_they_happened() -> None:
    match = arranged(**EXAMPLES["missing"].position)
    assert FACE.traces(match.view(0)).missed == {"green"}
    assert ">missing<" in drawn(match, 0)
    assert "had to skip" not in drawn(match, 0)
    assert "had to skip" in drawn(skipped(), 0)


def test_small_screen_begins_at_the_choices_or_at_the_last_card() -> None:
    match = ring(sticks=[{}, {"green": 1}])
    picked = scene(match, 0, picked=("card-34",))
    assert FACE.aim(match.view(0), picked.choices) in {
        move.partition("@")[2] for move in match.moves(0) if move.startswith("34@")
    }
    assert FACE.aim(match.view(0), ()) == "0,0"
    match.play(0, "34@1,0")
    assert FACE.aim(match.view(0), scene(match, 0).choices) == "1,0"


# Who sees it


@pytest.mark.parametrize(("seats", "options"), VARIANTS)
def test_every_viewer_and_language_at_start_middle_and_end(seats: int, options: dict[str, Any]) -> None:
    match = Match(GAME, seats, 3, plain=True, **options)
    for limit in (0, 15, 100):
        match.play_random(3, limit=limit)
        for language in LANGUAGES:
            for viewer in (None, *range(seats)):
                html = drawn(match, viewer, language, helps_memory=True, is_open=match.over)
                page = Page(html)
                check_page(page, html)
                assert len(page.of_class("vt-seat")) == seats
                assert len(page.of_class("vt-own")) == (viewer is not None)
                assert len(page.of_class("vt-card")) == len(match.view(None).field)
    page = Page(str(draw_sheet(scene(match, None))))
    assert page.rows[-2] == ["Sum", *map(str, match.scores)]
    assert [row.split()[0] for row in page.rows[-1][1:]] == [str(place) for place in match.places]


def test_others_sit_clockwise_from_the_viewer() -> None:
    match = Match(GAME, 4, 1, plain=True)
    assert FACE.others(match.view(2)) == (3, 0, 1)
    assert FACE.others(match.view(None)) == (0, 1, 2, 3)


@pytest.mark.parametrize(("seats", "options"), VARIANTS)
def test_page_is_the_same_in_all_worlds_a_seat_cannot_tell_apart(seats: int, options: dict[str, Any]) -> None:
    match = Match(GAME, seats, 18, plain=True, **options)
    differ = 0
    for limit in (6, 10):
        match.play_random(18, limit=limit)
        for seat in (*range(seats), None):
            page = drawn(match, seat, helps_memory=True)
            for number in range(4):
                world = match.imagine(0 if seat is None else seat, number)
                differ += world.state_bytes != match.state_bytes
                assert drawn(world, seat, helps_memory=True) == page
    assert differ > 0


# 10.3: what is to be remembered, and what was hidden


def skipped() -> Match:
    """Seat 1 has just skipped: beside cards 0 and 9, in red, orange, green and purple, nothing of
    its hand fits."""
    match = arranged(field=[[0, 0, 0]], hands=[[9, 2, 3, 4], [7, 10, 13, 16]])
    match.play(0, "9@1,0")
    assert match.actors == (0,)
    return match


def test_memory_is_what_a_skip_told() -> None:
    match = skipped()
    (skip,) = memory(match.state, 0) or ()
    assert (skip.seat, skip.at_most) == (1, 0)
    numbers = {card.card for card in skip.cards}
    # not what lies, not the own hand, for which 1 was drawn, not what was held
    assert numbers.isdisjoint({0, 9, 2, 3, 4, 1, 7, 10, 13, 16})
    assert {5, 6, 12} <= numbers
    assert memory(match.state, 1) is None
    assert "Boris had to skip and has drawn nothing since" in drawn(match, 0, helps_memory=True)
    assert "has drawn nothing since" not in drawn(match, 0)


def test_skip_tells_less_with_every_card_drawn() -> None:
    match = Match(GAME, 3, 18, plain=True)
    allowed = []
    for number in range(20):
        match.play_random(18 + number, limit=1)
        allowed.append({(skip.seat, skip.at_most) for seat in range(3) for skip in memory(match.state, seat) or ()})
        for seat in range(3):
            for skip in memory(match.state, seat) or ():
                held = {card.card for card in truth(match.state).hands[skip.seat]}
                assert len(held & {card.card for card in skip.cards}) <= skip.at_most < len(held)
    assert {count for skip in allowed for _, count in skip} >= {0, 1}


def test_truth_is_all_hands_and_the_pile_from_its_top() -> None:
    rest = [card for card in range(54) if card not in {34, 2, 3, 4, 6, 7, 10, 12} | {card for card, *_ in RING}]
    match = ring(pile=rest[::-1])
    hidden = truth(match.state)
    assert [[card.card for card in hand] for hand in hidden.hands] == [sorted(hand) for hand in HANDS]
    assert [card.card for card in hidden.pile] == rest[::-1]
    shown = [
        label.split(":")[0]
        for label in Page(drawn(match, None, is_open=True)).all("aria-label")
        if re.match(r"Card \d+:", label)
    ]
    assert shown == [f"Card {card}" for card in (*sorted(HANDS[0]), *sorted(HANDS[1]), *rest[::-1])]
    assert "What was hidden" not in drawn(match, None)


# 9: the sheet, and the drawings


@pytest.mark.rules("9.1", "9.2")
def test_emma_of_the_rulebook_on_the_sheet() -> None:
    """A set of six, one of green and red, one of red: 21 + 3 + 1 = 25."""
    match = arranged(field=[[3, 0, 0]], hands=[[6, 0, 1, 5], [2, 4, 7, 10]], sticks=[EMMA, {"green": 6}])
    assert [(group.colours, group.points) for group in FACE.sets(match.view(0), 0)] == [
        (COLOUR_NAMES, 21),
        (("red", "green"), 3),
        (("red",), 1),
    ]
    match.play(0, "6@1,0")
    assert match.over
    page = Page(str(draw_sheet(scene(match, 0))))
    assert [row[:2] for row in page.rows[1:4]] == [
        ["Set 1", "6 sticks: 21"],
        ["Set 2", "2 sticks: 3"],
        ["Set 3", "1 stick: 1"],
    ]
    assert page.rows[4] == ["Set 4", "–", "1 stick: 1"]
    assert page.rows[-2:] == [["Sum", "25", "6"], ["Place", "1 ★ winner", "2"]]


def test_longest_field_has_its_classes() -> None:
    css = (FOLDER / "table.css").read_text(encoding="utf-8")
    row = line_of(46)
    left = [card for card in range(54) if card not in row]
    match = arranged(field=[[card, x, 0] for x, card in enumerate(row)], hands=[left[:4], left[4:]], pile=[])
    assert 'class="vt-grid columns-48 rows-3"' in drawn(match, 0)
    assert all(f".columns-{number} {{" in css and f".rows-{number} {{" in css for number in range(3, 57))


def test_style_is_for_this_game_only() -> None:
    css = re.sub(r"/\*.*?\*/", "", (FOLDER / "table.css").read_text(encoding="utf-8"), flags=re.DOTALL)
    selectors = [part.strip() for head in re.findall(r"([^{};]+)\{", css) for part in re.split(r",(?![^(]*\))", head)]
    strays = [one for one in selectors if not one.startswith(("@", "from", "to")) and ".game-varvitikud" not in one]
    assert not strays


def test_every_drawing_is_in_the_art() -> None:
    art = Page((FOLDER / "art.svg").read_text(encoding="utf-8"))
    known = set(art.all("id", "symbol"))
    match = Match(GAME, 4, 3, plain=True)
    match.play_random(3)
    used = (
        art.all("href", "use")
        + Page(drawn(match, 0, is_open=True)).all("href", "use")
        + Page(str(draw_sheet(scene(match, 0)))).all("href", "use")
    )
    assert {href.removeprefix("#") for href in used} <= known
    assert not {"style", "script"} & {tag for tag, _ in art.elements}
    assert not art.all("style")


def test_one_point_and_one_card_are_singular_in_a_drawing() -> None:
    told = {"en": "1 point, 1 card", "de": "1 Punkt, 1 Karte", "et": "1 punkt, 1 kaart", "fr": "1 point, 1 carte"}
    view = replace(arranged(**EXAMPLES["one"].position).view(0), hand_sizes=(1, 4))
    assert {language: told[language] in GAME.draw(view, GAME.words[language]) for language in told} == dict.fromkeys(
        GAME.words, True
    )


def test_examples_stand_in_all_rules_and_show_what_they_say() -> None:
    for page in FOLDER.glob("RULES*.md"):
        assert re.findall(r"\n\n<!-- example (\w+) -->\n\n\*", page.read_text(encoding="utf-8")) == list(EXAMPLES)
    matches = {name: arranged(**example.position) for name, example in EXAMPLES.items()}
    assert "34@1,0" in matches["hole"].moves(0)
    assert matches["one"].view(0).sticks[0] == (1, 0, 0, 0, 0, 0)
    assert matches["four"].view(0).swaps_left == 3
    assert matches["missing"].view(0).ending == "missing_stick"
    assert matches["missing"].over
    assert matches["sets"].scores[0] == 25
