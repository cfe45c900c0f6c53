"""Circles: people who meet again and again. A circle has a name, a sign, and one address; members come by a link that
can be renewed. What it has, it owns: tables, club evenings (`clubs.py`), a deal of the day (`daily.py`), seasons
(`seasons.py`), phrases. To everybody else nothing of it is there.

As with clubs, nothing lives in memory: a circle is a row of the database, changed by whoever knows its version. Who
plays on a member's device is a member, too, told apart by the name, and leaves with them.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple
from zlib import crc32

import msgspec

from samovar.engine.contract import Game
from samovar.engine.registry import find_game
from samovar.errors import UnknownGame
from samovar.web import problems
from samovar.web.names import can_be_seen, check_name, same_name
from samovar.web.people.clubs import Club, Clubs
from samovar.web.people.daily import Daily, DailyDeal, DailyStanding, today
from samovar.web.people.people import COLOURS, MARKS
from samovar.web.people.seasons import POINTS, Season, SeasonLine, matches_of, standings_of
from samovar.web.store.entries import AnyEntry, Settings, Within
from samovar.web.store.queries import circles as kept
from samovar.web.store.queries import series
from samovar.web.store.queries.circles import CircleOutcome, CircleTable
from samovar.web.store.queries.hands import NOBODY
from samovar.web.store.queries.series import ScoreRow
from samovar.web.store.store import can_be_id, new_id
from samovar.web.tables.chairs import COMPANION, Chair, is_companion
from samovar.web.tables.series import now
from samovar.web.tables.table import Table, check_level
from samovar.web.tables.tables import Tables

MOST_MEMBERS = 64
MOST_CIRCLES = 20  # that one person is in
MOST_A_DAY = 10  # that one person founds, with clubs and classes
MOST_PHRASES, LONGEST_PHRASE = 12, 60
MOST_SEASONS = 40  # whose ends are kept
MOST_ROWS = 4000  # seats of a season that are looked at
MOST_TOLD = 20  # matches and evenings on the page
HERE_SECONDS = 30.0  # since somebody had the page of the circle in sight
DAY_MS = 24 * 3600 * 1000
USUAL_DAYS, MOST_DAYS = 90, 731  # of a season
FOREVER = 1 << 53


class CircleMember(msgspec.Struct, frozen=True):
    number: int  # nobody else ever has it
    person: str
    name: str
    since: int
    wants_calls: bool = False  # when somebody has opened a table
    beside: int = -1  # the number of the member on whose device they play


class Circle(msgspec.Struct, frozen=True):
    """A field that comes later has a default."""

    name: str
    host: str
    salt: str  # makes the key of the link
    members: list[CircleMember]
    seasons: list[Season]  # the last one goes on
    next_number: int = 1
    mark: str = MARKS[0]
    colour: str = COLOURS[0]
    phrases: list[str] = []
    daily: str = ""  # the game whose deal it plays every day

    @property
    def season(self) -> Season:
        return self.seasons[-1]

    def member(self, person: str | None) -> CircleMember | None:
        return next((member for member in self.members if person and member.person == person), None)

    def numbered(self, number: int) -> CircleMember:
        found = next((member for member in self.members if member.number == number), None)
        if found is None:
            raise problems.NoSuchMember
        return found

    def name_of(self, person: str) -> str:
        member = self.member(person)
        return member.name if member else ""

    def check_host(self, person: str | None) -> None:
        """To everybody else there is no such page."""
        if not person or person != self.host:
            raise problems.NoSuchPage

    def with_member(self, person: str, name: str, beside: int = -1) -> Circle:
        if self.member(person) is not None:
            return self
        if len(self.members) >= MOST_MEMBERS:
            raise problems.CircleFull(most=MOST_MEMBERS)
        member = CircleMember(self.next_number, person, self._unused(check_name(name)), now(), beside=beside)
        return msgspec.structs.replace(self, members=[*self.members, member], next_number=self.next_number + 1)

    def with_changed(self, person: str, **changes: object) -> Circle:
        members = [msgspec.structs.replace(one, **changes) if one.person == person else one for one in self.members]
        return msgspec.structs.replace(self, members=members)

    def renamed(self, person: str, name: str) -> Circle:
        """The others keep their names."""
        others = msgspec.structs.replace(self, members=[one for one in self.members if one.person != person])
        return self.with_changed(person, name=others._unused(name))

    def without(self, number: int) -> Circle:
        """With all who play on their device."""
        if self.numbered(number).person == self.host:
            raise problems.OwnerStays
        members = [member for member in self.members if number not in (member.number, member.beside)]
        return msgspec.structs.replace(self, members=members)

    def handed_to(self, number: int) -> Circle:
        """Somebody who plays on another's device cannot be asked for anything, and so owns nothing."""
        member = self.numbered(number)
        if is_companion(member.person):
            raise problems.NoSuchMember
        return msgspec.structs.replace(self, host=member.person)

    def replace_person(self, before: str, person: str, name: str = "") -> Circle:
        """Somebody is known as another from now on, or, with a name, not known any more."""

        def replaced(lines: list[SeasonLine]) -> list[SeasonLine]:
            return [
                msgspec.structs.replace(line, person=person, name=name or line.name) if line.person == before else line
                for line in lines
            ]

        seasons = [msgspec.structs.replace(season, final=replaced(season.final)) for season in self.seasons]
        own, other = self.member(before), self.member(person)
        members = [one for one in self.members if one.person != before or not (name or other)]
        if own and other:  # those on their device stay
            members = [
                msgspec.structs.replace(one, beside=other.number) if one.beside == own.number else one
                for one in members
            ]
        members = [msgspec.structs.replace(one, person=person) if one.person == before else one for one in members]
        host = person if self.host == before else self.host
        return msgspec.structs.replace(self, seasons=seasons, members=members, host=host)

    def _unused(self, name: str) -> str:
        """The second Anna is Anna 2."""
        tries = (name, *(f"{name[:21].strip()} {number}" for number in range(2, MOST_MEMBERS + 2)))
        taken = [member.name for member in self.members]
        return next(one for one in tries if not any(same_name(one, other) for other in taken))


class CirclePlayed(NamedTuple):
    """A match of a circle."""

    table_id: str
    game: str
    ended: int
    places: list[tuple[int, str]]
    is_kept: bool


class CircleDay(NamedTuple):
    """The circle's deal of the day, as far as a member may know it."""

    deal: DailyDeal
    standing: DailyStanding
    lines: list[tuple[str, ScoreRow]]  # by name, best first


class CircleNow(NamedTuple):
    """All that its page shows."""

    circle: Circle
    here: list[CircleMember]
    tables: list[CircleTable]
    standings: list[SeasonLine]
    played: list[CirclePlayed]
    evenings: list[tuple[str, str]]  # id and name
    day: CircleDay | None


class Circles:
    def __init__(self, tables: Tables) -> None:
        self._tables, self._store = tables, tables.store

    async def make(self, host: str, circle_name: str, name: str) -> str:
        """Its id, which is its address for ever."""
        if (await self._store.rows(series.MADE, host=host, since=now() - DAY_MS))[0] >= MOST_A_DAY:
            raise problems.TooManyClubs(most=MOST_A_DAY)
        await self._check_room(host)
        circle_id, salt, began = new_id(), secrets.token_hex(8), now()
        season = Season(began, began + USUAL_DAYS * DAY_MS)
        circle = Circle(check_name(circle_name), host, salt, [], [season]).with_member(host, name)
        link = self._fingerprint(self.key(circle_id, circle))
        await self._store.do(kept.make, circle_id, host, link, _encode(circle), began)
        return circle_id

    async def of_person(self, person: str | None) -> list[tuple[str, Circle]]:
        rows = await self._store.rows(kept.OF_PERSON, person=person) if person else []
        return [(row.id, _decode(row.data)) for row in rows]

    async def find(self, circle_id: str) -> Circle:
        return (await self._load(circle_id))[0]

    async def for_member(self, circle_id: str, person: str | None) -> tuple[Circle, CircleMember]:
        """To all others it is as if there were none: what is asked for is the same, too."""
        if not await self._store.rows(kept.IS_MEMBER, person=person or "", circle=circle_id):
            raise problems.NoSuchPage
        circle = await self.find(circle_id)
        member = circle.member(person)
        if member is None:
            raise problems.NoSuchPage
        return circle, member

    async def for_host(self, circle_id: str, person: str | None) -> Circle:
        circle, _ = await self.for_member(circle_id, person)
        circle.check_host(person)
        return circle

    async def change(self, circle_id: str, action: Callable[[Circle], Circle]) -> Circle:
        """Of several who change a circle at once, each changes what the one before has left."""
        while True:
            circle, version = await self._load(circle_id)
            changed = action(circle)
            if changed == circle:
                return changed
            facts = changed.host, self._fingerprint(self.key(circle_id, changed)), _encode(changed)
            persons = [member.person for member in changed.members]
            if await self._store.do(kept.change, circle_id, version, *facts, persons):
                return changed

    async def by_host(self, circle_id: str, person: str | None, action: Callable[[Circle], Circle]) -> Circle:
        """Asked once more where it is changed: it may be another's meanwhile."""
        await self.for_host(circle_id, person)

        def checked(circle: Circle) -> Circle:
            circle.check_host(person)
            return action(circle)

        return await self.change(circle_id, checked)

    # Members

    def key(self, circle_id: str, circle: Circle) -> str:
        """Of the link by which people come in. It is kept nowhere."""
        message = f"circle:{circle_id}:{circle.salt}".encode()
        return hmac.new(self._tables.secret, message, hashlib.sha256).hexdigest()[:40]

    async def with_key(self, key: str) -> str:
        """The circle whose link this is."""
        found = await self._store.first(kept.BY_LINK, link=self._fingerprint(key))
        if not found:
            raise problems.NoSuchPage
        return found

    async def join(self, key: str, person: str, name: str) -> str:
        circle_id = await self.with_key(key)
        if (await self.find(circle_id)).member(person) is None:
            await self._check_room(person)

        def joined(circle: Circle) -> Circle:
            if self.key(circle_id, circle) != key:  # it was renewed meanwhile
                raise problems.NoSuchPage
            return circle.with_member(person, name)

        await self.change(circle_id, joined)
        return circle_id

    async def add_relative(self, circle_id: str, person: str, device: str, name: str) -> None:
        """Somebody who plays on a member's device."""
        _, own = await self.for_member(circle_id, person)
        relative = f"{device}{COMPANION}{crc32(name.casefold().encode()):08x}"
        await self.change(circle_id, lambda circle: circle.with_member(relative, name, own.number))

    async def take_out(self, circle_id: str, by: str | None, number: int) -> None:
        """Oneself, somebody on one's own device, or, for the owner, somebody else. Nothing stays open to them: bots
        play on for them, and what they have finished is in their own figures alone."""
        circle, _ = await self.for_member(circle_id, by)
        going = circle.numbered(number)

        def without(circle: Circle) -> Circle:
            own_now = circle.member(by)
            if own_now is None:
                raise problems.NoSuchPage
            if number != own_now.number and circle.numbered(number).beside != own_now.number:
                circle.check_host(by)
            return circle.without(number)

        await self.change(circle_id, without)
        gone = [going, *(one for one in circle.members if one.beside == number)]
        for member in gone:
            await self._leave_tables(circle_id, member)

    async def delete(self, circle_id: str, person: str | None) -> None:
        await self.for_host(circle_id, person)
        await self._delete(circle_id)

    async def replace_person(self, before: str, person: str) -> None:
        """In all circles."""
        for circle_id in await self._naming(before):
            await self.change(circle_id, lambda circle: circle.replace_person(before, person))

    async def forget(self, person: str, name: str) -> None:
        """Somebody wants none of it kept. What they own is another's, or goes with them if there is no other."""
        for circle_id in await self._naming(person):
            circle = await self.find(circle_id)
            others = [one for one in circle.members if one.person != person and not is_companion(one.person)]
            if circle.host == person and not others:
                await self._delete(circle_id)
                continue

            def forgotten(circle: Circle) -> Circle:
                own = circle.member(person)
                beside = [one.person for one in circle.members if own and one.beside == own.number]
                changed = circle
                for one in (*beside, person):
                    changed = changed.replace_person(one, f"nobody-{secrets.token_hex(8)}", name)
                heir = next((one.person for one in changed.members if not is_companion(one.person)), "")
                return msgspec.structs.replace(changed, host=heir if circle.host == person else circle.host)

            await self.change(circle_id, forgotten)
            if own := circle.member(person):
                await self._store.do(kept.forget_presence, circle_id, own.number)

    # Tables

    async def here(self, circle_id: str, circle: Circle) -> list[CircleMember]:
        """Who has its page in sight, with those on their devices."""
        silence = await self._tables.presence.silence(circle_id, [member.number for member in circle.members])
        numbers = {number for number, seconds in silence.items() if seconds <= HERE_SECONDS}
        return [one for one in circle.members if one.number in numbers or one.beside in numbers]

    def touch(self, circle_id: str, member: CircleMember) -> None:
        self._tables.presence.touch(circle_id, member.number)

    async def open_table(
        self,
        circle_id: str,
        table_id: str,
        by: CircleMember,
        game: Game,
        seats: int,
        numbers: Sequence[int],
        level: str = "",
    ) -> Table:
        """With these of its members, who are there, and whoever opens it; other chairs are free, or a bot's."""
        circle = await self.find(circle_id)
        here = await self.here(circle_id, circle)
        chosen = [by, *(one for one in here if one.number in numbers and one.number != by.number)]
        if len(chosen) != len({by.number, *numbers}):
            raise problems.NobodyHere
        if len(chosen) > game.check_seats(seats):
            raise problems.TableFull
        people = [Chair(seat, one.name, {one.person: now()}) for seat, one in enumerate(chosen)]
        levels = [""] * len(people) + [check_level(level) if level else ""] * (seats - len(people))
        for one in chosen:
            if is_companion(one.person):  # first, everybody on the device says who they are
                await self._tables.hands.take(one.person.partition(COMPANION)[0], table_id, NOBODY)
        within = Within(circle=circle_id, phrases=tuple(circle.phrases))
        return await self._tables.open(
            game.id, seats, {}, Settings(), levels, people=people, table_id=table_id, within=within
        )

    async def sit(self, circle_id: str, member: CircleMember, table_id: str) -> None:
        """On a free chair, in one click."""
        if (await self._tables.look(table_id)).circle != circle_id:
            raise problems.NoSuchTable
        await self._tables.sit(table_id, member.person, member.name)

    # What its page shows

    async def now(self, circle_id: str, person: str) -> CircleNow:
        circle = await self.rolled(circle_id)
        season = circle.season
        rows = await self._outcomes(circle_id, season.begins, FOREVER)
        evenings = await self._store.rows(kept.EVENINGS, circle=circle_id, most=MOST_TOLD)
        latest = (
            rows if len({row.table_id for row in rows}) >= MOST_TOLD else await self._outcomes(circle_id, 0, FOREVER)
        )
        return CircleNow(
            circle,
            await self.here(circle_id, circle),
            await self._store.rows(kept.GOING_ON, circle=circle_id),
            await self._standings(circle, season, rows),
            played_of(latest)[:MOST_TOLD],
            [(row.id, msgspec.json.decode(row.data, type=_Named).name) for row in evenings],
            await self._day(circle_id, circle, person),
        )

    async def rolled(self, circle_id: str) -> Circle:
        """The circle after all its seasons that are over: each has its winner, and the next has begun."""
        while (circle := await self.find(circle_id)).season.ends <= now():
            await self.end_season(circle_id, circle.season)
        return circle

    async def end_season(self, circle_id: str, season: Season, at: int = 0) -> None:
        """`at`: before its time. The next is as long, and has begun when the last one ended; where nobody looked for
        longer than that, it goes on now."""
        ends = at or season.ends
        circle = await self.find(circle_id)
        final = await self._standings(circle, season, await self._outcomes(circle_id, season.begins, ends))
        length = max(DAY_MS, season.ends - season.begins)
        begins = ends + (now() - ends) // length * length if now() > ends else ends
        over = msgspec.structs.replace(season, ends=ends, final=final)
        following = Season(begins, begins + length, season.method)

        def ended(circle: Circle) -> Circle:
            if circle.season != season:  # somebody else was faster
                return circle
            seasons = [*circle.seasons[:-1], over, following][-MOST_SEASONS:]
            return msgspec.structs.replace(circle, seasons=seasons)

        await self.change(circle_id, ended)

    async def _standings(self, circle: Circle, season: Season, rows: Sequence[CircleOutcome]) -> list[SeasonLine]:
        matches = matches_of(rows, [member.person for member in circle.members])
        if season.method == POINTS:
            return standings_of(matches, season.method, circle.name_of)
        return await asyncio.to_thread(standings_of, matches, season.method, circle.name_of)

    async def _outcomes(self, circle_id: str, since: int, until: int) -> list[CircleOutcome]:
        return await self._store.rows(kept.OUTCOMES, circle=circle_id, since=since, until=until, most=MOST_ROWS)

    async def _day(self, circle_id: str, circle: Circle, person: str) -> CircleDay | None:
        try:
            game = find_game(circle.daily)
        except UnknownGame:  # none was chosen, or it is not installed any more
            return None
        daily = Daily(self._tables)
        deal = daily.deal(game, today(), circle_id)
        standing = await daily.standing(deal, person)
        lines = (
            await daily.lines(deal, {one.person: one.name for one in circle.members}) if standing.has_finished else []
        )
        return CircleDay(deal, standing, lines)

    async def play_day(self, circle_id: str, member: CircleMember, game: Game) -> str:
        return await Daily(self._tables).play(game, member.person, member.name, circle_id)

    # Inside

    async def _check_room(self, person: str) -> None:
        if len(await self._store.rows(kept.OF_PERSON, person=person)) >= MOST_CIRCLES:
            raise problems.TooManyCircles(most=MOST_CIRCLES)

    async def _naming(self, person: str) -> list[str]:
        return await self._store.rows(series.NAMING, kind=series.CIRCLE, pattern=f'%"{person}"%')

    async def _leave_tables(self, circle_id: str, member: CircleMember) -> None:
        for line in await self._store.rows(kept.HELD, circle=circle_id, person=member.person):
            with suppress(problems.NoSuchTable, problems.Cancelled, problems.Closed):
                if line.status == "over":
                    await self._tables.leave_after_end(line.id, member.person)
                else:
                    await self._tables.by_owner(line.id, lambda table: _leaving(table, member.person))
        for evening in await self._store.rows(kept.EVENINGS, circle=circle_id, most=MOST_TOLD):
            without = partial(Club.without, person=member.person, nobody=f"nobody-{secrets.token_hex(8)}")
            await Clubs(self._tables).change(evening.id, without)
        await self._store.do(kept.forget_presence, circle_id, member.number)

    async def _delete(self, circle_id: str) -> None:
        """First nobody can come any more; then its games that go on are closed."""
        going_on = await self._store.rows(kept.ALL, circle=circle_id)
        await self._store.do(kept.delete_circle, circle_id)
        for line in going_on:
            with suppress(problems.NoSuchTable, problems.Cancelled, problems.Closed):
                await self._tables.by_owner(line.id, Table.close)

    async def _load(self, circle_id: str) -> tuple[Circle, int]:
        row = await self._store.first(kept.DATA, circle=circle_id) if can_be_id(circle_id) else None
        if row is None:
            raise problems.NoSuchPage
        return _decode(row.data), row.version

    def _fingerprint(self, key: str) -> str:
        return hmac.new(self._tables.secret, f"circle link:{key}".encode(), hashlib.sha256).hexdigest()


class _Named(msgspec.Struct):
    name: str


def _leaving(table: Table, person: str) -> list[AnyEntry]:
    """A chair is free again, or a bot plays on in it."""
    seat = table.seat_of(person)
    if seat is not None and table.status == "waiting":
        return table.leave(seat)
    return table.move_out(person)


def played_of(rows: Sequence[CircleOutcome]) -> list[CirclePlayed]:
    """The newest first."""
    tables: dict[str, list[CircleOutcome]] = {}
    for row in rows:
        tables.setdefault(row.table_id, []).append(row)
    return [
        CirclePlayed(
            table_id, seats[0].game, seats[0].ended, sorted((row.place, row.name) for row in seats), seats[0].is_kept
        )
        for table_id, seats in tables.items()
    ]


def read_phrases(text: str) -> list[str]:
    """One on each line."""
    phrases = [" ".join(line.split()) for line in text[:4000].splitlines() if line.strip()]
    if len(phrases) > MOST_PHRASES or any(
        len(one) > LONGEST_PHRASE or not one.isprintable() or not can_be_seen(one) for one in phrases
    ):
        raise problems.BadPhrases(most=MOST_PHRASES, letters=LONGEST_PHRASE)
    return list(dict.fromkeys(phrases))


def _encode(circle: Circle) -> str:
    return msgspec.json.encode(circle).decode()


def _decode(data: str) -> Circle:
    return msgspec.json.decode(data, type=Circle)
