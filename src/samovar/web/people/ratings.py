"""How strong the players of a site are in a game, and how sure that is: by the arena's method (see
`arena/ratings.py`), with the levels of the bots among the players.

How the levels do against each other is known from the arena and stays as it is; points are counted
from the medium one, which has 1500. All matches between the same two people weigh as much as
`MOST_TOGETHER` at most, however many there are: who has two browsers cannot carry points from one
to the other without end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np

from samovar.arena.ratings import MEAN, SCALE, AnyArray, prior_of, strengths
from samovar.arena.resampling import FEWEST_DEALS, interval_of, weights_of
from samovar.engine.heuristics import LEVEL_NAMES, Level

MEASURE = LEVEL_NAMES[1]
ARENA_MATCHES = 200  # of each level against the one below
CERTAIN = 1e6  # matches, beside which those of people weigh nothing
MOST_TOGETHER = 20
FEWEST_MATCHES = FEWEST_DEALS  # of a player, for an interval and a rank
RESAMPLES = 200
STAGES = 40  # moments of which it is known how things stood
ROOM = 250_000  # numbers in an array: many players are estimated a few samples at a time


@dataclass(frozen=True)
class RatedMatch:
    """A rated match with those who count."""

    ended: int  # milliseconds since 1970
    seats: int
    places: tuple[tuple[str, int], ...]  # a person or the level of a bot, and the place; others are left out
    teams: tuple[int, ...] = ()  # of these; none: each for itself
    parties: int = 0  # how many teams there were in all; 0: as many as seats

    @property
    def opponents(self) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
        """All two who played against each other."""
        teams = self.teams or range(len(self.places))
        for (one, team), (other, other_team) in combinations(zip(self.places, teams, strict=True), 2):
            if team != other_team:
                yield one, other


class RatingMoment(NamedTuple):
    """How a player stood after some matches."""

    matches: int
    ended: int  # the last of them
    points: int


@dataclass(frozen=True)
class Rating:
    points: int
    low: int | None  # the 95 % interval; None of a bot, or with fewer than FEWEST_MATCHES
    high: int | None
    history: tuple[RatingMoment, ...]  # none of a bot

    @property
    def matches(self) -> int:
        return self.history[-1].matches if self.history else 0

    @property
    def ended(self) -> int:
        """When they played last."""
        return self.history[-1].ended if self.history else 0


class Pair(NamedTuple):
    """Two players of a match."""

    match: int
    a: int
    b: int
    won: float  # by a; half, if they share a place
    weight: float


def rate(matches: Sequence[RatedMatch], levels: Mapping[str, Level]) -> dict[str, Rating]:
    """All people in these matches, the oldest first, and all levels of the bots."""
    matches_of: dict[str, list[int]] = {}
    for number, match in enumerate(matches):
        for player, _ in match.places:
            matches_of.setdefault(player, []).append(number)
    players = [*levels, *(player for player in matches_of if player not in levels)]
    known = known_of(levels, len(players))
    pairs = np.array(list(pairs_of(matches, players, levels))).reshape(-1, len(Pair._fields))
    ends = stages_of(len(matches))
    stages = points_of([count(pairs[pairs[:, 0] < end], len(players)) + known for end in ends], players)
    samples = resampled(pairs, known, players, len(matches))
    ratings = {}
    for number, player in enumerate(players):
        own = () if player in levels else matches_of[player]
        history = history_of(own, matches, ends, stages[:, number])
        points, is_sure = float(stages[-1, number]), bool(history) and history[-1].matches >= FEWEST_MATCHES
        low, high = bounds_of(samples[:, number], points) if is_sure else (None, None)
        ratings[player] = Rating(round(points), low, high, history)
    return ratings


def pairs_of(matches: Sequence[RatedMatch], players: Sequence[str], levels: Mapping[str, Level]) -> Iterator[Pair]:
    """What matches say, each broken into its pairs. Of two bots they say nothing beside what is
    known."""
    number_of = {player: number for number, player in enumerate(players)}
    together = Counter(frozenset((a, b)) for match in matches for (a, _), (b, _) in match.opponents)
    for number, match in enumerate(matches):
        for (a, place_a), (b, place_b) in match.opponents:
            is_with_bot = a in levels or b in levels
            weight = 1.0 if is_with_bot else min(1.0, MOST_TOGETHER / together[frozenset((a, b))])
            won = (place_a < place_b) + (place_a == place_b) / 2
            yield Pair(number, number_of[a], number_of[b], won, weight)


def count(pairs: AnyArray, players: int, weights: AnyArray | None = None) -> AnyArray:
    """How often each was above each other one, by weight."""
    if not len(pairs):
        return np.zeros((players, players))
    match, a, b = pairs[:, :3].astype(np.int64).T
    weight = pairs[:, 4] if weights is None else pairs[:, 4] * weights[match]
    cells = np.concatenate([a * players + b, b * players + a])
    values = np.concatenate([pairs[:, 3] * weight, (1 - pairs[:, 3]) * weight])
    return np.bincount(cells, values, players * players).reshape(players, players)


def known_of(levels: Mapping[str, Level], players: int) -> AnyArray:
    """How the levels do in the arena, as something that is certain. One more match won and one lost:
    nobody always wins."""
    beaten = np.zeros((players, players))
    number_of = {level: number for number, level in enumerate(levels)}
    for lower, upper in pairwise(LEVEL_NAMES):
        share = (ARENA_MATCHES * levels[upper].beats_lower / 100 + 1) / (ARENA_MATCHES + 2)
        beaten[number_of[upper], number_of[lower]] = CERTAIN * share
        beaten[number_of[lower], number_of[upper]] = CERTAIN * (1 - share)
    return beaten


def points_of(beaten: Sequence[AnyArray], players: Sequence[str], prior: AnyArray | None = None) -> AnyArray:
    strong = strengths(np.array(beaten) + (prior_of(len(players)) if prior is None else prior))
    points: AnyArray = MEAN + SCALE * (strong - strong[:, [players.index(MEASURE)]])
    return points


def resampled(pairs: AnyArray, known: AnyArray, players: Sequence[str], matches: int) -> AnyArray:
    """The points of all players over and over again, with random weights of matches and prior. The
    same matches give the same figures."""
    chance, size = np.random.default_rng(matches), len(players)
    weights = weights_of(chance, RESAMPLES, matches, matches)
    at_once = max(1, ROOM // size**2)
    samples = []
    for start in range(0, RESAMPLES, at_once):
        beaten = [count(pairs, size, row) + known for row in weights[start : start + at_once]]
        prior = chance.standard_gamma(prior_of(size), (len(beaten), size, size))
        samples.append(points_of(beaten, players, prior))
    return np.concatenate(samples)


def bounds_of(samples: AnyArray, points: float) -> tuple[int, int]:
    low, high = interval_of(samples, points)
    return round(low), round(high)


def stages_of(matches: int) -> list[int]:
    """After how many matches it is told how things stood: after each, while there are few."""
    return sorted({round(matches * stage / STAGES) for stage in range(1, STAGES + 1)} - {0}) or [0]


def history_of(
    own: Sequence[int], matches: Sequence[RatedMatch], ends: Sequence[int], points: AnyArray
) -> tuple[RatingMoment, ...]:
    """Those stages after which a player had made more of their own matches than before; the last as
    it is now."""
    history: list[RatingMoment] = []
    for end, value in zip(ends, points.tolist(), strict=True):
        played = bisect_left(own, end)
        if played > (history[-1].matches if history else 0):
            history.append(RatingMoment(played, matches[own[played - 1]].ended, round(value)))
    return tuple(history[:-1] + [last._replace(points=round(float(points[-1]))) for last in history[-1:]])
