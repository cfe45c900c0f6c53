"""The languages that Samovar speaks, and where sentences come from.

The site and the terminal have catalogues (gettext, in `locale/`), and the languages are those that
have one; `grammar/` has what belongs to a language besides, and a game brings its own words. What a
game does not say in a language, it says in English. A new language is files alone: CONTRIBUTING.md
says which.
"""

from __future__ import annotations

import gettext
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from samovar.engine.contract import Game, Option, Value, Words
from samovar.errors import UnknownLanguage
from samovar.grammar import ENGLISH as ENGLISH

CATALOGUES = Path(__file__).parent / "locale"
LANGUAGES = (ENGLISH, *sorted(path.parts[-3] for path in CATALOGUES.glob("*/LC_MESSAGES/samovar.mo")))


def check_language(language: str) -> str:
    if language not in LANGUAGES:
        raise UnknownLanguage(f"There is no language {language!r} here. There are {', '.join(LANGUAGES)}.")
    return language


@cache
def translations(language: str) -> gettext.NullTranslations:
    """The sentences of the site and the terminal, asked for by their English words."""
    return gettext.translation("samovar", CATALOGUES, [language], fallback=True)


def own_name(language: str) -> str:
    """What a language calls itself: each catalogue translates this word by its own name."""
    _ = translations(language).gettext
    return _("English")


def listed(language: str, names: Sequence[str]) -> str:
    """`Emelya, Olga and Yann`."""
    _ = translations(language).gettext
    if len(names) < 2:
        return "".join(names)
    return _("%(names)s and %(name)s") % {"names": ", ".join(names[:-1]), "name": names[-1]}


def words_in(game: Game, language: str) -> Words:
    """A game's own words in a language, or in English where it does not speak it."""
    return game.words.get(language) or game.words[ENGLISH]


@lru_cache(256)
def words_at(game: Game, language: str, names: tuple[str, ...]) -> Words:
    """The words at a table, with the names of those who sit there: `name.0` is on seat 0."""
    return {**words_in(game, language), **{f"name.{seat}": name for seat, name in enumerate(names)}}


def option_text(words: Words, option: Option) -> str:
    """What an option is called, for people."""
    return words.get(f"option.{option.name}") or option.help or option.name


def choice_text(words: Words, option: Option, value: Value) -> str:
    """What a choice of an option is called, for people."""
    return words.get(f"option.{option.name}.{value}", str(value))


def option_help(words: Words, option: Option) -> str:
    """An option in a line, for terminals and programs, which name its choices as they are."""
    texts = {choice: choice_text(words, option, choice) for choice in option.choices if isinstance(choice, str)}
    meanings = "; ".join(f"{choice} = {text}" for choice, text in texts.items() if text != choice)
    return f"{option_text(words, option)} ({meanings})" if meanings else option_text(words, option)
