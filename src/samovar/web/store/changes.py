"""Who is told when a table has changed: the streams of this process at once, those of other
processes through PostgreSQL.

One channel carries the ids of tables that have changed and the number of their last entry, and what
was written where that is short: whoever watches looks at the table again, and need not ask the
database for what came along. So nothing is lost by a message that comes late or twice; and where some
may have been missed, everybody is told to look.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import takewhile
from typing import Any, NamedTuple

import msgspec
from litestar.channels import ChannelsPlugin

from samovar.web import figures, problems
from samovar.web.networks import network_of
from samovar.web.store.database import parse

CHANNEL = "samovar_tables"
EVERYTHING = "*"  # instead of a table's id: any of them may have changed
GONE = -1  # instead of the number of its last entry: the table was removed
BEAT_SECONDS = 15.0  # how long a stream may be silent before it shows that it is alive
FRESH_SECONDS = 3.0  # what was read from the database so long ago is new enough for a look without an occasion
WOKEN_AT_ONCE = 32  # watchers, before everything else in this process gets its turn
MOST_STREAMS = 5000  # of this process
STREAMS_PER_PERSON = 12
SWEEP_SECONDS = 1.0
MOST_WRITTEN = 4000  # bytes that come along; PostgreSQL takes 8,000


class Watcher:
    """What one stream waits for."""

    def __init__(self) -> None:
        self._changed: set[str] = set()
        self._woken = asyncio.Event()

    def wake(self, table_id: str) -> None:
        self._changed.add(table_id)
        self._woken.set()

    def wake_for_beat(self) -> None:
        self._woken.set()

    async def changes(self) -> set[str]:
        """The tables that have changed since the last time, none after a while of quiet."""
        await self._woken.wait()
        self._woken.clear()
        changed, self._changed = self._changed, set()
        return changed


Watchers = dict[Watcher, None]  # a set that remembers who came first


class ChangeNotice(NamedTuple):
    """Of the last change of a table."""

    came: float  # by this process's clock
    number: int | None  # of the table's last entry; None: it may be any


def no_word() -> ChangeNotice:
    """What whoever looks without an occasion goes by."""
    return ChangeNotice(time.monotonic() - FRESH_SECONDS, None)


class Changes:
    """`channels` lead to the other processes of the site, if there are any."""

    def __init__(self, channels: ChannelsPlugin | None = None, *, streams_per_address: int = 60) -> None:
        self._channels = channels
        self._per_address = streams_per_address
        self._watchers: defaultdict[str, Watchers] = defaultdict(dict)
        self._woken: dict[Watcher, float] = {}  # when each was woken last; the longest ago is the first
        self._due: dict[str, Watchers] = {}  # who is yet to be woken, by the table that has changed
        self._words: dict[str, ChangeNotice] = {}  # of tables that are watched
        self._any_due = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.on_written: Callable[[str, bytes], None] = lambda table_id, written: None  # by another process
        self._addresses: Counter[str] = Counter()
        self._persons: Counter[str] = Counter()
        self.streams = 0

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._wake()), asyncio.create_task(self._beat())]
        if self._channels is not None:
            subscriber = await self._channels.subscribe(CHANNEL)
            self._tasks.append(asyncio.create_task(self._listen(subscriber)))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def announce(self, table_id: str, number: int, written: Sequence[object] = ()) -> None:
        """To everybody, here and in the other processes."""
        self._hear(table_id, number)
        if self._channels is not None:
            lines = msgspec.json.encode(written) if written else b""
            self._channels.publish(
                b"%b %d %b" % (table_id.encode(), number, lines if len(lines) <= MOST_WRITTEN else b""), CHANNEL
            )

    def check_room(self, address: str, person: str) -> None:
        """Whether one more stream may be opened from there, by them."""
        address_is_full = self._per_address and self._addresses[network_of(address)] >= self._per_address
        person_is_full = person and self._persons[person] >= STREAMS_PER_PERSON
        if self.streams >= MOST_STREAMS or address_is_full or person_is_full:
            raise problems.TooManyStreams

    @asynccontextmanager
    async def watch(self, table_ids: Iterable[str], *, address: str = "", person: str = "") -> AsyncIterator[Watcher]:
        watcher, watched = Watcher(), tuple(table_ids)
        for table_id in watched:
            self._watchers[table_id][watcher] = None
        self._woken[watcher] = time.monotonic()
        self._count(1, network_of(address), person)
        try:
            yield watcher
        finally:
            self._count(-1, network_of(address), person)
            self._woken.pop(watcher, None)
            for table_id in watched:
                self._watchers[table_id].pop(watcher, None)
                if not self._watchers[table_id]:
                    del self._watchers[table_id]
                    self._words.pop(table_id, None)

    def word_of(self, table_id: str) -> ChangeNotice:
        """Of the last change of a watched table: what was read after it came, or knows the entry
        with its number, is new enough for all who watch."""
        return self._words.get(table_id, ChangeNotice(0.0, None))

    def _count(self, more: int, address: str, person: str) -> None:
        self.streams += more
        figures.STREAMS.add(more)
        for counts, who in ((self._addresses, address), (self._persons, person)):
            counts[who] += more
            if not counts[who]:
                del counts[who]

    async def _listen(self, subscriber: Any) -> None:
        async for message in subscriber.iter_events():
            if message.decode() == EVERYTHING:
                for table_id in list(self._watchers):
                    self._hear(table_id, None)
            else:
                name, number, written = message.split(b" ", 2)
                if written:
                    self.on_written(name.decode(), written)
                self._hear(name.decode(), int(number))

    def _hear(self, table_id: str, number: int | None) -> None:
        """Word that came before, such as one's own that comes back, wakes nobody."""
        if table_id not in self._watchers:
            return
        known = self.word_of(table_id).number
        if number == GONE:
            number = None
        elif number is not None and known is not None and number <= known:
            return
        self._words[table_id] = ChangeNotice(time.monotonic(), number)
        self._due.setdefault(table_id, {}).update(self._watchers[table_id])
        self._any_due.set()

    async def _beat(self) -> None:
        """Whoever was not woken for a while looks again, and shows that the stream is alive."""
        while True:
            await asyncio.sleep(min(SWEEP_SECONDS, BEAT_SECONDS))
            for watcher in self._quiet_since(time.monotonic() - BEAT_SECONDS):
                self._note(watcher)
                watcher.wake_for_beat()

    def _quiet_since(self, moment: float) -> list[Watcher]:
        return list(takewhile(lambda watcher: self._woken[watcher] <= moment, self._woken))

    def _note(self, watcher: Watcher) -> None:
        if watcher in self._woken:  # and has not gone
            del self._woken[watcher]
            self._woken[watcher] = time.monotonic()

    async def _wake(self) -> None:
        """A few at a time, those who came first before the others, and no crowd keeps those at
        other tables waiting."""
        while True:
            await self._any_due.wait()
            self._any_due.clear()
            while self._due:
                self._wake_some(next(iter(self._due)))
                await asyncio.sleep(0)

    def _wake_some(self, table_id: str) -> None:
        watchers = list(self._due.pop(table_id))
        for watcher in watchers[:WOKEN_AT_ONCE]:
            self._note(watcher)
            watcher.wake(table_id)
        if rest := watchers[WOKEN_AT_ONCE:]:
            self._due[table_id] = dict.fromkeys(rest)  # behind the other tables


@asynccontextmanager
async def open_channels(url: str) -> AsyncIterator[ChannelsPlugin | None]:
    """Through the PostgreSQL that the tables are in. A file of SQLite belongs to one process, which
    needs none."""
    address = parse(url)
    if address.get_backend_name() != "postgresql":
        yield None
        return
    from samovar.web.store.changes_postgres import PostgresChannels

    plain_address = address.set(drivername="postgresql").render_as_string(hide_password=False)
    async with ChannelsPlugin(PostgresChannels(plain_address, CHANNEL, EVERYTHING), channels=[CHANNEL]) as channels:
        yield channels
