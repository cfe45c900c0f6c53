"""Many matches at once, in one array of states: on CPU threads, or on a GPU from the same rules.

`Batch("memoarrrr", 65_536, seats=3, seed=1)`: match i is the match of seed 1 + i, byte for byte what `Match(..., seed=1 + i)` deals.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from samovar.engine.backend import NOTHING, Array, backend, thread_count
from samovar.engine.contract import Game, Value
from samovar.engine.cuda import cuda_backend
from samovar.engine.match import check_seed
from samovar.engine.registry import find_game
from samovar.errors import BadBatch

TO_THE_END = 2**62


class Batch:
    """Thousands of matches. Arrays are NumPy arrays, or device arrays with `device="cuda"`; `states` may be the caller's own.

    A refused move changes nothing in its match: `step` answers a negative number there (`kernels.NOT_AN_ACTOR`, `kernels.ILLEGAL`).
    """

    def __init__(
        self,
        game: str | Game,
        size: int,
        seats: int | None = None,
        seed: int = 0,
        *,
        device: str = "cpu",
        threads: int | None = None,
        states: Any = None,
        **options: Value,
    ) -> None:
        self.game = find_game(game) if isinstance(game, str) else game
        self.size = _check_size(size)
        self.seats = self.game.check_seats(self.game.seats[0] if seats is None else seats)
        self.options = self.game.check_options(self.seats, options)
        self.threads = threads or thread_count()
        if device not in ("cpu", "cuda"):
            raise BadBatch(f"A batch runs on device 'cpu' or 'cuda', not on {device!r}.")
        self.device = device
        self._cuda = cuda_backend(self.game) if device == "cuda" else None
        self.states = self.zeros((size,), self.game.state) if states is None else self._check_states(states)
        self._setup = self.game.setup(self.seats, self.options)
        self.deal(seed)

    def zeros(self, shape: tuple[int, ...], dtype: Any = np.int64) -> Any:
        """An array where the batch lives."""
        array = np.zeros(shape, dtype)
        return self._cuda.to_device(array) if self._cuda else array

    def deal(self, seed: int) -> None:
        """Deals all matches anew."""
        self.seeds = np.arange(check_seed(seed), check_seed(seed + self.size - 1) + 1, dtype=np.int64)
        self.made = self.zeros((self.size,))
        self._run("deal", self._setup, self.seeds)

    def actors(self) -> Any:
        """The bit mask of actors of every match; 0 where it is over."""
        masks = self.zeros((self.size,))
        self._run("actors", masks)
        return masks

    def legal(self, seats: Any) -> tuple[Any, Any]:
        """The legal moves of one seat in each match: numbers in ascending order, padded with 0, and how many. The seat must be an actor."""
        moves = self.zeros((self.size, self.game.max_legal), np.int32)
        counts = self.zeros((self.size,))
        self._run("legal", self._check_row(seats), moves, counts)
        return moves, counts

    def step(self, seats: Any, moves: Any) -> Any:
        """One checked move in each match; answers the actors after it, or a negative number where it was refused."""
        answers = self.zeros((self.size,))
        self._run("step", self._check_row(seats), self._check_row(moves), answers)
        return answers

    def play_random(self, limit: int = TO_THE_END) -> Any:
        """Random moves in every match, to the end or at most `limit` more; how many each match has made so far."""
        self._run("random", self.seeds, self.made, np.array([limit], np.int64))
        return self.made

    def observe(self, seats: Any) -> Any:
        """The observation of one seat in each match."""
        rows = self.zeros((self.size, self.game.observation_size), np.int8)
        self._run("observe", self._check_row(seats), rows)
        return rows

    def results(self) -> tuple[Any, Any]:
        """Points and places by match and seat, as if every match ended now."""
        points, places = self.zeros((self.size, self.seats)), self.zeros((self.size, self.seats))
        self._run("scores", points, places)
        return points, places

    def faults(self) -> Any:
        found = self.zeros((self.size,))
        self._run("faults", found)
        return found

    def imagine(self, seats: Any, seed: int) -> None:
        """Replaces every match by a world that fits all that the given seat of it knows."""
        self._run("determinize", self._check_row(seats), np.arange(seed, seed + self.size, dtype=np.int64))

    def play_endless(self, steps: int, *, observed: bool = False) -> int:
        """Random play in each place of the batch for so many steps, with a new deal soon after a match is over; for measuring. The moves made."""
        made = np.full(self.size, steps, np.int64)
        self._run("observed" if observed else "endless", self._setup, self.seeds.copy(), made)
        return int(made.sum())

    # Inside

    def _run(self, operation: str, a: Any = NOTHING, b: Any = NOTHING, c: Any = NOTHING) -> None:
        if self._cuda:
            self._cuda.run(operation, self.states, a, b, c)
            return
        ready = backend(self.game)
        parts = min(self.threads, self.size)
        if parts == 1 or ready.is_plain:
            ready.run(operation, self.states, a, b, c)
            return
        edges = [self.size * part // parts for part in range(parts + 1)]
        with ThreadPoolExecutor(parts) as pool:
            jobs = [
                pool.submit(ready.run, operation, self.states[low:high], *(self._part(x, low, high) for x in (a, b, c)))
                for low, high in pairwise(edges)
            ]
        for job in jobs:
            job.result()

    def _part(self, array: Array, low: int, high: int) -> Array:
        """The rows of some matches; what is one for all (set-up, limits) has a single row."""
        return array[low:high] if len(array) == self.size else array

    def _check_states(self, states: Any) -> Any:
        if states.dtype != self.game.state or states.shape != (self.size,):
            raise BadBatch(f"The states must be an array of {self.size} records of GAME.state; these are {states.shape} of {states.dtype}.")
        return states

    def _check_row(self, row: Any) -> Any:
        if self._cuda and hasattr(row, "__cuda_array_interface__"):
            return row
        checked = np.ascontiguousarray(np.broadcast_to(np.asarray(row, np.int64), (self.size,)))
        return self._cuda.to_device(checked) if self._cuda else checked


def _check_size(size: int) -> int:
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise BadBatch(f"A batch has at least one match; {size!r} is no such number.")
    return size
