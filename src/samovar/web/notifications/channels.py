"""The channels on which people want messages, as they are kept."""

from __future__ import annotations

import hashlib
import hmac
import time

from samovar.web import problems
from samovar.web.problems import N_
from samovar.web.store.queries import outbox
from samovar.web.store.queries.outbox import DAY_MS, Channel
from samovar.web.store.store import Store, can_be_id, new_id

MOST_CHANNELS = 8  # of a person
MOST_CHANNELS_HERE = 100_000  # of all people of the site
HOUR_MS = 3600 * 1000
SILENCE_MS = 180 * DAY_MS  # for which an address that has not answered is not asked again


class TooManyChannels(problems.Problem, status=409):
    says = N_("You can be called in %(most)s ways at most. Remove one of them first.")


class NoSuchChannel(problems.Problem, status=404):
    says = N_("This way to call you is gone. Look at the list again.")


class OldLink(problems.Problem, status=404):
    says = N_("This link has had its day. Enter your address again if you want to get letters.")


class EnoughForNow(problems.Problem, status=429):
    says = N_("That was tried often enough for today. Try again tomorrow.")


class AskedAlready(problems.Problem, status=409):
    says = N_(
        "A letter was sent to this address, and no other follows. Look for it, also among unwanted ones, or choose "
        "another way to be called."
    )


class Channels:
    def __init__(self, store: Store, secret: bytes) -> None:
        self._store, self._secret = store, secret

    async def of(self, person: str) -> list[Channel]:
        return await self._store.rows(outbox.CHANNELS_OF, person=person)

    async def persons(self) -> set[str]:
        """All who can be called."""
        return {*await self._store.rows(outbox.PERSONS)}

    async def one(self, channel_id: str, person: str) -> Channel:
        """One of a person's own."""
        return next((channel for channel in await self.of(person) if channel.id == channel_id), None) or _missing()

    async def add(self, person: str, kind: str, target: str, language: str, address: str, keys: str = "") -> Channel:
        """The same target twice is one channel. A browser that has another person in it now is called
        for that one."""
        channel = Channel(new_id(), person, kind, target, keys, kind != "mail", language, now_ms(), address.lower())
        kept = await self._store.do(outbox.add_channel, channel, MOST_CHANNELS, MOST_CHANNELS_HERE)
        if kept is None:
            raise TooManyChannels(most=MOST_CHANNELS)
        return kept

    async def remove(self, channel: Channel) -> None:
        await self._store.do(outbox.remove_channel, channel.id)

    async def move(self, before: str, person: str) -> None:
        """Somebody is known as another person from now on; what that one has already is not doubled."""
        await self._store.do(outbox.move_channels, before, person, MOST_CHANNELS)

    # An address is asked once. What it said is kept without the address.

    async def begin_asking(self, channel: Channel) -> None:
        """One mail goes there, whoever wants it, and no other for a long time."""
        now = now_ms()
        if not await self._store.do(outbox.begin_asking, self._mailbox_hash(channel), now, now + SILENCE_MS):
            raise AskedAlready

    async def take_back_asking(self, channel: Channel) -> None:
        """The mail could not be sent."""
        await self._store.do(outbox.take_back_asking, self._mailbox_hash(channel))

    async def confirm(self, channel: Channel) -> None:
        """They said yes; so they can be asked again, when they have another device."""
        await self._store.do(outbox.confirm, channel.id, self._mailbox_hash(channel))

    async def refuse(self, channel: Channel) -> None:
        """They said no: nothing is sent to this address any more, whoever enters it."""
        await self._store.do(outbox.refuse, channel.target, self._mailbox_hash(channel))

    def _mailbox_hash(self, channel: Channel) -> str:
        return self._hash(f"letters to {mailbox_of(channel.target)}")

    async def tried(self, channel: Channel, status: int | None) -> None:
        """Somebody has tried it: None if a message came through, else what was answered."""
        failed, failures = (0, 0) if status is None else (now_ms(), channel.failures + 1)
        await self._store.do(outbox.mark_tried, channel.id, failed, status or 0, failures)

    async def check_bounds(self, span_ms: int, *bounds: tuple[str, int]) -> None:
        """One more of each of these, so many of which are allowed in so much time."""
        hashed = [(self._hash(who), most) for who, most in bounds]
        if not await self._store.do(outbox.count_within, hashed, now_ms(), span_ms):
            raise EnoughForNow

    # Mails lead to a page where whoever reads them decides, in any browser.

    def key(self, channel: Channel) -> str:
        return f"{channel.id}.{self._hash(f'letter {channel.id} {channel.target}')}"

    async def with_key(self, key: str) -> Channel:
        channel_id, _, _ = key.partition(".")
        channel = await self._store.first(outbox.ONE_CHANNEL, channel=channel_id) if can_be_id(channel_id) else None
        if (
            channel is None
            or channel.kind != "mail"
            or not hmac.compare_digest(self.key(channel).encode(), key.encode())
        ):
            raise OldLink
        return channel

    def _hash(self, who: str) -> str:
        """Nobody finds an address in a list of counts."""
        return hmac.new(self._secret, f"ways {who}".encode(), hashlib.sha256).hexdigest()[:40]


def _missing() -> Channel:
    raise NoSuchChannel


def mailbox_of(address: str) -> str:
    """Where mail arrives: many servers put those to anna+games into the box of anna."""
    name, _, host = address.lower().rpartition("@")
    return f"{name.partition('+')[0] or name}@{host}"


def now_ms() -> int:
    return time.time_ns() // 1_000_000
