"""Drawing a table: what is kept from one look to the next never shows, and nothing is made that
nobody asked for."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from jinja2 import pass_context
from markupsafe import Markup

from samovar import Match
from samovar.engine.registry import find_game, game_ids
from samovar.language.languages import LANGUAGES
from samovar.web.drawing import render
from samovar.web.drawing.render import draw_sheet, draw_table, environment, kept
from samovar.web.drawing.scene import TableScene, make_scene
from samovar.web.names import Person

GAMES = [find_game(game_id) for game_id in game_ids() if find_game(game_id).face]
# Two parties at tables alike: what is drawn for one must not carry the names of the other.
PARTIES = (
    (
        Person("Anna"),
        Person("Boris <b>&", "bot", "easy"),
        Person("Chloé"),
        Person("Dmitri", "absent", "hard"),
        Person("Élise"),
    ),
    (Person("Anna", "bot", "hard"), Person('"Olga"'), Person("Chloé"), Person("1"), Person("Élise", "bot", "easy")),
)
MOMENTS = 3
Look = Callable[[], TableScene]


def first_steps(match: Match, seat: int) -> tuple[str, ...]:
    """What a click on the first thing that leads on picks."""
    choices = make_scene(match, seat, "en", PARTIES[0]).choices
    return next(((choice.name,) for choice in choices if choice.move is None), ())


def ways_to_look(match: Match) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Every viewer, with the helps and in the ways that a page may have."""
    for seat in (None, *range(match.seats)):
        yield seat, {}
        yield seat, {"may_move": False, "is_open": True}
    for seat in range(match.seats):
        yield seat, {"helps_memory": True}
    for seat in match.actors:
        yield seat, {"picked": first_steps(match, seat)}


def looks_at(match: Match) -> Iterator[Look]:
    for number, (viewer, way) in enumerate(ways_to_look(match)):
        for language in LANGUAGES:
            people = PARTIES[number % 2][: match.seats]
            yield lambda v=viewer, w=way, s=language, p=people: make_scene(match, v, s, p, **w)  # type: ignore[misc]


def moments(game: Any, seats: int, seed: int, **options: Any) -> list[Match]:
    """A random match at some of its moments, from the first to the last: some of them next to each
    other, as they are at a table."""
    match = Match(game, seats, seed, plain=True, **options)
    match.play_random(seed)
    length = len(match.history)
    starts = [length * part // MOMENTS for part in range(MOMENTS)]
    return [match.at(at) for start in starts for at in (start, start + 1)] + [match]


def drawn(scene: TableScene) -> str:
    return str(draw_table(scene) + (draw_sheet(scene) if scene.over else ""))


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Everything is drawn anew, until what it gives is called."""

    def forget() -> None:
        render.environment.cache_clear()
        render._macros.cache_clear()

    def keep_again() -> None:
        monkeypatch.undo()
        forget()

    monkeypatch.setattr(render, "kept", lambda macro, pieces=0: macro)
    forget()
    yield keep_again
    keep_again()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
@pytest.mark.slow
def test_what_is_kept_draws_every_look_as_if_it_were_the_first(game: Any, nothing_kept: Callable[[], None]) -> None:
    seats, options = game.variants()[-1]
    found = [look for match in moments(game, seats, 11, **options) for look in looks_at(match)]
    wanted = [drawn(look()) for look in found]
    nothing_kept()
    for order in (1, 2):
        numbers = list(range(len(found)))
        random.Random(order).shuffle(numbers)
        for number in numbers:
            assert drawn(found[number]()) == wanted[number], (order, number)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_only_so_much_is_kept(game: Any) -> None:
    drawn(make_scene(Match(game, seed=1, plain=True), None, "en", PARTIES[0]))
    macros = vars(render._macros(game, "en")).values()
    bounds = [macro.cache_parameters()["maxsize"] for macro in macros if hasattr(macro, "cache_parameters")]
    assert bounds
    assert all(bound is not None and bound <= 4096 for bound in bounds)


def macro(source: str) -> Any:
    return environment("en").from_string("{% macro shown(thing, how) %}" + source + "{% endmacro %}").module.shown  # type: ignore[attr-defined]


def test_a_scene_cannot_be_kept() -> None:
    scene = make_scene(Match("babuschka", seed=1, plain=True), 0, "en", PARTIES[0])
    with pytest.raises(TypeError, match="unhashable"):
        kept(macro("{{ thing.viewer }}"))(scene, "large")


def test_what_is_kept_is_told_apart_by_its_kind() -> None:
    show = kept(macro("{{ thing }}"))
    assert [str(show(thing, "large")) for thing in ("<b>", Markup("<b>"), 1, True)] == ["&lt;b&gt;", "<b>", "1", "True"]


def test_a_game_without_its_face_is_drawn_as_text() -> None:
    game = find_game("babuschka")
    faceless = Match(replace(game, face=None), seed=1, plain=True)
    for match, is_text in (
        (Match(game, seed=1, plain=True), False),
        (faceless, True),
        (Match(game, seed=1, plain=True), False),
    ):
        assert ("plain-table" in drawn(make_scene(match, 0, "en", PARTIES[0]))) == is_text


def test_what_a_template_calls_gets_the_context_if_it_asks_for_it() -> None:
    @pass_context
    def seen(context: Any, name: str) -> Any:
        return context[name]

    template = environment("en").from_string(
        "{% for card in 'AB' %}{% set name = card %}{{ seen('name') }}{{ plain(card, key=name) }}{% endfor %}"
    )
    assert template.render(seen=seen, plain=lambda card, key: f"-{card}{key} ") == "A-AA B-BB "


def test_moves_that_no_button_makes_are_not_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """There are thousands of displays to choose, and a form of its own to choose one."""
    match = Match("matryoshka", seats=3, seed=4, plain=True)
    told: list[int] = []
    honest = Match.move_text
    monkeypatch.setattr(Match, "move_text", lambda self, seat, move: told.append(move) or honest(self, seat, move))
    scene = make_scene(match, 0, "en", PARTIES[0])
    assert scene.choices
    assert scene.choices.several
    assert len(told) == 1 < len(match.legal(0))


@pytest.mark.parametrize("game_id", game_ids())
def test_news_told_alone_are_those_of_the_view(game_id: str) -> None:
    match = Match(game_id, seed=6, plain=True)
    viewers = (None, *range(match.seats))
    told: dict[int | None, list[Any]] = {viewer: [] for viewer in viewers}
    while not match.over and len(match.history) < 150:
        match.play_random(len(match.history), limit=1)
        for viewer in viewers:
            assert match.news(viewer) == match.view(viewer).news
            told[viewer].append(match.view(viewer).news)
    for viewer in viewers:
        assert match.log(viewer) == told[viewer]
        assert match.log(viewer, last=12) == told[viewer][-12:]
