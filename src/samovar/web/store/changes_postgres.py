"""Litestar's channels over PostgreSQL, for sites of several processes: nothing is missed by
anybody, however often the server goes away.

One connection listens and one speaks. What cannot be said is kept until it can; whoever has not
listened for a while is told that everything may have changed. Both ask for a sign of life now and
then, so that a connection that has died in silence is noticed.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Any

from litestar.channels.backends.base import ChannelsBackend
from psycopg import AsyncConnection, Error
from psycopg.sql import SQL, Identifier

AGAIN_SECONDS = 1.0  # between two tries to connect
BEAT_SECONDS = 5.0  # between two signs of life
LIMIT_SECONDS = 5.0  # for an answer
MOST_UNSAID = 1000
LOST = (Error, OSError, TimeoutError)
SAY = "SELECT pg_notify(%s, said) FROM unnest(%s::text[]) AS said"

log = logging.getLogger("samovar.web")


class PostgresChannels(ChannelsBackend):
    """One channel; `everything` is the message that stands for all others."""

    def __init__(self, address: str, channel: str, everything: str) -> None:
        self._address, self._channel, self._everything = address, channel, everything
        self._heard: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue()
        self._unsaid: dict[str, None] = {}  # in the order in which it came
        self._to_say = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def on_startup(self) -> None:
        self._tasks = [asyncio.create_task(self._again_and_again(work)) for work in (self._listen, self._speak)]

    async def on_shutdown(self) -> None:
        # A connection that is cut at the same moment may swallow the order to end: then it is said again.
        while running := [task for task in self._tasks if not task.done()]:
            for task in running:
                task.cancel()
            await asyncio.wait(running, timeout=LIMIT_SECONDS)
        if self._unsaid:
            with suppress(*LOST):
                async with asyncio.timeout(LIMIT_SECONDS), await self._connect() as connection:
                    await self._say(connection)

    async def publish(self, data: bytes, channels: Iterable[str]) -> None:
        self._keep([data.decode()])

    async def subscribe(self, channels: Iterable[str]) -> None: ...

    async def unsubscribe(self, channels: Iterable[str]) -> None: ...

    async def stream_events(self) -> AsyncGenerator[tuple[str, bytes], None]:
        while True:
            yield await self._heard.get()

    async def get_history(self, channel: str, limit: int | None = None) -> list[bytes]:
        return []

    async def _again_and_again(self, work: Callable[[], Awaitable[None]]) -> None:
        last_error = ""
        while True:
            began = time.monotonic()
            try:
                await work()
            except LOST as error:
                if str(error) != last_error:  # once, not at every try
                    log.error("changes cannot be announced through the database, trying again: %s", error)
                last_error = str(error)
            await asyncio.sleep(began + AGAIN_SECONDS - time.monotonic())

    async def _listen(self) -> None:
        async with await self._connect() as connection:
            await connection.execute(SQL("LISTEN {}").format(Identifier(self._channel)))
            self._hear(self._everything)  # that was said before
            while True:
                async for notify in connection.notifies(timeout=BEAT_SECONDS):
                    self._hear(notify.payload)
                async with asyncio.timeout(LIMIT_SECONDS):
                    await connection.execute("SELECT 1")

    async def _speak(self) -> None:
        async with await self._connect() as connection:
            while True:
                async with asyncio.timeout(LIMIT_SECONDS):
                    await self._say(connection)
                with suppress(
                    TimeoutError
                ):  # not `wait_for`, which forgets that it was cancelled when this comes true then
                    async with asyncio.timeout(BEAT_SECONDS):
                        await self._to_say.wait()

    async def _say(self, connection: AsyncConnection[Any]) -> None:
        """All at once; nothing is a sign of life."""
        saying, self._unsaid = list(self._unsaid), {}
        self._to_say.clear()
        try:
            await connection.execute(SAY, (self._channel, saying))
        except BaseException:
            self._keep(saying)
            raise

    async def _connect(self) -> AsyncConnection[Any]:
        return await AsyncConnection[Any].connect(self._address, autocommit=True, connect_timeout=round(LIMIT_SECONDS))

    def _hear(self, message: str) -> None:
        self._heard.put_nowait((self._channel, message.encode()))

    def _keep(self, messages: Iterable[str]) -> None:
        self._unsaid.update(dict.fromkeys(messages))
        if len(self._unsaid) > MOST_UNSAID:
            self._unsaid = {self._everything: None}
        self._to_say.set()
