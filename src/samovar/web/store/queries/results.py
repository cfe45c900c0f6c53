"""How matches came out, as it is kept: a row for each seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, Integer, Text, and_, bindparam, case, func, or_, select, tuple_

from samovar.engine.contract import Value
from samovar.engine.heuristics import CERTAIN
from samovar.web.store.declared import IS_RATED, entries, holders, people, results, tables
from samovar.web.store.putting import put
from samovar.web.store.store import Query


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
    is_kept: bool  # with all its moves


class BotMet(NamedTuple):
    """Somebody's opponent in one of their last matches, and their own place."""

    table_id: str
    place: int
    level: str  # empty: no bot


class TableMate(NamedTuple):
    """Who else was at some table of somebody's."""

    game: str
    is_finished: bool  # they have played to the end there, or won
    level: str | None  # of a bot; None: nobody else was there


class PlayedRules(NamedTuple):
    """By which rules somebody has played a match to its end."""

    game: str
    options: dict[str, Value]


class Opening(msgspec.Struct):
    """What is wanted of the first entry of a log."""

    options: dict[str, Value]


class RatedSeat(NamedTuple):
    table_id: str
    seats: int
    person: str
    level: str
    team: int
    place: int
    ended: int
    profile: str | None


class KeptResult(NamedTuple):
    """As it stands in the file that somebody takes along."""

    table_id: str
    game: str
    seats: int
    seat: int
    name: str
    team: int
    place: int
    score: int | None
    success: int | None
    is_rated: bool
    ended: int


class FamilyRow(NamedTuple):
    """A match on a device that several people share, as one of them played it."""

    name: str
    won: bool
    ended: int


def _times(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


PERSON, MOST = bindparam("person", type_=Text), bindparam("most", type_=Integer)
_own = results.c.person == PERSON
_played = func.count().label("played")
_is_won = and_(results.c.place == 1, or_(results.c.success.is_(None), results.c.success == CERTAIN))
_won = _times(_is_won)
_by_game = select(results.c.game, _played, _won, func.max(results.c.score)).where(_own).group_by(results.c.game)
BY_GAME = Query(GameTally, _by_game.order_by(_played.desc(), results.c.game))

_mine, _other, _these = results.alias("mine"), results.alias("other"), results.alias("these")
_latest = func.max(_mine.c.ended).label("latest")
_ahead, _behind = _times(_mine.c.place < _other.c.place), _times(_mine.c.place > _other.c.place)
_who = _other.c["person", "level", "name"]
# Those met last first.
AGAINST = Query(
    Met,
    select(*_who, func.count(), _ahead, _behind, _latest)
    .join_from(_mine, _other, and_(_other.c.table_id == _mine.c.table_id, _other.c.team != _mine.c.team))
    .where(_mine.c.person == PERSON)
    .group_by(*_who)
    .order_by(_latest.desc(), _other.c.name)
    .limit(MOST),
)

_last = select(results).where(_own).order_by(results.c.ended.desc(), results.c.table_id).limit(MOST).subquery("last")
_teams = select(func.count(_these.c.team.distinct())).where(_these.c.table_id == _last.c.table_id).scalar_subquery()
_is_kept = select(1).where(tables.c.id == _last.c.table_id).exists()
LATEST = Query(
    LatestRow,
    select(*_last.c["table_id", "game", "place", "success", "ended"], _other.c.name, _teams, _is_kept)
    .outerjoin_from(_last, _other, and_(_other.c.table_id == _last.c.table_id, _other.c.seat != _last.c.seat))
    .order_by(_last.c.ended.desc(), _last.c.table_id, _other.c.seat),
)

_is_finished = or_(results.c.score.is_not(None), _is_won)
TABLE_MATES = Query(
    TableMate,
    select(results.c.game, _is_finished, _other.c.level)
    .distinct()
    .outerjoin_from(results, _other, and_(_other.c.table_id == results.c.table_id, _other.c.seat != results.c.seat))
    .where(_own),
)
# The first ones first: what was played once has been played, however many follow.
RULES_PLAYED = Query(
    lambda game, opening: PlayedRules(game, msgspec.json.decode(opening, type=Opening).options),
    select(results.c.game, entries.c.data)
    .join_from(results, entries, and_(entries.c.table_id == results.c.table_id, entries.c.number == 0))
    .where(_own, _is_finished, results.c.game.in_(bindparam("games", expanding=True)))
    .order_by(results.c.ended, results.c.table_id)
    .limit(MOST),
)

# Those who share a device, and whose browser it is where they play with them. The newest first.
_shared = select(holders.c.table_id, holders.c.seat).where(holders.c.person.like(bindparam("pattern")))
_shared_tables = select(holders.c.table_id).where(holders.c.person.like(bindparam("pattern")))
FAMILY = Query(
    FamilyRow,
    select(results.c.name, _is_won, results.c.ended)
    .where(
        or_(
            tuple_(results.c.table_id, results.c.seat).in_(_shared),
            and_(_own, results.c.table_id.in_(_shared_tables)),
        )
    )
    .order_by(results.c.ended.desc(), results.c.table_id, results.c.seat)
    .limit(MOST),
)

# Of one game, where some play against others; the newest first.
_of_game = (
    select(results)
    .where(_own, results.c.game == bindparam("game"), results.c.success.is_(None))
    .order_by(results.c.ended.desc(), results.c.table_id)
    .limit(MOST)
    .subquery("of_game")
)
AGAINST_BOTS = Query(
    BotMet,
    select(_of_game.c.table_id, _of_game.c.place, _other.c.level)
    .join_from(_of_game, _other, and_(_other.c.table_id == _of_game.c.table_id, _other.c.team != _of_game.c.team))
    .order_by(_of_game.c.ended.desc(), _of_game.c.table_id, _other.c.seat),
)

# Tables that were over before results were kept.
MISSING = Query(
    str,
    select(tables.c.id)
    .join_from(holders, tables, tables.c.id == holders.c.table_id)
    .where(holders.c.person == PERSON, holders.c.seat >= 0, tables.c.status == "over")
    .where(~select(1).where(results.c.table_id == tables.c.id).exists())
    .order_by(tables.c.changed.desc())
    .limit(MOST),
)

# The newest matches first.
RATED = Query(
    RatedSeat,
    select(*results.c[RatedSeat._fields[:-1]], people.c.profile)
    .outerjoin_from(results, people, people.c.person == results.c.person)
    .where(results.c.game == bindparam("game"), IS_RATED)
    .order_by(results.c.ended.desc(), results.c.table_id, results.c.seat)
    .limit(MOST),
)

_all = select(*results.c[KeptResult._fields]).where(_own)
ALL = Query(KeptResult, _all.order_by(results.c.ended.desc()).limit(MOST))


def add(connection: Connection, rows: Sequence[Mapping[str, object]]) -> None:
    put(connection, results, rows)
