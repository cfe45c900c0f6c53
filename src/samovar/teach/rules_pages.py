"""The pages about the games, as Markdown: their rules, for people, and what programs must know."""

from __future__ import annotations

import re
from pathlib import Path

from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.words import words_in
from samovar.errors import SamovarError
from samovar.language.grammar import grammar_of
from samovar.language.languages import ENGLISH, check_language, translations

# What a rules page marks: where an example is drawn, and which heading belongs to which phases.
EXAMPLE = re.compile(r"<!-- example (\w+) -->")
PHASES = re.compile(r" *<!-- phase ([\w ]+?) -->")
OPTION = re.compile(r"\{(\w+)\}")  # of the game: its usual value stands there
# Other comments are for those who look at the file, such as the numbers of rulings that decide a
# rule.
NOTE = re.compile(r"\s*<!--(?! (?:example|phase) ).*?-->", re.DOTALL)


def rules_language(game: Game, language: str) -> str:
    """The one in which the rules of a game are shown to somebody who reads this one: English where
    nobody has translated them yet."""
    is_english_alone = _rules_file(game, ENGLISH).exists() and not _rules_file(game, check_language(language)).exists()
    return ENGLISH if is_english_alone else language


def rules_page(game: Game, language: str, *, drawn: bool = True) -> str:
    """The rules of a game in a language, or in English, drawings and all.

    Its examples are drawn as text; or its marks are left for somebody else to draw.
    """
    spoken = rules_language(game, language)
    page = _rules_file(game, spoken)
    _ = translations(spoken).gettext
    not_yet = _("Nobody has written down the rules of this game yet.")
    text = page.read_text(encoding="utf-8") if page.exists() else f"# {game.name}\n\n{not_yet}\n"
    usual = {option.name: option.default for option in game.options}
    text = OPTION.sub(lambda mark: str(usual.get(mark[1], mark[0])), NOTE.sub("", text))
    text = grammar_of(spoken).set_spaces(text)
    return EXAMPLE.sub(lambda mark: example_text(game, mark[1], spoken), PHASES.sub("", text)) if drawn else text


def _rules_file(game: Game, language: str) -> Path:
    return Path(game.folder) / ("RULES.md" if language == ENGLISH else f"RULES.{language}.md")


def example_text(game: Game, name: str, language: str) -> str:
    """An example of the rules as a text drawing."""
    if game.face is None or name not in game.face.examples:
        raise SamovarError(f"The rules of {game.name} name an example {name!r} that the game's face does not have.")
    example = game.face.examples[name]
    view = Match.arranged(game, plain=True, **example.position).view(example.seat)
    return f"```\n{game.draw(view, words_in(game, language))}\n```"


def programs_text(game: Game) -> str:
    """What the game says to those who write programs, its `PROGRAMS.md`; nothing where it has
    none."""
    page = Path(game.folder) / "PROGRAMS.md"
    return page.read_text(encoding="utf-8").strip() if page.exists() else ""


def programs_page(game: Game) -> str:
    """The same with the table of the observation, which stands at the end."""
    said = programs_text(game)
    heading = "" if "## Observation" in said else "## Observation"
    return "\n\n".join(filter(None, (f"# {game.name}, for programs", said, heading, observation_table(game)))) + "\n"


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
