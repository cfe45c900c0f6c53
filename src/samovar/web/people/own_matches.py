"""The matches that somebody has played: how they came out, by game and by opponent, and the last of
them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Connection, bindparam, text

from samovar.engine.heuristics import CERTAIN
from samovar.web import problems
from samovar.web.people.people import Profile
from samovar.web.store.store import TEAMS, Store
from samovar.web.store.writer import RESULT
from samovar.web.tables.results import Result, results_of
from samovar.web.tables.tables import Tables

MOST_OPPONENTS = 30
MOST_GROUPS = 500  # names under which they were met
MOST_LATEST = 20
MADE_UP_AT_ONCE = 20

BY_GAME = text(
    "SELECT game, count(*) AS played, "
    f"sum(CASE WHEN place = 1 AND (success IS NULL OR success = {CERTAIN}) THEN 1 ELSE 0 END) AS won, "
    "max(score) AS best "
    "FROM results WHERE person = :person GROUP BY game ORDER BY played DESC, game"
)
AGAINST = text(
    "SELECT other.person, other.level, other.name, count(*) AS played, max(mine.ended) AS latest, "
    "sum(CASE WHEN mine.place < other.place THEN 1 ELSE 0 END) AS ahead, "
    "sum(CASE WHEN mine.place > other.place THEN 1 ELSE 0 END) AS behind "
    "FROM results AS mine JOIN results AS other ON other.table_id = mine.table_id AND other.team <> mine.team "
    "WHERE mine.person = :person GROUP BY other.person, other.level, other.name "
    "ORDER BY latest DESC, other.name LIMIT :most"
)
LATEST = text(
    "SELECT mine.table_id, mine.game, mine.place, mine.success, mine.ended, other.name, "
    f"({TEAMS.format(table='mine.table_id')}) AS teams FROM "
    "(SELECT * FROM results WHERE person = :person ORDER BY ended DESC, table_id LIMIT :most) AS mine "
    "LEFT JOIN results AS other ON other.table_id = mine.table_id AND other.seat <> mine.seat "
    "ORDER BY mine.ended DESC, mine.table_id, other.seat"
)
PROFILES = text("SELECT person, profile FROM people WHERE person IN :persons").bindparams(
    bindparam("persons", expanding=True)
)
MISSING = text(
    "SELECT id FROM holders JOIN tables ON tables.id = holders.table_id WHERE holders.person = :person "
    "AND holders.seat >= 0 AND status = 'over' AND NOT EXISTS (SELECT 1 FROM results WHERE results.table_id = id) "
    "ORDER BY changed DESC LIMIT :most"
)


@dataclass
class Opponent:
    """Somebody else, or all bots of a level. People are told apart by who they are, and shown by the
    name they had last."""

    name: str
    level: str
    profile: Profile = field(default_factory=Profile)
    played: int = 0
    ahead: int = 0  # how often one was placed before them
    behind: int = 0

    @property
    def level_with(self) -> int:
        return self.played - self.ahead - self.behind


@dataclass
class Played:
    """One match."""

    table: str
    game: str
    teams: int
    place: int  # among them
    success: int | None
    ended: int
    others: list[str]


async def games_of(store: Store, person: str) -> list[Any]:
    return list(await store.all(BY_GAME, person=person))


async def opponents_of(store: Store, person: str) -> list[Opponent]:
    """Those met last first."""
    opponents: dict[tuple[str, str, str], Opponent] = {}
    for row in await store.all(AGAINST, person=person, most=MOST_GROUPS):
        whose = (row.person, row.level, "" if row.person or row.level else row.name)
        one = opponents.setdefault(whose, Opponent(row.name, row.level))
        one.played, one.ahead, one.behind = one.played + row.played, one.ahead + row.ahead, one.behind + row.behind
    shown = dict(list(opponents.items())[:MOST_OPPONENTS])
    for row in await store.all(PROFILES, persons=[person for person, _, _ in shown]):
        shown[row.person, "", ""].profile = msgspec.json.decode(row.profile, type=Profile)
    return list(shown.values())


async def latest_of(store: Store, person: str) -> list[Played]:
    matches: dict[str, Played] = {}
    for row in await store.all(LATEST, person=person, most=MOST_LATEST):
        match = Played(row.table_id, row.game, row.teams, row.place, row.success, row.ended, [])
        matches.setdefault(row.table_id, match).others.extend([row.name] if row.name is not None else [])
    return list(matches.values())


async def make_up(tables: Tables, person: str) -> None:
    """The results of matches that ended before results were kept, some at a time; those by rules that
    have changed since are left."""
    for row in await tables.store.all(MISSING, person=person, most=MADE_UP_AT_ONCE):
        try:
            results = results_of(await tables.look(row.id))
        except problems.Problem:
            continue
        if results:
            await tables.store.do(_add, results)


def _add(connection: Connection, results: Iterable[Result]) -> None:
    connection.execute(text(RESULT), [dict(result) for result in results])
