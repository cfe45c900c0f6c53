"""The ways in which people want to be called, as they are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import Connection, Row, text

from samovar.web import problems
from samovar.web.problems import N_
from samovar.web.store.store import Store

MOST_WAYS = 8  # of a person
MOST_WAYS_HERE = 100_000  # of all people of the site
HOUR_MS = 3600 * 1000
DAY_MS = 24 * HOUR_MS
SILENCE_MS = 180 * DAY_MS  # for which an address that has not answered is not asked again


class TooManyWays(problems.Problem):
    status = 409
    says = N_("You can be called in %(most)s ways at most. Remove one of them first.")


class NoSuchWay(problems.Problem):
    status = 404
    says = N_("This way to call you is gone. Look at the list again.")


class OldLetter(problems.Problem):
    status = 404
    says = N_("This link has had its day. Enter your address again if you want to get letters.")


class EnoughForNow(problems.Problem):
    status = 429
    says = N_("That was tried often enough for today. Try again tomorrow.")


class NoOtherLetter(problems.Problem):
    status = 409
    says = N_(
        "A letter was sent to this address, and no other follows. Look for it, also among unwanted ones, or choose "
        "another way to be called."
    )


@dataclass(frozen=True, slots=True)
class Way:
    id: str
    person: str
    kind: str  # "push", "mail" or "web": an address that takes messages
    target: str
    keys: str  # of a browser, as JSON
    is_confirmed: bool  # only then anything is sent there
    language: str
    created: int  # in milliseconds since 1970, as all moments here
    address: str  # of the site, as they know it
    sent: int = 0
    failed: int = 0
    status: int = 0
    failures: int = 0
    day: int = 0
    count: int = 0
    busy: int = 0


COLUMNS = tuple(field.name for field in fields(Way))
ALL = ", ".join(COLUMNS)
OF = text(f"SELECT {ALL} FROM ways WHERE person = :person ORDER BY created, id")
ONE = text(f"SELECT {ALL} FROM ways WHERE id = :id")
PERSONS = text("SELECT DISTINCT person FROM ways WHERE is_confirmed")
COUNT_ALL = text("SELECT count(*) FROM ways")
ADD = text(f"INSERT INTO ways ({ALL}) VALUES ({', '.join(f':{name}' for name in COLUMNS)})")
CONFIRM = text("UPDATE ways SET is_confirmed = TRUE WHERE id = :id")
REMOVE = text("DELETE FROM ways WHERE id = :id")
WITH_ADDRESS = text("SELECT id FROM ways WHERE kind = 'mail' AND lower(target) = :target")
FORGET_CALLS = text("DELETE FROM calls WHERE way = :id")
TRIED = text("UPDATE ways SET failed = :failed, status = :status, failures = :failures WHERE id = :id")
COUNT = text(
    "INSERT INTO visits (who, count, until) VALUES (:who, 1, :until) ON CONFLICT (who) DO UPDATE SET "
    "count = CASE WHEN visits.until <= :now THEN 1 ELSE visits.count + 1 END, "
    "until = CASE WHEN visits.until <= :now THEN excluded.until ELSE visits.until END RETURNING count"
)
FORGET_COUNTS = text("DELETE FROM visits WHERE until <= :now")
FORGET_SILENCE = text("DELETE FROM letters WHERE until <= :now")
ASK = text("INSERT INTO letters (who, until) VALUES (:who, :until) ON CONFLICT (who) DO NOTHING")
UNASK = text("DELETE FROM letters WHERE who = :who AND until IS NOT NULL")
REFUSE = text("INSERT INTO letters (who) VALUES (:who) ON CONFLICT (who) DO UPDATE SET until = NULL")


class Ways:
    def __init__(self, store: Store, secret: bytes) -> None:
        self._store, self._secret = store, secret

    async def of(self, person: str) -> list[Way]:
        return [_way(row) for row in await self._store.all(OF, person=person)]

    async def persons(self) -> set[str]:
        """All who can be called."""
        return {row.person for row in await self._store.all(PERSONS)}

    async def one(self, way_id: str, person: str) -> Way:
        """One of a person's own."""
        return next((way for way in await self.of(person) if way.id == way_id), None) or _missing()

    async def add(self, person: str, kind: str, target: str, language: str, address: str, keys: str = "") -> Way:
        """The same target twice is one way. A browser that has another person in it now is called
        for that one."""
        way = Way(
            secrets.token_urlsafe(9), person, kind, target, keys, kind != "mail", language, now_ms(), address.lower()
        )
        kept: Way | None = await self._store.do(_add, way)
        if kept is None:
            raise TooManyWays(most=MOST_WAYS)
        return kept

    async def remove(self, way: Way) -> None:
        await self._store.do(remove, way.id)

    async def move(self, before: str, person: str) -> None:
        """Somebody is known as another person from now on; what that one has already is not doubled."""
        await self._store.do(_move, before, person)

    # An address is asked once. What it said is kept without the address.

    async def begin_asking(self, way: Way) -> None:
        """One letter goes there, whoever wants it, and no other for a long time."""
        if not await self._store.do(_ask, self._letters_to(way), now_ms()):
            raise NoOtherLetter

    async def take_back_asking(self, way: Way) -> None:
        """The letter could not be sent."""
        await self._store.do(_execute, UNASK, {"who": self._letters_to(way)})

    async def confirm(self, way: Way) -> None:
        """They said yes; so they can be asked again, when they have another device."""
        await self._store.do(_confirm, way, self._letters_to(way))

    async def refuse(self, way: Way) -> None:
        """They said no: nothing is sent to this address any more, whoever enters it."""
        await self._store.do(_refuse, way, self._letters_to(way))

    def _letters_to(self, way: Way) -> str:
        return self._hash(f"letters to {mailbox_of(way.target)}")

    async def tried(self, way: Way, status: int | None) -> None:
        """Somebody has tried it: None if a message came through, else what was answered."""
        failed, failures = (0, 0) if status is None else (now_ms(), way.failures + 1)
        await self._store.do(
            _execute, TRIED, {"id": way.id, "failed": failed, "status": status or 0, "failures": failures}
        )

    async def check_bounds(self, span_ms: int, *bounds: tuple[str, int]) -> None:
        """One more of each of these, so many of which are allowed in so much time."""
        hashed = [(self._hash(who), most) for who, most in bounds]
        if not await self._store.do(_count, hashed, now_ms(), span_ms):
            raise EnoughForNow

    # Letters lead to a page where whoever reads them decides, in any browser.

    def key(self, way: Way) -> str:
        return f"{way.id}.{self._hash(f'letter {way.id} {way.target}')}"

    async def with_key(self, key: str) -> Way:
        way_id, _, _ = key.partition(".")
        rows = await self._store.all(ONE, id=way_id) if "\x00" not in way_id else ()
        way = _way(rows[0]) if rows else None
        if way is None or way.kind != "mail" or not hmac.compare_digest(self.key(way).encode(), key.encode()):
            raise OldLetter
        return way

    def _hash(self, who: str) -> str:
        """Nobody finds an address in a list of counts."""
        return hmac.new(self._secret, f"ways {who}".encode(), hashlib.sha256).hexdigest()[:40]


def _way(row: Row[Any]) -> Way:
    return Way(*tuple(row))


def _missing() -> Way:
    raise NoSuchWay


def mailbox_of(address: str) -> str:
    """Where letters arrive: many servers put those to anna+games into the box of anna."""
    name, _, host = address.lower().rpartition("@")
    return f"{name.partition('+')[0] or name}@{host}"


def now_ms() -> int:
    return time.time_ns() // 1_000_000


# Chores


def _add(connection: Connection, way: Way) -> Way | None:
    own = [_way(row) for row in connection.execute(OF, {"person": way.person})]
    same = next((one for one in own if (one.kind, one.target) == (way.kind, way.target)), None)
    if same and (same.keys, same.language, same.address) == (way.keys, way.language, way.address):
        return same
    if same:
        remove(connection, same.id)
        way = replace(way, id=same.id)  # the links of letters stay good
    elif len(own) >= MOST_WAYS or connection.execute(COUNT_ALL).scalar_one() >= MOST_WAYS_HERE:
        return None
    if way.kind == "push":
        others = connection.execute(
            text("SELECT id FROM ways WHERE kind = 'push' AND target = :target"), {"target": way.target}
        )
        for other in others.all():
            remove(connection, other.id)
    values = {name: getattr(way, name) for name in COLUMNS}
    connection.execute(ADD, values | {"is_confirmed": way.is_confirmed or bool(same and same.is_confirmed)})
    return way


def _move(connection: Connection, before: str, person: str) -> None:
    own = [_way(row) for row in connection.execute(OF, {"person": person})]
    known = {(way.kind, way.target) for way in own}
    for row in connection.execute(OF, {"person": before}).all():
        if (row.kind, row.target) in known or len(known) >= MOST_WAYS:
            remove(connection, row.id)
        else:
            known.add((row.kind, row.target))
            connection.execute(
                text("UPDATE ways SET person = :person WHERE id = :id"), {"id": row.id, "person": person}
            )


def remove(connection: Connection, way_id: str) -> None:
    connection.execute(FORGET_CALLS, {"id": way_id})
    connection.execute(REMOVE, {"id": way_id})


def _ask(connection: Connection, who: str, now: int) -> bool:
    connection.execute(FORGET_SILENCE, {"now": now})
    return connection.execute(ASK, {"who": who, "until": now + SILENCE_MS}).rowcount == 1


def _confirm(connection: Connection, way: Way, who: str) -> None:
    connection.execute(CONFIRM, {"id": way.id})
    connection.execute(UNASK, {"who": who})


def _refuse(connection: Connection, way: Way, who: str) -> None:
    for row in connection.execute(WITH_ADDRESS, {"target": way.target.lower()}).all():
        remove(connection, row.id)
    connection.execute(REFUSE, {"who": who})


def _count(connection: Connection, bounds: Sequence[tuple[str, int]], now: int, span: int) -> bool:
    """Rows are taken in the order of their keys: no two processes can wait for one another."""
    connection.execute(FORGET_COUNTS, {"now": now})
    counts = {
        who: connection.execute(COUNT, {"who": who, "now": now, "until": now + span}).scalar_one()
        for who, _ in sorted(bounds)
    }
    return all(counts[who] <= most for who, most in bounds)


def _execute(connection: Connection, statement: Any, values: dict[str, Any]) -> None:
    connection.execute(statement, values)
