"""Club evenings: a company of people at several tables, who are all dealt the same cards.

People join by a link. When the host begins they are put into companies, each of which plays one deal
after the other at tables of its own, at its own pace. From deal to deal everybody moves on by one
chair: after as many deals as there are chairs everybody has sat in each. What is compared is in
`standings.py`.

Nothing here lives in memory. A club is a row of the database, changed by whoever knows its version;
a table is opened by the first of its company who goes there, and its id follows from club, deal and
company, so it is opened once, by whichever process.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from samovar.engine.contract import Game, Value
from samovar.engine.records.fair import check_nonce, new_secret, series_commitment, series_order, series_seed
from samovar.engine.registry import find_game
from samovar.errors import Taken, UnknownGame
from samovar.web import problems
from samovar.web.names import check_name, same_name
from samovar.web.people.standings import Standing, StandingOutcome, standings
from samovar.web.store.entries import AnyEntry, Open, Settings, Sit, Start
from samovar.web.store.queries import series
from samovar.web.store.store import Store, can_be_id, new_id
from samovar.web.tables.series import check_member, is_member, is_over, now, table_id_of
from samovar.web.tables.table import check_level
from samovar.web.tables.tables import Tables

MOST_PEOPLE = 64
MOST_DEALS = 8
LEAST_TABLES = 2  # with one alone nobody could be compared
MOST_A_DAY = 10  # that one person may make
MOST_GATHERING = 1000  # on the site, that have not begun
DAY_MS = 24 * 3600 * 1000  # after which an evening is over, whoever is still playing


class ClubMember(msgspec.Struct, frozen=True):
    person: str
    name: str


class Club(msgspec.Struct, frozen=True):
    """A field that comes later has a default."""

    name: str
    game: str
    rules: int
    seats: int
    options: dict[str, Value]
    deals: int
    level: str  # of the bots in chairs that are left
    host: str
    secret: str
    members: list[ClubMember] = []
    nonces: list[str] = []  # of each member
    nonce_makers: list[str] = []
    companies: list[list[int]] = []  # the numbers of those who play together
    closes: int | None = None  # when it is over at the latest; None: it has not begun
    began: int = 0  # when; 0: nobody wrote it down
    circle: str = ""  # whose evening it is: nobody else sees it

    def number_of(self, person: str | None) -> int | None:
        return next((number for number, member in enumerate(self.members) if member.person == person), None)

    def company_of(self, person: str | None) -> int | None:
        number = self.number_of(person)
        return next((place for place, company in enumerate(self.companies) if number in company), None)

    def seating(self, company: int, deal: int) -> list[int | None]:
        """Who sits where, by seat; None: a bot. Everybody moves on by one chair from deal to deal."""
        people: list[int | None] = [*self.companies[company]]
        people += [None] * (self.seats - len(people))
        return [people[(seat - deal + 1) % self.seats] for seat in range(self.seats)]

    def find_game(self) -> Game:
        """By the rules that the club has committed to."""
        try:
            game = find_game(self.game)
        except UnknownGame as error:
            raise problems.NoSuchGame(game=self.game) from error
        if game.version != self.rules:
            raise problems.OldRules
        return game

    def check_host(self, person: str | None) -> None:
        if person != self.host:
            raise problems.NotTheHost

    def check_gathering(self) -> None:
        if self.closes is not None:
            raise problems.ClubBegun

    # What can be done: each is the club as it is afterwards

    def join(self, person: str, name: str, nonce: str) -> Club:
        """With a number of one's own for the deals; the site makes one for those who bring none."""
        if self.number_of(person) is not None:
            return self
        self.check_gathering()
        if len(self.members) >= MOST_PEOPLE:
            raise problems.ClubFull(most=MOST_PEOPLE)
        return msgspec.structs.replace(
            self,
            members=[*self.members, ClubMember(person, self._unused(check_name(name)))],
            nonces=[*self.nonces, check_nonce(nonce) if nonce else secrets.token_hex(16)],
            nonce_makers=[*self.nonce_makers, "browser" if nonce else "server"],
        )

    def leave(self, by: str | None, number: int) -> Club:
        """Oneself, or, for the host, somebody else."""
        self.check_gathering()
        if not 0 <= number < len(self.members):
            return self
        if self.members[number].person != by:
            self.check_host(by)
        kept = [place for place in range(len(self.members)) if place != number]
        return msgspec.structs.replace(
            self,
            members=[self.members[place] for place in kept],
            nonces=[self.nonces[place] for place in kept],
            nonce_makers=[self.nonce_makers[place] for place in kept],
        )

    def begin(self, by: str | None) -> Club:
        """Companies as equal as can be, in an order that follows from secret and numbers."""
        self.check_host(by)
        self.check_gathering()
        if len(self.members) < LEAST_TABLES:
            raise problems.TooFewPeople
        self.find_game()
        count = max(LEAST_TABLES, -(-len(self.members) // self.seats))
        order = series_order(self.secret, self.nonces)
        companies, began = [order[place::count] for place in range(count)], now()
        return msgspec.structs.replace(self, companies=companies, began=began, closes=began + DAY_MS)

    def close(self, by: str | None) -> Club:
        """What is not played by now does not count."""
        self.check_host(by)
        if self.closes is None:
            raise problems.NotStarted
        return msgspec.structs.replace(self, closes=min(self.closes, now()))

    def replace_person(self, before: str, person: str, name: str) -> Club:
        """Somebody is known as another from now on, or, with a name, not known any more."""
        is_there = self.number_of(person) is not None
        members = [
            ClubMember(person, name or member.name) if member.person == before and not is_there else member
            for member in self.members
        ]
        return msgspec.structs.replace(self, members=members, host=person if self.host == before else self.host)

    def without(self, person: str, nobody: str) -> Club:
        """Somebody may not come any more. Once it has begun their name stays, and their chairs are nobody's."""
        number = self.number_of(person)
        if number is None:
            return self
        return self.leave(person, number) if self.closes is None else self.replace_person(person, nobody, "")

    def _unused(self, name: str) -> str:
        """The second Anna is Anna 2."""
        tries = (name, *(f"{name[:21].strip()} {number}" for number in range(2, MOST_PEOPLE + 2)))
        taken = [member.name for member in self.members]
        return next(one for one in tries if not any(same_name(one, other) for other in taken))


@dataclass(frozen=True)
class Evening:
    """A club as it stands: its tables by deal and company, with their status, and who leads."""

    club: Club
    tables: dict[tuple[int, int], tuple[str, str]]
    standings: list[Standing]

    @property
    def is_over(self) -> bool:
        done = sum(status == "over" for _, status in self.tables.values())
        return is_over(self.club.closes, len(self.club.companies) * self.club.deals, done)

    def done(self, deal: int) -> int:
        """How many tables have finished a deal."""
        return sum(status == "over" for (number, _), (_, status) in self.tables.items() if number == deal)

    def is_open(self, deal: int) -> bool:
        """Whether everything of this deal may be seen."""
        return is_over(self.club.closes, len(self.club.companies), self.done(deal))

    def is_called(self, company: int) -> bool:
        """Whether a company is to come to its table: one of them is there, or it is the first."""
        deal = self.next_deal(company)
        return not self.is_over and (deal == 1 or (deal, company) in self.tables)

    def next_deal(self, company: int) -> int:
        """The one that a company plays, or is to play; one more than there are when all are over."""
        return next(
            (deal for deal in range(1, self.club.deals + 1) if self.tables.get((deal, company), ("", ""))[1] != "over"),
            self.club.deals + 1,
        )


class Clubs:
    def __init__(self, tables: Tables) -> None:
        self._tables, self._store = tables, tables.store

    async def make(self, host: str, name: str, game: Game, seats: int, deals: int, level: str, circle: str = "") -> str:
        """A new club, which people may join, all or those of a circle; its id."""
        await check_member(self._store, circle, host)
        if (await self._store.rows(series.MADE, host=host, since=now() - DAY_MS))[0] >= MOST_A_DAY:
            raise problems.TooManyClubs(most=MOST_A_DAY)
        if (await self._store.rows(series.GATHERING))[0] >= MOST_GATHERING:
            raise problems.NoMoreClubs
        if not 1 <= deals <= MOST_DEALS:
            raise problems.BadChoice(name=problems.N_("deals"), value=str(deals))
        count = game.check_seats(seats)
        club = Club(
            name=check_name(name),
            game=game.id,
            rules=game.version,
            seats=count,
            options=game.check_options(count, {}),
            deals=deals,
            level=check_level(level),
            host=host,
            secret=new_secret(),
            circle=circle,
        )
        club_id = new_id()
        await self._store.do(series.make_club, club_id, host, deals, _encode(club), now(), circle)
        return club_id

    async def find(self, club_id: str) -> Club:
        return (await _load(self._store, club_id))[0]

    async def check_visitor(self, club_id: str, person: str | None) -> None:
        """To all who are not in its circle the evening is not there."""
        if not await is_member(self._store, (await self.find(club_id)).circle, person or ""):
            raise problems.NoSuchClub

    async def change(self, club_id: str, action: Callable[[Club], Club]) -> Club:
        """Of several who change a club at once, each changes what the one before has left."""
        while True:
            club, version = await _load(self._store, club_id)
            changed = action(club)
            if changed is club:
                return club
            facts = len(changed.companies), changed.closes, _encode(changed)
            if await self._store.do(series.change_club, club_id, version, *facts):
                return changed

    async def replace_person(self, before: str, person: str, name: str = "") -> None:
        """In all clubs."""
        for club_id in await self._store.rows(series.NAMING, kind=series.CLUB, pattern=f'%"{before}"%'):
            await self.change(club_id, lambda club: club.replace_person(before, person, name))

    async def evening(self, club_id: str) -> Evening:
        club = await self.find(club_id)
        rows = await self._store.rows(series.TABLES, series=club_id) if club.companies else []
        evening = Evening(club, {(row.deal, row.company): (row.id, row.status) for row in rows}, [])
        if not club.companies:
            return evening
        shown = {deal for deal in range(1, club.deals + 1) if evening.is_open(deal)}
        results = await self._store.rows(series.OUTCOMES, series=club_id) if shown else []
        counted = [
            StandingOutcome(
                row.deal, row.seat, row.place, row.score, club.seating(row.company, row.deal)[row.seat], row.success
            )
            for row in results
            if row.deal in shown and row.ended <= (club.closes or 0)
        ]
        parties = len({row.team for row in results})  # all seats of a match have a row
        return Evening(club, evening.tables, standings(len(club.members), parties, counted))

    async def table_for(self, club_id: str, person: str | None) -> str | None:
        """The table where somebody plays next, opened if it is not; None: they have played all."""
        evening = await self.evening(club_id)
        company = evening.club.company_of(person)
        if company is None:
            raise problems.NotStarted if evening.club.number_of(person) is not None else problems.NotInClub
        deal = evening.next_deal(company)
        if deal > evening.club.deals or evening.is_over:
            return None
        if (deal, company) in evening.tables:
            return evening.tables[deal, company][0]
        return await self._open(club_id, evening.club, company, deal)

    async def _open(self, club_id: str, club: Club, company: int, deal: int) -> str:
        game = club.find_game()
        table_id = table_id_of(self._tables.secret, club_id, deal, company)
        seating = club.seating(company, deal)
        opening = Open(
            game.id,
            game.version,
            club.seats,
            club.options,
            Settings(stand_in=club.level),
            [club.level if number is None else "" for number in seating],
            seed=series_seed(club.secret, club.nonces, deal),
            series=club_id,
            deal=deal,
            commitment=commitment_of(club, game),
            circle=club.circle,
        )
        await self._store.do(series.add_table, table_id, club_id, deal, company)
        with suppress(Taken):  # somebody else of the company was faster
            await self._tables.open_with(table_id, opening, [*_sitting(club.members, seating), Start()])
        return table_id


def commitment_of(club: Club, game: Game) -> str:
    return series_commitment(game, club.seats, club.options, club.deals, club.secret)


def _sitting(members: Sequence[ClubMember], seating: Sequence[int | None]) -> list[AnyEntry]:
    return [
        Sit(seat, members[number].person, members[number].name, secrets.token_hex(8))
        for seat, number in enumerate(seating)
        if number is not None
    ]


async def _load(store: Store, club_id: str) -> tuple[Club, int]:
    row = await store.first(series.CLUB_DATA, series=club_id) if can_be_id(club_id) else None
    if row is None:
        raise problems.NoSuchClub
    return msgspec.json.decode(row.data, type=Club), row.version


def _encode(club: Club) -> str:
    return msgspec.json.encode(club).decode()
