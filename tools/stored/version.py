"""A version of Samovar that runs: its commands, and its site."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

START_S = 60
PAUSE_S = 0.05


class Lacking(Exception):
    """This version has no form for that."""


@dataclass(frozen=True)
class Version:
    """A revision in a folder of its own."""

    folder: Path

    @classmethod
    def unpack(cls, root: Path, revision: str, folder: Path) -> Version:
        packed = subprocess.run(["git", "archive", revision], cwd=root, check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as files:
            files.extractall(folder, filter="data")
        version = cls(folder)
        for project, place in version.projects.items():
            describe(project, place)
        return version

    @property
    def projects(self) -> dict[Path, Path]:
        """Where each package says what it is, and where its modules are. Games beside it are its own
        too: today's might not run with it."""
        example = self.folder / "examples" / "connect_four"
        return {self.folder: self.folder / "src"} | ({example: example} if example.exists() else {})

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join(map(str, self.projects.values()))
        home = self.folder / "home"
        own = {"PYTHONPATH": path, "HOME": str(home), "SAMOVAR_DATA": str(home), "SAMOVAR_BOT_PAUSE": "0"}
        return {**os.environ, **own, "SAMOVAR_THREADS": "1"}

    def run(self, *words: str) -> str:
        """What Python answers to these words, without compiling for minutes what takes seconds; the last lines of
        what it complained about, if it failed."""
        command, environment = [sys.executable, *words], {**self.environment, "SAMOVAR_PLAIN": "1"}
        done = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)[:200]} failed:\n{done.stderr[-2000:]}")
        return done.stdout

    def has(self, module: str) -> bool:
        return (self.folder / "src" / Path(*module.split("."))).exists()

    @contextmanager
    def serving(self, data: Path) -> Iterator[str]:
        """The address of its site, while it runs."""
        arguments = ["serve", "--no-browser", "--host", "127.0.0.1", "--port", "0", "--requests-per-minute", "0"]
        command = [sys.executable, "-m", "samovar", *arguments, "--data", str(data)]
        with open(self.folder / "log", "w+") as log:
            server = subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=log, stderr=log)
            try:
                yield address_of(server, Path(log.name))
            finally:
                server.send_signal(signal.SIGINT)
                server.wait(30)


def describe(project: Path, place: Path) -> None:
    """What an installer would write for Python to find the games and bots of a package by."""
    facts = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = place / f"{facts['name'].replace('-', '_')}-{facts['version']}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {facts['name']}\nVersion: {facts['version']}\n")
    groups = {"console_scripts": facts.get("scripts", {}), **facts.get("entry-points", {})}
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in entries.items()) for group, entries in groups.items()]
    (folder / "entry_points.txt").write_text("\n".join(lines))


def address_of(server: subprocess.Popen[bytes], log: Path) -> str:
    """As it says itself when it starts, once it answers there."""
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        with suppress(httpx.TransportError):
            if found := re.search(r"http://localhost:(\d+)/", log.read_text()):
                httpx.get(address := f"http://127.0.0.1:{found[1]}")
                return address
        time.sleep(PAUSE_S)
    raise RuntimeError(f"The site does not start:\n{log.read_text()[-2000:]}")
