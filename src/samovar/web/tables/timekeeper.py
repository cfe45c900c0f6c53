"""Sees to it that time runs out when it does, and not while the site is away.

The row of a table says when its next player runs out of time (`tables.due`), so one short question
a second finds all tables where that has happened, after a restart, too. What follows is an entry
like any other: of several processes that want to write it one does.

As long as any clock runs, a beat is kept in the database. Where it stops, nobody could play: the
processes had ended, or the machine slept. That time counts for nobody.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

from samovar.errors import StoreError
from samovar.web import problems
from samovar.web.store.entries import AnyEntry
from samovar.web.store.queries import facts
from samovar.web.store.store import DUE, FIRST_DUE, Store
from samovar.web.tables import clock
from samovar.web.tables.post.ahead import MovesAhead
from samovar.web.tables.table import Table

LOOK_SECONDS = 1.0
BEAT = 2 * clock.SECOND
LONGEST_SILENCE = 5 * clock.SECOND  # between two beats of a site that is there

BEAT_FACT = "beat"  # its name in the database

TableAction = Callable[[Table], list[AnyEntry]]
DoInTime = Callable[[str, TableAction], Awaitable[Table]]

log = logging.getLogger("samovar.web")


class Timekeeper:
    """`do` makes an action happen at a table, as for people; `moves_ahead` makes those that are due."""

    def __init__(self, store: Store, *, do: DoInTime, moves_ahead: MovesAhead) -> None:
        self._store, self._do, self._moves_ahead = store, do, moves_ahead
        self.was_here = 0  # the last moment at which the site was surely there
        self._beat = 0  # the last one that this process has kept
        self._task: asyncio.Task[None] | None = None
        self._stuck: set[str] = set()  # tables that cannot be played here, by older rules say

    async def start(self) -> None:
        """Before anybody can play. Where others share the database, one of them may be there: only a
        long silence shows that none was."""
        self.was_here = await self._last_beat()
        if self._store.exclusive:
            await self._make_up()
        self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            with suppress(StoreError):
                await self._keep_beat(clock.now(), await self._store.first(FIRST_DUE))

    async def look(self) -> None:
        """What must be done now."""
        moment = clock.now()
        if moment - self.was_here > LONGEST_SILENCE:
            self.was_here = max(self.was_here, await self._last_beat())
        if moment - self.was_here > LONGEST_SILENCE:
            await self._make_up()
        first = await self._store.first(FIRST_DUE)
        if first is not None and first <= moment:
            await self._at_all(moment, _run_out)
        await self._moves_ahead.see_to_all(moment)
        if moment - self._beat >= BEAT:
            await self._keep_beat(moment, first)
        self.was_here = moment

    async def _work(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except StoreError as error:  # nobody can play either
                log.error("clocks cannot be looked at: %s", error)

    async def _make_up(self) -> None:
        """Gives everybody back the time in which the site was away; by post only those who have
        little left."""
        since, moment = self.was_here, clock.now()
        await self._at_all(
            moment + clock.DAY, lambda table: table.clocks.make_up(since, moment) if table.clocks else []
        )
        self.was_here = moment

    async def _at_all(self, moment: int, action: TableAction) -> None:
        """At all tables where time runs out until this moment."""
        for table_id in await self._store.rows(DUE, moment=moment):
            if table_id not in self._stuck:
                await self._at(table_id, action)

    async def _at(self, table_id: str, action: TableAction) -> None:
        try:
            await self._do(table_id, action)
        except (problems.Busy, problems.NoSuchTable):  # next time, or gone
            pass
        except Exception as error:  # its log says the same whenever it is read
            self._stuck.add(table_id)
            log.error("the clocks of a table cannot be kept here: %r", error)

    async def _last_beat(self) -> int:
        return int(await self._store.first(facts.VALUE, name=BEAT_FACT) or 0)

    async def _keep_beat(self, moment: int, first_due: int | None) -> None:
        if first_due is not None:
            await self._store.do(facts.keep, BEAT_FACT, str(moment))
            self._beat = moment


def _run_out(table: Table) -> list[AnyEntry]:
    return table.run_out(clock.now())
