"""Samovar: four tabletop games, rules written once, for players, researchers and game authors."""

from importlib import import_module
from typing import TYPE_CHECKING

from samovar import errors
from samovar.errors import IllegalMove, SamovarError

if TYPE_CHECKING:
    from samovar.bots import make_bot
    from samovar.engine.batch import Batch
    from samovar.engine.match import Match
    from samovar.engine.records.record import replay
    from samovar.engine.registry import find_game, game_ids
    from samovar.insight.estimate import estimate
    from samovar.insight.review import review

__all__ = [
    "Batch",
    "IllegalMove",
    "Match",
    "SamovarError",
    "errors",
    "estimate",
    "find_game",
    "game_ids",
    "make_bot",
    "replay",
    "review",
]
__version__ = "0.1.0"

# Imported when they are used: `samovar.client` needs no NumPy.
LATER = {
    "Batch": "samovar.engine.batch",
    "Match": "samovar.engine.match",
    "estimate": "samovar.insight.estimate",
    "find_game": "samovar.engine.registry",
    "game_ids": "samovar.engine.registry",
    "make_bot": "samovar.bots",
    "replay": "samovar.engine.records.record",
    "review": "samovar.insight.review",
}


def __getattr__(name: str) -> object:
    if name in LATER:
        return getattr(import_module(LATER[name]), name)
    raise AttributeError(f"module 'samovar' has no attribute {name!r}")
