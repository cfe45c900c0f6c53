"""GPU against CPU: the same matches, byte for byte, and moves per second of random play on both, in
one run.

    python benchmarks/gpu.py [--matches 100000] [--places 1000000] [--json FILE] [GAME ...]

For every game, seat count and variant: `--matches` matches are dealt and played to the end on both
devices and compared byte for byte; then `--places` matches are played side by side on the GPU for
as many moves as fill some tenths of a second, deals included, and the same on one core.

With `--steps N`, instead: N steps of a batch on both devices, moves by lists and turned to the seat,
observations as planes, legal moves told as parts, rewards by place and points; every array must be
the same on both.
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


STEPPED = ("actor", "observations", "legal_mask", "legal_moves", "legal_counts", "rewards", "ended", "legal_factors")


def compare_steps(game: Game, seats: int, matches: int, steps: int) -> list[str]:
    """The arrays of a batch that differ between the devices in any of so many steps."""
    wishes: dict[str, Any] = {"encoding": "planes", "turned": True, "rewards": "both"}
    cpu, gpu = (Batch(game, matches, seats, SEED, device=device, **wishes) for device in ("cpu", "cuda"))
    names = [name for name in STEPPED if name != "legal_factors" or game.factors]
    differ: set[str] = set()
    for _ in range(steps):
        counts = cpu.legal_counts
        for name in names:
            one, other = (np.asarray(getattr(batch, name)) for batch in (cpu, gpu))
            if name in ("legal_moves", "legal_factors"):  # behind the last legal move lies what was there before
                counted = np.arange(game.max_legal) < counts[:, None]
                one, other = one[counted], other[counted]
            if one.tobytes() != other.tobytes():
                differ.add(name)
        moves = cpu.random_moves()
        cpu.step(moves)
        gpu.step(moves)
    return sorted(differ)


def main_of_steps(games: list[str], matches: int, steps: int) -> int:
    differ = False
    for game in map(find_game, games):
        for seats in game.seats:
            begun = time.perf_counter()
            found = compare_steps(game, seats, matches, steps)
            differ = differ or bool(found)
            told = f"DIFFER: {', '.join(found)}" if found else "all arrays identical"
            row = f"{game.id:<14}{seats} seats, {matches:,} matches, {steps} steps: {told}"
            print(f"{row} ({time.perf_counter() - begun:.0f} s)", flush=True)
    return int(differ)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=game_ids())
    parser.add_argument("--matches", type=int, default=100_000)
    parser.add_argument("--places", type=int, default=1_000_000)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    if arguments.steps:
        return main_of_steps(arguments.games, arguments.matches, arguments.steps)
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
