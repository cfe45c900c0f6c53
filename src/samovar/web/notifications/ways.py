"""The ways in which people want to be called, as they are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

from samovar.web import problems
from samovar.web.problems import N_
from samovar.web.store import outbox
from samovar.web.store.outbox import DAY_MS, Channel
from samovar.web.store.store import Store, can_be_id

MOST_WAYS = 8  # of a person
MOST_WAYS_HERE = 100_000  # of all people of the site
HOUR_MS = 3600 * 1000
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


class Ways:
    def __init__(self, store: Store, secret: bytes) -> None:
        self._store, self._secret = store, secret

    async def of(self, person: str) -> list[Channel]:
        return await self._store.rows(outbox.WAYS_OF, person=person)

    async def persons(self) -> set[str]:
        """All who can be called."""
        return {*await self._store.rows(outbox.PERSONS)}

    async def one(self, way_id: str, person: str) -> Channel:
        """One of a person's own."""
        return next((way for way in await self.of(person) if way.id == way_id), None) or _missing()

    async def add(self, person: str, kind: str, target: str, language: str, address: str, keys: str = "") -> Channel:
        """The same target twice is one way. A browser that has another person in it now is called
        for that one."""
        way = Channel(
            secrets.token_urlsafe(9), person, kind, target, keys, kind != "mail", language, now_ms(), address.lower()
        )
        kept = await self._store.do(outbox.add_way, way, MOST_WAYS, MOST_WAYS_HERE)
        if kept is None:
            raise TooManyWays(most=MOST_WAYS)
        return kept

    async def remove(self, way: Channel) -> None:
        await self._store.do(outbox.remove_way, way.id)

    async def move(self, before: str, person: str) -> None:
        """Somebody is known as another person from now on; what that one has already is not doubled."""
        await self._store.do(outbox.move_ways, before, person, MOST_WAYS)

    # An address is asked once. What it said is kept without the address.

    async def begin_asking(self, way: Channel) -> None:
        """One letter goes there, whoever wants it, and no other for a long time."""
        now = now_ms()
        if not await self._store.do(outbox.begin_asking, self._letters_to(way), now, now + SILENCE_MS):
            raise NoOtherLetter

    async def take_back_asking(self, way: Channel) -> None:
        """The letter could not be sent."""
        await self._store.do(outbox.take_back_asking, self._letters_to(way))

    async def confirm(self, way: Channel) -> None:
        """They said yes; so they can be asked again, when they have another device."""
        await self._store.do(outbox.confirm, way.id, self._letters_to(way))

    async def refuse(self, way: Channel) -> None:
        """They said no: nothing is sent to this address any more, whoever enters it."""
        await self._store.do(outbox.refuse, way.target, self._letters_to(way))

    def _letters_to(self, way: Channel) -> str:
        return self._hash(f"letters to {mailbox_of(way.target)}")

    async def tried(self, way: Channel, status: int | None) -> None:
        """Somebody has tried it: None if a message came through, else what was answered."""
        failed, failures = (0, 0) if status is None else (now_ms(), way.failures + 1)
        await self._store.do(outbox.mark_tried, way.id, failed, status or 0, failures)

    async def check_bounds(self, span_ms: int, *bounds: tuple[str, int]) -> None:
        """One more of each of these, so many of which are allowed in so much time."""
        hashed = [(self._hash(who), most) for who, most in bounds]
        if not await self._store.do(outbox.count_within, hashed, now_ms(), span_ms):
            raise EnoughForNow

    # Letters lead to a page where whoever reads them decides, in any browser.

    def key(self, way: Channel) -> str:
        return f"{way.id}.{self._hash(f'letter {way.id} {way.target}')}"

    async def with_key(self, key: str) -> Channel:
        way_id, _, _ = key.partition(".")
        way = await self._store.first(outbox.ONE_WAY, way=way_id) if can_be_id(way_id) else None
        if way is None or way.kind != "mail" or not hmac.compare_digest(self.key(way).encode(), key.encode()):
            raise OldLetter
        return way

    def _hash(self, who: str) -> str:
        """Nobody finds an address in a list of counts."""
        return hmac.new(self._secret, f"ways {who}".encode(), hashlib.sha256).hexdigest()[:40]


def _missing() -> Channel:
    raise NoSuchWay


def mailbox_of(address: str) -> str:
    """Where letters arrive: many servers put those to anna+games into the box of anna."""
    name, _, host = address.lower().rpartition("@")
    return f"{name.partition('+')[0] or name}@{host}"


def now_ms() -> int:
    return time.time_ns() // 1_000_000
