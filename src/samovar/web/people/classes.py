"""Classes: a teacher, a list of names, and tables that nobody else sees.

A teacher writes down the names of the pupils and shows one code, or prints a link for each. Pupils choose their
names; the teacher seats those who are here, watches all tables, pauses them, moves pupils, and ends the lesson.

Pupils have no accounts. While a lesson is on, who has chosen a name is a pupil in the list of those who may come in
(`members.py`), and sees this class and nothing else of the site (`server/entry.py`). When it ends their tables are
closed and they are strangers again; the names stay for the next lesson, until the teacher deletes the class.

As with clubs, nothing lives in memory: a class is a row of the database, changed by whoever knows its version.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import msgspec

from samovar.engine.contract import Game
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.web import problems
from samovar.web.names import check_name, same_name, unused_name
from samovar.web.people.members import Members
from samovar.web.people.tours import Tours
from samovar.web.store.entries import AnyEntry, Settings, Within
from samovar.web.store.queries import classes as kept
from samovar.web.store.queries import series
from samovar.web.store.queries.classes import ClassTable
from samovar.web.store.store import can_be_id, new_id
from samovar.web.tables.chairs import Chair
from samovar.web.tables.series import now
from samovar.web.tables.table import Table, check_level
from samovar.web.tables.tables import Tables

LEAST_PUPILS, MOST_PUPILS = 2, 64
MOST_A_DAY = 10  # that one person may make
DAY_MS = 24 * 3600 * 1000
PARTED = re.compile(r"[\n\r,;\t]+")


class Pupil(msgspec.Struct, frozen=True):
    name: str
    person: str = ""  # who has chosen this name; empty: nobody yet
    may_return: bool = False  # on another device, or without the cookie: the teacher has said so


class SchoolClass(msgspec.Struct, frozen=True):
    """A field that comes later has a default."""

    name: str
    host: str  # the teacher
    pupils: list[Pupil] = []
    is_on: bool = True  # a lesson: pupils can come
    is_paused: bool = False

    def named(self, name: str) -> Pupil | None:
        return next((pupil for pupil in self.pupils if pupil.name == name), None)

    def pupil(self, person: str | None) -> Pupil | None:
        return next((pupil for pupil in self.pupils if person and pupil.person == person), None)

    def check_teacher(self, person: str | None) -> None:
        """To everybody else there is no such page."""
        if not person or person != self.host:
            raise problems.NoSuchPage

    def choose(self, name: str, person: str, *, is_proven: bool) -> SchoolClass:
        """Somebody says who they are. By a link of their own (`is_proven`), or once the teacher has said so, they are
        believed, whoever has the name now."""
        pupil = self.named(name)
        if pupil is None or not self.is_on:
            raise problems.NoSuchClass
        if pupil.person and pupil.person != person and not (is_proven or pupil.may_return):
            raise problems.NameTaken
        free = self.without(person)
        return free.with_pupil(name, person)

    def without(self, person: str) -> SchoolClass:
        """Nobody has the name that somebody has chosen."""
        pupils = [Pupil(pupil.name) if pupil.person == person else pupil for pupil in self.pupils]
        return msgspec.structs.replace(self, pupils=pupils)

    def with_pupil(self, name: str, person: str) -> SchoolClass:
        pupils = [Pupil(name, person) if pupil.name == name else pupil for pupil in self.pupils]
        return msgspec.structs.replace(self, pupils=pupils)

    def expecting(self, name: str) -> SchoolClass:
        pupils = [Pupil(one.name, one.person, may_return=True) if one.name == name else one for one in self.pupils]
        return msgspec.structs.replace(self, pupils=pupils)

    def with_names(self, text: str) -> SchoolClass:
        """Another list; who has chosen a name that is still there keeps it."""
        pupils = [self.named(name) or Pupil(name) for name in read_names(text)]
        return msgspec.structs.replace(self, pupils=pupils)

    def ended(self) -> SchoolClass:
        pupils = [Pupil(pupil.name) for pupil in self.pupils]
        return msgspec.structs.replace(self, pupils=pupils, is_on=False, is_paused=False)


def read_names(text: str) -> list[str]:
    """One on each line, or with commas between them; the second Anna is Anna 2."""
    names: list[str] = []
    for part in PARTED.split(text[:10_000]):
        if part.strip():
            if len(names) == MOST_PUPILS:
                raise problems.NoNames(most=MOST_PUPILS)
            names.append(_unused(check_name(part), names))
    if len(names) < LEAST_PUPILS:
        raise problems.NoNames(most=MOST_PUPILS)
    return names


def _unused(name: str, taken: list[str]) -> str:
    tries = (name, *(f"{name[:21].strip()} {number}" for number in range(2, MOST_PUPILS + 2)))
    return next(one for one in tries if not any(same_name(one, other) for other in taken))


class SchoolLesson(NamedTuple):
    """A class as it stands."""

    group: SchoolClass
    tables: list[ClassTable]
    at: dict[str, str]  # the table where a person plays, or has played last
    playing: frozenset[str]  # the tables that go on

    @property
    def waiting(self) -> list[Pupil]:
        """Those who are here and play nowhere."""
        return [pupil for pupil in self.group.pupils if pupil.person and self.table_of(pupil) is None]

    def table_of(self, pupil: Pupil) -> str | None:
        """Where they play now."""
        table = self.at.get(pupil.person)
        return table if table in self.playing else None


class Classes:
    def __init__(self, tables: Tables, members: Members) -> None:
        self._tables, self._members, self._store = tables, members, tables.store

    async def make(self, host: str, name: str, names: str) -> str:
        """A new class, with its first lesson; its id."""
        if (await self._store.rows(series.MADE, host=host, since=now() - DAY_MS))[0] >= MOST_A_DAY:
            raise problems.TooManyClubs(most=MOST_A_DAY)
        group = SchoolClass(check_name(name), host).with_names(names)
        class_id = new_id()
        await self._store.do(kept.make, class_id, host, _encode(group), now())
        return class_id

    async def of_teacher(self, person: str) -> list[tuple[str, str]]:
        """The ids and names of somebody's classes."""
        rows = await self._store.rows(kept.OF_HOST, host=person)
        return [(row.id, _decode(row.data).name) for row in rows] if person else []

    async def is_open(self, class_id: str) -> bool:
        """Whether a lesson is on."""
        with suppress(problems.NoSuchClass):
            return (await self.find(class_id)).is_on
        return False

    async def find(self, class_id: str) -> SchoolClass:
        return (await self._load(class_id))[0]

    async def lesson(self, class_id: str) -> SchoolLesson:
        group = await self.find(class_id)
        tables = await self._store.rows(kept.TABLES, series=class_id)
        at = dict(await self._store.rows(kept.SEATED, series=class_id))  # a later table comes later
        playing = frozenset(table.id for table in tables if table.status == "playing")
        return SchoolLesson(group, tables, at, playing)

    async def change(self, class_id: str, action: Callable[[SchoolClass], SchoolClass]) -> SchoolClass:
        """Of several who change a class at once, each changes what the one before has left."""
        while True:
            group, version = await self._load(class_id)
            changed = action(group)
            facts = _encode(changed), changed.is_on
            if changed == group or await self._store.do(kept.change, class_id, version, *facts):
                return changed

    # Pupils

    async def come(self, class_id: str, name: str, person: str, *, is_proven: bool = False) -> None:
        """Somebody is this pupil from now on, on this device; with the chair of the device before."""
        before = (await self.find(class_id)).named(name)
        await self.change(class_id, lambda group: group.choose(name, person, is_proven=is_proven))
        await self._members.enrol(person, class_id)
        if before and before.person and before.person != person:
            await self._hand_on(class_id, before.person, person)

    async def free(self, class_id: str, name: str) -> None:
        """The name can be chosen again; a bot plays for whoever had it."""
        pupil = (await self.find(class_id)).named(name)
        if pupil is None or not pupil.person:
            return
        await self.change(class_id, lambda group: group.without(pupil.person))
        await self._leave(class_id, pupil)
        await self._members.dismiss(class_id, pupil.person)

    async def expect(self, class_id: str, name: str) -> None:
        """Whoever next chooses this name has its chair, too."""
        await self.change(class_id, lambda group: group.expecting(name))

    async def rename(self, class_id: str, names: str) -> None:
        """Another list of names."""
        before = await self.find(class_id)
        after = await self.change(class_id, lambda group: group.with_names(names))
        for pupil in before.pupils:
            if pupil.person and after.pupil(pupil.person) is None:
                await self._leave(class_id, pupil)
                await self._members.dismiss(class_id, pupil.person)

    def key(self, class_id: str, name: str) -> str:
        """Of a pupil's own link. It is kept nowhere."""
        message = f"pupil:{class_id}:{name}".encode()
        return hmac.new(self._tables.secret, message, hashlib.sha256).hexdigest()[:40]

    async def with_key(self, class_id: str, key: str) -> str:
        """The name of the pupil whose link this is."""
        for pupil in (await self.find(class_id)).pupils:
            if hmac.compare_digest(key.encode(), self.key(class_id, pupil.name).encode()):
                return pupil.name
        raise problems.NoSuchClass

    # What the teacher does

    async def seat(self, class_id: str, game: Game, seats: int, settings: Settings) -> None:
        """All who wait, in the order of the list, at tables of so many; bots take the chairs that are left."""
        lesson = await self.lesson(class_id)
        waiting = lesson.waiting
        if not waiting:
            raise problems.NobodyToSeat
        tables = -(-len(waiting) // game.check_seats(seats))
        for number in range(tables):
            begin, end = (len(waiting) * one // tables for one in (number, number + 1))
            await self._open(class_id, lesson.group, game.id, seats, settings, waiting[begin:end])

    async def move(self, class_id: str, name: str, table_id: str) -> None:
        """A pupil plays at another table from now on, in the chair of a bot; a bot goes on in theirs. Without a table
        they get one of their own."""
        lesson = await self.lesson(class_id)
        pupil = lesson.group.named(name)
        known = {table.id: table for table in lesson.tables}
        if pupil is None or not pupil.person or (table_id and table_id not in lesson.playing):
            raise problems.MovedOn
        before = lesson.table_of(pupil)
        if table_id == before:
            return
        if table_id:
            key_salt = secrets.token_hex(8)

            def move_in(table: Table) -> list[AnyEntry]:
                free = [chair.seat for chair in table.chairs if chair.kind == "bot"]
                if not free:
                    raise problems.TableFull
                return table.move_in(free[0], pupil.person, pupil.name, key_salt)

            await self._tables.by_owner(table_id, move_in)
        else:
            like = known.get(before or "") or next(iter(lesson.tables), None)
            if like is None:
                raise problems.MovedOn
            old = await self._tables.look(like.id)
            await self._open(class_id, lesson.group, old.game.id, old.seats, old.settings, [pupil])
        if before:
            await self._tables.by_owner(before, lambda table: table.move_out(pupil.person))

    async def pause(self, class_id: str, is_on: bool) -> None:
        """Everybody, or nobody any more. First it is written down: a table that begins meanwhile is paused, too."""
        await self.change(class_id, lambda group: msgspec.structs.replace(group, is_paused=is_on))
        for table in (await self.lesson(class_id)).playing:
            with suppress(problems.NoSuchTable):
                await self._tables.by_owner(table, lambda table: table.pause(is_on))

    async def end(self, class_id: str) -> None:
        """The lesson: all its tables are closed, and its pupils are strangers again."""
        await self.change(class_id, SchoolClass.ended)
        for line in await self._store.rows(kept.TABLES, series=class_id):
            with suppress(problems.NoSuchTable):
                await self._tables.by_owner(line.id, Table.close)
        await Tours(self._tables).end_of_class(class_id)
        await self._members.dismiss(class_id)

    async def begin(self, class_id: str) -> None:
        """Another lesson with the same names."""
        await self.change(class_id, lambda group: msgspec.structs.replace(group, is_on=True))

    async def delete(self, class_id: str) -> None:
        await self.end(class_id)
        await self._store.do(kept.delete_class, class_id)

    async def delete_all_of(self, person: str) -> None:
        """Of a teacher who wants to be forgotten."""
        for class_id, _ in await self.of_teacher(person):
            await self.delete(class_id)

    # Inside

    async def _open(
        self, class_id: str, group: SchoolClass, game: str, seats: int, settings: Settings, pupils: list[Pupil]
    ) -> None:
        bots = [""] * len(pupils) + [check_level(settings.stand_in)] * (seats - len(pupils))
        people = [Chair(seat, unused_name(pupil.name, ()), {pupil.person: now()}) for seat, pupil in enumerate(pupils)]
        table = await self._tables.open(game, seats, {}, settings, bots, people=people, within=Within(class_id))
        if (await self.find(class_id)).is_paused:
            await self._tables.by_owner(table.id, lambda table: table.pause(True))

    async def _leave(self, class_id: str, pupil: Pupil) -> None:
        """A bot plays for somebody who is no pupil any more, or is one elsewhere."""
        table_id = (await self.lesson(class_id)).table_of(pupil)
        if table_id:
            await self._tables.by_owner(table_id, lambda table: table.move_out(pupil.person))

    async def _hand_on(self, class_id: str, before: str, person: str) -> None:
        """The chairs of a device are another one's."""
        await self._members.dismiss(class_id, before)
        for table_id in {table for who, table in (await self.lesson(class_id)).at.items() if who == before}:
            with suppress(problems.NoSuchTable):
                await self._tables.by_owner(table_id, lambda table: table.take_along(before, person))

    async def _load(self, class_id: str) -> tuple[SchoolClass, int]:
        row = await self._store.first(kept.DATA, series=class_id) if can_be_id(class_id) else None
        if row is None:
            raise problems.NoSuchClass
        return _decode(row.data), row.version


USUAL_LEVEL = LEVEL_NAMES[0]  # of bots: children of ten want to win


def _decode(data: str) -> SchoolClass:
    return msgspec.json.decode(data, type=SchoolClass)


def _encode(group: SchoolClass) -> str:
    return msgspec.json.encode(group).decode()
