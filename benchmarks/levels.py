"""How strong the bots are: each level against the one below, the lowest against random and against a
child that knows the rules (`child.py`), greedy against random, search against itself with a quarter
of the simulations.

    python benchmarks/levels.py [--matches 200] [--workers N] [--only TEXT] [GAME ...]

Every line is one `samovar arena` with the seed below, the same deals with the seats rotated;
Matryoshka has three seats, one stronger bot against two weaker ones. `won` is the share of decided
matches between the two kinds (`pairs` of the report), with its 95 % interval; `first` is how often
the stronger one came first of all. The child is no bot of the arena: its line is played here, in the
same way.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np

from child import ChildBot
from samovar.bots import make_bot
from samovar.bots.bot import Order
from samovar.engine.chance import derive_seed
from samovar.engine.heuristics import LEVEL_NAMES
from samovar.engine.match import Match
from samovar.engine.registry import find_game

SEED = "1"
CHILD = "child"
RESAMPLES = 1000
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
            (CHILD, LEVEL_NAMES[0]),
            (LEVEL_NAMES[0], "random"),
            *((upper, lower) for lower, upper in pairwise(LEVEL_NAMES)),
            (f"search:{4 * few}", f"search:{few}"),
        ]
        for stronger, weaker in pairs:
            if chosen.only not in f"{stronger} {weaker}":
                continue
            if stronger == CHILD:
                compare_child(game, weaker, int(chosen.matches))
            else:
                compare(game, stronger, weaker, chosen.matches, ["--workers", chosen.workers] if chosen.workers else [])


def compare(game: str, stronger: str, weaker: str, matches: str, more: list[str]) -> None:
    seats = seats_of(game)
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


def compare_child(game: str, level: str, matches: int) -> None:
    """The child in each seat of the same deals, and the level in all the others."""
    start = time.perf_counter()
    rules = find_game(game)
    seats = seats_of(game)
    outcomes = []  # by deal: pairs of seats that the child won, and lost
    came_first = 0
    for deal in range(-(-matches // seats)):
        won = lost = 0
        for child in range(seats):
            match = Match(rules, seats, derive_seed(int(SEED), deal))
            seeds = [derive_seed(int(SEED), deal, child, seat) for seat in range(seats)]
            bots = [
                ChildBot(Order(CHILD, "", rules, seed)) if seat == child else make_bot(level, rules, seed)
                for seat, seed in enumerate(seeds)
            ]
            while not match.over:
                seat = match.actors[0]
                match.play(seat, bots[seat].choose(match.seat(seat)).move)
            place = match.places[child]
            won += sum(other > place for other in match.places)
            lost += sum(other < place for other in match.places)
            came_first += place == 1
        outcomes.append((won, lost))
    by_deal = np.array(outcomes)
    again = np.random.default_rng(0).integers(len(by_deal), size=(RESAMPLES, len(by_deal)))
    sums = by_deal[again].sum(1)
    low, high = np.percentile(sums[:, 0] / sums.sum(1), [2.5, 97.5])
    played = seats * len(by_deal)
    cells = [
        game,
        CHILD,
        level,
        played,
        percent(by_deal[:, 0].sum() / by_deal.sum()),
        f"{percent(low)} to {percent(high)}",
        percent(came_first / played),
        *(0, "-", "-"),
        f"{time.perf_counter() - start:.0f}",
    ]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def seats_of(game: str) -> int:
    return 3 if game == "matryoshka" else 2


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


if __name__ == "__main__":
    main()
