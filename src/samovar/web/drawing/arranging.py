"""The drawing of a position that somebody arranges: all cards open, and whatever has a name is a button."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from markupsafe import Markup

from samovar.engine.match import Match
from samovar.engine.words import words_at
from samovar.web.drawing.render import draw_table
from samovar.web.drawing.scene import NamedPlaces, SceneChoice, face_of, make_scene
from samovar.web.names import Person

MOST_MOVES = 200  # that are listed
PIECE = re.compile(r"<div\b(?P<facts>[^>]*)>|</div>")  # no attribute has a sign like these in it, they are escaped
NAMES = tuple(re.compile(rf' {name}="([^"]*)"') for name in ("data-place", "data-mark", "data-key"))


def draw_arranged(match: Match, language: str, people: Sequence[Person], picked: str | None) -> Markup:
    """`picked`: what was chosen already; None: nothing can be chosen."""
    scene = make_scene(match, None, language, people, may_move=False, is_open=True)
    if picked is None:
        return draw_table(scene)
    words = words_at(match.game, language, tuple(one.name for one in people))
    named = replace(scene, choices=NamedPlaces(face_of(match, None), scene.view, words))
    return Markup(_with_buttons(str(draw_table(named)), str(Markup.escape(picked))))


def moves_here(match: Match, language: str, people: Sequence[Person]) -> Sequence[SceneChoice]:
    """What the next player may do, in words; nothing where there is too much."""
    if match.over:
        return ()
    scene = make_scene(match, match.actors[0], language, people)
    return () if scene.choices.several else scene.choices.moves[:MOST_MOVES]


def _with_buttons(html: str, picked: str) -> str:
    """Pieces are `spot`s of the kit, `div`s here; an empty place may be any other, and has a name for this alone."""
    ends: list[str] = []

    def end_or_begin(tag: re.Match[str]) -> str:
        if tag["facts"] is None:
            return ends.pop()
        name = _name_of(tag["facts"])
        ends.append("</button>" if name else "</div>")
        if not name:
            return tag[0]
        facts = tag["facts"].replace(' role="img"', "")
        if name == picked:
            facts = facts.replace(' class="spot ', ' aria-current="true" class="spot picked ', 1)
        facts = facts.replace(' class="spot ' if " data-place=" not in facts else ' class="', ' class="spot choice ', 1)
        if " aria-label=" not in facts:
            facts += f' aria-label="{name}"'
        return f'<button name="move" value="{name}" formnovalidate{facts}>'

    return PIECE.sub(end_or_begin, html)


def _name_of(facts: str) -> str:
    if ' class="spot ' not in facts and " data-place=" not in facts:
        return ""
    return next((found[1] for pattern in NAMES if (found := pattern.search(facts))), "")
