"""Moves made ahead, as they are kept: a row for each seat that has made some."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, bindparam, delete, or_, select, update

from samovar.web.store.declared import ahead, tables
from samovar.web.store.putting import put
from samovar.web.store.store import Query


class AheadRow(NamedTuple):
    """A row, with the head of its table."""

    table_id: str
    seat: int
    data: str  # JSON
    looked: int
    turn: int
    due: int | None
    head: int


_joined = select(*ahead.c, tables.c.head).join_from(ahead, tables, tables.c.id == ahead.c.table_id)
_is_asked = tables.c.actors.op(">>")(ahead.c.seat).op("&")(1) == 1
_is_new = ahead.c.looked < tables.c.head
OF = Query(AheadRow, _joined.where(ahead.c.table_id == bindparam("table"), ahead.c.seat == bindparam("seat")))
# What is to be seen to: the seat is to act, and something has happened or the moment has come; or all is over.
READY = Query(
    AheadRow,
    _joined.where(
        or_(
            tables.c.status != "playing",
            and_(_is_asked, or_(_is_new, ahead.c.due <= bindparam("now"))),
        )
    ),
)
# Whose move will be made: nobody calls them.
WAITING = Query(int, select(ahead.c.seat).where(ahead.c.table_id == bindparam("table"), ahead.c.due.is_not(None)))


def _same(table: str, seat: int, data: str) -> ColumnElement[bool]:
    return and_(ahead.c.table_id == table, ahead.c.seat == seat, ahead.c.data == data)


def keep(connection: Connection, table: str, seat: int, before: str | None, data: str) -> bool:
    """What is made ahead from now on; False: it is not what it was `before` any more."""
    fresh = {"data": data, "looked": -1, "turn": -1, "due": None}
    if before is None:
        put(connection, ahead, {"table_id": table, "seat": seat, **fresh})
        there = select(ahead.c.data).where(ahead.c.table_id == table, ahead.c.seat == seat)
        return connection.execute(there).scalar() == data
    return connection.execute(update(ahead).where(_same(table, seat, before)).values(fresh)).rowcount == 1


def look(connection: Connection, row: AheadRow, turn: int, due: int | None) -> None:
    """It was looked at as the table was then. Of two processes the first draws the moment."""
    as_it_was = and_(_same(row.table_id, row.seat, row.data), ahead.c.looked == row.looked)
    connection.execute(update(ahead).where(as_it_was).values(looked=row.head, turn=turn, due=due))


def drop(connection: Connection, row: AheadRow) -> None:
    connection.execute(delete(ahead).where(_same(row.table_id, row.seat, row.data)))
