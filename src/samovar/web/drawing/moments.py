"""A moment of a review: the board from the eyes of its player, as they saw and remembered it, with both moves on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from samovar.engine.match import Match
from samovar.insight.moments import Moment
from samovar.insight.report import Telling
from samovar.web.drawing.render import HERE, art, draw_table
from samovar.web.drawing.scene import BETTER, MADE, make_scene
from samovar.web.names import Person


def draw_moment(match: Match, moment: Moment, language: str, people: Sequence[Person]) -> Markup:
    """`match` stands where the choice was made."""
    marked = {moment.made.text: MADE, moment.better.text: BETTER}
    scene = make_scene(match, moment.choice.seat, language, people, helps_memory=True, marked=marked).settled()
    return draw_table(scene)


def draw_alone(telling: Telling, moment: Moment) -> Markup:
    """The same for a page that is not the site's: with its style and its drawings, which the page around it neither
    sees nor changes."""
    match = telling.review.match.at(moment.choice.moves_made)
    game = match.game
    files = [HERE / "static" / name for name in ("samovar.css", "review.css")]
    files += [Path(game.folder) / "table.css"] if game.face else []
    style = "".join(file.read_text(encoding="utf-8") for file in files)
    style = style.replace(':root:not([data-theme="light"])', ":host").replace(":root", ":host")
    drawn = draw_moment(match, moment, telling.language, [Person(name) for name in telling.names])
    return Markup(
        '<style>{}</style>{}<main class="review-position table game-{}"><fieldset disabled>{}</fieldset></main>'
    ).format(Markup(style), art(game), game.id, drawn)
