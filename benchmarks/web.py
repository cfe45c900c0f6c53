"""Moves per second over the network, beside boardgame.io (Node), in one run: many matches of
Connect Four at once on the same machine.

    python benchmarks/web.py [--seconds 10] [--matches 1,50,200] [--rounds 2] [--streams]
                             [--flatfile] [--json FILE]
    python benchmarks/web.py --crash 5
    python benchmarks/web.py --pages [--tables 40,200] [--game memoarrrr] [--postgres]
                             [--soak MINUTES]
    python benchmarks/web.py --spectators 200,1000,3000

Both servers play the same random matches with one load generator (`boardgame_io/client.js`), in
turns, each started anew for every round. First as fast as it goes: a match makes its next move when
the last is acknowledged. Then paced: 200 matches, one move a second each. boardgame.io keeps its
matches in memory, or in files that it writes after it has told the players (`--flatfile`); ours are
committed to disk before the answer. With `--streams` both seats of a match are told of every move,
and a move is done when the other seat knows.

`--crash`: both are killed (SIGKILL) in the middle of the load and started again on the same data;
what had been acknowledged must be there.

`--pages`: people at tables by pages and streams, as browsers have them, and `--spectators`: many
who look at one table; see `web_pages.py`.

Needs Node.js with npm. boardgame.io is installed into the virtual environment's folder at the first
run, and nowhere else.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import web_pages
from samovar.engine.registry import game_ids
from web_servers import (
    CLIENT,
    FLATFILE,
    INSTALLED,
    MEMORY,
    OURS,
    PACED,
    SOURCE,
    Figures,
    ServerDied,
    Side,
    client,
    measured,
    server,
)

CRASH_MATCHES = 50
FIGURES = {"rate": "moves/s", "p50": "p50 ms", "p99": "p99 ms", "cpu": "server's CPU ms/move"}


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended from outside."))  # so that the servers are ended, too
    chosen = arguments()
    check_tools()
    print(machine(), flush=True)
    try:
        results = chosen.measure(chosen)
    except ServerDied as error:
        sys.exit(str(error))
    print(
        f"\nLoad average at the end {os.getloadavg()[0]:.1f}. Figures of a machine that does other work mean little; "
        "the CPU time suffers least."
    )
    if chosen.json:
        chosen.json.write_text(json.dumps({"machine": machine(), "results": results}, indent=1) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, help="of each measurement; 10, by pages 20")
    parser.add_argument("--matches", type=numbers, default=[1, 50, 200], help="at once")
    parser.add_argument("--rounds", type=int, default=2, help="times that each server is started and measured")
    parser.add_argument(
        "--streams", action="store_true", help="each seat is told of every move, until the other seat knows"
    )
    parser.add_argument("--flatfile", action="store_true", help="boardgame.io with files too")
    parser.add_argument(
        "--crash", type=int, metavar="ROUNDS", help="kill the servers so many times instead of measuring"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    web_pages.add_arguments(parser, numbers)
    chosen = parser.parse_args()
    by_pages = web_pages.chosen_measure(chosen)
    chosen.measure = by_pages or (crashes if chosen.crash else rounds)
    chosen.seconds = chosen.seconds or (20 if by_pages else 10)
    return chosen


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def check_tools() -> None:
    """Node, the peer, and our own Connect Four: what is missing is named with its remedy."""
    if missing := [tool for tool in ("node", "npm") if shutil.which(tool) is None]:
        sys.exit(
            f"{' and '.join(missing)} not found: install Node.js 18 or newer with npm, so that `node --version` and "
            "`npm --version` answer."
        )
    if "connect_four" not in game_ids():
        sys.exit("Connect Four is not installed: pip install -e examples/connect_four")
    wanted = (SOURCE / "package.json").read_text()
    done = INSTALLED / "installed.json"
    if done.exists() and done.read_text() == wanted:
        return
    INSTALLED.mkdir(parents=True, exist_ok=True)
    (INSTALLED / "package.json").write_text(wanted)
    print("Installing boardgame.io ...", file=sys.stderr)
    if subprocess.run(
        ["npm", "install", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=INSTALLED,
        stdout=sys.stderr,
    ).returncode:
        sys.exit(
            f"npm could not install boardgame.io into {INSTALLED}: see its message above. It needs a network or an "
            "npm mirror."
        )
    done.write_text(wanted)


def machine() -> str:
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    versions = ", ".join(
        f"{name} {json.loads((INSTALLED / 'node_modules' / name / 'package.json').read_text())['version']}"
        for name in PACKAGES
    )
    load = f"load average {os.getloadavg()[0]:.1f}"
    return (
        f"{os.cpu_count()} cores, {platform.machine()}, {load}; Node {node}, {versions}; Python "
        f"{platform.python_version()}"
    )


PACKAGES = ("boardgame.io", "socket.io", "ws", "node-persist")

# ---- as fast as it goes, and paced


def rounds(chosen: argparse.Namespace) -> list[Figures]:
    peers = [MEMORY, *([FLATFILE] if chosen.flatfile else [])]
    loads = [(count, 0) for count in chosen.matches] + [(PACED, 1)]
    results = []
    for number in range(chosen.rounds):
        for side in [*peers, OURS]:
            for figures in measured(side, loads, chosen.seconds, chosen.streams):
                results.append({"round": number, "side": side.name, **figures})
                print(f"round {number + 1}, {side.name}: {line(figures)}", file=sys.stderr, flush=True)
    for peer in peers:
        print_table(peer, loads, results)
    return results


def line(figures: Figures) -> str:
    text = ", ".join(f"{name} {figures[key]:,.2f}" for key, name in FIGURES.items())
    late = f", {figures['made_late']} matches made within the time" if figures["made_late"] else ""
    return f"{load_name(figures['matches'], figures['pace'])}: {text}, load generator busy {figures['busy']:.0%}{late}"


def load_name(matches: int, pace: int) -> str:
    return f"{matches}, one move a second each" if pace else f"{matches}"


def print_table(peer: Side, loads: list[tuple[int, int]], results: list[Figures]) -> None:
    """Medians over the rounds, ours beside the peer's, and ours divided by the peer's."""
    print(
        f"\nIn each cell {peer.name} / samovar / samovar's divided by the peer's; medians, rounds measured: "
        f"{1 + results[-1]['round']}\n"
    )
    print("| matches at once | " + " | ".join(FIGURES.values()) + " |\n|---|" + "---|" * len(FIGURES))
    for matches, pace in loads:
        cells = []
        for key in FIGURES:
            theirs, ours = (statistics.median(figures_of(results, side, matches, pace, key)) for side in (peer, OURS))
            cells.append(f"{theirs:,.2f} / {ours:,.2f} / **{ours / theirs:.2f}**" if theirs else "-")
        print(f"| {load_name(matches, pace)} | " + " | ".join(cells) + " |")


def figures_of(results: list[Figures], side: Side, matches: int, pace: int, key: str) -> list[float]:
    return [row[key] for row in results if (row["side"], row["matches"], row["pace"]) == (side.name, matches, pace)]


# ---- killed in the middle


def crashes(chosen: argparse.Namespace) -> list[Figures]:
    times, results = chosen.crash, []
    for side in (FLATFILE, OURS):
        total: Counter[str] = Counter()
        for _ in range(times):
            result = crash(side)
            results.append({"side": side.name, **result})
            total.update(result)
        print(
            f"{side.name}, killed {times} times under {CRASH_MATCHES} matches at once: {total['acknowledged']:,} "
            "acknowledged moves, of which "
            f"{total['missing']:,} missing in {total['short']:,} matches; of {total['matches']:,} matches "
            f"{total['unopened']:,} do not open, "
            f"{total['downs']:,} of them take the server down",
            flush=True,
        )
    return results


def crash(side: Side) -> Counter[str]:
    """One death under load, and what a new server finds in the same folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plan = {"plan": "loadUntilDeath", "matches": CRASH_MATCHES, "seconds": 60}
        with server(side, folder) as (url, process), client(CLIENT, side, url, plan) as answers:
            next(answers)
            time.sleep(random.uniform(1, 3))
            process.kill()
            known = json.loads(next(answers))["known"]
        result: Counter[str] = Counter()
        while result["matches"] < len(known):
            plan = {"plan": "check", "known": known[result["matches"] :]}
            with server(side, folder) as (url, _), client(CLIENT, side, url, plan) as answers:
                result.update(json.loads(next(answers)))
        return result


if __name__ == "__main__":
    main()
