"""Databases of the tests' own: a file each, or a database each in a PostgreSQL server that is
started for the tests and stopped after them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pwd import struct_passwd

numbers = count()


class Missing(Exception):
    """Why there is no PostgreSQL here."""


class Server:
    """A PostgreSQL server on a free port of the loopback, with nothing in it."""

    def __init__(self, folder: Path, fsync: str) -> None:
        self._bin, self._user, self._folder = binaries(), unprivileged(), folder
        self._port = free_port()
        if self._user:
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        self._run(
            self._bin / "initdb",
            "-D",
            folder / "data",
            "-U",
            "samovar",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
            "--locale=C",
        )
        settings = {
            "port": self._port,
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": fsync,
            "max_connections": "60",
        }
        self._command = [
            self._bin / "postgres",
            "-D",
            folder / "data",
            *(f"--{name}={value}" for name, value in settings.items()),
        ]
        self.start()

    def start(self) -> None:
        """Also after it was stopped, with all that was in it."""
        self._log = open(self._folder / "log", "ab")  # noqa: SIM115 - open as long as the server
        self._process = subprocess.Popen(
            self._command, stdout=self._log, stderr=self._log, cwd=self._folder, **self._identity()
        )
        self._wait()

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://samovar@127.0.0.1:{self._port}/{database}"

    def new_database(self) -> str:
        """The URL of an empty one."""
        name = f"test_{next(numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def execute(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(self.url("postgres").replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(statement)  # type: ignore[arg-type]

    def stop(self) -> None:
        """Without waiting for connections."""
        self._process.send_signal(2)
        self._process.wait(timeout=30)
        self._log.close()

    def _wait(self) -> None:
        import psycopg

        until = time.monotonic() + 30
        while True:
            try:
                return self.execute("SELECT 1")
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > until:
                    raise Missing(f"PostgreSQL does not start: {(self._folder / 'log').read_text()[-500:]}") from None
                time.sleep(0.05)

    def _run(self, *command: object) -> None:
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, cwd=self._folder, **self._identity()
        )
        if done.returncode:
            raise Missing(f"{command[0]} failed: {done.stderr.strip()}")

    def _identity(self) -> dict[str, object]:
        """PostgreSQL refuses to run as root."""
        if self._user is None:
            return {}
        return {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}


def binaries() -> Path:
    """The folder with the newest PostgreSQL of the system."""
    found = shutil.which("initdb")
    folders = (
        [Path(found).parent]
        if found
        else sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    )
    if not folders:
        raise Missing(
            "PostgreSQL is not installed (no initdb on the PATH nor in /usr/lib/postgresql): apt-get install postgresql"
        )
    return folders[-1]


def unprivileged() -> struct_passwd | None:
    """Whom to run as when we are root."""
    if os.geteuid() != 0:
        return None
    import pwd

    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    return names.get("postgres") or names["nobody"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def postgresql(fsync: str = "off") -> Iterator[Server]:
    """A server while it is needed, in a folder of its own that its user may enter."""
    try:
        import psycopg  # noqa: F401
    except ImportError as error:
        raise Missing(f"psycopg is not installed: {error}") from error
    with tempfile.TemporaryDirectory(prefix="samovar-postgresql-") as name:
        server = Server(Path(name), fsync)
        try:
            yield server
        finally:
            server.stop()
