"""The best moves of a seat side by side, for somebody who asks what to play: how good each is, and whether the
others are really worse."""

from __future__ import annotations

import time
from dataclasses import dataclass

from samovar.engine.seat import Seat
from samovar.insight.estimate import LOOK, Comparison, Loss

BEST = 3  # moves that are told
FIND = 1000  # simulations to find those that are compared
LOOKS = 16
MOST_SECONDS = 1.0
BEGINNING = 3 / 4  # of the time, for finding the moves and a first look
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
    compared = Comparison(seat, find=find, simulations=simulations, seconds=BEGINNING * seconds, seed=seed, plain=plain)
    compared.look()
    while compared.looks < looks and time.perf_counter() < until:
        compared.look()
    return ranked(compared)


def ranked(compared: Comparison) -> tuple[Advised, ...]:
    shares, losses = compared.shares(), compared.losses()
    best = sorted(shares, key=lambda move: (-shares[move], move))[:BEST]
    return tuple(Advised(move, shares[move], is_close(losses[move])) for move in best)


def is_close(loss: Loss) -> bool:
    return loss.share <= max(SURE * loss.error, HARDLY)
