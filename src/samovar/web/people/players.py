"""The table of a site's players: who joined it is rated, and nobody else is shown.

Figures are made when somebody asks for them, off the event loop, one game at a time, and kept for a
while that grows with the work: nobody can have them made again and again, and a site where nobody
asks makes none. Who has left is shown no more at once, since that is asked each time.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter

import msgspec

from samovar.engine.contract import Game
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.web import problems
from samovar.web.names import looks_of
from samovar.web.people.people import Profile
from samovar.web.people.ratings import FEWEST_MATCHES, RatedMatch, Rating, rate
from samovar.web.store.queries import people, results
from samovar.web.store.queries.results import RatedSeat
from samovar.web.store.store import Store

MOST_ROWS = 8000  # seats of the newest rated matches
# Those who played last. From a hundred on, bots among them, NumPy's solver takes several threads,
# which wait for one another where the processor is busy: that took twenty times as long.
MOST_PLAYERS = 90
KEPT_SECONDS = 30.0  # at least
KEPT_TIMES = 100  # as long as it took to make: a hundredth of the time of one core, however many ask
PATIENCE = 1.0  # seconds, after which the figures of before are shown
MARK = 4  # letters that tell two players of the same name apart

read_profile = msgspec.json.Decoder(Profile).decode


@dataclass(frozen=True)
class Figures:
    """Of a game, by person and by level of the bots."""

    matches: Sequence[RatedMatch] = ()
    ratings: dict[str, Rating] = field(default_factory=dict)
    until: float = 0.0  # by this process's clock


@dataclass(frozen=True)
class PlayerRow:
    """A player as everybody may know them: by a name, and an id that is good for nothing else."""

    name: str
    level: str  # of a bot; it has no name and no id
    id: str
    rank: int | None  # None: a bot, or somebody with few matches
    rating: Rating
    is_you: bool


@dataclass(frozen=True)
class Against:
    """How somebody did against another, match by match."""

    other: PlayerRow
    won: int
    drawn: int
    lost: int


@dataclass(frozen=True)
class PlayerMatch:
    """A match of somebody's, without those who are not listed."""

    ended: int
    place: int
    parties: int
    others: tuple[PlayerRow, ...]
    unlisted: int


class Board:
    """The table of players of one game, as one visitor sees it."""

    def __init__(self, figures: Figures, names: dict[str, str], you: str | None, secret: bytes) -> None:
        self._figures, self._names, self._you, self._secret = figures, names, you, secret
        listed = sorted(figures.ratings.items(), key=lambda one: -one[1].points)
        sure = [rating.points for player, rating in listed if player in names and rating.matches >= FEWEST_MATCHES]
        self._lines = {
            player: self._line(player, rating, sure)
            for player, rating in listed
            if player in names or player in LEVEL_NAMES
        }
        lines = self._lines.values()
        self.lines = [line for line in lines if line.level or line.rank]
        self.newcomers = [line for line in lines if not line.level and not line.rank]
        self.best = [line for line in lines if line.rank]

    def _line(self, player: str, rating: Rating, sure: list[int]) -> PlayerRow:
        if player not in self._names:
            return PlayerRow("", player, "", None, rating, is_you=False)
        rank = 1 + sum(points > rating.points for points in sure) if rating.matches >= FEWEST_MATCHES else None
        return PlayerRow(
            self._names[player], "", public_id(self._secret, player), rank, rating, is_you=player == self._you
        )

    @property
    def bots(self) -> list[PlayerRow]:
        return [line for line in self.lines if line.level]

    def find(self, player_id: str) -> str:
        """Who this is, for those who have no more than the id."""
        for player, line in self._lines.items():
            if line.id and line.id == player_id:
                return player
        raise problems.NoSuchPlayer

    def line(self, player: str) -> PlayerRow:
        return self._lines[player]

    def last(self, player: str, most: int) -> list[PlayerMatch]:
        """The newest first."""
        own = [match for match in reversed(self._figures.matches) if player in dict(match.places)]
        played = []
        for match in own[:most]:
            others = tuple(self._lines[other] for other, _ in match.places if other != player and other in self._lines)
            place, parties = dict(match.places)[player], match.parties or match.seats
            played.append(PlayerMatch(match.ended, place, parties, others, match.seats - 1 - len(others)))
        return played

    def against(self, player: str) -> list[Against]:
        """Those met most often first."""
        counts: dict[str, Counter[int]] = {}
        for match in self._figures.matches:
            for one, two in match.opponents:
                for (own, place), (other, other_place) in ((one, two), (two, one)):
                    if own == player and other in self._lines:
                        counts.setdefault(other, Counter())[(place > other_place) - (place < other_place)] += 1
        most_first = sorted(counts.items(), key=lambda one: -one[1].total())
        return [Against(self._lines[other], count[-1], count[0], count[1]) for other, count in most_first]


class Players:
    def __init__(self, store: Store, secret: bytes) -> None:
        self._store, self._secret = store, secret
        self._figures: dict[str, Figures] = {}  # by game
        self._making: dict[str, asyncio.Task[Figures]] = {}
        self._one_at_a_time = asyncio.Lock()

    async def close(self) -> None:
        for task in self._making.values():
            task.cancel()
        await asyncio.gather(*self._making.values(), return_exceptions=True)

    async def board(self, game: Game, you: str | None) -> Board:
        figures = await self.figures(game)
        return Board(figures, await self._names(figures.ratings), you, self._secret)

    async def figures(self, game: Game) -> Figures:
        """Those of a while ago, or new ones."""
        kept = self._figures.get(game.id)
        if kept is not None and time.monotonic() < kept.until:
            return kept
        task = self._making.get(game.id)
        if task is None:
            task = self._making[game.id] = asyncio.create_task(self._make(game))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # perhaps nobody waits for it
        await asyncio.wait({task}, timeout=PATIENCE if kept else None)
        return task.result() if kept is None or task.done() else kept

    async def _make(self, game: Game) -> Figures:
        try:
            async with self._one_at_a_time:
                began = time.monotonic()
                rows = await self._store.rows(results.RATED, game=game.id, most=MOST_ROWS)
                kept, matches = self._figures.get(game.id), await asyncio.to_thread(counted, rows)
                if kept is not None and kept.matches == matches:
                    ratings = kept.ratings
                else:
                    ratings = await asyncio.to_thread(rate, matches, game.heuristics.levels)
                took = time.monotonic() - began
                until = began + max(KEPT_SECONDS, KEPT_TIMES * took)
                figures = self._figures[game.id] = Figures(matches, ratings, until)
                return figures
        finally:
            del self._making[game.id]

    async def _names(self, players: Iterable[str]) -> dict[str, str]:
        """What those are called who are in the table of players now. Two of the same name get a mark
        each."""
        rows = await self._store.rows(people.PROFILES, persons=list(players))
        profiles = {row.person: read_profile(row.profile) for row in rows}
        names = {person: profile.name for person, profile in profiles.items() if profile.is_rated and profile.name}
        often = Counter(look for name in names.values() for look in looks_of(name))
        return {
            person: name
            if all(often[look] == 1 for look in looks_of(name))
            else f"{name} · {public_id(self._secret, person)[:MARK]}"
            for person, name in names.items()
        }


def counted(rows: Sequence[RatedSeat]) -> list[RatedMatch]:
    """The matches that count, the oldest first: of rows with the newest first."""
    joined = {row.person for row in rows if row.person and row.profile and read_profile(row.profile).is_rated}
    newest = set(list(dict.fromkeys(row.person for row in rows if row.person in joined))[:MOST_PLAYERS])
    matches = []
    for _, group in groupby(rows, key=attrgetter("table_id")):
        seats = list(group)
        persons = [row.person for row in seats if row.person in newest]
        known = [row for row in seats if row.person in newest or row.level]
        places = tuple((row.person or row.level, row.place) for row in known)
        teams, parties = tuple(row.team for row in known), len({row.team for row in seats})
        # nobody plays against themselves, and the last match may have been cut in two by the limit
        is_whole = len(seats) == seats[0].seats and len(set(persons)) == len(persons)
        if is_whole and persons and len(set(teams)) > 1:
            matches.append(RatedMatch(seats[0].ended, seats[0].seats, places, teams, parties))
    return matches[::-1]


def public_id(secret: bytes, person: str) -> str:
    """What everybody may know of a person: their own id is as good as a key."""
    return hmac.new(secret, f"player:{person}".encode(), hashlib.sha256).hexdigest()[:16]
