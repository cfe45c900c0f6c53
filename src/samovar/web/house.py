"""All tables of the site. Every deed goes the same way: one at a time for each table, checked, made, committed, announced.

Tables are kept in memory as long as there is room and are rebuilt from their log when they are asked for; nothing lives here that another process
could not rebuild. With a database that several processes write to (`Store.exclusive` is false) a table is brought up to date before it is looked at.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from samovar.engine.contract import Value
from samovar.engine.registry import find_game
from samovar.errors import BotFailed, StoreError, Taken, UnknownGame
from samovar.web import problems
from samovar.web.store import Entry, Listed, Store, Summary
from samovar.web.table import Deed, Settings, Table, check_level
from samovar.web.thinking import Question, Thinkers, Thought

KEPT_TABLES = 4000
SWEEP_SECONDS = 10.0
CLAIM_SECONDS = 90.0
HINT = "search:2000"

log = logging.getLogger("samovar.web")


@dataclass
class Held:
    """A table in memory, and the lock that lets one deed at a time through."""

    table: Table | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class House:
    def __init__(self, store: Store, thinkers: Thinkers, secret: bytes, *, announce: Callable[[str], None], bot_pause: float = 0.6) -> None:
        self.store = store
        self.thinkers = thinkers
        self.secret = secret
        self.counts: Counter[str] = Counter()
        self.began = time.monotonic()
        self._announce = announce
        self._pause = bot_pause
        self._owner = secrets.token_hex(8)
        self._held: OrderedDict[str, Held] = OrderedDict()
        self._bots: dict[str, asyncio.Task[None]] = {}  # who waits for a bot, by table
        self._sweeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self.thinkers.start()
        self._sweeper = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        tasks = [task for task in (self._sweeper, *self._bots.values()) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.thinkers.close()

    # Looking

    async def look(self, table_id: str) -> Table:
        """The table as it is committed. To be read before the next `await`: after that it may have changed."""
        held = self._hold(table_id)
        async with held.lock:
            return await self._fresh(table_id, held)

    async def tables_of(self, person: str) -> list[Listed]:
        return await self.store.tables_of(person)

    async def open_tables(self) -> list[Listed]:
        return await self.store.open_tables()

    # Deeds

    async def open(
        self, game_id: str, seats: int, options: dict[str, Value], settings: Settings, levels: Sequence[str], previous: Table | None = None
    ) -> Table:
        """A new table. Its people sit down one by one, or, when it follows another table, as they sat there."""
        try:
            game = find_game(game_id)
        except UnknownGame as error:
            raise problems.NoSuchGame(game=game_id) from error
        for level in levels:
            if level:
                check_level(level)
        deeds = Table.opening(game, seats, options, settings, levels, secrets.randbits(63), secrets.token_hex(16))
        people = [chair for chair in previous.chairs if chair.nonce] if previous else []
        for chair in people:
            person, *devices = sorted(chair.persons)
            told = {"seat": chair.seat, "person": person, "name": chair.name, "nonce": secrets.token_hex(8), "for_program": chair.for_program}
            deeds += [("sit", told), *(("come", {"seat": chair.seat, "person": device}) for device in devices)]
        if len(people) + sum(map(bool, levels)) == seats:
            deeds.append(("start", {}))
        table_id = secrets.token_urlsafe(9)
        held = self._hold(table_id)
        async with held.lock:
            held.table = Table(table_id, self._entries(-1, deeds[:1])[0])
            await self._write(held, deeds[1:], opening=deeds[0])
            return held.table

    async def sit(self, table_id: str, person: str, name: str, seat: int | None = None, *, for_program: bool = False) -> tuple[Table, int]:
        nonce = secrets.token_hex(8)
        table = await self._do(table_id, lambda table: table.sit(person, name, nonce, seat, for_program=for_program))
        return table, next(chair.seat for chair in table.chairs if chair.nonce == nonce)

    async def begin(self, table_id: str, person: str, level: str) -> Table:
        return await self._do(table_id, lambda table: table.begin(person, level))

    async def come(self, table_id: str, person: str, key: str) -> Table:
        return await self._do(table_id, lambda table: table.come(person, table.seat_with(key, self.secret)))

    async def come_back(self, table_id: str, person: str) -> Table:
        return await self._do(table_id, lambda table: table.come(person, table.seated(person)))

    async def hand_over(self, table_id: str, person: str, seat: int, level: str) -> Table:
        return await self._do(table_id, lambda table: table.hand_over(person, seat, level))

    async def move(self, table_id: str, who: str | int | Callable[[Table], int], move: int | str, ply: int) -> Table:
        """A move by a person, by whoever has proved to sit on a seat, or by the seat that the table is asked for."""

        def seat_at(table: Table) -> int:
            if isinstance(who, int):
                return who
            return table.seated(who) if isinstance(who, str) else who(table)

        table = await self._do(table_id, lambda table: table.move(seat_at(table), move, ply))
        self.counts["moves"] += 1
        return table

    async def take_back(self, table_id: str, person: str) -> Table:
        held = self._hold(table_id)
        async with held.lock:
            table = await self._fresh(table_id, held)
            seat = table.seated(person)
            table.last_own_move(seat)
            is_free = await asyncio.to_thread(table.playing.copy().can_undo, seat)  # takes a while where much is hidden
            await self._write(held, table.take_back(seat, is_free=is_free))
        return table

    async def answer(self, table_id: str, person: str, *, agrees: bool) -> Table:
        return await self._do(table_id, lambda table: table.answer(table.seated(person), agrees=agrees))

    async def say(self, table_id: str, person: str, text: str, *, is_phrase: bool) -> Table:
        self.counts["remarks"] += 1
        return await self._do(table_id, lambda table: table.say(table.seated(person), text, is_phrase=is_phrase))

    async def say_at(self, table_id: str, seat: int, text: str) -> Table:
        self.counts["remarks"] += 1
        return await self._do(table_id, lambda table: table.say(seat, text, is_phrase=False))

    async def play_again(self, table_id: str, person: str) -> str:
        """A new table with the same people; whoever asks second finds the one that is there."""
        old = await self.look(table_id)
        if old.again is None:
            old.go_on_at(person, "")
            levels = [chair.level if chair.kind == "bot" else "" for chair in old.chairs]
            new = await self.open(old.game.id, old.seats, {**old.options, "first": None}, old.settings, levels, previous=old)
            with suppress(problems.MovedOn):
                old = await self._do(table_id, lambda table: [] if table.again else table.go_on_at(person, new.id))
        return str(old.again)

    async def hint(self, table_id: str, person: str) -> tuple[Table, Thought]:
        """What the search would play in this chair, knowing what it knows."""
        table = await self.look(table_id)
        seat, ply = table.seated(person), table.ply
        if not table.settings.hints:
            raise problems.NotSwitchedOn
        if seat not in table.actors:
            raise problems.NotYourTurn
        thought = await self.thinkers.think(self._question(table, seat, HINT))
        table = await self.look(table_id)
        if table.ply != ply:
            raise problems.MovedOn
        return table, thought

    # Records

    async def keep_record(self, record: dict[str, Any]) -> str:
        """A record from elsewhere, to be looked at here."""
        record_id = secrets.token_urlsafe(9)
        summary = Summary(record["game"], record["seats"], "over", is_open=False, actors=0, bot_turn=False, free=0)
        await self.store.append(record_id, self._entries(-1, [("record", {"record": record})]), summary)
        return record_id

    async def record(self, table_id: str) -> dict[str, Any]:
        """Of a table whose match is over, or one from elsewhere."""
        try:
            return (await self.look(table_id)).record()
        except problems.NoSuchTable:
            entries = await self.store.load(table_id)
            if not entries:
                raise
            return dict(entries[0].data["record"])

    # Inside

    def _hold(self, table_id: str) -> Held:
        held = self._held.get(table_id)
        if held is None:
            held = self._held[table_id] = Held()
            if len(self._held) > KEPT_TABLES:
                self._make_room()
        else:
            self._held.move_to_end(table_id)
        return held

    def _make_room(self) -> None:
        """Forgets the table that nobody has asked for the longest; its log has it."""
        for table_id, held in self._held.items():
            if not held.lock.locked() and table_id not in self._bots:
                del self._held[table_id]
                return

    async def _fresh(self, table_id: str, held: Held) -> Table:
        """The table with all that is in its log. The caller has the lock."""
        table = held.table
        try:
            if table is None:
                entries = await self.store.load(table_id)
                if not entries or entries[0].kind != "open":
                    self._held.pop(table_id, None)
                    raise problems.NoSuchTable
                table = Table(table_id, entries[0])
                entries = entries[1:]
            elif self.store.exclusive or await self.store.head(table_id) == table.head:
                return table
            else:
                entries = await self.store.load(table_id, after=table.head)
        except StoreError as error:
            log.error("a table cannot be read: %s", error)
            raise problems.Busy from error
        for entry in entries:
            table.apply(entry)
        held.table = table
        self._wake_bots(table)
        return table

    async def _do(self, table_id: str, deeds: Callable[[Table], list[Deed]]) -> Table:
        """One deed: checked against the table as it is, committed, announced. Tried again when another process was faster."""
        held = self._hold(table_id)
        async with held.lock:
            while True:
                table = await self._fresh(table_id, held)
                try:
                    await self._write(held, deeds(table))
                    return table
                except Taken:
                    continue  # the table has changed: the check above says whether the deed still stands

    async def _write(self, held: Held, deeds: Sequence[Deed], opening: Deed | None = None) -> None:
        """Makes deeds happen, commits them, tells everybody. What cannot be committed has not happened: the table is then rebuilt from its log."""
        table = held.table
        assert table is not None
        if not deeds and opening is None:
            return
        entries = self._entries(table.head, deeds)
        holders = [(entry.data["person"], entry.data["seat"]) for entry in entries if entry.kind in ("sit", "come")]
        first = self._entries(-1, [opening]) if opening else []
        try:
            for entry in entries:
                table.apply(entry)
            await self.store.append(table.id, [*first, *entries], table.summary(), holders)
        except problems.NotPossible:  # a move that is not legal: the match is as it was
            raise
        except Taken:
            held.table = None
            raise
        except StoreError as error:
            held.table = None
            log.error("an entry cannot be written: %s", error)
            raise problems.Busy from error
        except BaseException:
            held.table = None
            raise
        self._announce(table.id)
        self._wake_bots(table)

    @staticmethod
    def _entries(head: int, deeds: Sequence[Deed]) -> list[Entry]:
        now = time.time_ns() // 1_000_000
        return [Entry(number, kind, data, now) for number, (kind, data) in enumerate(deeds, head + 1)]

    # Bots

    def _wake_bots(self, table: Table) -> None:
        if table.bots_to_move and table.id not in self._bots:
            task = asyncio.create_task(self._play_bots(table.id))
            self._bots[table.id] = task
            task.add_done_callback(lambda done: self._rested(table.id, done))

    def _rested(self, table_id: str, task: asyncio.Task[None]) -> None:
        self._bots.pop(table_id, None)
        if not task.cancelled() and task.exception():
            log.error("a bot's turn failed, it is taken up again", exc_info=task.exception())

    async def _play_bots(self, table_id: str) -> None:
        """The bots' turns at a table, one after the other, until it is a person's or the end."""
        while True:
            table = await self.look(table_id)
            seats, ply = table.bots_to_move, table.ply
            if not seats or not await self._claim(table):
                return
            began = time.monotonic()
            seat = seats[0]
            move = await self._bot_move(table, seat)
            await asyncio.sleep(max(0.0, self._pause - (time.monotonic() - began)))  # people want to see one move after the other
            with suppress(problems.Problem):  # the table has moved on, or the person has come back: look again
                await self._do(table_id, lambda table, seat=seat, move=move, ply=ply: _bot_deed(table, seat, move, ply))  # type: ignore[misc]
                self.counts["bot_moves"] += 1

    async def _claim(self, table: Table) -> bool:
        """A bot's turn belongs to one process. With a database of one's own there is no other."""
        return self.store.exclusive or await self.store.claim(table.id, table.head, self._owner, CLAIM_SECONDS)

    async def _bot_move(self, table: Table, seat: int) -> int:
        question = self._question(table, seat, table.chairs[seat].level)
        legal = table.playing.legal(seat)
        try:
            return (await self.thinkers.think(question)).move
        except BotFailed as error:  # better any move than a table that stands still
            self.counts["bots_failed"] += 1
            log.error("a bot could not answer, any move is made: %s", error)
            return random.choice(legal)

    def _question(self, table: Table, seat: int, bot: str) -> Question:
        match = table.playing
        return Question(
            game=table.game.id,
            seats=table.seats,
            options=dict(table.options),
            seed=table.deal,
            moves=tuple(match.history),
            seat=seat,
            bot=bot,
            bot_seed=table.bot_seed(seat),
        )

    async def _sweep(self) -> None:
        """Takes up bots' turns that nobody has in hand: after a restart, and when another process has died."""
        while True:
            waiting: list[tuple[str, int]] = []
            with suppress(StoreError):
                waiting = await self.store.bot_turns()
            for table_id, _ in waiting:
                if table_id not in self._bots:
                    with suppress(problems.Problem):
                        self._wake_bots(await self.look(table_id))
            await asyncio.sleep(SWEEP_SECONDS)

    # For those who watch over it

    async def metrics(self) -> dict[str, float]:
        counted = {f"tables_{status}": float(await self.store.count(status)) for status in ("waiting", "playing", "over")}
        thought: dict[str, Any] = {f"bots_{name}": value for name, value in self.thinkers.metrics().items()}
        return {"uptime_seconds": time.monotonic() - self.began, "tables_in_memory": len(self._held), **counted, **self.counts, **thought}


def _bot_deed(table: Table, seat: int, move: int, ply: int) -> list[Deed]:
    if not table.chairs[seat].level:
        raise problems.MovedOn
    return table.move(seat, move, ply)
