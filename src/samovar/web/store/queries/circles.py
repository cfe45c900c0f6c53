"""Circles as they are kept: a circle is a row of `series`, as a club is, and what belongs to it says so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import BigInteger, Connection, Text, and_, bindparam, delete, func, insert, or_, select, update

from samovar.web.store.declared import (
    channels,
    circle_members,
    holders,
    notifications,
    presence,
    results,
    series,
    series_tables,
    tables,
)
from samovar.web.store.putting import put
from samovar.web.store.queries.series import CIRCLE, CLUB, ClubRow
from samovar.web.store.store import Query

HOOKS = "circle:"  # how those are called for whom its messages go elsewhere


class CircleTable(NamedTuple):
    id: str
    game: str
    status: str
    free: int
    names: str  # by seat, a line each
    actors: int
    changed: int
    series: str
    kind: str  # of the series


class EveningLine(NamedTuple):
    id: str
    data: str  # JSON
    created: int


class CircleOutcome(NamedTuple):
    """How one seat came out at a table of a circle."""

    table_id: str
    game: str
    seats: int
    seat: int
    person: str  # of somebody on a device of others: by which they hold the chair
    name: str
    level: str
    team: int
    place: int
    success: int | None
    ended: int
    is_kept: bool


CIRCLE_ID, PERSON = bindparam("circle", type_=Text), bindparam("person", type_=Text)
SINCE, UNTIL = bindparam("since", type_=BigInteger), bindparam("until", type_=BigInteger)
_is_circle = and_(series.c.kind == CIRCLE, series.c.host != "")  # of one that was deleted a row is left
_of_circle = and_(series.c.id == series_tables.c.series, series.c.circle == CIRCLE_ID)
DATA = Query(ClubRow, select(*series.c[ClubRow._fields]).where(series.c.id == CIRCLE_ID, _is_circle))
_is_in = and_(circle_members.c.person == PERSON, circle_members.c.circle == CIRCLE_ID)
IS_MEMBER = Query(bool, select(1).where(_is_in))
BY_LINK = Query(str, select(series.c.id).where(series.c.link == bindparam("link"), series.c.link != ""))
OF_PERSON = Query(
    EveningLine,
    select(*series.c[EveningLine._fields])
    .join_from(circle_members, series, series.c.id == circle_members.c.circle)
    .where(circle_members.c.person == PERSON, _is_circle)
    .order_by(series.c.created, series.c.id),
)
# The newest first.
EVENINGS = Query(
    EveningLine,
    select(*series.c[EveningLine._fields])
    .where(series.c.circle == CIRCLE_ID, series.c.kind == CLUB)
    .order_by(series.c.created.desc(), series.c.id)
    .limit(bindparam("most")),
)
_table = [*tables.c[CircleTable._fields[:7]], series_tables.c.series, series.c.kind]
_all_tables = (
    select(*_table)
    .join_from(series_tables, series, _of_circle)
    .join(tables, tables.c.id == series_tables.c.table_id)
    .where(tables.c.status != "cancelled")
)
# Those that a circle has opened, and that go on or wait.
GOING_ON = Query(
    CircleTable,
    _all_tables.where(series.c.kind == CIRCLE, tables.c.status != "over").order_by(
        tables.c.created.desc(), tables.c.id
    ),
)
# All at which somebody sits, or one on their device.
HELD = Query(
    CircleTable,
    _all_tables.join(holders, and_(holders.c.table_id == tables.c.id, holders.c.seat >= 0, holders.c.person == PERSON)),
)
ALL = Query(CircleTable, _all_tables.where(tables.c.status != "over"))

_is_kept = select(1).where(tables.c.id == results.c.table_id).exists()
_shares = and_(holders.c.table_id == results.c.table_id, holders.c.seat == results.c.seat, holders.c.person.like("%+%"))
# The newest tables first; of the deal of a day nothing: each plays it alone.
OUTCOMES = Query(
    CircleOutcome,
    select(
        *results.c["table_id", "game", "seats", "seat"],
        func.coalesce(func.nullif(results.c.person, ""), holders.c.person, ""),
        *results.c["name", "level", "team", "place", "success", "ended"],
        _is_kept,
    )
    .join_from(series_tables, series, and_(_of_circle, or_(series.c.kind == CIRCLE, series.c.kind == CLUB)))
    .join(results, results.c.table_id == series_tables.c.table_id)
    .outerjoin(holders, _shares)
    .where(results.c.ended >= SINCE, results.c.ended < UNTIL)
    .order_by(results.c.ended.desc(), results.c.table_id, results.c.seat)
    .limit(bindparam("most")),
)


def make(connection: Connection, circle_id: str, host: str, link: str, data: str, created: int) -> None:
    row = {"id": circle_id, "kind": CIRCLE, "host": host, "tables": 0, "deals": 0, "closes": None, "version": 0}
    connection.execute(insert(series), {**row, "data": data, "created": created, "circle": circle_id, "link": link})
    put(connection, circle_members, {"person": host, "circle": circle_id})


def change(
    connection: Connection, circle_id: str, version: int, host: str, link: str, data: str, persons: Iterable[str]
) -> bool:
    """Whether it still had this version. `persons`: who is in it from now on."""
    same = update(series).where(series.c.id == circle_id, series.c.version == version)
    changed = same.values(version=version + 1, host=host, link=link, data=data)
    if connection.execute(changed).rowcount != 1:
        return False
    wanted, own = set(persons), circle_members.c.circle == circle_id
    known = set(connection.execute(select(circle_members.c.person).where(own)).scalars())
    for person in sorted(known - wanted):
        connection.execute(delete(circle_members).where(own, circle_members.c.person == person))
    for person in sorted(wanted - known):
        put(connection, circle_members, {"person": person, "circle": circle_id})
    return True


def delete_circle(connection: Connection, circle_id: str) -> None:
    """With the addresses that are told. Its games stay with those who played them, and an empty row keeps them from
    all others."""
    hooks = select(channels.c.id).where(channels.c.person == f"{HOOKS}{circle_id}")
    connection.execute(delete(notifications).where(notifications.c.channel.in_(hooks)))
    connection.execute(delete(channels).where(channels.c.person == f"{HOOKS}{circle_id}"))
    connection.execute(delete(circle_members).where(circle_members.c.circle == circle_id))
    connection.execute(delete(presence).where(presence.c.table_id == circle_id))
    gone = {"host": "", "link": "", "data": "{}", "version": series.c.version + 1}
    connection.execute(update(series).where(series.c.id == circle_id, _is_circle).values(gone))


def forget_presence(connection: Connection, circle_id: str, number: int) -> None:
    connection.execute(delete(presence).where(presence.c.table_id == circle_id, presence.c.seat == number))
