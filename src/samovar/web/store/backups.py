"""Backups: all of a site's database in one file, made while the site runs, and the way back.

The file is a SQLite database with the same tables, whichever database the site has. So one form serves both, a backup
of one can be put into the other, and any tool that reads SQLite reads it.
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL, Connection, create_engine, select, text

from samovar.errors import StoreError
from samovar.web.store import database
from samovar.web.store.copies import make_copy, reason_of, remove_old
from samovar.web.store.database import Database, guarded, make_folder
from samovar.web.store.declared import entries, metadata, tables
from samovar.web.store.store import Query

ROWS = 1000  # copied at once
# Of a file, so that no move waits for the disk until a whole copy has been flushed: pages at once, and the rest after
# them, in times of what they took, with the most seconds.
PAGES, REST, LONGEST_REST = 64, 3, 0.1
NAME = re.compile(r"samovar-\d{4}-\d\d-\d\dT\d{6}(-\d+)?\.backup")
UNFINISHED = ".part"
LEAVING_SECONDS = 3.0
# Others in the same database: a site that runs would go on with tables that are not there any more.
OTHERS = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")


class KeptTable(NamedTuple):
    """A table as its row says."""

    id: str
    status: str
    head: int


EVERY_TABLE = Query(KeptTable, select(*tables.c[KeptTable._fields]).order_by(tables.c.id))
# Entries of a table that is not there.
STRAY = Query(str, select(entries.c.table_id).distinct().where(entries.c.table_id.not_in(select(tables.c.id))))


def back_up(url: str, file: Path) -> None:
    """Write all that is committed into a new file, for its owner alone: whole, or not at all."""
    if file.exists():
        raise StoreError(f"There is a file {file} already: give another name.")
    source = Database(url)
    with _written_whole(file) as part:
        if source.exclusive:
            _copy_file(Path(source.name), part)
        else:
            _copy_server(source, part)


def new_file(folder: Path, before: str = "") -> Path:
    """For a backup made at this moment: sorted by name they are sorted by age. Two in a second have two names."""
    moment = time.strftime("%Y-%m-%dT%H%M%S")
    names = (folder / f"{before}samovar-{moment}{ending}.backup" for ending in ("", *(f"-{n}" for n in range(2, 100))))
    return next(path for path in names if not path.exists())


def remove_old_backups(folder: Path, kept: int) -> None:
    """All but the newest ones, and what a backup that was cut short has left."""
    for path in folder.glob(f".*.backup*{UNFINISHED}"):
        if time.time() - path.stat().st_mtime > 24 * 3600:
            path.unlink(missing_ok=True)
    for path in sorted(path for path in folder.iterdir() if NAME.fullmatch(path.name))[:-kept]:
        path.unlink(missing_ok=True)


@contextmanager
def opened_copy(url: str, folder: Path | None = None) -> Iterator[Path]:
    """All of a database in a file of its own that may be opened, brought up to date and looked at."""
    with tempfile.TemporaryDirectory(prefix=".samovar-", dir=folder) as name:
        copy = Path(name) / "samovar.db"
        back_up(url, copy)
        yield copy


def put_back(copy: Path, url: str, folder: Path) -> Path | None:
    """Put a copy of today's schema in the place of a database that nobody uses. Return where the old one is kept:
    beside its file, or in the folder for one on a server."""
    target = Database(url)
    return _replace_file(copy, target) if target.exclusive else _replace_rows(copy, target, folder)


def file_url(path: Path) -> str:
    return URL.create("sqlite", database=str(path)).render_as_string()


@contextmanager
def _written_whole(file: Path) -> Iterator[Path]:
    """A new file beside the wanted one, which takes its name when everything is in it and on the disk."""
    part: Path | None = None
    try:
        make_folder(file.parent.resolve())
        number, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}-", suffix=UNFINISHED)
        os.close(number)
        part = Path(name)
        yield part
        _flush(part)
        part.replace(file)
        _flush(file.parent)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(
            f"The backup {file} cannot be written: {reason_of(error)}. Free some space or give another place; the "
            "site's own database is untouched."
        ) from error
    finally:
        if part:
            part.unlink(missing_ok=True)


def _flush(path: Path) -> None:
    """So that a power cut does not take it away; a folder cannot be flushed everywhere."""
    if path.is_dir() and os.name == "nt":
        return
    number = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _copy_file(source: Path, target: Path) -> None:
    """In one transaction, so of one moment, however busy the site is; what is in the write-ahead log comes along."""
    if not source.exists():
        raise StoreError(f"There is no database {source}: give its folder with --data, or its URL with --database.")
    with closing(sqlite3.connect(source, isolation_level=None)) as live, closing(sqlite3.connect(target)) as copy:
        live.execute("PRAGMA query_only = ON")
        try:
            live.execute("BEGIN")
            live.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"{source} cannot be read: {error}. Give a file that `samovar backup` wrote, or the database of a site."
            ) from error
        copy.execute("PRAGMA synchronous = OFF")  # it is flushed below
        live.backup(copy, pages=PAGES, progress=_paced(target))
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, with nothing beside it


def _paced(target: Path) -> Callable[..., None]:
    """After each portion: put it on the disk, and rest."""
    began = time.monotonic()

    def rest(*_: int) -> None:
        nonlocal began
        _flush(target)
        time.sleep(min(LONGEST_REST, REST * (time.monotonic() - began)))
        began = time.monotonic()

    return rest


def _copy_server(source: Database, target: Path) -> None:
    with _connected(source):
        engine = source.writing.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with engine.begin() as live:  # all of it is of one moment
            _check_today(live, source)
            _make_from(live, target)


@contextmanager
def _connected(server: Database) -> Iterator[None]:
    """While it is needed; what goes wrong meanwhile is told with its remedy."""
    try:
        server.connect(1)
        yield
    except StoreError:
        raise
    except Exception as error:
        raise server.explain(error) from error
    finally:
        server.close()


def _check_today(connection: Connection, source: Database) -> None:
    found = database.version(connection)
    if found != database.VERSION:
        raise StoreError(
            f"The database {source.name} has the schema {found or 'of nothing'}, and this Samovar knows "
            f"{database.VERSION}: make the backup with the Samovar that wrote it, or start the site once."
        )


def _make_from(live: Connection, target: Path) -> None:
    from samovar.web.store import schema  # slow to import

    engine = create_engine(file_url(target))
    try:
        with engine.begin() as copy:
            schema.make(copy, database.VERSION)
            _copy_rows(live, copy)
    finally:
        engine.dispose()


def _copy_rows(source: Connection, target: Connection) -> None:
    for table in metadata.sorted_tables:
        rows = source.execution_options(yield_per=ROWS).execute(table.select())
        for some in rows.mappings().partitions(ROWS):
            target.execute(table.insert(), [{column.key: row[column] for column in table.columns} for row in some])


def _replace_file(copy: Path, target: Database) -> Path | None:
    """The old file stays whole until the new one takes its name: there is no moment at which a cut leaves neither."""
    path = Path(target.name).resolve()
    try:
        target.connect(1)  # refuses, if a site uses the file
        kept = make_copy(path, "restore") if path.stat().st_size else None
        with closing(sqlite3.connect(path)) as old:
            old.execute("PRAGMA journal_mode = DELETE")  # or its log would be read into the new file
        _flush(copy)
        _give_to_owner(path, copy)
        copy.replace(path)
        _flush(path.parent)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path} cannot be replaced: {reason_of(error)}. It is as it was.") from error
    finally:
        target.close()
    guarded(path)
    remove_old(path)
    return kept


def _give_to_owner(of: Path, file: Path) -> None:
    """Root may put back the database of a service, which runs as somebody else and has to open it."""
    if hasattr(os, "chown"):
        owner = of.stat()
        os.chown(file, owner.st_uid, owner.st_gid)


def _replace_rows(copy: Path, target: Database, folder: Path) -> Path | None:
    from samovar.web.store import schema

    with _connected(target):
        with target.writing.connect() as look:
            _check_unused(look, target)
            is_new = database.version(look) is None
        kept = None if is_new else new_file(folder, "before-restore-")
        if kept:
            back_up(target.url.render_as_string(hide_password=False), kept)
        engine = create_engine(file_url(copy))
        with target.writing.begin() as connection, engine.connect() as source:
            schema.bring_up(connection, None if is_new else database.VERSION, database.VERSION)
            for table in reversed(metadata.sorted_tables):
                connection.execute(table.delete())
            _copy_rows(source, connection)
        engine.dispose()
        return kept


def _check_unused(connection: Connection, target: Database) -> None:
    """A site that was just stopped may still be seen for a moment."""
    until = time.monotonic() + LEAVING_SECONDS
    while connection.execute(OTHERS).scalar_one() and time.monotonic() < until:
        connection.rollback()  # or the answer stays the same
        time.sleep(0.1)
    if connection.execute(OTHERS).scalar_one():
        raise StoreError(
            f"Other programs use the database {target.name}: stop the site and close what else is connected."
        )
