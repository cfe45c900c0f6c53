"""Who is told when a table has changed: the streams of this process, through Litestar's channels,
and those of other processes through PostgreSQL.

One channel carries the ids of tables that have changed, nothing else: whoever watches looks at the
table again. So nothing is lost by a message that comes late or twice; and where some may have been
missed, everybody is told to look.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

from litestar.channels import ChannelsPlugin
from litestar.channels.backends.base import ChannelsBackend
from litestar.channels.backends.memory import MemoryChannelsBackend

from samovar.web import problems
from samovar.web.database import parse
from samovar.web.limits import network_of

CHANNEL = "samovar_tables"
EVERYTHING = "*"  # instead of a table's id: any of them may have changed
BEAT_SECONDS = 15.0  # how long a stream may be silent before it shows that it is alive
WOKEN_AT_ONCE = 32  # watchers, before everything else in this process gets its turn
MOST_STREAMS = 5000  # of this process
STREAMS_PER_PERSON = 12


class Watcher:
    """What one stream waits for."""

    def __init__(self) -> None:
        self._changed: set[str] = set()
        self._woken = asyncio.Event()

    def wake(self, table_id: str) -> None:
        self._changed.add(table_id)
        self._woken.set()

    async def changes(self, seconds: float = BEAT_SECONDS) -> set[str]:
        """The tables that have changed since the last time, none after so many seconds of quiet."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        self._woken.clear()
        changed, self._changed = self._changed, set()
        return changed


Watchers = dict[Watcher, None]  # a set that remembers who came first


class Live:
    def __init__(self, channels: ChannelsPlugin, *, alone: bool, streams_per_address: int = 60) -> None:
        self._channels = channels
        self._alone = alone  # no other process has people who watch
        self._per_address = streams_per_address
        self._watchers: defaultdict[str, Watchers] = defaultdict(dict)
        self._due: dict[str, Watchers] = {}  # who is yet to be woken, by the table that has changed
        self._heard: dict[str, float] = {}  # when word of the last change of a table came, by this process's clock
        self._any_due = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._addresses: Counter[str] = Counter()
        self._persons: Counter[str] = Counter()
        self.streams = 0

    async def start(self) -> None:
        subscriber = await self._channels.subscribe(CHANNEL)
        self._tasks = [asyncio.create_task(self._listen(subscriber)), asyncio.create_task(self._wake())]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def announce(self, table_id: str) -> None:
        if not self._alone or table_id in self._watchers:
            self._channels.publish(table_id, CHANNEL)

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
        self._count(1, network_of(address), person)
        try:
            yield watcher
        finally:
            self._count(-1, network_of(address), person)
            for table_id in watched:
                self._watchers[table_id].pop(watcher, None)
                if not self._watchers[table_id]:
                    del self._watchers[table_id]
                    self._heard.pop(table_id, None)

    def heard(self, table_id: str) -> float:
        """When word of the last change of a watched table came: what was read after that is new
        enough for all who watch."""
        return self._heard.get(table_id, 0.0)

    def _count(self, more: int, address: str, person: str) -> None:
        self.streams += more
        for counts, who in ((self._addresses, address), (self._persons, person)):
            counts[who] += more
            if not counts[who]:
                del counts[who]

    async def _listen(self, subscriber: Any) -> None:
        async for message in subscriber.iter_events():
            changed = message.decode()
            for table_id in list(self._watchers) if changed == EVERYTHING else [changed]:
                if table_id in self._watchers:
                    self._heard[table_id] = time.monotonic()
                    self._due.setdefault(table_id, {}).update(self._watchers[table_id])
            self._any_due.set()

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
            watcher.wake(table_id)
        if rest := watchers[WOKEN_AT_ONCE:]:
            self._due[table_id] = dict.fromkeys(rest)  # behind the other tables


def make_channels(url: str) -> ChannelsPlugin:
    """Messages stay in this process, or go through the PostgreSQL that the tables are in."""
    backend: ChannelsBackend = MemoryChannelsBackend()
    found = parse(url)
    if found.get_backend_name() == "postgresql":
        from samovar.web.live_postgres import PostgresChannels

        backend = PostgresChannels(
            found.set(drivername="postgresql").render_as_string(hide_password=False), CHANNEL, EVERYTHING
        )
    return ChannelsPlugin(backend, channels=[CHANNEL])
