"""Which puzzles somebody has solved."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, select

from samovar.web.store.declared import solved
from samovar.web.store.putting import put
from samovar.web.store.store import Query


class GameCount(NamedTuple):
    game: str
    times: int


class SolvedPuzzle(NamedTuple):
    game: str
    puzzle: str
    at: int  # milliseconds since 1970


_own = solved.c.person == bindparam("person")
OF_GAME = Query(str, select(solved.c.puzzle).where(_own, solved.c.game == bindparam("game")))
COUNTS = Query(GameCount, select(solved.c.game, func.count()).where(_own).group_by(solved.c.game))
ALL = Query(
    SolvedPuzzle, select(*solved.c[SolvedPuzzle._fields]).where(_own).order_by(solved.c.at).limit(bindparam("most"))
)


def solve(connection: Connection, person: str, game: str, puzzle: str, at: int) -> None:
    put(connection, solved, {"person": person, "game": game, "puzzle": puzzle, "at": at})
