"""What a backup costs those who play meanwhile, and whether what comes back is what was there.

    python benchmarks/backups.py [--tables 200] [--seconds 20] [--rounds 2] [--restores 100]
    python benchmarks/backups.py --commits [--seconds 20] [--rounds 2]

First two people sit at each of so many tables, by pages (see web_pages.py), and make one move a second at each; in
half of the time `samovar backup` runs over and over. The answers to moves are compared. Then as many backups as
`--restores` says are made while others play; each is put back elsewhere, and each entry of each log in it must be, byte
for byte, what the site has. Needs Node. Loads this machine alone, and for about 2 x seconds x rounds.

`--commits` leaves out the site: one program commits a hundred times a second to a database of some 50 MB, alone and
while copies of it are made one after the other. What it waits for is the disk, so it can be run beside other work.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path

from samovar.web.store.backups import back_up, file_url, put_back
from web_pages import PAGES, SHORTEST
from web_servers import OURS, SERVE, Figures, carried_out, server, wait_until_settled

GAME = "memoarrrr"
LOGS = "SELECT * FROM entries ORDER BY table_id, number"
HEADS = "SELECT id, head FROM tables"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--restores", type=int, default=100)
    parser.add_argument("--commits", action="store_true", help="without a site: what a commit waits beside a copy")
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f} at the start", flush=True)
    if chosen.commits:
        tell_commits(chosen.seconds, chosen.rounds)
    else:
        tell_pages(chosen)
    print(f"load average {os.getloadavg()[0]:.1f} at the end")


def tell_pages(chosen: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with server(OURS, folder) as (url, process):
            wait_until_settled(process.pid)
            database = folder / "data" / "samovar.db"
            alone, beside = [], []
            for _ in range(chosen.rounds):
                alone.append(played(chosen, url, process.pid, None))
                beside.append(played(chosen, url, process.pid, database))
            tell(alone, beside)
            copies = folder / "copies"
            copies.mkdir(0o700)
            play(chosen.tables // 4, chosen.seconds, url, process.pid, making(database, copies, chosen.restores))
        print(f"{equal(database, copies)} of {chosen.restores} came back as they were", flush=True)


def played(chosen: argparse.Namespace, url: str, leader: int, database: Path | None) -> Figures:
    made: list[float] = []
    figures = play(
        chosen.tables, chosen.seconds, url, leader, backing_up(database, made) if database else nullcontext()
    )
    return {**figures, "backups": made}


def play(tables: int, seconds: int, url: str, leader: int, during: object) -> Figures:
    plan = {"plan": "pages", "tables": tables, "game": GAME, "seconds": seconds, "shortest": SHORTEST[GAME]}
    return carried_out(plan, PAGES, OURS, url, leader, 0, during)  # type: ignore[arg-type]


@contextmanager
def backing_up(database: Path, made: list[float]) -> Iterator[None]:
    """By the command, one after the other; how long each took."""
    ended = threading.Event()

    def repeat() -> None:
        with tempfile.TemporaryDirectory() as folder:
            while not ended.is_set():
                began, file = time.monotonic(), Path(folder) / f"{len(made)}.backup"
                command = [SERVE[0], "backup", str(file), "--data", str(database.parent)]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                made.append(time.monotonic() - began)
                assert file.stat().st_mode & 0o077 == 0, "others can read it"
                file.unlink()

    yield from while_running(repeat, ended)


@contextmanager
def making(database: Path, folder: Path, count: int) -> Iterator[None]:
    """So many backups that are kept."""

    def make() -> None:
        for number in range(count):
            back_up(file_url(database), folder / f"{number}.backup")
            time.sleep(0.05)  # moves are made in between

    yield from while_running(make)


def while_running(work: object, ended: threading.Event | None = None) -> Iterator[None]:
    thread = threading.Thread(target=work)  # type: ignore[arg-type]
    thread.start()
    try:
        yield
    finally:
        if ended:
            ended.set()
        thread.join()


def tell(alone: list[Figures], beside: list[Figures]) -> None:
    def middle(results: list[Figures], name: str) -> float:
        return statistics.median(float(figures["post"][name]) for figures in results)

    print("| | moves/s | answer p50 / p99 / max ms |\n|---|---|---|")
    for name, results in (("alone", alone), ("while `samovar backup` runs", beside)):
        rate = statistics.median(float(figures["rate"]) for figures in results)
        cells = " / ".join(f"{middle(results, key):,.1f}" for key in ("p50", "p99", "max"))
        print(f"| {name} | {rate:,.0f} | {cells} |")
    took = [seconds for figures in beside for seconds in figures["backups"]]
    print(
        f"p99: {middle(beside, 'p99') - middle(alone, 'p99'):+,.1f} ms; {len(took)} backups by processes of their own"
    )
    print(f"a backup takes {statistics.median(took):.2f} s (median), start of the command included", flush=True)


def tell_commits(seconds: float, rounds: int) -> None:
    with tempfile.TemporaryDirectory(dir=".") as name:
        database = Path(name) / "samovar.db"
        with closing(sqlite3.connect(database, isolation_level=None)) as site:
            site.execute("PRAGMA journal_mode = WAL")
            site.execute("PRAGMA synchronous = FULL")
            site.execute("CREATE TABLE entries (data BLOB)")
            site.execute("BEGIN")
            site.executemany("INSERT INTO entries VALUES (?)", ((os.urandom(300),) for _ in range(150_000)))
            site.execute("COMMIT")
            for number in range(rounds):
                for what, during in (("alone", nullcontext()), ("beside copies", copying(database))):
                    with during:
                        took = committed(site, seconds)
                    p99 = 1000 * statistics.quantiles(took, n=100)[-1]
                    print(
                        f"round {number + 1}, {what}: p99 of a commit {p99:.1f} ms, the longest {1000 * max(took):.0f}"
                    )


def committed(site: sqlite3.Connection, seconds: float) -> list[float]:
    took = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.monotonic()
        site.execute("INSERT INTO entries VALUES (randomblob(300))")  # which commits
        took.append(time.monotonic() - began)
        time.sleep(0.01)
    return took


@contextmanager
def copying(database: Path) -> Iterator[None]:
    """In a process of its own, behind others, as the command does it."""
    code = (
        f"import os; from pathlib import Path; from samovar.web.store.backups import back_up, file_url; os.nice(15)\n"
        f"file, copy = Path({str(database.resolve())!r}), Path({str(database.resolve())!r} + '.backup')\n"
        "while True: back_up(file_url(file), copy); copy.unlink(); print('made', flush=True)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout
    assert process.stdout.readline(), "the first one was made"
    try:
        yield
    finally:
        process.terminate()
        process.wait()
        for path in database.parent.glob("*.backup*"):
            path.unlink()


def equal(database: Path, copies: Path) -> int:
    """How many of the backups, put back in a folder of their own, have the logs that the site has."""
    with closing(sqlite3.connect(database)) as live:
        has = {(row[0], row[1]): row for row in live.execute(LOGS)}
    good = 0
    for file in sorted(copies.glob("*.backup")):
        place = copies / "elsewhere" / file.stem / "samovar.db"
        put_back(file, file_url(place), place.parent)
        with closing(sqlite3.connect(place)) as restored:
            rows = restored.execute(LOGS).fetchall()
            heads = dict(restored.execute(HEADS).fetchall())
        logs: dict[str, list[int]] = {}
        for table, number, *_ in rows:
            logs.setdefault(table, []).append(number)
        whole = logs == {table: [*range(head + 1)] for table, head in heads.items()}
        good += bool(rows) and whole and all(has[row[0], row[1]] == row for row in rows)
    return good


if __name__ == "__main__":
    sys.exit(main())
