"""The rules pages of the games, as Markdown, with the tables that are generated from the code."""

from __future__ import annotations

from pathlib import Path

from samovar.engine.contract import Game
from samovar.errors import SamovarError

PLACE = "<!-- observation -->"
HEADS = {"en": ("from", "to", "name", "meaning"), "fr": ("de", "à", "nom", "sens")}


def languages() -> tuple[str, ...]:
    return tuple(HEADS)


def rules_page(game: Game, language: str) -> str:
    """The complete rules of a game in a language."""
    if language not in HEADS:
        raise SamovarError(f"There is no page in language {language!r}; there are pages in {', '.join(HEADS)}.")
    name = "RULES.md" if language == "en" else f"RULES.{language}.md"
    text = (Path(game.folder) / name).read_text(encoding="utf-8")
    return text.replace(PLACE, observation_table(game, language))


def observation_table(game: Game, language: str = "en") -> str:
    """The layout of an observation: which numbers mean what."""
    head = HEADS[language]
    rows = [f"| {' | '.join(head)} |", "|---|---|---|---|"]
    start = 0
    for part in game.observation:
        rows.append(f"| {start} | {start + part.size - 1} | `{part.name}` | {part.help} |")
        start += part.size
    return "\n".join(rows)
