"""The best moves of a seat side by side, for somebody who asks what to play: how good each is, and whether the
others are really worse."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from samovar.bots.bot import chance, choices
from samovar.engine.kernels import NO_MOVE
from samovar.engine.seat import Seat
from samovar.insight.estimate import QUICK, Budget, Source, source_of

BEST = 3  # moves that are told
CONSIDERED = 5  # moves that are compared: what a first search likes best need not be the best
FIND = 1000  # simulations of that search
LOOK = 200  # simulations after each move, for one look at them side by side
LOOKS = 16
MOST_SECONDS = 1.0
SURE = 2  # standard errors
HARDLY = 0.005  # a difference that nobody would notice


@dataclass(frozen=True)
class Advised:
    """A move, and what may be expected after it."""

    move: int
    share: float
    is_close: bool  # to the best one: no worse, as far as can be told


def advise(
    seat: Seat,
    *,
    find: int = FIND,
    simulations: int = LOOK,
    looks: int = LOOKS,
    seconds: float = MOST_SECONDS,
    seed: int = 0,
    plain: bool | None = None,
) -> tuple[Advised, ...]:
    """The best moves, the best one first, by what the seat knows. As long as there is time for all looks the answer
    depends on the seed alone."""
    until = time.perf_counter() + seconds
    draw = chance(seed, seat)

    def source(simulations: int, share_of_time: float) -> Source:
        budget = Budget(simulations, seconds * share_of_time)
        return source_of(seat, QUICK, budget, int(draw.integers(2**62)), plain)

    legal = choices(seat)
    first = source(find, 1 / 4)
    first.look(NO_MOVE)
    moves = first.likely(legal, CONSIDERED)
    rows: list[list[float]] = []
    while len(rows) < looks and (not rows or time.perf_counter() < until):
        look = source(simulations, 1 / 2 / len(moves))
        rows.append([look.look(move).share for move in moves])
    return _ranked(moves, np.array(rows))


def _ranked(moves: list[int], looks: np.ndarray) -> tuple[Advised, ...]:
    """All moves were looked at in the same worlds, so what counts is how far each lay behind the best one, look by
    look."""
    means = looks.mean(axis=0)
    best = int(means.argmax())
    order = sorted(range(len(moves)), key=lambda k: (-means[k], moves[k]))[:BEST]

    def is_close(k: int) -> bool:
        behind = looks[:, best] - looks[:, k]
        error = float(behind.std(ddof=1)) / math.sqrt(len(behind)) if len(behind) > 1 else 1.0
        return float(behind.mean()) <= max(SURE * error, HARDLY)

    return tuple(Advised(moves[k], float(means[k]), is_close(k)) for k in order)
