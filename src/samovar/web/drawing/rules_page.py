"""The rules of a game as a page, with its examples drawn."""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markupsafe import Markup

from samovar.engine.contract import Game
from samovar.engine.face import Example
from samovar.engine.match import Match
from samovar.teach.rules_pages import EXAMPLE, PHASES, rules_page
from samovar.web.drawing.render import draw_table
from samovar.web.drawing.scene import make_scene
from samovar.web.names import Person

NAMES = ("Anna", "Boris", "Chloé", "Dmitri", "Élise")
# What the marks of a page have become. A line in italics under an example is its caption.
FIGURE = re.compile(r"<p>EXAMPLE-(\w+)-</p>(?:\s*<p><em>((?:(?!</p>).)*)</em></p>)?", re.DOTALL)
HEADING = re.compile(r"<(h\d)>(.*?)PHASES-([\w ]+)-</\1>")


@cache
def rules_html(game: Game, language: str) -> Markup:
    """Markdown as HTML; where it says `<!-- example NAME -->` there is a table, and a heading with
    `<!-- phase NAME -->` can be gone to. The language is one that they are written in
    (`rules_language`)."""
    text = PHASES.sub(r" PHASES-\1-", EXAMPLE.sub(r"EXAMPLE-\1-", rules_page(game, language, drawn=False)))
    html = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
    examples = game.face.examples if game.face else {}
    html = FIGURE.sub(lambda mark: _example(game, examples[mark[1]], mark[1], mark[2] or "", language), html)
    return Markup(HEADING.sub(lambda mark: _heading(mark[1], mark[2].strip(), mark[3].split()), html))


def _heading(tag: str, text: str, phases: list[str]) -> str:
    anchors = "".join(f'<span id="phase-{phase}"></span>' for phase in phases)
    return f"<{tag}>{anchors}{text}</{tag}>"


def _example(game: Game, example: Example, name: str, caption: str, language: str) -> str:
    match = Match.arranged(game, plain=True, **example.position)
    people = [Person(NAMES[seat]) for seat in range(match.seats)]
    scene = make_scene(match, example.seat, language, people, may_move=False)
    text = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f'<figure class="example table game-{game.id}" id="example-{name}">{draw_table(scene)}{text}</figure>'
