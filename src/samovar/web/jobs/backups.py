"""Backups that a site makes by itself, so often, each by `samovar backup`, a process behind pages and bots."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from samovar.errors import StoreError
from samovar.web.store.backups import NAME, remove_old_backups
from samovar.web.store.database import make_folder

RETRY_SECONDS = 600.0  # after one that failed
SPAN = re.compile(r"(\d+)\s*([mhdw])")
UNITS = {"m": 60, "h": 3600, "d": 24 * 3600, "w": 7 * 24 * 3600}

log = logging.getLogger("samovar.web")


@dataclass(frozen=True)
class Routine:
    """How often, where to, and how many are kept."""

    folder: Path
    seconds: float
    kept: int

    def due_in(self) -> float:
        """Seconds until the next one, by the newest that is there: a site that is started anew goes on."""
        times = [path.stat().st_mtime for path in self.folder.iterdir() if NAME.fullmatch(path.name)]
        return max(0.0, max(times, default=0.0) + self.seconds - time.time())


def parse_span(text: str) -> float:
    """`12h` or `1d`, in seconds."""
    found = SPAN.fullmatch(text.strip().lower())
    if not found or not int(found[1]):
        raise StoreError(f"{text!r} is no time between backups: give minutes, hours, days or weeks, such as 12h or 1d.")
    return float(int(found[1]) * UNITS[found[2]])


def begin(url: str, routine: Routine) -> None:
    """From now on, as long as this process lives."""
    make_folder(routine.folder)
    threading.Thread(target=_go_on, args=(url, routine), name="samovar-backups", daemon=True).start()


def _go_on(url: str, routine: Routine) -> None:
    while True:
        time.sleep(routine.due_in())
        if not _make(url, routine):
            time.sleep(RETRY_SECONDS)


def _make(url: str, routine: Routine) -> bool:
    """The URL travels by the environment: everybody can see a command."""
    command = [sys.executable, "-P", "-m", "samovar", "backup", str(routine.folder)]
    done = subprocess.run(
        command, env={**os.environ, "SAMOVAR_DATABASE": url}, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode:
        log.error("no backup was made, and the next try is in ten minutes: %s", done.stderr.strip().splitlines()[-1:])
        return False
    try:
        remove_old_backups(routine.folder, routine.kept)
    except OSError as error:
        log.error("older backups cannot be removed: %s", error)
    return True
