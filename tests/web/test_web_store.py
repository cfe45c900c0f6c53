"""The store keeps what it acknowledged, and of two that want the same place exactly one gets it."""

import asyncio
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from samovar.errors import StoreError, Taken
from samovar.web.store import writer
from samovar.web.store.store import Listed, LogLine, Store
from support.databases import Server
from support.stores import OVER, PLAYING, WAITING, entry, opened, run


async def outcomes(work: Iterable[Awaitable[Any]]) -> list[Any]:
    """The results of all; an exception is a result."""
    return await asyncio.gather(*work, return_exceptions=True)


def writers(url: str, store: Store) -> tuple[str, ...]:
    """Two processes may write to PostgreSQL; SQLite has one."""
    return (url,) if store.exclusive else (url, url)


def test_a_log_comes_back_as_it_was_written(database_url: str) -> None:
    log = [LogLine(0, "open", {"game": "babuschka", "options": {"expert": True}, "none": None}, 1_700_000_000_000)]
    log += [
        LogLine(1, "say", {"text": "ça va? 🪆 \x00 \" ' \\ %s :at"}, 1_700_000_000_001),
        LogLine(2, "move", {"path": [1, 2.5, "c1-c2"]}, 1_700_000_000_002),
    ]

    async def write(store: Store) -> None:
        await store.append("t1", log[:1], WAITING)
        await store.append("t1", log[1:], WAITING)
        await store.append("t2", [entry(0)], WAITING)

    async def read(store: Store) -> None:
        assert await store.load("t1") == log
        assert await store.load("t1", after=0) == log[1:]
        assert await store.load("t1", after=2) == []
        assert await store.head("t1") == 2
        assert await store.load("t2") == [entry(0)]

    run(database_url, write)
    run(database_url, read)


def test_what_is_not_there(database_url: str) -> None:
    async def work(store: Store) -> None:
        assert await store.load("nowhere") == []
        assert await store.head("nowhere") == -1
        assert await store.tables_of("nobody") == []
        assert await store.open_tables() == []
        assert [table async for table in store.bot_turns()] == []
        assert await store.count("playing") == 0

    run(database_url, work)


@pytest.mark.parametrize(
    "numbers",
    [[0], [1], [3], [3, 4], [1, 2], [2, 4], [2, 2], [3, 2], [-1]],
    ids=lambda numbers: "-".join(str(number) for number in numbers),
)
def test_a_number_that_is_taken_or_leaves_a_gap_writes_nothing(database_url: str, numbers: list[int]) -> None:
    async def work(store: Store) -> None:
        await store.append("t", [entry(0), entry(1)], WAITING, [("ann", 0)])
        before = await store.load("t"), await store.tables_of("ann"), await store.tables_of("ben")
        with pytest.raises(Taken):
            await store.append("t", [entry(number, at=99) for number in numbers], OVER, [("ben", 1)])
        assert (await store.load("t"), await store.tables_of("ann"), await store.tables_of("ben")) == before

    run(database_url, work)


def test_a_log_begins_with_entry_0(database_url: str) -> None:
    async def work(store: Store) -> None:
        with pytest.raises(Taken):
            await store.append("t", [entry(1)], WAITING)
        assert await store.head("t") == -1

    run(database_url, work)


def test_only_json_is_written(database_url: str) -> None:
    async def work(store: Store) -> None:
        with pytest.raises(StoreError, match="JSON"):
            await store.append("t", [entry(0, what=object())], WAITING)
        with pytest.raises(StoreError, match="nothing to append"):
            await store.append("t", [], WAITING)
        assert await store.head("t") == -1

    run(database_url, work)


def test_lists_show_the_last_summary_and_the_times(database_url: str) -> None:
    async def work(store: Store) -> None:
        await store.append("t", [entry(0, at=10), entry(1, at=20)], WAITING, [("ann", 0)])
        assert await store.tables_of("ann") == [Listed("t", WAITING, created=10, changed=20, seat=0)]
        await store.append("t", [entry(2, at=30)], PLAYING, [("ben", 1)])
        assert await store.tables_of("ann") == [Listed("t", PLAYING, created=10, changed=30, seat=0)]
        assert await store.tables_of("ben") == [Listed("t", PLAYING, created=10, changed=30, seat=1)]

    run(database_url, work)


def test_tables_of_a_person_newest_change_first(database_url: str) -> None:
    async def work(store: Store) -> None:
        for number, table in enumerate("abc"):
            await store.append(table, [entry(0, at=number)], WAITING, [("ann", number), ("ben", 1)])
        await store.append("a", [entry(1, at=9)], WAITING)
        assert [(line.table, line.seat) for line in await store.tables_of("ann")] == [("a", 0), ("c", 2), ("b", 1)]
        assert [line.table for line in await store.tables_of("ann", limit=2)] == ["a", "c"]

    run(database_url, work)


def test_current_tables_are_those_a_person_may_want_to_go_to(database_url: str) -> None:
    async def work(store: Store) -> None:
        tables = {
            "others": (replace(PLAYING, people=2, actors=2, names="Ann\nBen"), 50),
            "mine": (replace(PLAYING, people=2), 40),
            "forgotten": (replace(PLAYING, people=2), 10),
            "bots": (PLAYING, 30),
            "old bots": (PLAYING, 20),
            "waiting": (WAITING, 15),
            "over": (OVER, 45),
            "seen": (OVER, 46),
            "old": (OVER, 20),
            "cancelled": (replace(WAITING, status="cancelled"), 60),
        }
        for table, (summary, at) in tables.items():
            await store.append(table, [entry(0, at=at)], summary, [("ann", -1 if table == "cancelled" else 0)])
        await store.mark_end_seen("seen", "ann")
        await store.mark_end_seen("over", "ben")
        current = await store.current_tables_of("ann", soon=25, late=12, limit=9)
        assert [line.table for line in current] == ["mine", "bots", "others", "waiting", "over"]
        assert current[2].summary.names == "Ann\nBen"
        assert len(await store.current_tables_of("ann", soon=25, late=12, limit=3)) == 3
        assert await store.current_tables_of("ben", soon=0, late=0, limit=9) == []
        assert "cancelled" not in {line.table for line in await store.open_tables()}

    run(database_url, work)


def test_a_person_changes_the_seat_and_stands_up(database_url: str) -> None:
    async def work(store: Store) -> None:
        await store.append("t", [entry(0)], WAITING, [("ann", 0)])
        await store.append("t", [entry(1)], WAITING, [("ann", 3)])
        assert [line.seat for line in await store.tables_of("ann")] == [3]
        await store.append("t", [entry(2)], WAITING, [("ann", -1)])
        assert await store.tables_of("ann") == []

    run(database_url, work)


def test_open_tables_can_be_joined_or_watched(database_url: str) -> None:
    listed = {
        "joinable": WAITING,
        "watchable": PLAYING,
        "full": replace(WAITING, free=0),
        "private": replace(WAITING, is_open=False),
        "hidden": replace(PLAYING, is_open=False),
        "past": OVER,
    }

    async def work(store: Store) -> None:
        for number, (table, summary) in enumerate(listed.items()):
            await store.append(table, [entry(0, at=number)], summary, [("ann", 0)])
        assert await store.open_tables() == [
            Listed("watchable", PLAYING, 1, 1, None),
            Listed("joinable", WAITING, 0, 0, None),
        ]
        assert [line.table for line in await store.open_tables(limit=1)] == ["watchable"]
        assert [await store.count(status) for status in ("waiting", "playing", "over", "other")] == [3, 2, 1, 0]

    run(database_url, work)


@pytest.mark.parametrize("table", ["\x00", "a\x00b"], ids=["NUL", "with NUL"])
def test_an_id_that_no_database_can_hold_is_of_no_table(database_url: str, table: str) -> None:
    async def work(store: Store) -> None:
        assert await store.load(table) == []
        assert await store.head(table) == -1

    run(database_url, work)


def test_bot_turns_are_of_tables_that_play(database_url: str) -> None:
    async def work(store: Store) -> None:
        await store.append("a", [entry(0), entry(1)], replace(PLAYING, bot_turn=True))
        await store.append("b", [entry(0)], replace(PLAYING, bot_turn=True, is_open=False))
        await store.append("person", [entry(0)], PLAYING)
        await store.append("over", [entry(0)], replace(OVER, bot_turn=True))
        assert [table async for table in store.bot_turns()] == ["a", "b"]
        await store.append("a", [entry(2)], PLAYING)
        assert [table async for table in store.bot_turns()] == ["b"]

    run(database_url, work)


@pytest.mark.parametrize("page", [1, 2, 3, 7, 8])
def test_bot_turns_are_found_to_the_last_page(database_url: str, page: int) -> None:
    async def work(store: Store) -> None:
        for name in "gfedcba":
            await store.append(name, [entry(0)], replace(PLAYING, bot_turn=True))
        assert [table async for table in store.bot_turns(page)] == list("abcdefg")

    run(database_url, work)


def test_a_bot_turn_that_is_thought_about_is_not_listed(database_url: str) -> None:
    async def work(store: Store) -> None:
        for name in "abc":
            await store.append(name, [entry(0)], replace(PLAYING, bot_turn=True))
        assert await store.claim("a", 0, "one", 60)
        assert await store.claim("b", 0, "one", 0)
        assert [table async for table in store.bot_turns()] == ["b", "c"]
        await store.append("a", [entry(1)], replace(PLAYING, bot_turn=True))  # another turn
        assert [table async for table in store.bot_turns()] == ["a", "b", "c"]

    run(database_url, work)


def test_of_many_appends_of_one_number_one_wins(database_url: str) -> None:
    async def main() -> None:
        async with opened(*writers(database_url, Store(database_url))) as stores:
            for number in range(3):  # 0 makes the table
                work = [
                    stores[i % len(stores)].append("t", [entry(number, by=i)], PLAYING, [(f"p{i}", 0)])
                    for i in range(20)
                ]
                results = await outcomes(work)
                (winner,) = [i for i, result in enumerate(results) if result is None]
                assert [type(result) for i, result in enumerate(results) if i != winner] == [Taken] * 19
                assert await stores[-1].load("t", after=number - 1) == [entry(number, by=winner)]
                assert await stores[0].tables_of(f"p{winner}")

    asyncio.run(main())


def test_two_processes_that_write_to_the_same_tables_do_not_lock_each_other(database_url: str) -> None:
    async def main() -> None:
        async with opened(*writers(database_url, Store(database_url))) as stores:
            for number in range(5):
                order = [f"t{i}" for i in range(12)]
                there = [stores[0].append(table, [entry(number)], PLAYING) for table in order]
                back = [stores[-1].append(table, [entry(number)], PLAYING) for table in reversed(order)]
                results = await outcomes(there + back)
                assert [result for result in results if not (result is None or isinstance(result, Taken))] == []
                assert sum(result is None for result in results) == 12

    asyncio.run(main())


def test_of_many_claims_one_holds(database_url: str) -> None:
    async def main() -> None:
        async with opened(*writers(database_url, Store(database_url))) as stores:
            for number in range(3):  # a new turn is free at once, whatever was claimed before
                results = await outcomes(
                    stores[i % len(stores)].claim("t", number, f"owner {i}", 60) for i in range(20)
                )
                assert sorted(results) == [False] * 19 + [True]

    asyncio.run(main())


def test_a_claim_is_renewed_by_its_owner_and_ends_by_itself(database_url: str) -> None:
    async def work(store: Store) -> None:
        assert await store.claim("t", 4, "one", 60)
        assert not await store.claim("t", 4, "two", 60)
        assert await store.claim("t", 4, "one", 0.05)
        await asyncio.sleep(0.1)
        assert await store.claim("t", 4, "two", 60)
        assert not await store.claim("t", 4, "one", 60)
        assert await store.claim("u", 4, "one", 60)

    run(database_url, work)


def test_a_turn_that_is_past_cannot_be_claimed(database_url: str) -> None:
    async def work(store: Store) -> None:
        assert await store.claim("t", 5, "one", 0)
        assert not await store.claim("t", 4, "one", 60)
        assert not await store.claim("t", 4, "two", 60)
        assert await store.claim("t", 6, "two", 60)

    run(database_url, work)


def test_claims_are_renewed_together_and_only_ones_own(database_url: str) -> None:
    async def work(store: Store) -> None:
        for name, owner in {"a": "one", "b": "one", "c": "two"}.items():
            assert await store.claim(name, 0, owner, 0.3)
        await store.renew(["c", "a", "nowhere"], "one", 60)
        await asyncio.sleep(0.4)
        assert [await store.claim(name, 0, "three", 60) for name in "abc"] == [False, True, True]

    run(database_url, work)


def test_released_claims_are_free_at_once(database_url: str) -> None:
    async def work(store: Store) -> None:
        for name, owner in {"a": "one", "b": "one", "c": "two"}.items():
            assert await store.claim(name, 0, owner, 60)
        await store.release("one")
        assert [await store.claim(name, 0, "three", 60) for name in "abc"] == [True, True, False]

    run(database_url, work)


class Gate:
    """Keeps the writer waiting until all is queued, and counts what it takes then."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.open = threading.Event(), threading.Event()
        self.sizes: list[int] = []
        self._write = writer.write_together
        monkeypatch.setattr(writer, "write_together", self)

    def __call__(self, connection: Any, statements: Any, jobs: Any) -> Any:
        self.reached.set()
        assert self.open.wait(10)
        self.sizes.append(len(jobs))
        return self._write(connection, statements, jobs)

    async def pass_together(self, store: Store, *work: Awaitable[Any]) -> list[Any]:
        """All of them in one batch, while the writer is at the gate with another."""
        first = asyncio.ensure_future(store.append("first", [entry(0)], WAITING))
        await asyncio.to_thread(self.reached.wait, 10)
        tasks = [asyncio.ensure_future(one) for one in work]
        for _ in range(3):
            await asyncio.sleep(0)
        self.open.set()
        await first
        return await outcomes(tasks)


BAD = {"conflict": (entry(0), Taken), "value": (entry(1, at=2**70), StoreError)}


@pytest.mark.parametrize("bad", BAD)
def test_what_is_wrong_in_the_middle_of_a_batch_harms_no_other(
    database_url: str, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong, expected = BAD[bad]

    async def work(store: Store) -> None:
        await store.append("m", [entry(0)], PLAYING)
        gate = Gate(monkeypatch)
        good = [store.append(f"{name}", [entry(0)], PLAYING, [("ann", 0)]) for name in "abcxyz"]
        follow = [store.append(f"{name}", [entry(1)], PLAYING) for name in "abc"]
        results = await gate.pass_together(
            store, *good, store.append("m", [wrong], OVER), store.claim("q", 1, "one", 60), *follow
        )
        assert max(gate.sizes) == len(results), "they were not in one batch"
        assert type(results[6]) is expected
        assert results[:6] + results[7:] == [None] * 6 + [True] + [None] * 3
        assert [await store.head(name) for name in "abcxyzm"] == [1, 1, 1, 0, 0, 0, 0]
        assert len(await store.tables_of("ann")) == 6
        assert not await store.claim("q", 1, "two", 60)

    run(database_url, work)


def test_a_caller_that_has_gone_away_harms_no_other(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def leaving(store: Store) -> None:
        task = asyncio.ensure_future(store.append("gone", [entry(0)], PLAYING))
        await asyncio.sleep(0)
        task.cancel()

    async def work(store: Store) -> None:
        gate = Gate(monkeypatch)
        others = gate.pass_together(store, leaving(store), *(store.append(name, [entry(0)], PLAYING) for name in "ax"))
        assert await asyncio.wait_for(others, 5) == [None] * 3
        assert gate.sizes == [1, 3]
        assert await store.head("gone") == 0

    run(database_url, work)


def test_a_commit_that_failed_is_not_tried_again(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have come through: a second try would call the entry taken, though it is the caller's
    own."""

    async def work(store: Store) -> None:
        gate = Gate(monkeypatch)

        def fail(connection: object) -> None:
            if gate.sizes == [1, 2]:
                raise OperationalError(None, None, Exception("the server has gone away"))

        event.listen(store._database.writing, "commit", fail)
        results = await gate.pass_together(store, *(store.append(name, [entry(0)], PLAYING) for name in "ab"))
        assert [type(result) for result in results] == [StoreError] * 2
        assert "gone away" in str(results[0])
        assert gate.sizes == [1, 2]
        await store.append("a", [entry(0)], PLAYING)

    run(database_url, work)


def test_what_is_queued_is_written_before_the_end_and_nothing_after(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with opened(database_url) as (store,):
            gate = Gate(monkeypatch)
            tasks = [asyncio.ensure_future(store.append(f"t{i}", [entry(0)], PLAYING)) for i in range(9)]
            await asyncio.sleep(0)
            closing = asyncio.ensure_future(store.close())
            await asyncio.sleep(0)
            for late in (
                store.append("late", [entry(0)], PLAYING),
                store.claim("late", 0, "one", 1),
                store.head("late"),
                store.secret(),
                store.check(),
            ):
                with pytest.raises(StoreError, match="closed"):
                    await late
            await asyncio.wait([closing], timeout=0.1)
            assert not closing.done(), "it did not wait for what is queued"
            gate.open.set()
            await closing
            assert await outcomes(tasks) == [None] * 9
        async with opened(database_url) as (store,):
            assert await store.count("playing") == 9

    asyncio.run(main())


def test_a_store_that_is_not_open_says_so(database_url: str) -> None:
    async def main() -> None:
        store = Store(database_url)
        with pytest.raises(StoreError, match="not open"):
            await store.append("t", [entry(0)], PLAYING)
        await store.close()

    asyncio.run(main())


def test_the_secret_is_made_once(database_url: str) -> None:
    async def main() -> bytes:
        async with opened(database_url) as (store,):
            await store.check()
            return await store.secret()

    first = asyncio.run(main())
    assert len(first) == 32
    assert len(set(first)) > 8
    assert asyncio.run(main()) == first


def test_processes_that_start_together_agree(postgresql_server: Server) -> None:
    """On the schema, which one of them makes, and on the secret."""
    url = postgresql_server.new_database()

    async def main() -> None:
        stores = [Store(url) for _ in range(6)]
        assert await outcomes(store.open() for store in stores) == [None] * 6
        assert len({await store.secret() for store in stores}) == 1
        for store in stores:
            await store.close()

    asyncio.run(main())


def test_the_store_outlives_its_connections(postgresql_server: Server) -> None:
    async def work(store: Store) -> None:
        await store.append("t", [entry(0)], PLAYING)
        await store.load("t")
        postgresql_server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%'")
        await store.append("t", [entry(1)], PLAYING)
        assert await store.head("t") == 1
        await store.check()

    run(postgresql_server.new_database(), work)


CHILD = """
import asyncio, sys
from samovar.web.store.store import LogLine, Store, Summary

async def player(store, table):
    for number in range(await store.head(table) + 1, 10**6):
        summary = Summary("babuschka", 2, "playing", True, 1, False, 0)
        await store.append(table, [LogLine(number, "move", {}, number)], summary)
        print(table, number, flush=True)

async def main():
    store = Store(sys.argv[1])
    await store.open()
    await asyncio.gather(*(player(store, f"t{i}") for i in range(8)))

asyncio.run(main())
"""


def killed_after(lines: int, url: str) -> dict[str, int]:
    """What a process said was written, before it was killed; at least so many lines."""
    with subprocess.Popen([sys.executable, "-c", CHILD, url], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout
        said = [child.stdout.readline() for _ in range(lines)]
        child.send_signal(signal.SIGKILL)
        said += child.stdout.readlines()
    assert all(said), "the child ended by itself"
    return {table: int(number) for table, number in (line.split() for line in said if line.endswith("\n"))}


@pytest.mark.processes
def test_what_was_acknowledged_outlives_a_kill(database_url: str) -> None:
    async def compare(store: Store) -> None:
        for table, number in acknowledged.items():
            log = await store.load(table)
            assert [line.number for line in log] == list(range(len(log))), "gaps"
            assert len(log) > number, f"{table} lost {number}"
            assert await store.head(table) == len(log) - 1

    for _ in range(5):
        acknowledged = killed_after(random.randint(1, 300), database_url)
        run(database_url, compare)
