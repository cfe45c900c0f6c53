"""Samovar: four tabletop games, rules written once, for players, researchers and game authors."""

from samovar import errors
from samovar.engine.match import Match
from samovar.engine.record import replay
from samovar.engine.registry import find_game, game_ids
from samovar.errors import IllegalMove, SamovarError

__all__ = ["Batch", "IllegalMove", "Match", "SamovarError", "errors", "find_game", "game_ids", "make_bot", "replay"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "Batch":  # imported when it is used: it starts threads
        from samovar.engine.batch import Batch

        return Batch
    if name == "make_bot":
        from samovar.bots import make_bot

        return make_bot
    raise AttributeError(f"module 'samovar' has no attribute {name!r}")
