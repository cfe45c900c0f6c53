"""The rules pages of the games, as Markdown, with the tables that are generated from the code."""

from __future__ import annotations

import re
from pathlib import Path

from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.errors import SamovarError

PLACE = "<!-- observation -->"
EXAMPLE = re.compile(r"<!-- example (\w+) -->")
HEADS = {"en": ("from", "to", "name", "meaning"), "fr": ("de", "à", "nom", "sens")}

NOT_YET = {
    "en": "Nobody has written down the rules of this game yet.",
    "fr": "Personne n’a encore rédigé les règles de ce jeu.",
}


def languages() -> tuple[str, ...]:
    return tuple(HEADS)


def rules_page(game: Game, language: str, *, drawn: bool = True) -> str:
    """The complete rules of a game in a language, or in English where nobody has translated them
    yet.

    Its examples are drawn as text, or left as marks for somebody else to draw.
    """
    if language not in HEADS:
        raise SamovarError(f"There is no page in language {language!r}; there are pages in {', '.join(HEADS)}.")
    pages = [Path(game.folder) / name for name in (f"RULES.{language}.md", "RULES.md")]
    text = next(
        (page.read_text(encoding="utf-8") for page in pages if page.exists()), f"# {game.name}\n\n{NOT_YET[language]}\n"
    )
    text = text.replace(PLACE, observation_table(game, language))
    return EXAMPLE.sub(lambda found: example_text(game, found[1], language), text) if drawn else text


def example_text(game: Game, name: str, language: str) -> str:
    """An example of the rules as a text drawing."""
    if game.face is None or name not in game.face.examples:
        raise SamovarError(f"The rules of {game.name} name an example {name!r} that the game's face does not have.")
    example = game.face.examples[name]
    view = Match.arranged(game, plain=True, **example.position).view(example.seat)
    return f"```\n{game.draw(view, game.words[language])}\n```"


def observation_table(game: Game, language: str = "en") -> str:
    """The layout of an observation: which numbers mean what."""
    head = HEADS[language]
    rows = [f"| {' | '.join(head)} |", "|---|---|---|---|"]
    start = 0
    for part in game.observation:
        rows.append(f"| {start} | {start + part.size - 1} | `{part.name}` | {part.help} |")
        start += part.size
    return "\n".join(rows)
