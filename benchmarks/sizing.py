"""How large a machine a site needs: memory and CPU time by the number of busy tables.

    python benchmarks/sizing.py [--tables 10,50,200] [--seconds 20] [--game memoarrrr]

Each row is a new site, one process, SQLite, and two people with streams at the pages of each table, who make one move
a second: many more than people make (web_pages.py). The processes of bots are not counted. Needs Node, which takes its
part of the same machine. Prints the table of docs/host/sizing.md.
"""

from __future__ import annotations

import argparse
import os

from web_pages import SHORTEST, at_tables

HEAD = "| busy tables | moves a second | CPU of one core | memory | answer p50 / p99 |\n|---|---|---|---|---|"


def row(tables: int, figures: dict[str, object]) -> str:
    rate, cpu = float(str(figures["rate"])), float(str(figures["cpu"]))
    post = figures["post"]
    assert isinstance(post, dict)
    return (
        f"| {tables} | {rate:,.0f} | {rate * cpu / 1000:.0%} | {float(str(figures['memory_end'])):,.0f} MB | "
        f"{post['p50']:,.0f} / {post['p99']:,.0f} ms |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=lambda text: list(map(int, text.split(","))), default=[10, 50, 200])
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--game", choices=sorted(SHORTEST), default="memoarrrr")
    chosen = parser.parse_args()
    chosen.database, chosen.postgres = None, False
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    print(f"{os.cpu_count()} cores, {memory:.0f} GB, load average {os.getloadavg()[0]:.1f} at the start")
    print(HEAD)
    for tables in chosen.tables:
        print(row(tables, at_tables(chosen, tables, chosen.seconds)), flush=True)
    print(f"load average {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
