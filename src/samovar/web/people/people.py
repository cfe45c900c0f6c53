"""People as they want to be known, without an account: whoever has sat down is a person, and may
keep a name and wishes that go with them to other devices."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Coroutine, Iterable
from typing import Any, NamedTuple, TypeVar

import msgspec

from samovar.web import problems
from samovar.web.recent import Recent
from samovar.web.store.queries import people
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
T = TypeVar("T")

ALWAYS, NEVER = "always", "never"
SECOND_LOOKS = (ALWAYS, NEVER)  # none of them: on a phone, by post
PACES = ("1600", "800", "250")  # milliseconds that a look stays at least

KEPT_PEOPLE = 4096
KEPT_SECONDS = 300.0
FRESH_SECONDS = 5.0  # where other processes write, too
NONCE_LETTERS = 16
KEY = re.compile(f"[0-9a-f]{{{NONCE_LETTERS + 40}}}")


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
    second_look: str = ""  # before a move that shows something: one of SECOND_LOOKS
    is_rated: bool = False  # joined the table of the site's players
    wishes: Wishes = Wishes()


class Known(NamedTuple):
    """What is known of a person."""

    profile: Profile
    key_salt: str  # makes the key of their link; empty: they have no page of their own
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
        row = await self._store.first(people.RECALL, person=person)
        known = Known(_read(row.profile), row.key_salt, row.cuts) if row else UNKNOWN
        if writes == self._writes:
            self._recent.put(person, (began, known))
        return known

    async def profile(self, person: str) -> Profile:
        return (await self.known(person)).profile

    async def keep(self, person: str, profile: Profile) -> None:
        await self._write(person, self._store.do(people.keep, person, _new_key_salt(), _written(profile), _now()))

    async def change(self, person: str, **changes: Any) -> Profile:
        """The profile with these changes, and all else as it was."""

        def changed(written: str | None) -> str:
            return _written(msgspec.structs.replace(_read(written) if written else Profile(), **changes))

        return _read(await self._write(person, self._store.do(people.change, person, _new_key_salt(), changed, _now())))

    async def with_key(self, key: str, secret: bytes) -> str:
        """Whose personal link has this key."""
        key_salt = key_salt_of(key)
        for person in await self._store.rows(people.WITH_KEY_SALT, key_salt=key_salt) if KEY.fullmatch(key) else ():
            if hmac.compare_digest(key, link_key(person, key_salt, secret)):
                return person
        raise problems.LinkSpent

    async def spend(self, person: str, key_salt: str) -> None:
        """Their link with this salt is of no use any more, and another one is; of two who use it at
        the same time one is too late."""
        if not await self._write(person, self._store.do(people.renew, person, key_salt, _new_key_salt())):
            raise problems.LinkSpent

    async def cut_off(self, person: str) -> Known:
        """All devices that are not told by the caller, and the link."""
        await self._write(person, self._store.do(people.cut_off, person, _new_key_salt()))
        return await self.known(person)

    async def forget(self, person: str, name: str, seats: Iterable[tuple[str, int]]) -> None:
        """All that is kept of a person beside the logs of these tables, where they had these seats;
        where they have played somebody is left, who is called by this name."""
        await self._write(person, self._store.do(people.forget, person, name, sorted(seats)))

    async def _write(self, person: str, writing: Coroutine[object, object, T]) -> T:
        self._writes += 1
        try:
            return await writing
        finally:
            self._writes += 1
            self._recent.pop(person)


def link_key(person: str, key_salt: str, secret: bytes) -> str:
    """The key of a personal link. Only the site can make it, and nothing can be read from it."""
    return key_salt + hmac.new(secret, f"person:{person}:{key_salt}".encode(), hashlib.sha256).hexdigest()[:40]


def key_salt_of(key: str) -> str:
    """The part of a link's key by which it is looked up."""
    return key[:NONCE_LETTERS]


def _read(profile: str) -> Profile:
    return msgspec.json.decode(profile, type=Profile)


def _written(profile: Profile) -> str:
    return msgspec.json.encode(profile).decode()


def _now() -> int:
    return time.time_ns() // 1_000_000


def _new_key_salt() -> str:
    return secrets.token_hex(NONCE_LETTERS // 2)
