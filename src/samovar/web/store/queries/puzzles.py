"""How somebody did with puzzles."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, select, update

from samovar.web.store.declared import solved
from samovar.web.store.putting import put
from samovar.web.store.store import Query


class TriedPuzzle(NamedTuple):
    game: str
    puzzle: str
    at: int  # of the last answer that counted, in milliseconds since 1970
    wrong: int  # answers that did not solve it
    is_solved: bool


class TriedGame(NamedTuple):
    game: str
    is_solved: bool  # some puzzle of it


_own = solved.c.person == bindparam("person")
_row = select(*solved.c[TriedPuzzle._fields])
OF_GAME = Query(TriedPuzzle, _row.where(_own, solved.c.game == bindparam("game")))
SINCE = Query(TriedPuzzle, _row.where(_own, solved.c.at >= bindparam("since")).order_by(solved.c.at))
ALL = Query(TriedPuzzle, _row.where(_own).order_by(solved.c.at).limit(bindparam("most")))
GAMES = Query(TriedGame, select(solved.c.game, solved.c.is_solved).distinct().where(_own))


def note_answer(connection: Connection, person: str, game: str, puzzle: str, at: int, is_right: bool) -> None:
    """Once solved, it stays as it was solved."""
    key = {"person": person, "game": game, "puzzle": puzzle}
    wrong = 0 if is_right else 1
    if put(connection, solved, {**key, "at": at, "wrong": wrong, "is_solved": is_right}):
        return
    same = and_(*(solved.c[name] == value for name, value in key.items()), ~solved.c.is_solved)
    changes = {"at": at, "wrong": solved.c.wrong + wrong, "is_solved": is_right}
    connection.execute(update(solved).where(same).values(changes))
