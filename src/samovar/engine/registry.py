"""Which games there are: entry points of the group `samovar.games`, from this package and any other
that is installed."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from functools import cache

from samovar.engine.contract import Game
from samovar.engine.installed import GROUP, found_in
from samovar.engine.members import is_member_id, load_member
from samovar.errors import BrokenGame, SamovarError, UnknownGame, did_you_mean

__all__ = ["GROUP", "find_game", "found_in", "game_ids", "is_ours"]

# Where a game written for an earlier version finds what it imports.
MOVED = {
    "samovar.grammar": "samovar.language.grammar",
    "samovar.languages": "samovar.language.languages",
    "samovar.engine.kernels": "samovar.engine.heuristics (CERTAIN) or samovar.engine.ways.kernels",
    "samovar.engine.plain": "samovar.engine.ways.plain",
    "samovar.engine.backend": "samovar.engine.ways.backend",
    "samovar.engine.defaults": "samovar.engine.contract (nothing_hidden) or samovar.engine.assembly.defaults",
    "samovar.engine.record": "samovar.engine.records.record",
}


def game_ids() -> tuple[str, ...]:
    """The ids of all games, in order; none of them is imported."""
    return tuple(found_in(GROUP))


def is_ours(game_id: str) -> bool:
    """Whether a game comes with Samovar itself, and not from another package."""
    point = found_in(GROUP).get(game_id)
    return point is not None and point.module.startswith("samovar.")


@cache
def find_game(game_id: str) -> Game:
    """The game of this id, or the small member of one: see `members.py`."""
    known = found_in(GROUP)
    if game_id not in known:
        if is_member_id(str(game_id)):
            return load_member(game_id)
        raise UnknownGame(f"There is no game {game_id!r}.{did_you_mean(str(game_id), known)}")
    point = known[game_id]
    try:
        game = point.load()
    except Exception as error:  # a fault in somebody's package must not take the others down
        raise BrokenGame(
            f"The game {game_id!r} cannot be loaded from {point.value!r}: {error!r}. {_remedy(error)}"
        ) from error
    if not isinstance(game, Game) or game.id != game_id:
        raise BrokenGame(
            f"The entry point {game_id!r} of group {GROUP!r} must name a samovar Game whose id is {game_id!r}, it "
            f"names {game!r}."
        )
    return game


def _remedy(error: Exception) -> str:
    now = MOVED.get(error.name or "") if isinstance(error, ModuleNotFoundError) else None
    return f"That module is {now} now: change the import." if now else "Mend or uninstall its package."


def _pickled(game: Game) -> tuple[Callable[[str], Game], tuple[str]]:
    """By its id: its rules are loaded in the process that wants it."""
    try:
        is_found = find_game(game.id) is game
    except SamovarError:
        is_found = False
    if not is_found:
        raise UnknownGame(
            f"{game.name} cannot be pickled, because it is not the game that is installed as {game.id!r}: another "
            "process would not find it. Install its package, or make what holds it in the process that needs it."
        )
    return find_game, (game.id,)


copyreg.pickle(Game, _pickled)
