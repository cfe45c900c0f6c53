"""Memoarrrr! in a browser: exactly the legal moves can be clicked, nothing hidden is drawn, and the
sheet counts as the rulebook does."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from samovar.engine.match import Match
from samovar.games.memoarrrr import GAME
from samovar.games.memoarrrr.state import ANIMAL_NAMES, LANDSCAPE_NAMES, PLACE_NAMES
from samovar.language.languages import LANGUAGES
from samovar.web.drawing.render import draw_sheet, draw_table
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person
from support.markup import Reader

FOLDER = Path(GAME.folder)
ART = (FOLDER / "art.svg").read_text(encoding="utf-8")
NAMES = ("Amanda", "Bianca", "Lucas", "Marcel")


class Page(Reader):
    """What stands in a piece of HTML: every element with its attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[dict[str, str]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append({"tag": tag, **{name: value or "" for name, value in attrs}})

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def all(self, name: str) -> list[str]:
        return [element[name] for element in self.elements if name in element]

    def moves(self) -> list[str]:
        return [
            element["value"]
            for element in self.elements
            if element["tag"] == "button" and element.get("name") == "move"
        ]

    def place(self, name: str) -> dict[str, str]:
        return next(element for element in self.elements if element.get("data-key") == f"place-{name}")


def scene_of(match: Match, seat: int | None, language: str = "en", **more: Any) -> Any:
    return make_scene(match, seat, language, [Person(name) for name in NAMES[: match.seats]], **more)


def table(match: Match, seat: int | None, language: str = "en", **more: Any) -> str:
    return str(draw_table(scene_of(match, seat, language, **more)))


def arranged(**position: Any) -> Match:
    return Match.arranged(GAME, plain=True, **position)


def moments(seats: int, options: dict[str, Any], seed: int = 5) -> Any:
    """A random match before every move and at its end."""
    match = Match(GAME, seats, seed, plain=True, **options)
    yield match
    while match.play_random(seed + len(match.history), limit=1):
        yield match


@pytest.mark.parametrize(("seats", "options"), GAME.variants(), ids=str)
def test_exactly_the_legal_moves_can_be_clicked(seats: int, options: dict[str, Any]) -> None:
    for match in moments(seats, options):
        seat = match.actors[0] if match.actors else 0
        html = table(match, seat, LANGUAGES[len(match.history) % len(LANGUAGES)])
        page = Page(html)
        assert sorted(page.moves()) == sorted(match.moves(seat))
        assert not any("data-pick" in element for element in page.elements), "every move is one click"
        assert max(Counter(page.all("data-name")).values(), default=1) == 1
        assert max(Counter(page.all("data-key")).values()) == 1
        assert "style=" not in html
        assert "<script" not in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_waiting_seats_and_spectators_can_click_nothing(language: str) -> None:
    for match in moments(3, {"expert": True}):
        for viewer in (None, (match.view(None).starter + 1) % 3):
            if viewer in match.actors:
                continue
            page = Page(table(match, viewer, language))
            assert page.moves() == []
            assert sum("place " in name for name in page.all("class")) == 24


def test_a_move_is_clicked_at_its_place() -> None:
    texts = {"reveal": "c4", "peek": "peek c4", "block": "block c4", "swap": "swap c4", "look": "north"}
    assert {GAME.face.steps(None, text) for kind, text in texts.items() if kind != "look"} == {("c4",)}  # type: ignore[union-attr]
    assert GAME.face.steps(None, "north") == ("north",)  # type: ignore[union-attr]


def test_all_drawings_exist_and_each_card_shows_its_animal_and_its_landscape() -> None:
    drawn = set(re.findall(r'id="([\w-]+)"', ART))
    used = set(re.findall(r'href="#([\w-]+)"', ART)) | set(re.findall(r"url\(#([\w-]+)\)", ART))
    for seats, options in ((4, {"expert": True, "ordered_stack": True}), (3, {})):
        for match in moments(seats, options):
            html = table(match, 0, helps_memory=True) + table(match, None, is_open=True)
            used |= set(re.findall(r'href="#([\w-]+)"', html))
    assert used - drawn == set()
    assert {f"memoarrrr-{name}" for name in (*ANIMAL_NAMES, *LANDSCAPE_NAMES)} <= used
    page = table(arranged(round=2, cards={"a1": "crab-beach"}, revealed=["a1"]), None)
    assert re.search(r'data-key="place-a1".*?#memoarrrr-beach"/><use href="#memoarrrr-crab"', page)


def test_drawings_hold_no_style_and_no_script() -> None:
    assert not re.search(r"<style|style=|<script|\son\w+=", ART)
    assert "<script" not in (FOLDER / "cover.svg").read_text(encoding="utf-8")
    assert len(ART) < 60_000


@pytest.mark.parametrize(
    ("seats", "options"), [(2, {}), (3, {"expert": True}), (4, {"expert": True, "ordered_stack": True})], ids=str
)
def test_what_a_seat_receives_is_the_same_in_all_worlds_it_cannot_tell_apart(
    seats: int, options: dict[str, Any]
) -> None:
    for match in moments(seats, options, seed=9):
        if len(match.history) % 7:
            continue
        for seat in range(seats):
            seen = table(match, seat, helps_memory=True)
            for number in range(3):
                assert table(match.imagine(seat, number), seat, helps_memory=True) == seen


def test_open_cards_differ_between_worlds() -> None:
    """The check above would see it if the truth leaked: here it is drawn on purpose."""
    match = Match(GAME, 3, 1, plain=True)
    assert len({table(match.imagine(0, number), None, is_open=True) for number in range(3)}) == 3


def test_only_the_looker_sees_what_it_looked_at() -> None:
    match = arranged(
        seats=3, cards={"c5": "turtle-beach"}, sides=["north", None, None], turn=1, looks=[["b5", "c5", "d5"], [], []]
    )
    own, other = Page(table(match, 0)).place("c5"), Page(table(match, 1)).place("c5")
    assert own["aria-label"] == "c5: turtle + beach, only you see it, looked at by Amanda"
    assert "how-look" in own["class"]
    assert other["aria-label"] == "c5: clouds, looked at by Amanda"
    assert "how-clouds" in other["class"]


def test_marks_say_last_blocked_and_what_connects() -> None:
    match = arranged(
        expert=True,
        round=2,
        cards={"e3": "turtle-flowers", "b5": "walrus-flowers"},
        revealed=["e3", "b5"],
        blocked="d2",
        turn=1,
    )
    page = Page(table(match, 0))
    assert page.place("b5")["aria-label"] == "b5: walrus + flowers, the last location"
    assert page.place("e3")["aria-label"] == "e3: turtle + flowers"
    assert page.place("d2")["aria-label"] == "d2: clouds, blocked in this turn"
    assert "To connect, turn up walrus or flowers" in page.text


def test_the_first_reveal_shows_who_looked_where_and_what_is_barred() -> None:
    match = arranged(seats=2, sides=["north", "west"])
    page = Page(table(match, 0, "fr"))
    assert page.place("c5")["aria-label"] == "c5\u00a0: nuages, exclu pour ouvrir la partie, regardé par Amanda"
    assert "is-shut" in page.place("a2")["class"]
    assert "is-shut" not in page.place("c1")["class"]


@pytest.mark.parametrize(("place", "mark"), [("b1", "it connects"), ("c1", "no connection")])
def test_a_reveal_says_whether_it_connected(place: str, mark: str) -> None:
    match = arranged(
        seats=4, round=2, cards={"a1": "crab-beach", "b1": "crab-lava", "c1": "walrus-jungle"}, revealed=["a1"]
    )
    match.play(0, place)
    assert Page(table(match, 3)).place(place)["aria-label"].endswith(f"the last location, just turned up: {mark}")


def test_the_location_that_ended_the_round_is_still_seen() -> None:
    match = arranged(seats=2, round=2, cards={"a1": "crab-beach", "c1": "walrus-jungle"}, revealed=["a1"])
    match.play(0, "c1")
    assert match.view(1).round == 3
    page = Page(table(match, 1))
    assert (
        page.place("c1")["aria-label"]
        == "c1: walrus + jungle, turned back with the round, just turned up: no connection"
    )
    assert page.place("a1")["aria-label"] == "a1: clouds"
    label = Page(table(match, 0)).place("c1")["aria-label"]
    assert label.startswith("Open the round with the location at c1: walrus + jungle, turned back")


def test_a_swap_names_where_both_cards_come_from() -> None:
    match = arranged(
        expert=True,
        round=2,
        cards={"d4": "penguin-jungle", "b4": "octopus-jungle"},
        revealed=["d4", "b4"],
        phase="swap",
    )
    match.play(0, "swap c4")
    page = Page(table(match, 1))
    assert page.place("c4")["data-from"] == "place-b4"
    assert page.place("b4")["data-from"] == "place-c4"
    assert "data-from" not in page.place("d4")


def test_volcanoes_and_treasures_come_from_the_pile() -> None:
    match = arranged(
        seats=3,
        round=2,
        cards={"a1": "crab-beach", "c1": "walrus-jungle", "d1": "turtle-lava"},
        revealed=["a1"],
        volcanoes=[7, 3],
    )
    match.play(0, "c1")
    html = table(match, 2)
    assert 'data-key="volcano-0" data-from="pile-volcanoes"' in html
    assert "out , 7 birds, begins the next round" in Page(html).text
    match.play(1, "d1")
    assert 'data-key="treasure-2" data-from="pile-treasures"' in table(match, 2)


def test_memory_is_drawn_on_the_clouds_for_its_owner_alone() -> None:
    match = arranged(
        seats=2,
        round=2,
        cards={"a1": "crab-beach", "b5": "walrus-flowers"},
        revealed=["a1"],
        known=[["b5", "c5", "d5"], ["e2", "e3", "e4"]],
    )
    page = Page(table(match, 0, helps_memory=True))
    assert "how-memory" in page.place("b5")["class"]
    assert "how-up" in page.place("a1")["class"]
    assert "What you have seen b5: walrus + flowers" in page.text
    assert "how-clouds" in Page(table(match, 1, helps_memory=True)).place("b5")["class"]
    assert "how-memory" not in table(match, 0)


def test_open_records_show_all_cards_marked_as_hidden() -> None:
    match = arranged(
        seats=2,
        round=2,
        cards={"c3": "turtle-beach", "b5": "walrus-flowers"},
        treasures=[4, 3, 2, 2, 2, 1, 1],
        winners=[1],
    )
    page = Page(table(match, None, is_open=True))
    assert sum("how-truth" in name for name in page.all("class")) == 24
    assert page.place("b5")["aria-label"] == "b5: walrus + flowers, hidden from the players"
    assert "In the box turtle + beach" in page.text
    assert "round 1: a treasure with 4 rubies" in page.text
    assert "round 1: a treasure, face down" in Page(table(match, None)).text


@pytest.mark.parametrize(("ordered", "shown"), [(True, ((0, 1), (1, 1))), (False, ((0, None), (1, None)))])
def test_view_says_who_won_which_round(ordered: bool, shown: Any) -> None:
    assert arranged(seats=3, ordered_stack=ordered, round=3, first=2, winners=[0, 1]).view(None).won == shown


def test_rulebook_example_of_the_end() -> None:
    """Amanda wins: four rubies as Bianca and Lucas, but more treasures."""
    match = arranged(
        round=7,
        phase="over",
        treasures=[2, 2, 4, 1, 1, 2, 3],
        winners=[1, 1, 2, 0, 0, 0, 3],
        first=1,
        takers=[0, 1, 2],
        turn=3,
        revealed=["a1", "b2"],
    )
    html = str(draw_sheet(scene_of(match, None)))
    rows = [Page(row).text for row in re.findall(r"<tr.*?</tr>", html, re.S)]
    opened = [re.sub(r"round \d: a treasure with \d rub(?:y|ies) ", "", row) for row in rows]
    assert opened == [
        "Player Treasures Rubies Place",
        "● Amanda 1 + 1 + 2 4 1 wins",
        "▲ Bianca 2 + 2 4 2",
        "■ Lucas 4 4 3",
        "◆ Marcel 3 3 4",
        "All 7 15",
    ]
    assert re.findall(r'class="winner"', html) == ['class="winner"']


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_end_is_drawn_for_everybody(language: str) -> None:
    match = Match(GAME, 4, 2, plain=True)
    match.play_random(2)
    for viewer in (None, 0, 3):
        scene = scene_of(match, viewer, language)
        assert GAME.words[language]["table.pile_over"] in table(match, viewer, language)
        assert str(draw_sheet(scene)).count("<tr") == 6


@pytest.mark.parametrize(
    ("position", "text", "english", "french"),
    [
        (
            {"sides": [None, None, None, None]},
            "east",
            "Look at e2, e3 and e4, the middle locations in the east",
            "Regarder e2, e3 et e4, les lieux du milieu, côté est",
        ),
        ({"round": 2}, "c4", "Open the round with the location at c4", "Ouvrir la manche avec le lieu c4"),
        ({"round": 2, "revealed": ["a1"]}, "c4", "Turn up the location at c4", "Retourner le lieu c4"),
        (
            {"round": 2, "revealed": ["a1"], "looks": [["c4"], [], [], []], "cards": {"c4": "crab-lava"}},
            "c4",
            "Turn up the location at c4: crab + lava, only you see it",
            "Retourner le lieu c4\u00a0: crabe + lave, vous seul le voyez",
        ),
        (
            {"round": 2, "expert": True, "revealed": ["a1"], "phase": "peek", "cards": {"a1": "penguin-lava"}},
            "peek c4",
            "Peek at the location at c4",
            "Regarder en secret le lieu c4",
        ),
        (
            {"round": 2, "expert": True, "revealed": ["a1"], "phase": "block", "cards": {"a1": "walrus-lava"}},
            "block c4",
            "Keep c4 closed for the next player",
            "Interdire c4 au prochain joueur",
        ),
        (
            {"round": 2, "expert": True, "revealed": ["a1"], "phase": "swap", "cards": {"a1": "octopus-lava"}},
            "swap a2",
            "Swap the octopus at a1 with the hidden location at a2",
            "Échanger le poulpe en a1 avec le lieu caché a2",
        ),
        (
            {
                "round": 2,
                "expert": True,
                "revealed": ["b1", "a1"],
                "phase": "swap",
                "cards": {"a1": "octopus-lava", "b1": "crab-lava"},
            },
            "swap b1",
            "Swap the octopus at a1 with crab + lava at b1",
            "Échanger le poulpe en a1 avec crabe + lave en b1",
        ),
    ],
)
def test_a_button_says_its_move(position: dict[str, Any], text: str, english: str, french: str) -> None:
    match = arranged(**position)
    for language, sentence in (("en", english), ("fr", french)):
        labels = {
            element["value"]: element["aria-label"]
            for element in Page(table(match, 0, language)).elements
            if "value" in element
        }
        assert labels[text] == sentence


def test_prompts_in_a_browser_ask_for_no_typing() -> None:
    for words, typing in ((GAME.words["en"], "type"), (GAME.words["fr"], "tapez")):
        typed = [
            key
            for key, sentence in words.items()
            if key.startswith("prompt.") and f": {typing} " in f"{sentence.replace(' :', ':')} "
        ]
        assert len(typed) == 7
        assert [key for key in typed if typing in words[f"table.{key}"]] == []


def test_examples_are_on_all_rules_pages_and_show_what_their_sentences_say() -> None:
    examples = GAME.face.examples  # type: ignore[union-attr]
    for path in FOLDER.glob("RULES*.md"):
        marks = re.findall(r"^<!-- example (\w+) -->$", path.read_text(encoding="utf-8"), re.M)
        assert sorted(marks) == sorted(examples)
    matches = {name: arranged(**example.position) for name, example in examples.items()}
    assert set(matches["octopus"].moves(0)) == {"swap b5", "swap a4", "swap c4", "swap b3"}
    assert len(matches["first"].moves(0)) == 24 - 9
    assert "d2" not in matches["walrus"].moves(1)
    assert matches["volcano"].view(0).volcanoes == (0, 0, 7)
    assert matches["connection"].view(2).island[PLACE_NAMES.index("d4")] == "penguin-jungle"
    for name, example in examples.items():
        assert "how-" in table(matches[name], example.seat, may_move=False), name
