"""What a match pays its seats when it ends: the words for it, and the sums. `kernels.reward` pays the
same, match by match, where a batch is stepped."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from samovar.engine.arrays import Array, Float32s, Floats
from samovar.engine.contract import Game
from samovar.engine.heuristics import CERTAIN
from samovar.engine.ways.operations import Operations
from samovar.errors import BadBatch

PLACE, MARGIN, BOTH = REWARDS = ("place", "margin", "both")
POINTS_A_PLACE = 100  # with both, so many points count as much as leaving all behind


def reward_units(game: Game, seats: int, rewards: str, columns: int = 0) -> Float32s:
    """By seat, what is paid for each opponent left behind (or for a thousandth of what all did
    together), and for each point ahead of each; 0 where there are more columns than seats."""
    if rewards not in REWARDS:
        raise BadBatch(f"rewards cannot be {rewards!r}. They go by 'place', by 'margin' of points, or by 'both'.")
    teams = game.teams(seats)
    opponents = [sum(other != team for other in teams) for team in teams]
    by_place = [1 / number if number else 1 / CERTAIN for number in opponents]
    by_point = [1 / max(number, 1) for number in opponents]
    units = np.zeros((2, max(seats, columns)), np.float32)
    units[:, :seats] = by_place, by_point
    units[0] *= rewards != MARGIN
    units[1] *= {PLACE: 0, MARGIN: 1, BOTH: 1 / POINTS_A_PLACE}[rewards]
    return units


def paid(game: Game, seats: int, rewards: str, ready: Operations, states: Array) -> Floats:
    """By match and seat, as if every match ended now. By place: the share of the opponents left
    behind, less the share of those ahead; in one team how well it did, from -1 to 1. By margin: the
    own points less the mean of the opponents', in one team the points."""
    teams = np.array(game.teams(seats))
    against = teams[:, None] != teams
    opponents = np.maximum(against.sum(axis=1), 1)
    points, places = np.zeros((2, len(states), seats), np.int64)
    ready.scores(states, points, places)
    if game.is_together(seats):
        successes = np.zeros(len(states), np.int64)
        ready.success(states, successes)
        standing, margin = np.repeat((2 * successes - CERTAIN)[:, None] / CERTAIN, seats, axis=1), points
    else:
        standing = np.sign(places[:, None, :] - places[:, :, None]).sum(axis=2) / opponents
        margin = ((points[:, :, None] - points[:, None, :]) * against).sum(axis=2) / opponents
    sums: Mapping[str, Array] = {PLACE: standing, MARGIN: margin, BOTH: standing + margin / POINTS_A_PLACE}
    return sums[rewards].astype(np.float64)
