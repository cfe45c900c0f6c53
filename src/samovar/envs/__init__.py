"""The games in the APIs that researchers use. Every adapter is made from the contract, serves every
registered game and knows none of them.

What they need comes with the extra `research`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any, TypeAlias

from samovar.engine.assembly.versions import registry_name
from samovar.engine.contract import Game
from samovar.engine.registry import find_game, game_ids
from samovar.errors import BrokenGame, MissingExtra

Untyped: TypeAlias = Any  # of a library without types
Info: TypeAlias = dict[str, Untyped]  # what the libraries hand on beside the rest, under names of their own


def need(module: str, extra: str = "research", *, install: str = "") -> ModuleType:
    """The module of an optional package, imported; without it an error that says how to get it: by an
    extra, or by packages that are in none."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        wanted = install or f"'samovar-games[{extra}]'"
        raise MissingExtra(
            f"This needs the package {error.name!r}, which is not installed. Get it with: pip install {wanted}"
        ) from None


def installed_games() -> Iterator[Game]:
    """Every game that can be loaded. A fault in somebody's package must not take the others down."""
    for game_id in game_ids():
        try:
            yield find_game(game_id)
        except BrokenGame as error:
            warnings.warn(str(error), stacklevel=2)


def versioned_id(game: Game) -> str:
    """The name of a game in registries: `samovar/ConnectFour-v0`."""
    return registry_name(game.id, game.environment_version)


def metadata_name(game: Game) -> str:
    """The name of an environment in its metadata, as PettingZoo writes them: `samovar_connect_four_v0`."""
    return f"samovar_{game.id}_v{game.environment_version}"
