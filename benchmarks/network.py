"""How long a network takes at the table, on one core: microseconds to look at a position, and for each legal
move; beside the same network in NumPy's 32-bit floats, in one run.

`python benchmarks/network.py [GAME ...]`. The networks have learned nothing; what was learned takes as long, or
less, the more of its numbers are 0. Positions are spread over random matches with as many seats as the game has. CPU
time is counted, and of some tries the best, so that other work on the machine matters less.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["SAMOVAR_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import numpy as np

import samovar
from samovar.bots.network_rules import Net, look, score_all, weigh
from samovar.engine.registry import find_game
from samovar.engine.rule import rule
from samovar.engine.ways.backend import backend
from support.networks import FloatNetwork, random_network, seen_by, told

GAMES = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
SIZES = ((64, 3), (96, 3))
POSITIONS, EVERY, TRIES, TIMES = 6, 7, 5, 20


@rule
def look_often(states: Any, seat: int, net: Net, times: int) -> None:
    for _ in range(times):
        look(states[0], seat, net)


@rule
def score_often(states: Any, seat: int, net: Net, moves: Any, scores: Any, times: int) -> int:
    count = 0
    for _ in range(times):
        look(states[0], seat, net)  # roles are worked out anew after each
        count = score_all(states[0], seat, net, moves, scores)
        weigh(scores, count)
    return count


def main() -> None:
    print(f"{'':<12}{'width':>6}{'layers':>7}{'kB':>6}{'moves':>7}{'a look':>9}{'a move':>9}{'floats':>9}{'a move':>9}")
    for name in sys.argv[1:] or GAMES:
        for width, layers in SIZES:
            measure(name, width, layers)


def measure(name: str, width: int, layers: int) -> None:
    game = find_game(name)
    ready, network = backend(game), random_network(game, width, layers)
    floats, net = FloatNetwork(network, np.float32), network.ready()
    looks, alls = ready.make(look_often, "look_often"), ready.make(score_often, "score_often")
    _, moves, _ = ready.scratch()
    scores = moves.copy()
    rows = []
    for number in range(POSITIONS):
        match = samovar.Match(game, max(game.seats), number)
        match.play_random(number, limit=1 + EVERY * number)
        if match.over:
            continue
        states, seat = match.states, match.actors[0]
        seen, parts = seen_by(match, seat), told(match, seat)
        once = best(lambda states=states, seat=seat: looks(states, seat, net, TIMES)) / TIMES
        whole = best(lambda states=states, seat=seat: alls(states, seat, net, moves, scores, TIMES)) / TIMES
        glance = best(lambda seen=seen: floats.look(seen))
        rated = best(lambda parts=parts: floats.scores(parts))
        count = len(parts)
        rows.append((count, once, (whole - once) / count, glance, rated / count))
    size = len(network.to_bytes()) / 1000
    count, *times = np.mean(rows, 0)
    told_times = "".join(f"{1e6 * seconds:>9.1f}" for seconds in times)
    print(f"{game.name:<12}{width:>6}{layers:>7}{size:>6.0f}{count:>7.0f}{told_times}", flush=True)


def best(work: Callable[[], object]) -> float:
    work()
    found = []
    for _ in range(TRIES):
        begun = time.thread_time()
        work()
        found.append(time.thread_time() - begun)
    return min(found)


if __name__ == "__main__":
    main()
