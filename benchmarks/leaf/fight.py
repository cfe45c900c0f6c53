"""How strong the search is with a network as its evaluation, against that of `expert-2026` at equal time.

    python benchmarks/leaf/fight.py [--network FILE.npz | --by-hand] [--simulations 4000] [--deals 300] [--seed 4711]
        [--workers N] [--ratio 1.77]

First it is measured how many simulations the network makes while the others make one; with `--ratio` the outcome
depends on the seed alone. Each deal is played once from each seat; ties count half; the interval is over deals.
`--by-hand`: the game's own evaluation in its place, asked at once.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("SAMOVAR_THREADS", "1")  # each worker has a core

import numpy as np

from leaf import SEATS, with_evaluation, with_network
from samovar.bots import make_bot
from samovar.bots.bot import Bot
from samovar.engine.contract import Game
from samovar.engine.match import Match

EVERY = 4  # so many moves apart times are measured, in WALKS matches
WALKS = 3


class Fight(NamedTuple):
    """What a worker is told."""

    network: str  # its file; empty for the game's own evaluation
    simulations: int
    others: int  # simulations of the others
    seed: int


class Outcome(NamedTuple):
    share: float
    seconds: tuple[float, float]  # of the others, and with the network
    moves: tuple[int, int]


@cache
def games(network: str) -> tuple[Game, Game]:
    return with_evaluation(), with_network(network) if network else with_evaluation(depth=0)


def make(fight: Fight, is_network: bool, seed: int) -> Bot:
    simulations = fight.simulations if is_network else fight.others
    return make_bot(f"search:{simulations}", games(fight.network)[is_network], seed)


def measure_ratio(fight: Fight) -> float:
    """How long one simulation of the others takes, in times of one with the network."""
    spent = [0.0, 0.0]
    for walk in range(WALKS):
        match = Match("matryoshka", SEATS, 77 + walk)
        walker = make_bot("greedy", match.game, 1)
        turn = 0
        while not match.over:
            seat = match.seat(match.actors[0])
            if turn % EVERY == 0 and len(match.legal(seat.number)) > 1:
                for which in (False, True):
                    bot = make(fight, which, turn)
                    if walk == turn == 0:
                        bot.choose(seat)  # compiles
                    began = time.thread_time()
                    bot.choose(seat)
                    spent[which] += time.thread_time() - began
            match.play(seat.number, walker.choose(seat).move)
            turn += 1
    return spent[0] / spent[1]


def play(fight: Fight, deal: int) -> Outcome:
    shares, seconds, moves = [], [0.0, 0.0], [0, 0]
    for own in range(SEATS):
        match = Match("matryoshka", SEATS, fight.seed * 1_000_003 + deal)
        bots = [make(fight, seat == own, 7 * deal + seat) for seat in range(SEATS)]
        while not match.over:
            seat = match.actors[0]
            began = time.thread_time()
            move = bots[seat].choose(match.seat(seat)).move
            seconds[seat == own] += time.thread_time() - began
            moves[seat == own] += 1
            match.play(seat, move)
        others = np.delete(match.places, own)
        shares.append(0.5 + np.sign(others - match.places[own]).mean() / 2)
    return Outcome(float(np.mean(shares)), (seconds[0], seconds[1]), (moves[0], moves[1]))


def told(outcomes: list[Outcome]) -> str:
    shares = np.array([one.share for one in outcomes])
    error = 1.96 * shares.std(ddof=1) / len(shares) ** 0.5
    slow = 1000 * np.sum([one.seconds for one in outcomes], 0) / np.sum([one.moves for one in outcomes], 0)
    return (
        f"{len(shares)} deals, {len(shares) * SEATS} matches: {100 * shares.mean():.1f} % ± {100 * error:.1f}; "
        f"ms a move: {slow[1]:.1f}, of the others {slow[0]:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--network", default=str(Path(__file__).parent / "matryoshka.npz"), metavar="FILE")
    parser.add_argument("--by-hand", action="store_true")
    parser.add_argument("--simulations", type=int, default=4000)
    parser.add_argument("--deals", type=int, default=300)
    parser.add_argument("--seed", type=int, default=4711)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--ratio", type=float)
    asked = parser.parse_args()
    others = asked.simulations
    tried = min(others, 1000)
    fight = Fight("" if asked.by_hand else asked.network, tried, tried, asked.seed)
    measured = measure_ratio(fight)
    fight = fight._replace(simulations=round(others * (asked.ratio or measured)), others=others)
    print(f"{fight.simulations} simulations against {others}", flush=True)
    outcomes = []
    with ProcessPoolExecutor(asked.workers) as pool:
        for outcome in pool.map(play, [fight] * asked.deals, range(asked.deals)):
            outcomes.append(outcome)
            if len(outcomes) % 20 == 0:
                print(told(outcomes), flush=True)
    if len(outcomes) > 1:
        print(told(outcomes))


if __name__ == "__main__":
    main()
