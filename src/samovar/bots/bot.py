"""What a bot is: it is handed a seat, which knows what that seat may know, and answers with a move
and its reasons.

A bot is ordered by a text, `name` or `name:argument`: `random`, `search:800`, `expert`. The name is
an entry point of the group `samovar.bots`; it names a function that takes an `Order` and returns a
bot, new for every match and seat. So a bot may keep what it likes during its match. All its chance
comes from the order's seed and the moment (`chance`), so that one made anew in the middle of a
match, after a restart, goes on as the first would have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from samovar.engine.contract import Game
from samovar.engine.seat import Seat
from samovar.engine.ways.backend import Backend, backend
from samovar.errors import NotAnActor


@dataclass(frozen=True)
class Order:
    """What a bot is made from."""

    name: str
    argument: str  # what follows the colon; empty without one
    game: Game
    seed: int  # for all that the bot leaves to chance
    limit: float = math.inf  # seconds after which a bot that searches should answer with what it has found
    plain: bool | None = None  # whether it thinks in plain Python; None is for the environment to say

    @property
    def backend(self) -> Backend:
        """What the bot's own thinking runs on."""
        return backend(self.game, self.plain)


@dataclass(frozen=True)
class Reason:
    """What a bot thinks of one move."""

    move: int
    text: str
    visits: int  # how often it was tried
    place: float = 1.0  # the place expected after it, 1 is best
    success: float | None = None  # where all are one team: what they are expected to reach, 1 is all that can be
    chance: float | None = None  # how likely it is to be right, of bots that know it at a glance


def reason(seat: Seat, move: int, visits: int, share: float, chance: float | None = None) -> Reason:
    """Of a move after which a share of the opponents, from 0 to 1, is expected to be left behind; or
    of what all can reach together."""
    place = 1 + (1 - share) * seat.opponents
    return Reason(move, seat.move_text(move), visits, place, None if seat.opponents else share, chance)


@dataclass(frozen=True)
class Answer:
    """The move that a bot has chosen, and why."""

    move: int
    reasons: tuple[Reason, ...] = ()  # the best moves first; empty when the bot has none to give


def chance(seed: int, seat: Seat) -> np.random.Generator:
    """What a bot leaves to chance at this moment of its match."""
    return np.random.default_rng([seed, seat.moment])


def choices(seat: Seat) -> list[int]:
    """The legal moves; a bot is asked only when there are some."""
    moves = seat.legal
    if not moves:
        raise NotAnActor(
            f"Seat {seat.number} may not act now, so its bot has nothing to choose. Ask the bot of a seat that acts."
        )
    return moves


class Bot(Protocol):
    """Whatever has these two methods can play."""

    def choose(self, seat: Seat) -> Answer:
        """A legal move of the seat, which is an actor now."""
        ...

    def close(self) -> None:
        """The match is over: lets go of what the bot holds."""
        ...
