"""Makes positions to learn from: matches of the search against itself, some of its moves by chance.

    python benchmarks/leaf/make_data.py FILE.npz [--matches 36000] [--simulations 40] [--seed 11] [--workers N]

Kept of each position: its traits, the strengths of the game's own evaluation, the places at the end, and what the
search expected for the player who chose. 36,000 matches are 2.3 million positions, 420 MB.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

os.environ.setdefault("SAMOVAR_THREADS", "1")  # each worker has a core

import numpy as np

from leaf import AT, MOST, SEATS, TRAITS, next_to_act, strengths_by_hand, traits, with_evaluation
from samovar.bots.search import Tree
from samovar.engine.arrays import Array, Ints
from samovar.engine.heuristics import CERTAIN
from samovar.engine.match import Match
from samovar.engine.rule import rule
from samovar.engine.ways.backend import Backend, backend
from samovar.games.matryoshka.heuristics import stage_of
from samovar.games.matryoshka.state import State

STAGE, NEXT, END = range(SEATS, AT)
ANY, LIKELY = 0.07, 0.1  # how often a move is any that was tried, or one as likely as it was tried


@rule
def write_down(state: State, out: Ints) -> None:
    strengths_by_hand(state, out)
    out[STAGE] = stage_of(state)
    out[NEXT] = next_to_act(state)
    out[END] = traits(state, AT, out)


@cache
def ready() -> tuple[Backend, Backend]:
    return backend(with_evaluation()), backend(with_evaluation(write_down))


def play(seed: int, simulations: int) -> dict[str, Array]:
    searching, writing = ready()
    game, rng = searching.game, np.random.default_rng(seed)
    match = Match(game, SEATS, seed)
    states: list[Array] = []
    choosers, expected = [], []
    while not match.over:
        seat = match.actors[0]
        state = np.frombuffer(match.state_bytes, game.state)
        tree = Tree(searching, 4 * simulations + 8, game.heuristics.tuning)
        tree.plant(state, seat, (seed * 1000 + len(states)) * 1_000_003)
        tree.grow(simulations)
        tried = {move: found for move, found in tree.tried().items() if found[0]}
        moves = [*tried]
        visits = np.array([tried[move][0] for move in moves])
        move = min(moves, key=lambda move: (-tried[move][0], move))
        states.append(state)
        choosers.append(seat)
        expected.append(tried[move][1] / tried[move][0] / CERTAIN)
        chance = rng.random()
        if chance < ANY + LIKELY:
            move = moves[rng.choice(len(moves), p=None if chance < ANY else visits / visits.sum())]
        match.play(seat, move)
    written = np.zeros((len(states), AT + MOST), np.int32)
    writing.evaluate(np.concatenate(states), written)
    first, numbers = written[:, NEXT], written[:, AT:]
    numbers[np.arange(MOST) >= written[:, END, None] - AT] = TRAITS  # no trait
    return {
        "traits": numbers.astype(np.uint16),
        "by_hand": written[:, :SEATS],
        "stage": written[:, STAGE].astype(np.int8),
        "places": np.array(match.places, np.int8)[(first[:, None] + np.arange(SEATS)) % SEATS],
        "chooser": ((np.array(choosers) - first) % SEATS).astype(np.int8),
        "expected": np.array(expected, np.float32),
        "match": np.full(len(states), seed, np.int64),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--matches", type=int, default=36_000)
    parser.add_argument("--simulations", type=int, default=40)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    began = time.perf_counter()
    seeds = range(asked.seed * 1_000_003, asked.seed * 1_000_003 + asked.matches)
    parts = [play(seeds[0], asked.simulations)]  # what has to be compiled is compiled once
    with ProcessPoolExecutor(asked.workers) as pool:
        parts += pool.map(play, seeds[1:], [asked.simulations] * (asked.matches - 1), chunksize=16)
    data: dict[str, Any] = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    np.savez(asked.file, **data)
    print(f"{len(parts)} matches, {len(data['match'])} positions, {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
