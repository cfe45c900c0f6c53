"""The site as people have it: pages, streams and forms, each with cookies of their own, measured by
`python benchmarks/web.py --pages`.

Two people sit at each table and have one stream each, as a browser with our script has; a table
makes one move a second. A move is the form of the page. Its answer is timed, and so is the other
person's stream, both from when the move was due. When a match ends its people go on at another
table. Beside it, in the same table: boardgame.io with 200 matches of Connect Four, one move a
second, both seats told.

`--soak MINUTES` shows the memory every half minute. `--spectators` lets many look at one table,
while another process asks every 20 ms whether the server is there; how late they hear of a move
counts from when it was sent. `--postgres` keeps the tables in a PostgreSQL of its own, with two
workers.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import samovar
from web_servers import (
    MEMORY,
    OURS,
    PACED,
    Figures,
    carried_out,
    client,
    measured,
    memory_of_session,
    parent_of,
    server,
    wait_until_settled,
)

PAGES = Path(__file__).parent / "pages.js"
TESTS = Path(__file__).parents[1] / "tests"
SHORTEST = {"memoarrrr": 16, "babuschka": 200, "connect_four": 8}  # moves of a match, when enough tables are to be made
# matches played beforehand where a page asks for a move in steps; nothing is hidden in them
SCRIPTED = {"babuschka": 40}
WORKERS = 2  # of a site with PostgreSQL
SAMPLE_SECONDS = 30.0
FLAT = 0.01  # how much of the memory may come or go in the time that is looked at
HEALTH_EXTRA = 2  # seconds longer than there are moves
LATENCIES = ("p50", "p99", "max")


def add_arguments(parser: argparse.ArgumentParser, numbers: Callable[[str], list[int]]) -> None:
    group = parser.add_argument_group("by pages")
    group.add_argument("--pages", action="store_true", help="people at pages, with forms and streams")
    group.add_argument("--tables", type=numbers, default=[40, PACED], help="at once")
    group.add_argument("--game", choices=sorted(SHORTEST), default="memoarrrr")
    group.add_argument(
        "--soak", type=float, metavar="MINUTES", help="the first number of tables for so long, and the memory meanwhile"
    )
    group.add_argument(
        "--spectators",
        type=numbers,
        nargs="?",
        const=[200, 1000, 3000],
        metavar="NUMBERS",
        help="who look at one table",
    )
    where = group.add_mutually_exclusive_group()
    where.add_argument("--database", metavar="URL", help="keep the tables there, else in a new SQLite file")
    where.add_argument("--postgres", action="store_true", help=f"in a new PostgreSQL server, and {WORKERS} workers")


def chosen_measure(chosen: argparse.Namespace) -> Callable[[argparse.Namespace], list[Figures]] | None:
    if chosen.spectators:
        return watch
    return soak if chosen.soak else play if chosen.pages else None


# ---- people at tables


def play(chosen: argparse.Namespace) -> list[Figures]:
    results = []
    for number in range(chosen.rounds):
        results.append({"round": number, **peer(chosen.seconds)})
        tell(results[-1])
        for tables in chosen.tables:
            results.append({"round": number, **at_tables(chosen, tables, chosen.seconds)})
            tell(results[-1])
    print_table(results)
    return results


def peer(seconds: float) -> Figures:
    """What boardgame.io does: its matches are told of a move, and that is its answer, too."""
    [figures] = measured(MEMORY, [(PACED, 1)], seconds, streams=True)
    return {
        "load": f"{MEMORY.name}: {PACED} matches of connect_four",
        "stream": {name: figures[name] for name in LATENCIES},
        **figures,
    }


def at_tables(
    chosen: argparse.Namespace, tables: int, seconds: float, watching: Callable[[int], Any] = lambda leader: None
) -> Figures:
    plan = {
        "plan": "pages",
        "tables": tables,
        "game": chosen.game,
        "seconds": seconds,
        "shortest": SHORTEST[chosen.game],
    }
    plan["scripts"] = (
        [random_match(chosen.game, seed) for seed in range(SCRIPTED[chosen.game])] if chosen.game in SCRIPTED else None
    )
    with site(chosen) as (url, leader, database):
        figures = carried_out(plan, PAGES, OURS, url, leader, database, watching(leader))
    return {"load": f"samovar: {tables} tables of {chosen.game}", **figures}


def random_match(game: str, seed: int) -> list[str]:
    match, choose, texts = samovar.Match(game, seats=2, seed=seed, first=0), random.Random(seed), []
    while not match.over:
        seat = match.actors[0]
        texts.append(choose.choice(match.moves(seat)))
        match.play(seat, texts[-1])
    return texts


def tell(figures: Figures) -> None:
    text = ", ".join(f"{name} {cell}" for name, cell in cells([figures]).items())
    late = f", {figures['made_late']} tables made within the time" if figures["made_late"] else ""
    print(f"round {figures['round'] + 1}, {figures['load']}: {text}{late}", file=sys.stderr, flush=True)


def print_table(results: list[Figures]) -> None:
    loads = list(dict.fromkeys(figures["load"] for figures in results))
    rows = {load: cells([figures for figures in results if figures["load"] == load]) for load in loads}
    print(f"\nOne move a second at each table; medians, rounds measured: {1 + results[-1]['round']}\n")
    print_rows(rows)


def cells(results: list[Figures]) -> dict[str, str]:
    """The medians of measurements of one load, by what is measured."""

    def middle(name: str, inner: str = "") -> float:
        return statistics.median(float(figures[name][inner] if inner else figures[name]) for figures in results)

    def latencies(name: str) -> str:
        return " / ".join(f"{middle(name, key):,.1f}" for key in LATENCIES) if name in results[0] else "-"

    return {
        "moves/s": f"{middle('rate'):,.1f}",
        "answer p50 / p99 / max ms": latencies("post"),
        "other's stream p50 / p99 / max ms": latencies("stream"),
        "server's CPU ms/move": f"{middle('cpu'):,.2f}",
        "database's CPU ms/move": f"{middle('database_cpu'):,.2f}" if results[0]["database_cpu"] else "-",
        "memory MB": f"{middle('memory_start'):,.0f} → {middle('memory_end'):,.0f}",
        "kB sent a move": f"{middle('bytes') / middle('moves') / 1000:,.1f}",
        "load generator busy": f"{middle('busy'):.0%}",
    }


def print_rows(rows: dict[str, dict[str, str]]) -> None:
    names = list(next(iter(rows.values())))
    print("| | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for load, row in rows.items():
        print(f"| {load} | " + " | ".join(row.values()) + " |")


# ---- for a long time


def soak(chosen: argparse.Namespace) -> list[Figures]:
    samples: list[tuple[float, float]] = []
    figures = at_tables(chosen, chosen.tables[0], 60 * chosen.soak, lambda leader: sampling(leader, samples))
    print_rows({figures["load"]: cells([figures])})
    print(f"\n{figures['made_late']:,} tables made within the time. {slope(samples)}")
    return [{**figures, "samples": samples}]


@contextmanager
def sampling(leader: int, samples: list[tuple[float, float]]) -> Iterator[None]:
    """Notes the memory of a session every now and then, and says so."""
    began, ended = time.monotonic(), threading.Event()

    def sample() -> None:
        while True:
            samples.append(((time.monotonic() - began) / 60, memory_of_session(leader)))
            print(f"{samples[-1][0]:5.1f} min: {samples[-1][1]:,.1f} MB", flush=True)
            if ended.wait(SAMPLE_SECONDS):
                return

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def slope(samples: list[tuple[float, float]]) -> str:
    """How the memory changes after the first third, in which a server fills what it keeps at
    hand."""
    later = samples[len(samples) // 3 :]
    if len(later) < 3:
        return "Too short to say whether the memory grows."
    minutes, memory = zip(*later, strict=True)
    line = statistics.linear_regression(minutes, memory)
    is_flat = abs(line.slope) * (minutes[-1] - minutes[0]) < FLAT * statistics.mean(memory)
    return (
        f"After the first third the memory changes by {line.slope:+.2f} MB a minute: "
        f"{'flat' if is_flat else 'NOT flat'}."
    )


# ---- many who look on


def watch(chosen: argparse.Namespace) -> list[Figures]:
    results = [spectators(chosen, count) for count in chosen.spectators]
    print(f"\nOne table of {chosen.game}, one move a second; meanwhile /health is asked every 20 ms\n")
    print_rows({f"{figures['spectators']:,} spectators": watched_cells(figures) for figures in results})
    return results


def spectators(chosen: argparse.Namespace, count: int) -> Figures:
    plan = {"plan": "spectators", "spectators": count, "game": chosen.game, "seconds": chosen.seconds}
    with site(chosen) as (url, leader, database):
        health: Figures = {}
        figures = carried_out(
            plan, PAGES, OURS, url, leader, database, asking_for_health(url, chosen.seconds + HEALTH_EXTRA, health)
        )
    row = {"spectators": count, **figures, "health": health}
    print(
        f"{count:,} spectators: " + ", ".join(f"{name} {cell}" for name, cell in watched_cells(row).items()),
        file=sys.stderr,
        flush=True,
    )
    return row


@contextmanager
def asking_for_health(url: str, seconds: float, figures: Figures) -> Iterator[None]:
    with client(PAGES, OURS, url, {"plan": "health", "seconds": seconds}) as answers:
        yield
        figures.update(json.loads(next(answers)))


def watched_cells(figures: Figures) -> dict[str, str]:
    health, hear, missing = figures["health"], figures["hear"], figures["spectators"] - figures["heard"]
    return {
        "there within s": f"{figures['opened']:,.1f}",
        "/health p99 / max ms": f"{health['p99']:,.1f} / {health['max']:,.1f}",
        "hear of a move p50 / max ms": f"{hear['p50']:,.1f} / {hear['max']:,.1f}",
        "heard all": "all" if not missing else f"{missing:,} DID NOT",
        "moves made": f"{figures['moves']}",
        "server's CPU ms/move": f"{figures['cpu']:,.0f}",
        "memory MB": f"{figures['memory_start']:,.0f} → {figures['memory_end']:,.0f}",
        "MB sent a move": f"{figures['bytes'] / figures['moves'] / 1e6:,.2f}",
        "load generator busy": f"{figures['busy']:.0%}",
    }


# ---- the site


@contextmanager
def site(chosen: argparse.Namespace) -> Iterator[tuple[str, int, int]]:
    """A site that has come to rest: its address, its session, and the process of its database (0:
    it has none of its own)."""
    with (
        database_url(chosen) as database,
        tempfile.TemporaryDirectory() as folder,
        server(replace(OURS, more=for_database(database)), Path(folder)) as (url, process),
    ):
        wait_until_settled(process.pid)
        yield url, process.pid, process_of(database)


@contextmanager
def database_url(chosen: argparse.Namespace) -> Iterator[str]:
    if not chosen.postgres:
        yield chosen.database or ""
        return
    sys.path.append(str(TESTS))
    from support.databases import postgresql

    with postgresql(fsync="on") as cluster:
        yield cluster.new_database()


def for_database(url: str, workers: int = WORKERS) -> tuple[str, ...]:
    several = ("--workers", str(workers)) if url.startswith("postgresql") else ()
    return ("--database", url, *several) if url else ()


def process_of(url: str) -> int:
    """The PostgreSQL server on this machine that has a database: the parent of whoever serves a
    connection."""
    if not url.startswith("postgresql"):
        return 0
    import psycopg

    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        return parent_of(connection.info.backend_pid)
