"""Pictures of views: well-formed, with all that is to be read, the same for all who know the same,
and readable with and without fonts."""

import importlib
import sys
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import samovar
from samovar import errors
from samovar.engine.contract import Event, event
from samovar.envs import need, picture

GAMES = samovar.game_ids()
every_game = pytest.mark.parametrize("game", GAMES)
SVG = "{http://www.w3.org/2000/svg}"


def some_match(game: str, moves: int = 9) -> samovar.Match:
    match = samovar.Match(game, seed=5, plain=True)
    match.play_random(2, moves)
    return match


ASK = event("ask")


@dataclass(frozen=True)
class Seen:
    news: tuple[Event, ...] = ()
    prompt: Event = ASK


def game_that_draws(drawing: str, name: str = 'Made <up> & "so"', **words: str) -> Any:
    return SimpleNamespace(name=name, words={"en": {"ask": "Your move?", **words}}, draw=lambda view, words: drawing)


@pytest.fixture(params=["a font of this machine", "no font but Pillow's"])
def _fonts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param.startswith("no"):
        monkeypatch.setattr(picture, "MONOSPACED", ())
    yield forget_fonts()
    forget_fonts()


def forget_fonts() -> None:
    for remembered in (picture._font, picture._cell, picture._fitting_size, picture._letter):
        remembered.cache_clear()


def lines_of(svg: str) -> list[str]:
    """The text of a picture, put together again from where its pieces are."""
    lines: dict[float, str] = {}
    for piece in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        row, text = float(piece.get("y", 0)), piece.text or ""
        column = round((float(piece.get("x", 0)) - picture.MARGIN) / picture.CELL)
        lines[row] = lines.get(row, "").ljust(column) + text
        assert "  " not in text  # SVG would take two spaces for one
        assert float(piece.get("textLength", 0)) == pytest.approx(len(text) * picture.CELL)
    return [lines[row] for row in sorted(lines)]


@every_game
def test_text_and_svg_tell_the_drawing_the_news_and_the_prompt(game: str) -> None:
    match = some_match(game)
    view, words = match.view(0), match.game.words["en"]
    drawing = [line.rstrip() for line in match.game.draw(view, words).splitlines()]
    text = picture.text(match.game, view)
    assert text.splitlines()[: len(drawing)] == drawing
    lines = lines_of(picture.svg(match.game, view))
    assert lines[0] == match.game.name
    written = [line for line in drawing if line]
    assert lines[1 : len(written) + 1] == written
    for said in (*view.news, view.prompt):
        sentence = said.tell(words, lambda seat: f"seat {seat}")[1:]
        assert sentence in " ".join(text.split())
        assert sentence in " ".join(lines)


@every_game
def test_all_of_the_svg_is_on_its_card(game: str) -> None:
    match = some_match(game)
    svg = ElementTree.fromstring(picture.svg(match.game, match.view(None)))
    for piece in svg.iter(f"{SVG}text"):
        assert (
            float(piece.get("x", 0)) + float(piece.get("textLength", 0))
            <= float(svg.get("width", 0)) - picture.MARGIN + 0.01
        )
        assert float(piece.get("y", 0)) <= float(svg.get("height", 0)) - picture.MARGIN


def test_svg_asks_nothing_from_outside_and_escapes_everything() -> None:
    game = game_that_draws("<script>alert('x')</script> & \x00\x1b[31m", news="{who} <b>says</b>")
    svg = picture.svg(game, Seen(news=(event("news", who="</text>"),)))
    assert lines_of(svg) == [
        game.name,
        "<script>alert('x')</script> & \ufffd\ufffd[31m",
        "</text> <b>says</b>",
        "Your move?",
    ]
    assert svg.count("http") == 1  # the name of SVG itself
    for word in ("href", "url(", "<script", "@import", "<style"):
        assert word not in svg


@every_game
@pytest.mark.usefixtures("_fonts")
def test_pixels_have_one_size_and_show_every_line(game: str) -> None:
    match = some_match(game)
    for seat in (None, 0):
        view = match.view(seat)
        pixels = picture.rgb(match.game, view)
        assert pixels.shape == (picture.HEIGHT, picture.WIDTH, 3)
        assert pixels.dtype == np.uint8
        dark = (pixels.astype(int).sum(axis=2) < 300).any(axis=1)  # rows of pixels with ink on them
        lines = [line for line in picture.text(match.game, view).splitlines() if line.strip(" .·~-_'")]
        # where lines nearly touch, two are one
        assert np.count_nonzero(np.diff(dark.astype(int)) == 1) >= len(lines) * 0.7


@pytest.mark.usefixtures("_fonts")
def test_every_letter_is_whole_and_in_its_column() -> None:
    pixels = picture.rgb(game_that_draws("H" + " " * 29 + "H" + " " * 29 + "H\n" + "H" * 61), Seen())
    sparse, full = text_lines(pixels)[:2]
    for ink in (np.flatnonzero((line < 100).any(axis=0)) for line in (sparse, full)):
        assert ink.min() + ink.max() == pytest.approx(picture.WIDTH, abs=3)
        assert ink.min() < 2 * picture.EDGE_ROOM
    middle = np.flatnonzero((sparse < 100).any(axis=0))
    assert np.median(middle) == pytest.approx(picture.WIDTH / 2, abs=10)
    assert np.count_nonzero(full < 100) * 3 == np.count_nonzero(sparse < 100) * 61


def text_lines(pixels: Any) -> list[Any]:
    """The lines of a picture that are drawn in the ink of boards, as strips of their red."""
    red = pixels[:, :, 0]
    rows = np.flatnonzero((red < 60).any(axis=1))
    return [red[part[0] : part[-1] + 1] for part in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)]


def test_letter_that_the_font_lacks_loses_its_accent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "MONOSPACED", ())
    forget_fonts()
    assert (
        picture._letter(20, "ä").tobytes() == picture._letter(20, "a").tobytes() != picture._letter(20, "o").tobytes()
    )
    forget_fonts()


@pytest.mark.parametrize("drawing", ["x" * 5000, "x\n" * 500, "", "\n\n"])
def test_drawing_of_any_size_gives_a_picture(drawing: str) -> None:
    game = game_that_draws(drawing)
    assert picture.rgb(game, Seen()).shape == (picture.HEIGHT, picture.WIDTH, 3)
    assert "Your move?" in picture.svg(game, Seen())
    assert "Your move?" in picture.text(game, Seen())


@every_game
def test_those_who_know_the_same_see_the_same(game: str) -> None:
    match = some_match(game)
    for seat in range(match.seats):
        world = match.imagine(seat, 1)
        assert picture.svg(match.game, match.view(seat)) == picture.svg(match.game, world.view(seat))
        assert (
            picture.rgb(match.game, match.view(seat)).tobytes() == picture.rgb(match.game, world.view(seat)).tobytes()
        )


def test_picture_is_the_callers_to_write_on() -> None:
    match = some_match("connect_four")
    first = picture.rgb(match.game, match.view(None))
    kept = first.copy()
    first[:] = 0
    assert (picture.rgb(match.game, match.view(None)) == kept).all()
    Image.fromarray(kept)


def test_without_pillow_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    match = some_match("connect_four")
    with pytest.raises(errors.MissingExtra, match=r"'PIL'.*pip install 'samovar-games\[research\]'"):
        picture.rgb(match.game, match.view(None))
    picture.svg(match.game, match.view(None))


def test_need_gives_the_module_or_names_the_extra() -> None:
    assert need("json") is importlib.import_module("json")
    with pytest.raises(errors.MissingExtra, match=r"'no_such_package'.*pip install 'samovar-games\[cuda\]'"):
        need("no_such_package", "cuda")
