"""Litestar's channels over PostgreSQL, for sites of several processes: with one connection to speak through, and a listener that comes back
after the server was away."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from litestar.channels.backends.psycopg import PsycoPgChannelsBackend
from psycopg import AsyncConnection, Error
from psycopg.sql import SQL, Identifier

AGAIN_SECONDS = 1.0

log = logging.getLogger("samovar.web")


class PostgresChannels(PsycoPgChannelsBackend):
    _speaker: AsyncConnection[Any] | None = None

    async def on_shutdown(self) -> None:
        await super().on_shutdown()
        await self._hang_up()

    async def publish(self, data: bytes, channels: Iterable[str]) -> None:
        """A message that cannot be sent is dropped: those who watch look again when the next one comes."""
        try:
            if self._speaker is None or self._speaker.closed:
                self._speaker = await AsyncConnection[Any].connect(self._pg_dsn, autocommit=True)
            for channel in channels:
                await self._speaker.execute("SELECT pg_notify(%s, %s)", (channel, data.decode()))
        except Error as error:
            log.error("a change could not be announced: %s", error)
            await self._hang_up()

    async def _hang_up(self) -> None:
        speaker, self._speaker = self._speaker, None
        if speaker is not None:
            with suppress(Error):
                await speaker.close()

    async def _listen(self) -> None:
        while not self._stop_listening:
            try:
                async for notify in self._listener_conn.notifies(timeout=0.1):
                    self._event_queue.put_nowait((notify.channel, notify.payload.encode()))
            except Error as error:
                log.error("the database does not tell of changes, trying again: %s", error)
                await asyncio.sleep(AGAIN_SECONDS)
                await self._listen_again()

    async def _listen_again(self) -> None:
        with suppress(Error):
            self._listener_conn = await AsyncConnection[Any].connect(self._pg_dsn, autocommit=True)
            self._exit_stack.push_async_exit(self._listener_conn)
            for channel in self._subscribed_channels:
                await self._listener_conn.execute(SQL("LISTEN {}").format(Identifier(channel)))
