"""What a game says of itself in a language. What it does not say there, it says in English."""

from __future__ import annotations

from functools import lru_cache

from samovar.engine.contract import Game, Option, Value, Words
from samovar.language.languages import ENGLISH, translations


def words_in(game: Game, language: str) -> Words:
    """A game's own words in a language, or in English where it does not speak it."""
    return game.words.get(language) or game.words[ENGLISH]


@lru_cache(256)
def words_at(game: Game, language: str, names: tuple[str, ...]) -> Words:
    """The words at a table, with the names of those who sit there: `name.0` is on seat 0."""
    return {**words_in(game, language), **{f"name.{seat}": name for seat, name in enumerate(names)}}


def counted(game: Game, language: str, score: int) -> str:
    """A score as the game counts it: `3 dolls home`, or points."""
    words = words_in(game, language)
    if "counted" in words:
        return words["counted"].format(count=score)
    return translations(language).ngettext("%(num)s point", "%(num)s points", score) % {"num": score}


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
