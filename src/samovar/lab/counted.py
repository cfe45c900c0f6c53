"""Random matches, counted by the thousand: what needs no thinking to be known.

They are numbered, and match k of a study has the k-th seed: so the figures depend on the seed alone, however many
threads count, and match k of two variants has the same deal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from samovar.engine.arrays import Array, Floats, Int32s
from samovar.engine.chance import derive_seed
from samovar.engine.contract import Game, Value
from samovar.engine.ways.backend import backend, thread_count
from samovar.engine.ways.operations import Operations
from samovar.engine.ways.stand_ins import LENGTH, POINTS
from samovar.lab.intervals import Sums
from samovar.lab.measures import measures, of_rows

PORTION = {"cpu": 16_384, "cuda": 262_144}
ENDLESS = 1_000_000  # moves after which nobody waits for the end of a match


class Counted:
    """What was counted of one variant."""

    def __init__(self, seats: int) -> None:
        self.sums = Sums(len(measures(seats)))
        self.lengths: Counter[int] = Counter()
        self.points: list[Counter[int]] = [Counter() for _ in range(seats)]
        self.matches = 0

    def add(self, rows: Int32s, found: Floats) -> None:
        self.sums.add(found)
        self.matches += len(rows)
        _count(self.lengths, rows[:, LENGTH])
        for seat, points in enumerate(self.points):
            _count(points, rows[:, POINTS + seat])


def _count(counter: Counter[int], values: Int32s) -> None:
    numbers, times = np.unique(values, return_counts=True)
    for number, often in zip(numbers.tolist(), times.tolist(), strict=True):
        counter[number] += often


class Counting:
    """Random matches of variants of a game, side by side."""

    def __init__(
        self,
        game: Game,
        seats: int,
        variants: list[dict[str, Value]],
        seed: int,
        device: str = "cpu",
        plain: bool | None = None,
    ) -> None:
        self.game, self.seats = game, seats
        self.teams = tuple(game.teams(seats))
        self.found = [Counted(seats) for _ in variants]
        self.differences = [Sums(len(measures(seats))) for _ in variants]  # of each to the first, by match
        self._variants = [(game.setup(seats, options), _limit(game, seats, options)) for options in variants]
        self._first = derive_seed(seed, "lab") % 2**62
        self._device = device
        self._plain = plain

    def run(self, matches: int) -> Iterator[int]:
        """So many of each variant; says after each portion how many there are."""
        size = PORTION[self._device]
        portions = [(begin, min(size, matches - begin)) for begin in range(0, matches, size)]
        threads = thread_count() if self._device == "cpu" else 1
        with ThreadPoolExecutor(threads) as pool:
            for begin in range(0, len(portions), threads):
                for rows in pool.map(self.rows, *zip(*portions[begin : begin + threads], strict=True)):
                    self._add(rows)
                yield self.found[0].matches

    def rows(self, begin: int, matches: int) -> list[Int32s]:
        """The matches from one on, by variant, a row each."""
        seeds = self._first + np.arange(begin, begin + matches, dtype=np.int64)
        return [self._tally(setup, limit, seeds) for setup, limit in self._variants]

    def _tally(self, setup: Array, limit: int, seeds: Array) -> Int32s:
        rows = np.zeros((len(seeds), POINTS + 2 * self.seats), np.int32)
        rows[:, LENGTH] = limit
        states = np.zeros(len(seeds), self.game.state)
        if self._device == "cpu":
            backend(self.game, self._plain).tally(states, setup, seeds, rows)
            return rows
        from samovar.engine.ways.cuda import cuda_backend, load_cuda

        cuda = load_cuda()
        there = [cuda.to_device(array) for array in (states, np.repeat(setup, len(seeds)), seeds, rows)]
        ready: Operations = cuda_backend(self.game)
        ready.tally(*there)
        found: Int32s = there[-1].copy_to_host()
        return found

    def _add(self, rows: list[Int32s]) -> None:
        found = [of_rows(each, self.teams) for each in rows]
        for variant, (counted, difference) in enumerate(zip(self.found, self.differences, strict=True)):
            counted.add(rows[variant], found[variant])
            difference.add(found[variant] - found[0])


def _limit(game: Game, seats: int, options: dict[str, Value]) -> int:
    return min(game.max_length(seats, options), ENDLESS)
