"""What all games of the package have in common: the same rooms, options in words."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import get_type_hints

import pytest

from samovar import games
from samovar.engine.contract import Game

NAMES = [module.name for module in pkgutil.iter_modules(games.__path__)]
ROOMS = {
    "moves": {"move_text": "move_text", "parse_move": "parse_move"},
    "rules": {"deal": "deal", "actors": "actors", "legal": "legal", "apply": "apply"},
    "knowledge": {"determinize": "determinize"},
    "observation": {"OBSERVATION": "observation", "observe": "observe"},
    "faults": {"faults": "faults"},
    "view": {"view": "view", "draw": "draw"},
    "heuristics": {"HEURISTICS": "heuristics"},
    "face": {"FACE": "face"},
    "reasons": {"reasons": "reasons"},
}


def room(name: str, file: str) -> ModuleType:
    return import_module(f"samovar.games.{name}.{file}")


def game_of(name: str) -> Game:
    game: Game = import_module(f"samovar.games.{name}").GAME
    return game


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("file", ROOMS)
def test_every_game_has_the_same_rooms(name: str, file: str) -> None:
    for inside, entry in ROOMS[file].items():
        assert getattr(room(name, file), inside) is getattr(game_of(name), entry)


@pytest.mark.parametrize("name", NAMES)
def test_the_state_that_rules_name_is_the_record(name: str) -> None:
    assert room(name, "state").State.dtype is game_of(name).state


@pytest.mark.parametrize("name", NAMES)
def test_the_typed_options_are_those_of_the_game(name: str) -> None:
    options = [option.name for option in game_of(name).options]
    assert get_type_hints(room(name, "state").Options) == dict.fromkeys(options, int)


@pytest.mark.parametrize("name", NAMES)
def test_every_option_and_every_named_choice_has_words(name: str) -> None:
    game = game_of(name)
    keys = [f"option.{option.name}" for option in game.own_options]
    keys += [
        f"option.{option.name}.{choice}"
        for option in game.own_options
        for choice in option.choices
        if isinstance(choice, str)
    ]
    for language, words in room(name, "words").WORDS.items():
        assert [key for key in keys if not words.get(key)] == [], language
