"""Guesses that are as often right as they say: what was counted in simulations, or said by a network,
becomes chances by a few numbers fitted to how matches between strong bots ended.

The numbers of a game are in its folder, `calibration.json`, by number of seats and by where a guess
comes from; `benchmarks/calibration.py` fits and writes them. Without them a guess stays as it is.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from samovar.engine.arrays import Array, Floats
from samovar.engine.contract import Game
from samovar.errors import BrokenGame
from samovar.json_types import JsonObject

FILE = "calibration.json"
SMOOTHING = 0.5  # what every outcome is counted beyond how often it came: none is impossible
EDGE = 0.01  # no thought is surer than that


class SeatOutcome(NamedTuple):
    """How a match ends for a seat."""

    place: int  # 1 is the first
    tied: int  # opponents who share it


@cache
def outcomes(seats: int) -> tuple[SeatOutcome, ...]:
    """All that there may be."""
    return tuple(SeatOutcome(place, tied) for place in range(1, seats + 1) for tied in range(seats - place + 1))


@cache
def usual_shares(seats: int, opponents: int) -> Floats:
    """By outcome, the share of the opponents left behind: those behind, and half of one's equals."""
    ahead = np.array([place - 1 + tied / 2 for place, tied in outcomes(seats)])
    return np.maximum(1 - ahead / max(opponents, 1), 0)


@dataclass(frozen=True, eq=False)
class Guess:
    """What somebody thinks of a seat, before it is calibrated."""

    chances: Floats  # by outcome
    shares: Floats  # by outcome, the share that comes with it
    thought: float  # the share expected, 0 to 1, judged in another way
    counted: int  # simulations that the chances come from, or that they are taken for
    is_certain: bool = False  # nothing is left that could come otherwise


@dataclass(frozen=True)
class Calibration:
    """A softmax over the outcomes, of sums of what speaks for each: see `features`."""

    counted: tuple[float, ...]  # by place: a weight for the logarithm of the chance that was counted
    often: float  # for the chance itself
    thought: float  # for what was thought
    shift: tuple[float, ...]  # by outcome: how often it comes in any case

    def apply(self, guess: Guess, shares: Floats) -> Floats:
        return softmax(features(guess, shares) @ np.array(self.weights) + np.array(self.shift))

    @property
    def weights(self) -> tuple[float, ...]:
        return (*self.counted, self.often, self.thought)


def features(guess: Guess, shares: Floats) -> Floats:
    """By outcome, what speaks for it: by place, the logarithm of its chance; the chance itself; and the
    thought, which speaks the more for an outcome, the larger the share is that usually comes with it."""
    seats = math.isqrt(2 * len(shares))  # there are seats * (seats + 1) / 2 outcomes
    place = np.array([outcome.place for outcome in outcomes(seats)])
    counted = np.log(guess.chances + SMOOTHING / guess.counted)[:, None] * (place[:, None] == np.arange(1, seats + 1))
    thought = math.log((guess.thought + EDGE) / (1 + EDGE - guess.thought)) * (2 * shares - 1)
    return np.column_stack([counted, guess.chances, thought])


def softmax(scores: Array) -> Floats:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    chances: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return chances


def calibration_of(game: Game, seats: int, by: str) -> Calibration | None:
    """The numbers for guesses by search or by network, if there are some for these rules."""
    written = _read(game)
    if not written or written["rules"] != game.version:
        return None
    numbers = written["seats"].get(str(seats), {}).get(by)
    if numbers is None:
        return None
    return Calibration(tuple(numbers["counted"]), numbers["often"], numbers["thought"], tuple(numbers["shift"]))


@cache
def _read(game: Game) -> JsonObject | None:
    path = Path(game.folder) / FILE
    if not game.folder or not path.exists():
        return None
    try:
        written: JsonObject = json.loads(path.read_text(encoding="utf-8"))
        for seats, numbers in written["seats"].items():
            for fitted in numbers.values():
                found = (len(fitted["counted"]), len(fitted["shift"]), type(fitted["often"]), type(fitted["thought"]))
                if found != (int(seats), len(outcomes(int(seats))), float, float):
                    raise ValueError(f"the numbers for {seats} seats are not those needed")
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BrokenGame(
            f"{FILE} of {game.name} cannot be read: {error!r}. Make it anew with benchmarks/calibration.py, or "
            "delete it."
        ) from error
    return written
