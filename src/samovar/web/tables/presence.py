"""Who is at which table. Presence decides nothing but what is offered to the others: a bot may play
for somebody who is really away.

Somebody is here who has a stream open or has asked for anything lately. Every process knows its own
visitors; where there are several, each tells the database now and then, and asks it for the
others'.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Iterable
from contextlib import suppress

from samovar.errors import StoreError
from samovar.web.site import AWAY_SECONDS
from samovar.web.store.store import Store
from samovar.web.tables.table import Table

TELL_SECONDS = 10.0
KEPT_SECONDS = 24 * 3600.0  # for that long pages say since when somebody is away
NEVER = -math.inf  # not 0: the clock of a machine that has just started is near it

Away = frozenset[tuple[int, int]]  # each seat with the time of its last sign, in seconds since 1970

log = logging.getLogger("samovar.web")


class Presence:
    def __init__(self, store: Store, away_seconds: float = AWAY_SECONDS) -> None:
        self.away_seconds = away_seconds
        self._store = store
        self._began = time.monotonic()  # nobody counts as away because the site was
        self._seen: dict[tuple[str, int], float] = {}
        # by table: when other processes were asked, and when they saw each seat
        self._elsewhere: dict[str, tuple[float, dict[int, float]]] = {}
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._tell())

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def touch(self, table_id: str, seat: int) -> None:
        """A sign of life."""
        self._seen[table_id, seat] = time.monotonic()

    def away(self, table: Table) -> Away:
        """The seats whose people have given no sign for so long that a bot may play for them, and
        since when. By post nobody is told: a move of somebody who is away would be known as one made ahead."""
        if table.is_by_post:
            return frozenset()
        return frozenset(
            (chair.seat, self._minute(table.id, chair.seat))
            for chair in table.chairs
            if chair.kind == "person" and self.is_away(table.id, chair.seat)
        )

    def is_away(self, table_id: str, seat: int) -> bool:
        return self._silent_seconds(table_id, seat) > self.away_seconds

    def was_seen(self, table_id: str, seat: int, since: float) -> bool:
        """By this process, since a moment of its clock."""
        return self._seen.get((table_id, seat), NEVER) >= since

    def seconds_since(self, table_id: str, seat: int) -> float:
        """The last sign of life that this process has seen."""
        return time.monotonic() - self._seen.get((table_id, seat), NEVER)

    async def silence(self, table_id: str, seats: Iterable[int]) -> dict[int, float]:
        """How many seconds ago each of these seats gave a sign of life, as all processes know it now;
        those that are missing gave none for long."""
        now = time.monotonic()
        here = {seat: now - self._seen[table_id, seat] for seat in seats if (table_id, seat) in self._seen}
        if self._store.exclusive:
            return here
        elsewhere = await self._store.last_seen(table_id)
        return {seat: min(one.get(seat, math.inf) for one in (here, elsewhere)) for seat in {**here, **elsewhere}}

    def _silent_seconds(self, table_id: str, seat: int) -> float:
        _, elsewhere = self._elsewhere.get(table_id, (NEVER, {}))
        last = max(self._began, self._seen.get((table_id, seat), NEVER), elsewhere.get(seat, NEVER))
        return time.monotonic() - last

    def _minute(self, table_id: str, seat: int) -> int:
        """Of the last sign of life: as fine as people want to know it, and it stays what it is."""
        return int(time.time() - self._silent_seconds(table_id, seat)) // 60 * 60

    async def ask_others(self, table_id: str) -> None:
        """Whom the other processes saw at a table, not more often than they tell."""
        asked, _ = self._elsewhere.get(table_id, (NEVER, {}))
        now = time.monotonic()
        if self._store.exclusive or now - asked < TELL_SECONDS:
            return
        with suppress(StoreError):
            seen = await self._store.last_seen(table_id)
            self._elsewhere[table_id] = now, {seat: now - seconds for seat, seconds in seen.items()}

    async def _tell(self) -> None:
        while True:
            await asyncio.sleep(TELL_SECONDS)
            now = time.monotonic()
            fresh = {key: now - seen for key, seen in self._seen.items() if now - seen <= TELL_SECONDS}
            if fresh and not self._store.exclusive:
                with suppress(StoreError):
                    await self._store.mark_seen(fresh)
            self._forget(now - KEPT_SECONDS)

    def _forget(self, before: float) -> None:
        """Whoever was seen last before that counts as away since the site began."""
        self._seen = {key: seen for key, seen in self._seen.items() if seen > before}
        self._elsewhere = {table_id: asked for table_id, asked in self._elsewhere.items() if asked[0] > before}
