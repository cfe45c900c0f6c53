"""A backup of a site that runs has all of it; put into another database, of either kind, every log is the same; and
nothing is replaced by what cannot be read."""

import asyncio
import os
import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from typer.testing import CliRunner

from samovar import __main__ as start
from samovar import cli
from samovar.errors import StoreError
from samovar.web.jobs.backups import Routine, parse_span
from samovar.web.store import backups
from samovar.web.store.backups import back_up, file_url, remove_old_backups
from samovar.web.store.declared import metadata
from support.servers import serving
from support.stores import with_engine
from support.tables import at, table_of_two, tables
from support.waiting import wait_until


async def play(site, table_id, moves=10_000):
    """Anybody's moves by chance."""
    choose = random.Random(1)
    while moves and (table := await site.look(table_id)).status == "playing":
        seat = table.actors[0]
        await site.move(table_id, at(seat), choose.choice(table.playing.legal(seat)), table.revision)
        moves -= 1


async def fill(url):
    """A table that is over, one that goes on and one that waits; the first is returned."""
    async with tables(url) as site:
        over = await table_of_two(site, patience=2)
        await play(site, over)
        await play(site, await table_of_two(site, "memoarrrr"), moves=3)
        await site.open("babuschka", 2, {}, (await site.look(over)).settings, ["", "easy"])
    return over


@pytest.fixture
def site(database_url):
    """A database with some tables."""
    asyncio.run(fill(database_url))
    return database_url


@pytest.fixture
def over(site):
    return with_engine(
        site, lambda connection: connection.execute(text("SELECT id FROM tables WHERE status = 'over'")).scalar_one()
    )


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def elsewhere(request, tmp_path):
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'elsewhere' / 'samovar.db'}"
    return request.getfixturevalue("postgresql_server").new_database()


def content(url):
    """All rows of all tables, as text."""

    def read(connection):
        return {table.name: sorted(map(repr, connection.execute(table.select()))) for table in metadata.sorted_tables}

    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return read(connection)
    finally:
        engine.dispose()


def command(*words):
    done = CliRunner().invoke(cli.app, list(map(str, words)))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.mark.parametrize(("word", "steps"), [("backup", [15]), ("check", [15]), ("serve", [])])
def test_who_plays_comes_before_a_backup(monkeypatch, word, steps):
    """From the first moment on: to load the commands takes longer than to copy."""
    done = []
    monkeypatch.setattr(start, "be_nice", done.append)
    monkeypatch.setattr(cli, "main", lambda: done.append("loaded"))
    monkeypatch.setattr("sys.argv", ["samovar", word, "backup"])
    start.main()
    assert done == [*steps, "loaded"]


def test_a_backup_put_elsewhere_has_every_row(site, elsewhere, tmp_path):
    before = content(site)
    assert len(before["entries"]) > 20
    assert command("backup", tmp_path / "all.backup", "--database", site).exit_code == 0
    told = command("restore", tmp_path / "all.backup", "--database", elsewhere).output
    assert "3 tables, 1 finished deals verified, nothing damaged." in told
    assert "As it was before" not in told
    assert content(elsewhere) == before == content(site)


def test_what_is_written_between_two_portions_is_not_in_a_backup(tmp_path, monkeypatch):
    """It is of the moment at which it began, and comes to an end however much is written meanwhile."""
    source, flush, portions = tmp_path / "samovar.db", backups._flush, []
    with closing(sqlite3.connect(source)) as site:
        site.execute("PRAGMA journal_mode = WAL")
        site.execute("CREATE TABLE entries (text TEXT)")
        site.executemany("INSERT INTO entries VALUES (?)", [("before" * 100,)] * 300)
        site.commit()

        def write_meanwhile(path):
            flush(path)
            portions.append(path)
            assert len(portions) < 1000, "it begins anew with every change"
            site.execute("INSERT INTO entries VALUES ('meanwhile')")
            site.commit()

        monkeypatch.setattr(backups, "PAGES", 4)
        monkeypatch.setattr(backups, "REST", 0)
        monkeypatch.setattr(backups, "_flush", write_meanwhile)
        back_up(file_url(source), tmp_path / "all.backup")
    assert len(portions) > 5
    assert [path.name for path in tmp_path.glob("*.backup*")] == ["all.backup"], "one file, with nothing beside it"
    with closing(sqlite3.connect(tmp_path / "all.backup")) as copy:
        assert copy.execute("SELECT count(*), min(text) FROM entries").fetchone() == (300, "before" * 100)


def test_a_backup_is_made_while_the_site_plays(site, tmp_path):
    async def play_and_back_up():
        async with tables(site) as running:
            table = await table_of_two(running, "memoarrrr")
            await play(running, table, moves=2)
            await asyncio.to_thread(back_up, site, tmp_path / "all.backup")
            await play(running, table, moves=2)
            return table

    table = asyncio.run(play_and_back_up())
    kept, now = content(file_url(tmp_path / "all.backup")), content(site)
    assert set(kept["entries"]) < set(now["entries"])
    assert any(table in row for row in kept["entries"])


def test_a_backup_is_for_its_owner_alone_and_one_file(site, tmp_path):
    command("backup", tmp_path / "all.backup", "--database", site)
    assert (tmp_path / "all.backup").stat().st_mode & 0o777 == 0o600
    content(file_url(tmp_path / "all.backup"))
    assert [path.name for path in tmp_path.iterdir() if path.name != "data"] == ["all.backup"]


def test_a_backup_into_a_folder_is_named_by_the_moment(site, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    for _ in range(3):  # most likely within one second
        command("backup", folder, "--database", site)
    made = sorted(folder.iterdir())
    assert len(made) == 3
    assert all(backups.NAME.fullmatch(path.name) for path in made)


def test_a_file_that_is_there_is_not_overwritten(site, tmp_path):
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(StoreError, match="give another name"):
        command("backup", tmp_path / "mine", "--database", site)
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_backup_that_fails_leaves_nothing(site, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backups, "_flush", fail)
    with pytest.raises(StoreError, match="No space left on device"):
        back_up(site, tmp_path / "backups" / "all.backup")
    assert list((tmp_path / "backups").iterdir()) == []


def test_there_is_no_backup_of_a_database_that_is_not_there(tmp_path):
    with pytest.raises(StoreError, match="There is no database"):
        command("backup", tmp_path / "all.backup", "--data", tmp_path / "typo")


def test_what_was_there_before_is_kept(site, elsewhere, tmp_path, monkeypatch):
    monkeypatch.setenv("SAMOVAR_DATA", str(tmp_path / "mine"))
    (tmp_path / "mine").mkdir()
    asyncio.run(fill(elsewhere))
    before = content(elsewhere)
    told = command("copy", site, elsewhere).output
    assert content(elsewhere) == content(site) != before
    kept = Path(told.partition("As it was before: ")[2].strip())
    assert content(file_url(kept)) == before
    assert kept.stat().st_mode & 0o777 == 0o600
    command("restore", kept, "--database", elsewhere)  # most likely within the same second
    assert content(elsewhere) == before
    assert content(file_url(kept)) == before


def test_a_site_goes_on_after_a_restore(site, over, elsewhere, tmp_path):
    """Also one that had more in its write-ahead log than in its file."""
    command("copy", site, elsewhere)

    async def go_on():
        async with tables(elsewhere) as running:
            assert (await running.look(over)).status == "over"
            await play(running, await table_of_two(running, "memoarrrr"), moves=2)

    asyncio.run(go_on())
    assert len(content(elsewhere)["tables"]) == 4


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_what_root_puts_back_stays_the_services(tmp_path):
    """The service runs as a user of its own, and could not open its database otherwise."""
    there, database = file_url(tmp_path / "there.db"), tmp_path / "samovar.db"
    for url in (there, file_url(database)):
        asyncio.run(fill(url))
    os.chown(database, 12345, 23456)
    command("backup", tmp_path / "all.backup", "--database", there)
    assert command("restore", tmp_path / "all.backup", "--database", file_url(database)).exit_code == 0
    assert (database.stat().st_uid, database.stat().st_gid) == (12345, 23456)
    assert database.stat().st_mode & 0o077 == 0


def test_nothing_is_replaced_while_a_site_runs(site, elsewhere, tmp_path):
    async def restore():
        async with tables(elsewhere):
            with pytest.raises(StoreError, match=r"Another samovar uses|Other programs use"):
                await asyncio.to_thread(command, "copy", site, elsewhere)

    asyncio.run(restore())
    assert content(elsewhere)["tables"] == []


DAMAGES = {
    "an entry is missing": (
        "DELETE FROM entries WHERE table_id = :over AND number = 2",
        "should have those from 0 to",
    ),
    "an entry is of no kind": (
        "UPDATE entries SET kind = 'dance' WHERE table_id = :over AND number = 3",
        "unknown kind, 'dance'",
    ),
    "the list says something else": (
        "UPDATE tables SET status = 'playing' WHERE id = :over",
        "'over' by its entries, and 'playing' in the list",
    ),
    "nobody knows the table": (
        "UPDATE entries SET table_id = 'lost' WHERE table_id = :over",
        "entries of a table 'lost' that is not there",
    ),
    "the record is another": (
        """UPDATE entries SET data = replace(data, '"nonce_makers":["server"', '"nonce_makers":["browser"')
        WHERE table_id = :over AND kind = 'end'""",
        "This record was changed after it was written",
    ),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_is_found_and_told_and_nothing_is_replaced(site, over, kind, tmp_path):
    statement, reason = DAMAGES[kind]
    assert command("check", "--database", site).exit_code == 0
    with_engine(site, lambda connection: connection.execute(text(statement), {"over": over}))
    told = command("check", "--database", site)
    assert reason in " ".join(told.output.split())
    assert told.exit_code == 1
    before = content(site)
    with pytest.raises(StoreError, match="Nothing was replaced"):
        command("copy", site, site)
    assert content(site) == before
    target = tmp_path / "even"
    assert command("copy", site, target, "--even-damaged").exit_code == 0
    assert content(f"sqlite:///{target / 'samovar.db'}") == before


def test_a_file_that_is_no_backup_replaces_nothing(site, tmp_path):
    before = content(site)
    (tmp_path / "letter.backup").write_text("Dear Boris")
    with pytest.raises(StoreError, match="Give a file that `samovar backup` wrote"):
        command("restore", tmp_path / "letter.backup", "--database", site)
    with pytest.raises(StoreError, match="There is no file"):
        command("restore", tmp_path / "nothing.backup", "--database", site)
    assert content(site) == before


def test_the_newest_backups_are_kept(tmp_path):
    names = [f"samovar-2026-11-{day:02}T120000.backup" for day in range(1, 6)]
    for name in (*names, "mine.backup"):
        (tmp_path / name).write_text("")
    remove_old_backups(tmp_path, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.backup", *names[-2:]]


@pytest.mark.parametrize(("text", "seconds"), [("90m", 5400), ("12h", 43200), ("1d", 86400), (" 2W ", 1209600)])
def test_times_between_backups(text, seconds):
    assert parse_span(text) == seconds


@pytest.mark.parametrize("text", ["", "1", "0d", "daily", "-1d", "1.5h"])
def test_what_is_no_time_between_backups(text):
    with pytest.raises(StoreError, match="such as 12h or 1d"):
        parse_span(text)


def test_a_site_that_is_started_anew_goes_on_where_it_was(tmp_path):
    routine = Routine(tmp_path, 3600.0, 2)
    assert routine.due_in() == 0
    made = backups.new_file(tmp_path)
    made.write_text("")
    assert 3500 < routine.due_in() <= 3600
    os.utime(made, (0, 0))
    assert routine.due_in() == 0


@pytest.mark.processes
def test_a_site_backs_itself_up(tmp_path):
    folder = tmp_path / "backups"
    with serving(tmp_path / "data", "--backup-every", "1d", "--backup-folder", str(folder)):
        wait_until(lambda: list(folder.glob("samovar-*.backup")))
    (made,) = folder.glob("samovar-*.backup")
    assert command("restore", made, "--data", tmp_path / "other").exit_code == 0
