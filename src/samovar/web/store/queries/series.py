"""Tables that are dealt the same cards, as they are kept: club evenings, and the deals of days."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Text,
    and_,
    bindparam,
    func,
    insert,
    or_,
    select,
    update,
)

from samovar.web.store.declared import holders, results, series, series_tables, tables
from samovar.web.store.putting import put
from samovar.web.store.store import Query

CLUB, DAY, CLASS, CIRCLE = "club", "daily", "class", "circle"  # kinds


class Stands(NamedTuple):
    """How far the deal of a table is played everywhere."""

    kind: str
    tables: int
    deals: int
    closes: int | None
    data: str  # JSON
    circle: str  # whose it is; empty: nobody's
    done: int  # tables that have finished this deal
    all_done: int  # and any of the series


class OutcomeRow(NamedTuple):
    deal: int
    company: int
    seat: int
    team: int
    place: int
    score: int | None
    success: int | None
    ended: int


class TableRow(NamedTuple):
    deal: int
    company: int
    id: str  # empty: it is over, and not kept any more
    status: str


class ScoreRow(NamedTuple):
    table_id: str
    place: int
    score: int | None
    success: int | None


class ClubRow(NamedTuple):
    data: str  # JSON
    version: int


SERIES, TABLE, PERSON = bindparam("series", type_=Text), bindparam("table", type_=Text), bindparam("person", type_=Text)
_others, _this, _own = (series_tables.alias(name) for name in ("others", "this", "own"))
_held = and_(holders.c.person == PERSON, holders.c.seat >= 0)


def _is_swept(of: FromClause) -> ColumnElement[bool]:
    """A finished table that is not kept any more leaves its results behind; one that is about to be opened has none."""
    return and_(tables.c.id.is_(None), select(1).where(results.c.table_id == of.c.table_id).exists())


_all_done = (
    select(func.count())
    .outerjoin_from(_others, tables, tables.c.id == _others.c.table_id)
    .where(_others.c.series == series_tables.c.series, or_(tables.c.status == "over", _is_swept(_others)))
    .correlate(series_tables)
)
_done = _all_done.where(_others.c.deal == series_tables.c.deal)
# Nothing: the deal is for this table alone.
STANDS = Query(
    Stands,
    select(*series.c[Stands._fields[:6]], _done.scalar_subquery(), _all_done.scalar_subquery())
    .join_from(series_tables, series, series.c.id == series_tables.c.series)
    .where(series_tables.c.table_id == TABLE),
)
# Something, if somebody has played the deal of this table elsewhere,
HAS_FINISHED = Query(
    bool,
    select(1)
    .join_from(_this, _own, and_(_own.c.series == _this.c.series, _own.c.deal == _this.c.deal))
    .join(holders, and_(holders.c.table_id == _own.c.table_id, _held))
    .join(tables, tables.c.id == _own.c.table_id)
    .where(_this.c.table_id == TABLE, tables.c.status == "over"),
)
# Whose class a table belongs to, or club.
HOST = Query(
    str,
    select(series.c.host)
    .join_from(series_tables, series, series.c.id == series_tables.c.series)
    .where(series_tables.c.table_id == TABLE),
)
HOLDS = Query(bool, select(1).where(holders.c.table_id == TABLE, _held))  # or sits there.
OUTCOMES = Query(
    OutcomeRow,
    select(*series_tables.c["deal", "company"], *results.c[OutcomeRow._fields[2:]])
    .join_from(series_tables, results, results.c.table_id == series_tables.c.table_id)
    .where(series_tables.c.series == SERIES),
)
TABLES = Query(
    TableRow,
    select(*series_tables.c["deal", "company"], func.coalesce(tables.c.id, ""), func.coalesce(tables.c.status, "over"))
    .outerjoin_from(series_tables, tables, tables.c.id == series_tables.c.table_id)
    .where(series_tables.c.series == SERIES, or_(tables.c.id.is_not(None), _is_swept(series_tables))),
)
# Of whoever has left the deal to a bot nothing counts, nor of whoever has held another's chair of it, and
# so has seen its cards.
_in_time = results.c.ended < bindparam("closes")
_played = and_(results.c.table_id == series_tables.c.table_id, results.c.seat == 0, _in_time)
_stayed = select(1).where(holders.c.table_id == results.c.table_id, holders.c.seat == 0).exists()
_tables = select(_others.c.table_id).where(_others.c.series == SERIES)
_held_others = and_(holders.c.person == results.c.person, holders.c.table_id != results.c.table_id)
SCORES = Query(
    ScoreRow,
    select(*results.c[ScoreRow._fields])
    .join_from(series_tables, results, _played)
    .where(series_tables.c.series == SERIES, _stayed)
    .where(~select(1).where(_held_others, holders.c.table_id.in_(_tables)).exists()),
)
# When somebody has played the deals of days to their end.
FINISHED_DAYS = Query(
    int,
    select(results.c.ended)
    .join_from(results, series_tables, series_tables.c.table_id == results.c.table_id)
    .join(series, and_(series.c.id == series_tables.c.series, series.c.kind == DAY))
    .where(results.c.person == PERSON, results.c.seat == 0, results.c.score.is_not(None))
    .where(results.c.ended >= bindparam("since"), results.c.ended < series.c.closes),
)
CLUB_DATA = Query(ClubRow, select(*series.c[ClubRow._fields]).where(series.c.id == SERIES, series.c.kind == CLUB))
_since = series.c.created > bindparam("since")
MADE = Query(int, select(func.count()).where(series.c.host == bindparam("host"), _since))
_gathers = and_(series.c.kind == CLUB, series.c.closes.is_(None))
GATHERING = Query(int, select(func.count()).select_from(series).where(_gathers))
# By the code, for anybody: those of a circle are not.
GATHERING_IDS = Query(
    str, select(series.c.id).where(_gathers, series.c.circle == "").order_by(series.c.created.desc(), series.c.id)
)
# In which somebody is named.
NAMING = Query(
    str, select(series.c.id).where(series.c.kind == bindparam("kind"), series.c.data.like(bindparam("pattern")))
)


def make_club(
    connection: Connection, club_id: str, host: str, deals: int, data: str, created: int, circle: str
) -> None:
    connection.execute(insert(series), _new(club_id, CLUB, host, 0, deals, None, 0, data, created, circle))


def change_club(connection: Connection, club_id: str, version: int, count: int, closes: int | None, data: str) -> bool:
    """Whether it still had this version; `count` companies play each deal."""
    same = update(series).where(series.c.id == club_id, series.c.version == version)
    changes = {"tables": count, "closes": closes, "version": version + 1, "data": data}
    return connection.execute(same.values(changes)).rowcount == 1


def add_day(
    connection: Connection, series_id: str, closes: int, data: str, created: int, circle: str, table: str
) -> None:
    """The deal of a day, if it is not there yet, and a table of it."""
    put(connection, series, _new(series_id, DAY, "", 0, 1, closes, 0, data, created, circle))
    add_table(connection, table, series_id, 1, 0)


def add_table(connection: Connection, table: str, series_id: str, deal: int, company: int) -> None:
    """Before the table is opened: there is no moment at which it could be watched."""
    put(connection, series_tables, {"table_id": table, "series": series_id, "deal": deal, "company": company})


def _new(*values: str | int | None) -> dict[str, str | int | None]:
    """A row without a link, of values in the order of its columns."""
    return dict(zip(series.columns.keys(), (*values, ""), strict=True))
