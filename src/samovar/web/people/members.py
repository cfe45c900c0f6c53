"""Who may come in, where not everybody may: owners, members, those with a link that invites them, and the pupils of a
class, who see nothing else. Who is blocked comes in nowhere."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable
from typing import TypeVar

from samovar.web import problems
from samovar.web.people.people import People
from samovar.web.recent import Recent
from samovar.web.store.queries import members
from samovar.web.store.queries.members import MEMBER, OWNER, PUPIL, InvitationRow, MemberRow
from samovar.web.store.store import Store

Written = TypeVar("Written")

KEPT = 4096
KEPT_SECONDS = 300.0
FRESH_SECONDS = 5.0  # where other processes write, too
DAY_MS = 24 * 3600 * 1000
DAYS = 7  # that an invitation is good for
MOST_DAYS, MOST_USES = 365, 500
PROGRAM_KEY = re.compile(r"[0-9a-z-]{1,64}\.[0-9a-f]{40}")
KEY = re.compile("[A-Za-z0-9_-]{22}")


class Members:
    """Those who come often are kept in memory: every request asks."""

    def __init__(self, store: Store, secret: bytes) -> None:
        self._store, self._secret = store, secret
        self._recent: Recent[str, tuple[float, MemberRow | None]] = Recent(KEPT, KEPT_SECONDS)
        self._writes = 0
        self._bound: tuple[float, bool] | None = None

    async def begin(self) -> str:
        """The key of the link by which the first owner comes in; empty: there is one already."""
        if not await self._store.do(members.begin, now_ms()):
            return ""
        return await self.invite("", OWNER, days=DAYS, uses=1)

    async def role(self, person: str) -> str:
        """Of an owner or a member; empty for everybody else."""
        row = await self._row(person)
        return row.role if row and not row.is_blocked and row.role != PUPIL else ""

    async def is_blocked(self, person: str) -> bool:
        row = await self._row(person)
        return row is not None and row.is_blocked

    async def class_of(self, person: str) -> str:
        """The class that is all they see; empty for those who are nobody's pupil."""
        row = await self._row(person)
        return row.invited_by if row and row.role == PUPIL else ""

    async def are_bound(self) -> bool:
        """Whether anybody is blocked, or a pupil: on an open site nobody is asked who they are until then."""
        began = time.monotonic()
        if self._bound is None or not (self._store.exclusive or began - self._bound[0] < FRESH_SECONDS):
            writes = self._writes
            bound = bool(await self._store.rows(members.BOUND))
            if writes != self._writes:
                return True
            self._bound = began, bound
        return self._bound[1]

    async def enrol(self, person: str, class_id: str) -> None:
        """Somebody is a pupil of this class from now on, unless they are more than that."""
        await self._write(person, members.add, person, PUPIL, class_id, now_ms())

    async def dismiss(self, class_id: str, person: str = "") -> None:
        """All pupils of a class, or one."""
        await self._write(person, members.dismiss, class_id, person)

    async def invite(self, by: str, role: str = MEMBER, *, days: int = DAYS, uses: int = 1) -> str:
        """The key of a link; who makes it knows it, and nobody else can read it anywhere."""
        key, row = new_invitation(self._secret, by, role, days, uses)
        await self._store.do(members.invite, row)
        return key

    async def invitation(self, key: str) -> InvitationRow | None:
        """If it is still good."""
        if not KEY.fullmatch(key):
            return None
        return await self._store.first(members.INVITATION, id=self._id(key), now=now_ms())

    async def accept(self, key: str, person: str) -> bool:
        """Whether this person may come in from now on."""
        return bool(await self._write(person, members.accept, self._id(key), person, now_ms()))

    async def block(self, person: str, is_blocked: bool) -> None:
        await self._write(person, members.block, person, is_blocked, now_ms())

    async def withdraw(self, invitation: str) -> None:
        await self._store.do(members.withdraw, invitation)

    def forget(self, person: str) -> None:
        """Who was erased is read anew."""
        self._writes += 2
        self._recent.pop(person)
        self._bound = None

    async def _write(self, person: str, work: Callable[..., Written], *values: object) -> Written:
        """Without a person: everybody is read anew."""
        self._writes += 1
        try:
            return await self._store.do(work, *values)
        finally:
            self._writes += 1
            self._bound = None
            if person:
                self._recent.pop(person)
            else:
                self._recent.clear()

    async def _row(self, person: str) -> MemberRow | None:
        kept, began, writes = self._recent.get(person), time.monotonic(), self._writes
        if kept is not None and (self._store.exclusive or began - kept[0] < FRESH_SECONDS):
            return kept[1]
        row = await self._store.first(members.OF_PERSON, person=person, fingerprint=members.fingerprint(person))
        if writes == self._writes:
            self._recent.put(person, (began, row))
        return row

    def _id(self, key: str) -> str:
        return invitation_id(key, self._secret)


def new_invitation(secret: bytes, by: str, role: str, days: int, uses: int) -> tuple[str, dict[str, object]]:
    """Its key, and what is kept of it."""
    if not (1 <= days <= MOST_DAYS and 1 <= uses <= MOST_USES and role in (MEMBER, OWNER)):
        raise problems.Problem
    key, now = secrets.token_urlsafe(16), now_ms()
    row = {"id": invitation_id(key, secret), "role": role, "made_by": by, "created": now}
    return key, {**row, "ends": now + days * DAY_MS, "uses": uses}


def invitation_id(key: str, secret: bytes) -> str:
    return hmac.new(secret, f"invitation:{key}".encode(), hashlib.sha256).hexdigest()


def program_key(person: str, cuts: int, secret: bytes) -> str:
    """By which a program of a member comes in, until they cut off their other devices. Only the site can make it."""
    message = f"program:{person}:{cuts}".encode()
    return f"{person}.{hmac.new(secret, message, hashlib.sha256).hexdigest()[:40]}"


async def person_of_program(key: str, people: People, secret: bytes) -> str:
    """Whose it is; empty: nobody's."""
    if not PROGRAM_KEY.fullmatch(key):
        return ""
    person = key.partition(".")[0]
    right = program_key(person, (await people.known(person)).cuts, secret)
    return person if hmac.compare_digest(key, right) else ""


def now_ms() -> int:
    return time.time_ns() // 1_000_000
