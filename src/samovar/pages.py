"""The rules pages of the games, as Markdown, with the tables that are generated from the code."""

from __future__ import annotations

import re
from pathlib import Path

from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.errors import SamovarError
from samovar.languages import ENGLISH, check_language, translations, words_in

PLACE = "<!-- observation -->"
EXAMPLE = re.compile(r"<!-- example (\w+) -->")


def rules_page(game: Game, language: str, *, drawn: bool = True) -> str:
    """The complete rules of a game in a language, or in English where nobody has translated them
    yet.

    Its examples are drawn as text, or left as marks for somebody else to draw.
    """
    _ = translations(check_language(language)).gettext
    pages = [Path(game.folder) / name for name in (f"RULES.{language}.md", "RULES.md")]
    not_yet = _("Nobody has written down the rules of this game yet.")
    text = next((page.read_text(encoding="utf-8") for page in pages if page.exists()), f"# {game.name}\n\n{not_yet}\n")
    text = text.replace(PLACE, observation_table(game, language))
    return EXAMPLE.sub(lambda mark: example_text(game, mark[1], language), text) if drawn else text


def example_text(game: Game, name: str, language: str) -> str:
    """An example of the rules as a text drawing."""
    if game.face is None or name not in game.face.examples:
        raise SamovarError(f"The rules of {game.name} name an example {name!r} that the game's face does not have.")
    example = game.face.examples[name]
    view = Match.arranged(game, plain=True, **example.position).view(example.seat)
    return f"```\n{game.draw(view, words_in(game, language))}\n```"


def observation_table(game: Game, language: str = ENGLISH) -> str:
    """The layout of an observation: which numbers mean what."""
    _ = translations(language).gettext
    heads = (_("from"), _("to"), _("name"), _("meaning"))
    rows = [f"| {' | '.join(heads)} |", "|---|---|---|---|"]
    start = 0
    for part in game.observation:
        rows.append(f"| {start} | {start + part.size - 1} | `{part.name}` | {part.help} |")
        start += part.size
    return "\n".join(rows)
