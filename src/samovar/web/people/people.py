"""People as they want to be known, without an account: whoever has sat down is a person, and may
keep a name and wishes that go with them to other devices."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, text

from samovar.web import problems
from samovar.web.recent import Recent
from samovar.web.store.chores import LOCKS
from samovar.web.store.store import Store

MARKS = (
    problems.N_("samovar"),
    problems.N_("cup"),
    problems.N_("doll"),
    problems.N_("house"),
    problems.N_("spruce"),
    problems.N_("leaf"),
    problems.N_("berries"),
    problems.N_("fish"),
    problems.N_("moon"),
    problems.N_("star"),
)
COLOURS = (
    problems.N_("berry red"),
    problems.N_("honey"),
    problems.N_("leaf green"),
    problems.N_("sky blue"),
    problems.N_("plum"),
    problems.N_("ink"),
)
PACES = ("1600", "800", "250")  # milliseconds that a look stays at least

KEPT_PEOPLE = 4096
KEPT_SECONDS = 300.0
FRESH_SECONDS = 5.0  # where other processes write, too
NONCE_LETTERS = 16
KEY = re.compile(f"[0-9a-f]{{{NONCE_LETTERS + 40}}}")

RECALL = "SELECT profile, nonce, cuts FROM people WHERE person = :person"
KEEP = text(
    "INSERT INTO people (person, nonce, profile, changed) VALUES (:person, :nonce, :profile, :changed) "
    "ON CONFLICT (person) DO UPDATE SET profile = excluded.profile, changed = excluded.changed"
)
WHOSE = text("SELECT person FROM people WHERE nonce = :nonce")
RENEW = text("UPDATE people SET nonce = :new WHERE person = :person AND nonce = :nonce")
CUT_OFF = text("UPDATE people SET nonce = :new, cuts = cuts + 1 WHERE person = :person")
FORGET = (
    "DELETE FROM calls WHERE way IN (SELECT id FROM ways WHERE person = :person)",
    "DELETE FROM ways WHERE person = :person",
    "DELETE FROM holders WHERE person = :person",
    "DELETE FROM solved WHERE person = :person",
    "UPDATE results SET person = '', name = :name WHERE person = :person",
    "UPDATE series SET host = '' WHERE host = :person",
    "DELETE FROM people WHERE person = :person",
)


FORGET_PRESENCE = text("DELETE FROM presence WHERE table_id = :table_id AND seat = :seat")


class Wishes(msgspec.Struct, frozen=True, omit_defaults=True):
    """When somebody who is away wants to be called."""

    quiet_from: int = 22  # o'clock, where they are
    quiet_until: int = 7  # the same as `quiet_from`: at any time
    zone: str = "UTC"  # where they are, as the browser says it: `Europe/Paris`
    minutes: int = 10  # at least, between two messages; what comes in between is told in one


class Profile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A field that comes later has a default."""

    name: str = ""
    mark: str = ""  # one of MARKS
    colour: str = ""  # one of COLOURS
    language: str = ""  # empty: the one that the browser wants
    pace: str = ""  # of what the others do, one of PACES; empty: as this browser has it
    sound: bool = False
    is_rated: bool = False  # joined the table of the site's players
    wishes: Wishes = Wishes()


class Known(NamedTuple):
    """What is known of a person."""

    profile: Profile
    nonce: str  # makes the key of their link; empty: they have no page of their own
    cuts: int  # how often they have cut off their other devices; a cookie says how often it was then


UNKNOWN = Known(Profile(), "", 0)


class People:
    """Those who come often are kept in memory: every request asks who it is."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._recent: Recent[str, tuple[float, Known]] = Recent(KEPT_PEOPLE, KEPT_SECONDS)
        self._writes = 0  # begun and ended: what was read across one of these may be old

    async def known(self, person: str) -> Known:
        """An empty profile of those who have said nothing."""
        kept = self._recent.get(person)
        began, writes = time.monotonic(), self._writes
        if kept is not None and (self._store.exclusive or began - kept[0] < FRESH_SECONDS):
            return kept[1]
        rows = await self._store.all(text(RECALL), person=person)
        known = Known(_read(rows[0].profile), rows[0].nonce, rows[0].cuts) if rows else UNKNOWN
        if writes == self._writes:
            self._recent.put(person, (began, known))
        return known

    async def profile(self, person: str) -> Profile:
        return (await self.known(person)).profile

    async def keep(self, person: str, profile: Profile) -> None:
        await self._write(_keep, person, profile)

    async def change(self, person: str, **changes: Any) -> Profile:
        """The profile with these changes, and all else as it was."""
        profile: Profile = await self._write(_change, person, changes)
        return profile

    async def with_key(self, key: str, secret: bytes) -> str:
        """Whose personal link has this key."""
        nonce = nonce_of(key)
        for row in await self._store.all(WHOSE, nonce=nonce) if KEY.fullmatch(key) else ():
            if hmac.compare_digest(key, link_key(row.person, nonce, secret)):
                return str(row.person)
        raise problems.LinkSpent

    async def spend(self, person: str, nonce: str) -> None:
        """Their link with this nonce is of no use any more, and another one is; of two who use it at
        the same time one is too late."""
        if not await self._write(_renew, person, nonce):
            raise problems.LinkSpent

    async def cut_off(self, person: str) -> Known:
        """All devices that are not told by the caller, and the link."""
        await self._write(_cut_off, person)
        return await self.known(person)

    async def forget(self, person: str, name: str, seats: Iterable[tuple[str, int]]) -> None:
        """All that is kept of a person beside the logs of these tables, where they had these seats;
        where they have played somebody is left, who is called by this name."""
        await self._write(_forget, person, name, sorted(seats))

    async def _write(self, chore: Callable[..., Any], person: str, *values: Any) -> Any:
        self._writes += 1
        try:
            return await self._store.do(chore, person, *values)
        finally:
            self._writes += 1
            self._recent.pop(person)


def link_key(person: str, nonce: str, secret: bytes) -> str:
    """The key of a personal link. Only the site can make it, and nothing can be read from it."""
    return nonce + hmac.new(secret, f"person:{person}:{nonce}".encode(), hashlib.sha256).hexdigest()[:40]


def nonce_of(key: str) -> str:
    """The part of a link's key by which it is looked up."""
    return key[:NONCE_LETTERS]


def _read(profile: str) -> Profile:
    return msgspec.json.decode(profile, type=Profile)


def _keep(connection: Connection, person: str, profile: Profile) -> Profile:
    now = time.time_ns() // 1_000_000
    written = msgspec.json.encode(profile).decode()
    connection.execute(KEEP, {"person": person, "nonce": _nonce(), "profile": written, "changed": now})
    return profile


def _change(connection: Connection, person: str, changes: dict[str, Any]) -> Profile:
    lock = LOCKS[connection.dialect.name]["wait"]
    row = connection.execute(text(RECALL + lock), {"person": person}).first()
    profile = _read(row.profile) if row else Profile()
    return _keep(connection, person, msgspec.structs.replace(profile, **changes))


def _renew(connection: Connection, person: str, nonce: str) -> bool:
    return connection.execute(RENEW, {"person": person, "nonce": nonce, "new": _nonce()}).rowcount == 1


def _cut_off(connection: Connection, person: str) -> None:
    connection.execute(CUT_OFF, {"person": person, "new": _nonce()})


def _forget(connection: Connection, person: str, name: str, seats: list[tuple[str, int]]) -> None:
    for table, seat in seats:
        connection.execute(FORGET_PRESENCE, {"table_id": table, "seat": seat})
    for statement in FORGET:
        connection.execute(text(statement), {"person": person, "name": name})


def _nonce() -> str:
    return secrets.token_hex(NONCE_LETTERS // 2)
