"""Classes and their tables, as they are kept: a class is a row of `series`, as a club is."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, and_, bindparam, delete, insert, select, update

from samovar.web.store.declared import holders, series, series_tables, tables
from samovar.web.store.queries.series import CLASS, SERIES, ClubRow
from samovar.web.store.store import Query


class ClassTable(NamedTuple):
    id: str
    game: str
    status: str
    seats: int
    names: str  # by seat, a line each
    actors: int  # a bit for each seat that is to act
    changed: int


class ClassLine(NamedTuple):
    id: str
    data: str  # JSON


_is_class = series.c.kind == CLASS
_of_series = and_(series_tables.c.table_id == tables.c.id, series_tables.c.series == SERIES)
_is_there = tables.c.status != "cancelled"
DATA = Query(ClubRow, select(*series.c[ClubRow._fields]).where(series.c.id == SERIES, _is_class))
OF_HOST = Query(
    ClassLine,
    select(*series.c[ClassLine._fields])
    .where(series.c.host == bindparam("host"), _is_class)
    .order_by(series.c.created.desc(), series.c.id),
)
OPEN_IDS = Query(
    str, select(series.c.id).where(_is_class, series.c.tables == 1).order_by(series.c.created.desc(), series.c.id)
)
TABLES = Query(
    ClassTable,
    select(*tables.c[ClassTable._fields])
    .join_from(tables, series_tables, _of_series)
    .where(_is_there)
    .order_by(tables.c.created, tables.c.id),
)
# Who sits where; of somebody who sits at several tables the one that goes on, or else the newest, comes last.
SEATED = Query(
    lambda person, table_id: (person, table_id),
    select(holders.c.person, holders.c.table_id)
    .join_from(holders, series_tables, series_tables.c.table_id == holders.c.table_id)
    .join(tables, tables.c.id == holders.c.table_id)
    .where(series_tables.c.series == SERIES, holders.c.seat >= 0, _is_there)
    .order_by(tables.c.status == "playing", tables.c.created, tables.c.id),
)


def make(connection: Connection, class_id: str, host: str, data: str, created: int) -> None:
    """`tables` says whether a lesson is on."""
    row = {"id": class_id, "kind": CLASS, "host": host, "tables": 1, "deals": 0, "closes": None}
    connection.execute(insert(series), {**row, "version": 0, "data": data, "created": created})


def change(connection: Connection, class_id: str, version: int, data: str, is_on: bool) -> bool:
    """Whether it still had this version."""
    same = update(series).where(series.c.id == class_id, series.c.version == version)
    return connection.execute(same.values(version=version + 1, data=data, tables=int(is_on))).rowcount == 1


def delete_class(connection: Connection, class_id: str) -> None:
    connection.execute(delete(series).where(series.c.id == class_id, _is_class))
