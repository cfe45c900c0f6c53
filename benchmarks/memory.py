"""How much memory a site takes, with all its processes: at its first start on a machine, when everything is
compiled, and at rest.

    python benchmarks/memory.py [--workers 4] [--who]

The site is started twice on the same empty cache of compiled code. The first time counts until it has compiled all:
the most memory it had, and the CPU time of all its processes. The second time it is looked at when it rests. What
processes share counts once (PSS, as Linux tells it). Several workers need PostgreSQL, whose own memory does not
count. `--who` says which process has what.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from web_pages import database_url
from web_servers import CPU, CPU_OF_ENDED, OURS, PARENT, processes, seconds, server

SETTLED_SECONDS = 5.0  # with hardly any CPU time
LONGEST_SECONDS = 400.0  # to settle
SAMPLE_SECONDS = 0.25


@dataclass
class Start:
    """What a site took from its start until it came to rest."""

    peak: float = 0.0  # MB
    rest: float = 0.0
    cpu: float = 0.0  # seconds
    who: tuple[str, ...] = ()  # has what, at rest


def both_starts(workers: int) -> tuple[Start, Start]:
    """The first start of a machine, and the next."""
    chosen = Namespace(postgres=workers > 1, database=None)
    with tempfile.TemporaryDirectory() as folder, database_url(chosen) as database:
        more = ("--database", database, "--workers", str(workers)) if database else ()
        one, another = (started(Path(folder), more) for _ in range(2))
        return one, another


def started(folder: Path, more: tuple[str, ...]) -> Start:
    with server(replace(OURS, more=more), folder, NUMBA_CACHE_DIR=str(folder / "compiled")) as (_, process):
        found = Start()
        with sampling(process.pid, found):
            wait_until_at_rest(process.pid)
        found.rest, found.cpu = memory_of(process.pid), cpu_of(process.pid)
        found.who = tuple(f"{pss(pid):6.0f} MB  {command(pid)}" for pid in family(process.pid))
        return found


@contextmanager
def sampling(leader: int, found: Start) -> Iterator[None]:
    ended = threading.Event()

    def sample() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            found.peak = max(found.peak, memory_of(leader))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def wait_until_at_rest(leader: int) -> None:
    until = time.monotonic() + LONGEST_SECONDS
    while time.monotonic() < until:
        before = cpu_of(leader)
        time.sleep(SETTLED_SECONDS)
        if cpu_of(leader) - before < SETTLED_SECONDS / 20:
            return


# A process and all that it has started: bots' processes have sessions of their own


def family(leader: int) -> list[int]:
    parents = {pid: facts[PARENT] for pid, facts in processes()}

    def belongs(pid: int) -> bool:
        return pid == leader or (pid in parents and belongs(parents[pid]))

    return sorted(pid for pid in parents if belongs(pid))


def cpu_of(leader: int) -> float:
    """Seconds of CPU time, those of processes that have ended as well."""
    members = set(family(leader))
    return seconds(sum(facts[field] for pid, facts in processes() if pid in members for field in (*CPU, *CPU_OF_ENDED)))


def memory_of(leader: int) -> float:
    return sum(map(pss, family(leader)))


def pss(pid: int) -> float:
    """Megabytes of a process, with its share of what it shares; 0 when it is gone."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / 1e6
    return 0.0


def command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")[:120]
    return "gone"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--who", action="store_true", help="which process has what")
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}", flush=True)
    for name, found in zip(("first start", "next start"), both_starts(chosen.workers), strict=True):
        print(f"{name}: at most {found.peak:,.0f} MB, {found.cpu:.0f} s of CPU time; at rest {found.rest:,.0f} MB")
        print(*(found.who if chosen.who else ()), sep="\n", end="\n" if chosen.who else "")


if __name__ == "__main__":
    main()
