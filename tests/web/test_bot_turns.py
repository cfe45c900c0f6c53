"""Bots go on: after a restart, after a crash, and whatever stands in the database beside their
tables."""

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import text

from samovar.engine.seat import Seat
from samovar.errors import StoreError
from samovar.web import problems
from samovar.web.store import database
from samovar.web.store.entries import Settings
from samovar.web.store.store import LogLine, Store
from samovar.web.tables import bot_turns, sweeper
from support.stores import PLAYING, WAITING, entry
from support.tables import run, tables
from support.visitors import RandomBotPool

BOT_TURN = replace(PLAYING, bot_turn=True)


class Hanging(RandomBotPool):
    """Never answers."""

    async def think(self, question, *, people=True):
        self.asked.append(question)
        await asyncio.Event().wait()


class Slow(RandomBotPool):
    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds

    async def think(self, question, *, people=True):
        await asyncio.sleep(self.seconds)
        return await super().think(question, people=people)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(bot_turns, "SWEEP_SECONDS", 0.1)
    monkeypatch.setattr(bot_turns, "RENEW_SECONDS", 0.2)
    monkeypatch.setattr(bot_turns, "LEASE_SECONDS", 1.0)


@pytest.fixture
def shared(postgresql_server):
    """A database for several processes."""
    return postgresql_server.new_database()


async def bots(one):
    return (await one.open("memoarrrr", 2, {"first": 0}, Settings(), ["easy", "easy"])).id


async def moved(one, table_id, moves=1, seconds=20):
    """Waits without looking at the table, which would wake its bots."""
    async with asyncio.timeout(seconds):
        while sum(line.kind == "move" for line in await one.store.load(table_id)) < moves:
            await asyncio.sleep(0.02)


async def crash(one):
    """As kill -9 does: nothing is released."""
    turns = one.turns
    tasks = [*turns._keepers, *turns._tasks.values()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    turns._owner = "nobody"


async def played_by(one, other):
    """A table whose turn is in one's hand: the other process, which may be the quicker to claim it, rests
    until then."""
    await crash(other)
    table_id = await bots(one)
    async with asyncio.timeout(20):
        while not one.bot_pool.asked:
            await asyncio.sleep(0.02)
    other.turns._owner = other.store.process
    await other.turns.start()
    return table_id


def opening(number, **told):
    facts = {"seats": 2, "options": {}, "settings": {}, "levels": ["easy", "easy"], "seed": 1, "salt": "", "secret": ""}
    return LogLine(0, "open", {"game": "babuschka", "rules": 1, **facts, **told}, number)


def test_tables_that_cannot_be_played_here_do_not_stop_the_others(database_url, quick, caplog):
    """More of them than fit a page, before all others; and each is told of once."""
    unplayable = [{"game": "chess"}, {"rules": 0}, {"levels": None}]

    async def scene():
        async with tables(database_url, Hanging()) as one:
            table_id = await bots(one)
            for number in range(203):
                await one.store.append(f"!{number}", [opening(number, **unplayable[number % 3])], BOT_TURN)
        caplog.clear()
        async with tables(database_url) as again:
            await moved(again, table_id, 3)
            await asyncio.sleep(0.5)
        assert sum("cannot play here" in line.message for line in caplog.records) == 203

    run(scene())


def test_bots_go_on_at_once_after_a_clean_end(shared, quick, monkeypatch):
    monkeypatch.setattr(bot_turns, "LEASE_SECONDS", 600.0)

    async def scene():
        async with tables(shared, Hanging()) as one:
            table_id = await bots(one)
            while not one.bot_pool.asked:
                await asyncio.sleep(0.02)
        async with tables(shared) as again:
            await moved(again, table_id)

    run(scene())


def test_bots_go_on_in_another_process_when_the_lease_of_a_dead_one_ends(shared, quick):
    async def scene():
        async with tables(shared, Hanging()) as one, tables(shared) as other:
            table_id = await played_by(one, other)
            await asyncio.sleep(2.0)
            assert not other.bot_pool.asked, "the lease was not renewed"
            await crash(one)
            await moved(other, table_id)

    run(scene())


def test_bots_go_on_in_another_process_as_soon_as_the_connections_of_a_dead_one_have_ended(shared, quick, monkeypatch):
    """Though its lease holds for minutes."""
    monkeypatch.setattr(bot_turns, "LEASE_SECONDS", 600.0)

    async def scene():
        async with tables(shared, Hanging()) as one, tables(shared) as other:
            table_id = await played_by(one, other)
            await asyncio.sleep(1.0)
            assert not other.bot_pool.asked, "one is alive"
            own = one.store.process
            await crash(one)
            await one.store.close()
            await moved(other, table_id)
            assert own not in await claimants(other.store)

    run(scene())


def test_a_process_that_does_not_play_is_ready_to_take_over(shared, quick):
    async def scene():
        async with tables(shared, Hanging()) as one, tables(shared) as other:
            await asyncio.sleep(0.5)
            assert not other.bot_pool.ready, "nobody plays"
            await played_by(one, other)
            async with asyncio.timeout(20):
                while other.bot_pool.ready != {"memoarrrr"}:
                    await asyncio.sleep(0.02)
            assert not other.bot_pool.asked

    run(scene())


async def claimants(store):
    return [row.owner for row in await store.all(text("SELECT owner FROM claims"))]


def test_nobody_counts_as_gone_where_names_of_connections_are_hidden(shared, quick, monkeypatch):
    """As a pool between the site and PostgreSQL may do."""
    monkeypatch.setattr(database, "CALLED", "a pool, not ")

    async def scene():
        async with tables(shared, Hanging()) as one, tables(shared) as other:
            await played_by(one, other)
            await asyncio.sleep(0.5)
            assert await claimants(one.store) == [one.store.process]
            assert not other.bot_pool.asked

    run(scene())


def test_a_long_thought_is_thought_once(shared, quick):
    async def scene():
        minds = [Slow(2.0), Slow(2.0)]
        async with tables(shared, minds[0]) as one, tables(shared, minds[1]):
            table_id = await bots(one)
            await moved(one, table_id, 2)
        asked = [Seat.from_bytes(question.seat()).moment for mind in minds for question in mind.asked]
        assert len(asked) == len(set(asked))

    run(scene())


def test_a_bot_whose_move_cannot_be_saved_thinks_again_later_and_that_is_told_once(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(bot_turns, "SWEEP_SECONDS", 0.2)

    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db", Slow(0.01)) as one:
            append = one.store.append
            full = True

            async def write(*given):
                if full and given[1][0].kind == "move":
                    raise StoreError("the disk is full")
                await append(*given)

            monkeypatch.setattr(one.store, "append", write)
            table_id = await bots(one)
            await asyncio.sleep(1.5)
            assert 2 <= len(one.bot_pool.asked) <= 12
            full = False
            await moved(one, table_id)
        assert sum("turn failed" in line.message for line in caplog.records) == 1

    run(scene())


# Sweeping


@pytest.mark.parametrize("elsewhere", [False, True], ids=["by this process", "by another"])
def test_a_table_that_was_swept_is_gone_from_memory_and_whoever_watches_is_told(database_url, elsewhere, monkeypatch):
    if elsewhere and database_url.startswith("sqlite"):
        pytest.skip("SQLite is for one process")

    async def scene():
        async with tables(database_url, Hanging()) as one:
            table = await one.open("babuschka", 2, {}, Settings(), ["", ""])
            played = await bots(one)
            told = []
            one.announce = lambda table_id, number, written: told.append(table_id)
            if elsewhere:
                store = Store(database_url)
                await store.open()
                assert await store.sweep(-60.0, 60.0) == [table.id]
                await store.close()
            else:
                monkeypatch.setattr(sweeper, "WAITING_SECONDS", -60.0)
                await one.sweeper.sweep()
                assert told == [table.id]
            for action in (lambda: one.look(table.id), lambda: one.sit(table.id, "ann", "Ann")):
                with pytest.raises(problems.NoSuchTable):
                    await action()
            assert told[:1] == [table.id]
            assert table.id not in one._cached
            assert (await one.look(played)).status == "playing"

    run(scene())


def test_the_house_sweeps_by_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(sweeper, "LOOK_SECONDS", 0.05)

    async def scene():
        async with tables(f"sqlite:///{tmp_path}/samovar.db") as one:
            await one.store.append("old", [entry(0, at=0)], WAITING)
            async with asyncio.timeout(10):
                while await one.store.head("old") >= 0:
                    await asyncio.sleep(0.02)

    run(scene())
