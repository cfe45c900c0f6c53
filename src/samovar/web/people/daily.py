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
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import msgspec

from samovar.engine.contract import Game
from samovar.engine.records.fair import series_commitment, series_seed
from samovar.errors import Taken
from samovar.web.people.standings import Bar, better_than, distribution
from samovar.web.store import series as kept
from samovar.web.store.entries import Open, Settings, Sit, Start
from samovar.web.store.store import STATUS
from samovar.web.tables import series
from samovar.web.tables.phrases import USUAL_LEVEL
from samovar.web.tables.series import DAILY, Proof, table_id_of
from samovar.web.tables.tables import Tables


def today() -> date:
    return datetime.fromtimestamp(series.now() / 1000, UTC).date()


@dataclass(frozen=True)
class DailyDeal:
    """Of one day and game."""

    game: Game
    day: date
    secret: str

    @property
    def id(self) -> str:
        return f"{DAILY}{self.day.isoformat()}-{self.game.id}-{self.game.version}"

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


class Daily:
    def __init__(self, tables: Tables) -> None:
        self._tables, self._store = tables, tables.store

    def deal(self, game: Game, day: date) -> DailyDeal:
        words = repr(("daily", day.isoformat(), game.id, game.version)).encode()
        return DailyDeal(game, day, hmac.new(self._tables.secret, words, hashlib.sha256).hexdigest())

    def table_of(self, deal: DailyDeal, person: str) -> str:
        """The one table at which this person may play it."""
        return table_id_of(self._tables.secret, deal.id, person)

    async def play(self, game: Game, person: str, name: str) -> str:
        """The person's table of today's deal; the second time it is the same one."""
        deal = self.deal(game, today())
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
        )
        if await self._store.head(table_id) >= 0:
            return table_id
        proof = msgspec.json.encode(Proof(deal.secret)).decode()
        await self._store.do(kept.add_day, deal.id, deal.closes, proof, series.now(), table_id)
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
        )
