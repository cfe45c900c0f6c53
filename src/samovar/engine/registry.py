"""Which games there are: entry points of the group `samovar.games`, from this package and any other
that is installed."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

from samovar.engine.contract import Game
from samovar.errors import BrokenGame, UnknownGame, did_you_mean

GROUP = "samovar.games"
PACKAGE = "samovar"


@cache
def found_in(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name, in order; none of them is loaded."""
    return {point.name: point for point in sorted(entry_points(group=group), key=lambda point: point.name)}


def game_ids() -> tuple[str, ...]:
    """The ids of all games, in order; none of them is imported."""
    return tuple(found_in(GROUP))


def is_ours(game_id: str) -> bool:
    """Whether a game comes with Samovar itself, and not from another package."""
    point = found_in(GROUP).get(game_id)
    return point is not None and point.dist is not None and point.dist.name == PACKAGE


@cache
def find_game(game_id: str) -> Game:
    """The game of this id."""
    known = found_in(GROUP)
    if game_id not in known:
        raise UnknownGame(f"There is no game {game_id!r}.{did_you_mean(str(game_id), known)}")
    point = known[game_id]
    try:
        game = point.load()
    except Exception as error:  # a fault in somebody's package must not take the others down
        raise BrokenGame(
            f"The game {game_id!r} cannot be loaded from {point.value!r}: {error!r}. Mend or uninstall its package."
        ) from error
    if not isinstance(game, Game) or game.id != game_id:
        raise BrokenGame(
            f"The entry point {game_id!r} of group {GROUP!r} must name a samovar Game whose id is {game_id!r}, it "
            f"names {game!r}."
        )
    return game
