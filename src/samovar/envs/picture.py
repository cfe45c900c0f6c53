"""A view as a text, as an SVG picture and as pixels, for every game: its own text drawing, and
below it what has happened and what is asked.

All of it is made from a view and nothing else, so a picture shows what its viewer may see. Neither
picture needs anything from outside: the SVG asks for any monospaced font, and the pixels are drawn
with one of this machine or, where there is none, with the one that comes with Pillow.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from functools import cache
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import numpy as np
import numpy.typing as npt

from samovar.engine.contract import Game, SeatView
from samovar.envs import need
from samovar.errors import BadOption

if TYPE_CHECKING:
    from PIL import ImageFont

LANGUAGE = "en"
NARROWEST = 48  # columns, so that sentences have room under a small board

# What a line is; a picture is a list of (kind, line).
TITLE, BOARD, NEWS, PROMPT, GAP = range(5)
COLOURS = {TITLE: "#8c3b1f", BOARD: "#22262b", NEWS: "#22262b", PROMPT: "#6a6f76", GAP: "#22262b"}
PAPER, EDGE, GROUND = "#fdfcf9", "#cfc9bd", "#ece8e0"

# The SVG, in units of a font of 16.
FONT, CELL, LEADING, MARGIN = 16, 9.6, 20, 24
PIECE = re.compile(r"\S+(?: \S+)*")
FAMILY = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"

MODES = ("human", "ansi", "svg", "rgb_array")

# The pixels. The size is always the same: videos ask for that.
WIDTH, HEIGHT, EDGE_ROOM = 1280, 960, 40
# of the text; what is still too large in the smallest font is cut off
MOST_WIDE, MOST_HIGH = WIDTH - 2 * EDGE_ROOM, HEIGHT - 2 * EDGE_ROOM
LARGEST, SMALLEST = 36, 8
MONOSPACED = (
    "DejaVuSansMono.ttf",
    "LiberationMono-Regular.ttf",
    "NotoSansMono-Regular.ttf",
    "Menlo.ttc",
    "consola.ttf",
    "cour.ttf",
)

TextLine = tuple[int, str]
Pixels = npt.NDArray[np.uint8]


def check_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in MODES:
        raise BadOption(f"render_mode cannot be {mode!r}. It is None or one of {', '.join(MODES)}.")
    return mode


def show(game: Game, view: SeatView, mode: str | None) -> str | Pixels | None:
    """None, the printed table (`human`); a text (`ansi`); a picture as a text (`svg`) or as numbers
    (`rgb_array`)."""
    if mode is None:
        raise BadOption(f"Say how to render when the environment is made: render_mode can be {', '.join(MODES)}.")
    if mode == "svg":
        return svg(game, view)
    if mode == "rgb_array":
        return rgb(game, view)
    if mode == "ansi":
        return text(game, view)
    print(text(game, view))
    return None


def text(game: Game, view: SeatView) -> str:
    """The drawing of a terminal."""
    return "\n".join(line for kind, line in _lines(game, view) if kind != TITLE).strip("\n")


def svg(game: Game, view: SeatView) -> str:
    """A picture as an SVG document."""
    lines = _lines(game, view)
    width = _columns(lines) * CELL + 2 * MARGIN
    height = len(lines) * LEADING + 2 * MARGIN
    drawn = "".join(_svg_line(kind, line, MARGIN + row * LEADING + FONT) for row, (kind, line) in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} '
        f'{height:g}" role="img">'
        f"<title>{escape(game.name)}</title>"
        f'<rect x="1" y="1" width="{width - 2:g}" height="{height - 2:g}" rx="12" fill="{PAPER}" stroke="{EDGE}" '
        'stroke-width="2"/>'
        f'<g font-family="{FAMILY}" font-size="{FONT}">{drawn}</g></svg>'
    )


def _svg_line(kind: int, line: str, y: float) -> str:
    """A line of text, in pieces without two spaces in a row, which SVG would take for one. Where a
    piece begins and how long it is is said, so columns stay columns whatever the font."""
    look = f'fill="{COLOURS[kind]}"' + (' font-weight="bold"' if kind == TITLE else "")
    return "".join(
        f'<text x="{MARGIN + piece.start() * CELL:g}" y="{y:g}" textLength="{len(piece[0]) * CELL:g}" '
        f"{look}>{escape(piece[0])}</text>"
        for piece in PIECE.finditer(_printable(line))
    )


def rgb(game: Game, view: SeatView) -> Pixels:
    """A picture as numbers from 0 to 255: rows by columns by red, green, blue."""
    need("PIL")
    from PIL import Image, ImageDraw

    lines = _lines(game, view)
    size = _fitting_size(_columns(lines), len(lines))
    wide, high = _cell(size)
    columns, rows = min(_columns(lines), MOST_WIDE // wide), min(len(lines), MOST_HIGH // high)
    left, top = (WIDTH - columns * wide) // 2, (HEIGHT - rows * high) // 2
    card, colours = (Image.new("RGB", (WIDTH, HEIGHT), GROUND) for _ in range(2))
    box = (left - EDGE_ROOM // 2, top - EDGE_ROOM // 2, WIDTH - left + EDGE_ROOM // 2, HEIGHT - top + EDGE_ROOM // 2)
    ImageDraw.Draw(card).rounded_rectangle(box, 12, PAPER, EDGE, 2)
    ink = np.zeros((HEIGHT, WIDTH), np.uint8)
    for row, (kind, line) in enumerate(lines[:rows]):
        strip = slice(top + row * high, top + (row + 1) * high)
        ImageDraw.Draw(colours).rectangle((0, strip.start, WIDTH, strip.stop), COLOURS[kind])
        # Each letter is in a cell of its own, so columns stay columns whatever the font.
        for column, letter in enumerate(line[:columns]):
            if letter != " ":
                begin = left + column * wide - wide // 2
                spot = ink[strip, begin : begin + 2 * wide]
                np.maximum(spot, _letter(size, letter), out=spot)
    return np.array(Image.composite(colours, card, Image.fromarray(ink)))


@cache
def _letter(size: int, letter: str) -> Pixels:
    """The ink of a letter in the middle of a strip two cells wide: where the font is not
    monospaced, some are wider than a cell."""
    from PIL import Image, ImageDraw

    font = _font(size)
    # the font does not have it: then perhaps without its accent
    if bytes(font.getmask(letter)) == bytes(font.getmask("\uffff")):
        letter = unicodedata.normalize("NFKD", letter)[0]
    wide, high = _cell(size)
    image = Image.new("L", (2 * wide, high))
    ImageDraw.Draw(image).text((wide, 0), letter, 255, font, anchor="ma")
    return np.array(image)


@cache
def _fitting_size(columns: int, rows: int) -> int:
    """The largest font with which so much text fits."""
    for size in range(LARGEST, SMALLEST, -1):
        wide, high = _cell(size)
        if columns * wide <= MOST_WIDE and rows * high <= MOST_HIGH:
            return size
    return SMALLEST


@cache
def _cell(size: int) -> tuple[int, int]:
    """Width and height of the room for a letter."""
    return round(_font(size).getlength("N")), round(size * 1.25)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    from PIL import ImageFont

    for name in MONOSPACED:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)


def _lines(game: Game, view: SeatView) -> list[TextLine]:
    words = game.words[LANGUAGE]
    board = [line.rstrip() for line in game.draw(view, words).splitlines()]
    width = max([NARROWEST, *map(len, board)])
    lines: list[TextLine] = [(TITLE, game.name), (GAP, ""), *((BOARD, line) for line in board), (GAP, "")]
    for kind, event in [*((NEWS, event) for event in view.news), (PROMPT, view.prompt)]:
        text = event.tell(words, lambda seat: f"seat {seat}")
        lines += [(kind, line) for line in textwrap.wrap(text[:1].upper() + text[1:], width)]
    return lines


def _columns(lines: list[TextLine]) -> int:
    return max([NARROWEST, *(len(line) for _, line in lines)])


def _printable(line: str) -> str:
    """Without control characters, which XML does not allow even when escaped."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in line)
