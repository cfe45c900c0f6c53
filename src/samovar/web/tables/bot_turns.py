"""The bots' turns at all tables: one process thinks about each, and a turn that nobody has in hand
is taken up again."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from samovar.errors import BotFailed, StoreError
from samovar.web import figures, problems
from samovar.web.jobs.bot_pool import IDLE_SECONDS, BotPool, Question
from samovar.web.store.entries import AnyEntry
from samovar.web.store.store import Store
from samovar.web.tables.table import Table

SWEEP_SECONDS = 1.0
# A turn is free for others as soon as its process has ended; so long after it was renewed last where that is not
# known, because a machine has lost its power or its network.
LEASE_SECONDS = 15.0
RENEW_SECONDS = 5.0

LookAtTable = Callable[[str], Awaitable[Table]]
Do = Callable[[str, Callable[[Table], list[AnyEntry]]], Awaitable[Table]]

log = logging.getLogger("samovar.web")


class BotTurns:
    """`look` gives a table as it is, `do` makes an action happen at it: the tables's ways, as for
    people."""

    def __init__(self, store: Store, bot_pool: BotPool, *, look: LookAtTable, do: Do, pause: float) -> None:
        self._store, self._bot_pool = store, bot_pool
        self._look, self._do = look, do
        self._pause = pause
        self._owner = store.process
        self._tasks: dict[str, asyncio.Task[None]] = {}  # who waits for a bot, by table
        self._keepers: list[asyncio.Task[None]] = []
        # tables that cannot be played here, by older rules or of a game that is not installed
        self._stuck: set[str] = set()
        self._failed: set[str] = set()  # tables whose last try failed; it is told once

    async def start(self) -> None:
        self._keepers.append(asyncio.create_task(self._sweep()))
        if not self._store.exclusive:
            self._keepers.append(asyncio.create_task(self._renew()))

    async def close(self) -> None:
        """Lets go of all turns, so that others need not wait for the leases to end."""
        tasks = [*self._keepers, *self._tasks.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if not self._store.exclusive:
            with suppress(StoreError):
                await self._store.release(self._owner)

    def are_played(self, table_id: str) -> bool:
        """Whether this process has the bots of a table in hand."""
        return table_id in self._tasks

    def wake(self, table: Table) -> None:
        if table.bots_to_move and not self.are_played(table.id):
            task = asyncio.create_task(self._play(table.id))
            self._tasks[table.id] = task
            task.add_done_callback(lambda done: self._rested(table.id, done))

    def _rested(self, table_id: str, task: asyncio.Task[None]) -> None:
        self._tasks.pop(table_id, None)
        if task.cancelled():
            return
        if task.exception() is None:
            self._failed.discard(table_id)
        elif table_id not in self._failed:
            self._failed.add(table_id)
            log.error("a bot's turn failed, it is taken up again", exc_info=task.exception())

    async def _play(self, table_id: str) -> None:
        """The bots' turns at a table, one after the other, until it is a person's or the end."""
        while True:
            try:
                table = await self._look(table_id)
            except problems.NoSuchTable:  # it was closed while they played
                return
            seats, revision = table.bots_to_move, table.revision
            if not seats or not await self._claim(table):
                return
            began = time.monotonic()
            seat = seats[0]
            move = await self._move(table, seat)
            # people want to see one move after the other
            await asyncio.sleep(max(0.0, self._pause - (time.monotonic() - began)))
            try:
                await self._do(table_id, partial(bot_move, seat=seat, move=move, revision=revision))
                figures.BOT_MOVES.add()
            except problems.Busy:  # not before the next sweep: a bot that thinks on and on mends no disk
                raise
            except problems.Problem:  # the table has moved on, or the person has come back: look again
                continue

    async def _claim(self, table: Table) -> bool:
        """A bot's turn belongs to one process. With a database of one's own there is no other."""
        return self._store.exclusive or await self._store.claim(table.id, table.head, self._owner, LEASE_SECONDS)

    async def _renew(self) -> None:
        """A long thought, or a long queue of them, must not look like the end of this process."""
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            with suppress(StoreError):
                await self._store.renew(self._tasks, self._owner, LEASE_SECONDS)

    async def _move(self, table: Table, seat: int) -> int:
        asked = question(table, seat, table.chairs[seat].level)
        has_people = any(chair.key_salt for chair in table.chairs)
        try:
            return (await self._bot_pool.think(asked, people=has_people)).move
        except BotFailed as error:  # better any move than a table that stands still
            figures.CHANCE_MOVES.add()
            log.error("a bot could not answer, any move is made: %s", error)
            return random.choice(asked.legal)

    async def _sweep(self) -> None:
        """Takes up bots' turns that nobody has in hand: after a restart, and when another process
        has died."""
        while True:
            with suppress(StoreError):
                if not self._store.exclusive:
                    await self._store.release_gone()
                async for table_id in self._store.bot_turns():
                    if not self.are_played(table_id) and table_id not in self._stuck:
                        await self._take_up(table_id)
                if not self._store.exclusive:
                    self._bot_pool.keep_ready(await self._store.bot_games(IDLE_SECONDS))
            await asyncio.sleep(SWEEP_SECONDS)

    async def _take_up(self, table_id: str) -> None:
        try:
            self.wake(await self._look(table_id))
        except (problems.Busy, problems.NoSuchTable):  # next time, or gone
            pass
        except Exception as error:  # its log says the same whenever it is read
            self._stuck.add(table_id)
            log.error("the bots of a table cannot play here: %r", error)


def question(table: Table, seat: int, bot: str) -> Question:
    """What a bot in this chair is asked, for its turn or for a hint."""
    match = table.playing.copy()
    return Question(
        game=table.game.id,
        bot=bot,
        bot_seed=table.bot_seed(seat),
        seat=lambda: match.seat(seat).to_bytes(),
        legal=tuple(match.legal(seat)),
    )


def bot_move(table: Table, seat: int, move: int, revision: int) -> list[AnyEntry]:
    """The move of a bot that still sits there and is to move: a pause may have begun meanwhile."""
    if seat not in table.bots_to_move:
        raise problems.MovedOn
    return table.move(seat, move, revision)
