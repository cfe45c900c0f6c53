"""How far the rules written in Python are from code written by hand, in one run: random matches of Memoarrrr!, dealt
and played to the end.

    python benchmarks/limit/measure.py [--gpu] [--matches N] [--rounds N]

First the bytes: all seat counts and options, every state and length as `Batch.play_random` leaves them. Then the
ratio: both ways in turn, several times, the median. Beside `limit.c` on one core (needs gcc), or with `--gpu` beside
`limit.cu` on one GPU (needs nvcc and samovar-games[cuda]). Fails if a byte differs.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from samovar.engine.batch import TO_THE_END, Batch
from samovar.engine.contract import Options
from samovar.engine.registry import find_game
from samovar.engine.ways.backend import backend
from samovar.engine.ways.cuda import cuda_backend, load_cuda

HERE = Path(__file__).parent
GAME = find_game("memoarrrr")
OPTIONS = ("expert", "ordered_stack", "first_reveal_ability", "first")  # in the order of `Options` in memoarrrr.h
SEED = 2**62 + 20_000  # seeds of both words
VARIANTS: list[tuple[int, Options]] = [(seats, {"expert": expert}) for expert in (False, True) for seats in GAME.seats]
GOALS = {"cpu": 1.5, "cuda": 2.0}

Hand = Callable[[Any, Any, Any, Any], None]  # states, lengths, seeds, options


def build(device: str, folder: Path) -> Hand:
    """What was written by hand, compiled for this machine."""
    library = folder / f"limit_{device}.so"
    if device == "cuda":
        major, minor = load_cuda().get_current_device().compute_capability
        compiler = [os.environ.get("NVCC", "nvcc"), f"-arch=sm_{major}{minor}", "-Xcompiler", "-fPIC"]
        source = HERE / "limit.cu"
    else:
        compiler = [os.environ.get("CC", "gcc"), "-march=native", "-fPIC"]
        source = HERE / "limit.c"
    subprocess.run([*compiler, "-O3", "-shared", "-o", library, source], check=True)
    play = ctypes.CDLL(str(library)).play_matches
    play.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
    play.restype = ctypes.c_int if device == "cuda" else None

    def by_hand(states: Any, lengths: Any, seeds: Any, options: Any) -> None:
        failed = play(*map(_address, (states, lengths, seeds)), len(states), _address(options))
        if failed:
            raise RuntimeError(f"CUDA error {failed}")

    return by_hand


def _address(array: Any) -> int:
    """Where an array begins, here or on the GPU."""
    if isinstance(array, np.ndarray):
        return int(array.ctypes.data)
    return int(array.__cuda_array_interface__["data"][0])


def _options(batch: Batch) -> Any:
    (variant,) = batch.variants
    setup = GAME.setup(batch.seats, variant)[0]
    return np.array([batch.seats, *(setup[name] for name in OPTIONS)], np.int32)


def are_identical(by_hand: Hand, device: str, seats: int, options: Options, matches: int) -> bool:
    batch = Batch(GAME, matches, seats, SEED, device=device, threads=1, **options)
    states, lengths = batch.zeros((matches,), GAME.state), batch.zeros((matches,))
    by_hand(states, lengths, batch.seeds, _options(batch))
    batch.play_random()
    return all(
        np.asarray(hand).tobytes() == np.asarray(rules).tobytes()
        for hand, rules in ((states, batch.states), (lengths, batch.made))
    )


def race(
    by_hand: Hand, device: str, seats: int, options: Options, matches: int, rounds: int
) -> tuple[float, float, float]:
    """Moves per second by the rules and by hand, and how many times as fast by hand is; medians."""
    batch = Batch(GAME, matches, seats, SEED, device=device, threads=1, **options)
    # Not through `Batch.reset`, which would send seeds to the GPU each time.
    rules = cuda_backend(GAME) if device == "cuda" else backend(GAME)
    setup = np.repeat(GAME.setup(seats, batch.variants[0]), matches)
    setup_there = cuda_backend(GAME).to_device(setup) if device == "cuda" else setup
    chosen = _options(batch)
    times = []
    for _ in range(rounds + 1):
        lengths = batch.zeros((matches,))
        begun = time.perf_counter()
        rules.deal(batch.states, setup_there, batch.seeds)
        rules.play_random(batch.states, batch.seeds, lengths, TO_THE_END)
        between = time.perf_counter()
        by_hand(batch.states, lengths, batch.seeds, chosen)
        times.append((between - begun, time.perf_counter() - between))
    moves = int(np.asarray(lengths).sum())
    del times[0]  # of which compiling was a part
    rules_s, hand_s = (statistics.median(column) for column in zip(*times, strict=True))
    return moves / rules_s, moves / hand_s, statistics.median(rules / hand for rules, hand in times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--matches", type=int, help="side by side; 4,096, with --gpu 1,000,000")
    parser.add_argument("--rounds", type=int, default=101)
    arguments = parser.parse_args()
    device = "cuda" if arguments.gpu else "cpu"
    matches = arguments.matches or (1_000_000 if arguments.gpu else 4_096)
    with tempfile.TemporaryDirectory() as folder:
        by_hand = build(device, Path(folder))
        variants = list(GAME.variants())
        differ = [kind for kind in variants if not are_identical(by_hand, device, *kind, 20_000)]
        print(f"{len(variants) - len(differ)} of {len(variants)} variants identical, 20,000 matches each", flush=True)
        for seats, options in differ:
            print(f"DIFFERENT BYTES: {seats} players, {options}")
        print(f"{'players':>8}{'':<10}{'rules M/s':>11}{'by hand M/s':>13}{'ratio':>8}   goal {GOALS[device]} x")
        for seats, options in VARIANTS:
            rules, hand, ratio = race(by_hand, device, seats, options, matches, arguments.rounds)
            kind = "expert" if options["expert"] else "base"
            row = f"{seats:>8}  {kind:<8}{rules / 1e6:>11.1f}{hand / 1e6:>13.1f}{ratio:>8.2f}"
            print(f"{row}   {'reached' if ratio <= GOALS[device] else 'missed'}", flush=True)
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
