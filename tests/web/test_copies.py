"""Before a file is changed for a newer version it is copied, whole and for its owner alone, and the log says how to go
back; where nothing is changed there is no copy."""

import asyncio
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from samovar.errors import StoreError
from samovar.web.store import copies, database
from samovar.web.store.store import Store
from support.stores import NEXT, become, heads, open_and_close, stamped, with_engine, write

TODAY = database.VERSION


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def url(folder: Path) -> str:
    """A database with a table in it."""
    address = f"sqlite:///{folder / 'samovar.db'}"
    asyncio.run(write(address))
    return address


@pytest.fixture
def newer(tomorrow: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """From now on the schema is one step further; this is the file of that step."""
    tomorrow.write_text(NEXT.format(before=TODAY, then=""))
    become(monkeypatch, "9999")
    return tomorrow


def copies_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("samovar.db.before-*"))


def content(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return connection.execute("SELECT version_num, id, head FROM alembic_version, tables").fetchall()


def test_the_copy_is_the_database_as_it_was(url: str, folder: Path, newer: Path) -> None:
    assert asyncio.run(heads(url)) == 0
    (copy,) = copies_in(folder)
    assert content(copy) == [(TODAY, "t", 0)]
    assert content(folder / "samovar.db") == [("9999", "t", 0)]
    assert copies.ENDING.fullmatch(copy.name.removeprefix("samovar.db"))
    assert copy.stat().st_mode & 0o777 == 0o600


def test_what_is_in_the_log_beside_the_file_alone_is_copied_too(url: str, folder: Path, newer: Path) -> None:
    """As after a power cut: the last table was committed, but is not in the file yet."""
    with closing(sqlite3.connect(folder / "samovar.db")) as other:
        other.execute("UPDATE tables SET head = 5")
        other.commit()
        for name in ("samovar.db", "samovar.db-wal"):
            shutil.copy(folder / name, folder / f"{name}.cut")
    for name in ("samovar.db", "samovar.db-wal"):
        (folder / f"{name}.cut").replace(folder / name)
    assert (folder / "samovar.db-wal").stat().st_size > 0
    asyncio.run(open_and_close(url))
    (copy,) = copies_in(folder)
    assert content(copy) == [(TODAY, "t", 5)]


def test_the_log_says_in_one_line_how_to_go_back_and_that_works(
    url: str, folder: Path, newer: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(open_and_close(url))
    (copy,) = copies_in(folder)
    (message,) = caplog.messages
    assert str(copy) in message
    assert "To go back" in message
    assert "\n" not in message
    for ending in ("-wal", "-shm"):
        (folder / f"samovar.db{ending}").unlink(missing_ok=True)
    copy.replace(folder / "samovar.db")
    become(monkeypatch, TODAY)
    assert asyncio.run(heads(url)) == 0


def test_nothing_is_copied_where_nothing_is_changed(
    url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "make_copy", lambda *_: pytest.fail("a copy was made"))
    asyncio.run(open_and_close(url))
    asyncio.run(open_and_close(f"sqlite:///{tmp_path / 'new' / 'samovar.db'}"))
    with_engine(url, stamped("7777"))
    with pytest.raises(StoreError, match="newer Samovar"):
        asyncio.run(open_and_close(url))
    assert caplog.messages == []


def test_a_migration_that_fails_leaves_no_copy(url: str, folder: Path, newer: Path) -> None:
    """Nothing has changed then, and a site that is started again and again would fill the disk."""
    newer.write_text(NEXT.format(before=TODAY, then='op.execute("SELECT nonsense FROM nowhere")'))
    with pytest.raises(StoreError, match="nowhere"):
        asyncio.run(open_and_close(url))
    assert copies_in(folder) == []
    assert content(folder / "samovar.db") == [(TODAY, "t", 0)]


def test_the_last_three_are_kept_and_nothing_else_is_touched(url: str, folder: Path, newer: Path) -> None:
    old = [f"samovar.db.before-{number:04}-20{number:02}-01-01T000000" for number in (5, 4, 3, 2)]
    others = ["samovar.db.before-the-holidays", "other.db.before-0001-2001-01-01T000000", "samovar.db.before-1.txt"]
    for name in (*old, *others, "samovar.db.before-0001-2001-01-01T000000.part"):
        (folder / name).touch()
    asyncio.run(open_and_close(url))
    names = {path.name for path in folder.iterdir()}
    assert {*old[:2], *others} <= names
    assert len([name for name in names if copies.ENDING.fullmatch(name.removeprefix("samovar.db"))]) == copies.KEPT


def test_two_that_start_at_once_make_one_copy(url: str, folder: Path, newer: Path) -> None:
    def start(_: int) -> str:
        try:
            asyncio.run(open_and_close(url))
        except StoreError as error:
            return str(error)
        return ""

    with ThreadPoolExecutor(2) as both:
        told = [*both.map(start, range(2))]
    assert all(not words or "Another samovar uses" in words for words in told)
    assert "" in told
    assert len(copies_in(folder)) == 1


def test_a_disk_without_room_for_the_copy_keeps_everything_as_it_is(
    url: str, folder: Path, newer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**6, 10**6 - 10, 10))  # type: ignore[attr-defined]
        with pytest.raises(
            StoreError, match=r"takes 0\.\d MiB of the disk, and 0\.0 are free\. Free some space .*nothing is"
        ):
            asyncio.run(open_and_close(url))
    assert content(folder / "samovar.db") == [(TODAY, "t", 0)]
    assert copies_in(folder) == []
    asyncio.run(open_and_close(url))
    assert len(copies_in(folder)) == 1


def test_a_disk_that_fills_up_meanwhile_leaves_no_half_of_a_copy(
    url: str, folder: Path, newer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    class Full(sqlite3.Connection):
        backup = fill

    usual = sqlite3.connect
    with monkeypatch.context() as full:
        full.setattr(copies.sqlite3, "connect", lambda path: usual(path, factory=Full))
        with pytest.raises(StoreError, match=r"database or disk is full\. Free some space"):
            asyncio.run(open_and_close(url))
    assert copies_in(folder) == []
    assert content(folder / "samovar.db") == [(TODAY, "t", 0)]


def test_a_server_is_not_copied(postgresql_server: object, newer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = postgresql_server.new_database()  # type: ignore[attr-defined]
    with monkeypatch.context() as before:
        become(before, TODAY)
        asyncio.run(write(url))
    assert asyncio.run(heads(url)) == 0


def test_a_copy_of_a_site_at_work_is_whole(folder: Path) -> None:
    """What is copied is what was committed, while another connection is writing."""

    async def main() -> None:
        store = Store(f"sqlite:///{folder / 'samovar.db'}")
        await store.open()
        with store._database.writing.begin() as connection:
            connection.execute(text("INSERT INTO facts (name, value) VALUES ('a', 'b')"))
            copies.make_copy(folder / "samovar.db", "0")
        await store.close()

    asyncio.run(main())
    (copy,) = copies_in(folder)
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM facts WHERE name = 'a'").fetchone() == (0,)
