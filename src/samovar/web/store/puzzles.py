"""Which puzzles somebody has solved."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, select

from samovar.web.store.putting import put
from samovar.web.store.schema import solved
from samovar.web.store.store import Store

OWN = solved.c.person == bindparam("person")
OF_GAME = select(solved.c.puzzle).where(OWN, solved.c.game == bindparam("game"))
COUNTS = select(solved.c.game, func.count()).where(OWN).group_by(solved.c.game)
ALL = select(solved.c.game, solved.c.puzzle, solved.c.at).where(OWN).order_by(solved.c.at).limit(bindparam("most"))


class Solved(NamedTuple):
    game: str
    puzzle: str
    at: int  # milliseconds since 1970


async def solved_of(store: Store, person: str, game: str) -> set[str]:
    return {*await store.rows(str, OF_GAME, person=person, game=game)}


async def counts_of(store: Store, person: str) -> dict[str, int]:
    """By game, how many."""
    return dict(await store.rows(lambda game, count: (game, count), COUNTS, person=person))


async def all_solved(store: Store, person: str, most: int) -> list[Solved]:
    """The first ones first."""
    return await store.rows(Solved, ALL, person=person, most=most)


def solve(connection: Connection, person: str, game: str, puzzle: str, at: int) -> None:
    put(connection, solved, {"person": person, "game": game, "puzzle": puzzle, "at": at})
