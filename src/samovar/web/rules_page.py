"""The rules of a game as a page, with its examples drawn."""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from samovar.engine.contract import Game
from samovar.engine.face import Example
from samovar.engine.match import Match
from samovar.pages import EXAMPLE, rules_page
from samovar.web.render import draw_table
from samovar.web.scene import Person, make_scene

NAMES = ("Anna", "Boris", "Chloé", "Dmitri", "Élise")


@cache
def rules_html(game: Game, language: str) -> Markup:
    """Markdown as HTML; where it says `<!-- example NAME -->` there is a table."""
    text = rules_page(game, language, drawn=False)
    html = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(EXAMPLE.sub(r"EXAMPLE-\1-", text)))
    examples = game.face.examples if game.face else {}
    return Markup(
        re.sub(r"<p>EXAMPLE-(\w+)-</p>", lambda match: _example(game, examples[match[1]], match[1], language), html)
    )


def _example(game: Game, example: Example, name: str, language: str) -> str:
    match = Match.arranged(game, plain=True, **example.position)
    people = [Person(NAMES[seat]) for seat in range(match.seats)]
    scene = make_scene(match, example.seat, language, people, may_move=False)
    return f'<figure class="example table game-{game.id}" id="example-{name}">{draw_table(scene)}</figure>'
