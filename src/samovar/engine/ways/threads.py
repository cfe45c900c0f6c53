"""A game's operations on the CPU, the matches of a batch shared out among threads."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

from samovar.engine.arrays import Rows
from samovar.engine.contract import Game
from samovar.engine.ways.backend import backend
from samovar.engine.ways.operations import NOTHING, Argument, Operations
from samovar.engine.ways.turns import Turn
from samovar.errors import BadBatch


class Threads(Operations):
    """Runs a game's operations on the CPU, each on so many threads."""

    def __init__(self, game: Game, threads: int) -> None:
        self._game = game
        self._threads = threads

    def run(
        self, operation: str, states: Rows, a: Argument = NOTHING, b: Argument = NOTHING, c: Argument = NOTHING
    ) -> None:
        ready, size = backend(self._game), len(states)
        parts = min(self._threads, size)
        if parts == 1 or ready.is_plain:
            ready.run(operation, states, a, b, c)
            return
        edges = [size * part // parts for part in range(parts + 1)]
        jobs = [
            _pool(parts).submit(ready.run, operation, *(_part(x, size, low, high) for x in (states, a, b, c)))
            for low, high in pairwise(edges)
        ]
        for job in jobs:
            job.result()


def _part(array: Any, size: int, low: int, high: int) -> Any:
    """The rows of some matches; what is one for all (wishes, limits) has a single row."""
    if isinstance(array, Turn):
        return Turn._make(_part(field, size, low, high) for field in array)
    return array[low:high] if len(array) == size else array


def check_threads(threads: int) -> int:
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise BadBatch(
            f"A batch runs on at least one thread; {threads!r} is no such number. Without it all cores are used."
        )
    return threads


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads are made once."""
    return ThreadPoolExecutor(threads, "samovar")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
