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
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from web_pages import database_url, for_database
from web_servers import OURS, cpu_of_family, family, memory_of, memory_of_family, server, wait_until_settled

SAMPLE_SECONDS = 0.25


@dataclass
class Start:
    """What a site took from its start until it came to rest."""

    peak: float = 0.0  # MB
    rest: float = 0.0
    cpu: float = 0.0  # seconds
    who: tuple[str, ...] = ()  # has what, at rest


def started(workers: int, cache: str) -> Start:
    """A site with so many workers, from its start until it rests. `cache` is the folder of compiled code, empty on a
    machine that has never compiled anything."""
    with (
        database_url(Namespace(postgres=workers > 1, database=None)) as database,
        tempfile.TemporaryDirectory() as folder,
        server(replace(OURS, more=for_database(database, workers)), Path(folder), NUMBA_CACHE_DIR=cache) as (
            _,
            process,
        ),
    ):
        found = Start()
        with sampling(process.pid, found):
            wait_until_settled(process.pid)
        found.rest, found.cpu = memory_of_family(process.pid), cpu_of_family(process.pid)
        found.who = tuple(f"{memory_of(pid):6.0f} MB  {command(pid)}" for pid in family(process.pid))
        return found


@contextmanager
def sampling(leader: int, found: Start) -> Iterator[None]:
    ended = threading.Event()

    def sample() -> None:
        while not ended.wait(SAMPLE_SECONDS):
            found.peak = max(found.peak, memory_of_family(leader))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


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
    with tempfile.TemporaryDirectory() as cache:
        for name in ("first start", "next start"):
            found = started(chosen.workers, cache)
            print(f"{name}: at most {found.peak:,.0f} MB, {found.cpu:.0f} s of CPU time; at rest {found.rest:,.0f} MB")
            print("\n".join(found.who if chosen.who else ()), flush=True)


if __name__ == "__main__":
    main()
