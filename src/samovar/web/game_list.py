"""The games that are offered to people."""

from __future__ import annotations

from samovar.engine.contract import Game
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.registry import find_game, game_ids
from samovar.web import problems


def all_games() -> list[Game]:
    """Those for the largest company first."""
    return sorted(map(find_game, game_ids()), key=lambda game: (-game.seats[-1], -len(game.seats), game.id))


def levels_of_all_games() -> tuple[str, ...]:
    """What each of them offers: for where the game is chosen beside the level."""
    return tuple(level for level in LEVEL_NAMES if all(level in game.heuristics.offered for game in all_games()))


def game_named(game_id: str) -> Game:
    """One that is listed: small members of a game are not for people."""
    if game_id not in game_ids():
        raise problems.NoSuchGame(game=game_id)
    return find_game(game_id)


def told_seats(game: Game) -> str:
    """`2–4`, and `2, 4` where three cannot play."""
    first, last = game.seats[0], game.seats[-1]
    return f"{first}–{last}" if len(game.seats) == last - first + 1 > 1 else ", ".join(map(str, game.seats))
