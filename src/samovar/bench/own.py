"""How fast the games are on this machine. Moves per second of random play, deals included; of a
game's seat counts the slowest is reported."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

import numpy as np

from samovar.engine.arrays import Int64s
from samovar.engine.batch import Batch
from samovar.engine.contract import Game, Options
from samovar.engine.match import Match
from samovar.engine.ways.backend import backend
from samovar.errors import NoDevice
from samovar.json_types import JsonObject

SEED = 1
PLACES = 1_024
GPU_PLACES = 1_000_000
ENOUGH_S = 0.4

FIRST_USE = "import samovar, sys; samovar.Match(sys.argv[1], seed=1).play_random(1)"


def measure(game: Game) -> JsonObject:
    """All figures of one game."""
    figures: JsonObject = {
        "plain": _slowest(game, lambda seats: plain_rate(game, seats)),
        "cpu": _slowest(game, lambda seats: batch_rate(Batch(game, PLACES, seats, SEED, threads=1))),
        "observed": _slowest(
            game, lambda seats: batch_rate(Batch(game, PLACES, seats, SEED, threads=1), observed=True)
        ),
        "two_threads": _slowest(game, lambda seats: batch_rate(Batch(game, PLACES, seats, SEED, threads=2))),
        "match": _slowest(game, lambda seats: match_rate(game, seats)),
        "state_bytes": game.state.itemsize,
    }
    with tempfile.TemporaryDirectory() as folder:
        figures["compile_s"] = first_use_s(game, folder)
        figures["cached_s"] = first_use_s(game, folder)
    with suppress(NoDevice):
        figures["gpu"] = _slowest(game, lambda seats: batch_rate(Batch(game, GPU_PLACES, seats, SEED, device="cuda")))
    return figures


def _slowest(game: Game, rate: Callable[[int], float]) -> int:
    return round(min(rate(seats) for seats in game.seats))


def batch_rate(batch: Batch, observed: bool = False) -> float:
    """Moves per second of a batch, all steps in one call."""
    return _rate(lambda steps: batch.play_endless(steps, observed=observed), 32, ENOUGH_S)


def _rate(
    play: Callable[[int], int], steps: int, enough_s: float, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Moves per second; plays more and more until a run lasts long enough to be believed."""
    play(1)
    while True:
        start = clock()
        played = play(steps)
        elapsed = clock() - start
        if elapsed >= enough_s:
            return played / elapsed
        steps *= 2 if elapsed > enough_s / 4 else 4


def plain_rate(game: Game, seats: int) -> float:
    """The same kernel without compiling."""
    ready = backend(game, plain=True)
    setup = game.setup(seats, game.check_options(seats, {}))
    states = np.zeros(1, game.state)
    steps = 64
    while True:
        counter = np.array([steps], np.int64)
        start = time.perf_counter()
        ready.play_endless(states, setup, np.array([SEED], np.int64), counter)
        elapsed = time.perf_counter() - start
        if elapsed >= ENOUGH_S:
            return int(counter[0]) / elapsed
        steps *= 2


def match_rate(game: Game, seats: int) -> float:
    """One checked move at a time through `Match`, by number."""
    matches = []
    for seed in range(20):
        match = Match(game, seats, seed)
        match.play_random(seed)
        history = list(match.history)
        while match.history:
            match.undo()
        matches.append((match, history))
    played, spent = 0, 0.0
    while spent < ENOUGH_S:
        fresh = [(match.copy(), history) for match, history in matches]
        start = time.perf_counter()
        for match, history in fresh:
            play = match.play
            for seat, move in history:
                play(seat, move)
        spent += time.perf_counter() - start
        played += sum(len(history) for _, history in fresh)
    return played / spent


def first_use_s(game: Game, cache: str) -> float:
    """A whole match in a new process, from its start to its end, with compiled code kept in
    `cache`."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", FIRST_USE, game.id], env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True)
    return round(time.perf_counter() - start, 2)


# Step by step: how the moves are chosen


def by_random_moves(batch: Batch) -> Callable[[], Int64s]:
    """By the batch itself."""
    return batch.random_moves


def by_lists(batch: Batch) -> Callable[[], Int64s]:
    """By NumPy: one of the first `legal_counts` of `legal_moves`."""
    chance, rows = np.random.default_rng(SEED), np.arange(batch.size)
    return lambda: batch.legal_moves[rows, (chance.random(batch.size) * batch.legal_counts).astype(np.int64)]


def by_mask(batch: Batch) -> Callable[[], Int64s]:
    """By NumPy: a random number for every move there is, the highest of those that `legal_mask` lets
    through."""
    chance = np.random.default_rng(SEED)
    return lambda: (chance.random(batch.legal_mask.shape, np.float32) * batch.legal_mask).argmax(axis=1)


WAYS = {"random_moves": by_random_moves, "lists": by_lists, "mask": by_mask}


def step_rate(batch: Batch, way: str, enough_s: float = ENOUGH_S) -> float:
    """Moves per second of `Batch.step`, with moves chosen in one of WAYS; the best of three runs. The
    seconds are those that this thread worked, so that others on the same machine count little."""
    choose = WAYS[way](batch)

    def play(steps: int) -> int:
        for _ in range(steps):
            batch.step(choose())
        return steps * batch.size

    return max(_rate(play, 1, enough_s, time.thread_time) for _ in range(3))


def measure_steps(game: Game) -> JsonObject:
    """The rates of all WAYS in that variant of the game in which the first is slowest, on one
    thread."""

    def rate(way: str, seats: int, options: Options) -> float:
        return step_rate(Batch(game, PLACES, seats, SEED, threads=1, **options), way, ENOUGH_S / 4)

    first, *others = WAYS
    rates = {index: rate(first, *variant) for index, variant in enumerate(game.variants())}
    slowest = min(rates, key=rates.__getitem__)
    seats, options = game.variants()[slowest]
    return {
        first: round(rates[slowest]),
        **{way: round(rate(way, seats, options)) for way in others},
        "moves": game.moves,
        "slowest": f"{seats} seats {' '.join(f'{name}={value}' for name, value in options.items())}".strip(),
    }


def row(name: str, cells: Iterable[str]) -> str:
    """A line of a table of text."""
    return f"{name:<18}" + "".join(f"{cell:>13}" for cell in cells)


def steps_table(measured: dict[str, JsonObject], head: bool = True) -> str:
    """The figures of `measure_steps` as lines of text, rates in thousands of moves a second."""
    lines = [row("thousand moves/s", (*WAYS, "lists/mask", "moves")) + "  slowest"] if head else []
    for game_id, figures in measured.items():
        cells = [f"{figures[way] / 1000:,.0f}" for way in WAYS]
        cells += [f"{figures['lists'] / figures['mask']:,.0f}x", f"{figures['moves']:,}"]
        lines.append(f"{row(game_id, cells)}  {figures['slowest']}")
    return "\n".join(lines)


COLUMNS = ("plain", "cpu", "observed", "two_threads", "match", "gpu", "state_bytes", "compile_s", "cached_s")


def table(measured: dict[str, JsonObject], head: bool = True) -> str:
    """The figures as lines of text, rates in thousands of moves a second, with the ratio of
    compiled to plain."""
    lines = [row("thousand moves/s", COLUMNS) + f"{'cpu/plain':>11}"] if head else []
    for game_id, figures in measured.items():
        cells = []
        for name in COLUMNS:
            figure = figures.get(name)
            if figure is None:
                cells.append("-")
            elif name.endswith("_s") or name == "state_bytes":
                cells.append(f"{figure}")
            else:
                cells.append(f"{figure / 1000:,.0f}")
        ratio = figures["cpu"] / figures["plain"]
        lines.append(f"{row(game_id, cells)}{ratio:>10,.0f}x")
    return "\n".join(lines)
