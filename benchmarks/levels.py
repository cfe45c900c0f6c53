"""How strong the bots are: each level against the one below, greedy against random, search against
itself with a quarter of the simulations.

    python benchmarks/levels.py [--matches 200] [--workers N] [--only TEXT] [GAME ...]

Every line is one `samovar arena` with the seed below, the same deals with the seats rotated;
Matryoshka has three seats, one stronger bot against two weaker ones. `won` is the share of decided
matches between the two kinds (`pairs` of the report), with its 95 % interval; `first` is how often
the stronger one came first of all.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time

SEED = "1"
GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
SEARCH = {"babuschka": 100, "matryoshka": 100, "memoarrrr": 100, "varvitikud": 30}  # simulations of the weaker one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--matches", default="200")
    parser.add_argument("--workers")
    parser.add_argument("--only", default="", help="only lines with this word")
    chosen = parser.parse_args()
    print("| game | stronger | weaker | matches | won | 95 % | first | forfeits | s a move | slowest | run, s |")
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for game in chosen.games:
        few = SEARCH.get(game, 100)
        pairs = [
            ("greedy", "random"),
            ("medium", "easy"),
            ("hard", "medium"),
            ("expert", "hard"),
            (f"search:{4 * few}", f"search:{few}"),
        ]
        for stronger, weaker in pairs:
            if chosen.only in f"{stronger} {weaker}":
                compare(game, stronger, weaker, chosen.matches, ["--workers", chosen.workers] if chosen.workers else [])


def compare(game: str, stronger: str, weaker: str, matches: str, more: list[str]) -> None:
    seats = 3 if game == "matryoshka" else 2
    bots = ",".join([stronger, *[weaker] * (seats - 1)])
    command = [
        "arena",
        game,
        "--bots",
        bots,
        "--seats",
        str(seats),
        "--matches",
        matches,
        "--seed",
        SEED,
        "--json",
        *more,
    ]
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", "from samovar.cli import main; main()", *command],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    report = json.loads(done.stdout)
    pair = next(pair for pair in report["pairs"] if {pair["a"], pair["b"]} == {stronger, weaker})
    turned = pair["a"] != stronger
    share, low, high = (
        None if value is None else 1 - value if turned else value
        for value in (pair["win_share"], pair["low"], pair["high"])
    )
    if turned:
        low, high = high, low
    bot = next(bot for bot in report["bots"] if bot["name"] == stronger)
    forfeits = sum(bot["forfeits"] for bot in report["bots"])
    cells = [
        game,
        stronger,
        weaker,
        report["matches"],
        percent(share),
        f"{percent(low)} to {percent(high)}",
        percent(bot["win_share"]),
        forfeits,
        f"{bot['seconds_per_move']:.3f}",
        f"{bot['slowest']:.2f}",
        f"{time.perf_counter() - start:.0f}",
    ]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


if __name__ == "__main__":
    main()
