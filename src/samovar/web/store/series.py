"""Tables that are dealt the same cards, as they are kept: club evenings, and the deals of days."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, Text, and_, bindparam, exists, func, insert, select, update

from samovar.web.store.putting import put
from samovar.web.store.schema import holders, results, series, series_tables, tables
from samovar.web.store.store import Store, can_be_id

CLUB, DAY = "club", "daily"  # kinds

SERIES, TABLE, PERSON = bindparam("series", type_=Text), bindparam("table", type_=Text), bindparam("person", type_=Text)
others, this, own = series_tables.alias("others"), series_tables.alias("this"), series_tables.alias("own")
ALL_DONE = (
    select(func.count())
    .join_from(others, tables, tables.c.id == others.c.table_id)
    .where(others.c.series == series_tables.c.series, tables.c.status == "over")
)
STANDS = (
    select(
        series.c.kind,
        series.c.tables,
        series.c.deals,
        series.c.closes,
        series.c.data,
        ALL_DONE.where(others.c.deal == series_tables.c.deal).correlate(series_tables).scalar_subquery(),
        ALL_DONE.correlate(series_tables).scalar_subquery(),
    )
    .join_from(series_tables, series, series.c.id == series_tables.c.series)
    .where(series_tables.c.table_id == TABLE)
)
HAS_FINISHED = (
    select(1)
    .join_from(this, own, and_(own.c.series == this.c.series, own.c.deal == this.c.deal))
    .join(holders, and_(holders.c.table_id == own.c.table_id, holders.c.person == PERSON, holders.c.seat >= 0))
    .join(tables, tables.c.id == own.c.table_id)
    .where(this.c.table_id == TABLE, tables.c.status == "over")
)
HOLDS = select(1).where(holders.c.table_id == TABLE, holders.c.person == PERSON, holders.c.seat >= 0)
OUTCOMES = (
    select(
        series_tables.c.deal,
        series_tables.c.company,
        results.c.seat,
        results.c.team,
        results.c.place,
        results.c.score,
        results.c.success,
        results.c.ended,
    )
    .join_from(series_tables, results, results.c.table_id == series_tables.c.table_id)
    .where(series_tables.c.series == SERIES)
)
TABLES = (
    select(series_tables.c.deal, series_tables.c.company, tables.c.id, tables.c.status)
    .join_from(series_tables, tables, tables.c.id == series_tables.c.table_id)
    .where(series_tables.c.series == SERIES)
)
# Of whoever has left the deal to a bot nothing counts, nor of whoever has held another's chair of it, and
# so has seen its cards.
SCORES = (
    select(results.c.table_id, results.c.place, results.c.score, results.c.success)
    .join_from(series_tables, results, and_(results.c.table_id == series_tables.c.table_id, results.c.seat == 0))
    .where(
        series_tables.c.series == SERIES,
        results.c.ended < bindparam("closes"),
        exists().where(holders.c.table_id == results.c.table_id, holders.c.seat == 0),
        ~exists().where(
            holders.c.person == results.c.person,
            holders.c.table_id != results.c.table_id,
            holders.c.table_id.in_(select(others.c.table_id).where(others.c.series == SERIES)),
        ),
    )
)
LOAD = select(series.c.data, series.c.version).where(series.c.id == SERIES, series.c.kind == CLUB)
MADE = select(func.count()).where(series.c.host == bindparam("host"), series.c.created > bindparam("since"))
GATHERING = select(func.count()).where(series.c.closes.is_(None))
LIKE = select(series.c.id).where(series.c.kind == CLUB, series.c.data.like(bindparam("pattern")))


class Stands(NamedTuple):
    """How far the deal of a table is played everywhere."""

    kind: str
    tables: int
    deals: int
    closes: int | None
    data: str  # JSON
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
    id: str
    status: str


class ScoreRow(NamedTuple):
    table_id: str
    place: int
    score: int | None
    success: int | None


class ClubRow(NamedTuple):
    data: str  # JSON
    version: int


async def stands(store: Store, table: str) -> Stands | None:
    """None: it is dealt for this table alone."""
    return await store.first(Stands, STANDS, table=table)


async def has_finished(store: Store, table: str, person: str) -> bool:
    """Whether somebody has played the deal of this table elsewhere."""
    return await store.first(bool, HAS_FINISHED, table=table, person=person) is not None


async def holds(store: Store, table: str, person: str) -> bool:
    return await store.first(bool, HOLDS, table=table, person=person) is not None


async def outcomes(store: Store, series_id: str) -> list[OutcomeRow]:
    return await store.rows(OutcomeRow, OUTCOMES, series=series_id)


async def tables_of(store: Store, series_id: str) -> list[TableRow]:
    return await store.rows(TableRow, TABLES, series=series_id)


async def scores(store: Store, series_id: str, closes: int) -> list[ScoreRow]:
    """Those that count, of the deal of a day that closes then."""
    return await store.rows(ScoreRow, SCORES, series=series_id, closes=closes)


async def load_club(store: Store, club_id: str) -> ClubRow | None:
    return await store.first(ClubRow, LOAD, series=club_id) if can_be_id(club_id) else None


async def made_since(store: Store, host: str, since: int) -> int:
    return (await store.rows(int, MADE, host=host, since=since))[0]


async def gathering(store: Store) -> int:
    """How many have not begun."""
    return (await store.rows(int, GATHERING))[0]


async def clubs_with(store: Store, person: str) -> list[str]:
    """The ids of those in which somebody is named."""
    return await store.rows(str, LIKE, pattern=f'%"{person}"%')


def make_club(connection: Connection, club_id: str, host: str, deals: int, data: str, created: int) -> None:
    connection.execute(insert(series), _new(club_id, CLUB, host, deals, None, data, created))


def change_club(connection: Connection, club_id: str, version: int, count: int, closes: int | None, data: str) -> bool:
    """Whether it still had this version; `count` companies play each deal."""
    same = update(series).where(series.c.id == club_id, series.c.version == version)
    changes = {"tables": count, "closes": closes, "version": version + 1, "data": data}
    return connection.execute(same.values(changes)).rowcount == 1


def add_day(connection: Connection, series_id: str, closes: int, data: str, created: int, table: str) -> None:
    """The deal of a day, if it is not there yet, and a table of it."""
    put(connection, series, _new(series_id, DAY, "", 1, closes, data, created))
    add_table(connection, table, series_id, 1, 0)


def add_table(connection: Connection, table: str, series_id: str, deal: int, company: int) -> None:
    """Before the table is opened: there is no moment at which it could be watched."""
    put(connection, series_tables, {"table_id": table, "series": series_id, "deal": deal, "company": company})


def _new(
    series_id: str, kind: str, host: str, deals: int, closes: int | None, data: str, created: int
) -> dict[str, Any]:
    return {
        "id": series_id,
        "kind": kind,
        "host": host,
        "tables": 0,
        "deals": deals,
        "closes": closes,
        "version": 0,
        "data": data,
        "created": created,
    }
