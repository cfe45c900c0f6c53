"""Three ways, one answer: the same matches in plain Python, compiled and on a GPU (or in its
simulator), byte for byte."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from samovar.engine.contract import Game, Options
from samovar.engine.registry import find_game, game_ids
from samovar.engine.ways.backend import backend
from samovar.engine.ways.operations import Operations

SEED = 500


def play_all(ready: Operations, game: Game, seats: int, options: Options, matches: int, moves: int) -> list[bytes]:
    """The bytes of everything the operations give: states on the way, observations, results,
    worlds."""
    states = np.zeros(matches, game.state)
    seeds = np.arange(SEED, SEED + matches, dtype=np.int64)
    lengths, masks, counts = (np.zeros(matches, np.int64) for _ in range(3))
    rows = np.zeros((matches, game.observation_size), np.int8)
    listed = np.zeros((matches, game.max_legal), np.int32)
    points, places = np.zeros((2, matches, seats), np.int64)
    results: list[bytes] = []
    ready.deal(states, game.setup(seats, game.check_options(seats, options)), seeds)
    for part in (0, moves // 2, moves, 2**40):
        ready.play_random(states, seeds, lengths, part)
        ready.actors(states, masks)
        actors = np.array([int(mask & -mask).bit_length() - 1 if mask else -1 for mask in masks], np.int64)
        ready.observe(states, np.maximum(actors, 0), rows)
        ready.scores(states, points, places)
        results += [array.tobytes() for array in (states, lengths, masks, rows, points, places)]
        if masks.all():
            ready.legal(states, actors, listed, counts)
            results += [listed.tobytes(), counts.tobytes()]
        worlds = states.copy()
        ready.determinize(worlds, np.maximum(actors, 0), seeds)
        results.append(worlds.tobytes())
        ready.redeal(worlds, seeds)
        results.append(worlds.tobytes())
    return results


def check_plain_and_compiled(game: Game, seats: int, options: Options, matches: int = 6, moves: int = 24) -> None:
    plain, compiled = (
        play_all(backend(game, is_plain), game, seats, options, matches, moves) for is_plain in (True, False)
    )
    assert plain == compiled, f"plain and compiled differ, first in result {first_difference(plain, compiled)}"


def check_plain_and_cuda(game: Game, seats: int, options: Options, matches: int = 4, moves: int = 24) -> None:
    """On a GPU, or in the simulator where `NUMBA_ENABLE_CUDASIM=1` is set before Numba is
    imported."""
    from samovar.engine.ways.cuda import cuda_backend

    plain, on_device = (
        play_all(ready, game, seats, options, matches, moves) for ready in (backend(game, True), cuda_backend(game))
    )
    assert plain == on_device, f"plain and CUDA differ, first in result {first_difference(plain, on_device)}"


def first_difference(one: Sequence[object], other: Sequence[object]) -> int:
    return next(
        (number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def main(ids: list[str]) -> None:
    """`NUMBA_ENABLE_CUDASIM=1 python -m samovar.testing.backends [GAME ...]`"""
    for game in map(find_game, ids or game_ids()):
        for seats, options in game.variants():
            check_plain_and_cuda(game, seats, options)
            print(f"{game.id} with {seats} seats {options}: plain = CUDA", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
