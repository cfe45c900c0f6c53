"""A copy of a database in a file as it was before a newer Samovar changed its schema: the way back to the older one."""

from __future__ import annotations

import glob
import os
import re
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from samovar.errors import StoreError

KEPT = 3  # copies of one database
# How the name of a copy ends, after that of the database. What somebody else put there has another name.
ENDING = re.compile(r"\.before-\w+-(?P<moment>\d{4}-\d\d-\d\dT\d{6})(?P<unfinished>\.part)?")


def make_copy(database: Path, schema: str) -> Path:
    """All that is committed, also what is still in the write-ahead log alone, for its owner's eyes. A copy is
    there as a whole or not at all."""
    while (copy := named_now(database, schema)).exists():
        time.sleep(0.05)  # one was made in this second, and is not to be lost
    unfinished = copy.with_name(f"{copy.name}.part")
    try:
        check_room(database)
        os.close(os.open(unfinished, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(unfinished)) as target:
            source.backup(target)
        unfinished.replace(copy)
    except (OSError, sqlite3.Error) as error:
        unfinished.unlink(missing_ok=True)
        raise StoreError(
            f"{database} must be changed for this version of Samovar, and cannot be copied before: {reason_of(error)}. "
            "Free some space or make the folder writable, and start again; nothing is changed or lost."
        ) from error
    return copy


def named_now(database: Path, schema: str) -> Path:
    return database.with_name(f"{database.name}.before-{schema}-{time.strftime('%Y-%m-%dT%H%M%S')}")


def check_room(database: Path) -> None:
    """For the copy and for the change, which may write every page anew."""
    size = sum(path.stat().st_size for path in beside(database) if path.exists())
    free = shutil.disk_usage(database.parent).free
    if free < 2 * size:
        raise OSError(0, f"that takes {2 * size / 2**20:.1f} MiB of the disk, and {free / 2**20:.1f} are free")


def beside(database: Path) -> list[Path]:
    """The files in which its content is."""
    return [database, database.with_name(f"{database.name}-wal")]


def reason_of(error: Exception) -> str:
    return str(error.strerror if isinstance(error, OSError) else error)


def remove_old(database: Path) -> None:
    """Keeps the newest copies, and none that was cut short."""
    copies = []
    for path in database.parent.glob(f"{glob.escape(database.name)}.before-*"):
        ending = ENDING.fullmatch(path.name.removeprefix(database.name))
        if ending and ending["unfinished"]:
            path.unlink(missing_ok=True)
        elif ending:
            copies.append((ending["moment"], path))
    for _, path in sorted(copies)[:-KEPT]:
        path.unlink(missing_ok=True)
