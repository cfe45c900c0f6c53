"""Calls people who are away when it is their turn, soon after, and once.

After each change of a table somebody may have to be called: that is looked at a moment later, when
whoever is there has seen it. What is decided becomes a row (`store/outbox.py`), and rows are what is sent.
Every process does this for the tables it hears of, and now and then for all: what one that has died
had in hand is taken up by another.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass

import msgspec

from samovar.errors import SamovarError, StoreError
from samovar.language.languages import LANGUAGES
from samovar.web import problems
from samovar.web.figures import CHANNELS, NOTIFICATIONS
from samovar.web.notifications.channels import HOUR_MS, Channels
from samovar.web.notifications.events import OPENED, TableEvent, events, opened
from samovar.web.notifications.hooks import HOOK, Hook
from samovar.web.notifications.hours import allowed_at
from samovar.web.notifications.sender import NotDelivered, NotWanted, Sender
from samovar.web.notifications.words import message
from samovar.web.people.circles import Circles
from samovar.web.people.people import Profile, Wishes
from samovar.web.store.queries import ahead, outbox
from samovar.web.store.queries.circles import HOOKS
from samovar.web.store.queries.outbox import DAY_MS, Channel, Claimed, Notification
from samovar.web.store.store import Store
from samovar.web.tables.table import Table
from samovar.web.tables.tables import Tables

TICK_SECONDS = 0.5
TELL_SECONDS = 1.0  # after a change other processes are told who has seen it here
PATIENCE_SECONDS = 2.5  # after a change whoever has not seen it is away
LOOKING_SECONDS = 20.0  # without a sign of life; a page gives one that often
SCAN_SECONDS = 20.0
RETURN_SECONDS = 5.0  # after a start pages come back by themselves: nobody is away because the site was
LEASE_MS = 60_000
FIRST_PAUSE_MS = 30_000  # after a failure; twice as long after each of the next
LONGEST_PAUSE_MS = 6 * 3600 * 1000
MOST_TRIES = 20  # about three days
PAGE = 500  # tables that are looked for at once
AT_ONCE = 16  # messages under way
AT_ONCE_ALWAYS = Wishes(quiet_from=0, quiet_until=0, minutes=0)  # of a room elsewhere, which has wishes of its own
CLOSING_SECONDS = 3.0
OPENING_SECONDS = 1.5  # until those are told who may want to come to a new table

State = tuple[str, int]  # of a table: its status and its revision
TellTime = Callable[[], float]

log = logging.getLogger("samovar.web")


@dataclass
class Noted:
    """A table that has changed."""

    state: State | None  # None: it was found by the scan
    seats: tuple[int, ...]
    since: float  # by this process's clock
    ripe: float  # when it is looked at
    is_told: bool = False


@dataclass(frozen=True)
class TableReading:
    """All that is needed of a table, at one moment: after that it may change."""

    state: State
    head: int
    changed: int
    seats: int
    persons: dict[str, list[TableEvent]]  # what each of them may have to be told


class Notifier:
    """`clock` gives seconds since 1970."""

    def __init__(
        self, store: Store, tables: Tables, channels: Channels, sender: Sender, clock: TellTime = time.time
    ) -> None:
        self._store, self._tables, self._channels, self._sender = store, tables, channels, sender
        self.clock = clock
        self._persons: set[str] = set()  # who can be called
        self._cleaned = 0
        self._noted: dict[str, Noted] = {}  # by table
        self._stuck: set[str] = set()  # tables that cannot be read here
        self._sending: dict[str, asyncio.Task[None]] = {}  # by channel
        self._room = asyncio.Semaphore(AT_ONCE)
        self._tasks: list[asyncio.Task[None]] = []
        self._soon = 0.0  # by this process's clock: when something is due; 0: nothing is

    async def start(self) -> None:
        self._cleaned = self._now()
        await self._store.do(outbox.clean, self._cleaned, self._store.exclusive)
        self._persons = await self._channels.persons()
        self._tables.on_change = self.note
        self._tasks = [asyncio.create_task(self._attend()), asyncio.create_task(self._scan())]

    async def close(self) -> None:
        """What is under way may end: to cut it off would have it sent twice."""
        for task in self._tasks:
            task.cancel()
        if self._sending:
            await asyncio.wait(self._sending.values(), timeout=CLOSING_SECONDS)
        for task in self._sending.values():
            task.cancel()
        await asyncio.gather(*self._tasks, *self._sending.values(), return_exceptions=True)

    def expect(self, person: str) -> None:
        """Somebody who can be called from now on; other processes learn of it by their next scan."""
        self._persons.add(person)

    def note(self, table: Table) -> None:
        """A table as it is after a change. Every move comes through here."""
        if not self._persons or table.status not in ("playing", "over"):
            return
        seats = {*table.actors, *table.asked_for_pause} if table.status == "playing" else range(table.seats)
        if not any(person in self._persons for seat in seats for person in table.chairs[seat].persons):
            self._noted.pop(table.id, None)
            return
        state = table.status, table.revision
        known = self._noted.get(table.id)
        if known is None or known.state != state:
            now = time.monotonic()
            self._noted[table.id] = Noted(state, tuple(seats), now, now + PATIENCE_SECONDS)

    # Who is to be told

    async def _attend(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            await self._safely(self._look_around())

    async def _look_around(self) -> None:
        now = time.monotonic()
        if not self._store.exclusive:
            await self._tell(now)
        ripe = [table_id for table_id, noted in self._noted.items() if noted.ripe <= now]
        decided = [notification for table_id in ripe for notification in await self._decide(table_id)]
        if decided:
            await self._store.do(outbox.enter, decided)
        is_due = 0 < self._soon <= now
        if is_due:
            self._soon = 0.0
        if is_due or any(not notification.is_done for notification in decided):
            await self.deliver()

    async def expect_table(self, circle_id: str, table_id: str, persons: Sequence[str]) -> None:
        """A table is about to be opened in a circle: these people are told, and where the circle tells it. It is
        written down first, so that nobody forgets it who dies meanwhile."""
        channels = await self._store.rows(outbox.OF_PERSONS, persons=[*persons, f"{HOOKS}{circle_id}"])
        due = self._now() + round(OPENING_SECONDS * 1000)
        new = [Notification(table_id, 0, OPENED, channel, -1, 0, due) for channel in channels]
        if new:
            await self._store.do(outbox.enter, new)
            self._soon = time.monotonic() + OPENING_SECONDS

    async def _tell(self, now: float) -> None:
        """Other processes, which may be the ones that send, who has seen the change here."""
        fresh = {
            table_id: noted
            for table_id, noted in self._noted.items()
            if not noted.is_told and noted.since + TELL_SECONDS <= now
        }
        for noted in fresh.values():
            noted.is_told = True
        presence = self._tables.presence
        seen = {
            (table_id, seat): presence.seconds_since(table_id, seat)
            for table_id, noted in fresh.items()
            for seat in noted.seats
            if presence.was_seen(table_id, seat, noted.since)
        }
        if seen:
            await self._store.mark_seen(seen)

    async def _decide(self, table_id: str) -> list[Notification]:
        """The notifications for a table as it is now; those who are looking at it have seen it."""
        noted = self._noted.pop(table_id)
        reading = await self._read(table_id)
        if reading is None or not reading.persons:
            return []
        if noted.state not in (None, reading.state):  # changed by another process
            self._note_again(table_id, reading.state, PATIENCE_SECONDS)
            return []
        channels = await self._store.rows(outbox.REACHABLE, table=table_id, persons=list(reading.persons))
        planned = await self._store.rows(ahead.WAITING, table=table_id) if channels else []
        silence = await self._tables.presence.silence(table_id, range(reading.seats)) if channels else {}
        decided = []
        for channel in channels:
            for event in reading.persons[channel.person]:
                if channel.created >= reading.changed or (event.kind == "end" and channel.saw_end):
                    continue
                if event.kind == "turn" and event.seat in planned:  # it is made for them
                    continue
                silent = silence.get(event.seat, LOOKING_SECONDS)
                has_seen = event.kind != "end" and silent < time.monotonic() - noted.since
                if not has_seen and silent < LOOKING_SECONDS:  # there a moment ago: perhaps still
                    self._note_again(table_id, reading.state, LOOKING_SECONDS - silent, noted.since)
                else:
                    decided.append(self._notification(event, channel.id, reading.head, is_done=has_seen))
        return decided

    async def _read(self, table_id: str) -> TableReading | None:
        try:
            table = await self._tables.look(table_id)
        except problems.Busy:
            self._note_again(table_id, None, SCAN_SECONDS)
            return None
        except problems.NoSuchTable:
            return None
        except SamovarError as error:  # its log says the same whenever it is read
            self._stuck.add(table_id)
            log.info("nobody is called to a table that cannot be read: %r", error)
            return None
        persons: dict[str, list[TableEvent]] = {}
        for event in events(table, self._now()):
            for person in table.chairs[event.seat].persons:
                persons.setdefault(person, []).append(event)
        return TableReading((table.status, table.revision), table.head, table.changed_at, table.seats, persons)

    def _note_again(self, table_id: str, state: State | None, seconds: float, since: float | None = None) -> None:
        now = time.monotonic()
        if table_id not in self._noted:  # by a change that came meanwhile
            self._noted[table_id] = Noted(state, (), now if since is None else since, now + seconds, is_told=True)

    def _notification(self, event: TableEvent, channel: str, head: int, *, is_done: bool) -> Notification:
        turn = event.table_id, event.turn, event.kind
        return Notification(*turn, channel, event.seat, head, self._now(), is_done=is_done)

    # What nobody has in hand

    async def _scan(self) -> None:
        await asyncio.sleep(RETURN_SECONDS)
        while True:
            await self._safely(self.scan())
            await asyncio.sleep(SCAN_SECONDS)

    async def scan(self) -> None:
        """Looks for turns that nobody was called for, and for messages that may go out now."""
        self._persons = await self._channels.persons()
        if self._now() - self._cleaned >= HOUR_MS:  # a site where nothing happens writes nothing
            self._cleaned = self._now()
            await self._store.do(outbox.clean, self._cleaned, False)
        after = ""
        while self._persons:
            page = await self._store.rows(
                outbox.CANDIDATES, after=after, now=self._now(), day=DAY_MS, hour=HOUR_MS, limit=PAGE
            )
            for table_id in page:
                if table_id not in self._stuck:
                    self._note_again(table_id, None, PATIENCE_SECONDS)
            if len(page) < PAGE:
                break
            after = page[-1]
        await self.deliver()

    # Sending

    async def deliver(self) -> None:
        """All that waits and is due, each channel by itself: one that hangs keeps no other waiting."""
        for channel in await self._store.rows(outbox.WAITING, now=self._now()):
            if channel not in self._sending:
                self._sending[channel] = asyncio.create_task(self._safely(self._send_on(channel)))

    async def _send_on(self, channel_id: str) -> None:
        try:
            async with self._room:
                now = self._now()
                claim = await self._store.do(outbox.claim, channel_id, now, now + LEASE_MS)
                if claim is not None:
                    await self._send_claimed(claim, now)
        finally:
            del self._sending[channel_id]

    async def _send_claimed(self, claim: Claimed, now: int) -> None:
        profile = msgspec.json.decode(claim.profile, type=Profile) if claim.profile else Profile()
        allowed = allowed_at(AT_ONCE_ALWAYS if claim.channel.kind == HOOK else profile.wishes, claim.channel, now)
        if allowed > now:
            await self._store.do(outbox.hold, claim.channel.id, allowed)
            return
        wanted = [
            (notification, event)
            for notification in claim.notifications
            if (event := await self._still(notification, claim))
        ]
        language = profile.language if profile.language in LANGUAGES else claim.channel.language
        await self._send(claim, language, [notification for notification, _ in wanted], [event for _, event in wanted])

    async def _still(self, notification: Notification, claim: Claimed) -> TableEvent | None:
        """What a notification is for, if it is still so and they have not seen it meanwhile."""
        if notification.kind == "end" and notification.table_id in claim.ends_seen:
            return None
        try:
            table = await self._tables.look(notification.table_id)
        except problems.Problem:
            return None
        if notification.kind == OPENED:
            return await self._opened(table, claim.channel)
        if claim.channel.person not in table.chairs[notification.seat].persons:
            return None
        now = [event for event in events(table, self._now()) if event.seat == notification.seat]
        same = next(
            (event for event in now if (event.turn, event.kind) == (notification.turn, notification.kind)), None
        )
        if same is None or notification.kind == "end":
            return same
        silence = await self._tables.presence.silence(notification.table_id, [notification.seat])
        return same if silence.get(notification.seat, LOOKING_SECONDS) >= LOOKING_SECONDS else None

    async def _opened(self, table: Table, channel: Channel) -> TableEvent | None:
        """For a member who wants to know, or for where the circle tells it; to that the names of people are told only
        if its owner has said so."""
        try:
            circle = await Circles(self._tables).find(table.circle)
        except problems.NoSuchPage:  # it was deleted
            return None
        if channel.kind == HOOK:
            is_told = channel.person == f"{HOOKS}{table.circle}"
            with_name = msgspec.json.decode(channel.keys, type=Hook).names
        else:
            member, with_name = circle.member(channel.person), True
            is_told = member is not None and member.wants_calls and table.seat_of(channel.person) is None
        return opened(table, circle.name, with_name=with_name) if is_told else None

    async def _send(self, claim: Claimed, language: str, pending: list[Notification], events: list[TableEvent]) -> None:
        channel = claim.channel
        kind = channel.kind if channel.kind in CHANNELS else "post"
        passed = [notification for notification in claim.notifications if notification not in pending]
        if not pending:
            await self._store.do(outbox.settle, channel.id, passed)
            return
        try:
            await self._sender.send(channel, message(events, language), number_of(pending))
        except NotWanted:
            NOTIFICATIONS.add(1, kind, "gone")
            await self._store.do(outbox.remove_channel, channel.id)
        except NotDelivered as error:
            NOTIFICATIONS.add(1, kind, "failed")
            again = [
                (notification, self._now() + pause(notification))
                for notification in pending
                if notification.tries + 1 < MOST_TRIES
            ]
            given_up = [notification for notification in pending if notification.tries + 1 >= MOST_TRIES]
            await self._store.do(outbox.mark_failed, channel.id, again, error.status, self._now())
            await self._store.do(outbox.settle, channel.id, [*passed, *given_up])
        else:
            NOTIFICATIONS.add(1, kind, "sent")
            await self._store.do(outbox.mark_sent, channel.id, claim.notifications, self._now())

    def _now(self) -> int:
        return round(self.clock() * 1000)

    async def _safely(self, work: Coroutine[object, object, None]) -> None:
        """Nobody's trouble is the end of all notifications."""
        try:
            await work
        except StoreError as error:
            log.error("somebody cannot be called: %s", error)
        except Exception as error:
            log.error("a call failed", exc_info=error)


def pause(notification: Notification) -> int:
    """Until the next try, in milliseconds."""
    return min(FIRST_PAUSE_MS << notification.tries, LONGEST_PAUSE_MS)


def number_of(pending: Sequence[Notification]) -> str:
    """The same for the same notifications, whenever and wherever it is made."""
    return hashlib.sha256(repr([notification.key for notification in pending]).encode()).hexdigest()[:40]
