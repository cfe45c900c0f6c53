"""The drawing of a position that somebody arranges: all cards open, and whatever has a name is a button."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from typing import NamedTuple

from markupsafe import Markup, escape

from samovar.engine.match import Match
from samovar.engine.words import words_at
from samovar.web.drawing.render import draw_table
from samovar.web.drawing.scene import NamedPlaces, SceneChoice, face_of, make_scene
from samovar.web.names import Person

MOST_MOVES = 200  # that are listed
PIECE = re.compile(r"<div\b(?P<facts>[^>]*)>|</div>")  # no attribute has a sign like these in it, they are escaped
NAMES = tuple(re.compile(rf' {name}="([^"]*)"') for name in ("data-place", "data-mark", "data-key"))
LABEL = re.compile(r' aria-label="([^"]*)"')


class ArrangedDrawing(NamedTuple):
    board: Markup
    picked: str = ""  # what was chosen, in words
    moves: Sequence[SceneChoice] = ()  # what the next player may do, where no piece can be moved


def draw_pieces(match: Match, language: str, people: Sequence[Person], picked: str) -> ArrangedDrawing:
    """`picked`: the name of what was chosen already."""
    scene = make_scene(match, None, language, people, may_move=False, is_open=True)
    words = words_at(match.game, language, tuple(one.name for one in people))
    named = replace(scene, choices=NamedPlaces(face_of(match, None), scene.view, words))
    return _with_buttons(str(draw_table(named)), str(escape(picked)))


def draw_moves(match: Match, language: str, people: Sequence[Person]) -> ArrangedDrawing:
    board = draw_table(make_scene(match, None, language, people, may_move=False, is_open=True))
    choices = None if match.over else make_scene(match, match.actors[0], language, people).choices
    return ArrangedDrawing(board, moves=choices.moves[:MOST_MOVES] if choices and not choices.several else ())


def _with_buttons(html: str, picked: str) -> ArrangedDrawing:
    """Pieces are `spot`s of the kit, `div`s here; an empty place may be any other, and has a name for this alone."""
    ends: list[str] = []
    labels: list[str] = []

    def end_or_begin(tag: re.Match[str]) -> str:
        if tag["facts"] is None:
            return ends.pop()
        name = _name_of(tag["facts"])
        ends.append("</button>" if name else "</div>")
        if not name:
            return tag[0]
        label = LABEL.search(tag["facts"])
        facts = tag["facts"].replace(' role="img"', "") + ("" if label else f' aria-label="{name}"')
        if name == picked:
            labels.append(unescape(label[1] if label else name))
        classes = "spot choice picked" if name == picked else "spot choice"
        facts = facts.replace(' class="spot ', ' class="', 1).replace(' class="', f' class="{classes} ', 1)
        current = ' aria-current="true"' if name == picked else ""
        return f'<button name="move" value="{name}" formnovalidate{current}{facts}>'

    board = Markup(PIECE.sub(end_or_begin, html))
    return ArrangedDrawing(board, next(iter(labels), ""))


def _name_of(facts: str) -> str:
    if ' class="spot ' not in facts and " data-place=" not in facts:
        return ""
    return next((found[1] for pattern in NAMES if (found := pattern.search(facts))), "")
