"""What the benchmarks of the site measure: servers in sessions of their own, the load generators
beside them, and what a server spends meanwhile."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent / "boardgame_io"
CLIENT = SOURCE / "client.js"
INSTALLED = Path(sys.prefix) / "boardgame_io"
PACED = 200  # matches with one move a second
START_WITHIN, END_WITHIN, CLIENT_EXTRA = 30, 10, 300  # seconds
SETTLED_SECONDS, SETTLE_WITHIN = 3, 400  # on a machine that has never compiled anything it takes minutes
# all load comes from one machine
NO_LIMITS = ("--requests-per-minute", "--streams-per-address", "--connections-per-address")

Figures = dict[str, Any]


@dataclass(frozen=True)
class Side:
    name: str
    driver: str  # in client.js
    ready: str  # a page that answers when the server is up
    more: tuple[str, ...] = ()  # for the command line

    def command(self, port: int, data: Path) -> list[str]:
        if self.driver == "ours":
            where = ["--host", "127.0.0.1", "--port", str(port), "--data", str(data)]
            return [*SERVE, "--no-browser", *where, *limits_off(), *self.more]
        return ["node", str(SOURCE / "server.js"), str(port), *(["--flatfile", str(data)] if self is FLATFILE else [])]


MEMORY = Side("boardgame.io in memory", "peer", "/games")
FLATFILE = Side("boardgame.io with FlatFile", "peer", "/games")
OURS = Side("samovar", "ours", "/health")
SERVE = (str(Path(sysconfig.get_path("scripts")) / "samovar"), "serve")


@cache
def limits_off() -> list[str]:
    """Every limit on what one address may do, switched off, as far as this version has it."""
    known = subprocess.run(
        [*SERVE, "--help"], env={**os.environ, "COLUMNS": "200"}, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return [part for name in NO_LIMITS if name in known for part in (name, "0")]


# ---- a measurement


def measured(side: Side, loads: list[tuple[int, int]], seconds: float, streams: bool) -> Iterator[Figures]:
    """Connect Four, by one server: so many matches at once, as fast as it goes or at a pace."""
    with tempfile.TemporaryDirectory() as folder, server(side, Path(folder)) as (url, process):
        wait_until_settled(process.pid)
        for matches, pace in loads:
            plan = {"plan": "load", "matches": matches, "pace": pace, "seconds": seconds, "streams": streams}
            yield {"matches": matches, "pace": pace, **carried_out(plan, CLIENT, side, url, process.pid)}


def carried_out(
    plan: Figures,
    script: Path,
    side: Side,
    url: str,
    leader: int,
    database: int = 0,
    during: AbstractContextManager[Any] | None = None,
) -> Figures:
    """What the load generator tells of a plan, and what the server, and the database that is not
    part of it, spent on it."""
    with client(script, side, url, plan) as answers:
        next(answers)
        cpu, database_cpu, memory = cpu_of_session(leader), cpu_of_family(database), memory_of_session(leader)
        with during or nullcontext():
            figures = json.loads(next(answers))
        moves = figures["moves"]
        return {
            "rate": moves / figures["seconds"],
            "cpu": 1000 * (cpu_of_session(leader) - cpu) / moves,
            "database_cpu": 1000 * (cpu_of_family(database) - database_cpu) / moves,
            "memory_start": memory,
            "memory_end": memory_of_session(leader),
            **figures,
        }


# ---- processes


class ServerDied(Exception):
    pass


@contextmanager
def server(side: Side, folder: Path, **variables: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server of one side in a session of its own, ready to answer; at the end it and its children
    are gone. The variables are added to its environment."""
    port, log = free_port(), folder / "server.log"
    (folder / "data").mkdir(exist_ok=True)
    with log.open("ab") as output:
        process = subprocess.Popen(
            side.command(port, folder / "data"),
            env=environment() | variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(side, url + side.ready, process, log)
        yield url, process
    finally:
        end(process)


def wait_until_ready(side: Side, url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(START_WITHIN * 10):
        if process.poll() is not None:
            break
        try:
            urllib.request.urlopen(url, timeout=START_WITHIN).close()
            return
        except OSError:
            time.sleep(0.1)
    raise ServerDied(f"{side.name} did not start: {' '.join(side.command(0, Path('DATA')))}\n{log.read_text()[-2000:]}")


def wait_until_settled(leader: int) -> None:
    """What a server still prepares after its start (bots, here, in processes with sessions of their own) is no part of
    the load."""
    until = time.monotonic() + SETTLE_WITHIN
    while time.monotonic() < until:
        before = cpu_of_family(leader)
        time.sleep(SETTLED_SECONDS)
        if cpu_of_family(leader) - before < SETTLED_SECONDS / 20:
            return


@contextmanager
def client(script: Path, side: Side, url: str, plan: Figures) -> Iterator[Iterator[str]]:
    """The lines that the load generator prints while it does the plan; when it fails, all ends with
    its own message."""
    process = subprocess.Popen(
        ["node", str(script)],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    alarm = threading.Timer(plan.get("seconds", 0) + CLIENT_EXTRA, process.kill)
    alarm.start()
    try:
        process.stdin.write(json.dumps({**plan, "side": side.driver, "url": url}))
        process.stdin.close()
        yield iter(process.stdout.readline, "")
    except StopIteration:
        sys.exit(f"The load generator ended early against {side.name}: see its message above.")
    finally:
        alarm.cancel()
        end(process)


def end(process: subprocess.Popen[Any]) -> None:
    """Ends a process that was started in a session of its own, and what is left in that session."""
    process.terminate()
    try:
        process.wait(END_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def environment() -> dict[str, str]:
    return {**os.environ, "NODE_PATH": str(INSTALLED / "node_modules"), "NODE_ENV": "production"}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


# ---- what processes spend, as far as the system tells

SESSION, PARENT, CPU, CPU_OF_ENDED, MEMORY_PAGES = 3, 1, (11, 12), (13, 14), 21  # in /proc/ID/stat, after the name


def processes() -> Iterator[tuple[int, list[int]]]:
    """The id of every process, and the numbers that the system keeps of it."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            yield int(stat.parent.name), [0, *map(int, stat.read_text().rpartition(")")[2].split()[1:])]


def cpu_of_session(leader: int) -> float:
    """Seconds of CPU time that the processes of a session have used so far."""
    return seconds(sum(facts[field] for _, facts in processes() if facts[SESSION] == leader for field in CPU))


def memory_of_session(leader: int) -> float:
    """Megabytes that the processes of a session have in memory; what they share counts for each of
    them."""
    return (
        sum(facts[MEMORY_PAGES] for _, facts in processes() if facts[SESSION] == leader)
        * os.sysconf("SC_PAGE_SIZE")
        / 1e6
    )


def family(leader: int) -> dict[int, list[int]]:
    """A process and all that it has started, whatever session they are in, and the numbers of each."""
    found = dict(processes())

    def belongs(pid: int) -> bool:
        return pid == leader or (pid in found and belongs(found[pid][PARENT]))

    return {pid: facts for pid, facts in sorted(found.items()) if belongs(pid)}


def cpu_of_family(leader: int) -> float:
    """Seconds of CPU time of a process and all that it has started, those that have ended as well."""
    if not leader:
        return 0.0
    return seconds(sum(facts[field] for facts in family(leader).values() for field in (*CPU, *CPU_OF_ENDED)))


def memory_of_family(leader: int) -> float:
    """Megabytes of a process and all that it has started; what they share counts once."""
    return sum(map(memory_of, family(leader)))


def memory_of(pid: int) -> float:
    """Megabytes of a process, with its part of what it shares (PSS); 0 when it is gone."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / 1e6
    return 0.0


def parent_of(child: int) -> int:
    return next((facts[PARENT] for pid, facts in processes() if pid == child), 0)


def seconds(ticks: int) -> float:
    return ticks / os.sysconf("SC_CLK_TCK")
