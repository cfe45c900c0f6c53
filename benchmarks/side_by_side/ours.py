"""Our own random play in a process of its own, measured as `peer.py` measures that of others.

python -m side_by_side.ours batch | steps | match [--game NAME] [--places N] [--device cpu | cuda]
[--observed]
"""

from __future__ import annotations

import argparse

import numpy as np

from samovar.bench.own import PLACES, SEED, by_mask
from samovar.engine.batch import Batch
from samovar.engine.installed import own_version
from samovar.engine.match import Match
from side_by_side.peer import Ready, add_rounds, answer, growing


def batch(asked: argparse.Namespace) -> Ready:
    """All at once: `Batch.play_endless`."""
    matches = _batch(asked)
    return growing(lambda steps: matches.play_endless(steps, observed=asked.observed), 64, asked), _facts(asked)


def steps(asked: argparse.Namespace) -> Ready:
    """The loop of a learner: look at the mask, choose with NumPy, step."""
    matches = _batch(asked)
    matches.reset(seed=SEED)
    choose = by_mask(matches)

    def run(count: int) -> float:
        for _ in range(count):
            matches.step(choose())
        return float(count * asked.places)

    return growing(run, 8, asked), _facts(asked)


def match(asked: argparse.Namespace) -> Ready:
    """One checked move at a time, chosen by Python, through `Match`."""
    chance = np.random.default_rng(SEED)

    def run(matches: int) -> int:
        played = 0
        for seed in range(matches):
            match = Match(asked.game, seed=seed)
            while not match.over:
                seat = match.actors[0]
                legal = match.legal(seat)
                match.play(seat, legal[int(chance.random() * len(legal))])
                played += 1
        return played

    return growing(run, 4, asked), _facts(asked)


def _batch(asked: argparse.Namespace) -> Batch:
    return Batch(asked.game, asked.places, seed=SEED, threads=1, device=asked.device)


def _facts(asked: argparse.Namespace) -> dict[str, object]:
    return {
        "version": own_version(),
        "game": asked.game,
        "batch": asked.places,
        "device": asked.device,
        "observed": asked.observed,
    }


def read_arguments(words: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Random play of ours, in moves per second.")
    parser.add_argument("what", choices=["batch", "steps", "match"])
    parser.add_argument("--game", default="connect_four")
    parser.add_argument("--places", type=int, default=PLACES, help="how many matches at once")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--observed", action="store_true", help="write the mover's observation before every move")
    add_rounds(parser)
    return parser.parse_args(words)


if __name__ == "__main__":
    arguments = read_arguments()
    answer(arguments, {"batch": batch, "steps": steps, "match": match}[arguments.what])
