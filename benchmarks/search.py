"""Simulations per second of `search` on one core, beside the information-set search of OpenSpiel
(C++) on its own comparable games, in one run.

`make bench-search`, or `python benchmarks/search.py [SIMULATIONS]` with `pip install
".[research]"`. Positions are spread over whole random matches; those with a single legal move are
left out. OpenSpiel plays one full random rollout for each simulation; what ours do is in the last
columns: rollout moves made before the game's evaluation is asked (all: to the end), and simulations
in each imagined world. CPU time is counted, not time on the clock, so that other work on the
machine matters less.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

os.environ["SAMOVAR_THREADS"] = "1"

import samovar
from samovar.bots import make_bot
from samovar.engine.registry import find_game
from samovar.engine.seat import Seat

MATCHES = 6
PEERS = {"euchre": 2_000, "hearts": 1_000, "gin_rummy": 100}
OURS = ("babuschka", "matryoshka", "memoarrrr", "varvitikud")
EVERY = 5  # moves between two positions
# its search ends the process with a segmentation fault while cards are being passed (open_spiel
# 2.0.2)
PASSED = {"hearts": 12}


def main() -> None:
    simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    print(f"{'':<24}{'seats':>6}{'simulations/s':>15}   rollout")
    for name, count in PEERS.items():
        print(
            f"{'OpenSpiel ' + name:<24}{'':>6}{rate(peer_positions(name), peer_search(count), count):>15,.0f}   to "
            "the end",
            flush=True,
        )
    for name in OURS:
        game = find_game(name)
        tuning = game.heuristics.tuning
        for seats in game.seats:
            speed = rate(
                our_positions(name, seats),
                lambda seat, game=game: make_bot(f"search:{simulations}", game, 1).choose(seat),
                simulations,
            )
            depth = (
                "to the end"
                if tuning.depth >= game.max_length(seats, game.check_options(seats, {}))
                else f"{tuning.depth} moves, evaluated"
            )
            print(f"{game.name:<24}{seats:>6}{speed:>15,.0f}   {depth}, {tuning.reuse} a world", flush=True)


def rate(positions: Iterator[Any], search: Callable[[Any], object], simulations: int) -> float:
    """Simulations per second of CPU time over all positions; the first is searched once before, for
    what is compiled or loaded then."""
    spent, searched = 0.0, 0
    for position in positions:
        if not searched:
            search(position)
        start = time.process_time()
        search(position)
        spent += time.process_time() - start
        searched += 1
    return searched * simulations / spent


def our_positions(name: str, seats: int) -> Iterator[Seat]:
    for seed in range(MATCHES):
        match = samovar.Match(name, seats, seed)
        for played in range(100):
            if match.over:
                break
            seat = match.actors[0]
            if played % EVERY == 0 and len(match.legal(seat)) > 1:
                yield match.seat(seat)
            match.play_random(seed * 1000 + played, limit=1)


def peer_positions(name: str) -> Iterator[Any]:
    import pyspiel

    game = pyspiel.load_game(name)
    for seed in range(MATCHES):
        choose = random.Random(seed)
        state = game.new_initial_state()
        played = 0
        while not state.is_terminal() and played < 100:
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(choose.choices(actions, chances)[0])
                continue
            if played >= PASSED.get(name, 0) and played % EVERY == 0 and len(state.legal_actions()) > 1:
                yield state.clone()
            state.apply_action(choose.choice(state.legal_actions()))
            played += 1


def peer_search(simulations: int) -> Callable[[Any], object]:
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    policy = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    return lambda state: pyspiel.ISMCTSBot(1, evaluator, 5.0, simulations, -1, policy, False, False).step(state)


if __name__ == "__main__":
    main()
