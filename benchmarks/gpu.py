"""GPU against CPU: the same matches, byte for byte, and moves per second of random play on both, in
one run.

    python benchmarks/gpu.py [--matches 100000] [--places 1000000] [--json FILE] [GAME ...]

For every game, seat count and variant: `--matches` matches are dealt and played to the end on both
devices and compared byte for byte; then `--places` matches are played side by side on the GPU for
as many moves as fill some tenths of a second, deals included, and the same on one core.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

import numpy as np

from samovar.bench import PLACES, batch_rate
from samovar.engine.batch import Batch
from samovar.engine.contract import Game
from samovar.engine.registry import find_game, game_ids

SEED = 20_000


def are_identical(game: Game, seats: int, options: dict[str, Any], matches: int) -> tuple[bool, int]:
    """Whether both devices give the same bytes for the same matches, and how many moves that
    were."""
    ends = []
    for device in ("cpu", "cuda"):
        batch = Batch(game, matches, seats, SEED, device=device, **options)
        lengths = batch.play_random()
        ends.append([np.asarray(array) for array in (batch.states, lengths)])
    (states, lengths), (gpu_states, gpu_lengths) = ends
    return states.tobytes() == gpu_states.tobytes() and lengths.tobytes() == gpu_lengths.tobytes(), int(lengths.sum())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=game_ids())
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--places", type=int, default=1_000_000)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows = []
    print(
        f"{'game':<14}{'seats':>6}  {'variant':<52}{'identical':>10}{'GPU M/s':>10}{'CPU M/s':>9}{'ratio':>8}",
        flush=True,
    )
    for game in map(find_game, arguments.games):
        for seats, options in game.variants():
            begun = time.perf_counter()
            same, moves = are_identical(game, seats, options, arguments.matches)
            gpu = batch_rate(Batch(game, arguments.places, seats, SEED, device="cuda", **options))
            cpu = batch_rate(Batch(game, PLACES, seats, SEED, threads=1, **options))
            named = (
                ", ".join(
                    f"{name}={str(value).lower()}" for name, value in options.items() if value != _default(game, name)
                )
                or "-"
            )
            row = (
                f"{game.id:<14}{seats:>6}  "
                f"{named:<52}{'yes' if same else 'NO':>10}{gpu / 1e6:>10.0f}{cpu / 1e6:>9.2f}{gpu / cpu:>8.0f}"
            )
            print(f"{row}   ({time.perf_counter() - begun:.0f} s)", flush=True)
            row_facts = {"game": game.id, "seats": seats, "options": options, "matches": arguments.matches}
            rows.append({**row_facts, "moves": moves, "identical": same, "gpu": gpu, "cpu": cpu})
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"rows": rows}, file, indent=1)
    return 0 if all(row["identical"] for row in rows) else 1


def _default(game: Game, name: str) -> Any:
    return next(option.default for option in game.options if option.name == name)


if __name__ == "__main__":
    sys.exit(main())
