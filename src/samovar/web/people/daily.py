"""The deal of the day of each game: everybody may play it once, against the same bots, and is told
how they did among all who did.

The secret of a day's deal follows from the site's own, so every process knows it and nothing must be
prepared. Its commitment is shown all day, the secret itself on the next. A day ends at midnight UTC;
what is finished later does not count.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache

import msgspec

from samovar.engine.contract import Game
from samovar.engine.match import Match
from samovar.engine.records.fair import series_commitment, series_seed
from samovar.errors import Taken
from samovar.web.people.standings import Bar, better_than, distribution
from samovar.web.store.entries import Open, Settings, Sit, Start
from samovar.web.store.queries import puzzles
from samovar.web.store.queries import series as kept
from samovar.web.store.queries.series import ScoreRow
from samovar.web.store.store import STATUS
from samovar.web.tables import series
from samovar.web.tables.phrases import USUAL_LEVEL
from samovar.web.tables.series import DAILY, Proof, table_id_of
from samovar.web.tables.tables import Tables

DEALS = 4  # that are compared
FILLED, EMPTY, FIFTHS = "■", "□", 5  # signs that tell how somebody did, and nothing of what was played
WEEKS = 4  # in the calendar
LONGEST = 400  # days of a row that are looked for
DAY = timedelta(days=1)


def today() -> date:
    return day_of(series.now())


def day_of(moment: int) -> date:
    """By milliseconds since 1970."""
    return datetime.fromtimestamp(moment / 1000, UTC).date()


@cache
def has_deal(game: Game) -> bool:
    """Whether chance decides more than who begins: if not, every day would have the same deal."""
    deals = {Match(game, game.seats[0], seed, plain=True, first=0).state_bytes for seed in range(DEALS)}
    return len(deals) > 1


def days_in_row(days: Iterable[date], last: date) -> int:
    """Up to today, or to yesterday while there is still time today."""
    done = set(days)
    last = last if last in done else last - DAY
    return next(count for count in range(LONGEST + 2) if last - count * DAY not in done)


def calendar(done: Mapping[date, set[str]], last: date) -> list[list[tuple[date, set[str] | None]]]:
    """Weeks from Monday to Sunday, and what was done on each day; None: it is still to come."""
    monday = last - last.weekday() * DAY - (WEEKS - 1) * 7 * DAY
    days = [monday + number * DAY for number in range(7 * WEEKS)]
    told = [(day, done.get(day, set()) if day <= last else None) for day in days]
    return [told[start : start + 7] for start in range(0, len(told), 7)]


@dataclass(frozen=True)
class DailyDeal:
    """Of one day and game."""

    game: Game
    day: date
    secret: str
    circle: str = ""  # whose it is; empty: everybody's

    @property
    def id(self) -> str:
        whose = f"-{self.circle}" if self.circle else ""
        return f"{DAILY}{self.day.isoformat()}-{self.game.id}-{self.game.version}{whose}"

    @property
    def seats(self) -> int:
        return self.game.seats[0]

    @property
    def parties(self) -> int:
        """How many play against each other."""
        return len(set(self.game.teams(self.seats)))

    @property
    def closes(self) -> int:
        """The end of the day, in milliseconds since 1970."""
        end = datetime(self.day.year, self.day.month, self.day.day, tzinfo=UTC) + timedelta(days=1)
        return round(end.timestamp() * 1000)

    @property
    def commitment(self) -> str:
        return series_commitment(self.game, self.seats, self.game.check_options(self.seats, {}), 1, self.secret)

    @property
    def seed(self) -> str:
        return series_seed(self.secret, [], 1)


@dataclass(frozen=True)
class DailyStanding:
    """How a deal came out, as far as a visitor may know."""

    count: int  # who have finished it
    table: str = ""  # the visitor's own
    status: str = ""  # of it
    has_finished: bool = False
    place: int = 0
    score: int | None = None
    success: int | None = None  # of a thousand, where all seats are one team
    better_than: int = 100  # percent of the others
    bars: tuple[Bar, ...] = ()
    best: int | None = None  # the most points that anybody made

    def signs(self, parties: int) -> str:
        """A square for everybody who was to be left behind, filled for those who were; of what can be
        reached together, fifths."""
        most = parties - 1 if self.success is None else FIFTHS
        reached = parties - self.place if self.success is None else self.success * FIFTHS // 1000
        return FILLED * reached + EMPTY * (most - reached)


class Daily:
    def __init__(self, tables: Tables) -> None:
        self._tables, self._store = tables, tables.store

    def deal(self, game: Game, day: date, circle: str = "") -> DailyDeal:
        whose = (circle,) if circle else ()
        words = repr(("daily", day.isoformat(), game.id, game.version, *whose)).encode()
        return DailyDeal(game, day, hmac.new(self._tables.secret, words, hashlib.sha256).hexdigest(), circle)

    def table_of(self, deal: DailyDeal, person: str) -> str:
        """The one table at which this person may play it."""
        return table_id_of(self._tables.secret, deal.id, person)

    async def play(self, game: Game, person: str, name: str, circle: str = "") -> str:
        """The person's table of today's deal; the second time it is the same one."""
        deal = self.deal(game, today(), circle)
        table_id = self.table_of(deal, person)
        opening = Open(
            game.id,
            game.version,
            deal.seats,
            game.check_options(deal.seats, {}),
            Settings(),
            ["", *[USUAL_LEVEL] * (deal.seats - 1)],
            seed=deal.seed,
            series=deal.id,
            deal=1,
            commitment=deal.commitment,
            circle=circle,
        )
        if await self._store.head(table_id) >= 0:
            return table_id
        proof = msgspec.json.encode(Proof(deal.secret)).decode()
        await self._store.do(kept.add_day, deal.id, deal.closes, proof, series.now(), circle, table_id)
        with suppress(Taken):
            await self._tables.open_with(table_id, opening, [Sit(0, person, name, secrets.token_hex(8)), Start()])
        return table_id

    async def standing(self, deal: DailyDeal, person: str | None) -> DailyStanding:
        """What others made of a deal of today is for those who have finished it."""
        rows = await self._store.rows(kept.SCORES, series=deal.id, closes=deal.closes)
        table = self.table_of(deal, person) if person else ""
        status = await self._store.first(STATUS, table=table) or ""
        own = next((row for row in rows if row.table_id == table), None)
        if own is None and deal.day >= today():
            return DailyStanding(len(rows), table if status else "", status)
        scores = [row.score for row in rows]
        score = own.score if own else None
        return DailyStanding(
            len(rows),
            table if status else "",
            status,
            own is not None,
            own.place if own else 0,
            score,
            own.success if own else None,
            better_than(score, scores) if own else 0,
            tuple(distribution(score, scores)),
            max((one for one in scores if one is not None), default=None),
        )

    async def lines(self, deal: DailyDeal, names: Mapping[str, str]) -> list[tuple[str, ScoreRow]]:
        """What each of these people made of it, best first: for those who have finished it."""
        tables = {self.table_of(deal, person): name for person, name in names.items()}
        rows = await self._store.rows(kept.SCORES, series=deal.id, closes=deal.closes)
        own = [(tables[row.table_id], row) for row in rows if row.table_id in tables]
        return sorted(own, key=lambda one: (one[1].place, -(one[1].success or 0), -(one[1].score or 0), one[0]))

    async def done(self, person: str | None, last: date) -> dict[date, set[str]]:
        """On which days somebody has solved a puzzle, or played the deal of the day to its end."""
        if not person:
            return {}
        since = round(datetime(last.year, last.month, last.day, tzinfo=UTC).timestamp() - LONGEST * 86400) * 1000
        found: dict[date, set[str]] = {}
        for row in await self._store.rows(puzzles.SINCE, person=person, since=since):
            if row.is_solved:
                found.setdefault(day_of(row.at), set()).add("puzzle")
        for ended in await self._store.rows(kept.FINISHED_DAYS, person=person, since=since):
            found.setdefault(day_of(ended), set()).add("deal")
        return found
