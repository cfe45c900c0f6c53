"""What owners of a site can do, and what is told to everybody in their name."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import platform
import secrets
import shutil
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from samovar.engine.installed import own_version
from samovar.engine.registry import find_game, game_ids
from samovar.errors import SamovarError, StoreError
from samovar.web import problems
from samovar.web.names import check_name
from samovar.web.people import own_data
from samovar.web.people.classes import Classes
from samovar.web.people.members import Members, now_ms
from samovar.web.people.people import People
from samovar.web.problems import N_
from samovar.web.store.database import VERSION
from samovar.web.store.queries import members as kept
from samovar.web.store.queries import owning
from samovar.web.store.queries.members import InvitationRow
from samovar.web.store.queries.owning import OwnerAction, SiteCounts, TableLine
from samovar.web.tables.table import Table
from samovar.web.tables.tables import Tables

LOOK_SECONDS = 5.0  # until a process hears of an announcement, or of an order from the machine
MOST_TABLES, MOST_ACTIONS, MOST_ERRORS = 50, 50, 20
LONGEST_ANNOUNCEMENT = 300
MOST_DAYS_KEPT = 36_500


log = logging.getLogger("samovar.web")

# How the log tells what was done.
CLOSED, HIDDEN, RENAMED = N_("closed a table"), N_("hid a remark"), N_("took a name away")
BLOCKED, ADMITTED, ERASED = N_("blocked somebody"), N_("let somebody in again"), N_("erased somebody")
INVITED, WITHDRAWN, ANNOUNCED = N_("invited"), N_("withdrew an invitation"), N_("announced")
RETAINED = N_("keeps finished games for so many days")
AT_THE_MACHINE = "samovar admin"  # who did it, where no owner has a name


class OwnerOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that an owner wants done: on a page, or at the machine."""

    do: str
    table: str = ""
    number: int = 0  # of a remark, of a chair, of days
    member: str = ""  # a reference
    text: str = ""


class MemberLine(NamedTuple):
    ref: str
    name: str
    role: str
    since: int
    is_blocked: bool


class Overview(NamedTuple):
    """What an owner sees of the site."""

    versions: dict[str, str]
    retention: int
    messages: int  # that wait to be sent
    tally: SiteCounts
    disk_mb: int | None  # of a database in a file
    free_mb: int | None
    members: list[MemberLine]
    invitations: list[InvitationRow]
    tables: list[TableLine]
    actions: list[OwnerAction]
    errors: list[str]


class Errors(logging.Handler):
    """The last ones of this process, for its owner's eyes."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: deque[str] = deque(maxlen=MOST_ERRORS)
        self.setFormatter(logging.Formatter("%(asctime)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record).partition("\n")[0])


class Owning:
    def __init__(self, tables: Tables, members: Members, people: People, database: str) -> None:
        self._tables, self._members, self._people = tables, members, people
        self._store, self._secret = tables.store, tables.secret
        self._file = Path(database.removeprefix("sqlite:///")) if database.startswith("sqlite") else None
        self.announcement = ""
        self._errors = Errors()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        logging.getLogger("samovar.web").addHandler(self._errors)
        await self._read()
        self._task = asyncio.create_task(self._go_on())

    async def close(self) -> None:
        logging.getLogger("samovar.web").removeHandler(self._errors)
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def carry_out(self, who: str, order: OwnerOrder, tell: Callable[[str], str] = str, own: str = "") -> None:
        """What an owner wants. `tell` says it in their language; `own`: what nobody does to themselves."""
        action, about = await self._done(order, tell, own)
        await self.note(who, action, about)

    async def _done(self, order: OwnerOrder, tell: Callable[[str], str], own: str) -> tuple[str, str]:
        """How the log tells it."""
        tables = self._tables
        match order.do:
            case "announce":
                text = " ".join(order.text.split())[:LONGEST_ANNOUNCEMENT]
                await self._store.do(owning.announce, text)
                await self._read()
                return ANNOUNCED, text
            case "keep":
                if not 0 <= order.number <= MOST_DAYS_KEPT:
                    raise problems.BadChoice(name=N_("days"), value=str(order.number))
                await self._store.do(owning.retain, order.number)
                return RETAINED, str(order.number)
            case "close":
                await tables.by_owner(order.table, Table.close)
                return CLOSED, order.table
            case "hide":
                await tables.by_owner(order.table, lambda table: table.hide(order.number))
                return HIDDEN, order.table
            case "name":
                name = check_name(tell(N_("Player %(number)s")) % {"number": order.number + 1})
                await tables.by_owner(order.table, lambda table: table.take_name(order.number, name))
                return RENAMED, order.table
            case "block" | "admit" | "erase":
                return await self._change_people(order, tell, own)
        raise problems.Problem

    async def _change_people(self, order: OwnerOrder, tell: Callable[[str], str], own: str) -> tuple[str, str]:
        """A member, or whoever sits on a chair, with all their devices."""
        persons = await self._persons(order)
        if not persons or own in persons:
            raise problems.MovedOn
        name = (await self._people.profile(persons[0])).name or order.table
        for person in persons:
            if order.do == "erase":
                await Classes(self._tables, self._members).delete_all_of(person)
                await own_data.delete(self._tables, self._people, person, tell(N_("Somebody")))
                self._members.forget(person)
            else:
                await self._members.block(person, order.do == "block")
        return {"block": (BLOCKED, name), "admit": (ADMITTED, name), "erase": (ERASED, "")}[order.do]

    async def _persons(self, order: OwnerOrder) -> list[str]:
        if order.table:
            table = await self._tables.look(order.table)
            return list(table.chairs[order.number].persons) if 0 <= order.number < table.seats else []
        person = await self.person_of(order.member)
        return [person] if person else []

    async def retention(self) -> int:
        """For how many days finished tables are kept; 0: for ever."""
        return await self._store.first(owning.KEEPS) or 0

    async def note(self, who: str, action: str, about: str) -> None:
        """Every owner can read what the others did."""
        now = now_ms()
        await self._store.do(owning.note, f"{now:015d}-{secrets.token_hex(4)}", now, who, action, about)

    async def overview(self) -> Overview:
        tally = await self._store.first(owning.TALLY)
        return Overview(
            versions(),
            await self.retention(),
            await self._store.first(owning.MESSAGES) or 0,
            tally or SiteCounts(0, 0, 0, 0),
            round(self._file.stat().st_size / 2**20) if self._file else None,
            shutil.disk_usage(self._file.parent).free >> 20 if self._file else None,
            await self._lines(),
            await self._store.rows(kept.INVITATIONS, now=now_ms()),
            await self._store.rows(owning.LATEST, most=MOST_TABLES),
            await self._store.rows(owning.ACTIONS, most=MOST_ACTIONS),
            list(self._errors.lines),
        )

    async def person_of(self, ref: str) -> str:
        """The member who is meant; empty: nobody."""
        rows = await self._store.rows(kept.ALL)
        return next((row.person for row in rows if hmac.compare_digest(self.ref(row.person), ref)), "")

    def ref(self, person: str) -> str:
        """By which a page names a member: what a cookie holds is on no page."""
        return ref_of(person, self._secret)

    async def _lines(self) -> list[MemberLine]:
        names = dict(await self._store.rows(owning.NAMES))
        lines = []
        for row in await self._store.rows(kept.ALL):
            name = (await self._people.profile(row.person)).name or names.get(row.person, "")
            lines.append(MemberLine(self.ref(row.person), name, row.role, row.since, row.is_blocked))
        return lines

    async def _read(self) -> None:
        with suppress(StoreError):  # then it is read the next time
            self.announcement = await self._store.first(owning.SAID) or ""

    async def _go_on(self) -> None:
        while True:
            with suppress(StoreError):
                await self.obey()
            await asyncio.sleep(LOOK_SECONDS)
            if not self._store.exclusive:
                await self._read()

    async def obey(self) -> None:
        """What somebody at the machine has asked for with `samovar admin`. What cannot be done is told in the log."""
        for name, data in await self._store.rows(owning.ORDERS):
            if await self._store.do(owning.take_order, name):
                try:
                    await self.carry_out(AT_THE_MACHINE, msgspec.json.decode(data, type=OwnerOrder))
                except (SamovarError, msgspec.MsgspecError) as error:
                    log.error("what `samovar admin` asked for cannot be done: %s", error)


def ref_of(person: str, secret: bytes) -> str:
    return hmac.new(secret, f"member:{person}".encode(), hashlib.sha256).hexdigest()[:20]


def versions() -> dict[str, str]:
    """Of everything that can be another one after an upgrade."""
    games = {find_game(game).name: str(find_game(game).version) for game in game_ids()}
    return {"Samovar": own_version(), "Python": platform.python_version(), N_("Database"): VERSION, **games}
