"""How matches came out, as it is kept: a row for each seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Integer, and_, bindparam, case, exists, func, or_, select

from samovar.engine.kernels import CERTAIN
from samovar.web.store.putting import put
from samovar.web.store.schema import IS_RATED, holders, people, results, tables
from samovar.web.store.store import Store

OWN = results.c.person == bindparam("person")
MOST = bindparam("most", type_=Integer)


def times(condition: Any) -> Any:
    return func.sum(case((condition, 1), else_=0))


won = and_(results.c.place == 1, or_(results.c.success.is_(None), results.c.success == CERTAIN))
played = func.count().label("played")
BY_GAME = (
    select(results.c.game, played, times(won), func.max(results.c.score))
    .where(OWN)
    .group_by(results.c.game)
    .order_by(played.desc(), results.c.game)
)

mine, other, these = results.alias("mine"), results.alias("other"), results.alias("these")
latest = func.max(mine.c.ended).label("latest")
AGAINST = (
    select(
        other.c.person,
        other.c.level,
        other.c.name,
        func.count(),
        times(mine.c.place < other.c.place),
        times(mine.c.place > other.c.place),
        latest,
    )
    .join_from(mine, other, and_(other.c.table_id == mine.c.table_id, other.c.team != mine.c.team))
    .where(mine.c.person == bindparam("person"))
    .group_by(other.c.person, other.c.level, other.c.name)
    .order_by(latest.desc(), other.c.name)
    .limit(MOST)
)

last = select(results).where(OWN).order_by(results.c.ended.desc(), results.c.table_id).limit(MOST).subquery("last")
LATEST = (
    select(
        last.c.table_id,
        last.c.game,
        last.c.place,
        last.c.success,
        last.c.ended,
        other.c.name,
        select(func.count(these.c.team.distinct())).where(these.c.table_id == last.c.table_id).scalar_subquery(),
    )
    .join_from(last, other, and_(other.c.table_id == last.c.table_id, other.c.seat != last.c.seat), isouter=True)
    .order_by(last.c.ended.desc(), last.c.table_id, other.c.seat)
)

MISSING = (
    select(tables.c.id)
    .join_from(holders, tables, tables.c.id == holders.c.table_id)
    .where(
        holders.c.person == bindparam("person"),
        holders.c.seat >= 0,
        tables.c.status == "over",
        ~exists().where(results.c.table_id == tables.c.id),
    )
    .order_by(tables.c.changed.desc())
    .limit(MOST)
)

RATED = (
    select(
        results.c.table_id,
        results.c.seats,
        results.c.person,
        results.c.level,
        results.c.team,
        results.c.place,
        results.c.ended,
        people.c.profile,
    )
    .join_from(results, people, people.c.person == results.c.person, isouter=True)
    .where(results.c.game == bindparam("game"), IS_RATED)
    .order_by(results.c.ended.desc(), results.c.table_id, results.c.seat)
    .limit(MOST)
)

KEPT = ("table_id", "game", "seats", "seat", "name", "team", "place", "score", "success", "is_rated", "ended")
ALL = select(*(results.c[name] for name in KEPT)).where(OWN).order_by(results.c.ended.desc()).limit(MOST)


class GameTally(NamedTuple):
    """Of one game."""

    game: str
    played: int
    won: int
    best: int | None


class Met(NamedTuple):
    """Others by the name they had, and how often they were met."""

    person: str
    level: str
    name: str
    played: int
    ahead: int
    behind: int
    latest: int


class LatestRow(NamedTuple):
    """A match, once for each other who played it."""

    table_id: str
    game: str
    place: int
    success: int | None
    ended: int
    name: str | None
    teams: int


class RatedSeat(NamedTuple):
    table_id: str
    seats: int
    person: str
    level: str
    team: int
    place: int
    ended: int
    profile: str | None


async def by_game(store: Store, person: str) -> list[GameTally]:
    """What was played most first."""
    return await store.rows(GameTally, BY_GAME, person=person)


async def against(store: Store, person: str, most: int) -> list[Met]:
    """Those met last first."""
    return await store.rows(Met, AGAINST, person=person, most=most)


async def latest_of(store: Store, person: str, most: int) -> list[LatestRow]:
    return await store.rows(LatestRow, LATEST, person=person, most=most)


async def without_results(store: Store, person: str, most: int) -> list[str]:
    """Tables that were over before results were kept."""
    return await store.rows(str, MISSING, person=person, most=most)


async def rated(store: Store, game: str, most: int) -> list[RatedSeat]:
    """The newest matches first."""
    return await store.rows(RatedSeat, RATED, game=game, most=most)


async def all_of(store: Store, person: str, most: int) -> list[dict[str, Any]]:
    """As they stand in the file that somebody takes along."""
    return await store.rows(lambda *row: dict(zip(KEPT, row, strict=True)), ALL, person=person, most=most)


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    put(connection, results, rows)
