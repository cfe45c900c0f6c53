"""A database is brought to today's schema, one process holds a file, and what is in the way is said
with what helps."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from samovar.errors import StoreError
from samovar.web.store import database, schema
from samovar.web.store.store import LogLine, Store, Summary
from support.databases import Server, free_port
from support.stores import NEXT, become, heads, open_and_close, stamped, with_engine, write

PLAYING = Summary("babuschka", 2, "playing", is_open=True, actors=1, bot_turn=False, free=0)


def definition(connection: Connection) -> list[Any]:
    """The schema, as exactly as the database tells it."""
    if connection.dialect.name == "sqlite":
        return rows(connection, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    columns = (
        "SELECT table_name, ordinal_position, column_name, data_type, is_nullable, column_default FROM "
        "information_schema.columns"
    )
    indexes = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"
    return rows(connection, f"{columns} WHERE table_schema = 'public'") + rows(connection, indexes)


def rows(connection: Connection, query: str) -> list[Any]:
    return sorted(tuple(row) for row in connection.execute(text(query)))


# The schema


def test_the_version_is_that_of_the_newest_migration() -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [database.VERSION]


def test_migrations_lead_to_the_schema_that_is_made_at_once(database_url: str) -> None:
    def migrated(connection: Connection) -> list[Any]:
        schema.migrate(connection, None, database.VERSION)
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, schema.metadata) == []
        result = definition(connection)
        for name in inspect(connection).get_table_names():
            connection.execute(text(f"DROP TABLE {name}"))
        return result

    by_migrations = with_engine(database_url, migrated)
    asyncio.run(open_and_close(database_url))
    made = with_engine(database_url, definition)
    assert tidy(made) == tidy(by_migrations)
    assert len(made) > 5


def tidy(lines: list[Any]) -> list[Any]:
    """SQLite keeps the statement as it was written, spaces and line ends included."""
    return [tuple(" ".join(part.split()) if isinstance(part, str) else part for part in line) for line in lines]


def test_a_migrated_database_is_used(database_url: str) -> None:
    with_engine(database_url, lambda connection: schema.migrate(connection, None, database.VERSION))
    asyncio.run(write(database_url))
    assert asyncio.run(heads(database_url)) == 0


def test_an_older_database_is_migrated_and_keeps_its_tables(
    database_url: str, tomorrow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(write(database_url))
    tomorrow.write_text(NEXT.format(before=database.VERSION, then=""))
    become(monkeypatch, "9999")
    assert asyncio.run(heads(database_url)) == 0
    columns = with_engine(
        database_url, lambda connection: [column["name"] for column in inspect(connection).get_columns("tables")]
    )
    assert columns[-1] == "place"
    assert with_engine(database_url, database.version) == "9999"


def test_a_migration_that_fails_changes_nothing(
    database_url: str, tomorrow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(write(database_url))
    before, today = with_engine(database_url, definition), database.VERSION
    tomorrow.write_text(NEXT.format(before=today, then='op.execute("SELECT nonsense FROM nowhere")'))
    with monkeypatch.context() as later:
        become(later, "9999")
        with pytest.raises(StoreError, match="nowhere"):
            asyncio.run(open_and_close(database_url))
    assert with_engine(database_url, definition) == before
    assert asyncio.run(heads(database_url)) == 0


def test_a_newer_database_is_refused_and_left_alone(database_url: str) -> None:
    asyncio.run(write(database_url))
    with_engine(database_url, stamped("9999"))
    with pytest.raises(StoreError, match=r"newer Samovar .*9999.*: upgrade Samovar"):
        asyncio.run(open_and_close(database_url))
    with_engine(database_url, stamped(database.VERSION))
    assert asyncio.run(heads(database_url)) == 0


def test_tables_of_something_else_are_left_alone(database_url: str) -> None:
    with_engine(database_url, lambda connection: connection.execute(text("CREATE TABLE entries (id INTEGER)")))
    with pytest.raises(StoreError, match=r"something else \(entries\): give Samovar an empty database"):
        asyncio.run(open_and_close(database_url))
    assert with_engine(database_url, lambda connection: inspect(connection).get_table_names()) == ["entries"]


LEAN = """
import asyncio, sys
from samovar.web.store.store import Store

async def main():
    store = Store(sys.argv[1])
    await store.open()
    await store.close()

asyncio.run(main())
print(*sorted({"alembic", "litestar", "advanced_alchemy", "numba", "samovar.web.store.schema"} & set(sys.modules)))
"""


def test_a_start_imports_nothing_that_it_does_not_need(database_url: str) -> None:
    def imported() -> list[str]:
        return subprocess.run(
            [sys.executable, "-c", LEAN, database_url], capture_output=True, text=True, check=True
        ).stdout.split()

    assert imported() == ["samovar.web.store.schema"]  # the first makes it
    assert imported() == []


# One process holds a file


def test_a_second_samovar_on_the_same_file_is_told(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'samovar.db'}"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "samovar.db").symlink_to(tmp_path / "samovar.db")

    async def main() -> None:
        first = Store(url)
        await first.open()
        for again in (url, f"sqlite:///{tmp_path / 'other' / 'samovar.db'}"):
            with pytest.raises(StoreError, match=r"Another samovar uses .*samovar\.db: stop it"):
                await open_and_close(again)
        await first.append("t", [LogLine(0, "open", {}, 0)], PLAYING)
        await first.close()

    asyncio.run(main())
    assert asyncio.run(heads(url)) == 0


def test_a_samovar_of_the_version_before_is_noticed(tmp_path: Path) -> None:
    """It holds the file by `flock`, and only where there is such a thing."""
    fcntl = pytest.importorskip("fcntl")
    with open(tmp_path / "samovar.db.lock", "ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(StoreError, match="Another samovar uses"):
            database.lock(tmp_path / "samovar.db")
    with database.lock(tmp_path / "samovar.db") as ours, open(tmp_path / "samovar.db.lock", "ab") as theirs:
        assert ours.fileno()
        with pytest.raises(BlockingIOError):
            fcntl.flock(theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_what_is_written_is_on_the_disk(tmp_path: Path) -> None:
    async def main() -> tuple[Any, Any]:
        store = Store(f"sqlite:///{tmp_path / 'samovar.db'}")
        await store.open()
        with store._database.writing.connect() as connection:
            found = (
                connection.exec_driver_sql("PRAGMA journal_mode").scalar(),
                connection.exec_driver_sql("PRAGMA synchronous").scalar(),
            )
        await store.close()
        return found

    full = 2
    assert asyncio.run(main()) == ("wal", full)


# Nobody else on this machine reads it


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@pytest.fixture
def everything_allowed() -> Iterator[None]:
    """New files and folders are for everybody, unless whoever makes them says otherwise."""
    before = os.umask(0)
    yield
    os.umask(before)


async def modes_while_open(folder: Path) -> dict[str, int]:
    store = Store(f"sqlite:///{folder / 'samovar.db'}")
    await store.open()
    await store.check()  # writes
    found = {path.name: mode(path) for path in folder.iterdir()}
    await store.close()
    return found


OURS = dict.fromkeys(["samovar.db", "samovar.db-wal", "samovar.db-shm", "samovar.db.lock"], 0o600)


def test_what_is_made_is_for_its_owner_alone(
    tmp_path: Path, everything_allowed: None, caplog: pytest.LogCaptureFixture
) -> None:
    assert asyncio.run(modes_while_open(tmp_path / "a" / "b")) == OURS
    assert mode(tmp_path / "a" / "b") == mode(tmp_path / "a") == 0o700
    assert caplog.messages == [], "nobody could read it for a moment"


def test_files_that_others_could_read_are_closed_to_them(
    tmp_path: Path, everything_allowed: None, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o755)
    for name in OURS:
        (tmp_path / name).touch(0o644)
    assert asyncio.run(modes_while_open(tmp_path)) == OURS
    assert mode(tmp_path) == 0o755, "a folder that was there is its owner's affair"
    assert sum("others could read" in message for message in caplog.messages) == len(OURS)
    caplog.clear()
    assert asyncio.run(modes_while_open(tmp_path)) == OURS
    assert caplog.messages == []


def test_a_file_that_cannot_be_closed_to_others_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "samovar.db").touch()
    (tmp_path / "samovar.db").chmod(0o640)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)  # as on disks that know no modes
    with pytest.raises(
        StoreError, match=r"Others may read .*Have its owner run chmod 600 .*samovar\.db, or give another"
    ):
        asyncio.run(open_and_close(f"sqlite:///{tmp_path / 'samovar.db'}"))


@pytest.mark.parametrize("allowed", [0o770, 0o702, 0o777])
def test_a_folder_that_others_may_write_to_is_refused(tmp_path: Path, allowed: int) -> None:
    tmp_path.chmod(allowed)
    with pytest.raises(StoreError, match=r"Others may write to the folder .* Run chmod go-w .*, or give another one"):
        asyncio.run(open_and_close(f"sqlite:///{tmp_path / 'samovar.db'}"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_where_all_write_but_nobody_replaces_is_fine(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    assert asyncio.run(modes_while_open(tmp_path)) == OURS


def test_the_usual_folder_is_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("usual", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(database, "USUAL_FOLDER", tmp_path / "usual")
    assert database.database_in(tmp_path / "usual") == f"sqlite:///{tmp_path / 'usual' / 'samovar.db'}"
    assert database.database_in(tmp_path / "other") == f"sqlite:///{tmp_path / 'other' / 'samovar.db'}"
    assert (mode(tmp_path / "usual"), mode(tmp_path / "other")) == (0o700, 0o755)


# What is in the way


@pytest.mark.parametrize("url", ["mysql://localhost/samovar", "samovar.db", "", "://", "postgresql://host:port/x"])
def test_an_unknown_url(url: str) -> None:
    with pytest.raises(StoreError, match=r"Give sqlite:///folder/samovar\.db or postgresql://user@host/database"):
        Store(url)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:"])
def test_a_database_in_memory_would_be_lost(url: str) -> None:
    with pytest.raises(StoreError, match="give a file"):
        Store(url)


def test_short_urls_of_postgresql_mean_our_driver() -> None:
    assert {
        str(database.parse(f"{name}://host/x").drivername) for name in ("postgres", "postgresql", "postgresql+psycopg")
    } == {"postgresql+psycopg"}


def test_making_a_store_touches_nothing(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'new' / 'samovar.db'}")
    assert store.exclusive
    assert list(tmp_path.iterdir()) == []
    assert not Store("postgresql://nowhere.invalid/x").exclusive


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="Make it writable, or give another one"):
        asyncio.run(open_and_close(f"sqlite:///{tmp_path / 'file' / 'samovar.db'}"))


@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match=r"Permission denied\. Make it writable, or give another one"):
        asyncio.run(open_and_close(f"sqlite:///{tmp_path / 'samovar.db'}"))


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "samovar.db").write_text("a diary, not a database " * 100)
    with pytest.raises(StoreError, match="The file is something else: give another one"):
        asyncio.run(open_and_close(f"sqlite:///{tmp_path / 'samovar.db'}"))
    assert (tmp_path / "samovar.db").read_text().startswith("a diary")


def test_a_file_that_another_program_writes_to(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'samovar.db'}?timeout=0.05"
    asyncio.run(write(url))
    with closing(sqlite3.connect(tmp_path / "samovar.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="Another program writes to the file: close it"):
            asyncio.run(open_and_close(url))


def test_a_full_disk_loses_nothing_and_the_store_goes_on(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'samovar.db'}"
    long = {"text": "x" * 100_000}

    def pages(store: Store, most: int) -> None:
        with store._database.writing.connect() as connection:
            connection.exec_driver_sql(f"PRAGMA max_page_count = {most}")

    async def main() -> None:
        store = Store(url)
        await store.open()
        await store.append("t", [LogLine(0, "open", {}, 0)], PLAYING)
        pages(store, 30)
        with pytest.raises(StoreError, match="Free some space; everything acknowledged so far is safe"):
            await store.append("t", [LogLine(1, "say", long, 0)], PLAYING)
        work = [store.append(f"{i}", [LogLine(0, "open", long if i == 5 else {}, 0)], PLAYING) for i in range(10)]
        acknowledged = [result is None for result in await asyncio.gather(*work, return_exceptions=True)]
        assert [await store.head(f"{i}") == 0 for i in range(10)] == acknowledged
        assert await store.head("t") == 0
        pages(store, 10_000)
        await store.append("t", [LogLine(1, "say", long, 0)], PLAYING)
        assert await store.load("t", after=0) == [LogLine(1, "say", long, 0)]
        await store.close()

    asyncio.run(main())


def test_the_driver_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r'pip install "samovar-games\[postgres\]"'):
        asyncio.run(open_and_close("postgresql://localhost/x"))


def test_no_server_answers_and_the_password_is_not_told() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreError, match="Check that the server runs") as caught:
        asyncio.run(open_and_close(f"postgresql://ann:sesame@127.0.0.1:{free_port()}/x"))
    assert "sesame" not in str(caught.value)


def test_the_server_has_no_such_database(postgresql_server: Server) -> None:
    with pytest.raises(StoreError, match=r'"nothing" does not exist\. Create it, or correct the URL'):
        asyncio.run(open_and_close(postgresql_server.url("nothing")))
