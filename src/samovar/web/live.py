"""Who is told when a table has changed: the streams of this process, through Litestar's channels, and those of other processes through PostgreSQL.

One channel carries the ids of tables that have changed, nothing else: whoever watches looks at the table again. So nothing is lost by a message that
comes late, twice or not at all, as long as a later one comes.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

from litestar.channels import ChannelsPlugin
from litestar.channels.backends.base import ChannelsBackend
from litestar.channels.backends.memory import MemoryChannelsBackend

CHANNEL = "samovar_tables"
BEAT_SECONDS = 15.0  # how long a stream may be silent before it shows that it is alive

log = logging.getLogger("samovar.web")


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
            await asyncio.wait_for(self._woken.wait(), seconds)
        self._woken.clear()
        changed, self._changed = self._changed, set()
        return changed


class Live:
    def __init__(self, channels: ChannelsPlugin, *, alone: bool) -> None:
        self._channels = channels
        self._alone = alone  # no other process has people who watch
        self._watchers: defaultdict[str, set[Watcher]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self.streams = 0

    async def start(self) -> None:
        subscriber = await self._channels.subscribe(CHANNEL)
        self._task = asyncio.create_task(self._listen(subscriber))

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def announce(self, table_id: str) -> None:
        if not self._alone or table_id in self._watchers:
            self._channels.publish(table_id, CHANNEL)

    @asynccontextmanager
    async def watch(self, table_ids: Iterable[str]) -> AsyncIterator[Watcher]:
        watcher, watched = Watcher(), tuple(table_ids)
        for table_id in watched:
            self._watchers[table_id].add(watcher)
        self.streams += 1
        try:
            yield watcher
        finally:
            self.streams -= 1
            for table_id in watched:
                self._watchers[table_id].discard(watcher)
                if not self._watchers[table_id]:
                    del self._watchers[table_id]

    async def _listen(self, subscriber: Any) -> None:
        async for message in subscriber.iter_events():
            for watcher in self._watchers.get(message.decode(), ()):
                watcher.wake(message.decode())


def make_channels(url: str) -> ChannelsPlugin:
    """Messages stay in this process, or go through the PostgreSQL that the tables are in."""
    backend: ChannelsBackend = MemoryChannelsBackend()
    if url.startswith("postgresql"):
        from samovar.web.live_postgres import PostgresChannels

        backend = PostgresChannels(url.replace("postgresql+psycopg://", "postgresql://", 1))
    return ChannelsPlugin(backend, channels=[CHANNEL])
