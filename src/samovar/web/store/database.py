"""Connections: what differs between SQLite and PostgreSQL, and what an error of either means for
the one who runs the site."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from filelock import lock_descriptor
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from samovar.errors import StoreError
from samovar.web.store.copies import make_copy, remove_old

DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
VERSION = "0013"  # of the schema: the newest file in migrations/versions; a test compares them
TURN = 0x5A40FA2  # PostgreSQL's advisory lock of those who make or migrate the schema
TIMEOUT = 5  # seconds to wait for a server
CALLED = "samovar "  # how PostgreSQL names the connections of a process, with the process's own name behind it
USUAL_FOLDER = Path(os.path.expanduser("~/.samovar"))
LEAST_FREE = 32 * 2**20  # bytes of the disk: below that it is time to do something about it
BESIDE = ("", "-wal", "-shm", "-journal", ".lock")  # how the names of the files of a database in a file end
# what a mode lets other people do: the deals of running matches and the site's secret are in these
# files
OTHERS = 0o077
OTHERS_WRITE = 0o022
STICKY = 0o1000  # everybody may write to the folder, but nobody may replace the files of another

log = logging.getLogger("samovar.web")


class Database:
    """One engine to write and one to read. Nothing is touched before `connect`."""

    writing: Engine
    reading: Engine

    def __init__(self, url: str) -> None:
        self.url = parse(url)
        self.exclusive = self.url.get_backend_name() == "sqlite"
        self.process = secrets.token_hex(8)  # who is connected, among all processes of a site
        self._lock: BinaryIO | None = None

    @property
    def name(self) -> str:
        """For people: the file, or the URL without the password."""
        return str(self.url.database) if self.exclusive else self.url.render_as_string(hide_password=True)

    def connect(self, readers: int) -> None:
        """Takes the file for this process alone (SQLite), then prepares the engines."""
        if self.exclusive:
            self._lock = lock(guarded(Path(self.name)))
        # A server may have been started anew. Whoever reads tries again then; a writer must not.
        self.writing = self._engine(1, **({"paramstyle": "named"} if self.exclusive else {"pool_pre_ping": True}))
        self.reading = self._engine(readers, isolation_level="AUTOCOMMIT")
        if self.exclusive:
            event.listen(self.writing, "connect", prepare_writer)
            event.listen(self.writing, "begin", begin_immediately)
            event.listen(self.reading, "connect", prepare_reader)

    def close(self) -> None:
        """Closes what was opened; readers first: SQLite's last connection puts its log into the
        file."""
        for engine in (getattr(self, "reading", None), getattr(self, "writing", None)):
            if engine is not None:
                engine.dispose()
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _engine(self, connections: int, **options: Any) -> Engine:
        if not self.exclusive:
            name = {"application_name": f"{CALLED}{self.process}"}
            options["connect_args"] = {"connect_timeout": TIMEOUT} | dict(self.url.query) | name
        try:
            return create_engine(self.url, pool_size=connections, max_overflow=0, hide_parameters=True, **options)
        except ImportError as error:
            raise StoreError(
                'The driver for PostgreSQL is not installed: pip install "samovar-games[postgres]"'
            ) from error

    def check_space(self) -> None:
        """Before SQLite finds no room. A server of PostgreSQL has its own disk."""
        if self.exclusive and shutil.disk_usage(Path(self.name).resolve().parent).free < LEAST_FREE:
            raise StoreError(
                f"The disk of {self.name} has less than {LEAST_FREE >> 20} MiB left. Free some space; nothing is "
                "lost so far."
            )

    def explain(self, error: Exception) -> StoreError:
        """What happened and what helps, for any exception of the database."""
        if isinstance(error, StoreError):
            return error
        reason = str(error.orig if isinstance(error, DBAPIError) else error).strip().rstrip(".")
        remedy = next((remedy for sign, remedy in REMEDIES.items() if sign in reason), "")
        return StoreError(f"The database {self.name} cannot be used: {reason}. {remedy}".strip())

    def bring_up(self) -> None:
        """Made when it is empty, migrated when it is older, refused when it is newer; one query
        when it is as it should be."""
        copy: Path | None = None
        try:
            with self.writing.begin() as connection:
                if version(connection) == VERSION:
                    return
                if not self.exclusive:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:turn)"), {"turn": TURN})
                from samovar.web.store import schema  # slow to import, and Alembic slower still

                found = version(connection)
                schema.check(found, VERSION)
                copy = self._copy() if found else None
                schema.bring_up(connection, found, VERSION)
        except BaseException:
            if copy:
                copy.unlink(missing_ok=True)  # nothing has changed; whoever tries again and again would fill the disk
            raise
        if copy:
            self._tell_of(copy, found)
        elif found and found != VERSION:  # else another process has done it meanwhile
            log.warning("the database was changed for this version of Samovar: schema %s, now %s", found, VERSION)
        elif not found:
            log.info("the database was made, with schema %s", VERSION)

    def _copy(self) -> Path | None:
        """Of a file, before it is changed. A server's backups are its owner's affair."""
        return make_copy(Path(self.name).resolve(), VERSION) if self.exclusive else None

    def _tell_of(self, copy: Path, found: str | None) -> None:
        remove_old(Path(self.name).resolve())
        log.warning(
            "%s was changed for this version of Samovar (schema %s, now %s). As it was before: %s. To go back to the "
            "older version stop Samovar, delete %s-wal and %s-shm, and put that file in the place of %s.",
            self.name, found, VERSION, copy, self.name, self.name, self.name,
        )  # fmt: skip


@contextmanager
def beside_the_site(url: str) -> Iterator[Connection]:
    """A transaction of somebody who keeps a site that may run: short, for it waits as long."""
    database = Database(url)
    engine = database._engine(1)
    try:
        if database.exclusive and not Path(database.name).exists():
            raise StoreError(f"There is no database {database.name}: start the site once, or give --data.")
        with engine.begin() as connection:
            if version(connection) != VERSION:
                raise StoreError(f"The database {database.name} is of another version: start the site once.")
            yield connection
    except DBAPIError as error:
        raise database.explain(error) from error
    finally:
        engine.dispose()


def version(connection: Connection) -> str | None:
    """What the database says of its schema; None: it has none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    number = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if number is None else str(number)


# What the databases say, and what the one who runs the site can do about it.
REMEDIES = {
    "disk is full": "Free some space; everything acknowledged so far is safe.",
    "No space left": "Free some space; everything acknowledged so far is safe.",
    "readonly database": "Make the file and its folder writable, or give another folder.",
    "unable to open database file": "Make the folder writable, or give another one.",
    "not a database": "The file is something else: give another one.",
    "database is locked": "Another program writes to the file: close it.",
    "password authentication failed": "Check the name and the password in the URL.",
    "does not exist": "Create it, or correct the URL.",
    "permission denied": "Give the user of the URL the right to create tables there.",
    "connection failed": "Check that the server runs and that the URL names its host and port.",
    "server closed the connection": "The next try makes a new one.",
    "terminating connection": "The next try makes a new one.",
    "connection timeout": "Check that the server runs and that the URL names its host and port.",
}


def parse(address: str) -> URL:
    """The URL with the driver that Samovar uses."""
    try:
        url = make_url(address)
        driver = DRIVERS[url.get_backend_name()]
    except (ArgumentError, NoSuchModuleError, KeyError, ValueError) as error:
        kind = address.partition("://")[0] if "://" in address else "no URL"
        raise StoreError(
            f"{kind!r} is no database Samovar knows. Give sqlite:///folder/samovar.db or "
            "postgresql://user@host/database."
        ) from error
    if driver == "sqlite" and url.database in (None, "", ":memory:"):
        raise StoreError("A database in memory would be lost: give a file, such as sqlite:///samovar.db.")
    return url.set(drivername=driver)


def database_in(folder: Path) -> str:
    """The URL of the database that a site keeps in this folder, which is made."""
    try:
        make_folder(folder)
    except OSError as error:
        raise StoreError(
            f"The folder {str(folder)!r} cannot be made: {error.strerror}. Give another one with --data or "
            "SAMOVAR_DATA."
        ) from error
    if folder == USUAL_FOLDER:
        tighten(folder, 0o700)
    return f"sqlite:///{folder / 'samovar.db'}"


def guarded(path: Path) -> Path:
    """The file, with all it needs around it, made if it is not there, and closed to other people of
    this machine."""
    path = path.resolve()
    try:
        make_folder(path.parent)
        check_folder(path.parent)
        for ending in ("", ".lock"):  # SQLite makes the others, with the mode of the file
            os.close(os.open(f"{path}{ending}", os.O_CREAT, 0o600))
    except OSError as error:
        raise StoreError(
            f"The folder {path.parent} cannot be used: {error.strerror}. Make it writable, or give another one."
        ) from error
    for ending in BESIDE:
        tighten(path.with_name(f"{path.name}{ending}"), 0o600)
    return path


def make_folder(folder: Path) -> None:
    """With those above it that are not there: each for this user alone, whatever is usual here."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(0o700, exist_ok=True)


def mode_of(path: Path) -> int:
    """Who may do what with it. Windows has no modes: there a folder in the home of a user is for that user alone, and
    nothing more can be asked of it here."""
    return 0 if sys.platform == "win32" else path.stat().st_mode


def check_folder(folder: Path) -> None:
    mode = mode_of(folder)
    if mode & OTHERS_WRITE and not mode & STICKY:
        raise StoreError(
            f"Others may write to the folder {folder}, so they could replace the tables. Run chmod go-w {folder}, or "
            "give another one."
        )


def tighten(path: Path, mode: int) -> None:
    """Takes from others what they may do with this file or folder, if it is there."""
    if not path.exists() or not mode_of(path) & OTHERS:
        return
    with suppress(OSError):
        path.chmod(mode)
    if mode_of(path) & OTHERS:  # not ours, or on a disk that knows no modes
        raise StoreError(
            f"Others may read {path}, and that cannot be changed. Have its owner run chmod {mode:o} {path}, or give "
            "another folder."
        )
    log.warning("others could read %s: it is for its owner alone now", path)


def lock(path: Path) -> BinaryIO:
    """Holds the file for this process; the system lets go when the process ends, however it ends.
    The lock file itself may stay."""
    file = open(f"{path}.lock", "ab")  # noqa: SIM115 - open as long as the store is
    if lock_descriptor(file.fileno(), blocking=False):
        return file
    file.close()
    raise StoreError(
        f"Another samovar uses {path}: stop it, or give this one a folder of its own. Several processes need "
        "PostgreSQL."
    )


def prepare_writer(connection: Any, _: object) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def prepare_reader(connection: Any, _: object) -> None:
    connection.execute("PRAGMA query_only = ON")


def begin_immediately(connection: Connection) -> None:
    """Python's driver would begin only before the first change of a row: a change of the schema
    would stand alone."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
