"""Abandoned tables are removed: those that never began, and those that bots play among themselves. Finished ones are,
too, if the owners of the site want it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from samovar.errors import StoreError
from samovar.web.store.queries import owning
from samovar.web.store.store import Store

DAY = 24 * 3600.0
WAITING_SECONDS = 7 * DAY  # without a change, at a table that has not begun
BOTS_SECONDS = DAY  # without a change, at a table where nobody ever sat
LOOK_SECONDS = 600.0

log = logging.getLogger("samovar.web")


class Sweeper:
    """`forget` is told of every table that was removed."""

    def __init__(self, store: Store, forget: Callable[[str], None]) -> None:
        self._store, self._forget = store, forget
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def sweep(self) -> None:
        """As often as there is something: a transaction removes some of them, and lets moves
        through before the next."""
        over = DAY * (await self._store.first(owning.KEEPS) or 0)  # as owners of the site want it
        while removed := await self._store.sweep(WAITING_SECONDS, BOTS_SECONDS, over):
            for table_id in removed:
                self._forget(table_id)

    async def _work(self) -> None:
        while True:
            try:
                await self.sweep()
            except StoreError as error:
                log.error("abandoned tables could not be removed: %s", error)
            await asyncio.sleep(LOOK_SECONDS)
