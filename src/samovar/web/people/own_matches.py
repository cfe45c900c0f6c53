"""The matches that somebody has played: how they came out, by game and by opponent, and the last of
them."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from samovar.web import problems
from samovar.web.people.people import Profile
from samovar.web.store.queries import people, results
from samovar.web.store.queries.results import GameTally
from samovar.web.store.store import Store
from samovar.web.tables.results import results_of
from samovar.web.tables.tables import Tables

MOST_OPPONENTS = 30
MOST_GROUPS = 500  # names under which they were met
MOST_LATEST = 20
MADE_UP_AT_ONCE = 20


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
class OwnMatch:
    """One match."""

    table: str
    game: str
    teams: int
    place: int  # among them
    success: int | None
    ended: int
    is_kept: bool
    others: list[str]


async def games_of(store: Store, person: str) -> list[GameTally]:
    return await store.rows(results.BY_GAME, person=person)


async def opponents_of(store: Store, person: str) -> list[Opponent]:
    """Those met last first."""
    opponents: dict[tuple[str, str, str], Opponent] = {}
    for row in await store.rows(results.AGAINST, person=person, most=MOST_GROUPS):
        whose = (row.person, row.level, "" if row.person or row.level else row.name)
        one = opponents.setdefault(whose, Opponent(row.name, row.level))
        one.played, one.ahead, one.behind = one.played + row.played, one.ahead + row.ahead, one.behind + row.behind
    shown = dict(list(opponents.items())[:MOST_OPPONENTS])
    for known in await store.rows(people.PROFILES, persons=[person for person, _, _ in shown]):
        shown[known.person, "", ""].profile = msgspec.json.decode(known.profile, type=Profile)
    return list(shown.values())


async def latest_of(store: Store, person: str) -> list[OwnMatch]:
    matches: dict[str, OwnMatch] = {}
    for row in await store.rows(results.LATEST, person=person, most=MOST_LATEST):
        match = OwnMatch(row.table_id, row.game, row.teams, row.place, row.success, row.ended, row.is_kept, [])
        matches.setdefault(row.table_id, match).others.extend([row.name] if row.name is not None else [])
    return list(matches.values())


async def make_up(tables: Tables, person: str) -> None:
    """The results of matches that ended before results were kept, some at a time; those by rules that
    have changed since are left."""
    for table_id in await tables.store.rows(results.MISSING, person=person, most=MADE_UP_AT_ONCE):
        try:
            found = results_of(await tables.look(table_id))
        except problems.Problem:
            continue
        if found:
            await tables.store.do(results.add, found)
