"""What the store writes beside the moves: who was seen, counts, and what is swept away; and a
database of the first schema goes on."""

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text

from samovar.errors import StoreError, Taken
from samovar.web.store import chores, schema
from samovar.web.store.queries import tours
from samovar.web.store.store import Store, Summary
from support.databases import Server
from support.stores import OVER, PLAYING, WAITING, entry, opened, run, with_engine

DAY = 24 * 3600
DAYS_AGO = {days: (time.time_ns() // 1_000_000) - days * DAY * 1000 for days in (0, 2, 8)}
BOTS = replace(PLAYING, people=0)


def test_a_seat_is_seen_by_the_clock_of_the_database(database_url: str) -> None:
    async def work(store: Store) -> None:
        assert await store.last_seen("a") == {}
        await store.mark_seen({("a", 1): 0, ("a", 0): 0, ("b", 0): 0})
        await asyncio.sleep(0.3)
        await store.mark_seen({("a", 1): 0})
        seen = await store.last_seen("a")
        assert set(seen) == {0, 1}
        assert 0 <= seen[1] < seen[0] < 10
        assert seen[0] >= 0.2
        await store.mark_seen({})
        await store.mark_seen({("a", 1): 60, ("c", 0): 60})  # told late
        assert (await store.last_seen("a"))[1] < 10
        assert 60 <= (await store.last_seen("c"))[0] < 70

    run(database_url, work)


def test_only_chairs_at_tables_that_have_not_begun_are_counted(database_url: str) -> None:
    async def work(store: Store) -> None:
        for name, summary in {"a": WAITING, "b": WAITING, "c": PLAYING, "d": OVER}.items():
            await store.append(name, [entry(0)], summary, [("ann", 0), ("ben", 1)])
        assert await store.waiting_tables_of("ann") == 2
        await store.append("a", [entry(1)], WAITING, [("ann", -1)])
        await store.append("b", [entry(1)], PLAYING)
        assert await store.waiting_tables_of("ann") == 0
        assert await store.waiting_tables_of("ben") == 1
        assert await store.waiting_tables_of("nobody") == 0

    run(database_url, work)


# Sweeping

SWEPT = {
    "never begun": (WAITING, 8),
    "bots that stand still": (BOTS, 2),
    "bots at the end": (replace(OVER, people=0), 2),
}
KEPT = {
    "may still begin": (WAITING, 2),
    "nobody yet": (replace(WAITING, people=0), 2),
    "bots still play": (BOTS, 0),
    "bots just over": (replace(OVER, people=0), 0),
    "people played": (OVER, 8),
    "people play slowly": (PLAYING, 8),
}


IN_2096 = 4_000_000_000_000


def rows_of(table: str, url: str) -> dict[str, int]:
    def count(connection: Connection) -> dict[str, int]:
        return {
            part: connection.execute(
                text(f"SELECT count(*) FROM {part} WHERE {column} = :table"), {"table": table}
            ).scalar_one()
            for part, column in chores.PARTS_OF_TABLES.items()
        }

    return with_engine(url, count)


async def fill(store: Store, tables: dict[str, tuple[Summary, int]]) -> None:
    for name, (summary, days) in tables.items():
        await store.append(name, [entry(0, at=DAYS_AGO[days]), entry(1, at=DAYS_AGO[days])], summary, [("ann", 0)])
        await store.claim(name, 1, "one", 1)
        await store.mark_seen({(name, 0): 0})
        await store.do(_call_and_list, name)


def _call_and_list(connection: Connection, name: str) -> None:
    call = (
        "INSERT INTO calls (table_id, turn, kind, way, seat, head, due, tries, is_done) "
        "VALUES (:t, 1, 'turn', 'w', 0, 0, 0, 0, FALSE)"
    )
    connection.execute(text(call), {"t": name})
    listed = "INSERT INTO series_tables (table_id, series, deal, company) VALUES (:t, 's', 1, 0)"
    connection.execute(text(listed), {"t": name})
    hand = "INSERT INTO hands (device, table_id, seat, revision) VALUES ('d', :t, 0, 0)"
    connection.execute(text(hand), {"t": name})
    ahead = "INSERT INTO ahead (table_id, seat, data, looked, turn) VALUES (:t, 0, '{}', 0, 0)"
    connection.execute(text(ahead), {"t": name})
    tour = (
        "INSERT INTO tours (id, record, host, of_class, version, data, created, changed) "
        f"VALUES (:id, :t, 'ann', '', 0, '{{}}', 0, {IN_2096})"
    )
    connection.execute(text(tour), {"t": name, "id": f"tour of {name}"})
    note = (
        "INSERT INTO notes (id, record, at, person, name, text, created) VALUES (:id, :t, 0, 'ann', 'Ann', 'Well', 0)"
    )
    connection.execute(text(note), {"t": name, "id": f"note of {name}"})


def test_abandoned_tables_are_swept_and_no_others(database_url: str) -> None:
    async def work(store: Store) -> None:
        await fill(store, SWEPT | KEPT)
        assert sorted(await store.sweep(7 * DAY, DAY)) == sorted(SWEPT)
        assert await store.sweep(7 * DAY, DAY) == []
        assert {line.table for line in await store.tables_of("ann")} == set(KEPT)

    run(database_url, work)
    assert {sum(rows_of(name, database_url).values()) for name in SWEPT} == {0}
    assert {tuple(rows_of(name, database_url).values()) for name in KEPT} == {(1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1)}


def test_a_tour_that_nobody_has_touched_for_long_is_swept(database_url: str) -> None:
    async def work(store: Store) -> None:
        for tour, changed in (("old", 0), ("new", IN_2096)):
            await store.do(tours.make, tour, "record", "ann", "", "{}", changed)
        await store.sweep(7 * DAY, DAY)
        assert [await store.first(tours.DATA, tour=tour) for tour in ("old", "new")] == [None, ("{}", 0)]

    run(database_url, work)


def test_what_is_swept_cannot_be_written_to(database_url: str) -> None:
    async def work(store: Store) -> None:
        await fill(store, SWEPT)
        await store.sweep(7 * DAY, DAY)
        for name, (summary, _) in SWEPT.items():
            with pytest.raises(Taken):
                await store.append(name, [entry(2)], summary)
            assert await store.head(name) == -1
            assert await store.load(name) == []

    run(database_url, work)


def test_a_table_that_somebody_comes_back_to_is_not_swept(database_url: str) -> None:
    async def work(store: Store) -> None:
        await fill(store, SWEPT)
        for name, (summary, _) in SWEPT.items():
            await store.append(name, [entry(2, at=DAYS_AGO[0])], summary)
        assert await store.sweep(7 * DAY, DAY) == []

    run(database_url, work)


def test_a_table_that_is_being_written_to_is_not_swept(postgresql_server: Server) -> None:
    url = postgresql_server.new_database()

    async def work(store: Store) -> None:
        await fill(store, SWEPT)
        with (
            store._database.reading.connect().execution_options(isolation_level="READ COMMITTED") as other,
            other.begin(),
        ):
            other.execute(text("UPDATE tables SET head = head WHERE id = 'never begun'"))
            swept = await asyncio.wait_for(store.sweep(7 * DAY, DAY), 10)
        assert sorted(swept) == sorted(set(SWEPT) - {"never begun"})

    run(url, work)


def test_many_abandoned_tables_are_swept_some_at_a_time(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chores, "SWEPT_AT_ONCE", 4)

    async def work(store: Store) -> None:
        await fill(store, {f"t{number}": (WAITING, 8) for number in range(9)})
        assert [len(await store.sweep(7 * DAY, DAY)) for _ in range(4)] == [4, 4, 1, 0]

    run(database_url, work)


# Counts of all processes


def test_counts_of_all_processes_are_added_up(postgresql_server: Server) -> None:
    url = postgresql_server.new_database()

    async def main() -> None:
        async with opened(url, url) as (one, other):
            assert await one.count_together({}) == {}
            first = await one.count_together({"a": (3, 60.0), "b": (1, 60.0)})
            assert {who: total for who, (total, _) in first.items()} == {"a": 3, "b": 1}
            second = await other.count_together({"a": (4, 60.0)})
            assert second["a"][0] == 7
            assert 50 < second["a"][1] <= 60

    asyncio.run(main())


def test_a_window_that_is_past_counts_no_more_and_is_removed(postgresql_server: Server) -> None:
    url = postgresql_server.new_database()

    async def work(store: Store) -> None:
        await store.count_together({"a": (3, 0.1), "b": (5, 0.1)})
        await asyncio.sleep(0.2)
        assert (await store.count_together({"a": (2, 60.0)}))["a"][0] == 2

    run(url, work)
    left = with_engine(
        url, lambda connection: [tuple(row) for row in connection.execute(text("SELECT who, count FROM visits"))]
    )
    assert left == [("a", 2)]


def test_processes_that_count_the_same_addresses_do_not_lock_each_other(postgresql_server: Server) -> None:
    url = postgresql_server.new_database()

    async def main() -> None:
        async with opened(url, url) as (one, other):
            order = [f"a{number}" for number in range(1000)]
            there = [one.count_together(dict.fromkeys(order, (1, 0.05))) for _ in range(20)]
            back = [other.count_together(dict.fromkeys(reversed(order), (1, 0.05))) for _ in range(20)]
            results = await asyncio.gather(*there, *back, return_exceptions=True)
            assert [result for result in results if isinstance(result, Exception)] == []

    asyncio.run(main())


# A database that cannot be written to


def test_a_database_that_may_only_be_read_is_noticed(postgresql_server: Server) -> None:
    url = postgresql_server.new_database()

    async def work(store: Store) -> None:
        await store.check()
        postgresql_server.execute(f"ALTER DATABASE {url.rsplit('/', 1)[1]} SET default_transaction_read_only = on")
        postgresql_server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%'")
        with pytest.raises(StoreError, match="read-only"):
            await store.check()

    run(url, work)


def test_a_file_that_may_only_be_read_is_noticed(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        await store.check()
        with store._database.writing.connect() as connection:
            connection.exec_driver_sql("PRAGMA query_only = ON")
        with pytest.raises(StoreError, match="Make the file and its folder writable"):
            await store.check()

    run(f"sqlite:///{tmp_path / 'samovar.db'}", work)


def test_a_chore_that_fails_harms_no_move(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(connection: Connection) -> None:
        connection.execute(text("SELECT nonsense FROM nowhere"))

    monkeypatch.setattr(chores, "check", fail)

    async def work(store: Store) -> None:
        results = await asyncio.gather(
            store.check(),
            store.append("t", [entry(0)], PLAYING),
            store.check(),
            store.append("u", [entry(0)], PLAYING),
            return_exceptions=True,
        )
        assert [type(result) for result in results] == [StoreError, type(None)] * 2
        assert [await store.head(name) for name in "tu"] == [0, 0]

    run(database_url, work)


# The schema before


def first_schema(connection: Connection) -> None:
    """As the first migration left it, with a table of people, one of bots, and a record from
    elsewhere."""
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "0001")
    row = (
        "INSERT INTO tables (id, game, seats, status, is_open, actors, bot_turn, free, head, created, changed) VALUES "
    )
    for table, head in {"people": 1, "bots": 1, "record": 0}.items():
        connection.execute(text(f"{row} ('{table}', 'babuschka', 2, 'over', FALSE, 0, FALSE, 0, {head}, 1, 1)"))
        for number in range(head + 1):
            values = {"table": table, "number": number}
            connection.execute(
                text("INSERT INTO entries (table_id, number, kind, data, at) VALUES (:table, :number, 'say', '{}', 1)"),
                values,
            )
    connection.execute(text("INSERT INTO holders (person, table_id, seat) VALUES ('ann', 'people', 0)"))
    connection.execute(text("INSERT INTO facts (name, value) VALUES ('secret', :secret)"), {"secret": "ab" * 32})


def test_a_database_of_the_first_schema_goes_on(database_url: str) -> None:
    with_engine(database_url, first_schema)

    async def work(store: Store) -> None:
        assert await store.secret() == b"\xab" * 32
        assert [line.table for line in await store.tables_of("ann")] == ["people"]
        assert len(await store.load("people")) == 2
        await store.append("people", [entry(2)], OVER)
        await store.mark_seen({("people", 0): 0})
        assert set(await store.last_seen("people")) == {0}
        assert await store.sweep(7 * DAY, DAY) == ["bots"]
        assert [await store.head(name) for name in ("people", "bots", "record")] == [2, -1, 0]

    run(database_url, work)
